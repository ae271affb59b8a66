//! Each condition that makes a result doubtful is provoked with recorded samples, and is silent on a
//! good run.

use commitmark::{
    experiments::{AnyOutcome, Experiment, flush, inserts},
    measure::{
        database::{JournalMode, Settings, Synchronous},
        outcome::{Case, Outcome},
    },
    plan::{Plan, Preset},
    report::{Report, Trust, trust},
    system::{Power, Volume, conditions::Conditions},
};

/// Blocks of one case: each number is the seconds that a save took in that round.
fn case(journal_mode: JournalMode, syncs: u64, waiting: f64, save_seconds: &[f64]) -> Case<inserts::Sample> {
    let settings = Settings::new(journal_mode, Synchronous::Full);
    let sample = |(index, save): (usize, &f64)| inserts::Sample {
        round: index as u64 + 1,
        operations: 100,
        seconds: save * 100.0,
        syncs: syncs * 100,
        sync_seconds: save * 100.0 * waiting,
        p50_us: save * 1e6,
        p99_us: save * 1e6,
        max_us: save * 1e6,
        ..inserts::Sample::default()
    };
    Case {
        name: settings.name(),
        settings: Some(settings),
        refused: None,
        samples: save_seconds.iter().enumerate().map(sample).collect(),
    }
}

fn report(default: &[f64], wal: &[f64], waiting: f64) -> Report {
    let cases = vec![case(JournalMode::Delete, 4, waiting, default), case(JournalMode::Wal, 1, waiting, wal)];
    let ratios = inserts::Inserts::ratios(&cases);
    let outcome = Outcome { wall_seconds: 30.0, cases, ratios, warnings: Vec::new() };
    let mut report = Report::new(Plan::new(Preset::Quick), None, Default::default(), Volume::default());
    report.wall_seconds = 60.0;
    report.experiments.push(AnyOutcome::Inserts(outcome));
    report
}

/// Twelve rounds at about 6 ms and 1.5 ms a save, each within a few per cent.
fn good() -> Report {
    let wobble = [1.0, 1.01, 0.99, 1.02, 0.98, 1.0, 1.01, 0.99, 1.0, 1.02, 0.98, 1.01];
    report(&wobble.map(|part| 6e-3 * part), &wobble.map(|part| 1.5e-3 / part), 0.95)
}

fn codes(report: &Report) -> Vec<String> {
    trust::warnings(report).into_iter().map(|warning| warning.code).collect()
}

fn with_floor(mut report: Report, seconds: f64) -> Report {
    let sample = flush::Sample { round: 1, operations: 20, p50_us: seconds * 1e6, ..flush::Sample::default() };
    let case = Case { name: flush::SQLITES_CALL.to_owned(), settings: None, refused: None, samples: vec![sample] };
    let outcome = Outcome { wall_seconds: 1.0, cases: vec![case], ratios: Vec::new(), warnings: Vec::new() };
    report.experiments.insert(0, AnyOutcome::Flush(outcome));
    report
}

fn with_conditions(conditions: Conditions) -> Vec<String> {
    codes(&Report { conditions: Some(conditions), ..good() })
}

#[test]
fn a_good_run_has_no_warning() {
    assert!(codes(&with_floor(good(), 1.4e-3)).is_empty());
    let quiet = Conditions {
        power_before: Some(Power::Mains),
        power_after: Some(Power::Mains),
        other_cpu_load: Some(0.1),
        other_written_bytes: Some(10_000_000),
        ..Conditions::default()
    };
    assert!(with_conditions(quiet).is_empty());
}

#[test]
fn a_wide_interval_is_said() {
    let default: Vec<f64> = (0..12).map(|round| 6e-3 * (1.0 + 0.1 * f64::from(round % 5))).collect();
    let wal: Vec<f64> = (0..12).map(|round| 1.5e-3 * (1.0 + 0.1 * f64::from(round % 3))).collect();
    assert_eq!(codes(&report(&default, &wal, 0.95)), ["wide_interval"]);
}

#[test]
fn too_few_rounds_are_said() {
    assert_eq!(codes(&report(&[6e-3], &[1.5e-3], 0.95)), ["few_rounds"]);
    assert_eq!(codes(&report(&[6e-3; 4], &[1.5e-3; 4], 0.95)), ["few_rounds"]);
    assert!(codes(&report(&[6e-3; 5], &[1.5e-3; 5], 0.95)).is_empty());
}

#[test]
fn rounds_that_are_not_alike_are_said() {
    let default: Vec<f64> = (0..12).map(|round| if round % 3 == 0 { 20e-3 } else { 6e-3 }).collect();
    assert!(codes(&report(&default, &[1.5e-3; 12], 0.95)).contains(&"uneven_rounds".to_owned()));
}

#[test]
fn a_drive_that_changed_speed_is_said_though_the_ratio_holds() {
    let regime = |save: f64| (0..12).map(|round| if round < 6 { save } else { save / 20.0 }).collect::<Vec<_>>();
    let report = report(&regime(6e-3), &regime(1.5e-3), 0.95);
    assert_eq!(codes(&report), ["drifted"]);
    let AnyOutcome::Inserts(outcome) = &report.experiments[0] else { unreachable!() };
    assert!((outcome.ratios[0].value - 4.0).abs() < 1e-9);
}

#[test]
fn a_block_far_from_the_others_is_said_and_kept() {
    let mut default: Vec<f64> = (0..12).map(|round| 6e-3 * (1.0 + 0.01 * f64::from(round % 4))).collect();
    default[7] = 0.2;
    let report = report(&default, &[1.5e-3; 12], 0.95);
    assert_eq!(codes(&report), ["far_out"]);
    let AnyOutcome::Inserts(outcome) = &report.experiments[0] else { unreachable!() };
    assert_eq!(outcome.cases[0].samples.len(), 12);
}

#[test]
fn a_save_that_does_not_wait_for_the_drive_is_said() {
    assert_eq!(codes(&report(&[6e-3; 12], &[1.5e-3; 12], 0.3)), ["not_the_drive"]);
    assert!(codes(&report(&[6e-3; 12], &[1.5e-3; 12], 0.51)).is_empty());
}

#[test]
fn saves_below_the_floor_and_flushes_that_no_drive_can_do_are_said_first() {
    // Half the floor and less cannot have waited for it; a little less is noise.
    let saves = |waiting| report(&[6e-3; 12], &[1.5e-3; 12], waiting);
    assert!(codes(&with_floor(saves(0.004), 3.1e-3)).contains(&"syncs_missing".to_owned()), "6 µs in each sync");
    // Syncs of 1.4 ms reach a drive: it was slower while its floor was measured.
    assert_eq!(codes(&with_floor(good(), 3.1e-3)), ["floor_moved"]);
    assert!(codes(&with_floor(good(), 2.0e-3)).is_empty());
    assert_eq!(codes(&with_floor(good(), 2e-6)), ["syncs_missing"]);
    let in_memory = Volume { memory: Some(true), ..Volume::default() };
    assert!(codes(&Report { volume: in_memory, ..with_floor(good(), 2e-6) }).is_empty(), "memory has its own caution");
}

#[test]
fn a_pulled_plug_a_sleep_and_other_programs_are_said() {
    let plug =
        Conditions { power_before: Some(Power::Mains), power_after: Some(Power::Battery), ..Conditions::default() };
    assert_eq!(with_conditions(plug), ["power_changed"]);
    assert_eq!(with_conditions(Conditions { clock_jump_seconds: 3_600.0, ..Conditions::default() }), ["slept"]);
    assert_eq!(with_conditions(Conditions { clock_jump_seconds: -120.0, ..Conditions::default() }), ["slept"]);
    assert_eq!(with_conditions(Conditions { other_cpu_load: Some(0.6), ..Conditions::default() }), ["other_load"]);
    let writing = Conditions { other_written_bytes: Some(500_000_000), ..Conditions::default() };
    assert_eq!(with_conditions(writing), ["other_writes"]);
    // Written to another drive: this one took no more than we wrote ourselves.
    let elsewhere =
        Conditions { drive_written_bytes: Some(200_000_000), own_written_bytes: Some(199_000_000), ..writing };
    assert!(with_conditions(elsewhere).is_empty());
}

#[test]
fn every_warning_says_what_to_do() {
    let writing = Conditions {
        power_before: Some(Power::Mains),
        power_after: Some(Power::Battery),
        clock_jump_seconds: 60.0,
        other_cpu_load: Some(1.0),
        other_written_bytes: Some(u64::MAX),
        ..Conditions::default()
    };
    let default: Vec<f64> = (0..12).map(|round| if round % 3 == 0 { 20e-3 } else { 6e-3 }).collect();
    let mut doubtful = with_floor(report(&default, &[1e-6; 12], 0.1), 2e-6);
    doubtful.conditions = Some(writing);
    let warnings = trust::warnings(&doubtful);
    assert!(warnings.len() >= 6, "{warnings:?}");
    for warning in warnings {
        let says = ["un again", "un more rounds", "Do not trust"].iter().any(|words| warning.message.contains(words));
        assert!(says && warning.message.ends_with('.'), "{}: {}", warning.code, warning.message);
    }
}

#[test]
fn a_doubtful_result_is_not_called_steady() {
    let mut report = good();
    report.status = commitmark::report::Status::Complete;
    assert_eq!(report.trust(), Trust::Steady);
    report.warnings = trust::warnings(&with_floor(good(), 2e-6));
    assert!(matches!(report.trust(), Trust::Noisy(_)));
}
