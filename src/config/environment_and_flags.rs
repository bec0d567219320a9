//! Turns the environment and command line options into settings. Pure: `env` is asked for each variable by name.

use crate::domain::SandboxLevel;
use std::path::PathBuf;
use toml::Value;

/// Settings from the command line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) model: Option<String>,
    pub(crate) base_url: Option<String>,
    pub(crate) theme: Option<String>,
    /// `--max-steps N`.
    pub(crate) max_steps: Option<u32>,
    pub(crate) timeout: Option<u64>,
    pub(crate) executor: Option<String>,
    /// `--memory MIB`, in bytes.
    pub(crate) memory: Option<u64>,
    pub(crate) processes: Option<u32>,
    pub(crate) sandbox: Option<SandboxLevel>,
    /// `--allow-read DIR`, in addition to the configured folders.
    pub(crate) allow_read: Vec<PathBuf>,
    /// `--allow-write DIR`, in addition to the configured folders.
    pub(crate) allow_write: Vec<PathBuf>,
    pub(crate) allow_network: bool,
}

/// A value from outside of files: its variable or option, its setting, the value.
pub(super) type OutsideValue = (&'static str, &'static str, Value);

/// Variables with addresses of providers; the vendors' own programs read them too.
const ADDRESS_VARIABLES: [(&str, &str); 5] = [
    ("OPENAI_BASE_URL", "providers.openai.base_url"),
    ("OPENAI_BASE_URL", "providers.openai-responses.base_url"),
    ("ANTHROPIC_BASE_URL", "providers.anthropic.base_url"),
    ("GOOGLE_GEMINI_BASE_URL", "providers.gemini.base_url"),
    ("GEMINI_BASE_URL", "providers.gemini.base_url"),
];

pub(super) fn environment(env: &dyn Fn(&str) -> Option<String>) -> Vec<OutsideValue> {
    let get = |name| env(name).filter(|value| !value.trim().is_empty());
    let mut values: Vec<OutsideValue> = Vec::new();
    let plain = [("SAYSO_MODEL", "model"), ("SAYSO_THEME", "ui.theme")];
    for (name, key) in plain {
        values.extend(get(name).map(|value| (name, key, Value::String(value))));
    }
    for (name, key) in ADDRESS_VARIABLES {
        values.extend(get(name).map(|value| (name, key, Value::String(value.trim().to_owned()))));
    }
    let ollama = get("OLLAMA_HOST").map(|host| Value::String(ollama_address(&host)));
    values.extend(ollama.map(|address| ("OLLAMA_HOST", "providers.ollama.base_url", address)));
    // Last, so that no theme can bring back colours.
    values.extend(get("NO_COLOR").map(|_| ("NO_COLOR", "ui.theme", Value::String("mono".to_owned()))));
    values
}

pub(super) fn flags(flags: &Flags) -> Vec<OutsideValue> {
    let text = |value: &Option<String>| value.clone().map(Value::String);
    let whole = |n: Option<u64>| n.map(|n| Value::Integer(i64::try_from(n).unwrap_or(i64::MAX)));
    let values = [
        ("--model", "model", text(&flags.model)),
        ("--base-url", "base_url", text(&flags.base_url)),
        ("--theme", "ui.theme", text(&flags.theme)),
        ("--executor", "executor", text(&flags.executor)),
        ("--max-steps", "step_limit", whole(flags.max_steps.map(u64::from))),
        ("--timeout", "limits.wall", whole(flags.timeout)),
        ("--memory", "limits.memory", whole(flags.memory)),
        ("--processes", "limits.processes", whole(flags.processes.map(u64::from))),
        ("--sandbox", "sandbox.level", flags.sandbox.map(|level| Value::String(level.as_str().to_owned()))),
        ("--allow-network", "sandbox.network", flags.allow_network.then_some(Value::Boolean(true))),
    ];
    values.into_iter().filter_map(|(option, key, value)| Some((option, key, value?))).collect()
}

/// Parses `OLLAMA_HOST` in all its forms, as Ollama's own programs do: an address, a host with or without port, a
/// port alone. An address to listen on (`0.0.0.0`, `[::]`) can't be called and becomes this computer's.
fn ollama_address(host: &str) -> String {
    let host = host.trim().trim_matches(['"', '\'']).trim();
    let (scheme, rest, port) = match host.split_once("://") {
        Some((scheme @ ("http" | "HTTP"), rest)) => (scheme, rest, "80"),
        Some((scheme @ ("https" | "HTTPS"), rest)) => (scheme, rest, "443"),
        // The check of the setting reports another scheme.
        Some(_) => return host.to_owned(),
        None => ("http", host, "11434"),
    };
    let (authority, path) = rest.split_once('/').map_or((rest, ""), |(authority, path)| (authority, path));
    let bare_ip6 = authority.matches(':').count() > 1 && !authority.starts_with('[');
    let (name, port) = match authority.rsplit_once(':') {
        Some((name, given)) if !bare_ip6 && !given.contains(']') => {
            (name, if given.parse::<u16>().is_ok() { given } else { port })
        }
        _ => (authority, port),
    };
    let name = match name.trim_matches(['[', ']']) {
        "" | "0.0.0.0" | "::" => "127.0.0.1".to_owned(),
        ip6 if ip6.contains(':') => format!("[{ip6}]"),
        name => name.to_owned(),
    };
    let path = path.trim_end_matches('/');
    let path = if path.is_empty() || path == "v1" { String::new() } else { format!("/{path}") };
    format!("{}://{name}:{port}{path}", scheme.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ollama_host_is_understood_in_all_its_forms() {
        for (host, address) in [
            ("127.0.0.1:11434", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:80", "http://127.0.0.1:80"),
            (":8080", "http://127.0.0.1:8080"),
            ("box", "http://box:11434"),
            ("box:1", "http://box:1"),
            ("\"box:1\"", "http://box:1"),
            ("box:nonsense", "http://box:11434"),
            ("https://models.example.com:443/", "https://models.example.com:443"),
            ("https://models.example.com", "https://models.example.com:443"),
            ("http://box", "http://box:80"),
            ("http://box:1/v1", "http://box:1"),
            ("http://box:1/ollama/", "http://box:1/ollama"),
            ("[::1]", "http://[::1]:11434"),
            ("[::1]:9", "http://[::1]:9"),
            ("::1", "http://[::1]:11434"),
            ("[::]:9", "http://127.0.0.1:9"),
        ] {
            assert_eq!(ollama_address(host), address, "{host}");
        }
    }
}
