//! Matches the globs of rules with paths. The paths come from a text under review, so that no path may take long.

/// Whether a glob matches: `*` is any text without `/`, `**` any text.
pub(super) fn globbed(glob: &str, text: &str) -> bool {
    let Some((head, rest)) = glob.split_once('*') else { return glob == text };
    let Some(text) = text.strip_prefix(head) else { return false };
    let (deep, rest) = match rest.strip_prefix('*') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let Some((next, _)) = rest.split_once('*') else {
        return text.strip_suffix(rest).is_some_and(|skipped| deep || !skipped.contains('/'));
    };
    let end = if deep { text.len() } else { text.find('/').unwrap_or(text.len()) };
    let mut from = 0;
    while let Some(left) = text.get(from..)
        && let Some(skipped) = left.find(next)
        && from + skipped <= end
    {
        let left = left.get(skipped..).unwrap_or_default();
        if globbed(rest, left) {
            return true;
        }
        from = text.len() - left.len() + left.chars().next().map_or(1, char::len_utf8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::globbed;
    use proptest::prelude::*;

    /// The definition, which tries every end of every `*`.
    fn by_definition(glob: &str, text: &str) -> bool {
        let Some((head, rest)) = glob.split_once('*') else { return glob == text };
        let Some(text) = text.strip_prefix(head) else { return false };
        let (deep, rest) = rest.strip_prefix('*').map_or((false, rest), |rest| (true, rest));
        let mut ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        ends.any(|end| {
            let (skipped, left) = text.split_at(end);
            (deep || !skipped.contains('/')) && by_definition(rest, left)
        })
    }

    #[test]
    fn stars_are_within_a_name_and_double_stars_are_not() {
        for (glob, text, expected) in [
            ("/etc/*", "/etc/passwd", true),
            ("/etc/*", "/etc/ssh/keys", false),
            ("/etc/**", "/etc/ssh/keys", true),
            ("*.pem", "größe.pem", true),
            ("*.pem", "a/b.pem", false),
            ("**/id_*", "/home/ada/.ssh/id_rsa", true),
            ("**/id_*", "/home/ada/.ssh/id_rsa/x", false),
            ("a*ab*b", "aaabb", true),
            ("a*ab*b", "ab", false),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(globbed(glob, text), expected, "{glob} {text}");
        }
    }

    #[test]
    fn a_long_name_takes_no_time_for_each_of_its_parts() {
        let text = "a".repeat(1 << 20);
        assert!(!globbed("**/.env.*", &text) && !globbed("*b*", &text) && !globbed("*b", &text));
        assert!(globbed("*a*", &text));
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(2000))]

        #[test]
        fn it_matches_as_the_definition_says(glob in "[aé/*]{0,6}", text in "[aé/]{0,8}") {
            prop_assert_eq!(globbed(&glob, &text), by_definition(&glob, &text));
        }
    }
}
