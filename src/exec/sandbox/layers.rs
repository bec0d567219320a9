//! Holds which layers are in use, and derives from it how the helper is started and how a program is confined.

use super::bwrap::{self, Bwrap};
use super::confinement::{Confinement, SyscallRules, limits as process_limits};
use super::policy::SandboxPolicy;
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

    /// The restrictions that a program enters.
    pub(super) fn confinement(&self, policy: &SandboxPolicy, limits: &Limits) -> Confinement {
        let alone = self.bwrap.is_none();
        let file_rules = if alone { policy.file_rules_alone() } else { policy.file_rules_inside() };
        // In a network namespace a program may talk to itself in any way. Unix sockets in folders lead nowhere else if
        // only allowed folders exist; abstract ones need Landlock or a network namespace.
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
