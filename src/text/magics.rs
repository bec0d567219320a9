//! What several rooms know of the magics of IPython.

/// Magics of a line that change nothing but how a notebook shows things, or when it loads them anew.
pub(crate) const STEERING: &[&str] = &["matplotlib", "autoreload", "autosave", "precision", "pdb", "xmode"];

/// The one file that a magic is given, as IPython reads it: quotes around all of it are none of its name and hold blanks.
/// `None`: there is none, or more than that, or an option, and IPython does something else.
pub(crate) fn only_word(given: &str) -> Option<&str> {
    let given = given.trim();
    let name = match given.chars().next()? {
        quote @ ('"' | '\'') => {
            given.strip_prefix(quote)?.strip_suffix(quote).filter(|name| !name.contains(quote))?
        }
        '-' => return None,
        _ => Some(given).filter(|name| !name.contains(char::is_whitespace))?,
    };
    Some(name).filter(|name| !name.is_empty())
}

/// Whether IPython puts values of Python into a text: it is no name as it stands.
pub(crate) fn holds_values(text: &str) -> bool {
    text.contains(['{', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_magic_is_read_as_ipython_reads_it() {
        for (given, name) in [
            ("a.sh", "a.sh"),
            ("\"a.sh\"", "a.sh"),
            (" 'b c.sh' ", "b c.sh"),
            ("it's.txt", "it's.txt"),
            ("\"n'o\"", "n'o"),
        ] {
            assert_eq!(only_word(given), Some(name), "{given}");
        }
        // These IPython refuses, or adds to a file.
        for given in ["", "a b", "\"a\"b", "\"a", "\"", "''", "-a x", "x -a", "'a' 'b'"] {
            assert_eq!(only_word(given), None, "{given}");
        }
    }
}
