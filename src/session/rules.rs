//! A person's own rules: `rules/*.toml` in the folder of the configuration, read when the program starts.
//!
//! A file that can't be used is left out with a notice that gives the reason; the shipped rules always hold.

use crate::config::{LoadedConfig, Profile};
use crate::domain::Notice;
use crate::review::{Forbid, RuleRegistry};
use crate::workspace::own_files;

/// Larger files are not read.
const MAX_BYTES: u64 = 1 << 20;

/// The rules in force, and notices about those that could not be used.
pub(super) fn book(loaded: &LoadedConfig) -> (RuleRegistry, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in own_files::toml_files(&loaded.paths.rules()) {
        match own_files::text(&path, MAX_BYTES) {
            Ok(text) => texts.push((path.display().to_string(), text)),
            Err(error) => notices.push(Notice::warn(format!("{error}. Its rules are not used."))),
        }
    }
    let all = || texts.iter().map(|(name, text)| (name.as_str(), text.as_str()));
    let book = RuleRegistry::with(all()).unwrap_or_else(|_| {
        // A file that is wrong must not make the others unusable. Only then is each tried: a trial reads all rules.
        let mut sound: Vec<(&str, &str)> = Vec::new();
        for file in all() {
            sound.push(file);
            if let Err(errors) = RuleRegistry::with(sound.iter().copied()) {
                sound.pop();
                notices.extend(
                    errors.iter().map(|error| Notice::warn(format!("{error}; the file is not used."))),
                );
            }
        }
        RuleRegistry::with(sound).unwrap_or_default()
    });
    let review = &loaded.config.review;
    let (book, wrong) = book.with_lowered(&review.off, &review.lower);
    notices.extend(wrong.iter().map(|wrong| {
        let origin = loaded.origins.of(wrong.setting);
        Notice::warn(format!("{origin}: {}: {}.", wrong.setting, wrong.why))
    }));
    let profile = if review.profile == Profile::Strict { Forbid::strict() } else { Vec::new() };
    let forbid = Forbid::new(profile.into_iter().chain(review.forbid.iter().cloned()));
    (book.forbidding(forbid), notices)
}
