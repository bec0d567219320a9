//! Tells what confines runs, when the person asks.

use super::{Note, Screen};
use crate::domain::SandboxReport;
use crate::domain::sentences::sandbox::SandboxStanding;
use crate::driver::Job;

impl Screen {
    /// `/sandbox`: shows what the sandbox tests found; starts them if that is not known.
    pub(super) fn tell_sandbox(&mut self) {
        self.sandbox_asked = self.sandbox.is_none();
        self.say_sandbox();
        if self.sandbox_asked {
            self.start(Job::Sandbox);
        }
    }

    pub(super) fn sandbox_found(&mut self, found: Result<SandboxReport, String>) {
        self.sandbox = Some(found);
        if std::mem::take(&mut self.sandbox_asked) {
            self.say_sandbox();
        }
    }

    fn say_sandbox(&mut self) {
        let standing = SandboxStanding::of(self.sandbox.as_ref());
        let (text, bad) = (standing.sentence(), standing.is_bad());
        self.show_note(if bad { Note::warn(text) } else { Note::info(text) });
    }
}
