//! Takes back what a run did to names that programs obey by themselves, and tells what others did to them meanwhile.

use super::event::TakenBack;
use super::{Effect, Engine, notices};
use crate::domain::{BlockId, Entry, FileChange, RunId};

impl Engine {
    /// The person wants what the last run of a block did to obeyed names undone.
    pub(super) fn take_back(&mut self, block: BlockId) {
        if self.state.live.run.is_some() {
            return self.notify(notices::not_while_a_run_goes_on());
        }
        let run = self.state.transcript.blocks.get(&block).and_then(|item| item.runs.last());
        match run.filter(|run| run.can_be_taken_back()) {
            Some(run) => self.effects.push(Effect::TakeBack(run.run)),
            None => self.notify(notices::nothing_to_take_back(block)),
        }
    }

    /// What became of it.
    pub(super) fn taken_back(&mut self, run: RunId, answer: Result<Vec<TakenBack>, String>) {
        let Some(block) = self.state.transcript.run(run).map(|(item, _)| item.block.id) else { return };
        let all = match answer {
            Ok(all) => all,
            Err(why) => return self.notify(notices::not_taken_back(block, &[], &why)),
        };
        let (done, left): (Vec<_>, Vec<_>) = all.into_iter().partition(|file| file.result.is_ok());
        let files: Vec<String> = done.into_iter().map(|file| file.path).collect();
        if !files.is_empty() {
            self.record(Entry::TakenBack { run, block, files: files.clone() });
        }
        self.notify(match left.into_iter().find_map(|file| Some((file.path, file.result.err()?))) {
            Some((path, why)) => notices::not_taken_back(block, &files, &format!("{path}: {why}")),
            None => notices::taken_back(block, &files),
        });
    }

    /// Obeyed names changed between two runs. No run of this session did that: nothing of one moved.
    pub(super) fn changed_meanwhile(&mut self, changes: &[FileChange]) {
        if let Some(notice) = notices::changed_meanwhile(changes) {
            self.notify(notice);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialogue::{Dialogue, report};
    use super::TakenBack;
    use crate::domain::{BlockId, FileChange, Outcome, Receipt, RunId, RunReport};
    use crate::engine::{Command, Event};

    fn changed(path: &str) -> RunReport {
        let file = FileChange { path: path.into(), change: "created".into(), bytes: 3 };
        let report = report(Outcome::Ok);
        RunReport { receipt: Receipt { files: vec![file], ..report.receipt }, ..report }
    }

    #[test]
    fn what_a_run_made_is_taken_back_once_and_recorded() {
        let mut d = Dialogue::new();
        d.user("x");
        d.reply("```python\n1\n```\n");
        d.inspected_ok(1);
        d.type_run(1);
        assert!(
            d.command(Command::TakeBack(BlockId(1))).starts_with("'A run goes on: "),
            "not while it runs"
        );
        d.ended_as(1, changed(".envrc"));
        assert!(d.command(Command::TakeBack(BlockId(1))).starts_with("take back r1"));
        let file = |path: &str, result| TakenBack { path: path.into(), result };
        let answer = vec![file("/w/.envrc", Ok(())), file("/w/.vscode/a", Err("it changed".into()))];
        let told = d.send(Event::TakenBack(RunId(1), Ok(answer)));
        assert!(
            told.starts_with(
                "+taken back r1 /w/.envrc, 'Taken back: /w/.envrc. Not /w/.vscode/a: it changed.'"
            ),
            "{told}"
        );
        d.reply("Done.");
        d.user("go on");
        let told = format!("{:?}", d.request());
        assert!(told.contains("The person took back what it did to /w/.envrc."), "{told}");
        let again = d.command(Command::TakeBack(BlockId(1)));
        assert!(again.contains("There is nothing of block 1 to take back"), "{again}");
    }

    #[test]
    fn of_other_files_nothing_is_taken_back() {
        let mut d = Dialogue::new();
        d.user("x");
        d.reply("```python\n1\n```\n");
        d.inspected_ok(1);
        d.type_run(1);
        d.ended_as(1, changed("a.py"));
        let told = d.command(Command::TakeBack(BlockId(1)));
        assert!(told.contains("There is nothing of block 1 to take back"), "{told}");
        let lost = d.send(Event::TakenBack(RunId(9), Err("no".into())));
        assert!(!lost.contains('\''), "{lost}");
    }
}
