//! The keys that help with a problem: the pane, the key bar and the help show the same ones.

use crate::domain::FailureKind;
use crate::engine::Phase;
use crate::engine::state::Question;
use crate::tui::action::Action;

/// A key that helps with a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailureKey {
    /// An action with a key in the keymap.
    Action(Action),
    Letter(&'static str),
}

/// The keys that help with a failure, the most likely first.
pub(crate) fn failure_keys(kind: FailureKind) -> &'static [(FailureKey, &'static str)] {
    const RETRY: (FailureKey, &str) = (FailureKey::Action(Action::ProblemRetry), "retry");
    const MODEL: (FailureKey, &str) = (FailureKey::Action(Action::ProblemModel), "model");
    const KEY: (FailureKey, &str) = (FailureKey::Action(Action::ProblemKey), "new key");
    const END: (FailureKey, &str) = (FailureKey::Letter("e"), "end here");
    match kind {
        FailureKind::Refused | FailureKind::NoKey => &[KEY, MODEL, RETRY, END],
        FailureKind::Overflow => &[
            (FailureKey::Letter("c"), "shorten"),
            MODEL,
            (FailureKey::Action(Action::ProblemNew), "new chat"),
            END,
        ],
        FailureKind::SessionUnreadable => &[RETRY, (FailureKey::Action(Action::ProblemNew), "new chat"), END],
        // The partial reply is kept: the model is asked to continue it.
        FailureKind::Cut => &[(FailureKey::Action(Action::ProblemRetry), "go on"), MODEL, END],
        _ => &[RETRY, MODEL, END],
    }
}

/// The keys that answer a question in the list of problems, and what they do.
pub(crate) fn question_keys(question: &Question) -> [(&'static str, &'static str); 2] {
    match question {
        Question::Form(_) => [("Enter", "open the form"), ("e", "end the recipe (asks)")],
        Question::StepLimit(_) | Question::Repeated(..) | Question::Budget { .. } => {
            [("c", "go on"), ("e", "end here")]
        }
    }
}

/// The keys that do something in the list of problems now and are not in the keymap.
pub(crate) fn fixed_keys(phase: &Phase) -> Vec<(&'static str, &'static str)> {
    match phase {
        Phase::Asking(question) => question_keys(question).to_vec(),
        Phase::Stuck(failure) => failure_keys(failure.kind)
            .iter()
            .filter_map(|(key, does)| match key {
                FailureKey::Letter(letter) => Some((*letter, *does)),
                FailureKey::Action(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}
