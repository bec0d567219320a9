//! Tests of forms that models print, and of similar text that stays prose.

use super::*;
use crate::domain::{BlockKind, Language};
use crate::engine::reply::parse;
use crate::engine::reply::tests::{checked, proposals, read_as, single};
use proptest::prelude::*;

fn blocks(text: &str) -> Vec<Proposal> {
    proposals(read_as(text, Dialect::Fences, true))
}

/// The block of a text that has exactly one.
#[track_caller]
fn only(text: &str) -> Proposal {
    single(blocks(text))
}

/// Checks that the one block of a text is a printed call that runs `print(1)`.
fn assert_is_call(text: &str) {
    let block = only(text);
    assert_eq!((block.language, block.source.as_str()), (Some(Language::python()), "print(1)"), "{text}");
    assert!(block.closed, "{text}");
    assert_eq!(block.note.as_deref(), Some("read from a tool call printed as text"), "{text}");
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
        assert_is_call(&text);
    }
}

#[test]
fn what_a_fence_inside_of_a_fence_tore_says_so_and_has_no_sure_end() {
    let torn = "```markdown path=README.md\n# T\n\n```python\nprint(1)\n```\n\nThen:\n\n```bash\nrm -r build\n```\n\nEnd.\n```\nDone.\n";
    let told: Vec<_> = blocks(torn).into_iter().map(|block| (block.source, block.note)).collect();
    let note = |text: &str| Some(text.to_owned());
    assert_eq!(
        told.get(..2).unwrap(),
        [
            (
                "# T\n\n```python\nprint(1)\n".to_owned(),
                note("a fence inside of it ended it: it may be cut off")
            ),
            (
                "rm -r build\n".to_owned(),
                note("it may be part of the fenced text above, which a fence inside of it ended")
            ),
        ]
    );
    assert!(blocks(torn)[..2].iter().all(|block| block.torn && !block.closed));
    // So does what only becomes a block when it is read again.
    let call = r#"{"name": "run_code", "arguments": {"language": "bash", "code": "rm x"}}"#;
    for form in
        ["```console\n$ rm x\n```\n".to_owned(), format!("```json\n{call}\n```\n"), format!("{call}\n")]
    {
        let found = blocks(&torn.replace("End.\n", &form));
        assert!(found.len() > 2 && found[2].source.trim() == "rm x" && found[2].torn, "{form}: {found:#?}");
    }
    // So is a tag, but not where a model hands over all its code between tags.
    let tagged = torn.replace("End.\n", "<execute>rm x</execute>\n");
    for dialect in [Dialect::Fences, Dialect::Tools, Dialect::ExecuteTags] {
        let found = proposals(read_as(&tagged, dialect, true));
        let is_meant = dialect == Dialect::ExecuteTags;
        let tag = found.iter().find(|block| block.source == "rm x").unwrap();
        assert_eq!((tag.closed, tag.torn), (is_meant, !is_meant), "{found:#?}");
    }
    // So does what is parsed again because an edit before it begins what Markdown takes for a fence.
    let edit = "a.md\n<<<<<<< SEARCH\nx\n=======\n```text\n>>>>>>> REPLACE\n";
    let found = blocks(&torn.replace("Then:\n", edit));
    assert!(matches!(found[1].special_kind, Some(BlockKind::Edit { .. })), "{found:#?}");
    assert!(found[2].source == "rm -r build\n" && found[1..3].iter().all(|block| block.torn), "{found:#?}");
    // It is shown, not written: what follows may belong to it all the same.
    let shown = blocks(&torn.replace(" path=README.md", ""));
    assert!(
        shown[0].torn && shown[0].note.as_deref().is_some_and(|note| note.contains("above")),
        "{shown:#?}"
    );
    // Behind its end, and around a shorter fence or one of tildes, all is as it says.
    let behind = format!("{torn}```\n\n```python\nprint(2)\n```\n");
    assert_eq!(blocks(&behind).last().map(|block| (block.closed, block.note.clone())), Some((true, None)));
    for whole in [
        "````markdown path=a.md\n```python\nprint(1)\n```\n````\n",
        "````markdown path=a.md\n```python\nprint(1)\n````\n",
        "```markdown path=a.md\n~~~python\nprint(1)\n~~~\n```\n",
        "```bash\necho ```python```\n```\n",
    ] {
        let block = only(whole);
        assert!(block.closed && !block.torn && block.note.is_none(), "{whole}");
    }
}

/// Calls as models print them when their server did not parse them.
#[test]
fn the_tokens_and_tags_of_many_models_are_calls() {
    let json = r#"{"language": "python", "code": "print(1)"}"#;
    let named = format!(r#"{{"name": "run_code", "arguments": {json}}}"#);
    let xml =
        "<parameter name=\"language\">python</parameter>\n<parameter name=\"code\">print(1)</parameter>\n";
    for text in [
        // DeepSeek, in several versions.
        format!("Let me see.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>run_code\n```json\n{json}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
        format!("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>run_code<｜tool▁sep｜>{json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"),
        format!("<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"run_code\">\n{}</｜DSML｜invoke>\n</｜DSML｜function_calls>", xml.replace("parameter", "｜DSML｜parameter").replace("\">", "\" string=\"true\">")),
        // Kimi.
        format!("I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.run_code:0<|tool_call_argument_begin|>{json}<|tool_call_end|><|tool_calls_section_end|>"),
        format!("<|tool_call_begin|>functions.run_code:12<|tool_call_argument_begin|>{json}<|tool_call_end|>"),
        // GPT-OSS.
        format!("<|channel|>commentary to=functions.run_code <|constrain|>json<|message|>{json}<|call|>"),
        format!("<|channel|>analysis<|message|>We look.<|end|><|start|>assistant<|channel|>commentary to=functions.run_code<|message|>{json}<|call|>"),
        format!("<|start|>assistant to=functions.run_code<|channel|>commentary json<|message|>{json}"),
        // GLM.
        "<tool_call>run_code\n<arg_key>language</arg_key>\n<arg_value>python</arg_value>\n<arg_key>code</arg_key>\n<arg_value>print(1)</arg_value>\n</tool_call>".into(),
        "<tool_call>run_code<arg_key>language</arg_key><arg_value>python</arg_value><arg_key>code</arg_key><arg_value>print(1)</arg_value></tool_call>".into(),
        // Mistral.
        format!("So:[TOOL_CALLS][{named}]"),
        format!("[TOOL_CALLS]run_code[CALL_ID]a1B2c3D4e[ARGS]{json}"),
        // Gemma, and other models that were trained on Python calls.
        "```tool_code\nrun_code(language=\"python\", code=\"print(1)\")\n```\n".into(),
        "```tool_code\nprint(default_api.run_code(language='python', code='''print(1)'''))\n```\n".into(),
        "<|tool_call_start|>[run_code(language='python', code='print(1)')]<|tool_call_end|>".into(),
        "<|python_start|>[run_code(language='python', code='print(1)')]<|python_end|>".into(),
        // Llama.
        format!("<|python_tag|>{}", named.replace("arguments", "parameters")),
        "<|python_tag|>run_code.call(language=\"python\", code=\"print(1)\")".into(),
        format!("<function=run_code>{json}</function>"),
        // Claude, MiniMax, Qwen, Seed: with a namespace or without.
        format!("<minimax:tool_call>\n<invoke name=\"run_code\">\n{xml}</invoke>\n</minimax:tool_call>"),
        format!("<x:function_calls>\n<x:invoke name=\"run_code\">\n{}</x:invoke>\n</x:function_calls>", xml.replace("parameter", "x:parameter")),
        "<seed:tool_call>\n<function=run_code>\n<parameter=language>python</parameter>\n<parameter=code>print(1)</parameter>\n</function>\n</seed:tool_call>".into(),
        format!("<TOOLCALL>[{named}]</TOOLCALL>"),
        format!("<|START_ACTION|>[{{\"tool_call_id\": \"0\", \"tool_name\": \"run_code\", \"parameters\": {json}}}]<|END_ACTION|>"),
        format!("<tool_call>{named}}}</tool_call>"),
    ] {
        checked(&text, Dialect::Fences, &Languages::default());
        assert_is_call(&text);
        // Quoted as an example it stays text.
        assert_eq!(blocks(&format!("~~~~yaml\n{text}\n~~~~\n")), [], "{text}");
        assert_eq!(blocks(&format!("~~~~text norun\n{text}\n~~~~\n")), [], "{text}");
        if text.starts_with("<|") && !text.contains('\n') {
            assert_eq!(blocks(&format!("It begins with `{text}`.\n")), [], "{text}");
        }
        // The text after it is not affected.
        let behind = blocks(&format!("{text}\n\n```bash\nls\n```\n"));
        assert_eq!(behind.iter().map(|block| &*block.source).collect::<Vec<_>>(), ["print(1)", "ls\n"], "{text}");
    }
}

/// A file that contains programs, and calls in other forms.
const HELD: &str = "# How\n\n```bash\nrm -rf build\n```\n\n<execute>rm x</execute>\n\n{\"name\": \"run_code\", \"arguments\": {\"language\": \"bash\", \"code\": \"rm y\"}}\n\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n";

/// The names of arguments and calls in the forms that contain a file's text unescaped.
const RAW: [(&str, &str); 3] =
    [("parameter", "function"), ("parameter", "invoke"), ("arg_value", "tool_call")];

/// Calls in those forms that write the file.
fn raw_calls(held: &str) -> Vec<String> {
    vec![
        format!(
            "<tool_call>\n<function=write_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n{held}</parameter>\n</function>\n</tool_call>\n"
        ),
        format!(
            "<function_calls>\n<invoke name=\"write_file\">\n<parameter name=\"path\">a.md</parameter>\n<parameter name=\"content\">\n{held}</parameter>\n</invoke>\n</function_calls>\n"
        ),
        format!(
            "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a.md</arg_value>\n<arg_key>content</arg_key>\n<arg_value>\n{held}</arg_value>\n</tool_call>\n"
        ),
    ]
}

#[test]
fn nothing_in_the_arguments_of_a_printed_call_is_a_block() {
    let string = serde_json::Value::String(HELD.into()).to_string().replace("\\n", "\n");
    let json = format!("{{\"path\": \"a.md\", \"content\": {string}}}");
    let mut calls = raw_calls(HELD);
    calls.extend([
        format!("{{\"name\": \"write_file\", \"arguments\": {json}}}\n"),
        format!("<tool_call>{{\"name\": \"write_file\", \"arguments\": {json}}}</tool_call>\n"),
        format!("<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write_file<｜tool▁sep｜>{json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>\n"),
        format!("<|channel|>commentary to=functions.write_file<|message|>{json}<|call|>\n"),
        format!("[TOOL_CALLS]write_file{json}\n"),
        format!("```json\n{{\"name\": \"write_file\", \"arguments\": {json}}}\n```\n"),
        format!("```tool_call\n<tool_call>{{\"name\": \"write_file\", \"arguments\": {json}}}</tool_call>\n```\n"),
    ]);
    for call in calls {
        for dialect in [Dialect::Fences, Dialect::ExecuteTags] {
            let text = format!("So:\n\n{call}\nThen:\n\n```bash\nls\n```\n");
            checked(&text, dialect, &Languages::default());
            let found = proposals(read_as(&text, dialect, true));
            let told: Vec<(BlockKind, &str)> =
                found.iter().map(|block| (block.kind(), &*block.source)).collect();
            let held = if call.contains("<parameter") || call.contains("<arg_value") {
                HELD.trim_end_matches('\n')
            } else {
                HELD
            };
            let [(BlockKind::Write { .. }, written), (BlockKind::Code { .. }, "ls\n")] = told[..] else {
                panic!("{text}\n{found:#?}")
            };
            assert_eq!(written, held, "{text}");
        }
    }
}

#[test]
fn behind_a_call_that_never_ends_nothing_is_offered() {
    let named = "{\"name\": \"write_file\", \"arguments\": {\"path\": \"a.md\", \"content\": \"";
    let mut calls: Vec<String> =
        raw_calls(HELD).iter().map(|call| call[..call.find("rm -rf").expect("held")].to_owned()).collect();
    calls.extend([
        format!("{named}\n```bash\nrm x\n```\n"),
        format!("<tool_call>{named}\n```bash\nrm x\n```\n"),
    ]);
    for call in calls {
        let text = format!("{call}\n```bash\nls\n```\n");
        assert_eq!(blocks(&text), [], "{text}");
        let cut = proposals(read_as(&text, Dialect::Fences, false));
        assert!(cut.iter().all(|block| !block.closed && block.special_kind.is_some()), "{text}\n{cut:#?}");
    }
    // Mentioning the form is not a call.
    for text in [
        "<tool_call>\nbegins one.\n",
        "<function=run_code> is what it prints.\n",
        "<|channel|>commentary to=functions.run_code is.\n",
        "<|tool_call_begin|> is.\n",
    ] {
        assert_eq!(blocks(&format!("{text}\n```bash\nls\n```\n")).len(), 1, "{text}");
    }
}

#[test]
fn the_text_of_a_call_may_hold_what_ends_calls() {
    let held = "<function=run_code>\n<parameter=code>\nx\n</parameter>\n</function>\n```bash\nrm x\n```";
    for call in raw_calls(&format!("{held}\n")) {
        assert_eq!(only(&call).source, held, "{call}");
    }
    let call = r#"<tool_call>{"name": "run_code", "arguments": {"language": "bash", "code": "echo '</tool_call>'"}}</tool_call>"#;
    assert_eq!(only(call).source, "echo '</tool_call>'");
}

#[test]
fn the_text_of_a_call_may_hold_ends_that_nothing_in_it_began() {
    for (at, (argument, _)) in RAW.iter().enumerate() {
        // A call in the text that lacks the end of its argument.
        let example = raw_calls("x\n").swap_remove(at);
        let (before, behind) = example.rsplit_once(&format!("</{argument}>\n")).expect("an end");
        let held = format!("{before}{behind}\n```bash\nrm x\n```");
        assert_eq!(only(&raw_calls(&format!("{held}\n"))[at]).source, held);
    }
    for held in [
        "s = '</ARG></CALL>'\n\n```bash\nrm x\n```",
        "</ARG>\n</CALL>\n'''\n```bash\nrm x\n```",
        "T = '''\n<ARG=x>1</ARG>\n</CALL>\n'''\n```bash\nrm x\n```",
        "</ARG></CALL>\n```bash\nrm x\n```\n</ARG></CALL>\n```bash\nrm y\n```",
        "'<CALL></ARG></CALL>'\n</ARG>\n```bash\nrm x\n```\n</ARG> x",
    ] {
        for (at, (argument, call)) in RAW.iter().enumerate() {
            let held = held.replace("ARG", argument).replace("CALL", call);
            let whole = &raw_calls(&format!("{held}\n"))[at];
            assert_eq!(only(whole).source, held, "{whole}");
            for behind in ["\n```bash\nls\n```\n".to_owned(), format!("\nThen:\n\n{whole}")] {
                let found = blocks(&format!("{whole}{behind}"));
                assert!(found.len() == 2 && found[0].source == held, "{whole}\n{found:#?}");
            }
        }
    }
}

#[test]
fn behind_a_call_of_which_only_its_text_has_an_end_nothing_is_offered() {
    for (at, (argument, call)) in RAW.iter().enumerate() {
        let example = &raw_calls("x\n")[at];
        for held in [
            "s = '</ARG></CALL>'".replace("ARG", argument).replace("CALL", call),
            format!("s = '</{argument}>'"),
            // A call in the text, and the beginning of another one.
            format!("{example}\n```bash\nrm x\n```\n"),
            format!("{}\n{example}", &example[..example.find("a.md").expect("its path")]),
        ] {
            let whole = &raw_calls(&held)[at];
            let cut = &whole[..whole.find(&held).expect("its text") + held.len()];
            let text = format!("{cut}\n```bash\nls\n```\n");
            assert_eq!(blocks(&text), [], "{text}");
        }
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
fn only_the_whole_word_norun_keeps_a_fence_from_being_read() {
    let fence = |info: &str| format!("```{info}\n{{\"name\":\"list_files\",\"arguments\":{{}}}}\n```\n");
    assert_eq!(blocks(&fence("json norun")), []);
    assert_eq!(blocks(&fence("json norunning")).len(), 1);
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
        "```tool_code\nlist_files(path=x)\n```\n",
        "list_files(path=\"a\")\n",
        "<|channel|>final<|message|>{\"path\": \"a\"}",
        "<|channel|>commentary to=functions.rm<|message|>{}<|call|>",
        "```console\nno prompt here\n```\n",
        "```text\n$ ls\n```\n",
    ] {
        assert_eq!(blocks(text), [], "{text:?}");
    }
}

#[test]
fn a_cut_call_is_incomplete() {
    let text = "<tool_call>\n{\"name\": \"run_code\", \"arguments\": {\"language\": \"bash\", \"code\": \"rm -rf /tmp/x";
    let block = single(proposals(read_as(text, Dialect::Fences, false)));
    assert_eq!((block.source.as_str(), block.closed), ("rm -rf /tmp/x", false));
    let tagged =
        "<function=run_code>\n<parameter=language>\nbash\n</parameter>\n<parameter=code>\nrm -rf /tmp/x";
    let block = single(proposals(read_as(tagged, Dialect::Fences, false)));
    assert_eq!((block.source.as_str(), block.closed), ("rm -rf /tmp/x", false));
    // A complete reply with half a call: nothing is made up.
    assert_eq!(blocks(text), []);
}

#[test]
fn an_unclosed_tag_at_the_end_of_a_whole_reply_waits() {
    let text = "I run:\n<execute>\nprint(1)\n";
    let block = single(proposals(read_as(text, Dialect::ExecuteTags, true)));
    assert!(
        block.closed && block.note.as_deref().is_some_and(|note| note.contains("</execute> was missing"))
    );
    let block = single(proposals(read_as(text, Dialect::ExecuteTags, false)));
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
fn lines_of_very_many_blocks_are_counted_once() {
    let languages = Languages::default();
    let reading = CallScanner { languages: &languages, complete: true };
    let fence = "```console\n$ ls\n```\n";
    let call = "```\n{\"name\":\"list_files\",\"arguments\":{}}\n```\n";
    for each in [fence.to_owned(), call.to_owned(), format!("{fence}prose\n{call}```bash\nls\n```\n")] {
        let text = each.repeat((1 << 17) / each.len());
        let fences = edit_fence::scan(&text, markdown::Tags::Ignored, false).fences;
        let mut count = LineCount::default();
        let segments = parse(&text, Dialect::Fences, &languages, true);
        let found = proposals(read_once(&text, segments, &fences, reading, &mut count));
        assert!(found.len() == fences.len() && count.read <= text.len(), "{each}: {} bytes", count.read);
        let first = |block: &Proposal| text[..block.range.start].matches('\n').count() + 1;
        for block in found.iter().step_by(97).chain(found.last()) {
            let lines = first(block)..=first(block) + block.source.lines().count() + 1;
            assert_eq!(block.lines.0 as usize, *lines.start(), "{each}");
            assert!(lines.contains(&(block.lines.1 as usize)) && block.lines.1 > block.lines.0, "{each}");
        }
    }
}

#[test]
fn a_text_that_is_built_to_be_slow_is_left_alone() {
    for line in [
        "{\"name\": \"run_code\", \"arguments\": {\n",
        "<tool_call>\n",
        "<function=run_code>\n",
        "[TOOL_CALLS]run_code{\n",
        "<|channel|>commentary to=functions.run_code<|message|>[\n",
        "<|tool_call_begin|>run_code<|tool_sep|>x\n",
        "[TOOL_CALLS][\n",
        "<|tool_call_begin|>rm<|tool_sep|>[",
        "<tool_call>rm <arg_key>",
        "<invoke name=\"rm\"><parameter name=\"a\">\n",
        "<invoke name=\"rm\"><parameter name=\"a\"></parameter></invoke>",
        "<tool_call>run_code(code='",
    ] {
        let text = line.repeat(200_000 / line.len());
        assert!(blocks(&text).iter().all(|block| !block.closed), "{line}");
    }
}

proptest! {
    #[test]
    fn any_text_tiles(text in "([a{\"\\[:,}\\] \n`~<>/=]|<tool_call>|\\[TOOL_CALLS\\]|run_code|\"name\"|\"arguments\"|<execute>|```json\n|```\n|>>> |\\$ |<\\|channel\\|>|<\\|message\\|>| to=run_code|<\\|tool_call_begin\\|>|<\\|tool_sep\\|>|<parameter=|</parameter>|<function=run_code>|</function>|<arg_key>|</arg_value>|--- a\n\\+\\+\\+ b\n@@|\\*\\*\\* Update File: x\n@@\n){0,60}", complete: bool) {
        let _ = read_as(&text, Dialect::Fences, complete);
    }
}
