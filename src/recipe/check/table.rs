//! All checks, by their names in definitions.

use super::{
    Check, call, changed, function, look, mended, net, reply, reproduce, run, same, save, speed, suite,
    written,
};

const ALL: &[&dyn Check] = &[
    &run::RunCheck,
    &reply::Reply,
    &written::WrittenCheck,
    &suite::Tests,
    &function::FunctionCheck,
    &call::CallCheck,
    &save::Save,
    &reproduce::Reproduce,
    &mended::MendedCheck,
    &net::Net,
    &net::Record,
    &changed::ChangedCheck,
    &speed::MeasuredCheck,
    &speed::Faster,
    &look::ShownFacts,
    &same::SameOutput,
];

/// The check of the empty step (`RecipeStep::none`).
pub(crate) const NO_CHECK: &dyn Check = &reply::Reply;

pub(crate) fn find(name: &str) -> Option<&'static dyn Check> {
    ALL.iter().copied().find(|check| check.spec().name == name)
}

pub(crate) fn names() -> Vec<&'static str> {
    ALL.iter().map(|check| check.spec().name).collect()
}
