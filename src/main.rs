//! The program: hands over to the library and turns its answer into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The helper comes first: it must not pay for (or be changed by) anything that the app sets up.
    if std::env::args_os().nth(1).is_some_and(|word| word == "__run") {
        return sayso::exec::helper::main();
    }
    sayso::app::main()
}
