//! The rights of a run in one line, for a block whose rights were shown before.

use super::{count, network, secrets};
use crate::domain::{SandboxLevel, Terms};
use std::path::Path;

/// `sandbox on, network off, writes here`; `name` says how a folder is written. Here is where the code would start.
fn in_short(terms: &Terms, name: impl Fn(&Path) -> String) -> String {
    let rights = &terms.rights;
    let secrets = secrets::passed_if_any(rights).map_or_else(String::new, |told| format!(", secrets {told}"));
    if rights.sandbox.level == SandboxLevel::Off {
        return format!("sandbox OFF, anything your account can{secrets}");
    }
    let others = rights.write.iter().filter(|folder| **folder != terms.cwd).count() as u64;
    let is_here = rights.write.contains(&terms.cwd);
    let writes = match (is_here, rights.write.as_slice()) {
        (_, []) => "nothing of yours".to_owned(),
        (false, [folder]) => name(folder),
        (false, _) => count(others, "folder"),
        (true, [_]) => "here".to_owned(),
        (true, _) => format!("here and {}", count(others, "other folder")),
    };
    format!("sandbox on, network {}, writes {writes}{secrets}", network::of_terms(terms))
}

/// `Rights as before: sandbox on, network off, writes here; p shows all`.
pub(crate) fn as_before(terms: &Terms, name: impl Fn(&Path) -> String) -> String {
    format!("Rights as before: {}; p shows all", in_short(terms, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{ExecutorKind, Language, Limits, Rights, SandboxReport};

    fn told(rights: Rights) -> String {
        let terms = Terms {
            language: Language::python(),
            executor: ExecutorKind::Kernel,
            interpreter: "/usr/bin/python3".into(),
            version: None,
            kernel: None,
            cwd: "/work".into(),
            rights,
            limits: Limits::default(),
            shared: None,
            target: None,
        };
        in_short(&terms, |path| path.display().to_string())
    }

    fn confined(write: &[&str]) -> Rights {
        let sandbox = SandboxReport {
            level: SandboxLevel::Workspace,
            network_blocked: true,
            contained: true,
            ..SandboxReport::default()
        };
        Rights { write: write.iter().map(Into::into).collect(), sandbox, ..Rights::default() }
    }

    #[test]
    fn the_line_says_what_is_enforced() {
        assert_eq!(told(confined(&["/work"])), "sandbox on, network off, writes here");
        assert_eq!(told(confined(&[])), "sandbox on, network off, writes nothing of yours");
        assert_eq!(told(confined(&["/else"])), "sandbox on, network off, writes /else");
        assert_eq!(told(confined(&["/a", "/b"])), "sandbox on, network off, writes 2 folders");
        let more = confined(&["/work", "/a"]);
        assert_eq!(told(more), "sandbox on, network off, writes here and 1 other folder");
        let open = Rights { network: true, ..confined(&["/work"]) };
        assert_eq!(told(open), "sandbox on, network OPEN, as you allowed, writes here");
        let mut leaky = confined(&["/work"]);
        leaky.sandbox.network_blocked = false;
        assert_eq!(told(leaky), "sandbox on, network open, writes here");
    }

    #[test]
    fn without_a_sandbox_and_with_a_secret_it_says_so() {
        assert_eq!(told(Rights::default()), "sandbox OFF, anything your account can");
        let environment = vec!["GH_TOKEN".to_owned()];
        let given = Rights { environment, ..confined(&["/work"]) };
        assert_eq!(told(given), "sandbox on, network off, writes here, secrets PASSED: GH_TOKEN");
    }
}
