use super::*;
use proptest::prelude::*;
use serde_json::json;

fn message(channel: Channel, kind: &str, content: Value) -> JupyterMessage {
    let mut message = JupyterMessage::new(channel, kind, ("x", "s", ""), content);
    message.parent = json!({ "msg_id": "1" });
    message
}

fn iopub(kind: &str, content: Value) -> JupyterMessage {
    message(Channel::Iopub, kind, content)
}

fn read(messages: &[JupyterMessage]) -> (ReplyReader, Vec<BackendEvent>) {
    let mut reading = ReplyReader::new("1".into());
    let events = messages.iter().flat_map(|message| reading.take(message)).collect();
    (reading, events)
}

fn printed(events: &[BackendEvent]) -> String {
    let text = |events: &BackendEvent| match events {
        BackendEvent::Run(RunEvent::Output(chunk)) => String::from_utf8_lossy(&chunk.bytes).into_owned(),
        _ => String::new(),
    };
    events.iter().map(text).collect()
}

#[test]
fn reply_and_result_in_any_order() {
    let busy = iopub("status", json!({ "execution_state": "busy" }));
    let reply = message(Channel::Shell, "execute_reply", json!({ "status": "ok" }));
    let result = iopub("execute_result", json!({ "data": { "text/plain": "42" } }));
    let idle = iopub("status", json!({ "execution_state": "idle" }));
    for order in
        [[&busy, &reply, &result, &idle], [&busy, &result, &idle, &reply], [&reply, &result, &busy, &idle]]
    {
        let messages: Vec<JupyterMessage> = order.into_iter().cloned().collect();
        let (reading, events) = read(&messages);
        assert_eq!(reading.missing(), AwaitedReply::Nothing);
        assert_eq!(events.iter().filter(|h| matches!(h, BackendEvent::Run(RunEvent::Started))).count(), 1);
        let done = reading.done();
        assert_eq!((done.how, done.code, done.value.as_deref()), (BlockEnd::Ok, 0, Some("42")));
    }
    assert_eq!(read(&[busy.clone(), reply]).0.missing(), AwaitedReply::Idle);
    assert_eq!(read(&[busy, idle]).0.missing(), AwaitedReply::Reply);
}

#[test]
fn what_is_about_another_request_is_left_out() {
    let mut other = iopub("stream", json!({ "name": "stdout", "text": "no" }));
    other.parent = json!({ "msg_id": "2" });
    assert!(read(&[other]).1.is_empty());
}

#[test]
fn errors_without_colours() {
    let content = json!({
        "status": "error", "ename": "ValueError", "evalue": "no",
        "traceback": ["\u{1b}[0;31m----\u{1b}[0m", "\u{1b}[38;5;241mFile\u{1b}[39m x"],
    });
    let done = read(&[message(Channel::Shell, "execute_reply", content)]).0.done();
    assert_eq!((done.how, done.code), (BlockEnd::Error, 1));
    let error = done.error.unwrap();
    assert_eq!((error.kind.as_str(), error.traceback.as_str()), ("ValueError", "----\nFile x"));
}

#[test]
fn endings_that_are_no_errors() {
    let reply = |content: Value| read(&[message(Channel::Shell, "execute_reply", content)]).0.done();
    let exit = reply(json!({ "status": "error", "ename": "SystemExit", "evalue": "3", "traceback": [] }));
    assert_eq!((exit.how, exit.code, exit.error), (BlockEnd::Exit, 3, None));
    let shell = reply(json!({ "status": "error", "ename": "", "evalue": "7", "traceback": [] }));
    assert_eq!((shell.how, shell.code, shell.error), (BlockEnd::Error, 7, None));
    for status in ["abort", "aborted"] {
        assert_eq!(reply(json!({ "status": status })).how, BlockEnd::Interrupted);
    }
    let interrupt = json!({ "status": "error", "ename": "KeyboardInterrupt", "evalue": "", "traceback": [] });
    assert_eq!(reply(interrupt).how, BlockEnd::Interrupted);
}

/// An interrupt hits the kernel's own code: the kernel becomes idle and sends no reply.
#[test]
fn without_a_reply_an_interrupted_block_did_not_end_well() {
    let idle = iopub("status", json!({ "execution_state": "idle" }));
    let (mut reading, _) = read(std::slice::from_ref(&idle));
    reading.interrupt();
    let done = reading.done();
    assert_eq!((done.how, done.code), (BlockEnd::Interrupted, 1));
    // If the kernel sends a reply, the reply decides.
    let reply = message(Channel::Shell, "execute_reply", json!({ "status": "ok" }));
    let (mut reading, _) = read(&[idle, reply]);
    reading.interrupt();
    assert_eq!(reading.done().how, BlockEnd::Ok);
}

#[test]
fn displays() {
    let png = base64::engine::general_purpose::STANDARD.encode(b"\x89PNG");
    let figure = json!({ "data": { "image/png": png + "\n", "text/plain": "<Figure size 640x480>" } });
    let (_, events) = read(&[iopub("display_data", figure)]);
    assert!(matches!(&events[1], BackendEvent::Image(name, mime, bytes)
        if name == "figure-1.png" && *mime == "image/png" && bytes == b"\x89PNG"));
    assert_eq!(printed(&events), "");
    let show = |data: Value| printed(&read(&[iopub("display_data", json!({ "data": data }))]).1);
    let table = "<table><tr><td>a</td><td>1</td></tr></table>";
    assert_eq!(show(json!({ "text/html": table, "text/plain": "   a\n0  1" })), "   a\n0  1\n");
    assert_eq!(
        show(json!({ "text/html": table, "text/plain": "<IPython.core.display.HTML object>" })),
        "a  1\n"
    );
    assert_eq!(show(json!({ "text/markdown": "# x", "text/plain": "<Markdown object>" })), "# x\n");
    assert_eq!(show(json!({ "application/json": { "a": 1 } })), "{\n  \"a\": 1\n}\n");
    assert_eq!(show(json!({ "text/plain": ["a", "b"] })), "ab\n");
    assert_eq!(show(json!({ "image/png": "no base64!", "text/plain": "x" })), "x\n");
}

#[test]
fn help_comes_with_the_reply() {
    let page = json!({ "status": "ok", "payload": [{ "source": "page", "data": { "text/plain": "\u{1b}[1mhelp" } }] });
    assert_eq!(printed(&read(&[message(Channel::Shell, "execute_reply", page)]).1), "help\n");
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::from), ".{0,8}".prop_map(Value::from)];
    leaf.prop_recursive(3, 24, 5, |inner| {
        let names = prop::sample::select(vec![
            "data",
            "text/plain",
            "text/html",
            "image/png",
            "image/svg+xml",
            "status",
            "ename",
            "evalue",
            "traceback",
            "payload",
            "execution_state",
            "name",
            "text",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((names, inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    /// Whatever a kernel sends is read or left out, and never causes a panic.
    #[test]
    fn any_content(kind in prop::sample::select(vec!["status", "stream", "display_data", "execute_result", "error", "execute_reply"]),
                   content in any_value(), shell in any::<bool>()) {
        let channel = if shell { Channel::Shell } else { Channel::Iopub };
        let (reading, _) = read(&[message(channel, kind, content)]);
        let _ = reading.done();
    }
}
