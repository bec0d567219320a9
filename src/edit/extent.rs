//! Where an edit in a fence may end, told line by line: what stands inside one may look like the end of the fence around
//! it.
//!
//! Nothing is read out of it here; `markers` and `unified` do that with the whole text.

use super::markers::{Nesting, Step};
use super::{command, markers, unified};

/// Filled lines within which a diff has to begin, in a fence that says of itself nothing.
const MAX_LEADING_LINES: usize = 8;

/// Whether a line that would close the fence does so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EditEnd {
    Here,
    /// It is text of the edit.
    No,
    /// Nothing tells.
    Unsure,
}

#[derive(Clone, Debug)]
enum ExtentForm {
    /// It has not begun; whether the last filled line was the first half of a diff's head.
    None {
        half: bool,
    },
    /// Between blocks of markers.
    Markers,
    /// In such a block; whether a line was seen that may have ended it.
    Block {
        nesting: Nesting,
        unsure: bool,
    },
    Diff(Option<Hunk>),
}

/// The hunk of a diff so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Hunk {
    /// Whether a filled line of it was read.
    is_begun: bool,
    /// Lines that its head still waits for, old and new; `None`: it does not tell, or is wrong.
    left: Option<(usize, usize)>,
    /// Whether it has no line of context by what its head says.
    only_new: bool,
    /// Whether a line of context had its blank.
    is_signed: bool,
    /// Whether a line had no sign.
    is_sloppy: bool,
}

/// How far an edit goes, as far as it was read.
#[derive(Clone, Debug)]
pub(crate) struct EditExtent {
    form: ExtentForm,
    /// Filled lines so far.
    filled: usize,
    /// Whether its fence says that it is an edit; else only its first lines can.
    meant: bool,
}

impl EditExtent {
    pub(crate) fn new(meant: bool) -> Self {
        Self { form: ExtentForm::None { half: false }, filled: 0, meant }
    }

    /// Whether an edit has begun.
    pub(crate) fn has_begun(&self) -> bool {
        !matches!(self.form, ExtentForm::None { .. })
    }

    /// Whether the next line may tell that one has.
    pub(crate) fn may_have_begun(&self) -> bool {
        !matches!(self.form, ExtentForm::None { half: false })
    }

    /// Reads the next line, without what stands in front of the fence's lines.
    pub(crate) fn line(&mut self, line: &str) {
        let line = line.trim_end_matches(['\n', '\r']);
        // A command in front of its patch is as if it was not there.
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
                // Markers are looked for where those who read the edit do so. Further down a conflict is text of the diff,
                // and what says SEARCH is an edit where that is meant, or in front of a hunk's first line.
                let early = before <= markers::MAX_LEADING_LINES;
                let meant = self.meant || hunk.as_ref().is_none_or(|hunk| !hunk.is_begun);
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

    /// What begins at this line, if it does: `filled` lines stand in front of it.
    fn begin(&self, line: &str, filled: usize, first_half: bool) -> Option<ExtentForm> {
        let early = |most: usize| self.meant || filled <= most;
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

    /// Whether a line that would close the fence does so.
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
    /// Whether it has as many lines as its head says.
    pub(super) fn is_complete(&self) -> bool {
        self.left == Some((0, 0))
    }

    /// Whether its head says that more lines come.
    pub(super) fn is_waiting(&self) -> bool {
        self.left.is_some_and(|left| left != (0, 0))
    }

    pub(super) fn line(&mut self, line: &str) {
        let is_blank = line.trim().is_empty();
        self.is_begun |= !is_blank;
        // Blank lines behind a hunk are none of it.
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
        // More lines than its head says: its counts are wrong, and tell no end.
        self.left = self.left.and_then(|(old, new)| Some((old.checked_sub(gone)?, new.checked_sub(come)?)));
    }

    /// A line of context may lack its blank, and so be the end of a fence in the file: by its counts, or by the other lines,
    /// it has to be none.
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
    let is_patch = unified::PATH_HEADS.iter().any(|head| line.starts_with(head));
    is_patch.then(|| Hunk { only_new: line.starts_with(unified::ADD), ..Hunk::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a line that closes the fence means behind this text.
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
            // Other markers inside are text, and so is an edit.
            ("<<<<<<<<< SEARCH\n>>>>>>>>> x\n", Unsure),
            ("<<<<<<<<< SEARCH\na\n>>>>>>> REPLACE\n", Unsure),
            ("<<<<<<< SEARCH\n<<<<<<< SEARCH\na\n=======\n>>>>>>> REPLACE\n", No),
            // So is a conflict, whole or its end.
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n=======\na\n", No),
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n=======\na\n>>>>>>> REPLACE\n", Here),
            ("<<<<<<< SEARCH\n>>>>>>> x\n=======\n>>>>>>> REPLACE\n", Here),
            // What ends it stands behind what divides it.
            ("<<<<<<< SEARCH\n>>>>>>> REPLACE\n", Unsure),
            ("<<<<<<< SEARCH\n>>>>>>> REPLACE\n=======\n>>>>>>> REPLACE\n", Here),
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n>>>>>>> REPLACE\n", Unsure),
            ("<<<<<<< SEARCH\n<<<<<<< HEAD\na\n=======\n>>>>>>> REPLACE\n", Here),
            // A head names the file.
            ("*** Update File: a.md\n\n<<<<<<< SEARCH\n", No),
            ("--- a/a.md\n+++ b/a.md\n<<<<<<< SEARCH\n", No),
            ("@@ -1 +1 @@\na.md\n<<<<<<< SEARCH\n", No),
        ] {
            assert_eq!(behind(text, false), end, "{text}");
            assert_eq!(behind(&format!("{whole}{text}"), true), end, "{text}");
        }
        // Far behind other text it is an edit only where the fence says so.
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
            // Too few are counted, whatever comes behind.
            ("@@ -1 +1 @@\na\n-b\n+c\n", Unsure),
            ("@@ -1 +1 @@\n-b\n+c\n\n", Here),
            ("@@ @@\n-b\n+c\n", Unsure),
            // The signature of a patch ends a hunk that is counted out, and what is behind it is none of it.
            ("@@ -1 +1 @@\n-b\n+c\n-- \n2.40.0\n\n", Here),
            ("@@ -1,3 +1 @@\n-b\n+c\n-- \n2.40.0\n", Unsure),
            // A conflict in it is text, and a block of markers is none.
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
