//! The reasons why the text of a block does not say what it would do, in words for the person.

/// Why the text of a block does not say what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockTextError {
    /// The block acts on no file or folder: it is `code`, `installs packages` or `pulls an image`.
    #[error("it {0}")]
    NoFileAct(&'static str),
    /// A line that can't be parsed, in a block that reads or lists.
    #[error("{0:?} is not `path: …`, `lines: 1-400` or `depth: 2`")]
    Line(String),
    /// The line `path:` is missing or empty.
    #[error("it names no path")]
    NoPath,
    /// The path is longer than any system accepts.
    #[error("its path has {bytes} bytes, at most {most} are taken")]
    LongPath {
        /// Its length.
        bytes: usize,
        /// The longest that is accepted.
        most: usize,
    },
    /// The path holds control characters: the path shown would differ from the path opened.
    #[error("its path holds control characters")]
    HiddenInPath,
    /// The places of an edit in its file have not been found yet.
    #[error("its places in the file are not found yet")]
    NotPlaced,
    /// In a text of several files, the head line of this file is missing or occurs twice.
    #[error("the line {0:?} does not stand in it once, where it has to")]
    FileHead(String),
    /// The text names no image.
    #[error("it names no image")]
    NoImage,
    /// Not a valid image name; shortened for display.
    #[error("{0:?} is not the name of an image")]
    Image(String),
    /// No installer is known for the language.
    #[error("packages for {0} can't be installed")]
    NoInstaller(String),
    /// The text is empty, or holds only the line that says where packages are installed.
    #[error("it names no package")]
    NoPackage,
    /// A line that names no package; shortened for display.
    #[error("{0:?} is not the name of a package, with a version or without")]
    Package(String),
    /// More packages than a person would read through.
    #[error("it names {count} packages, at most {most} are taken")]
    ManyPackages {
        /// How many it names.
        count: usize,
        /// The most that are accepted.
        most: usize,
    },
}
