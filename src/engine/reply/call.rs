//! Tool calls: which tools exist, and what the arguments of a call mean.
//!
//! A call becomes a block that waits like every other; a call that can't be read gives a `CallError`.

pub(crate) mod definitions;

use super::{Proposal, info, json};
use crate::domain::word::words;
use crate::domain::{BlockKind, Dialect, FileAct, Language, Languages, file_act};
use crate::engine::call_error::CallError;
use serde_json::{Map, Value};
use strum::VariantArray as _;

const MAX_LINES: u32 = 5_000;
const MAX_PACKAGES_SHOWN: usize = 12;

/// The tools of sayso.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
enum ToolName {
    RunCode,
    ReadFile,
    EditFile,
    WriteFile,
    ListFiles,
}

words!(ToolName);

impl ToolName {
    /// The tool of this name; some models put `functions.` before it.
    fn parse(name: &str) -> Option<Self> {
        let name = name.trim();
        let name = name.strip_prefix("functions.").unwrap_or(name);
        name.parse().ok()
    }
}

/// Whether sayso has a tool of this name.
pub(in crate::engine) fn is_known(name: &str) -> bool {
    ToolName::parse(name).is_some()
}

/// The block that a call proposes. `complete`: whether the model finished its reply. A call that was cut off gives a
/// block that can't be approved as it is.
///
/// # Errors
/// Why it becomes no block, in one line.
pub(crate) fn read(
    name: &str,
    arguments: &str,
    languages: &Languages,
    complete: bool,
) -> Result<Proposal, CallError> {
    let Some(tool) = ToolName::parse(name) else {
        let there: Vec<&str> = ToolName::VARIANTS.iter().map(|name| name.as_str()).collect();
        return Err(CallError::NoTool { name: name.to_owned(), there: there.join(", ") });
    };
    let (arguments, whole, repaired) = fields(arguments, complete)?;
    let call = Call { tool, arguments };
    let mut proposed = call.proposed(languages)?;
    proposed.closed = whole;
    if repaired {
        proposed.remark("line breaks in its arguments were not escaped");
    }
    Ok(proposed)
}

/// The fields of the arguments, whether they are complete, and whether they had to be repaired.
fn fields(arguments: &str, complete: bool) -> Result<(Map<String, Value>, bool, bool), CallError> {
    let trimmed = arguments.trim();
    if trimmed.is_empty() {
        return Ok((Map::new(), complete, false));
    }
    // Some servers encode the arguments as a JSON string once more.
    let unwrapped = serde_json::from_str::<String>(trimmed).ok();
    let text = unwrapped.as_deref().unwrap_or(trimmed).trim();
    match json::read(text) {
        Some(found) if text.get(found.length..).is_none_or(|rest| rest.trim().is_empty()) => {
            match found.value {
                Value::Object(fields) => Ok((fields, true, found.repaired)),
                _ => Err(CallError::NoObject),
            }
        }
        _ if !complete => match json::broken_off(text) {
            Some(fields) => Ok((fields, false, false)),
            None => Err(CallError::CutOff),
        },
        _ => match serde_json::from_str::<Value>(text) {
            // `null`, a number, a truth value.
            Ok(_) => Err(CallError::NoObject),
            Err(why) => Err(CallError::NoJson(why.to_string())),
        },
    }
}

/// A call whose arguments were read.
struct Call {
    tool: ToolName,
    arguments: Map<String, Value>,
}

impl Call {
    fn proposed(&self, languages: &Languages) -> Result<Proposal, CallError> {
        match self.tool {
            ToolName::RunCode => {
                let language = self.language(languages)?;
                let mut proposed = self.block(None, language, self.text(&["code", "source"])?);
                if let Some(packages) = self.packages() {
                    proposed.remark(&format!("it asks for packages: {packages}"));
                    proposed.info = format!("packages=\"{packages}\"");
                }
                Ok(proposed)
            }
            ToolName::WriteFile => {
                let kind = BlockKind::Write { path: self.text(PATH_KEYS)?.trim().to_owned() };
                FileAct::parse(&kind, "")?;
                let language = info::by_extension(&self.text(PATH_KEYS)?, languages);
                Ok(self.block(Some(kind), language, self.text(&["content", "contents"])?))
            }
            ToolName::EditFile => {
                let (kind, language, source) = super::edits::parse_call(&self.arguments, languages)?;
                Ok(self.block(Some(kind), language, source))
            }
            ToolName::ReadFile => self.act_block(BlockKind::Read, &self.read_act()?),
            ToolName::ListFiles => self.act_block(BlockKind::List, &self.list_act()?),
        }
    }

    /// A block with this text; `kind` is `None` for code.
    fn block(&self, kind: Option<BlockKind>, language: Option<Language>, source: String) -> Proposal {
        Proposal {
            dialect: Dialect::Tools,
            info: self.tool.as_str().to_owned(),
            special_kind: kind,
            language,
            source,
            closed: true,
            ..Proposal::default()
        }
    }

    /// A block whose text says which act it is.
    fn act_block(&self, kind: BlockKind, act: &FileAct) -> Result<Proposal, CallError> {
        FileAct::parse(&kind, &act.text())?;
        Ok(self.block(Some(kind), None, act.text()))
    }

    fn read_act(&self) -> Result<FileAct, CallError> {
        let from = self.number(&["from_line", "start_line", "offset"])?.unwrap_or(1).max(1);
        let lines = self.number(&["lines", "limit"])?.unwrap_or(file_act::DEFAULT_LINES);
        let lines = lines.clamp(1, MAX_LINES);
        Ok(FileAct::Read { path: self.text(PATH_KEYS)?.trim().to_owned(), from, lines })
    }

    /// Lists the working folder if the call names none.
    fn list_act(&self) -> Result<FileAct, CallError> {
        let path = if self.has(PATH_KEYS) { self.text(PATH_KEYS)?.trim().to_owned() } else { String::new() };
        let path = if path.is_empty() { ".".to_owned() } else { path };
        let depth = self.number(&["depth"])?.unwrap_or(file_act::DEFAULT_DEPTH);
        Ok(FileAct::List { path, depth: depth.clamp(1, file_act::MAX_DEPTH) })
    }

    /// The language that the call names. `None`: none, and the person has to choose one.
    fn language(&self, languages: &Languages) -> Result<Option<Language>, CallError> {
        const KEYS: &[&str] = &["language", "lang"];
        if !self.has(KEYS) {
            return Ok(None);
        }
        let word = self.text(KEYS)?;
        match info::language_ignoring_version(word.trim(), languages) {
            Some(language) => Ok(Some(language)),
            None => {
                let there: Vec<&str> = languages.0.iter().map(|entry| entry.name.as_str()).collect();
                Err(CallError::NoInterpreter { word, there: there.join(", ") })
            }
        }
    }

    fn packages(&self) -> Option<String> {
        let names: Vec<&str> = match self.arguments.get("packages")? {
            Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
            Value::String(names) => names.split([',', ' ']).filter(|name| !name.is_empty()).collect(),
            _ => Vec::new(),
        };
        let plain = |name: &&str| {
            !name.is_empty() && !name.chars().any(|c| c.is_control() || c == '"') && name.len() < 80
        };
        let names: Vec<&str> = names.into_iter().filter(plain).take(MAX_PACKAGES_SHOWN).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn get(&self, keys: &[&str]) -> Option<&Value> {
        keys.iter().find_map(|key| self.arguments.get(*key)).filter(|value| !value.is_null())
    }

    fn has(&self, keys: &[&str]) -> bool {
        self.get(keys).is_some()
    }

    fn text(&self, keys: &[&str]) -> Result<String, CallError> {
        let key = keys.first().copied().unwrap_or_default();
        match self.get(keys) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(_) => Err(CallError::NoText(key.to_owned())),
            None => Err(CallError::Missing(key.to_owned())),
        }
    }

    fn number(&self, keys: &[&str]) -> Result<Option<u32>, CallError> {
        let key = keys.first().copied().unwrap_or_default();
        let Some(value) = self.get(keys) else { return Ok(None) };
        let number = match value {
            Value::Number(number) => number.as_u64().or_else(|| number.as_f64().map(|n| n.max(0.0) as u64)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        match number {
            Some(number) => Ok(Some(u32::try_from(number).unwrap_or(u32::MAX))),
            None => Err(CallError::NoNumber(key.to_owned())),
        }
    }
}

const PATH_KEYS: &[&str] = &["path", "file_path", "filename", "file"];

#[cfg(test)]
mod tests {
    use super::definitions::definitions;
    use super::*;
    use proptest::prelude::*;

    fn call(name: &str, arguments: &str) -> Result<Proposal, CallError> {
        read(name, arguments, &Languages::default(), true)
    }

    #[test]
    fn each_tool_becomes_its_block() {
        let code = call("run_code", r#"{"language":"py3","code":"print(1)\n"}"#).expect("code");
        assert_eq!(
            (code.kind().as_str(), code.language, code.source.as_str()),
            ("code", Some(Language::python()), "print(1)\n")
        );
        let write = call("write_file", r#"{"path":"a/b.py","content":"x = 1\n"}"#).expect("a write");
        assert_eq!(write.special_kind, Some(BlockKind::Write { path: "a/b.py".into() }));
        assert_eq!((write.language, write.source.as_str()), (Some(Language::python()), "x = 1\n"));
        let read = call("read_file", r#"{"path":"a","from_line":"10","lines":5.0}"#).expect("a read");
        assert_eq!(
            (read.special_kind, read.source.as_str()),
            (Some(BlockKind::Read), "path: a\nlines: 10-14\n")
        );
        let list = call("functions.list_files", "").expect("a list");
        assert_eq!(list.source, "path: .\ndepth: 2\n");
    }

    #[test]
    fn what_can_not_be_read_says_why() {
        for (name, arguments, why) in [
            ("rm", "{}", "there is no tool \"rm\""),
            ("run_code", "{\"code\": ", "no JSON"),
            ("run_code", "[1]", "no object"),
            ("run_code", "null", "its arguments are no object"),
            ("list_files", "true", "its arguments are no object"),
            ("run_code", r#"{"language":"python"}"#, "\"code\" is missing"),
            ("run_code", r#"{"language":"cobol","code":"x"}"#, "no interpreter is configured for \"cobol\""),
            ("run_code", r#"{"language":"python","code":["a"]}"#, "no text"),
            ("write_file", r#"{"path":"a\nb","content":"x"}"#, "control characters"),
            ("write_file", r#"{"path":"a"}"#, "\"content\" is missing"),
            ("read_file", r#"{"path":"a","lines":"many"}"#, "no number"),
            ("read_file", r#"{"path":"  "}"#, "no path"),
        ] {
            let refused = call(name, arguments).expect_err(arguments);
            assert!(refused.to_string().contains(why), "{refused:?} for {arguments}");
        }
    }

    #[test]
    fn a_call_without_a_language_waits_for_one() {
        let code = call("run_code", r#"{"code":"ls"}"#).expect("code");
        assert_eq!((code.language, code.closed), (None, true));
    }

    #[test]
    fn packages_are_told_and_not_installed() {
        let code = call("run_code", r#"{"language":"python","code":"x","packages":["numpy","pandas"]}"#)
            .expect("code");
        assert_eq!(code.note.as_deref(), Some("it asks for packages: numpy, pandas"));
    }

    #[test]
    fn arguments_in_a_text_and_with_raw_line_breaks_are_read() {
        let wrapped = call("run_code", r#""{\"language\":\"bash\",\"code\":\"ls\"}""#).expect("code");
        assert_eq!(wrapped.source, "ls");
        let raw = call("run_code", "{\"language\":\"bash\",\"code\":\"ls\npwd\"}").expect("code");
        assert_eq!((raw.source.as_str(), raw.note.is_some()), ("ls\npwd", true));
    }

    #[test]
    fn every_schema_is_json() {
        let languages = Languages::default();
        let names: Vec<&Language> = languages.0.iter().map(|entry| &entry.name).collect();
        for tool in definitions(&names) {
            let schema: Value = serde_json::from_str(&tool.parameters).expect("a schema");
            assert_eq!(schema["type"], "object", "{}", tool.name);
        }
        let no_code: Vec<String> = definitions(&names).into_iter().skip(1).map(|tool| tool.name).collect();
        let left: Vec<String> = definitions(&[]).into_iter().map(|tool| tool.name).collect();
        assert_eq!(left, no_code, "code in no language can't be proposed");
    }

    proptest! {
        /// A call that was cut off, at whatever point, never counts as whole.
        #[test]
        fn a_cut_call_is_incomplete(code in any::<String>(), cut in 0usize..200) {
            let whole = serde_json::json!({ "language": "python", "code": code }).to_string();
            let cut = whole.floor_char_boundary(cut.min(whole.len() - 1));
            if let Ok(block) = read("run_code", &whole[..cut], &Languages::default(), false) {
                prop_assert!(!block.closed);
                prop_assert!(code.starts_with(&block.source));
            }
        }
    }
}
