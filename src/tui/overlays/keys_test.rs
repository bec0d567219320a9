//! `/keys test`: shows what the terminal sends, each key as sayso reads it, with its bytes and what it does in each
//! context. Keys pressed here do nothing else; Esc twice leaves, and so does Ctrl-C twice.

use super::{Overlay, OverlayContext, OverlayProperties, help};
use crate::tui::keymap::{Context, Key, Keymap};
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::hints::Hints;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// How many inputs are kept.
const MAX_SAMPLES: usize = 40;

/// The inputs from the terminal, newest first.
#[derive(Debug)]
pub(crate) struct KeysTest {
    kitty: bool,
    sent: Vec<KeySample>,
}

/// An input from the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeySample {
    what: String,
    bytes: String,
    /// What it does, context by context.
    does: Vec<String>,
    /// Whether the same input a second time closes the test.
    leaves: bool,
}

impl KeySample {
    pub(crate) fn key(key: Key, keymap: &Keymap) -> Self {
        let bound = Context::ALL.iter().flat_map(|context| {
            let rows = keymap.rows(*context).filter(|row| row.keys.contains(&key));
            rows.map(|row| format!("{}: {}", help::heading(*context), row.help))
        });
        let typed = key.text().map(|_| "Where text is written: types it".to_owned());
        let mut does: Vec<String> = typed.into_iter().chain(bound).collect();
        if does.is_empty() {
            does.push("bound to nothing".into());
        }
        let leaves = ["esc", "ctrl-c"].into_iter().filter_map(Key::parse).any(|leaving| leaving == key);
        Self { what: key.to_string(), bytes: String::new(), does, leaves }
    }

    /// An input that is not a key.
    pub(crate) fn other(what: String) -> Self {
        Self { what, bytes: String::new(), does: Vec::new(), leaves: false }
    }

    /// Adds the bytes that it was read from.
    pub(crate) fn with_bytes(self, bytes: &[u8]) -> Self {
        Self { bytes: bytes.escape_ascii().to_string(), ..self }
    }
}

impl KeysTest {
    pub(crate) fn new(kitty: bool) -> Self {
        Self { kitty, sent: Vec::new() }
    }

    /// Records an input; returns whether it closes the test.
    pub(crate) fn take(&mut self, sent: KeySample) -> bool {
        let again = sent.leaves && self.sent.first() == Some(&sent);
        self.sent.insert(0, sent);
        self.sent.truncate(MAX_SAMPLES);
        again
    }
}

impl Overlay for KeysTest {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { width: 82, ..OverlayProperties::default() }
    }

    fn hints(&self, _: OverlayContext<'_>, hints: &mut Hints<'_>) {
        hints.plain("Esc Esc", "leave", 0);
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Keys are only shown here. Esc twice leaves.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let (width, draw) = (room.width, ctx.draw);
        let mut sheet = Sheet::new("What the terminal sends");
        let kitty = if self.kitty {
            "The kitty keyboard protocol is on: keys that would send the same bytes are told apart."
        } else {
            "The kitty keyboard protocol is off: the terminal did not say that it knows it. Some keys send the same bytes, \
             as Tab and Ctrl-I do."
        };
        sheet.words("Press a key: it is shown, and does nothing else. Esc twice leaves.", width, draw.text());
        sheet.words(kitty, width, draw.dim()).gap();
        let room = usize::from(room.height).saturating_sub(2 + sheet.rows.len());
        let rows = self.sent.iter().flat_map(|sent| rows(sent, width, draw));
        sheet.rows.extend(rows.take(room.max(1)));
        Some(sheet)
    }
}

/// `Ctrl-Y       \\x19`, and below it what the key does.
fn rows(sent: &KeySample, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let what = Span::styled(format!("{:<14} ", safe::one_line(&sent.what)), draw.style(Slot::UiKeybarKey));
    let mut rows = safe::hanging(what, &sent.bytes, width.into(), draw.text());
    for does in &sent.does {
        rows.extend(safe::hanging(Span::raw("    "), does, width.into(), draw.dim()));
    }
    rows
}
