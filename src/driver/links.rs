//! Resolves the paths that a block names: reviews them by where they lead, and compares that again right before the
//! start.

use super::review_time::review_in_time;
use crate::domain::{BlockId, Effects, Finding, Language, Review, Revision, Severity, TextRange};
use crate::review::{Links, Scope};
use crate::workspace::facts;
use crate::workspace::link_targets;
use crate::workspace::python_modules;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Reviews a text that may run here; a path that leads elsewhere is judged by its destination.
pub(super) fn review_with_links(
    source: &str,
    language: Option<&Language>,
    scope: &Scope,
) -> (Review, SeenPaths) {
    let modules = python_modules::modules_for(source, &scope.cwd);
    let scope = &Scope { modules: Arc::new(modules), ..scope.clone() };
    let review = review_in_time(source, language, scope);
    let seen = SeenPaths::of(source, language, scope, &review);
    let links = seen.links.clone();
    if links.is_empty() {
        return (review, seen);
    }
    let (cwd, home) = (facts::resolve_links(&scope.cwd), scope.home.as_deref().map(facts::resolve_links));
    let findings = link_findings(&links, &cwd, source);
    let scope = Scope { cwd, home, links: Arc::new(links), ..scope.clone() };
    let mut review = review_in_time(source, language, &scope);
    review.findings.extend(findings);
    review.findings.sort_by_key(|finding| finding.place);
    (review, seen)
}

/// A finding for each path that leads elsewhere.
fn link_findings(links: &Links, cwd: &Path, source: &str) -> Vec<Finding> {
    let one = |(name, place): (&String, &PathBuf)| {
        let outside = !place.starts_with(cwd);
        let last = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
        let line = source.lines().position(|line| line.contains(last)).unwrap_or(0);
        let line = u32::try_from(line + 1).unwrap_or(u32::MAX);
        let severity = if outside { Severity::Medium } else { Severity::Info };
        let message = format!("{name} leads by links to {}", place.display());
        Finding { place: TextRange::at_line(line), ..Finding::new("file.link", severity, message) }
    };
    let both =
        links.followed.iter().chain(links.kept.iter().filter(|(n, _)| !links.followed.contains_key(*n)));
    both.map(one).collect()
}

/// Where the paths in a block led at its inspection, to be compared right before it starts.
#[derive(Clone, Debug, Default)]
pub(super) struct SeenPaths {
    source: Arc<str>,
    language: Option<Language>,
    scope: Scope,
    /// The review by the paths as they are spelled.
    review: Review,
    links: Links,
}

/// Where the paths lead that a block touches.
fn links_of(scope: &Scope, effects: &Effects) -> Links {
    let (followed, kept) = link_targets::of_effects(&scope.cwd, scope.home.as_deref(), effects);
    Links { followed, kept }
}

/// The rule that tells of an import, or a module run by its name, that runs a file of the folder.
const OWN_MODULE: &str = "py.own-module";

/// What a review tells of imports that run a file of the folder.
fn imports(review: &Review) -> impl Iterator<Item = &String> {
    review.findings.iter().filter(|finding| finding.rule == OWN_MODULE).map(|finding| &finding.message)
}

impl SeenPaths {
    fn of(source: &str, language: Option<&Language>, scope: &Scope, review: &Review) -> Self {
        let links = links_of(scope, &review.effects);
        let (language, scope, review) = (language.cloned(), scope.clone(), review.clone());
        Self { source: source.into(), language, scope, review, links }
    }

    /// What is otherwise than when the block was shown, as a sentence without its end. This accesses the disk: for a
    /// worker.
    pub(super) fn difference(&self) -> Option<String> {
        if let Some(name) = self.changed() {
            return Some(format!("{name} leads elsewhere than when it was shown"));
        }
        let modules = python_modules::modules_for(&self.source, &self.scope.cwd);
        if modules == *self.scope.modules {
            return None;
        }
        let scope = Scope { modules: Arc::new(modules), ..self.scope.clone() };
        let review = review_in_time(&self.source, self.language.as_ref(), &scope);
        if review.unchecked.is_some() && self.review.unchecked.is_none() {
            return Some("what it imports can't be checked again".to_owned());
        }
        let added = imports(&review).find(|import| imports(&self.review).all(|known| known != *import))?;
        Some(format!("it {added}, which was not told when it was shown"))
    }

    /// The first path that now leads elsewhere. This accesses the disk: for a worker.
    fn changed(&self) -> Option<String> {
        let now = links_of(&self.scope, &self.review.effects);
        let pairs = [(&self.links.followed, &now.followed), (&self.links.kept, &now.kept)];
        pairs.into_iter().find_map(|(then, now)| {
            let names = then.keys().chain(now.keys());
            names.into_iter().find(|name| then.get(*name) != now.get(*name)).cloned()
        })
    }
}

/// The paths of all blocks, as of the latest inspection of each.
pub(super) type AllSeenPaths = Arc<Mutex<HashMap<(BlockId, Revision), SeenPaths>>>;

#[cfg(test)]
mod tests {
    use super::*;

    /// A working folder, and a home folder beside it that contains a file of keys. Tests review texts in the working
    /// folder.
    struct Place {
        base: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            let base = tempfile::tempdir().unwrap();
            std::fs::create_dir_all(base.path().join("home/.ssh")).unwrap();
            std::fs::create_dir(base.path().join("work")).unwrap();
            std::fs::write(base.path().join("home/.ssh/authorized_keys"), "mine\n").unwrap();
            Self { base }
        }

        fn keys(&self) -> PathBuf {
            self.base.path().canonicalize().unwrap().join("home/.ssh/authorized_keys")
        }

        fn link(&self, to: impl AsRef<Path>, name: &str) {
            std::os::unix::fs::symlink(to, self.base.path().join("work").join(name)).unwrap();
        }

        fn review(&self, language: Language, text: &str) -> (Review, SeenPaths) {
            let at = |name: &str| self.base.path().join(name);
            let scope = Scope { cwd: at("work"), home: Some(at("home")), ..Scope::default() };
            review_with_links(text, Some(&language), &scope)
        }
    }

    #[test]
    fn a_link_counts_by_the_place_that_it_leads_to() {
        let place = Place::new();
        place.link("../home/.ssh/authorized_keys", "b");
        place.link("b", "chain");
        place.link("../home/.ssh", "folder");
        place.link("../home/.ssh/authorized_keys2", "dangling");
        let keys = place.keys();
        for (language, text) in [
            (Language::bash(), "cp a b"),
            (Language::bash(), "cp a ./b"),
            (Language::bash(), "echo x >> chain"),
            (Language::bash(), "cat a > folder/authorized_keys"),
            (Language::bash(), "echo x > dangling"),
            (Language::python(), "open('b', 'a').write('x')"),
            (Language::python(), "import pathlib\npathlib.Path('folder/authorized_keys').write_text('x')"),
        ] {
            let (review, _) = place.review(language, text);
            let told: Vec<_> = review.findings.iter().map(|f| (f.severity, f.message.as_str())).collect();
            assert_eq!(review.gravest(), Some(Severity::High), "{text} {told:?}");
            let shown = keys.to_string_lossy().into_owned();
            assert!(told.iter().any(|(_, message)| message.contains(&shown)), "{text} {told:?}");
            assert!(review.effects.writes.iter().any(|path| path.starts_with(&shown)), "{text}");
        }
        let (plain, _) = place.review(Language::bash(), "cp a c");
        assert!(plain.is_clean(), "{:?}", plain.findings);
    }

    #[test]
    fn a_link_that_the_text_itself_makes_is_followed() {
        let place = Place::new();
        for (language, text) in [
            (Language::bash(), "ln -s ~/.ssh/authorized_keys b\ncp a b"),
            (Language::bash(), "ln -sf ~/.ssh d && echo x >> d/authorized_keys"),
            (Language::python(), "import os\nos.symlink('/etc/cron.d/x', 'b')\nopen('b', 'w').write('x')"),
        ] {
            let (review, _) = place.review(language, text);
            assert_eq!(review.gravest(), Some(Severity::High), "{text} {:?}", review.findings);
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_by_now_is_noticed_before_the_start() {
        let place = Place::new();
        std::fs::write(place.base.path().join("work/b"), "x").unwrap();
        let (review, seen) = place.review(Language::bash(), "cp a b");
        assert!(review.is_clean());
        assert_eq!(seen.changed(), None);
        std::fs::remove_file(place.base.path().join("work/b")).unwrap();
        assert_eq!(seen.changed(), None, "it still leads to itself");
        place.link("../home/.ssh/authorized_keys", "b");
        assert_eq!(seen.changed().as_deref(), Some("b"));
        let (_, seen) = place.review(Language::bash(), "cp a b");
        assert_eq!(seen.changed(), None);
        std::fs::remove_file(place.base.path().join("work/b")).unwrap();
        place.link("../home/.ssh/config", "b");
        assert_eq!(seen.changed().as_deref(), Some("b"));
    }

    #[test]
    fn an_import_that_runs_a_file_of_the_folder_is_told_and_leaves_its_effects_unknown() {
        let place = Place::new();
        let write = |name: &str, text: &str| std::fs::write(place.base.path().join("work").join(name), text);
        let told = |review: &Review| imports(review).cloned().collect::<Vec<_>>();
        let texts = [
            (Language::python(), "import colorsys\nprint(1)"),
            (Language::python(), "from colorsys import *"),
            (Language::python(), "__import__('colorsys')"),
            (Language::bash(), "python3 -c 'import colorsys'"),
        ];
        let mut earlier = Vec::new();
        for (language, text) in texts.clone() {
            let (review, seen) = place.review(language, text);
            assert!(told(&review).is_empty() && !review.effects.unknown, "{text}: {review:?}");
            assert_eq!(seen.difference(), None, "{text}");
            earlier.push(seen);
        }
        write("color.py", "").unwrap();
        assert!(earlier.iter().all(|seen| seen.difference().is_none()), "no import means it");
        write("colorsys.py", "open('made', 'w')\n").unwrap();
        let message = "may run a file of this folder: colorsys.py";
        for (seen, (language, text)) in earlier.iter().zip(texts) {
            let difference = format!("it {message}, which was not told when it was shown");
            assert_eq!(seen.difference(), Some(difference), "{text}");
            let (review, seen) = place.review(language, text);
            assert_eq!(told(&review), [message], "{text}");
            assert!(review.effects.unknown, "{text}");
            assert_eq!(seen.difference(), None, "it was shown so");
        }
        // What the block itself writes was read with it.
        let text = "open('colorsys.py', 'w').write('x = 1')\nimport colorsys";
        let (review, _) = place.review(Language::python(), text);
        assert!(told(&review).is_empty() && !review.effects.unknown, "{review:?}");
    }

    #[test]
    fn a_module_that_python_runs_by_its_name_may_be_a_file_of_the_folder_too() {
        let place = Place::new();
        for (text, file) in [("python3 -m json.tool a.json", "json.py"), ("python3 -mpip list", "pip.py")] {
            let (review, earlier) = place.review(Language::bash(), text);
            assert!(review.is_clean() && !review.effects.unknown, "{text}: {review:?}");
            std::fs::write(place.base.path().join("work").join(file), "open('made', 'w')\n").unwrap();
            let message = format!("may run a file of this folder: {file}");
            let difference = format!("it {message}, which was not told when it was shown");
            assert_eq!(earlier.difference(), Some(difference), "{text}");
            let (review, seen) = place.review(Language::bash(), text);
            assert_eq!(imports(&review).collect::<Vec<_>>(), [&message], "{text}");
            assert!(review.effects.unknown, "{text}: {review:?}");
            assert_eq!(seen.difference(), None, "it was shown so");
        }
    }

    #[test]
    fn a_file_that_an_import_now_runs_in_place_of_another_was_there_but_was_not_told_alone() {
        let place = Place::new();
        let at = |name: &str| place.base.path().join("work").join(name);
        for name in ["colorsys.py", "colorsys.so"] {
            std::fs::write(at(name), "").unwrap();
        }
        let (review, seen) = place.review(Language::python(), "import colorsys");
        let told: Vec<_> = imports(&review).collect();
        assert_eq!(told, ["may run a file of this folder: one of 2 (colorsys.py, colorsys.so)"]);
        std::fs::remove_file(at("colorsys.py")).unwrap();
        let difference =
            "it may run a file of this folder: colorsys.so, which was not told when it was shown";
        assert_eq!(seen.difference().as_deref(), Some(difference));
    }
}
