//! Tests of edits that contain fence ends and programs: nothing in them becomes a block, whether the reply arrives
//! whole or in pieces.

use crate::domain::BlockKind;
use crate::engine::reply::tests::streamed;
use crate::engine::reply::{Proposal, markdown};
use proptest::prelude::*;

fn told(text: &str) -> Vec<String> {
    let told = |block: &Proposal| {
        let open = if block.closed { "" } else { ", open" };
        format!("{}{open}: {}", block.kind().as_str(), block.source)
    };
    streamed(text).iter().map(told).collect()
}

const INNER: &str =
    "<<<<<<< SEARCH\n```bash\ntouch a\n```\n=======\n```bash\ntouch b\n```\n>>>>>>> REPLACE\n";
const DIFF: &str =
    "--- a/a.md\n+++ b/a.md\n@@ -1,8 +1,8 @@\n ```bash\n-a\n+b\n ```\n text\n ```bash\n rm x\n ```\n";
const RUNS: &str = "\nThen:\n\n```bash\nls\n```\n";

#[test]
fn a_program_inside_an_edit_is_no_block() {
    for (fence, edit) in [
        ("```edit path=a.md", INNER),
        ("```markdown path=a.md", INNER),
        ("a.md\n~~~", &INNER.replace("```", "~~~")),
        ("```edit path=a.md", &format!("{INNER}*** Update File: b.md\n{INNER}")),
        ("```edit path=a.md", &INNER.replace("```bash", "``` <execute>\n")),
        ("```diff", DIFF),
        ("```edit path=a.md", DIFF),
        ("```", &format!("*** Begin Patch\n*** Update File: a.md\n{}*** End Patch\n", &DIFF[40..])),
        // Headers of diffs and patches before markers, whatever the info string says.
        ("```diff", &format!("--- a/a.md\n+++ b/a.md\n{INNER}")),
        ("```diff", &format!("@@ -1 +1 @@\n{INNER}")),
        ("```", &format!("*** Update File: a.md\n{INNER}")),
        // A block's end marker within its text.
        ("```edit path=a.md", &INNER.replace("touch a\n", "touch a\n>>>>>>> REPLACE\n")),
        // Context without its leading spaces ends by its counts.
        ("```diff", &DIFF.replace("\n ", "\n").replace("1,8 +1,8", "1,7 +1,7")),
    ] {
        let mark = if fence.ends_with("~~~") { "~~~" } else { "```" };
        let text = format!("{fence}\n{edit}{mark}\n{RUNS}");
        assert_eq!(told(&text), [format!("edit: {edit}"), "code: ls\n".into()], "{text}");
        let indented: String = text.lines().map(|line| format!("  {line}\n")).collect();
        assert_eq!(told(&indented).len(), 2, "{indented}");
    }
}

#[test]
fn where_nothing_tells_the_end_of_an_edit_nothing_behind_it_is_offered() {
    let list = |text: &str| text.lines().map(|line| format!("   {line}\n")).collect::<String>();
    for text in [
        format!("```edit path=a.md\n{}```\n{RUNS}", INNER.replace(">>>>>>> REPLACE\n", "")),
        format!("```edit path=a.md\n{}```\n{RUNS}", INNER.replace("> REPLACE", "> UPDATED")),
        format!("1. Change it:\n{}{RUNS}", list(&format!("```edit path=a.md\n{INNER}```\n"))),
        format!("1. Change it:\n   ```edit path=a.md\n{INNER}```\n{RUNS}"),
        format!("> ```edit path=a.md\n{INNER}```\n{RUNS}"),
        format!("1. Change it:\n   ```diff\n{DIFF}```\n{RUNS}"),
        format!("1. Change it:\n   ```markdown path=a.md\n{INNER}```\n{RUNS}"),
        format!("1. Change it:\n   ```\na.md\n{INNER}```\n{RUNS}"),
        format!("1. Change it:\n   ```\n   a.md\n{INNER}```\n{RUNS}"),
        format!("> ```markdown\na.md\n{INNER}```\n{RUNS}"),
        format!("1. Change it:\n   ```diff\n   --- a/a.md\n{}```\n{RUNS}", &DIFF[11..]),
        // Wrong counts can't show the end.
        "```diff\n@@ -1,1 +1,1 @@\nTitle\n-a\n+b\n```bash\nls\n```\ntext\n```bash\nrm x\n```\n```\n".into(),
        // Blank lines within the header of a diff.
        format!(
            "```diff\n{}```\n{RUNS}",
            DIFF.replace("\n ", "\n").replace("-1,8 +1,8", "").replace("+++", "\n+++")
        ),
        format!("```diff\n{}```\n{RUNS}", DIFF.replace("\n ", "\n").replace("-1,8 +1,8", "")),
        format!("```edit path=a.md\n{INNER}```\n{RUNS}")
            .replace("REPLACE\n```", "REPLACE x\n<<<<<<< SEARCH\n```"),
    ] {
        let found = streamed(&text);
        let runs =
            found.iter().filter(|block| block.closed && matches!(block.kind(), BlockKind::Code { .. }));
        assert_eq!(runs.count(), 0, "{text}\n{found:#?}");
        assert!(found.iter().all(|block| !block.closed), "{text}\n{found:#?}");
    }
}

#[test]
fn an_end_that_is_not_sure_counts_where_nothing_else_is_offered() {
    let diff = "--- a/a.md\n+++ b/a.md\n@@ @@\n-a\n+b\n";
    assert_eq!(told(&format!("```diff\n{diff}```\nDone.\n")), [format!("edit: {diff}")]);
    assert_eq!(
        told(&format!(
            "- x\n  ```edit path=a\n  {}  ```\n{RUNS}",
            INNER.replace("```", "`").replace('\n', "\n  ").trim_end_matches(' ')
        ))
        .len(),
        2
    );
}

/// Each edit causes one more pass over the text after it: many are accepted, and far too many leave nothing that could
/// run.
#[test]
fn of_many_edits_with_fences_in_them_those_behind_a_bound_are_not_taken_apart() {
    let runs = |count: usize| {
        let text = format!("{}{RUNS}", format!("```edit path=a.md\n{INNER}```\n\n").repeat(count));
        let fences = super::scan(&text, markdown::Tags::Ignored, false).fences;
        let code = fences.iter().filter(|fence| fence.info == "bash").count();
        (code, fences.iter().all(|fence| fence.closed))
    };
    assert_eq!((runs(200), runs(600)), ((1, true), (0, false)));
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]

    #[test]
    fn nothing_inside_an_edit_is_a_block(
        old in inner(), new in inner(), is_diff in any::<bool>(), indent in 0usize..4
    ) {
        let edit = if is_diff {
            let lines = |sign: &str, text: &str| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
            let (a, b) = (old.lines().count(), new.lines().count());
            format!("--- a/a\n+++ b/a\n@@ -1,{} +1,{} @@\n{}{}{}", a + 1, b + 1, lines("-", &old), lines("+", &new), lines(" ", "x"))
        } else {
            format!("<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n")
        };
        let text = format!("```edit path=a\n{edit}```\n\n```bash\nls\n```\n");
        let text: String = text.lines().map(|line| format!("{}{line}\n", " ".repeat(indent))).collect();
        prop_assert_eq!(told(&text), [format!("edit: {edit}"), "code: ls\n".into()]);
    }
}

/// Lines of files that look like fence ends and like programs.
fn inner() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("```\n"),
        Just("```bash\n"),
        Just("touch x\n"),
        Just("\n"),
        Just(" ```\n"),
        Just("~~~\n"),
        Just("<execute>touch x</execute>\n"),
        Just("{\"name\": \"run_code\"}\n"),
        Just("````\n"),
        Just("- ```sh\n")
    ];
    proptest::collection::vec(line, 0..8).prop_map(|lines| lines.concat())
}
