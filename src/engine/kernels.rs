//! Which kernels there are, and what is lost with them, in words. Pure.

use crate::domain::{BlockId, KernelRef, Language, Terms};
use crate::text::number::counted;
use std::collections::BTreeMap;

/// What tells a kernel from another one: `k1` that of Python, `k3 of r` one of another language.
pub(crate) fn name(language: &Language, kernel: KernelRef) -> String {
    format!("k{}{}", kernel.generation, of(language))
}

/// The same of all; of several that of Python with its language, too.
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

/// Behind the word kernel, where it is not that of Python.
pub(crate) fn of(language: &Language) -> String {
    if *language == Language::python() { String::new() } else { format!(" of {language}") }
}

/// What is lost with kernels, between these. Nothing where no variable is known: not every kernel tells them, so there may
/// be some.
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

/// Asks whether the kernel in which a run goes on is killed.
pub(crate) fn kill_asked(language: &Language, kernel: KernelRef) -> String {
    let lost = lost([(language, &kernel)], (" ", "."));
    format!("Kill kernel {}?{lost} k kill  Enter wait", name(language, kernel))
}

/// Asks whether a run is killed of which no kernel is known. Where it is in none, no variables can be lost; where it is in one
/// that does not answer yet, nobody knows.
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
        let kernel = Some(KernelRef { generation: 1, variables: 0, goes_on: false });
        let in_kernel = Terms { kernel, ..terms() };
        let alone = Terms { kernel: None, ..terms() };
        let says =
            |terms: Option<&Terms>| kill_asked_of_block(BlockId(3), terms).contains("No variables are.");
        assert!(says(Some(&alone)));
        assert!(!says(Some(&in_kernel)) && !says(None));
    }
}
