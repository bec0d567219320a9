//! What is told of container engines and Jupyter kernels that were looked for.

/// A container engine that answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundEngine {
    pub(crate) address: String,
    /// What it calls itself, with its version: `Docker 28.2.2`.
    pub(crate) version: String,
    /// The images of the configuration.
    pub(crate) images: Vec<FoundImage>,
}

/// An image of the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundImage {
    pub(crate) name: String,
    /// The languages that run in it.
    pub(crate) languages: Vec<String>,
    /// The first digits of its id, or why it is not there.
    pub(crate) there: Result<String, String>,
}

/// Jupyter kernels that could be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernels {
    /// Where: `on this machine`, `at https://hub.example`.
    pub(crate) place: String,
    /// Each with its language.
    pub(crate) names: Vec<(String, String)>,
}
