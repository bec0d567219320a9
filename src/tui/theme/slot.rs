//! The 38 slots that a theme gives a style, and the classes of highlighted code. Both lists are closed: views ask by
//! meaning.

use crate::tui::enum_names::enum_with_names;

/// Defines the slots, each with its name and its parent.
macro_rules! slots {
    ($($(#[$doc:meta])* $variant:ident = $name:literal < $parent:ident),+ $(,)?) => {
        enum_with_names! {
            /// A meaning that a theme gives a style. Each falls back to its parent, in the end to `ui.text`.
            Slot, "All slots, in the order of their numbers.", "The name in theme files.";
            $($(#[$doc])* $variant = $name),+
        }

        impl Slot {
            /// The slot that gives the style when no theme names this one; `ui.text` is its own parent.
            #[must_use]
            pub fn parent(self) -> Slot {
                match self {
                    $(Slot::$variant => Slot::$parent),+
                }
            }
        }
    };
}

slots! {
    /// Plain text, and the background where a theme sets one.
    UiText = "ui.text" < UiText,
    /// Less important text.
    UiDim = "ui.dim" < UiText,
    /// Borders.
    UiBorder = "ui.border" < UiDim,
    /// The border and title of the pane with the focus.
    UiFocus = "ui.focus" < UiBorder,
    /// Titles.
    UiTitle = "ui.title" < UiText,
    /// A tab.
    UiTab = "ui.tab" < UiDim,
    /// The tab that is shown.
    UiTabActive = "ui.tab.active" < UiTitle,
    /// What is selected.
    UiSelection = "ui.selection" < UiText,
    /// A match of a search.
    UiMatch = "ui.match" < UiText,
    /// A drawn cursor.
    UiCursor = "ui.cursor" < UiText,
    /// A key in the key bar.
    UiKeybarKey = "ui.keybar.key" < UiTitle,
    /// What a key does.
    UiKeybarText = "ui.keybar.text" < UiDim,
    /// An overlay.
    UiOverlay = "ui.overlay" < UiText,
    /// A note that is merely useful.
    StatusInfo = "status.info" < UiText,
    /// Something did not go as asked.
    StatusWarn = "status.warn" < UiText,
    /// Something is held until the person acts.
    StatusError = "status.error" < StatusWarn,
    /// The person, above a prompt.
    ChatUser = "chat.user" < UiTitle,
    /// The model, above a reply.
    ChatModel = "chat.model" < UiTitle,
    /// A note between them.
    ChatNote = "chat.note" < UiDim,
    /// A link.
    ChatLink = "chat.link" < UiText,
    /// WRITING.
    BlockWriting = "block.writing" < UiDim,
    /// WAITING and QUEUED.
    BlockPending = "block.pending" < StatusWarn,
    /// `a locked`.
    BlockLocked = "block.locked" < UiDim,
    /// Approved.
    BlockApproved = "block.approved" < StatusInfo,
    /// RUNNING.
    BlockRunning = "block.running" < StatusInfo,
    /// DONE.
    BlockDone = "block.done" < StatusInfo,
    /// FAILED and the other bad ends.
    BlockFailed = "block.failed" < StatusError,
    /// REJECTED and SKIPPED.
    BlockRejected = "block.rejected" < UiDim,
    /// EDITED.
    BlockEdited = "block.edited" < BlockPending,
    /// A high finding, and characters that would not be visible.
    FindingHigh = "finding.high" < StatusError,
    /// A medium finding.
    FindingMedium = "finding.medium" < StatusWarn,
    /// A finding that is merely informative.
    FindingInfo = "finding.info" < StatusInfo,
    /// The sandbox confines the run.
    SandboxOn = "sandbox.on" < StatusInfo,
    /// It does not.
    SandboxOff = "sandbox.off" < StatusError,
    /// An added line.
    DiffAdd = "diff.add" < StatusInfo,
    /// A deleted line.
    DiffDel = "diff.del" < StatusError,
    /// Standard error.
    OutputStderr = "output.stderr" < StatusError,
    /// Where output was dropped.
    OutputTruncated = "output.truncated" < UiDim,
}

enum_with_names! {
    /// What kind of code a piece is, for its colour.
    Syntax, "All classes, in the order of their numbers.", "The name in theme files.";
    /// Nothing special.
    Plain = "syntax.plain",
    /// A comment.
    Comment = "syntax.comment",
    /// A reserved word of the language.
    Keyword = "syntax.keyword",
    /// An operator.
    Operator = "syntax.operator",
    /// Brackets, commas, semicolons.
    Punctuation = "syntax.punctuation",
    /// A string.
    String = "syntax.string",
    /// An escape inside a string, a regular expression, an interpolation.
    Escape = "syntax.escape",
    /// A number.
    Number = "syntax.number",
    /// `True`, `null` and the like.
    Constant = "syntax.constant",
    /// A function or method, where it is defined or called.
    Function = "syntax.function",
    /// A type, class or module.
    Type = "syntax.type",
    /// A variable or parameter.
    Variable = "syntax.variable",
    /// A decorator, an attribute, a preprocessor line.
    Attribute = "syntax.attribute",
    /// The name of a tag or of a key.
    Tag = "syntax.tag",
    /// A heading or other markup.
    Markup = "syntax.markup",
    /// What the grammar calls wrong.
    Invalid = "syntax.invalid",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_38_and_their_names_are_theirs() {
        assert_eq!(Slot::ALL.len(), 38);
        for slot in Slot::ALL {
            assert_eq!(Slot::parse(slot.name()), Some(*slot));
        }
        for class in Syntax::ALL {
            assert_eq!(Syntax::parse(class.name()), Some(*class));
        }
        assert_eq!(Slot::parse("ui.nothing"), None);
    }

    #[test]
    fn every_slot_ends_at_text() {
        for slot in Slot::ALL {
            let mut at = *slot;
            for _ in 0..6 {
                at = at.parent();
            }
            assert_eq!(at, Slot::UiText, "{}", slot.name());
        }
    }
}
