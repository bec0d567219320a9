//! `sayso check`: reviews files without running them.

use super::{Console, input, setup};
use crate::cli::{CheckArgs, ModelArgs};
use crate::domain::visible::visible_line;
use crate::domain::{Finding, Language, Review};
use crate::driver::review_in_time;
use crate::headless::{json, shapes};
use crate::report::{Failure, Kind};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

pub(super) fn run(args: &CheckArgs, outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let house = setup::house(outer, &setup::More::default())?;
    setup::tell(&house.loaded.notices, console.err)?;
    let (languages, scope) = (house.loaded.config.languages(), house.scope());
    let mut reviewed: Vec<(PathBuf, Option<Language>, Review)> = Vec::new();
    for path in &args.files {
        let source = input::read(path)?;
        // A file in a language that can't be run is still looked through for hidden characters.
        let language = match (&args.language, input::language(path, args.language.as_deref(), &languages)) {
            (_, Ok(language)) => Some(language),
            (Some(_), Err(failure)) => return Err(failure),
            (None, Err(_)) => None,
        };
        let review = review_in_time(&source, language.as_ref(), &scope);
        reviewed.push((path.clone(), language, review));
    }
    if args.json {
        let files: Value =
            reviewed.iter().map(|(path, language, review)| file(path, language.as_ref(), review)).collect();
        json::line(console.out, &json!({ "files": files }))?;
    } else {
        for (path, _, review) in &reviewed {
            print(path, review, console)?;
        }
    }
    let gravest = reviewed.iter().filter_map(|(.., review)| review.gravest()).max();
    match gravest {
        Some(gravest) if gravest >= args.fail_on.severity() => Err(Failure::told(Kind::Work)),
        _ => Ok(()),
    }
}

fn file(path: &Path, language: Option<&Language>, review: &Review) -> Value {
    json!({
        "path": path.to_string_lossy(),
        "language": language.map(Language::as_str),
        "findings": shapes::findings(review),
        "effects": shapes::effects(&review.effects),
        "unchecked": review.unchecked,
    })
}

fn print(path: &Path, review: &Review, console: &mut Console<'_>) -> Result<(), Failure> {
    for finding in &review.findings {
        writeln!(console.out, "{}", finding_line(path, finding))?;
    }
    if let Some(why) = &review.unchecked {
        writeln!(console.out, "{}: not checked: {}", shown(path), visible_line(why))?;
    }
    if review.findings.is_empty() && review.unchecked.is_none() {
        writeln!(console.out, "{}: no findings", shown(path))?;
    }
    Ok(())
}

/// `a.py:3:1: HIGH py.delete-tree: deletes a folder: out`.
pub(super) fn finding_line(path: &Path, finding: &Finding) -> String {
    let (place, severity) = (finding.place, finding.severity.as_str().to_uppercase());
    let message = visible_line(&finding.message);
    format!("{}:{}:{}: {severity} {}: {message}", shown(path), place.line, place.column, finding.rule)
}

fn shown(path: &Path) -> String {
    visible_line(&path.to_string_lossy())
}
