//! Finds the prompt on the command line: one argument, or any number of words after `--`.

use super::Cli;

/// Why the words are not a prompt.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PromptError {
    /// Several words without quotes.
    #[error("a prompt is one argument, but {0} were given")]
    Words(usize),
    /// One word that looks like a mistyped command.
    #[error("there is no command {given:?}; did you mean {meant:?}?")]
    Mistyped {
        /// What was written.
        given: String,
        /// The command that is similar.
        meant: String,
    },
}

impl PromptError {
    /// What to do about it.
    pub(crate) fn hint(&self) -> String {
        match self {
            PromptError::Words(_) => {
                "Put it in quotes, or write it behind `--`: sayso -- plot sales.csv".into()
            }
            PromptError::Mistyped { given, .. } => format!("To ask it as a prompt: sayso -- {given}"),
        }
    }
}

/// The prompt in `words` (before `--`) or `rest` (after it), if there is one.
pub(crate) fn prompt(words: &[String], rest: &[String]) -> Result<Option<String>, PromptError> {
    match (words, rest) {
        ([], []) => Ok(None),
        ([], rest) => Ok(Some(rest.join(" "))),
        ([word], []) => Ok(Some(word.clone())),
        (words, rest) => Err(PromptError::Words(words.len() + rest.len())),
    }
}

/// Like [`prompt`], where a command could be meant instead.
pub(crate) fn first_prompt(words: &[String], rest: &[String]) -> Result<Option<String>, PromptError> {
    if let ([word], []) = (words, rest)
        && let Some(meant) = nearest_command(word)
    {
        return Err(PromptError::Mistyped { given: word.clone(), meant });
    }
    prompt(words, rest)
}

/// The command that a word was probably meant to be.
fn nearest_command(word: &str) -> Option<String> {
    let commands = <Cli as clap::CommandFactory>::command();
    let names = commands.get_subcommands().map(clap::Command::get_name);
    names.filter(|_| !word.contains(char::is_whitespace)).find(|name| is_near(word, name)).map(str::to_owned)
}

/// Whether two words differ by one letter too many, too few or wrong. Stricter than for a suggestion, because the
/// prompt is refused.
fn is_near(a: &str, b: &str) -> bool {
    b.len() > 2 && strsim::levenshtein(a, b) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn a_prompt_is_one_argument_or_follows_dashes() {
        let of = |args: &[&str]| {
            let cli = Cli::try_parse_from(std::iter::once("sayso").chain(args.iter().copied())).unwrap();
            first_prompt(&cli.words, &cli.rest)
        };
        assert_eq!(of(&["plot it"]), Ok(Some("plot it".into())));
        assert_eq!(of(&["--", "plot", "it", "--now"]), Ok(Some("plot it --now".into())));
        assert_eq!(of(&[]), Ok(None));
        assert_eq!(of(&["plot", "it"]), Err(PromptError::Words(2)));
        assert_eq!(of(&["plot", "--", "it"]), Err(PromptError::Words(2)));
        assert!(matches!(of(&["resum"]), Err(PromptError::Mistyped { meant, .. }) if meant == "resume"));
        assert_eq!(of(&["--", "resum"]), Ok(Some("resum".into())));
        assert_eq!(of(&["ls"]), Ok(Some("ls".into())));
    }
}
