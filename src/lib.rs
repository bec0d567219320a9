//! sayso: an interactive coding assistant for the terminal. Nothing runs without your say-so.
//!
//! This head is the plan of the house; where the code teaches better, it is changed here first.
//!
//! # Three laws
//!
//! - **A decision is meant.** No text that a person types as text can decide; what was not checked, or is not as it was
//!   shown, is asked about again.
//! - **What a run, or the folder, could have changed is never started, followed or believed outside the sandbox.**
//! - **What is told of rights, effects, saving and sending is computed from the value that enforces it**, and a test
//!   compares the sentence with what then happens.
//!
//! # Rules of the house
//!
//! 1. Each room has one purpose, told in its `//!` head: what it does, and what it does *not* do.
//! 2. Data travels one way: key → action → command → event → engine → effect → I/O → event. Nobody calls back up.
//! 3. Only the engine changes the session; only [`engine::Transcript::apply`] changes its durable half, live and on
//!    resume alike; everybody else reads.
//! 4. Only an [`domain::Approval`] can become a run. It binds the SHA-256 of the bytes, the language, rights, limits,
//!    executor, interpreter, the kernel's generation and the folder in which the code would start. `Approval::grant` is
//!    called in `engine/approval.rs` only. The executor is given those bytes and refuses others, and refuses when the
//!    terms no longer hold. Nothing rewrites code after approval: wrappers travel beside it, never around it.
//! 5. Nothing runs before the decision that allowed it is on disk: the driver syncs the session file between
//!    `Record(Approved)` and the start. Where the disk is not durable, that is told.
//! 6. The engine never asks the time, the disk, the network, the environment or chance: all of it arrives as arguments.
//! 7. Text from outside is hostile until `tui/paint/plain.rs` turned it into cells, or the headless printer escaped it.
//! 8. What a run, or the folder, could have changed is never started, followed or believed outside the sandbox. What sayso
//!    starts by itself stands in one table (`launch/table.rs`); interpreters are asked inside a sandbox or not at all.
//! 9. Import directions are checked by `tests/architecture.rs`. What no test checks is not a rule.
//!
//! # The rooms
//!
//! ```text
//!    main.rs ── app/ ── commands/                     the start: one file a subcommand, one for the terminal
//!                  │
//!               session/                              composition root: from configuration to driver    cli.rs  report.rs
//!                  │
//!         ┌────────┴─────────┐
//!       tui/              headless/                   front ends: read State, send Command
//!         └────────┬─────────┘
//!               driver/                             runtime: performs effects, feeds events, owns the clock
//!       ┌──────────┬───────────┬──────────────┬─────────┐
//!    provider/   exec/       store/      workspace/     │      rooms of I/O: know nothing of each other or of the engine
//!       └──────────┴───────┬───┴──────────────┘         │
//!                     config/     engine/ recipe/ review/     pure: the session machine; ways of working; block → findings
//!                        │      export/ import/      a session as it is handed on to others; files of others as blocks
//!                        │               │
//!                        │       python/  edit/               Python as text; edits of files as text: found, applied
//!                        └──── domain/ ──┘                    the nouns; imports nothing
//!                               text/                         words of a shell, sizes, suggestions: a leaf for all of them
//! ```
//!
//! | Room | may import | may touch the world |
//! |---|---|---|
//! | `domain` | - | no |
//! | `text` | -; every room but `domain` may import it | no |
//! | `python` | domain | no |
//! | `review` | domain | no |
//! | `edit` | - | no |
//! | `engine` | domain, edit, python | no |
//! | `recipe` | domain, engine, python | no |
//! | `export` | domain, engine | no |
//! | `import` | domain, engine | no |
//! | `config` | domain | files and environment, in `load.rs`, `keys.rs` and `paths.rs` only |
//! | `provider` | domain, config | network |
//! | `launch` | - | links and folders of programs; makes the commands of what sayso starts by itself |
//! | `exec` | domain, config, launch | processes |
//! | `store` | domain | session files |
//! | `workspace` | domain | the person's files |
//! | `driver` | all of the above | spawns tasks, owns the clock |
//! | `tui` | domain, engine, driver, config, launch, export | terminal (panes, and lines in `tui/plain`), clipboard, external editor |
//! | `headless` | domain, engine, driver, config | standard input and output |
//! | `session` | all above, cli, report | the log file, the file of borders, the program that writes a key, own rules and recipes |
//! | `commands` | session and what is below it, but tui | standard output; one file a subcommand |
//! | `cli`, `report` | domain (`cli`: config, export) | standard error |
//! | `app`, `main` | commands, session, tui and below | exit code |
//!
//! # One turn, with the types that travel
//!
//! ```text
//!  key ─keymap▶ Action ─screen▶ Command::Submit
//!  Driver::send ─▶ Engine::handle(Event::User(command), now)
//!       ◀─ Record(Entry::Prompt), Ask(ModelRequest)                      Idle → Replying(step)
//!  provider ─▶ Event::Reply(step, Delta | Reasoning | … | Finished | Failed)
//!       reply: text → Segment::Prose | Segment::Block                     live only, nothing durable yet
//!       ◀─ on Finished: Record(Entry::Reply), Record(Entry::Block)…, Inspect(block, revision)
//!  driver, on a worker: review(), sizes of what it names, Executor::terms()
//!       ─▶ Event::Inspected(block, revision, Inspection)                  approve stays locked until it is there
//!       ◀─ Record(Entry::Review)                                          → Deciding (first block that is not settled)
//!  person ─▶ Command::Decide(block, revision, Decision)                   a stale revision is refused
//!       Approve → Approval → ◀─ Record(Entry::Approved), StartRun(RunRequest)      → Running(run)
//!       Always(scope) → ◀─ Record(Entry::RuleAdded), then as Approve; what the rule covers later is shown, and starts
//!       after 3 s on screen (Command::OnScreen, Effect::SetTimer); nothing covers a high or forbidden finding, what was
//!       not checked in full, or a path that leads elsewhere by links
//!       Edit → new revision → looked at and asked again     Reject(reason), Skip → settled
//!  driver: sync the session file, then exec ─▶ Event::Run(run, Started, Output(Chunk)… , Ended(RunReport))
//!       ◀─ Record(Entry::Ran); next block, or all settled: ◀─ Ask (results, edits as diffs), or Record(Entry::TurnEnd)
//! ```
//!
//! - Every asynchronous event carries the id of its step, run or timer; a stale one is dropped by comparison.
//! - A review depends on its text, language and scope alone: work is counted in steps, never in time. A clock far above
//!   them ends a worker, and then nothing of that text counts as checked. What was not checked takes the typed word;
//!   `sayso check` exits 1 for it as for a finding (`--allow-unchecked` says otherwise), 2 for what can't be read.
//! - An edit (`BlockKind::Edit`) is laid on its files by the driver before anyone is asked (`Entry::Placed`): from there on it is
//!   their whole new text, as of a block that writes. What fits nowhere is declined, and the model is told why.
//! - Where paths lead is found out before a decision and once more right before the start; what changed meanwhile is
//!   refused, and asked about again. What sayso itself reads, lists or writes for a block, or saves for the person, goes
//!   through the folder that was opened when it was shown (`workspace/place.rs`); no link is followed afterwards. `/rebuild` brings blocks
//!   back to be decided, those that touched nothing but the kernel together as one text, behind each block of which the kernel waits
//!   (`Effect::AfterPart`) until it was found to do what it did; it decides nothing.
//! - `sayso exec FILE…` is a turn without a model (`Command::RunFiles`): naming a file is the decision about its bytes, for one
//!   run. A store that forgets stands in for the session where none is wanted. So is `sayso sessions replay`
//!   (`Command::RunRecorded`): the runs of a session of one's own (`engine/recorded.rs`) again in a fresh folder, under terms
//!   that are found anew and allow at most what then and today do; `engine/difference.rs` compares.
//! - What a run changed is found by two looks, and what was not looked at stands beside it. The files that a recipe protects are
//!   hashed right before and right after each run; no verdict depends on what a receipt lists.
//! - Interrupt is not cancel: the turn moves on only when `Ended` arrives, and says how it ended.
//! - Blocks of one reply are settled in order, one at a time. Terms are found anew when a block's turn comes: an
//!   earlier `cd` or a dead kernel changes what it means.
//! - Resume folds the entries through the same `apply`. An approval without its end is LOST and never run by itself. Messages
//!   and outputs far back are let go while the file is read (`engine/transcript/paging.rs`); what stays of an output is told to a
//!   model as the whole would be. `Command::Load` → `Effect::Load` → `Event::Loaded` brings those back that are looked at or
//!   compared with, by the hash of their page of the file; a request waits for the messages that it tells. Texts of blocks always
//!   stay.
//! - How values stand in session files, and in the same shape in JSON for scripts, is told by serde at the nouns
//!   themselves; bytes that were frozen hold them to it (`store/wire/tests/frozen.rs`).
//! - A request leaves only if it fits the model's context and the session budget; what was told shorter is counted in the
//!   state. A summary stands for older items only once it is recorded. A second opinion (`Consult`) goes beside the turn
//!   and holds up nothing.
//! - Channels that carry outside data are bounded; pieces that are ready together are joined before the engine sees
//!   them; a front drains all that is ready, then draws once.
//! - Every run of this machine goes through the helper (`sayso __run`): one socket, a session of its own, supervision, and the end of the
//!   whole tree when the socket closes.
//! - An executor has a thread with a small runtime of its own. One loop (`exec/serve.rs`) takes its orders and follows the
//!   run that goes on; this machine, containers and Jupyter kernels are backends behind it (`exec/backend.rs`). A container
//!   is closed by its engine and looks at itself before it takes code, a kernel of a server is not confined.
//! - Between runs nothing of a run moves: at its end the helper stops the kernel with all its threads and ends what else is
//!   left; the next approved run lets it go on. Containers are paused by their engine, local Jupyter kernels stopped with
//!   all that is below them; what can't be stopped is told as going on. Only then the folder is looked at: names that
//!   programs obey by themselves (`domain/obeyed.rs`) are told, and taken back by one key from copies made before.
//! - A kernel is shared by its blocks: the terms name them, and what they were found to have changed. A new kernel is what
//!   the next generation in an approval means.
//! - A recipe stands beside the engine (`engine::workflow`): it sees the transcript and says what comes next; it declines
//!   blocks, proposes blocks of sayso's own, asks for answers, ends. It runs nothing and widens no rights.
//! - What a block lacks (packages, the image of its container) waits in front of it as a block of sayso's own; only that
//!   block reaches the network, and only once the person has approved it.
//! - The front end owns the `Driver` (a struct with a cancel-safe `next()`) and borrows `&State` for drawing.

#![warn(unreachable_pub)]
// What only runs elsewhere need has no user in a build without them; the build with all features is the one that is held
// to it.
#![cfg_attr(not(all(feature = "docker", feature = "jupyter")), allow(dead_code, unused_imports))]

pub mod app;
pub mod cli;
mod commands;
pub mod config;
pub mod domain;
pub mod driver;
pub mod edit;
pub mod engine;
pub mod exec;
pub mod export;
mod headless;
mod import;
pub mod launch;
pub mod provider;
mod python;
pub mod recipe;
mod report;
pub mod review;
mod session;
pub mod store;
#[cfg(test)]
mod test_cases;
mod text;
pub mod tui;
pub mod workspace;
