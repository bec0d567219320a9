//! Collects calls in Python as acts, follows them into functions of the text, and adds acts for functions that are
//! passed as callbacks.

use super::PythonReader;
use crate::review::argument_flow::CallEntry;
use crate::review::choice::MAX_VARIANTS;
use crate::review::flow::element;
use crate::review::folder;
use crate::review::value::{Act, Argument, CallArguments, HOLE, Value, ValueKind};
use crate::review::walk::walk;
use std::ops::Range;
use tree_sitter::Node;

/// Functions that call a given function once for each item of their other arguments.
const FOR_EACH: &[&str] = &[
    "map",
    "filter",
    "imap",
    "imap_unordered",
    "starmap",
    "starmap_async",
    "map_async",
    "map_unordered",
    "amap",
    "reduce",
    "filterfalse",
    "takewhile",
    "dropwhile",
    "process_map",
    "thread_map",
];

/// Whether the paths of a call start at an open folder (`dir_fd=…`), whose own path is not known.
fn starts_at_open_folder(act: &Act) -> bool {
    let given = |name: &str| matches!(name, "dir_fd" | "src_dir_fd" | "dst_dir_fd");
    act.named.iter().any(|(name, argument)| given(name) && argument.value.kind != ValueKind::Nothing)
}

impl<'t> PythonReader<'_, 't> {
    pub(super) fn push_acts(&mut self, acts: Vec<Act>) {
        for mut act in acts {
            if matches!(act.name.as_str(), "__import__" | "importlib.import_module" | "importlib.__import__")
                && let Some(name) = act.value(0).and_then(Value::as_whole_text)
            {
                self.note(name, &act.span);
            }
            match act.name.as_str() {
                "os.chdir" => self.shared.change_folder(&act),
                // It ends with a block of the text, or means an open file.
                "contextlib.chdir" | "os.fchdir" => {
                    self.shared.change_folder(&Act::new("?", Vec::new(), act.span.clone()));
                }
                "shutil.make_archive" => self.archive(&act),
                // It sets a field of an object of the text, which may be read by another name.
                "setattr"
                    if act
                        .value(0)
                        .and_then(Value::as_name)
                        .is_some_and(|name| name.starts_with("class ")) =>
                {
                    self.shared.reading.unknown = true;
                }
                _ => {}
            }
            if starts_at_open_folder(&act) {
                act.folder = Some(folder::unknown());
            }
            for (index, argument) in act.arguments.iter().enumerate() {
                self.hand_over(&act, index + 1, &argument.value);
            }
            for (_, argument) in &act.named {
                self.hand_over(&act, 0, &argument.value);
            }
            if self.endless.contains(&act.span.start) {
                act.named.push(("endless".to_owned(), Argument::given(&act.span)));
            }
            self.shared.note_unknown(&act);
            self.program(&act);
            self.shared.reading.acts.push(act);
        }
    }

    /// `shutil.make_archive(name, format)`: writes the name with the ending of the format.
    fn archive(&mut self, act: &Act) {
        let given = |at: &str, name: &str| {
            act.first_of(&[at.to_owned(), name.to_owned()]).first().map(|(value, _)| (*value).clone())
        };
        let name = given("0", "base_name").unwrap_or_else(Value::unknown);
        let format = given("1", "format");
        let ending = match format.as_ref().and_then(Value::as_whole_text) {
            Some("zip") => Value::text(".zip"),
            Some("tar") => Value::text(".tar"),
            Some("gztar") => Value::text(".tar.gz"),
            Some("bztar") => Value::text(".tar.bz2"),
            Some("xztar") => Value::text(".tar.xz"),
            _ => Value::part(HOLE.to_string()),
        };
        let archive = Argument::new(Value::join(&[name, ending], ""), &act.span);
        self.shared.push_act("shutil.make_archive()", vec![archive], act.span.clone());
    }

    /// `sh.rm('-rf', 'x')`, `local['rm']('-rf', 'x')`: methods named after programs.
    fn program(&mut self, act: &Act) {
        let program = act.name.strip_prefix("plumbum.cmd.").or_else(|| act.name.strip_prefix("sh."));
        let Some(program) =
            program.filter(|p| !p.contains(['.', '(', '[']) && !p.starts_with(char::is_uppercase))
        else {
            return;
        };
        let operands = act.values();
        let words = std::iter::once(Value::text(program.trim_matches('_'))).chain(operands).collect();
        let words = Argument::new(Value::list(words), &act.span);
        self.shared.push_act("subprocess.run", vec![words], act.span.clone());
    }

    /// A function passed to another one (`map(os.remove, files)`, `Thread(target=…, args=…)`) will be called: follows
    /// that call.
    fn hand_over(&mut self, act: &Act, rest: usize, value: &Value) {
        let Some(name) = value.as_name() else { return };
        // A function of the text handles its own callbacks.
        if self.shared.functions.function(&act.name).is_some() {
            return;
        }
        let followed = self.shared.functions.function(name).is_some() || name == "functools.partial()";
        if !followed && !self.shared.rules.knows(name) {
            return;
        }
        let given = act.named.iter().find(|(name, _)| name == "args").map(|(_, a)| a);
        let last = act.name.rsplit('.').next().unwrap_or_default();
        let after = act.arguments.get(rest..).unwrap_or_default();
        let arguments: Vec<Argument> = match given {
            Some(Argument { value: Value { kind: ValueKind::List(items), .. }, span }) => {
                Argument::of_each(items, span)
            }
            _ if act.name == "functools.partial" || !FOR_EACH.contains(&last) => after.to_vec(),
            _ => after.iter().map(|a| Argument::new(element(&a.value), &a.span)).collect(),
        };
        // The queued body is read with unknown parameters anyway.
        if self.shared.functions.function(name).is_some() && arguments.is_empty() {
            return;
        }
        let named = if act.name == "functools.partial" { act.named.clone() } else { Vec::new() };
        self.call_value(value.clone(), CallArguments { positional: arguments, named }, &act.span);
    }

    /// Calls a value with these arguments: collects and follows it like a call in the text.
    fn call_value(&mut self, called: Value, arguments: CallArguments, span: &Range<usize>) {
        let (called, arguments) = self.resolved_call(called, arguments, span);
        let act = self.shared.act(&called, arguments, span.clone());
        for act in act.variants(MAX_VARIANTS) {
            self.result(&act, &called);
            if self.shared.functions.function(&act.name).is_none() {
                self.shared.reading.acts.push(act);
            }
        }
    }

    /// A decorator without arguments (`@atexit.register`) is called with the function below it; one with arguments is a
    /// call node of its own.
    pub(super) fn decorate(&mut self, node: Node<'t>, frame: usize) {
        let Some(decorator) = node.named_child(0) else { return };
        if decorator.kind() != "call"
            && let Some(name) = self.fold(decorator, frame, 0).as_name().map(str::to_owned)
            && self.shared.rules.knows(&name)
        {
            let argument = Argument::new(Value::unknown(), &node.byte_range());
            self.shared.push_act(&name, vec![argument], node.byte_range());
        }
    }

    /// Resolves partial calls, `methodcaller` and the like: returns the real callee and its arguments.
    pub(super) fn resolved_call(
        &self,
        mut called: Value,
        mut arguments: CallArguments,
        span: &Range<usize>,
    ) -> (Value, CallArguments) {
        for _ in 0..4 {
            let ValueKind::Name { path, about: Some(about) } = &called.kind else { break };
            let ValueKind::List(parts) = &about.kind else { break };
            let [
                first,
                Value { kind: ValueKind::List(before), .. },
                Value { kind: ValueKind::Map(options), .. },
            ] = parts.as_slice()
            else {
                break;
            };
            let argument = |value: &Value| Argument::new(value.clone(), span);
            let more = options.iter().map(|(key, value)| (key.clone(), argument(value)));
            let inner = match path.as_str() {
                "functools.partial()" => {
                    arguments.named.extend(more);
                    arguments.positional.splice(0..0, before.iter().map(argument));
                    first.clone()
                }
                "operator.methodcaller()" => {
                    let object = arguments.positional.first();
                    let (Some(object), Some(method)) = (object, first.as_whole_text()) else { break };
                    let inner = self.member(&object.value, method);
                    let positional = before.iter().map(argument).collect();
                    arguments = CallArguments { positional, named: more.collect() };
                    inner
                }
                _ => break,
            };
            called = inner;
        }
        (called, arguments)
    }

    /// Follows a call of one of the text's functions: reads its body with these arguments, and returns its result;
    /// `None` for other calls.
    pub(super) fn enter(&mut self, act: &Act) -> Option<Value> {
        let made = act.name.starts_with("class ") && !act.name.contains('.') && !act.name.contains('(');
        let as_called = if made { format!("{}().__init__", act.name) } else { act.name.clone() };
        let function = self.shared.functions.function(&as_called)?;
        let mut inside = act.clone();
        inside.name = as_called;
        let parameters = function.node.child_by_field_name("parameters");
        let positional = act.arguments.iter().enumerate().map(|(at, a)| (at.to_string(), a.value.clone()));
        let named = act.named_values();
        let value = match self.shared.entry(function, positional.chain(named)) {
            CallEntry::Known(value) => value,
            CallEntry::Refused => Value::unknown(),
            CallEntry::Read(key) => {
                let step = self.shared.step;
                let frame = self.shared.frames.open(function.frame);
                if let Some(parameters) = parameters {
                    self.parameters(parameters, frame, Some((&inside, function.method)));
                }
                self.shared.functions.begin();
                if function.node.kind() == "lambda"
                    && let Some(body) = function.node.child_by_field_name("body")
                {
                    let value = self.fold(body, frame, 0);
                    self.shared.functions.note_return(value);
                }
                walk(self, function.node, frame);
                self.shared.step = step;
                self.shared.forget_calls(&function.node.byte_range());
                self.shared.functions.end(function.node.id(), key)
            }
        };
        (!made).then_some(value)
    }
}
