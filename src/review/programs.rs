//! What programs do with their options and operands: tables, which are data (`assets/programs/*.toml`).
//!
//! A row names programs (`git`, or with a verb `git clone`). For each option it says whether the option takes a value
//! and what is done with it: a file is read, written or deleted, a host contacted, a command started. Options and
//! programs in no row are unknown, and reported as such. `shell/options` splits words into options and operands;
//! `shell/program` turns them into acts.

use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The tables that ship with sayso, with their names for messages.
pub(super) const SHIPPED_TABLES: &[(&str, &str)] = &[
    ("files.toml", include_str!("../../assets/programs/files.toml")),
    ("text.toml", include_str!("../../assets/programs/text.toml")),
    ("archives.toml", include_str!("../../assets/programs/archives.toml")),
    ("network.toml", include_str!("../../assets/programs/network.toml")),
    ("git.toml", include_str!("../../assets/programs/git.toml")),
    ("clouds.toml", include_str!("../../assets/programs/clouds.toml")),
    ("packages.toml", include_str!("../../assets/programs/packages.toml")),
    ("system.toml", include_str!("../../assets/programs/system.toml")),
    ("databases.toml", include_str!("../../assets/programs/databases.toml")),
    ("languages.toml", include_str!("../../assets/programs/languages.toml")),
    ("starters.toml", include_str!("../../assets/programs/starters.toml")),
    ("shell.toml", include_str!("../../assets/programs/shell.toml")),
];

/// What is done with an operand, or with the value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandUse {
    /// Nothing that matters to another program or person.
    Nothing,
    /// It names a file that is read.
    Reads,
    /// It names a file that is written but may keep its old content.
    Writes,
    /// It names a file that is created or overwritten.
    Makes,
    /// It names a file that is deleted.
    Deletes,
    /// It names a host or address that is read from.
    Hosts,
    /// It is started, as users of the program expect.
    Starts(StartedAs),
    /// It is started, where nobody expects that.
    StartsUnexpectedly(StartedAs),
}

/// How the text that is started is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartedAs {
    /// By a shell, or as the words of one command.
    Shell,
    /// The operands from here on are a command.
    Words,
    /// The path of a file that is run; what it does is not known.
    File,
    Python,
    Javascript,
    Sql,
    /// Another language, read by its words.
    Other,
    Sed,
    Awk,
    Tcl,
    /// Editor commands: `!` starts a shell.
    Editor,
    Make,
    /// ssh settings such as `ProxyCommand=…`.
    Ssh,
    /// git settings such as `core.pager=…`.
    Git,
    /// A checkpoint action of tar: `exec=…`.
    Checkpoint,
    /// `name=value` settings of cargo and others, whose names say what runs.
    Setting,
    /// A shell prompt: its `$(…)` is started.
    Prompt,
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionArity {
    Nothing,
    /// The rest of its word, or the next word.
    Value,
    /// Only the rest of its word.
    Attached,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionChoice {
    pub(super) takes: OptionArity,
    pub(super) does: OperandUse,
}

/// An operand at its position.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) does: OperandUse,
    /// Whether it stands for all operands except those that later roles take.
    pub(super) repeats: bool,
    /// The role is skipped if one of these options is given.
    pub(super) without: Vec<String>,
}

/// What is known of a program, or of one of its verbs.
#[derive(Debug, Default)]
pub(super) struct Program {
    options: HashMap<String, OptionChoice>,
    pub(super) operands: Vec<Role>,
    /// What it does with its standard input, if it starts it.
    pub(super) stdin: Option<OperandUse>,
    /// Whether options that are not listed do nothing.
    pub(super) others_harmless: bool,
    /// Whether it runs what the folder defines: a build, tests, scripts.
    pub(super) project: bool,
    /// If its first operand is a verb: the verbs that need no row of their own.
    verbs: Option<HashSet<String>>,
}

impl Program {
    /// An option by its name without dashes. A `long` one may be abbreviated, as getopt allows; if several match, the
    /// most dangerous one counts.
    pub(super) fn option(&self, key: &str, long: bool) -> Option<(String, OptionChoice)> {
        if let Some(choice) = self.options.get(key) {
            return Some((key.to_owned(), *choice));
        }
        if !long || key.len() < 2 {
            return None;
        }
        let fits = self.options.iter().filter(|(name, _)| name.len() > 2 && name.starts_with(key));
        let weight = |choice: &OptionChoice| match choice.does {
            OperandUse::Nothing => 0,
            OperandUse::Reads | OperandUse::Hosts => 1,
            OperandUse::Starts(_) => 2,
            OperandUse::Writes | OperandUse::Makes | OperandUse::Deletes => 3,
            OperandUse::StartsUnexpectedly(_) => 4,
        };
        let found = fits.max_by(|(a, one), (b, other)| weight(one).cmp(&weight(other)).then(b.cmp(a)));
        found.map(|(name, choice)| (name.clone(), *choice))
    }

    pub(super) fn has_verbs(&self) -> bool {
        self.verbs.is_some()
    }

    /// Whether a verb is known and needs no row of its own.
    pub(super) fn knows_verb(&self, verb: &str) -> bool {
        self.verbs.as_ref().is_some_and(|verbs| verbs.contains(verb))
    }

    /// The index of the operand from which on the words are a command.
    pub(super) fn command_at(&self) -> Option<usize> {
        self.operands.iter().position(|role| {
            matches!(
                role.does,
                OperandUse::Starts(StartedAs::Words) | OperandUse::StartsUnexpectedly(StartedAs::Words)
            )
        })
    }
}

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
enum TableError {
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
struct UnknownWord(String);

#[derive(Debug, Default)]
pub(super) struct Programs {
    by_name: HashMap<String, Program>,
    usual_helpers: HashSet<String>,
    variables: HashMap<String, StartedAs>,
}

impl Programs {
    /// What is known of a program (`git`) or of a program with its verb (`git clone`).
    pub(super) fn get(&self, name: &str) -> Option<&Program> {
        self.by_name.get(name)
    }

    /// Whether a program is commonly named where another one is expected.
    pub(super) fn is_usual_helper(&self, name: &str) -> bool {
        self.usual_helpers.contains(name)
    }

    /// How programs read the value of this environment variable, if they start it.
    pub(super) fn variable(&self, name: &str) -> Option<StartedAs> {
        self.variables.get(name).copied()
    }

    fn read(files: &[(&str, &str)]) -> Result<Self, TableError> {
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

/// The shipped tables, read at the first use. A test makes sure that they can be read, so they are never empty.
pub(super) fn shipped() -> &'static Programs {
    static ALL: LazyLock<Programs> = LazyLock::new(|| Programs::read(SHIPPED_TABLES).unwrap_or_default());
    &ALL
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
    Ok(match text {
        "shell" => StartedAs::Shell,
        "words" => StartedAs::Words,
        "file" => StartedAs::File,
        "python" => StartedAs::Python,
        "javascript" => StartedAs::Javascript,
        "sql" => StartedAs::Sql,
        "other" => StartedAs::Other,
        "sed" => StartedAs::Sed,
        "awk" => StartedAs::Awk,
        "editor" => StartedAs::Editor,
        "make" => StartedAs::Make,
        "tcl" => StartedAs::Tcl,
        "ssh" => StartedAs::Ssh,
        "git" => StartedAs::Git,
        "checkpoint" => StartedAs::Checkpoint,
        "setting" => StartedAs::Setting,
        "prompt" => StartedAs::Prompt,
        _ => return Err(UnknownWord(text.to_owned())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_tables_can_be_read() {
        let all = Programs::read(SHIPPED_TABLES).unwrap();
        assert!(all.by_name.len() >= 400, "{} programs and verbs", all.by_name.len());
        assert!(all.variables.len() >= 20 && all.is_usual_helper("less"));
        // A row with a verb is only reached if the program has verbs.
        for name in all.by_name.keys() {
            if let Some((program, _)) = name.rsplit_once(' ') {
                assert!(all.get(program).is_some_and(Program::has_verbs), "{name} can't be reached");
            }
        }
    }

    #[test]
    fn shortened_options_are_the_ones_that_do_most() {
        let all = Programs::read(&[(
            "a.toml",
            "[[program]]\nnames = ['a']\nnothing = 'checkpoint'\nhides = 'checkpoint-action:checkpoint'",
        )])
        .unwrap();
        let a = all.get("a").unwrap();
        assert_eq!(a.option("checkpoint", true).unwrap().1.does, OperandUse::Nothing);
        assert_eq!(a.option("checkp", true).unwrap().0, "checkpoint-action");
        assert_eq!(a.option("x", true), None);
    }

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
