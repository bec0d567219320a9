//! Decides, line by line, where an edit in a fence may end: text inside an edit may look like the end of the fence
//! around it.
//!
//! It does not parse the edit; `markers` and `unified` do that with the whole text.

use super::markers::{Nesting, Step};
use super::{command, file_header, markers, unified};

/// How many filled lines may come before a diff in a fence whose info string does not say that it is an edit.
const MAX_LEADING_LINES: usize = 8;

/// Whether a line that looks like the end of the fence is its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditEnd {
    Here,
    /// The line is text of the edit.
    No,
    /// The lines so far don't decide it.
    Unsure,
}

#[derive(Clone, Debug)]
enum ExtentForm {
    /// No edit has begun. `half`: the last filled line was the first half of a diff's header (`--- …`).
    None {
        half: bool,
    },
    /// Between blocks of markers.
    Markers,
    /// In such a block. `unsure`: a line was read that may have ended it.
    Block {
        nesting: Nesting,
        unsure: bool,
    },
    Diff(Option<Hunk>),
}

/// What is known of a diff's hunk from the lines read so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Hunk {
    /// Whether a line that is not blank was read after the header.
    is_begun: bool,
    /// How many lines the header still announces, old and new; `None`: it has no counts, or wrong ones.
    left: Option<(usize, usize)>,
    /// Whether its header says that it has no context lines.
    only_new: bool,
    /// Whether a context line began with a space.
    is_signed: bool,
    /// Whether a line had no sign.
    is_sloppy: bool,
}

/// Follows an edit line by line to tell where it may end.
#[derive(Clone, Debug)]
pub(crate) struct EditExtent {
    form: ExtentForm,
    /// How many lines were filled so far.
    filled: usize,
    /// Whether the fence's info string says that it holds an edit; if not, only the first lines can begin one.
    fence_says_edit: bool,
}

impl EditExtent {
    pub(crate) fn new(fence_says_edit: bool) -> Self {
        Self { form: ExtentForm::None { half: false }, filled: 0, fence_says_edit }
    }

    /// Whether an edit has begun.
    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.form, ExtentForm::None { .. })
    }

    /// Whether an edit has begun, or its first line may just have been read.
    pub(crate) fn may_have_begun(&self) -> bool {
        !matches!(self.form, ExtentForm::None { half: false })
    }

    /// Reads the next line, without the prefix (indentation) that all lines of the fence have.
    pub(crate) fn line(&mut self, line: &str) {
        let line = line.trim_end_matches(['\n', '\r']);
        // A command line `apply_patch <<…` before its patch is ignored.
        if self.filled == 0 && command::delimiter(line).is_some() {
            return;
        }
        let (is_filled, before) = (!line.trim().is_empty(), self.filled);
        self.filled += usize::from(is_filled);
        match &mut self.form {
            ExtentForm::None { half } => {
                let first_half = *half;
                if is_filled {
                    *half = line.starts_with("--- ");
                }
                if let Some(form) = self.begin(line, before, first_half) {
                    self.form = form;
                }
            }
            ExtentForm::Markers => {
                if let Some(nesting) = Nesting::opened(line) {
                    self.form = ExtentForm::Block { nesting, unsure: false };
                }
            }
            ExtentForm::Block { nesting, unsure } => match nesting.line(line) {
                Step::Inside => {}
                Step::Unsure => *unsure = true,
                Step::End => self.form = ExtentForm::Markers,
            },
            ExtentForm::Diff(hunk) => {
                // Search for markers where the parser of the edit does. Further down, a conflict is text of the diff,
                // and a line that says SEARCH opens a block only if the fence says that it is an edit, or before a
                // hunk's first line.
                let early = before <= markers::MAX_LEADING_LINES;
                let meant = self.fence_says_edit || hunk.as_ref().is_none_or(|hunk| !hunk.is_begun);
                let opens = |nesting: &Nesting| early || meant && nesting.says_search();
                if let Some(nesting) = Nesting::opened(line).filter(opens) {
                    self.form = ExtentForm::Block { nesting, unsure: false };
                } else if let Some(begun) = hunk_header(line) {
                    *hunk = Some(begun);
                } else if unified::ends_hunk(line)
                    || line == unified::SIGNATURE && hunk.as_ref().is_some_and(Hunk::is_complete)
                {
                    *hunk = None;
                } else if let Some(hunk) = hunk {
                    hunk.line(line);
                }
            }
        }
    }

    /// What this line begins, if anything; `filled` lines come before it.
    fn begin(&self, line: &str, filled: usize, first_half: bool) -> Option<ExtentForm> {
        let early = |most: usize| self.fence_says_edit || filled <= most;
        if let Some(nesting) = Nesting::opened(line).filter(|_| early(markers::MAX_LEADING_LINES)) {
            return Some(ExtentForm::Block { nesting, unsure: false });
        }
        if let Some(hunk) = hunk_header(line).filter(|_| early(0)) {
            return Some(ExtentForm::Diff(Some(hunk)));
        }
        let head = first_half && line.starts_with("+++ ") && early(MAX_LEADING_LINES);
        let patch = line.starts_with("*** ") && line.ends_with("Patch") && early(0);
        (head || patch).then_some(ExtentForm::Diff(None))
    }

    /// Whether a line that looks like the end of the fence is its end.
    pub(crate) fn ends(&self, line: &str) -> EditEnd {
        match &self.form {
            ExtentForm::None { .. } | ExtentForm::Markers | ExtentForm::Diff(None) => EditEnd::Here,
            ExtentForm::Block { unsure: true, .. } => EditEnd::Unsure,
            ExtentForm::Block { .. } => EditEnd::No,
            ExtentForm::Diff(Some(_)) if line.starts_with(' ') => EditEnd::No,
            ExtentForm::Diff(Some(hunk)) => hunk.ends(),
        }
    }
}

impl Hunk {
    /// Whether it has as many lines as its header says.
    pub(super) fn is_complete(&self) -> bool {
        self.left == Some((0, 0))
    }

    /// Whether its header says that more lines follow.
    pub(super) fn is_waiting(&self) -> bool {
        self.left.is_some_and(|left| left != (0, 0))
    }

    pub(super) fn line(&mut self, line: &str) {
        let is_blank = line.trim().is_empty();
        self.is_begun |= !is_blank;
        // Blank lines after a hunk don't belong to it.
        if is_blank && self.is_complete() {
            return;
        }
        let (mut gone, mut come) = (1, 1);
        match line.as_bytes().first() {
            Some(b'-') => come = 0,
            Some(b'+') => gone = 0,
            Some(b' ') => self.is_signed |= !is_blank,
            Some(b'\\') => (gone, come) = (0, 0),
            None => {}
            Some(_) => self.is_sloppy = true,
        }
        // More lines than the header says: its counts are wrong and can't tell the end.
        self.left = self.left.and_then(|(old, new)| Some((old.checked_sub(gone)?, new.checked_sub(come)?)));
    }

    /// A context line may lack its leading space, and so look like the end of the fence. The end is certain only if the
    /// counts or the other lines of the hunk rule that out.
    pub(super) fn ends(&self) -> EditEnd {
        let neat = (self.is_signed || self.only_new) && !self.is_sloppy;
        if neat || self.is_complete() { EditEnd::Here } else { EditEnd::Unsure }
    }
}

/// The hunk that begins with this line.
pub(super) fn hunk_header(line: &str) -> Option<Hunk> {
    if line.starts_with("@@") {
        let counts = unified::head(line);
        let left = counts.map(|(_, old, new)| (old, new));
        return Some(Hunk { left, only_new: left.is_some_and(|(old, _)| old == 0), ..Hunk::default() });
    }
    let is_patch = file_header::PATH_HEADS.iter().any(|head| line.starts_with(head));
    is_patch.then(|| Hunk { only_new: line.starts_with(file_header::ADD), ..Hunk::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line that looks like the fence's end means after this text.
    fn behind(text: &str, meant: bool) -> EditEnd {
        let mut extent = EditExtent::new(meant);
        text.lines().for_each(|line| extent.line(line));
        extent.ends("```")
    }

    #[test]
    fn a_block_of_markers_ends_behind_its_last_line() {
        use EditEnd::{Here, No, Unsure};
        let whole = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n";
        for (text, end) in [
            ("", Here),
            ("a.md\n", Here),
            ("a.md\n<<<<<<< SEARCH\n", No),
            ("<<<<<<< SEARCH\na\n=======\n", No),
            (whole, Here),
            ("<<<<<<< ORIGINAL\na\n=======\nb\n>>>>>>> UPDATED\n", Here),
            // Other markers inside are text, and so is another edit.
            ("<<<<<<<<< SEARCH\n>>>>>>>>> x\n", Unsure),
            ("<<<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", Unsure),
            ("<<<<<<< SEARCH\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n", No),
            // So is a conflict, a whole one or only its end.
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n=======\na\n", No),
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n=======\na\n>>>>>>> REPLACE\n", Here),
            ("<<<<<<< SEARCH\n>>>>>>> x\n=======\n>>>>>>> REPLACE\n", Here),
            // The end marker comes after the divider.
            ("<<<<<<< SEARCH\n>>>>>>> REPLACE\n", Unsure),
            ("<<<<<<< SEARCH\n>>>>>>> REPLACE\n=======\n>>>>>>> REPLACE\n", Here),
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n>>>>>>> REPLACE\n", Unsure),
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\n>>>>>>> REPLACE\n", Here),
            // A header names the file.
            ("*** Update File: a.md\n\n<<<<<<< SEARCH\n", No),
            ("--- a/a.md\n+++ b/a.md\n<<<<<<< SEARCH\n", No),
            ("@@ -1 +1 @@\na.md\n<<<<<<< SEARCH\n", No),
        ] {
            assert_eq!(behind(text, false), end, "{text}");
            assert_eq!(behind(&format!("{whole}{text}"), true), end, "{text}");
        }
        // Far below other text, markers begin an edit only if the fence says that it holds one.
        let late = "a\nb\nc\nd\n<<<<<<< SEARCH\n";
        assert_eq!((behind(late, false), behind(late, true)), (Here, No));
    }

    #[test]
    fn a_diff_ends_where_its_counts_or_its_neat_lines_say_so() {
        use EditEnd::{Here, Unsure};
        let head = "--- a/x\n+++ b/x\n";
        for (text, end) in [
            ("", Here),
            ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n", Here),
            ("@@ -1,9 +1,9 @@\n a\n-b\n+c\n", Here),
            ("@@ -1 +1 @@\n-b\n+c\n", Here),
            ("@@ -0,0 +1,9 @@\n+c\n", Here),
            ("@@ -1,3 +1,3 @@\n-b\n+c\n", Unsure),
            ("@@ -1,3 +1,3 @@\na\n-b\n+c\n", Unsure),
            ("@@ -1,2 +1,2 @@\na\n-b\n+c\n", Here),
            // The counts are too small, whatever follows.
            ("@@ -1 +1 @@\na\n-b\n+c\n", Unsure),
            ("@@ -1 +1 @@\n-b\n+c\n\n", Here),
            ("@@ @@\n-b\n+c\n", Unsure),
            // The signature of a patch ends a complete hunk, and what follows does not belong to it.
            ("@@ -1 +1 @@\n-b\n+c\n-- \n2.40.0\n\n", Here),
            ("@@ -1,3 +1 @@\n-b\n+c\n-- \n2.40.0\n", Unsure),
            // A conflict in a hunk is text; a block of markers ends the diff.
            ("@@ @@\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n", Unsure),
            ("@@ @@\n<<<<<<< SEARCH\na\n", EditEnd::No),
            ("@@ -1,9 +1,9 @@\na\n*** End Patch\n", Here),
        ] {
            assert_eq!(behind(&format!("{head}{text}"), false), end, "{text}");
        }
        assert_eq!(behind("--- a/x\n\n+++ b/x\n@@ @@\n-b\n", false), Unsure);
        let mut extent = EditExtent::new(false);
        "*** Begin Patch\n*** Update File: x\n a\n-b".lines().for_each(|line| extent.line(line));
        assert_eq!((extent.ends(" ```"), extent.ends("```")), (EditEnd::No, Here));
        assert_eq!(behind("a -- b\n-c\n", false), Here);
    }
}
