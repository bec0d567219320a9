//! Detects changes that hide an error instead of removing its cause: the failing code is still there but something
//! around it keeps quiet, or the failing code is no longer executed.
//!
//! The line-based part works for all languages of recipes. It finds changes that do nothing but hide the error
//! (`only_swallows`), and new quiet handlers around old code, whatever else changed (`by_lines`). For Python,
//! JavaScript and bash the grammar-based part finds further ways (`by_grammar`).

mod bash;
mod dead_code;
#[cfg(test)]
mod grammar_tests;
mod javascript;
mod python;
mod tree;

use super::handlers::{
    self, HANDLER_PREFIXES, Handler, ends_with_success, is_end, is_quiet, steps, without_comment,
};
use crate::domain::Language;
use crate::recipe::text::printable;
use crate::text::diff::similarity;
use std::collections::{HashSet, VecDeque};
use tree::{Grammar, Silencer, Source, has_grammar};

/// Lines that only wrap other code.
const WRAPPING_LINES: &[&str] =
    &["try:", "try {", "try{", "begin", "end", "{", "}", "};", "finally:", "else:", "then", "fi"];
/// Text in a line that catches the errors of the line's own command.
const INLINE_SILENCERS: &[&str] = &["|| true", "|| :", "|| exit 0", "rescue nil", "suppress("];
/// Imports that a handler may need.
const IMPORT_PREFIXES: &[&str] =
    &["import contextlib", "from contextlib import suppress", "import logging", "import warnings"];

/// The most pairs of lines that are compared by characters, and the compared length of each; equal lines need no
/// comparison.
const MAX_PAIRS: usize = 500;
const MAX_COMPARED_BYTES: usize = 200;
const MAX_BYTES: usize = 1 << 20;
/// The most times that an added line is searched for a removed one; a long line counts several times.
const MAX_SEARCHES: usize = 200_000;

/// The beginning of the message about code that is no longer executed.
pub(super) const NOT_DONE_MESSAGE: &str = "not done any more: ";

/// How a change handles errors.
#[derive(Default)]
pub(super) struct ErrorHandling {
    /// How it hides an error: the quiet line, or what is no longer executed ([`NOT_DONE_MESSAGE`]).
    pub(super) hidden: Option<String>,
    /// A new handler that does something with the errors it catches.
    pub(super) new_handler: Option<String>,
    /// Whether part of the change could not be examined.
    pub(super) unexamined: bool,
}

impl ErrorHandling {
    pub(super) fn of(language: &Language, old: &str, new: &str) -> Self {
        if old.len().max(new.len()) > MAX_BYTES {
            return Self { unexamined: true, ..Self::default() };
        }
        let (handlers, is_whole) = handlers::new(old, new);
        let only = only_swallows(old, new);
        let line = only.as_ref().ok().and_then(Option::as_deref).map(quoted);
        let by_lines = Self {
            hidden: line.or_else(|| by_lines(&handlers, old)),
            new_handler: handlers.first().map(|handler| handler_message(handler.line)),
            unexamined: !is_whole || only.is_err(),
        };
        if by_lines.hidden.is_some() || !has_grammar(language) {
            return by_lines;
        }
        let by_grammar = match (Source::read(old, language), Source::read(new, language)) {
            (Some(old_tree), Some(new_tree)) => by_grammar(&old_tree, &new_tree, old),
            _ => Self { unexamined: true, ..Self::default() },
        };
        Self {
            hidden: by_grammar.hidden,
            new_handler: by_lines.new_handler.or(by_grammar.new_handler),
            unexamined: by_lines.unexamined || by_grammar.unexamined,
        }
    }
}

/// How a change hides an error; `None` if it does not.
pub(super) fn swallows(language: &Language, old: &str, new: &str) -> Option<String> {
    ErrorHandling::of(language, old, new).hidden
}

/// The same, by new handlers found line by line.
fn by_lines(handlers: &[Handler<'_>], old: &str) -> Option<String> {
    let mut known = KnownLines::of(old);
    let mut takes = |lines: &Option<Vec<&str>>| lines.as_ref().is_none_or(|lines| known.has_one(lines));
    let mut quiet = handlers.iter().filter(|handler| handler.is_quiet());
    quiet.find(|handler| takes(&handler.takes)).map(|handler| quoted(handler.line))
}

fn by_grammar(old: &Source<'_>, new: &Source<'_>, text: &str) -> ErrorHandling {
    let mut known = KnownLines::of(text);
    let mut takes =
        |silencer: &Silencer<'_>| silencer.takes.as_ref().is_none_or(|lines| known.has_one(lines));
    let silencers = new_silencers(old, new);
    let mut quiet = silencers.iter().filter(|silencer| silencer.is_quiet);
    let line = quiet.find(|silencer| takes(silencer)).map(|silencer| quoted(silencer.line));
    let gone = || Some(format!("{NOT_DONE_MESSAGE}{}", dead_code::gone(old, new)?));
    let not_strict = bash::not_strict(old, new);
    let lax = || not_strict.filter(|(_, looks)| !looks).map(|(line, _)| is_gone(line));
    let taken = silencers.first().map(|silencer| handler_message(silencer.line));
    ErrorHandling {
        hidden: line.or_else(gone).or_else(lax),
        new_handler: taken.or_else(|| not_strict.map(|(line, _)| is_gone(line))),
        unexamined: !old.is_whole() || !new.is_whole(),
    }
}

/// The silencers of `new` that `old` does not have.
fn new_silencers<'a>(old: &Source<'_>, new: &Source<'a>) -> Vec<Silencer<'a>> {
    let mut known = silencers(old);
    let mut is_new = |silencer: &Silencer<'_>| {
        let at = known.iter().position(|other| other.text == silencer.text);
        at.map(|at| known.remove(at)).is_none()
    };
    silencers(new).into_iter().filter(|silencer| is_new(silencer)).collect()
}

fn silencers<'a>(source: &Source<'a>) -> Vec<Silencer<'a>> {
    match source.grammar {
        Grammar::Python => python::silencers(source),
        Grammar::Javascript => javascript::silencers(source),
        Grammar::Bash => bash::silencers(source),
    }
}

fn handler_message(line: &str) -> String {
    format!("new in it, and takes errors: {}", quoted(line))
}

fn is_gone(line: &str) -> String {
    format!("{} is gone", quoted(line))
}

fn quoted(line: &str) -> String {
    format!("`{}`", printable_line(line))
}

/// The lines of a text, to find lines equal or similar to them.
struct KnownLines<'a> {
    lines: Vec<&'a str>,
    exactly: HashSet<&'a str>,
    /// How many more pairs may be compared by characters.
    left: usize,
}

impl<'a> KnownLines<'a> {
    fn of(text: &'a str) -> Self {
        let lines = effective_lines(text);
        Self { exactly: lines.iter().copied().collect(), lines, left: MAX_PAIRS }
    }

    fn has_one(&mut self, lines: &[&str]) -> bool {
        lines.iter().any(|line| self.has(line))
    }

    fn has(&mut self, line: &str) -> bool {
        let left = &mut self.left;
        let is_alike = |old: &&str| {
            // Once the budget is used up, a line counts as known: nothing proves that it is new.
            *left == 0 || {
                *left -= 1;
                is_alike(compared_part(old), compared_part(line))
            }
        };
        self.exactly.contains(line) || self.lines.iter().any(is_alike)
    }
}

/// Whether two lines are the same, perhaps with other names.
fn is_alike(one: &str, other: &str) -> bool {
    one == other || similarity(one, other) >= 0.7
}

/// The part of a line that is compared.
fn compared_part(line: &str) -> &str {
    line.get(..line.floor_char_boundary(MAX_COMPARED_BYTES)).unwrap_or(line)
}

fn printable_line(line: &str) -> String {
    printable(line, 80)
}

/// The change is too large to be examined.
struct NotLookedAt;

/// The line that hides the error, if the change does nothing else.
fn only_swallows(old: &str, new: &str) -> Result<Option<String>, NotLookedAt> {
    let (old, new) = (effective_lines(old), effective_lines(new));
    let mut came = VecDeque::from(missing_lines(&new, &old));
    let mut left = MAX_SEARCHES;
    let mut handler = None;
    for line in missing_lines(&old, &new) {
        let wraps = |wrapped: &&str| {
            left = left.saturating_sub(steps(wrapped));
            left == 0 || wrapped.contains(line) && takes_inline(&wrapped.replacen(line, " ", 1))
        };
        let at = came.iter().position(wraps);
        if left == 0 {
            return Err(NotLookedAt);
        }
        let Some(wrapped) = at.and_then(|at| came.remove(at)) else { return Ok(None) };
        handler.get_or_insert(wrapped);
    }
    for line in came {
        let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        if begins(HANDLER_PREFIXES) {
            // Statements after the colon on the same line have to be quiet, too.
            let body = line.rsplit_once(": ").map_or("", |(_, body)| body.trim());
            if !body.is_empty() && !is_quiet(body) {
                return Ok(None);
            }
            handler.get_or_insert(line);
        } else if !WRAPPING_LINES.contains(&line) && !IMPORT_PREFIXES.contains(&line) && !is_quiet(line) {
            return Ok(None);
        }
    }
    Ok(handler.map(printable_line))
}

/// The lines with code, without indentation and trailing comment.
fn effective_lines(text: &str) -> Vec<&str> {
    let says = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//");
    text.lines().map(str::trim).filter(says).map(without_comment).collect()
}

/// The lines of `one` that `other` lacks, counting repetitions.
pub(super) fn missing_lines<'a>(one: &[&'a str], other: &[&str]) -> Vec<&'a str> {
    let mut known = std::collections::HashMap::<&str, usize>::new();
    for line in other {
        *known.entry(line).or_default() += 1;
    }
    let is_new = |line: &&&str| match known.get_mut(**line) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    };
    one.iter().filter(is_new).copied().collect()
}

/// Whether the text around a command catches its errors and keeps quiet.
fn takes_inline(around: &str) -> bool {
    let catches = || {
        let (_, behind) = around.split_once("catch")?;
        let body =
            behind.rsplit_once('{').or_else(|| behind.rsplit_once("=>")).map_or(behind, |(_, body)| body);
        let body = body.trim_matches(|c| "{}(); ".contains(c));
        Some(body.split(';').all(|does| is_quiet(does.trim())))
    };
    INLINE_SILENCERS.iter().any(|word| around.contains(word)) || catches() == Some(true)
}

#[cfg(test)]
mod tests {
    use crate::domain::Language;

    /// The hiding line, in a language without a grammar here.
    fn swallows(old: &str, new: &str) -> Option<String> {
        super::swallows(&Language("ruby".into()), old, new).map(|line| line.trim_matches('`').to_owned())
    }

    fn handles(old: &str, new: &str) -> Option<String> {
        let told = super::ErrorHandling::of(&Language("ruby".into()), old, new).new_handler?;
        Some(told.split('`').nth(1)?.to_owned())
    }

    #[test]
    fn lines_that_are_searched_too_often_are_told_as_not_looked_at() {
        let old: Vec<String> = (0..2_000).map(|n| format!("go {n};")).collect();
        let new: Vec<String> = old.iter().rev().map(|line| format!("{line} || true")).collect();
        let caught = |new: &str| super::ErrorHandling::of(&Language("ruby".into()), &old.join("\n"), new);
        let reversed = caught(&new.join("\n"));
        assert!(reversed.hidden.is_none() && reversed.unexamined);
        // In the same order, each line is found at the first try.
        let same: Vec<String> = new.into_iter().rev().collect();
        let same = caught(&same.join("\n"));
        assert!(same.hidden.is_some() && !same.unexamined);
        let large = caught(&"x\n".repeat(super::MAX_BYTES));
        assert!(large.hidden.is_none() && large.unexamined);
    }

    const OLD: &str = "for row in rows:\n    total += row['x']\nprint(total)\n";

    /// The same with a handler around its statement.
    fn guarded(handler: &str) -> String {
        format!("for row in rows:\n    try:\n        total += row['x']\n    {handler}\nprint(total)\n")
    }

    #[test]
    fn what_only_keeps_quiet_is_told() {
        for (handler, line) in [
            ("except KeyError:\n        pass", "except KeyError:"),
            ("except Exception as e:\n        print(e)\n        continue", "except Exception as e:"),
            ("except: pass", "except: pass"),
        ] {
            assert_eq!(swallows(OLD, &guarded(handler)).as_deref(), Some(line), "{handler}");
        }
        let suppressing = "from contextlib import suppress\nfor row in rows:\n    with suppress(KeyError):\n        total += row['x']\nprint(total)\n";
        assert_eq!(swallows(OLD, suppressing).as_deref(), Some("with suppress(KeyError):"));
        // Too many pairs to compare, and a long line: neither proves that the line is new.
        let many: String = (0..700).map(|n| format!("alpha_{n} = beta_{n}\n")).collect();
        let long = format!("total = compute({}1)\n", "row + ".repeat(60));
        for old in [format!("{many}total = compute(rows)\n"), long.clone()] {
            let call = old.lines().last().unwrap().replace("total", "sum_of_all");
            let new =
                format!("import os\nos.sync()\ntry:\n    {call}\nexcept Exception:\n    pass\nprint(1)\n");
            assert_eq!(swallows(&old, &new).as_deref(), Some("except Exception:"), "{new}");
        }
        assert_eq!(swallows("rm x\n", "rm x || true\n").as_deref(), Some("rm x || true"));
        assert_eq!(swallows("rm x\nls\n", "set +e\nrm x\nls\n").as_deref(), Some("set +e"));
        let js = "try {\n  go();\n} catch (e) {\n  console.log(e);\n}\n";
        assert_eq!(swallows("go();\n", js).as_deref(), Some("} catch (e) {"));
        for quiet in ["catch {}", "catch (e) { console.log(e); }", "catch { return null; }"] {
            assert!(swallows("go();\n", &format!("try {{ go(); }} {quiet}\n")).is_some(), "{quiet}");
        }
        assert!(swallows("go();\n", "try { go(); } catch (e) { other(e); }\n").is_none());
    }

    #[test]
    fn what_ends_quietly_or_gives_nothing_back_is_told_too() {
        for body in [
            "pass  # skip bad rows",
            "return []",
            "return 0",
            "sys.exit(0)",
            "sys.exit()",
            "os._exit(0)",
            "traceback.print_exc()",
            "raise SystemExit(0)",
        ] {
            let new = guarded(&format!("except KeyError:  # noqa\n        {body}"));
            assert_eq!(swallows(OLD, &new).as_deref(), Some("except KeyError:"), "{body}");
        }
        let js = "function f() {\n  try {\n    go();\n  } catch (e) {\n    return null; // none\n  }\n}\n";
        assert!(swallows("function f() {\n    go();\n}\n", js).is_some());
        for body in ["sys.exit(1)", "return total", "return row['y']", "exit 2"] {
            let new = guarded(&format!("except KeyError:\n        {body}"));
            assert_eq!(swallows(OLD, &new), None, "{body}");
        }
    }

    #[test]
    fn a_new_handler_that_goes_on_is_told_whatever_else_changed() {
        let old = "for line in lines:\n    n = int(line)\n    total += n\nprint(total)\n";
        for (new, line) in [
            (
                "for line in lines:\n    try:\n        n = int(line)\n    except ValueError: n = 0\n    total += n\nprint(total)\n",
                "except ValueError: n = 0",
            ),
            (
                "for line in lines:\n    try:\n        n = int(line)\n    except ValueError:\n        n = None\n        continue\n    total += n\nprint(total)\n",
                "except ValueError:",
            ),
            (
                "for row in lines:\n    try:\n        number = int(row)\n        total += number\n    except Exception:\n        pass\nprint(total)\n",
                "except Exception:",
            ),
            (
                "from contextlib import suppress\nfor row in lines:\n    with suppress(ValueError):\n        total += int(row)\n        n = int(row)\nprint(total)\n",
                "with suppress(ValueError):",
            ),
        ] {
            assert_eq!(swallows(old, new).as_deref(), Some(line), "{new}");
        }
        let js = "let n;\ntry {\n  n = go(x);\n} catch (e) {\n  n = null;\n}\nshow(n ?? 1);\n";
        assert_eq!(swallows("const n = go(x);\nshow(n);\n", js).as_deref(), Some("} catch (e) {"));
    }

    #[test]
    fn a_handler_that_was_there_or_that_does_something_is_not() {
        let old = "try:\n    import x\nexcept ImportError:\n    x = None\nprint(int(text))\n";
        let new = "try:\n    import x\nexcept ImportError:\n    x = None\nprint(int(text.strip()))\n";
        assert_eq!((swallows(old, new), handles(old, new)), (None, None));
        let new = "try:\n    n = int(text)\nexcept ValueError:\n    n = int(text, 16)\n";
        assert_eq!(swallows("n = int(text)\n", new), None);
        assert_eq!(handles("n = int(text)\n", new).as_deref(), Some("except ValueError:"));
        // A handler around new code hides no old error.
        let new = "print(text)\ntry:\n    os.remove('x')\nexcept OSError:\n    pass\n";
        assert_eq!(swallows("print(int(text))\n", new), None);
    }

    #[test]
    fn what_changes_something_is_not() {
        for new in [
            "for row in rows:\n    total += row.get('x', 0)\nprint(total)\n",
            &guarded("except KeyError:\n        total += row['y']"),
            &guarded("except KeyError: raise ValueError(row)"),
            "for row in rows:\n    if 'x' in row:\n        total += row['x']\nprint(total)\n",
            "for row in rows:\n    # pass\n    total += row['x']\nprint(total)\n",
            OLD,
            "",
        ] {
            assert_eq!(swallows(OLD, new), None, "{new}");
        }
    }
}
