//! What a block would be allowed to do, in words, above its code. It states facts from the terms of the run; what
//! nothing enforces is not called a limit.

mod before;
mod limits;
mod rows;
mod terms;

use super::detail::Detail;
use super::effects;
use crate::domain::{Block, Severity, UndoCover};
use crate::engine::state::InspectionResult;
use crate::tui::guard;
use crate::tui::theme::Slot;
use crate::tui::widgets::look::DrawStyle;
use crate::tui::widgets::safe;
pub(super) use before::SeenRights;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Rights are measured in a space of their own, behind code and findings.
const RIGHTS_FROM: u64 = 1 << 50;

/// The labels of facts. A fact is measured by its label and by how many of the same are before it, so that it is the same
/// fact whatever stands around it.
const LABELS: [&str; 27] = [
    "",
    "Runs in",
    "Changed",
    "May read",
    "May write",
    "Network",
    "Limits",
    "Sandbox",
    "Note",
    "Program",
    "Private",
    "Layer",
    "Done by",
    "Into",
    "Would",
    "Refused",
    "Check",
    "For",
    "Origin",
    "Writes",
    "Lists",
    "Reads",
    "Link",
    "Makes",
    "Place",
    "Terminal",
    "Undo",
];

/// Room for the characters of one fact, and for facts of one label.
const MAX_FACT_CHARACTERS: u64 = 1 << 14;
const MAX_LABEL_CHARACTERS: u64 = MAX_FACT_CHARACTERS << 12;

/// The key that leads to the findings.
const NEXT_FINDING: &str = "   f = next finding";

/// The fact that tells what was found.
const CHECK_LABEL: &str = "Check";

/// Stands for a space at which no row ends, while rows are made.
const HELD_SPACE: char = '¤';

/// Columns of the label in front of each fact.
const LABEL_COLUMNS: usize = 11;

/// Facts that may share a row where rows are few. They are worded by sayso, but for names of environment variables and of
/// layers, in which blanks are counted; what the code would do, what is refused and the target have rows for themselves.
const ROW_SHARING_LABELS: [&str; 4] = ["Network", "Limits", "Sandbox", CHECK_LABEL];

/// The rights of a block on rows, with what has to be seen of each row.
#[derive(Debug, Default)]
pub(super) struct Rights {
    rows: Vec<Line<'static>>,
    see: Vec<guard::SubjectRow>,
    starts: Vec<FactStart>,
}

/// Where a fact begins.
#[derive(Debug)]
struct FactStart {
    row: usize,
    label: &'static str,
    /// Whether it may share a row.
    own: bool,
    /// Its row without the key that leads on, where it is one.
    bare: Option<Line<'static>>,
}

/// One fact: its label, what it says, how it is coloured.
struct Fact {
    label: &'static str,
    text: String,
    style: Style,
    /// Whether it may share a row.
    own: bool,
    /// The text without the key that leads on, which the last row of the screen tells as well.
    bare: Option<String>,
    /// Where it is two on one row: each by itself.
    parts: Vec<(&'static str, String)>,
}

impl Fact {
    fn new(label: &'static str, text: String, style: Style) -> Self {
        Self { label, text, style, own: ROW_SHARING_LABELS.contains(&label), bare: None, parts: Vec::new() }
    }

    /// Two facts, the second behind the first with a gap before its label.
    fn two(first: (&'static str, String), gap: &str, second: (&'static str, String), style: Style) -> Self {
        let text = format!("{}{gap}{}  {}", first.1, second.0, second.1);
        Self { parts: vec![first.clone(), second], ..Self::new(first.0, text, style) }
    }

    /// A text of it on rows, behind its label.
    fn rows(&self, text: &str, width: usize, look: DrawStyle<'_>) -> Vec<Line<'static>> {
        let label =
            if self.label.is_empty() { String::new() } else { format!("{:<LABEL_COLUMNS$}", self.label) };
        // How to see the rest of a list stays beside how much that is, and a key beside what it shows.
        let kept = !text.contains(HELD_SPACE);
        let held = |text: &str| {
            text.replace(": p", &format!(":{HELD_SPACE}p")).replace("; p all", &format!("; p{HELD_SPACE}all"))
        };
        let text = if kept { held(text) } else { text.to_owned() };
        let mut rows = safe::hanging(Span::styled(label, look.dim()), &text, width, self.style);
        for row in rows.iter_mut().filter(|_| kept) {
            row.spans.iter_mut().for_each(|span| span.content = span.content.replace(HELD_SPACE, " ").into());
        }
        let is_count = self.label == CHECK_LABEL && text.starts_with(|c: char| c.is_ascii_digit());
        if is_count { rows.into_iter().map(|row| with_severities(row, look)).collect() } else { rows }
    }
}

/// How facts are worded.
#[derive(Clone, Copy)]
pub(super) struct Wording<'a> {
    pub(super) detail: Detail,
    /// The session whose packages have a short name.
    pub(super) session: Option<&'a str>,
    /// The folder in which the code would start: what is told of it stands in front of the others, and they call it here.
    pub(super) here: Option<&'a Path>,
    pub(super) look: DrawStyle<'a>,
}

impl Wording<'_> {
    /// A path as it is told: the folder of the session's packages by what it is, unless all is told.
    fn path(&self, path: &Path) -> String {
        let packages = |id| PathBuf::from("blobs").join(id).join("packages");
        let is_own = |folder: &Path| self.session.is_some_and(|id| folder.ends_with(packages(id)));
        if !self.detail.is_all() && path.ancestors().any(is_own) {
            return "packages of this session".into();
        }
        if self.here == Some(path) { "here".into() } else { safe::name(&self.look.place.path(path)) }
    }

    fn style(&self, changed: bool) -> Style {
        if changed { self.look.style(Slot::StatusWarn) } else { self.look.text() }
    }

    fn fact(&self, label: &'static str, text: String, changed: bool) -> Fact {
        Fact::new(label, terms::marked(text, changed), self.style(changed))
    }
}

impl Rights {
    /// Lays the rights out for so many columns. Those that are as they were `seen` are one line. `None`: the review is not
    /// there yet.
    pub(super) fn new(
        inspected: Option<&InspectionResult>,
        seen: &SeenRights,
        width: u16,
        wording: Wording<'_>,
    ) -> Self {
        let mut rights = Self::default();
        let facts = facts(inspected, seen, wording);
        for (at, fact) in facts.iter().enumerate() {
            let same = facts.iter().take(at).filter(|other| other.label == fact.label).count();
            rights.add(same, fact, usize::from(width), wording.look);
        }
        let rule = wording.look.glyphs.horizontal.repeat(usize::from(width));
        rights.rows.push(Line::styled(rule, wording.look.style(Slot::UiBorder)));
        let at = RIGHTS_FROM + MAX_LABEL_CHARACTERS * (LABELS.len() as u64 + 1);
        rights.see.push(guard::SubjectRow { extent: at..at + 1, ..guard::SubjectRow::default() });
        rights
    }

    /// Adds a fact; so many of its label are there.
    fn add(&mut self, same: usize, fact: &Fact, width: usize, look: DrawStyle<'_>) {
        let number = LABELS.iter().position(|known| *known == fact.label).unwrap_or(LABELS.len());
        // Words are counted without the spaces between them: those come and go with the width.
        let mut at =
            RIGHTS_FROM + (number as u64) * MAX_LABEL_CHARACTERS + (same as u64) * MAX_FACT_CHARACTERS;
        let bare = fact.bare.as_ref().map(|text| fact.rows(text, width, look));
        let bare = bare.filter(|rows| rows.len() == 1).and_then(|mut rows| rows.pop());
        self.starts.push(FactStart { row: self.rows.len(), label: fact.label, own: fact.own, bare });
        for row in fact.rows(&fact.text, width, look) {
            let shown =
                row.spans.iter().flat_map(|s| s.content.chars()).filter(|c| !c.is_whitespace()).count();
            let extent = at..at + shown as u64;
            self.see.push(guard::SubjectRow { extent, ..guard::SubjectRow::default() });
            at += shown as u64;
            self.rows.push(row);
        }
    }

    /// Adds how the block was read, below its rights; of one that sayso proposed, what it is for.
    pub(super) fn note(&mut self, note: &str, block: &Block, width: u16, look: DrawStyle<'_>) {
        let (rule, seen) = (self.rows.pop(), self.see.pop());
        let (label, slot) = match (block.origin.typed, block.is_own()) {
            (true, _) => ("Origin", Slot::UiTitle),
            (_, true) => ("For", Slot::UiTitle),
            _ => ("Origin", Slot::StatusWarn),
        };
        let fact = Fact::new(label, safe::name(note), look.style(slot));
        self.add(0, &fact, usize::from(width), look);
        self.rows.extend(rule);
        self.see.extend(seen);
    }

    pub(super) fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }

    /// What has to be seen of them.
    pub(super) fn subject_rows(&self) -> &[guard::SubjectRow] {
        &self.see
    }
}

/// The rights as lines: the label of each, and what it says.
pub(in crate::tui) fn lines(
    inspected: &InspectionResult,
    full: bool,
    look: DrawStyle<'_>,
) -> impl Iterator<Item = (&'static str, String)> {
    let detail = if full { Detail::All } else { Detail::Words };
    let facts =
        facts(Some(inspected), &SeenRights::default(), Wording { detail, session: None, here: None, look });
    facts
        .into_iter()
        .flat_map(|fact| if fact.parts.is_empty() { vec![(fact.label, fact.text)] } else { fact.parts })
}

fn facts(inspected: Option<&InspectionResult>, seen: &SeenRights, wording: Wording<'_>) -> Vec<Fact> {
    let look = wording.look;
    let Some(inspected) = inspected else {
        return vec![Fact::new(CHECK_LABEL, "checking".into(), look.dim())];
    };
    let mut facts = match &inspected.terms {
        Err(why) => {
            let text = format!("nothing here: {}", safe::name(why));
            vec![Fact::new("Runs in", text, look.style(Slot::StatusError))]
        }
        Ok(terms) => {
            let change = seen.change(terms, &inspected.reach);
            let here = Some(terms.cwd.as_path())
                .filter(|_| wording.detail == Detail::Keys && terms::tells_folder(terms));
            let wording = Wording { here, ..wording };
            terms::facts(terms, &inspected.reach, change, wording)
        }
    };
    // What can be taken back without a gap goes without a row of its own.
    let undo = inspected.undo.as_ref().map(|cover| undo_fact(cover, inspected, look));
    let is_plain = wording.detail == Detail::Keys && inspected.review.unchecked.is_none();
    let (beside, undo) = undo.into_iter().partition::<Vec<_>, _>(|fact| is_plain && fact.text == "all");
    facts.extend(undo);
    facts.extend(terms::place_of_packages(inspected, look));
    facts.extend(effects::facts(inspected, wording.detail).into_iter().map(|(label, text, odd)| {
        Fact::new(label, text, if odd { look.style(Slot::StatusWarn) } else { look.text() })
    }));
    let beside: String = beside.iter().map(|fact| format!("     {}  {}", fact.label, fact.text)).collect();
    let (found, own) = (findings_text(inspected), inspected.review.unchecked.is_none());
    let leads_on = wording.detail != Detail::Words && !inspected.review.findings.is_empty();
    let bare = leads_on.then(|| format!("{found}{beside}"));
    let next = if leads_on { NEXT_FINDING } else { "" };
    let check = Fact::new(CHECK_LABEL, format!("{found}{next}{beside}"), check_style(inspected, look));
    facts.push(Fact { own, bare, ..check });
    facts
}

/// What of the files that it may change can be taken back. Without a sandbox it may change others as well.
fn undo_fact(cover: &UndoCover, inspected: &InspectionResult, look: DrawStyle<'_>) -> Fact {
    let is_open = inspected
        .terms
        .as_ref()
        .is_ok_and(|terms| terms.executor.starts_programs() && !terms.rights.sandbox.writes_confined);
    let only = if is_open && cover.is_some() { "; nothing outside of the working folder" } else { "" };
    let slot = if cover.is_some() { Slot::UiText } else { Slot::StatusWarn };
    Fact::new("Undo", safe::name(&format!("{}{only}", cover.words())), look.style(slot))
}

/// What the checks found.
fn findings_text(inspected: &InspectionResult) -> String {
    let review = &inspected.review;
    let mut parts: Vec<String> = [Severity::High, Severity::Medium, Severity::Info]
        .into_iter()
        .filter(|s| review.count(*s) > 0)
        .map(|s| format!("{} {}", review.count(s), s.as_str()))
        .collect();
    let unchecked = review.unchecked.as_deref().map(|why| format!("not checked: {}", safe::name(why)));
    if parts.is_empty() && unchecked.is_none() {
        parts.push("no findings".into());
    }
    let told: Vec<String> =
        [parts.join(", ")].into_iter().filter(|t| !t.is_empty()).chain(unchecked).collect();
    told.join("   ")
}

/// What could not be checked is told as what went wrong is; findings have their signs.
fn check_style(inspected: &InspectionResult, look: DrawStyle<'_>) -> Style {
    if inspected.review.unchecked.is_some() { look.style(Slot::StatusError) } else { look.text() }
}

/// Gives `1 high` and its kind the looks of their severities.
fn with_severities(row: Line<'static>, look: DrawStyle<'_>) -> Line<'static> {
    let mut spans = Vec::new();
    for span in row.spans {
        let (text, mut from) = (span.content.as_ref(), 0);
        for severity in [Severity::High, Severity::Medium, Severity::Info] {
            let rest = text.get(from..).unwrap_or_default();
            let Some(at) = rest.find(severity.as_str()) else { continue };
            let before = rest.get(..at).unwrap_or_default().trim_end();
            let digits = before.bytes().rev().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                continue;
            }
            let (start, end) = (from + before.len() - digits, from + at + severity.as_str().len());
            let part = |range: Range<usize>| text.get(range).unwrap_or_default().to_owned();
            spans.push(Span::styled(part(from..start), span.style));
            spans.push(Span::styled(part(start..end), look.severity(severity)));
            from = end;
        }
        spans.push(Span::styled(text.get(from..).unwrap_or_default().to_owned(), span.style));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Timestamp;
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::look::Glyphs;
    use crate::tui::widgets::words::Locale;

    fn with_look(act: impl FnOnce(DrawStyle<'_>)) {
        let links = crate::tui::Hyperlinks::default();
        let (theme, place) = (Theme::terminal(Depth::Mono), Locale::default());
        let (glyphs, now) = (Glyphs::LINES, Timestamp(0));
        act(DrawStyle { theme: &theme, links: &links, glyphs, place: &place, now, motion: false });
    }

    fn told(rights: &Rights) -> Vec<String> {
        rights.rows().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_key_that_shows_the_rest_stands_beside_how_much_that_is() {
        with_look(|look| {
            for width in 24..60 {
                let mut rights = Rights::default();
                let fact = Fact::new("May read", "the system, ~/data/sales, 2 more: p".into(), Style::new());
                rights.add(0, &fact, width, look);
                let rows = told(&rights);
                assert!(rows.iter().any(|row| row.contains("more: p")), "{width}: {rows:?}");
                assert_eq!(rows.concat().matches(HELD_SPACE).count(), 0, "{width}: {rows:?}");
            }
        });
    }

    /// Where a row has no room for the key, the same words in the fact before it stay.
    #[test]
    fn only_the_check_goes_without_its_key() {
        with_look(|look| {
            let mut rights = Rights::default();
            let before = Fact::new("Network", format!("off{NEXT_FINDING}"), Style::new());
            let check = Fact::new(CHECK_LABEL, format!("1 high{NEXT_FINDING}"), Style::new());
            for fact in [before, Fact { bare: Some("1 high".into()), ..check }] {
                rights.add(0, &fact, 52, look);
            }
            rights.rows.push(Line::raw("rule"));
            rights.see.push(guard::SubjectRow::default());
            rights.close_up(52, look);
            assert_eq!(told(&rights), ["Network    off   f = next finding     Check  1 high", "rule"]);
        });
    }
}
