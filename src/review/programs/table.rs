//! Reads the tables of programs: the rows as they are written, and why a table can't be used.

use super::{OperandUse, OptionArity, OptionChoice, Program, Programs, Role, StartedAs};
use serde::Deserialize;
use std::collections::HashMap;

/// A row of a table as written. A list is one text of words, easy to read at a glance.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct ProgramRow {
    names: Vec<String>,
    nothing: String,
    takes: String,
    attached: String,
    reads: String,
    writes: String,
    makes: String,
    deletes: String,
    hosts: String,
    starts: String,
    hides: String,
    operands: Vec<String>,
    stdin: String,
    verbs: Option<String>,
    #[serde(rename = "rest")]
    others_harmless: bool,
    project: bool,
}

/// Environment variables whose value programs start.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct Variables {
    names: Vec<String>,
    code: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    /// Programs that are commonly named where a pager, editor, compressor or transport is expected.
    #[serde(rename = "tame")]
    usual_helpers: String,
    program: Vec<ProgramRow>,
    variable: Vec<Variables>,
}

/// Why a table can't be used. The tables are shipped, so only tests meet this.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    /// The file, and the TOML reader's message.
    #[error("{0}: {1}")]
    Unreadable(String, toml::de::Error),
    /// The file, the row's program, and the unknown word.
    #[error("{0}: {1}: {2} is not known: see the other rows for what there is")]
    Word(String, String, UnknownWord),
    /// The file, and the name that two rows have.
    #[error("{0}: {1} stands there twice")]
    Twice(String, String),
}

/// An unknown word in a row.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct UnknownWord(String);

impl Programs {
    pub(super) fn read(files: &[(&str, &str)]) -> Result<Self, TableError> {
        let mut all = Self::default();
        for (name, text) in files {
            let file: File =
                toml::from_str(text).map_err(|error| TableError::Unreadable((*name).into(), error))?;
            all.usual_helpers.extend(words(&file.usual_helpers));
            for row in file.program {
                let names = row.names.clone();
                for spelled in names {
                    let program = program(&row)
                        .map_err(|word| TableError::Word((*name).into(), spelled.clone(), word))?;
                    if all.by_name.insert(spelled.clone(), program).is_some() {
                        return Err(TableError::Twice((*name).into(), spelled));
                    }
                }
            }
            for row in file.variable {
                let code = code(&row.code)
                    .map_err(|word| TableError::Word((*name).into(), row.names.join(" "), word))?;
                all.variables.extend(row.names.into_iter().map(|name| (name, code)));
            }
        }
        Ok(all)
    }
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().map(str::to_owned)
}

/// Turns a row into a program.
fn program(row: &ProgramRow) -> Result<Program, UnknownWord> {
    let mut options = HashMap::new();
    let mut put = |text: &str,
                   takes: OptionArity,
                   does: fn(StartedAs) -> OperandUse,
                   plain: bool|
     -> Result<(), UnknownWord> {
        for word in words(text) {
            let (name, kind) = match word.split_once(':') {
                Some((name, kind)) if !plain => (name, code(kind)?),
                _ => (word.as_str(), StartedAs::Shell),
            };
            // `?` marks an option whose value stands only in its own word: `-i.bak`.
            let (name, takes) = match name.strip_suffix('?') {
                Some(name) if !name.is_empty() => (name, OptionArity::Attached),
                _ => (name, takes),
            };
            options.insert(name.to_owned(), OptionChoice { takes, does: does(kind) });
        }
        Ok(())
    };
    put(&row.nothing, OptionArity::Nothing, |_| OperandUse::Nothing, true)?;
    put(&row.takes, OptionArity::Value, |_| OperandUse::Nothing, true)?;
    put(&row.attached, OptionArity::Attached, |_| OperandUse::Nothing, true)?;
    put(&row.reads, OptionArity::Value, |_| OperandUse::Reads, true)?;
    put(&row.writes, OptionArity::Value, |_| OperandUse::Writes, true)?;
    put(&row.makes, OptionArity::Value, |_| OperandUse::Makes, true)?;
    put(&row.deletes, OptionArity::Value, |_| OperandUse::Deletes, true)?;
    put(&row.hosts, OptionArity::Value, |_| OperandUse::Hosts, true)?;
    put(&row.starts, OptionArity::Value, OperandUse::Starts, false)?;
    put(&row.hides, OptionArity::Value, OperandUse::StartsUnexpectedly, false)?;
    let operands = row.operands.iter().map(|text| role(text)).collect::<Result<_, _>>()?;
    let stdin = Some(row.stdin.as_str()).filter(|s| !s.is_empty()).map(operand_use).transpose()?;
    let verbs = row.verbs.as_ref().map(|verbs| words(verbs).collect());
    Ok(Program {
        options,
        operands,
        stdin,
        others_harmless: row.others_harmless,
        project: row.project,
        verbs,
    })
}

/// Parses a role such as `reads..` or `starts:sed?e,file`: the use, `..` for all operands, and the options that replace
/// it.
fn role(text: &str) -> Result<Role, UnknownWord> {
    let (what, without) = text.split_once('?').unwrap_or((text, ""));
    let without = without.split(',').filter(|w| !w.is_empty()).map(str::to_owned).collect();
    let (what, repeats) = what.strip_suffix("..").map_or((what, false), |what| (what, true));
    Ok(Role { does: operand_use(what)?, repeats, without })
}

fn operand_use(text: &str) -> Result<OperandUse, UnknownWord> {
    let (what, kind) = text.split_once(':').unwrap_or((text, "shell"));
    let kind = code(kind)?;
    Ok(match what {
        "nothing" => OperandUse::Nothing,
        "reads" => OperandUse::Reads,
        "writes" => OperandUse::Writes,
        "makes" => OperandUse::Makes,
        "deletes" => OperandUse::Deletes,
        "hosts" => OperandUse::Hosts,
        "starts" => OperandUse::Starts(kind),
        "hides" => OperandUse::StartsUnexpectedly(kind),
        _ => return Err(UnknownWord(text.to_owned())),
    })
}

fn code(text: &str) -> Result<StartedAs, UnknownWord> {
    text.parse().map_err(|_| UnknownWord(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_says_nothing_known_is_refused() {
        for text in [
            "[[program]]\nnames = ['a']\noperands = ['eats']",
            "[[program]]\nnames = ['a']\nhides = 'x:y'",
            "[[program]]\nfoo = 1",
        ] {
            assert!(Programs::read(&[("a.toml", text)]).is_err(), "{text}");
        }
    }
}
