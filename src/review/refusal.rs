//! Effects beside rights: what a block would do that the sandbox will not let it do.
//!
//! Judged by spelling, as everything here: a link can lead elsewhere, and the sandbox sees that.

use super::Scope;
use super::ground;
use super::rules::Ground;
use crate::domain::{Effects, Rights, SandboxLevel};
use std::path::{Path, PathBuf};

/// Lines such as `writes ~/.bashrc: the sandbox will refuse`, in the order of the effects. Without a sandbox nothing is
/// refused, and nothing is said.
pub fn refusals(effects: &Effects, rights: &Rights, scope: &Scope) -> Vec<String> {
    if rights.sandbox.level == SandboxLevel::Off {
        return Vec::new();
    }
    let mut lines = Vec::new();
    for (verb, paths, roots) in [
        ("reads", &effects.reads, &rights.read),
        ("writes", &effects.writes, &rights.write),
        ("deletes", &effects.deletes, &rights.write),
    ] {
        let refused = paths.iter().filter(|path| !allowed(path, roots, scope));
        lines.extend(refused.map(|path| format!("{verb} {path}: the sandbox will refuse")));
    }
    if !rights.network {
        let far = effects.hosts.iter().filter(|host| ground::host_ground(host) != Ground::Local);
        lines.extend(far.map(|host| format!("reaches {host}: the sandbox will refuse")));
        let packages = &effects.packages;
        lines.extend(packages.iter().map(|name| format!("installs {name}: the sandbox will refuse")));
    }
    lines
}

/// Whether a path is below one of the roots; all are where there are none. What can't be told is not refused here.
fn allowed(text: &str, roots: &[PathBuf], scope: &Scope) -> bool {
    if roots.is_empty() {
        return true;
    }
    let located = ground::locate(text, None, scope);
    let always = [Ground::Unknown, Ground::Null, Ground::Temp, Ground::Scratch];
    if always.iter().any(|ground| located.is(*ground)) {
        return true;
    }
    let Some(full) = ground::resolved(text, scope) else { return true };
    roots.iter().any(|root| Path::new(&full).starts_with(root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn scope() -> Scope {
        Scope { cwd: "/home/ann/work".into(), home: Some("/home/ann".into()), book: Arc::default() }
    }

    fn effects() -> Effects {
        let list = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<String>>();
        Effects {
            reads: list(&["a.csv", "/etc/passwd"]),
            writes: list(&["out/a.png", "~/.bashrc", "/tmp/x", "/dev/null", "../b"]),
            deletes: list(&["../../all"]),
            hosts: list(&["example.com", "localhost"]),
            packages: list(&["requests"]),
            ..Effects::default()
        }
    }

    #[test]
    fn without_a_sandbox_nothing_is_refused() {
        let rights = Rights { write: vec!["/home/ann/work".into()], ..Rights::default() };
        assert_eq!(refusals(&effects(), &rights, &scope()), Vec::<String>::new());
    }

    #[test]
    fn paths_are_below_their_roots() {
        let roots = [PathBuf::from("/home/ann/work")];
        let scope = scope();
        for path in ["a.csv", "./x/../y", "/home/ann/work/z", "~/work/z", "/tmp/a", "/dev/null", "…/a"] {
            assert!(allowed(path, &roots, &scope), "{path}");
        }
        for path in ["../a", "~/.bashrc", "/etc/passwd", "/home/ann/workshop/a", "/"] {
            assert!(!allowed(path, &roots, &scope), "{path}");
        }
        assert!(allowed("/etc/passwd", &[], &scope));
    }
}
