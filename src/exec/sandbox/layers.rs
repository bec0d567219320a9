//! Which layers are in use, and what follows from it: how the helper is started, what a program takes upon itself.

use super::bwrap::{self, Bwrap};
use super::confinement::{Confinement, SyscallRules, limits as process_limits};
use super::policy::Policy;
use super::processors;
use crate::domain::Limits;
use crate::exec::entry::HelperEntry;
use crate::exec::helper_file::HelperFile;

/// Which layers are in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActiveLayers {
    pub(super) bwrap: Option<Bwrap>,
    pub(super) landlock: bool,
    pub(super) seccomp: bool,
    /// Whether the inner wall was seen to stop signals and sockets without a place in the file system.
    pub(super) scoped: bool,
}

impl ActiveLayers {
    /// How the helper is started.
    pub(super) fn entry(&self, policy: &Policy, helper: &HelperFile) -> HelperEntry {
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

    /// What a program takes upon itself.
    pub(super) fn confinement(&self, policy: &Policy, limits: &Limits) -> Confinement {
        let alone = self.bwrap.is_none();
        let file_rules = if alone { policy.file_rules_alone() } else { policy.file_rules_inside() };
        // In a network of its own a program can talk to itself as it likes. Sockets in folders lead nowhere else when
        // only allowed folders are there; those without a place need a wall, or a network of their own.
        let calls = SyscallRules {
            inet: !alone || policy.network,
            unix: !alone && (!policy.network || self.scoped),
            netlink: policy.network,
        };
        Confinement {
            file_rules: self.landlock.then_some(file_rules),
            calls: self.seccomp.then_some(calls),
            limits: process_limits(limits, !alone, processors()),
        }
    }
}
