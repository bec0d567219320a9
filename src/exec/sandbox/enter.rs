//! Enters a confinement: the limits, then the file rules of Landlock, then the refused calls of seccomp. It holds for
//! this process and all that it starts, and can't be undone. Only the helper calls this, right before it becomes the
//! program.

use super::confinement::{Confinement, FileRules, LimitedResource};
use super::layer_error::LayerError;
use crate::text::system_error::words;
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};

/// The newest Landlock rules that are requested. An older kernel applies those that it knows; the self-test shows what
/// is missing.
const NEWEST_ABI: ABI = ABI::V7;

/// Enters the confinement. If this fails, nothing may be started.
///
/// # Errors
/// The layer that could not be entered.
pub(crate) fn enter(confinement: &Confinement) -> Result<(), LayerError> {
    for limit in confinement.limits.iter().filter(|limit| !limit.is_none()) {
        let amount = |n: u64| (n != u64::MAX).then_some(n);
        set(resource(limit.what), amount(limit.soft), amount(limit.hard))?;
    }
    if confinement.file_rules.is_some() || confinement.calls.is_some() {
        give_up_capabilities()?;
    }
    if let Some(file_rules) = &confinement.file_rules {
        match restrict(file_rules) {
            Ok(RulesetStatus::NotEnforced) => {
                return Err(LayerError::Landlock("this kernel does not have it".into()));
            }
            Ok(_) => {}
            Err(error) => return Err(LayerError::Landlock(words(&error))),
        }
    }
    if let Some(calls) = &confinement.calls {
        for program in super::calls::programs(*calls, confinement.has_own_namespaces())? {
            seccompiler::apply_filter(&program).map_err(LayerError::seccomp)?;
        }
    }
    Ok(())
}

/// Gives up every system call except those for computing, for this thread and for good.
///
/// # Errors
/// When this kernel or architecture has no such filter.
pub(crate) fn only_compute() -> Result<(), LayerError> {
    give_up_capabilities()?;
    let program = super::calls::computing()?;
    seccompiler::apply_filter(&program).map_err(LayerError::seccomp)
}

/// The system's name of a limited resource.
pub(crate) fn resource(what: LimitedResource) -> Resource {
    match what {
        LimitedResource::Data => Resource::Data,
        LimitedResource::Processes => Resource::Nproc,
        LimitedResource::File => Resource::Fsize,
        LimitedResource::Open => Resource::Nofile,
    }
}

/// Sets a limit. A stricter one stays.
fn set(resource: Resource, soft: Option<u64>, hard: Option<u64>) -> Result<(), LayerError> {
    let now = rustix::process::getrlimit(resource);
    let least = |a: Option<u64>, b: Option<u64>| a.into_iter().chain(b).min();
    let maximum = least(now.maximum, hard);
    let wanted = Rlimit { current: least(soft, maximum), maximum };
    rustix::process::setrlimit(resource, wanted).map_err(|error| LayerError::Limits(words(&error)))
}

/// Root's capabilities bypass file rules. Removed from the bounding set, they do not come back with the next program
/// either.
fn give_up_capabilities() -> Result<(), LayerError> {
    let failed = |error: rustix::io::Errno| {
        LayerError::Limits(format!("root's powers could not be given up: {}", words(&error)))
    };
    let has = rustix::thread::capabilities(None).map_err(failed)?;
    if has.effective.is_empty() && has.permitted.is_empty() && has.inheritable.is_empty() {
        return Ok(());
    }
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // INVAL: this kernel does not know the capability.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    rustix::thread::set_capabilities(None, none).map_err(failed)
}

fn restrict(file_rules: &FileRules) -> Result<RulesetStatus, RulesetError> {
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST_ABI))?
        .scope(Scope::from_all(NEWEST_ABI))?;
    if file_rules.no_tcp {
        rules = rules.handle_access(AccessNet::from_all(NEWEST_ABI))?;
    }
    let status = rules
        .create()?
        .add_rules(path_beneath_rules(&file_rules.read, AccessFs::from_read(NEWEST_ABI)))?
        .add_rules(path_beneath_rules(&file_rules.write, AccessFs::from_all(NEWEST_ABI)))?
        .restrict_self()?;
    Ok(status.ruleset)
}
