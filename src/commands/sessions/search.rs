//! `sayso sessions search`: finds sessions by what was said and done in them, for people and as JSON.

use super::super::Console;
use super::list::summary_json;
use super::{stamp, time};
use crate::cli::SessionSearchArgs;
use crate::domain::visible::visible_line;
use crate::domain::{Timestamp, moment, visible};
use crate::driver::Clock;
use crate::headless::json;
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::store::search::{
    self, SearchControl, SearchHit, SearchQuery, SearchResults, SearchWords, filters,
};
use crate::text::number::counted;
use crate::text::path::abbreviate_home;
use crate::text::shell::quoted;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{self, BufWriter, IsTerminal as _, Write as _};
use std::path::Path;

/// The most changed files that are read without a message.
const MAX_SILENT_FILES: usize = 50;

pub(super) fn run(
    args: &SessionSearchArgs,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let wanted = parse_query(args, factory)?;
    let folder = factory.loaded.sessions();
    let told = Cell::new(false);
    let talks = io::stderr().is_terminal();
    let waiting = SearchControl {
        goes_on: &|| true,
        on_progress: &|_, all| {
            if all > MAX_SILENT_FILES && talks && !told.replace(true) {
                let many = counted(all, "session");
                // A failed write is ignored: the message only tells the person why it takes long.
                writeln!(io::stderr(), "{many} changed since the last search: reading them …").ok();
            }
        },
    };
    let found = search::search(&folder, &wanted, &factory.masker(), &waiting);
    let found = found.map_err(|error| Failure::new(FailureClass::Session, error.to_string()))?;
    if let Some(why) = &found.behind {
        writeln!(
            console.err,
            "warning: what is new in the sessions was not looked at: {}",
            visible_line(why)
        )?;
    }
    if found.left_out > 0 {
        let left = counted(found.left_out, "old session");
        writeln!(console.err, "warning: {left} not searched: the newer ones hold too much")?;
    }
    if args.json {
        let hits: Value = found.hits.iter().map(hit_json).collect();
        json::write_line(console.out, &json!({ "hits": hits, "more": found.more }))?;
    } else {
        let words = SearchWords::typed(&args.words);
        print_results(&found, &words, factory.place.home.as_deref(), console)?;
    }
    if !found.hits.is_empty() {
        return Ok(());
    }
    if !args.json {
        writeln!(console.err, "no session holds that")?;
    }
    Err(Failure::already_reported(FailureClass::Work))
}

fn parse_query(args: &SessionSearchArgs, factory: &SessionFactory) -> Result<SearchQuery, Failure> {
    let sought = SearchWords::of_arguments(&args.words);
    if sought.is_empty() && !args.words.is_empty() {
        return Err(Failure::new(FailureClass::Usage, "there is no word in what is looked for")
            .hint("Letters and digits are looked for; signs stand between words."));
    }
    let (now, zone) = (Clock::System.now(), crate::session::local_zone());
    let moment = |given: &Option<String>,
                  read: fn(&str, Timestamp, &jiff::tz::TimeZone) -> Option<Timestamp>| {
        given.as_ref().map(|text| read(text, now, &zone).ok_or_else(|| time_failure(text))).transpose()
    };
    let cwd = &factory.place.cwd;
    let folder = args.folder.as_ref().map(|folder| filters::without_links(cwd.join(folder)));
    Ok(SearchQuery {
        without_names: false,
        sought,
        folder,
        since: moment(&args.since, moment::read)?,
        until: moment(&args.until, moment::read_end)?,
        language: args.language.as_ref().map(|word| filters::language(word, &factory.languages.all)),
        outcome: args.outcome.clone(),
        model: args.model.clone(),
        limit: usize::try_from(args.limit).unwrap_or(usize::MAX),
    })
}

pub(super) fn time_failure(text: &str) -> Failure {
    Failure::new(FailureClass::Usage, format!("{text:?} is no date and no age"))
        .hint("Such as 2026-11-01, or 90d (days), 12h, 6w, 1y.")
}

fn print_results(
    found: &SearchResults,
    words: &str,
    home: Option<&Path>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let mut out = BufWriter::new(&mut console.out);
    for of_one in found.hits.chunk_by(|one, next| one.session.path == next.session.path) {
        let Some(first) = of_one.first() else { continue };
        let session = &first.session;
        let id = visible_line(&session.id);
        let cwd = visible_line(&abbreviate_home(&session.cwd, home));
        writeln!(out, "{}  {}  {cwd}", visible_line(session.label()), time(session.modified))?;
        for hit in of_one {
            let also = match hit.also {
                0 => String::new(),
                more => format!("   (and in {} of the same beginning)", counted(more, "other session")),
            };
            writeln!(out, "  {:<18} {}{also}", hit.place.to_string(), visible::visible_line(&hit.line))?;
        }
        writeln!(out, "  sayso resume {id}{}\n", place_arguments(of_one, words))?;
    }
    if found.more {
        writeln!(out, "There is more: --limit N tells more of it, more words tell less.")?;
    }
    Ok(out.flush()?)
}

/// The arguments that open a session at the first of these places, and those for the others: ` --at block:3 --find
/// merge (or --at output:3)`.
fn place_arguments(hits: &[SearchHit], words: &str) -> String {
    let mut places: Vec<String> = hits.iter().filter_map(|hit| hit.place.typed()).collect();
    places.dedup();
    let Some((first, others)) = places.split_first() else { return String::new() };
    let find =
        if words.is_empty() { String::new() } else { format!(" --find {}", quoted(&visible_line(words))) };
    let others = match others {
        [] => String::new(),
        some => format!("   (or --at {})", some.join(", ")),
    };
    format!(" --at {first}{find}{others}")
}

fn hit_json(hit: &SearchHit) -> Value {
    json!({
        "session": summary_json(&hit.session),
        "place": hit.place.kind.as_str(),
        "block": hit.place.block,
        "message": hit.place.message,
        "open_at": hit.place.typed(),
        "also_in": hit.also,
        "at": stamp(hit.at),
        "line": hit.line,
    })
}
