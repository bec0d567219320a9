//! Turns what the tables say about a command into acts: files that its options read and write, commands that they
//! start, and unknown options.

use super::ShellReader;
use super::command_start::CommandStart;
use super::options::CommandFacts;
use crate::review::grammar::Grammar;
use crate::review::orders::{self, OrderEffect};
use crate::review::programs::{self, OperandUse, Program, StartedAs};
use crate::review::value::{Act, Argument, Taint, Value};
use std::ops::Range;

impl ShellReader<'_, '_> {
    /// Adds the acts of a command by its options, operands and standard input.
    pub(super) fn by_table(&mut self, act: &Act, known: &CommandFacts, input: Option<&Argument>, depth: u32) {
        let span = &act.span;
        let Some(table) = known.tables.last() else { return };
        if let Some(verb) = &known.unknown_verb {
            self.not_known(verb, span, false);
        }
        for option in known.unknown_options.iter().filter(|_| !known.others_harmless) {
            self.not_known(&format!("{} {option}", known.name), span, false);
        }
        for (option, choice, value) in &known.options {
            self.tell_operand(choice.does, value, &format!("{} {option}", known.name), span, depth);
        }
        let program = known.tables.iter().rev().find(|table| !table.operands.is_empty());
        // If rules know the act by its verb, the verb is no longer among its operands.
        let dropped = usize::from(act.name.contains(' '));
        let verbs = known.verbs.saturating_sub(dropped);
        let operands = act.arguments.get(verbs.min(act.arguments.len())..).unwrap_or_default();
        if let Some(program) = program {
            self.by_roles(program, act, known, operands, input, depth);
        }
        if let (Some(does), Some(input)) = (table.stdin, input) {
            self.tell_operand(does, input, &known.name, span, depth);
        }
        if input.is_some_and(is_unknown_code) && known.takes_code(act) {
            self.not_known(&format!("the input of {}", known.name), span, false);
        }
        self.by_own_forms(&known.name, operands, span, depth);
        if table.project {
            self.note("@project", vec![Argument::text(known.name.clone(), span)], span);
        }
    }

    /// Adds the acts of operands by the roles that the table gives them, in order.
    fn by_roles(
        &mut self,
        program: &Program,
        act: &Act,
        known: &CommandFacts,
        operands: &[Argument],
        input: Option<&Argument>,
        depth: u32,
    ) {
        let span = &act.span;
        let given = |names: &[String]| names.iter().any(|name| act.named.iter().any(|(key, _)| key == name));
        let roles: Vec<_> = program.operands.iter().filter(|role| !given(&role.without)).collect();
        let later = |at: usize| roles.len() - at - 1;
        let mut at = 0;
        for (index, role) in roles.iter().enumerate() {
            if role.does.is_command() {
                let words = operands.get(at..).unwrap_or_default();
                if !words.is_empty() {
                    let input = input.cloned();
                    self.command(words.to_vec(), CommandStart { input, span, depth: depth + 1 });
                }
                break;
            }
            let end = if role.repeats {
                operands.len().saturating_sub(later(index)).max(at)
            } else {
                (at + 1).min(operands.len())
            };
            for operand in operands.get(at..end).unwrap_or_default() {
                self.tell_operand(role.does, operand, &known.name, span, depth);
            }
            at = end;
        }
    }

    /// Adds the acts of operands with a special meaning for a program: git settings, `file://` URLs, `ext::` commands.
    fn by_own_forms(&mut self, name: &str, operands: &[Argument], span: &Range<usize>, depth: u32) {
        if name == "git config"
            && let [setting, value] = operands
            && let (Some((key, _)), Some((value, _))) = (setting.value.as_text(), value.value.as_text())
        {
            let setting = Argument::text(format!("{key}={value}"), span);
            self.tell_operand(OperandUse::StartsUnexpectedly(StartedAs::Git), &setting, name, span, depth);
        }
        for operand in operands.iter().filter(|_| {
            matches!(name, "curl" | "wget" | "git clone" | "git fetch" | "git pull" | "git ls-remote")
        }) {
            if let Some(path) = operand.value.as_whole_text().and_then(|text| text.strip_prefix("file://")) {
                let path = Argument::text(path, &operand.span);
                self.tell_operand(OperandUse::Reads, &path, name, span, depth);
            }
        }
        for operand in operands.iter().filter(|_| name.starts_with("git ")) {
            // git's `ext::` transport runs the command after it.
            if let Some((text, whole)) = operand.value.as_text()
                && let Some(command) = text.strip_prefix("ext::")
            {
                let command = Argument::new(Value::of_text(command, whole), &operand.span);
                self.tell_operand(
                    OperandUse::StartsUnexpectedly(StartedAs::Shell),
                    &command,
                    name,
                    span,
                    depth,
                );
            }
        }
    }

    /// Reports once that a program, or an option of it, is unknown. `file`: it is a file that is run.
    pub(super) fn not_known(&mut self, name: &str, span: &Range<usize>, file: bool) {
        if self.is_fresh_activation(name) {
            // Its text is not shown all the same, and making it may have failed.
            self.reading.unknown = true;
            return;
        }
        if self.untold.len() >= 256 || !self.untold.insert(name.to_owned()) {
            return;
        }
        let name = Argument::text(name, span);
        self.note("@unknown", vec![name], span);
        if let (Some(act), true) = (self.reading.acts.last_mut(), file) {
            act.named.push(("file".to_owned(), Argument::given(span)));
        }
    }

    /// Adds an act with a name of sayso's own.
    fn note(&mut self, name: &str, arguments: Vec<Argument>, span: &Range<usize>) {
        self.reading
            .acts
            .push(Act { folder: self.folder.clone(), ..Act::new(name, arguments, span.clone()) });
    }

    /// Adds the act for the use of one value. `by` is the option that uses it, for messages.
    fn tell_operand(
        &mut self,
        does: OperandUse,
        value: &Argument,
        by: &str,
        span: &Range<usize>,
        depth: u32,
    ) {
        let quiet = matches!(value.value.as_text(), Some(("-" | "", true)));
        let name = match does {
            OperandUse::Nothing => return,
            OperandUse::Starts(code) => return self.ordered(code, value, by, false, span, depth),
            OperandUse::StartsUnexpectedly(code) => return self.ordered(code, value, by, true, span, depth),
            _ if quiet => return,
            OperandUse::Reads => "@reads",
            OperandUse::Writes => "@writes",
            OperandUse::Makes => "@makes",
            OperandUse::Deletes => "@deletes",
            OperandUse::Hosts => "@hosts",
        };
        self.note(name, vec![value.clone()], span);
    }

    /// Adds the acts for the orders in a text that is started. `hidden`: nobody expects a program there.
    pub(super) fn ordered(
        &mut self,
        code: StartedAs,
        value: &Argument,
        by: &str,
        hidden: bool,
        span: &Range<usize>,
        depth: u32,
    ) {
        let Some((text, whole)) = value.value.as_text().map(|(text, whole)| (text.to_owned(), whole)) else {
            self.reading.unknown = true;
            if hidden && code != StartedAs::Git && code != StartedAs::Ssh {
                self.hides(by, "(known only at run time)", span);
            }
            return;
        };
        self.reading.unknown |=
            !whole && !matches!(code, StartedAs::Git | StartedAs::Ssh | StartedAs::Sed | StartedAs::Awk);
        let verbatim = self
            .source
            .get(value.span.clone())
            .and_then(|held| held.find(&text))
            .map(|at| value.span.start + at);
        for order in orders::orders(code, &text) {
            let place = match verbatim {
                Some(start) if text.contains('\n') => start + order.at.start..start + order.at.end,
                _ => value.span.clone(),
            };
            let at = if text.contains('\n') { &place } else { span };
            let hidden = hidden
                || matches!(code, StartedAs::Sed | StartedAs::Editor)
                    && !matches!(order.what, OrderEffect::File(_));
            self.order(order.what, by, hidden, &place, at, depth);
        }
    }

    fn order(
        &mut self,
        what: OrderEffect,
        by: &str,
        hidden: bool,
        place: &Range<usize>,
        span: &Range<usize>,
        depth: u32,
    ) {
        let argument = |text: String| Argument::text(text, place);
        match what {
            OrderEffect::Starts { text, open } => {
                let first =
                    text.split_whitespace().next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
                let fed = open && matches!(first, "sh" | "bash" | "zsh" | "dash" | "ksh" | "ash");
                let plain = !text.contains([';', '|', '&', '$', '`', '<', '>', '\n']);
                if fed || hidden && !open && !(plain && programs::shipped().is_usual_helper(first)) {
                    self.hides(by, &text, span);
                }
                if depth < 12 {
                    self.runs(Grammar::Bash, text, place.clone());
                }
            }
            OrderEffect::Runs(language, text) => {
                self.runs(language, text, place.clone());
            }
            OrderEffect::File(path) => {
                if !hidden {
                    return self.not_known(&path, span, true);
                }
                self.hides(by, &path, span);
                self.reading.unknown = true;
                let name = match path.rsplit_once('.').map_or("", |(_, extension)| extension) {
                    "py" => "python3",
                    "js" | "mjs" | "cjs" => "node",
                    "sh" | "bash" => "./",
                    _ if !path.rsplit('/').next().unwrap_or_default().contains('.') => "./",
                    _ => "@runs",
                };
                self.note(name, vec![argument(path)], span);
            }
            OrderEffect::Writes(path) if matches!(path.as_str(), "-" | "/dev/stdout" | "/dev/stderr") => {}
            OrderEffect::Writes(path) => self.note("@makes", vec![argument(path)], span),
            OrderEffect::Reads(path) => self.note("@reads", vec![argument(path)], span),
            OrderEffect::Connects(host) => self.note("@connects", vec![argument(host)], span),
            OrderEffect::Unknown => {
                self.reading.unknown = true;
                if hidden {
                    self.hides(by, "(known only at run time)", span);
                }
            }
        }
    }

    /// Reports that something is started where nobody expects it.
    pub(super) fn hides(&mut self, by: &str, text: &str, span: &Range<usize>) {
        let what = Argument::text(format!("{by} starts {text}"), span);
        self.note("@hides", vec![what], span);
    }
}

/// Whether code that an interpreter takes from its standard input is not known. Of downloaded and decoded code, rules say
/// more.
fn is_unknown_code(code: &Argument) -> bool {
    let is_told = code.value.all_taint().meets(Taint::DECODED.with(Taint::DOWNLOADED));
    !is_told && code.value.as_whole_text().is_none()
}
