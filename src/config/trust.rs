//! Decides what a project's file may set: it can only tighten. A repository must not decide where keys are sent, what
//! is started, or what needs no approval. Pure.

use super::layers::{FoundSetting, dotted, get};
use super::setting_values::display_value;
use super::settings::{self, Tighten};
use crate::domain::Notice;
use std::path::Path;
use toml::Value;

/// The values of a project's file that are accepted; each refused one gives a notice with its place.
pub(super) fn accepted_settings(
    path: &Path,
    found: Vec<FoundSetting>,
    whole: &toml::Table,
) -> (Vec<FoundSetting>, Vec<Notice>) {
    let mut notices = Vec::new();
    let kept = found
        .into_iter()
        .filter_map(|found| match check_tightening(&found, get(whole, &found.name)) {
            Ok(()) => Some(added_values(found, whole)),
            Err(why) => {
                let (line, name) = (found.line, dotted(&found.name));
                notices.push(Notice::warn(format!("{}:{line}: {name} was ignored: {why}.", path.display())));
                None
            }
        })
        .collect();
    (kept, notices)
}

/// For a list to which a project may add: joins the earlier values and the new ones.
fn added_values(mut found: FoundSetting, whole: &toml::Table) -> FoundSetting {
    let adds = settings::find(&found.name).is_some_and(|setting| setting.tighten == Tighten::Add);
    if adds
        && let (Some(Value::Array(before)), Value::Array(new)) = (get(whole, &found.name), &mut found.value)
    {
        let mut all = before.clone();
        all.append(new);
        *new = all;
    }
    found
}

/// Why a project's value is refused.
#[derive(Debug, thiserror::Error)]
enum TightenError {
    #[error("a project can't set this")]
    Never,
    /// The current value.
    #[error("a project can only make it stricter, it is {0}")]
    Looser(String),
}

fn check_tightening(found: &FoundSetting, now: Option<&Value>) -> Result<(), TightenError> {
    let tighten = settings::find(&found.name).map_or(Tighten::Never, |setting| setting.tighten);
    let looser = || TightenError::Looser(now.map_or_else(|| "not set".to_owned(), display_value));
    let number = |value: &Value| value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64));
    let limit = |value: &Value| number(value).map(|limit| if limit == 0.0 { f64::INFINITY } else { limit });
    let is_lower = |of: &dyn Fn(&Value) -> Option<f64>| {
        let now = now.map_or(Some(f64::INFINITY), of);
        of(&found.value).zip(now).is_some_and(|(new, now)| new <= now)
    };
    let stricter = match tighten {
        Tighten::Never => return Err(TightenError::Never),
        Tighten::Lower => is_lower(&number),
        Tighten::LowerLimit => is_lower(&limit),
        Tighten::Higher => {
            number(&found.value).zip(now.and_then(number)).is_some_and(|(new, now)| new >= now)
        }
        Tighten::Word(word) => found.value.as_str() == Some(word),
        Tighten::Add => true,
        // Only for an existing language: a project can't define one.
        Tighten::Off => found.value.as_bool() == Some(false) && now.is_some(),
    };
    if stricter { Ok(()) } else { Err(looser()) }
}
