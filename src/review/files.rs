//! Reviews a block that writes, reads or lists files: judges the place that its path really leads to. Pure: the caller
//! found out before what exists there.

use super::path_class::{self, PathMeaning};
use super::rules::TargetClass;
use super::{BEGINNING, Scope};
use crate::domain::auto_run::auto_run_name;
use crate::domain::{Effects, FileAct, Finding, OnDisk, Review, Severity, Target};
use std::path::Path;

/// The review of an act on one file or folder at this place. `own` are sayso's own folders.
pub(crate) fn review(act: &FileAct, target: &Target, scope: &Scope, own: &[&Path]) -> Review {
    let mut said = FileReview { act, target, findings: Vec::new() };
    let path = target.path.to_string_lossy();
    let located = path_class::locate(&path, None, scope);
    said.place(&located, own);
    said.circumstances();
    let mut effects = Effects::default();
    match act {
        FileAct::Write { .. } | FileAct::WriteAll { .. } => effects.writes.push(act.path().to_owned()),
        FileAct::Read { .. } | FileAct::List { .. } => effects.reads.push(act.path().to_owned()),
    }
    let mut findings = said.findings;
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Review { findings, effects, ..Review::default() }
}

struct FileReview<'a> {
    act: &'a FileAct,
    target: &'a Target,
    findings: Vec<Finding>,
}

impl FileReview<'_> {
    fn writes(&self) -> bool {
        matches!(self.act, FileAct::Write { .. } | FileAct::WriteAll { .. })
    }

    fn add(&mut self, rule: &str, severity: Severity, what: String) {
        self.findings.push(Finding { place: BEGINNING, ..Finding::new(rule, severity, what) });
    }

    /// The path to show: where it really leads.
    fn path(&self) -> String {
        self.target.path.display().to_string()
    }

    fn place(&mut self, located: &PathMeaning, own: &[&Path]) {
        let verb = match self.act {
            FileAct::Write { .. } | FileAct::WriteAll { .. } => "writes",
            FileAct::Read { .. } => "reads",
            FileAct::List { .. } => "lists",
        };
        let path = self.path();
        let what = located.what(&[TargetClass::Secret, TargetClass::Private]).unwrap_or("a private file");
        if located.is(TargetClass::Secret) {
            self.add("file.secret", Severity::High, format!("{verb} {what}: {path}"));
        } else if located.is(TargetClass::Private) {
            self.add("file.private", Severity::Medium, format!("{verb} {what}: {path}"));
        }
        if !self.writes() {
            if self.target.outside {
                // What is read is sent to the model.
                let text = format!("{verb} outside of the working folder: {path}");
                self.add("file.outside", Severity::Medium, text);
            }
            return;
        }
        if own.iter().any(|own| self.target.path.starts_with(own)) {
            self.add("file.own", Severity::High, format!("writes a file of sayso itself: {path}"));
        } else if let Some(what) = self
            .auto_run_name()
            .or(located.what(&[TargetClass::Start]).filter(|_| located.is(TargetClass::Start)))
        {
            self.add("file.protected", Severity::High, format!("writes {what}: {path}"));
        } else if located.is(TargetClass::System) || located.is(TargetClass::Root) && self.target.outside {
            self.add("file.system", Severity::High, format!("writes a file of the system: {path}"));
        } else if self.target.outside {
            let text = format!("writes outside of the working folder: {path}");
            self.add("file.outside", Severity::High, text);
        }
    }

    /// What the file is, where some program runs or obeys it by itself.
    fn auto_run_name(&self) -> Option<&'static str> {
        let parts: Vec<String> =
            self.target.path.iter().map(|part| part.to_string_lossy().to_lowercase()).collect();
        if let Some(auto_run) = auto_run_name(&self.target.path) {
            return Some(auto_run.what);
        }
        if parts.iter().any(|part| part == ".git") {
            return Some("into git's own folder");
        }
        // Folders of demos also lie there, but blocks may write in them.
        let demo = parts.windows(2).any(|pair| pair == ["sayso", "demo"]);
        let sayso = !demo
            && parts.iter().any(|part| part == "sayso")
            && parts.iter().any(|part| matches!(part.as_str(), ".config" | ".local" | "application support"));
        sayso.then_some("a file of sayso itself")
    }

    fn circumstances(&mut self) {
        if let Some(link) = &self.target.link {
            let severity = if self.target.outside { Severity::Medium } else { Severity::Info };
            self.add("file.link", severity, format!("{} leads by links to {}", link.display(), self.path()));
        }
        if self.writes() && self.target.folders > 0 {
            let noun = if self.target.folders == 1 { "folder" } else { "folders" };
            self.add("file.folders", Severity::Info, format!("makes {} {noun} for it", self.target.folders));
        }
        if !self.writes() && self.target.found == OnDisk::Nothing {
            self.add("file.missing", Severity::Info, format!("{} is not there", self.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope() -> Scope {
        Scope { cwd: "/home/ann/data".into(), home: Some("/home/ann".into()), ..Scope::default() }
    }

    fn rules(act: &FileAct, path: &str, change: impl FnOnce(&mut Target)) -> Vec<String> {
        let mut target = Target {
            bytes: 1,
            outside: !path.starts_with("/home/ann/data/"),
            ..Target::at(path, OnDisk::File(None))
        };
        change(&mut target);
        let review = review(act, &target, &scope(), &[Path::new("/home/ann/own")]);
        review.findings.iter().map(|f| format!("{} {}", f.rule, f.severity.as_str())).collect()
    }

    fn written(path: &str) -> Vec<String> {
        rules(&FileAct::Write { path: path.into() }, path, |_| {})
    }

    fn read(path: &str) -> Vec<String> {
        rules(&FileAct::Read { path: path.into(), from: 1, lines: 1 }, path, |_| {})
    }

    #[test]
    fn inside_nothing_is_said() {
        assert_eq!(written("/home/ann/data/a.py"), Vec::<String>::new());
        assert_eq!(read("/home/ann/data/out/a.csv"), Vec::<String>::new());
        let demo = "/home/ann/.local/share/sayso/demo/tools-x/notes.md";
        let there = |target: &mut Target| target.outside = false;
        assert_eq!(rules(&FileAct::Write { path: demo.into() }, demo, there), Vec::<String>::new());
    }

    #[test]
    fn outside_is_said() {
        assert_eq!(written("/home/ann/other/a.py"), ["file.outside high"]);
        assert_eq!(read("/home/ann/other/a.py"), ["file.outside medium"]);
    }

    #[test]
    fn what_matters_is_high() {
        for path in [
            "/home/ann/data/.git/hooks/pre-commit",
            "/home/ann/data/.git/config",
            "/home/ann/.bashrc",
            "/home/ann/data/.bashrc",
            "/home/ann/data/.sayso.toml",
            "/home/ann/.config/sayso/config.toml",
            "/home/ann/own/sessions/x.jsonl",
            "/etc/profile",
            "/home/ann/data/.vscode/tasks.json",
            "/home/ann/data/.GIT/hooks/x",
        ] {
            assert!(written(path).iter().any(|rule| rule.ends_with("high")), "{path}: {:?}", written(path));
        }
        for path in ["/home/ann/.ssh/id_ed25519", "/home/ann/.aws/credentials"] {
            assert!(read(path).contains(&"file.secret high".to_owned()), "{path}: {:?}", read(path));
            assert!(written(path).contains(&"file.secret high".to_owned()), "{path}");
        }
    }

    #[test]
    fn links_folders_and_what_is_not_there_are_told() {
        let write = FileAct::Write { path: "a".into() };
        let linked = rules(&write, "/home/ann/other/a", |t| t.link = Some("/home/ann/data/a".into()));
        assert_eq!(linked, ["file.outside high", "file.link medium"]);
        let new = rules(&write, "/home/ann/data/x/y/a", |t| (t.folders, t.found) = (2, OnDisk::Nothing));
        assert_eq!(new, ["file.folders info"]);
        let list = FileAct::List { path: "x".into(), depth: 1 };
        assert_eq!(rules(&list, "/home/ann/data/x", |t| t.found = OnDisk::Nothing), ["file.missing info"]);
    }
}
