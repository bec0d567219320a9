//! Computes what a run can reach under a policy, from exactly the mounts and file rules that the helper gets. Pure.

use super::ActiveLayers;
use super::names::{DEVICES, TERMINALS};
use super::policy::{Mount, SandboxPolicy};
use crate::domain::{Reach, Reachability, ReachablePath};
use std::path::{Path, PathBuf};

/// What the outer layer makes in `/dev` beside devices and terminals.
const STREAMS: &[&str] = &["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd"];

impl ActiveLayers {
    /// What a run under this policy can reach. `blocked` says that a test from inside found the network closed.
    pub(super) fn reach(&self, policy: &SandboxPolicy, blocked: bool) -> Reach {
        let network = match (policy.network, blocked) {
            (true, _) => Reachability::Yes,
            (false, true) => Reachability::No,
            (false, false) => Reachability::Unknown,
        };
        let alone = self.bwrap.is_none();
        let home = if alone { policy.private.1.clone() } else { policy.home.clone() };
        let places = if alone { fenced_places(policy) } else { mounted_places(policy) };
        let elsewhere = if cfg!(target_os = "linux") { Reachability::No } else { Reachability::Unknown };
        Reach { places, read: elsewhere, write: elsewhere, own_tree: !alone, network, home: Some(home) }
    }
}

/// The places in the separate file system of the outer layer.
fn mounted_places(policy: &SandboxPolicy) -> Vec<ReachablePath> {
    let unknown = |path: &str| ReachablePath {
        read: Reachability::Unknown,
        write: Reachability::Unknown,
        ..ReachablePath::to_read(path)
    };
    let dev = ReachablePath { read: Reachability::No, ..ReachablePath::closed("/dev") };
    let mut places = vec![unknown("/proc"), dev];
    let devices = DEVICES.iter().chain(TERMINALS).chain(STREAMS);
    places.extend(devices.map(|path| ReachablePath { private: true, ..ReachablePath::to_write(*path) }));
    places.extend(policy.mounts().into_iter().map(|mount| match mount {
        Mount::System(path) | Mount::Read(path) => ReachablePath::to_read(path),
        Mount::Write { from, at } => ReachablePath { private: from != at, ..ReachablePath::to_write(at) },
        Mount::Empty(path) | Mount::Nothing(path) => ReachablePath::closed(path),
    }));
    places
}

/// The places that file rules open. Everything below an open place is open too, whatever else the policy says about it.
fn fenced_places(policy: &SandboxPolicy) -> Vec<ReachablePath> {
    let file_rules = policy.file_rules_alone();
    let within = |path: &Path, of: &[PathBuf]| of.iter().any(|outer| path.starts_with(outer));
    let can = |yes: bool| if yes { Reachability::Yes } else { Reachability::No };
    let private = |path: &Path| path.starts_with(&policy.private.0) || path.starts_with(&policy.private.1);
    let all = file_rules.read.iter().chain(&file_rules.write);
    all.map(|path| {
        let write = within(path, &file_rules.write);
        ReachablePath {
            path: path.clone(),
            read: can(write || within(path, &file_rules.read)),
            write: can(write),
            private: private(path),
        }
    })
    .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::bwrap::Bwrap;
    use super::super::policy::tests::sample;
    use super::*;
    use crate::domain::SandboxLevel;

    pub(in crate::exec::sandbox) fn layered() -> ActiveLayers {
        let bwrap = Bwrap { path: "/usr/bin/bwrap".into(), no_nesting: true, sizes: true };
        ActiveLayers { bwrap: Some(bwrap), landlock: true, seccomp: true, scoped: true }
    }

    fn told(
        using: &ActiveLayers,
        policy: &SandboxPolicy,
    ) -> impl Fn(&str) -> (Reachability, Reachability) + use<> {
        let reach = using.reach(policy, true);
        move |path| (reach.reads(Path::new(path)), reach.writes(Path::new(path)))
    }

    const READ_WRITE: (Reachability, Reachability) = (Reachability::Yes, Reachability::Yes);
    const READ_ONLY: (Reachability, Reachability) = (Reachability::Yes, Reachability::No);
    const UNREACHABLE: (Reachability, Reachability) = (Reachability::No, Reachability::No);

    #[test]
    fn with_the_outer_layer_it_is_what_is_mounted() {
        let can = told(&layered(), &sample(SandboxLevel::Workspace));
        for (path, expected) in [
            ("/home/ada/data/sales/sales.csv", READ_WRITE),
            ("/home/ada/data/sales/.git/hooks/pre-commit", READ_ONLY),
            ("/home/ada/.cache/x", READ_WRITE),
            ("/home/ada/.bashrc", UNREACHABLE),
            ("/home/ada/.ssh/id_rsa", UNREACHABLE),
            ("/home/ada/.pyenv/bin/python", READ_ONLY),
            ("/srv/out/a", READ_WRITE),
            ("/srv/in/a", UNREACHABLE),
            ("/tmp/x", READ_WRITE),
            ("/var/tmp/x", UNREACHABLE),
            ("/usr/lib/x", READ_ONLY),
            ("/etc/passwd", READ_ONLY),
            ("/etc/shadow", UNREACHABLE),
            ("/dev/null", READ_WRITE),
            ("/dev/shm/x", READ_WRITE),
            ("/dev/sda", UNREACHABLE),
        ] {
            assert_eq!(can(path), expected, "{path}");
        }
        assert_eq!(can("/proc/1/environ"), (Reachability::Unknown, Reachability::Unknown));
        let read_only =
            told(&layered(), &SandboxPolicy { write: Vec::new(), ..sample(SandboxLevel::ReadOnly) });
        assert_eq!(read_only("/home/ada/data/sales/a"), READ_ONLY);
        assert_eq!(read_only("/srv/out/a"), UNREACHABLE);
    }

    #[test]
    fn with_walls_alone_protected_names_are_open_and_the_shared_tmp_is_not() {
        let alone = ActiveLayers { bwrap: None, ..layered() };
        let can = told(&alone, &sample(SandboxLevel::Workspace));
        for (path, expected) in [
            ("/home/ada/data/sales/.git/hooks/pre-commit", READ_WRITE),
            ("/tmp/x", UNREACHABLE),
            ("/tmp/sayso-1/tmp/x", READ_WRITE),
            ("/tmp/sayso-1/home/.cache/x", READ_WRITE),
            ("/tmp/sayso-1/home/x", READ_ONLY),
            ("/home/ada/.bashrc", UNREACHABLE),
            ("/proc/self/status", READ_ONLY),
        ] {
            assert_eq!(can(path), expected, "{path}");
        }
    }

    #[test]
    fn the_network_is_closed_where_a_test_saw_it_closed() {
        let policy = sample(SandboxLevel::Workspace);
        assert_eq!(layered().reach(&policy, true).network, Reachability::No);
        assert_eq!(layered().reach(&policy, false).network, Reachability::Unknown);
        let open = SandboxPolicy { network: true, ..policy };
        assert_eq!(layered().reach(&open, false).network, Reachability::Yes);
    }
}
