//! How many cases property tests try: an eighth of their full count, or all of it where `SAYSO_TEST_CASES` is `all`, as in
//! CI.

use proptest::test_runner::Config;

/// The setting of a property test whose full count this is.
pub(crate) fn cases(full: u32) -> Config {
    let all = std::env::var_os("SAYSO_TEST_CASES").is_some_and(|value| value == "all");
    Config { cases: if all { full } else { (full / 8).max(32) }, ..Config::default() }
}
