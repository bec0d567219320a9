//! Wrong definitions and the errors reported for them; and that no text makes the reader panic.

use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::Path;

macro_rules! invalid {
    ($($name:literal),* $(,)?) => {
        &[$((
            concat!($name, ".toml"),
            include_str!(concat!("../../../tests/fixtures/recipes/invalid/", $name, ".toml")),
            include_str!(concat!("../../../tests/fixtures/recipes/invalid/", $name, ".txt")),
        )),*]
    };
}

/// Wrong files, and the errors reported for them.
const INVALID: &[(&str, &str, &str)] =
    invalid!["empty", "inputs", "names", "shapes", "syntax", "unknown-keys", "unknown-names", "ways",];

fn told(text: &str, file: &Path) -> String {
    let mut told = String::new();
    for fault in read(text, file).err().unwrap_or_default() {
        writeln!(told, "{fault}").unwrap();
        if !fault.hint.is_empty() {
            writeln!(told, "  {}", fault.hint).unwrap();
        }
    }
    told
}

#[test]
fn all_that_is_wrong_is_told_with_its_place() {
    for (name, text, expected) in INVALID {
        let found = told(text, Path::new(name));
        assert_eq!(found, *expected, "{name}:\n{found}");
    }
}

#[test]
fn what_is_too_large_is_not_read() {
    let faults = read(&"#".repeat(MAX_BYTES + 1), Path::new("x.toml")).unwrap_err();
    assert_eq!(faults[0].to_string(), "x.toml:1:1: it has 65537 bytes, and a recipe has 65536 at most");
    let many: String = (0..500).map(|n| format!("k{n} = 1\n")).collect();
    assert_eq!(read(&many, Path::new("x.toml")).unwrap_err().len(), 50);
}

const SOUND: &str = include_str!("../../../assets/recipes/tdd.toml");

#[test]
fn what_is_said_of_nothing_is_as_usual() {
    let text = "name = \"x\"\ntitle = \"X\"\nwhen = \"W\"\nprompt = \"P\"\n[[step]]\nname = \"one\"\ntitle = \"One\"\n\
        say = \"S\"\ncheck = \"run\"\n[step.on.ok]\nthen = \"end\"\n[end]\nsummary = \"E\"\n";
    let definition = read(text, Path::new("x.toml")).unwrap();
    let step = &definition.steps[0];
    assert_eq!((definition.replies, step.rounds, step.blocks.len(), step.strict), (8, 5, 5, false));
    assert_eq!(definition.form().fields, []);
}

proptest! {
    /// A definition with a part removed or replaced is either read, or refused with a place in it.
    #[test]
    fn a_damaged_definition_is_read_or_refused(from in 0..5000usize, length in 0..300usize, noise in ".{0,20}") {
        let chars: Vec<char> = SOUND.chars().collect();
        let text: String = chars.iter().take(from).copied().chain(noise.chars()).chain(chars.iter().skip(from + length).copied()).collect();
        if let Err(faults) = read(&text, Path::new("x.toml")) {
            let lines = text.lines().count().max(1) + 1;
            prop_assert!(!faults.is_empty() && faults.iter().all(|fault| (1..=lines).contains(&fault.position.line)));
        }
    }
}

#[test]
fn the_page_of_recipes_names_every_key_check_verdict_and_place() {
    let page = include_str!("../../../docs/recipes.md");
    let keys =
        [read::HEAD_KEYS, read::INPUT_KEYS, read::INPUT_KINDS, steps::STEP_KEYS, steps::DESTINATION_WORDS];
    let words = keys.concat();
    for word in words.iter().filter(|word| !["input", "step", "on", "limits", "end"].contains(word)) {
        assert!(page.contains(&format!("`{word}`")) || page.contains(&format!(" {word},")), "{word}");
    }
    for name in crate::recipe::check::names() {
        let spec = crate::recipe::check::find(name).expect("a check").spec();
        let verdicts: Vec<String> = spec.verdicts.iter().map(|verdict| format!("`{verdict}`")).collect();
        let row = format!("| `{name}` | {} |", verdicts.join(", "));
        let told = page.lines().find(|line| line.starts_with(&row)).unwrap_or_else(|| panic!("{row}"));
        for option in spec.options {
            assert!(
                told.contains(&format!("`{}`", option.name)) || told.ends_with("as `reproduce` |"),
                "{told}"
            );
        }
    }
    let facts = validate::FACT_NAMES.iter().map(|fact| format!("fact:{fact}"));
    let places = [validate::PROMPT_NAMES, validate::END_NAMES].concat();
    for place in facts.chain(places.into_iter().map(str::to_owned)) {
        assert!(page.contains(&format!("`{{{place}}}`")), "{place}");
    }
}
