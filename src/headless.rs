//! Runs a turn without a terminal: takes a prompt, recipe, list of files or list of recorded runs, reports progress,
//! and returns one [`Ending`].
//!
//! Uses the same runtime as the terminal, but makes no decisions about blocks: a block that the engine's policy does
//! not allow waits, which ends the turn here. So does a form that the given answers do not fill. The commands choose
//! the exit codes.

mod ending;
pub(crate) mod events;
pub(crate) mod form;
mod interrupts;
pub(crate) mod json;
mod reporter;
pub(crate) mod shapes;
mod steps;

pub(crate) use ending::Ending;
pub(crate) use reporter::{change_lines, end_text};

use crate::domain::sentences::saving;
use crate::domain::{
    AnswerError, Answers, BlockId, Decision, Entry, Form, Level, Limits, Prompt, Readiness, Timestamp,
    TurnEnd,
};
use crate::driver::reminder::Reminder;
use crate::driver::{AttachedFileError, Driver, Job, JobResult, Notification, Update};
use crate::engine::activity::Activity;
use crate::engine::state::Question;
use crate::engine::{Command, NamedFile, Phase, RecordedBlock, State, WorkflowContext};
use crate::text::at_words::at_words;
use form::GivenAnswers;
use interrupts::{Interrupts, Signals};
use reporter::TurnReporter;
use std::future::pending;
use std::io::{self, Write};
use std::time::Duration;
use tokio::time::sleep_until;

/// How long a prompt waits for the instruction files; the first request is sent without those that come later.
const INSTRUCTIONS_TIMEOUT: Duration = Duration::from_secs(3);

/// What a turn starts with.
#[derive(Clone, Debug)]
pub(crate) enum TurnInput {
    /// A message; the files that it names by `@` are given with it.
    Prompt(String),
    /// A message whose `@` words are not files.
    Text(String),
    Recipe {
        name: String,
        /// Answers given in advance: to the recipe's inputs, and to later questions.
        given: Answers,
    },
    /// Named files, in order.
    Files {
        files: Vec<NamedFile>,
        /// The limits of each run, if some were given.
        limits: Option<Limits>,
        /// Whether missing container images are fetched first.
        fetch: bool,
    },
    /// Runs of a recorded session, in order; each is a turn of its own.
    Recorded(Vec<RecordedBlock>),
}

/// Reports the progress of a turn.
pub(crate) trait TurnObserver {
    fn notify(&mut self, told: &Notification, state: &State) -> io::Result<()>;

    /// How many texts were printed so far, if reminders are wanted after some silence.
    fn printed_count(&self) -> usize {
        0
    }

    /// Reports that something still goes on, after some silence.
    fn progress(&mut self, _going_on: &Activity, _now: Timestamp) -> io::Result<()> {
        Ok(())
    }

    /// Reports the fields of a waiting form.
    fn form(&mut self, _form: &Form, _misfits: &[AnswerError]) -> io::Result<()> {
        Ok(())
    }

    /// Whether readers rely on that an entry is on disk when it is reported.
    fn wants_saved(&self) -> bool {
        false
    }

    /// Reports how the turn ended.
    fn finish(&mut self, ending: &Ending, state: &State, hint: &str) -> io::Result<()>;

    /// Whether to start the next recorded run, after the reports so far.
    fn wants_more(&self) -> bool {
        true
    }
}

impl TurnInput {
    /// The answers given in advance.
    fn given_answers(&self) -> Answers {
        if let TurnInput::Recipe { given, .. } = self { given.clone() } else { Answers::new() }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct HeadlessOptions {
    pub(crate) begin: TurnInput,
    /// JSON lines instead of text.
    pub(crate) json: bool,
    /// The argument by which `sayso resume` finds the session.
    pub(crate) session: Option<String>,
}

/// How a turn ended, and what to do next.
#[derive(Clone, Debug)]
pub(crate) struct TurnResult {
    pub(crate) ending: Ending,
    /// Empty if there is nothing to say.
    pub(crate) hint: String,
}

/// Runs one turn, reports it as text or JSON lines, and closes the session.
pub(crate) async fn run(
    driver: Driver,
    options: &HeadlessOptions,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> io::Result<TurnResult> {
    Box::pin(run_with_observer(driver, options, &mut TurnReporter::new(out, err, options.json))).await
}

/// The same with this observer.
pub(crate) async fn run_with_observer(
    mut driver: Driver,
    options: &HeadlessOptions,
    reporter: &mut dyn TurnObserver,
) -> io::Result<TurnResult> {
    let mut given = GivenAnswers::new(options.begin.given_answers());
    let ending = turn(&mut driver, options, &mut given, reporter).await;
    // Saving the last entries may have masked something, which has to be reported too; and it may have failed.
    let saved = driver.saved().await;
    let is_written = saved.is_ok();
    let is_saved = is_written && driver.is_saved().await;
    let ending = ending.map(|ending| match saved {
        Err(why) if ending.needs_saving() => Ending::Unsaved(why.brief()),
        _ => ending,
    });
    let place = saving::decide_there(options.session.as_deref().filter(|_| is_saved));
    let hint = ending.as_ref().map_or_else(|_| String::new(), |ending| ending.hint(&place));
    let told = match &ending {
        Ok(ending) => {
            for told in driver.remaining_notifications() {
                notify(&told, is_written, driver.state(), reporter)?;
            }
            if let Ending::Asked(Question::Form(form)) = ending {
                reporter.form(form, &given.misfits(form, recipe_inputs(driver.state())))?;
            }
            reporter.finish(ending, driver.state(), &hint)
        }
        Err(_) => Ok(()),
    };
    if let Err(why) = driver.close().await {
        tracing::error!(%why, "the end of the session is lost");
    }
    told.and(ending).map(|ending| TurnResult { ending, hint })
}

/// The inputs of the current recipe.
fn recipe_inputs(state: &State) -> &[(String, String)] {
    WorkflowContext::of(state).map_or(&[], |course| course.start.inputs.as_slice())
}

async fn turn(
    driver: &mut Driver,
    options: &HeadlessOptions,
    given: &mut GivenAnswers,
    reporter: &mut dyn TurnObserver,
) -> io::Result<Ending> {
    let mut signals = Signals::listen()?;
    let mut interrupts = Interrupts::default();
    let (mut cause, mut over) = (None, None);
    let mut reminder = Reminder::default();
    driver.set_instructions_timeout(INSTRUCTIONS_TIMEOUT);
    begin(&options.begin, driver);
    let mut recorded = match &options.begin {
        TurnInput::Recorded(blocks) => blocks.iter(),
        _ => [].iter(),
    };
    if matches!(options.begin, TurnInput::Recorded(_)) && !next_recorded(&mut recorded, driver) {
        return Ok(Ending::Done);
    }
    loop {
        tokio::select! {
            update = driver.next() => {
                let printed = reporter.printed_count();
                if let Some(end) = report(&update, driver, reporter).await? {
                    over = Some(end);
                }
                let refused = recipe_errors(&update, driver).filter(|_| matches!(options.begin, TurnInput::Recipe { .. }));
                if let Some(misfits) = refused {
                    return Ok(Ending::Refused(misfits));
                }
                if let Some(errors) = send_attached_files(&update, driver) {
                    return Ok(Ending::NotAttached(errors));
                }
                let goes_on = driver.state().activity().is_some();
                reminder.follow(std::time::Instant::now(), goes_on, reporter.printed_count() > printed);
            }
            () = wait_until(reminder.due()) => {
                reminder.reminded(std::time::Instant::now());
                if let Some(going_on) = driver.state().activity() {
                    reporter.progress(&going_on, driver.now())?;
                }
            }
            () = signals.interrupted() => interrupts.interrupt(driver),
            () = interrupts.kill_time_reached() => interrupts.kill(driver),
        }
        if interrupts.count > 0 && has_not_begun(driver) {
            return Ok(Ending::Interrupted);
        }
        if let Some(ending) = ending_of(driver, &interrupts, given, &mut cause, over.as_ref()) {
            // One by one: the result of a run is reported before deciding whether to start the next.
            let is_over = matches!(ending, Ending::Done | Ending::BlockFailed(_) | Ending::TimedOut);
            if is_over && reporter.wants_more() && next_recorded(&mut recorded, driver) {
                over = None;
                continue;
            }
            return Ok(ending);
        }
    }
}

/// Sends the input; recorded runs are started one by one.
fn begin(input: &TurnInput, driver: &mut Driver) {
    match input {
        TurnInput::Prompt(prompt) if !at_words(prompt).is_empty() => {
            driver.start_job(Job::AttachedFiles(prompt.clone()));
        }
        TurnInput::Prompt(prompt) | TurnInput::Text(prompt) => {
            driver.send(Command::Submit(prompt.as_str().into()));
        }
        TurnInput::Recipe { name, given } => {
            driver.start_job(Job::BeginRecipe(name.clone(), given.clone()));
        }
        TurnInput::Files { files, limits, fetch } => {
            let (files, limits, fetch) = (files.clone(), *limits, *fetch);
            driver.send(Command::RunFiles { files, limits, fetch });
        }
        TurnInput::Recorded(_) => {}
    }
}

/// Reports what is new, once it is on disk, so that readers can rely on it. Returns the ending if the turn has ended.
async fn report(
    update: &Update,
    driver: &mut Driver,
    reporter: &mut dyn TurnObserver,
) -> io::Result<Option<TurnEnd>> {
    let recorded = update.notifications.iter().any(|told| matches!(told, Notification::Recorded(_)));
    let saved = if recorded { driver.saved().await } else { Ok(()) };
    if let Err(why) = &saved {
        tracing::warn!(%why, "the session can't be written");
    }
    let mut over = None;
    for told in &update.notifications {
        if let Notification::Recorded(entry) = told
            && let Entry::TurnEnd(end) = &**entry
        {
            over = Some(end.clone());
        }
        notify(told, saved.is_ok(), driver.state(), reporter)?;
    }
    Ok(over)
}

/// Passes a notification on, unless it is of an entry that is not on disk and readers rely on that. The end of a run is
/// passed on all the same: somebody has to know what ran.
fn notify(
    told: &Notification,
    is_written: bool,
    state: &State,
    reporter: &mut dyn TurnObserver,
) -> io::Result<()> {
    let only_if_saved =
        matches!(told, Notification::Recorded(entry) if !matches!(**entry, Entry::Ran { .. }));
    if only_if_saved && !is_written && reporter.wants_saved() {
        return Ok(());
    }
    reporter.notify(told, state)
}

/// Starts the next recorded run; returns whether there was one.
fn next_recorded(blocks: &mut std::slice::Iter<'_, RecordedBlock>, driver: &mut Driver) -> bool {
    let Some(block) = blocks.next() else { return false };
    driver.send(Command::RunRecorded(vec![block.clone()]));
    true
}

/// Waits until this moment; forever if there is none.
async fn wait_until(moment: Option<std::time::Instant>) {
    match moment {
        Some(moment) => sleep_until(moment.into()).await,
        None => pending().await,
    }
}

/// Sends the message once its files are read; returns the errors if they can't be given.
fn send_attached_files(update: &Update, driver: &mut Driver) -> Option<Vec<AttachedFileError>> {
    let read = update.notifications.iter().find_map(|told| match told {
        Notification::Job(JobResult::AttachedFiles(text, files)) => Some((text, files)),
        _ => None,
    });
    let (text, files) = read?;
    match files {
        Ok(files) => {
            driver.send(Command::Submit(Prompt { text: text.clone(), files: files.clone() }));
            None
        }
        Err(errors) => Some(errors.clone()),
    }
}

/// Whether nothing has happened in the session yet.
fn has_not_begun(driver: &Driver) -> bool {
    driver.state().phase == Phase::Idle && driver.state().transcript.items.is_empty()
}

/// Why the recipe was not started, if it was not.
fn recipe_errors(update: &Update, driver: &Driver) -> Option<Vec<AnswerError>> {
    update.notifications.iter().find_map(|told| match told {
        Notification::Job(JobResult::RecipeRefused { misfits, .. }) => Some(misfits.clone()),
        // The engine could not use the recipe's definition.
        Notification::Notice(notice) if notice.level == Level::Error && has_not_begun(driver) => {
            Some(vec![AnswerError { field: String::new(), why: notice.text.clone() }])
        }
        _ => None,
    })
}

/// Whether the turn has ended, and how. Questions of the engine and failures of the provider are answered by ending the
/// turn; their cause is kept until the turn has ended.
fn ending_of(
    driver: &mut Driver,
    interrupts: &Interrupts,
    given: &mut GivenAnswers,
    cause: &mut Option<Ending>,
    over: Option<&TurnEnd>,
) -> Option<Ending> {
    let state = driver.state();
    match &state.phase {
        Phase::Idle => {
            let over = over?;
            if interrupts.count > 0 {
                return Some(Ending::Interrupted);
            }
            return Some(cause.take().unwrap_or_else(|| Ending::of_turn(state, over)));
        }
        Phase::Deciding(_) if interrupts.count > 0 => return Some(Ending::Interrupted),
        // A pending second opinion belongs in the session; it arrives in bounded time.
        Phase::Deciding(block) if state.awaited_opinion(*block).is_some() => return None,
        Phase::Deciding(block) if lacks_language(state, *block) => {
            // Nobody can choose a language here, and mostly such a block is no program at all.
            let (block, revision) = (*block, state.transcript.blocks.get(block)?.block.current().revision);
            let decision = Decision::Reject(NO_LANGUAGE.into());
            driver.send(Command::Decide { block, revision, decision });
            return None;
        }
        Phase::Deciding(block) => {
            // Before the inspection, the policy has no say.
            let inspected = state.inspected(*block)?;
            let why = inspected.terms.as_ref().err().cloned();
            return Some(match &state.live.store_failure {
                Some(why) => Ending::Unsaved(why.clone()),
                None => Ending::Waiting(*block, why),
            });
        }
        Phase::Asking(Question::Form(_)) if interrupts.count > 0 => return Some(Ending::Interrupted),
        Phase::Asking(Question::Form(form)) => match given.for_form(form, recipe_inputs(state)) {
            Some(answers) => {
                driver.send(Command::Answer(answers));
                return None;
            }
            None => return Some(Ending::Asked(Question::Form(form.clone()))),
        },
        Phase::Asking(question) => *cause = Some(Ending::Asked(question.clone())),
        Phase::Stuck(failure) => *cause = Some(Ending::Provider(failure.clone())),
        Phase::Replying(_) | Phase::Running(_) | Phase::Compacting(_) => {
            return state.live.store_failure.clone().map(Ending::Unsaved);
        }
    }
    driver.send(Command::EndTurn);
    None
}

/// Tells the model about a block that names no language.
const NO_LANGUAGE: &str = "This block was skipped: it names no language, and nobody is here to choose one. \
    If it is to run, write it again with a language behind the fence. If it is an example or output, go on.";

fn lacks_language(state: &State, block: BlockId) -> bool {
    state.transcript.blocks.get(&block).is_some_and(|item| item.block.readiness() == Readiness::NeedsLanguage)
}
