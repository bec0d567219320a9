//! What is known of a value without running anything: folded text, names of modules and functions, and where it came
//! from.
//!
//! A value may be a choice of several (`choice`). The readers of the languages fold expressions into values, and rules
//! only examine these. Sizes are limited: what exceeds a limit becomes unknown, so that a hostile text can't slow the
//! review down.

mod act;

pub(super) use act::{Act, Argument, CallArguments};

use super::rules::TaintMark;

/// Stands in folded text for a part that is only known at run time.
pub(super) const HOLE: char = '…';

/// The name that stands for a pipe to another command.
pub(super) const PIPE: &str = "<()";

/// The longest text that joining may build; longer ones become unknown. Literals may be longer.
pub(super) const MAX_TEXT_BYTES: usize = 16 * 1024;

/// The deepest nesting of a value that is kept beyond the expression that makes it. Values are gone through by recursion.
const MAX_NESTING: usize = 64;

/// Longest dotted name that is followed.
const MAX_NAME_BYTES: usize = 160;

/// Where a value came from, as far as rules need it: a set of marks that operations pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Taint(u8);

impl Taint {
    /// Decoded from base64, hex, compression or the like.
    pub(super) const DECODED: Taint = Taint(1);
    /// Came over the network.
    pub(super) const DOWNLOADED: Taint = Taint(2);
    /// A key or token, or the content of a file that holds some.
    pub(super) const SECRET: Taint = Taint(4);
    /// The environment as a whole.
    pub(super) const ENVIRONMENT: Taint = Taint(8);
    /// The content of a file.
    pub(super) const FILE: Taint = Taint(16);

    pub(super) fn with(self, other: Taint) -> Taint {
        Taint(self.0 | other.0)
    }

    /// These marks without those of `other`.
    pub(super) fn without(self, other: Taint) -> Taint {
        Taint(self.0 & !other.0)
    }

    /// Whether any mark of `other` is set.
    pub(super) fn meets(self, other: Taint) -> bool {
        self.0 & other.0 != 0
    }
}

/// The taint for a mark in a rule file.
pub(super) fn taint(mark: TaintMark) -> Taint {
    match mark {
        TaintMark::Decoded => Taint::DECODED,
        TaintMark::Downloaded => Taint::DOWNLOADED,
        TaintMark::Secret => Taint::SECRET,
        TaintMark::Environment => Taint::ENVIRONMENT,
        TaintMark::File => Taint::FILE,
    }
}

/// Parses an integer literal: `1_000`, `0x1f`, `0o777`.
pub(super) fn integer(spelled: &str) -> Option<i64> {
    let digits = spelled.replace('_', "").to_ascii_lowercase();
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = digits.strip_prefix(prefix) {
            return i64::from_str_radix(rest, radix).ok();
        }
    }
    digits.parse().ok()
}

/// What is known of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// Text. `whole` is false if it contains `HOLE` for an unknown part.
    Text {
        text: String,
        whole: bool,
    },
    Number(i64),
    Bool(bool),
    /// `None`, `null`, `undefined`.
    Nothing,
    /// A list or tuple.
    List(Vec<Value>),
    /// A dictionary or object, with its known keys.
    Map(Vec<(String, Value)>),
    /// A module or function by its full name, or the result of calling one (`open()`); and the value it belongs to: the
    /// path of a `pathlib.Path()`, the text whose method this is.
    Name {
        path: String,
        about: Option<Box<Value>>,
    },
    /// One of several values: a choice, the results of branches, an item in a loop.
    Any(Vec<Value>),
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) kind: ValueKind,
    pub(super) taint: Taint,
}

impl Value {
    pub(super) fn new(kind: ValueKind) -> Self {
        Self { kind, taint: Taint::default() }
    }

    pub(super) fn unknown() -> Self {
        Self::new(ValueKind::Unknown)
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::of_text(text, true)
    }

    /// Text with holes in it.
    pub(super) fn part(text: impl Into<String>) -> Self {
        Self::of_text(text, false)
    }

    /// A text, with holes in it unless it is known as a whole.
    pub(super) fn of_text(text: impl Into<String>, whole: bool) -> Self {
        Self::new(ValueKind::Text { text: text.into(), whole })
    }

    pub(super) fn list(items: Vec<Value>) -> Self {
        Self::new(ValueKind::List(items))
    }

    pub(super) fn map(items: Vec<(String, Value)>) -> Self {
        Self::new(ValueKind::Map(items))
    }

    /// A value of which nothing is known but the marks of this one.
    pub(super) fn to_unknown(&self) -> Self {
        Self::unknown().tainted(self.all_taint())
    }

    /// This value, or an unknown one if it is nested too deep to be kept.
    #[must_use]
    pub(super) fn kept(self) -> Self {
        if self.is_nested_deeper(MAX_NESTING) { self.to_unknown() } else { self }
    }

    fn is_nested_deeper(&self, levels: usize) -> bool {
        let is_deep = |inner: &Value| levels == 0 || inner.is_nested_deeper(levels - 1);
        match &self.kind {
            ValueKind::List(items) | ValueKind::Any(items) => items.iter().any(is_deep),
            ValueKind::Map(items) => items.iter().any(|(_, item)| is_deep(item)),
            ValueKind::Name { about: Some(about), .. } => is_deep(about),
            _ => false,
        }
    }

    /// A number, unknown where it was too large to be counted.
    pub(super) fn number(number: Option<i64>) -> Self {
        number.map_or_else(Self::unknown, |number| Self::new(ValueKind::Number(number)))
    }

    pub(super) fn name(path: impl Into<String>) -> Self {
        let path = path.into();
        if path.len() > MAX_NAME_BYTES {
            return Self::unknown();
        }
        Self::new(ValueKind::Name { path, about: None })
    }

    pub(super) fn name_about(path: impl Into<String>, about: Value) -> Self {
        let path = path.into();
        if path.len() > MAX_NAME_BYTES {
            return Self::unknown();
        }
        let taint = about.taint;
        Self { kind: ValueKind::Name { path, about: Some(Box::new(about)) }, taint }
    }

    #[must_use]
    pub(super) fn tainted(mut self, taint: Taint) -> Self {
        self.taint = self.taint.with(taint);
        self
    }

    /// The text (including holes) of a text or path object, and whether all of it is known.
    pub(super) fn as_text(&self) -> Option<(&str, bool)> {
        match &self.kind {
            ValueKind::Text { text, whole } => Some((text, *whole)),
            ValueKind::Name { path, about: Some(about) } if path == "pathlib.Path()" => about.as_text(),
            _ => None,
        }
    }

    /// The path of a file object, or of the file whose content this is.
    pub(super) fn as_file(&self) -> Option<(&str, bool)> {
        match &self.kind {
            ValueKind::Name { path, about: Some(about) }
                if path.contains("open()") || path.contains(".read_") =>
            {
                about.as_text()
            }
            _ => None,
        }
    }

    /// The text, if all of it is known.
    pub(super) fn as_whole_text(&self) -> Option<&str> {
        self.as_text().filter(|(_, whole)| *whole).map(|(text, _)| text)
    }

    /// The items, if the value is a list.
    pub(super) fn as_list(&self) -> Option<&[Value]> {
        match &self.kind {
            ValueKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The keys and items, if the value is a map.
    pub(super) fn as_map(&self) -> Option<&[(String, Value)]> {
        match &self.kind {
            ValueKind::Map(items) => Some(items),
            _ => None,
        }
    }

    /// The full name, if the value is a name.
    pub(super) fn as_name(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Name { path, .. } => Some(path),
            _ => None,
        }
    }

    /// Whether the value is the name of a pipe to another command: `<(command)`, `>(command)`.
    pub(super) fn is_pipe(&self) -> bool {
        self.as_name() == Some(PIPE)
    }

    /// Whether every part of the value is known.
    pub(super) fn is_constant(&self) -> bool {
        match &self.kind {
            ValueKind::Text { whole, .. } => *whole,
            ValueKind::Number(_) | ValueKind::Bool(_) | ValueKind::Nothing => true,
            ValueKind::List(items) => items.iter().all(Value::is_constant),
            ValueKind::Map(items) => items.iter().all(|(_, v)| v.is_constant()),
            ValueKind::Name { about, .. } => about.as_ref().is_some_and(|a| a.is_constant()),
            ValueKind::Any(items) => items.iter().all(Value::is_constant),
            ValueKind::Unknown => false,
        }
    }

    /// The marks of the value and of everything in it.
    pub(super) fn all_taint(&self) -> Taint {
        let inner = match &self.kind {
            ValueKind::List(items) | ValueKind::Any(items) => {
                items.iter().fold(Taint::default(), |t, v| t.with(v.all_taint()))
            }
            ValueKind::Map(items) => items.iter().fold(Taint::default(), |t, (_, v)| t.with(v.all_taint())),
            ValueKind::Name { about: Some(about), .. } => about.all_taint(),
            _ => Taint::default(),
        };
        self.taint.with(inner)
    }

    /// The cost of copying the value, in units of about 64 bytes.
    pub(super) fn weight(&self) -> usize {
        1 + match &self.kind {
            ValueKind::Text { text, .. } => text.len() / 64,
            ValueKind::List(items) | ValueKind::Any(items) => items.iter().map(Value::weight).sum(),
            ValueKind::Map(items) => items.iter().map(|(_, v)| 1 + v.weight()).sum(),
            ValueKind::Name { about: Some(about), .. } => about.weight(),
            _ => 0,
        }
    }

    /// The value as it appears inside a text, also for numbers and booleans; `None` if not known.
    fn spelled(&self) -> Option<(String, bool)> {
        match &self.kind {
            ValueKind::Number(n) => Some((n.to_string(), true)),
            ValueKind::Bool(b) => Some((b.to_string(), true)),
            _ => self.as_text().map(|(text, whole)| (text.to_owned(), whole)),
        }
    }

    /// Joins texts; unknown parts become holes.
    pub(super) fn join(parts: &[Value], between: &str) -> Value {
        if parts.iter().any(Value::has_choice) {
            let list = Value::list(parts.to_vec());
            return Value::any(list.alternatives().into_iter().map(|one| match one.kind {
                ValueKind::List(items) => Value::join_one(&items, between),
                _ => Value::unknown(),
            }));
        }
        Value::join_one(parts, between)
    }

    fn join_one(parts: &[Value], between: &str) -> Value {
        let mut text = String::new();
        let mut whole = true;
        let taint = parts.iter().fold(Taint::default(), |taint, part| taint.with(part.all_taint()));
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                text.push_str(between);
            }
            if let Some((piece, known)) = part.spelled() {
                whole &= known;
                text.push_str(&piece);
            } else {
                whole = false;
                text.push(HOLE);
            }
            if text.len() > MAX_TEXT_BYTES {
                return Value::unknown().tainted(taint);
            }
        }
        if text.chars().all(|c| c == HOLE) && !whole {
            return Value::unknown().tainted(taint);
        }
        Value::of_text(text, whole).tainted(taint)
    }
}
