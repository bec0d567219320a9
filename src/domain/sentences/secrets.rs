//! Sentences about the secrets that a run receives.

use crate::domain::Rights;

/// Words that mark the name of an environment variable as that of a secret.
const WORDS: &str = "\
     KEY APIKEY TOKEN SECRET PASSWORD PASSWD PASSPHRASE CREDENTIAL CREDENTIALS PAT";

/// Follows the label of the rights: those variables passed to the run whose names suggest a secret.
pub(crate) fn passed(rights: &Rights) -> String {
    passed_if_any(rights).unwrap_or_else(|| "none passed".into())
}

/// The same; `None` if there are none.
pub(super) fn passed_if_any(rights: &Rights) -> Option<String> {
    let is_mark = |part: &str| WORDS.split_whitespace().any(|word| word == part);
    let is_secret = |name: &&String| name.to_ascii_uppercase().split(['_', '-', '.']).any(is_mark);
    let names: Vec<&str> = rights.environment.iter().filter(is_secret).map(String::as_str).collect();
    (!names.is_empty()).then(|| format!("PASSED: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_passed_is_named() {
        let given = |names: &[&str]| {
            let environment = names.iter().map(ToString::to_string).collect();
            passed(&Rights { environment, ..Rights::default() })
        };
        assert_eq!(given(&["PATH", "LANG", "KEYBOARD"]), "none passed");
        assert_eq!(given(&["PATH", "OPENAI_API_KEY", "gh_token"]), "PASSED: OPENAI_API_KEY, gh_token");
    }
}
