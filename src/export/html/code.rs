//! Highlights code: wraps its parts in spans with classes, which the page's style colours.

use super::escaped;
use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::SyntaxSet;

/// Larger texts are not highlighted.
const MAX_BYTES: usize = 256 << 10;
/// A text with a longer line is not highlighted.
const MAX_LINE_BYTES: usize = 4 << 10;

/// The prefix of each class, so that none clashes with another class of the page.
const STYLE: ClassStyle = ClassStyle::SpacedPrefixed { prefix: "c-" };

pub(super) struct Colours {
    grammars: SyntaxSet,
}

impl Colours {
    pub(super) fn new() -> Self {
        Self { grammars: two_face::syntax::extra_newlines() }
    }

    /// The text as HTML; plain if the language is unknown or the grammar fails.
    pub(super) fn html(&self, language: &str, text: &str) -> String {
        if text.len() > MAX_BYTES || text.lines().any(|line| line.len() > MAX_LINE_BYTES) {
            return escaped(text);
        }
        self.highlight(language, text).unwrap_or_else(|| escaped(text))
    }

    fn highlight(&self, language: &str, text: &str) -> Option<String> {
        let grammar =
            self.grammars.find_syntax_by_token(language).filter(|found| found.name != "Plain Text")?;
        let mut page = ClassedHTMLGenerator::new_with_class_style(grammar, &self.grammars, STYLE);
        for line in text.split_inclusive('\n') {
            let ended = format!("{}\n", line.trim_end_matches('\n'));
            page.parse_html_for_line_which_includes_newline(&ended).ok()?;
        }
        Some(page.finalize())
    }
}
