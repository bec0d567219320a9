//! What an editor knows of a language by its name: how its lines are commented out, which lines indent the next
//! one, and which end an indent. It guesses from one line; nothing else depends on it.

/// How a language writes blocks of lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Blocks {
    /// With brackets, if at all.
    #[default]
    Brackets,
    /// With a colon and an indent.
    Colon,
    /// With words: `then`, `do` ... `fi`, `done`.
    Words,
}

/// What an editor knows of a language.
#[derive(Clone, Debug, Default)]
pub(crate) struct Syntax {
    blocks: Blocks,
    pub(super) comment: Option<&'static str>,
    /// Whether lines are code: prose only keeps its indent.
    code: bool,
    tabs: bool,
}

/// What the end of a line opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineOpening {
    Nothing,
    /// A bracket, which this one closes.
    Bracket(char),
    /// A block, which ends with a word or a less indented line.
    Block,
}

impl Syntax {
    /// Looks up a language by its name.
    pub(crate) fn of(language: &str) -> Self {
        let blocks = match language {
            "python" => Blocks::Colon,
            "bash" | "sh" | "zsh" | "lua" | "ruby" => Blocks::Words,
            _ => Blocks::Brackets,
        };
        let comment = match language {
            "python" | "bash" | "sh" | "zsh" | "fish" | "ruby" | "perl" | "r" | "julia" | "yaml" | "toml"
            | "make" | "makefile" | "dockerfile" | "powershell" | "awk" | "elixir" | "tcl" | "nix" => {
                Some("#")
            }
            "javascript" | "typescript" | "rust" | "go" | "c" | "cpp" | "java" | "kotlin" | "swift"
            | "php" | "csharp" | "scala" | "dart" | "zig" | "jsonc" => Some("//"),
            "sql" | "lua" | "haskell" | "elm" | "ada" => Some("--"),
            "lisp" | "scheme" | "clojure" | "racket" | "ini" => Some(";"),
            "erlang" | "matlab" | "octave" | "tex" | "latex" | "prolog" => Some("%"),
            _ => None,
        };
        let code = !matches!(language, "" | "text" | "markdown" | "diff");
        Self { blocks, comment, code, tabs: matches!(language, "go" | "make" | "makefile") }
    }

    /// One step of indent: as the lines have it, else as usual in the language.
    pub(crate) fn unit(&self, lines: &[String]) -> &'static str {
        let first =
            lines.iter().take(2_000).find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        match first {
            Some(line) if line.starts_with('\t') => "\t",
            Some(line) if line.starts_with("  ") && !line.starts_with("   ") => "  ",
            None if self.tabs => "\t",
            _ => "    ",
        }
    }

    pub(crate) fn opens(&self, line: &str) -> LineOpening {
        if !self.code {
            return LineOpening::Nothing;
        }
        let line = self.without_comment(line).trim_end();
        let word = line.rsplit(|c: char| c.is_whitespace() || c == ';').next().unwrap_or_default();
        match line.chars().next_back() {
            Some('(') => LineOpening::Bracket(')'),
            Some('[') => LineOpening::Bracket(']'),
            Some('{') => LineOpening::Bracket('}'),
            Some(':') if self.blocks == Blocks::Colon => LineOpening::Block,
            _ if self.blocks == Blocks::Words && matches!(word, "do" | "then" | "else") => LineOpening::Block,
            _ => LineOpening::Nothing,
        }
    }

    /// Whether a line should lose one indent after this character was typed: it contains nothing but what
    /// closes a block.
    pub(crate) fn closes(&self, line: &str, typed: char) -> bool {
        let text = line.trim();
        let word = text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        match typed {
            '}' | ')' | ']' => self.code && text.chars().eq([typed]),
            ':' if self.blocks == Blocks::Colon => {
                matches!(text, "else:" | "finally:") || matches!(word, "elif" | "except")
            }
            _ => false,
        }
    }

    /// Whether a line is a closing word. Only checked when the line is left, because `fi` may become `find`.
    pub(crate) fn closes_by_word(&self, line: &str) -> bool {
        let text = line.trim();
        self.blocks == Blocks::Words
            && (matches!(text, "fi" | "done" | "esac" | "else" | "end")
                || (text.starts_with("elif ") && text.ends_with("then")))
    }

    /// A line up to its comment; comment marks within quotes don't count.
    fn without_comment<'a>(&self, line: &'a str) -> &'a str {
        let Some(mark) = self.comment else { return line };
        let mut quote = None;
        let mut blank = true;
        for (at, c) in line.char_indices() {
            match quote {
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if matches!(c, '"' | '\'') => quote = Some(c),
                None if blank && line.get(at..).is_some_and(|rest| rest.starts_with(mark)) => {
                    return line.get(..at).unwrap_or(line);
                }
                None => {}
            }
            blank = c.is_whitespace();
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_opens_and_what_closes() {
        for (language, line, opens) in [
            ("python", "if x:", LineOpening::Block),
            ("python", "if x:  # why: that", LineOpening::Block),
            ("python", "x = '#:'", LineOpening::Nothing),
            ("python", "# if x:", LineOpening::Nothing),
            ("python", "f(", LineOpening::Bracket(')')),
            ("bash", "if true; then", LineOpening::Block),
            ("bash", "for a in b; do  # each", LineOpening::Block),
            ("bash", "echo undo", LineOpening::Nothing),
            ("bash", "f() {", LineOpening::Bracket('}')),
            ("rust", "match x {", LineOpening::Bracket('}')),
            ("rust", "a: // {", LineOpening::Nothing),
            ("text", "so it goes (", LineOpening::Nothing),
        ] {
            assert_eq!(Syntax::of(language).opens(line), opens, "{language}: {line}");
        }
        assert!(Syntax::of("python").closes("    else:", ':'));
        assert!(!Syntax::of("python").closes("    else_: int = 1:", ':'));
        assert!(Syntax::of("rust").closes("    }", '}'));
        assert!(!Syntax::of("rust").closes("    x }", '}'));
        assert!(Syntax::of("bash").closes_by_word("  fi"));
        assert!(!Syntax::of("bash").closes_by_word("  find"));
    }
}
