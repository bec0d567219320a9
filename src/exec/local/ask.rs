//! Finds out which packages a Python source needs and the kernel lacks. A kernel that a run has used is stopped between
//! runs and answers nothing; another Python process answers in its place, in which no run ever takes place.

use super::Local;
use crate::domain::Language;
use crate::exec::helper_wire::{HelperMessage, HelperOrder};
use crate::exec::kernel::Kernel;
use crate::exec::kernel_wire::{FrameToken, KernelMessage, MissingFacility};
use crate::exec::{blob, packages};
use tokio::sync::oneshot;

/// The process that answers, and the open question.
#[derive(Debug, Default)]
pub(super) struct PackageQuestion {
    /// The Python process that answers when the kernel can't.
    pub(super) python: Option<Kernel>,
    /// The question that is not answered yet.
    pub(super) question: Option<(FrameToken, oneshot::Sender<Vec<String>>)>,
}

impl Local {
    /// Asks what a source lacks. Starts a Python process for it only if that may happen without approval. No answer
    /// comes while a block runs.
    pub(super) fn ask_lacking(
        &mut self,
        source: &str,
        packages: &[String],
        reply: oneshot::Sender<Vec<String>>,
    ) {
        if self.run.is_some() {
            return;
        }
        // If the last question was not answered yet, it may never be.
        if self.asking.question.is_some() {
            self.end_asked();
        }
        self.prepare_kernel(&Language::python());
        let Some(kernel) = &mut self.kernel else { return };
        let Ok(token) = blob::random() else { return };
        // A block would have the same folder and module search path.
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

    /// The Python process that answers in place of the kernel, with the same program and rights.
    fn prepare_asked(&mut self) -> Option<&mut Kernel> {
        let interpreter = self.kernel.as_ref()?.interpreter.clone();
        let fits = self.asking.python.as_ref().is_some_and(|python| python.interpreter == interpreter);
        if !fits {
            self.asking.python = None;
            // Nobody has approved its start, so the same rule applies as to a kernel that is started in advance.
            if !self.may_start_unasked(&interpreter) {
                return None;
            }
            self.asking.python = self.new_kernel(&interpreter, 0).ok();
        }
        self.asking.python.as_mut()
    }

    /// Passes on the answer, whichever process gave it.
    pub(super) fn on_lacking(&mut self, token: FrameToken, lacking: &[MissingFacility]) {
        let Some((_, reply)) = self.asking.question.take_if(|(asked, _)| *asked == token) else { return };
        let _ = reply.send(packages::package_names(lacking));
    }

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

    pub(super) fn is_asking(&self) -> bool {
        self.asking.question.is_some()
    }

    /// Stops the answering process until the next question.
    fn pause_asked(&self) {
        if let Some(python) = self.asking.python.as_ref().filter(|_| !self.is_asking()) {
            python.process.link.order(&HelperOrder::Pause);
        }
    }

    /// Handles messages from its helper.
    pub(super) fn on_asked_helper(&mut self) {
        let Some(python) = &mut self.asking.python else { return };
        let told = python.process.link.receive();
        if told.map_or(true, |told| told.iter().any(HelperMessage::is_end)) {
            self.end_asked();
        }
    }

    /// Ends the answering process. The next question starts another one.
    pub(super) fn end_asked(&mut self) {
        if self.asking.python.take().is_some() {
            self.asking.question = None;
        }
    }
}
