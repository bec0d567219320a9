//! Measures what it costs that runs can be undone: `sayso exec` in a folder of many files, compared with an empty
//! one, and undoing a run that removed them all.

use crate::{command, medians, ms, part, time};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The number of files in the folder.
const FILES: usize = 10_000;

pub fn undo() {
    let home = tempfile::tempdir().unwrap();
    let (empty, work) = (home.path().join("empty"), home.path().join("work"));
    std::fs::create_dir_all(&empty).unwrap();
    let count = FILES / part();
    for n in 0..count {
        let folder = work.join(format!("d{}", n % 100));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("f{n}")), format!("file {n}\n").repeat(20)).unwrap();
    }
    let nothing = script(home.path(), "nothing.sh", "true\n");
    let bare = medians(|| run(home.path(), &empty, &nothing));
    let first = run(home.path(), &work, &nothing);
    let later = medians(|| run(home.path(), &work, &nothing));
    let removing = run(home.path(), &work, &script(home.path(), "remove.sh", "rm -r ./d*\n"));
    assert_eq!(files(&work), 0);
    let session = newest(&home.path().join("sayso/sessions"));
    let back = command(home.path(), &["sessions", "undo", &session, "--yes"]);
    assert_eq!(files(&work), count, "all of them are there again");
    println!("| a run in an empty folder | {} |", time(bare));
    println!("| the first in a folder of {count} files: all are kept | {} |", time(first));
    println!("| each later one | {} |", time(later));
    println!("| one that removes them | {} |", time(removing));
    println!("| taking that back | {} |", time(back));
}

fn script(home: &Path, name: &str, text: &str) -> PathBuf {
    let path = home.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn run(home: &Path, work: &Path, script: &Path) -> f64 {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sayso"));
    command.args(["exec", "--json", "--sandbox", "off"]).arg(script).current_dir(work);
    command.env("HOME", home).env("SAYSO_HOME", home.join("sayso"));
    let began = Instant::now();
    let done = command.output().unwrap();
    let time = ms(began.elapsed());
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    time
}

fn files(folder: &Path) -> usize {
    let folders = std::fs::read_dir(folder).unwrap().flatten();
    folders.map(|folder| std::fs::read_dir(folder.path()).map_or(0, Iterator::count)).sum()
}

/// The id of the session that was written last.
fn newest(sessions: &Path) -> String {
    let all = std::fs::read_dir(sessions).unwrap().flatten().map(|entry| entry.path());
    let all = all.filter(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let newest = all.max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap();
    newest.file_stem().unwrap().to_string_lossy().into_owned()
}
