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
mod reports;
mod run_text;
pub(crate) mod shapes;
mod start;
mod steps;
mod turn_end;

pub(crate) use ending::Ending;
pub(crate) use run_text::{change_lines, end_text};

use crate::domain::{AnswerError, Answers, BlockId, Entry, Form, Limits, RunReport, Timestamp, TurnEnd};
use crate::driver::reminder::{Reminder, wait_until};
use crate::driver::{Driver, Notification, Update};
use crate::engine::activity::Activity;
use crate::engine::state::Question;
use crate::engine::{NamedFile, RecordedBlock, State};
use form::{GivenAnswers, begun_inputs, recipe_inputs};
use interrupts::{Interrupts, Signals};
use reporter::TurnReporter;
use reports::Reports;
use start::{begin, has_not_begun, next_recorded, recipe_errors, send_attached_files};
use std::io::{self, Write};
use std::time::Duration;
use turn_end::ending_of;

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

    /// Reports the name of an answer given in advance that no question of the recipe had.
    fn unasked(&mut self, _name: &str) -> io::Result<()> {
        Ok(())
    }

    /// Whether readers rely on that an entry is on disk when it is reported.
    fn wants_saved(&self) -> bool {
        false
    }

    /// Reports on standard error what a run changed that programs obey, where the report of its end can't be written.
    fn changes(&mut self, _block: BlockId, _report: &RunReport, _state: &State) -> io::Result<()> {
        Ok(())
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
    let mut reports = Reports::new(reporter);
    driver.set_instructions_timeout(INSTRUCTIONS_TIMEOUT);
    let ending = turn(&mut driver, options, &mut given, &mut reports).await;
    // Saving the last entries may have masked something, which has to be reported too; and it may have failed.
    let saved = driver.saved().await;
    let is_written = saved.is_ok();
    let is_saved = is_written && driver.is_saved().await;
    let ending = ending.map(|ending| match saved {
        Err(why) if ending.needs_saving() => Ending::Unsaved(why.brief()),
        _ => ending,
    });
    let session = options.session.as_deref().filter(|_| is_saved);
    let hint = ending.as_ref().map_or_else(|_| String::new(), |ending| ending.hint(session));
    if let Ok(ending) = &ending {
        for told in driver.remaining_notifications() {
            reports.notify(&told, is_written, driver.state());
        }
        if let Ending::Asked(Question::Form(form)) = ending {
            let misfits = given.misfits(form, recipe_inputs(driver.state()));
            reports.report(|observer| observer.form(form, &misfits));
        }
        if matches!(ending, Ending::Done) {
            for name in given.unasked(&begun_inputs(driver.state())) {
                reports.report(|observer| observer.unasked(name));
            }
        }
        reports.report(|observer| observer.finish(ending, driver.state(), &hint));
    }
    if let Err(why) = driver.close().await {
        tracing::error!(%why, "the end of the session is lost");
    }
    reports.result().and(ending).map(|ending| TurnResult { ending, hint })
}

async fn turn(
    driver: &mut Driver,
    options: &HeadlessOptions,
    given: &mut GivenAnswers,
    reports: &mut Reports<'_>,
) -> io::Result<Ending> {
    let mut signals = Signals::listen()?;
    let mut interrupts = Interrupts::default();
    let (mut cause, mut over) = (None, None);
    let mut reminder = Reminder::default();
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
                let printed = reports.printed_count();
                over = report(&update, driver, reports).await.or(over);
                let refused = recipe_errors(&update, driver).filter(|_| matches!(options.begin, TurnInput::Recipe { .. }));
                if let Some(misfits) = refused {
                    return Ok(Ending::Refused(misfits));
                }
                if let Some(errors) = send_attached_files(&update, driver) {
                    return Ok(Ending::NotAttached(errors));
                }
                let goes_on = driver.state().activity().is_some();
                reminder.follow(std::time::Instant::now(), goes_on, reports.printed_count() > printed);
            }
            () = wait_until(reminder.due()) => {
                reminder.reminded(std::time::Instant::now());
                if let Some(going_on) = driver.state().activity() {
                    reports.report(|observer| observer.progress(&going_on, driver.now()));
                }
            }
            () = signals.interrupted() => interrupts.interrupt(driver),
            () = interrupts.kill_time_reached() => interrupts.kill(driver),
        }
        // Nobody reads what would come, so the turn ends as after Ctrl-C: with the end of its run, and what that changed.
        if reports.failed() && interrupts.count == 0 {
            interrupts.interrupt(driver);
        }
        if interrupts.count > 0 && has_not_begun(driver) {
            return Ok(Ending::Interrupted);
        }
        if let Some(ending) = ending_of(driver, &interrupts, given, &mut cause, over.as_ref()) {
            // One by one: the result of a run is reported before deciding whether to start the next.
            let is_over = matches!(ending, Ending::Done | Ending::BlockFailed(_) | Ending::TimedOut);
            if is_over && reports.wants_more() && next_recorded(&mut recorded, driver) {
                over = None;
                continue;
            }
            return Ok(ending);
        }
    }
}

/// Reports what is new, once it is on disk, so that readers can rely on it. Returns the ending if the turn has ended.
async fn report(update: &Update, driver: &mut Driver, reports: &mut Reports<'_>) -> Option<TurnEnd> {
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
        reports.notify(told, saved.is_ok(), driver.state());
    }
    over
}
