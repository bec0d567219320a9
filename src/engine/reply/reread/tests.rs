//! Forms that models print, and look-alikes that stay prose.

use super::*;
use crate::domain::BlockKind;
use crate::engine::reply::parse;
use proptest::prelude::*;

fn read_as(text: &str, dialect: Dialect, complete: bool) -> Vec<Segment> {
    let languages = Languages::default();
    let segments = parse(text, dialect, &languages, complete);
    let segments = reread(text, segments, dialect, &languages, complete);
    let mut at = 0;
    for segment in &segments {
        assert_eq!(segment.range().start, at, "segments tile the text: {segments:#?}");
        at = segment.range().end;
    }
    assert_eq!(at, text.len());
    segments
}

fn blocks(text: &str) -> Vec<Proposal> {
    of(read_as(text, Dialect::Fences, true))
}

fn of(segments: Vec<Segment>) -> Vec<Proposal> {
    segments
        .into_iter()
        .filter_map(|segment| match segment {
            Segment::Block(block) => Some(block),
            Segment::Prose(_) => None,
        })
        .collect()
}

/// The only block, as language and source.
fn only(text: &str) -> Proposal {
    match <[Proposal; 1]>::try_from(blocks(text)) {
        Ok([block]) => block,
        Err(other) => panic!("{text:?}: {other:#?}"),
    }
}

#[test]
fn every_printed_form_of_a_call_waits_with_a_note() {
    let json = r#"{"name": "run_code", "arguments": {"language": "python", "code": "print(1)"}}"#;
    for text in [
        format!("Let me see.\n\n```json\n{json}\n```\n"),
        format!("```\n{json}\n```\n"),
        format!("```tool_call\n{json}\n```"),
        format!("<tool_call>\n{json}\n</tool_call>"),
        format!("<tool_call>{json}</tool_call> and more"),
        format!("<tool_call>\n{json}"),
        format!("Sure:\n{json}\n"),
        format!("[TOOL_CALLS] [{json}]"),
        format!("<|python_tag|>{json}"),
        format!("<function_call>{json}</function_call>"),
        r#"[TOOL_CALLS]run_code{"language": "python", "code": "print(1)"}"#.into(),
        r#"[TOOL_CALLS]run_code[ARGS]{"language": "python", "code": "print(1)"}"#.into(),
        r#"{"tool": "run_code", "arguments": {"language": "python", "code": "print(1)"}}"#.into(),
        r#"{"tool": "run_code", "language": "python", "code": "print(1)"}"#.into(),
        r#"{"type": "function", "function": {"name": "run_code", "arguments": "{\"language\": \"python\", \"code\": \"print(1)\"}"}}"#.into(),
        r#"{"tool_calls": [{"function": {"name": "run_code", "parameters": {"language": "py", "code": "print(1)"}}}]}"#.into(),
        r#"<function=run_code>{"language": "python", "code": "print(1)"}</function>"#.into(),
        "<tool_call>\n<function=run_code>\n<parameter=language>\npython\n</parameter>\n<parameter=code>\nprint(1)\n</parameter>\n</function>\n</tool_call>".into(),
        "<function_calls>\n<invoke name=\"run_code\">\n<parameter name=\"language\">python</parameter>\n<parameter name=\"code\">print(1)</parameter>\n</invoke>\n</function_calls>".into(),
        "<invoke name=\"run_code\">\n<parameter name=\"language\">python</parameter>\n<parameter name=\"code\">print(1)</parameter>\n</invoke>".into(),
    ] {
        let block = only(&text);
        assert_eq!((block.language.as_ref(), block.source.as_str()), (Some(&Language::python()), "print(1)"), "{text}");
        assert!(block.closed, "{text}");
        assert_eq!(block.note.as_deref(), Some("read from a tool call printed as text"), "{text}");
    }
}

#[test]
fn calls_in_a_row_are_blocks_in_order() {
    let text = "<tool_call>{\"name\":\"list_files\",\"arguments\":{\"path\":\".\"}}</tool_call>\n\
        <tool_call>{\"name\":\"write_file\",\"arguments\":{\"path\":\"a\",\"content\":\"b\"}}</tool_call>\nDone.";
    let kinds: Vec<BlockKind> = blocks(text).iter().map(Proposal::kind).collect();
    assert_eq!(kinds, [BlockKind::List, BlockKind::Write { path: "a".into() }]);
    let listed = "[{\"name\":\"list_files\",\"arguments\":{}},{\"name\":\"read_file\",\"arguments\":{\"path\":\"a\"}}]";
    assert_eq!(blocks(listed).len(), 2);
}

#[test]
fn look_alikes_stay_prose() {
    for text in [
        "{\"name\": \"rm\", \"arguments\": {}}",
        "{\"name\": \"Ada\"}",
        "```json\n{\"name\": \"run_code\", \"note\": \"no arguments\"}\n```\n",
        "```json norun\n{\"name\":\"list_files\",\"arguments\":{}}\n```\n",
        "```yaml\n{\"name\":\"list_files\",\"arguments\":{}}\n```\n",
        "use {\"name\":\"list_files\",\"arguments\":{}} in a line",
        "<tool_call>nothing</tool_call>",
        "<function=rm>{}</function>",
        "[TOOL_CALLS] none",
        "```json\n{\"name\":\"list_files\",\"arguments\":{}}\nand more\n```\n",
        "```console\nno prompt here\n```\n",
        "```text\n$ ls\n```\n",
    ] {
        assert_eq!(blocks(text), [], "{text:?}");
    }
}

#[test]
fn a_cut_call_is_incomplete() {
    let text = "<tool_call>\n{\"name\": \"run_code\", \"arguments\": {\"language\": \"bash\", \"code\": \"rm -rf /tmp/x";
    let [block] = <[Proposal; 1]>::try_from(of(read_as(text, Dialect::Fences, false))).expect("one");
    assert_eq!((block.source.as_str(), block.closed), ("rm -rf /tmp/x", false));
    let tagged =
        "<function=run_code>\n<parameter=language>\nbash\n</parameter>\n<parameter=code>\nrm -rf /tmp/x";
    let [block] = <[Proposal; 1]>::try_from(of(read_as(tagged, Dialect::Fences, false))).expect("one");
    assert_eq!((block.source.as_str(), block.closed), ("rm -rf /tmp/x", false));
    // A whole reply with half a call in it: nothing is made up.
    assert_eq!(blocks(text), []);
}

#[test]
fn an_unclosed_tag_at_the_end_of_a_whole_reply_waits() {
    let text = "I run:\n<execute>\nprint(1)\n";
    let [block] = <[Proposal; 1]>::try_from(of(read_as(text, Dialect::ExecuteTags, true))).expect("one");
    assert!(
        block.closed && block.note.as_deref().is_some_and(|note| note.contains("</execute> was missing"))
    );
    let [block] = <[Proposal; 1]>::try_from(of(read_as(text, Dialect::ExecuteTags, false))).expect("one");
    assert_eq!((block.closed, block.note), (false, None), "cut off");
}

#[test]
fn prompts_are_taken_off_and_told() {
    let block = only("```python\n>>> x = 1\n>>> x\n1\n```\n");
    assert_eq!(block.source, "x = 1\nx\n");
    assert_eq!(
        block.note.as_deref(),
        Some("prompts \">>> \" taken off lines 1-2, output on line 3 left out")
    );
    let block = only("Try:\n\n```console\n$ ls -l\ntotal 0\n```\n");
    assert_eq!((block.language, block.source.as_str()), (Some(Language::bash()), "ls -l\n"));
    let block = only("```pycon\n>>> 1\n```");
    assert_eq!((block.language, block.source.as_str()), (Some(Language::python()), "1\n"));
}

#[test]
fn a_tag_with_a_version_is_read_and_told() {
    let block = only("```python3.11\nx = 1\n```\n");
    assert_eq!(block.note.as_deref(), Some("the tag \"python3.11\" was read as python"));
    assert_eq!(only("```py3\nx = 1\n```\n").note, None);
}

#[test]
fn a_text_that_is_built_to_be_slow_is_left_alone() {
    for line in [
        "{\"name\": \"run_code\", \"arguments\": {\n",
        "<tool_call>\n",
        "<function=run_code>\n",
        "[TOOL_CALLS]run_code{\n",
    ] {
        let text = line.repeat(400_000 / line.len());
        assert!(blocks(&text).iter().all(|block| !block.closed), "{line}");
    }
}

proptest! {
    #[test]
    fn any_text_tiles(text in "([a{\"\\[:,}\\] \n`~<>/=]|<tool_call>|\\[TOOL_CALLS\\]|run_code|\"name\"|\"arguments\"|<execute>|```json\n|```\n|>>> |\\$ ){0,60}", complete: bool) {
        let _ = read_as(&text, Dialect::Fences, complete);
    }
}
