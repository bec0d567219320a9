//! Names in a sentence: the first of them, and how many more there are.

/// `a, b and 3 more`, with at most this many names.
pub(crate) fn first_names(names: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    format!("{}{}", first.join(", "), and_more(names.len().saturating_sub(most)))
}

/// ` and 3 more`, to follow a name; empty if there are no more.
pub(crate) fn and_more(more: usize) -> String {
    if more > 0 { format!(" and {more} more") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_named_is_counted() {
        assert_eq!(first_names(&["a", "b"], 2), "a, b");
        assert_eq!(first_names(&["a", "b", "c"], 1), "a and 2 more");
    }
}
