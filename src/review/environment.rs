//! Finds what code sets in the environment of the programs that it starts: `os.environ['PYTHONPATH'] = …`,
//! `run(…, env={'LD_PRELOAD': …})`. It counts like `export` in a shell, where the reader knows what programs make of it.

use super::nested::NestedCode;
use super::programs;
use super::value::{Act, Argument, Value};

/// Variables whose value names code that programs load, or where they look for it.
const LOADING: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "NODE_PATH",
    "RUBYLIB",
    "PERL5OPT",
    "PERL5LIB",
];

/// Variables that programs obey in ways of their own.
const OBEYED: &[&str] = &["PATH", "NODE_OPTIONS", "RUBYOPT", "PYTHONPATH", "TAR_OPTIONS"];

/// Whether programs obey a variable of this name.
pub(super) fn is_obeyed(name: &str) -> bool {
    LOADING.contains(&name)
        || OBEYED.contains(&name)
        || name.starts_with("GIT_CONFIG_")
        || programs::shipped().variable(name).is_some()
}

/// Whether a value is the environment of Python, or a copy of it.
pub(super) fn is_copy(value: &Value) -> bool {
    value.as_name().is_some_and(|name| name.starts_with("os.environ"))
}

/// Whether programs load code because of this setting that is not the system's.
pub(super) fn loads_code(name: &str, value: &Value) -> bool {
    let is_of_system = |place: &str| {
        place.is_empty() || ["/usr/", "/lib/", "/lib64/"].iter().any(|top| place.starts_with(top))
    };
    let is_harmless = |value: &str| !value.contains("..") && value.split([':', ' ']).all(is_of_system);
    LOADING.contains(&name) && !value.as_whole_text().is_some_and(is_harmless)
}

/// The settings of an act that programs obey, as a command of a shell, and whether all their values are known.
pub(super) fn settings_of(act: &Act) -> (Option<NestedCode>, bool) {
    let mut words = vec![Value::text("export")];
    let mut is_known = true;
    for (name, value) in pairs_of(act).into_iter().filter(|(name, _)| is_obeyed(name)) {
        match value.as_text() {
            Some((_, whole)) if whole || name == "PATH" => {
                words.push(Value::join(&[Value::text(name), value], "="));
            }
            _ => is_known = false,
        }
    }
    let code = (words.len() > 1).then(|| NestedCode::Words { words, span: act.span.clone() });
    (code, is_known)
}

/// Whether an argument is the environment of Node.
fn is_node_environment(argument: &Argument) -> bool {
    argument.value.as_name() == Some("process.env")
}

/// The names and values of the variables that an act sets.
fn pairs_of(act: &Act) -> Vec<(String, Value)> {
    let given = act.named.iter().filter(|(name, _)| name == "env");
    let mut maps: Vec<Value> = given.map(|(_, map)| map.value.clone()).collect();
    let mut pairs = Vec::new();
    // `os.environ.update` or `os.environ.copy().update`
    let method = act.name.strip_prefix("os.environ").and_then(|rest| rest.rsplit('.').next());
    match (act.name.as_str(), method.unwrap_or_default()) {
        ("@setting" | "process.env[]=" | "os.putenv", _) | (_, "setdefault") => {
            let value = act.value(1).cloned().unwrap_or_else(Value::unknown);
            pairs.extend(act.value(0).and_then(Value::as_whole_text).map(|name| (name.to_owned(), value)));
        }
        (_, "update") => {
            maps.extend(act.value(0).cloned());
            pairs.extend(act.named_values());
        }
        ("os.execve" | "os.execvpe" | "os.posix_spawn" | "os.posix_spawnp", _) => {
            maps.extend(act.value(2).cloned());
        }
        ("os.execle" | "os.execlpe" | "os.spawnle" | "os.spawnlpe", _) => {
            maps.extend(act.arguments.last().map(|last| last.value.clone()));
        }
        ("process.env=", _) => maps.extend(act.value(0).cloned()),
        ("os.spawnve" | "os.spawnvpe", _) => maps.extend(act.value(3).cloned()),
        ("dict", _) if act.value(0).is_some_and(is_copy) => pairs.extend(act.named_values()),
        ("Object.assign", _) if act.arguments.iter().any(is_node_environment) => {
            pairs.extend(act.named_values());
        }
        _ => {}
    }
    for map in maps.iter().flat_map(Value::alternatives) {
        pairs.extend(map.as_map().unwrap_or_default().iter().cloned());
        // A list of pairs makes a map, too.
        for pair in map.as_list().unwrap_or_default() {
            if let Some([name, value]) = pair.as_list()
                && let Some(name) = name.as_whole_text()
            {
                pairs.push((name.to_owned(), value.clone()));
            }
        }
    }
    pairs
}
