//! Parses the bodies of errors, which differ from server to server, into one value.

use crate::provider::quirks::OptionalPart;
use serde_json::Value;
use std::time::Duration;

/// What an error's body says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::provider) struct ErrorBody {
    /// The text for people; empty if there is none.
    pub(in crate::provider) message: String,
    /// The status, if the body states one (errors inside a stream do).
    pub(in crate::provider) status: Option<u16>,
    /// Code, type, parameter and similar fields, in lower case, separated by spaces.
    words: String,
    /// Tokens needed and allowed, if the body has fields for them.
    counts: Option<(u64, u64)>,
    /// How long to wait (Google says so here and not in a header).
    pub(in crate::provider) retry_after: Option<Duration>,
    pub(in crate::provider) is_structured: bool,
    /// Whether the body is a web page.
    pub(in crate::provider) is_page: bool,
}

impl ErrorBody {
    /// Reads the body of an answer.
    pub(in crate::provider) fn read(text: &str) -> Self {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        if let Ok(value) = serde_json::from_str::<Value>(start)
            && (value.is_object() || value.is_array())
        {
            return Self::of(&value);
        }
        if is_page(start) {
            return Self { message: title(start), is_page: true, ..Self::default() };
        }
        Self { message: start.to_owned(), ..Self::default() }
    }

    /// Reads an error as JSON: `{"error": {…}}`, `{"error": "…"}`, `{"object": "error", …}`, `{"detail": "…"}`,
    /// `{"message": "…"}`, or a list that holds one of these.
    pub(in crate::provider) fn of(value: &Value) -> Self {
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|e| !e.is_null()).unwrap_or(value);
        let text = |v: &Value| match v {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            _ => String::new(),
        };
        let field = |name: &str| error.get(name).or_else(|| value.get(name));
        let mut message = match error {
            Value::String(said) => said.clone(),
            _ => ["message", "detail", "error", "error_message"]
                .iter()
                .find_map(|name| field(name).filter(|v| !v.is_null()))
                .map_or(String::new(), |v| if v.is_string() { text(v) } else { v.to_string() }),
        };
        // OpenRouter has an extra field for the message of the provider that it asked.
        if let Some(raw) = error.pointer("/metadata/raw").and_then(Value::as_str) {
            message = format!("{message}: {raw}");
        }
        let words =
            ["code", "type", "param", "status", "object"].map(|n| field(n).map(text).unwrap_or_default());
        let number = |name: &str| field(name).and_then(Value::as_u64);
        let as_status = |v: &Value| v.as_u64().or_else(|| v.as_str()?.parse().ok());
        let status = ["code", "status", "status_code"].iter().find_map(|name| {
            let status = field(name).and_then(as_status)?;
            u16::try_from(status).ok().filter(|s| (400..=599).contains(s))
        });
        let mut words = words.join(" ").to_lowercase();
        // Google states the reason and the quota in the details.
        for detail in error["details"].as_array().into_iter().flatten() {
            let named = detail.get("reason").or_else(|| detail.pointer("/violations/0/quotaId")).map(text);
            words.push_str(&format!(" {}", named.unwrap_or_default().to_lowercase()));
        }
        Self {
            message,
            status: status.or_else(|| status_of(&words)),
            retry_after: retry_delay(error),
            words,
            counts: number("n_prompt_tokens").zip(number("n_ctx")),
            is_structured: true,
            is_page: false,
        }
    }

    fn mentions(&self, parts: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        parts.iter().any(|part| message.contains(part) || self.words.contains(part))
    }

    /// Whether the conversation is too long.
    pub(in crate::provider) fn is_overflow(&self) -> bool {
        self.mentions(&[
            "context_length",
            "exceed_context_size",
            "context length",
            "context size",
            "context window",
            "maximum context",
            "prompt is too long",
            "prompt too long",
            "input is too long",
            "too many tokens",
            "reduce the length of",
            "string_above_max_length",
            "context limit",
            "input token count",
            "maximum prompt length",
            "prompt token count",
            "context the overflows",
            "request_too_large",
            "too large for model",
            "must be <=",
        ])
    }

    /// Whether the conversation is too long only with the tokens reserved for the reply: `190000 + 20000 > 200000`.
    pub(in crate::provider) fn blames_limit(&self) -> bool {
        self.mentions(&["max_tokens` exceed context limit"])
    }

    /// Whether the server refused the request because of its tools.
    pub(in crate::provider) fn refuses_tools(&self) -> bool {
        self.mentions(&[
            "does not support tool",
            "not support tool",
            "does not support function",
            "not support function call",
            "tool calling is not",
            "tool calling` is not",
            "tool use is not supported",
            "tool use with function calling is unsupported",
            "support tool use",
            "function calling is not",
            "tools is not supported",
            "'tools' is not supported",
            "`tools` is not supported",
            "tools are not supported",
            "tool_choice is not supported",
            "unsupported parameter: 'tools'",
            "unknown name \"tools\"",
            "--jinja",
            "enable-auto-tool-choice",
            "tool-call-parser",
        ])
    }

    /// The part of the request that was refused and that can be left out.
    pub(in crate::provider) fn refused_part(&self) -> Option<OptionalPart> {
        let parts: [(OptionalPart, &[&str]); 5] = [
            (OptionalPart::Usage, &["stream_options", "include_usage"]),
            (OptionalPart::ForeignCallIds, &["a-z, a-z, 0-9, with a length of 9", "tool call id was"]),
            (
                OptionalPart::Form,
                &[
                    "response_format",
                    "json_schema",
                    "responseschema",
                    "response_schema",
                    "output_config",
                    "structured output",
                    "text.format",
                    "response_mime_type",
                    "responsemimetype",
                    "invalid format",
                ],
            ),
            (
                OptionalPart::Reasoning,
                &[
                    "reasoning",
                    "encrypted",
                    "thinking",
                    "thought signature",
                    "thought_signature",
                    "thoughtsignature",
                    "does not support think",
                ],
            ),
            (
                OptionalPart::Limit,
                &["max_tokens", "max_completion_tokens", "maximum allowed number of output tokens"],
            ),
        ];
        parts.into_iter().find(|(_, words)| self.mentions(words)).map(|(part, _)| part)
    }

    /// Whether the server refused the key, in an answer other than 401.
    pub(in crate::provider) fn is_wrong_key(&self) -> bool {
        self.mentions(&[
            "api key not valid",
            "api_key_invalid",
            "api key expired",
            "invalid api key",
            "invalid_api_key",
        ])
    }

    /// Whether the account has no money left.
    pub(in crate::provider) fn is_unpaid(&self) -> bool {
        self.mentions(&["credit balance is too low", "insufficient balance", "insufficient credits"])
    }

    /// Whether the request alone exceeds the limit per minute: waiting does not help.
    pub(in crate::provider) fn is_too_large(&self) -> bool {
        self.mentions(&["request too large"])
    }

    /// Tokens needed and tokens allowed, if the text has them: of its first two numbers the larger is the need.
    pub(in crate::provider) fn tokens(&self) -> Option<(u64, u64)> {
        if self.counts.is_some() {
            return self.counts;
        }
        let text = self.message.replace(',', "");
        let mut numbers = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '.' && c != '-' && c != '_')
            .filter_map(|word| word.trim_end_matches('.').parse::<u64>().ok())
            .filter(|n| (100..=1_000_000_000).contains(n));
        let (one, other) = (numbers.next()?, numbers.next()?);
        if self.blames_limit()
            && let Some(limit) = numbers.next()
        {
            return Some((one + other, limit));
        }
        (one != other).then(|| (one.max(other), one.min(other)))
    }

    /// Whether money or quota has run out: waiting does not help.
    pub(in crate::provider) fn is_quota(&self) -> bool {
        self.mentions(&["insufficient_quota", "billing_hard_limit", "insufficient balance", "perday"])
            || (self.retry_after.is_none() && self.mentions(&["exceeded your current quota"]))
    }

    /// Whether the server is still loading the model.
    pub(in crate::provider) fn is_loading(&self) -> bool {
        self.mentions(&["loading model", "loading the model", "model is loading", "is currently loading"])
    }

    /// Whether the server is overloaded.
    pub(in crate::provider) fn is_overload(&self) -> bool {
        self.mentions(&[
            "overloaded",
            "overload",
            "server_busy",
            "server is busy",
            "over capacity",
            "unavailable",
        ])
    }

    /// Whether the error mentions a model (on Azure: a deployment).
    pub(in crate::provider) fn names_the_model(&self) -> bool {
        self.is_structured && self.mentions(&["model", "deployment"])
    }

    /// Whether the server refused the model's name.
    pub(in crate::provider) fn is_unknown_model(&self) -> bool {
        self.mentions(&[
            "model_not_found",
            "invalid_model",
            "not a valid model",
            "model not found",
            "unknown model",
        ]) || (self.mentions(&["does not exist"]) && self.mentions(&["model"]))
    }
}

/// The status that a code or a type means, for errors without a number.
fn status_of(words: &str) -> Option<u16> {
    let known = [
        ("overloaded_error", 529),
        ("rate_limit", 429),
        ("resource_exhausted", 429),
        ("insufficient_quota", 429),
        ("authentication_error", 401),
        ("unauthenticated", 401),
        ("permission", 403),
        ("not_found", 404),
        ("request_too_large", 413),
        ("timeout_error", 504),
        ("deadline_exceeded", 504),
        ("unavailable", 503),
        ("invalid_request", 400),
        ("invalid_prompt", 400),
        ("invalid_argument", 400),
        ("failed_precondition", 400),
        ("api_error", 500),
        ("server_error", 500),
        ("internal", 500),
    ];
    known.into_iter().find(|(word, _)| words.contains(word)).map(|(_, status)| status)
}

/// How long Google asks to wait: `"retryDelay": "34s"` in one of the details.
fn retry_delay(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    let text = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = text.strip_suffix('s')?.parse().ok()?;
    (0.0..=1e6).contains(&seconds).then(|| Duration::from_millis((seconds * 1000.0).ceil() as u64))
}

/// Whether a body is a web page.
pub(in crate::provider) fn is_page(start: &str) -> bool {
    let head: String = start.chars().take(64).collect::<String>().to_ascii_lowercase();
    ["<!doctype", "<html", "<head", "<body", "<?xml", "<title", "<center", "<h1"]
        .iter()
        .any(|t| head.starts_with(t))
}

/// The title of a web page; empty if there is none.
fn title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let inside = || {
        let from = lower.find("<title")?;
        let from = from + lower.get(from..)?.find('>')? + 1;
        let to = from + lower.get(from..)?.find('<')?;
        page.get(from..to)
    };
    inside().map_or(String::new(), |t| format!("a web page, \"{}\"", t.trim()))
}
