//! What programs do by their options and operands: tables that are data (`assets/programs/*.toml`).
//!
//! A row names programs (`git`, or with their verb `git clone`) and says of each option whether it takes a value and what
//! becomes of it: a file read, written or deleted, a host asked, a command started. What is in no row is not known, and
//! that is told. How words become options and operands is `shell/options`; what is then told, `shell/program`.

use serde::Deserialize;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

/// The shipped tables, with their names for messages.
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

/// What becomes of the value of an option, or of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OperandUse {
    /// Nothing that another program or person would notice.
    Nothing,
    /// A file is read.
    Reads,
    /// A file is written; what stood there may stay.
    Writes,
    /// A file is written anew.
    Makes,
    /// A file is deleted.
    Deletes,
    /// Something is read from this host or address.
    Hosts,
    /// It is started, and everybody who uses the program knows that.
    Starts(Code),
    /// It is started, where one expects no program.
    Hides(Code),
}

/// How the text that is started is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Code {
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
    /// Commands of an editor: `!` starts a shell.
    Editor,
    Make,
    /// `ProxyCommand=…` and its like.
    Ssh,
    /// `core.pager=…` and its like.
    Git,
    /// `exec=…`.
    Checkpoint,
    /// `name=value` settings of cargo and the like, whose keys say what runs.
    Setting,
    /// A prompt of a shell: what `$(…)` in it says is started.
    Prompt,
}

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OptionArity {
    Nothing,
    /// The rest of its word, or the next word.
    Value,
    /// The rest of its word only.
    Attached,
}

/// One option of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OptionChoice {
    pub(super) takes: OptionArity,
    pub(super) does: OperandUse,
}

/// One operand by its position.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) does: OperandUse,
    /// It stands for all operands but those that later roles take.
    pub(super) all: bool,
    /// Left out where one of these options is given.
    pub(super) without: Vec<String>,
}

/// What is known of a program, or of one of its verbs.
#[derive(Debug, Default)]
pub(super) struct Program {
    options: HashMap<String, OptionChoice>,
    pub(super) operands: Vec<Role>,
    /// What it reads on its standard input, where that is started.
    pub(super) stdin: Option<OperandUse>,
    /// Options that are not listed do nothing either.
    pub(super) rest: bool,
    /// It runs what the folder says: a build, tests, scripts.
    pub(super) project: bool,
    /// Its first operand is a verb, and these are known.
    verbs: Option<HashSet<String>>,
}

impl Program {
    /// An option by its name without dashes. Long ones (`long`) may be shortened, as getopt has it: of several that fit,
    /// the one that does most counts.
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
            OperandUse::Hides(_) => 4,
        };
        let found = fits.max_by(|(a, one), (b, other)| weight(one).cmp(&weight(other)).then(b.cmp(a)));
        found.map(|(name, choice)| (name.clone(), *choice))
    }

    /// Whether its first operand is a verb.
    pub(super) fn has_verbs(&self) -> bool {
        self.verbs.is_some()
    }

    /// Whether a verb is one of those that need no row of their own.
    pub(super) fn knows_verb(&self, verb: &str) -> bool {
        self.verbs.as_ref().is_some_and(|verbs| verbs.contains(verb))
    }

    /// From which operand on the words are a command of their own.
    pub(super) fn command_at(&self) -> Option<usize> {
        self.operands.iter().position(|role| {
            matches!(role.does, OperandUse::Starts(Code::Words) | OperandUse::Hides(Code::Words))
        })
    }
}

/// A row of a table as it is written. Lists are words in one text, to be read at a glance.
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
    rest: bool,
    project: bool,
}

/// Variables of the environment whose value programs start.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct Variables {
    names: Vec<String>,
    code: String,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields, default)]
struct File {
    /// Programs that are usually named where a pager, an editor, a compressor or a transport is asked for.
    tame: String,
    program: Vec<ProgramRow>,
    variable: Vec<Variables>,
}

/// Why a table can't be used. Tables are shipped: only tests meet this.
#[derive(Debug, thiserror::Error)]
enum TableError {
    /// The file, and what the reader of TOML says.
    #[error("{0}: {1}")]
    Unreadable(String, toml::de::Error),
    /// The file, whose row it is, and the word in it that means nothing.
    #[error("{0}: {1}: {2} is not known: see the other rows for what there is")]
    Word(String, String, UnknownWord),
    /// The file, and the name that two rows have.
    #[error("{0}: {1} stands there twice")]
    Twice(String, String),
}

/// A word of a row that means nothing.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct UnknownWord(String);

#[derive(Debug, Default)]
pub(super) struct Programs {
    by_name: HashMap<String, Program>,
    tame: HashSet<String>,
    variables: HashMap<String, Code>,
}

impl Programs {
    /// What is known of a program (`git`) or of a program with its verb (`git clone`).
    pub(super) fn get(&self, name: &str) -> Option<&Program> {
        self.by_name.get(name)
    }

    /// Whether a program is one that is usually named where another one is asked for.
    pub(super) fn is_tame(&self, name: &str) -> bool {
        self.tame.contains(name)
    }

    /// How programs read what this variable of the environment holds, where they start it.
    pub(super) fn variable(&self, name: &str) -> Option<Code> {
        self.variables.get(name).copied()
    }

    fn read(files: &[(&str, &str)]) -> Result<Self, TableError> {
        let mut all = Self::default();
        for (name, text) in files {
            let file: File =
                toml::from_str(text).map_err(|error| TableError::Unreadable((*name).into(), error))?;
            all.tame.extend(words(&file.tame));
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

/// The shipped tables, read at their first use. A test reads them, so that empty ones can't be met.
pub(super) fn shipped() -> &'static Programs {
    static ALL: LazyLock<Programs> = LazyLock::new(|| Programs::read(SHIPPED_TABLES).unwrap_or_default());
    &ALL
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_whitespace().map(str::to_owned)
}

/// A row as it is used.
fn program(row: &ProgramRow) -> Result<Program, UnknownWord> {
    let mut options = HashMap::new();
    let mut put = |text: &str,
                   takes: OptionArity,
                   does: fn(Code) -> OperandUse,
                   plain: bool|
     -> Result<(), UnknownWord> {
        for word in words(text) {
            let (name, kind) = match word.split_once(':') {
                Some((name, kind)) if !plain => (name, code(kind)?),
                _ => (word.as_str(), Code::Shell),
            };
            // An option whose value stands in its own word only: `-i.bak`.
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
    put(&row.hides, OptionArity::Value, OperandUse::Hides, false)?;
    let operands = row.operands.iter().map(|text| role(text)).collect::<Result<_, _>>()?;
    let stdin = Some(row.stdin.as_str()).filter(|s| !s.is_empty()).map(operand_use).transpose()?;
    let verbs = row.verbs.as_ref().map(|verbs| words(verbs).collect());
    Ok(Program { options, operands, stdin, rest: row.rest, project: row.project, verbs })
}

/// `reads..`, `starts:sed?e,file`: what an operand is, whether it stands for all, the options that take its place.
fn role(text: &str) -> Result<Role, UnknownWord> {
    let (what, without) = text.split_once('?').unwrap_or((text, ""));
    let without = without.split(',').filter(|w| !w.is_empty()).map(str::to_owned).collect();
    let (what, all) = what.strip_suffix("..").map_or((what, false), |what| (what, true));
    Ok(Role { does: operand_use(what)?, all, without })
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
        "hides" => OperandUse::Hides(kind),
        _ => return Err(UnknownWord(text.to_owned())),
    })
}

fn code(text: &str) -> Result<Code, UnknownWord> {
    Ok(match text {
        "shell" => Code::Shell,
        "words" => Code::Words,
        "file" => Code::File,
        "python" => Code::Python,
        "javascript" => Code::Javascript,
        "sql" => Code::Sql,
        "other" => Code::Other,
        "sed" => Code::Sed,
        "awk" => Code::Awk,
        "editor" => Code::Editor,
        "make" => Code::Make,
        "tcl" => Code::Tcl,
        "ssh" => Code::Ssh,
        "git" => Code::Git,
        "checkpoint" => Code::Checkpoint,
        "setting" => Code::Setting,
        "prompt" => Code::Prompt,
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
        assert!(all.variables.len() >= 20 && all.is_tame("less"));
        // A row with a verb is only reached through a program that has verbs.
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
