//! Finds the packages that Python blocks import but no block installed: the environment already had them.

use super::super::document::BlockPart;
use crate::domain::packages::python_package;
use std::collections::BTreeSet;

/// The modules of Python's standard library.
const PYTHON_MODULES: &str = "\
     abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect \
     builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall \
     concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm \
     decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp \
     fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip \
     hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword \
     lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt \
     multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib \
     pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd \
     py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy \
     sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd \
     sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau \
     symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit \
     tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata \
     unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp \
     zipfile zipimport zlib zoneinfo";

/// The packages that these blocks import, apart from Python's own modules and modules that a block writes. Blocks are
/// scanned line by line, so imports made by other means are not found.
pub(super) fn packages(steps: &[&BlockPart]) -> BTreeSet<String> {
    let written: BTreeSet<&str> = steps
        .iter()
        .flat_map(|block| &block.writes)
        .filter_map(|(path, _)| path.split('/').next()?.split('.').next())
        .collect();
    let of_python: BTreeSet<&str> = PYTHON_MODULES.split_whitespace().collect();
    let sources = steps.iter().filter(|block| block.code_language() == Some("python"));
    let lines = sources.flat_map(|block| block.source.lines());
    let modules = lines.flat_map(statements).flat_map(modules);
    let others = modules.filter(|module| {
        let first = module.split('.').next().unwrap_or_default();
        !of_python.contains(first) && !first.starts_with('_') && !written.contains(first)
    });
    others.filter_map(python_package).collect()
}

/// The statements of a line, without its comment. A `;` or `#` within quotes divides nothing.
fn statements(line: &str) -> Vec<&str> {
    let (mut all, mut from, mut quote) = (Vec::new(), 0, None);
    let mut signs = line.char_indices();
    while let Some((at, c)) = signs.next() {
        match (quote, c) {
            // The escaped character belongs to the quoted text, even a quote.
            (Some(_), '\\') => drop(signs.next()),
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, ';' | '#') => {
                all.extend(line.get(from..at));
                from = at + 1;
                if c == '#' {
                    return all;
                }
            }
            _ => {}
        }
    }
    all.extend(line.get(from..));
    all
}

/// The modules that a statement imports.
fn modules(statement: &str) -> Vec<&str> {
    let statement = statement.trim_start();
    let named = match (statement.strip_prefix("import "), statement.strip_prefix("from ")) {
        (Some(names), _) => names.split(',').collect(),
        (_, Some(rest)) => rest.split_once(" import ").map(|(module, _)| module).into_iter().collect(),
        _ => Vec::new(),
    };
    let first = |name: &'_ str| name.split_whitespace().next().map(str::len);
    let whole = named.into_iter().map(str::trim).filter_map(|name| name.get(..first(name)?));
    whole
        .filter(|name| {
            name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') && !name.starts_with('.')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    fn modules(line: &str) -> Vec<&str> {
        super::statements(line).into_iter().flat_map(super::modules).collect()
    }

    #[test]
    fn what_a_line_imports_is_read_from_it() {
        let expected = ["numpy", "matplotlib.pyplot"];
        assert_eq!(modules("  import numpy as np, matplotlib.pyplot as plt  # x"), expected);
        assert_eq!(modules("import requests; print('é'); from yaml import load"), ["requests", "yaml"]);
        assert_eq!(modules("import a;b = 1 # ; import c"), ["a"]);
        assert_eq!(modules(r"x = 'it\'s'; import numpy"), ["numpy"]);
        assert_eq!(modules(r#"x = "C:\\"; import numpy"#), ["numpy"]);
        assert_eq!(modules("from sklearn.tree import (Tree,"), ["sklearn.tree"]);
        for none in [
            "from . import a",
            "from .b import c",
            "x = 'import y'",
            "x = '; import y '",
            r"x = 'a\'; import y'",
            "important = 1",
        ] {
            assert!(modules(none).is_empty(), "{none}");
        }
    }
}
