//! Passes orders to the thread of an executor. The thread has a small runtime of its own, so that output is read
//! whatever the front end does. It starts with the first order.

use super::Setup;
use super::event_sender;
use super::executor_error::ExecutorError;
use super::interpreters::Finder;
use super::order::{ExecutorOrder, OrderReply};
use crate::config::{ExecutorChoice, Executors};
use crate::domain::{Outcome, RunEvent, RunId, RunRequest};
use crate::exec::KernelNotice;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// What the thread needs at its start.
#[derive(Clone, Debug)]
pub(super) struct WorkerStart {
    pub(crate) choice: ExecutorChoice,
    /// The configuration of executors other than the local one.
    pub(crate) executors: Executors,
    pub(crate) setup: Arc<Setup>,
    pub(crate) finder: Arc<Finder>,
    /// Where to report that a kernel died while nothing ran.
    pub(crate) notices: mpsc::Sender<KernelNotice>,
}

/// Passes orders on. When it is dropped, the thread ends everything and exits.
#[derive(Debug)]
pub(super) struct Worker {
    start: WorkerStart,
    thread: Mutex<Thread>,
}

/// The thread that does the work.
#[derive(Debug)]
enum Thread {
    /// No order was given yet.
    Asleep,
    Awake(mpsc::UnboundedSender<ExecutorOrder>, JoinHandle<()>),
    /// The thread has ended everything, or there never was one.
    Closed,
}

impl Worker {
    /// A worker that has not started its thread.
    pub(super) fn new(start: WorkerStart) -> Self {
        let thread = if is_built(&start.choice) { Thread::Asleep } else { Thread::Closed };
        Self { start, thread: Mutex::new(thread) }
    }

    /// Whether runs are processes of this machine.
    pub(super) fn is_local(&self) -> bool {
        self.start.choice == ExecutorChoice::Local
    }

    /// Orders a run. Its end is always reported.
    pub(super) fn start(&self, request: RunRequest, out: mpsc::Sender<(RunId, RunEvent)>) {
        if let Err(ExecutorOrder::Start(request, out)) =
            self.order(ExecutorOrder::Start(Box::new(request), out))
        {
            event_sender::did_not_run(&request, out, Outcome::NotStarted(self.why_closed().to_string()));
        }
    }

    /// Gives an order that has no reply.
    pub(super) fn send(&self, order: ExecutorOrder) {
        let _ = self.order(order);
    }

    /// Gives an order and waits for its reply; `None` if the thread has ended.
    pub(super) async fn ask<T>(&self, order: impl FnOnce(oneshot::Sender<T>) -> ExecutorOrder) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        self.order(order(reply)).ok()?;
        answer.await.ok()
    }

    /// Gives an order that may be refused, and waits for its reply.
    pub(super) async fn try_ask<T>(
        &self,
        order: impl FnOnce(OrderReply<T>) -> ExecutorOrder,
    ) -> Result<T, ExecutorError> {
        self.ask(order).await.unwrap_or_else(|| Err(self.why_closed()))
    }

    /// Ends everything, and waits until that is done.
    pub(super) async fn close(&self) {
        let thread = std::mem::replace(&mut *self.thread(), Thread::Closed);
        if let Thread::Awake(orders, thread) = thread {
            let _ = orders.send(ExecutorOrder::Close);
            let _ = tokio::task::spawn_blocking(move || thread.join()).await;
        }
    }

    fn order(&self, order: ExecutorOrder) -> Result<(), ExecutorOrder> {
        let mut thread = self.thread();
        if matches!(*thread, Thread::Asleep) {
            match self.wake() {
                Some((orders, handle)) => *thread = Thread::Awake(orders, handle),
                None => return Err(order),
            }
        }
        match &*thread {
            Thread::Awake(orders, _) => orders.send(order).map_err(|error| error.0),
            Thread::Asleep | Thread::Closed => Err(order),
        }
    }

    fn thread(&self) -> std::sync::MutexGuard<'_, Thread> {
        self.thread.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn why_closed(&self) -> ExecutorError {
        match (&self.start.choice, &*self.thread()) {
            (choice, _) if !is_built(choice) => ExecutorError::NotBuilt(format!("the executor {choice}")),
            // It takes no orders although nobody closed it.
            (_, Thread::Awake(..)) => ExecutorError::BrokeOff,
            _ => ExecutorError::Ending("runs"),
        }
    }

    fn wake(&self) -> Option<(mpsc::UnboundedSender<ExecutorOrder>, JoinHandle<()>)> {
        let (sender, orders) = mpsc::unbounded_channel();
        let start = self.start.clone();
        let work = move || {
            let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            // Local tasks stay on this thread and end with it.
            let tasks = tokio::task::LocalSet::new();
            let notices = start.notices.clone();
            watched(move || tasks.block_on(&runtime, serve(start, orders)), &notices);
        };
        let handle = std::thread::Builder::new().name("exec".into()).spawn(work).ok()?;
        Some((sender, handle))
    }
}

/// Does the work of the thread. If it panics, everything that it started ends with it, which is told.
fn watched(work: impl FnOnce(), notices: &mpsc::Sender<KernelNotice>) {
    if std::panic::catch_unwind(AssertUnwindSafe(work)).is_err() {
        let _ = notices.try_send(KernelNotice::AllLost);
    }
}

/// Whether this executor is part of this build.
fn is_built(choice: &ExecutorChoice) -> bool {
    match choice {
        ExecutorChoice::Local => true,
        ExecutorChoice::Container(_) => cfg!(feature = "docker"),
        ExecutorChoice::Jupyter(_) => cfg!(feature = "jupyter"),
    }
}

async fn serve(start: WorkerStart, orders: mpsc::UnboundedReceiver<ExecutorOrder>) {
    let WorkerStart { choice, executors, setup, finder, notices } = start;
    match choice {
        ExecutorChoice::Local => {
            let backend = super::local::Local::new(setup.clone(), finder, notices);
            super::serve::serve(backend, setup, orders).await;
        }
        #[cfg(feature = "docker")]
        ExecutorChoice::Container(image) => {
            let config = executors.container;
            let backend = super::container::Containers::new(setup.clone(), config, image, notices);
            super::serve::serve(backend, setup, orders).await;
        }
        #[cfg(feature = "jupyter")]
        ExecutorChoice::Jupyter(kernel) => {
            let backend = super::jupyter::Jupyter::new(setup.clone(), executors.jupyter, kernel, notices);
            super::serve::serve(backend, setup, orders).await;
        }
        // Executors that are not built are never asked for.
        #[cfg(not(all(feature = "docker", feature = "jupyter")))]
        _ => drop(executors),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::allowing_panics;

    #[test]
    fn a_thread_that_panics_tells_that_its_kernels_are_lost() {
        let (sender, mut notices) = mpsc::channel(1);
        let work = move || watched(|| panic!("a fault in the executor"), &sender);
        allowing_panics(async { tokio::task::spawn_blocking(work).await.unwrap() });
        assert_eq!(notices.try_recv(), Ok(KernelNotice::AllLost));
    }
}
