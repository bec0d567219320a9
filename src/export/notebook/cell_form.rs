//! Tells in which form a cell of a notebook can hold a block so that exactly this text runs, in its own language.
//!
//! IPython changes a text before Python sees it: a line with `!` or `%` becomes a command, prompts and a common indent
//! are removed, and a cell of one line may be a magic without its `%`. Nothing is parsed here. In doubt a text does not
//! count as plain Python, which only makes the cell harder to read: it still does the same. Only a text that waits
//! outside of functions becomes no code then, because neither a magic nor a call can wait.

use super::super::document::BlockPart;
use super::super::script::restrictions;

/// How a cell holds a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CellForm {
    /// As it is.
    Plain,
    /// Below sayso's own magic, which gives the text to Python unchanged.
    Magic,
    /// As a string on one line that a call gives to Python, because cells with prompts are changed below a magic too.
    Call,
    /// Only as text, because no cell would run just this.
    Text,
}

/// Names that begin a line of Python and are not magics.
const PYTHON_WORDS: &[&str] = &[
    "assert", "async", "await", "break", "class", "continue", "def", "del", "display", "for", "from",
    "global", "if", "import", "lambda", "len", "match", "nonlocal", "not", "pass", "print", "raise",
    "return", "try", "while", "with", "yield", "None", "True", "False",
];

/// The magics and aliases of IPython that a cell of one line may call without their `%`.
const MAGIC_NAMES: &str = "\
     alias alias_magic autoawait autocall automagic bash bookmark capture cat cd clear code_wrap colors conda \
     config connect_info cp debug dhist dirs doctest_mode ed edit env file gui hist history html HTML \
     javascript js killbgscripts latex ldir less lf lk ll load load_ext loadpy logoff logon logstart logstate \
     logstop ls lsmagic lx macro magic mamba man markdown matplotlib micromamba mkdir more mv notebook page \
     pastebin pdb pdef pdoc perl pfile pinfo pinfo2 pip popd pprint precision prun psearch psource pushd pwd \
     pycat pylab pypy python python2 python3 qtconsole quickref recall rehashx reload_ext rep rerun reset \
     reset_selective rm rmdir ruby run save sc script set_env sh subshell svg SVG sx system tb time timeit \
     unalias unload_ext uv who who_ls whos writefile xdel xmode";

/// The characters at which IPython ends a line.
const LINE_ENDS: [char; 10] =
    ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];

/// The form for a block in the language of the notebook's kernel. `may_end`: it may end its program by itself.
pub(super) fn cell_form(block: &BlockPart, may_end: bool) -> CellForm {
    let in_jupyter = block.run.as_ref().is_some_and(|run| run.in_jupyter);
    match block.code_language() {
        Some("python") => {}
        // A kernel of Julia takes such a text as a command of the shell or of its package manager.
        Some("julia") if !in_jupyter && block.source.trim_start().starts_with([';', ']', '?']) => {
            return CellForm::Text;
        }
        _ => return CellForm::Plain,
    }
    let form = python_form(&block.source, block.ended_well());
    if in_jupyter && form != CellForm::Plain {
        return CellForm::Plain;
    }
    // Code with a top-level `await` can't run through a magic or a call.
    let awaits = restrictions::awaits_at_top_level(&block.source);
    match form {
        CellForm::Plain if may_end && !awaits => CellForm::Magic,
        CellForm::Magic if awaits && block.ended_well() && has_only_doubtful_lines(&block.source) => {
            CellForm::Plain
        }
        CellForm::Magic | CellForm::Call if awaits => CellForm::Text,
        form => form,
    }
}

/// Whether a line of the text looks like the prompt of an interpreter, which IPython removes in every kind of cell.
pub(super) fn has_prompt(text: &str) -> bool {
    lines(text).map(str::trim_start).any(|line| {
        let is_dotted = line.starts_with("...") && line.trim_start_matches('.').starts_with(':');
        line.starts_with(">>>") || line.starts_with("In [") || is_dotted
    })
}

/// The form for a text that Python itself was given.
fn python_form(source: &str, ended_well: bool) -> CellForm {
    // Outside of a notebook there is no such name: what failed for that reason must not go on here.
    if !ended_well && source.contains("get_ipython") {
        return CellForm::Text;
    }
    if has_prompt(source) {
        CellForm::Call
    } else if is_plain(source, ended_well) {
        CellForm::Plain
    } else {
        CellForm::Magic
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(LINE_ENDS)
}

/// Whether IPython gives this text to Python unchanged.
fn is_plain(source: &str, ended_well: bool) -> bool {
    !is_changed_as_whole(source, ended_well) && !lines(source).any(is_of_ipython)
}

/// Whether IPython removes an indent of the whole text, or may take its only line for a magic.
fn is_changed_as_whole(source: &str, ended_well: bool) -> bool {
    let mut written = lines(source).filter(|line| !line.trim().is_empty());
    let Some(first) = written.next() else { return false };
    let is_only = written.next().is_none();
    first.starts_with(char::is_whitespace) || is_only && may_be_magic(first, ended_well)
}

/// Whether nothing but single lines speaks against a text that Python has read to its end. An IPython that waits
/// outside of functions judges such lines by their tokens, and finds no command in Python. It may find one only where
/// it ends a line that goes on for Python.
fn has_only_doubtful_lines(source: &str) -> bool {
    let has_other_ends = source.contains(|c: char| c != '\n' && LINE_ENDS.contains(&c));
    !has_other_ends && !is_changed_as_whole(source, true)
}

/// Whether a line may be a command of IPython. It may also be part of a string, or of a longer expression.
fn is_of_ipython(line: &str) -> bool {
    let bare = line.trim();
    // A comment is no call for help. Behind a quote, the mark of a comment may be part of a string.
    let has_comment = bare.split_once('#').is_some_and(|(code, _)| !code.contains(['"', '\'']));
    let is_help = bare.ends_with('?') && !has_comment;
    let is_assigned = bare.split('=').skip(1).map(str::trim_start).any(|value| {
        let magic = value.strip_prefix('%').map(str::trim_start);
        value.starts_with('!') || magic.is_some_and(begins_with_name)
    });
    bare.starts_with(['!', '%', '?', ',', ';', '/']) || is_help || is_assigned
}

fn begins_with_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Whether a cell of this line alone may be a magic without its `%`, as `rm x` is. A name of the session hides a magic
/// of the same name; a line that failed may have failed because there was none.
fn may_be_magic(line: &str, ended_well: bool) -> bool {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '.').unwrap_or(line.len());
    let (word, rest) = line.split_at_checked(end).unwrap_or((line, ""));
    let is_name = begins_with_name(word) && !word.contains('.');
    let is_bound = rest.trim_start().starts_with(['=', ',']);
    let is_magic = || MAGIC_NAMES.split_whitespace().any(|name| name == word);
    let may_be_one = if ended_well { is_magic() } else { !PYTHON_WORDS.contains(&word) };
    is_name && !is_bound && may_be_one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ipython_would_change_is_not_plain() {
        for changed in [
            "!touch a",
            "x = 1\n  !touch a",
            "# fine\n%%bash\ntouch a",
            "%run a.py",
            "x = 1\nfiles = !ls",
            "x = 1\na = b =% sx ls",
            "x = 1\nprint?",
            "?print\nx = 1",
            ",os.system ls\nx = 1",
            "/f a\nx = 1",
            "  x = 1\n  y = 2",
            "rm -rf a",
            "system (ls)",
            "ls",
            "# a\u{2028}!touch a\nx = 1",
            "x = 1\r!touch a\nx = 2",
            "x = 1\n\u{c}!touch a",
        ] {
            for ended_well in [false, true] {
                assert_eq!(python_form(changed, ended_well), CellForm::Magic, "{changed:?}");
            }
        }
        assert_eq!(python_form("mine x", false), CellForm::Magic);
        assert_eq!(python_form("get_ipython().system('touch a')", false), CellForm::Text);
        for prompt in [">>> x = 1", "x = 1\n  >>> y", "In [1]: x", "x = 1\n   ...: y"] {
            assert_eq!(python_form(prompt, true), CellForm::Call, "{prompt:?}");
        }
    }

    #[test]
    fn python_is_plain() {
        for plain in [
            "",
            "x = 1 % 2\ny = x != 1\nz = x == 1",
            "print('a?')\n# what?",
            "import os",
            "df.head()",
            "ls = 1",
            "1/0",
            "def f():\n    ...\n",
            "x = a[...]",
            "await f()",
        ] {
            for ended_well in [false, true] {
                assert_eq!(python_form(plain, ended_well), CellForm::Plain, "{plain:?}");
            }
        }
        assert_eq!(python_form("plot()", true), CellForm::Plain);
    }
}
