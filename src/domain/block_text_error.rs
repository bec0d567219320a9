//! Why the text of a block does not say what it would do, in words for the person.

/// Why the text of a block is not clear.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockTextError {
    /// The block names no file or folder at all: it is `code`, `installs packages` or `pulls an image`.
    #[error("it {0}")]
    NoFileAct(&'static str),
    /// A line of a text that reads or lists.
    #[error("{0:?} is not `path: …`, `lines: 1-400` or `depth: 2`")]
    Line(String),
    /// The line `path:` is missing or empty.
    #[error("it names no path")]
    NoPath,
    /// A path that no system takes.
    #[error("its path has {bytes} bytes, at most {most} are taken")]
    LongPath {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        most: usize,
    },
    /// What is shown of the path would not be what is opened.
    #[error("its path holds control characters")]
    HiddenInPath,
    /// An edit whose places in the file are not found yet.
    #[error("its places in the file are not found yet")]
    NotPlaced,
    /// The text of several files, in which the head of this one does not stand once.
    #[error("the line {0:?} does not stand in it once, where it has to")]
    FileHead(String),
    /// The text is empty.
    #[error("it names no image")]
    NoImage,
    /// The name, cut to what is shown.
    #[error("{0:?} is not the name of an image")]
    Image(String),
    /// A language that has no installer.
    #[error("packages for {0} can't be installed")]
    NoInstaller(String),
    /// The text is empty, or names only where packages go.
    #[error("it names no package")]
    NoPackage,
    /// The line, cut to what is shown.
    #[error("{0:?} is not the name of a package, with a version or without")]
    Package(String),
    /// A list that nobody reads through.
    #[error("it names {count} packages, at most {most} are taken")]
    ManyPackages {
        /// How many it names.
        count: usize,
        /// How many it may name.
        most: usize,
    },
}
