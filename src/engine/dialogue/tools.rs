//! Tests of tools: calls as blocks, their answers, calls that can't be read, models without tools.

use super::*;
use crate::domain::{Language, OnDisk, OpaqueItem, Role, Target, Terms};

const CODE: &str = r#"{"language": "python", "code": "print(1)"}"#;
pub(super) const WRITE: &str = r##"{"path": "notes.md", "content": "# Notes\n"}"##;

pub(super) fn file_terms(word: &str) -> Terms {
    samples::of_file(word, Target::at("/work/notes.md", OnDisk::Nothing))
}

/// A reply with these calls, all of them inspected.
fn called(calls: &[(&str, &str, &str)]) -> Dialogue {
    let mut d = Dialogue::with_tools();
    for (id, name, arguments) in calls {
        d.calls_tool(id, name, arguments);
    }
    d.finish(FinishReason::ToolCalls);
    for (block, kind) in (1..).zip(d.kinds()) {
        let terms = if kind.is_code() { terms() } else { file_terms(kind.as_str()) };
        d.inspected(block, Review::default(), Ok(terms));
    }
    d
}

/// The answers in the newest request: the id of the call, and the text.
fn answers(d: &Dialogue) -> Vec<(String, String)> {
    let tools = d.request().iter().filter(|message| message.role == Role::Tool);
    tools.map(|m| (m.answers.clone().unwrap_or_default(), m.text.clone())).collect()
}

#[test]
fn calls_in_parallel_are_blocks_in_order_and_each_is_answered() {
    let mut d = called(&[("a", "run_code", CODE), ("b", "write_file", WRITE), ("c", "list_files", "{}")]);
    let request = d.watched.request.clone().expect("asked");
    assert_eq!(request.tools.len(), 5, "the tools are offered");
    assert_eq!(d.type_run(1), "+approved r1 1.1 person-typed, start r1 | running r1");
    d.started(1);
    d.prints("1\n");
    d.ended(1, Outcome::Ok);
    // The run may have changed the file to be written: it is inspected again.
    d.inspected(2, Review::default(), Ok(file_terms("write")));
    assert_eq!(d.approve(2), "+approved r2 2.1 person, start r2 | running r2", "no typed word for a file");
    d.started(2);
    d.prints("created notes.md\n");
    d.ended(2, Outcome::Ok);
    d.inspected(3, Review::default(), Ok(file_terms("list")));
    d.reject(3, "there is nothing");
    let roles: Vec<Role> = d.request().iter().map(|m| m.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Tool]);
    let answers = answers(&d);
    let ids: Vec<&str> = answers.iter().map(|(id, _)| id.as_str()).collect();
    assert_eq!(ids, ["a", "b", "c"]);
    assert!(
        answers[0].1.starts_with("Block 1 (python): exit 0") && answers[0].1.contains("1\n"),
        "{answers:?}"
    );
    answers[1].1.starts("Block 2 (write notes.md): ").has("created notes.md");
    assert_eq!(
        answers[2].1,
        "Block 3 (list .): rejected by the person, it was not run.\nReason: there is nothing"
    );
}

#[test]
fn of_a_skipped_call_nothing_is_said_but_that_it_did_not_run() {
    let mut d = called(&[("a", "run_code", CODE), ("b", "write_file", WRITE)]);
    d.skip(1);
    d.reject(2, "no");
    assert_eq!(answers(&d)[0], ("a".into(), "not run".into()));
}

#[test]
fn an_edited_write_tells_its_changes() {
    let mut d = called(&[("b", "write_file", WRITE)]);
    d.edit(1, "# My notes\n");
    d.inspected(1, Review::default(), Ok(file_terms("write")));
    d.approve(1);
    d.passes(1, Outcome::Ok);
    let told = &answers(&d)[0].1;
    assert!(told.contains("-# Notes\n+# My notes\n"), "{told}");
}

#[test]
fn what_can_not_be_read_is_told_to_both_and_the_turn_goes_on() {
    let mut d = Dialogue::with_tools();
    d.calls_tool("a", "run_code", "{\"code\": ");
    d.calls_tool("b", "drop_table", "{}");
    let line = d.finish(FinishReason::ToolCalls);
    assert!(line.starts_with("+reply tool_calls, +call refused a, +call refused b, 'A tool call came to no block: its arguments are no JSON"), "{line}");
    assert!(line.ends_with("ask s2 | replying s2"), "{line}");
    let answers = answers(&d);
    assert!(answers[0].1.starts_with("not run: its arguments are no JSON"), "{answers:?}");
    assert!(answers[1].1.starts_with("not run: there is no tool \"drop_table\""), "{answers:?}");
    assert_eq!(d.request()[1].tool_calls[0].arguments, "{}", "what is no JSON can't be sent back");
    let reply = d.state().transcript.last_reply().expect("a reply");
    assert_eq!(reply.refused.len(), 2, "a front can show it");
}

#[test]
fn what_can_not_be_read_of_a_reply_that_broke_off_is_told_too() {
    let told = "+call refused a, 'A tool call came to no block: there is no tool \"drop_table\"";
    let mut d = Dialogue::with_tools();
    d.calls_tool("a", "drop_table", "{}");
    d.stop().has(told).has(" The model is told.', 'Stopped. ");
    d.user("y");
    answers(&d)[0].1.starts("not run: there is no tool \"drop_table\"");
    // A reply that failed is left out of the next request.
    let mut d = Dialogue::with_tools();
    d.calls_tool("a", "drop_table", "{}");
    d.fail(FailureKind::Cut).has(told).lacks("The model is told").has(".', 'It broke.'");
    d.command(Command::Retry);
    assert!(answers(&d).is_empty());
}

#[test]
fn without_tools_a_call_is_answered_by_how_a_block_is_written() {
    for (dialect, how) in
        [(Dialect::Fences, "```python"), (Dialect::ExecuteTags, "<execute lang=\"python\">")]
    {
        let mut d = Dialogue::with(Settings { dialect: Some(dialect), ..Settings::default() });
        d.user("x");
        d.calls_tool("a", "python", "{}");
        d.finish(FinishReason::ToolCalls).has("there is no tool").has(how).ends("ask s2 | replying s2");
        d.told().has("there is no tool \"python\", and no other; ").has(how).lacks("read_file");
    }
}

#[test]
fn a_call_that_was_cut_off_is_incomplete() {
    let mut d = Dialogue::with_tools();
    d.calls_tool("a", "run_code", "{\"language\": \"bash\", \"code\": \"rm -rf /tmp/x");
    d.finish(FinishReason::Length).has("+block 1").has("'The reply was cut at the model's length limit.'");
    let bash = Terms { language: Language::bash(), ..terms() };
    d.accepts_under(1, bash.clone()).starts("'Block 1 is incomplete");
    d.edit(1, "ls");
    d.inspected(1, Review::default(), Ok(bash));
    assert!(d.type_run(1).contains("start r1"));
}

#[test]
fn calls_without_an_identity_get_one() {
    let d = called(&[
        ("", "list_files", "{}"),
        ("x", "list_files", "{}"),
        ("x", "read_file", "{\"path\": \"a\"}"),
    ]);
    let reply = d.state().transcript.last_reply().expect("a reply");
    let ids: Vec<&str> = reply.tool_calls().iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_1_1", "x", "call_1_3"]);
}

#[test]
fn a_model_that_takes_no_tools_is_asked_for_fences_once_and_for_all() {
    let mut d = Dialogue::with_tools();
    let line = d.fail(FailureKind::NoTools);
    line.starts("'This model takes no tools: it is asked for fenced blocks instead.', +no tools");
    assert!(line.ends_with("ask s2 | replying s2"), "{line}");
    assert_eq!(d.watched.request.as_ref().map(|r| r.tools.len()), Some(0));
    d.reply("```python\nprint(1)\n```\n");
    d.runs(1, 1, Outcome::Ok);
    d.reopen();
    d.command(Command::Retry);
    assert_eq!(d.watched.request.as_ref().map(|r| r.tools.len()), Some(0), "known after a resume too");
    assert!(d.fail(FailureKind::NoTools).ends_with("| stuck no_tools"), "a second time it is a failure");
}

#[test]
fn auto_is_tools_where_the_model_is_known_to_take_them() {
    use crate::domain::{ModelInfo, ModelName};
    let mut d = Dialogue::new();
    let name = ModelName { provider: "p".into(), model: "m".into() };
    d.command(Command::UseModel(name.clone()));
    d.user("x");
    assert_eq!(d.watched.request.as_ref().map(|r| r.tools.len()), Some(0), "not known: fences");
    d.reply("Hello.");
    let info = ModelInfo { tools: Some(true), ..ModelInfo::named(name) };
    d.send(Event::ModelInfo(Box::new(info)));
    d.user("y");
    assert_eq!(d.watched.request.as_ref().map(|r| r.tools.len()), Some(5));
}

#[test]
fn a_request_waits_for_what_its_server_says_of_the_model() {
    use crate::domain::{ModelInfo, ModelName};
    let name = |model: &str| ModelName { provider: "p".into(), model: model.into() };
    let told =
        |model, tools| Event::ModelInfo(Box::new(ModelInfo { tools, ..ModelInfo::named(name(model)) }));
    for (tools, offered) in [(Some(true), 5), (Some(false), 0), (None, 0)] {
        let mut d = Dialogue::new();
        d.command(Command::UseModel(name("m")));
        d.send(Event::AskingAboutModel(name("m")));
        d.user("x").is("+prompt, +named x | replying s1");
        let activity = d.state().activity().expect("it waits");
        assert_eq!(activity.what, "Asking what the model can do");
        d.send(told("other", Some(true))).is("| replying s1");
        d.send(told("m", tools)).is("ask s1 | replying s1");
        assert_eq!(d.watched.request.as_ref().map(|r| r.tools.len()), Some(offered), "{tools:?}");
    }
    // Where that is known in advance, nothing waits. A request that was stopped meanwhile is not sent.
    let mut d = Dialogue::new();
    d.command(Command::UseModel(name("m")));
    d.send(told("m", Some(true)));
    d.send(Event::AskingAboutModel(name("m")));
    d.user("x").is("+prompt, +named x, ask s1 | replying s1");
    let mut d = Dialogue::new();
    d.send(Event::AskingAboutModel(name("m")));
    d.user("x");
    d.stop().ends("| idle");
    d.send(told("m", Some(true))).is("| idle");
    // One whose model was replaced meanwhile waits for the answer about the other model.
    let mut d = Dialogue::new();
    d.command(Command::UseModel(name("m")));
    d.send(Event::AskingAboutModel(name("m")));
    d.user("x");
    d.command(Command::UseModel(name("n"))).ends("| replying s1");
    d.send(Event::AskingAboutModel(name("n"))).is("| replying s1");
    d.send(told("m", Some(false))).is("| replying s1");
    d.send(told("n", Some(true))).is("ask s1 | replying s1");
    assert_eq!(d.watched.request.as_ref().map(|r| r.tools.len()), Some(5));
    // One whose person left meanwhile is not sent.
    let mut d = Dialogue::new();
    d.command(Command::UseModel(name("m")));
    d.send(Event::AskingAboutModel(name("m")));
    d.user("x");
    d.command(Command::Leave).is("| replying s1");
    d.send(told("m", Some(true))).is("| replying s1");
}

#[test]
fn earlier_calls_are_told_as_text_to_a_model_without_tools() {
    let mut d = called(&[("a", "run_code", CODE), ("b", "write_file", WRITE)]);
    d.runs(1, 1, Outcome::Ok);
    d.inspected(2, Review::default(), Ok(file_terms("write")));
    d.skip(2);
    d.fail(FailureKind::NoTools);
    let roles: Vec<Role> = d.request().iter().map(|m| m.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
    let said = &d.request()[1].text;
    assert!(said.contains("```python\nprint(1)\n```") && said.contains("[write_file notes.md]"), "{said}");
    assert!(d.told().contains("Block 1 (python): exit 0"));
}

#[test]
fn what_a_provider_wants_back_goes_back() {
    let mut d = Dialogue::with_tools();
    let kept = OpaqueItem { kind: "anthropic".into(), json: "{}".into() };
    d.replied(ReplyEvent::Kept(kept.clone()));
    d.calls_tool("a", "run_code", CODE);
    d.finish(FinishReason::ToolCalls);
    d.runs(1, 1, Outcome::Ok);
    assert_eq!(d.request()[1].kept, [kept]);
}

#[test]
fn put_back_between_turns_the_answer_stays_and_the_result_is_told_as_text() {
    let mut d = called(&[("a", "run_code", CODE)]);
    d.skip(1);
    d.user("y");
    d.reply("Well.");
    d.reopen_block(1);
    d.runs(1, 1, Outcome::Ok);
    d.user("z");
    assert_eq!(answers(&d), [("a".to_owned(), "not run".to_owned())]);
    let texts: Vec<&str> =
        d.request().iter().filter(|m| m.role == Role::User).map(|m| m.text.as_str()).collect();
    assert!(texts.iter().any(|text| text.contains("Block 1 (python): exit 0")), "{texts:?}");
}

#[test]
fn printed_thinking_is_never_offered() {
    let mut d = Dialogue::with_tools();
    d.reply("<think>\n```bash\nrm -rf /\n```\n</think>\n\nDone.").is("+reply stop, +end answered | idle");
    let reply = d.state().transcript.last_reply().expect("a reply");
    assert_eq!((reply.text(), reply.reasoning()), ("Done.", "\n```bash\nrm -rf /\n```\n"));
    d.user("y");
    assert_eq!(d.reply("hm\n```bash\nls\n```\n</think>\nDone."), "+reply stop, +end answered | idle");
    d.user("z");
    // Thinking that never ends leaves an empty reply.
    let line = d.reply("<think>\n```bash\nls\n```\n");
    line.has("The model answered with nothing").ends("+end answered | idle");
}

#[test]
fn a_printed_call_waits_with_its_note() {
    let d = Dialogue::after_reply(
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>",
    );
    let item = d.state().waiting().expect("waits");
    assert_eq!(item.block.kind, BlockKind::Read);
    assert_eq!(item.block.origin.note.as_deref(), Some("read from a tool call printed as text"));
    assert_eq!(item.block.origin.call, None, "nobody waits for its answer");
}

#[test]
fn terms_of_another_kind_open_nothing() {
    let mut d = called(&[("b", "write_file", WRITE)]);
    d.edit(1, "other");
    d.inspected(1, Review::default(), Ok(terms()));
    assert!(d.type_run(1).starts_with("'Block 1 is still being checked.'"));
}

#[test]
fn a_read_can_be_edited_and_means_what_it_says() {
    let mut d = called(&[("a", "read_file", "{\"path\": \"a\"}")]);
    d.edit(1, "what?");
    d.inspected(1, Review::default(), Ok(file_terms("read")));
    d.approve(1).starts("'Block 1 does not say what is meant:");
    d.edit(1, "path: b\nlines: 1-5\n");
    d.inspected(1, Review::default(), Ok(file_terms("read")));
    assert!(d.approve(1).contains("start r1"));
}
