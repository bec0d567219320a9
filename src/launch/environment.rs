//! Filters the environment variables that a program started by sayso keeps. Starts nothing; of the disk it only asks
//! whether a place exists.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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
    "EXINIT",
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
    "VIMINIT",
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

/// Variables that name places: of settings, of data about terminals, of code for an editor. The person may have moved
/// those; in the working folder they are somebody else's.
const PLACES: &[&str] = &[
    "EMACSLOADPATH",
    "MYVIMRC",
    "TERMINFO",
    "TERMINFO_DIRS",
    "VIM",
    "VIMRUNTIME",
    "XDG_CONFIG_DIRS",
    "XDG_CONFIG_HOME",
    "XDG_DATA_DIRS",
    "XDG_DATA_HOME",
];

/// Whether a variable of [`PLACES`] names a place that is not trusted.
pub(crate) fn leads_astray(name: &OsStr, value: &OsStr, trusted: impl Fn(&Path) -> bool) -> bool {
    let is_bad = |place: PathBuf| {
        !place.as_os_str().is_empty() && (place.is_relative() || (place.exists() && !trusted(&place)))
    };
    PLACES.iter().any(|one| name == *one) && std::env::split_paths(value).any(is_bad)
}

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
