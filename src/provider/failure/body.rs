//! The bodies of errors: every server has a form of its own. What they say is read into one value.

use serde_json::Value;

/// What an error's body says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::provider) struct ErrorBody {
    /// Its text for people; empty: none.
    pub(in crate::provider) message: String,
    /// Its status, where the body tells one (errors inside of a stream do).
    pub(in crate::provider) status: Option<u16>,
    /// Code, type and parameter, in lower case, separated by blanks.
    words: String,
    /// Tokens needed and allowed, where they are told as numbers of their own.
    counts: Option<(u64, u64)>,
    /// It is JSON.
    pub(in crate::provider) is_structured: bool,
    /// It is a web page.
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
        // OpenRouter keeps what the provider behind it said in a field of its own.
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
        Self {
            message,
            status,
            words: words.join(" ").to_lowercase(),
            counts: number("n_prompt_tokens").zip(number("n_ctx")),
            is_structured: true,
            is_page: false,
        }
    }

    fn holds(&self, parts: &[&str]) -> bool {
        let message = self.message.to_lowercase();
        parts.iter().any(|part| message.contains(part) || self.words.contains(part))
    }

    /// Whether the conversation is too long.
    pub(in crate::provider) fn tells_overflow(&self) -> bool {
        self.holds(&[
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
        ])
    }

    /// Tokens needed and tokens allowed, where the text has them: the first two numbers, the larger one is the need.
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
        (one != other).then(|| (one.max(other), one.min(other)))
    }

    /// Whether money or quota has run out: waiting does not help.
    pub(in crate::provider) fn tells_quota(&self) -> bool {
        self.holds(&[
            "insufficient_quota",
            "billing_hard_limit",
            "exceeded your current quota",
            "insufficient balance",
        ])
    }

    /// Whether the server is still loading the model.
    pub(in crate::provider) fn tells_loading(&self) -> bool {
        self.holds(&["loading model", "loading the model", "model is loading", "is currently loading"])
    }

    /// Whether too much is asked of the server.
    pub(in crate::provider) fn tells_overload(&self) -> bool {
        self.holds(&[
            "overloaded",
            "overload",
            "server_busy",
            "server is busy",
            "over capacity",
            "unavailable",
        ])
    }

    /// Whether the wish to be told the tokens used is what was refused.
    pub(in crate::provider) fn refuses_usage(&self) -> bool {
        self.holds(&["stream_options", "include_usage"])
    }

    /// Whether it speaks of a model (Azure: of a deployment).
    pub(in crate::provider) fn names_the_model(&self) -> bool {
        self.is_structured && self.holds(&["model", "deployment"])
    }

    /// Whether the model's name is what was refused.
    pub(in crate::provider) fn tells_unknown_model(&self) -> bool {
        self.holds(&[
            "model_not_found",
            "invalid_model",
            "not a valid model",
            "model not found",
            "unknown model",
        ]) || (self.holds(&["does not exist"]) && self.holds(&["model"]))
    }
}

/// Whether a body is a web page.
pub(in crate::provider) fn is_page(start: &str) -> bool {
    let head: String = start.chars().take(64).collect::<String>().to_ascii_lowercase();
    ["<!doctype", "<html", "<head", "<body", "<?xml", "<title", "<center", "<h1"]
        .iter()
        .any(|t| head.starts_with(t))
}

/// The title of a web page; empty: none.
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
