//! What must be known before two results are compared: each rule looks at the first result and another
//! one, and one line names all results that it concerns. Some rules keep a pair apart: no ratio is made.

use serde::Serialize;

use super::{Part, Subject, is_other_work};
use crate::units;

/// So many numbers are named in a sentence before the rest is counted.
const NAMED: usize = 6;

/// What must be known before results are compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Caution {
    /// Stable and lower case, for programs.
    pub code: &'static str,
    /// The numbers of the results it concerns.
    pub files: Vec<usize>,
    /// One sentence.
    pub message: String,
    /// Whether these must not be compared with the first, so that no ratio is shown.
    pub must_not: bool,
    /// The title of the only question that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// What a rule says about one result: the end of a sentence about it, and whether it must not be compared.
struct Found {
    code: &'static str,
    words: String,
    must_not: bool,
    question: Option<String>,
}

/// Everything that speaks against a comparison, the gravest first.
pub(super) fn all(subjects: &[&Subject]) -> Vec<Caution> {
    let Some((first, others)) = subjects.split_first() else { return Vec::new() };
    let mut groups: Vec<(Found, Vec<usize>)> = Vec::new();
    let mut note = |number: usize, found: Found| match groups
        .iter_mut()
        .find(|(known, _)| known.code == found.code && known.words == found.words && known.question == found.question)
    {
        Some((_, numbers)) => numbers.push(number),
        None => groups.push((found, vec![number])),
    };
    for (subject, number) in others.iter().zip(2..) {
        beside(first, subject).into_iter().for_each(|found| note(number, found));
    }
    for (subject, number) in subjects.iter().zip(1..) {
        by_itself(subject).into_iter().for_each(|found| note(number, found));
    }
    let mut cautions: Vec<Caution> = groups.into_iter().map(|(found, files)| caution(found, files)).collect();
    cautions.sort_by_key(|caution| (!caution.must_not, caution.question.is_some()));
    cautions
}

/// For each result, whether it must not be compared with the first at all.
pub(super) fn apart(cautions: &[Caution], count: usize) -> Vec<bool> {
    let mut apart = vec![false; count];
    let whole = cautions.iter().filter(|caution| caution.must_not && caution.question.is_none());
    for number in whole.flat_map(|caution| &caution.files) {
        if let Some(apart) = apart.get_mut(number - 1) {
            *apart = true;
        }
    }
    apart
}

fn caution(found: Found, files: Vec<usize>) -> Caution {
    let message = match files.as_slice() {
        [number] => format!("File {number} {}", found.words),
        many => {
            let named: Vec<String> = many.iter().take(NAMED).map(ToString::to_string).collect();
            let rest = many.len() - named.len();
            let more = if rest > 0 { format!(" and {} more", units::count(rest as u64)) } else { String::new() };
            format!("Files {}{more}: each {}", named.join(", "), found.words)
        }
    };
    Caution { code: found.code, files, message, must_not: found.must_not, question: found.question }
}

fn apart_from(code: &'static str, words: String) -> Found {
    Found { code, words: format!("must not be compared with file 1: {words}"), must_not: true, question: None }
}

fn beside(first: &Subject, other: &Subject) -> Vec<Found> {
    let (one, two) = (&first.origin, &other.origin);
    if one.run.is_some() && one.run == two.run {
        let words = "is the same run as file 1".to_owned();
        return vec![Found { code: "same_run", words, must_not: false, question: None }];
    }
    let mut found = Vec::new();
    if program(&one.harness) != program(&two.harness) {
        found.push(apart_from(
            "other_harness",
            format!("another program measured ({}, not {})", two.harness, one.harness),
        ));
    } else if one.harness != two.harness {
        let words = format!("was measured with another version of the program ({}, not {})", two.harness, one.harness);
        found.push(Found { code: "other_version", words, must_not: false, question: None });
    }
    if let (Some(one), Some(two)) = (&one.sqlite, &two.sqlite)
        && one != two
    {
        found.push(apart_from("other_sqlite", format!("another SQLite was measured ({two}, not {one})")));
    }
    found.extend(other_flush(first, other));
    if one.memory.unwrap_or_default() != two.memory.unwrap_or_default() {
        found.push(apart_from("memory", "one of the two was in memory and waited for no drive".to_owned()));
    }
    if one.virtual_machine.is_some() && two.virtual_machine.is_some() && one.virtual_machine != two.virtual_machine {
        let words =
            "and file 1 are not both from a virtual machine, whose drive may answer before the real one has the data";
        found.push(Found { code: "virtual_machine", words: words.to_owned(), must_not: false, question: None });
    }
    found.extend(other.parts.iter().filter_map(|part| other_work(first, part)));
    found
}

/// CommitMark in all its versions is one program.
fn program(harness: &str) -> &str {
    if harness.starts_with("CommitMark ") { "CommitMark" } else { harness }
}

/// On a Mac, SQLite's default does not ask the drive to empty its cache, unlike anywhere else.
fn other_flush(first: &Subject, other: &Subject) -> Option<Found> {
    let (one, two) = (&first.origin, &other.origin);
    let is_mac = |os: &Option<String>| os.as_deref().is_some_and(|os| os.starts_with("macOS") || os == "Darwin");
    if is_mac(&one.os) != is_mac(&two.os) && one.os.is_some() && two.os.is_some() {
        let words =
            "one of the two is from a Mac, where SQLite by default does not wait until the drive has emptied its cache";
        return Some(apart_from("mac_default", words.to_owned()));
    }
    match (&one.sync_call, &two.sync_call) {
        (Some(one), Some(two)) if one != two => {
            Some(apart_from("other_sync_call", format!("it waits for the drive with {two}, not {one}")))
        }
        _ => None,
    }
}

fn other_work(first: &Subject, part: &Part) -> Option<Found> {
    let own = first.parts.iter().find(|own| own.id == part.id).filter(|own| is_other_work(own, part))?;
    let did = |part: &Part| part.work.clone().unwrap_or_else(|| "other numbers in the plan".to_owned());
    let (one, two) = (did(own), did(part));
    let words = if one == two {
        format!("did other work than file 1 under \"{}\": the numbers of the plan differ", part.title)
    } else {
        format!("did other work than file 1 under \"{}\": {two}, not {one}", part.title)
    };
    Some(Found { code: "other_work", words, must_not: true, question: Some(part.title.clone()) })
}

fn by_itself(subject: &Subject) -> Vec<Found> {
    let origin = &subject.origin;
    let mut found = Vec::new();
    if origin.memory == Some(true) {
        let words = "was in memory and says nothing about a disk".to_owned();
        found.push(Found { code: "in_memory", words, must_not: false, question: None });
    }
    if let Some(doubt) = &origin.doubt {
        let words = format!("is less certain: {}", doubt.trim_end_matches('.'));
        found.push(Found { code: "doubt", words, must_not: false, question: None });
    }
    found
}
