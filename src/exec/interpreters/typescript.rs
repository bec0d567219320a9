//! Finds the command that runs a TypeScript file in a shell (not as a block, whose source is handed over).

use super::{Finder, version_in};
use crate::domain::Language;
use crate::text::number::version_numbers;

/// Needed for a node that does not remove types by default.
const STRIP_TYPES_ARGUMENTS: [&str; 2] =
    ["--experimental-strip-types", "--disable-warning=ExperimentalWarning"];

impl Finder {
    /// The command, without the file; `None` if nothing runs it, or not by such a command. Programs of the project are
    /// named without a path, because runs find them.
    pub(in crate::exec) fn typescript(&self) -> Option<Vec<String>> {
        let language = Language("typescript".into());
        let found = self.find(&language).ok()?;
        let (way, _) = self.run_method(&language)?;
        let mut words: Vec<String> = vec![way.command.clone()];
        if let Some((last, before)) = way.arguments.split_last() {
            let is_plain = way.compile.is_empty() && !before.iter().any(|word| word.contains('{'));
            words.extend(before.iter().cloned());
            return (is_plain && matches!(last.as_str(), "{source}" | "{file}")).then_some(words);
        }
        let asked = || self.ask(&found.path, &["--version"]).text().and_then(|text| version_in(&text));
        let version = Self::version_by_files(&found, &way).or_else(asked);
        if version.is_some_and(|version| !reads_files(&version)) {
            words.extend(STRIP_TYPES_ARGUMENTS.map(str::to_owned));
        }
        Some(words)
    }
}

/// Whether a node of this version runs TypeScript files by default.
fn reads_files(version: &str) -> bool {
    match version_numbers(version)[..] {
        [22, minor, ..] => minor >= 18,
        [23, minor, ..] => minor >= 6,
        [major, ..] => major > 23,
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::reads_files;

    #[test]
    fn which_node_reads_typescript() {
        for (version, reads) in
            [("20.19.1", false), ("22.17.9", false), ("22.18.0", true), ("23.5.0", false), ("24.0", true)]
        {
            assert_eq!(reads_files(version), reads, "{version}");
        }
    }
}
