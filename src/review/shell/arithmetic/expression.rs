//! Finds the names in an arithmetic expression.

use crate::review::shell::change::POSITIONS;

/// The names that an expression reads: `${#NAME}` is a number, and `NAME = 1` only sets it. `@` stands for the positions.
pub(super) fn names_read(expression: &str) -> Vec<&str> {
    let is_sign = |sign: char| sign == '_' || sign.is_ascii_alphanumeric();
    let mut names = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find(is_sign) {
        let (before, from) = rest.split_at(at);
        let (name, behind) = from.split_at(from.find(|sign: char| !is_sign(sign)).unwrap_or(from.len()));
        rest = behind;
        let behind = behind.trim_start();
        let is_set = behind.starts_with('=') && !behind.starts_with("==");
        if name.starts_with(|sign: char| sign.is_ascii_digit()) {
            let is_position = name != "0" && (before.ends_with('$') || before.ends_with("${"));
            names.extend(is_position.then_some(POSITIONS));
        } else if !before.ends_with('#') && !is_set {
            names.push(name);
        }
    }
    let has_all = ["$@", "$*", "${@", "${*"].iter().any(|all| expression.contains(all));
    names.extend(has_all.then_some(POSITIONS));
    names
}

/// Whether an expansion is a length, or the indexes of an array.
pub(super) fn is_number(expansion: &str) -> bool {
    let is_index = expansion.ends_with("[@]}") || expansion.ends_with("[*]}");
    expansion.starts_with("${#") || expansion.starts_with("${!") && is_index
}

/// Whether the value of what stands in an expansion is the name of a variable, which is expanded: `${!NAME}`.
pub(super) fn is_indirect(expansion: &str) -> bool {
    // `${!NAME@}` and `${!NAME*}` are the names that begin so.
    let is_list = expansion.trim_end_matches('}').ends_with(['@', '*']);
    expansion.starts_with("${!") && !is_list && !is_number(expansion)
}

#[cfg(test)]
mod tests {
    use super::{is_indirect, names_read};

    #[test]
    fn an_expression_reads_names_that_it_does_not_only_set() {
        assert_eq!(names_read("((n > 3 && $m == ${k}))"), ["n", "m", "k"]);
        assert_eq!(names_read("n = ${#x} + 0x1f + a[i]"), ["a", "i"]);
        assert_eq!(names_read("n += 1"), ["n"]);
        assert_eq!(names_read("$1 + ${2} + ${#3} + 4 + $# + $0"), ["@", "@"]);
        assert_eq!(names_read("n * ${@}"), ["n", "@"]);
    }

    #[test]
    fn an_expansion_by_the_name_in_a_variable_is_told_from_a_list_of_names() {
        assert!(is_indirect("${!n}") && is_indirect("${!a[0]}") && is_indirect("${!n:-x}"));
        for other in ["${n}", "${!a[@]}", "${!a[*]}", "${!a@}", "${!a*}", "${#n}"] {
            assert!(!is_indirect(other), "{other}");
        }
    }
}
