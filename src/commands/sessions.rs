//! `sayso sessions`: lists, finds, shows, compares, branches, exports, checks, adopts, replays, undoes, masks,
//! renames and removes sessions.

mod ask;
mod branch;
mod compare;
mod export;
mod list;
mod redact;
mod remove;
mod replay;
mod search;
mod undo;

use super::Console;
use crate::cli::{ModelArgs, SessionsCommand};
use crate::domain::sentences::{saving, sending};
use crate::domain::visible::{visible, visible_line};
use crate::domain::{BlockId, Entry, RunId, Timestamp, UndoKind, session_name};
use crate::driver::Clock;
use crate::headless::{end_text, events, json};
use crate::report::{Failure, FailureClass};
use crate::session::factory::SessionFactory;
use crate::store::index::{self, Summary};
use crate::store::{self, Damage, LoadedSession, Seal, StoreError, manage};
use crate::text::names::and_more;
use crate::text::number::{counted, size};
use list::summary_json;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

pub(super) fn run(
    command: &SessionsCommand,
    outer: &ModelArgs,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    let folder = factory.loaded.sessions();
    match command {
        SessionsCommand::List(args) => list::list(args, &folder, factory.place.home.as_deref(), console),
        SessionsCommand::Compare { left, right } => compare::run(&factory, (left, right), console),
        SessionsCommand::Show { session, json } => {
            let summary = find(&folder, session)?;
            let loaded = read_and_warn(&summary, &factory, console)?;
            if *json { show_json(&summary, &loaded, console) } else { show(&summary, &loaded, console) }
        }
        SessionsCommand::Fork { session, at, name } => {
            branch::run(&factory, session, (*at, name.clone()), console)
        }
        SessionsCommand::Export(args) => export::run(args, &factory, console),
        SessionsCommand::Check { session } => {
            let wanted = match session {
                Some(session) => vec![find(&folder, session)?],
                None => index::list(&folder),
            };
            let seal = seal(&factory.loaded.paths.state, console)?;
            check(&wanted, seal.as_ref(), console)
        }
        SessionsCommand::Adopt { session, yes } => {
            let summary = find(&folder, session)?;
            adopt(&summary, &factory.loaded.paths.state, *yes, console)
        }
        SessionsCommand::Replay(args) => replay::run(args, outer, &factory, console),
        SessionsCommand::Undo(args) => undo::run(args, &factory, console),
        SessionsCommand::Search(args) => search::run(args, &factory, console),
        SessionsCommand::Redact(args) => redact::run(args, &factory, console),
        SessionsCommand::Rename { session, name } => rename(&factory, session, name, console),
        SessionsCommand::Rm { sessions, yes } => remove::remove_named(&folder, sessions, *yes, console),
        SessionsCommand::Prune(args) => remove::remove_older(args, &factory, console),
    }
}

fn find(folder: &Path, wanted: &str) -> Result<Summary, Failure> {
    index::find(folder, wanted).map_err(|error| {
        Failure::new(FailureClass::Session, error.to_string()).hint("sayso sessions list shows all of them.")
    })
}

fn unreadable(error: &StoreError) -> Failure {
    Failure::new(FailureClass::Session, error.to_string())
}

fn read(
    summary: &Summary,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<LoadedSession, Failure> {
    let seal = seal(&factory.loaded.paths.state, console)?;
    store::read_with(&summary.path, seal.as_ref()).map_err(|error| unreadable(&error))
}

/// Reads a session and warns if it is foreign or damaged.
fn read_and_warn(
    summary: &Summary,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<LoadedSession, Failure> {
    let loaded = read(summary, factory, console)?;
    if let Some(why) = &loaded.foreign {
        writeln!(console.err, "warning: {}", saving::is_foreign(&why.to_string()))?;
    }
    for damage in store::damage_summary(&loaded.damage) {
        writeln!(console.err, "warning: {}", visible_line(&damage))?;
    }
    Ok(loaded)
}

/// The seal of this installation, if it has one. Warns if the seal can't be read, because then all sessions are
/// foreign.
fn seal(state: &Path, console: &mut Console<'_>) -> Result<Option<Seal>, Failure> {
    Seal::find(state).or_else(|error| {
        writeln!(console.err, "warning: {}", visible_line(&error.to_string()))?;
        Ok(None)
    })
}

/// Renames a session.
fn rename(
    factory: &SessionFactory,
    session: &str,
    name: &str,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let name = session_name(name).map_err(|why| Failure::new(FailureClass::Usage, why.to_string()))?;
    let summary = find(&factory.loaded.sessions(), session)?;
    let seal = seal(&factory.loaded.paths.state, console)?;
    let (masker, now) = (factory.masker(), Clock::System.now());
    let renamed = manage::rename(&summary.path, name, (&masker, seal.as_ref()), now);
    super::block_on(renamed)?.map_err(|error| unreadable(&error))?;
    writeln!(console.out, "{} is called {} now", visible_line(summary.label()), visible_line(name))?;
    Ok(())
}

/// Adopts a foreign session, or without `yes` shows what that would mean.
fn adopt(summary: &Summary, state: &Path, yes: bool, console: &mut Console<'_>) -> Result<(), Failure> {
    let seal = Seal::make(state).map_err(|error| unreadable(&error))?;
    let loaded = store::read_with(&summary.path, Some(&seal)).map_err(|error| unreadable(&error))?;
    let label = visible_line(summary.label());
    let Some(why) = &loaded.foreign else {
        writeln!(console.out, "{label} is yours already")?;
        return Ok(());
    };
    if yes {
        seal.sync_key();
        manage::adopt(&summary.path, &seal, Clock::System.now()).map_err(|error| unreadable(&error))?;
        writeln!(console.out, "{label} is yours from here on")?;
        return Ok(());
    }
    let count = |wanted: fn(&Entry) -> bool| loaded.entries.iter().filter(|(_, entry)| wanted(entry)).count();
    let blocks = counted(count(|entry| matches!(entry, Entry::Block(_))), "block");
    let approvals = counted(count(|entry| matches!(entry, Entry::Approved { .. })), "approval");
    writeln!(console.out, "{label} is {}", saving::is_foreign(&why.to_string()))?;
    writeln!(
        console.out,
        "It tells of {blocks} and {approvals}; sayso sessions show {} shows them.",
        visible_line(&summary.id)
    )?;
    Err(Failure::new(FailureClass::Usage, "nothing was changed")
        .hint("Who has looked at it adopts it with --yes."))
}

/// Prints all damage and all runs without an end, session by session. The latter are no damage of the file.
fn check(sessions: &[Summary], seal: Option<&Seal>, console: &mut Console<'_>) -> Result<(), Failure> {
    let mut damaged = 0;
    for session in sessions {
        let label = visible_line(session.label());
        let (bad, lines) = match store::read_with(&session.path, seal) {
            Ok(loaded) => {
                let foreign = loaded.foreign.iter().map(|why| saving::is_foreign(&why.to_string()));
                let foreign = foreign.chain(store::damage_details(&loaded.damage));
                let lines = foreign.chain(unended_lines(session, &loaded)).collect();
                (loaded.damage.iter().any(Damage::is_loss), lines)
            }
            Err(error) => (true, Vec::from([error.to_string()])),
        };
        damaged += usize::from(bad);
        writeln!(console.out, "{label}: {}", if bad { "damaged" } else { "whole" })?;
        for line in lines {
            writeln!(console.out, "  {}", visible_line(&line))?;
        }
    }
    match damaged {
        0 => Ok(()),
        1 => Err(Failure::new(FailureClass::Session, "1 session is damaged").hint(KEPT_LINES_HINT)),
        n => {
            Err(Failure::new(FailureClass::Session, format!("{n} sessions are damaged"))
                .hint(KEPT_LINES_HINT))
        }
    }
}

const KEPT_LINES_HINT: &str =
    "What can be read is read when it is opened; the lines stay in the file as they are.";

fn show_json(session: &Summary, loaded: &LoadedSession, console: &mut Console<'_>) -> Result<(), Failure> {
    let entries: Value = loaded
        .entries
        .iter()
        .filter_map(|(at, entry)| {
            let Some(Value::Object(event)) = events::entry(entry) else { return None };
            let mut fields = Map::from_iter([("at".to_owned(), json!(stamp(*at)))]);
            fields.extend(event);
            Some(Value::Object(fields))
        })
        .collect();
    let damage: Vec<String> = loaded.damage.iter().map(ToString::to_string).collect();
    let foreign = loaded.foreign.as_ref().map(ToString::to_string);
    let shown =
        json!({ "session": summary_json(session), "entries": entries, "damage": damage, "foreign": foreign });
    Ok(json::write_line(console.out, &shown)?)
}

fn show(session: &Summary, loaded: &LoadedSession, console: &mut Console<'_>) -> Result<(), Failure> {
    writeln!(console.out, "{}  {}", visible_line(session.label()), visible_line(&session.id))?;
    for (at, entry) in &loaded.entries {
        show_entry(*at, entry, console.out)?;
    }
    for line in unended_lines(session, loaded) {
        writeln!(console.out, "  {line}")?;
    }
    Ok(())
}

/// A line for each run that was approved and has no end in the session.
fn unended_lines(session: &Summary, loaded: &LoadedSession) -> Vec<String> {
    let mut unended: BTreeMap<RunId, (BlockId, bool)> = BTreeMap::new();
    for (_, entry) in &loaded.entries {
        match entry {
            Entry::Approved { run, block, .. } => drop(unended.insert(*run, (*block, false))),
            Entry::Ran { run, .. } => drop(unended.remove(run)),
            // Who opens a session again has none of its earlier runs.
            Entry::Resumed => unended.values_mut().for_each(|(_, is_lost)| *is_lost = true),
            _ => {}
        }
    }
    let line = |(block, is_lost): &(BlockId, bool)| match session.locked {
        Some(pid) if !is_lost => format!("block {block}: runs now, in process {pid}"),
        _ => format!("block {block}: LOST, its end is not known"),
    };
    unended.values().map(line).collect()
}

fn show_entry(at: Timestamp, entry: &Entry, out: &mut dyn Write) -> io::Result<()> {
    match entry {
        Entry::Prompt(prompt) => {
            write_message(out, "you", at, &prompt.text)?;
            if prompt.files.is_empty() {
                return Ok(());
            }
            writeln!(out, "  {}", visible_line(&sending::with_files(&prompt.files, size)))
        }
        Entry::Reply { text, .. } => write_message(out, "model", at, text),
        Entry::Block(block) => {
            writeln!(out, "  block {} ({})", block.id, visible_line(&block.label()))
        }
        Entry::CallRefused { why, .. } => {
            writeln!(out, "  a tool call came to no block: {}", visible_line(why))
        }
        Entry::Edited { block, .. } => writeln!(out, "  block {block}: edited"),
        Entry::Placed { block, .. } => writeln!(out, "  block {block}: found in its files"),
        Entry::Approved { block, by, .. } => match by.rule() {
            Some(rule) => writeln!(out, "  block {block}: approved (rule {rule})"),
            None => writeln!(out, "  block {block}: approved ({})", by.as_str()),
        },
        Entry::RuleAdded(rule) => {
            let words = visible_line(&crate::engine::rules::describe(rule));
            writeln!(out, "  rule {}, granted on block {}: {words}", rule.id, rule.block)
        }
        Entry::RuleRevoked(rule) => writeln!(out, "  rule {rule} removed"),
        Entry::Rejected { block, reason, .. } => {
            writeln!(out, "  block {block}: rejected {}", visible_line(reason))
        }
        Entry::Skipped { block, .. } => writeln!(out, "  block {block}: skipped"),
        Entry::Ran { block, report, .. } => {
            writeln!(out, "  block {block}: {}", end_text(report))?;
            write_lines(out, "  | ", &String::from_utf8_lossy(&report.output.in_order()))?;
            report.value.as_ref().map_or(Ok(()), |value| write_lines(out, "  = ", value))?;
            report.error.as_ref().map_or(Ok(()), |error| write_lines(out, "  ! ", &error.traceback))
        }
        Entry::Accepted { .. } => writeln!(out, "  adopted {}", time(at)),
        Entry::Resumed => writeln!(out, "  resumed {}", time(at)),
        Entry::Undone { block, files, more, kind, .. } => {
            let word = if *kind == UndoKind::Undo { "taken back" } else { "made again" };
            let more = and_more(*more as usize);
            writeln!(out, "  block {block}: {word}: {}{more}", visible_line(&files.join(", ")))
        }
        Entry::KernelRestarted => writeln!(out, "  the kernel was restarted"),
        Entry::Summary { text, .. } => write_message(out, "summary of what is older", at, text),
        Entry::Opinion { block, model, answer, .. } => {
            let said = match answer {
                Ok(opinion) => format!("risk {}: {}", opinion.risk.as_str(), opinion.reason),
                Err(why) => format!("none came: {why}"),
            };
            let model = visible_line(&model.to_string());
            writeln!(out, "  block {block}: second opinion of {model}: {}", visible_line(&said))
        }
        Entry::TurnEnd(end) => writeln!(out, "  turn: {}", end.as_str().replace('_', " ")),
        _ => Ok(()),
    }
}

fn write_message(out: &mut dyn Write, who: &str, at: Timestamp, text: &str) -> io::Result<()> {
    writeln!(out, "\n{who}  {}\n{}", time(at), visible(text.trim_end()))
}

fn write_lines(out: &mut dyn Write, lead: &str, text: &str) -> io::Result<()> {
    visible(text).lines().try_for_each(|line| writeln!(out, "{lead}{line}"))
}

/// A timestamp in the person's time zone, to the minute.
fn time(at: Timestamp) -> String {
    let Ok(at) = jiff::Timestamp::from_millisecond(at.0) else { return "-".into() };
    at.to_zoned(crate::session::local_zone()).strftime("%Y-%m-%d %H:%M").to_string()
}

/// A timestamp as RFC 3339.
fn stamp(at: Timestamp) -> String {
    jiff::Timestamp::from_millisecond(at.0).map(|at| format!("{at:.3}")).unwrap_or_default()
}
