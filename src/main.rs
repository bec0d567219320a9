//! The program: hands over to the library and turns its answer into an exit code.

fn main() {}
