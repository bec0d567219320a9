//! Undoes and redoes what a run changed, and reports changes that others made to files which programs obey by
//! themselves.

use super::event::RestoredFile;
use super::transcript::RunItem;
use super::{Effect, Engine, State, notices};
use crate::domain::sentences::undo as sentences;
use crate::domain::{BlockId, Entry, FileChange, Notice, RunId, UndoKind};

/// How many files the session entry names; the others are counted.
const MAX_FILES_NAMED: usize = 50;

impl State {
    /// Why changes of runs can't be undone or redone now.
    pub(crate) fn undo_refused(&self) -> Option<Notice> {
        self.undo_blocked().or_else(|| self.live.foreign.then(notices::undo::foreign_is_not_taken_back))
    }

    /// Why nothing can be undone now, even in a session of one's own.
    fn undo_blocked(&self) -> Option<Notice> {
        if self.live.run.is_some() {
            return Some(notices::undo::not_while_a_run_goes_on());
        }
        self.live.reads_only.then(notices::undo::reading_only_takes_nothing_back)
    }

    /// Why there is no list of changes for a block, or for any.
    pub(crate) fn why_not_recorded(&self, block: Option<BlockId>) -> String {
        let Some(block) = block else { return sentences::NOTHING_RECORDED.into() };
        match self.transcript.blocks.get(&block).and_then(|item| item.runs.last()) {
            None => format!("Block {block} has not run."),
            Some(run) if run.can_be_taken_back() => sentences::only_auto_run(block),
            Some(run) => run.why_not_recorded(block),
        }
    }
}

impl RunItem {
    /// Why there is no list of what this run of a block changed.
    pub(crate) fn why_not_recorded(&self, block: BlockId) -> String {
        if self.lost { sentences::no_end(block) } else { sentences::nothing_recorded(block, self.undo()) }
    }
}

impl Engine {
    /// The person undoes what the last run of a block did to files that programs obey by themselves.
    pub(super) fn undo_auto_run_changes(&mut self, block: BlockId) {
        if let Some(why) = self.state.undo_blocked() {
            return self.notify(why);
        }
        let run = self.state.transcript.blocks.get(&block).and_then(|item| item.runs.last());
        match run.filter(|run| run.can_be_taken_back()) {
            Some(run) => self.effects.push(Effect::UndoAutoRun(run.run)),
            None => self.notify(notices::undo::nothing_to_take_back(block)),
        }
    }

    /// The person undoes or redoes changes of a run. Refused in a foreign session, since its record of changes can't be
    /// trusted.
    pub(super) fn undo(&mut self, run: RunId, changes: Vec<u32>, kind: UndoKind) {
        if let Some(why) = self.state.undo_refused() {
            return self.notify(why);
        }
        match self.state.transcript.run(run).and_then(|(_, run)| run.undo()?.record) {
            Some(record) => self.effects.push(Effect::Undo { run, record, changes, kind }),
            None => self.notify(notices::undo::no_record()),
        }
    }

    /// Records and reports which files were restored.
    pub(super) fn undo_finished(
        &mut self,
        run: RunId,
        kind: UndoKind,
        answer: Result<Vec<RestoredFile>, String>,
    ) {
        let Some(block) = self.state.transcript.run(run).map(|(item, _)| item.block.id) else { return };
        let all = match answer {
            Ok(all) => all,
            Err(why) => return self.notify(notices::undo::not_taken_back(block, &[], kind, &why)),
        };
        let (done, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.result.is_ok());
        let files: Vec<String> = done.into_iter().map(|file| file.path).collect();
        if !files.is_empty() {
            let more = u32::try_from(files.len().saturating_sub(MAX_FILES_NAMED)).unwrap_or(u32::MAX);
            let files = files.iter().take(MAX_FILES_NAMED).cloned().collect();
            self.record(Entry::Undone { run, block, files, more, kind });
        }
        let more = left.len().saturating_sub(1);
        self.notify(match left.into_iter().find_map(|file| Some((file.path, file.result.err()?))) {
            Some((path, why)) if more > 0 => {
                notices::undo::not_taken_back(block, &files, kind, &format!("{path} and {more} more: {why}"))
            }
            Some((path, why)) => {
                notices::undo::not_taken_back(block, &files, kind, &format!("{path}: {why}"))
            }
            None => notices::undo::taken_back(block, &files, kind),
        });
        if !files.is_empty() {
            // The block that waits may be about one of these files.
            self.mark_environment_changed();
            self.inspect_again();
        }
    }

    /// Files that programs obey by themselves changed between two runs. No run of this session did it: between runs
    /// nothing of a run moves.
    pub(super) fn changed_meanwhile(&mut self, changes: &[FileChange]) {
        if let Some(notice) = notices::undo::changed_meanwhile(changes) {
            self.notify(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialogue::{Dialogue, TextChecks as _, report};
    use super::RestoredFile;
    use crate::domain::{
        BlockId, FileChange, Outcome, Receipt, RunId, RunReport, Sha256, UndoCover, UndoKind, UndoNote,
    };
    use crate::engine::{Command, Event};

    fn changed(path: &str) -> RunReport {
        let file = FileChange::new(path, "created", 3);
        let report = report(Outcome::Ok);
        RunReport { receipt: Receipt { files: vec![file], ..report.receipt }, ..report }
    }

    #[test]
    fn what_a_run_made_is_taken_back_once_and_recorded() {
        let mut d = Dialogue::after_reply("```python\n1\n```\n");
        d.accepts(1);
        assert!(
            d.command(Command::UndoAutoRun(BlockId(1))).starts_with("'A run goes on: "),
            "not while it runs"
        );
        d.ended_as(1, changed(".envrc"));
        assert!(d.command(Command::UndoAutoRun(BlockId(1))).starts_with("take back r1"));
        let file = |path: &str, result| RestoredFile { path: path.into(), result };
        let answer = vec![file("/w/.envrc", Ok(())), file("/w/.vscode/a", Err("it changed".into()))];
        let told = d.send(Event::Undone(RunId(1), UndoKind::Undo, Ok(answer)));
        told.starts("+taken back r1 /w/.envrc, 'Taken back: /w/.envrc. Not /w/.vscode/a: it changed.'");
        d.reply("Done.");
        d.user("go on");
        format!("{:?}", d.request()).has("The person took back what it did to /w/.envrc.");
        d.command(Command::UndoAutoRun(BlockId(1))).has("There is nothing of block 1 to take back");
    }

    #[test]
    fn of_other_files_nothing_is_taken_back() {
        let mut d = Dialogue::after_reply("```python\n1\n```\n");
        d.accepts(1);
        d.ended_as(1, changed("a.py"));
        d.command(Command::UndoAutoRun(BlockId(1))).has("There is nothing of block 1 to take back");
        let lost = d.send(Event::Undone(RunId(9), UndoKind::Undo, Err("no".into())));
        assert!(!lost.contains('\''), "{lost}");
    }

    fn recorded(record: Option<Sha256>) -> RunReport {
        let undo = Some(UndoNote { cover: UndoCover::default(), record, changes: 2 });
        let report = changed("a.py");
        RunReport { receipt: Receipt { undo, ..report.receipt }, ..report }
    }

    #[test]
    fn changes_are_taken_back_and_made_again_and_the_model_knows() {
        let mut d = Dialogue::after_reply("```python\n1\n```\n");
        d.accepts(1);
        let undo = |changes: &[u32], kind| Command::Undo { run: RunId(1), changes: changes.to_vec(), kind };
        assert!(d.command(undo(&[], UndoKind::Undo)).starts_with("'A run goes on: "));
        d.ended_as(1, recorded(Some(Sha256::of(b"record"))));
        assert!(d.command(undo(&[0, 2], UndoKind::Undo)).starts_with("undo r1 [0, 2]"));
        let file = |path: &str, result| RestoredFile { path: path.into(), result };
        let done = Ok(vec![file("a.py", Ok(())), file("b.py", Ok(()))]);
        let told = d.send(Event::Undone(RunId(1), UndoKind::Undo, done));
        assert!(told.starts_with("+taken back r1 a.py b.py, 'Block 1: taken back: a.py, b.py.'"), "{told}");
        d.reply("Done.");
        d.user("go on");
        format!("{:?}", d.request()).has("The person took back what it did to a.py, b.py.");
        d.reply("Yes.");
        assert!(d.command(undo(&[0], UndoKind::Redo)).starts_with("redo r1 [0]"));
        let done = Ok(vec![file("a.py", Ok(())), file("b.py", Err("it changed since".into()))]);
        let told = d.send(Event::Undone(RunId(1), UndoKind::Redo, done));
        told.starts("+made again r1 a.py, 'Made again: a.py. Not b.py: it changed since.'");
        d.user("and now");
        format!("{:?}", d.request()).has("The person took back what it did to b.py.");
    }

    /// A session with a block that ran and whose changes can be undone.
    fn ran() -> Dialogue {
        let mut d = Dialogue::after_reply("```python\n1\n```\n");
        d.accepts(1);
        d.ended_as(1, recorded(Some(Sha256::of(b"record"))));
        d
    }

    /// A list in which nothing can be taken back any more would be the end of the way back.
    #[test]
    fn the_last_run_is_the_last_one_that_was_not_all_taken_back() {
        let mut d = ran();
        d.reply("```python\n2\n```\n");
        d.accepts(2);
        d.ended_as(2, recorded(Some(Sha256::of(b"second"))));
        d.reply("Done.");
        let last = |d: &Dialogue, block: Option<u32>| {
            d.state().transcript.last_recorded(block.map(BlockId)).map(|(_, run, _)| run.run)
        };
        let undone = |d: &mut Dialogue, run: u32, files: &[&str], kind| {
            let file = |path: &&str| RestoredFile { path: (*path).into(), result: Ok(()) };
            d.send(Event::Undone(RunId(run), kind, Ok(files.iter().map(file).collect())));
        };
        assert_eq!(last(&d, None), Some(RunId(2)));
        undone(&mut d, 2, &["a.py"], UndoKind::Undo);
        assert_eq!(last(&d, None), Some(RunId(2)), "one change of it is left");
        undone(&mut d, 2, &["b.py"], UndoKind::Undo);
        assert_eq!((last(&d, None), last(&d, Some(2))), (Some(RunId(1)), Some(RunId(2))));
        undone(&mut d, 1, &["a.py", "b.py"], UndoKind::Undo);
        assert_eq!(last(&d, None), Some(RunId(2)), "all was taken back: the newest can be made again");
        undone(&mut d, 1, &["a.py"], UndoKind::Redo);
        assert_eq!(last(&d, None), Some(RunId(1)));
    }

    #[test]
    fn of_many_files_the_first_are_recorded_and_the_others_counted() {
        let mut d = ran();
        let all = (0..10_000).map(|n| RestoredFile { path: format!("f{n}"), result: Ok(()) }).collect();
        let told = d.send(Event::Undone(RunId(1), UndoKind::Undo, Ok(all)));
        assert!(told.contains("taken back: f0, f1, f2 and 9997 more."), "{told}");
        assert!(told.contains(" f49,") && !told.contains("f50"), "{told}");
        d.reply("Done.");
        d.user("go on");
        assert!(format!("{:?}", d.request()).contains("f49 and 9950 more."));
    }

    #[test]
    fn where_nothing_can_be_written_down_nothing_is_taken_back() {
        let mut d = ran();
        let undo = |kind| Command::Undo { run: RunId(1), changes: Vec::new(), kind };
        assert!(d.command(undo(UndoKind::Undo)).starts_with("undo r1"));
        d.reads_only();
        for command in [undo(UndoKind::Undo), undo(UndoKind::Redo), Command::UndoAutoRun(BlockId(1))] {
            d.command(command).starts("'This session is open for reading only: nothing can be taken");
        }
    }

    #[test]
    fn what_has_no_record_and_what_others_wrote_is_not_taken_back() {
        let mut d = Dialogue::after_reply("```python\n1\n```\n");
        d.accepts(1);
        d.ended_as(1, recorded(None));
        let undo = || Command::Undo { run: RunId(1), changes: Vec::new(), kind: UndoKind::Undo };
        assert!(d.command(undo()).starts_with("'Nothing is known of changes"));
        d.foreign();
        assert!(d.command(undo()).starts_with("'This session is foreign"));
    }
}
