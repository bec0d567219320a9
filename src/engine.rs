//! The session state machine: takes events, returns effects. Pure: it uses no clock, files, processes, network or
//! randomness.
//!
//! [`Engine::handle`] takes one event and returns the effects the driver has to perform. It never waits: slow work is
//! requested with an effect, and its result arrives as an event. Each file holds the transitions of one concern: `turn`
//! (prompts, steps, ends), `replying` (a streamed reply), `inspecting` (reviews of blocks), `approval` (decisions),
//! `running` (runs and kernels), `always` (rules of the person), `workflow` (recipes), `command_line_runs` (files named
//! on the command line), `opened_file` (a file whose blocks wait), `typed_commands` (commands the person types),
//! `session_name`, `compact` (summaries), `opinion` (second opinions), `undo`, `spending` (the budget), `instructions`,
//! `loading` (texts dropped from memory and loaded again), `saving` (what is on disk), `resume`. These are methods of
//! [`Engine`], because all of them change the one [`State`].
//!
//! Other files only read a session: `steps` (the iteration log), `recorded_runs` (runs of a session that are to
//! be repeated), `run_comparison` (whether the repeated runs did the same), `session_comparison` (two sessions side by
//! side).

pub mod activity;
pub(crate) mod always;
pub(crate) mod answers;
pub(crate) mod approval;
pub(crate) mod block_state;
mod call_error;
pub(crate) mod changes;
mod command_line_runs;
mod compact;
mod conditions;
pub(crate) mod context;
pub mod cost;
mod dialect;
pub(crate) mod effect;
pub(crate) mod event;
pub(crate) mod functions;
mod inspecting;
mod inspection;
mod install;
mod instructions;
pub(crate) mod kernels;
mod loading;
pub(crate) mod notices;
mod opened_file;
mod opinion;
pub(crate) mod printed_text;
pub(crate) mod prompt;
pub(crate) mod provenance;
pub(crate) mod rebuild;
pub(crate) mod recorded_runs;
pub mod reply;
mod replying;
mod resume;
pub mod rules;
pub(crate) mod run_comparison;
mod running;
mod saving;
pub(crate) mod session_comparison;
pub(crate) mod session_name;
mod settings;
mod spending;
pub mod state;
pub(crate) mod steps;
pub mod transcript;
mod turn;
mod typed_commands;
mod undo;
pub(crate) mod workflow;

#[cfg(test)]
pub(crate) mod dialogue;
#[cfg(test)]
mod properties;

pub(crate) use block_state::BlockState;
pub use command_line_runs::NamedFile;
pub(crate) use compact::length::MAX_TOKENS_OF_UNKNOWN;
pub use effect::{Effect, RunOptions};
pub use event::{Command, Event, LoadedBody, StoreEvent};
pub use inspection::{EditFault, Inspection, PlacedEdit};
pub(crate) use opened_file::OpenedBlock;
pub use opened_file::OpenedFile;
pub(crate) use opinion::{OpinionSettings, does_not_fit};
pub use recorded_runs::RecordedBlock;
#[cfg(test)]
pub(crate) use recorded_runs::RecordedEdit;
pub use session_comparison::{ComparedSession, Comparison};
pub use settings::Settings;
pub use state::{Phase, State};
pub(crate) use transcript::Transcript;
pub use workflow::{Workflow, WorkflowContext, WorkflowError, WorkflowOpener, WorkflowStep, Workflows};

use crate::domain::{BlockId, Entry, Header, Notice, Policy, RunId, StepId, TimerId, Timestamp};
use always::StoppedStarts;
use context::Meter;
use inspecting::Inspections;
use replying::ReplyStream;
use spending::HeldRequest;
use turn::Turn;

/// The highest ids given out so far; each kind is counted through the whole session.
#[derive(Clone, Copy, Debug, Default)]
struct LastIds {
    step: StepId,
    block: BlockId,
    run: RunId,
    timer: TimerId,
}

/// The session machine: events in, state and effects out. See [`Engine::handle`].
#[derive(Debug, Default)]
pub struct Engine {
    settings: Settings,
    state: State,
    turn: Turn,
    stream: Option<ReplyStream>,
    inspections: Inspections,
    files: functions::FunctionFiles,
    installs: install::Installs,
    rebuild: rebuild::RebuildQueue,
    last_ids: LastIds,
    stopped_starts: StoppedStarts,
    meter: Meter,
    /// The request that waits until the person answers the question about the session budget.
    request_on_hold: HeldRequest,
    loads: loading::Loads,
    /// The time of the event being handled.
    now: Timestamp,
    /// The effects of the event being handled, so far.
    effects: Vec<Effect>,
}

impl Engine {
    /// Returns an engine for a new session; [`Engine::start`] records its header.
    pub fn new(settings: Settings) -> Self {
        let mut state = State::default();
        state.live.use_instructions = settings.use_instructions;
        state.live.conditions.clone_from(&settings.conditions);
        state.live.foreign = settings.foreign;
        state.live.reads_only = settings.reads_only;
        state.live.cost.budget = settings.session_budget;
        Self { settings, state, ..Self::default() }
    }

    /// Whether a person is asked about blocks.
    pub(crate) fn asks(&self) -> bool {
        self.settings.policy == Policy::Ask
    }

    /// Returns an engine that continues a session: runs without an end become LOST, an undecided block waits again.
    /// Effects: `Record(Resumed)`, `Inspect` of the blocks that wait, notices. It sends no request and runs nothing by
    /// itself. An empty transcript gives a new session.
    pub(crate) fn resume(settings: Settings, transcript: Transcript, now: Timestamp) -> (Self, Vec<Effect>) {
        let mut engine = Self::new(settings);
        engine.now = now;
        if transcript.version > 0 {
            engine.state.transcript = transcript;
            engine.resume_turn();
            engine.update_measures();
        }
        let effects = std::mem::take(&mut engine.effects);
        (engine, effects)
    }

    /// Begins a new session by recording its header as the first entry.
    pub fn start(&mut self, header: Header, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        self.record(Entry::Header(header));
        std::mem::take(&mut self.effects)
    }

    /// Handles one event and returns the effects, in the order in which the driver has to perform them.
    pub fn handle(&mut self, event: Event, now: Timestamp) -> Vec<Effect> {
        self.now = now;
        match event {
            Event::User(command) => self.command(command),
            Event::Reply(step, event) if self.state.phase == Phase::Compacting(step) => {
                self.take_summary_event(event);
            }
            Event::Reply(step, event) => self.reply(step, event),
            Event::Inspected(block, revision, inspection) => {
                self.take_inspection(block, revision, *inspection);
                self.request_opinion_if_grave(block);
            }
            Event::Run(run, event) => self.run(run, event),
            Event::Store(event) => self.store(event),
            Event::KernelDied(dead) => self.kernel_died(&dead),
            Event::KernelWarning(words) => self.notify(Notice::warn(words)),
            Event::KernelBack(words) => self.notify(Notice::info(words)),
            Event::Timer(timer) => self.timer(timer),
            Event::ModelSwitched(model) if self.state.transcript.model.as_ref() == Some(&model) => {}
            Event::ModelSwitched(model) => self.command(Command::UseModel(model)),
            Event::AskingAboutModel(model) => self.meter.asked = Some(model),
            Event::ModelInfo(info) => self.learn_model(*info),
            Event::RecipeReady(start) => self.begin_recipe(*start),
            Event::KernelLanguages(languages) => self.kernels_found(languages),
            Event::Instructions(found) => self.instructions_found(found),
            Event::HeldInstructions(held) => self.state.live.held_instructions = held,
            Event::OpinionArrived(block, revision, answer) => self.take_opinion(block, revision, *answer),
            Event::Undone(run, kind, answer) => self.undo_finished(run, kind, answer),
            Event::ChangedMeanwhile(changes) => self.changed_meanwhile(&changes),
            Event::Loaded(bodies) => self.take_loaded(bodies),
        }
        self.follow_rules();
        self.update_measures();
        // In other phases Stop concerns the block that waits or runs, not the summary.
        let stops = matches!(self.state.phase, Phase::Idle | Phase::Stuck(_));
        self.state.live.awaits_summary = stops && self.loads.awaits_summary();
        std::mem::take(&mut self.effects)
    }

    /// The state that front ends read.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn command(&mut self, command: Command) {
        match command {
            Command::Submit(prompt) => self.submit(prompt),
            Command::TypedCommand(text) => self.propose_typed(&text),
            Command::OpenFile(file) => self.open_file(file),
            Command::RunFiles { files, limits, fetch } => self.run_files(files, limits, fetch),
            Command::RunRecorded(blocks) => self.run_recorded(blocks),
            Command::Decide { block, revision, decision } => self.decide(block, revision, decision),
            Command::OnScreen { block, revision, seen } => self.on_screen(block, revision, seen),
            Command::StopCountdown => self.stop_covered_start(),
            Command::RevokeRule(rule) => self.revoke_rule(rule),
            Command::SkipAll => self.skip_all(),
            Command::ChooseLanguage { block, language } => self.choose_language(block, language),
            Command::SetLimits { block, limits } => self.set_limits(block, limits),
            Command::ToggleNewKernel(block) => self.toggle_new_kernel(block),
            Command::ToggleTerminal(block) => self.toggle_terminal(block),
            Command::UndoAutoRun(block) => self.undo_auto_run_changes(block),
            Command::Undo { run, changes, kind } => self.undo(run, changes, kind),
            Command::Reopen(block) => self.reopen_block(block),
            Command::Stop => self.stop(),
            Command::Kill => self.kill(),
            Command::RestartKernel => self.restart_kernel(),
            Command::Rebuild(runs) => self.rebuild(&runs),
            Command::Retry => self.retry(),
            Command::Continue => self.continue_turn(),
            Command::EndTurn => self.end_turn(),
            Command::EditQueued => self.state.live.pop_queued(),
            Command::Leave => self.leave(),
            Command::UseModel(model) => {
                self.forget_model(&model);
                // A reopened session may name a model that was not connected: choosing it again connects it.
                if self.state.transcript.model.as_ref() == Some(&model) {
                    self.notify(notices::same_model(&model));
                } else {
                    self.notify(notices::model(&model));
                    self.record(Entry::Model(model));
                }
                self.effects.push(Effect::SwitchModel);
            }
            Command::Rename(name) => self.rename(&name),
            Command::RetryStore => self.retry_store(),
            Command::Load(bodies) => self.load(&bodies),
            Command::Compact => self.compact(),
            Command::RequestOpinion(block) => self.request_opinion(block),
            Command::UseInstructions(wanted) => self.use_instructions(wanted),
            Command::Answer(answers) => self.answer_form(&answers),
        }
    }

    /// Applies an entry to the transcript and requests that it is saved. Nothing else changes the transcript.
    fn record(&mut self, entry: Entry) {
        self.state.transcript.apply(entry.clone(), self.now);
        self.state.live.recorded += 1;
        let replied = matches!(entry, Entry::Reply { .. });
        self.effects.push(Effect::Record(entry));
        if replied {
            self.measure();
        }
    }

    fn notify(&mut self, notice: Notice) {
        self.state.live.notice = Some(notice.clone());
        self.effects.push(Effect::Notify(notice));
    }
}
