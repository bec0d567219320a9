//! `sayso doctor`: shows what was found on this machine, what is missing, and the consequences.

mod executors;

use super::Console;
use crate::cli::{DoctorArgs, ModelArgs};
use crate::config;
use crate::domain::language::LanguageEntry;
use crate::domain::sentences;
use crate::domain::visible::visible_line;
use crate::domain::{
    Enforcement, Header, Interpreter, Language, Layer, SandboxLevel, SandboxReport, SessionId, Timestamp,
};
use crate::driver::catalogue::{self, Catalogue};
use crate::exec::ExecutorError;
use crate::headless::json;
use crate::report::Failure;
use crate::session::factory::SessionFactory;
use crate::session::setup;
use crate::store::{Store, index};
use serde_json::json;
use std::io::IsTerminal as _;
use std::sync::Arc;

/// The result of one check.
#[derive(serde::Serialize)]
struct DoctorEntry {
    what: String,
    /// Whether nothing is wrong.
    good: bool,
    /// What was found, or a note that nothing was.
    found: String,
    /// The consequences, and how to get what is missing; empty if there is nothing to say.
    means: String,
}

impl DoctorEntry {
    fn good(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self { what: what.into(), good: true, found: found.into(), means: String::new() }
    }

    fn missing(what: impl Into<String>, found: impl Into<String>, means: impl Into<String>) -> Self {
        Self { what: what.into(), good: false, found: found.into(), means: means.into() }
    }
}

pub(super) async fn run(
    args: DoctorArgs,
    outer: &ModelArgs,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    let mut entries = interpreters(&factory).await;
    entries.extend(models(&factory).await);
    entries.extend(executors::installers(&factory).await);
    entries.extend(sandbox(&factory).await);
    entries.extend(executors::containers(&factory).await);
    entries.extend(executors::kernels(&factory).await);
    entries.push(sessions(&factory));
    entries.push(configuration(&factory));
    entries.push(terminal());
    if args.json {
        json::write_line(console.out, &json!({ "version": env!("CARGO_PKG_VERSION"), "looks": entries }))?;
        return Ok(());
    }
    writeln!(console.out, "sayso {}", env!("CARGO_PKG_VERSION"))?;
    for entry in &entries {
        let mark = if entry.good { "ok     " } else { "missing" };
        writeln!(console.out, "{mark} {:<14} {}", visible_line(&entry.what), visible_line(&entry.found))?;
        if !entry.means.is_empty() {
            writeln!(console.out, "        {:<14} {}", "", visible_line(&entry.means))?;
        }
    }
    Ok(())
}

async fn interpreters(factory: &SessionFactory) -> Vec<DoctorEntry> {
    let executor = factory.local_executor();
    let found = executor.interpreters().await;
    let languages = factory.languages.all.clone();
    let is_there = |entry: &LanguageEntry| found.iter().any(|interpreter| interpreter.language == entry.name);
    let wanted = executor.terms(&Language::python(), None).await.ok();
    let wanted = wanted.and_then(|terms| terms.rights.python.clone()).and_then(|python| python.wanted);
    let mut lacking = Vec::new();
    for entry in languages.0.iter().filter(|entry| !is_there(entry)) {
        // For a program that is too old the version that is needed is named.
        let programs = match executor.terms(&entry.name, None).await {
            Err(ExecutorError::NotInstalled(program)) => program,
            Err(ExecutorError::NoneInstalled { programs, .. }) => programs.replace(", ", " or "),
            _ => entry.command.clone(),
        };
        lacking.push((entry, programs));
    }
    executor.close().await;
    let describe = |entry: &LanguageEntry| {
        let interpreter = found.iter().find(|interpreter| interpreter.language == entry.name);
        interpreter_entry(entry, interpreter, wanted.as_deref())
    };
    let (usual, others): (Vec<_>, Vec<_>) =
        languages.0.iter().partition(|entry| USUAL_LANGUAGES.contains(&entry.name.as_str()));
    let there = |entry: &&LanguageEntry| is_there(entry);
    let mut entries: Vec<DoctorEntry> =
        usual.into_iter().chain(others.iter().copied().filter(there)).map(describe).collect();
    let missing: Vec<String> = lacking
        .into_iter()
        .filter(|(entry, _)| others.contains(entry))
        .map(|(entry, programs)| format!("{} ({programs})", entry.name))
        .collect();
    if !missing.is_empty() {
        let means =
            "Blocks in these can be read and edited, not run, until the program in brackets is installed.";
        entries.push(DoctorEntry::missing("languages", missing.join(", "), means));
    }
    entries
}

/// The entry of a language. `wanted`: the Python version that the folder asks for, if another one is used instead.
fn interpreter_entry(
    entry: &LanguageEntry,
    interpreter: Option<&Interpreter>,
    wanted: Option<&str>,
) -> DoctorEntry {
    let name = entry.name.as_str();
    let Some(interpreter) = interpreter else {
        return DoctorEntry::missing(
            name,
            format!("no {} on the PATH", entry.command),
            format!("Blocks in {name} can be read and edited, not run. {}", how_to_get(name, &entry.command)),
        );
    };
    let version = interpreter.version.as_deref().unwrap_or("version not known");
    let found = format!("{version}, {}", interpreter.path.display());
    match wanted.filter(|_| entry.name == Language::python()) {
        Some(wanted) => {
            let means = format!("{wanted} of .python-version is not installed: this one stands in for it.");
            DoctorEntry { means, ..DoctorEntry::good(name, found) }
        }
        None => DoctorEntry::good(name, found),
    }
}

/// How to get the program of a language.
fn how_to_get(language: &str, command: &str) -> String {
    match language {
        "python" => "Install Python 3.8 or newer (apt install python3, uv python install), or name one with `python` in \
                     the configuration."
            .into(),
        "javascript" => "Install node (apt install nodejs, or https://nodejs.org).".into(),
        _ => format!("Install {command}."),
    }
}

/// Languages that nearly everybody needs: a missing one gets an entry of its own.
const USUAL_LANGUAGES: &[&str] = &["python", "bash", "javascript"];

async fn models(factory: &SessionFactory) -> Vec<DoctorEntry> {
    let mut entries = vec![match factory.chosen_provider() {
        Ok(Some(provider)) => DoctorEntry::good("model", provider.name().to_string()),
        Ok(None) => DoctorEntry::missing(
            "model",
            "none is chosen",
            "Choose one with --model PROVIDER/MODEL or `model` in the configuration, or try --demo.",
        ),
        Err(error) => DoctorEntry::missing("model", error.what, error.hint),
    }];
    // Shows only whether a key exists, never the key.
    if let Err(error) = config::keys::read(&factory.loaded.paths.credentials()) {
        entries.push(DoctorEntry::missing("keys", error.to_string(), "Until then its keys are not used."));
    }
    for (name, provider) in &factory.loaded.config.providers {
        let kept = factory.key_location(name, provider);
        entries.extend(
            kept.map(|kept| DoctorEntry::good(format!("key {name}"), format!("there is one ({kept})"))),
        );
    }
    let asked = factory.clone();
    let catalogue: Catalogue = Arc::new(move || asked.sources(None));
    for server in catalogue::local_servers(&catalogue).await {
        let names: Vec<&str> = server.models().iter().map(|model| model.name.model.as_str()).collect();
        let names = if names.is_empty() { "no models".into() } else { names.join(", ") };
        let address = server.address.as_deref().unwrap_or_default();
        entries.push(DoctorEntry::good("server", format!("{} at {address}: {names}", server.name)));
    }
    entries
}

/// The sandbox as a whole, then each layer, as the tests found them.
async fn sandbox(factory: &SessionFactory) -> Vec<DoctorEntry> {
    let report = match setup::sandbox(factory).await {
        Ok(report) => report,
        Err(failure) => {
            let means = "Nothing runs here until that is put right, or another level is chosen.";
            return vec![DoctorEntry::missing("sandbox", failure.what, means)];
        }
    };
    let mut entries = vec![if report.level == SandboxLevel::Off {
        DoctorEntry::missing("sandbox", "OFF", sentences::sandbox::off_here())
    } else {
        DoctorEntry::good("sandbox", format!("{}: {}", report.level.as_str(), describe_sandbox(&report)))
    }];
    entries.extend(report.layers.iter().map(layer));
    entries.extend(report.notes.iter().map(|note| DoctorEntry::good("note", note.clone())));
    entries
}

/// What the tests saw from inside the sandbox: `net off (tested) | …`.
fn describe_sandbox(report: &SandboxReport) -> String {
    let fact =
        |holds: bool, yes: &str, no: &str| if holds { format!("{yes} (tested)") } else { no.to_owned() };
    [
        sentences::network::tested(report.network_blocked).to_owned(),
        fact(report.writes_confined, sentences::sandbox::WRITES_CONFINED, "writes open"),
        fact(report.reads_confined, "home and secrets hidden", "reads open"),
        fact(report.contained, "processes contained", "processes ended as a group"),
        match report.memory {
            Enforcement::Enforced => "memory enforced".into(),
            Enforcement::Watched => "memory watched, not enforced".into(),
            Enforcement::None => "memory not limited".into(),
        },
        format!("number of processes {}", report.processes.as_str()),
    ]
    .join(" | ")
}

fn layer(layer: &Layer) -> DoctorEntry {
    let name = format!("  {}", layer.name);
    let why = layer.why.clone().unwrap_or_else(|| "not in use".into());
    if layer.active && layer.tested {
        return DoctorEntry::good(name, "on, tested");
    }
    if layer.active && layer.name == "cgroup" {
        return DoctorEntry::good(name, "on; a group was made and entered, its limits were not tried");
    }
    if layer.active {
        return DoctorEntry::missing(name, format!("on, but its test failed: {why}"), "It is not relied on.");
    }
    let means = match layer.name.as_str() {
        "bwrap" => sentences::sandbox::WITHOUT_BWRAP,
        "landlock" => {
            "There is no second wall around files. Linux 5.13 or newer with landlock in its lsm= list has it."
        }
        "seccomp" => sentences::sandbox::WITHOUT_SECCOMP,
        "cgroup" => {
            "Memory of all processes together is watched instead: a run can be over its limit for a moment. So is the \
             number of processes for root, and without bwrap."
        }
        _ => "",
    };
    DoctorEntry::missing(name, why, means)
}

fn sessions(factory: &SessionFactory) -> DoctorEntry {
    let folder = factory.loaded.sessions();
    let count = index::list(&folder).len();
    let found = format!("{count} in {}", folder.display());
    if let Err(why) = Store::check_writable(&folder) {
        let found = format!("{found}, {}", sentences::saving::not_writable(&why.brief()));
        return DoctorEntry::missing("sessions", found, sentences::saving::NO_SESSIONS);
    }
    // The test leaves no file: an empty session has none.
    let header = Header::new(SessionId("doctor".into()), Timestamp(0), factory.place.cwd.clone());
    if Store::create(&folder, header).is_durable() {
        return DoctorEntry::good("sessions", found);
    }
    DoctorEntry::missing(
        "sessions",
        format!("{found}, on a disk that is not durable"),
        sentences::saving::NOT_DURABLE,
    )
}

fn configuration(factory: &SessionFactory) -> DoctorEntry {
    let file = factory.loaded.paths.file();
    if file.exists() {
        DoctorEntry::good("configuration", file.display().to_string())
    } else {
        DoctorEntry::good("configuration", format!("defaults ({} is not there)", file.display()))
    }
}

fn terminal() -> DoctorEntry {
    let term = std::env::var("TERM").unwrap_or_default();
    let means = match term.as_str() {
        "dumb" => "Plain lines are used here (--plain).",
        "" => "Nothing is known of the terminal. If the panes are not drawn well, --plain draws none.",
        _ => "",
    };
    if !means.is_empty() {
        return DoctorEntry::missing("terminal", format!("TERM is {term:?}"), means);
    }
    let pipe = if std::io::stdout().is_terminal() { "" } else { ", standard output is not a terminal" };
    DoctorEntry::good("terminal", format!("{term}{pipe}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_that_is_missing_says_what_that_means_and_how_to_get_it() {
        let missing = |name: &str| {
            layer(&Layer { name: name.into(), active: false, tested: false, why: Some("refused".into()) })
        };
        for (name, how) in [
            ("bwrap", "apt install bubblewrap"),
            ("landlock", "Linux 5.13 or newer with landlock in its lsm= list"),
            ("seccomp", "a kernel with seccomp filters"),
        ] {
            let entry = missing(name);
            assert!(!entry.good && entry.found == "refused" && entry.means.contains(how), "{}", entry.means);
        }
        let failed = Layer { name: "landlock".into(), active: true, tested: false, why: None };
        assert!(!layer(&failed).good, "what no test has seen is not relied on");
    }
}
