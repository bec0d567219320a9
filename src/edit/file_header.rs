//! What a diff or a patch says about a file before the file's hunks: its name, and whether the diff makes it. A header
//! that says what no hunk says (a file is renamed, deleted, made executable) is refused.

use super::{EditError, OtherAct};
use std::borrow::Cow;

/// The lines with which patches name a file that is changed or added.
pub(super) const PATH_HEADS: [&str; 2] = ["*** Update File:", ADD];
pub(super) const ADD: &str = "*** Add File:";
pub(super) const DELETE: &str = "*** Delete File:";
pub(super) const MOVE: &str = "*** Move to:";
/// The line with which git begins the header of a file.
pub(super) const GIT_HEAD: &str = "diff --git ";
/// In git's header of a file: the mode of a file that the diff makes, and how that of a text which is no program ends.
const NEW_FILE: &str = "new file mode ";
const PLAIN_MODE: &str = "644";
const NO_FILE: &str = "/dev/null";
/// Lines of such a header that say what no hunk says, and what that is.
const OTHER_ACTS: [(&str, OtherAct); 6] = [
    ("rename from ", OtherAct::Rename),
    ("copy from ", OtherAct::Copy),
    ("deleted file mode ", OtherAct::Delete),
    ("new mode ", OtherAct::Mode),
    ("Binary files ", OtherAct::Binary),
    ("GIT binary patch", OtherAct::Binary),
];

/// Two names without the prefixes `a/` and `b/`, which are removed only if both have theirs.
fn without_prefixes<'n>(old: &'n str, new: &'n str) -> (&'n str, &'n str) {
    let bare = (old.strip_prefix("a/").or((old == NO_FILE).then_some(old)))
        .zip(new.strip_prefix("b/").or((new == NO_FILE).then_some(new)));
    bare.unwrap_or((old, new))
}

/// The name on a `---` or a `+++` line.
fn name_on(line: &str) -> Cow<'_, str> {
    let name = line.get(4..).unwrap_or_default();
    unquoted(name.split('\t').next().unwrap_or(name).trim())
}

/// A name without the quotes in which git puts one that has other letters than those of ASCII (`"\303\274.txt"`), quotes
/// or backslashes. Where its escapes make no name, they stay.
fn unquoted(name: &str) -> Cow<'_, str> {
    let bare = name.trim_matches('"');
    let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
    quoted.filter(|inner| inner.contains('\\')).and_then(unescaped).map_or(bare.into(), Cow::Owned)
}

/// The text of git's escapes: bytes in octal digits, quotes and backslashes. `None` for those that make no text or a
/// control character, which no name needs.
fn unescaped(name: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(name.len()), name.as_bytes());
    while let [first, behind @ ..] = rest {
        rest = behind;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let (byte, length) = match rest {
            [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                (((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0'), 3)
            }
            [c @ (b'"' | b'\\'), ..] => (*c, 1),
            _ => return None,
        };
        bytes.push(byte);
        rest = rest.get(length..)?;
    }
    String::from_utf8(bytes).ok().filter(|name| !name.contains(char::is_control))
}

/// The file that the first line of git's header names; the old name if it names two.
fn path_of_git(names: &str) -> String {
    let names = names.trim();
    // A name may have spaces, but both have the same length, except where the file is renamed.
    let halves = names.split_at_checked(names.len() / 2);
    let both = halves.and_then(|(old, new)| Some((unquoted(old), unquoted(new.strip_prefix(' ')?))));
    let both = both.as_ref().map(|(old, new)| without_prefixes(old, new));
    let same = both.filter(|(old, new)| old == new).map(|(path, _)| path.to_owned());
    same.unwrap_or_else(|| {
        let old = names.split(" b/").next().unwrap_or(names).trim_matches('"');
        old.strip_prefix("a/").unwrap_or(old).to_owned()
    })
}

/// What a diff says about a file before the file's hunks.
#[derive(Debug, Default)]
pub(super) struct FileHeader {
    pub(crate) path: String,
    /// Whether the diff makes the file: without any hunk, it is empty.
    pub(crate) is_new: bool,
    /// Whether the first hunk behind it may lack its `@@` line.
    pub(crate) is_of_patch: bool,
    /// How many lines it has.
    pub(crate) lines: usize,
}

impl FileHeader {
    /// The header that begins with the first of these lines.
    pub(super) fn read(lines: &[&str]) -> Result<Option<Self>, EditError> {
        let first = lines.first().copied().unwrap_or_default();
        if let Some(names) = first.strip_prefix(GIT_HEAD) {
            return Self::of_git(names, lines).map(Some);
        }
        if let Some((head, path)) =
            PATH_HEADS.iter().find_map(|head| Some((*head, first.strip_prefix(head)?)))
        {
            let path = path.trim().to_owned();
            return Ok(Some(Self { path, is_new: head == ADD, is_of_patch: true, lines: 1 }));
        }
        Self::of_names(lines)
    }

    /// The lines `---` and `+++`.
    fn of_names(lines: &[&str]) -> Result<Option<Self>, EditError> {
        let [old, new, ..] = lines else { return Ok(None) };
        if !old.starts_with("--- ") || !new.starts_with("+++ ") {
            return Ok(None);
        }
        let (old, new) = (name_on(old), name_on(new));
        let (old, new) = without_prefixes(&old, &new);
        if new == NO_FILE {
            return Err(EditError::OtherAct(OtherAct::Delete, old.to_owned()));
        }
        Ok(Some(Self { path: new.to_owned(), is_new: old == NO_FILE, lines: 2, ..Self::default() }))
    }

    /// Git's header, up to its lines `---` and `+++` if it has them: an empty file has none.
    fn of_git(names: &str, lines: &[&str]) -> Result<Self, EditError> {
        let mut header = Self { path: path_of_git(names), lines: 1, ..Self::default() };
        while let Some(line) = lines.get(header.lines) {
            if let Some(named) = Self::of_names(lines.get(header.lines..).unwrap_or_default())? {
                // The names are those of another file, whose own first line is missing: this new one is empty.
                if header.is_new && !header.path.ends_with(&named.path) {
                    break;
                }
                let is_new = header.is_new || named.is_new;
                return Ok(Self { is_new, lines: header.lines + named.lines, ..named });
            }
            if ["@@", "*** ", GIT_HEAD].iter().any(|head| line.starts_with(head)) {
                break;
            }
            if let Some((_, act)) = OTHER_ACTS.iter().find(|(head, _)| line.starts_with(head)) {
                return Err(EditError::OtherAct(*act, header.path));
            }
            if let Some(mode) = line.strip_prefix(NEW_FILE) {
                if !mode.trim().ends_with(PLAIN_MODE) {
                    return Err(EditError::OtherAct(OtherAct::Mode, header.path));
                }
                header.is_new = true;
            }
            header.lines += 1;
        }
        Ok(header)
    }
}

/// The file that `diff` says to differ in bytes that are no text, outside of git's headers.
pub(super) fn binary_file(line: &str) -> Option<&str> {
    let names = line.strip_prefix("Binary files ")?.strip_suffix(" differ")?;
    names.rsplit(" and ").next()
}
