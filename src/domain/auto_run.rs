//! Names of files that programs run or obey by themselves once somebody opens the folder: git, shells, editors, agents,
//! sayso. One list for three uses: what the sandbox protects, what the review says about a write, and what is checked
//! after each run. Pure.

use super::git_folder::is_obeyed_in_inner_folder;
use std::path::{Component, Path};

/// A file name that programs run or obey by themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AutoRunName {
    /// The name, or the last parts of a path: `.git/hooks`. A folder stands for everything in it.
    pub(crate) name: &'static str,
    /// What it is, in words that follow "writes": `a hook that git runs by itself`.
    pub(crate) what: &'static str,
}

const fn name(name: &'static str, what: &'static str) -> AutoRunName {
    AutoRunName { name, what }
}

const GIT: &str = "what git obeys by itself";
const SHELL: &str = "what a shell reads when it starts";
const EDITOR: &str = "what an editor obeys by itself";
const AGENT: &str = "what an agent obeys by itself";
const INSTRUCTIONS: &str = "instructions that agents obey";
const TOOL: &str = "what a tool obeys by itself";
const MAVEN: &str = "what Maven obeys by itself";
const RUSTUP: &str = "what rustup obeys by itself";

/// Something in a folder of git's own, or a `.git` that leads to one.
pub(crate) const OF_GIT: AutoRunName = name(".git", GIT);

/// The names that the sandbox protects where they exist.
pub(crate) const AUTO_RUN_NAMES: &[AutoRunName] = &[
    name(".git/hooks", "a hook that git runs by itself"),
    name(".git/config", GIT),
    name(".git/config.worktree", GIT),
    name(".git/commondir", GIT),
    name(".git/info/attributes", GIT),
    name(".gitmodules", GIT),
    name(".gitconfig", GIT),
    name(".husky", "a hook that git runs by itself"),
    name(".githooks", "a hook that git runs by itself"),
    name(".pre-commit-config.yaml", "a hook that git runs by itself"),
    name(".hg/hgrc", "what Mercurial obeys by itself"),
    name(".jj/repo/config.toml", "what Jujutsu obeys by itself"),
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
    name(".nvim.lua", EDITOR),
    name(".vimrc", EDITOR),
    name(".vscode", EDITOR),
    name(".idea", EDITOR),
    name(".zed/tasks.json", EDITOR),
    name(".zed/settings.json", EDITOR),
    name(".dir-locals.el", EDITOR),
    name(".devcontainer", EDITOR),
    name(".devcontainer.json", EDITOR),
    name(".mcp.json", AGENT),
    name(".claude", AGENT),
    name(".codex", AGENT),
    name(".cursor", AGENT),
    name(".gemini", AGENT),
    name(".aider.conf.yml", AGENT),
    name(".ripgreprc", TOOL),
    name(".Rprofile", "code that R runs when it starts"),
    name(".pdbrc", "commands that Python's debugger runs"),
    name(".irbrc", "code that irb runs when it starts"),
    name(".pryrc", "code that pry runs when it starts"),
    name(".bundle/config", "what bundler obeys by itself"),
    name(".mvn/extensions.xml", MAVEN),
    name(".mvn/jvm.config", MAVEN),
    name(".mvn/maven.config", MAVEN),
    name(".cargo/config.toml", "what cargo obeys by itself"),
    name(".cargo/config", "what cargo obeys by itself"),
    name(".npmrc", "what npm obeys by itself"),
    name(".yarnrc.yml", "what yarn obeys by itself"),
    name(".yarnrc", "what yarn obeys by itself"),
    name(".pnpmfile.cjs", "code that pnpm runs"),
    name("authorized_keys", "who may log in"),
    name(".sayso.toml", "what sayso obeys by itself"),
];

/// Names that are found and reported as those of [`AUTO_RUN_NAMES`] are, but that runs may write: git itself writes its
/// list of a rebase, and the choice of a toolchain is edited like code.
const OBEYED_BUT_WRITABLE: &[AutoRunName] = &[
    name(".git/rebase-merge/git-rebase-todo", "commands that git runs as it goes on with a rebase"),
    name("rust-toolchain.toml", RUSTUP),
    name("rust-toolchain", RUSTUP),
];

/// Project code that tools run by themselves, but not just because the folder is opened, and instructions to agents,
/// which are edited like code. Runs may write them, and also what Python and pip write into a virtual environment.
const RUN_BY_TOOLS: &[AutoRunName] = &[
    name("package.json", "scripts that npm runs"),
    name("conftest.py", "code that pytest runs"),
    name("setup.py", "code that pip runs"),
    name("build.rs", "code that cargo runs"),
    name("makefile", "commands that make runs"),
    name("gnumakefile", "commands that make runs"),
    name("justfile", "commands that just runs"),
    name("lefthook.yml", "hooks that lefthook runs"),
    name("mise.toml", "what mise obeys"),
    name("rakefile", "code that rake runs"),
    name("gradlew", "commands that start Gradle"),
    name("noxfile.py", "code that nox runs"),
    name("tox.ini", "commands that tox runs"),
    name(".github/workflows", "jobs that a server runs"),
    name(".gitlab-ci.yml", "jobs that a server runs"),
    name("AGENTS.md", INSTRUCTIONS),
    name("CLAUDE.md", INSTRUCTIONS),
    name("GEMINI.md", INSTRUCTIONS),
    name(".cursorrules", INSTRUCTIONS),
    name(".clinerules", INSTRUCTIONS),
    name(".github/copilot-instructions.md", INSTRUCTIONS),
    name("opencode.json", INSTRUCTIONS),
    name(".pnp.cjs", "code that yarn runs"),
    name(".yarn/releases", "code that yarn runs"),
    name("sitecustomize.py", "code that Python runs at each start"),
    name("usercustomize.py", "code that Python runs at each start"),
    name(".venv/bin/activate", "commands that a shell runs to use the environment"),
    name(".venv/pyvenv.cfg", "what Python obeys when it starts"),
    name(".venv/pip.conf", "what pip obeys"),
];
/// Files with this ending are such code too.
const PTH: AutoRunName = name(".pth", "code that Python runs at each start");

/// Finds what kind of tool-run code a file is. Files that a package manager keeps of other packages don't count.
pub(crate) fn run_by_tools(path: &Path) -> Option<AutoRunName> {
    let names = names_of(path);
    let last = names.last()?;
    if names.iter().any(|name| name == "node_modules") {
        return None;
    }
    let is_installed = names.iter().any(|name| name == "site-packages" || name == "dist-packages");
    let is_it = |file: &AutoRunName| {
        if is_installed { file.what == PTH.what && file.name == last } else { is_in(&names, file.name) }
    };
    let found = RUN_BY_TOOLS.iter().copied().find(is_it);
    found.or(last.ends_with(PTH.name).then_some(PTH))
}

/// Finds which name of [`AUTO_RUN_NAMES`] or [`OBEYED_BUT_WRITABLE`] a path is or lies in, or whether git obeys it:
/// `.git` itself, which may be a file or a link that leads git elsewhere, and the folders of submodules and worktrees.
/// Ignores case, as the file systems of some computers do.
pub(crate) fn auto_run_name(path: &Path) -> Option<AutoRunName> {
    let names = names_of(path);
    let mut obeyed = AUTO_RUN_NAMES.iter().chain(OBEYED_BUT_WRITABLE).copied();
    let found = obeyed.find(|auto_run| is_in(&names, auto_run.name));
    let is_of_git = || names.last().is_some_and(|name| name == ".git") || is_obeyed_in_inner_folder(&names);
    found.or_else(|| is_of_git().then_some(OF_GIT))
}

fn names_of(path: &Path) -> Vec<String> {
    let parts = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        _ => None,
    });
    parts.collect()
}

fn is_in(names: &[String], wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split('/').collect();
    names
        .windows(wanted.len())
        .any(|window| window.iter().zip(&wanted).all(|(a, b)| a.eq_ignore_ascii_case(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_tools_run_is_the_projects_own() {
        for (path, found) in [
            ("package.json", true),
            ("web/package.json", true),
            ("tests/conftest.py", true),
            ("Makefile", true),
            (".pnp.cjs", true),
            ("CLAUDE.md", true),
            ("sub/agents.md", true),
            (".yarn/releases/yarn.cjs", true),
            (".github/workflows/ci.yml", true),
            ("lefthook.yml", true),
            ("sub/mise.toml", true),
            ("Rakefile", true),
            ("android/gradlew", true),
            ("noxfile.py", true),
            ("tox.ini", true),
            (".cursorrules", true),
            (".clinerules", true),
            (".clinerules/style.md", true),
            (".github/Copilot-Instructions.md", true),
            ("opencode.json", true),
            (".venv/bin/activate", true),
            ("web/.venv/pyvenv.cfg", true),
            (".venv/pip.conf", true),
            (".venv/bin/python", false),
            ("bin/activate", false),
            ("node_modules/left-pad/tox.ini", false),
            (".venv/lib/python3.12/site-packages/evil.pth", true),
            (".venv/lib/python3.12/site-packages/sitecustomize.py", true),
            ("node_modules/left-pad/package.json", false),
            (".venv/lib/python3.12/site-packages/numpy/conftest.py", false),
            ("main.py", false),
            ("workflows/ci.yml", false),
        ] {
            assert_eq!(run_by_tools(Path::new(path)).is_some(), found, "{path}");
            assert_eq!(auto_run_name(Path::new(path)), None, "{path} may be written");
        }
    }

    #[test]
    fn what_git_and_edits_have_to_write_is_told_but_not_protected() {
        for path in ["rust-toolchain.toml", ".git/rebase-merge/git-rebase-todo"] {
            assert!(auto_run_name(Path::new(path)).is_some(), "{path}");
            assert!(AUTO_RUN_NAMES.iter().all(|name| name.name != path), "{path}");
        }
    }

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
            ("sub/.git", GIT),
            (".git/modules/sub/config", GIT),
            (".git/modules/a/b/modules/c/hooks/post-checkout", GIT),
            (".git/worktrees/w/config.worktree", GIT),
            (".git/modules/sub/info/attributes", GIT),
            (".gemini/settings.json", AGENT),
            (".Rprofile", "code that R runs when it starts"),
            ("a/.cargo/config.toml", "what cargo obeys by itself"),
            (".devcontainer/devcontainer.json", EDITOR),
            (".hg/hgrc", "what Mercurial obeys by itself"),
            (".jj/repo/config.toml", "what Jujutsu obeys by itself"),
            (".zed/tasks.json", EDITOR),
            ("sub/.Zed/settings.json", EDITOR),
            (".aider.conf.yml", AGENT),
            (".irbrc", "code that irb runs when it starts"),
            (".pryrc", "code that pry runs when it starts"),
            ("web/.bundle/config", "what bundler obeys by itself"),
            (".mvn/extensions.xml", MAVEN),
            (".mvn/jvm.config", MAVEN),
            (".mvn/maven.config", MAVEN),
            (".pnpmfile.cjs", "code that pnpm runs"),
            ("rust-toolchain.toml", RUSTUP),
            ("crates/a/rust-toolchain", RUSTUP),
            (".git/rebase-merge/git-rebase-todo", "commands that git runs as it goes on with a rebase"),
        ] {
            assert_eq!(auto_run_name(Path::new(path)).map(|name| name.what), Some(what), "{path}");
        }
        for path in [
            "a.py",
            ".git/index",
            ".git/objects/aa/bb",
            ".git/modules/sub/index",
            ".git/modules/sub/refs/heads/config",
            ".git/modules/config",
            ".git/rebase-merge/done",
            ".hg/dirstate",
            ".zed/snippets.json",
            ".mvn/wrapper/maven-wrapper.properties",
            "toolchain.toml",
            "hooks/pre-commit",
            "config",
            "envrc",
            ".config/a",
            "",
        ] {
            assert_eq!(auto_run_name(Path::new(path)), None, "{path}");
        }
    }
}
