//! Edits in no fence, and what looks like one.

use crate::domain::{BlockKind, Dialect, Languages};
use crate::engine::reply::{Proposal, Segment, parse, reread};
use proptest::prelude::*;

fn read_as(text: &str, dialect: Dialect) -> Vec<Segment> {
    let languages = Languages::default();
    let segments = reread(text, parse(text, dialect, &languages, true), &languages, true);
    let ends = segments.iter().fold(0, |at, segment| {
        assert_eq!(segment.range().start, at, "segments tile the text: {segments:#?}");
        segment.range().end
    });
    assert_eq!(ends, text.len());
    segments
}

fn blocks(text: &str, dialect: Dialect) -> Vec<Proposal> {
    let of = |segment| match segment {
        Segment::Block(block) => Some(block),
        Segment::Prose(_) => None,
    };
    read_as(text, dialect).into_iter().filter_map(of).collect()
}

/// An edit of a Markdown file that holds programs.
const EDIT: &str =
    "<<<<<<< SEARCH\n```bash\nold\n```\n=======\n```bash\nrm -rf build\n```\n>>>>>>> REPLACE\n";

fn is_edit_of(block: &Proposal, path: &str) -> bool {
    matches!(&block.file, Some(BlockKind::Edit { paths }) if *paths == [path])
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
    assert!(blocks(tagged, Dialect::ExecuteTags).iter().all(|block| block.file.is_none()));
}

proptest! {
    #![proptest_config(crate::test_cases::cases(400))]

    /// Whatever stands in an edit, none of it is a block.
    #[test]
    fn nothing_in_an_edit_is_a_block(
        lines in prop::collection::vec("(```|~~~|````)(bash|python)?|> ```sh|- a|  x|<execute>|</execute>|rm x|", 0..8),
        more in prop::collection::vec("```bash|```|ls|text|", 0..6),
    ) {
        let edit = format!("<<<<<<< SEARCH\n{0}\n=======\nINSIDE\n{0}\n>>>>>>> REPLACE\n", lines.join("\n"));
        for dialect in [Dialect::Fences, Dialect::ExecuteTags] {
            let text = format!("a.md\n{edit}\n{}\n", more.join("\n"));
            let found = blocks(&text, dialect);
            prop_assert!(found.iter().all(|block| block.file.is_some() || !block.source.contains("INSIDE")), "{:#?}", found);
            prop_assert_eq!(&found[0].source, &edit);
        }
    }
}
