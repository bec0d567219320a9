//! `sayso sessions redact`: masks keys and words in an existing session. Before writing anything it shows what it
//! would mask and where, and asks.

use super::super::{Console, input};
use super::{ask, find, seal, unreadable};
use crate::cli::SessionRedactArgs;
use crate::domain::sentences::saving;
use crate::domain::visible::visible_line;
use crate::report::reason;
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::store::index;
use crate::store::redact::{Redaction, RedactionPlan};
use crate::text::number::counted;
use secrecy::SecretString;

/// The most places that are listed.
const MAX_PLACES_SHOWN: usize = 20;
/// The least characters of a word; shorter ones would match everywhere.
const MIN_WORD_CHARS: usize = 3;
/// The largest file of words.
const MAX_WORD_FILE_BYTES: u64 = 1 << 20;

pub(super) fn run(
    args: &SessionRedactArgs,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let folder = factory.loaded.sessions();
    let summary = find(&folder, &args.session)?;
    let masker = factory.masker().with_words(read_words(args)?);
    let seal = seal(&factory.loaded.paths.state, console)?;
    let redaction =
        Redaction::open(&summary.path, masker, seal.as_ref()).map_err(|error| unreadable(&error))?;
    let plan = redaction.plan().map_err(|error| unreadable(&error))?;
    let label = visible_line(summary.label());
    if plan.places.is_empty() {
        writeln!(console.out, "{}", saving::nothing_to_redact(&label))?;
        print_pictures(&plan, console)?;
        return Ok(());
    }
    print_plan(&plan, console)?;
    let related = index::list(&folder).into_iter().filter(|other| {
        other.branch_of.as_ref() == Some(&summary.id) || summary.branch_of.as_ref() == Some(&other.id)
    });
    for other in related {
        let told = saving::redacted_elsewhere(&visible_line(other.label()));
        writeln!(console.err, "note: {told}")?;
    }
    writeln!(console.err, "note: {}", saving::REDACTED_NOT)?;
    if !args.yes {
        let told = ("nothing was masked", label.as_str(), "--yes masks without a question.");
        ask::confirm(&format!("Mask it in {label} for good?"), told, console)?;
    }
    super::super::block_on(redaction.perform(seal))?.map_err(|error| unreadable(&error))?;
    let places = counted(plan.places.len(), "place");
    writeln!(console.out, "{}", saving::redacted(&label, &places))?;
    Ok(())
}

fn print_plan(plan: &RedactionPlan, console: &mut Console<'_>) -> Result<(), Failure> {
    for place in plan.places.iter().take(MAX_PLACES_SHOWN) {
        writeln!(console.err, "{}", visible_line(place))?;
    }
    if plan.places.len() > MAX_PLACES_SHOWN {
        writeln!(console.err, "and {} more", plan.places.len() - MAX_PLACES_SHOWN)?;
    }
    print_pictures(plan, console)?;
    if plan.damaged > 0 {
        let lines = counted(plan.damaged, "damaged line");
        writeln!(console.err, "note: {lines} can't be read and will not be there any more")?;
    }
    Ok(())
}

/// Lists the files of the pictures, so that the person can inspect and remove them.
fn print_pictures(plan: &RedactionPlan, console: &mut Console<'_>) -> Result<(), Failure> {
    if plan.pictures.is_empty() {
        return Ok(());
    }
    writeln!(console.err, "note: {}", saving::pictures_not_redacted(plan.pictures.len() as u64))?;
    for picture in &plan.pictures {
        writeln!(console.err, "  {}", visible_line(&picture.to_string_lossy()))?;
    }
    Ok(())
}

fn read_words(args: &SessionRedactArgs) -> Result<Vec<SecretString>, Failure> {
    let mut words = args.word.clone();
    if let Some(path) = &args.words_from {
        let failed = |why: &str| {
            let path = visible_line(&input::display_path(path));
            Failure::new(FailureClass::Usage, format!("{path} can't be read: {why}"))
        };
        let bytes =
            input::read_bytes(path, MAX_WORD_FILE_BYTES + 1).map_err(|error| failed(&reason(&error)))?;
        if bytes.len() as u64 > MAX_WORD_FILE_BYTES {
            return Err(failed("it is larger than 1 MiB"));
        }
        let text = String::from_utf8(bytes).map_err(|_| failed("it is no text in UTF-8"))?;
        words.extend(text.lines().map(|line| line.trim_end_matches('\r').to_owned()));
    }
    words.retain(|word| !word.trim().is_empty());
    if let Some(word) = words.iter().find(|word| word.chars().count() < MIN_WORD_CHARS) {
        let told = format!(
            "a word to mask has {MIN_WORD_CHARS} characters at least, one has {}",
            word.chars().count()
        );
        return Err(Failure::new(FailureClass::Usage, told));
    }
    Ok(words.into_iter().map(SecretString::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_words_that_is_too_long_is_refused_and_not_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("words");
        let args = |length: usize| {
            std::fs::write(&path, "abc\n".repeat(length / 4)).unwrap();
            let words_from = Some(path.clone());
            SessionRedactArgs { session: "a".into(), word: Vec::new(), words_from, yes: true }
        };
        assert_eq!(read_words(&args(1 << 20)).unwrap().len(), (1 << 20) / 4);
        assert!(read_words(&args((1 << 20) + 4)).is_err());
    }
}
