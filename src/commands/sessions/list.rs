//! `sayso sessions list`: lists all sessions, the last written first, for people and as JSON.

use super::super::Console;
use super::{stamp, time};
use crate::cli::SessionListArgs;
use crate::domain::sentences::branches;
use crate::domain::visible::visible_line;
use crate::headless::json;
use crate::report::Failure;
use crate::store::index::{self, SessionTree, Summary, TreeSigns};
use crate::text::path::abbreviate_home;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::{BufWriter, Write as _};
use std::path::Path;

pub(super) fn list(
    args: &SessionListArgs,
    folder: &Path,
    home: Option<&Path>,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let sessions = index::list(folder);
    if args.json {
        let sessions: Value = sessions.iter().map(summary_json).collect();
        json::write_line(console.out, &json!({ "sessions": sessions }))?;
        return Ok(());
    }
    if sessions.is_empty() {
        writeln!(console.out, "no sessions in {}", visible_line(&folder.to_string_lossy()))?;
    }
    // Buffered, to avoid a system call for each line.
    let mut out = BufWriter::new(&mut console.out);
    let by_id: HashMap<&str, &Summary> = sessions.iter().map(|one| (one.id.as_str(), one)).collect();
    let tree = if args.tree { SessionTree::of(&sessions, |_| true) } else { SessionTree::default() };
    let branched = tree.rows().iter().enumerate().filter_map(|(number, row)| {
        let below = row.lead_below(TreeSigns::LINES, tree.rows().get(number + 1));
        Some((row.lead(TreeSigns::LINES), below, sessions.get(row.at)?))
    });
    let plain = sessions.iter().filter(|_| !args.tree).map(|one| (String::new(), String::new(), one));
    for (lead, below, session) in branched.chain(plain) {
        let label = format!("{lead}{}", visible_line(session.label()));
        let cwd = visible_line(&abbreviate_home(&session.cwd, home));
        let of = session.branch_of.as_deref().and_then(|id| by_id.get(id).copied());
        let (when, state) = (time(session.modified), describe_state(session, of));
        let unit = if session.messages == 1 { "message " } else { "messages" };
        writeln!(out, "{when}  {label:<28} {:>4} {unit}  {cwd}{state}", session.messages)?;
        if !session.name.is_empty() {
            writeln!(out, "                  {below}{}", visible_line(&session.id))?;
        }
    }
    Ok(out.flush()?)
}

/// The facts worth knowing before opening a session.
fn describe_state(session: &Summary, of: Option<&Summary>) -> String {
    let mut words = Vec::new();
    if session.branch_of.is_some() {
        let of = of.map(|of| visible_line(of.label()));
        words.push(format!("a {}", branches::branch(of.as_deref(), session.branch_at)));
    }
    match session.waiting {
        0 => {}
        1 => words.push("1 block waits".into()),
        n => words.push(format!("{n} blocks wait")),
    }
    if session.unended && session.locked.is_none() {
        words.push("a run without an end".into());
    }
    if session.failed {
        words.push("failed".into());
    }
    if let Some(pid) = session.locked {
        words.push(format!("open in process {pid}"));
    }
    if let Some(damage) = &session.damage {
        words.push(visible_line(damage));
    }
    if words.is_empty() { String::new() } else { format!("  [{}]", words.join(", ")) }
}

pub(super) fn summary_json(session: &Summary) -> Value {
    json!({
        "id": session.id,
        "name": session.name,
        "branch_of": session.branch_of,
        "branch_at": session.branch_at.map(|at| at.to_string()),
        "path": session.path.to_string_lossy(),
        "cwd": session.cwd.to_string_lossy(),
        "created": session.created.map(stamp),
        "modified": stamp(session.modified),
        "messages": session.messages,
        "blocks": session.blocks,
        "waiting": session.waiting,
        "failed": session.failed,
        "unended": session.unended,
        "first_prompt": session.first_prompt,
        "bytes": session.bytes,
        "locked": session.locked,
        "damage": session.damage,
    })
}
