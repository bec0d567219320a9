//! The rights of a run in one line, for a block whose rights were shown in full before.

use super::{count, network, running, secrets};
use crate::domain::{SandboxLevel, Terms};
use std::path::Path;

/// The line in the rights of a run with a terminal of its own.
pub(crate) const TERMINAL: &str = "its own, a whole screen: you can type into it, never it into yours; what it prints, \
                                   errors too, is one stream; while your keys go there, the time limit counts what it \
                                   computes alone, and begins anew whenever they change hands; T takes the terminal \
                                   away";

/// A change of a kernel that went to a folder of which a run's word is not taken.
pub(crate) const IN_CLOSED_FOLDER: &str = "it is in a folder that is closed to it, not in the one shown";

/// A change of a shell that ended in such a folder.
pub(crate) const FOLDER_NOT_CARRIED_OVER: &str = "not carried over: the folder, which is closed to runs";

/// What a file that is replaced had, and the one in its place does not have.
pub(crate) fn lost_by_replacing(what: &str) -> String {
    format!("the file loses {what}")
}

/// `sandbox on, network off, writes here`; `name` turns a folder into words, where "here" is the folder in which the
/// code would start.
fn in_short(terms: &Terms, name: impl Fn(&Path) -> String) -> String {
    let rights = &terms.rights;
    let secrets =
        secrets::passed_if_any(rights).map_or_else(String::new, |names| format!(", secrets {names}"));
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

/// `As before: sandbox on, network off, writes here; k1 after blocks 1-3`, which fits one row of the narrowest
/// pane. The earlier blocks are not a right, but are told each time because they may have changed what this block
/// finds.
pub(crate) fn as_before(terms: &Terms, name: impl Fn(&Path) -> String) -> String {
    let shared = terms.shared.as_ref().map_or_else(String::new, |shared| {
        let what = terms.kernel.map_or("state".to_owned(), |kernel| format!("k{}", kernel.generation));
        format!("; {what} after {}", running::blocks(shared))
    });
    format!("As before: {}{shared}", in_short(terms, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{BlockId, KernelRef, Rights, SandboxReport, SharedState, samples};

    fn terms(rights: Rights) -> Terms {
        Terms { kernel: None, rights: rights.into(), ..samples::terms() }
    }

    fn told(rights: Rights) -> String {
        in_short(&terms(rights), |path| path.display().to_string())
    }

    #[test]
    fn blocks_that_came_before_are_told_also_where_rights_are_folded() {
        let kernel = KernelRef { generation: 2, variables: 3, keeps_running: false };
        let blocks = [1, 2, 4].map(BlockId).into_iter().collect();
        let mut terms = terms(confined(&["/work"]));
        (terms.kernel, terms.shared) = (Some(kernel), Some(SharedState { blocks, changed: Vec::new() }));
        let line = as_before(&terms, |path| path.display().to_string());
        assert_eq!(line, "As before: sandbox on, network off, writes here; k2 after blocks 1-2, 4");
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
