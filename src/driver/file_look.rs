//! Looking at blocks that write, read or list: what they are about, and under which terms they would act.

use super::review_time::review_in_time;
use crate::domain::{
    Block, BlockKind, ExecutorKind, FileAct, Finding, Language, Limits, Place, Review, Revision, Rights,
    Severity, Terms,
};
use crate::engine::Inspection;
use crate::review::{self, Scope};
use crate::workspace::place::OpenPlace as Held;
use crate::workspace::target;
use std::path::{Path, PathBuf};

/// Where blocks about files stand.
#[derive(Clone, Debug)]
pub(super) struct FileScope {
    /// What the review has to know.
    pub(super) scope: Scope,
    /// The folder of sessions: sayso's own.
    pub(super) own: PathBuf,
}

/// What is found out about one revision of a block, and the place that it is about. This reads files: for a worker.
pub(super) fn inspect(
    block: &Block,
    revision: Revision,
    limits: Option<Limits>,
    ground: &FileScope,
) -> (Inspection, Option<Held>) {
    let act = match block.version(revision).map(|version| block.file_act(version)) {
        Some(Ok(act)) => act,
        Some(Err(why)) => return (impossible(why.to_string()), None),
        None => return (impossible("this version is not known".into()), None),
    };
    let scope = &ground.scope;
    let seen = match target::look(&scope.cwd, scope.home.as_deref(), &act) {
        Ok(seen) => seen,
        Err(why) => return (impossible(why.to_string()), None),
    };
    // The target is where links lead; places are judged by what they are there.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let scope = &Scope { cwd: real(&scope.cwd), home: scope.home.as_deref().map(real), ..scope.clone() };
    let own = ground.own.canonicalize().unwrap_or_else(|_| ground.own.clone());
    let mut review = review::files::review(&act, &seen.target, scope, &[&own]);
    review.findings.extend(seen.remarks.into_iter().map(|message| Finding {
        rule: "file.remark".into(),
        severity: Severity::Info,
        place: Place { line: 1, column: 1, end_line: 1, end_column: 1 },
        message,
        forbidden: false,
    }));
    if let (FileAct::Write { .. }, Some(version)) = (&act, block.version(revision)) {
        // Nothing of it runs: only what hides in its characters matters here.
        let text = review_in_time(&version.source, None, scope);
        review.findings.extend(text.findings);
        review.findings.sort_by_key(|finding| finding.place.line);
    }
    scope.book.forbid().mark(&mut review);
    let terms = Terms {
        language: Language(block.kind.as_str().to_owned()),
        executor: ExecutorKind::Files,
        interpreter: PathBuf::new(),
        version: None,
        kernel: None,
        cwd: scope.cwd.clone(),
        rights: rights(&block.kind, &seen.target.path),
        limits: limits.unwrap_or_default(),
        shared: None,
        target: Some(seen.target),
    };
    let inspection = Inspection { before: seen.before, ..Inspection::new(review, Ok(terms)) };
    (inspection, Some(seen.place))
}

/// The one place that is touched. An empty list would mean everything.
fn rights(kind: &BlockKind, path: &Path) -> Rights {
    let path = vec![path.to_path_buf()];
    match kind {
        BlockKind::Write { .. } => Rights { read: path.clone(), write: path, ..Rights::default() },
        _ => Rights { read: path, ..Rights::default() },
    }
}

pub(super) fn impossible(why: String) -> Inspection {
    Inspection::new(Review::default(), Err(why))
}
