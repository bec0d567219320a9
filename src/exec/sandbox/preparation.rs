//! Finds out, by trying and testing, which layers confine the runs of a session. A layer is left out if it can't be
//! entered even without the person's folders; otherwise nothing is prepared.

use super::bwrap::{self, Bwrap, BwrapError};
use super::policy::SandboxPolicy;
use super::probe::{self, ProbeError};
use super::scratch::Scratch;
use super::survey::{self, SandboxRequest, SessionSite};
use super::{ActiveLayers, DisabledLayers, Sandbox, SandboxError, report};
use crate::domain::{Limits, SandboxLevel};
use crate::exec::cgroup::{self, CgroupError, Scope};
use crate::exec::helper_file::HelperFile;
use crate::launch::{Launcher, Start};
use std::sync::Arc;

impl Sandbox {
    /// Prepares the sandbox: makes the session's private folder, and tries and tests the layers.
    ///
    /// # Errors
    /// When the requested level can't be set up; the text says what to do.
    pub(in crate::exec) fn prepare(
        request: &SandboxRequest,
        without: DisabledLayers,
        site: SessionSite<'_>,
        limits: &Limits,
        helper: &HelperFile,
    ) -> Result<Self, SandboxError> {
        let mut sandbox = Self {
            report: report::without(),
            using: ActiveLayers::default(),
            confined: None,
            home: site.home.map(Into::into),
            own: site.own.to_vec(),
            programs: site.programs.clone(),
            helper: helper.clone(),
            scope: None,
            python: None,
            narrowed: false,
        };
        if request.level != SandboxLevel::Off {
            // If a folder has a problem, or nothing could be found out, nothing runs on a guess.
            sandbox.try_layers(request, without, site, limits)?;
            if sandbox.report.level == SandboxLevel::Off {
                if request.asked {
                    return Err(SandboxError::Missing(request.level, sandbox.report.why_off()));
                }
                sandbox.using = ActiveLayers::default();
                sandbox.confined = None;
            }
        }
        let found = if without.cgroup { Err(CgroupError::LeftOut) } else { Scope::find(helper) };
        let found = found.map(Arc::new);
        sandbox.report.add_group_layer(cgroup::layer(&found));
        sandbox.scope = found.ok();
        Ok(sandbox)
    }

    fn try_layers(
        &mut self,
        request: &SandboxRequest,
        without: DisabledLayers,
        site: SessionSite<'_>,
        limits: &Limits,
    ) -> Result<(), SandboxError> {
        let scratch = Scratch::of_session()?;
        let (policy, notes) = survey::survey(request, site, &scratch)?;
        self.narrowed = policy.level != request.level;
        let mut found = report::LayerSurvey::new(notes);
        let mut using = ActiveLayers {
            bwrap: Self::find_bwrap(without, site.programs, &policy, &mut found),
            landlock: !without.landlock,
            seccomp: !without.seccomp,
            scoped: false,
        };
        if without.landlock {
            found.missing("landlock", "left out".into());
        }
        if without.seccomp {
            found.missing("seccomp", "left out".into());
        }
        while using.bwrap.is_some() || using.landlock {
            let confinement = using.confinement(&policy, limits);
            match probe::self_test(&using, &policy, &confinement, &scratch, &self.helper) {
                Ok(seen) => {
                    using.scoped = !seen.signalled_own;
                    self.report = found.report(&using, &policy, &seen, limits);
                    self.using = using;
                    self.confined = Some((policy, scratch));
                    return Ok(());
                }
                Err(ProbeError::NotEntered(why)) => {
                    let why = self.cause_of_layers(&using, (&policy, limits), &scratch, why)?;
                    found.drop_layer(&mut using, why);
                }
                Err(ProbeError::Unfinished(why)) => return Err(SandboxError::Untested(why)),
            }
        }
        self.report = found.nothing_enforced();
        Ok(())
    }

    /// Why these layers can't be entered, even without the person's folders. `why` is what was said with them.
    ///
    /// # Errors
    /// When they can be entered: what is in those folders, which runs could have put there, must not make the sandbox
    /// weaker. Also when nothing could be found out.
    fn cause_of_layers(
        &self,
        using: &ActiveLayers,
        (policy, limits): (&SandboxPolicy, &Limits),
        scratch: &Scratch,
        why: String,
    ) -> Result<String, SandboxError> {
        let policy = policy.without_folders();
        let confinement = using.confinement(&policy, limits);
        match probe::self_test(using, &policy, &confinement, scratch, &self.helper) {
            Ok(_) => Err(SandboxError::Folders(why)),
            Err(ProbeError::NotEntered(cause)) => Ok(cause),
            Err(ProbeError::Unfinished(why)) => Err(SandboxError::Untested(why)),
        }
    }

    fn find_bwrap(
        without: DisabledLayers,
        programs: &Launcher,
        policy: &SandboxPolicy,
        found: &mut report::LayerSurvey,
    ) -> Option<Bwrap> {
        let avoid = [policy.writable(), vec![policy.cwd.clone()]].concat();
        let at = programs.path_of(Start::Bwrap).and_then(|at| std::fs::canonicalize(at).ok());
        let wanted = match at.filter(|at| !avoid.iter().any(|folder| at.starts_with(folder))) {
            _ if without.bwrap => Err(BwrapError::LeftOut),
            _ if cfg!(not(target_os = "linux")) => Err(BwrapError::NotLinux),
            None => Err(BwrapError::NotFound),
            Some(path) => bwrap::probe(&path, programs),
        };
        wanted.map_err(|why| found.missing("bwrap", why.to_string())).ok()
    }
}
