//! Hyperlinks that the terminal opens by itself (OSC 8): decides which addresses may be links, and gives them
//! numbers.
//!
//! A cell carries the number of its link (`cell_tag`); the writer looks it up here. A number keeps its address for the
//! whole life of the program, so a cell on screen never comes to lead elsewhere.
//!
//! An address goes to the terminal unescaped, so only addresses made of address characters are accepted: these
//! can't end the sequence and can't hide anything. File addresses are no links: a click must not open what a
//! run wrote.

use super::cell_tag::CellTag;
use crate::tui::attention::{is_console, version};
use ratatui::style::Style;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

/// The longest address in bytes: terminals drop longer ones.
const MAX_ADDRESS_BYTES: usize = 2_000;
/// The most addresses in one life of the program; later ones are drawn as text.
const MAX_ADDRESSES: usize = 4_096;
/// The schemes that may be links.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// The addresses on screen, shared by the painters and the writer; `None` inside where the terminal is not
/// known to support hyperlinks.
#[derive(Clone, Debug, Default)]
pub struct Hyperlinks(Option<Arc<Mutex<LinkTable>>>);

#[derive(Debug, Default)]
struct LinkTable {
    numbers: HashMap<Arc<str>, u32>,
    addresses: Vec<Arc<str>>,
}

impl Hyperlinks {
    /// Hyperlinks for a terminal that supports them.
    pub(crate) fn enabled() -> Self {
        Self(Some(Arc::default()))
    }

    /// Enables hyperlinks where the environment names a terminal that supports them, or ignores them without a
    /// trace.
    pub(crate) fn of(env: impl Fn(&str) -> Option<String>) -> Self {
        let value = |name: &str| env(name).unwrap_or_default();
        let term = value("TERM");
        let writes = is_console(&term) || term.starts_with("eterm");
        // VTE before 0.50 crashes on some addresses.
        let breaks = value("VTE_VERSION").parse::<u32>().is_ok_and(|version| version < 5000);
        // From 3.4 on, tmux stores links and passes them to terminals that support them.
        let tmux = value("TERM_PROGRAM") == "tmux" && version(&value("TERM_PROGRAM_VERSION")) >= (3, 4, 0);
        let holds_back = env("STY").is_some()
            || (!tmux && (env("TMUX").is_some() || term.starts_with("screen") || term.starts_with("tmux")));
        if writes || breaks || holds_back { Self::default() } else { Self::enabled() }
    }

    /// The style that makes a text a link to an address; an empty style where the address may not be a link.
    pub(crate) fn style_for(&self, address: &str) -> Style {
        let number = self.0.as_ref().filter(|_| is_address(address)).and_then(|table| {
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(number) = table.numbers.get(address) {
                return Some(*number);
            }
            let number = u32::try_from(table.addresses.len()).ok()?;
            let address: Arc<str> = address.into();
            (table.addresses.len() < MAX_ADDRESSES).then(|| {
                table.addresses.push(address.clone());
                table.numbers.insert(address, number);
                number
            })
        });
        number.map_or_else(Style::new, |number| CellTag::new(number).style())
    }

    pub(crate) fn address(&self, number: u32) -> Option<Arc<str>> {
        let table = self.0.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        table.addresses.get(usize::try_from(number).ok()?).cloned()
    }
}

/// Finds the bare addresses in a text. If an address may continue after the part that was recognized, it is
/// left out: the link would lead elsewhere than the text reads.
pub(crate) fn bare_addresses(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (colon, _) in text.match_indices(':') {
        let start = SCHEMES.iter().find_map(|scheme| {
            let name = scheme.trim_end_matches("//");
            let start = (colon + 1).checked_sub(name.len())?;
            text.get(start..)?.starts_with(scheme).then_some(start)
        });
        let Some(start) = start.filter(|start| found.last().is_none_or(|last| last.end <= *start)) else {
            continue;
        };
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        if before.is_some_and(char::is_alphanumeric) {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let whole = rest.find(|c: char| !is_sign(c)).unwrap_or(rest.len());
        let ends = rest.get(whole..).and_then(|behind| behind.chars().next());
        if ends.is_some_and(|c| !c.is_ascii_whitespace() && !matches!(c, '"' | '<' | '>' | '`')) {
            continue;
        }
        let address = without_punctuation(rest.get(..whole).unwrap_or_default());
        if is_address(address) {
            found.push(start..start + address.len());
        }
    }
    found
}

/// Removes the punctuation at the end that belongs to the sentence around the address.
fn without_punctuation(mut address: &str) -> &str {
    loop {
        let shorter = address.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_', '~']);
        let count = |sign: char| shorter.matches(sign).count();
        let shorter = match shorter.strip_suffix(')') {
            Some(inside) if count(')') > count('(') => inside,
            _ => shorter,
        };
        if shorter.len() == address.len() {
            return address;
        }
        address = shorter;
    }
}

/// Whether a character may occur in an address.
fn is_sign(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
}

/// Whether this is an address of a known scheme, and nothing else.
fn is_address(address: &str) -> bool {
    let host = SCHEMES.iter().find_map(|scheme| address.strip_prefix(scheme));
    address.len() <= MAX_ADDRESS_BYTES
        && address.chars().all(is_sign)
        && host.is_some_and(|host| host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        bare_addresses(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn bare_addresses_end_where_the_sentence_goes_on() {
        for (text, expected) in [
            ("see https://a.org/x_y?b=1#c, or", &["https://a.org/x_y?b=1#c"][..]),
            (
                "(http://a.org/wiki/B_(c)) and <mailto:me@a.org>.",
                &["http://a.org/wiki/B_(c)", "mailto:me@a.org"],
            ),
            ("\"https://a.org\" (https://b.org).", &["https://a.org", "https://b.org"]),
            ("https://[::1]:80/", &["https://[::1]:80/"]),
            ("a://b:c http:// https:///x xhttps://a.org mailto:", &[]),
            // These may continue: the recognized part would lead elsewhere.
            ("https://ex\u{e4}mple.org https://a.org/{id} https://a.org\u{202e}gro", &[]),
            ("file:///etc/passwd javascript:alert(1) data:text/html,x ssh://a", &[]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_no_link_and_a_number_means_one_for_good() {
        let links = Hyperlinks::enabled();
        let number = |address: &str| links.style_for(address).underline_color.and_then(CellTag::of)?.link();
        for hostile in [
            "https://a.org/\x1b\\\x1b]52;c;aGk=\x07",
            "https://a.org/\u{9c}",
            "https://a.org/ b",
            "file:///etc/passwd",
            "HTTPS://",
            "",
            &format!("https://a.org/{}", "a".repeat(MAX_ADDRESS_BYTES)),
        ] {
            assert_eq!(number(hostile), None, "{hostile:?}");
        }
        let first = number("https://a.org/0").unwrap();
        for more in 0..MAX_ADDRESSES + 10 {
            let address = format!("https://a.org/{more}");
            let held = number(&address).map(|number| links.address(number).unwrap());
            assert_eq!(held.as_deref(), (more < MAX_ADDRESSES).then_some(address.as_str()));
        }
        assert_eq!(number("https://a.org/0"), Some(first));
        assert_eq!(Hyperlinks::default().style_for("https://a.org"), Style::new());
    }

    #[test]
    fn terminals_that_would_write_or_hold_back_links_get_none() {
        let on = |env: &[(&str, &str)]| {
            let of = |name: &str| env.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned());
            Hyperlinks::of(of).0.is_some()
        };
        let tmux = |version| {
            on(&[
                ("TERM", "tmux-256color"),
                ("TMUX", "/s"),
                ("TERM_PROGRAM", "tmux"),
                ("TERM_PROGRAM_VERSION", version),
            ])
        };
        assert!(on(&[("TERM", "xterm-256color")]) && on(&[("TERM", "xterm"), ("VTE_VERSION", "7600")]));
        assert!(tmux("3.4") && tmux("3.5a") && !tmux("3.3a"));
        for env in [
            &[("TERM", "dumb")][..],
            &[("TERM", "linux")],
            &[("TERM", "vt100")],
            &[],
            &[("TERM", "xterm"), ("VTE_VERSION", "4801")],
            &[("TERM", "screen-256color"), ("STY", "1.tty")],
            &[("TERM", "screen-256color"), ("TMUX", "/s")],
        ] {
            assert!(!on(env), "{env:?}");
        }
    }
}
