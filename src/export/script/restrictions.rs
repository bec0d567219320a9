//! Finds Python blocks that behave differently in one file than in a session: those that `await` outside of functions,
//! and those that may end the program by themselves. Blocks are scanned line by line; a false match only makes the
//! script harder to read, it still does the same.

use super::super::document::BlockPart;
use regex::Regex;
use std::sync::LazyLock;

/// Code that ends the program, or imports something that may.
static EXIT_PATTERN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?x) \b(?:exit|quit)\s*\( | \bSystemExit\b | \bimport\b.*\bexit\b
        | \b(?:unittest | click | typer | argparse | optparse | docopt | fire)\b",
    )
    .ok()
});

static AWAIT_PATTERN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\bawait\b|\basync\s+(?:for|with)\b").ok());

/// Whether a text may end the program. A function that it defines may do so when a later block calls it.
pub(in crate::export) fn may_end(source: &str) -> bool {
    EXIT_PATTERN.as_ref().is_some_and(|ends| ends.is_match(source))
}

/// The Python blocks that may end the program: the first that may, and all after it.
pub(in crate::export) fn from_first_that_may_end<'a>(
    blocks: impl Iterator<Item = &'a BlockPart>,
) -> impl Iterator<Item = &'a BlockPart> {
    blocks.filter(|block| block.code_language() == Some("python")).skip_while(|block| !may_end(&block.source))
}

/// Whether a text awaits outside of functions, which only a session allows.
pub(in crate::export) fn awaits_at_top_level(source: &str) -> bool {
    let Some(waits) = AWAIT_PATTERN.as_ref().filter(|waits| waits.is_match(source)) else { return false };
    // The column of the `async def` whose body the scan is in.
    let mut inside: Option<usize> = None;
    source.lines().filter(|line| !line.trim().is_empty()).any(|line| {
        let column = line.len() - line.trim_start().len();
        inside = inside.filter(|function| column > *function);
        if inside.is_none() && line.trim_start().starts_with("async def ") {
            inside = Some(column);
        }
        inside.is_none() && waits.is_match(line)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_outside_of_functions_is_found() {
        for waiting in
            ["await g()", "async def g():\n    await h()\n\nx = await g()", "if x:\n  async with a: pass"]
        {
            assert!(awaits_at_top_level(waiting), "{waiting}");
        }
        for not in ["async def g():\n    await h()\n\n    await h()\nasyncio.run(g())", "awaited = 1"] {
            assert!(!awaits_at_top_level(not), "{not}");
        }
    }

    #[test]
    fn what_may_end_a_program_is_found() {
        for ending in ["import sys; sys.exit(0)", "quit ()", "raise SystemExit", "from sys import exit as x"]
            .into_iter()
            .chain([
                "import argparse",
                "from optparse import OptionParser",
                "docopt(__doc__)",
                "fire.Fire(f)",
            ])
        {
            assert!(may_end(ending), "{ending}");
        }
        for not in
            ["print('exit code', 0)", "exits = 1", "fired = 1", "args = parsed", "def __exit__(self): pass"]
        {
            assert!(!may_end(not), "{not}");
        }
    }
}
