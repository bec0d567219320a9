//! Finds the features that a source turns on with `from __future__`, which Python accepts only at the top of a file.

/// The features that the first lines of a source turn on, and the source without these lines. Behind the first line of
/// other code nothing is looked for: what looks like such a line there may be part of a string.
pub(super) fn without_features(source: &str) -> (Vec<String>, String) {
    let (mut features, mut is_head, mut kept) = (Vec::new(), true, Vec::new());
    for line in source.split('\n') {
        match feature_names(line).filter(|_| is_head) {
            Some(names) => features.extend(names),
            None => kept.push(line),
        }
        let is_blank = |line: &str| line.trim().is_empty() || line.starts_with('#');
        is_head &= python_line(line).is_some_and(is_blank) || feature_names(line).is_some();
    }
    (features, kept.join("\n"))
}

/// A line without the `\r` at its end; `None` if it holds another one: Python ends a line there.
fn python_line(line: &str) -> Option<&str> {
    let line = line.strip_suffix('\r').unwrap_or(line);
    (!line.contains('\r')).then_some(line)
}

/// The names in a line that imports features and does nothing else.
fn feature_names(line: &str) -> Option<impl Iterator<Item = String>> {
    let names =
        python_line(line)?.strip_prefix("from __future__ import ")?.split('#').next()?.trim().to_owned();
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
    names.iter().all(|name| is_name(name)).then_some(names.into_iter())
}

/// Whether a source imports features in a way that can't be moved to the top of a script.
pub(super) fn keeps_features(source: &str) -> bool {
    without_features(source).1.contains("__future__")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What stands in a string, or behind other code, is never moved to the top of the script, where it would run.
    #[test]
    fn only_the_first_lines_turn_features_on() {
        let (features, source) =
            without_features("# note\nfrom __future__ import annotations, division # all\n\nx = 1");
        assert_eq!(features, ["annotations", "division"]);
        assert_eq!(source, "# note\n\nx = 1");
        assert_eq!(without_features("from __future__ import division\r\nx = 1").1, "x = 1");
        for kept in [
            "from __future__ import annotations # all\rprint(1)",
            "# note\rs = '''\nfrom __future__ import annotations\n'''",
            "s = \"\"\"\nfrom __future__ import annotations; __import__('os').system('id')\n\"\"\"",
            "s = \"\"\"\nfrom __future__ import annotations\n\"\"\"",
            "from __future__ import annotations; print(1)",
            "from __future__ import (annotations)",
            "from __future__ import annotations as a",
            "\"\"\"doc\"\"\"\nfrom __future__ import annotations",
        ] {
            assert_eq!(without_features(kept), (Vec::new(), kept.to_owned()));
            assert!(keeps_features(kept), "{kept}");
        }
    }
}
