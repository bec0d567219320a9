//! The actions: everything that a key can be bound to, each with its name.
//!
//! An action says what the person wants, not how it is done; the screen decides what it means in the present
//! state. Keys that type letters into a text field are not actions.

use crate::tui::enum_names::enum_with_names;

enum_with_names! {
    /// Something that a key can be bound to.
    Action, "All of them, in the order of the help screen.", "The name in `keymap.toml`.";
    /// Stop what runs or streams; each further Ctrl-C stops it harder.
    Stop = "app.stop",
    /// One step back; never stops work.
    Back = "app.back",
    PaneNext = "pane.next",
    PanePrevious = "pane.previous",
    /// Help for the pane with the focus.
    Help = "app.help",
    Commands = "app.commands",
    /// Find in chat, code and output.
    Find = "app.find",
    /// Draw everything again.
    Redraw = "app.redraw",
    Suspend = "app.suspend",
    /// Quit, if the message box is empty.
    Quit = "app.quit",

    /// Send the message, or queue it.
    MessageSend = "message.send",
    MessageEditQueued = "message.edit-queued",
    MessageHistory = "message.history",
    /// Go to the waiting block; when that block has the focus, approve it once.
    ToWaiting = "review.waiting",
    /// Hand the keys to the program that runs in a terminal of its own, or take them back.
    ForwardKeys = "run.type",
    /// Go to the message box.
    MessageFocus = "message.focus",

    TextNewline = "text.newline",
    /// The external editor.
    TextEditor = "text.editor",
    /// One line up (in the message box: then the history).
    TextUp = "text.up",
    TextDown = "text.down",
    TextLeft = "text.left",
    TextRight = "text.right",
    TextWordLeft = "text.word-left",
    TextWordRight = "text.word-right",
    TextLineStart = "text.line-start",
    TextLineEnd = "text.line-end",
    TextStart = "text.start",
    TextEnd = "text.end",
    /// Delete the character before the cursor.
    TextBackspace = "text.backspace",
    /// Delete the character under the cursor.
    TextDelete = "text.delete",
    /// Delete to the start of the line.
    TextCutToStart = "text.cut-to-start",
    /// Delete to the end of the line.
    TextCutToEnd = "text.cut-to-end",
    /// Delete the word before the cursor.
    TextCutWord = "text.cut-word",
    /// Put back what was deleted last.
    TextYank = "text.yank",
    TextUndo = "text.undo",
    TextRedo = "text.redo",
    TextSelectLeft = "text.select-left",
    TextSelectRight = "text.select-right",
    TextSelectUp = "text.select-up",
    TextSelectDown = "text.select-down",
    /// Select to the start of the word.
    TextSelectWordLeft = "text.select-word-left",
    /// Select to the next word.
    TextSelectWordRight = "text.select-word-right",
    TextSelectLineStart = "text.select-line-start",
    TextSelectLineEnd = "text.select-line-end",
    TextSelectStart = "text.select-start",
    TextSelectEnd = "text.select-end",
    TextSelectAll = "text.select-all",
    /// Begin to select by moves alone, or stop it.
    TextMark = "text.mark",
    TextCopy = "text.copy",
    TextCut = "text.cut",
    /// To the bracket that belongs to the one under the cursor.
    TextBracket = "text.bracket",
    /// Comment lines out, or in again.
    TextComment = "text.comment",
    TextGoToLine = "text.go-to-line",
    TextIndent = "text.indent",
    /// Take one indent back.
    TextDedent = "text.dedent",
    TextFind = "text.find",
    TextFindNext = "text.find-next",
    TextFindPrevious = "text.find-previous",
    TextReplace = "text.replace",
    ReplaceAll = "replace.all",
    /// Switch the search between a regular expression and plain text.
    ReplacePattern = "replace.pattern",

    ScrollDown = "scroll.down",
    ScrollUp = "scroll.up",
    ScrollPageDown = "scroll.page-down",
    ScrollPageUp = "scroll.page-up",
    ScrollTop = "scroll.top",
    /// To the end, and follow it.
    ScrollEnd = "scroll.end",
    /// Find in the pane.
    SearchStart = "search.start",
    /// Switch the search between a plain text and a regular expression.
    FindExpression = "find.expression",
    SearchNext = "search.next",
    SearchPrevious = "search.previous",
    /// Copy the item.
    Copy = "pane.copy",
    /// Show the pane alone, so that the terminal's own mouse selection works on it.
    Bare = "pane.bare",
    /// The pane with the focus on the whole screen, and back.
    Zoom = "pane.zoom",
    /// Less room for the conversation.
    ChatLess = "border.chat-less",
    /// More room for the conversation.
    ChatMore = "border.chat-more",
    /// Less room for the code.
    CodeLess = "border.code-less",
    /// More room for the code.
    CodeMore = "border.code-more",

    /// Approve once.
    Approve = "review.approve",
    /// Approve, and approve such blocks automatically from now on.
    Always = "review.always",
    /// Edit in the pane.
    Edit = "review.edit",
    /// Edit in the external editor.
    EditOutside = "review.edit-outside",
    /// Reject with a reason.
    Reject = "review.reject",
    Skip = "review.skip",
    /// Show the differences to the model's text, to the last run, or made by the person.
    Diff = "review.diff",
    /// Back to the model's text.
    Restore = "review.restore",
    FindingNext = "review.finding-next",
    FindingPrevious = "review.finding-previous",
    /// Show where a word came from that the person did not write.
    Provenance = "review.provenance",
    /// Ask a model for its opinion of the block.
    Opinion = "review.opinion",
    /// List the blocks that wait.
    Queue = "review.queue",
    /// Show the rights in full.
    Rights = "review.rights",
    /// Set the limits. The old name stays because people have it in their keymaps; once there was only a time
    /// limit.
    Limits = "review.time-limit",
    /// The next hunk of a change.
    HunkNext = "hunk.next",
    HunkPrevious = "hunk.previous",
    /// Drop the hunk, or take it back.
    HunkDrop = "hunk.drop",
    /// Run the block in a new kernel, or in the running one again.
    Fresh = "review.fresh",
    /// Give the block a terminal of its own, or none again.
    Terminal = "review.terminal",
    /// Choose the language of a block that names none.
    ChooseLanguage = "review.language",
    /// Where packages go: beside the session, or into the project's environment.
    InstallInto = "review.install-into",

    BlockNext = "block.next",
    BlockPrevious = "block.previous",
    /// The marked block of the conversation, in the code pane.
    BlockOpen = "block.open",
    /// Put a finished block back into review.
    ReopenBlock = "block.again",
    /// Continue in a branch of the session in which the block waits again.
    BlockBranch = "block.branch",
    /// Keep the edit and go back to the review.
    EditKeep = "edit.keep",

    /// Open an image or file.
    OutputOpen = "output.open",
    /// Show an image alone, or the output again.
    OutputImage = "output.image",
    /// Scroll a wide table by one column to the left.
    TableLeft = "table.left",
    /// Scroll a wide table by one column to the right.
    TableRight = "table.right",
    /// All output in the pager.
    OutputPager = "output.pager",
    /// Wrap long lines, or scroll them sideways.
    PagerWrap = "pager.wrap",
    PagerLeft = "pager.left",
    PagerRight = "pager.right",
    /// Write the output or image to a file.
    OutputWrite = "output.write",
    /// List what the run changed, to take it back.
    TakeBack = "output.take-back",
    /// Find out why the block on screen failed.
    Debug = "output.debug",
    KernelNew = "kernel.new",
    Vars = "vars.show",
    VarsInspect = "vars.inspect",
    VarsSort = "vars.sort",

    ListUp = "list.up",
    ListDown = "list.down",
    ListAccept = "list.accept",
    /// Switch to another scope, or complete what is typed.
    ListScope = "list.scope",
    ListRename = "list.rename",
    /// Compare the item with what is open.
    ListCompare = "list.compare",
    ListDelete = "list.delete",
    /// Test the connection.
    ListTest = "list.test",
    /// The next field; in the last one, submit the form.
    FormAccept = "form.accept",
    FormNext = "form.next",
    FormPrevious = "form.previous",
    /// Skip all blocks that wait.
    QueueSkipAll = "queue.skip-all",

    ProblemRetry = "problem.retry",
    ProblemModel = "problem.model",
    ProblemKey = "problem.key",
    ProblemNew = "problem.new",
    ProblemKernel = "problem.kernel",
    ProblemLog = "problem.log",
    /// Try to save the session again.
    ProblemSave = "problem.save",
}

impl Action {
    /// Whether the action only scrolls. Such keys do not restart the quiet period that must precede a decision.
    pub(crate) fn is_scroll(self) -> bool {
        matches!(
            self,
            Action::ScrollDown
                | Action::ScrollUp
                | Action::ScrollPageDown
                | Action::ScrollPageUp
                | Action::ScrollTop
                | Action::ScrollEnd
                | Action::FindingNext
                | Action::FindingPrevious
                | Action::HunkNext
                | Action::HunkPrevious
        )
    }

    /// Whether only some lists handle the action; in the others its key does nothing.
    pub(crate) fn is_of_some_lists(self) -> bool {
        matches!(
            self,
            Action::ListScope
                | Action::ListRename
                | Action::ListCompare
                | Action::ListDelete
                | Action::ListTest
        )
    }

    /// Whether the action is for the panes only: its key does nothing while an overlay is open.
    pub(crate) fn is_of_panes(self) -> bool {
        matches!(self, Action::PaneNext | Action::PanePrevious | Action::Commands | Action::Find)
    }
}
