//! Small functions on texts that several rooms need. Pure; imports nothing and knows nothing about sessions.
//!
//! - `alike`: compares the outputs of two runs
//! - `at_words`: file names behind an `@`
//! - `cells`: columns on a terminal
//! - `diff`: comparison of lists and texts
//! - `escapes`: removes terminal sequences
//! - `fence`: texts in Markdown fences
//! - `line`: texts on one line
//! - `magics`: magics of IPython
//! - `names`: the first names of many in a sentence
//! - `near`: suggestions
//! - `number`: thousands and sizes
//! - `path`: paths without `.` and `..`, and with `~`
//! - `position`: positions in files
//! - `process_status`: signals of a process
//! - `rewritten`: overwritten lines (progress bars) for append-only output
//! - `shell`: quoting for shells
//! - `syntax`: syntax trees of Python, JavaScript and bash
//! - `system_error`: words of the system's errors
//! - `utf8`: decodes streams

pub(crate) mod alike;
pub(crate) mod at_words;
pub(crate) mod cells;
pub(crate) mod diff;
pub(crate) mod escapes;
pub(crate) mod fence;
pub(crate) mod line;
pub(crate) mod magics;
pub(crate) mod names;
pub(crate) mod near;
pub(crate) mod number;
pub(crate) mod path;
pub(crate) mod position;
pub(crate) mod process_status;
pub(crate) mod rewritten;
pub(crate) mod shell;
pub(crate) mod syntax;
pub(crate) mod system_error;
pub(crate) mod utf8;
