//! sayso: an interactive coding assistant for the terminal. Nothing runs without your say-so.
//!
//! This head is the plan: read it first. If the code shows that the plan is wrong, change the plan before the code.
//!
//! # Three laws
//!
//! - **A decision is intended.** Text that a person types as text can never decide. Whatever was not checked, or
//!   differs from what was shown, is asked about again.
//! - **What a run or the project folder could have changed is never started, followed or trusted outside the sandbox.**
//! - **What sayso says about rights, effects, saving and sending is computed from the value that enforces it**, and a
//!   test compares the sentence with what then happens.
//!
//! # Terms
//!
//! - A *session* is a conversation with its runs, stored in one file. Each line of the file is an *entry*.
//! - A *turn* begins with a message of the person. Its *steps* are a request to the model with its *reply*, and what
//!   follows from that.
//! - A *block* is an action that a reply proposes, usually code. Each change of its text is a new *revision*.
//! - A *review* is what the checks find in a block's text. The *terms* are everything that an approval covers besides
//!   the text: language, executor, interpreter, kernel, folder, rights and limits.
//! - An *approval* is the proof of a decision. It allows one *run* of the block; the run's *receipt* says what it used
//!   and changed.
//! - A *front end* is the terminal (panes or plain lines) or the headless printer. The *guard* of the terminal lets a
//!   key decide only about a block that was visible long enough.
//! - A *room* is a top-level module of this crate.
//!
//! # Rules
//!
//! 1. Each room has one purpose. Its `//!` head says what it does and what it does *not* do.
//! 2. Data flows in one direction: key → action → command → event → engine → effect → I/O → event. No room calls back.
//! 3. Only the engine changes the session, and only [`engine::Transcript::apply`] changes the durable part of it, both
//!    live and on resume. All other code only reads.
//! 4. Only an [`domain::Approval`] can become a run. It fixes the SHA-256 of the bytes, the language, rights, limits,
//!    executor, interpreter, the kernel's generation and the folder in which the code would start. `Approval::grant` is
//!    called in `engine/approval.rs` only. The executor receives exactly these bytes, refuses others, and refuses if
//!    the terms no longer hold. Nothing rewrites code after approval: a wrapper is passed beside the code, never around
//!    it.
//! 5. Nothing runs before the decision that allows it is on disk: the driver syncs the session file between
//!    `Record(Approved)` and the start. If the disk is not durable, sayso says so.
//! 6. The engine never reads the time, the disk, the network, the environment or random numbers: all of these are
//!    arguments.
//! 7. Text from outside is hostile until `tui/paint/glyphs.rs` has turned it into cells, or the line mode
//!    (`tui/line_mode/page.rs`) or the headless printer has escaped it.
//! 8. The second law has one table: `launch/table.rs` lists everything that sayso starts by itself. Interpreters are
//!    queried inside a sandbox or not at all.
//! 9. `tests/architecture.rs` checks the directions of imports. What no test checks is not a rule.
//!
//! # The rooms
//!
//! ```text
//!    main.rs ── app/ ── commands/                     the start: one file per subcommand, one for the terminal
//!                  │
//!               session/                              composition root: from configuration to driver    cli.rs  report.rs
//!                  │
//!         ┌────────┴─────────┐
//!       tui/              headless/                   front ends: read State, send Command
//!         └────────┬─────────┘
//!               driver/                             runtime: performs effects, feeds events, owns the clock
//!       ┌──────────┬───────────┬──────────────┬─────────┐
//!    provider/   exec/       store/      workspace/     │      I/O rooms: independent of each other and of the engine
//!       └──────────┴───────┬───┴──────────────┘         │
//!                     config/     engine/ recipe/ review/     pure: the session machine; recipes; block → findings
//!                        │      export/ import/      a session in a form for others; files of others as blocks
//!                        │               │
//!                        │       python/  edit/               Python as text; edits of files: parsed, applied
//!                        └──── domain/ ──┘                    the basic types; imports nothing
//!                               text/                         shell words, sizes, suggestions: a leaf for all rooms
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
//! | `config` | domain | files, in `files.rs`, `keys.rs` and `key_store.rs` only; the environment is handed in |
//! | `provider` | domain, config | network |
//! | `launch` | - | links and folders of programs; private folders, made and removed; makes the commands of what sayso starts by itself |
//! | `exec` | domain, config, launch | processes |
//! | `store` | domain | session files |
//! | `workspace` | domain | the person's files; `shared_maps.rs`: which of them processes below this one have mapped, `chown_rights.rs`: which owners they can get (`/proc`) |
//! | `driver` | all of the above but python and import | spawns tasks, owns the clock |
//! | `tui` | domain, engine, driver, config, launch, export | terminal (panes, and lines in `tui/line_mode`), clipboard, external editor and pager with their copies, outputs that the pager reads |
//! | `headless` | domain, engine, driver, config | standard input and output |
//! | `session` | all above but python, edit, import and headless; cli, report | the log file, the file of borders, the time zone, stories, the folder of a replay, the program that writes a key, own rules and recipes |
//! | `commands` | session, headless, import and what is below them, but python, edit, launch and tui | standard output; files that the command line names, the new configuration file; one file a subcommand |
//! | `cli`, `report` | domain (`cli`: config, export) | standard error |
//! | `app` | commands, session, tui and below | exit code |
//! | `main` | app, exec | exit code |
//!
//! # One turn, with the types that travel
//!
//! ```text
//!  key ─keymap▶ Action ─screen▶ Command::Submit
//!  Driver::send ─▶ Engine::handle(Event::User(command), now)
//!       ◀─ Record(Entry::Prompt), Ask(ModelRequest)                      Idle → Replying(step)
//!  provider ─▶ Event::Reply(step, Delta | Reasoning | … | Finished | Failed)
//!       reply: text → Segment::Prose | Segment::Block                     only live, not durable yet
//!       ◀─ on Finished: Record(Entry::Reply), Record(Entry::Block)…, Inspect(block, revision)
//!  driver, on a worker: review(), sizes of what the text names, Executor::terms()
//!       ─▶ Event::Inspected(block, revision, Inspection)                  until then the block can't be approved
//!       ◀─ Record(Entry::Review)                                          → Deciding (first block that is not settled)
//!  person ─▶ Command::Decide(block, revision, Decision)                   an outdated revision is refused
//!       Approve → Approval → ◀─ Record(Entry::Approved), StartRun(RunRequest)      → Running(run)
//!       Always(scope) → ◀─ Record(Entry::RuleAdded), then as Approve; a later block that the rule covers is shown, and
//!       starts after 3 s on screen (Command::OnScreen, Effect::SetTimer); no rule covers a high or forbidden finding,
//!       an incomplete check, a path that leads elsewhere through links, or a state that an earlier block changed
//!       Edit → new revision → inspected and asked again     Reject(reason), Skip → settled
//!  driver: syncs the session file, then exec ─▶ Event::Run(run, Started, Output(Chunk)… , Ended(RunReport))
//!       ◀─ Record(Entry::Ran); next block, or all settled: ◀─ Ask (results, edits as diffs), or Record(Entry::TurnEnd)
//! ```
//!
//! Events and channels:
//!
//! - Every asynchronous event carries the id of its step, run or timer. The engine compares it and drops outdated ones.
//! - Channels for outside data are bounded. Pieces that are ready together are joined before the engine sees them. A
//!   front end processes everything that is ready, then draws once.
//! - The front end owns the `Driver` (a struct with a cancel-safe `next()`) and borrows `&State` for drawing.
//! - To interrupt is not to cancel: the turn continues only when `Ended` arrives, which says how the run ended.
//!
//! Inspecting and deciding:
//!
//! - A review depends only on the text, its language and its scope: work is counted in steps, not in time. A time limit
//!   far above the steps ends a worker, and then nothing of the text counts as checked. What was not checked takes the
//!   typed word. `sayso check` exits 1 for it, as for a finding (unless `--allow-unchecked` is given), and 2 for what
//!   can't be read.
//! - Before anyone is asked about an edit (`BlockKind::Edit`), the driver applies it to its files (`Entry::Placed`).
//!   From then on its text is the whole new text of the files, like that of a block that writes. An edit that does not
//!   fit is declined, and the model is told why.
//! - The driver resolves the paths in a block before the decision and again right before the start. If a path has
//!   changed, the run is refused and the block is asked about again. What sayso itself reads, lists or writes for a
//!   block, or saves for the person, goes through the folder that was opened when it was shown (`workspace/held_path.rs`);
//!   no link is followed after that.
//! - The blocks of one reply are settled in order, one at a time. When a block's turn comes, its terms are determined
//!   again, because an earlier `cd` or a dead kernel changes its meaning.
//! - What a block lacks (packages, a container image) becomes a block of sayso's own before it. Only that block uses
//!   the network, and only after the person approved it.
//! - A second opinion (`RequestOpinion`) is requested beside the turn and delays nothing.
//!
//! Runs:
//!
//! - Every run on this machine goes through the helper (`sayso __run`): one socket, a process session of its own,
//!   supervision, and the end of the whole process tree when the socket closes.
//! - An executor has its own thread with a small runtime. One loop (`exec/serve.rs`) takes its orders and follows the
//!   current run. Behind it are three backends (`exec/backend.rs`): this machine, containers and Jupyter kernels. The
//!   container engine confines a container, which tests itself before it accepts code. A kernel on a Jupyter server is
//!   not confined.
//! - Nothing of a run moves between runs. At its end the helper stops the kernel with all its threads and ends
//!   everything else; the next approved run lets the kernel continue. Containers are paused by their engine, and local
//!   Jupyter kernels are stopped with all their child processes. What can't be stopped is reported as still running.
//! - Only then is the folder scanned. Changes to names that programs obey by themselves (`domain/auto_run.rs`) are
//!   reported, and one key undoes them from copies made before the run.
//! - The changes of a run are found by comparing two scans of the folder, and the receipt lists what was not scanned.
//!   Files that a recipe protects are hashed right before and right after each run; no verdict depends on the receipt.
//! - Blocks share a kernel: the terms list the blocks that ran in it and the changes that were found. A new kernel has
//!   the next generation, which the approval contains.
//! - `/rebuild` proposes earlier blocks again after a kernel was lost, and decides nothing. Those that touched only the
//!   kernel are joined to one text; behind each of its parts the kernel waits (`Effect::AfterPart`) until the part was
//!   found to do what it did before.
//!
//! Turns without a model:
//!
//! - `sayso exec FILE…` (`Command::RunFiles`): naming a file is the decision about its bytes, for one run. If no
//!   session is wanted, a store that keeps nothing takes its place.
//! - `sayso sessions replay` (`Command::RunRecorded`): repeats the runs of the person's own session
//!   (`engine/recorded_runs.rs`) in a fresh folder, under newly determined terms that allow at most what was allowed then
//!   and is allowed today. `engine/run_comparison.rs` compares the results.
//! - A recipe is beside the engine (`engine::workflow`): it reads the transcript and says what comes next. It declines
//!   blocks, proposes blocks of sayso's own, asks for answers, and ends. It runs nothing and widens no rights.
//!
//! Sessions and requests:
//!
//! - Resuming applies the entries with the same `apply`. An approval without an end is LOST and never run
//!   automatically. Old messages and outputs are dropped from memory while the file is read
//!   (`engine/transcript/paging.rs`); the short form that is kept of an output looks to a model like the whole.
//!   `Command::Load` → `Effect::Load` → `Event::Loaded` loads those again that are shown or compared, and verifies them
//!   by the hash of their page of the file. A request waits for the messages that it contains, and for the answer about
//!   its model if that decides what it looks like (`Event::AskingAboutModel`). Texts of blocks always stay in memory.
//! - The serde attributes of the domain types define the format of session files, and the same shape in JSON for
//!   scripts. Tests compare it with frozen bytes (`store/wire/tests/frozen.rs`).
//! - A request is sent only if it fits the model's context and the session budget. The state counts what was shortened.
//!   A summary replaces older items only once it is recorded.

#![warn(unreachable_pub)]
// Without these features, code that only they use is dead. The build with all features checks for dead code.
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
#[cfg(test)]
mod test_folder;
mod text;
pub mod tui;
pub mod workspace;
