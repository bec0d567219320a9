use super::super::wire::Part;
use super::*;

fn asked() -> Asked {
    Asked {
        provider: "openai".into(),
        model: "gpt-x".into(),
        host: "api.example.com".into(),
        address: "https://api.example.com/v1/chat/completions".into(),
        has_key: true,
    }
}

fn refusal(status: u16, body: &str) -> Refusal {
    asked().refusal(&Answer { status, body: body.into(), ..Answer::default() })
}

#[test]
fn the_words_are_those_of_the_interface() {
    let told = asked().unreachable(FailureKind::NameNotFound, "name not found").message;
    assert_eq!(told, "Cannot reach api.example.com: name not found. Your message is kept.");
    let told = refusal(401, r#"{"error":{"message":"no"}}"#).failure;
    assert_eq!(told.message, "The key for openai was refused (401). Not sent again.");
    assert_eq!((told.kind, told.hint.as_str()), (FailureKind::Refused, "api.example.com says: no"));
    assert_eq!(refusal(429, "").failure.message, "Rate limit.");
    let told = asked().overflow(Some((34_100, 32_768)), None, false).message;
    assert_eq!(told, "This chat needs 34,100 of 32,768 tokens. Nothing was sent.");
    let told =
        refusal(404, r#"{"error":{"message":"The model `gpt-x` does not exist","code":"model_not_found"}}"#);
    assert_eq!(told.failure.message, "openai does not know the model gpt-x (404).");
    let told = refusal(404, r#"{"error":{"message":"not here"}}"#).failure.message;
    assert_eq!(told, "openai found nothing for the model gpt-x (404).");
    let told = refusal(404, "<html><title>404 Not Found</title></html>").failure.message;
    assert_eq!(told, "No model answers at https://api.example.com/v1/chat/completions (404).");
}

#[test]
fn a_missing_key_is_told_apart_from_a_refused_one() {
    let asked = Asked { has_key: false, ..asked() };
    let told = asked.refusal(&Answer { status: 401, ..Answer::default() }).failure;
    assert_eq!(told.kind, FailureKind::NoKey);
    assert_eq!(told.message, "openai wants a key (401) and none is set. Not sent again.");
}

#[test]
fn only_what_may_pass_is_asked_again() {
    for status in [400, 401, 402, 403, 404, 405, 413, 422, 418, 301, 308, 501, 505] {
        assert_eq!(refusal(status, "").again, Again::Never, "{status}");
    }
    for status in [408, 429, 500, 502, 503, 504, 520, 529] {
        assert_eq!(refusal(status, "").again, Again::Backoff, "{status}");
    }
    let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    assert_eq!(refusal(429, quota).again, Again::Never);
    let after = Some(Duration::from_secs(2));
    let answer = Answer { status: 429, retry_after: after, ..Answer::default() };
    assert_eq!(asked().refusal(&answer).again, Again::After(Duration::from_secs(2)));
    let answer = Answer { should_retry: Some(false), ..answer };
    assert_eq!(asked().refusal(&answer).again, Again::Never);
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    assert_eq!(refusal(503, loading).again, Again::Loading);
    assert_eq!(refusal(503, loading).failure.message, "api.example.com is still loading the model (503).");
}

#[test]
fn a_full_context_is_known_in_every_dialect_with_its_numbers() {
    for (status, body, tokens) in [
        (
            400,
            r#"{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 10000 tokens. Please reduce the length of the messages.","code":"context_length_exceeded"}}"#,
            "10,000 of 8,192",
        ),
        (
            400,
            r#"{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":34100,"n_ctx":32768}}"#,
            "34,100 of 32,768",
        ),
        (
            400,
            r#"{"object":"error","message":"This model's maximum context length is 2048 tokens. However, you requested 2070 tokens (70 in the messages, 2000 in the completion).","code":400}"#,
            "2,070 of 2,048",
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212,345 tokens > 200,000 maximum"}}"#,
            "212,345 of 200,000",
        ),
    ] {
        let told = refusal(status, body);
        assert_eq!(told.failure.message, format!("This chat needs {tokens} tokens. It was not answered."));
        assert_eq!((told.failure.kind, told.again), (FailureKind::Overflow, Again::Never));
    }
    let told =
        refusal(400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#).failure.message;
    assert_eq!(told, "This chat is longer than gpt-x can read. It was not answered.");
}

#[test]
fn a_refused_wish_for_usage_is_dropped() {
    let body = r#"{"error":{"message":"Unrecognized request argument supplied: stream_options"}}"#;
    assert_eq!(refusal(400, body).again, Again::Without(Part::Usage));
}

#[test]
fn pages_are_no_models() {
    let told = refusal(400, "\u{feff} <!DOCTYPE html><title>Sign in</title>").failure;
    assert_eq!(told.kind, FailureKind::NotAModel);
    assert_eq!(refusal(502, "<html><head><title>502 Bad Gateway").failure.kind, FailureKind::Server);
}

#[test]
fn texts_of_servers_are_one_short_plain_line() {
    assert_eq!(one_line("  a\r\n\tb\x1b[2J\u{202e}c "), "a b[2Jc");
    assert_eq!(one_line(&"ü".repeat(1000)).chars().count(), 301);
    for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
        assert_eq!(grouped(number), text);
    }
}
