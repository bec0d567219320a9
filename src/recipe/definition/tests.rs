//! Definitions that are wrong, and what is said of them; and that nothing read can break the reader.

use super::*;
use proptest::prelude::*;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recipes/invalid");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    files.sort();
    files
}

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
    assert!(fixtures().len() > 6);
    let mut made = Vec::new();
    for path in fixtures() {
        let found = told(&std::fs::read_to_string(&path).unwrap(), Path::new(path.file_name().unwrap()));
        match std::fs::read_to_string(path.with_extension("txt")) {
            Ok(expected) => assert_eq!(found, expected, "{}", path.display()),
            Err(_) => {
                // A new one is put there, to be read before it is kept.
                std::fs::write(path.with_extension("txt"), found).unwrap();
                made.push(path);
            }
        }
    }
    assert_eq!(made, Vec::<PathBuf>::new());
}

#[test]
fn what_is_too_large_is_not_read() {
    let faults = read(&"#".repeat(LARGEST + 1), Path::new("x.toml")).unwrap_err();
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
    /// A definition that lost a part or got another one is read or refused with a place in it.
    #[test]
    fn a_damaged_definition_is_read_or_refused(from in 0..5000usize, length in 0..300usize, noise in ".{0,20}") {
        let chars: Vec<char> = SOUND.chars().collect();
        let text: String = chars.iter().take(from).copied().chain(noise.chars()).chain(chars.iter().skip(from + length).copied()).collect();
        if let Err(faults) = read(&text, Path::new("x.toml")) {
            let lines = text.lines().count().max(1) + 1;
            prop_assert!(!faults.is_empty() && faults.iter().all(|fault| (1..=lines).contains(&fault.line)));
        }
    }
}
