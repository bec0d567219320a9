//! What code does by a call, with its arguments, and the arguments that a rule selects.

use super::{Taint, Value, ValueKind};
use std::ops::Range;

/// An argument of an act, with its span in the reviewed text.
#[derive(Clone, Debug)]
pub(in crate::review) struct Argument {
    pub(in crate::review) value: Value,
    pub(in crate::review) span: Range<usize>,
}

impl Argument {
    pub(in crate::review) fn new(value: Value, span: &Range<usize>) -> Self {
        Self { value, span: span.clone() }
    }

    pub(in crate::review) fn text(text: impl Into<String>, span: &Range<usize>) -> Self {
        Self::new(Value::text(text), span)
    }

    /// The value of an option that is only given.
    pub(in crate::review) fn given(span: &Range<usize>) -> Self {
        Self::new(Value::new(ValueKind::Bool(true)), span)
    }

    /// Arguments of these values, which all stand in one place.
    pub(in crate::review) fn of_each(values: &[Value], span: &Range<usize>) -> Vec<Self> {
        values.iter().map(|value| Self::new(value.clone(), span)).collect()
    }
}

/// The arguments of a call.
#[derive(Clone, Debug, Default)]
pub(in crate::review) struct CallArguments {
    pub(in crate::review) positional: Vec<Argument>,
    pub(in crate::review) named: Vec<(String, Argument)>,
}

/// One thing that the code does by a call: of a function in a program, or of a command in a shell.
///
/// For a command, the name is the program (with its verb: `git push`), `arguments` are its operands, and `named` are
/// its options without dashes and its standard input as `stdin`.
#[derive(Clone, Debug)]
pub(in crate::review) struct Act {
    /// The full name: `shutil.rmtree`, `pathlib.Path().unlink`, `git push`, `>` for a redirection.
    pub(in crate::review) name: String,
    /// The value whose method is called.
    pub(in crate::review) receiver: Option<Value>,
    pub(in crate::review) arguments: Vec<Argument>,
    pub(in crate::review) named: Vec<(String, Argument)>,
    /// The folder at which relative paths start, if the code changed it.
    pub(in crate::review) folder: Option<Value>,
    pub(in crate::review) span: Range<usize>,
}

impl Act {
    /// A call without receiver, with these positional arguments.
    pub(in crate::review) fn new(
        name: impl Into<String>,
        arguments: Vec<Argument>,
        span: Range<usize>,
    ) -> Self {
        Self { name: name.into(), receiver: None, arguments, named: Vec::new(), folder: None, span }
    }

    /// The value of a positional argument.
    pub(in crate::review) fn value(&self, at: usize) -> Option<&Value> {
        self.arguments.get(at).map(|argument| &argument.value)
    }

    /// The values of the positional arguments.
    pub(in crate::review) fn values(&self) -> impl Iterator<Item = Value> {
        self.arguments.iter().map(|argument| argument.value.clone())
    }

    /// The marks of all arguments.
    pub(in crate::review) fn all_taint(&self) -> Taint {
        let named = self.named.iter().map(|(_, argument)| argument);
        let all = self.arguments.iter().chain(named);
        all.fold(Taint::default(), |taint, argument| taint.with(argument.value.all_taint()))
    }

    /// The values of the named arguments.
    pub(in crate::review) fn named_values(&self) -> impl Iterator<Item = (String, Value)> {
        self.named.iter().map(|(name, argument)| (name.clone(), argument.value.clone()))
    }

    /// The arguments that a selector selects: a position (`0`, `-1`), all from a position on (`1..`), all but the last
    /// (`..-1`), all positions (`*`), an item of a list argument (`0/1`; the argument itself if it is no list),
    /// `receiver`, or a name.
    pub(in crate::review) fn select(&self, selector: &str) -> Vec<(&Value, Option<&Range<usize>>)> {
        if let Some((list, item)) = selector.split_once('/') {
            let item = item.parse::<usize>().ok();
            return self
                .select(list)
                .into_iter()
                .filter_map(|(value, span)| match &value.kind {
                    ValueKind::List(items) => Some((items.get(item?)?, span)),
                    _ => Some((value, span)),
                })
                .collect();
        }
        if selector == "receiver" {
            return self.receiver.iter().map(|v| (v, None)).collect();
        }
        let all = self.arguments.as_slice();
        let from = selector.strip_suffix("..").and_then(|from| from.parse::<usize>().ok());
        let found = if selector == "*" {
            all
        } else if selector == "..-1" {
            all.split_last().map_or(&[][..], |(_, rest)| rest)
        } else if let Ok(position) = selector.parse::<isize>() {
            let start = if position < 0 { all.len() } else { 0 };
            let found = start.checked_add_signed(position).and_then(|index| all.get(index));
            found.map(std::slice::from_ref).unwrap_or_default()
        } else if let Some(from) = from {
            all.get(from..).unwrap_or_default()
        } else {
            let named = self.named.iter().filter(|(name, _)| name == selector);
            return named.map(|(_, a)| (&a.value, Some(&a.span))).collect();
        };
        found.iter().map(|a| (&a.value, Some(&a.span))).collect()
    }

    /// The arguments of the first selector that selects any.
    pub(in crate::review) fn first_of(&self, selectors: &[String]) -> Vec<(&Value, Option<&Range<usize>>)> {
        selectors.iter().map(|s| self.select(s)).find(|found| !found.is_empty()).unwrap_or_default()
    }
}
