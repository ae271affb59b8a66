//! `commitmark settings`: prints code to copy to stdout, and why these settings, with what they risk, to
//! stderr, so that the code can be redirected to a file.

use std::path::PathBuf;

use clap::Args;

use super::{DONE, FAILED, complain, print};
use crate::{
    advice::{
        self, Advice,
        findings::Finding,
        settings::{Framework, code},
    },
    report::load::load,
};

#[derive(Args, Debug)]
pub(super) struct SettingsArguments {
    /// What your app is written with
    #[arg(long = "for", value_enum, value_name = "FRAMEWORK")]
    framework: Framework,
    /// The result that the settings are made from; without it they are general advice
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Losing the last second of saves in a power cut is acceptable
    #[arg(long)]
    accept_loss: bool,
}

/// Returns the exit code.
pub(super) fn settings(arguments: SettingsArguments) -> u8 {
    let report = match arguments.from.as_deref().map(load).transpose() {
        Ok(report) => report,
        Err(error) => {
            complain(&error.to_string());
            return FAILED;
        }
    };
    let advice = advice::advise(report.as_ref(), arguments.accept_loss);
    for line in reasons(&advice, arguments.accept_loss) {
        complain(&line);
    }
    print(code(arguments.framework, &advice.choice).trim_end());
    DONE
}

/// What is said about the settings, line by line: cautions first.
fn reasons(advice: &Advice, accept_loss: bool) -> Vec<String> {
    let answer = if accept_loss { "acceptable" } else { "not acceptable (--accept-loss changes that)" };
    let question = format!("If the power fails, losing the last second of saves is {answer}");
    let short = format!("The settings: {}", advice.in_short());
    let findings = advice.cautions.iter().chain(&advice.settings).chain(&advice.habits);
    [advice.source.clone(), question, short].into_iter().chain(findings.map(line)).collect()
}

fn line(finding: &Finding) -> String {
    let risk = finding.risk.as_ref().map_or_else(String::new, |risk| format!(" Risk: {risk}."));
    format!("{}: {}.{risk}", finding.advice, finding.reason.trim_end_matches('.'))
}
