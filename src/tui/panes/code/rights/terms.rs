//! The facts about the terms of a run: where it runs, what it may read, write and reach, its limits, what confines it.

use super::super::detail::Detail;
use super::super::target;
use super::Wording;
use super::before::RightsChange;
use super::fact::Fact;
use super::limits::limits;
use crate::domain::sentences::{network, rights as in_one_line, running, sandbox, saving, secrets};
use crate::domain::{ExecutorKind, Reach, Reachability, SandboxLevel, Terms};
use crate::engine::Inspection;
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use std::path::{Path, PathBuf};

/// The facts about the terms. Rights that are the same as on an earlier block take one line; otherwise the changed
/// parts are marked.
pub(super) fn facts(
    terms: &Terms,
    reach: &Reach,
    change: Option<RightsChange>,
    wording: Wording<'_>,
) -> Vec<Fact> {
    let draw = wording.draw;
    let (text, warn) = (draw.text(), draw.style(Slot::StatusWarn));
    if let Some(target) = &terms.target {
        let facts = target::facts(terms, target, draw).into_iter();
        return facts.map(|(label, says, odd)| Fact::new(label, says, wording.style(odd))).collect();
    }
    if terms.executor == ExecutorKind::Engine {
        return pull_facts(terms).map(|(label, says)| Fact::new(label, says, text)).collect();
    }
    let folded = !wording.detail.is_full() && change.is_some_and(|change| !change.of_rights());
    let mut facts = Vec::new();
    if !folded || change.is_some_and(|change| change.start) {
        facts.push(wording.fact("Runs in", runs_in(terms, draw), change.is_some_and(|c| c.start)));
    }
    if terms.rights.terminal {
        // Shown each time: the person who approves such a run will have to type into it.
        let changed = change.is_some_and(|change| change.terminal);
        facts.push(wording.fact("Terminal", in_one_line::TERMINAL.to_owned(), changed));
    }
    if !terms.found_changed().is_empty() {
        // Reported by a program that earlier blocks may have tampered with: more may have changed than it reports.
        facts.push(Fact::new("Changed", safe::name(&terms.found_changed().join("; ")), warn));
    }
    if folded {
        let off = terms.rights.sandbox.level == SandboxLevel::Off;
        let line = safe::name(&in_one_line::as_before(terms, |path| wording.path(path)));
        let line = line + &draw.keymap.hints(Context::Review, ("; ", "", ""), &[(Action::Rights, "all")]);
        facts.push(Fact::new("", line, if off { draw.style(Slot::SandboxOff) } else { text }));
    } else {
        facts.extend(of_rights(terms, reach, change.unwrap_or_default(), wording));
    }
    if wording.detail.is_full() {
        facts.extend(in_full(terms, reach, wording));
    }
    facts
}

/// What the run may do, and what enforces that.
fn of_rights(terms: &Terms, reach: &Reach, change: RightsChange, wording: Wording<'_>) -> Vec<Fact> {
    let (draw, full) = (wording.draw, wording.detail.is_full());
    let rights = &terms.rights;
    let off = rights.sandbox.level == SandboxLevel::Off;
    let mut facts = Vec::new();
    let readable = [&rights.write[..], &rights.read[..]].concat();
    let read = paths(&readable, off, wording);
    let read = if off { read } else { format!("the system, {read}") };
    let read = read + &but_not(&reach.kept_from_reading(&readable), wording);
    let write = paths(&rights.write, off, wording);
    let write = write + &but_not(&reach.kept_from_writing(&rights.write), wording);
    if read.chars().count() + write.chars().count() <= MAX_SHARED_CHARACTERS {
        let (read, write) = (marked(read, change.read), marked(write, change.write));
        let style = wording.style(change.read || change.write);
        facts.push(Fact::two(("May read", read), "    ", ("May write", write), style));
    } else {
        facts.push(wording.fact("May read", read, change.read));
        facts.push(wording.fact("May write", write, change.write));
    }
    let network = marked(network::of_terms(terms).to_owned(), change.network);
    let passed = format!("{} ({})", safe::name(&secrets::passed(rights)), environment(terms, wording.detail));
    let second = ("Secrets", marked(passed, change.secrets));
    let style = wording.style(change.network || change.secrets);
    facts.push(Fact::two(("Network", network), "     ", second, style));
    facts.push(wording.fact("Limits", limits(terms, full), change.limits));
    let (holds, slot) = if off {
        (sandbox::off_labelled("this block"), Slot::SandboxOff)
    } else {
        (safe::name(&sandbox::on_labelled(rights)), Slot::SandboxOn)
    };
    facts.push(Fact::new("Sandbox", marked(holds, change.sandbox), draw.style(slot)));
    let notes = rights.sandbox.notes.iter().filter(|note| full || note.starts_with("the working folder"));
    facts.extend(notes.map(|note| Fact::new("Note", safe::name(note), draw.style(Slot::StatusWarn))));
    if full || change.program {
        facts.push(wording.fact("Program", program(terms, draw), change.program));
    }
    facts
}

/// Facts that are only shown on request.
fn in_full(terms: &Terms, reach: &Reach, wording: Wording<'_>) -> Vec<Fact> {
    let (draw, text) = (wording.draw, wording.draw.text());
    let mut facts = Vec::new();
    if let Some(private) = private(reach, draw) {
        let installs = terms.executor == ExecutorKind::Installer;
        let whose = if installs { saving::PRIVATE_TO_INSTALL } else { saving::PRIVATE };
        facts.push(Fact::new("Private", format!("{private}: {whose}"), text));
    }
    if let Some(python) = terms.rights.python.as_ref().filter(|python| python.path != terms.interpreter) {
        facts.push(Fact::new(
            "Program",
            format!("python3 is {}", safe::name(&draw.locale.path(&python.path))),
            text,
        ));
    }
    for layer in &terms.rights.sandbox.layers {
        let state = match (layer.active, layer.tested) {
            (true, true) => "on, tested",
            (true, false) => "on, not tested",
            (false, _) => "not here",
        };
        let why = layer.why.as_deref().map(|w| format!(": {}", safe::name(w))).unwrap_or_default();
        facts.push(Fact::new("Layer", format!("{} {state}{why}", safe::name(&layer.name)), text));
    }
    facts
}

/// The interpreter and its version.
fn program(terms: &Terms, draw: DrawContext<'_>) -> String {
    let version = terms.version.as_deref().map(|v| format!("  {}", safe::name(v))).unwrap_or_default();
    format!("{}{version}", safe::name(&draw.locale.path(&terms.interpreter)))
}

/// A part of the rights, with a mark if it is not the same as on an earlier block.
pub(super) fn marked(text: String, changed: bool) -> String {
    if changed { format!("changed: {text}") } else { text }
}

/// Where packages are installed, and whether there is another target to choose.
pub(super) fn place_of_packages(inspected: &Inspection, draw: DrawContext<'_>) -> Option<Fact> {
    let terms = inspected.terms.as_ref().ok().filter(|terms| terms.executor == ExecutorKind::Installer)?;
    let (text, slot) = match &inspected.venv {
        Some(venv) if *venv == terms.cwd => {
            let venv = safe::name(&draw.locale.path(venv));
            (format!("the project's {venv}, where they stay   I = beside the session"), Slot::StatusWarn)
        }
        Some(_) => {
            ("a folder beside the session   I = into the project's .venv instead".into(), Slot::UiText)
        }
        None => ("a folder beside the session".into(), Slot::UiText),
    };
    Some(Fact::new("Into", text, draw.style(slot)))
}

/// The facts about pulling an image: who does it, over which network, and what remains of it.
fn pull_facts(terms: &Terms) -> impl Iterator<Item = (&'static str, String)> {
    let engine = safe::name(&terms.interpreter.to_string_lossy());
    [
        ("Done by", format!("the container engine at {engine}; nothing is started")),
        ("May read", "nothing of yours    May write  the engine's own store of images".to_owned()),
        ("Network", network::ENGINE_PULL.to_owned()),
        ("Limits", words::duration(terms.limits.wall_ms)),
    ]
    .into_iter()
}

/// If the folders to read and to write have at most this many characters together, they share a row.
const MAX_SHARED_CHARACTERS: usize = 52;

/// What in a list of folders is closed nevertheless: `, not .git/hooks, .git/config`.
fn but_not(closed: &[&Path], wording: Wording<'_>) -> String {
    const MAX_SHOWN: usize = 2;
    if closed.is_empty() {
        return String::new();
    }
    let names: Vec<String> = closed.iter().map(|path| wording.path(path)).collect();
    format!(", not {}", wording.detail.list(&names, MAX_SHOWN, ", "))
}

/// The folders that belong to the session alone and exist besides the person's.
fn private(reach: &Reach, draw: DrawContext<'_>) -> Option<String> {
    let writable = reach.places.iter().filter(|place| place.private && place.write == Reachability::Yes);
    let names: Vec<String> = writable
        .filter(|p| !p.path.starts_with("/dev"))
        .map(|place| safe::name(&draw.locale.path(&place.path)))
        .collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// A list of folders; only the first ones, unless all are requested. Without a sandbox nothing is listed.
fn paths(list: &[PathBuf], off: bool, wording: Wording<'_>) -> String {
    const MAX_SHOWN: usize = 2;
    if off {
        return sandbox::PLACES_UNCONFINED.to_owned();
    }
    if list.is_empty() {
        return "nothing of yours".to_owned();
    }
    let names: Vec<String> = list.iter().map(|path| wording.path(path)).collect();
    wording.detail.list(&names, MAX_SHOWN, ", ")
}

/// Whether the first row names the folder in which the code would start.
pub(super) fn tells_folder(terms: &Terms) -> bool {
    use ExecutorKind::{Container, Kernel, Subprocess};
    matches!(terms.executor, Kernel | Subprocess | Container)
}

fn runs_in(terms: &Terms, draw: DrawContext<'_>) -> String {
    let cwd = safe::name(&draw.locale.path(&terms.cwd));
    let language = safe::name(terms.language.as_str());
    // The image of a container, or the kernel of a Jupyter server.
    let program = safe::name(&terms.interpreter.to_string_lossy());
    match (terms.executor, terms.kernel) {
        (ExecutorKind::Kernel, Some(kernel)) => {
            let live = match kernel.variables {
                0 => "no variables".to_owned(),
                n => format!("{} live", words::count(n as usize, "variable")),
            };
            format!(
                "{language} kernel k{}, {}{live}, {}cwd {cwd}",
                kernel.generation,
                shared(terms, "interpreter"),
                project_python(terms, draw)
            )
        }
        (ExecutorKind::Kernel, None) => {
            format!("a new {language} kernel, no variables, {}cwd {cwd}", project_python(terms, draw))
        }
        (ExecutorKind::Installer, _) => {
            let by = |path: &Path| safe::name(&draw.locale.path(path));
            match &terms.rights.python {
                Some(python) => format!("{}, which asks {}", by(&terms.interpreter), by(&python.path)),
                None => format!("{}, nothing else", by(&terms.interpreter)),
            }
        }
        (ExecutorKind::Container, Some(kernel)) => {
            let (generation, shared) = (kernel.generation, shared(terms, "interpreter"));
            format!(
                "a container of {program}, {language} kernel k{generation}, {shared}{}cwd {cwd}",
                goes_on(terms)
            )
        }
        (ExecutorKind::Container, None) => {
            format!("a container of {program}, {language}, of its own: each block starts anew, cwd {cwd}")
        }
        (ExecutorKind::Jupyter, kernel) => {
            let generation = kernel.map_or(1, |kernel| kernel.generation);
            let (shared, goes_on) = (shared(terms, "interpreter"), goes_on(terms));
            format!(
                "{language} kernel k{generation}, {shared}{goes_on}Jupyter: {program}; {}",
                sandbox::NOT_THERE
            )
        }
        (ExecutorKind::Files, _) => "sayso itself: nothing is started".into(),
        (ExecutorKind::Engine, _) => "the container engine itself: nothing is started".into(),
        (ExecutorKind::Subprocess, _) => {
            let (shared, python) = (shared(terms, "environment"), project_python(terms, draw));
            format!("{language}, a process of its own, {shared}{python}cwd {cwd}")
        }
    }
}

/// `python: .venv (3.12), `: the Python that all programs of the run find, if it is not the one on the `PATH`; or that
/// it is not the version that the project wants.
fn project_python(terms: &Terms, draw: DrawContext<'_>) -> String {
    let Some(python) = &terms.rights.python else { return String::new() };
    let environment = python.path.parent().and_then(Path::parent).unwrap_or(&python.path);
    let of_project = environment.strip_prefix(&terms.cwd).ok().map(Path::as_os_str);
    let name = of_project.or(environment.file_name()).unwrap_or_default().to_string_lossy();
    // The third number makes no difference to what a block can do.
    let short = |version: &str| version.splitn(3, '.').take(2).collect::<Vec<_>>().join(".");
    let text = match &python.version {
        version if python.wanted.is_some() => {
            let is = version.as_deref().map_or_else(|| draw.locale.path(&python.path), short);
            let wanted = python.wanted.as_deref().unwrap_or_default();
            format!("{is} ({wanted} of .python-version is not installed)")
        }
        // A version manager names the folder after the version.
        Some(version) if *name == **version => version.clone(),
        Some(version) => format!("{name} ({})", short(version)),
        None => draw.locale.path(&python.path),
    };
    format!("python: {}, ", safe::name(&text))
}

/// `interpreter shared with blocks 1-3, `; empty for the first block.
fn shared(terms: &Terms, what: &str) -> String {
    terms.shared.as_ref().map(|shared| format!("{}, ", running::shared(what, shared))).unwrap_or_default()
}

/// Says that nothing stops the kernel between runs, if that is so.
fn goes_on(terms: &Terms) -> String {
    let goes_on = terms.kernel.is_some_and(|kernel| kernel.keeps_running);
    if goes_on { format!("{}, ", running::GOES_ON) } else { String::new() }
}

/// The names of the environment variables that are passed; only the first ones, unless all are requested.
fn environment(terms: &Terms, detail: Detail) -> String {
    const MAX_SHOWN: usize = 4;
    match terms.rights.environment.as_slice() {
        [] => "env: empty".into(),
        names => {
            // The count of the remaining ones takes the room of a name.
            let short = if names.len() > MAX_SHOWN { MAX_SHOWN - 1 } else { MAX_SHOWN };
            safe::name(&format!("env: {}", detail.list(names, short, " ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Language, ProjectPython, Rights, samples};
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::draw_context::with_draw_context;

    fn told(path: &str, version: Option<&str>, wanted: Option<&str>) -> String {
        let of = |text: Option<&str>| text.map(str::to_owned);
        let python = ProjectPython { path: path.into(), version: of(version), wanted: of(wanted) };
        let rights = Rights { python: Some(python), ..Rights::default() }.into();
        let terms =
            Terms { rights, interpreter: "/bin/bash".into(), ..samples::in_subprocess(Language::bash()) };
        with_draw_context(&Theme::terminal(Depth::Mono), |draw| project_python(&terms, draw))
    }

    #[test]
    fn the_python_of_a_project_is_told_by_its_environment() {
        for (path, version, wanted, expected) in [
            ("/work/.venv/bin/python", Some("3.12.4"), None, ".venv (3.12)"),
            ("/home/a/.pyenv/versions/3.11.7/bin/python3.11", Some("3.11.7"), None, "3.11.7"),
            ("/home/a/envs/lab/bin/python", Some("3.13"), None, "lab (3.13)"),
            ("/opt/x/bin/python", None, None, "/opt/x/bin/python"),
            (
                "/usr/bin/python3.11",
                Some("3.11.2"),
                Some("3.13"),
                "3.11 (3.13 of .python-version is not installed)",
            ),
        ] {
            assert_eq!(told(path, version, wanted), format!("python: {expected}, "));
        }
    }
}
