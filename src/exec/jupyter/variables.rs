//! Lists the variables of a Python kernel that is not ours: sends one silent request after each block, with limits on
//! its size and on the time to wait. Calls no `repr` of the person's classes and stores nothing in the kernel. If no
//! answer comes, it is left out: the end of the block does not depend on it.

use super::Jupyter;
use super::message::{Channel, JupyterMessage};
use super::talk::KernelOrder;
use crate::domain::{RunEvent, Variable};
use base64::Engine as _;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

const ANSWER_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_ANSWER_BYTES: usize = 256 << 10;
const MAX_VARIABLES: usize = 300;

/// The code that the kernel evaluates: a function that takes a namespace and returns text. It reads values of exact
/// built-in types only, and the shapes of data frames and arrays.
const QUESTION: &str = r#"
def told(names):
    kinds = {list, tuple, set, frozenset, dict}
    module, function, builtin = type(__builtins__), type(told), type(len)
    if module is dict: module = type(__import__("sys"))
    def short(value):
        kind = type(value)
        if kind is int: return repr(value) if value.bit_length() <= 256 else "%d bits" % value.bit_length()
        if kind in (bool, float, complex, type(None)): return repr(value)
        if kind is str or kind is bytes: return repr(value[:60]) + ("..." if len(value) > 60 else "")
        return ""
    def size(value, kind, name):
        if kind is str: return "%d chars" % len(value)
        if kind is bytes: return "%d bytes" % len(value)
        if kind in kinds: return "%d item%s" % (len(value), "" if len(value) == 1 else "s")
        if name == "pandas.DataFrame": return "%d rows x %d columns" % value.shape
        if name == "pandas.Series": return "%d rows" % value.shape[0]
        if name == "numpy.ndarray": return " x ".join(map(str, value.shape)) or "scalar"
        return ""
    of = type.__dict__["__module__"].__get__
    lines = []
    for name, value in list(names.items()):
        if type(name) is not str or name[:1] == "_" or name in ("In", "Out", "exit", "quit", "get_ipython", "open"): continue
        kind = type(value)
        if kind is module or kind is builtin: continue
        if kind is function and value.__module__ != "__main__": continue
        try:
            if kind is type and of(value) != "__main__": continue
            home, own = of(kind), type.__dict__["__name__"].__get__(kind)
            full = (home.split(".")[0] + "." + own) if type(home) is str else own
            lines.append([name[:200], own[:80], size(value, kind, full)[:60], short(value)[:160]])
        except Exception: lines.append([name[:200], "", "", ""])
    import base64, json
    return base64.b64encode(json.dumps([len(lines), lines[-MOST:]]).encode()).decode()
"#;

/// The request for the variables.
fn request() -> Value {
    let question = QUESTION.replace("MOST", &MAX_VARIABLES.to_string());
    // A JSON string is also a valid Python literal.
    let literal = Value::String(question).to_string();
    let expression = format!("(lambda d: (exec({literal}, d), d['told'](globals()))[1])({{}})");
    json!({
        "code": "", "silent": true, "store_history": false, "user_expressions": { "sayso": expression },
        "allow_stdin": false, "stop_on_error": false,
    })
}

/// The number of variables, and those that are listed; `None` if the answer can't be read.
fn read(content: &Value) -> Option<(u32, Vec<Variable>)> {
    let text = content.pointer("/user_expressions/sayso/data/text~1plain")?.as_str()?;
    let text = text.trim_matches(['\'', '"']);
    if text.len() > MAX_ANSWER_BYTES {
        return None;
    }
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
    let (all, lines): (u32, Vec<[String; 4]>) = serde_json::from_slice(&bytes).ok()?;
    let line = |[name, kind, size, value]: [String; 4]| Variable { name, kind, size, value, change: None };
    Some((all, lines.into_iter().take(MAX_VARIABLES).map(line).collect()))
}

impl Jupyter {
    /// Asks for the variables of a Python kernel when the block has ended. Returns whether an answer is expected.
    pub(super) fn ask_variables(&mut self) -> bool {
        let Some(block) = self.block.as_mut().filter(|block| block.of_python) else { return false };
        let message = self.ids.message(Channel::Shell, "execute_request", request());
        block.asked = Some(message.id().to_owned());
        block.until = Some(Instant::now() + ANSWER_TIMEOUT);
        self.order(KernelOrder::Send(Box::new(message)));
        true
    }

    /// Whether this message belongs to the answer. The block ends with it.
    pub(super) fn take_variables(&mut self, message: &JupyterMessage) -> bool {
        let asked = self.block.as_ref().and_then(|block| block.asked.as_deref());
        if asked.is_none_or(|asked| message.parent_id() != asked) {
            return false;
        }
        if message.kind() == "execute_reply" {
            if let Some((all, variables)) = read(&message.content) {
                let name = self.block.as_ref().map(|block| block.kernel.clone()).unwrap_or_default();
                if let Some(kernel) = self.kernels.get_mut(&name) {
                    kernel.variables = all;
                }
                self.queue.push_back(RunEvent::Variables(variables).into());
            }
            self.end_of_block();
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_and_what_is_none_is_left() {
        let lines =
            json!([700, [["x", "int", "", "41"], ["df", "DataFrame", "2 rows x 2 columns", ""]]]).to_string();
        let text = base64::engine::general_purpose::STANDARD.encode(lines);
        let content =
            |text: &str| json!({ "user_expressions": { "sayso": { "data": { "text/plain": text } } } });
        let (all, told) = read(&content(&format!("'{text}'"))).unwrap();
        assert_eq!(all, 700, "also those that are not told");
        assert_eq!((told[0].name.as_str(), told[0].value.as_str()), ("x", "41"));
        assert_eq!(told[1].size, "2 rows x 2 columns");
        for other in ["", "'%%%'", "'e30='"] {
            assert_eq!(read(&content(other)), None, "{other}");
        }
        assert_eq!(read(&json!({ "user_expressions": { "sayso": { "status": "error" } } })), None);
    }
}
