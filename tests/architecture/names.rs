//! Tests names: a type's name is a noun that is clear without its file; a module is in the file of its name.
//!
//! A bare participle (`Told`, `Found`) says what was done and not what the type is; a name shared by many types has
//! to be looked up every time.

use std::collections::BTreeMap;

/// The most types with the same name.
const MOST: usize = 2;

/// Participles that do not end in `ed`.
const PARTICIPLES: &[&str] = &[
    "Built", "Drawn", "Found", "Given", "Gone", "Held", "Kept", "Known", "Laid", "Left", "Lost", "Made",
    "Read", "Said", "Seen", "Sent", "Shown", "Sought", "Taken", "Told", "Written",
];

/// The types that a file declares at its top level, each with its line number.
fn types(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().filter_map(|(at, line)| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        let line = if line.starts_with("pub(") { line.split_once(") ")?.1 } else { line };
        let named =
            ["struct ", "enum ", "trait ", "type "].iter().find_map(|word| line.strip_prefix(word))?;
        let name = named.split(|c: char| !c.is_alphanumeric()).next()?;
        Some((at + 1, name))
    })
}

fn is_bare_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(|c| c.is_uppercase()).count() == 1;
    is_one_word && (PARTICIPLES.contains(&name) || name.ends_with("ed") && !name.ends_with("eed"))
}

#[test]
fn types_have_nouns_for_names_and_a_name_few_types() {
    let files = super::rings::product_files();
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (path, text) in &files {
        for (line, name) in types(text) {
            places.entry(name).or_default().push(format!("{path}:{line}"));
        }
    }
    assert!(places.len() > 500, "types are found: {}", places.len());
    let is_wrong = |(name, at): &(&&str, &Vec<String>)| at.len() > MOST || is_bare_participle(name);
    let wrong: Vec<String> =
        places.iter().filter(is_wrong).map(|(name, at)| format!("{name}: {}", at.join(", "))).collect();
    assert!(wrong.is_empty(), "name what it is:\n{}", wrong.join("\n"));
}

/// Whether a reader would not find the module by its name.
fn is_hidden(path: &str, text: &str) -> bool {
    path.ends_with("/mod.rs") || text.lines().any(|line| line.trim_start().starts_with("#[path"))
}

#[test]
fn a_module_stands_in_the_file_of_its_name() {
    let files = super::source_files("src");
    let hidden: Vec<_> =
        files.iter().filter(|(path, text)| is_hidden(path, text)).map(|(path, _)| path).collect();
    assert!(hidden.is_empty(), "`x.rs` with its parts in the folder `x`, and no `#[path]`: {hidden:?}");
    assert!(is_hidden("engine/mod.rs", ""));
    assert!(is_hidden("engine/turn.rs", "#[path = \"turn_tests.rs\"]\nmod tests;"));
    assert!(!is_hidden("engine/turn.rs", "mod tests;"));
}

#[test]
fn a_planted_name_is_found() {
    let planted = "struct A;\npub(super) enum Told {\n}\n    type Item = u8;\npub type Masked<T> = T;\n";
    let found: Vec<(usize, &str)> = types(planted).collect();
    assert_eq!(found, [(1, "A"), (2, "Told"), (5, "Masked")]);
    for (name, expected) in
        [("Told", true), ("Masked", true), ("Seed", false), ("MaskedValue", false), ("Page", false)]
    {
        assert_eq!(is_bare_participle(name), expected, "{name}");
    }
}
