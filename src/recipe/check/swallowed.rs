//! Whether a change does nothing but catch an error away: the code that fails is still there, and something around it keeps
//! quiet. Told by lines, in the languages that recipes run; what also changes anything else is not judged.

/// Lines that something is wrapped in.
const WRAPPERS: &[&str] =
    &["try:", "try {", "try{", "begin", "end", "{", "}", "};", "finally:", "else:", "then", "fi"];
/// What a line begins with that takes errors.
const HANDLERS: &[&str] = &[
    "except",
    "catch",
    "} catch",
    "}catch",
    "rescue",
    "with suppress(",
    "with contextlib.suppress(",
    "set +e",
];
/// What stands in a line that takes the errors of its own command.
const INLINE: &[&str] = &["|| true", "|| :", "|| exit 0", "catch", "rescue nil", "suppress("];
/// What a line begins with that says something and goes on.
const TELLS: &[&str] = &[
    "print(",
    "console.",
    "logging.",
    "logger.",
    "log.",
    "log(",
    "warnings.warn(",
    "echo ",
    "puts ",
    "warn ",
    "traceback.print_",
    "sys.stderr.write(",
    "sys.stdout.write(",
    "process.stderr.write(",
];
/// Lines that do nothing.
const SILENT: &[&str] = &[
    "pass",
    "continue",
    "return",
    "...",
    "null",
    "nil",
    "",
    "break",
    "quit()",
    "raise SystemExit",
    "process.exit()",
];
/// What a line begins with that ends the program, or gives something back.
const ENDS: &[&str] =
    &["return ", "sys.exit(", "os._exit(", "exit(", "exit ", "raise SystemExit(", "process.exit("];
/// What such a line gives where it says nothing of what went wrong.
const EMPTY: &[&str] =
    &["", "0", "-1", "[]", "{}", "()", "''", "\"\"", "None", "null", "nil", "undefined", "False", "false"];
/// What a handler needs to have a name.
const IMPORTS: &[&str] =
    &["import contextlib", "from contextlib import suppress", "import logging", "import warnings"];

/// The line that keeps quiet about the error, where a change is nothing else.
pub(super) fn swallows(old: &str, new: &str) -> Option<String> {
    let (old, new) = (lines(old), lines(new));
    let mut came = without(&new, &old);
    let gone = without(&old, &new);
    let mut handler = None;
    for line in gone {
        let wraps = |wrapped: &&str| {
            wrapped.contains(line) && INLINE.iter().any(|word| rest(wrapped, line).contains(word))
        };
        let at = came.iter().position(wraps)?;
        handler.get_or_insert(came.remove(at));
    }
    for line in came {
        let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word));
        if begins(HANDLERS) {
            // What stands behind it in the same line has to be as quiet.
            let body = line.rsplit_once(": ").map_or("", |(_, body)| body.trim());
            if !body.is_empty() && !is_quiet(body) {
                return None;
            }
            handler.get_or_insert(line);
        } else if !WRAPPERS.contains(&line) && !IMPORTS.contains(&line) && !is_quiet(line) {
            return None;
        }
    }
    handler.map(|line| line.chars().filter(|c| !c.is_control()).take(80).collect())
}

fn is_quiet(line: &str) -> bool {
    let line = line.trim_end_matches(';');
    let given = ENDS.iter().find_map(|word| line.strip_prefix(word).map(|value| (word, value)));
    let empty = given.is_some_and(|(word, value)| {
        EMPTY.contains(&if word.ends_with('(') { value.trim_end_matches(')') } else { value }.trim())
    });
    empty || SILENT.contains(&line) || TELLS.iter().any(|word| line.starts_with(word))
}

/// The lines that do something, without what they are indented by and the comment at their end.
fn lines(text: &str) -> Vec<&str> {
    let says = |line: &&str| !line.is_empty() && !line.starts_with('#') && !line.starts_with("//");
    let without_comment = |line| {
        let cut = |line: &'_ str, mark| line.find(mark).unwrap_or(line.len());
        str::get(line, ..cut(line, " #").min(cut(line, " //"))).unwrap_or(line).trim_end()
    };
    text.lines().map(str::trim).filter(says).map(without_comment).collect()
}

/// The lines of one text that the other has not, as often as it has them more.
fn without<'a>(one: &[&'a str], other: &[&str]) -> Vec<&'a str> {
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

/// What a line has around another.
fn rest(line: &str, inner: &str) -> String {
    line.replacen(inner, " ", 1)
}

#[cfg(test)]
mod tests {
    use super::swallows;

    const OLD: &str = "for row in rows:\n    total += row['x']\nprint(total)\n";

    #[test]
    fn what_only_keeps_quiet_is_told() {
        for (new, line) in [
            (
                "for row in rows:\n    try:\n        total += row['x']\n    except KeyError:\n        pass\nprint(total)\n",
                "except KeyError:",
            ),
            (
                "for row in rows:\n    try:\n        total += row['x']\n    except Exception as e:\n        print(e)\n        continue\nprint(total)\n",
                "except Exception as e:",
            ),
            (
                "for row in rows:\n    try:\n        total += row['x']\n    except: pass\nprint(total)\n",
                "except: pass",
            ),
            (
                "from contextlib import suppress\nfor row in rows:\n    with suppress(KeyError):\n        total += row['x']\nprint(total)\n",
                "with suppress(KeyError):",
            ),
        ] {
            assert_eq!(swallows(OLD, new).as_deref(), Some(line), "{new}");
        }
        assert_eq!(swallows("rm x\n", "rm x || true\n").as_deref(), Some("rm x || true"));
        assert_eq!(swallows("rm x\nls\n", "set +e\nrm x\nls\n").as_deref(), Some("set +e"));
        let js = "try {\n  go();\n} catch (e) {\n  console.log(e);\n}\n";
        assert_eq!(swallows("go();\n", js).as_deref(), Some("} catch (e) {"));
        assert!(swallows("go();\n", "try { go(); } catch {}\n").is_some());
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
            let new = format!(
                "for row in rows:\n    try:\n        total += row['x']\n    except KeyError:  # noqa\n        {body}\nprint(total)\n"
            );
            assert_eq!(swallows(OLD, &new).as_deref(), Some("except KeyError:"), "{body}");
        }
        let js = "function f() {\n  try {\n    go();\n  } catch (e) {\n    return null; // none\n  }\n}\n";
        assert!(swallows("function f() {\n    go();\n}\n", js).is_some());
        for body in ["sys.exit(1)", "return total", "return row['y']", "exit 2"] {
            let new = format!(
                "for row in rows:\n    try:\n        total += row['x']\n    except KeyError:\n        {body}\nprint(total)\n"
            );
            assert_eq!(swallows(OLD, &new), None, "{body}");
        }
    }

    #[test]
    fn what_changes_something_is_not() {
        for new in [
            "for row in rows:\n    total += row.get('x', 0)\nprint(total)\n",
            "for row in rows:\n    try:\n        total += row['x']\n    except KeyError:\n        total += row['y']\nprint(total)\n",
            "for row in rows:\n    try:\n        total += row['x']\n    except KeyError: raise ValueError(row)\nprint(total)\n",
            "for row in rows:\n    if 'x' in row:\n        total += row['x']\nprint(total)\n",
            "for row in rows:\n    # pass\n    total += row['x']\nprint(total)\n",
            OLD,
            "",
        ] {
            assert_eq!(swallows(OLD, new), None, "{new}");
        }
    }
}
