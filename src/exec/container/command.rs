//! Which program of an image gets a block, and how. Pure.

use crate::domain::language::LanguageEntry;
use std::path::Path;

/// What the file with a block's text is handed to; the file's path is its last argument.
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

/// What starts a block in bash, from a file instead of a descriptor; its state goes into one beside it.
fn bash_of_file() -> String {
    // Shells that are older than that way to read a file are in images still.
    let shell = crate::exec::plan::SHELL.trim_end().replace(
        "builtin mapfile -d '' -u 90 __sayso_source;",
        "IFS= builtin read -r -d '' -u 90 __sayso_source;",
    );
    format!("exec 90<\"$1\" 91>\"${{1%/*}}/.state\" || exit 98; shift; {shell}")
}

/// What starts a block in node, from a file instead of a descriptor.
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
