//! Defines the functions and classes of a text: what the readers of Python and JavaScript share.

use super::WalkContext;
use crate::review::argument_flow::FlowFunction;
use crate::review::value::Value;

impl<'t> WalkContext<'_, 't> {
    /// Binds the name of a function; `kind` is the word that stands before it. Each of several conditional definitions of
    /// one name counts (`branch`), so each gets a unique name.
    pub(in crate::review) fn bind_function(
        &mut self,
        kind: &str,
        name: &str,
        function: FlowFunction<'t>,
        branch: bool,
    ) {
        let mut called = format!("{kind} {name}");
        if branch {
            called = format!("{called}@{}", function.node.start_byte());
        }
        let frame = function.frame;
        let value = self.function_value(called, function);
        self.frames.bind(frame, name, value, branch);
    }

    /// The value of a function, which can be called by it and passed on.
    pub(in crate::review) fn function_value(&mut self, called: String, function: FlowFunction<'t>) -> Value {
        self.functions.define(called.clone(), function);
        Value::name(called)
    }

    /// The value of a class with these base classes. One derived from a class that rules mention is called like that one.
    pub(in crate::review) fn class_value(&mut self, name: &str, bases: &[Value]) -> Value {
        let mut class = Value::name(format!("class {name}"));
        for base in bases {
            match base.as_name() {
                Some(of_text) if of_text.starts_with("class ") => {
                    self.functions.note_subclass(format!("class {name}"), of_text.to_owned());
                }
                Some(known) if self.rules.knows(known) => class = base.clone(),
                _ => {}
            }
        }
        class
    }
}
