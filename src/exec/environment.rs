//! The environment that programs are given: an allow-list, so that no key of a provider travels along. Pure.

use std::ffi::{OsStr, OsString};

/// Variables with their values.
pub(super) type Environment = Vec<(OsString, OsString)>;

/// The variable that every program of one executor carries, so that its processes can be known by it.
pub(super) const MARK: &str = "SAYSO_RUN";

/// Names that every program gets.
const USUAL: &[&str] = &["PATH", "HOME", "LANG", "TERM", "TZ", "USER", "TMPDIR"];
/// Beginnings of names that every program gets.
const USUAL_STARTS: &[&str] = &["LC_"];
/// Names that make an interpreter or loader run something else first; not passed, even when declared.
const NEVER: &[&str] =
    &["NODE_OPTIONS", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PERL5OPT", "RUBYOPT"];
/// Beginnings of such names.
const NEVER_STARTS: &[&str] = &["PYTHON", "LD_", "DYLD_", "BASH_FUNC_"];
/// Beginnings of names that the person may pass on, and that no block leaves to the next: programs of git obey them.
const NEVER_CARRIED: &[&str] = &["GIT_"];

/// What of these variables is passed on, `declared` names included; sorted by name.
pub(super) fn allowed(
    all: impl IntoIterator<Item = (OsString, OsString)>,
    declared: &[String],
) -> Environment {
    let mut kept: Vec<_> = all.into_iter().filter(|(name, _)| is_allowed(name, declared)).collect();
    kept.sort();
    kept
}

/// The variables that a program elsewhere is given: those that were declared, by name, and nothing that only makes sense
/// here.
pub(super) fn declared(
    all: impl IntoIterator<Item = (OsString, OsString)>,
    declared: &[String],
) -> Environment {
    let mut kept = allowed(all, declared);
    kept.retain(|(name, _)| declared.iter().any(|one| name == one.as_str()));
    kept
}

/// Whether each shell sets this variable anew.
pub(super) fn is_of_each_shell(name: &OsStr) -> bool {
    let own = ["_", "PWD", "SHLVL", "SHELLOPTS", "BASHOPTS", MARK];
    name.to_str().is_some_and(|name| own.contains(&name))
}

/// Whether a variable makes loaders, interpreters or git start something else first, so that no block leaves it to the
/// next.
pub(super) fn is_steering(name: &OsStr) -> bool {
    let starts =
        |list: &[&str]| list.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes()));
    NEVER.iter().any(|never| name == *never) || starts(NEVER_STARTS) || starts(NEVER_CARRIED)
}

fn is_allowed(name: &OsStr, declared: &[String]) -> bool {
    let Some(name) = name.to_str() else { return false };
    let starts = |list: &[&str]| list.iter().any(|start| name.starts_with(start));
    let wanted = USUAL.contains(&name) || starts(USUAL_STARTS) || declared.iter().any(|d| d == name);
    wanted && !NEVER.contains(&name) && !starts(NEVER_STARTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(all: &[&str], declared: &[&str]) -> Vec<String> {
        let all = all.iter().map(|name| (OsString::from(name), OsString::from("x")));
        let declared: Vec<String> = declared.iter().map(ToString::to_string).collect();
        allowed(all, &declared).into_iter().map(|(name, _)| name.into_string().unwrap()).collect()
    }

    /// The kernel takes out of itself what a shell does not carry over: it has the names in its own text.
    #[test]
    fn the_kernel_knows_the_same_names() {
        let text = crate::exec::plan::KERNEL;
        let listed = |name: &str| {
            let begin = text.split_once(&format!("{name} = (")).unwrap().1;
            let list = begin.split_once(')').unwrap().0.split('"').skip(1).step_by(2);
            list.collect::<std::collections::BTreeSet<_>>()
        };
        let ours = |lists: &[&[&'static str]]| lists.concat().into_iter().collect();
        // So does a script that does again what ran.
        for again in [include_str!("../../assets/again-bash.py"), include_str!("../../assets/again.sh")] {
            let words: std::collections::BTreeSet<&str> =
                again.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
            for name in [NEVER, NEVER_STARTS, NEVER_CARRIED, &["_", "PWD", "SHLVL"]].concat() {
                assert!(words.contains(name), "{name}");
            }
        }
        assert_eq!(listed("\nSTEERING_NAMES"), ours(&[NEVER]));
        assert_eq!(listed("\nSTEERING"), ours(&[NEVER_STARTS, NEVER_CARRIED]));
    }

    #[test]
    fn keys_and_what_steers_interpreters_stay_behind() {
        let all = [
            "PATH",
            "HOME",
            "LC_ALL",
            "OPENAI_API_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "LD_PRELOAD",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "NODE_OPTIONS",
            "BASH_ENV",
            "SSH_AUTH_SOCK",
            "EDITOR",
            "TZ",
        ];
        assert_eq!(names(&all, &[]), ["HOME", "LC_ALL", "PATH", "TZ"]);
    }

    #[test]
    fn declared_names_are_passed_but_not_the_steering_ones() {
        let all = ["PATH", "DATABASE_URL", "LD_PRELOAD", "BASH_FUNC_ls%%"];
        assert_eq!(names(&all, &["DATABASE_URL", "LD_PRELOAD", "BASH_FUNC_ls%%"]), ["DATABASE_URL", "PATH"]);
    }
}
