//! Finds diffs and patches that are in no fence: whether one begins at a line of prose, and how many lines it has.
//!
//! Only what nobody writes by chance begins one: the lines `---`, `+++` and `@@` in a row, the header of a git diff,
//! the first lines of a patch. A hunk has as many lines as its `@@` line counts, whatever they look like; if the counts
//! are wrong, the signs of its lines decide where it ends, and if they don't either, the end is unsure.

use super::command::{self, BEGIN_PATCH};
use super::extent::{self, EditEnd, Hunk};
use super::file_header::{DELETE, GIT_HEAD, MOVE, PATH_HEADS};
use super::unified;

/// The last line of a patch.
const END_PATCH: &str = "*** End Patch";

/// Lines that git may put between the header of a file and its hunks.
const GIT_HEADERS: [&str; 12] = [
    "index ",
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "similarity index ",
    "dissimilarity index ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "Binary files ",
];

/// The form of an edit outside of fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BareForm {
    /// Ends at its line `*** End Patch`.
    Patch,
    Diff,
}

/// How far such an edit reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BareEnd {
    /// How many lines belong to it.
    pub(crate) lines: usize,
    /// How many lines were read to find its end.
    pub(crate) read: usize,
    /// Whether it is certain that no further line belongs to it.
    pub(crate) is_sure: bool,
    /// The first line, from 0, that may or may not belong to it.
    pub(crate) unsure: Option<usize>,
}

/// Whether an edit begins with the first of these lines, and in which form.
pub(crate) fn begins<'l>(mut lines: impl Iterator<Item = &'l str>) -> Option<BareForm> {
    let first = lines.next()?.trim_end();
    let mut next = || lines.next().map_or("", str::trim_end);
    let is_form = if first == BEGIN_PATCH {
        return is_file_header(next()).then_some(BareForm::Patch);
    } else if command::delimiter(first).is_some() {
        return (next() == BEGIN_PATCH && is_file_header(next())).then_some(BareForm::Patch);
    } else if first.starts_with("--- ") {
        next().starts_with("+++ ") && is_hunk_header(next())
    } else if first.starts_with(GIT_HEAD) {
        let next = next();
        next.starts_with("--- ") || GIT_HEADERS.iter().any(|head| next.starts_with(head))
    } else if is_file_header(first) {
        let next = next();
        is_hunk_header(next) || next.starts_with(MOVE) || first.contains("Add") && next.starts_with('+')
    } else {
        false
    };
    is_form.then_some(BareForm::Diff)
}

/// Where the edit that begins with the first of these lines ends.
pub(crate) fn end<'l>(form: BareForm, lines: impl Iterator<Item = &'l str> + Clone) -> BareEnd {
    let lines = lines.map(|line| line.trim_end_matches(['\n', '\r']));
    match form {
        BareForm::Patch => end_of_patch(lines),
        BareForm::Diff => end_of_diff(lines),
    }
}

fn is_file_header(line: &str) -> bool {
    let mut acts = PATH_HEADS.iter().chain([&DELETE]);
    acts.any(|act| line.strip_prefix(act).is_some_and(|path| !path.trim().is_empty()))
}

fn is_hunk_header(line: &str) -> bool {
    line.strip_prefix("@@").is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

fn end_of_patch<'l>(mut lines: impl Iterator<Item = &'l str>) -> BareEnd {
    let first = lines.next().unwrap_or_default();
    let mut count = 1;
    while let Some(line) = lines.next() {
        count += 1;
        if line.trim_end() == END_PATCH {
            let is_delimiter =
                |line: &str| command::delimiter(first).is_some_and(|word| line.trim_end() == word);
            let more = usize::from(lines.next().is_some_and(is_delimiter));
            return BareEnd { lines: count + more, read: count + 1, is_sure: true, unsure: None };
        }
    }
    BareEnd { lines: count, read: count, is_sure: false, unsure: Some(0) }
}

/// Whether a line belongs to the diff before it.
#[derive(PartialEq, Eq)]
enum LineRole {
    Yes,
    /// A blank line after all the lines that the hunk counts.
    Perhaps,
    Unsure,
    No,
}

fn end_of_diff<'l>(mut lines: impl Iterator<Item = &'l str> + Clone) -> BareEnd {
    let (mut hunk, mut read, mut taken, mut filled): (Option<Hunk>, _, _, _) = (None, 0, 0, 0);
    let (mut unsure, mut shorter, mut is_behind_blank, mut is_over) = (None, None, false, false);
    while let Some(line) = lines.next() {
        let belongs = if take_between(line, lines.clone(), &mut hunk) {
            (unsure, shorter) = (None, None);
            LineRole::Yes
        } else {
            belongs(line, hunk.as_mut(), is_behind_blank)
        };
        match belongs {
            LineRole::No => {
                is_over = true;
                break;
            }
            LineRole::Perhaps => {}
            LineRole::Unsure => {
                unsure.get_or_insert(read);
                shorter = shorter.or(is_behind_blank.then_some(filled));
                taken = read + 1;
            }
            LineRole::Yes => taken = read + 1,
        }
        read += 1;
        is_behind_blank = line.trim().is_empty();
        filled = if is_behind_blank { filled } else { taken };
    }
    let is_sure = is_over || hunk.as_ref().is_none_or(|hunk| hunk.ends() == EditEnd::Here);
    // Blank lines at the end belong to the edit only if the hunk counts them.
    let whole = if hunk.is_none_or(|hunk| hunk.is_complete()) { taken } else { filled };
    let lines = if is_sure { whole } else { shorter.unwrap_or(whole) };
    BareEnd { lines, read, is_sure, unsure }
}

/// Whether a line is outside of hunks; if so, sets `hunk` to the hunk that begins with the line, or to `None`.
fn take_between<'l>(line: &str, mut ahead: impl Iterator<Item = &'l str>, hunk: &mut Option<Hunk>) -> bool {
    if is_hunk_header(line) || is_file_header(line) {
        *hunk = extent::hunk_header(line);
        return true;
    }
    if line.starts_with(MOVE) {
        *hunk = Some(Hunk::default());
        return true;
    }
    let ends = [GIT_HEAD, END_PATCH, unified::END_OF_FILE].iter().any(|head| line.starts_with(head));
    // While a hunk still waits for lines, a line is text of the hunk: a removed line `-- x` looks like the header of a
    // file.
    let mut is_file = || {
        let mut next = || ahead.next().unwrap_or_default();
        line.starts_with("--- ") && next().starts_with("+++ ") && is_hunk_header(next())
    };
    let stands_between = ends || hunk.as_ref().is_none_or(|hunk| !hunk.is_waiting()) && is_file();
    if stands_between {
        *hunk = None;
    }
    stands_between
}

fn belongs(line: &str, hunk: Option<&mut Hunk>, is_behind_blank: bool) -> LineRole {
    let is_blank = line.trim().is_empty();
    let Some(hunk) = hunk else {
        let is_head = line.starts_with("--- ") || line.starts_with("+++ ");
        let is_head = is_head || GIT_HEADERS.iter().any(|head| line.starts_with(head));
        return if is_head {
            LineRole::Yes
        } else if is_blank {
            LineRole::Perhaps
        } else {
            LineRole::No
        };
    };
    let is_signed = line.starts_with([' ', '+', '-', '\\']);
    if hunk.is_complete() && !line.starts_with('\\') {
        // A rule, a signature, and list items after a blank line are not part of the hunk. Any other line with a sign
        // means that the hunk's counts are wrong.
        let is_prose = line.trim_end() == "---"
            || line == unified::SIGNATURE
            || is_behind_blank && ["- ", "+ ", "--"].iter().any(|mark| line.starts_with(mark));
        if is_blank {
            return LineRole::Perhaps;
        }
        if !is_signed || is_prose {
            return LineRole::No;
        }
    } else if !is_signed && !is_blank && hunk.ends() == EditEnd::Here {
        return LineRole::No;
    }
    hunk.line(line);
    match (is_blank, is_signed) {
        (true, _) if hunk.is_waiting() || hunk.is_complete() => LineRole::Yes,
        (true, _) => LineRole::Perhaps,
        (_, true) => LineRole::Yes,
        _ => LineRole::Unsure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(text: &str) -> Option<(usize, bool)> {
        let form = begins(text.split_inclusive('\n'))?;
        let end = end(form, text.split_inclusive('\n'));
        Some((end.lines, end.is_sure))
    }

    #[test]
    fn only_what_nobody_writes_by_chance_begins_one() {
        for text in [
            "--- a/x\n",
            "---\n",
            "--- x\n\ntext\n",
            "---\ntitle: x\n---\n",
            "-- \nAda\n",
            "--- a/x\n+++ b/x\n",
            "Title\n---\n",
            "--- a/x\n+++ b/x\ntext\n@@ -1 +1 @@\n",
            "@@ -1 +1 @@\n-a\n+b\n",
            "diff --git a/x b/x\nis what git prints.\n",
            "*** Begin Patch\nbegins it.\n",
            "*** Begin Patch",
            "*** Update File: x\nis how\n",
            "apply_patch <<'EOF'\nx\nEOF\n",
            "+++ b/x\n@@ -1 +1 @@\n",
            "*** Delete File: x\n",
        ] {
            assert_eq!(end_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_diff_ends_where_its_counts_say_so() {
        let head = "--- a/x\n+++ b/x\n";
        for (text, end) in [
            ("@@ -1,2 +1,2 @@\n a\n-b\n+c\nprose\n", (6, true)),
            ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n- item\n", (6, true)),
            ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n---\n", (6, true)),
            ("@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n\ntext\n", (7, true)),
            // Lines that look like a header, a fence or prose are text of the hunk as long as it counts them.
            ("@@ -1,2 +1,2 @@\n--- x\n+++ y\n@@ -1 +1 @@\n-a\n+b\ntext\n", (8, true)),
            ("@@ -1,2 +1,2 @@\n```bash\n--- x\n+++ y\n```\n", (6, true)),
            ("@@ -1,3 +1,3 @@\n-b\n+c\n\ntext\nmore\n", (7, true)),
            // The signature of a patch made by `git format-patch`; where the hunk waits for more lines, it is a removed
            // line.
            ("@@ -1 +1 @@\n-a\n+b\n-- \n2.40.0\n\n", (5, true)),
            ("@@ -1,2 +1 @@\n-a\n+b\n-- \n2.40.0\n\n", (6, true)),
            ("@@ -1 +1 @@\n-a\n+b\n--\n2.40.0\n", (7, false)),
            // Several hunks, several files, blank lines between them.
            (
                "@@ -1 +1 @@\n-a\n+b\n\n@@ -9 +9 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n\ntext\n",
                (14, true),
            ),
            // Wrong counts: the end is certain because all lines have signs.
            ("@@ -1,9 +1,9 @@\n a\n-b\n+c\n\nThat is all.\n", (6, true)),
            ("@@ -1 +1 @@\n a\n-b\n+c\n d\nThat is all.\n", (7, true)),
            ("@@ @@\n a\n-b\n+c\nThat is all.\n", (6, true)),
            // Wrong counts, and nothing makes the end certain.
            ("@@ -1,9 +1,9 @@\n-b\n+c\n\nThat is all.\n\nYes.\n", (5, false)),
            ("@@ -1,9 +1,9 @@\na\n-b\n+c\n```bash\nls\n```\n", (9, false)),
        ] {
            assert_eq!(end_of(&format!("{head}{text}")), Some(end), "{text}");
        }
        let git = "diff --git a/x b/y\nsimilarity index 90%\nrename from x\nrename to y\nprose\n";
        assert_eq!(end_of(git), Some((4, true)));
    }

    #[test]
    fn a_patch_ends_where_it_says_so() {
        let patch = "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** End Patch\n";
        assert_eq!(end_of(patch), Some((6, true)));
        assert_eq!(end_of(&format!("apply_patch <<'EOF'\n{patch}EOF\nls\n")), Some((8, true)));
        assert_eq!(end_of(&format!("$ apply_patch << \"X\"\n{patch}ls\n")), Some((7, true)));
        assert_eq!(end_of(&patch.replace("*** End Patch\n", "text\n")), Some((6, false)));
        assert_eq!(end_of("*** Update File: x\n@@\n a\n-b\n+c\ntext\n"), Some((5, true)));
        assert_eq!(end_of("*** Add File: x\n+a\n+b\n\ntext\n"), Some((3, true)));
    }
}
