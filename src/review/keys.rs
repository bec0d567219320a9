//! Finds keys in a text: everybody who reads the text sees them, and the session file saves it with them masked.

use super::diagnostic::Diagnostic;
use crate::domain::{Masker, Severity};

/// Finds known keys and texts shaped like well-known tokens, in any language, including strings and comments.
pub(super) fn find(source: &str, masker: &Masker) -> Vec<Diagnostic> {
    let diagnostic = |span: crate::domain::KeySpan| {
        let kind = span.kind;
        let message = format!("holds {kind}: it is masked in the session file, and can't be run from there");
        Diagnostic::new("common.key", Severity::High, span.range, message)
    };
    masker.find(source).into_iter().map(diagnostic).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Language;
    use crate::review::{Scope, review};

    #[test]
    fn a_key_in_a_block_is_a_high_finding_on_its_line() {
        let token = format!("ghp_{}", "aB3dE5fG7h".repeat(4));
        let scope = Scope { masker: Masker::knowing(["swordfish-2024".into()]), ..Scope::default() };
        for (language, text) in [
            ("python", format!("import os\nx = '{token}'\n")),
            ("bash", format!("ls\ncurl -H 'Authorization: Bearer {token}' https://api.github.com\n")),
            ("python", "print(1)\n# the password is swordfish-2024\n".to_owned()),
            ("cobol", format!("A\nB {token}")),
        ] {
            let found = review(&text, Some(&Language(language.into())), &scope).findings;
            let finding = found.iter().find(|f| f.rule == "common.key").expect("a finding");
            assert_eq!((finding.severity, finding.place.line), (Severity::High, 2), "{text}");
            assert!(!finding.message.contains("aB3d") && !finding.message.contains("swordfish"));
        }
        let clean = "h = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'\n";
        let found = review(clean, Some(&Language("python".into())), &scope).findings;
        assert!(found.iter().all(|f| f.rule != "common.key"), "{found:?}");
    }
}
