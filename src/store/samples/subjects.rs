//! Entries of one subject each, by hand.

use super::{block, confined, report, terms};
use crate::domain::samples::{self, BY_PERSON, approved};
use crate::domain::*;
use std::path::PathBuf;

/// A block from a tool call.
fn file_block(id: u32, kind: BlockKind, source: &str) -> Block {
    let mut block = block(id, source);
    block.kind = kind;
    block.origin.dialect = Dialect::Tools;
    block.origin.call = Some(format!("call_{id}"));
    block.origin.note = Some("read from a tool call printed as text".into());
    block.versions.iter_mut().for_each(|version| version.language = None);
    block
}

/// The approval of a block that replaces a file through a link.
fn written_file(run: u32, block: u32) -> Entry {
    let found = OnDisk::File(Some(Sha256::of(b"# Old\n")));
    let target = Target {
        link: Some(PathBuf::from("/home/ada/data/sales/notes/plan.md")),
        bytes: 6,
        outside: true,
        ..Target::at("/home/ada/notes/plan.md", found)
    };
    approved(run, (block, 1), "# Plan\n", of_file(target), Grantor::Flag)
}

fn of_file(target: Target) -> Terms {
    Terms { executor: ExecutorKind::Files, kernel: None, target: Some(target), ..terms() }
}

/// Tool calls and their results: blocks about files, about the person's own functions, about packages.
pub(in crate::store) fn about_tools() -> Vec<Entry> {
    let call = ToolCall {
        id: "call_1".into(),
        name: "write_file".into(),
        arguments: "{\"path\":".into(),
        signature: Some("c2ln".into()),
    };
    let mut ran = report(OutputBuffer::default());
    ran.receipt.variables = Some(VariableChanges { added: 3, changed: 1, deleted: 0 });
    vec![
        Entry::Reply {
            step: StepId(1),
            text: "I will write it down.".into(),
            reasoning: String::new(),
            tool_calls: vec![call],
            kept: vec![OpaqueItem { kind: "anthropic".into(), json: "{\"type\":\"thinking\"}".into() }],
            finish: Finish { reason: FinishReason::ToolCalls, word: Some("tool_use".into()) },
            usage: Usage { input: Some(120), cache_written: Some(7), ..Usage::default() },
        },
        Entry::CallRefused { step: StepId(1), call: "call_2".into(), why: "no tool is called `rm`".into() },
        Entry::NoTools(ModelName { provider: "ollama".into(), model: "gemma3".into() }),
        Entry::Block(file_block(1, BlockKind::Write { path: "notes/plan.md".into() }, "# Plan\n")),
        Entry::Block(file_block(2, BlockKind::Read, "path: sales.csv\nlines: 1-400\n")),
        Entry::Block(file_block(3, BlockKind::List, "path: .\ndepth: 2\n")),
        Entry::Block(file_block(4, BlockKind::Load { path: "/home/ada/tools.py".into() }, "def f(): ...\n")),
        Entry::Block(file_block(5, BlockKind::Call { function: "f".into() }, "f()")),
        Entry::Block(file_block(6, BlockKind::Install { wanted_by: Some(BlockId(5)) }, "pandas\n")),
        written_file(1, 1),
        samples::ran(1, 1, ran),
    ]
}

/// Edits: one that was found in two files and written, and one that was not found.
pub(in crate::store) fn about_edits() -> Vec<Entry> {
    let paths = vec!["a.py".to_owned(), "new/b.py".to_owned()];
    let (first, second) = (BlockId(1), BlockId(2));
    let written = "<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n";
    let text = "==> a.py <==\nx = 2\n==> new/b.py <==\ny = 1\n";
    let old = OnDisk::File(Some(Sha256::of(b"x = 1\n")));
    let target = Target {
        bytes: 6,
        others: vec![Target { folders: 1, ..Target::at("/home/ada/data/sales/new/b.py", OnDisk::Nothing) }],
        ..Target::at("/home/ada/data/sales/a.py", old)
    };
    vec![
        Entry::Block(file_block(1, BlockKind::Edit { paths }, written)),
        Entry::Placed {
            block: first,
            revision: Revision(2),
            source: text.into(),
            bases: vec![old, OnDisk::Nothing],
            note: "hunk 1 of a.py was found white space aside".into(),
            whole: true,
        },
        approved(1, (1, 2), text, of_file(target), Grantor::Flag),
        Entry::Block(file_block(2, BlockKind::Edit { paths: vec!["c.py".into()] }, written)),
        Entry::Declined {
            block: second,
            revision: Revision(1),
            why: "c.py: the lines that it searches are not in the file".into(),
        },
    ]
}

/// A run in a sandbox, and what the sandbox refused.
pub(in crate::store) fn about_sandbox() -> Vec<Entry> {
    let mut report = report(OutputBuffer::default());
    report.outcome = Outcome::Limit("memory: 3.1 of 3 GiB".into());
    report.receipt.refused = vec!["write to ~/.ssh/config".into(), "the network: example.com".into()];
    vec![approved(1, (1, 1), "x", confined(), BY_PERSON), samples::ran(1, 1, report)]
}

/// What a recipe leaves: its steps, a block of sayso's own, a block that was declined, a form.
pub(in crate::store) fn about_recipes() -> Vec<Entry> {
    let pair = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    let mut own = block(2, "python3 -m pytest -q\n");
    own.origin.own = true;
    own.origin.note = Some("run the tests".into());
    let outcome = RoundOutcome {
        step: "tests".into(),
        round: 1,
        verdict: "red".into(),
        note: "2 failed, 1 passed".into(),
    };
    let said = RecipeFact::Said {
        step: "tests".into(),
        title: "Tests first".into(),
        round: 1,
        text: "Write the tests.\n".into(),
    };
    let facts = vec![
        RecipeFact::Began(Box::new(RecipeStart {
            name: "tdd".into(),
            definition: "name = \"tdd\"\n".into(),
            inputs: vec![pair("spec", "a slug of a title\nin ASCII")],
            facts: vec![pair("runner", "pytest")],
            prompt: "Test-driven: a slug of a title".into(),
        })),
        said,
        RecipeFact::Judged(outcome),
        RecipeFact::Answered { form: "arguments".into(), answers: vec![pair("n", "3"), pair("", "")] },
    ];
    let ends = [RecipeEnd::Done, RecipeEnd::GaveUp, RecipeEnd::Limit, RecipeEnd::Stopped];
    let ended = ends.map(|end| RecipeFact::Ended { end, summary: "3 passed\n".into() });
    let (revision, why) = (Revision(1), "it holds two functions".into());
    let mut entries = vec![Entry::Block(block(1, "x")), Entry::Declined { block: BlockId(1), revision, why }];
    entries.push(Entry::Block(own));
    entries.extend(facts.into_iter().chain(ended).map(Entry::Recipe));
    entries
}

/// An image that a block needed, requested and pulled by the engine; and packages that were installed into the
/// project's environment.
pub(in crate::store) fn about_pulls() -> Vec<Entry> {
    let terms = Terms {
        executor: ExecutorKind::Engine,
        kernel: None,
        interpreter: "unix:///var/run/docker.sock".into(),
        ..terms()
    };
    let wanted_by = Some(BlockId(1));
    let list = "into: .venv\nsix\n";
    vec![
        Entry::Block(file_block(2, BlockKind::Pull { wanted_by }, "python:3.13-slim\n")),
        approved(1, (2, 1), "x", terms, BY_PERSON),
        samples::ran(1, 2, report(OutputBuffer::default())),
        Entry::Block(file_block(3, BlockKind::Install { wanted_by }, "six\n")),
        Entry::Edited { block: BlockId(3), revision: Revision(2), source: list.into(), whole: true },
    ]
}

/// A run whose limits are enforced in three ways.
pub(in crate::store) fn about_limits() -> Vec<Entry> {
    let mut terms = confined();
    let sandbox = &mut terms.rights.sandbox;
    (sandbox.memory, sandbox.processes, sandbox.files) =
        (Enforcement::Enforced, Enforcement::Watched, Enforcement::Enforced);
    terms.limits = Limits { file_bytes: 5 << 30, open_files: 64, output_kept_bytes: 65_536, ..terms.limits };
    vec![approved(1, (1, 1), "x", terms, BY_PERSON)]
}

/// One entry of each kind about the length of a conversation and about opinions.
pub(in crate::store) fn about_context() -> Vec<Entry> {
    vec![
        Entry::Summary {
            upto: 4,
            text: "Ada wants a plot.\n\nsales.csv was read.".into(),
            model: Some(ModelName { provider: "ollama".into(), model: "qwen3-coder:30b".into() }),
            usage: Usage { input: Some(900), output: Some(120), ..Usage::default() },
        },
        Entry::Opinion {
            block: BlockId(1),
            revision: Revision(1),
            model: ModelName { provider: "openai".into(), model: "gpt".into() },
            answer: Ok(Opinion {
                risk: Risk::Medium,
                reason: "It overwrites a file.".into(),
                lines: vec![1, 3],
            }),
            usage: Usage::default(),
        },
        Entry::Opinion {
            block: BlockId(1),
            revision: Revision(1),
            model: ModelName { provider: "openai".into(), model: "gpt".into() },
            answer: Err("it came too late".into()),
            usage: Usage::default(),
        },
        Entry::Instructions(vec![NotedInstructions {
            path: PathBuf::from("/home/ada/data/AGENTS.md"),
            sha256: Sha256::of(b"x"),
            bytes: 1,
        }]),
        Entry::TurnEnd(TurnEnd::Budget),
    ]
}

/// One entry of each kind about rules and about the origin of words.
pub(in crate::store) fn about_rules() -> Vec<Entry> {
    let source = "print('hi')\n";
    let (block, revision) = (BlockId(1), Revision(1));
    let sha256 = Sha256::of(source.as_bytes());
    let review = Review {
        traces: vec![
            Trace {
                place: TextRange { line: 2, column: 7, end_line: 2, end_column: 30 },
                text: "https://collect.example.net".into(),
                from: TextOrigin::Output(BlockId(1)),
            },
            Trace {
                place: TextRange::default(),
                text: "~/.netrc".into(),
                from: TextOrigin::File(BlockId(4)),
            },
        ],
        ..Review::default()
    };
    let rule = Rule { id: RuleId(1), scope: RuleScope::Clean, block, sha256, terms: terms() };
    vec![
        Entry::Prompt("go on".into()),
        Entry::Block(self::block(1, source)),
        Entry::Review { block, revision, review },
        Entry::RuleAdded(Box::new(rule)),
        approved(1, (1, 1), source, terms(), Grantor::Rule(RuleId(1))),
        Entry::RuleRevoked(RuleId(1)),
    ]
}

/// A review with words that occur in the project's instructions.
pub(in crate::store) fn about_instructions() -> Vec<Entry> {
    let traces =
        vec![Trace { place: TextRange::default(), text: "/srv/deploy".into(), from: TextOrigin::Project }];
    let review = Review { traces, ..Review::default() };
    vec![Entry::Review { block: BlockId(1), revision: Revision(1), review }]
}

/// A message with files, and a review with words that occur in one of them.
pub(in crate::store) fn about_files() -> Vec<Entry> {
    let whole = AttachedFile { path: "src/a b.py".into(), bytes: 6, text: "x = 1\n".into(), masked: false };
    let cut = AttachedFile { path: ".env".into(), bytes: 99_000, text: "KEY=***\n".into(), masked: true };
    let prompt = Prompt { text: "see @\"src/a b.py\" and @.env".into(), files: vec![whole, cut] };
    let traces = vec![Trace { place: TextRange::default(), text: "/srv/x".into(), from: TextOrigin::Given }];
    let review = Review { traces, ..Review::default() };
    vec![Entry::Prompt(prompt), Entry::Review { block: BlockId(1), revision: Revision(1), review }]
}

/// A command that the person typed.
pub(in crate::store) fn about_commands() -> Vec<Entry> {
    let mut typed = block(9, "git status");
    typed.origin = Origin {
        range: 0..0,
        call: None,
        note: Some("your own command".into()),
        own: true,
        typed: true,
        ..typed.origin
    };
    vec![Entry::Block(typed)]
}

/// A run that can be taken back, and what was taken back.
pub(in crate::store) fn about_undo() -> Vec<Entry> {
    let cover = UndoCover {
        large: 3,
        unreadable: 1,
        secret: 1,
        folders: 1,
        names: vec![".env".into(), "target".into()],
        ..UndoCover::default()
    };
    let ran = |run, undo| {
        let report = report(OutputBuffer::default());
        let receipt = Receipt { undo: Some(undo), ..report.receipt.clone() };
        samples::ran(run, 1, RunReport { receipt, ..report })
    };
    let back = |more, kind| Entry::Undone {
        run: RunId(1),
        block: BlockId(1),
        files: vec!["sales.csv".into()],
        more,
        kind,
    };
    let none = UndoCover::none("more than 50000 files");
    vec![
        ran(1, UndoNote { cover, record: Some(Sha256::of(b"record")), changes: 2 }),
        ran(2, UndoNote { cover: none, ..UndoNote::default() }),
        back(0, UndoKind::Undo),
        back(9_950, UndoKind::Redo),
    ]
}
