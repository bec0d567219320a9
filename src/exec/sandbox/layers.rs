//! Holds which layers are in use, and derives from it how the helper is started and how a program is confined.

use super::bwrap::{self, Bwrap};
use super::confinement::{Confinement, SyscallRules, limits as process_limits};
use super::policy::{CoveredSockets, SandboxPolicy};
use super::processors;
use crate::domain::Limits;
use crate::exec::entry::HelperEntry;
use crate::exec::helper_file::HelperFile;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveLayers {
    pub(super) bwrap: Option<Bwrap>,
    pub(super) landlock: bool,
    pub(super) seccomp: bool,
    /// Whether Landlock was seen to block signals and abstract sockets.
    pub(super) scoped: bool,
}

impl ActiveLayers {
    pub(super) fn entry(&self, policy: &SandboxPolicy, helper: &HelperFile) -> HelperEntry {
        #[cfg(target_os = "macos")]
        return HelperEntry {
            outer: Some((
                super::seatbelt::TOOL.into(),
                vec!["-p".into(), super::seatbelt::profile(policy, helper.shown()).into()],
            )),
            ..HelperEntry::plain(helper)
        };
        #[cfg(not(target_os = "macos"))]
        match &self.bwrap {
            Some(bwrap) => HelperEntry {
                outer: Some((bwrap.path.clone(), bwrap::arguments(policy, bwrap))),
                apart: true,
                ..HelperEntry::plain(helper)
            },
            None => HelperEntry::plain(helper),
        }
    }

    pub(super) fn confinement(&self, policy: &SandboxPolicy, limits: &Limits) -> Confinement {
        let alone = self.bwrap.is_none();
        let file_rules = if alone { policy.file_rules_alone() } else { policy.file_rules_inside() };
        Confinement {
            file_rules: self.landlock.then_some(file_rules),
            calls: self.syscall_rules(policy),
            limits: process_limits(limits, !alone, processors()),
        }
    }

    /// The rules for system calls; `None` if every call is allowed.
    pub(super) fn syscall_rules(&self, policy: &SandboxPolicy) -> Option<SyscallRules> {
        let alone = self.bwrap.is_none();
        // In a network namespace a program may talk to itself in any way. Unix sockets in folders lead nowhere else if
        // only allowed folders exist and those in them are covered; abstract ones need Landlock or a network namespace.
        let covered = policy.sockets != CoveredSockets::None;
        self.seccomp.then_some(SyscallRules {
            inet: !alone || policy.network,
            unix: !alone && covered && (!policy.network || self.scoped),
            netlink: policy.network,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::tests::sample;
    use super::super::reach::tests::layered;
    use super::*;
    use crate::domain::SandboxLevel;

    #[test]
    fn unix_sockets_are_refused_where_they_are_not_covered() {
        for (sockets, unix) in
            [(CoveredSockets::All, true), (CoveredSockets::First, true), (CoveredSockets::None, false)]
        {
            let policy = SandboxPolicy { sockets, ..sample(SandboxLevel::Workspace) };
            assert_eq!(layered().syscall_rules(&policy).unwrap().unix, unix, "{sockets:?}");
            let alone = ActiveLayers { bwrap: None, ..layered() };
            assert!(!alone.syscall_rules(&policy).unwrap().unix, "{sockets:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_the_outer_layer_makes_namespaces() {
        let policy = sample(SandboxLevel::Workspace);
        let none =
            Limits { memory_bytes: 0, processes: 0, file_bytes: 0, open_files: 0, ..Limits::default() };
        let alone = ActiveLayers { bwrap: None, ..layered() };
        for limits in [Limits::default(), none] {
            assert!(layered().confinement(&policy, &limits).has_own_namespaces());
            assert!(!alone.confinement(&policy, &limits).has_own_namespaces());
        }
    }
}
