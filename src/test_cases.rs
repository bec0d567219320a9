//! How much the longest tests try: a twentieth of a property's cases and a quarter of a hostile text, or all of it where
//! `SAYSO_TEST_CASES` is `all`, as in CI.

use proptest::test_runner::Config;

/// The setting of a property test whose full count this is.
pub(crate) fn cases(full: u32) -> Config {
    Config { cases: if is_all() { full } else { (full / 20).max(32) }, ..Config::default() }
}

/// The size of a text, or the number of its pieces, that is tried where this is the full one.
pub(crate) fn size(full: usize) -> usize {
    if is_all() { full } else { full / 4 }
}

/// Whether the full count is tried.
pub(crate) fn is_all() -> bool {
    std::env::var_os("SAYSO_TEST_CASES").is_some_and(|value| value == "all")
}
