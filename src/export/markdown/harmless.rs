//! Makes Markdown of others harmless to render: tags and pictures become text, and nothing reaches what follows.
//!
//! To escape one thing can change how the rest is read (a block of HTML becomes a paragraph with a picture). So the
//! text is parsed again after each pass, until nothing has to be escaped. What does not come to an end, or still does
//! something then, is shown as a block of code.

use super::code_block;
use crate::domain::visible::visible;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag};
use std::collections::BTreeMap;
use std::ops::Range;

/// The ways in which a text is parsed: programs differ in what they know beyond CommonMark, and what is code for one
/// of them may be a picture for another.
const READINGS: [Options; 3] =
    [Options::empty(), Options::ENABLE_TABLES, Options::ENABLE_TABLES.union(Options::ENABLE_MATH)];

/// How often a text is escaped and parsed again.
const MAX_PASSES: usize = 12;

/// What separates a part from the heading that may follow it.
const GAP: &str = "\n\n";

/// Replacements in a text: where each begins, the bytes that it removes, and what takes their place.
type Replacements = BTreeMap<usize, (usize, &'static str)>;

/// The text as Markdown that loads nothing, has no tags, defines no names of addresses and leaves no block open.
pub(in crate::export) fn inert(text: &str) -> String {
    let mut safe = visible(text).trim_start().to_owned();
    for _ in 0..MAX_PASSES {
        let found = replacements(&safe);
        if found.is_empty() {
            let closed = with_code_closed(safe);
            let is_harmless = !is_live(&closed) && ends_by_itself(&closed);
            return if is_harmless { closed } else { as_code(text) };
        }
        safe = replaced(&safe, &found);
    }
    as_code(text)
}

/// The text as a block of code that no line of it closes.
pub(in crate::export) fn as_code(text: &str) -> String {
    code_block("text", &visible(text))
}

/// Whether this Markdown has a picture, a tag, or a definition that gives an address a name.
pub(in crate::export) fn is_live(text: &str) -> bool {
    READINGS.into_iter().any(|reading| {
        let mut events = Parser::new_ext(text, reading);
        let has_names = events.reference_definitions().iter().next().is_some();
        has_names
            || events.any(|event| {
                matches!(event, Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. }))
            })
    })
}

/// Where one reading of a text has what matters here. The ranges of each kind are in order and apart from each other.
#[derive(Default)]
struct Places {
    code: Vec<Range<usize>>,
    html: Vec<Range<usize>>,
    /// Addresses in angle brackets, which are links and no tags.
    addresses: Vec<Range<usize>>,
}

impl Places {
    fn of(text: &str, reading: Options) -> Self {
        let mut places = Self::default();
        for (event, range) in Parser::new_ext(text, reading).into_offset_iter() {
            match event {
                Event::Code(_) | Event::Start(Tag::CodeBlock(_)) => places.code.push(range),
                Event::Html(_) | Event::InlineHtml(_) => places.html.push(range),
                Event::Start(Tag::Link { link_type: LinkType::Autolink | LinkType::Email, .. }) => {
                    places.addresses.push(range);
                }
                _ => {}
            }
        }
        places
    }
}

fn is_in(ranges: &[Range<usize>], at: usize) -> bool {
    let next = ranges.partition_point(|range| range.end <= at);
    ranges.get(next).is_some_and(|range| range.contains(&at))
}

/// What has to be replaced in a text, as far as this pass can see.
fn replacements(text: &str) -> Replacements {
    let mut found = Replacements::new();
    for reading in READINGS {
        let places = Places::of(text, reading);
        let is_code = |at: usize| is_in(&places.code, at);
        for (at, _) in text.match_indices("![") {
            if !is_code(at) && !is_escaped(text, at) {
                found.insert(at, (0, "\\"));
            }
        }
        // A definition has a colon right behind its bracket, wherever it begins.
        for (at, _) in text.match_indices("]:") {
            if !is_code(at) {
                found.insert(at + 1, (0, "\\"));
            }
        }
        let html = text.match_indices('<').map(|(at, _)| at).filter(|at| is_in(&places.html, *at));
        let first = tags_that_begin_lines(text).filter(|at| !is_code(*at) && !is_in(&places.addresses, *at));
        for at in html.chain(first) {
            if is_escaped(text, at) {
                found.insert(at - 1, (2, "&lt;"));
            } else {
                found.insert(at, (1, "&lt;"));
            }
        }
    }
    found
}

/// Whether a backslash takes the meaning of the character at this place.
fn is_escaped(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// The places of `<` that could begin a block of HTML: programs differ in the tags that do.
fn tags_that_begin_lines(text: &str) -> impl Iterator<Item = usize> {
    let is_mark = |c: char| c.is_whitespace() || c.is_ascii_digit() || ">-+*.)".contains(c);
    let mut start = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let rest = line.trim_start_matches(is_mark);
        let at = start + line.len() - rest.len();
        start += line.len();
        let tag = rest.strip_prefix('<')?;
        tag.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c)).then_some(at)
    })
}

fn replaced(text: &str, found: &Replacements) -> String {
    let mut safe = String::with_capacity(text.len() + 4 * found.len());
    let mut from = 0;
    for (at, (removed, put)) in found {
        safe.push_str(text.get(from..*at).unwrap_or_default());
        safe.push_str(put);
        from = at + removed;
    }
    safe.push_str(text.get(from..).unwrap_or_default());
    safe
}

/// Closes the block of code that is open at the end of the text, so that what follows does not become code.
fn with_code_closed(text: String) -> String {
    let followed = format!("{text}{GAP}# x\n");
    let next = text.len() + GAP.len();
    let open =
        Parser::new_ext(&followed, Options::ENABLE_TABLES).into_offset_iter().find(|(event, range)| {
            range.end > next && matches!(event, Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(_))))
        });
    let Some((_, range)) = open else { return text };
    let opened = text.get(range.start..).unwrap_or_default().trim_start();
    let mark = opened.chars().next();
    let fence: String = opened.chars().take_while(|c| Some(*c) == mark).collect();
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{fence}")
}

/// Whether a heading that follows the text is still a heading of the document.
fn ends_by_itself(text: &str) -> bool {
    let followed = format!("{text}{GAP}# x\n");
    let next = text.len() + GAP.len();
    READINGS.into_iter().all(|reading| {
        let mut depth = 0_usize;
        Parser::new_ext(&followed, reading).into_offset_iter().any(|(event, range)| {
            let is_next =
                depth == 0 && range.start == next && matches!(event, Event::Start(Tag::Heading { .. }));
            match event {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_next
        })
    })
}
