//! The program's entry point: calls the library and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    // From here on a write beyond `ulimit -f` returns an error instead of ending the process with a signal.
    sayso::exec::outlive_file_limit();
    // A memory image of this process would hold keys and unsaved text. The process stays dumpable: otherwise
    // `/proc/self`, through which programs are started and private folders opened, would belong to root.
    sayso::exec::helper::disable_core_dumps();
    // The helper is dispatched first: nothing that the app sets up may slow it down or change it.
    if std::env::args_os().nth(1).is_some_and(|word| word == "__run") {
        return sayso::exec::helper::main();
    }
    sayso::app::main()
}
