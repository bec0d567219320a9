//! Tests of edits: placed in their files before anyone is asked, sent back to the model if they don't fit, placed again
//! if the files changed.

use super::*;
use crate::domain::{OnDisk, Role, Sha256, Target, Terms};

const EDIT: &str = "```edit path=a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n```\n";

fn file(text: &str) -> OnDisk {
    OnDisk::File(Some(Sha256::of(text.as_bytes())))
}

fn terms_over(before: &str) -> Terms {
    samples::of_file("edit", Target::at("/work/a.py", file(before)))
}

#[test]
fn an_edit_is_a_text_of_the_file_before_anyone_is_asked() {
    let mut d = Dialogue::after_reply(EDIT);
    assert_eq!(d.approve(1), "'Block 1 is still being checked.' | deciding 1");
    assert_eq!(d.placed(1, Ok("x = 2\n"), &[file("x = 1\n")]), "+placed 1.2, look 1.2 | deciding 1");
    d.inspected_over(1, "x = 1\n", terms_over("x = 1\n"));
    assert_eq!(d.block(1).kind, BlockKind::Edit { paths: vec!["a.py".into()] });
    assert_eq!(&*d.block(1).current().source, "x = 2\n");
    assert!(!d.block(1).is_edited(), "the person changed nothing");
    assert_eq!(d.approve(1), "+approved r1 1.2 person, start r1 | running r1");
    d.started(1);
    d.prints("changed a.py\n");
    d.ended(1, Outcome::Ok);
    d.told().has("Block 1 (edit a.py): ").lacks("The person changed");
    // The placed text is saved in the session and is there after reopening.
    d.reopen();
    assert_eq!(d.block(1).placed.len(), 1);
}

#[test]
fn an_edit_whose_places_nobody_can_look_for_says_why_and_waits_for_the_person() {
    let mut d = Dialogue::after_reply(EDIT);
    d.inspected(1, Review::default(), Err("the checks broke off".into()));
    assert_eq!(d.type_run(1), "'Block 1 can't run here: the checks broke off' | deciding 1");
    d.skip(1).has("+skipped 1").ends("idle");
}

#[test]
fn what_the_person_dropped_is_told_as_it_was_applied() {
    let mut d = Dialogue::after_reply(EDIT);
    d.placed(1, Ok("x = 2\ny = 2\n"), &[file("x = 1\ny = 1\n")]);
    d.inspected_over(1, "x = 1\ny = 1\n", terms_over("x = 1\ny = 1\n"));
    d.edit(1, "x = 2\ny = 1\n");
    d.inspected_over(1, "x = 1\ny = 1\n", terms_over("x = 1\ny = 1\n"));
    d.approve(1);
    d.passes(1, Outcome::Ok);
    assert!(d.told().contains("The person changed the block before it ran"), "{}", d.told());
    assert!(d.told().contains("-y = 2\n+y = 1\n"), "{}", d.told());
}

#[test]
fn what_is_not_found_goes_back_to_the_model_and_waits_for_nobody() {
    let mut d = Dialogue::after_reply(EDIT);
    let told = d.placed(1, Err("a.py: the lines are not in the file"), &[]);
    assert_eq!(
        told,
        "+declined 1, 'Block 1 goes back to the model: a.py: the lines are not in the file', ask s2 | replying s2"
    );
    assert!(d.told().contains("Reason: a.py: the lines are not in the file"), "{}", d.told());
}

#[test]
fn an_edit_behind_another_is_looked_for_once_its_turn_comes() {
    let mut d = Dialogue::after_reply(&format!(
        "{EDIT}\nand\n\n{}",
        EDIT.replace("x = 2", "x = 3").replace("x = 1", "x = 2")
    ));
    assert_eq!(d.placed(2, Err("not there"), &[]), "| deciding 1", "the first may still make its place");
    d.placed(1, Ok("x = 2\n"), &[file("x = 1\n")]);
    d.inspected_over(1, "x = 1\n", terms_over("x = 1\n"));
    d.approve(1);
    assert!(d.passes(1, Outcome::Ok).ends_with("look 2.1 | deciding 2"));
    assert_eq!(d.placed(2, Ok("x = 3\n"), &[file("x = 2\n")]), "+placed 2.2, look 2.2 | deciding 2");
}

#[test]
fn a_file_that_changed_meanwhile_is_edited_as_it_is_now() {
    let mut d = Dialogue::after_reply(EDIT);
    d.placed(1, Ok("x = 2\n"), &[file("x = 1\n")]);
    d.placed(1, Ok("x = 2\ny = 1\n"), &[file("x = 1\ny = 1\n")]).is("+placed 1.3, look 1.3 | deciding 1");
    assert!(!d.block(1).is_edited());
    for _ in 0..18 {
        d.placed(1, Ok("x = 2\n"), &[file("x = 1\n")]);
    }
    d.placed(1, Ok("x = 2\n"), &[file("x = 1\n")]).starts("+declined 1").has("change again and again");
}

#[test]
fn a_call_that_does_not_fit_is_answered_with_why() {
    let mut d = Dialogue::with_tools();
    let arguments = r#"{"path":"a.py","edits":[{"search":"x = 1","replace":"x = 2"},{"path":"b.py","search":"y","replace":""}]}"#;
    d.calls_tool("a", "edit_file", arguments);
    d.finish(FinishReason::ToolCalls);
    let paths = vec!["a.py".to_owned(), "b.py".to_owned()];
    assert_eq!(d.block(1).kind, BlockKind::Edit { paths });
    d.placed(1, Err("b.py: not in the file"), &[]);
    let answer = d.request().iter().find(|message| message.role == Role::Tool).expect("an answer");
    assert_eq!(answer.answers.as_deref(), Some("a"));
    assert!(answer.text.contains("b.py: not in the file"), "{}", answer.text);
    assert!(answer.text.contains("Block 1 (edit a.py, b.py)"), "all files are named: {}", answer.text);
}

#[test]
fn a_call_changes_the_file_that_it_names() {
    let called = |arguments: &str| {
        let mut d = Dialogue::with_tools();
        d.calls_tool("a", "edit_file", arguments);
        d.finish(FinishReason::ToolCalls);
        d.kinds().into_iter().next()
    };
    let edit = |path: &str| Some(BlockKind::Edit { paths: vec![path.to_owned()] });
    let one = r#"{"path":"a.py","edits":[{"path":"b.py","search":"x = 1","replace":"x = 2"}]}"#;
    assert_eq!(called(one), edit("b.py"));
    assert_eq!(called(r#"{"edits":[{"path":"a.py","search":"x","replace":"y"}]}"#), edit("a.py"));
    let lines = |of: &str, count: usize| {
        format!(r#"{{"path":"a.md","search":"{0}","replace":"y\n{0}"}}"#, of.repeat(count))
    };
    assert_eq!(called(&lines("=", 40)), edit("a.md"));
    // A text for which no longer marker exists is refused, not split wrongly.
    assert_eq!(called(&lines("=", 400)), None);
}

#[test]
fn edits_are_read_in_the_forms_that_models_write() {
    let block = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";
    for (reply, paths) in [
        (format!("src/a.py\n```python\n{block}```\n"), vec!["src/a.py"]),
        (format!("In `src/a.rs`:\n\n```rust\n{block}```\n"), vec!["src/a.rs"]),
        (format!("```python path=a.py\n{block}```\n"), vec!["a.py"]),
        (format!("```\na.py\n{block}b.py\n{block}```\n"), vec!["a.py", "b.py"]),
        ("```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n```\n".to_owned(), vec!["a.py"]),
    ] {
        let d = Dialogue::after_reply(&reply);
        let paths = paths.iter().map(ToString::to_string).collect();
        assert_eq!(d.kinds(), [BlockKind::Edit { paths }], "{reply}");
    }
    for shown in
        ["```diff\n-x = 1\n+x = 2\n```\n", "```diff norun\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n```\n"]
    {
        assert!(Dialogue::after_reply(shown).state().transcript.blocks.is_empty(), "{shown}");
    }
}
