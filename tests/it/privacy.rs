//! Nothing that CommitMark writes names a person, a computer or a home: names and numbers are planted, or
//! read from this computer, and looked for in everything that comes out.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::{exports::commitmark, helpers::folder};

/// The words that may stand in no export: the planted person and computer, and this computer's own name
/// and serial numbers, as far as they can be read.
fn secrets(home: &Path) -> Vec<String> {
    let read = |path: &Path| fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let mut secrets = vec!["wilhelmine".to_owned(), home.display().to_string(), read(Path::new("/etc/machine-id"))];
    for file in ["product_serial", "board_serial", "chassis_serial", "product_uuid"] {
        secrets.push(read(&Path::new("/sys/class/dmi/id").join(file)));
    }
    for block in fs::read_dir("/sys/block").into_iter().flatten().flatten() {
        secrets.extend(["serial", "device/serial", "wwid", "device/wwid"].map(|file| read(&block.path().join(file))));
    }
    let own_name =
        Command::new("hostname").output().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    // A computer called like an ordinary word or a part of one proves nothing.
    secrets.extend(own_name.ok().filter(|name| name.len() >= 6));
    secrets.retain(|secret| secret.len() >= 4 && secret != "None");
    secrets
}

/// Everything that could be read in an export, a PNG's text chunks included.
fn assert_free_of(secrets: &[String], file: &Path) {
    let seen = String::from_utf8_lossy(&fs::read(file).unwrap()).to_lowercase();
    for secret in secrets {
        assert!(!seen.contains(&secret.to_lowercase()), "{secret} is in {}", file.display());
    }
}

#[test]
fn no_export_names_a_person_a_computer_or_a_home() {
    let place = folder();
    let home = place.path().join("wilhelmine");
    let computer = sysinfo::System::host_name().unwrap_or_default();
    let tested = home.join(format!("Apps of wilhelmine on {computer}"));
    fs::create_dir_all(&tested).unwrap();
    let out = |name: &str| place.path().join(name).display().to_string();
    let tested = tested.display().to_string();
    let [json, html, csv, markdown, png] = ["a.json", "a.html", "a.csv", "a.md", "a.png"].map(out);
    let arguments = [
        "run",
        "--quiet",
        "--preset",
        "standard",
        "--only",
        "flush,inserts",
        "--inserts",
        "20",
        "--rounds",
        "2",
        "--dir",
        &tested,
        "--json",
        &json,
        "--html",
        &html,
        "--csv",
        &csv,
        "--markdown",
        &markdown,
        "--png",
        &png,
    ];
    let output = commitmark(&arguments, &home);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let secrets = secrets(&home);
    assert!(secrets.len() >= 2);
    for file in [&json, &html, &csv, &markdown, &png] {
        assert_free_of(&secrets, Path::new(file));
    }
    let text = fs::read_to_string(&markdown).unwrap();
    assert!(text.contains("\\~/Apps of \\~ on \\~") || cfg!(windows) || computer == "localhost", "{text}");

    // A file that an older program or another hand made names people: they are taken out on the way.
    let mut value: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    value["volume"]["path"] = json!(tested);
    value["volume"]["mount_point"] = json!("/run/media/wilhelmine/STICK");
    value["volume"]["mount_options"] = json!("rw,lowerdir=/home/wilhelmine/a:/home/wilhelmine/b");
    value["machine"]["model"] = json!(r"\\wilhelmines-pc\share");
    value["warnings"] = json!([
        {"code": "failed", "message": format!("The file cannot be opened (denied). Choose another place: {tested}/x.db")},
        {"code": "failed", "message": r"Cannot read C:\Users\wilhelmine\AppData\x.db: access denied"},
    ]);
    value["experiments"][1]["cases"][0]["refused"] = json!("unable to open \"/media/wilhelmine/STICK/x.db\"");
    let planted = out("planted.commitmark.json");
    fs::write(&planted, value.to_string()).unwrap();
    let output = commitmark(
        &["export", &planted, "--html", &html, "--csv", &csv, "--markdown", &markdown, "--png", &png],
        &home,
    );
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for file in [&html, &csv, &markdown, &png] {
        assert_free_of(&secrets, Path::new(file));
    }
    let text = fs::read_to_string(&markdown).unwrap();
    assert!(text.contains("The file cannot be opened (denied)"), "the sentence itself stays: {text}");

    // A comparison shows what each file says of its drive.
    value["volume"]["drive_model"] = json!(r"Disk of C:\Users\wilhelmine\x");
    value["volume"]["file_system"] = json!("/home/wilhelmine/image");
    value["machine"]["os"] = json!("/home/wilhelmine/os");
    fs::write(&planted, value.to_string()).unwrap();
    let output = commitmark(&["compare", &json, &planted, "--json", "--html", &html], &home);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("/home/~/image"));
    fs::write(&csv, output.stdout).unwrap();
    for file in [&html, &csv] {
        assert_free_of(&secrets, Path::new(file));
    }
}
