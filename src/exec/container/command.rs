//! Chooses the program in an image that runs a block, and its arguments. Pure.

use crate::domain::language::LanguageEntry;
use std::path::Path;

/// The command that runs the file with a block's source; the caller appends the path of the file.
pub(super) fn of(entry: &LanguageEntry, label: &str) -> Vec<String> {
    let program =
        Path::new(&entry.command).file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let words = match entry.name.as_str() {
        "bash" => vec![
            "--noprofile".to_owned(),
            "--norc".to_owned(),
            "-c".to_owned(),
            bash_of_file(),
            label.to_owned(),
        ],
        "javascript" => vec!["--experimental-vm-modules".to_owned(), "-e".to_owned(), node_of_file(label)],
        _ => Vec::new(),
    };
    std::iter::once(program).chain(words).collect()
}

/// Starts a bash block from a file instead of a descriptor, and writes its state to a file beside it.
fn bash_of_file() -> String {
    // Some images still have a bash that lacks this option of `mapfile`.
    let shell = crate::exec::plan::SHELL.trim_end().replace(
        "builtin mapfile -d '' -u 90 __sayso_source;",
        "IFS= builtin read -r -d '' -u 90 __sayso_source;",
    );
    format!("exec 90<\"$1\" 91>\"${{1%/*}}/.state\" || exit 98; shift; {shell}")
}

/// Starts a node block from a file instead of a descriptor.
fn node_of_file(label: &str) -> String {
    crate::exec::plan::NODE
        .replace("fs.readFileSync(90, \"utf8\")", "fs.readFileSync(process.argv[1], \"utf8\")")
        .replace("fs.closeSync(90);", "")
        .replace(
            "path.resolve(process.argv[1])",
            &format!("path.resolve({})", serde_json::Value::from(label)),
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_reads_a_file_inside() {
        let text = bash_of_file();
        assert!(text.contains("read -r -d '' -u 90") && !text.contains("mapfile"), "{text}");
    }

    #[test]
    fn node_reads_a_file_inside() {
        let text = node_of_file("sub/it's \"a\".js");
        assert!(!text.contains("90") && text.contains(r#"resolve("sub/it's \"a\".js")"#), "{text}");
    }
}
