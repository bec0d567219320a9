//! Predicts which effects of a block the sandbox will refuse, by comparing them with the reach that the helper is
//! given. Says nothing where that can't be known.

use super::Scope;
use super::path_class;
use super::rules::TargetClass;
use crate::domain::sentences::sandbox::{Hindrance, refusal};
use crate::domain::{Effects, Reach, Reachability};
use std::path::{Path, PathBuf};

/// Where a path leads with its links followed, as far as it exists.
pub(super) type FollowLinks<'a> = &'a dyn Fn(&Path) -> PathBuf;

/// Lines such as `writes ~/.bashrc: the sandbox will refuse`, in the order of the effects.
pub fn refusals(effects: &Effects, reach: &Reach, scope: &Scope, follow: FollowLinks<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let reads: fn(&Reach, &Path) -> Reachability = |reach, path| reach.reads(path);
    let writes: fn(&Reach, &Path) -> Reachability = |reach, path| reach.writes(path);
    let kinds = [
        ("reads", &effects.reads, reads),
        ("writes", &effects.writes, writes),
        ("deletes", &effects.deletes, writes),
    ];
    for (verb, paths, can) in kinds {
        let told = paths.iter().filter_map(|text| {
            let found = places(text, reach, scope).into_iter().map(|path| {
                let path = before_pattern(&path);
                reach.through(path, &follow(path), can)
            });
            let hindrance = hindrance(found)?;
            // Without a file system of its own, a run reaches modes and times of files that it can't write.
            let content = verb == "writes" && !reach.own_tree && hindrance == Hindrance::Place;
            Some(refusal(verb, text, if content { Hindrance::Content } else { hindrance }))
        });
        lines.extend(told);
    }
    if reach.network == Reachability::No {
        let far = effects.hosts.iter().filter(|host| path_class::host_class(host) == TargetClass::Remote);
        lines.extend(far.map(|host| refusal("reaches", host, Hindrance::Network)));
        let fetched = effects.packages.iter().filter(|name| !is_here(name));
        lines.extend(fetched.map(|name| refusal("installs", name, Hindrance::Network)));
    }
    lines
}

/// The absolute paths that a text may mean; `~` may be the person's home or the home set for programs, depending on the
/// program. Empty if the text names no file, or an unknown one.
fn places(text: &str, reach: &Reach, scope: &Scope) -> Vec<PathBuf> {
    let located = path_class::locate(text, None, scope);
    if [TargetClass::Unknown, TargetClass::Null, TargetClass::Scratch].iter().any(|class| located.is(*class))
    {
        return Vec::new();
    }
    let told = reach.home.as_ref().map(|home| Scope { home: Some(home.clone()), ..scope.clone() });
    let spelled = if text.starts_with('~') { told } else { None };
    let scopes = [Some(scope), spelled.as_ref()];
    let mut found: Vec<PathBuf> = scopes
        .into_iter()
        .flatten()
        .filter_map(|scope| path_class::resolved(&text.replace('\\', "/"), scope))
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .collect();
    found.dedup();
    found
}

/// What hinders the effect, if something does for every path that the text may mean.
fn hindrance(found: impl Iterator<Item = Reachability>) -> Option<Hindrance> {
    let mut all = None;
    for can in found {
        all = match (all, can) {
            (None | Some(Hindrance::Empty), Reachability::Empty) => Some(Hindrance::Empty),
            (_, Reachability::No | Reachability::Empty) => Some(Hindrance::Place),
            (_, Reachability::Yes | Reachability::Unknown) => return None,
        };
    }
    all
}

/// The folders before the first part with a pattern: if they are closed, so is everything in them.
fn before_pattern(path: &Path) -> &Path {
    let is_pattern = |path: &Path| path.to_string_lossy().contains(['*', '?', '[', '{']);
    path.ancestors().find(|folder| !is_pattern(folder)).unwrap_or(path)
}

/// Whether a package is named by a path on this computer.
fn is_here(name: &str) -> bool {
    name.starts_with(['.', '/', '~', '-']) || name.contains('/') && !name.contains("://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ReachablePath;

    fn scope() -> Scope {
        Scope { cwd: "/home/ann/work".into(), home: Some("/home/ann".into()), ..Scope::default() }
    }

    fn reach() -> Reach {
        Reach {
            places: vec![
                ReachablePath::to_read("/usr"),
                ReachablePath::to_read("/etc/passwd"),
                ReachablePath::closed("/home/ann"),
                ReachablePath { private: true, ..ReachablePath::to_write("/home/ann/.cache") },
                ReachablePath::to_write("/home/ann/work"),
                ReachablePath::to_read("/home/ann/work/.git/hooks"),
                ReachablePath { private: true, ..ReachablePath::to_write("/tmp") },
            ],
            read: Reachability::No,
            write: Reachability::No,
            own_tree: true,
            network: Reachability::No,
            home: Some("/home/ann".into()),
        }
    }

    fn shown_empty() -> Reach {
        let places = vec![ReachablePath::to_read("/home/ann"), ReachablePath::closed("/home/ann/.ssh")];
        Reach { places, ..reach() }
    }

    fn list(texts: &[&str]) -> Vec<String> {
        texts.iter().map(ToString::to_string).collect()
    }

    fn of(reads: &[&str], writes: &[&str], deletes: &[&str]) -> Effects {
        Effects { reads: list(reads), writes: list(writes), deletes: list(deletes), ..Effects::default() }
    }

    fn same(path: &Path) -> PathBuf {
        path.to_path_buf()
    }

    fn told(effects: &Effects, reach: &Reach) -> Vec<String> {
        refusals(effects, reach, &scope(), &same)
    }

    #[test]
    fn what_is_open_is_never_called_refused() {
        let reads = &[
            "sales.csv",
            "./x/../y",
            "/home/ann/work/z",
            "~/work/z",
            "/tmp/a",
            "/etc/passwd",
            "/usr/share/dict/words",
            "/dev/null",
            "data/*.csv",
            "~/.cache/x",
            "…/a",
            "/",
            "/home",
        ];
        let writes = &["out/a.png", "/tmp/x", "/dev/null", "/dev/stdout", ".git/config", "~/.cache/pip/x"];
        let deletes = &["build", ".", "~", "/tmp/x", "*.tmp"];
        assert_eq!(told(&of(reads, writes, deletes), &reach()), Vec::<String>::new());
    }

    #[test]
    fn what_is_closed_is_told() {
        let effects = of(
            &["/etc/shadow", "~/.ssh/id_rsa", "../other/a.csv", "/var/log/*.log"],
            &["/usr/x", "~/.bashrc", ".git/hooks/pre-commit", "/etc/passwd", "/var/tmp/x"],
            &["../../all/x", "/usr/lib"],
        );
        let will = |text: &str| format!("{text}: the sandbox will refuse");
        let empty = refusals(&of(&["~/.ssh"], &[], &[]), &shown_empty(), &scope(), &same);
        assert_eq!(empty, ["reads ~/.ssh: the sandbox shows it empty"]);
        let expected = [
            "reads /etc/shadow",
            "reads ~/.ssh/id_rsa",
            "reads ../other/a.csv",
            "reads /var/log/*.log",
            "writes /usr/x",
            "writes ~/.bashrc",
            "writes .git/hooks/pre-commit",
            "writes /etc/passwd",
            "writes /var/tmp/x",
            "deletes ../../all/x",
            "deletes /usr/lib",
        ];
        assert_eq!(told(&effects, &reach()), expected.map(will));
    }

    #[test]
    fn without_a_sandbox_and_where_nothing_is_known_nothing_is_refused() {
        let mut effects = of(&["/etc/shadow"], &["~/.bashrc"], &["/usr"]);
        effects.hosts = list(&["example.com"]);
        effects.packages = list(&["requests"]);
        for reach in [Reach::open(), Reach::default()] {
            assert_eq!(told(&effects, &reach), Vec::<String>::new());
        }
    }

    #[test]
    fn the_network_is_refused_where_it_is_closed() {
        let effects = Effects {
            hosts: list(&["example.com", "localhost", "127.0.0.1"]),
            packages: list(&["requests", "./wheels/x.whl", "."]),
            ..Effects::default()
        };
        let lines = told(&effects, &reach());
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].starts_with("reaches example.com: ") && lines[1].starts_with("installs requests: "));
        for network in [Reachability::Yes, Reachability::Unknown] {
            assert_eq!(told(&effects, &Reach { network, ..reach() }), Vec::<String>::new());
        }
    }

    #[test]
    fn a_link_is_judged_by_where_it_leads() {
        let links = |path: &Path| match path.to_str() {
            Some("/home/ann/work/secret") => PathBuf::from("/home/ann/.ssh/id_rsa"),
            Some("/home/ann/work/near") => PathBuf::from("/home/ann/work/data/a.csv"),
            Some("/tmp/link") => PathBuf::from("/etc/shadow"),
            _ => path.to_path_buf(),
        };
        let effects = of(&["secret", "near", "/tmp/link"], &[], &[]);
        let lines = refusals(&effects, &reach(), &scope(), &links);
        assert_eq!(lines, ["reads secret: the sandbox will refuse"]);
        // Without a tree of its own, a path in the sandbox leads where it does outside, so only its end counts.
        let walls = Reach { own_tree: false, ..reach() };
        let links = |path: &Path| match path.to_str() {
            Some("/home/ann/shortcut/a") => PathBuf::from("/home/ann/work/a"),
            _ => path.to_path_buf(),
        };
        let effects = of(&["~/shortcut/a", "~/other"], &[], &[]);
        assert_eq!(refusals(&effects, &walls, &scope(), &links), ["reads ~/other: the sandbox will refuse"]);
    }

    #[test]
    fn without_a_tree_of_its_own_a_run_may_change_modes_and_times() {
        let walls = Reach { own_tree: false, ..reach() };
        let effects = of(&["~/a"], &["~/a", "out.csv"], &["~/a"]);
        let expected = [
            "reads ~/a: the sandbox will refuse",
            "writes ~/a: the sandbox will refuse new content, but not a new mode or new times",
            "deletes ~/a: the sandbox will refuse",
        ];
        assert_eq!(told(&effects, &walls), expected);
    }

    #[test]
    fn the_home_that_programs_are_told_of_counts_for_what_is_spelled_so() {
        let mut reach = reach();
        reach.home = Some("/tmp/private/home".into());
        assert_eq!(told(&of(&["~/notes"], &["~/x"], &[]), &reach), Vec::<String>::new());
        assert_eq!(told(&of(&["/home/ann/notes"], &[], &[]), &reach).len(), 1);
    }
}
