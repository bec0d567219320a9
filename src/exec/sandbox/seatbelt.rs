//! Writes the policy as a profile for `sandbox-exec` on macOS. This is best effort, and reported as such: macOS has no
//! namespaces and no memory limit for a tree of processes, and the tool is deprecated (but widely used). Pure.

#![cfg(any(test, target_os = "macos"))]

use super::policy::SandboxPolicy;
use crate::domain::auto_run::AUTO_RUN_NAMES;
use std::fmt::Write as _;
use std::path::Path;

/// The path of the tool. No other program of this name is used.
#[cfg(target_os = "macos")]
pub(crate) const TOOL: &str = "/usr/bin/sandbox-exec";

/// The parts of the system that every program needs.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/System",
    "/Library/Apple",
    "/Library/Frameworks",
    "/Library/Developer",
    "/private/etc/ssl",
    "/private/etc/localtime",
    "/private/etc/passwd",
    "/private/etc/hosts",
    "/private/etc/resolv.conf",
    "/private/var/db/timezone",
    "/opt/homebrew",
    "/dev",
];

const HEAD: &str = "(version 1)\n(deny default)\n(allow process-exec process-fork)\n(allow signal process-info* (target same-sandbox))\n\
                    (allow sysctl-read)\n(allow mach-lookup (global-name \"com.apple.system.opendirectoryd.libinfo\"))\n\
                    (allow ipc-posix-sem ipc-posix-shm)\n(allow file-read-metadata)\n(allow file-read* (literal \"/\"))\n\
                    (allow file-write* (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/tty\"))\n";

pub(crate) fn profile(policy: &SandboxPolicy, helper: &Path) -> String {
    let mut text = HEAD.to_owned();
    let mut rule = |what: &str, path: &Path| {
        // Writing to a string can't fail.
        writeln!(text, "({what} (subpath {}))", quoted(path)).ok();
    };
    let (tmp, home) = &policy.private;
    for path in SYSTEM {
        rule("allow file-read*", Path::new(path));
    }
    for path in policy.readable().iter().chain([home, &helper.to_owned()]) {
        rule("allow file-read*", path);
    }
    for path in policy.writable().iter().chain([tmp, home]) {
        rule("allow file-read* file-write*", path);
    }
    // Of two rules that match, the later one holds.
    for folder in policy.writable() {
        for auto_run in AUTO_RUN_NAMES {
            rule("deny file-write*", &folder.join(auto_run.name));
        }
    }
    for path in &policy.protected {
        rule("deny file-write*", path);
    }
    for path in policy.hidden_folders.iter().chain(&policy.hidden_files) {
        rule("deny file-read* file-write*", path);
    }
    text += if policy.network { "(allow network*)\n" } else { "(deny network*)\n" };
    text
}

/// Quotes a path as a string of the profile's language.
fn quoted(path: &Path) -> String {
    let mut text = String::from("\"");
    for c in path.to_string_lossy().chars() {
        if matches!(c, '"' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::super::policy::tests::sample;
    use super::*;
    use crate::domain::SandboxLevel;

    #[test]
    fn profiles() {
        let helper = Path::new("/opt/bin/sayso");
        insta::assert_snapshot!("seatbelt_workspace", profile(&sample(SandboxLevel::Workspace), helper));
        let read_only = profile(&sample(SandboxLevel::ReadOnly), helper);
        assert!(!read_only.contains("file-write* (subpath \"/home/ada/data/sales\")"), "{read_only}");
        assert!(read_only.contains("(deny network*)"));
    }

    #[test]
    fn a_path_can_not_leave_its_quotes() {
        assert_eq!(quoted(Path::new("/a\") (allow default) (\"\\")), r#""/a\") (allow default) (\"\\""#);
    }
}
