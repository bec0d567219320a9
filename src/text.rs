//! Small things about texts that several rooms do alike. Pure; imports nothing, knows nothing of the session.
//!
//! - `alike`: what a program printed twice - `at_words`: names behind an `@` - `cells`: columns on a terminal - `escapes`: colours taken out - `line`: texts on one line - `located`: places in files - `magics`: of IPython - `near`: suggestions
//! - `number`: thousands and sizes - `process_status`: signals of a process - `rewritten`: bars on lines that are only added
//! - `shell`: words of a shell - `syntax`: their syntax trees - `utf8`: streams as text

pub(crate) mod alike;
pub(crate) mod at_words;
pub(crate) mod cells;
pub(crate) mod escapes;
pub(crate) mod line;
pub(crate) mod located;
pub(crate) mod magics;
pub(crate) mod near;
pub(crate) mod number;
pub(crate) mod process_status;
pub(crate) mod rewritten;
pub(crate) mod shell;
pub(crate) mod syntax;
pub(crate) mod utf8;
