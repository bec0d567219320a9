//! Makes commands of the person that decide about no block: files to run, runs to repeat, and the rest.

use super::{EventMaker, SOURCES, pick};
use crate::domain::{BlockKind, Limits, RuleId};
use crate::engine::properties::name;
use crate::engine::{Command, NamedFile, OpenedBlock, OpenedFile, RecordedBlock};

impl EventMaker<'_> {
    pub(super) fn files(&self) -> Command {
        if self.a.is_multiple_of(3) {
            let block = |n: usize| OpenedBlock {
                kind: BlockKind::Code { language: Some(self.language()) },
                language: Some(self.language()),
                source: pick(SOURCES, self.a + n).into(),
                place: "cell 1 of a.ipynb".into(),
            };
            return Command::OpenFile(OpenedFile {
                name: "a".into(),
                text: "a".into(),
                blocks: vec![block(0), block(1)],
            });
        }
        let file = |n: usize| NamedFile {
            path: "a.py".into(),
            language: self.language(),
            source: pick(SOURCES, self.a + n).into(),
        };
        Command::RunFiles { files: vec![file(0), file(1)], limits: None, fetch: self.a.is_multiple_of(2) }
    }

    fn recorded(&self) -> Command {
        let block = |kind, n: usize| RecordedBlock {
            label: format!("block {n}"),
            kind,
            language: self.language(),
            source: pick(SOURCES, self.a + n).into(),
            edit: None,
            limits: Limits::default(),
            new_kernel: self.a.is_multiple_of(4),
        };
        let code = BlockKind::Code { language: Some(self.language()) };
        Command::RunRecorded(vec![block(code, 0), block(BlockKind::Write { path: "out.txt".into() }, 1)])
    }

    pub(super) fn command(&self) -> Command {
        match self.b % 20 {
            18 if self.a.is_multiple_of(3) => self.recorded(),
            18 => self.files(),
            13 => Command::RevokeRule(RuleId(self.a as u32 % 2 + 1)),
            14 => Command::UseInstructions(self.a.is_multiple_of(2)),
            15 => Command::StopCountdown,
            16 | 17 => {
                let block = self.block();
                let seen = self.a.is_multiple_of(2);
                Command::OnScreen { block, revision: self.revision(block), seen }
            }
            0 | 1 => Command::Stop,
            2 => Command::Kill,
            3 => Command::Retry,
            4 => Command::Continue,
            5 => Command::EndTurn,
            6 => Command::SkipAll,
            7 => Command::EditQueued,
            8 => Command::UseModel(name()),
            9 => Command::Rename("n".into()),
            10 => Command::Compact,
            11 | 12 => Command::RequestOpinion(self.block()),
            _ => Command::RetryStore,
        }
    }
}
