//! The facts about the files of a block that writes, reads or lists.

use crate::domain::{OnDisk, Target, Terms};
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};

/// A fact: a label, a text, and whether it stands out.
type TargetFact = (&'static str, String, bool);

/// The facts about all files of the block.
pub(super) fn facts(terms: &Terms, target: &Target, draw: DrawContext<'_>) -> Vec<TargetFact> {
    let verb = match terms.language.as_str() {
        "write" | "edit" => "Writes",
        "list" => "Lists",
        _ => "Reads",
    };
    let writes = verb == "Writes";
    let stays = |target: &Target| writes && !terms.rights.write.contains(&target.path);
    let mut facts: Vec<TargetFact> = target
        .all()
        .flat_map(|target| {
            if stays(target) {
                vec![unwritten(target, draw)]
            } else {
                target_facts(target, verb, writes, draw)
            }
        })
        .collect();
    let outside = target.all().any(|target| target.outside);
    let place = if outside { "outside of the working folder" } else { "in the working folder" };
    facts.push(("Place", place.to_owned(), outside));
    let how = match (writes, target.others.is_empty()) {
        (true, true) => "sayso itself, whole or not at all, only if the file is still as shown",
        (true, false) => "sayso itself, all of them or none, only if each is still as shown",
        (false, _) => "sayso itself; what it finds is shown to you and told to the model",
    };
    facts.push(("Done by", how.to_owned(), false));
    facts
}

/// The fact about a file that the block names and has no right to write.
fn unwritten(target: &Target, draw: DrawContext<'_>) -> TargetFact {
    let path = safe::name(&draw.locale.path(&target.path));
    match target.found {
        OnDisk::Nothing => ("Not made", format!("{path}  (no line of it is in the text)"), false),
        _ => ("Unchanged", format!("{path}  (the text is what stands there now)"), false),
    }
}

fn target_facts(target: &Target, verb: &'static str, writes: bool, draw: DrawContext<'_>) -> Vec<TargetFact> {
    let path = safe::name(&draw.locale.path(&target.path));
    let what = match target.found {
        OnDisk::Nothing if writes => "a new file".to_owned(),
        OnDisk::Nothing => "not there".to_owned(),
        OnDisk::File(_) if writes => format!("{} there now are replaced", words::size(target.bytes)),
        OnDisk::File(_) => words::size(target.bytes),
        OnDisk::Folder => "a folder".to_owned(),
    };
    let mut facts = vec![(verb, format!("{path}  ({what})"), target.outside)];
    if let Some(link) = &target.link {
        let link = safe::name(&draw.locale.path(link));
        facts.push(("Link", format!("{link} leads there"), true));
    }
    if writes && target.folders > 0 {
        facts.push(("Makes", words::count(target.folders as usize, "folder"), true));
    }
    facts
}
