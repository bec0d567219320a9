//! Words for kernels, and for what is lost with them. Pure.

use crate::domain::{BlockId, KernelRef, Language, Terms};
use crate::text::number::counted;
use std::collections::BTreeMap;

/// The short name of a kernel: `k1` for Python, `k3 of r` for another language.
pub(crate) fn name(language: &Language, kernel: KernelRef) -> String {
    format!("k{}{}", kernel.generation, of(language))
}

/// The short names of several kernels; if there is more than one, that of Python has its language, too.
pub(crate) fn names(kernels: &BTreeMap<Language, KernelRef>) -> String {
    match kernels.first_key_value().filter(|_| kernels.len() == 1) {
        Some((language, kernel)) => name(language, *kernel),
        None => {
            let named =
                kernels.iter().map(|(language, kernel)| format!("k{} of {language}", kernel.generation));
            named.collect::<Vec<_>>().join(", ")
        }
    }
}

/// What follows the word kernel: the language, unless it is Python.
pub(crate) fn of(language: &Language) -> String {
    if *language == Language::python() { String::new() } else { format!(" of {language}") }
}

/// A sentence about the variables that are lost with kernels, between `before` and `after`. Empty if none are known:
/// not every kernel reports them, so there may be some.
pub(crate) fn lost<'k>(
    kernels: impl IntoIterator<Item = (&'k Language, &'k KernelRef)>,
    (before, after): (&str, &str),
) -> String {
    let all: Vec<_> =
        kernels.into_iter().map(|(language, kernel)| (language, kernel.variables as usize)).collect();
    let lost = match all.as_slice() {
        [(_, known)] if *known > 0 => counted(*known, "variable"),
        several if several.iter().any(|(_, known)| *known > 0) => {
            let of = |(language, known): &(&Language, usize)| match known {
                0 => format!("all of {language}"),
                known => format!("{} of {language}", counted(*known, "variable")),
            };
            several.iter().map(of).collect::<Vec<_>>().join(" and ")
        }
        _ => return String::new(),
    };
    format!("{before}{lost} lost{after}")
}

/// The question whether to kill the kernel in which a run goes on.
pub(crate) fn kill_asked(language: &Language, kernel: KernelRef) -> String {
    let lost = lost([(language, &kernel)], (" ", "."));
    format!("Kill kernel {}?{lost} k kill  Enter wait", name(language, kernel))
}

/// The question whether to kill a run whose kernel is not known. A run outside of kernels loses no variables; for a
/// kernel that does not answer yet nobody knows.
pub(crate) fn kill_asked_of_block(block: BlockId, terms: Option<&Terms>) -> String {
    let variables = match terms {
        Some(terms) if terms.kernel.is_none() => " No variables are.",
        _ => "",
    };
    format!(
        "Block {block} is still running. Killed, it ends at once: what it has not written is lost.{variables} \
         k kill  Enter wait"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::dialogue::terms;

    #[test]
    fn no_variables_are_lost_where_a_run_is_in_no_kernel() {
        let in_kernel = terms();
        let alone = Terms { kernel: None, ..terms() };
        let says =
            |terms: Option<&Terms>| kill_asked_of_block(BlockId(3), terms).contains("No variables are.");
        assert!(says(Some(&alone)));
        assert!(!says(Some(&in_kernel)) && !says(None));
    }
}
