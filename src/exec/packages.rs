//! Prepares installations of packages: makes and locks their folder, and builds the command of the package manager.
//! `process` starts it.
//!
//! Packages are installed into a folder beside the session, which is at the end of the kernel's module search path from
//! its start on. So existing packages are not replaced, the system's Python is not changed, and no restart is needed.

mod sources;

use super::blob;
use super::environment::Environment;
use super::error::ExecError;
use super::kernel_wire::MissingFacility;
use super::own_names::OwnNames;
use super::plan::Invocation;
use crate::domain::packages::python_package;
use crate::domain::sentences::network;
use crate::domain::{Finding, InstallInto, PackageList, Reach, Review, Severity};
pub(super) use sources::follow_no_settings;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable that tells kernel and node the folder of packages.
pub(crate) const VARIABLE: &str = "SAYSO_PACKAGES";

/// How often to make the folder again if somebody removes it before it is locked.
const MAX_ATTEMPTS: usize = 5;

/// The pause between two attempts: whoever removes a folder holds its lock for a moment.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// The time limit of an installation if no other was chosen, in milliseconds.
pub(crate) const DEFAULT_WALL_MS: u64 = 600_000;

/// Variables that only a package manager gets: how to reach the servers that [`sources`] names.
const NETWORK: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "PIP_DEFAULT_TIMEOUT",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "NPM_CONFIG_CAFILE",
    "npm_config_cafile",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    Uv,
    /// pip, as a module of the kernel's Python.
    Pip,
    Npm,
}

impl Manager {
    /// Which manager this program is, for packages of this language.
    pub(crate) fn of(program: &Path, language: &str) -> Self {
        match (language, program.file_stem().and_then(OsStr::to_str)) {
            ("python", Some("uv")) => Manager::Uv,
            ("python", _) => Manager::Pip,
            _ => Manager::Npm,
        }
    }
}

/// The folder of packages of a language, beside the session's other files.
pub fn folder(blobs: &Path, language: &str) -> PathBuf {
    blobs.join("packages").join(if language == "python" { "python" } else { "node" })
}

/// Makes the folders of packages, empty, and returns their parent.
///
/// # Errors
/// When it can't be made.
pub fn make(blobs: &Path) -> Result<PathBuf, ExecError> {
    for language in ["python", "javascript"] {
        blob::make_folder(&folder(blobs, language))?;
    }
    Ok(blobs.join("packages"))
}

/// Makes the folder for packages and outputs, and locks it until the returned file is dropped. The session may not have
/// a file yet; the lock shows that a killed sayso did not leave the folder behind. `None` if somebody else holds the
/// lock, or the folder can't be made.
pub fn hold(blobs: &Path) -> Option<File> {
    hold_with(blobs, || std::thread::sleep(RETRY_DELAY))
}

fn hold_with(blobs: &Path, mut pause: impl FnMut()) -> Option<File> {
    // A sayso that is starting may remove the folder before it is locked.
    (0..MAX_ATTEMPTS).find_map(|tried| {
        if tried > 0 {
            pause();
        }
        blob::make_folder(blobs).ok()?;
        let folder = File::open(blobs).ok().filter(|folder| folder.try_lock().is_ok())?;
        let (held, there) = (folder.metadata().ok()?, std::fs::metadata(blobs).ok()?);
        (held.ino() == there.ino()).then_some(folder)
    })
}

/// Removes the folders of packages that are empty.
pub fn clear(blobs: &Path) {
    for folder in [folder(blobs, "python"), folder(blobs, "javascript"), blobs.join("packages"), blobs.into()]
    {
        // Fails for a folder that is not empty.
        let _ = std::fs::remove_dir(folder);
    }
}

/// The environment of a package manager: what every program gets, and the variables that say where packages come from
/// and how to reach that.
pub fn environment(usual: &Environment, all: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let mut env = usual.clone();
    let wanted =
        |name: &OsStr| name.to_str().is_some_and(|name| NETWORK.contains(&name) || sources::is_source(name));
    let more =
        all.into_iter().filter(|(name, _)| wanted(name) && !usual.iter().any(|(known, _)| known == name));
    env.extend(more);
    env.sort();
    env
}

/// The command that installs these packages into `folder`, which is a folder of packages, or the environment of
/// `python` if the list says so. `python` is the kernel's. The command starts in `folder`, so that files in the working
/// folder do not influence it.
pub(crate) fn invocation(
    (manager, program): (Manager, &Path),
    python: &Path,
    folder: &Path,
    list: &PackageList,
    env: Environment,
) -> Invocation {
    let target = match list.into {
        InstallInto::Session => vec!["--target".into(), folder.into()],
        // The environment is known by its Python.
        InstallInto::Project => Vec::new(),
    };
    let mut args: Vec<OsString> = match manager {
        Manager::Uv => arguments(&["pip", "install", "--no-config", "--link-mode", "copy", "--python"])
            .chain([python.into()])
            .chain(target)
            .collect(),
        Manager::Pip => arguments(&[
            "-I",
            "-m",
            "pip",
            "install",
            "--no-input",
            "--disable-pip-version-check",
            "--no-warn-script-location",
            "--no-color",
            "--progress-bar",
            "off",
        ])
        // Fails, instead of installing, if this Python turns out not to be in an environment.
        .chain((list.into == InstallInto::Project).then(|| "--require-virtualenv".into()))
        .chain(target)
        .collect(),
        Manager::Npm => arguments(&[
            "install",
            "--no-audit",
            "--no-fund",
            "--no-update-notifier",
            "--ignore-scripts",
            "--prefix",
        ])
        .chain([folder.into()])
        .collect(),
    };
    args.push("--".into());
    args.extend(list.packages.iter().map(|package| package.replace(' ', "").into()));
    Invocation::new(program, args, (Vec::new(), OwnNames::default()), folder, env)
}

fn arguments(all: &'static [&'static str]) -> impl Iterator<Item = OsString> {
    all.iter().map(OsString::from)
}

/// The packages to install for what a kernel lacks. A package that was requested by name stays as it was written.
pub fn package_names(lacking: &[MissingFacility]) -> Vec<String> {
    let plain = |package: &str| {
        let end = package.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')));
        package
            .get(..end.unwrap_or(package.len()))
            .unwrap_or_default()
            .to_lowercase()
            .replace(['_', '.'], "-")
    };
    let mut all: Vec<String> = Vec::new();
    let packages = lacking.iter().filter_map(|one| match one {
        MissingFacility::Package(package) => Some(package.clone()),
        MissingFacility::Module(_) => None,
    });
    let modules = lacking.iter().filter_map(|one| match one {
        MissingFacility::Module(module) => python_package(module),
        MissingFacility::Package(_) => None,
    });
    for package in packages.chain(modules) {
        let sound = PackageList::parse("python", &package).is_ok();
        if sound && !all.iter().any(|known| plain(known) == plain(&package)) {
            all.push(package);
        }
    }
    all
}

/// The review of a list of packages to install. The variables of the person's environment may say where they come from.
/// `reach` is that of the installation.
pub fn review(language: &str, source: &str, reach: &Reach) -> Review {
    review_with(language, source, std::env::vars_os(), reach)
}

/// The same, with these variables of the environment.
pub fn review_with(
    language: &str,
    source: &str,
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    reach: &Reach,
) -> Review {
    let Ok(list) = PackageList::parse(language, source) else { return Review::default() };
    let stays = match list.into {
        InstallInto::Session => "",
        InstallInto::Project => network::INTO_VENV,
    };
    let message = network::of_installation(&list, stays);
    let mut findings = vec![Finding::new("sayso.install", Severity::Medium, message)];
    let sources = sources::describe(language, variables, reach);
    if !sources.is_empty() {
        let message = network::of_sources(&sources);
        findings.push(Finding::new("sayso.install.source", Severity::Medium, message));
    }
    Review { findings, ..Review::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(program: &str, language: &str, packages: &str) -> String {
        let list = PackageList::parse(language, packages).unwrap();
        let program = Path::new(program);
        let manager = Manager::of(program, language);
        let folder = folder(Path::new("/data/s1"), language);
        let made =
            invocation((manager, program), Path::new("/usr/bin/python3"), &folder, &list, Environment::new());
        let words: Vec<_> =
            made.program.args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        format!("{} {} in {}", program.display(), words.join(" "), made.program.cwd.display())
    }

    #[test]
    fn managers_and_what_they_are_given() {
        assert_eq!(
            shown("/usr/bin/uv", "python", "numpy\npandas >= 2"),
            "/usr/bin/uv pip install --no-config --link-mode copy --python /usr/bin/python3 --target \
             /data/s1/packages/python -- numpy pandas>=2 in /data/s1/packages/python"
        );
        let pip = shown("/usr/bin/python3.11", "python", "six");
        assert!(pip.starts_with("/usr/bin/python3.11 -I -m pip install "), "{pip}");
        let npm = shown("/usr/bin/npm", "javascript", "left-pad");
        assert!(
            npm.ends_with("--prefix /data/s1/packages/node -- left-pad in /data/s1/packages/node"),
            "{npm}"
        );
        // Into the environment of that Python.
        let uv = shown("/usr/bin/uv", "python", "into: .venv\nsix");
        assert!(uv.contains("--python /usr/bin/python3 -- six in "), "{uv}");
        let own = shown("/w/.venv/bin/python", "python", "into: .venv\nsix");
        assert!(own.contains("--progress-bar off --require-virtualenv -- six in "), "{own}");
    }

    #[test]
    fn an_index_that_the_environment_names_is_a_finding_of_its_own() {
        let found = |variables: &[(&str, &str)]| {
            let variables: Vec<_> = variables.iter().map(|(n, v)| ((*n).into(), (*v).into())).collect();
            let review = review_with("python", "six", variables, &Reach::open());
            review.findings.into_iter().map(|finding| finding.message.clone()).collect::<Vec<_>>()
        };
        let alone = found(&[("PATH", "/bin")]);
        assert!(alone.len() == 1 && alone[0].starts_with("fetches six and what it needs from"), "{alone:?}");
        assert_eq!(
            found(&[("PIP_INDEX_URL", "http://127.0.0.1:8765/simple")])[1],
            "your environment says where packages come from: PIP_INDEX_URL=http://127.0.0.1:8765/simple"
        );
    }

    #[test]
    fn a_folder_that_is_just_being_removed_is_made_and_held_behind_that() {
        let base = tempfile::tempdir().unwrap();
        let blobs = base.path().join("s");
        std::fs::create_dir(&blobs).unwrap();
        let mut sweeper = Some(File::open(&blobs).unwrap());
        sweeper.as_ref().unwrap().try_lock().unwrap();
        let held = hold_with(&blobs, || {
            std::fs::remove_dir(&blobs).unwrap();
            sweeper = None;
        });
        assert!(held.is_some() && blobs.is_dir());
        // If somebody holds the lock for longer, the folder is not taken.
        let mut pauses = 0;
        assert!(hold_with(&blobs, || pauses += 1).is_none());
        assert_eq!(pauses, MAX_ATTEMPTS - 1);
    }

    #[test]
    fn only_what_is_named_is_passed_on() {
        let pair = |name: &str| (OsString::from(name), OsString::from("x"));
        let env =
            environment(&vec![pair("PATH")], ["PIP_CERT", "OPENAI_API_KEY", "PYTHONPATH", "PATH"].map(pair));
        assert_eq!(env, [pair("PATH"), pair("PIP_CERT")].map(|(n, v)| (n, v)).to_vec());
    }
}
