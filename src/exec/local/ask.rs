//! Questions about packages: what a text of Python needs that is not there. A kernel that a run was in stands still
//! between runs and answers nothing; another Python answers in its place, which no run ever gets.

use super::Local;
use crate::domain::Language;
use crate::exec::helper_wire::{HelperOrder, Notification};
use crate::exec::kernel::Kernel;
use crate::exec::kernel_wire::{FrameToken, KernelMessage, MissingFacility};
use crate::exec::{blob, packages};
use tokio::sync::oneshot;

/// Who answers, and what was asked.
#[derive(Debug, Default)]
pub(super) struct PackageQuestion {
    /// The Python that answers while the kernel is in use.
    pub(super) python: Option<Kernel>,
    /// What is not answered yet.
    question: Option<(FrameToken, oneshot::Sender<Vec<String>>)>,
}

impl Local {
    /// Asks what a text lacks, of a Python that may be started for it. No answer comes while a block runs.
    pub(super) fn ask_lacking(
        &mut self,
        source: &str,
        packages: &[String],
        reply: oneshot::Sender<Vec<String>>,
    ) {
        if self.run.is_some() {
            return;
        }
        // Who still has not answered the question before may never do.
        if self.asking.question.is_some() {
            self.end_asked();
        }
        self.prepare_kernel(&Language::python());
        let Some(kernel) = &mut self.kernel else { return };
        let Ok(token) = blob::random() else { return };
        // The folder and the places of modules are those that a block would have.
        let (cwd, path) = (kernel.cwd.clone(), kernel.module_path.clone());
        if !kernel.used {
            kernel.ask_lacking(&token, source, (&cwd, &path), packages);
        } else if let Some(python) = self.prepare_asked() {
            python.ask_lacking(&token, source, (&cwd, &path), packages);
        } else {
            return;
        }
        self.asking.question = Some((token, reply));
    }

    /// The Python that answers in place of the kernel, of the same program and under the same rights.
    fn prepare_asked(&mut self) -> Option<&mut Kernel> {
        let interpreter = self.kernel.as_ref()?.interpreter.clone();
        let fits = self.asking.python.as_ref().is_some_and(|python| python.interpreter == interpreter);
        if !fits {
            self.asking.python = None;
            // Nobody has approved its start: the same holds as for a kernel that is started before it is needed.
            if !self.may_start_unasked(&interpreter) {
                return None;
            }
            self.asking.python = self.new_kernel(&interpreter, 0).ok();
        }
        self.asking.python.as_mut()
    }

    /// The answer, of whoever gave it.
    pub(super) fn on_lacking(&mut self, token: FrameToken, lacking: &[MissingFacility]) {
        let Some((_, reply)) = self.asking.question.take_if(|(asked, _)| *asked == token) else { return };
        let _ = reply.send(packages::package_names(lacking));
    }

    /// Who asked is told that there is no answer.
    pub(super) fn answer_nothing(&mut self) {
        self.asking.question = None;
    }

    /// Takes what the Python that answers said.
    pub(super) fn on_asked_message(&mut self) {
        let Some(python) = &mut self.asking.python else { return };
        python.send();
        let Ok(said) = python.receive() else { return self.end_asked() };
        for (token, said) in said {
            match said {
                KernelMessage::Lacking(lacking) => {
                    self.on_lacking(token, &lacking);
                    self.pause_asked();
                }
                KernelMessage::Waiting => self.pause_asked(),
                _ => {}
            }
        }
    }

    /// Whether an answer is waited for.
    pub(super) fn is_asking(&self) -> bool {
        self.asking.question.is_some()
    }

    /// It stands still until it is asked again.
    fn pause_asked(&self) {
        if let Some(python) = self.asking.python.as_ref().filter(|_| !self.is_asking()) {
            python.process.link.order(&HelperOrder::Rest);
        }
    }

    /// Takes what its helper told.
    pub(super) fn on_asked_helper(&mut self) {
        let Some(python) = &mut self.asking.python else { return };
        let told = python.process.link.receive();
        if told.map_or(true, |told| told.iter().any(Notification::is_end)) {
            self.end_asked();
        }
    }

    /// Ends it; the next question starts another.
    pub(super) fn end_asked(&mut self) {
        if self.asking.python.take().is_some() {
            self.answer_nothing();
        }
    }
}
