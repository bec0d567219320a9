//! What every view needs for drawing: the theme, the glyphs, the format of times and paths, the time of the
//! frame.

use crate::domain::{Severity, Timestamp};
use crate::driver::TreeSigns;
use crate::engine::BlockState;
use crate::export::columns::ColumnSigns;
use crate::tui::keymap::Keymap;
use crate::tui::paint::hyperlinks::Hyperlinks;
use crate::tui::paint::markdown::MarkdownStyle;
use crate::tui::paint::strokes::Strokes;
use crate::tui::theme::{Slot, Theme};
use crate::tui::widgets::words::Locale;
use ratatui::style::Style;

/// The characters for frames and marks.
#[derive(Clone, Copy, Debug)]
pub struct Glyphs {
    pub(crate) border: &'static Strokes,
    /// Borders of the focused pane.
    pub(crate) focus: &'static Strokes,
    /// `└`, in front of a finding.
    pub(crate) hook: &'static str,
    /// The lines of a tree.
    pub(crate) tree: TreeSigns,
    /// Between two columns.
    pub(crate) columns: ColumnSigns,
    /// In the gutter of a row that continues the line above.
    pub(crate) goes_on: &'static str,
    /// Between short parts of one row.
    pub(crate) dot: &'static str,
}

impl Glyphs {
    /// Lines and corners.
    pub const LINES: Glyphs = Glyphs {
        border: &Strokes::LIGHT,
        focus: &Strokes::HEAVY,
        hook: "└",
        tree: TreeSigns::LINES,
        columns: ColumnSigns::LINES,
        goes_on: "┆",
        dot: "·",
    };
    /// For terminals that have ASCII only.
    pub const ASCII: Glyphs = Glyphs {
        border: &Strokes::ASCII,
        focus: &Strokes::ASCII,
        hook: "`",
        tree: TreeSigns::ASCII,
        columns: ColumnSigns::ASCII,
        goes_on: ":",
        dot: "-",
    };
}

/// What a view needs for drawing.
#[derive(Clone, Copy)]
pub struct DrawContext<'a> {
    /// The theme.
    pub theme: &'a Theme,
    /// The hyperlinks on screen.
    pub links: &'a Hyperlinks,
    /// The keys that texts name.
    pub keymap: &'a Keymap,
    /// The characters for frames and marks.
    pub glyphs: Glyphs,
    /// The format of times and paths.
    pub locale: &'a Locale,
    /// The time of the frame.
    pub now: Timestamp,
    /// Whether a spinner turns.
    pub motion: bool,
}

impl DrawContext<'_> {
    pub(crate) fn style(&self, slot: Slot) -> Style {
        self.theme.style(slot)
    }

    pub(crate) fn text(&self) -> Style {
        self.style(Slot::UiText)
    }

    pub(crate) fn markdown(&self) -> MarkdownStyle<'_> {
        MarkdownStyle { theme: self.theme, strokes: self.glyphs.border }
    }

    /// The style of less important text.
    pub(crate) fn dim(&self) -> Style {
        self.style(Slot::UiDim)
    }

    /// The spinner character: changes four times a second while something runs.
    pub(crate) fn spinner(&self) -> &'static str {
        if !self.motion {
            return "*";
        }
        match self.now.0.rem_euclid(1000) / 250 {
            0 => "|",
            1 => "/",
            2 => "-",
            _ => "\\",
        }
    }

    /// The style of a block's state word.
    pub(crate) fn block(&self, state: BlockState) -> Style {
        self.style(match state {
            BlockState::Writing => Slot::BlockWriting,
            BlockState::Waiting => Slot::BlockPending,
            BlockState::Edited => Slot::BlockEdited,
            BlockState::Queued => Slot::BlockLocked,
            BlockState::Running => Slot::BlockRunning,
            BlockState::Done(_) => Slot::BlockDone,
            BlockState::Rejected | BlockState::Declined | BlockState::Skipped => Slot::BlockRejected,
            BlockState::Failed(_)
            | BlockState::Timeout
            | BlockState::Limit
            | BlockState::Interrupted
            | BlockState::Died(_)
            | BlockState::Refused
            | BlockState::NotStarted
            | BlockState::Lost => Slot::BlockFailed,
        })
    }

    pub(crate) fn severity(&self, severity: Severity) -> Style {
        self.style(severity_slot(severity))
    }
}

/// The theme slot for findings of a severity.
pub(crate) fn severity_slot(severity: Severity) -> Slot {
    match severity {
        Severity::High => Slot::FindingHigh,
        Severity::Medium => Slot::FindingMedium,
        Severity::Info => Slot::FindingInfo,
    }
}

/// Calls a function with a style for tests: this theme, lines, the shipped keys.
#[cfg(test)]
pub(crate) fn with_draw_context<T>(theme: &Theme, act: impl FnOnce(DrawContext<'_>) -> T) -> T {
    let (links, locale) = (Hyperlinks::default(), Locale::default());
    let (keymap, glyphs, now) = (Keymap::load(None).expect("the shipped keys"), Glyphs::LINES, Timestamp(0));
    act(DrawContext { theme, links: &links, keymap: &keymap, glyphs, locale: &locale, now, motion: false })
}
