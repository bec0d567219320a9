//! What a block does with a file or folder ([`FileAct`]), and the text that expresses it.
//!
//! In a block that reads or lists, the text is the whole action: that text is shown, hashed and approved, and the
//! person can change the action by editing it. In a block that writes, the text is the new content; its path can't be
//! edited.

use super::{BlockKind, BlockTextError, file_texts};

/// Lines that are read if the text does not say how many.
pub(crate) const DEFAULT_LINES: u32 = 400;
/// Levels of a folder that are listed if the text does not say how many.
pub(crate) const DEFAULT_DEPTH: u32 = 2;

/// The most levels that a list may ask for.
pub(crate) const MAX_DEPTH: u32 = 8;
const MAX_PATH_BYTES: usize = 4096;

/// An action on a file or folder. Paths are as the model named them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileAct {
    /// Write the whole file.
    Write { path: String },
    /// Write several whole files, all or none.
    WriteAll { paths: Vec<String> },
    /// Read lines of a file.
    Read {
        path: String,
        /// The first line, from 1.
        from: u32,
        /// How many lines at most.
        lines: u32,
    },
    /// List what a folder contains.
    List {
        path: String,
        /// How many levels; 1 is the folder alone.
        depth: u32,
    },
}

impl FileAct {
    /// Parses the text of a block of this kind.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub(crate) fn parse(kind: &BlockKind, text: &str) -> Result<Self, BlockTextError> {
        match kind {
            BlockKind::Code { .. } | BlockKind::Load { .. } | BlockKind::Call { .. } => {
                Err(BlockTextError::NoFileAct("is code"))
            }
            BlockKind::Install { .. } => Err(BlockTextError::NoFileAct("installs packages")),
            BlockKind::Pull { .. } => Err(BlockTextError::NoFileAct("pulls an image")),
            BlockKind::Write { path } => Ok(FileAct::Write { path: checked(path)? }),
            BlockKind::Edit { paths } => {
                file_texts::split(paths, text)?;
                let mut paths = paths.iter().map(|path| checked(path)).collect::<Result<Vec<_>, _>>()?;
                match paths.len() {
                    0 => Err(BlockTextError::NoPath),
                    1 => Ok(FileAct::Write { path: paths.remove(0) }),
                    _ => Ok(FileAct::WriteAll { paths }),
                }
            }
            BlockKind::Read => {
                let said = FileActFields::read(text)?;
                let (from, to) = said.lines.unwrap_or((1, DEFAULT_LINES));
                let lines = to.saturating_sub(from).saturating_add(1);
                Ok(FileAct::Read { path: checked(&said.path)?, from, lines })
            }
            BlockKind::List => {
                let said = FileActFields::read(text)?;
                Ok(FileAct::List { path: checked(&said.path)?, depth: said.depth.unwrap_or(DEFAULT_DEPTH) })
            }
        }
    }

    /// The text that expresses it, for blocks that read or list; empty for blocks that write.
    pub(crate) fn text(&self) -> String {
        match self {
            FileAct::Write { .. } | FileAct::WriteAll { .. } => String::new(),
            FileAct::Read { path, from, lines } => {
                let to = from.saturating_add(*lines).saturating_sub(1);
                format!("path: {path}\nlines: {from}-{to}\n")
            }
            FileAct::List { path, depth } => format!("path: {path}\ndepth: {depth}\n"),
        }
    }

    /// The same action, split into one per file.
    pub(crate) fn each(&self) -> Vec<FileAct> {
        match self {
            FileAct::WriteAll { paths } => {
                paths.iter().map(|path| FileAct::Write { path: path.clone() }).collect()
            }
            alone => vec![alone.clone()],
        }
    }

    /// The file or folder, as named; the first of several.
    pub(crate) fn path(&self) -> &str {
        match self {
            FileAct::WriteAll { paths } => paths.first().map_or("", String::as_str),
            FileAct::Write { path } | FileAct::Read { path, .. } | FileAct::List { path, .. } => path,
        }
    }
}

#[derive(Default)]
struct FileActFields {
    path: String,
    lines: Option<(u32, u32)>,
    depth: Option<u32>,
}

impl FileActFields {
    fn read(text: &str) -> Result<Self, BlockTextError> {
        let mut said = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let unclear = || BlockTextError::Line(line.to_owned());
            let (name, value) = line.split_once(':').ok_or_else(unclear)?;
            let value = value.trim();
            match name.trim() {
                "path" => value.clone_into(&mut said.path),
                "lines" => said.lines = Some(range(value).ok_or_else(unclear)?),
                "depth" => {
                    let depth = value.parse().ok().filter(|depth| (1..=MAX_DEPTH).contains(depth));
                    said.depth = Some(depth.ok_or_else(unclear)?);
                }
                _ => return Err(unclear()),
            }
        }
        Ok(said)
    }
}

/// Parses a range of lines: `10-40` or `10`.
fn range(text: &str) -> Option<(u32, u32)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (from.trim().parse().ok()?, to.trim().parse().ok()?);
    (from > 0 && from <= to).then_some((from, to))
}

/// Trims a path and checks that it can be shown unambiguously on one line.
fn checked(path: &str) -> Result<String, BlockTextError> {
    let path = path.trim();
    if path.is_empty() {
        Err(BlockTextError::NoPath)
    } else if path.len() > MAX_PATH_BYTES {
        Err(BlockTextError::LongPath { bytes: path.len(), most: MAX_PATH_BYTES })
    } else if path.chars().any(char::is_control) {
        Err(BlockTextError::HiddenInPath)
    } else {
        Ok(path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_said_is_what_is_meant() {
        let read = FileAct::Read { path: "src/a b.rs".into(), from: 10, lines: 31 };
        assert_eq!(read.text(), "path: src/a b.rs\nlines: 10-40\n");
        assert_eq!(FileAct::parse(&BlockKind::Read, &read.text()), Ok(read));
        let list = FileAct::List { path: ".".into(), depth: 3 };
        assert_eq!(FileAct::parse(&BlockKind::List, &list.text()), Ok(list));
    }

    #[test]
    fn what_is_not_clear_is_refused() {
        for text in
            ["", "path:", "lines: 1-2", "path: a\nlines: 4-2", "path: a\nlines: 0", "path: a\nmode: x", "a"]
        {
            assert!(FileAct::parse(&BlockKind::Read, text).is_err(), "{text:?}");
        }
        assert!(FileAct::parse(&BlockKind::List, "path: a\ndepth: 0").is_err());
        assert!(FileAct::parse(&BlockKind::Write { path: "a\nb".into() }, "x").is_err());
        assert!(FileAct::parse(&BlockKind::Write { path: "a\u{1b}b".into() }, "x").is_err());
    }

    proptest! {
        #[test]
        fn a_text_is_read_back(path in "[^\\pC]{1,40}", from in 1u32..9999, lines in 1u32..9999) {
            let act = FileAct::Read { path: path.trim().to_owned(), from, lines };
            prop_assume!(!act.path().is_empty());
            prop_assert_eq!(FileAct::parse(&BlockKind::Read, &act.text()), Ok(act));
        }
    }
}
