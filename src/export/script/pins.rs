//! Reads from the output of an install block which versions the installer installed.

use super::super::document::{BlockPart, RunPart};
use crate::domain::PackageList;
use crate::text::escapes::without_escapes;

/// The packages that the block installed: with versions as the installer printed them, else as they were asked for.
pub(in crate::export) fn packages(block: &BlockPart) -> Vec<String> {
    let printed = block.run.as_ref().map(RunPart::printed_text).unwrap_or_default();
    let told: Vec<String> = printed.lines().flat_map(installed_packages).collect();
    if !told.is_empty() {
        return told;
    }
    let language = block.language.as_deref().unwrap_or("python");
    PackageList::parse(language, &block.source).map(|list| list.packages).unwrap_or_default()
}

/// The packages in one output line of pip (`Successfully installed six-1.16.0 x-2`) or uv (` + six==1.16.0`).
fn installed_packages(line: &str) -> Vec<String> {
    let line = without_escapes(line);
    if let Some(words) = line.trim().strip_prefix("Successfully installed ") {
        // In `six-1.16.0` the version follows the last dash.
        let pins = words.split_whitespace().filter_map(|word| word.rsplit_once('-'));
        return pins.filter_map(|(name, version)| pin(name, version)).collect();
    }
    let uv = line.trim().strip_prefix("+ ").and_then(|rest| rest.split_once("=="));
    uv.and_then(|(name, version)| pin(name, version)).into_iter().collect()
}

/// `name==version`, only if both are plain: the line comes from a program and may hold anything.
fn pin(name: &str, version: &str) -> Option<String> {
    let version = version.trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    let is_version = version.starts_with(|c: char| c.is_ascii_digit())
        && version.chars().all(|c| c.is_ascii_alphanumeric() || ".+!".contains(c));
    (is_name && is_version).then(|| format!("{name}=={version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_installers_tell() {
        let pip = "Successfully installed numpy-2.1.0 python-dateutil-2.9.0.post0 six-1.16.0";
        assert_eq!(installed_packages(pip), ["numpy==2.1.0", "python-dateutil==2.9.0.post0", "six==1.16.0"]);
        assert_eq!(installed_packages("\u{1b}[32m + pandas==2.2.1\u{1b}[0m"), ["pandas==2.2.1"]);
        for line in ["Successfully installed x\"-1", "+ a==1; import os", " + evil==\"1", "hello"] {
            assert_eq!(installed_packages(line), Vec::<String>::new(), "{line}");
        }
    }
}
