//! A person's own rules: `rules/*.toml` in the folder of the configuration, read when the house is opened.
//!
//! A file that can't be used is left out with a notice that says why, and where; the shipped rules always hold.

use crate::config::{Loaded, Profile};
use crate::domain::Notice;
use crate::review::{Book, Forbid};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Most files of rules.
const MOST: usize = 64;

/// Larger files hold no rules.
const LARGEST: u64 = 1 << 20;

/// The rules that hold, and what could not be used.
pub(super) fn book(loaded: &Loaded) -> (Book, Vec<Notice>) {
    let mut notices = Vec::new();
    let mut texts: Vec<(String, String)> = Vec::new();
    for path in files(&loaded.paths.rules()) {
        match read(&path) {
            Ok(text) => texts.push((path.display().to_string(), text)),
            Err(error) => {
                notices.push(Notice::warn(format!("{}: rules can't be read: {error}.", path.display())));
            }
        }
    }
    // One that is wrong must not take the others with it.
    let mut sound: Vec<(&str, &str)> = Vec::new();
    for (name, text) in &texts {
        sound.push((name, text));
        if let Err(errors) = Book::with(sound.iter().copied()) {
            sound.pop();
            notices
                .extend(errors.iter().map(|error| Notice::warn(format!("{error}; the file is not used."))));
        }
    }
    let book = Book::with(sound).unwrap_or_default();
    let review = &loaded.config.review;
    let (book, wrong) = book.milder(&review.off, &review.lower);
    notices.extend(wrong.iter().map(|wrong| {
        let origin = loaded.origins.of(wrong.setting);
        Notice::warn(format!("{origin}: {}: {}.", wrong.setting, wrong.why))
    }));
    let profile = if review.profile == Profile::Strict { Forbid::strict() } else { Vec::new() };
    let forbid = Forbid::new(profile.into_iter().chain(review.forbid.iter().cloned()));
    (book.forbidding(forbid), notices)
}

/// The rule files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    files.sort_unstable();
    files.truncate(MOST);
    files
}

fn read(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    if text.len() as u64 > LARGEST {
        return Err(std::io::Error::other(format!("it is larger than {} KiB", LARGEST / 1024)));
    }
    Ok(text)
}
