//! Tests how scripts are built. `tests/exec/recipes.rs` runs them.

use super::*;
use crate::recipe::hunks::hunks;

const OLD: &str = include_str!("../../../tests/fixtures/recipes/hunks/old.py");
const NEW: &str = include_str!("../../../tests/fixtures/recipes/hunks/new.py");
const CALL: &str = include_str!("../../../tests/fixtures/recipes/hunks/call.py");

#[test]
fn a_script_is_what_is_run_for_real() {
    let script = which_hunk("/work/project", "work.py", "python3 net.py", &hunks(OLD, NEW, 12), 16);
    assert_eq!(script.strip_prefix(WHICH_HUNK), Some(CALL));
    let script = measure("/work/project", &["python3".into(), "it's.py".into()], &[0.5, 0.25], 9);
    let call = script.strip_prefix(MEASURE).unwrap_or_default();
    assert!(call.contains("command=['python3', \"it's.py\"],\n    before=[0.500000, 0.250000],"), "{call}");
}

#[test]
fn nothing_leaves_its_quotes() {
    let net = "echo '\n'); import os #";
    let script = which_hunk("/a'b", "c\nd", net, &hunks("'''\n\\", "x\n", 9), 1);
    let call = script.strip_prefix(WHICH_HUNK).unwrap_or_default();
    assert!(call.contains(r#"net="echo '\n'); import os #","#), "{call}");
    assert!(call.contains(r"file='c\nd',"), "{call}");
    assert!(call.contains(r#""'''\n","#) && call.contains(r"'\\',"), "{call}");
}

#[test]
fn figures_come_from_what_was_said_last() {
    assert_eq!(seconds("=> seconds: 1 2\nx\n=> seconds: 3 4 5\n"), [3.0, 4.0, 5.0]);
    assert_eq!(seconds("=> seconds: 1 2\n    => seconds: 3\n=> failed: exit 1\n"), Vec::<f64>::new());
    assert_eq!(seconds("=> seconds: nan inf -1 x\n"), Vec::<f64>::new());
    assert_eq!(Figures::of(&[4.0, 1.0, 2.0, 3.0]).unwrap().describe(), "2.5000 s (1.0000 to 4.0000)");
    assert_eq!(Figures::of(&[]), None);
}
