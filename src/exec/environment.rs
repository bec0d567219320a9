//! Filters the environment that programs get: an allow-list, so that no provider's key is passed on. Pure.

use std::ffi::{OsStr, OsString};

pub(super) type Environment = Vec<(OsString, OsString)>;

/// The variable that every program of an executor has, by which its processes can be recognized.
pub(super) const MARK: &str = "SAYSO_RUN";

/// Names that every program gets.
const USUAL: &[&str] = &["PATH", "HOME", "LANG", "TERM", "TZ", "USER", "TMPDIR"];
/// Prefixes of names that every program gets.
const USUAL_STARTS: &[&str] = &["LC_"];
/// Names that make an interpreter or loader run something else first. Not passed on, even if declared.
const NEVER: &[&str] =
    &["NODE_OPTIONS", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PROMPT_COMMAND", "PERL5OPT", "RUBYOPT"];
/// Prefixes of such names.
const NEVER_STARTS: &[&str] = &["PYTHON", "LD_", "DYLD_", "BASH_FUNC_"];
/// Prefixes of names that the person may pass on, but that are not carried from one block to the next, because git
/// obeys them.
const NEVER_CARRIED: &[&str] = &["GIT_"];

/// The variables that are passed on: the usual ones and those `declared`, sorted by name.
pub(super) fn allowed(
    all: impl IntoIterator<Item = (OsString, OsString)>,
    declared: &[String],
) -> Environment {
    let mut kept: Vec<_> = all.into_iter().filter(|(name, _)| is_allowed(name, declared)).collect();
    kept.sort();
    kept
}

/// The variables that a program elsewhere gets: only the declared ones, since the others make sense only on this
/// machine.
pub(super) fn declared(
    all: impl IntoIterator<Item = (OsString, OsString)>,
    declared: &[String],
) -> Environment {
    let mut kept = allowed(all, declared);
    kept.retain(|(name, _)| declared.iter().any(|one| name == one.as_str()));
    kept
}

pub(super) fn value(env: &Environment, name: impl AsRef<OsStr>) -> Option<&OsString> {
    let name = name.as_ref();
    env.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Whether every shell sets this variable itself.
pub(super) fn is_of_each_shell(name: &OsStr) -> bool {
    let own = ["_", "PWD", "SHLVL", "SHELLOPTS", "BASHOPTS", MARK];
    name.to_str().is_some_and(|name| own.contains(&name))
}

/// Whether a variable makes loaders, interpreters or git start something else first. Such a variable is not carried
/// from one block to the next.
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

    /// The kernel removes variables that a shell does not carry over; its source contains the same names.
    #[test]
    fn the_kernel_knows_the_same_names() {
        let text = crate::exec::plan::KERNEL;
        let listed = |name: &str| {
            let begin = text.split_once(&format!("{name} = (")).unwrap().1;
            let list = begin.split_once(')').unwrap().0.split('"').skip(1).step_by(2);
            list.collect::<std::collections::BTreeSet<_>>()
        };
        let ours = |lists: &[&[&'static str]]| lists.concat().into_iter().collect();
        // So do the scripts that repeat recorded runs.
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
