//! Variables and their values, as far as reading a text from top to bottom shows them.
//!
//! A name that gets a second, different value inside a branch or loop becomes a choice of both (`choice`). For shells,
//! whose reader tracks such values itself, it becomes unknown. All work is paid from `fuel`, which grows with the size
//! of the text; once it is used up, values become unknown and the review says so.

use super::Scope;
use super::nested::NestedCode;
use super::path_class;
use super::rules::TargetClass;
use super::value::{Act, Value, ValueKind};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// What was read from a text.
#[derive(Debug, Default)]
pub(super) struct Extraction {
    pub(super) acts: Vec<Act>,
    /// Programs that a shell would start.
    pub(super) programs: Vec<String>,
    /// Text that another shell would run (`ssh host 'cmd'`, `eval`).
    pub(super) nested: Vec<NestedCode>,
    /// The full names of imported modules, with the places of the imports.
    pub(super) imports: Vec<(String, Range<usize>)>,
    /// The variables that a shell sets, which code that it runs may see.
    pub(super) variables: HashSet<String>,
    /// Whether it is not known what some call does, for example because its name is known only at run time.
    pub(super) unknown: bool,
    /// Whether part of the text was not followed.
    pub(super) cut: bool,
}

/// One scope: a module or a function.
#[derive(Debug, Default)]
struct ScopeFrame {
    parent: Option<usize>,
    names: HashMap<String, Value>,
}

/// All scopes of a text.
#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: Vec<ScopeFrame>,
    fuel: usize,
    /// The fuel reserved for required work; optional work may not use it.
    reserve: usize,
    /// Whether a name that gets a second value in a branch becomes a choice; otherwise it becomes unknown.
    choices: bool,
    /// Names that functions of the text set outside of themselves: they may have other values at any time.
    shared: HashSet<String>,
    /// The names that got another value than they had, with their frames, in order.
    changes: Vec<(usize, String)>,
    /// How often a field of each name got another value, of whatever object.
    fields: HashMap<String, usize>,
    /// How often a name of the outermost frame got another value.
    outer_changes: usize,
}

/// The most changes of names that are noted.
pub(super) const MAX_CHANGES: usize = 1 << 16;

impl Frames {
    /// The scopes for a text of this size; frame 0 is the module.
    pub(super) fn new(bytes: usize) -> Self {
        let fuel = 20_000 + bytes.saturating_mul(8);
        Self { frames: vec![ScopeFrame::default()], fuel, reserve: fuel / 2, ..Self::default() }
    }

    /// Scopes in which a name with several values keeps all of them.
    pub(super) fn with_choices(bytes: usize) -> Self {
        Self { choices: true, ..Self::new(bytes) }
    }

    /// Opens a scope within another; returns its frame.
    pub(super) fn open(&mut self, parent: usize) -> usize {
        self.frames.push(ScopeFrame { parent: Some(parent), names: HashMap::new() });
        self.frames.len() - 1
    }

    /// Pays for required work; false if the fuel does not suffice.
    pub(super) fn pay(&mut self, work: usize) -> bool {
        let enough = self.fuel >= work;
        self.fuel = self.fuel.saturating_sub(work);
        enough
    }

    /// Pays for optional work; false if the fuel has to be kept for the rest of the text.
    pub(super) fn pay_optional(&mut self, work: usize) -> bool {
        let enough = self.fuel.checked_sub(work).is_some_and(|left| left >= self.reserve);
        enough && self.pay(work)
    }

    /// Whether the fuel is used up, so that part of the text was not followed.
    pub(super) fn is_exhausted(&self) -> bool {
        self.fuel == 0
    }

    /// The value of a name in a frame or the frames around it. At most 32 frames are searched.
    pub(super) fn lookup(&mut self, frame: usize, name: &str) -> Option<Value> {
        let holder = self.holder(frame, name)?;
        self.own(holder, name)
    }

    /// The value that a frame itself gives to a name.
    pub(super) fn own(&mut self, frame: usize, name: &str) -> Option<Value> {
        let value = self.frames.get(frame)?.names.get(name)?;
        let (weight, value) = (value.weight(), value.clone());
        let is_function = matches!(value.kind, ValueKind::Name { about: None, .. });
        Some(match self.pay(weight) {
            true if self.shared.contains(name) && !is_function => Value::any([value, Value::unknown()]),
            true => value,
            false => Value::unknown(),
        })
    }

    /// Notes a name that a function sets outside of itself.
    pub(super) fn share(&mut self, name: &str) {
        self.shared.insert(name.to_owned());
    }

    /// How many scopes there are.
    pub(super) fn count(&self) -> usize {
        self.frames.len()
    }

    /// How often a name got another value than it had, as far as that is noted.
    pub(super) fn changes(&self) -> usize {
        self.changes.len()
    }

    /// The names that got another value since so many changes, in the first `frames` frames.
    pub(super) fn changed_since(&self, changes: usize, frames: usize) -> Vec<(usize, String)> {
        let changed = self.changes.get(changes..).unwrap_or_default();
        let mut names: Vec<_> = changed.iter().filter(|(frame, _)| *frame < frames).cloned().collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Forgets which names changed.
    pub(super) fn forget_changes(&mut self) {
        self.changes.clear();
    }

    /// The frame that holds a name: this one, or one around it.
    pub(super) fn holder(&self, frame: usize, name: &str) -> Option<usize> {
        let mut at = Some(frame);
        for _ in 0..32 {
            let here = self.frames.get(at?)?;
            if here.names.contains_key(name) {
                return at;
            }
            at = here.parent;
        }
        None
    }

    /// Binds a name. `branch`: this statement may not run, or may run several times.
    pub(super) fn bind(&mut self, frame: usize, name: &str, value: Value, branch: bool) {
        if !self.pay(value.weight()) {
            return;
        }
        let value = value.kept();
        let at = frame;
        let Some(frame) = self.frames.get_mut(at) else { return };
        let value = match frame.names.get(name) {
            // `except ImportError: x = None`: code that uses `x` means the module.
            Some(old) if branch && value.kind == ValueKind::Nothing && old.as_name().is_some() => old.clone(),
            Some(old) if branch && *old != value && self.choices => Value::any([old.clone(), value]),
            Some(old) if branch && *old != value => Value::unknown().tainted(old.taint).tainted(value.taint),
            _ => value,
        };
        let old = frame.names.insert(name.to_owned(), value);
        self.outer_changes += usize::from(at == 0 && frame.names.get(name) != old.as_ref());
        let changed =
            old.is_some_and(|old| old.kind != ValueKind::Unknown && frame.names.get(name) != Some(&old));
        if changed && self.choices && self.changes.len() < MAX_CHANGES {
            self.changes.push((at, name.to_owned()));
        }
    }

    /// The names that are bound in a frame; none once the fuel is used up.
    pub(super) fn names(&mut self, frame: usize) -> Vec<String> {
        let count = self.frames.get(frame).map_or(0, |frame| frame.names.len());
        let paid = self.pay(count);
        let frame = self.frames.get(frame).filter(|_| paid);
        frame.map(|frame| frame.names.keys().cloned().collect()).unwrap_or_default()
    }

    /// Gives a name the value that it had before, or none.
    pub(super) fn put_back(&mut self, frame: usize, name: &str, value: Option<Value>) {
        self.outer_changes += usize::from(frame == 0);
        let Some(frame) = self.frames.get_mut(frame) else { return };
        match value {
            Some(value) => drop(frame.names.insert(name.to_owned(), value)),
            None => drop(frame.names.remove(name)),
        }
    }

    /// Binds a name in the outermost frame, for fields that methods share through their object.
    pub(super) fn bind_shared(&mut self, name: &str, value: Value) {
        let old = self.frames.first().and_then(|f| f.names.get(name)).cloned();
        let differs = old.as_ref().is_some_and(|old| *old != value);
        self.bind(0, name, value, differs);
        let is_other = self.frames.first().and_then(|f| f.names.get(name)) != old.as_ref();
        if is_other && let Some((_, field)) = name.rsplit_once('.') {
            *self.fields.entry(field.to_owned()).or_default() += 1;
        }
    }

    /// How often a name of the outermost frame got another value.
    pub(super) fn outer_changes(&self) -> usize {
        self.outer_changes
    }

    /// Whether any field got a value.
    pub(super) fn has_fields(&self) -> bool {
        !self.fields.is_empty()
    }

    /// How often a field of this name got another value, of whatever object.
    pub(super) fn field_changes(&self, name: &str) -> usize {
        self.fields.get(name).copied().unwrap_or_default()
    }
}

/// The longest list whose items are all considered in a loop.
const MAX_ITEMS: usize = 20;

/// One item of a value that a loop goes through: a choice of all items, if they are few.
pub(super) fn element(value: &Value) -> Value {
    match &value.kind {
        ValueKind::List(items) if items.len() <= MAX_ITEMS => {
            Value::any(items.iter().map(|item| item.clone().tainted(value.taint)))
        }
        ValueKind::Any(items) => Value::any(items.iter().map(element)),
        // An item of a named thing has the thing's name and `[]`.
        ValueKind::Name { path, .. } if path.ends_with("()") && path != "glob()" => {
            Value::name(format!("{path}[]")).tainted(value.all_taint())
        }
        _ => common(value),
    }
}

/// One value that stands for all items of a value that a loop goes through.
fn common(value: &Value) -> Value {
    match &value.kind {
        ValueKind::List(items) if items.len() == 1 => items.first().cloned().unwrap_or_else(Value::unknown),
        ValueKind::List(items) => {
            let texts: Option<Vec<&str>> = items.iter().map(Value::as_whole_text).collect();
            match texts {
                // Several texts: keeps the folder they have in common, so that a message can name it.
                Some(texts) if !texts.is_empty() && texts.len() <= 8 => {
                    let same = common_start(&texts);
                    Value::part(format!("{same}{}", super::value::HOLE)).tainted(value.all_taint())
                }
                _ => value.to_unknown(),
            }
        }
        ValueKind::Name { path, about: Some(about) } if path == "glob()" => {
            Value::name_about("pathlib.Path()", (**about).clone())
        }
        ValueKind::Text { whole: false, .. } => value.clone(),
        _ => value.to_unknown(),
    }
}

/// Like `element`; of a list that is too long, the first item that matters.
pub(super) fn element_in(value: &Value, scope: &Scope) -> Value {
    match &value.kind {
        ValueKind::List(items) if items.len() > MAX_ITEMS => gravest_in(value, scope),
        _ => element(value),
    }
}

/// One item of a value that a loop goes through: of several paths or commands, the first dangerous one, so that it is
/// judged.
pub(super) fn gravest_in(value: &Value, scope: &Scope) -> Value {
    let ValueKind::List(items) = &value.kind else { return common(value) };
    let matters = |text: &&str| {
        // Commands are picked by words that look dangerous.
        if ["rm -r", "| sh", "| bash", "sudo "].iter().any(|piece| text.contains(piece)) {
            return true;
        }
        let spelled = [(*text).to_owned(), format!("~/{}", text.trim_start_matches('/'))];
        let located = spelled.map(|text| path_class::locate(&text, None, scope));
        located
            .iter()
            .any(|l| [TargetClass::Secret, TargetClass::Private, TargetClass::Start].iter().any(|g| l.is(*g)))
    };
    match items.iter().take(64).filter_map(Value::as_whole_text).find(matters) {
        Some(text) if items.len() > 1 => Value::text(text).tainted(value.all_taint()),
        _ => common(value),
    }
}

/// The common beginning of all texts, up to its last `/`.
fn common_start<'a>(texts: &[&'a str]) -> &'a str {
    let first = texts.first().copied().unwrap_or_default();
    let mut end = first.len();
    for text in texts {
        let same = first.char_indices().zip(text.chars()).take_while(|((_, a), b)| a == b).count();
        end = end.min(first.char_indices().nth(same).map_or(first.len(), |(at, _)| at));
    }
    let start = first.get(..end).unwrap_or_default();
    start.rfind('/').and_then(|at| start.get(..=at)).unwrap_or_default()
}
