//! Guesses from a shipped table of names which models can see images. The configuration takes precedence, then the
//! model's server.

/// Parts of the names of models that can see, and parts that exclude a model again.
const VISION_MODELS: &[(&str, &[&str])] = &[
    ("gpt-4o", &["audio", "realtime", "transcribe", "tts", "search"]),
    ("gpt-4.1", &[]),
    ("gpt-4.5", &[]),
    ("gpt-4-turbo", &["preview"]),
    ("gpt-4-vision", &[]),
    ("gpt-5", &[]),
    ("gpt-6", &[]),
    ("o1-2024-12", &[]),
    ("o1-pro", &[]),
    ("o3", &["mini"]),
    ("o4-mini", &[]),
    ("claude-", &["claude-2", "claude-instant", "3-5-haiku-20241022"]),
    ("gemini-", &["embedding", "tts"]),
    ("gemma3", &["270m", ":1b"]),
    ("gemma-3", &["270m", "-1b"]),
    ("llava", &[]),
    ("llama-4", &[]),
    ("llama4", &[]),
    ("-vision", &[]),
    ("pixtral", &[]),
    ("mistral-small-3.1", &[]),
    ("mistral-small-3.2", &[]),
    ("mistral-medium", &[]),
    ("qwen2-vl", &[]),
    ("qwen2.5-vl", &[]),
    ("qwen2.5vl", &[]),
    ("qwen3-vl", &[]),
    ("minicpm-v", &[]),
    ("moondream", &[]),
    ("grok-4", &["code"]),
    ("internvl", &[]),
];

/// Whether a model of this name can see images; `None`: the table does not know it.
pub(crate) fn takes_images(model: &str) -> Option<bool> {
    let name = model.to_lowercase();
    let begins = |part: &str| {
        // A short name must not match inside a longer word (`o3` in `foo3`).
        name.match_indices(part).any(|(at, _)| {
            part.starts_with('-')
                || !name.get(..at).unwrap_or("").ends_with(|c: char| c.is_ascii_alphanumeric())
        })
    };
    VISION_MODELS
        .iter()
        .any(|(part, without)| begins(part) && !without.iter().any(|other| name.contains(other)))
        .then_some(true)
}

#[cfg(test)]
mod tests {
    use super::takes_images;

    #[test]
    fn models_that_see_are_known_by_name_and_others_are_not_claimed_to() {
        let sees = "gpt-4o gpt-4o-mini openai/gpt-4.1-mini gpt-5 o3 o4-mini claude-3-5-sonnet-20241022 \
            claude-opus-4-6 claude-sonnet-4-5 models/gemini-2.5-flash gemma3:12b llava:7b llama3.2-vision qwen2.5vl:7b";
        for model in sees.split_whitespace() {
            assert_eq!(takes_images(model), Some(true), "{model}");
        }
        for model in
            ["gpt-3.5-turbo", "o3-mini", "o1-mini", "foo3", "qwen2.5-coder:7b", "gemma3:1b", "llama3.2", "x"]
        {
            assert_eq!(takes_images(model), None, "{model}");
        }
    }
}
