//! What a block would be allowed to do, in words, above its code. It states facts from the terms of the run; what
//! nothing enforces is not called a limit.

use crate::domain::{ExecutorKind, SandboxLevel, Severity, Terms};
use crate::engine::state::Inspected;
use crate::tui::guard;
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Rights are measured in a space of their own, behind code and findings.
const RIGHTS_FROM: u64 = 1 << 50;

/// Columns of the label in front of each fact.
const LABEL: usize = 11;

/// The rights of a block on rows, with what has to be seen of each row.
#[derive(Debug, Default)]
pub struct Rights {
    rows: Vec<Line<'static>>,
    see: Vec<guard::Row>,
}

/// One fact: its label, what it says, how it is coloured.
struct Fact {
    label: &'static str,
    text: String,
    style: Style,
}

impl Rights {
    /// Lays the rights out for so many columns; `full` shows what else is known. `None`: the review is not there yet.
    pub fn new(inspected: Option<&Inspected>, full: bool, width: u16, look: Look<'_>) -> Self {
        let mut rights = Self::default();
        let facts = facts(inspected, full, look);
        for (number, fact) in facts.into_iter().enumerate() {
            rights.add(number, &fact, usize::from(width), look);
        }
        let rule = look.glyphs.horizontal.repeat(usize::from(width));
        rights.rows.push(Line::styled(rule, look.style(Slot::UiBorder)));
        let at = RIGHTS_FROM + (1 << 20);
        rights.see.push(guard::Row { extent: at..at + 1, line: None });
        rights
    }

    fn add(&mut self, number: usize, fact: &Fact, width: usize, look: Look<'_>) {
        let label = Span::styled(format!("{:<LABEL$}", fact.label), look.dim());
        // Words are counted without the spaces between them: those come and go with the width.
        let mut at = RIGHTS_FROM + (number as u64) * 16_384;
        for row in safe::hanging(label, &fact.text, width, fact.style) {
            let shown =
                row.spans.iter().flat_map(|s| s.content.chars()).filter(|c| !c.is_whitespace()).count();
            self.see.push(guard::Row { extent: at..at + shown as u64, line: None });
            at += shown as u64;
            self.rows.push(row);
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }

    /// What has to be seen of them.
    pub fn to_see(&self) -> &[guard::Row] {
        &self.see
    }
}

fn facts(inspected: Option<&Inspected>, full: bool, look: Look<'_>) -> Vec<Fact> {
    let text = look.text();
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
        Ok(terms) => terms_facts(terms, full, look, &mut facts),
    }
    facts.push(Fact { label: "Check", text: check(inspected), style: gravest_style(inspected, look) });
    if full {
        let effects = &inspected.review.effects;
        for (label, list) in [
            ("Reads", &effects.reads),
            ("Writes", &effects.writes),
            ("Deletes", &effects.deletes),
            ("Reaches", &effects.hosts),
            ("Starts", &effects.programs),
            ("Installs", &effects.packages),
            ("Takes", &effects.environment),
        ] {
            if !list.is_empty() {
                facts.push(Fact { label, text: safe::one_line(&list.join(", ")), style: text });
            }
        }
    }
    facts
}

fn terms_facts(terms: &Terms, full: bool, look: Look<'_>, facts: &mut Vec<Fact>) {
    let text = look.text();
    let mut push = |label, text: String, style| facts.push(Fact { label, text, style });
    push("Runs in", runs_in(terms, look), text);
    let off = terms.rights.sandbox.level == SandboxLevel::Off;
    let paths = |list: &[std::path::PathBuf]| {
        if list.is_empty() {
            "all that your account can".to_owned()
        } else {
            safe::one_line(&list.iter().map(|p| look.place.path(p)).collect::<Vec<_>>().join(", "))
        }
    };
    push(
        "May read",
        format!("{}    May write  {}", paths(&terms.rights.read), paths(&terms.rights.write)),
        text,
    );
    let network = if terms.rights.network { "open" } else { "off" };
    push("Network", format!("{network}     Secrets  none passed ({})", environment(terms, full)), text);
    let limits = format!(
        "{}, {} of each stream kept",
        words::limit(terms.limits.wall_ms),
        words::memory(terms.limits.kept_bytes)
    );
    if off {
        push("Limits", limits, text);
        let style = look.style(Slot::SandboxOff);
        push("Sandbox", "OFF: this block can do anything your account can".into(), style);
    } else {
        let layers: Vec<&str> =
            terms.rights.sandbox.layers.iter().filter(|l| l.active).map(|l| l.name.as_str()).collect();
        push("Limits", limits, text);
        push("Sandbox", format!("{}: ON", safe::one_line(&layers.join("+"))), look.style(Slot::SandboxOn));
    }
    if full {
        let version =
            terms.version.as_deref().map(|v| format!("  {}", safe::one_line(v))).unwrap_or_default();
        push("Program", format!("{}{version}", look.place.path(&terms.interpreter)), text);
        for layer in &terms.rights.sandbox.layers {
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

fn runs_in(terms: &Terms, look: Look<'_>) -> String {
    let cwd = safe::one_line(&look.place.path(&terms.cwd));
    let language = safe::one_line(terms.language.as_str());
    match (terms.executor, terms.kernel) {
        (ExecutorKind::Kernel, Some(kernel)) => {
            let live = match kernel.variables {
                0 => "no variables".to_owned(),
                n => format!("{} live", words::count(n as usize, "variable")),
            };
            format!("{language} kernel k{}, {live}, cwd {cwd}", kernel.generation)
        }
        (ExecutorKind::Kernel, None) => format!("a new {language} kernel, no variables, cwd {cwd}"),
        (ExecutorKind::Installer, _) => {
            format!("{}, nothing else", safe::one_line(&look.place.path(&terms.interpreter)))
        }
        (ExecutorKind::Container, Some(kernel)) => {
            let image = safe::one_line(&terms.interpreter.to_string_lossy());
            format!("a container of {image}, {language} kernel k{}, cwd {cwd}", kernel.generation)
        }
        (ExecutorKind::Container, None) => {
            let image = safe::one_line(&terms.interpreter.to_string_lossy());
            format!("a container of {image}, {language}, of its own, cwd {cwd}")
        }
        (ExecutorKind::Jupyter, kernel) => {
            let name = safe::one_line(&terms.interpreter.to_string_lossy());
            let generation = kernel.map_or(1, |kernel| kernel.generation);
            format!(
                "{language} kernel k{generation}, Jupyter: {name}; the local sandbox does not apply there"
            )
        }
        (ExecutorKind::Files, _) => "sayso itself: nothing is started".into(),
        (ExecutorKind::Subprocess, _) => format!("{language}, a process of its own, cwd {cwd}"),
    }
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

fn check(inspected: &Inspected) -> String {
    let review = &inspected.review;
    let mut parts: Vec<String> = [Severity::High, Severity::Medium, Severity::Info]
        .into_iter()
        .filter(|s| review.count(*s) > 0)
        .map(|s| format!("{} {}", review.count(s), s.as_str()))
        .collect();
    if parts.is_empty() {
        parts.push("no findings".into());
    }
    let unchecked = review
        .unchecked
        .as_deref()
        .map(|why| format!("   not checked: {}", safe::one_line(why)))
        .unwrap_or_default();
    let next = if review.findings.is_empty() { "" } else { "   f = next finding" };
    format!("{}{unchecked}{next}", parts.join(", "))
}

fn gravest_style(inspected: &Inspected, look: Look<'_>) -> Style {
    inspected.review.gravest().map_or(look.text(), |severity| look.severity(severity))
}
