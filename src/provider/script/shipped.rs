//! The stories that come with the program.

pub(super) struct ShippedScript {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

macro_rules! stories {
    ($($name:literal: $about:literal,)*) => {
        pub(super) static STORIES: &[ShippedScript] = &[$(ShippedScript {
            name: $name,
            text: include_str!(concat!("../../../assets/demo/", $name, ".toml")),
        },)*];
        /// Their names, and what each shows.
        pub(super) static NAMES: [(&str, &str); [$($name),*].len()] = [$(($name, $about),)*];
    };
}

stories! {
    "tour": "a guided tour: asks, blocks, decisions, results",
    "explain": "recipe explain: a script told in words, nothing runs",
    "tdd": "recipe tdd: tests first, then the code, at the second try",
    "tdd-early": "recipe tdd: tests that pass before there is any code",
    "tdd-syntax": "recipe tdd: a syntax error in the tests",
    "tdd-stuck": "recipe tdd: code that never passes",
    "tdd-cheats": "recipe tdd: a model that changes the tests",
    "function": "recipe function: one function, called with arguments from a form",
    "function-two": "recipe function: two functions in the reply",
    "function-print": "recipe function: a print behind the function",
    "function-bare": "recipe function: an argument without an annotation",
    "function-default": "recipe function: a default that is an expression",
    "debug": "recipe debug: a script that fails, and the smallest change",
    "debug-works": "recipe debug: a script that does not fail",
    "refactor": "recipe refactor: a change in hunks between two runs of the tests",
    "refactor-hunk": "recipe refactor: one hunk of three breaks a test",
    "refactor-speed": "recipe refactor: measured before and after",
    "plot": "recipe plot: a chart from a file",
    "data": "recipe data: a table from a file, and an answer in words",
    "slow": "a long reply that comes slowly",
    "long": "a long block with a high finding, then short ones",
    "three": "three blocks in one reply",
    "sleep60": "a block that sleeps for a minute, to interrupt or to time out",
    "tools": "tools: a file is read, another written, with its changes shown",
    "files": "blocks that create, change and delete files, draw an image and fail",
    "die": "a block that ends its kernel",
    "cjk": "wide letters and emoji",
    "hostile": "escape sequences, reordering and hidden characters",
    "offline": "the host's name is not found",
    "401": "the key is refused",
    "429": "too many requests, with a countdown",
    "overflow": "the conversation is longer than the model's context",
}
