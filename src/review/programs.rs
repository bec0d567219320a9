//! What programs do with their options and operands: tables, which are data (`assets/programs/*.toml`).
//!
//! A row names programs (`git`, or with a verb `git clone`). For each option it says whether the option takes a value
//! and what is done with it: a file is read, written or deleted, a host contacted, a command started. Options and
//! programs in no row are unknown, and reported as such. `shell/options` splits words into options and operands;
//! `shell/program` turns them into acts.

mod table;

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

impl OperandUse {
    /// Whether the operands from there on are a command.
    pub(super) fn is_command(self) -> bool {
        matches!(self, Self::Starts(StartedAs::Words) | Self::StartsUnexpectedly(StartedAs::Words))
    }
}

/// How the text that is started is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
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

    /// Whether operands of the form `key=value` have a meaning of their own: `dd if=a of=b`.
    pub(super) fn takes_settings(&self) -> bool {
        self.options.keys().any(|name| name.ends_with('='))
    }

    /// The role of the first operand of an interpreter: the file with the code.
    pub(super) fn interprets(&self) -> Option<&Role> {
        self.operands.first().filter(|role| role.does == OperandUse::Starts(StartedAs::File))
    }

    /// Whether it may run what it reads from its standard input.
    pub(super) fn runs_input(&self) -> bool {
        self.stdin.is_some() || self.interprets().is_some()
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
        self.operands.iter().position(|role| role.does.is_command())
    }
}

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
}

/// The shipped tables, read at the first use. A test makes sure that they can be read, so they are never empty.
pub(super) fn shipped() -> &'static Programs {
    static ALL: LazyLock<Programs> = LazyLock::new(|| Programs::read(SHIPPED_TABLES).unwrap_or_default());
    &ALL
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
}
