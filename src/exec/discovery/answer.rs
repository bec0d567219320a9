//! Results of the search for container engines and Jupyter kernels.

/// A container engine that has answered.
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
    /// The first digits of its id, or why it can't be used.
    pub(crate) there: Result<String, String>,
}

/// Jupyter kernels that could be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernels {
    /// A phrase: `on this machine`, `at https://hub.example`.
    pub(crate) place: String,
    /// The name of each kernel, with its language.
    pub(crate) names: Vec<(String, String)>,
}
