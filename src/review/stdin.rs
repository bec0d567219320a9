//! Examines commands that a call starts. Finds code that an interpreter gets on standard input: `run(['bash'],
//! input='…')`, `communicate`, a write to its pipe. It counts like the text of `bash -c`. Rules handle what arrives
//! through a pipe from another program.

use super::grammar::Grammar;
use super::nested::NestedCode;
use super::value::{Act, Value, ValueKind};

/// The code that an act passes to an interpreter, if it does.
pub(super) fn code_for_interpreter(act: &Act) -> Option<NestedCode> {
    let (command, text) = match act.name.as_str() {
        "subprocess.run" | "subprocess.check_output" | "subprocess.call" => {
            (first(act, &["0", "args"])?.clone(), first(act, &["input"])?)
        }
        "child_process.execSync" | "child_process.spawnSync" | "child_process.execFileSync" => {
            (with_rest(act), first(act, &["input"])?)
        }
        name => {
            let (started, way) = name.split_once("()")?;
            let starts = [
                "subprocess.Popen",
                "os.popen",
                "asyncio.create_subprocess_",
                "pexpect.spawn",
                "child_process.",
            ];
            if !starts.iter().any(|known| started.starts_with(known)) {
                return None;
            }
            let ways = [
                ".communicate",
                ".stdin.write",
                ".stdin.writelines",
                ".write",
                ".writelines",
                ".sendline",
                ".send",
                ".stdin.end",
            ];
            if !ways.contains(&way) {
                return None;
            }
            (act.receiver.clone()?, first(act, &["0", "input"])?)
        }
    };
    let language = interpreter(&command)?;
    let lines = match &text.kind {
        ValueKind::List(lines) => Value::join(lines, ""),
        _ => text.clone(),
    };
    // The content of a JavaScript `Buffer` is its text.
    let (text, _) = match &lines.kind {
        ValueKind::Name { about: Some(about), .. } => about.as_text()?,
        _ => lines.as_text()?,
    };
    Some(NestedCode::text(language, text, act.span.clone()))
}

fn first<'a>(act: &'a Act, selectors: &[&str]) -> Option<&'a Value> {
    selectors.iter().find_map(|selector| act.select(selector).first().map(|(value, _)| *value))
}

/// The command of a call that takes the program and its arguments separately.
pub(super) fn with_rest(act: &Act) -> Value {
    let program = act.value(0).cloned().unwrap_or_else(Value::unknown);
    match act.arguments.get(1).map(|a| &a.value.kind) {
        Some(ValueKind::List(rest)) => {
            Value::list(std::iter::once(program).chain(rest.iter().cloned()).collect())
        }
        _ => program,
    }
}

/// Whether a command downloads something and prints it.
pub(super) fn downloads(command: &Value) -> bool {
    let first = match &command.kind {
        ValueKind::List(words) => words.first().and_then(Value::as_whole_text),
        _ => command.as_text().and_then(|(text, _)| text.split_whitespace().next()),
    };
    let program = first.map(|word| word.rsplit('/').next().unwrap_or(word));
    matches!(program, Some("curl" | "wget" | "http" | "https" | "aria2c" | "xh" | "fetch"))
}

/// The language in which a command runs its standard input, if it does.
pub(super) fn interpreter(command: &Value) -> Option<Grammar> {
    let words: Vec<String> = match &command.kind {
        ValueKind::List(words) => {
            words.iter().map(|word| word.as_text().map(|(t, _)| t.to_owned()).unwrap_or_default()).collect()
        }
        _ => command.as_text()?.0.split_whitespace().map(str::to_owned).collect(),
    };
    let mut words = words.iter().map(String::as_str).skip_while(|word| {
        word.contains('=')
            || matches!(*word, "sudo" | "env" | "nice" | "nohup" | "exec" | "stdbuf" | "timeout")
    });
    let program = words.next()?;
    let program = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let mut operands = words.filter(|word| !word.starts_with('-') || *word == "-");
    let bare = |operand: Option<&str>| operand.is_none_or(|word| matches!(word, "-" | "/dev/stdin"));
    match program {
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" | "mksh" | "fish" | "rbash" | "busybox" => {
            bare(operands.next()).then_some(Grammar::Bash)
        }
        // A remote shell: the words after the host are its command.
        "ssh" | "docker" | "podman" | "kubectl" => {
            let last = operands.last();
            last.is_none_or(|word| !word.contains(' ')).then_some(Grammar::Bash)
        }
        "node" | "nodejs" | "bun" | "deno" => bare(operands.next()).then_some(Grammar::Javascript),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlcmd" | "duckdb" => Some(Grammar::Sql),
        "perl" | "perl5" | "ruby" | "jruby" | "php" | "lua" | "luajit" | "lua5.4" | "Rscript" | "R"
        | "octave" | "julia" | "gnuplot" | "tclsh" | "groovy" => {
            bare(operands.next()).then_some(Grammar::Other)
        }
        _ if program == "py" || program.starts_with("python") || program.starts_with("pypy") => {
            bare(operands.next()).then_some(Grammar::Python)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_told_from_programs_that_read_data() {
        let of = |words: &[&str]| interpreter(&Value::list(words.iter().map(|w| Value::text(*w)).collect()));
        assert_eq!(of(&["bash"]), Some(Grammar::Bash));
        assert_eq!(of(&["/bin/sh", "-s"]), Some(Grammar::Bash));
        assert_eq!(of(&["sudo", "bash", "-"]), Some(Grammar::Bash));
        assert_eq!(of(&["python3", "-"]), Some(Grammar::Python));
        assert_eq!(of(&["python3", "count.py"]), None);
        assert_eq!(of(&["sort", "-n"]), None);
        assert_eq!(of(&["bash", "build.sh"]), None);
        assert_eq!(interpreter(&Value::text("sh -s")), Some(Grammar::Bash));
    }
}
