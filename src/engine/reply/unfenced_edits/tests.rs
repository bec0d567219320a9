//! Tests of edits outside of fences, and of text that looks like one.

use crate::domain::{BlockKind, Dialect, Languages};
use crate::edit;
use crate::engine::reply::printed_calls::CallScanner;
use crate::engine::reply::tests::{proposals, read_as, streamed};
use crate::engine::reply::{Proposal, Segment, outside};
use proptest::prelude::*;

fn blocks(text: &str, dialect: Dialect) -> Vec<Proposal> {
    proposals(read_as(text, dialect, true))
}

/// An edit of a Markdown file that contains programs.
const EDIT: &str =
    "<<<<<<< SEARCH\n```bash\nold\n```\n=======\n```bash\nrm -rf build\n```\n>>>>>>> REPLACE\n";

fn is_edit_of(block: &Proposal, path: &str) -> bool {
    matches!(&block.special_kind, Some(BlockKind::Edit { paths }) if *paths == [path])
}

#[test]
fn a_program_inside_an_edit_in_no_fence_is_no_block() {
    for dialect in [Dialect::Fences, Dialect::ExecuteTags] {
        let found = blocks(&format!("Change this:\n\nREADME.md\n{EDIT}\nThat is all.\n"), dialect);
        assert!(found.len() == 1 && is_edit_of(&found[0], "README.md") && found[0].closed, "{found:#?}");
        assert_eq!(found[0].source, EDIT);
        assert_eq!(found[0].note.as_deref(), Some("read from markers that stand in no fence"));
    }
}

#[test]
fn what_is_behind_it_is_what_it_was_and_blocks_in_a_row_are_one_edit() {
    let text = format!("`a.md`:\n{EDIT}\n{EDIT}\n```bash\nls\n```\nThen `b.md`:\n{EDIT}");
    let found = blocks(&text, Dialect::Fences);
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(is_edit_of(&found[0], "a.md") && is_edit_of(&found[2], "b.md"), "{found:#?}");
    assert_eq!((found[0].source.matches("SEARCH").count(), &*found[1].source), (2, "ls\n"));
}

#[test]
fn one_that_never_ends_takes_the_rest_and_is_incomplete() {
    let text = format!("a.md\n{}```bash\nls\n```\n", EDIT.replace(">>>>>>> REPLACE\n", ""));
    let found = blocks(&text, Dialect::Fences);
    assert!(found.len() == 1 && is_edit_of(&found[0], "a.md") && !found[0].closed, "{found:#?}");
}

#[test]
fn what_is_behind_an_odd_fence_in_an_edit_is_read_anew() {
    let edit = "README.md\n<<<<<<< SEARCH\n```bash\nnpm i\n=======\n```bash\nnpm ci\n>>>>>>> REPLACE\n";
    let found = blocks(&format!("{edit}\n```bash\nnpm test\n```"), Dialect::Fences);
    assert!(found.len() == 2 && is_edit_of(&found[0], "README.md"), "{found:#?}");
    assert_eq!((&*found[1].source, found[1].lines), ("npm test\n", (10, 12)));
    // A diff in a fence is one block, whatever the edit before it left open.
    let diff = " ```bash\n make\n ```\n-a\n+b\n ```bash\n rm -rf build\n ```\n";
    let more =
        format!("{}```diff\n--- a/x.md\n+++ b/x.md\n@@ -1,7 +1,7 @@\n{diff}```\n", "prose\n".repeat(12));
    let found = blocks(&format!("{edit}{more}"), Dialect::Fences);
    assert!(found.iter().all(|block| block.special_kind.is_some()) && found.len() == 2, "{found:#?}");
}

#[test]
fn markers_inside_a_printed_call_are_text_of_the_call() {
    let parameter = |name: &str, text: &str| format!("<parameter name=\"{name}\">{text}</parameter>\n");
    let call = |tool: &str, parameters: String| format!("<invoke name=\"{tool}\">\n{parameters}</invoke>\n");
    let diff = "\n<<<<<<< SEARCH\nx=1\n=======\nx=2\n>>>>>>> REPLACE\n";
    let edit = call("edit_file", parameter("path", "a.py") + &parameter("diff", diff));
    let found = blocks(&edit, Dialect::Fences);
    assert!(found.len() == 1 && is_edit_of(&found[0], "a.py"), "{found:#?}");
    let inner = format!(
        "# How\n{EDIT}\n<function=run_code><parameter=language>bash</parameter><parameter=code>rm -rf x</parameter></function>\n"
    );
    let write = call("write_file", parameter("path", "doc.md") + &parameter("content", &inner));
    let found = blocks(&write, Dialect::Fences);
    assert!(found.len() == 1 && matches!(found[0].special_kind, Some(BlockKind::Write { .. })), "{found:#?}");
}

#[test]
fn an_edit_in_a_list_or_a_quote_is_one_too() {
    for mark in ["   ", "> "] {
        let edit: String = EDIT.lines().map(|line| format!("{mark}{line}\n")).collect();
        let found =
            blocks(&format!("1. In `README.md`:\n\n{edit}\nThen:\n\n```bash\nls\n```\n"), Dialect::Fences);
        assert!(found.len() == 2 && is_edit_of(&found[0], "README.md"), "{found:#?}");
        assert_eq!((&*found[0].source, &*found[1].source), (EDIT, "ls\n"));
    }
}

#[test]
fn only_what_stands_in_front_of_the_first_line_is_taken_off_and_names_are_found_behind_it() {
    let edit = "   <<<<<<< SEARCH\n   a\n> quoted\n   =======\n   b\n>>>>>>> REPLACE\n";
    let found = blocks(&format!("- README.md\n{edit}```bash\nls\n```\n"), Dialect::Fences);
    assert!(found.len() == 2 && is_edit_of(&found[0], "README.md") && found[0].closed, "{found:#?}");
    assert!(found[0].source.contains("\n> quoted\n"), "{}", found[0].source);
    let quoted: String = format!("README.md\n{EDIT}").lines().map(|line| format!("> {line}\n")).collect();
    assert!(is_edit_of(&blocks(&quoted, Dialect::Fences)[0], "README.md"));
}

#[test]
fn calls_in_front_of_an_edit_are_all_offered() {
    let call = |code: &str| {
        format!(r#"{{"name": "run_code", "arguments": {{"language": "bash", "code": "{code}"}}}}"#)
    };
    let text = format!("[TOOL_CALLS][{}, {}]\n{EDIT}", call("one"), call("two"));
    let found = blocks(&text, Dialect::Fences);
    assert_eq!(found.iter().filter(|block| block.special_kind.is_none()).count(), 2, "{found:#?}");
    assert_eq!(found.len(), 3);
}

#[test]
fn a_lone_fence_in_a_block_hides_no_edit_behind_it() {
    let text = format!("<execute>\nx = 1\n\n```\ny = 2\n</execute>\none\n\ntwo\n\nthree\n\na.md\n{EDIT}");
    let found = blocks(&text, Dialect::ExecuteTags);
    assert!(found.len() == 2 && is_edit_of(&found[1], "a.md"), "{found:#?}");
}

#[test]
fn an_end_that_is_a_little_off_is_one_where_nothing_is_offered_behind_it() {
    for end in [">>>>>> REPLACE", ">>>>>>> UPDATED", ">>>>>>>"] {
        let edit = EDIT.replace(">>>>>>> REPLACE", end);
        let found = blocks(&format!("a.md\n{edit}\nThat is all.\n"), Dialect::Fences);
        assert!(found.len() == 1 && found[0].closed && found[0].source == edit, "{end}: {found:#?}");
        let found = blocks(&format!("a.md\n{edit}\n```bash\nls\n```\n"), Dialect::Fences);
        assert!(found.len() == 1 && !found[0].closed, "{end}: {found:#?}");
    }
}

#[test]
fn what_only_speaks_of_markers_stays_as_it_is_and_a_divider_may_be_longer() {
    let text = "A block begins with the line\n<<<<<<< SEARCH\nand ends as you see.\n```bash\nls\n```\n";
    let found = blocks(text, Dialect::Fences);
    assert!(found.len() == 1 && found[0].source == "ls\n", "{found:#?}");
    // If the reply was cut off, it may be an edit.
    let cut = proposals(read_as(text, Dialect::Fences, false));
    assert!(matches!(&cut[..], [block] if block.special_kind.is_some() && !block.closed), "{cut:#?}");
    let longer = EDIT.replace("=======", "========");
    let found = blocks(&format!("a.md\n{longer}```bash\nls\n```\n"), Dialect::Fences);
    assert!(found.len() == 2 && found[0].closed, "{found:#?}");
}

#[test]
fn a_reply_of_very_many_is_read_within_a_bound() {
    let whole = "<<<<< SEARCH\n=====\n>>>>> REPLACE\nx\n".repeat(2_000);
    let found = blocks(&format!("{whole}```bash\nls\n```\n"), Dialect::Fences);
    assert!(found.len() == 2_001 && found[2_000].source == "ls\n", "{}", found.len());
    // Each of these leaves a fence open, and causes one more pass over the text after it.
    let torn = "<<<<< SEARCH\n```\n=====\n>>>>> REPLACE\nx\n".repeat(10_000);
    let found = blocks(&format!("{torn}```bash\nls\n```\n"), Dialect::Fences);
    assert!(found.len() < 20 && found.iter().all(|block| block.special_kind.is_some()), "{}", found.len());
    let last = found.last().expect("an edit");
    assert!(!last.closed && last.note.as_ref().is_some_and(|note| note.contains("too many edits")));
    blocks(&"<<<<<<< SEARCH\n".repeat(crate::test_cases::size(50_000)), Dialect::Fences);
}

#[test]
fn markers_in_code_and_conflicts_begin_none() {
    for text in [
        format!("````text\n{EDIT}````\n"),
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n".into(),
        "Write `<<<<<<< SEARCH` first.\n".into(),
    ] {
        let found = blocks(&text, Dialect::Fences);
        assert!(found.iter().all(|block| block.note.is_none()), "{text}: {found:#?}");
    }
    let tagged = "<execute>\ncat <<'E'\n<<<<<<< SEARCH\nE\n</execute>\n```bash\nls\n```\n";
    assert!(blocks(tagged, Dialect::ExecuteTags).iter().all(|block| block.special_kind.is_none()));
}

/// Edits of a Markdown file that contains programs, in the forms without markers.
const DIFF: &str = "--- a/README.md\n+++ b/README.md\n@@ -1,6 +1,6 @@\n # How\n \n ```bash\n-old\n+rm -rf build\n ```\n text\n";
const BARE: [&str; 6] = [
    DIFF,
    // Counted lines may lack their leading space, or look like a header.
    "--- a/README.md\n+++ b/README.md\n@@ -1,5 +1,5 @@\n# How\n\n```bash\n--- old\n+++ rm -rf build\n```\n",
    "diff --git a/README.md b/README.md\nindex 1a2..3b4 100644\n--- a/README.md\n+++ b/README.md\n@@ -1 +1,3 @@\n+```bash\n rm x\n+```\n\n@@ -9 +11 @@\n-<execute>rm y</execute>\n+<execute>rm z</execute>\n",
    "*** Begin Patch\n*** Update File: README.md\n@@\n ```bash\n-old\n+rm -rf build\n ```\n*** End Patch\n",
    "*** Begin Patch\n*** Update File: README.md\n@@ How\n```bash\n-old\n\n+rm -rf build\n```\n*** End Patch\n",
    "*** Update File: README.md\n@@\n ```bash\n-old\n+rm -rf build\n ```\n",
];

#[test]
fn a_diff_or_a_patch_in_no_fence_is_an_edit_and_nothing_in_it_is_a_block() {
    for edit in BARE {
        for behind in ["", "That is all.\n", "\nThen:\n\n```bash\nls\n```\n", "\n- item\n\n---\n"] {
            // Without counts, list items may be removed lines.
            if behind.contains("- item") && edit.starts_with("*** Update") {
                continue;
            }
            let found = streamed(&format!("Change this:\n\n{edit}{behind}"));
            let (block, rest) = found.split_first().expect(edit);
            assert!(is_edit_of(block, "README.md") && block.closed, "{found:#?}");
            assert_eq!(block.source, edit);
            assert_eq!(block.note.as_deref(), Some("read from a diff that stands in no fence"));
            assert!(edit::read(&block.source, "").is_ok());
            let rest: Vec<&str> = rest.iter().map(|block| &*block.source).collect();
            assert_eq!(rest, if behind.contains("ls") { vec!["ls\n"] } else { vec![] }, "{edit}{behind}");
        }
        // If the reply was cut off, the edit may continue.
        let cut = read_as(edit, Dialect::Fences, false);
        let is_open = |segment: &Segment| matches!(segment, Segment::Block(block) if !block.closed || edit.contains("End Patch"));
        assert!(cut.iter().all(is_open), "{cut:#?}");
    }
}

#[test]
fn it_is_one_in_lists_and_quotes_too() {
    for edit in BARE {
        for (first, mark) in [("   ", "   "), ("> ", "> "), ("- ", "  "), ("1. ", "   "), ("> * ", ">   ")] {
            let mut lines = edit.lines();
            let head = format!("{first}{}\n", lines.next().unwrap_or_default());
            let lines: String = lines.map(|line| format!("{mark}{line}\n")).collect();
            let found = streamed(&format!("Do this:\n\n{head}{lines}\nThen:\n\n```bash\nls\n```\n"));
            assert!(found.len() == 2 && is_edit_of(&found[0], "README.md"), "{mark}{found:#?}");
            assert_eq!((&*found[0].source, &*found[1].source), (edit, "ls\n"));
        }
    }
}

#[test]
fn a_command_apply_patch_is_the_edit_that_it_holds() {
    let patch = BARE[3];
    let command = format!("apply_patch <<'EOF'\n{patch}EOF\n");
    for text in [
        format!("So:\n\n{command}\n```bash\nls\n```\n"),
        format!("```bash\n{command}```\n\n```bash\nls\n```\n"),
        format!("```\n$ {command}```\n\n```bash\nls\n```\n"),
        format!("```text\n{command}```\n\n```bash\nls\n```\n"),
    ] {
        let found = streamed(&text);
        assert!(found.len() == 2 && is_edit_of(&found[0], "README.md") && found[0].closed, "{found:#?}");
        assert_eq!((&*found[0].source, &*found[1].source), (patch, "ls\n"));
        assert!(
            found[0].note.as_ref().is_some_and(|note| note.contains("apply_patch")),
            "{:?}",
            found[0].note
        );
    }
    // A command that does more is code, and the text of a file stays as it is.
    let more = format!("```bash\n{command}pytest\n```\n");
    assert!(streamed(&more).iter().all(|block| block.special_kind.is_none()));
    let written = streamed(&format!("```bash path=x.sh\n{command}```\n"));
    assert!(matches!(written[0].special_kind, Some(BlockKind::Write { .. })) && written[0].source == command);
}

#[test]
fn what_deletes_or_renames_is_an_edit_that_is_refused_in_words() {
    for (text, expected) in [
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n", "it renames x: "),
        (
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
            "it deletes x: ",
        ),
        ("*** Begin Patch\n*** Delete File: x\n*** End Patch\n", "it deletes x: "),
        (
            "*** Begin Patch\n*** Update File: x\n*** Move to: y\n@@\n-a\n+b\n*** End Patch\n",
            "it renames x: ",
        ),
        ("apply_patch <<'E'\n*** Begin Patch\n*** Delete File: x\n*** End Patch\nE\n", "it deletes x: "),
    ] {
        let found = streamed(&format!("{text}\n```bash\nls\n```\n"));
        assert!(
            found.len() == 2 && matches!(found[0].special_kind, Some(BlockKind::Edit { .. })),
            "{found:#?}"
        );
        let why = edit::read(&found[0].source, "").expect_err(text).to_string();
        assert!(why.starts_with(expected), "{why}");
    }
}

#[test]
fn a_diff_in_a_fence_that_deletes_or_is_too_much_is_an_edit_that_is_refused_in_words() {
    let many = |at: usize| format!("--- a/f{at}\n+++ b/f{at}\n@@ -1 +1 @@\n-a\n+b\n");
    for (text, expected) in [
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n".to_owned(), "it deletes x: "),
        ("diff --git a/x b/y\nrename from x\nrename to y\n".to_owned(), "it renames x: "),
        (
            "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
                .to_owned(),
            "it sets the mode of x: ",
        ),
        (many(1) + "--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "it names x, "),
        ((0..21).map(many).collect(), "more than"),
    ] {
        let found = streamed(&format!("```diff\n{text}```\n"));
        assert!(
            matches!(found.first().map(|found| &found.special_kind), Some(Some(BlockKind::Edit { .. }))),
            "{found:#?}"
        );
        let why = edit::read(&found[0].source, "").expect_err(&text).to_string();
        assert!(why.contains(expected), "{why}");
    }
}

#[test]
fn where_nothing_tells_the_end_of_a_diff_nothing_behind_it_is_offered() {
    let runs = "\n```bash\nls\n```\n";
    for edit in [
        "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\ntext\n-a\n+b\n",
        "--- a/x\n+++ b/x\n@@ @@\n-a\n+b\n",
        "*** Begin Patch\n*** Update File: x\n@@\n a\n-a\n+b\n",
    ] {
        let found = streamed(&format!("{edit}{runs}"));
        assert!(found.len() == 1 && is_edit_of(&found[0], "x") && !found[0].closed, "{found:#?}");
    }
    // If nothing after it would be offered, it ends before the prose.
    let found = streamed("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n\nThat is all.\n");
    assert!(found[0].closed && found[0].source.ends_with("+b\n"), "{found:#?}");
}

#[test]
fn a_patch_that_was_made_for_a_letter_ends_at_its_signature() {
    let patch =
        "diff --git a/x.md b/x.md\nindex 1..2 100644\n--- a/x.md\n+++ b/x.md\n@@ -1,1 +1,1 @@\n-a\n+b\n";
    let signed = format!("{patch}-- \n2.40.0\n");
    for text in [signed.clone(), format!("```diff\n{signed}```\n")] {
        let found = streamed(&format!("So:\n\n{text}\n```bash\nls\n```\n"));
        assert!(found.len() == 2 && is_edit_of(&found[0], "x.md") && found[0].closed, "{found:#?}");
        assert_eq!(&*found[1].source, "ls\n");
        let edits = edit::read(&found[0].source, "").expect("an edit");
        assert_eq!(edits[0].hunks, [edit::EditHunk { line: Some(1), ..edit::EditHunk::new("a", "b") }]);
    }
}

#[test]
fn rules_heads_and_signatures_begin_no_diff() {
    for text in [
        "---\ntitle: x\n---\n",
        "Title\n---\n",
        "--- a/x\n",
        "--- a/x\n+++ b/x\n",
        "Hello\n\n-- \nAda\n",
        "diff --git a/x b/x\nis its first line\n",
        "*** Begin Patch\nopens it\n",
        "@@ -1 +1 @@\n-a\n+b\n",
        "Run `apply_patch <<'EOF'` then.\n",
        "- --- \n- +++ \n- @@\n",
    ] {
        let found = streamed(&format!("{text}\n```bash\nls\n```\n"));
        assert!(found.len() == 1 && found[0].source == "ls\n", "{text}: {found:#?}");
    }
    let fenced = streamed(&format!("````text norun\n{DIFF}````\n"));
    assert!(fenced.is_empty(), "{fenced:#?}");
}

#[test]
fn first_lines_of_very_many_diffs_are_looked_at_a_few_times_each() {
    for (lines, most) in [
        ("--- a/x\n", 3),
        ("--- a/x\n+++ b/x\n", 3),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n", 3),
        ("--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\nx\n\n", 3),
        ("diff --git a/x b/x\n", 3),
        ("diff --git a/x b/x\nindex 1\n\nx\n", 3),
        ("*** Begin Patch\n", 3),
        ("apply_patch <<'E'\n*** Begin Patch\n", 3),
        ("*** Begin Patch\n*** Add File: x\n", 3),
        ("*** Update File: x\n@@\nx\n", 3),
        ("> - --- a\n", 3),
        ("<<<<<<< SEARCH\n", 3),
    ] {
        let text = lines.repeat(crate::test_cases::size(1 << 20) / lines.len());
        let found = found_in(&text);
        let count = text.lines().count();
        assert!(found.looked <= most * count, "{lines}: {} of {count}", found.looked);
    }
}

/// What is found in a text without fences.
fn found_in(text: &str) -> outside::OutsideScan {
    let languages = Languages::default();
    let reading = CallScanner { languages: &languages, complete: true };
    outside::find(text, 0, &[], &[Segment::Prose(0..text.len())], reading)
}

#[test]
fn very_many_diffs_that_end_nowhere_are_looked_at_a_few_times_each_and_the_last_takes_the_rest() {
    // Each has other quote markers, so that its header is text of the ones before it.
    let quoted = |at: usize| -> String {
        let mark: String = (0..16).map(|bit| if at >> bit & 1 == 1 { '>' } else { ' ' }).collect();
        let diff = "--- a/x\n+++ b/x\n@@ @@\n-a\n+b\nx\n\nprose\n";
        diff.lines().map(|line| format!("{mark}{line}\n")).collect()
    };
    let all = |many: usize| -> String { (1..=many).map(quoted).collect() };
    let text = all(2_000);
    let found = found_in(&text);
    let count = text.lines().count();
    assert!(found.looked <= 12 * count, "{} of {count}", found.looked);
    let last = found.replacements.last().expect("an edit");
    assert!(last.range.end == text.len() && !last.blocks[0].closed, "{:#?}", last.range);
    assert!(last.blocks[0].note.as_ref().is_some_and(|note| note.contains("too many edits")));
    // If there are only a few, each ends where its prose begins.
    let found = found_in(&all(12)).replacements;
    assert!(found.len() == 12 && found.iter().all(|one| one.blocks[0].closed), "{}", found.len());
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]

    /// Whatever an edit contains, nothing in it becomes a block.
    #[test]
    fn nothing_in_an_edit_is_a_block(
        lines in prop::collection::vec("(```|~~~|````)(bash|python)?|> ```sh|- a|  x|<execute>|</execute>|rm x|", 0..8),
        more in prop::collection::vec("```bash|```|ls|text|", 0..6),
        mark in "|  |> |>  ",
    ) {
        let edit = format!("<<<<<<< SEARCH\n{0}\n=======\nINSIDE\n{0}\n>>>>>>> REPLACE\n", lines.join("\n"));
        for dialect in [Dialect::Fences, Dialect::ExecuteTags] {
            let marked: String = format!("a.md\n{edit}").lines().map(|line| format!("{mark}{line}\n")).collect();
            let text = format!("{marked}\n{}\n", more.join("\n"));
            let found = blocks(&text, dialect);
            prop_assert!(found.iter().all(|block| block.special_kind.is_some() || !block.source.contains("INSIDE")), "{:#?}", found);
            prop_assert_eq!(&found[0].source, &edit);
        }
    }

    /// Whatever a diff contains, nothing in it becomes a block, and its counts determine its end.
    #[test]
    fn nothing_in_a_diff_is_a_block(
        lines in prop::collection::vec("[-+ ]((```|~~~|````)(bash|python)?|> ```sh|- a|-- x|\\+\\+ y|<execute>|</execute>|rm x|\\{\"name\": \"run_code\"|)", 1..8),
        more in prop::collection::vec("```bash|```|ls|text|", 0..6),
        mark in "|  |> |>  ",
    ) {
        let of = |sign: char| lines.iter().filter(|line| line.starts_with([sign, ' '])).count();
        let edit = format!("--- a/a.md\n+++ b/a.md\n@@ -1,{} +1,{} @@\n{}\n-INSIDE\n+INSIDE\n", of('-') + 1, of('+') + 1, lines.join("\n"));
        for dialect in [Dialect::Fences, Dialect::ExecuteTags] {
            let marked: String = edit.lines().map(|line| format!("{mark}{line}\n")).collect();
            let text = format!("{marked}\n{}\n", more.join("\n"));
            let found = blocks(&text, dialect);
            prop_assert!(found.iter().all(|block| block.special_kind.is_some() || !block.source.contains("INSIDE")), "{:#?}", found);
            prop_assert_eq!(&found[0].source, &edit);
        }
    }
}
