//! Which secrets a run is given.

use crate::domain::Rights;

/// Words of names of variables that hold secrets, as such names go.
const WORDS: &[&str] = &[
    "KEY",
    "APIKEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "PAT",
];

/// Behind the label of the rights: the variables among those that are passed whose names tell of a secret.
pub(crate) fn passed(rights: &Rights) -> String {
    passed_if_any(rights).unwrap_or_else(|| "none passed".into())
}

/// The same where there are any.
pub(super) fn passed_if_any(rights: &Rights) -> Option<String> {
    let is_secret =
        |name: &&String| name.to_ascii_uppercase().split(['_', '-', '.']).any(|w| WORDS.contains(&w));
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
