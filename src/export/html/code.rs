//! Code with a class for each of its parts, which the style of the page colours.

use super::escaped;
use syntect::html::{ClassStyle, ClassedHTMLGenerator};
use syntect::parsing::SyntaxSet;

/// Larger texts stay plain.
const MAX_BYTES: usize = 256 << 10;
/// A text with a longer line stays plain.
const MAX_LINE_BYTES: usize = 4 << 10;

/// In front of each class: nothing else of the page is called so.
const STYLE: ClassStyle = ClassStyle::SpacedPrefixed { prefix: "c-" };

pub(super) struct Colours {
    grammars: SyntaxSet,
}

impl Colours {
    pub(super) fn new() -> Self {
        Self { grammars: two_face::syntax::extra_newlines() }
    }

    /// The text as HTML. Of a language that is not known, or where a grammar fails, it is plain.
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
