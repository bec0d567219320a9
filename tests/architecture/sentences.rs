//! Tests that sentences about what confines runs, the network, refusals, sending and saving come only from
//! `domain/sentences`, where each is computed from the value that enforces or records what it says. Other string
//! literals may not contain their words.

/// The words, matched as whole words in any case.
const WORDS: &[&str] = &[
    "sandbox",
    "sandboxed",
    "confines",
    "confined",
    "account",
    "network",
    "computer",
    "refuse",
    "refuses",
    "refused",
    "sent",
    "saved",
    "kept",
    "left",
];

/// Phrases in which the words mean something else; removed before a text is checked.
const OTHERWISE: &[&str] = &[
    "left out",
    "left over",
    "left-",
    "Left and Right",
    "right-to-left",
    "no space left",
    "Found on this computer",
    "node on this computer",
    "model server on this computer",
];

/// Files that may contain the words, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("domain/sentences/", "the room itself"),
    ("config/settings/table.rs", "help texts of options"),
    ("exec/sandbox/refusals.rs", "words of other programs, which are looked for"),
    ("exec/sandbox/probe.rs", "words of the system, which are looked for"),
    ("exec/sandbox/seatbelt.rs", "the language of a profile"),
    ("exec/jupyter/server.rs", "what a server answered"),
    ("exec/jupyter/zmtp.rs", "what the other end did"),
    ("provider/http/client.rs", "words of the system, which are looked for"),
    ("provider/scripted.rs", "words of a story that plays a failure"),
    ("provider/script/shipped.rs", "words of a story that plays a failure"),
    ("tui/guard/refusal.rs", "time that is left"),
];

/// Files that hold only tests.
const TESTS: &[&str] = &[
    "/tests/",
    "tests.rs",
    "engine/dialogue",
    "engine/properties",
    "/dialogues/",
    "store/samples",
    "provider/requests.rs",
];

/// The string literals of a source file with their lines, without tests, comments and format arguments.
fn texts(source: &str) -> Vec<(usize, String)> {
    let tests = source.match_indices("#[cfg(test)]").map(|(at, _)| at);
    let end = tests
        .filter(|at| {
            let behind = source[*at..].lines().nth(1).unwrap_or_default();
            behind.contains("mod ") && behind.ends_with('{')
        })
        .min();
    let source: Vec<char> = source[..end.unwrap_or(source.len())].chars().collect();
    let (mut at, mut line, mut found) = (0, 1, Vec::new());
    while at < source.len() {
        let c = source[at];
        let next = source.get(at + 1).copied();
        if c == '/' && next == Some('/') {
            while source.get(at).is_some_and(|c| *c != '\n') {
                at += 1;
            }
        } else if c == '"' {
            let raw = source[..at].iter().rev().take_while(|c| **c == '#').count();
            let is_raw = source.get(at.wrapping_sub(raw + 1)) == Some(&'r');
            let (text, length) = quoted(&source[at + 1..], is_raw.then_some(raw));
            found.push((line, text));
            line += source[at..=at + length].iter().filter(|c| **c == '\n').count();
            at += length + 1;
        } else if c == '\'' {
            // A character literal, or a lifetime.
            let is_escape = next == Some('\\');
            let length = if is_escape {
                source[at + 3..].iter().position(|c| *c == '\'').map(|n| n + 4)
            } else {
                None
            };
            at += length.unwrap_or(if source.get(at + 2) == Some(&'\'') { 3 } else { 1 });
        } else {
            line += usize::from(c == '\n');
            at += 1;
        }
    }
    found
}

/// A string literal up to its closing quote, without format arguments; and its length in the source, including that
/// quote.
fn quoted(rest: &[char], raw: Option<usize>) -> (String, usize) {
    let (mut text, mut at, mut depth) = (String::new(), 0, 0_usize);
    while let Some(c) = rest.get(at) {
        match (c, raw) {
            ('\\', None) => {
                at += 2;
                continue;
            }
            ('"', None) => break,
            ('"', Some(marks)) if rest[at + 1..].iter().take(marks).all(|c| *c == '#') => break,
            ('{', _) => depth += 1,
            ('}', _) => depth = depth.saturating_sub(1),
            (c, _) if depth == 0 => text.push(*c),
            _ => {}
        }
        at += 1;
    }
    (text, at + 1)
}

/// The first of the words in a text of several words.
fn word_in(text: &str) -> Option<&'static str> {
    let mut text = text.to_owned();
    for other in OTHERWISE {
        text = text.replace(other, "");
    }
    if !text.trim().contains(' ') {
        return None;
    }
    let words: Vec<String> =
        text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase).collect();
    WORDS.iter().find(|word| words.iter().any(|w| w == *word)).copied()
}

fn faults(path: &str, source: &str) -> Vec<String> {
    if ALLOWED.iter().any(|(allowed, _)| path.starts_with(allowed)) || TESTS.iter().any(|t| path.contains(t))
    {
        return Vec::new();
    }
    let found = texts(source).into_iter();
    found
        .filter_map(|(line, text)| word_in(&text).map(|word| format!("{path}:{line}: `{word}` in {text:?}")))
        .collect()
}

#[test]
fn sentences_of_rights_sending_and_saving_come_from_one_room() {
    let files = super::source_files("src");
    let all: Vec<String> = files.iter().flat_map(|(path, text)| faults(path, text)).collect();
    assert!(all.is_empty(), "say it in domain/sentences, by what enforces it:\n{}", all.join("\n"));
    for (allowed, why) in ALLOWED {
        let is_there = files.iter().any(|(path, _)| path.contains(allowed));
        assert!(is_there, "{allowed} ({why}) is not there any more");
    }
}

#[test]
fn a_planted_sentence_is_found() {
    for planted in [
        r#"let a = "Sandbox is OFF: blocks can do anything";"#,
        "say(r#\"Your message is \"kept\"\"#);",
        r#"format!("{x} was not sent to {y}")"#,
        "match c { '\"' => 1, '\\'' => 2, _ => say(\"nothing has left this computer\") }",
        r#"sheet.words("Local models keep your code and data on this computer.")"#,
        r#"let a = "A block can do anything that your account can.";"#,
    ] {
        assert_eq!(faults("tui/view/status.rs", planted).len(), 1, "{planted}");
    }
    for fine in [
        "// Sandbox is OFF here",
        r#"let a = "sandbox.level"; let b = "kept";"#,
        r#"format!("{kept} of {sent} lines, {n} left out")"#,
        "fn a() {}\n#[cfg(test)]\nmod tests {\n    const A: &str = \"it was not sent\";\n}",
    ] {
        assert_eq!(faults("tui/view/status.rs", fine), Vec::<String>::new(), "{fine}");
    }
}

/// The type names of several words that a source file declares.
fn types(source: &str) -> impl Iterator<Item = &str> {
    let declared = ["struct ", "enum ", "trait ", "type "];
    let named = source.lines().filter_map(move |line| {
        let line = line.trim_start();
        let line = line.strip_prefix("pub ").or_else(|| Some(line.split_once(") ")?.1)).unwrap_or(line);
        declared.iter().find_map(|word| line.strip_prefix(word))
    });
    let names = named.filter_map(|rest| rest.split(|c: char| !c.is_alphanumeric()).next());
    names.filter(|name| name.chars().filter(|c| c.is_uppercase()).count() > 1)
}

#[test]
fn no_text_for_people_holds_the_name_of_a_type() {
    let all = super::source_files("src");
    let names: std::collections::BTreeSet<&str> = all.iter().flat_map(|(_, source)| types(source)).collect();
    assert!(names.contains("JobResult") && names.contains("CopyResult"), "types are found");
    // `ValueError` is also an exception of Python.
    let is_type = |word: &&str| names.contains(word) && *word != "ValueError";
    let mut found = Vec::new();
    for (path, source) in all.iter().filter(|(path, _)| !TESTS.iter().any(|t| path.contains(t))) {
        for (line, text) in texts(source).into_iter().filter(|(_, text)| text.contains(' ')) {
            let word = text.split(|c: char| !c.is_alphanumeric()).find(is_type);
            found.extend(word.map(|word| format!("{path}:{line}: `{word}` in {text:?}")));
        }
    }
    assert!(found.is_empty(), "names of types stand in texts:\n{}", found.join("\n"));
}
