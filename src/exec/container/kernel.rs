//! The kernel of a session in its container. Process 1 is the bridge (`assets/bridge.py`), which carries the kernel's
//! control channel and output. How a block ended is decided by what the kernel says, how the kernel ended by what the
//! bridge says.

use super::bridge_wire::{self, BridgeMessage};
use super::engine::ContainerEngine;
use super::error::ContainerError;
use super::plan::ContainerFrame;
use super::running_container::{ContainerHandle, remove};
use crate::domain::{KernelRef, Reach, SharedState};
use crate::exec::backend::BackendRun;
use crate::exec::blob;
use crate::exec::frames::{FrameDecoder, FrameError};
use crate::exec::helper_wire::{PauseState, ResourceUse};
use crate::exec::kernel_wire::{self, FrameToken, KernelMessage};
use crate::exec::plan;
use crate::exec::receipt::cause_of_death;
use crate::text::line::last_line;
use bollard::container::LogOutput;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

/// Reads the source of the bridge from standard input and executes it.
const BOOT: &str = "import os\n\
    def take(n):\n\
    \x20 d = b''\n\
    \x20 while len(d) < n:\n\
    \x20  p = os.read(0, n - len(d))\n\
    \x20  if not p: os._exit(0)\n\
    \x20  d += p\n\
    \x20 return d\n\
    exec(compile(take(int(take(8))), '<sayso bridge>', 'exec'))";
const BRIDGE: &str = include_str!("../../../assets/bridge.py");

#[derive(Debug)]
pub(super) enum KernelEvent {
    /// A message from the kernel, with the token of its run.
    Said(FrameToken, KernelMessage),
    /// A message from the bridge itself.
    Told(BridgeMessage),
    /// The block has ended and its container was to be paused; whether it is.
    Resting(bool),
    Gone(KernelEnd),
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum KernelEnd {
    /// It never ran; the reason.
    NotStarted(String),
    OutOfMemory(ResourceUse),
    /// It died; the cause.
    Died(String, ResourceUse),
}

impl KernelEnd {
    /// It died, and what it used is not known.
    fn died(cause: impl std::fmt::Display) -> Self {
        Self::Died(cause.to_string(), ResourceUse::default())
    }
}

pub(super) struct ContainerKernel {
    /// The name of the image, as shown to the person.
    pub(crate) image: String,
    pub(crate) state: KernelRef,
    /// Its working folder, as last reported.
    pub(crate) cwd: PathBuf,
    /// What it can reach; fixed at its start.
    pub(crate) reach: Reach,
    /// Whether it has reported that it is ready.
    pub(crate) ready: bool,
    /// The blocks that ran in it, and what they were last found to have changed.
    pub(crate) shared: SharedState,
    /// Its state after the last block.
    pub(crate) pause: Option<PauseState>,
    events: mpsc::Receiver<KernelEvent>,
    orders: mpsc::UnboundedSender<Vec<u8>>,
    stop: Rc<Notify>,
    work: JoinHandle<()>,
}

impl ContainerKernel {
    /// Starts an empty kernel. `id` is the id of the image, `image` its name.
    pub(super) fn start(
        engine: Rc<ContainerEngine>,
        frame: &ContainerFrame,
        (id, image): (&str, String),
        name: String,
        generation: u32,
    ) -> Self {
        let cwd = frame.cwd();
        // The bridge verifies its own restrictions, so it has to know what was opened.
        let network = if frame.granted.network { "open" } else { "closed" };
        let reach = frame.reach();
        let body = frame.body(id, &["python3", "-I", "-S", "-c", BOOT], vec![network.into()]);
        let (sender, events) = mpsc::channel(256);
        let (orders, pieces) = mpsc::unbounded_channel();
        let stop = Rc::new(Notify::new());
        let (work_stop, folder) = (stop.clone(), cwd.clone());
        let work = tokio::task::spawn_local(async move {
            let work = drive_kernel(engine.clone(), &name, body, &folder, pieces, &sender);
            let gone = tokio::select! {
                gone = work => gone,
                () = work_stop.notified() => KernelEnd::died("it was ended by force"),
            };
            // The end is reported first: the engine may take a while to remove the container.
            let _ = sender.send(KernelEvent::Gone(gone)).await;
            remove(&engine, &name).await;
        });
        let state = KernelRef { generation, variables: 0, keeps_running: !frame.able.pauses };
        let shared = SharedState::default();
        Self { image, state, cwd, reach, ready: false, shared, pause: None, events, orders, stop, work }
    }

    /// Hands a block over to it, or a file of the person's functions.
    pub(super) fn run(&self, job: &BackendRun) {
        let _ = self.orders.send(bridge_wire::begin());
        let _ = self.orders.send(bridge_wire::control(&job.kernel_order()));
    }

    /// Tells it whether to run the source after this part.
    pub(super) fn after_part(&self, token: &FrameToken, part: u32, goes_on: bool) {
        let _ = self.orders.send(bridge_wire::control(&kernel_wire::after_part(token, part, goes_on)));
    }

    /// The block has ended: ends the processes that it left behind.
    pub(super) fn end_run(&self) {
        let _ = self.orders.send(bridge_wire::end());
    }

    /// Sends SIGINT to its process group.
    pub(super) fn interrupt(&self) {
        let _ = self.orders.send(bridge_wire::interrupt());
    }

    /// Kills it, with its container.
    pub(super) fn kill(&self) {
        self.stop.notify_one();
    }

    /// Kills it. The returned task ends when its container is removed.
    pub(super) fn close(self) -> JoinHandle<()> {
        self.stop.notify_one();
        self.work
    }

    /// The next event. Safe to cancel.
    pub(super) async fn next_event(&mut self) -> KernelEvent {
        let lost = || KernelEvent::Gone(KernelEnd::died("it was lost sight of"));
        self.events.recv().await.unwrap_or_else(lost)
    }
}

/// Starts the container and passes messages in both directions until it ends. Returns how it ended.
async fn drive_kernel(
    engine: Rc<ContainerEngine>,
    name: &str,
    body: bollard::models::ContainerCreateBody,
    folder: &Path,
    mut orders: mpsc::UnboundedReceiver<Vec<u8>>,
    out: &mpsc::Sender<KernelEvent>,
) -> KernelEnd {
    let (mut held, mut talk) = match start_bridge(engine.clone(), name, body, folder).await {
        Ok(started) => started,
        Err(why) => return KernelEnd::NotStarted(why),
    };
    // The container is paused between runs if the engine can do that.
    let (can_pause, mut paused, mut used) = (engine.able.pauses, false, false);
    loop {
        let piece = tokio::select! {
            piece = held.next() => piece,
            Some(order) = orders.recv() => {
                // A late interrupt must not be kept for the next block.
                if paused && order == bridge_wire::interrupt() {
                    continue;
                }
                used = true;
                if std::mem::take(&mut paused) && !held.unpause().await {
                    return KernelEnd::died("the engine did not let its container go on");
                }
                held.write(order);
                continue;
            }
        };
        let heard = match piece {
            None => break,
            Some(LogOutput::StdErr { message }) => {
                talk.error(&message);
                continue;
            }
            Some(piece) => talk.push(&piece.into_bytes()),
        };
        let heard = match heard {
            Ok(heard) => heard,
            Err(why) => return KernelEnd::died(why),
        };
        for one in heard {
            if let Some(gone) = MessageSplitter::kernel_end(&one) {
                return gone;
            }
            let over = matches!(one, KernelEvent::Told(BridgeMessage::Finished(_)));
            let waits = !used && matches!(one, KernelEvent::Said(_, KernelMessage::Waiting));
            if can_pause && (over || waits) {
                paused = held.pause().await;
            }
            if (over && out.send(KernelEvent::Resting(paused)).await.is_err()) || out.send(one).await.is_err()
            {
                return KernelEnd::died("nobody listens any more");
            }
        }
    }
    end_of(&mut held, &talk).await
}

/// Starts the container with the bridge in it, which gets the source of the kernel. The error is why it did not start.
async fn start_bridge(
    engine: Rc<ContainerEngine>,
    name: &str,
    body: bollard::models::ContainerCreateBody,
    folder: &Path,
) -> Result<(ContainerHandle, MessageSplitter), String> {
    let held = ContainerHandle::start(engine, name, body).await.map_err(|error| error.to_string())?;
    let mark: FrameToken = blob::random().map_err(|error| error.to_string())?;
    let start = plan::kernel(Path::new("python3"), folder, Vec::new()).program.args;
    let start = start.get(2).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    held.write(format!("{:08}{BRIDGE}", BRIDGE.len()).into_bytes());
    held.write(bridge_wire::start(&mark, plan::KERNEL, &start, folder.as_os_str().as_bytes()));
    Ok((held, MessageSplitter::new(mark)))
}

/// How the kernel ended, once its output has ended.
async fn end_of(held: &mut ContainerHandle, talk: &MessageSplitter) -> KernelEnd {
    match held.exit().await {
        Err(error) if !talk.spawned => KernelEnd::NotStarted(error.to_string()),
        Err(error) => KernelEnd::died(error),
        Ok(_) if held.ran_out_of_memory().await => KernelEnd::OutOfMemory(ResourceUse::default()),
        Ok(code) if !talk.spawned => {
            let said = talk.last_error().unwrap_or_else(|| "it said nothing".into());
            KernelEnd::NotStarted(format!("Python could not be started as a kernel (status {code}): {said}"))
        }
        Ok(code) => KernelEnd::died(format!("its container ended with status {code}")),
    }
}

/// The output of a container does not follow the protocol of the bridge or the kernel, so nothing in it is trusted any
/// more.
#[derive(Debug, thiserror::Error)]
#[error("the channel to its container is broken: {0}")]
struct BrokenChannel(#[from] FrameError);

/// Splits the output into messages of the bridge and of the kernel.
struct MessageSplitter {
    mark: FrameToken,
    frames: FrameDecoder,
    control: FrameDecoder,
    errors: Vec<u8>,
    spawned: bool,
}

impl MessageSplitter {
    fn new(mark: FrameToken) -> Self {
        Self {
            mark,
            frames: FrameDecoder::new(bridge_wire::MAX_FRAME_BYTES),
            control: kernel_wire::decoder(),
            errors: Vec::new(),
            spawned: false,
        }
    }

    fn error(&mut self, bytes: &[u8]) {
        let room = (16usize << 10).saturating_sub(self.errors.len()).min(bytes.len());
        self.errors.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }

    fn last_error(&self) -> Option<String> {
        last_line(&String::from_utf8_lossy(&self.errors)).map(str::to_owned)
    }

    fn push(&mut self, bytes: &[u8]) -> Result<Vec<KernelEvent>, BrokenChannel> {
        self.frames.push(bytes);
        let mut heard = Vec::new();
        while let Some(frame) = self.frames.next_frame()? {
            match bridge_wire::decode(frame, &self.mark)? {
                BridgeMessage::Control(bytes) => {
                    self.control.push(&bytes);
                    while let Some(frame) = self.control.next_frame()? {
                        let (token, said) = kernel_wire::decode(frame)?;
                        heard.push(KernelEvent::Said(token, said));
                    }
                }
                told => {
                    self.spawned |= told == BridgeMessage::Spawned;
                    heard.push(KernelEvent::Told(told));
                }
            }
        }
        Ok(heard)
    }

    /// How the kernel ended, if this event is its end.
    fn kernel_end(heard: &KernelEvent) -> Option<KernelEnd> {
        match heard {
            KernelEvent::Told(BridgeMessage::Open(why)) => {
                Some(KernelEnd::NotStarted(ContainerError::Open(why.clone()).to_string()))
            }
            KernelEvent::Told(BridgeMessage::Exited { out_of_memory: true, ending, used })
                if ending.signal == Some(9) =>
            {
                Some(KernelEnd::OutOfMemory(*used))
            }
            KernelEvent::Told(BridgeMessage::Exited { ending, used, .. }) => {
                Some(KernelEnd::Died(cause_of_death(*ending), *used))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::Stream;
    use crate::exec::frames::encode;

    #[test]
    fn talk_in_any_pieces() {
        let mark: FrameToken = [7; 16];
        let hello = encode(b'H', [&[0u8; 16][..], b"3.13.1"]);
        let (first, second) = hello.split_at(5);
        let mut bytes = encode(b'P', [&mark[..]]);
        bytes.extend(encode(b'C', [&mark[..], first]));
        bytes.extend(encode(b'O', [&mark[..], b"1", b"C looks like a frame"]));
        bytes.extend(encode(b'C', [&mark[..], second]));
        for size in [1, 3, 1000] {
            let mut talk = MessageSplitter::new(mark);
            let heard: Vec<KernelEvent> = bytes.chunks(size).flat_map(|c| talk.push(c).unwrap()).collect();
            assert_eq!(heard.len(), 3, "{heard:?}");
            assert!(matches!(&heard[1], KernelEvent::Told(BridgeMessage::Output(Stream::Stdout, _))));
            let KernelEvent::Said(_, KernelMessage::Hello { version }) = &heard[2] else {
                panic!("{heard:?}")
            };
            assert_eq!(version, "3.13.1");
        }
    }

    #[test]
    fn what_comes_without_the_mark_breaks_the_channel() {
        let mut talk = MessageSplitter::new([7; 16]);
        assert!(talk.push(&encode(b'F', [&[8u8; 16][..], b"1", b"1", b"1"])).is_err());
        let mut talk = MessageSplitter::new([7; 16]);
        assert!(talk.push(b"Traceback (most recent call last)\n").is_err());
    }
}
