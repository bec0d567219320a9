//! Which kernels there are, and what is lost with them, in words. Pure.

use crate::domain::{KernelRef, Language};
use crate::text::number::counted;
use std::collections::BTreeMap;

/// What tells a kernel from another one: `k1` that of Python, `k3 of r` one of another language.
pub(crate) fn name(language: &Language, kernel: KernelRef) -> String {
    format!("k{}{}", kernel.generation, of(language))
}

/// The same of all.
pub(crate) fn names(kernels: &BTreeMap<Language, KernelRef>) -> String {
    kernels.iter().map(|(language, kernel)| name(language, *kernel)).collect::<Vec<_>>().join(", ")
}

/// Behind the word kernel, where it is not that of Python.
pub(crate) fn of(language: &Language) -> String {
    if *language == Language::python() { String::new() } else { format!(" of {language}") }
}

/// The variables that are lost with kernels, between these. Nothing where none is known: not every kernel tells them, so
/// there may be some.
pub(crate) fn lost<'k>(
    kernels: impl IntoIterator<Item = &'k KernelRef>,
    (before, after): (&str, &str),
) -> String {
    match kernels.into_iter().map(|kernel| kernel.variables as usize).sum() {
        0 => String::new(),
        known => format!("{before}{} lost{after}", counted(known, "variable")),
    }
}
