//! Collects calls in JavaScript as acts, follows them into functions of the text, and adds acts for functions that are
//! passed as callbacks.

use super::JavascriptReader;
use crate::review::argument_flow::CallEntry;
use crate::review::choice::MAX_VARIANTS;
use crate::review::flow::element;
use crate::review::items::values;
use crate::review::syntax::named_children;
use crate::review::value::{Act, Argument, CallArguments, Value, ValueKind};
use crate::review::walk::walk;
use std::ops::Range;
use tree_sitter::Node;

impl JavascriptReader<'_, '_> {
    pub(super) fn push_acts(&mut self, acts: Vec<Act>) {
        for mut act in acts {
            if self.unverified {
                let set = Argument::new(Value::new(ValueKind::Bool(false)), &act.span);
                act.named.push(("rejectUnauthorized".to_owned(), set));
            }
            if matches!(act.name.as_str(), "require" | "import" | "process.getBuiltinModule")
                && let Some(name) = act.value(0).and_then(Value::as_whole_text)
            {
                self.shared.imported(name.strip_prefix("node:").unwrap_or(name), act.span.clone());
            }
            if act.name == "process.chdir" {
                self.shared.change_folder(&act);
            }
            for argument in &act.arguments {
                self.hand_over(&act, argument);
            }
            self.shared.note_unknown(&act);
            self.shared.reading.acts.push(act);
        }
    }

    /// A function passed to another one (`files.forEach(fs.unlinkSync)`, `setTimeout(run, 10, 'x')`) will be called:
    /// follows that call.
    fn hand_over(&mut self, act: &Act, argument: &Argument) {
        let Some(name) = argument.value.as_name() else { return };
        // `then` handles the callback of a promise; a function of the text handles its own callbacks.
        if act.name.rsplit('.').next() == Some("then")
            || self.shared.functions.function(&act.name).is_some()
            || !self.callable(name)
        {
            return;
        }
        let arguments = if matches!(act.name.as_str(), "setTimeout" | "setInterval" | "setImmediate") {
            act.arguments.get(2..).unwrap_or_default().to_vec()
        } else {
            let item = act.receiver.as_ref().map_or_else(Value::unknown, element);
            vec![Argument::new(item, &argument.span)]
        };
        let unknown = arguments.iter().all(|a| a.value == Value::unknown());
        // The queued body is read with unknown parameters anyway.
        if unknown && self.shared.functions.function(name).is_some() {
            return;
        }
        self.call_value(argument.value.clone(), arguments, &act.span);
    }

    /// Whether a name is a function of the text, a bound function, or one that rules mention.
    fn callable(&self, name: &str) -> bool {
        name == BOUND_FUNCTION
            || self.shared.functions.function(name).is_some()
            || self.shared.rules.knows(name)
    }

    /// Calls a value with these arguments: collects and follows it like a call in the text. Returns its result.
    pub(super) fn call_value(
        &mut self,
        called: Value,
        arguments: Vec<Argument>,
        span: &Range<usize>,
    ) -> Value {
        let mut given = Vec::new();
        for called in called.alternatives() {
            let (called, arguments) = Self::resolved_call(called, arguments.clone(), span);
            for act in self.act(&called, arguments, span.clone()).variants(MAX_VARIANTS) {
                given.push(self.result(&act, &called));
                if self.shared.functions.function(&act.name).is_none() && act.name != "?" {
                    self.shared.reading.acts.push(act);
                }
            }
        }
        Value::any(given)
    }

    /// The act of calling a value. Members of object arguments also become named arguments; of an argument that is one of
    /// several objects, those of all.
    pub(super) fn act(&self, called: &Value, arguments: Vec<Argument>, span: Range<usize>) -> Act {
        let mut named = Vec::new();
        for argument in &arguments {
            for items in values(&argument.value).iter().filter_map(Value::as_map) {
                let more =
                    items.iter().map(|(key, v)| (key.clone(), Argument::new(v.clone(), &argument.span)));
                named.extend(more);
            }
        }
        self.shared.act(called, CallArguments { positional: arguments, named }, span)
    }

    /// Resolves `call`, `apply`, `Reflect.apply` and bound functions: returns the real callee and arguments.
    pub(super) fn resolved_call(
        mut called: Value,
        mut arguments: Vec<Argument>,
        span: &Range<usize>,
    ) -> (Value, Vec<Argument>) {
        for _ in 0..4 {
            let ValueKind::Name { path, about } = &called.kind else { break };
            let spread = |argument: Option<&Argument>| match argument {
                Some(Argument { value: Value { kind: ValueKind::List(items), .. }, span }) => {
                    Argument::of_each(items, span)
                }
                _ => vec![Argument::new(Value::unknown(), span)],
            };
            let bare = |suffix: &str| {
                let path = path.strip_suffix(suffix)?;
                let same = ValueKind::Name { path: path.to_owned(), about: about.clone() };
                (!path.is_empty()).then_some(Value { kind: same, taint: called.taint })
            };
            if path == BOUND_FUNCTION
                && let Some(Value { kind: ValueKind::List(parts), .. }) = about.as_deref()
                && let [inner, before @ ..] = parts.as_slice()
            {
                arguments.splice(0..0, Argument::of_each(before, span));
                called = inner.clone();
            } else if matches!(path.as_str(), "Reflect.apply" | "Reflect.construct") && !arguments.is_empty()
            {
                let list = if path == "Reflect.apply" { 2 } else { 1 };
                let inner = arguments.first().map_or_else(Value::unknown, |a| a.value.clone());
                arguments = spread(arguments.get(list));
                called = inner;
            } else if let Some(inner) = bare(".call") {
                arguments = arguments.get(1..).unwrap_or_default().to_vec();
                called = inner;
            } else if let Some(inner) = bare(".apply") {
                arguments = spread(arguments.get(1));
                called = inner;
            } else {
                break;
            }
        }
        (called, arguments)
    }

    /// Follows a call of one of the text's functions: reads its body with these arguments, and returns its result;
    /// `None` for other calls.
    pub(super) fn enter(&mut self, act: &Act) -> Option<Value> {
        let made = act.name.starts_with("class ") && !act.name.contains('.') && !act.name.contains('(');
        let as_called = if made { format!("{}().constructor", act.name) } else { act.name.clone() };
        let function = self.shared.functions.function(&as_called)?;
        let positional = act.arguments.iter().enumerate().map(|(at, a)| (at.to_string(), a.value.clone()));
        let value = match self.shared.entry(function, positional) {
            CallEntry::Known(value) => value,
            CallEntry::Refused => Value::unknown(),
            CallEntry::Read(key) => {
                let step = self.shared.step;
                let frame = self.shared.frames.open(function.frame);
                if function.method
                    && let Some((class, _)) = as_called.rsplit_once('.')
                {
                    self.shared.frames.bind(frame, "this", Value::name(class), false);
                }
                self.parameters(function.node, frame, Some(act));
                self.shared.functions.begin();
                let body = function.node.child_by_field_name("body");
                if let Some(body) = body {
                    if body.kind() == "statement_block" {
                        self.hoist(body, frame);
                    } else {
                        let value = self.fold(body, frame, 0);
                        self.shared.functions.note_return(value);
                    }
                }
                walk(self, function.node, frame);
                self.shared.step = step;
                self.shared.forget_calls(&function.node.byte_range());
                self.shared.functions.end(function.node.id(), key)
            }
        };
        (!made).then_some(value)
    }

    /// The result of `promise.then(callback)`: calls the callback with the promise's value.
    pub(super) fn then(&mut self, act: &Act, called: &Value) -> Option<Value> {
        let ValueKind::Name { path, about } = &called.kind else { return None };
        let kind = ValueKind::Name { path: path.strip_suffix(".then")?.to_owned(), about: about.clone() };
        let item = Value { kind, taint: called.taint };
        let callback = act.arguments.first()?;
        let argument = Argument::new(item, &callback.span);
        let name = callback.value.as_name()?;
        self.callable(name).then(|| self.call_value(callback.value.clone(), vec![argument], &act.span))
    }

    /// The result of list functions that call a function of the text for each item.
    pub(super) fn mapped(&mut self, act: &Act) -> Option<Value> {
        if !matches!(act.name.as_str(), "array.map" | "array.flatMap") {
            return None;
        }
        let callback = act.arguments.first()?;
        self.shared.functions.function(callback.value.as_name()?)?;
        let ValueKind::List(items) = &act.receiver.as_ref()?.kind else { return None };
        let mut given = Vec::new();
        for item in items.iter().take(32) {
            let argument = Argument::new(item.clone(), &callback.span);
            given.push(self.call_value(callback.value.clone(), vec![argument], &act.span));
        }
        Some(Value::list(given))
    }
}

/// The name of a function made by `bind`; its `about` is a list of the function and the bound arguments.
pub(super) const BOUND_FUNCTION: &str = "bind()";

/// The callee and the arguments of a call, as nodes.
pub(super) fn parts(node: Node<'_>, most: usize) -> Option<(Node<'_>, Vec<Node<'_>>)> {
    let field = if node.kind() == "new_expression" { "constructor" } else { "function" };
    let function = node.child_by_field_name(field)?;
    let list = node.child_by_field_name("arguments");
    let arguments = list.map(|l| if l.kind() == "arguments" { named_children(l, most) } else { vec![l] });
    Some((function, arguments.unwrap_or_default()))
}
