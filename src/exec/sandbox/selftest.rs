//! The self-test: tries everything that the sandbox has to refuse, and prints the results. It is started as a program
//! under the same confinement as runs, and is harmless if nothing is refused.

use crate::exec::tree::{is_reachable, started_at};
use rustix::net::{AddressFamily, SocketType};
use rustix::process::Resource;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A file in the folder outside that must not be writable; below, one that must not be readable.
pub(crate) const CANARY: &str = "canary";
pub(crate) const SECRET: &str = "secret";
const CONNECT_TIMEOUT: Duration = Duration::from_millis(300);

/// The arguments of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Task {
    /// A folder outside of everything that is allowed.
    pub(crate) outside: PathBuf,
    pub(crate) tcp: SocketAddr,
    /// The address of a socket outside; above for TCP, here for UDP.
    pub(crate) udp: SocketAddr,
    /// A process outside, and its start time.
    pub(crate) process: (i32, u64),
    /// Paths that must be empty.
    pub(crate) hidden: Vec<PathBuf>,
    /// Paths inside of those that are opened on purpose.
    pub(crate) opened: Vec<PathBuf>,
}

/// The results of the test. Anything counts as open unless it was seen to be refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SelfTestResult {
    /// A file outside could be written.
    pub(crate) wrote: bool,
    /// A file outside, or a hidden one, could be read.
    pub(crate) read: bool,
    /// A socket outside could be reached.
    pub(crate) connected: bool,
    /// A process outside could be signalled.
    pub(crate) signalled: bool,
    /// The supervisor could be signalled.
    pub(crate) signalled_own: bool,
    /// A file could be made in `/dev`, so Landlock does not work.
    pub(crate) littered: bool,
    /// A family of sockets that is never allowed was refused with the error of the filter.
    pub(crate) filtered: bool,
    /// The name of the process namespace.
    pub(crate) processes: String,
    pub(crate) open_files: u64,
}

impl Task {
    pub(crate) fn arguments(&self) -> Vec<OsString> {
        let (pid, began) = self.process;
        let words = [self.tcp.to_string(), self.udp.to_string(), pid.to_string(), began.to_string()];
        let mut args: Vec<OsString> = vec![self.outside.clone().into()];
        args.extend(words.map(OsString::from));
        args.push(self.hidden.len().to_string().into());
        args.extend(self.hidden.iter().chain(&self.opened).map(Into::into));
        args
    }

    fn parse(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        fn word<T: std::str::FromStr>(arg: Option<OsString>) -> Option<T> {
            arg?.to_str()?.parse().ok()
        }
        let outside = args.next()?.into();
        let (tcp, udp) = (word(args.next())?, word(args.next())?);
        let process = (word(args.next())?, word(args.next())?);
        let count: usize = word(args.next())?;
        let mut places = args.map(PathBuf::from);
        let hidden: Vec<PathBuf> = places.by_ref().take(count).collect();
        let opened = places.collect();
        (hidden.len() == count).then_some(Self { outside, tcp, udp, process, hidden, opened })
    }
}

/// Runs the test. Returns false if the arguments are invalid or the results can't be written.
pub(crate) fn main(args: impl Iterator<Item = OsString>) -> bool {
    let Some(task) = Task::parse(args) else { return false };
    std::io::stdout().write_all(run_checks(&task).text().as_bytes()).is_ok()
}

fn run_checks(task: &Task) -> SelfTestResult {
    let outside = |name| task.outside.join(name);
    let (pid, began) = task.process;
    let litter = Path::new("/dev/sayso-test");
    let littered = fs::File::create_new(litter).is_ok();
    if littered {
        let _ = fs::remove_file(litter);
    }
    let tcp = TcpStream::connect_timeout(&task.tcp, CONNECT_TIMEOUT).is_ok();
    // Sending may succeed without effect: the other end reports whether it arrived.
    let _ = UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"x", task.udp));
    let family = AddressFamily::from_raw(nix::libc::AF_VSOCK as u16);
    let vsock = rustix::net::socket(family, SocketType::STREAM, None);
    SelfTestResult {
        wrote: fs::write(outside(CANARY), "x").is_ok(),
        read: fs::read(outside(SECRET)).is_ok()
            || task.hidden.iter().any(|path| holds_something(path, &task.opened)),
        connected: tcp,
        signalled: is_reachable(pid) && started_at(pid) == Some(began),
        signalled_own: rustix::process::getppid().is_some_and(|pid| is_reachable(pid.as_raw_nonzero().get())),
        littered,
        filtered: vsock.err() == Some(rustix::io::Errno::NETUNREACH),
        processes: process_namespace(),
        open_files: rustix::process::getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX),
    }
}

/// Whether a path that must be empty contains anything except what was opened in it, and the folders that lead there.
fn holds_something(path: &Path, opened: &[PathBuf]) -> bool {
    let Ok(entries) = fs::read_dir(path) else {
        return fs::read(path).is_ok_and(|bytes| !bytes.is_empty());
    };
    entries.filter_map(Result::ok).map(|entry| entry.path()).any(|inner| {
        let leads = opened.iter().any(|opened| opened.starts_with(&inner));
        !opened.contains(&inner) && (!leads || holds_something(&inner, opened))
    })
}

/// The name of the process namespace that this process is in.
pub(crate) fn process_namespace() -> String {
    fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned()).unwrap_or_default()
}

impl SelfTestResult {
    fn text(&self) -> String {
        let flags = [
            self.wrote,
            self.read,
            self.connected,
            self.signalled,
            self.signalled_own,
            self.littered,
            self.filtered,
        ];
        let flags: String = flags.iter().map(|flag| if *flag { '1' } else { '0' }).collect();
        format!("{flags} {} {}\n", self.open_files, self.processes)
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let flags = words.next()?.as_bytes();
        let open_files = words.next()?.parse().ok()?;
        let flag = |at: usize| flags.get(at).map(|byte| *byte == b'1');
        Some(Self {
            wrote: flag(0)?,
            read: flag(1)?,
            connected: flag(2)?,
            signalled: flag(3)?,
            signalled_own: flag(4)?,
            littered: flag(5)?,
            filtered: flag(6)?,
            open_files,
            processes: words.next()?.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_sandbox_everything_is_seen_to_be_open() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(SECRET), "s").unwrap();
        let tcp = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let pid = std::process::id() as i32;
        let task = Task {
            outside: folder.path().into(),
            tcp: tcp.local_addr().unwrap(),
            udp: udp.local_addr().unwrap(),
            process: (pid, started_at(pid).unwrap()),
            hidden: vec!["/a".into()],
            opened: vec!["/a/b".into(), "/a/c".into()],
        };
        assert_eq!(Task::parse(task.arguments().into_iter()), Some(task.clone()));
        let seen = run_checks(&task);
        assert!(seen.wrote && seen.read && seen.connected && seen.signalled && !seen.filtered, "{seen:?}");
        assert_eq!(SelfTestResult::parse(&seen.text()), Some(seen));
        assert_eq!(SelfTestResult::parse("10"), None);
    }

    #[test]
    fn a_hidden_place_may_hold_what_was_opened_in_it_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let own = folder.path().join("share/sayso");
        fs::create_dir_all(own.join("packages")).unwrap();
        let hidden = folder.path().join("share");
        assert!(holds_something(&hidden, &[]));
        assert!(!holds_something(&hidden, std::slice::from_ref(&own)));
        assert!(!holds_something(&hidden, &[own.join("packages")]));
        fs::write(own.join("session"), "x").unwrap();
        assert!(!holds_something(&hidden, std::slice::from_ref(&own)), "that one is tested by itself");
        assert!(holds_something(&hidden, &[own.join("packages")]));
        assert!(holds_something(&own.join("session"), &[]));
    }
}
