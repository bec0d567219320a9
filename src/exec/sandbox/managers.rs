//! Version managers and installers of toolchains: the folder by which each is recognized, what is readable for it, and
//! the variable by which its programs find it when the home folder is another one. Data, and checks of folders.

use crate::exec::environment::{self, Environment};
use std::env;
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(super) struct ToolManager {
    /// The folder below the home folder by which it is recognized on the `PATH`.
    pub(crate) known: &'static str,
    /// What is readable for it, below the home folder.
    pub(crate) parts: &'static [&'static str],
    /// The variable that holds its place, and its default place.
    pub(crate) variable: Option<(&'static str, &'static str)>,
}

const fn manager(
    known: &'static str,
    parts: &'static [&'static str],
    variable: Option<(&'static str, &'static str)>,
) -> ToolManager {
    ToolManager { known, parts, variable }
}

pub(super) const MANAGERS: &[ToolManager] = &[
    manager(".pyenv", &[".pyenv"], Some(("PYENV_ROOT", ".pyenv"))),
    manager(".rbenv", &[".rbenv"], Some(("RBENV_ROOT", ".rbenv"))),
    manager(".nodenv", &[".nodenv"], Some(("NODENV_ROOT", ".nodenv"))),
    manager(".nvm", &[".nvm"], Some(("NVM_DIR", ".nvm"))),
    manager(".volta", &[".volta"], Some(("VOLTA_HOME", ".volta"))),
    manager(".asdf", &[".asdf", ".tool-versions"], Some(("ASDF_DATA_DIR", ".asdf"))),
    manager(".local/share/mise", &[".local/share/mise"], Some(("MISE_DATA_DIR", ".local/share/mise"))),
    manager(".local/share/fnm", &[".local/share/fnm"], Some(("FNM_DIR", ".local/share/fnm"))),
    manager(".local/share/pnpm", &[".local/share/pnpm"], None),
    manager(
        ".local/bin",
        &[".local/bin", ".local/share/uv/python", ".local/share/uv/tools", ".local/share/pipx/venvs"],
        Some(("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python")),
    ),
    manager(
        ".cargo/bin",
        &[".cargo/bin", ".rustup/toolchains", ".rustup/settings.toml"],
        Some(("RUSTUP_HOME", ".rustup")),
    ),
    manager(".juliaup", &[".juliaup", ".julia/juliaup"], None),
    manager(".sdkman", &[".sdkman/candidates"], None),
    manager(".linuxbrew", &[".linuxbrew"], None),
    manager(".nix-profile", &[".nix-profile"], None),
    manager(".bun", &[".bun"], None),
    manager(".deno", &[".deno/bin"], None),
    manager("go", &["go/bin"], None),
];

/// The readable parts of managers whose place is set by the person's own variable.
pub(super) fn set_elsewhere() -> Vec<PathBuf> {
    let parts = |manager: &ToolManager| {
        let (name, usual) = manager.variable?;
        let root = set(name)?;
        let below = |part: &&str| Path::new(part).strip_prefix(usual).ok().map(|part| root.join(part));
        Some(manager.parts.iter().filter_map(below).collect::<Vec<_>>())
    };
    MANAGERS.iter().filter_map(parts).flatten().collect()
}

/// Sets the variables that tell programs where their managers are, for a run with another home folder. Also tells
/// rustup to install nothing by itself: it has no place for that, and would try to even for a mere query.
pub(super) fn set_variables(env: &mut Environment, home: Option<&Path>) {
    let mut add = |name: &str, value: PathBuf| {
        if environment::value(env, name).is_none() {
            env.push((name.into(), value.into()));
        }
    };
    for (name, usual) in MANAGERS.iter().filter_map(|manager| manager.variable) {
        let place = set(name).or_else(|| home.map(|home| home.join(usual)));
        if let Some(place) = place.filter(|place| place.is_dir()) {
            add(name, place);
        }
    }
    add("RUSTUP_AUTO_INSTALL", "0".into());
}

/// The names of those variables that the person has set; they are passed on with their values.
pub(super) fn passed_variables() -> impl Iterator<Item = &'static str> {
    let names = MANAGERS.iter().filter_map(|manager| Some(manager.variable?.0));
    names.filter(|name| set(name).is_some_and(|place| place.is_dir()))
}

/// The absolute path in one of the person's variables.
fn set(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|place| place.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_managers_find_those_that_are_there() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".nodenv")).unwrap();
        let mut env: Environment = vec![("RUSTUP_AUTO_INSTALL".into(), "1".into())];
        set_variables(&mut env, Some(home.path()));
        let value = |name: &str| environment::value(&env, name).cloned();
        if env::var_os("NODENV_ROOT").is_none() {
            assert_eq!(value("NODENV_ROOT"), Some(home.path().join(".nodenv").into()));
        }
        if env::var_os("VOLTA_HOME").is_none() {
            assert_eq!(value("VOLTA_HOME"), None, "what is not there is not named");
        }
        assert_eq!(value("RUSTUP_AUTO_INSTALL"), Some("1".into()), "the person's own word holds");
    }

    #[test]
    fn of_every_manager_with_a_variable_something_is_read() {
        for manager in MANAGERS {
            let Some((name, usual)) = manager.variable else { continue };
            assert!(manager.parts.iter().any(|part| Path::new(part).starts_with(usual)), "{name}");
        }
    }
}
