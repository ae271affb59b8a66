//! Takes people out of paths: the home folder becomes `~`, user names and the names of computers disappear.
//!
//! `volume` calls it for every path that may reach a result file, `session` for every message with a path in
//! it, and `export` for every text that leaves. It works on text alone, so a Windows path is shortened the
//! same way on every system.

use std::{borrow::Cow, path::Path};

/// Folders beside the users' own that belong to nobody.
const NOBODY: [&str; 6] = ["Shared", "Public", "Default", "Default User", "All Users", "linuxbrew"];

/// The path for people and for result files: the home folder is `~`, another user's name in a path is `~`
/// (`/home/~/data`), a server's name is `server`, and an e-mail address in a folder's name is left out.
pub fn shorten_home(path: &Path) -> String {
    let Person { home, users } = Person::current();
    shorten(&path.to_string_lossy(), home.as_deref(), &users)
}

/// Who is to be taken out of texts.
#[derive(Clone, Debug)]
pub struct Person {
    home: Option<String>,
    users: Vec<String>,
}

impl Person {
    /// The person whose account runs this program.
    pub fn current() -> Self {
        let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_string_lossy().into_owned());
        Self { users: user_names(home.as_deref()), home }
    }

    /// The text with every path in it as [`shorten_home`] gives it. Words that are no part of a path stay:
    /// someone may be called like an ordinary word.
    pub fn taken_out_of<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut shown = String::new();
        let mut from = 0;
        while let Some(start) = path_start(text, from) {
            let end = path_end(text, start);
            shown.push_str(&text[from..start]);
            shown.push_str(&shorten(&text[start..end], self.home.as_deref(), &self.users));
            from = end;
        }
        shown.push_str(&text[from..]);
        if shown == text { Cow::Borrowed(text) } else { Cow::Owned(shown) }
    }
}

/// Where the next path from the root begins: `/home`, `C:\`, `\\server`. The slash in `wal/full` begins none.
fn path_start(text: &str, from: usize) -> Option<usize> {
    let mut before = text[..from].chars().next_back();
    for (at, letter) in text[from..].char_indices() {
        let at = from + at;
        let rest = &text[at..];
        let free = before.is_none_or(|before| !before.is_alphanumeric() && !"/\\~._-".contains(before));
        let begins = match letter {
            '/' => rest.chars().nth(1).is_some_and(|next| !next.is_whitespace()),
            '\\' => rest.starts_with(r"\\"),
            drive if drive.is_ascii_alphabetic() => rest[1..].starts_with(r":\") || rest[1..].starts_with(":/"),
            _ => false,
        };
        if free && begins {
            return Some(at);
        }
        before = Some(letter);
    }
    None
}

/// Where a path in a sentence ends: where no path goes on, or where the sentence does. Folders may have
/// spaces in their names, so words behind a path may be taken for a part of it.
fn path_end(text: &str, start: usize) -> usize {
    const ENDS: [&str; 12] = ["\"", "\n", "\r", "<", ">", "|", ")", ";", ", ", ". ", ": ", " ("];
    let rest = &text[start..];
    ENDS.iter().filter_map(|end| rest.find(end)).min().map_or(text.len(), |length| start + length)
}

/// The names the current user goes by, the environment's and the home folder's, and that of the computer, with and
/// without its domain.
fn user_names(home: Option<&str>) -> Vec<String> {
    let mut names: Vec<String> = ["USER", "LOGNAME", "USERNAME", "SUDO_USER"]
        .into_iter()
        .filter_map(|variable| std::env::var(variable).ok())
        .collect();
    names.extend(home.and_then(|home| home.rsplit(['/', '\\']).next()).map(str::to_owned));
    if let Ok(host) = sysinfo::System::host_name() {
        names.extend(host.split_once('.').map(|(short, _)| short.to_owned()));
        names.push(host);
    }
    // These name nobody, and the first is the name of ordinary folders.
    names.retain(|name| !name.is_empty() && name != "root" && name != "localhost");
    names.sort();
    names.dedup();
    names
}

fn shorten(path: &str, home: Option<&str>, users: &[String]) -> String {
    let plain = without_verbatim_prefix(path);
    let windows = is_windows_style(&plain);
    let (plain, separator) = if windows { (plain.replace('/', "\\"), '\\') } else { (plain, '/') };
    let (start, rest) = match home.and_then(|home| below_home(&plain, home, separator)) {
        Some("") => return "~".to_owned(),
        Some(rest) => ("~", rest),
        None => ("", plain.as_str()),
    };
    let parts: Vec<&str> = rest.split(separator).collect();
    let shown: Vec<String> = (0..parts.len()).map(|at| shown_part(&parts, at, windows, users)).collect();
    start.to_owned() + &shown.join(&separator.to_string())
}

/// `\\?\C:\Data` and `\\?\UNC\server\share` as people write them.
pub(super) fn without_verbatim_prefix(path: &str) -> String {
    match (path.strip_prefix(r"\\?\UNC\"), path.strip_prefix(r"\\?\")) {
        (Some(share), _) => format!(r"\\{share}"),
        (None, Some(local)) => local.to_owned(),
        (None, None) => path.to_owned(),
    }
}

fn is_windows_style(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with(r"\\") || (drive.len() > 1 && drive[0].is_ascii_alphabetic() && drive[1] == b':')
}

/// What follows the home folder, with the separator in front; `None` when the path is elsewhere.
fn below_home<'a>(path: &'a str, home: &str, separator: char) -> Option<&'a str> {
    let home = home.trim_end_matches(separator);
    // A service may have "/" as its home: that would hide nothing and shorten everything.
    let (start, rest) = path.split_at_checked(home.len()).filter(|_| !home.is_empty())?;
    let same = if separator == '\\' { start.eq_ignore_ascii_case(home) } else { start == home };
    let rest = if rest.len() == 1 { rest.trim_end_matches(separator) } else { rest };
    (same && (rest.is_empty() || rest.starts_with(separator))).then_some(rest)
}

fn shown_part(parts: &[&str], at: usize, windows: bool, users: &[String]) -> String {
    let part = parts[at];
    if windows && at == 2 && parts[0].is_empty() && parts[1].is_empty() {
        return "server".to_owned();
    }
    if names_a_person(parts, at, windows) {
        return "~".to_owned();
    }
    without_users(&without_account(part), users)
}

/// Whether the folder at this place is named after a person or, below `/net`, after a computer.
fn names_a_person(parts: &[&str], at: usize, windows: bool) -> bool {
    let Some(before) = at.checked_sub(1).map(|at| parts[at]) else { return false };
    if parts[at].is_empty() || NOBODY.contains(&parts[at]) {
        return false;
    }
    let below_users = before == "Users" || before == "home" || before == "Documents and Settings";
    let lower_case_users =
        before.eq_ignore_ascii_case("users") && (windows && at == 2 || parts.get(1) == Some(&"mnt") && at == 4);
    let mounted_for_a_user = before == "media" && (at == 2 && parts.len() > 3 || at == 3 && parts[1] == "run");
    below_users || lower_case_users || (!windows && (mounted_for_a_user || at == 2 && before == "net"))
}

/// Leaves out what cloud drives and GNOME put into folder names: e-mail addresses, servers, accounts.
fn without_account(part: &str) -> String {
    if ["server=", "host=", "user="].iter().any(|key| part.contains(key)) {
        return format!("{}:~", part.split(':').next().unwrap_or_default());
    }
    match part.split_once('@') {
        Some((name, domain)) if !name.is_empty() && domain.contains('.') => {
            name.split_once('-').map_or_else(|| "~".to_owned(), |(service, _)| format!("{service}-~"))
        }
        _ => part.to_owned(),
    }
}

/// Replaces the user's names where they stand as a word: `alice-backup` becomes `~-backup`.
fn without_users(part: &str, users: &[String]) -> String {
    users.iter().fold(part.to_owned(), |part, user| without_user(&part, user))
}

fn without_user(part: &str, user: &str) -> String {
    let (mut shown, mut from) = (String::new(), 0);
    let mut lower = part.to_lowercase();
    // A few letters change their length with their case; then places would not be the same any more.
    if lower.len() != part.len() || !part.char_indices().all(|(at, _)| lower.is_char_boundary(at)) {
        lower = part.to_ascii_lowercase();
    }
    let user = user.to_lowercase();
    while let Some(found) = lower[from..].find(&user).map(|at| from + at) {
        let end = found + user.len();
        let word_before = part[..found].chars().next_back().is_some_and(char::is_alphanumeric);
        let word_after = part[end..].chars().next().is_some_and(char::is_alphanumeric);
        shown.push_str(&part[from..found]);
        shown.push_str(if word_before || word_after { &part[found..end] } else { "~" });
        from = end;
    }
    shown + &part[from..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn for_alice(path: &str) -> String {
        shorten(path, Some("/home/alice"), &["alice".to_owned()])
    }

    fn for_bob_on_windows(path: &str) -> String {
        shorten(path, Some(r"C:\Users\Bob"), &["Bob".to_owned()])
    }

    #[test]
    fn the_home_folder_becomes_a_tilde() {
        assert_eq!(for_alice("/home/alice"), "~");
        assert_eq!(for_alice("/home/alice/"), "~");
        assert_eq!(for_alice("/home/alice/.local/share"), "~/.local/share");
        assert_eq!(for_bob_on_windows(r"C:\Users\Bob\AppData"), r"~\AppData");
        assert_eq!(for_bob_on_windows(r"c:\users\bob\AppData"), r"~\AppData");
        assert_eq!(for_bob_on_windows("C:/Users/Bob/AppData"), r"~\AppData");
        assert_eq!(for_bob_on_windows(r"\\?\C:\Users\Bob\AppData"), r"~\AppData");
        assert_eq!(shorten("/Users/carol/Library", Some("/Users/carol"), &["carol".to_owned()]), "~/Library");
    }

    #[test]
    fn another_users_name_disappears_too() {
        assert_eq!(for_alice("/home/alicia/data"), "/home/~/data");
        assert_eq!(for_alice("/var/home/bob/data"), "/var/home/~/data");
        assert_eq!(for_alice("/mnt/c/Users/Bob/data"), "/mnt/c/Users/~/data");
        assert_eq!(for_alice("/mnt/c/users/Bob/data"), "/mnt/c/users/~/data");
        assert_eq!(for_alice("/Users/dave/data"), "/Users/~/data");
        assert_eq!(for_bob_on_windows(r"C:\Users\DAVE~1\data"), r"C:\Users\~\data");
        assert_eq!(for_bob_on_windows(r"d:\users\dave"), r"d:\users\~");
        assert_eq!(shorten("/home/erin/x", None, &[]), "/home/~/x");
    }

    #[test]
    fn drives_mounted_for_a_user_do_not_name_the_user() {
        assert_eq!(for_alice("/media/alice/stick"), "/media/~/stick");
        assert_eq!(for_alice("/run/media/bob/stick/db"), "/run/media/~/stick/db");
        assert_eq!(for_alice("/media/alice"), "/media/~");
        assert_eq!(for_alice("/media/cdrom"), "/media/cdrom");
        assert_eq!(for_alice("/mnt/Alice-backup/alice"), "/mnt/~-backup/~");
        assert_eq!(for_alice("/mnt/malice"), "/mnt/malice");
        assert_eq!(shorten("/mnt/JÜRGEN-data", None, &["jürgen".to_owned()]), "/mnt/~-data");
    }

    #[test]
    fn servers_and_accounts_are_left_out() {
        assert_eq!(for_bob_on_windows(r"\\nas01\team\db"), r"\\server\team\db");
        assert_eq!(for_bob_on_windows(r"\\?\UNC\nas01\team"), r"\\server\team");
        assert_eq!(for_alice("/net/nas01/export"), "/net/~/export");
        assert_eq!(
            for_alice("/run/user/1000/gvfs/smb-share:server=nas01,share=team"),
            "/run/user/1000/gvfs/smb-share:~"
        );
        let cloud = "/Users/carol/Library/CloudStorage/GoogleDrive-carol@example.com/My Drive";
        assert_eq!(shorten(cloud, Some("/Users/carol"), &[]), "~/Library/CloudStorage/GoogleDrive-~/My Drive");
    }

    #[test]
    fn people_are_taken_out_of_paths_inside_sentences() {
        let alice = Person { home: Some("/home/alice".to_owned()), users: vec!["alice".to_owned(), "full".to_owned()] };
        for (text, shown) in [
            (
                "The drive is full (ENOSPC). Free some: /home/alice/my data/x.db",
                "The drive is full (ENOSPC). Free some: ~/my data/x.db",
            ),
            (
                "\"/home/alice\" and /home/bob/x, then /media/alice/stick/db.",
                "\"~\" and /home/~/x, then /media/~/stick/db.",
            ),
            (r"C:\Users\Carol Smith\db: denied", r"C:\Users\~\db: denied"),
            (r"on \\nas01\team\db", r"on \\server\team\db"),
            ("lowerdir=/home/bob/a:/home/dave/b", "lowerdir=/home/~/a:/home/~/b"),
            // Words behind a folder named after a person may belong to the name: they go too.
            ("/home/alice cannot be read", "/home/~"),
            ("file:///home/bob/x", "file:///home/~/x"),
        ] {
            assert_eq!(alice.taken_out_of(text), shown);
            assert_eq!(alice.taken_out_of(shown), shown, "what is clean stays so");
        }
        for text in
            ["wal/full", "alice", "2 / 5 rounds", "https://sqlite.org/wal.html", "~/full", "", "größer / kleiner"]
        {
            assert!(matches!(alice.taken_out_of(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn paths_that_name_nobody_stay_as_they_are() {
        for path in ["/", "/home", "/srv/data", "/Users/Shared/db", "/mnt/@home", "/var/lib/app"] {
            assert_eq!(for_alice(path), path);
        }
        for path in [r"C:\", r"D:\Apps\data", r"C:\Users\Public\db", r"C:\Users"] {
            assert_eq!(for_bob_on_windows(path), path);
        }
        assert_eq!(shorten("/srv/data", Some("/"), &[]), "/srv/data");
        assert_eq!(for_alice("/home/alicé/x"), "/home/~/x");
    }
}
