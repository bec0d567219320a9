//! Filters the environment variables that a program started by sayso keeps. Pure.

use std::ffi::{OsStr, OsString};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptVariables {
    /// These names, and the locale.
    Only(&'static [&'static str]),
    /// All variables of the person's shell, except those that make a loader, shell or interpreter run something else
    /// first.
    Person,
}

/// Variables that make a program run or load something else. A tool of the project (direnv, a task file) may have set
/// them.
const STEERING: &[&str] = &[
    "BASH_ENV",
    "BASHOPTS",
    "BROWSER",
    "CDPATH",
    "ENV",
    "GCONV_PATH",
    "GETCONF_DIR",
    "GLOBIGNORE",
    "HOSTALIASES",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LESSCLOSE",
    "LESSKEY",
    "LESSKEYIN",
    "LESSKEY_CONTENT",
    "LESSKEYIN_SYSTEM",
    "LESSOPEN",
    "LOCALDOMAIN",
    "LOCPATH",
    "MALLOC_TRACE",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
    "PROMPT_COMMAND",
    "PS4",
    "RESOLV_HOST_CONF",
    "RES_OPTIONS",
    "SHELLOPTS",
    "SSLKEYLOGFILE",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];

/// Prefixes of such variables.
const STEERING_STARTS: &[&str] = &[
    "BASH_FUNC_",
    "DYLD_",
    "GIT_",
    "LD_",
    "LUA_INIT",
    "PERL",
    "PYTHON",
    "RUBY",
    "GEM_",
    "GTK_MODULES",
    "QT_PLUGIN",
];

/// Whether a variable makes a program run or load something else.
pub(crate) fn is_steering(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return true };
    STEERING.contains(&name) || STEERING_STARTS.iter().any(|start| name.starts_with(start))
}

impl KeptVariables {
    /// The variables of `all` that are kept. `PATH` never is: the caller sets it.
    pub(crate) fn of(self, all: impl Iterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
        let kept = |name: &OsStr| match self {
            KeptVariables::Person => true,
            KeptVariables::Only(names) => {
                name.to_str().is_some_and(|name| names.contains(&name) || name.starts_with("LC_"))
            }
        };
        all.filter(|(name, _)| name != "PATH" && kept(name) && !is_steering(name)).collect()
    }
}
