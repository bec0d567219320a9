//! Facts about IPython's magics that several rooms need.

/// Line magics that only affect how a notebook shows things or when it reloads modules.
pub(crate) const DISPLAY_MAGICS: &[&str] =
    &["matplotlib", "autoreload", "autosave", "precision", "pdb", "xmode"];

/// The single file name in a magic's arguments, parsed like IPython does: quotes around all of it are removed, and
/// allow spaces. `None` if there is no name, more than one, or an option, where IPython does something else.
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

/// Whether IPython would insert values of Python into the text, so that it is not the literal name.
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
        // IPython refuses these, or appends to a file.
        for given in ["", "a b", "\"a\"b", "\"a", "\"", "''", "-a x", "x -a", "'a' 'b'"] {
            assert_eq!(only_word(given), None, "{given}");
        }
    }
}
