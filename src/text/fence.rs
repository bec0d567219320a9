//! Texts in a Markdown fence.

/// A text in a fence that is longer than any run of backticks in it, so that no line of the text closes the fence.
pub(crate) fn fenced(info: &str, text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{info}\n{text}{end}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_holds_what_it_is_given() {
        assert_eq!(fenced("", "a\n```\nb"), "````\na\n```\nb\n````");
    }
}
