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
    #[error("it names no path")]
    NoPath,
    #[error("its path has {bytes} bytes, at most {most} are taken")]
    LongPath { bytes: usize, most: usize },
    #[error("its path holds control characters")]
    HiddenInPath,
    #[error("it names no image")]
    NoImage,
    /// The name, cut to what is shown.
    #[error("{0:?} is not the name of an image")]
    Image(String),
    /// A language that has no installer.
    #[error("packages for {0} can't be installed")]
    NoInstaller(String),
    #[error("it names no package")]
    NoPackage,
    /// The line, cut to what is shown.
    #[error("{0:?} is not the name of a package, with a version or without")]
    Package(String),
    #[error("it names {count} packages, at most {most} are taken")]
    ManyPackages { count: usize, most: usize },
}
