//! How many cases property tests try: an eighth of their full count, or all of it where `SAYSO_TEST_CASES` is `all`, as in
//! CI.

use proptest::test_runner::Config;

/// The setting of a property test whose full count this is.
pub(crate) fn cases(full: u32) -> Config {
    Config { cases: if is_all() { full } else { (full / 8).max(32) }, ..Config::default() }
}

/// Whether the full count is tried.
pub(crate) fn is_all() -> bool {
    std::env::var_os("SAYSO_TEST_CASES").is_some_and(|value| value == "all")
}
