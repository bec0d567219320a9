use super::*;
use crate::provider::quirks::OptionalPart;

fn asked() -> ServerIdentity {
    ServerIdentity {
        provider: "openai".into(),
        model: "gpt-x".into(),
        host: "api.example.com".into(),
        address: "https://api.example.com/v1/chat/completions".into(),
        has_key: true,
    }
}

fn refusal(status: u16, body: &str) -> ServerRefusal {
    asked().refusal(&ServerAnswer { status, body: body.into(), ..ServerAnswer::default() })
}

#[test]
fn the_words_are_those_of_the_interface() {
    let told = asked().unreachable(FailureKind::NameNotFound, "name not found").message;
    assert_eq!(told, "Cannot reach api.example.com: name not found.");
    let told = refusal(401, r#"{"error":{"message":"no"}}"#).failure;
    assert_eq!(told.message, "The key for openai was refused (401). Not sent again.");
    assert_eq!((told.kind, told.hint.as_str()), (FailureKind::Refused, "api.example.com says: no"));
    assert_eq!(refusal(429, "").failure.message, "Rate limit.");
    let told = asked().overflow(Some((34_100, 32_768)), None).message;
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
    let asked = ServerIdentity { has_key: false, ..asked() };
    let told = asked.refusal(&ServerAnswer { status: 401, ..ServerAnswer::default() }).failure;
    assert_eq!(told.kind, FailureKind::NoKey);
    assert_eq!(told.message, "openai wants a key (401) and none is set. Not sent again.");
}

#[test]
fn only_what_may_pass_is_asked_again() {
    for status in [400, 401, 402, 403, 404, 405, 413, 422, 418, 301, 308, 501, 505] {
        assert_eq!(refusal(status, "").retry, RetryAdvice::Never, "{status}");
    }
    for status in [408, 429, 500, 502, 503, 504, 520, 529] {
        assert_eq!(refusal(status, "").retry, RetryAdvice::Backoff, "{status}");
    }
    let quota = r#"{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}"#;
    assert_eq!(refusal(429, quota).retry, RetryAdvice::Never);
    let after = Some(Duration::from_secs(2));
    let answer = ServerAnswer { status: 429, retry_after: after, ..ServerAnswer::default() };
    assert_eq!(asked().refusal(&answer).retry, RetryAdvice::After(Duration::from_secs(2)));
    let answer = ServerAnswer { should_retry: Some(false), ..answer };
    assert_eq!(asked().refusal(&answer).retry, RetryAdvice::Never);
    let loading = r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#;
    assert_eq!(refusal(503, loading).retry, RetryAdvice::Loading);
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
        assert_eq!((told.failure.kind, told.retry), (FailureKind::Overflow, RetryAdvice::Never));
    }
    for (status, body) in [
        (
            400,
            r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
        ),
        (
            400,
            r#"{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}"#,
        ),
        (400, r#"{"error":"prompt too long; exceeded max context length by 12 tokens"}"#),
        (
            400,
            r#"{"code":"x","error":"This model's maximum prompt length is 131072 but the request contains 150000 tokens."}"#,
        ),
        (
            413,
            r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
        ),
        (500, r#"{"error":"the request exceeds the available context size"}"#),
    ] {
        assert_eq!(refusal(status, body).failure.kind, FailureKind::Overflow, "{body}");
    }
    let tight = refusal(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again"}}"#,
    );
    assert_eq!(tight.retry, RetryAdvice::Without(OptionalPart::Limit));
    assert_eq!(tight.failure.message, "This chat needs 210,000 of 200,000 tokens. It was not answered.");
    let told =
        refusal(400, r#"{"error":{"code":"context_length_exceeded","message":"too long"}}"#).failure.message;
    assert_eq!(told, "This chat is longer than gpt-x can read. It was not answered.");
}

#[test]
fn refused_tools_are_known_in_every_dialect() {
    for (status, message) in [
        (400, "registry.ollama.ai/library/gemma3:1b does not support tools"),
        (500, "tools param requires --jinja flag"),
        (400, "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"),
        (404, "No endpoints found that support tool use. Try disabling tools."),
        (400, "Function calling is not enabled for models/gemma-3-1b-it"),
        (400, "Unsupported parameter: 'tools' is not supported with this model."),
        (400, "`tool calling` is not supported with this model"),
        (422, "This model does not support function calling."),
    ] {
        let body = serde_json::json!({ "error": { "message": message } }).to_string();
        let told = refusal(status, &body);
        assert_eq!((told.failure.kind, told.retry), (FailureKind::NoTools, RetryAdvice::Never), "{message}");
        let plain = serde_json::json!({ "error": message }).to_string();
        assert_eq!(refusal(status, &plain).failure.kind, FailureKind::NoTools, "{message}");
    }
    assert_eq!(
        refusal(400, r#"{"error":"tools[0].name is too long"}"#).failure.kind,
        FailureKind::BadRequest
    );
}

#[test]
fn a_refused_part_is_left_out() {
    for (message, part) in [
        ("Unrecognized request argument supplied: stream_options", OptionalPart::Usage),
        (
            "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
            OptionalPart::Form,
        ),
        ("Encrypted content is not supported with this model.", OptionalPart::Reasoning),
        ("\"gemma3:1b\" does not support thinking", OptionalPart::Reasoning),
        // The conversation before the thinking block has been shortened since.
        (
            "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.",
            OptionalPart::Reasoning,
        ),
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            OptionalPart::Limit,
        ),
        (
            "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-x",
            OptionalPart::Limit,
        ),
        (
            "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
            OptionalPart::ForeignCallIds,
        ),
    ] {
        let body = serde_json::json!({ "error": { "message": message } }).to_string();
        assert_eq!(refusal(400, &body).retry, RetryAdvice::Without(part), "{message}");
    }
    assert_eq!(refusal(400, r#"{"error":{"message":"messages: at least one"}}"#).retry, RetryAdvice::Never);
}

#[test]
fn google_and_anthropic_are_understood() {
    let wait = r#"{"error":{"code":429,"message":"You exceeded your current quota","status":"RESOURCE_EXHAUSTED","details":[{"@type":"q","violations":[{"quotaId":"PerMinute"}]},{"@type":"r","retryDelay":"34.2s"}]}}"#;
    assert_eq!(refusal(429, wait).retry, RetryAdvice::After(Duration::from_millis(34_200)));
    assert_eq!(refusal(429, &wait.replace("PerMinute", "RequestsPerDay")).retry, RetryAdvice::Never);
    let key = r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#;
    assert_eq!(refusal(400, key).failure.message, "The key for openai was refused (400). Not sent again.");
    let money = r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#;
    assert_eq!(refusal(400, money).failure.message, "openai asks to be paid (400). Not sent again.");
    let busy = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let told = refusal(529, busy);
    assert_eq!(
        (told.failure.message.as_str(), told.retry),
        ("openai is overloaded (529).", RetryAdvice::Backoff)
    );
    let large = r#"{"error":{"message":"Request too large for gpt-x on tokens per min (TPM): Limit 6000, Requested 8000","code":"rate_limit_exceeded"}}"#;
    assert_eq!(
        (refusal(429, large).failure.kind, refusal(429, large).retry),
        (FailureKind::RateLimit, RetryAdvice::Never)
    );
}

#[test]
fn errors_inside_of_a_reply_have_the_status_that_their_type_stands_for() {
    for (body, kind) in [
        (r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}"#, FailureKind::RateLimit),
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#,
            FailureKind::BadRequest,
        ),
        (r#"{"type":"error","code":"server_error","message":"x"}"#, FailureKind::Server),
        (r#"{"error":{"code":"rate_limit_exceeded","message":"x"}}"#, FailureKind::RateLimit),
        (r#"{"error":{"status":"UNAVAILABLE","message":"x"}}"#, FailureKind::Server),
        (r#"{"error":"model runner has unexpectedly stopped"}"#, FailureKind::Server),
    ] {
        assert_eq!(asked().refused_inside(&ErrorBody::read(body), false).failure.kind, kind, "{body}");
    }
    let told = |body: &str| asked().refused_inside(&ErrorBody::read(body), false).failure;
    let stated = told(r#"{"error":{"code":502,"message":"x"}}"#);
    assert_eq!((stated.message.as_str(), stated.status), ("openai failed (502).", Some(502)));
    for (body, message) in [
        (r#"{"error":"model runner has unexpectedly stopped"}"#, "openai failed."),
        (r#"{"error":"the server is busy"}"#, "openai is overloaded."),
    ] {
        let failure = told(body);
        assert_eq!((failure.message.as_str(), failure.status), (message, None), "no status is made up");
    }
}

#[test]
fn a_redirect_within_the_origin_is_told_as_what_it_is() {
    let told = |status: u16, to: &str| {
        let location = Some(to.to_owned());
        asked().refusal(&ServerAnswer { status, location, ..ServerAnswer::default() }).failure.message
    };
    for to in ["https://evil.example/v1", "//evil.example/v1", "http://api.example.com/v1"] {
        assert_eq!(
            told(307, to),
            format!("api.example.com sends on to {to} (307). Keys are not sent there.")
        );
    }
    for to in ["/v2", "https://API.example.com:443/v2"] {
        assert_eq!(told(302, to), format!("api.example.com sends on to {to} (302). Nothing was sent there."));
        assert_eq!(told(308, to), format!("api.example.com keeps sending on, at last to {to} (308)."));
    }
}

#[test]
fn pages_are_no_models() {
    let told = refusal(400, "\u{feff} <!DOCTYPE html><title>Sign in</title>").failure;
    assert_eq!(told.kind, FailureKind::NotAModel);
    assert_eq!(refusal(502, "<html><head><title>502 Bad Gateway").failure.kind, FailureKind::Server);
}
