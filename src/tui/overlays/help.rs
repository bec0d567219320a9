//! The help: the keys of the context that the person came from, then those that work everywhere. Made from the keymap.

use super::{Overlay, OverlayContext, OverlayProperties, OverlayResponse, OwnKey};
use crate::tui::action::Action;
use crate::tui::keymap::{Binding, Context, Key, Keymap};
use crate::tui::panes::Panes;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::safe;
use crate::tui::widgets::sheet::Sheet;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

#[derive(Debug)]
pub(crate) struct Help {
    /// The context that the person came from.
    pub(crate) context: Context,
    /// The name of that context.
    pub(crate) place: String,
    /// Whether letters are text in that context.
    pub(crate) takes_text: bool,
    /// Actions that do nothing there, although the context has keys for them.
    pub(crate) lacks: Vec<Action>,
    /// Keys of that place that are not in the keymap, and what they do.
    pub(crate) own: Vec<OwnKey>,
    /// How many rows it is scrolled down.
    pub(crate) top: usize,
}

impl Help {
    /// The rows of a context with their keys; in the person's context only keys that do something, elsewhere all.
    fn rows<'k>(&self, keymap: &'k Keymap, context: Context) -> Vec<(String, &'k str)> {
        let is_here = self.context.upwards().any(|at| at == context);
        let keys = |row: &Binding| match is_here {
            true if self.lacks.contains(&row.action) => Vec::new(),
            true => {
                let mut keys = keymap.working(self.context, row);
                keys.retain(|key| !self.takes_text || key.text().is_none());
                keys
            }
            false => row.keys.clone(),
        };
        let written = |keys: Vec<Key>| keys.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        let rows = keymap.rows(context).map(|row| (written(keys(row)), row.help.as_str()));
        rows.filter(|(keys, _)| !keys.is_empty()).collect()
    }

    /// All rows of the help.
    fn lines(&self, ctx: OverlayContext<'_>, width: u16) -> Vec<Line<'static>> {
        let (keymap, draw) = (ctx.draw.keymap, ctx.draw);
        let mut rows: Vec<Line<'static>> = Vec::new();
        rows.push(Line::styled(format!("Here: {}", self.place), draw.style(Slot::UiTitle)));
        section(&self.own, None, width, draw, &mut rows);
        let nearest: Vec<Context> = self.context.upwards().filter(|at| *at != Context::Everywhere).collect();
        for context in nearest.iter().copied() {
            let headed = Some(context).filter(|at| *at != self.context);
            section(&self.rows(keymap, context), headed, width, draw, &mut rows);
        }
        for context in [Context::Everywhere, Context::Message, Context::Pane, Context::Review, Context::Done]
        {
            if !nearest.contains(&context) {
                section(&self.rows(keymap, context), Some(context), width, draw, &mut rows);
            }
        }
        if ctx.setup.vim && matches!(self.context, Context::Message | Context::Edit) {
            rows.push(Line::default());
            rows.push(Line::styled("Keys of vim", draw.style(Slot::UiTitle)));
            for (keys, what) in VIM_KEYS {
                let head = Span::styled(format!("  {keys:<23} "), draw.style(Slot::UiKeybarKey));
                rows.extend(safe::hanging(head, what, width.into(), draw.text()));
            }
        }
        rows.push(Line::default());
        rows.push(Line::styled("Keys are changed in keymap.toml in the configuration folder.", draw.dim()));
        rows
    }
}

impl Overlay for Help {
    fn properties(&self) -> OverlayProperties {
        OverlayProperties { is_only_read: true, ..OverlayProperties::new(Context::Pane, 82) }
    }

    /// Scrolls, but not beyond the ends.
    fn step(&mut self, by: isize, ctx: OverlayContext<'_>, _: &mut Panes) -> Vec<OverlayResponse> {
        let room = ctx.room(self.properties().width);
        let most = self.lines(ctx, room.width).len().saturating_sub(room.height.into());
        self.top = self.top.saturating_add_signed(by).min(most);
        Vec::new()
    }

    fn status(&self, _: OverlayContext<'_>) -> Option<String> {
        Some("Help shows the keys of the pane you came from.".into())
    }

    fn sheet(&self, ctx: OverlayContext<'_>, _: &Panes, room: Rect) -> Option<Sheet> {
        let mut sheet = Sheet::new("Help");
        sheet.rows = self.lines(ctx, room.width);
        // What tells how many rows are hidden above takes the place of one of them.
        let first = self.top + usize::from(self.top > 0);
        sheet.in_view = Some(first..first + usize::from(room.height.saturating_sub(2)));
        Some(sheet)
    }
}

/// The keys of vim, in a few rows.
const VIM_KEYS: [(&str, &str); 8] = [
    ("Esc", "normal mode; there: back, as without vim"),
    ("i a I A o O", "insert mode"),
    ("h j k l w b e 0 ^ $", "move; gg G gj gk, f t F T ; , and % { } too"),
    ("d c y > < gc gu gU", "with a move or an object: dw ci\" yap >>"),
    ("x r ~ J p P . u Ctrl-R", "change, put, again, undo, redo"),
    ("v V", "select letters or lines"),
    ("/ n N * #", "find in the block"),
    (":", "go to a line; nothing else"),
];

/// The names of the contexts on this page.
pub(in crate::tui) fn heading(context: Context) -> &'static str {
    match context {
        Context::Everywhere => "Everywhere",
        Context::Text => "Writing",
        Context::Message => "Message box",
        Context::Edit => "Editing a block",
        Context::Replace => "Find and replace",
        Context::Pane => "Any pane",
        Context::Chat => "Conversation",
        Context::Review => "A block that waits",
        Context::Done => "Code and output of a block that is over",
        Context::Vars => "Variables",
        Context::Queue => "Blocks that wait",
        Context::Picker => "Lists",
        Context::Find => "Finding",
        Context::Pager => "Pager",
        Context::Form => "Forms",
        Context::Problems => "Problems",
    }
}

fn section(
    list: &[(String, &str)],
    headed: Option<Context>,
    width: u16,
    draw: DrawContext<'_>,
    rows: &mut Vec<Line<'static>>,
) {
    if list.is_empty() {
        return;
    }
    if let Some(context) = headed {
        rows.push(Line::default());
        rows.push(Line::styled(heading(context), draw.style(Slot::UiTitle)));
    }
    // Two columns if there is room.
    let columns = if width >= 64 { 2 } else { 1 };
    let cell = (usize::from(width) / columns).saturating_sub(1);
    let (mut spans, mut cells) = (Vec::new(), 0);
    for (keys, help) in list {
        let keys = format!("{keys:<11} ");
        let text = format!("{help} ");
        let used = keys.width() + text.width();
        let is_wide = used > cell;
        if cells == columns || is_wide && cells > 0 {
            rows.push(Line::from(std::mem::take(&mut spans)));
            cells = 0;
        }
        let style = draw.style(Slot::UiKeybarKey);
        if is_wide {
            // A wide entry has rows of its own, so that nothing is cut.
            let head = Span::styled(format!("  {keys}"), style);
            rows.extend(safe::hanging(head, help, width.into(), draw.text()));
            continue;
        }
        if cells == 0 {
            spans.push(Span::raw("  "));
        }
        spans.push(Span::styled(keys, style));
        spans.push(Span::styled(text, draw.text()));
        spans.push(Span::raw(" ".repeat(cell - used)));
        cells += 1;
    }
    if !spans.is_empty() {
        rows.push(Line::from(spans));
    }
}
