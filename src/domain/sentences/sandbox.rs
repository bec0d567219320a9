//! Sentences about what confines runs, and what that means for a block.

use crate::domain::{Rights, SandboxLevel, SandboxReport};

/// Why an effect of a block will not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    /// The block can't access the path.
    Place,
    /// The block can't write to the path, but it can change its mode and its times.
    Content,
    /// The block sees something empty at the path.
    Empty,
    /// The block can't use the network.
    Network,
}

/// What to do about a folder that can't be opened to runs: it is wrong where it was named.
pub(crate) const CORRECT_FOLDER: &str =
    "Correct --allow-read, --allow-write or the folders of [sandbox]; no run begins before that.";

/// `reads ~/.ssh/id_rsa: the sandbox will refuse`.
pub(crate) fn refusal(verb: &str, target: &str, hindrance: Hindrance) -> String {
    let why = match hindrance {
        Hindrance::Place => "the sandbox will refuse",
        Hindrance::Content => "the sandbox will refuse new content, but not a new mode or new times",
        Hindrance::Empty => "the sandbox shows it empty",
        Hindrance::Network => "the sandbox will refuse, its network is closed",
    };
    format!("{verb} {target}: {why}")
}

/// What is known about the sandbox of this session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SandboxStanding<'a> {
    /// Its tests were not requested, or are still running.
    Untested,
    /// The requested level is not available, so nothing runs; the text says why.
    Refused(&'a str),
    /// The result of its tests.
    Tested(&'a SandboxReport),
}

impl<'a> SandboxStanding<'a> {
    /// Converts the executor's answer, if there is one yet.
    pub(crate) fn of(answer: Option<&'a Result<SandboxReport, String>>) -> Self {
        match answer {
            None => SandboxStanding::Untested,
            Some(Err(why)) => SandboxStanding::Refused(why),
            Some(Ok(report)) => SandboxStanding::Tested(report),
        }
    }

    /// Whether nothing confines runs, or none may start.
    pub(crate) fn is_bad(self) -> bool {
        match self {
            SandboxStanding::Untested => false,
            SandboxStanding::Refused(_) => true,
            SandboxStanding::Tested(report) => report.level == SandboxLevel::Off,
        }
    }

    pub(crate) fn sentence(self) -> String {
        match self {
            SandboxStanding::Untested => "Sandbox: it is being tested.".into(),
            SandboxStanding::Refused(why) => format!("Sandbox: nothing runs here: {why}"),
            SandboxStanding::Tested(report) if report.level == SandboxLevel::Off => off("blocks"),
            SandboxStanding::Tested(report) => {
                let network = if report.network_blocked { "network off" } else { "network open" };
                let open = if report.contained { String::new() } else { format!("; {GROUPED}") };
                let (level, layers) = (report.level.as_str(), report.holding());
                format!("Sandbox is ON: {level}, {network} ({layers}){open}.")
            }
        }
    }
}

/// The requested level is not available: nothing runs.
pub(crate) fn asked_and_missing(level: SandboxLevel, missing: &str) -> String {
    format!(
        "the sandbox that was asked for ({}) can't be had here: {missing}; `sayso doctor` tells more, --sandbox off runs \
         without",
        level.as_str()
    )
}

/// Errors of the system that a limit causes as well as a machine without room.
pub(crate) const LIMIT_SIGNS: [&str; 3] =
    ["Too many open files", "Cannot allocate memory", "Resource temporarily unavailable"];

/// The tests could not be completed, so nothing runs. Where a limit may be the cause, which a project can set, the
/// sandbox is not what to give up.
pub(crate) fn untested(why: &str) -> String {
    let next = if LIMIT_SIGNS.iter().any(|sign| why.contains(sign)) {
        "a limit on runs is too low for it, or the machine has no room; `sayso config show` tells the limits and who set \
         them; try again, or with higher ones"
    } else {
        "the machine is busy or has no room; try again, or run without it: --sandbox off"
    };
    format!("the self-test of the sandbox could not be finished ({why}): {next}")
}

/// The private folder of runs can't be made, so nothing runs.
pub(crate) fn no_private_folder(parent: &str, why: &str) -> String {
    format!(
        "the sandbox needs a private folder in {parent}, and none can be made ({why}): make room there, let TMPDIR name \
         another folder, or run without it: --sandbox off"
    )
}

/// What confines a local Jupyter kernel.
pub(crate) const JUPYTER_OPEN: &str = "a Jupyter kernel runs as your account, outside of the sandbox";

/// The layer that is missing there.
pub(crate) const JUPYTER_LAYER: &str = "jupyter: local sandbox";

/// A sandbox was requested although Jupyter kernels have none.
pub(crate) const JUPYTER_ASKED: &str =
    "the sandbox does not apply to Jupyter kernels, and it was asked for: leave it out, or say --sandbox off";

/// Warns before files run in such kernels.
pub(crate) const JUPYTER_WARNING: &str = "warning: the local sandbox does not apply to Jupyter kernels: files run with everything \
                                   that the kernel's account can do";

/// A container, although no sandbox was requested.
pub(crate) const CONTAINER_ANYWAY: &str = "without the sandbox a container is as closed as with it";

/// A test failed: a forbidden call succeeded.
pub(crate) const CALL_WENT_THROUGH: &str = "a call that it refuses went through";

/// Behind a setting that is not followed in a sandbox: `follow_no_settings` in `exec/packages/sources.rs`.
pub(crate) const ONLY_WITHOUT: &str = " (only without a sandbox)";

/// The sandbox works, but not with the person's folders, so nothing runs: what is in them must not make it weaker.
pub(crate) fn not_with_folders(why: &str) -> String {
    format!(
        "the sandbox works here, but not with what is in the folders that runs may use ({why}): take what it names out of \
         them (many Unix sockets, folders without access), choose another folder with --cwd, or run without it: \
         --sandbox off"
    )
}

/// Unix sockets that no mount covers, because they do not exist yet.
pub(crate) const LATER_SOCKETS: &str =
    "a Unix socket that is made in these folders after the start can be reached";

/// The same where not everything in the folders could be looked at.
pub(crate) const MORE_SOCKETS: &str = "Unix sockets in these folders can be reached but for the first ones: there is too much in them to look for all";

/// Unix sockets are refused by seccomp, because no mounts cover them.
pub(crate) const NO_SOCKETS: &str =
    "runs can connect to no Unix socket: there are too many in these folders to cover each one";

/// Neither mounts nor seccomp close them.
pub(crate) const OPEN_SOCKETS: &str =
    "without seccomp: Unix sockets in these folders can be reached: there are too many to cover each one";

/// What runs leave in shared memory without the outer layer.
pub(crate) const SHARED_MEMORY: &str = "without bwrap: /dev/shm is that of this computer: runs can read and write what your account can there, and what they \
     leave stays after them";

/// What is left open if neither namespaces nor refused calls keep runs from it.
pub(crate) const CALLS_OPEN: &str = "without bwrap and seccomp: Unix sockets of other programs can be reached, and what your other programs share by \
     message queues, semaphores and shared memory of System V";

/// What is lost if bubblewrap is missing, and how to get it.
pub(crate) const WITHOUT_BWRAP: &str = "Runs have no file system, network and processes of their own. Install bubblewrap (apt install bubblewrap, dnf \
     install bubblewrap); where it is there but refused, user namespaces are switched off (Ubuntu: an AppArmor profile \
     for bwrap; containers: allow them for this one).";

/// What is lost if seccomp is missing.
pub(crate) const WITHOUT_SECCOMP: &str =
    "Dangerous system calls are not refused. It needs a kernel with seccomp filters on x86-64 or arm64.";

/// What is left open if runs have no process namespace.
const GROUPED: &str = "processes are ended as a group";

/// `Sandbox is OFF: block 3 can do anything your account can.`
pub(crate) fn off(who: &str) -> String {
    format!("Sandbox is OFF: {}.", unconfined(who))
}

/// The same behind a label that names the subject.
pub(crate) fn off_labelled(who: &str) -> String {
    format!("OFF: {}", unconfined(who))
}

/// Seccomp is the only layer that is available.
pub(crate) const SECCOMP_ALONE: &str = "alone it confines nothing";

/// What is left open without bubblewrap.
pub(crate) const TIMES_OPEN: &str =
    "without bwrap: times and modes of files outside can be changed where your account can";

/// The code runs on a Jupyter server.
pub(crate) const ON_SERVER: &str =
    "the code runs on the Jupyter server, with what the kernel's account can do there";

/// The title of a confirmation for a block that nothing confines.
pub(crate) const CONFIRM_UNCONFINED: &str = "Confirm: nothing confines it";

/// The program that opens an image outside is not confined.
pub(crate) const OPENED_OUTSIDE: &str = "The desktop's own program opens it, and nothing confines that one.";

/// The places of a block that nothing confines.
pub(crate) const PLACES_UNCONFINED: &str = "all that your account can";

/// The level `off`.
pub(crate) const LEVEL_OFF: &str = "Not at all: code can do anything that your account can";

/// What `/sandbox` shows.
pub(crate) const SHOWN: &str = "what confines a block here";

/// What the test saw of writes.
pub(crate) const WRITES_CONFINED: &str = "writes confined";

/// What it means that nothing confines runs here.
pub(crate) fn off_here() -> String {
    let means = unconfined("A block");
    format!("{means}. Each block that starts a program needs the typed word, and none is approved by itself.")
}

fn unconfined(who: &str) -> String {
    format!("{who} can do anything your account can")
}

/// Follows the location of a kernel that is not local.
pub(crate) const NOT_THERE: &str = "the local sandbox does not apply there";

/// The mark at the end of the status row.
pub(crate) const OFF_MARK: &str = "Sandbox OFF";

/// Follows the label of the rights: `bwrap+landlock: ON, workspace`, and what the tests found open.
pub(crate) fn on_labelled(rights: &Rights) -> String {
    let report = &rights.sandbox;
    let mut open = Vec::new();
    if !report.contained {
        open.push(GROUPED);
    }
    if !rights.network && !report.network_blocked {
        open.push("the network is not closed");
    }
    let open = if open.is_empty() { String::new() } else { format!("; {}", open.join("; ")) };
    format!("{}: ON, {}{open}", report.holding(), report.level.as_str())
}

/// The warning of a command that runs files at once.
pub(crate) const OFF_WARNING: &str =
    "warning: the sandbox is off: files run with everything that your account can do";

/// Why nothing is approved automatically.
pub(crate) fn none_approved(why: &str) -> String {
    let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
    format!("blocks are not approved without a sandbox: they could do anything that your account can{why}")
}

/// How to run them all the same.
pub(crate) const SAY_SO: &str = "To run them all the same, say so: --sandbox off";

#[cfg(test)]
mod tests {
    use super::*;

    fn confined() -> SandboxReport {
        SandboxReport {
            level: SandboxLevel::Workspace,
            network_blocked: true,
            contained: true,
            ..SandboxReport::default()
        }
    }

    #[test]
    fn the_standing_is_what_its_tests_found() {
        assert!(SandboxStanding::of(None).sentence().contains("being tested"));
        let off = Ok(SandboxReport::default());
        assert_eq!(
            SandboxStanding::of(Some(&off)).sentence(),
            "Sandbox is OFF: blocks can do anything your account can."
        );
        let on = Ok(confined());
        let said = SandboxStanding::of(Some(&on)).sentence();
        assert!(said.starts_with("Sandbox is ON: workspace, network off") && !said.contains("OFF"), "{said}");
        let open = Ok(SandboxReport { network_blocked: false, contained: false, ..confined() });
        let said = SandboxStanding::of(Some(&open)).sentence();
        assert!(said.contains("network open") && said.contains("as a group"), "{said}");
        let refused = Err("bwrap is not there".to_owned());
        let standing = SandboxStanding::of(Some(&refused));
        assert!(standing.is_bad() && standing.sentence().contains("nothing runs here: bwrap"));
    }

    #[test]
    fn where_a_limit_is_too_low_the_sandbox_is_not_given_up() {
        let low = untested("it could not be prepared: Too many open files (os error 24)");
        assert!(low.contains("a limit on runs is too low") && !low.contains("--sandbox off"), "{low}");
        assert!(untested("it took too long").contains("--sandbox off"));
    }
}
