//! Starts a turn: sends its input to the engine, and tells why a turn could not begin.

use super::TurnInput;
use crate::domain::{AnswerError, Level, Prompt};
use crate::driver::{AttachedFileError, Driver, Job, JobResult, Notification, Update};
use crate::engine::{Command, Phase, RecordedBlock};
use crate::text::at_words::at_words;

/// Sends the input; recorded runs are started one by one.
pub(super) fn begin(input: &TurnInput, driver: &mut Driver) {
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

/// Starts the next recorded run; returns whether there was one.
pub(super) fn next_recorded(blocks: &mut std::slice::Iter<'_, RecordedBlock>, driver: &mut Driver) -> bool {
    let Some(block) = blocks.next() else { return false };
    driver.send(Command::RunRecorded(vec![block.clone()]));
    true
}

/// Sends the message once its files are read; returns the errors if they can't be given.
pub(super) fn send_attached_files(update: &Update, driver: &mut Driver) -> Option<Vec<AttachedFileError>> {
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

/// Why the recipe was not started, if it was not.
pub(super) fn recipe_errors(update: &Update, driver: &Driver) -> Option<Vec<AnswerError>> {
    update.notifications.iter().find_map(|told| match told {
        Notification::Job(JobResult::RecipeRefused { misfits, .. }) => Some(misfits.clone()),
        // The engine could not use the recipe's definition.
        Notification::Notice(notice) if notice.level == Level::Error && has_not_begun(driver) => {
            Some(vec![AnswerError { field: String::new(), why: notice.headless_text().to_owned() }])
        }
        _ => None,
    })
}

/// Whether nothing has happened in the session yet.
pub(super) fn has_not_begun(driver: &Driver) -> bool {
    driver.state().phase == Phase::Idle && driver.state().transcript.items.is_empty()
}
