//! What a block that writes, reads or lists is about, in words, above its text.

use crate::domain::{OnDisk, Target, Terms};
use crate::tui::widgets::look::Look;
use crate::tui::widgets::{safe, words};

/// The facts: a label, what it says, and whether it deserves a look.
pub(super) fn facts(terms: &Terms, target: &Target, look: Look<'_>) -> Vec<(&'static str, String, bool)> {
    let path = safe::one_line(&look.place.path(&target.path));
    let verb = match terms.language.as_str() {
        "write" => "Writes",
        "list" => "Lists",
        _ => "Reads",
    };
    let writes = verb == "Writes";
    let what = match target.found {
        OnDisk::Nothing if writes => "a new file".to_owned(),
        OnDisk::Nothing => "not there".to_owned(),
        OnDisk::File(_) if writes => format!("{} there now are replaced", words::size(target.bytes)),
        OnDisk::File(_) => words::size(target.bytes),
        OnDisk::Folder => "a folder".to_owned(),
    };
    let mut facts = vec![(verb, format!("{path}  ({what})"), target.outside)];
    if let Some(link) = &target.link {
        let link = safe::one_line(&look.place.path(link));
        facts.push(("Link", format!("{link} leads there"), true));
    }
    if writes && target.folders > 0 {
        facts.push(("Makes", words::count(target.folders as usize, "folder"), true));
    }
    let place = if target.outside { "outside of the working folder" } else { "in the working folder" };
    facts.push(("Place", place.to_owned(), target.outside));
    let how = if writes {
        "sayso itself, whole or not at all, only if the file is still as shown"
    } else {
        "sayso itself; what it finds is shown to you and told to the model"
    };
    facts.push(("Done by", how.to_owned(), false));
    facts
}
