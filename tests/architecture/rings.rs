//! Tests that no files import each other in a ring: never between rooms, and within a room only if listed with a
//! reason.
//!
//! The sources are parsed: a path (`crate::…`, `super::…`, `self::…`, or one that begins with a child module) leads
//! to the file that defines its name, through `use` lines that only re-export it. Code that is compiled for tests is
//! ignored.

use std::collections::{BTreeMap, BTreeSet};

/// The most `use` lines that may re-export a name one after the other.
const HANDED_ON: usize = 8;

/// Rings that are allowed, each with its reason; a listed ring that no longer exists fails the test too.
const LISTED: &[(&[&str], &str)] = &[];

/// A token of Rust, as far as imports need it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Name(String),
    Sign(char),
    PathSep,
}

/// The tokens of a text, without comments, string literals and character literals.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while at < chars.len() {
        let next = chars.get(at + 1).copied();
        match chars[at] {
            '/' if next == Some('/') => at += chars[at..].iter().take_while(|c| **c != '\n').count(),
            'r' if raw_text(&chars[at..]).is_some() => at += raw_text(&chars[at..]).unwrap_or(1),
            '"' => at += quoted(&chars[at..]),
            '\'' if next == Some('\\') => {
                at += 2 + chars[at + 2..].iter().skip(1).take_while(|c| **c != '\'').count() + 2;
            }
            '\'' if chars.get(at + 2) == Some(&'\'') => at += 3,
            ':' if next == Some(':') => {
                found.push(Token::PathSep);
                at += 2;
            }
            c if c.is_alphabetic() || c == '_' => {
                let name: String =
                    chars[at..].iter().take_while(|c| c.is_alphanumeric() || **c == '_').collect();
                at += name.chars().count();
                found.push(Token::Name(name));
            }
            c => {
                if !c.is_whitespace() {
                    found.push(Token::Sign(c));
                }
                at += 1;
            }
        }
    }
    found
}

/// The length of the raw string literal that begins here, if one does.
fn raw_text(chars: &[char]) -> Option<usize> {
    let hashes = chars[1..].iter().take_while(|c| **c == '#').count();
    if chars.get(1 + hashes) != Some(&'"') {
        return None;
    }
    let body = 2 + hashes;
    let ends = |at: &usize| {
        chars[*at] == '"' && chars[at + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
    };
    let end = (body..chars.len()).find(ends)?;
    Some(end + 1 + hashes)
}

/// The length of the string literal that begins here.
fn quoted(chars: &[char]) -> usize {
    let mut at = 1;
    while at < chars.len() && chars[at] != '"' {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// A name that a module imports: the local name, and the path.
type Alias = (String, Vec<String>);

/// Reads the tree after `use` into aliases; `*` gets the name `*`.
fn use_tree(tokens: &[Token], at: &mut usize, before: &[String], found: &mut Vec<Alias>) {
    let mut path = before.to_vec();
    while let Some(token) = tokens.get(*at) {
        match token {
            Token::Name(name) if name == "as" => {
                *at += 1;
                if let Some(Token::Name(other)) = tokens.get(*at) {
                    found.push((other.clone(), std::mem::take(&mut path)));
                    *at += 1;
                }
                return;
            }
            Token::Name(name) => path.push(name.clone()),
            Token::Sign('*') => path.push("*".to_owned()),
            Token::PathSep => {}
            Token::Sign('{') => {
                *at += 1;
                while tokens.get(*at).is_some_and(|t| *t != Token::Sign('}')) {
                    use_tree(tokens, at, &path, found);
                    if tokens.get(*at) == Some(&Token::Sign(',')) {
                        *at += 1;
                    }
                }
                *at += 1;
                return;
            }
            Token::Sign(_) => break,
        }
        *at += 1;
    }
    if path.last().is_some_and(|name| name == "self") {
        path.pop();
    }
    if let Some(name) = path.last() {
        found.push((name.clone(), path.clone()));
    }
}

/// One file: its module, the names that it imports, and the paths in its code.
#[derive(Debug)]
struct Source {
    module: Vec<String>,
    aliases: Vec<Alias>,
    paths: Vec<Vec<String>>,
}

fn read(path: &str, text: &str) -> Source {
    let mut module: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|name| name == "lib") {
        module.pop();
    }
    let tokens = tokens(text);
    let (mut aliases, mut paths, mut at) = (Vec::new(), Vec::new(), 0);
    while at < tokens.len() {
        match &tokens[at] {
            Token::Name(name) if name == "use" => {
                at += 1;
                use_tree(&tokens, &mut at, &[], &mut aliases);
            }
            Token::Name(name) => {
                let mut path = vec![name.clone()];
                while let (Some(Token::PathSep), Some(Token::Name(next))) =
                    (tokens.get(at + 1), tokens.get(at + 2))
                {
                    path.push(next.clone());
                    at += 2;
                }
                at += 1;
                if path.len() > 1 {
                    paths.push(path);
                }
            }
            _ => at += 1,
        }
    }
    Source { module, aliases, paths }
}

/// All files of the program, by their paths below `src`.
struct Program {
    files: BTreeMap<String, Source>,
    modules: BTreeMap<Vec<String>, String>,
}

impl Program {
    fn new(texts: &[(String, String)]) -> Self {
        let files: BTreeMap<_, _> =
            texts.iter().map(|(path, text)| (path.clone(), read(path, text))).collect();
        let modules = files.iter().map(|(path, source)| (source.module.clone(), path.clone())).collect();
        Self { files, modules }
    }

    /// The file that defines what a path in a module names, if the file belongs to the program.
    fn leads_to(&self, module: &[String], path: &[String], left: usize) -> Option<String> {
        let mut here = match path.first()?.as_str() {
            "crate" => Vec::new(),
            "self" => module.to_vec(),
            "super" => module.split_last()?.1.to_vec(),
            child => {
                let below = [module, &[child.to_owned()]].concat();
                if !self.modules.contains_key(&below) {
                    return None;
                }
                below
            }
        };
        for name in &path[1..] {
            if name == "super" {
                here.pop();
                continue;
            }
            here.push(name.clone());
            if self.modules.contains_key(&here) {
                continue;
            }
            here.pop();
            return self.defines(&here, name, left);
        }
        self.modules.get(&here).cloned()
    }

    /// The file that defines a name of a module: the module's own, or the one that it re-exports the name from.
    fn defines(&self, module: &[String], name: &str, left: usize) -> Option<String> {
        let file = self.modules.get(module)?;
        let alias = self.files[file].aliases.iter().find(|(alias, _)| alias == name);
        match alias.filter(|_| left > 0) {
            Some((_, path)) => self.leads_to(module, path, left - 1).or_else(|| Some(file.clone())),
            None => Some(file.clone()),
        }
    }

    /// Whether the module is below the module of that file: a part may name what its whole defines, and that is not a
    /// ring.
    fn is_part_of(&self, module: &[String], file: &str) -> bool {
        let whole = &self.files[file].module;
        module.len() > whole.len() && module.starts_with(whole)
    }

    /// The files that each file imports from, except the modules above it.
    fn imports(&self) -> BTreeMap<&str, BTreeSet<String>> {
        let of = |(path, source): (&'_ String, &'_ Source)| {
            let paths = source.aliases.iter().map(|(_, path)| path).chain(&source.paths);
            let mut found: BTreeSet<String> =
                paths.filter_map(|path| self.leads_to(&source.module, path, HANDED_ON)).collect();
            found.retain(|other| other != path && !self.is_part_of(&source.module, other));
            found
        };
        self.files.iter().map(|file| (file.0.as_str(), of(file))).collect()
    }
}

/// The rings in this graph: the sets of several files in which each reaches every other.
fn rings(arrows: &BTreeMap<&str, BTreeSet<String>>) -> Vec<Vec<String>> {
    let reach = |from: &str| {
        let mut seen = BTreeSet::new();
        let mut open = vec![from.to_owned()];
        while let Some(file) = open.pop() {
            for next in arrows.get(file.as_str()).into_iter().flatten() {
                if seen.insert(next.clone()) {
                    open.push(next.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<String>> = arrows.keys().map(|file| (*file, reach(file))).collect();
    let mut found = BTreeSet::new();
    for (file, others) in reached.iter().filter(|(file, others)| others.contains(**file)) {
        let back = |other: &&String| reached.get(other.as_str()).is_some_and(|far| far.contains(*file));
        let ring: Vec<String> = others.iter().filter(back).cloned().collect();
        found.insert(ring);
    }
    found.into_iter().collect()
}

/// The text of a file without code for tests; `None` if all of it is for tests.
fn product(path: &str, text: &str, of_tests: &BTreeSet<String>) -> Option<String> {
    let is_test = of_tests
        .iter()
        .any(|module| path == format!("{module}.rs") || path.starts_with(&format!("{module}/")));
    let text = super::without_tests(path, text);
    (!is_test && !text.is_empty()).then_some(text)
}

/// The modules that files declare for tests only, as paths below `src` without extension.
fn modules_of_tests(files: &[(String, String)]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, text) in files {
        let folder = path.trim_end_matches("lib.rs").trim_end_matches(".rs");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for pair in lines.windows(2).filter(|pair| pair[0].starts_with("#[cfg(") && pair[0].contains("test"))
        {
            let name = pair[1].split("mod ").nth(1).and_then(|rest| rest.strip_suffix(';'));
            if let Some(name) = name {
                found.insert(if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") });
            }
        }
    }
    found
}

/// The files of the program with their paths below `src`, without code for tests.
pub(super) fn product_files() -> Vec<(String, String)> {
    let files = super::source_files("src");
    let of_tests = modules_of_tests(&files);
    let kept = |(path, text): &(String, String)| Some((path.clone(), product(path, text, &of_tests)?));
    files.iter().filter_map(kept).collect()
}

fn program() -> Program {
    Program::new(&product_files())
}

#[test]
fn no_ring_of_files_is_unlisted() {
    let program = program();
    let imports = program.imports();
    assert!(imports.values().map(BTreeSet::len).sum::<usize>() > 500, "hardly an import was read");
    let found = rings(&imports);
    let mut wrong = Vec::new();
    for ring in &found {
        let rooms: BTreeSet<&str> = ring.iter().map(|file| super::room_of(file)).collect();
        if rooms.len() > 1 {
            wrong.push(format!("a ring between rooms: {}", ring.join(", ")));
        }
        let listed = LISTED.iter().any(|(files, reason)| {
            !reason.is_empty() && ring.iter().map(String::as_str).eq(files.iter().copied())
        });
        if !listed {
            let ties = ring.iter().flat_map(|file| {
                imports[file.as_str()]
                    .iter()
                    .filter(|to| ring.contains(to))
                    .map(move |to| format!("    {file} -> {to}"))
            });
            wrong.push(format!("a ring that is not listed:\n{}", ties.collect::<Vec<_>>().join("\n")));
        }
    }
    for (files, _) in LISTED {
        if !found.iter().any(|ring| ring.iter().map(String::as_str).eq(files.iter().copied())) {
            wrong.push(format!("listed and gone: {}", files.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn a_planted_ring_is_found_through_names_that_are_handed_on() {
    let planted = |texts: &[(&str, &str)]| {
        let texts: Vec<(String, String)> =
            texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        rings(&Program::new(&texts).imports())
    };
    let ring = planted(&[
        ("a.rs", "mod one; mod two; pub use self::one::{One, Other as Far};"),
        ("a/one.rs", "use super::two::Two; pub struct One; // use super::three::Three"),
        ("a/two.rs", "fn f() { let x = crate::a::Far::new(); }"),
    ]);
    assert_eq!(ring, [["a/one.rs".to_owned(), "a/two.rs".to_owned()]]);
    let far = planted(&[
        ("a.rs", "mod child; use super::b::B; pub struct A; fn f() { child::g() }"),
        ("a/child.rs", "use super::A; pub fn g() {}"),
        ("b.rs", "pub struct B(crate::a::child::C);"),
    ]);
    assert_eq!(far, Vec::<Vec<String>>::new(), "a part's whole is not the part");
    let fine = planted(&[
        ("a.rs", "mod one; mod two; pub use self::{one::One, two::Two};"),
        ("a/one.rs", "use crate::a::Two; const S: &str = \"crate::b::B\";"),
        ("a/two.rs", "pub struct Two;"),
        ("b.rs", "use crate::a::One; pub struct B;"),
    ]);
    assert_eq!(fine, Vec::<Vec<String>>::new());
}
