//! Inspects blocks that write, read or list: which files they act on, and under which terms.

use super::edits::{self, EditState};
use super::review_time::review_in_time;
use crate::domain::{
    Block, BlockKind, ExecutorKind, FileAct, Finding, Language, Limits, OnDisk, Review, Revision, Rights,
    Severity, Sha256, Terms, TextRange, file_texts,
};
use crate::engine::Inspection;
use crate::review::{self, Scope};
use crate::workspace::held_path::HeldPath;
use crate::workspace::target::{self, TargetFacts};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the inspection of blocks about files has to know.
#[derive(Clone, Debug)]
pub(super) struct FileScope {
    /// What the review has to know.
    pub(super) scope: Scope,
    /// The folder of sessions, which belongs to sayso.
    pub(super) own: PathBuf,
}

/// Inspects one revision of a block; also returns the opened places that it acts on. This reads files: for a worker.
pub(super) fn inspect(
    block: &Block,
    revision: Revision,
    limits: Option<Limits>,
    files: &FileScope,
) -> (Inspection, Vec<HeldPath>) {
    let inspected = match edits::locate(block, revision, &files.scope, &files.own) {
        EditState::Unchanged(seen) => inspect_version(block, revision, limits, files, seen),
        EditState::Placed(edit) => {
            let inspection = impossible("its places in the file are looked for".into());
            return (Inspection { edit: Some(edit), ..inspection }, Vec::new());
        }
        EditState::FilesChanged(path) => {
            Err(format!("{path} changed since your text was made from it; take the model's text back first"))
        }
    };
    inspected.unwrap_or_else(|why| (impossible(why), Vec::new()))
}

/// Inspects a revision, or says why it can't be carried out. An edit is judged by a single look at its files, which
/// were `seen` when it was located: they could change between two.
fn inspect_version(
    block: &Block,
    revision: Revision,
    limits: Option<Limits>,
    files: &FileScope,
    seen: Option<Vec<TargetFacts>>,
) -> Result<(Inspection, Vec<HeldPath>), String> {
    let version = block.version(revision).ok_or("this version is not known")?;
    let act = block.file_act(version).map_err(|why| why.to_string())?;
    let scope = &files.scope;
    let examine = || target::examine_all(&scope.cwd, scope.home.as_deref(), &act);
    let seen = seen.map_or_else(examine, Ok).map_err(|why| why.to_string())?;
    let before = current_text(&act, &seen);
    // Targets have their links resolved, so the folders that they are compared with are resolved too.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let scope = &Scope { cwd: real(&scope.cwd), home: scope.home.as_deref().map(real), ..scope.clone() };
    let own = files.own.canonicalize().unwrap_or_else(|_| files.own.clone());
    let written = written(&act, &seen, &block.original().source, &version.source);
    let mut review = review_places(&act, &seen, &written, scope, &own);
    review.findings.extend(text_findings(&block.kind, &act, before.as_deref(), &version.source, scope));
    review.findings.sort_by_key(|finding| finding.place.line);
    scope.rules.forbid().mark(&mut review);
    let terms = Terms {
        language: Language(block.kind.as_str().to_owned()),
        executor: ExecutorKind::Files,
        interpreter: PathBuf::new(),
        version: None,
        kernel: None,
        cwd: scope.cwd.clone(),
        rights: rights(&seen, &written).into(),
        limits: limits.unwrap_or_default(),
        shared: None,
        target: target::join_targets(&seen),
    };
    let inspection = Inspection { before, ..Inspection::new(review, Ok(terms)) };
    Ok((inspection, seen.into_iter().map(|seen| seen.place).collect()))
}

/// The text of each file that an act writes.
fn texts<'t>(act: &FileAct, text: &'t str) -> Vec<&'t str> {
    match act {
        FileAct::WriteAll { paths } => file_texts::split(paths, text).unwrap_or_default(),
        FileAct::Write { .. } => vec![text],
        FileAct::Read { .. } | FileAct::List { .. } => Vec::new(),
    }
}

/// Which of its files an act writes: none that has its text already, and of several no new file whose proposed lines
/// were all dropped.
fn written(act: &FileAct, seen: &[TargetFacts], proposed: &str, text: &str) -> Vec<bool> {
    let proposed = texts(act, proposed);
    let is_dropped = |at: usize, text: &str| {
        text.is_empty() && proposed.len() > 1 && proposed.get(at).is_some_and(|text| !text.is_empty())
    };
    let each = texts(act, text).into_iter().zip(seen).enumerate();
    each.map(|(at, (text, seen))| match seen.target.found {
        OnDisk::Nothing => !is_dropped(at, text),
        found => found != OnDisk::File(Some(Sha256::of(text.as_bytes()))),
    })
    .collect()
}

/// Reviews the places that an act is about, including remarks from looking at them. A file that it would write and that
/// stays as it is counts as one that is read: it was compared, and the model is told that it is the same.
fn review_places(act: &FileAct, seen: &[TargetFacts], written: &[bool], scope: &Scope, own: &Path) -> Review {
    let mut review = Review::default();
    let is_one = seen.len() == 1;
    for (at, (act, seen)) in act.each().into_iter().zip(seen).enumerate() {
        let stays = written.get(at) == Some(&false);
        if stays && seen.target.found == OnDisk::Nothing {
            continue;
        }
        let act = match act {
            FileAct::Write { path } if stays => FileAct::Read { path, from: 1, lines: 1 },
            act => act,
        };
        let of_one = review::files::review(&act, &seen.target, scope, &[own]);
        review.findings.extend(of_one.findings);
        review.effects.writes.extend(of_one.effects.writes);
        review.effects.reads.extend(of_one.effects.reads);
        review.findings.extend(seen.remarks.iter().filter(|_| !stays).map(|message| {
            let message = if is_one { message.clone() } else { format!("{}: {message}", act.path()) };
            Finding { place: TextRange::at_line(1), ..Finding::new("file.remark", Severity::Info, message) }
        }));
    }
    review
}

/// The current text of the files, joined like the new text if there are several.
fn current_text(act: &FileAct, seen: &[TargetFacts]) -> Option<Arc<str>> {
    let FileAct::WriteAll { paths } = act else { return seen.first()?.before.clone() };
    let mut texts = Vec::with_capacity(seen.len());
    for (path, seen) in paths.iter().zip(seen) {
        let is_new = seen.target.found == OnDisk::Nothing;
        texts.push((path.as_str(), seen.before.as_deref().or(is_new.then_some(""))?));
    }
    file_texts::join(&texts).map(Arc::from)
}

/// Findings about a text to be written. It is not run: only what no row shows matters here.
fn text_findings(
    kind: &BlockKind,
    act: &FileAct,
    before: Option<&str>,
    text: &str,
    scope: &Scope,
) -> Vec<Finding> {
    if matches!(act, FileAct::Read { .. } | FileAct::List { .. }) {
        return Vec::new();
    }
    let old = before.filter(|_| matches!(kind, BlockKind::Edit { .. }));
    let mut findings = character_findings(act, old, text, scope);
    findings.extend(line_end_finding(act, before, text));
    findings
}

/// Findings about hidden characters. For an edit, those that are in the `old` text already are not reported.
fn character_findings(act: &FileAct, old: Option<&str>, text: &str, scope: &Scope) -> Vec<Finding> {
    let Some(old) = old else { return review_in_time(text, None, scope).findings };
    let (masked, news) = mask_unchanged_lines(act, old, text);
    let mut findings = review_in_time(&masked, None, scope).findings;
    let is_new = |line: u32| news.get(line.saturating_sub(1) as usize).copied().unwrap_or(true);
    findings.retain(|finding| {
        let mut lines = finding.place.line..=finding.place.end_line;
        lines.any(is_new)
    });
    findings
}

/// A finding about line ends, which no row shows: a text that has both kinds, a file whose kind changes, and a program
/// whose first line names its interpreter with a carriage return behind it. Not for several files in one text, whose
/// lines may end differently.
fn line_end_finding(act: &FileAct, old: Option<&str>, text: &str) -> Option<Finding> {
    fn lines(text: &str) -> impl Iterator<Item = &str> {
        text.split_inclusive('\n').filter(|line| line.ends_with('\n'))
    }
    if matches!(act, FileAct::WriteAll { paths } if paths.len() > 1) {
        return None;
    }
    let is_crlf = |line: &str| line.ends_with("\r\n");
    let ends = |text: &str| (lines(text).any(is_crlf), lines(text).any(|line| !is_crlf(line)));
    let first = |crlf: bool| lines(text).position(|line| is_crlf(line) == crlf);
    let (at, message) = match (old.filter(|old| !old.is_empty()).map(ends), ends(text)) {
        (Some((false, true)), (true, _)) => (first(true), "ends in CR LF; in the file, lines end in LF"),
        (Some((true, false)), (_, true)) => (first(false), "ends in LF; in the file, lines end in CR LF"),
        (Some((true, true)), _) => return None,
        (_, (true, true)) => (first(true), "ends in CR LF, other lines in LF"),
        (_, (true, false)) if text.starts_with("#!") => {
            (Some(0), "ends in CR LF: the system looks for a program whose name ends in that CR")
        }
        _ => return None,
    };
    let line = u32::try_from(at?).ok()?.saturating_add(1);
    let finding = Finding::new("file.line-ends", Severity::Medium, format!("line {line} {message}"));
    Some(Finding { place: TextRange::at_line(line), ..finding })
}

/// Replaces each line that the old text of the same file already has by a dot, and says which lines are new. Blank
/// lines stay: new code below very many of them is out of the reader's sight. Of several files, the byte order mark with
/// which one begins becomes a space: it hides nothing there, as at the start of a text of one file.
fn mask_unchanged_lines(act: &FileAct, old: &str, text: &str) -> (String, Vec<bool>) {
    let heads: HashSet<String> = match act {
        FileAct::WriteAll { paths } => {
            paths.iter().map(|path| file_texts::head(path).trim_end().to_owned()).collect()
        }
        _ => HashSet::new(),
    };
    let mut file = "";
    let mut known: HashSet<(&str, &str)> = HashSet::new();
    for line in old.lines() {
        file = if heads.contains(line) { line } else { file };
        known.insert((file, line));
    }
    let (mut file, mut masked, mut news) = ("", String::with_capacity(text.len()), Vec::new());
    let mut is_behind_head = false;
    for line in text.lines() {
        let is_head = heads.contains(line);
        file = if is_head { line } else { file };
        let is_new = !known.contains(&(file, line));
        let marked = line.strip_prefix('\u{feff}').filter(|_| is_behind_head);
        masked.push_str(if marked.is_some() { " " } else { "" });
        masked.push_str(if is_new || line.trim().is_empty() { marked.unwrap_or(line) } else { "." });
        is_behind_head = is_head;
        masked.push('\n');
        news.push(is_new);
    }
    (masked, news)
}

/// Rights to exactly the places that are touched; to write only those that are written, as the act does by them. (An
/// empty list of places to read would mean all.)
fn rights(seen: &[TargetFacts], written: &[bool]) -> Rights {
    let read: Vec<PathBuf> = seen.iter().map(|seen| seen.target.path.clone()).collect();
    let write = read.iter().zip(written).filter(|(_, written)| **written).map(|(path, _)| path.clone());
    Rights { write: write.collect(), read, ..Rights::default() }
}

pub(super) fn impossible(why: String) -> Inspection {
    Inspection::new(Review::default(), Err(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_as_it_is_is_no_right_to_write() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["x", "y"] {
            std::fs::write(folder.path().join(name), "a\n").expect("written");
        }
        let act = FileAct::WriteAll { paths: ["x", "y", "z", "empty"].map(str::to_owned).to_vec() };
        let seen = target::examine_all(folder.path(), None, &act).expect("seen");
        let joined = |x: &str, y: &str, z: &str| {
            file_texts::join(&[("x", x), ("y", y), ("z", z), ("empty", "")]).expect("joined")
        };
        let proposed = joined("b\n", "b\n", "new\n");
        assert_eq!(written(&act, &seen, &proposed, &proposed), [true; 4]);
        let of_kept = written(&act, &seen, &proposed, &joined("b\n", "a\n", ""));
        assert_eq!(of_kept, [true, false, false, true], "a file that was proposed to be empty is made");
        let writable = rights(&seen, &of_kept).write;
        assert_eq!(writable, [0, 3].map(|at: usize| seen[at].target.path.clone()));
        let scope = Scope { cwd: folder.path().canonicalize().expect("real"), ..Scope::default() };
        let review = review_places(&act, &seen, &of_kept, &scope, Path::new("/own"));
        assert_eq!(review.effects.writes, ["x", "empty"]);
        assert_eq!(review.effects.reads, ["y"]);
        // A single file: the same text changes nothing, and whoever empties a new one wants it empty.
        let alone = |path: &str| FileAct::Write { path: path.into() };
        assert_eq!(written(&alone("x"), &seen[..1], "b\n", "a\n"), [false]);
        assert_eq!(written(&alone("z"), &seen[2..3], "new\n", ""), [true]);
    }

    #[test]
    fn a_byte_order_mark_is_no_finding_where_one_of_several_files_begins() {
        let act = FileAct::WriteAll { paths: vec!["a".to_owned(), "b".to_owned()] };
        let joined = |a: &str, b: &str| file_texts::join(&[("a", a), ("b", b)]).expect("joined");
        let told = |text: &str| {
            let old = joined("\u{feff}one\ntwo\n", "x\n");
            let findings = character_findings(&act, Some(&old), text, &Scope::default());
            findings.iter().map(|finding| (finding.place.line, finding.place.column)).collect::<Vec<_>>()
        };
        assert!(told(&joined("\u{feff}1\ntwo\n", "\u{feff}y\n")).is_empty());
        // Anywhere else it hides something, and the places of others behind it stay.
        assert_eq!(told(&joined("\u{feff}one\n\u{feff}2\n", "x\n")), [(3, 1)]);
        assert_eq!(told(&joined("\u{feff}1\u{200b}\ntwo\n", "x\n")), [(2, 3)]);
    }

    #[test]
    fn line_ends_that_no_row_shows_are_a_finding() {
        let act = FileAct::WriteAll { paths: vec!["a".to_owned()] };
        let told = |old: Option<&str>, text: &str| {
            line_end_finding(&act, old, text).map(|finding| (finding.place.line, finding.message))
        };
        let lines = |old: Option<&str>, text: &str| told(old, text).map(|(line, _)| line);
        assert_eq!(lines(Some("a\nb\n"), "a\r\nb\r\n"), Some(1));
        assert_eq!(lines(Some("a\nb\n"), "a\nb\r\n"), Some(2));
        assert_eq!(lines(Some("a\r\nb\r\n"), "a\r\nb\n"), Some(2));
        assert_eq!(lines(None, "#!/bin/sh\r\necho\n"), Some(1));
        assert_eq!(lines(None, "#!/bin/sh\r\necho\r\n"), Some(1));
        assert_eq!(lines(Some(""), "a\nb\r\n"), Some(2));
        for (old, text) in [
            (None, "a\r\nb\r\n"),
            (None, "a\nb\n"),
            (None, ""),
            (Some("a\r\nb\r\n"), "a\r\nc\r\nd"),
            (Some("a\nb\r\n"), "a\nc\r\n"),
            (Some("a"), "b\r\nc\r\n"),
        ] {
            assert_eq!(told(old, text), None, "{old:?} {text:?}");
        }
        let several = FileAct::WriteAll { paths: vec!["a".to_owned(), "b".to_owned()] };
        assert_eq!(line_end_finding(&several, None, "a\nb\r\n"), None);
    }
}
