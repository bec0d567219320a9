//! What a block would be allowed to do, in words, above its code. It states facts from the terms of the run; what
//! nothing enforces is not called a limit.

use super::{effects, target};
use crate::domain::sentences::{network, running, sandbox, saving, secrets};
use crate::domain::{Can, Enforcement, ExecutorKind, Limits, Reach, SandboxLevel, Severity, Terms};
use crate::engine::state::InspectionResult;
use crate::tui::guard;
use crate::tui::theme::Slot;
use crate::tui::widgets::look::Look;
use crate::tui::widgets::{safe, words};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::path::Path;

/// Rights are measured in a space of their own, behind code and findings.
const RIGHTS_FROM: u64 = 1 << 50;

/// The number of the note among the facts: behind all others.
const NOTE: usize = 60;

/// The key that leads to the findings.
const NEXT_FINDING: &str = "   f = next finding";

/// Columns of the label in front of each fact.
const LABEL: usize = 11;

/// The rights of a block on rows, with what has to be seen of each row.
#[derive(Debug, Default)]
pub(super) struct Rights {
    rows: Vec<Line<'static>>,
    see: Vec<guard::SubjectRow>,
}

/// One fact: its label, what it says, how it is coloured.
struct Fact {
    label: &'static str,
    text: String,
    style: Style,
}

impl Rights {
    /// Lays the rights out for so many columns; `full` shows what else is known. `None`: the review is not there yet.
    pub(super) fn new(inspected: Option<&InspectionResult>, full: bool, width: u16, look: Look<'_>) -> Self {
        let mut rights = Self::default();
        let facts = facts(inspected, full, look);
        for (number, fact) in facts.into_iter().enumerate() {
            rights.add(number, &fact, usize::from(width), look);
        }
        let rule = look.glyphs.horizontal.repeat(usize::from(width));
        rights.rows.push(Line::styled(rule, look.style(Slot::UiBorder)));
        let at = RIGHTS_FROM + (1 << 20);
        rights.see.push(guard::SubjectRow { extent: at..at + 1, line: None });
        rights
    }

    fn add(&mut self, number: usize, fact: &Fact, width: usize, look: Look<'_>) {
        let label = Span::styled(format!("{:<LABEL$}", fact.label), look.dim());
        // Words are counted without the spaces between them: those come and go with the width.
        let mut at = RIGHTS_FROM + (number as u64) * 16_384;
        for row in safe::hanging(label, &fact.text, width, fact.style) {
            let shown =
                row.spans.iter().flat_map(|s| s.content.chars()).filter(|c| !c.is_whitespace()).count();
            self.see.push(guard::SubjectRow { extent: at..at + shown as u64, line: None });
            at += shown as u64;
            self.rows.push(row);
        }
    }

    /// Adds how the block was read, below its rights; of one that sayso proposed, what it is for.
    pub(super) fn note(&mut self, note: &str, own: bool, width: u16, look: Look<'_>) {
        let (rule, seen) = (self.rows.pop(), self.see.pop());
        let (label, slot) = if own { ("For", Slot::UiTitle) } else { ("Read as", Slot::StatusWarn) };
        let fact = Fact { label, text: safe::one_line(note), style: look.style(slot) };
        self.add(NOTE, &fact, usize::from(width), look);
        self.rows.extend(rule);
        self.see.extend(seen);
    }

    pub(super) fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }

    /// What has to be seen of them.
    pub(super) fn to_see(&self) -> &[guard::SubjectRow] {
        &self.see
    }
}

/// The rights as lines: the label of each, and what it says.
pub(in crate::tui) fn lines(
    inspected: &InspectionResult,
    full: bool,
    look: Look<'_>,
) -> impl Iterator<Item = (&'static str, String)> {
    // What is a key in the pane is a word there, or nothing.
    let word = |text: String| {
        let text = text.replace(": p ", ": show ").replace(": p,", ": show,").replace(NEXT_FINDING, "");
        text.strip_suffix(": p").map(|text| format!("{text}: show")).unwrap_or(text)
    };
    facts(Some(inspected), full, look).into_iter().map(move |fact| (fact.label, word(fact.text)))
}

fn facts(inspected: Option<&InspectionResult>, full: bool, look: Look<'_>) -> Vec<Fact> {
    let Some(inspected) = inspected else {
        return vec![Fact { label: "Check", text: "checking".into(), style: look.dim() }];
    };
    let mut facts = Vec::new();
    match &inspected.terms {
        Err(why) => facts.push(Fact {
            label: "Runs in",
            text: format!("nothing here: {}", safe::one_line(why)),
            style: look.style(Slot::StatusError),
        }),
        Ok(terms) => terms_facts(terms, &inspected.reach, full, look, &mut facts),
    }
    facts.extend(place_of_packages(inspected, look));
    facts.extend(effects::facts(inspected, full).into_iter().map(|(label, text, odd)| Fact {
        label,
        text,
        style: if odd { look.style(Slot::StatusWarn) } else { look.text() },
    }));
    facts.push(Fact { label: "Check", text: check(inspected), style: gravest_style(inspected, look) });
    facts
}

fn terms_facts(terms: &Terms, reach: &Reach, full: bool, look: Look<'_>, facts: &mut Vec<Fact>) {
    let text = look.text();
    if let Some(target) = &terms.target {
        let warn = look.style(Slot::StatusWarn);
        let told = target::facts(terms, target, look).into_iter();
        facts.extend(told.map(|(label, says, odd)| Fact {
            label,
            text: says,
            style: if odd { warn } else { text },
        }));
        return;
    }
    if terms.executor == ExecutorKind::Engine {
        facts.extend(pull_facts(terms).map(|(label, says)| Fact { label, text: says, style: text }));
        return;
    }
    let mut push = |label, text: String, style| facts.push(Fact { label, text, style });
    push("Runs in", runs_in(terms, look), text);
    if !terms.found_changed().is_empty() {
        // Told by a program that earlier blocks may have tampered with: what is not told may be changed too.
        push("Changed", safe::one_line(&terms.found_changed().join("; ")), look.style(Slot::StatusWarn));
    }
    let rights = &terms.rights;
    let off = rights.sandbox.level == SandboxLevel::Off;
    let readable = [&rights.write[..], &rights.read[..]].concat();
    let read = may_read(terms, full, look) + &but_not(&reach.kept_from_reading(&readable), full, look);
    let write = paths(&rights.write, off, full, look);
    let write = write + &but_not(&reach.kept_from_writing(&rights.write), full, look);
    if read.chars().count() + write.chars().count() <= BESIDE {
        push("May read", format!("{read}    May write  {write}"), text);
    } else {
        push("May read", read, text);
        push("May write", write, text);
    }
    let network = network::of_terms(terms);
    push(
        "Network",
        format!(
            "{network}     Secrets  {} ({})",
            safe::one_line(&secrets::passed(rights)),
            environment(terms, full)
        ),
        text,
    );
    push("Limits", limits(terms, full), text);
    if off {
        let style = look.style(Slot::SandboxOff);
        push("Sandbox", sandbox::off_labelled("this block"), style);
    } else {
        let holding = safe::one_line(&sandbox::on_labelled(rights));
        push("Sandbox", holding, look.style(Slot::SandboxOn));
    }
    let notes = rights.sandbox.notes.iter().filter(|note| full || note.starts_with("the working folder"));
    for note in notes {
        push("Note", safe::one_line(note), look.style(Slot::StatusWarn));
    }
    if full {
        if let Some(private) = private(reach, look) {
            push("Private", format!("{private}: {}", saving::PRIVATE), text);
        }
        let version =
            terms.version.as_deref().map(|v| format!("  {}", safe::one_line(v))).unwrap_or_default();
        push("Program", format!("{}{version}", look.place.path(&terms.interpreter)), text);
        for layer in &rights.sandbox.layers {
            let state = match (layer.active, layer.tested) {
                (true, true) => "on, tested",
                (true, false) => "on, not tested",
                (false, _) => "not here",
            };
            let why = layer.why.as_deref().map(|w| format!(": {}", safe::one_line(w))).unwrap_or_default();
            push("Layer", format!("{} {state}{why}", safe::one_line(&layer.name)), text);
        }
    }
}

/// Where packages go, and that there is another place for them.
fn place_of_packages(inspected: &InspectionResult, look: Look<'_>) -> Option<Fact> {
    let terms = inspected.terms.as_ref().ok().filter(|terms| terms.executor == ExecutorKind::Installer)?;
    let (text, slot) = match &inspected.venv {
        Some(venv) if *venv == terms.cwd => {
            let venv = safe::one_line(&look.place.path(venv));
            (format!("the project's {venv}, where they stay   I = beside the session"), Slot::StatusWarn)
        }
        Some(_) => {
            ("a folder beside the session   I = into the project's .venv instead".into(), Slot::UiText)
        }
        None => ("a folder beside the session".into(), Slot::UiText),
    };
    Some(Fact { label: "Into", text, style: look.style(slot) })
}

/// The pull of an image: who does it, over what, and what stays of it.
fn pull_facts(terms: &Terms) -> impl Iterator<Item = (&'static str, String)> {
    let engine = safe::one_line(&terms.interpreter.to_string_lossy());
    [
        ("Done by", format!("the container engine at {engine}; nothing is started")),
        ("May read", "nothing of yours    May write  the engine's own store of images".to_owned()),
        ("Network", network::OF_ENGINE.to_owned()),
        ("Limits", words::duration(terms.limits.wall_ms)),
    ]
    .into_iter()
}

/// So many characters of folders to read and to write stand in one row together.
const BESIDE: usize = 52;

/// What of a list of folders is closed all the same: `, not .git/hooks, .git/config`.
fn but_not(closed: &[&Path], full: bool, look: Look<'_>) -> String {
    const SHORT: usize = 2;
    if closed.is_empty() {
        return String::new();
    }
    let shown = if full { closed.len() } else { SHORT };
    let names: Vec<String> = closed.iter().take(shown).map(|path| look.place.path(path)).collect();
    let more = closed.len().saturating_sub(shown);
    let more = if more > 0 { format!(" +{more}: p") } else { String::new() };
    safe::one_line(&format!(", not {}{more}", names.join(", ")))
}

/// The places of the session alone, which are there beside the person's.
fn private(reach: &Reach, look: Look<'_>) -> Option<String> {
    let writable = reach.places.iter().filter(|place| place.private && place.write == Can::Yes);
    let names: Vec<String> =
        writable.filter(|p| !p.path.starts_with("/dev")).map(|place| look.place.path(&place.path)).collect();
    (!names.is_empty()).then(|| safe::one_line(&names.join(", ")))
}

/// What is read: the system goes without saying, and so does what may be written; toolchains are counted, unless all is
/// asked for.
fn may_read(terms: &Terms, full: bool, look: Look<'_>) -> String {
    let rights = &terms.rights;
    if rights.sandbox.level == SandboxLevel::Off {
        return paths(&[], true, full, look);
    }
    let mut list = rights.write.clone();
    list.extend(rights.read.iter().cloned());
    format!("the system, {}", paths(&list, false, full, look))
}

/// A list of folders; the first ones only, unless all are asked for. Without a sandbox nothing is listed.
fn paths(list: &[std::path::PathBuf], off: bool, full: bool, look: Look<'_>) -> String {
    const SHORT: usize = 2;
    if off {
        return "all that your account can".to_owned();
    }
    if list.is_empty() {
        return "nothing of yours".to_owned();
    }
    let shown = if full { list.len() } else { SHORT };
    let names: Vec<String> = list.iter().take(shown).map(|path| look.place.path(path)).collect();
    let more = list.len().saturating_sub(shown);
    let more = if more > 0 { format!(" +{more}: p") } else { String::new() };
    safe::one_line(&format!("{}{more}", names.join(", ")))
}

/// `60 s, 2 GiB and 256 processes (watched), 1 MiB of each stream kept`. Limits of files are told where they are not the
/// usual ones, or all is asked for.
fn limits(terms: &Terms, full: bool) -> String {
    let (limits, report) = (&terms.limits, &terms.rights.sandbox);
    let usual = Limits::default();
    let mut held: Vec<(String, Enforcement)> = Vec::new();
    if limits.memory_bytes > 0 {
        held.push((words::memory(limits.memory_bytes), report.memory));
    }
    if limits.processes > 0 {
        let number = words::grouped(limits.processes.into());
        let word = if limits.processes == 1 { "process" } else { "processes" };
        held.push((format!("{number} {word}"), report.processes));
    }
    if full || limits.file_bytes != usual.file_bytes {
        held.push(match limits.file_bytes {
            0 => ("files of any size".to_owned(), Enforcement::Enforced),
            bytes => (format!("files up to {}", words::memory(bytes)), report.files),
        });
    }
    if full || limits.open_files != usual.open_files {
        held.push(match limits.open_files {
            0 => ("any number of open files".to_owned(), Enforcement::Enforced),
            count => (words::count(count as usize, "open file"), report.files),
        });
    }
    let mut parts = vec![words::limit(limits.wall_ms)];
    let mut rest = held.into_iter().peekable();
    while let Some((mut text, hold)) = rest.next() {
        // What is held alike is told together.
        while let Some((next, _)) = rest.next_if(|(_, other)| hold != Enforcement::Enforced && *other == hold)
        {
            text = format!("{text} and {next}");
        }
        parts.push(match hold {
            Enforcement::Enforced => text,
            Enforcement::Watched => format!("{text} (watched)"),
            Enforcement::None => format!("{text} (not held)"),
        });
    }
    parts.push(saving::of_streams(&words::memory(limits.kept_bytes)));
    parts.join(", ")
}

fn runs_in(terms: &Terms, look: Look<'_>) -> String {
    let cwd = safe::one_line(&look.place.path(&terms.cwd));
    let language = safe::one_line(terms.language.as_str());
    match (terms.executor, terms.kernel) {
        (ExecutorKind::Kernel, Some(kernel)) => {
            let live = match kernel.variables {
                0 => "no variables".to_owned(),
                n => format!("{} live", words::count(n as usize, "variable")),
            };
            format!(
                "{language} kernel k{}, {}{live}, cwd {cwd}",
                kernel.generation,
                shared(terms, "interpreter")
            )
        }
        (ExecutorKind::Kernel, None) => format!("a new {language} kernel, no variables, cwd {cwd}"),
        (ExecutorKind::Installer, _) => {
            format!("{}, nothing else", safe::one_line(&look.place.path(&terms.interpreter)))
        }
        (ExecutorKind::Container, Some(kernel)) => {
            let image = safe::one_line(&terms.interpreter.to_string_lossy());
            let (generation, shared) = (kernel.generation, shared(terms, "interpreter"));
            format!(
                "a container of {image}, {language} kernel k{generation}, {shared}{}cwd {cwd}",
                goes_on(terms)
            )
        }
        (ExecutorKind::Container, None) => {
            let image = safe::one_line(&terms.interpreter.to_string_lossy());
            format!("a container of {image}, {language}, of its own: each block starts anew, cwd {cwd}")
        }
        (ExecutorKind::Jupyter, kernel) => {
            let name = safe::one_line(&terms.interpreter.to_string_lossy());
            let generation = kernel.map_or(1, |kernel| kernel.generation);
            let (shared, goes_on) = (shared(terms, "interpreter"), goes_on(terms));
            format!(
                "{language} kernel k{generation}, {shared}{goes_on}Jupyter: {name}; {}",
                sandbox::NOT_THERE
            )
        }
        (ExecutorKind::Files, _) => "sayso itself: nothing is started".into(),
        (ExecutorKind::Engine, _) => "the container engine itself: nothing is started".into(),
        (ExecutorKind::Subprocess, _) => {
            format!("{language}, a process of its own, {}cwd {cwd}", shared(terms, "environment"))
        }
    }
}

/// `interpreter shared with blocks 1-3, `; empty for the first block.
fn shared(terms: &Terms, what: &str) -> String {
    terms.shared.as_ref().map(|shared| format!("{}, ", running::shared(what, shared))).unwrap_or_default()
}

/// That nobody stops the kernel between runs, where that is so.
fn goes_on(terms: &Terms) -> String {
    let goes_on = terms.kernel.is_some_and(|kernel| kernel.goes_on);
    if goes_on { format!("{}, ", running::GOES_ON) } else { String::new() }
}

/// The environment variables that are passed, by name; the first ones only, unless all are asked for.
fn environment(terms: &Terms, full: bool) -> String {
    const SHORT: usize = 4;
    let names = &terms.rights.environment;
    let shown = if full { names.len() } else { SHORT };
    let mut text: Vec<&str> = names.iter().take(shown).map(String::as_str).collect();
    let more = names.len().saturating_sub(shown);
    let rest = format!("+{more}: p");
    if more > 0 {
        text.push(&rest);
    }
    if text.is_empty() { "env: empty".into() } else { safe::one_line(&format!("env: {}", text.join(" "))) }
}

fn check(inspected: &InspectionResult) -> String {
    let review = &inspected.review;
    let mut parts: Vec<String> = [Severity::High, Severity::Medium, Severity::Info]
        .into_iter()
        .filter(|s| review.count(*s) > 0)
        .map(|s| format!("{} {}", review.count(s), s.as_str()))
        .collect();
    let unchecked = review.unchecked.as_deref().map(|why| format!("not checked: {}", safe::one_line(why)));
    if parts.is_empty() && unchecked.is_none() {
        parts.push("no findings".into());
    }
    let told: Vec<String> =
        [parts.join(", ")].into_iter().filter(|t| !t.is_empty()).chain(unchecked).collect();
    let next = if review.findings.is_empty() { "" } else { NEXT_FINDING };
    format!("{}{next}", told.join("   "))
}

fn gravest_style(inspected: &InspectionResult, look: Look<'_>) -> Style {
    let unchecked = inspected.review.unchecked.as_ref().map(|_| Severity::High);
    inspected.review.gravest().max(unchecked).map_or(look.text(), |severity| look.severity(severity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Language, Rights as May, SandboxReport};

    fn told(limits_: Limits, holds: [Enforcement; 3], full: bool) -> String {
        let [memory, processes, files] = holds;
        let sandbox = SandboxReport { memory, processes, files, ..SandboxReport::default() };
        let terms = Terms {
            language: Language::python(),
            executor: ExecutorKind::Kernel,
            interpreter: "/usr/bin/python3".into(),
            version: None,
            kernel: None,
            cwd: "/work".into(),
            rights: May { sandbox, ..May::default() },
            limits: limits_,
            shared: None,
            target: None,
        };
        limits(&terms, full)
    }

    #[test]
    fn limits_say_how_they_are_held() {
        use Enforcement::{Enforced, None, Watched};
        let usual = Limits::default();
        assert_eq!(
            told(usual, [Watched, Watched, Enforced], false),
            "60 s, 2 GiB and 256 processes (watched), 1 MiB of each stream kept"
        );
        assert_eq!(
            told(usual, [Enforced, Enforced, Enforced], true),
            "60 s, 2 GiB, 256 processes, files up to 1 GiB, 1,024 open files, 1 MiB of each stream kept"
        );
        let other = Limits { memory_bytes: 0, processes: 1, file_bytes: 0, open_files: 64, ..usual };
        assert_eq!(
            told(other, [None, None, Watched], false),
            "60 s, 1 process (not held), files of any size, 64 open files (watched), 1 MiB of each stream kept"
        );
    }
}
