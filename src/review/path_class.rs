//! Classifies a path or host that code names: inside or outside the folder, a start file, a secret, this computer.
//!
//! Judges by spelling alone, not by links, mounts or what exists on disk; the sandbox enforces those.

mod glob;
mod spelling;
mod temporary;

pub(super) use spelling::{is_absolute, join_folder, resolved};
pub(super) use temporary::{TEMPORARY_FOLDER, shown};

use super::Scope;
use super::rules::{PlaceRow, TargetClass};
use super::value::HOLE;
use crate::domain::auto_run::auto_run_name;
use glob::globbed;
use spelling::{drive, spelled_path};
use std::path::Path;

/// Stands for the folder in which the text starts, where it is one of several.
pub(super) const START: &str = ".";

/// Longer paths are not judged: the kernel takes none (`PATH_MAX` of Linux).
pub(super) const MAX_PATH_BYTES: usize = 4096;

/// Folders that builds and tools create.
const DERIVED_FOLDERS: &[&str] = &[
    "build",
    "dist",
    "node_modules",
    "__pycache__",
    "target",
    ".venv",
    "venv",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".tox",
    ".nox",
    ".cache",
    "coverage",
    "htmlcov",
    ".next",
    ".nuxt",
    ".turbo",
    ".parcel-cache",
    ".gradle",
    ".eggs",
    "_build",
    ".ipynb_checkpoints",
    "cmake-build-debug",
    "cmake-build-release",
];

/// What is known of a target.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct PathMeaning {
    pub(super) classes: Vec<TargetClass>,
    /// What a sensitive place is, for each class for which it is one: `an SSH key`.
    pub(super) names: Vec<(TargetClass, String)>,
}

impl PathMeaning {
    pub(super) fn only(class: TargetClass) -> Self {
        Self { classes: vec![class], names: Vec::new() }
    }

    pub(super) fn is(&self, class: TargetClass) -> bool {
        self.classes.contains(&class)
    }

    /// What a sensitive place is, preferably as one of these classes.
    pub(super) fn what(&self, wanted: &[TargetClass]) -> Option<&str> {
        let as_wanted = self.names.iter().find(|(class, _)| wanted.contains(class));
        as_wanted.or(self.names.first()).map(|(_, what)| what.as_str())
    }
}

/// Classifies the place that a path names; relative paths start at `folder` if the code changed the folder.
pub(super) fn locate(text: &str, folder: Option<&str>, scope: &Scope) -> PathMeaning {
    if text.len() > MAX_PATH_BYTES || text.is_empty() || text.starts_with(HOLE) && !text.contains('/') {
        return PathMeaning::only(TargetClass::Unknown);
    }
    let spelled = join_folder(&text.replace('\\', "/"), folder);
    let mut located = meanings(&spelled, scope);
    let region = match region(&spelled, scope) {
        // While an image is built, only what the build itself made can be lost.
        TargetClass::Inside | TargetClass::Outside | TargetClass::System | TargetClass::Temp
            if scope.in_image =>
        {
            TargetClass::Scratch
        }
        TargetClass::Root
            if scope.in_image && spelled.trim_end_matches("/*").trim_end_matches('/').len() > 1 =>
        {
            TargetClass::Scratch
        }
        region => region,
    };
    if region == TargetClass::Inside && is_derived(&spelled, scope) {
        located.classes.push(TargetClass::Derived);
    }
    located.classes.push(region);
    if resolved(&spelled, scope).is_some_and(|full| full.trim_end_matches("/*") == spelled_path(&scope.cwd)) {
        // The folder itself is both: deleting it loses everything, but writing to it is fine.
        located.classes.push(TargetClass::Inside);
    }
    located
}

/// Whether a path in the working folder lies in a folder that builds and tools create.
fn is_derived(text: &str, scope: &Scope) -> bool {
    let names_one = |path: &str| path.split('/').any(|part| DERIVED_FOLDERS.contains(&part));
    if !text.split('/').any(|part| part == "..") {
        return names_one(text);
    }
    // `build/../src` is none of them.
    let full = resolved(text, scope).filter(|_| !text.contains(HOLE)).unwrap_or_default();
    full.strip_prefix(&spelled_path(&scope.cwd)).is_some_and(names_one)
}

/// Whether the name of this path says that the file holds secrets, or may hold some.
pub(crate) fn is_secret(path: &str, scope: &Scope) -> bool {
    let meaning = locate(path, None, scope);
    meaning.is(TargetClass::Secret) || meaning.is(TargetClass::Private)
}

fn region(text: &str, scope: &Scope) -> TargetClass {
    if let Some(class) = temporary::class(text) {
        return class;
    }
    if drive(text) {
        return TargetClass::Outside;
    }
    let Some(full) = resolved(text, scope) else { return TargetClass::Unknown };
    let cut = text.contains(HOLE);
    if let Some(device) = full.strip_prefix("/dev/") {
        let quiet = ["null", "stdout", "stderr", "stdin", "tty", "full", "zero", "random", "urandom"];
        if quiet.contains(&device) || device.starts_with("fd/") || device.starts_with("tcp/") {
            return TargetClass::Null;
        }
        return if device.starts_with("shm/") { TargetClass::Temp } else { TargetClass::Device };
    }
    let cwd = spelled_path(&scope.cwd);
    let home = scope.home.as_deref().map(spelled_path);
    let bare = full.trim_end_matches("/*").trim_end_matches("/**").trim_end_matches('/');
    let whole = !cut || text.ends_with(HOLE) && text.trim_end_matches(HOLE).ends_with('/');
    let above =
        bare.is_empty() || cwd == bare || cwd.strip_prefix(bare).is_some_and(|rest| rest.starts_with('/'));
    if whole && !cut && (above || home.as_deref() == Some(bare) || bare == "~") {
        return TargetClass::Root;
    }
    if cwd == "/" || full.strip_prefix(&cwd).is_some_and(|rest| rest.starts_with('/')) {
        return TargetClass::Inside;
    }
    if cut && above {
        return if is_absolute(text) { TargetClass::Outside } else { TargetClass::Inside };
    }
    for temp in ["/tmp", "/var/tmp", "/private/tmp"] {
        if full.strip_prefix(temp).is_some_and(|rest| rest.starts_with('/')) {
            return TargetClass::Temp;
        }
    }
    let top = full.trim_start_matches('/').split('/').next().unwrap_or_default();
    let system = [
        "etc", "usr", "bin", "sbin", "lib", "lib64", "boot", "sys", "proc", "System", "Library", "root",
        "var", "opt",
    ];
    match (system.contains(&top), bare.matches('/').count()) {
        (listed, 1)
            if full.starts_with('/') && (listed || ["home", "Users", "mnt", "media"].contains(&top)) =>
        {
            TargetClass::Root
        }
        (true, _)
            if !full.starts_with("/var/folders/")
                && !home.as_deref().is_some_and(|h| full.starts_with(h)) =>
        {
            TargetClass::System
        }
        _ => TargetClass::Outside,
    }
}

/// The sensitive places that a path lies in.
fn meanings(text: &str, scope: &Scope) -> PathMeaning {
    let mut located = PathMeaning::default();
    let full = resolved(text, scope).unwrap_or_default();
    let spellings = Spellings {
        text,
        full: &full,
        below_home: below_home(text, &full, scope),
        base: text.rsplit('/').next().unwrap_or_default(),
    };
    for row in scope.rules.places() {
        if spellings.are_in(row) {
            located.classes.push(row.class);
            located.names.push((row.class, row.what.clone()));
        }
    }
    let spelled = if full.is_empty() { text } else { full.as_str() };
    if let Some(auto_run) = auto_run_name(Path::new(spelled)).filter(|_| !located.is(TargetClass::Start)) {
        located.classes.push(TargetClass::Start);
        located.names.push((TargetClass::Start, auto_run.what.to_owned()));
    }
    located
}

/// A path as the globs of rules name it.
struct Spellings<'a> {
    text: &'a str,
    full: &'a str,
    below_home: Option<&'a str>,
    base: &'a str,
}

impl Spellings<'_> {
    /// Whether the path lies in the place that a row names.
    fn are_in(&self, row: &PlaceRow) -> bool {
        let hit = |glob: &String| {
            if let Some(rest) = glob.strip_prefix('~') {
                return self.below_home.is_some_and(|below| globbed(rest, below));
            }
            if glob.contains('/') {
                globbed(glob, self.full) || globbed(glob, self.text)
            } else {
                globbed(glob, self.base)
            }
        };
        row.paths.iter().any(hit) && !row.except.iter().any(hit)
    }
}

/// The part of a path after a home folder, with its leading `/`: the person's home, another's, or an unknown one.
fn below_home<'a>(text: &'a str, full: &'a str, scope: &Scope) -> Option<&'a str> {
    if let Some(home) = scope.home.as_deref().map(spelled_path)
        && let Some(rest) = full.strip_prefix(home.as_str())
        && rest.starts_with('/')
        && !text.contains(HOLE)
    {
        return Some(rest);
    }
    for top in ["/home/", "/Users/"] {
        if let Some((_, rest)) = text.strip_prefix(top).and_then(|rest| rest.split_once('/')) {
            return text.len().checked_sub(rest.len() + 1).and_then(|at| text.get(at..));
        }
    }
    if let Some(rest) = text.strip_prefix('~').or_else(|| text.strip_prefix("/root")) {
        return Some(rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default());
    }
    let (_, tail) = text.rsplit_once(HOLE)?;
    tail.starts_with('/').then_some(tail)
}

/// The host in a URL, `user@host:path`, bash's `/dev/tcp/host/port`, or a bare name; `None` if not known.
pub(super) fn host(text: &str) -> Option<String> {
    let device = ["/dev/tcp/", "/dev/udp/"].iter().find_map(|prefix| text.strip_prefix(prefix));
    let rest = device.or(text.split_once("://").map(|(_, rest)| rest)).unwrap_or(text);
    let rest = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let rest = rest.rsplit('@').next().unwrap_or_default();
    let host = if let Some(v6) = rest.strip_prefix('[') {
        v6.split(']').next().unwrap_or_default()
    } else if rest.contains("::") && rest.chars().all(|c| c.is_ascii_hexdigit() || c == ':') {
        rest
    } else {
        rest.split(':').next().unwrap_or_default()
    };
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    (!host.is_empty() && host.len() < 256 && host.chars().all(fits)).then(|| host.to_ascii_lowercase())
}

/// Whether a host is this computer.
pub(super) fn host_class(text: &str) -> TargetClass {
    match host(text) {
        None => TargetClass::Unknown,
        Some(host) => {
            let local = host == "localhost"
                || host.ends_with(".localhost")
                || host.starts_with("127.")
                || host == "::1"
                || host == "0.0.0.0";
            if local { TargetClass::Local } else { TargetClass::Remote }
        }
    }
}

/// Whether the name of a variable suggests that it holds a key or a password.
pub(super) fn secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let words =
        ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS", "PASSPHRASE", "PAT"];
    let whole = name.split(['_', '-', '.']).any(|part| words.contains(&part));
    whole || ["APIKEY", "ACCESSKEY", "PRIVATEKEY", "AUTHTOKEN"].iter().any(|w| name.contains(w))
}
