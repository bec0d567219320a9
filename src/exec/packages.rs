//! The run of a package manager: which program, with which arguments, where to. Pure but for nothing; what is started is
//! `plan`'s business.
//!
//! Packages go into a folder beside the session, which the kernel has on its path behind everything else from its start
//! on: what is there already is not replaced, the system's Python is not touched, and no restart is needed.

use super::blob;
use super::environment::Environment;
use super::error::ExecError;
use super::helper_wire::ProgramSpec;
use super::kernel_wire::MissingFacility;
use super::own_names::OwnNames;
use super::plan::Invocation;
use crate::domain::packages::python_package;
use crate::domain::sentences::network;
use crate::domain::{Finding, InstallInto, PackageList, Review, Severity};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The variable by which kernel and node know the folder of packages.
pub(crate) const VARIABLE: &str = "SAYSO_PACKAGES";

/// So often the folder is made anew where it is gone at once.
const MAX_ATTEMPTS: usize = 5;

/// Between two tries: who removes a folder holds it for a moment.
const RETRY_DELAY: Duration = Duration::from_millis(5);

/// Milliseconds that an installation may take where no other limit was chosen.
pub(crate) const DEFAULT_WALL_MS: u64 = 600_000;

/// Names of variables that only a package manager is given: where packages come from, and how they are reached.
const GIVEN: &[&str] = &[
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
    "PIP_INDEX_URL",
    "PIP_EXTRA_INDEX_URL",
    "PIP_FIND_LINKS",
    "PIP_CERT",
    "PIP_TRUSTED_HOST",
    "PIP_DEFAULT_TIMEOUT",
    "PIP_CONFIG_FILE",
    "UV_INDEX",
    "UV_DEFAULT_INDEX",
    "UV_INDEX_URL",
    "UV_EXTRA_INDEX_URL",
    "UV_FIND_LINKS",
    "UV_NATIVE_TLS",
    "UV_SYSTEM_CERTS",
    "NPM_CONFIG_REGISTRY",
    "npm_config_registry",
    "NPM_CONFIG_CAFILE",
    "npm_config_cafile",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manager {
    /// uv.
    Uv,
    /// pip, as a module of the kernel's Python.
    Pip,
    /// npm.
    Npm,
}

impl Manager {
    /// The manager that this program is, for packages of this language.
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

/// Makes the folder of all packages, empty; its path.
///
/// # Errors
/// When it can't be made.
pub fn make(blobs: &Path) -> Result<PathBuf, ExecError> {
    for language in ["python", "javascript"] {
        blob::make_folder(&folder(blobs, language))?;
    }
    Ok(blobs.join("packages"))
}

/// Makes the folder that packages and outputs lie in, and locks it for as long as the value lives: a session need not have a
/// file yet, and what is locked is not taken for what a killed sayso left. `None` where somebody else holds it, or it can't be made.
pub fn hold(blobs: &Path) -> Option<File> {
    hold_with(blobs, || std::thread::sleep(RETRY_DELAY))
}

fn hold_with(blobs: &Path, mut pause: impl FnMut()) -> Option<File> {
    // A sayso that starts now may remove it before it is locked.
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

/// Removes the folders of packages where nothing was installed: a session that needed none leaves none.
pub fn clear(blobs: &Path) {
    for folder in [folder(blobs, "python"), folder(blobs, "javascript"), blobs.join("packages"), blobs.into()]
    {
        // What holds anything stays.
        let _ = std::fs::remove_dir(folder);
    }
}

/// What a package manager is given of the environment beside what every program gets.
pub fn environment(usual: &Environment, all: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
    let mut env = usual.clone();
    let wanted = |name: &OsStr| name.to_str().is_some_and(|name| GIVEN.contains(&name));
    let more =
        all.into_iter().filter(|(name, _)| wanted(name) && !usual.iter().any(|(known, _)| known == name));
    env.extend(more);
    env.sort();
    env
}

/// The run that installs these packages into `folder`, which is a folder of packages alone or, where the list says so,
/// the environment of `python`. `python` is the kernel's. It starts in that folder: what lies in the working folder does
/// not steer it.
pub(crate) fn invocation(
    (manager, program): (Manager, &Path),
    python: &Path,
    folder: &Path,
    list: &PackageList,
    env: Environment,
) -> Invocation {
    let target = match list.into {
        InstallInto::Session => vec!["--target".into(), folder.into()],
        // By its own Python the environment is known.
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
        // A Python that turns out to be no environment's is left as it is.
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
    Invocation {
        program: ProgramSpec {
            executable: program.into(),
            args,
            env,
            cwd: folder.into(),
            ..ProgramSpec::default()
        },
        given: Vec::new(),
        names: OwnNames::default(),
    }
}

fn arguments(all: &'static [&'static str]) -> impl Iterator<Item = OsString> {
    all.iter().map(OsString::from)
}

/// The packages to install for what a kernel lacks; one that was asked for by name comes as it was written.
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

/// What has to be known before packages are installed.
pub fn review(language: &str, source: &str) -> Review {
    let Ok(list) = PackageList::parse(language, source) else { return Review::default() };
    let stays = match list.into {
        InstallInto::Session => "",
        InstallInto::Project => " into the project's .venv, where they stay",
    };
    let message = network::of_installation(&list.words(), stays);
    let finding = Finding::new("sayso.install", Severity::Medium, message);
    Review { findings: vec![finding], ..Review::default() }
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
        assert!(
            shown("/usr/bin/python3.11", "python", "six")
                .starts_with("/usr/bin/python3.11 -I -m pip install ")
        );
        assert!(
            shown("/usr/bin/uv", "python", "into: .venv\nsix")
                .contains("--python /usr/bin/python3 -- six in "),
            "the environment of that Python"
        );
        assert!(
            shown("/w/.venv/bin/python", "python", "into: .venv\nsix")
                .contains("--progress-bar off --require-virtualenv -- six in ")
        );
        assert!(
            shown("/usr/bin/npm", "javascript", "left-pad")
                .ends_with("--prefix /data/s1/packages/node -- left-pad in /data/s1/packages/node")
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
        // Who holds it for longer keeps it.
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
