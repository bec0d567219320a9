//! The program: hands over to the library and turns its answer into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // A file that reaches the shell's limit (`ulimit -f`) is an error of the write then, and not the end of everything.
    sayso::exec::outlive_file_limit();
    // The helper comes first: it must not pay for (or be changed by) anything that the app sets up.
    if std::env::args_os().nth(1).is_some_and(|word| word == "__run") {
        return sayso::exec::helper::main();
    }
    sayso::app::main()
}
