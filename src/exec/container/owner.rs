//! Labels containers with the process that started them, so that the next start recognizes leftover ones.

use crate::exec::tree;
use std::path::Path;

/// The label that every container of sayso carries; its value is the session.
pub(super) const SESSION: &str = "sayso";
/// The label that names the process: machine, boot, process id and start time.
pub(super) const OWNER: &str = "sayso.owner";

/// The value of the label for this process.
pub(super) fn own() -> String {
    let pid = std::process::id();
    let start = tree::started_at(pid).map_or_else(String::new, |start| start.to_string());
    format!("{}/{}/{pid}/{start}", machine(), boot())
}

/// Whether the process named by a label has certainly ended. Always false for a process of another machine.
pub(super) fn is_gone(owner: &str) -> bool {
    let parts: Vec<&str> = owner.split('/').collect();
    let [on, since, pid, start] = parts[..] else { return false };
    if on != machine() {
        return false;
    }
    if since != boot() {
        return true;
    }
    let Ok(pid) = pid.parse::<i32>() else { return false };
    match tree::started_at(pid) {
        Some(now) => now.to_string() != start,
        None => Path::new("/proc/self").exists() || !tree::is_reachable(pid),
    }
}

fn machine() -> String {
    let name = rustix::system::uname().nodename().to_string_lossy().into_owned();
    name.replace('/', "_")
}

/// Changes with every boot of the machine; empty if the system does not provide it.
fn boot() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_living_and_the_gone() {
        let own = own();
        assert!(!is_gone(&own), "{own}");
        let mut parts: Vec<&str> = own.split('/').collect();
        parts[3] = "1";
        assert!(is_gone(&parts.join("/")), "another process with our number");
        parts[2] = "4194999";
        assert!(is_gone(&parts.join("/")));
        parts[1] = "another-boot";
        assert!(is_gone(&parts.join("/")));
        parts[0] = "elsewhere";
        assert!(!is_gone(&parts.join("/")), "what another machine runs is not known here");
        assert!(!is_gone(""));
        assert!(!is_gone("a/b/c"));
    }
}
