//! Names that programs start or obey by themselves once somebody opens the folder that they lie in: git, shells, editors,
//! agents, sayso. One list, for what the sandbox keeps as it is, what the review says of a write, and what is looked for
//! after each run. Pure.

use std::path::{Component, Path};

/// A name that something is started by, or obeyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObeyedName {
    /// The name, or the last names of a path: `.git/hooks`. Of a folder all that is in it is meant.
    pub name: &'static str,
    /// What it is, in words that go behind "writes": `a hook that git runs by itself`.
    pub what: &'static str,
}

const fn name(name: &'static str, what: &'static str) -> ObeyedName {
    ObeyedName { name, what }
}

const GIT: &str = "what git obeys by itself";
const SHELL: &str = "what a shell reads when it starts";
const EDITOR: &str = "what an editor obeys by itself";
const AGENT: &str = "what an agent obeys by itself";
const TOOL: &str = "what a tool obeys by itself";

/// All of them.
pub const OBEYED: &[ObeyedName] = &[
    name(".git/hooks", "a hook that git runs by itself"),
    name(".git/config", GIT),
    name(".git/config.worktree", GIT),
    name(".git/commondir", GIT),
    name(".git/info/attributes", GIT),
    name(".gitmodules", GIT),
    name(".gitconfig", GIT),
    name(".husky", "a hook that git runs by itself"),
    name(".pre-commit-config.yaml", "a hook that git runs by itself"),
    name(".bashrc", SHELL),
    name(".bash_profile", SHELL),
    name(".bash_login", SHELL),
    name(".bash_logout", SHELL),
    name(".profile", SHELL),
    name(".zshrc", SHELL),
    name(".zshenv", SHELL),
    name(".zprofile", SHELL),
    name(".zlogin", SHELL),
    name(".config/fish", SHELL),
    name("config.fish", SHELL),
    name(".envrc", SHELL),
    name(".exrc", EDITOR),
    name(".nvimrc", EDITOR),
    name(".vimrc", EDITOR),
    name(".vscode", EDITOR),
    name(".idea", EDITOR),
    name(".dir-locals.el", EDITOR),
    name(".mcp.json", AGENT),
    name(".claude", AGENT),
    name(".codex", AGENT),
    name(".cursor", AGENT),
    name(".ripgreprc", TOOL),
    name("authorized_keys", "who may log in"),
    name(".sayso.toml", "what sayso obeys by itself"),
];

/// What a file or folder is, where its path is one of [`OBEYED`] or lies in one; letters count as their small ones do, as
/// file systems of some computers take them.
pub fn obeyed(path: &Path) -> Option<ObeyedName> {
    let names: Vec<String> = path
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
            _ => None,
        })
        .collect();
    let is_in = |wanted: &str| {
        let wanted: Vec<&str> = wanted.split('/').collect();
        names.windows(wanted.len()).any(|window| window.iter().zip(&wanted).all(|(a, b)| a == b))
    };
    OBEYED.iter().copied().find(|obeyed| is_in(obeyed.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_at_any_depth_and_with_all_that_is_in_them() {
        for (path, what) in [
            (".envrc", SHELL),
            ("sub/.envrc", SHELL),
            ("/home/ann/work/.git/hooks/pre-commit", "a hook that git runs by itself"),
            ("a/b/.git/commondir", GIT),
            (".vscode/tasks.json", EDITOR),
            (".VSCode/tasks.json", EDITOR),
            ("x/.config/fish/conf.d/a.fish", SHELL),
        ] {
            assert_eq!(obeyed(Path::new(path)).map(|name| name.what), Some(what), "{path}");
        }
        for path in ["a.py", ".git/index", ".git/objects/aa/bb", "hooks/pre-commit", "envrc", ".config/a", ""]
        {
            assert_eq!(obeyed(Path::new(path)), None, "{path}");
        }
    }
}
