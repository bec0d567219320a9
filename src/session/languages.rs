//! The languages that sessions are told of: all that are configured, and those for which a program is here.

use crate::domain::Languages;
use crate::exec;
use std::sync::{Arc, OnceLock};
use std::thread;

/// The languages of the configuration. Cheap to clone.
#[derive(Clone)]
pub(crate) struct KnownLanguages {
    pub(crate) all: Languages,
    here: Arc<OnceLock<Languages>>,
}

impl KnownLanguages {
    pub(super) fn new(all: Languages) -> Self {
        Self { all, here: Arc::default() }
    }

    /// Looks for programs beside what else a start does: some hundred places are asked for.
    pub(crate) fn prewarm(&self) {
        let known = self.clone();
        // Without a thread they are looked for when they are asked for.
        drop(thread::Builder::new().name("languages".into()).spawn(move || known.here().0.len()));
    }

    /// Those for which a program was on `PATH` when that was asked first.
    pub(super) fn here(&self) -> &Languages {
        self.here.get_or_init(|| exec::on_path(&self.all))
    }
}
