//! The checks that there are, by their names in definitions.

use super::{
    Check, call, changed, function, mended, net, reply, reproduce, run, save, speed, suite, written,
};

/// All checks.
const ALL: &[&dyn Check] = &[
    &run::Run,
    &reply::Reply,
    &written::Written,
    &suite::Tests,
    &function::Function,
    &call::Call,
    &save::Save,
    &reproduce::Reproduce,
    &mended::Mended,
    &net::Net,
    &net::Record,
    &changed::Changed,
    &speed::Measured,
    &speed::Faster,
];

/// A check that judges words, for a step that there is not.
pub(crate) const NONE: &dyn Check = &reply::Reply;

/// The check with this name.
pub(crate) fn find(name: &str) -> Option<&'static dyn Check> {
    ALL.iter().copied().find(|check| check.name() == name)
}

/// The names of all checks.
pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|check| check.name()).collect()
}
