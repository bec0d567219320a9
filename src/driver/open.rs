//! Opening a file with the program that the desktop has for it. The file was made by a run that the person approved;
//! opening it is asked for by a key.

use std::path::Path;
use std::process::{Command, Stdio};

/// The desktop's opener.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

/// Starts the desktop's opener and does not wait for it.
///
/// # Errors
/// Words for the status line when there is none.
pub fn external(path: &Path) -> Result<(), String> {
    let mut command = Command::new(OPENER);
    command.arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = command.spawn();
    let mut child = started.map_err(|_| format!("No {OPENER} here. The file is {}", path.display()))?;
    std::thread::spawn(move || child.wait());
    Ok(())
}
