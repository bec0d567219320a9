//! Tests that README and the documents are true: configuration loads, commands parse, named files exist, links resolve,
//! and screens equal the frames. `check.rs` tests the rules.

use crate::home::Home;
use clap::Parser as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// The most lines of the README.
const MOST_LINES: usize = 250;

/// Marks a screen with the name of its frame.
const FRAME: &str = "\n<!-- frame: ";

/// All documents by name: those in the root folder and in `docs`.
fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut names: Vec<String> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(str::to_owned).into();
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    names.extend(docs.map(|entry| format!("docs/{}", entry.unwrap().file_name().into_string().unwrap())));
    names.sort();
    names.into_iter().map(|name| (name.clone(), std::fs::read_to_string(root.join(&name)).unwrap())).collect()
}

/// The fenced blocks in this language, in order.
fn pieces(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence)
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next())
        .map(|piece| format!("{piece}\n"))
        .collect()
}

/// A document without its fenced blocks.
fn prose(text: &str) -> String {
    text.split("```").step_by(2).collect()
}

#[test]
fn every_configuration_loads_and_names_its_model() {
    let mut models = Vec::new();
    let (mut recipes, mut keymaps) = (0, 0);
    let all = documents();
    for piece in
        all.iter().filter(|(name, _)| name != "docs/rules.md").flat_map(|(_, text)| pieces(text, "toml"))
    {
        let home = Home::new();
        if piece.starts_with("name = ") {
            home.own("recipes/own.toml", &piece);
            let done = home.run(&["recipes", "--json"]);
            let own = done.json()[0]["recipes"].as_array().unwrap().iter().any(|r| !r["file"].is_null());
            assert!(own, "{}", done.err);
            recipes += 1;
            continue;
        }
        if piece.starts_with("# keymap.toml") {
            home.own("keymap.toml", &piece);
            keymaps += 1;
        } else if piece.starts_with("# credentials.toml") {
            let file = home.own("credentials.toml", &piece);
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        } else {
            home.configure(&piece);
        }
        let done = home.run(&["config", "check"]);
        assert_eq!(done.code, Some(0), "{piece}\n{}", done.err);
        let done = home.run(&["doctor", "--json"]);
        let looks = done.json().remove(0)["looks"].clone();
        let model = looks.as_array().unwrap().iter().find(|look| look["what"] == "model").unwrap().clone();
        if piece.contains("\nmodel = ") {
            assert_eq!(model["good"], true, "{piece}\n{model}");
            models.push(model["found"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(models, ["lab/llama-3.3-70b", "openrouter/qwen/qwen3-coder", "azure/gpt-4.1"]);
    assert_eq!((recipes, keymaps), (1, 1));
}

/// The words of a shell line, as far as the documents use quotes; ` #` begins a comment.
fn words(line: &str) -> Vec<String> {
    let line = line.split(" #").next().unwrap_or_default();
    let (mut words, mut word, mut is_quoted) = (Vec::new(), String::new(), false);
    for c in line.chars().chain([' ']) {
        match c {
            '"' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.extend((!word.is_empty()).then(|| std::mem::take(&mut word))),
            c => word.push(c),
        }
    }
    words
}

/// What is wrong with a line that calls sayso; `None` if it calls another program, or is valid.
fn fault(line: &str, is_name: bool) -> Option<clap::Error> {
    use clap::error::ErrorKind::{DisplayVersion, MissingRequiredArgument};
    let words = words(line);
    // Variables that are set for one command precede it.
    let words: Vec<String> = words.into_iter().skip_while(|word| word.contains('=')).collect();
    if words.first().is_none_or(|word| word != "sayso") {
        return None;
    }
    let error = sayso::cli::Cli::try_parse_from(&words).err()?;
    let is_well = match error.kind() {
        DisplayVersion => true,
        MissingRequiredArgument => is_name,
        _ => false,
    };
    (!is_well).then_some(error)
}

/// In prose, the name of a command alone counts too.
#[test]
fn every_command_is_one() {
    for (name, text) in documents() {
        for line in pieces(&text, "sh").concat().lines() {
            assert!(fault(line, false).is_none(), "{name}: {line}\n{:?}", fault(line, false));
        }
        for line in prose(&text).split('`').skip(1).step_by(2) {
            assert!(fault(line, true).is_none(), "{name}: {line}\n{:?}", fault(line, true));
        }
    }
    assert!(fault("sayso exec", false).is_some() && fault("A=b sayso exec --fast a.py", true).is_some());
}

#[test]
fn files_that_are_named_are_there_and_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["src/", "tests/", "assets/", "docs/", "themes/", ".ci/"];
    for (name, text) in documents() {
        let prose = prose(&text);
        for named in prose.split('`').skip(1).step_by(2) {
            let is_path = folders.iter().any(|folder| named.starts_with(folder));
            if is_path && !named.contains(['*', ' ']) {
                assert!(root.join(named).exists(), "{name} names {named}");
            }
        }
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let own = Path::new(&name);
            let file = if file.is_empty() { own.to_path_buf() } else { own.parent().unwrap().join(file) };
            let there = std::fs::read_to_string(root.join(&file));
            let there = there.unwrap_or_else(|error| panic!("{name} links to {link}: {error}"));
            let heads = there.lines().filter(|line| line.starts_with('#'));
            let mut heads =
                heads.map(|head| head.trim_start_matches(['#', ' ']).to_lowercase().replace(' ', "-"));
            assert!(place.is_empty() || heads.any(|head| head == place), "{name} links to {link}");
        }
    }
}

/// The document, with its marked screens replaced by the frames.
fn with_frames(text: &str) -> String {
    let mut parts = text.split(FRAME);
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(" -->\n```text\n").unwrap();
        let (_, behind) = rest.split_once("\n```").unwrap();
        let path = format!("tests/frames/snapshots/frames__{name}.snap");
        let snapshot = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
        let frame = snapshot.splitn(3, "---\n").nth(2).unwrap();
        // The line below a frame's screen gives the cursor.
        let screen: Vec<&str> = frame.lines().filter(|line| !line.starts_with('(')).collect();
        made += &format!("{FRAME}{name} -->\n```text\n{}\n```{behind}", screen.join("\n"));
    }
    made
}

/// `INSTA_UPDATE=always` rewrites them, as it does for the frames themselves.
#[test]
fn marked_screens_are_those_of_the_frames() {
    let mut marked = 0;
    for (name, text) in documents() {
        let made = with_frames(&text);
        marked += text.matches(FRAME).count();
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(&name), &made).unwrap();
        } else {
            assert!(text == made, "{name}: a frame changed; INSTA_UPDATE=always takes it over");
        }
    }
    assert!(marked >= 2, "{marked} screens are marked");
}

#[test]
fn the_readme_is_short_and_shows_screens() {
    let readme = include_str!("../../README.md");
    assert!(readme.lines().count() <= MOST_LINES);
    let screens = pieces(readme, "text");
    assert!(screens.len() >= 2 && screens.iter().all(|screen| screen.lines().count() >= 24), "{screens:?}");
    assert!(readme.matches("](assets/pictures/").count() >= 3, "and pictures");
    for command in ["cargo run --release -- --demo", "cargo test"] {
        assert!(pieces(readme, "sh").concat().contains(command), "{command}");
    }
}

/// The options of a command and of its subcommands.
fn options(command: &clap::Command) -> Vec<String> {
    let own = command.get_arguments().filter_map(|option| option.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(options)).collect()
}

#[test]
fn every_option_and_event_is_documented() {
    use clap::CommandFactory as _;
    let all: String = documents().into_iter().map(|(_, text)| text).collect();
    let found = options(&sayso::cli::Cli::command());
    assert!(found.len() > 40, "{found:?}");
    for option in found {
        let is_told = all
            .match_indices(&format!("--{option}"))
            .any(|(at, name)| !all[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-'));
        assert!(is_told, "--{option}");
    }
    let page = include_str!("../../docs/reference.md");
    let mut events = 0;
    for source in [
        include_str!("../../src/headless/events.rs"),
        include_str!("../../src/headless/ending.rs"),
        include_str!("../../src/headless/form.rs"),
    ] {
        for event in source.split("\"event\": \"").skip(1).filter_map(|rest| rest.split('"').next()) {
            assert!(page.contains(&format!("| `{event}` |")), "{event}");
            events += 1;
        }
    }
    assert!(events > 15, "{events}");
}
