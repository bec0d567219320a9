//! The shipped stories.

/// The stories offered to people. Each of the others shows one thing, for tests and for bug reports.
pub(super) const OFFERED_STORIES: [&str; 10] =
    ["tour", "function", "tdd", "debug", "refactor", "explain", "review", "port", "plot", "data"];

macro_rules! stories {
    ($($name:literal,)*) => {
        /// The name and the text of each story.
        pub(super) static STORIES: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../../assets/demo/", $name, ".toml"))),)*];
    };
}

stories! {
    // a guided tour: asks, blocks, decisions, results
    "tour",
    // recipe explain: a script described in words, nothing runs
    "explain",
    // recipe review: a patch, and what it would do
    "review",
    // recipe port: a function of Python becomes one of bash, the same at the second try
    "port",
    // recipe tdd: tests first, then the code, at the second try
    "tdd",
    // recipe tdd: tests that pass before there is any code
    "tdd-early",
    // recipe tdd: a syntax error in the tests
    "tdd-syntax",
    // recipe tdd: code that never passes
    "tdd-stuck",
    // recipe tdd: a model that changes the tests
    "tdd-cheats",
    // recipe function: one function, called with arguments from a form
    "function",
    // recipe function: two functions in the reply
    "function-two",
    // recipe function: a print behind the function
    "function-print",
    // recipe function: an argument without an annotation
    "function-bare",
    // recipe function: a default that is an expression
    "function-default",
    // recipe debug: a script that fails, and the smallest change
    "debug",
    // recipe debug: a script that does not fail
    "debug-works",
    // recipe refactor: a change in hunks between two runs of the tests
    "refactor",
    // recipe refactor: one hunk of three breaks a test
    "refactor-hunk",
    // recipe refactor: measured before and after
    "refactor-speed",
    // recipe plot: a chart from a file
    "plot",
    // recipe data: a table from a file, and an answer in words
    "data",
    // a long reply that comes slowly
    "slow",
    // a long block with a high finding, then short ones
    "long",
    // three blocks in one reply
    "three",
    // a block that sleeps for a minute, to interrupt or to time out
    "sleep60",
    // tools: a file is read, another written, with its changes shown
    "tools",
    // blocks that create, change and delete files, draw an image and fail
    "files",
    // a block that ends its kernel
    "die",
    // wide letters and emoji
    "cjk",
    // escape sequences, reordering and hidden characters
    "hostile",
    // the host's name is not found
    "offline",
    // the key is refused
    "401",
    // too many requests, with a countdown
    "429",
    // the conversation is longer than the model's context
    "overflow",
}
