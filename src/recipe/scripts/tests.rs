//! The scripts are run by a real Python, in folders of their own.

use super::*;
use crate::recipe::hunks::hunks;
use std::path::Path;
use std::process::Command;

const OLD: &str = "def first(n):\n    return n\n\n\ndef second(n):\n    return n + 1\n\n\ndef third(n):\n    return n * 3\n";
const NET: &str = "from work import *\nassert first(1) == 1\nassert second(1) == 2\nassert third(2) == 6\nprint('=> hunk 1 of 3 lies')\n";

fn python(folder: &Path, script: &str) -> String {
    let done = Command::new("python3").args(["-I", "-c", script]).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// What the script says of a change, in a folder with this file.
fn said(file: &str, new: &str, net: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at(file), new).unwrap();
    std::fs::write(at("net.py"), NET).unwrap();
    std::fs::create_dir(at(".git")).unwrap();
    let found = hunks(OLD, new, 12);
    let script = which_hunk(&folder.path().to_string_lossy(), file, net, &found, 50);
    let output = python(Path::new("/"), &script);
    assert_eq!(std::fs::read_to_string(at(file)).unwrap(), new, "the folder is as it was");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "{output}");
    results(&output).into_iter().map(str::to_owned).collect()
}

#[test]
fn the_hunk_that_breaks_the_net_is_named() {
    let new =
        OLD.replace("return n\n", "return int(n)\n").replace("n + 1", "n + 2").replace("n * 3", "3 * n");
    assert_eq!(said("work.py", &new, "python3 net.py"), ["hunk 2 of 3 (line 6) breaks the net"]);
}

#[test]
fn hunks_that_need_each_other_are_not_blamed() {
    let old = OLD.replace("return n + 1", "return first(n) + 1");
    let new = old
        .replace("first(n)", "one(n)")
        .replace("n * 3", "n * 4")
        .replace("def third", "first = one\n\n\ndef third");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("work.py"), &new).unwrap();
    std::fs::write(folder.path().join("net.py"), NET).unwrap();
    let script =
        which_hunk(&folder.path().to_string_lossy(), "work.py", "python3 net.py", &hunks(&old, &new, 12), 50);
    let output = python(folder.path(), &script);
    assert_eq!(results(&output), ["hunk 3 of 3 (line 13) breaks the net"], "{output}");
}

#[test]
fn what_can_t_be_told_is_said() {
    let new = OLD.replace("n + 1", "n + 2").replace("n * 3", "4 * n");
    let two = said("work.py", &new, "python3 net.py");
    assert_eq!(two.len(), 2, "{two:?}");
    assert!(two.iter().all(|line| line.ends_with("breaks the net when it is there alone")), "{two:?}");
    let never = said("work.py", &new, "false");
    assert!(never[0].contains("even without the change"), "{never:?}");
}

#[test]
fn runs_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_string_lossy().into_owned();
    let command = |code: &str| ["python3", "-c", code].map(str::to_owned).to_vec();
    let output = python(folder.path(), &measure(&at, &command("print('=> seconds: 9')"), &[], 30));
    let before = seconds(&output);
    assert_eq!(before.len(), 7, "{output}");
    let figures = Figures::of(&before).unwrap();
    assert!(figures.least <= figures.median && figures.median <= figures.most && figures.most < 9.0);
    let output = python(folder.path(), &measure(&at, &command("pass"), &before, 30));
    assert!(output.contains("before: median") && output.contains("after: median"), "{output}");
    let output = python(folder.path(), &measure(&at, &command("import sys; sys.exit('no')"), &[], 30));
    assert!(seconds(&output).is_empty() && results(&output) == ["failed: exit 1"], "{output}");
    let output = python(folder.path(), &measure(&at, &command("import time; time.sleep(9)"), &[], 1));
    assert!(results(&output)[0].starts_with("too slow"), "{output}");
}

#[test]
fn figures_come_from_what_was_said_last() {
    assert_eq!(seconds("=> seconds: 1 2\nx\n=> seconds: 3 4 5\n"), [3.0, 4.0, 5.0]);
    assert_eq!(seconds("=> seconds: nan inf -1 x\n"), Vec::<f64>::new());
    assert_eq!(Figures::of(&[4.0, 1.0, 2.0, 3.0]).unwrap().told(), "2.5000 s (1.0000 to 4.0000)");
    assert_eq!(Figures::of(&[]), None);
}
