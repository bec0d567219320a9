//! The languages that sessions are told of: all that are configured, and those for which a program is here.

use crate::domain::Languages;
use crate::exec;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

/// The languages of the configuration. Cheap to clone.
#[derive(Clone)]
pub(crate) struct KnownLanguages {
    pub(crate) all: Languages,
    looking: Arc<Mutex<Option<JoinHandle<Languages>>>>,
}

impl KnownLanguages {
    pub(super) fn new(all: Languages) -> Self {
        Self { all, looking: Arc::default() }
    }

    /// Looks for programs beside what else a start does: some hundred places are asked for.
    pub(crate) fn prewarm(&self) {
        let all = self.all.clone();
        let looking = thread::Builder::new().name("languages".into()).spawn(move || exec::on_path(&all));
        *self.looking.lock().unwrap_or_else(PoisonError::into_inner) = looking.ok();
    }

    /// Those for which a program is on `PATH` now.
    pub(super) fn here(&self) -> Languages {
        let looking = self.looking.lock().unwrap_or_else(PoisonError::into_inner).take();
        let found = looking.and_then(|looking| looking.join().ok());
        found.unwrap_or_else(|| exec::on_path(&self.all))
    }
}
