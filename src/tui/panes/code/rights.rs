//! Lays out the rights of a block, in words, above its code: what it would be allowed to do. The facts come from the
//! terms of the run; what nothing enforces is not called a limit.

mod before;
mod fact;
mod limits;
mod rows;
mod terms;

use super::detail::Detail;
use super::effects;
use crate::domain::sentences::links;
use crate::domain::{Block, Severity, UndoCover};
use crate::engine::Inspection;
use crate::tui::action::Action;
use crate::tui::guard;
use crate::tui::keymap::Context;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
pub(super) use before::SeenRights;
use fact::{CHECK_LABEL, Fact};
use ratatui::style::Style;
use ratatui::text::Line;
use std::path::{Path, PathBuf};

/// Extents of rights start here, beyond those of code and findings.
const RIGHTS_FROM: u64 = 1 << 50;

/// The labels of facts. The extent of a fact depends only on its label and on how many facts before it have the same
/// one, so that it stays the same whatever other facts are shown.
const LABELS: [&str; 30] = [
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
    "Links",
    "Unchanged",
    "Not made",
];

/// The extent reserved for one fact, and for all facts of one label.
const MAX_FACT_CHARACTERS: u64 = 1 << 14;
const MAX_LABEL_CHARACTERS: u64 = MAX_FACT_CHARACTERS << 12;

/// The rights of a block as rows, with what of them has to be seen.
#[derive(Debug, Default)]
pub(super) struct Rights {
    rows: Vec<Line<'static>>,
    subject_rows: Vec<guard::SubjectRow>,
    starts: Vec<FactStart>,
}

/// The first row of a fact.
#[derive(Debug)]
struct FactStart {
    row: usize,
    label: &'static str,
    /// Whether the fact may share a row.
    shares_row: bool,
    /// The fact as a single row without the hint at the next key, if it fits in one.
    without_key_hint: Option<Line<'static>>,
}

/// The key that leads to the findings: `   f = next finding`.
fn next_finding(draw: DrawContext<'_>) -> String {
    draw.keymap.hints(Context::Review, ("   ", "", ""), &[(Action::FindingNext, "= next finding")])
}

/// How facts are put in words.
#[derive(Clone, Copy)]
pub(super) struct Wording<'a> {
    pub(super) detail: Detail,
    /// The session whose packages folder gets a short name.
    pub(super) session: Option<&'a str>,
    /// The folder in which the code would start; the first fact names it, the others call it `here`.
    pub(super) here: Option<&'a Path>,
    pub(super) draw: DrawContext<'a>,
}

impl Wording<'_> {
    /// A path as the facts show it: the packages folder of the session by its purpose, unless everything is shown.
    fn path(&self, path: &Path) -> String {
        let packages = |id| PathBuf::from("blobs").join(id).join("packages");
        let is_own = |folder: &Path| self.session.is_some_and(|id| folder.ends_with(packages(id)));
        if !self.detail.is_full() && path.ancestors().any(is_own) {
            return "packages of this session".into();
        }
        if self.here == Some(path) { "here".into() } else { safe::name(&self.draw.locale.path(path)) }
    }

    fn style(&self, changed: bool) -> Style {
        if changed { self.draw.style(Slot::StatusWarn) } else { self.draw.text() }
    }

    fn fact(&self, label: &'static str, text: String, changed: bool) -> Fact {
        Fact::new(label, terms::marked(text, changed), self.style(changed))
    }
}

impl Rights {
    /// Lays the rights of a block out. If they are the same as those `seen` before, they take one line. `None` for
    /// `inspected`: the review is not complete yet.
    pub(super) fn new(
        inspected: Option<&Inspection>,
        block: &Block,
        seen: &SeenRights,
        width: u16,
        wording: Wording<'_>,
    ) -> Self {
        let mut rights = Self::default();
        let mut facts = facts(inspected, seen, wording);
        facts.extend(note(block, wording.draw));
        for (at, fact) in facts.iter().enumerate() {
            let same = facts.iter().take(at).filter(|other| other.label == fact.label).count();
            rights.add(same, fact, usize::from(width), wording.draw);
        }
        let rule = wording.draw.glyphs.border.horizontal.repeat(usize::from(width));
        rights.rows.push(Line::styled(rule, wording.draw.style(Slot::UiBorder)));
        let at = RIGHTS_FROM + MAX_LABEL_CHARACTERS * (LABELS.len() as u64 + 1);
        rights.subject_rows.push(guard::SubjectRow { extent: at..at + 1, ..guard::SubjectRow::default() });
        rights
    }

    /// Adds a fact; `same` facts with its label were added before.
    fn add(&mut self, same: usize, fact: &Fact, width: usize, draw: DrawContext<'_>) {
        let number = LABELS.iter().position(|known| *known == fact.label).unwrap_or(LABELS.len());
        // Extents count characters without blanks, which depend on the width.
        let mut at =
            RIGHTS_FROM + (number as u64) * MAX_LABEL_CHARACTERS + (same as u64) * MAX_FACT_CHARACTERS;
        let without_key_hint = fact.without_key_hint.as_ref().map(|text| fact.rows(text, width, draw));
        let without_key_hint =
            without_key_hint.filter(|rows| rows.len() == 1).and_then(|mut rows| rows.pop());
        self.starts.push(FactStart {
            row: self.rows.len(),
            label: fact.label,
            shares_row: fact.shares_row,
            without_key_hint,
        });
        for row in fact.rows(&fact.text, width, draw) {
            let shown =
                row.spans.iter().flat_map(|s| s.content.chars()).filter(|c| !c.is_whitespace()).count();
            let extent = at..at + shown as u64;
            self.subject_rows.push(guard::SubjectRow { extent, ..guard::SubjectRow::default() });
            at += shown as u64;
            self.rows.push(row);
        }
    }

    pub(super) fn rows(&self) -> &[Line<'static>] {
        &self.rows
    }

    /// What has to be seen, row by row.
    pub(super) fn subject_rows(&self) -> &[guard::SubjectRow] {
        &self.subject_rows
    }
}

/// The note below the rights: how the block was read or, for a block that sayso proposed, what it is for.
fn note(block: &Block, draw: DrawContext<'_>) -> Option<Fact> {
    let (label, slot) = match (block.origin.typed, block.is_own()) {
        (true, _) => ("Origin", Slot::UiTitle),
        (_, true) => ("For", Slot::UiTitle),
        _ => ("Origin", Slot::StatusWarn),
    };
    Some(Fact::new(label, safe::name(&block.how_read()?), draw.style(slot)))
}

/// The rights as pairs of label and text.
pub(in crate::tui) fn lines(
    inspected: &Inspection,
    full: bool,
    draw: DrawContext<'_>,
) -> impl Iterator<Item = (&'static str, String)> {
    let detail = if full { Detail::Full } else { Detail::ShortWords };
    let facts =
        facts(Some(inspected), &SeenRights::default(), Wording { detail, session: None, here: None, draw });
    facts
        .into_iter()
        .flat_map(|fact| if fact.parts.is_empty() { vec![(fact.label, fact.text)] } else { fact.parts })
}

fn facts(inspected: Option<&Inspection>, seen: &SeenRights, wording: Wording<'_>) -> Vec<Fact> {
    let draw = wording.draw;
    let Some(inspected) = inspected else {
        return vec![Fact::new(CHECK_LABEL, "checking".into(), draw.dim())];
    };
    let mut facts = match &inspected.terms {
        Err(why) => {
            let text = format!("nothing here: {}", safe::name(why));
            vec![Fact::new("Runs in", text, draw.style(Slot::StatusError))]
        }
        Ok(terms) => {
            let change = seen.change(terms, &inspected.reach);
            let here = Some(terms.cwd.as_path())
                .filter(|_| matches!(wording.detail, Detail::ShortKeys(_)) && terms::tells_folder(terms));
            let wording = Wording { here, ..wording };
            terms::facts(terms, &inspected.reach, change, wording)
        }
    };
    // If everything can be taken back, this shares the row of the check.
    let undo = inspected.undo.as_ref().map(|cover| undo_fact(cover, inspected, draw));
    let is_checked = inspected.review.unchecked.is_none();
    let is_plain = matches!(wording.detail, Detail::ShortKeys(_)) && is_checked;
    let (beside, undo) = undo.into_iter().partition::<Vec<_>, _>(|fact| is_plain && fact.text == "all");
    facts.extend(undo);
    let links = links::in_rights(inspected.links);
    facts.extend(links.map(|text| Fact::new("Links", text, draw.style(Slot::StatusWarn))));
    facts.extend(terms::place_of_packages(inspected, draw));
    let effects = effects::facts(inspected, wording.detail).into_iter();
    facts.extend(effects.map(|(label, text, odd)| Fact::new(label, text, wording.style(odd))));
    let beside: String = beside.iter().map(|fact| format!("     {}  {}", fact.label, fact.text)).collect();
    let found = findings_text(inspected);
    let leads_on = wording.detail != Detail::ShortWords && !inspected.review.findings.is_empty();
    let without_key_hint = leads_on.then(|| format!("{found}{beside}"));
    let next = if leads_on { next_finding(draw) } else { String::new() };
    // What could not be checked is styled as an error; findings have styles of their own.
    let style = if is_checked { draw.text() } else { draw.style(Slot::StatusError) };
    let check = Fact::new(CHECK_LABEL, format!("{found}{next}{beside}"), style);
    facts.push(Fact { shares_row: is_checked, without_key_hint, ..check });
    facts
}

/// Which changes of files can be taken back. Without a sandbox the block may also change files that can't.
fn undo_fact(cover: &UndoCover, inspected: &Inspection, draw: DrawContext<'_>) -> Fact {
    let is_open = inspected
        .terms
        .as_ref()
        .is_ok_and(|terms| terms.executor.starts_programs() && !terms.rights.sandbox.writes_confined);
    let only = if is_open && cover.is_some() { "; nothing outside of the working folder" } else { "" };
    let slot = if cover.is_some() { Slot::UiText } else { Slot::StatusWarn };
    Fact::new("Undo", safe::name(&format!("{}{only}", cover.words())), draw.style(slot))
}

fn findings_text(inspected: &Inspection) -> String {
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
    let texts = [parts.join(", ")].into_iter().filter(|text| !text.is_empty()).chain(unchecked);
    texts.collect::<Vec<_>>().join("   ")
}

#[cfg(test)]
mod tests {
    use super::fact::HELD_SPACE;
    use super::*;
    use crate::tui::theme::{Depth, Theme};
    use crate::tui::widgets::draw_context;

    fn with_draw_context(act: impl FnOnce(DrawContext<'_>)) {
        draw_context::with_draw_context(&Theme::terminal(Depth::Mono), act);
    }

    fn told(rights: &Rights) -> Vec<String> {
        rights.rows().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_key_that_shows_the_rest_stands_beside_how_much_that_is() {
        with_draw_context(|draw| {
            for width in 24..60 {
                let mut rights = Rights::default();
                let fact = Fact::new("May read", "the system, ~/data/sales, 2 more: p".into(), Style::new());
                rights.add(0, &fact, width, draw);
                let rows = told(&rights);
                assert!(rows.iter().any(|row| row.contains("more: p")), "{width}: {rows:?}");
                assert_eq!(rows.concat().matches(HELD_SPACE).count(), 0, "{width}: {rows:?}");
            }
        });
    }

    /// If the row has no room for the key, the fact before it keeps the same words.
    #[test]
    fn only_the_check_goes_without_its_key() {
        with_draw_context(|draw| {
            let mut rights = Rights::default();
            let before = Fact::new("Network", format!("off{}", next_finding(draw)), Style::new());
            let check = Fact::new(CHECK_LABEL, format!("1 high{}", next_finding(draw)), Style::new());
            for fact in [before, Fact { without_key_hint: Some("1 high".into()), ..check }] {
                rights.add(0, &fact, 52, draw);
            }
            rights.rows.push(Line::raw("rule"));
            rights.subject_rows.push(guard::SubjectRow::default());
            rights.compact(52, draw);
            assert_eq!(told(&rights), ["Network    off   f = next finding     Check  1 high", "rule"]);
        });
    }
}
