//! One environment for all programs of this machine: the Python that blocks use under its usual names, and behind all
//! that the person's `PATH` has, the commands of its environment, of the project and of the session's packages.
//!
//! Only the names of Python and its pip stand before the person's own programs: whatever else a working folder brings
//! can't take the place of a program that the review knows by its name.

use super::environment::Environment;
use super::interpreters::{Finder, told};
use super::{blob, packages, plan};
use crate::domain::{Language, ProjectPython};
use crate::launch;
use crate::text::shell::quoted;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The programs that runs find beside the person's own.
#[derive(Clone, Debug, Default)]
pub(super) struct ProjectTools {
    /// The Python of blocks, where `python3` on the `PATH` is another one.
    python: Option<ProjectPython>,
    /// Its virtual environment.
    environment: Option<PathBuf>,
    /// The folder that holds the names of Python.
    names: Option<PathBuf>,
    /// Folders behind the `PATH`.
    behind: Vec<PathBuf>,
    /// Where packages of the session are.
    packages: PathBuf,
}

impl ProjectTools {
    /// Looks for the project's programs; writes the names of its Python beside the session.
    pub(super) fn of(finder: &Finder, cwd: &Path, blobs: &Path) -> Self {
        let packages = packages::folder(blobs, "python");
        let mut tools = Self { behind: vec![cwd.join("node_modules/.bin")], ..Self::default() };
        if let Ok(python) = finder.find(&Language::python()) {
            tools.environment = told::environment(&python.path);
            let bin = tools.environment.iter().map(|environment| environment.join("bin"));
            tools.behind.splice(0..0, bin);
            if on_path("python3").as_deref() != Some(&*python.path) {
                let names = blobs.join("packages").join("bin");
                tools.names = write_names(&names, &python.path, &packages).is_ok().then_some(names);
                let version = told::version(&python.path);
                tools.python = tools.names.is_some().then_some(ProjectPython { path: python.path, version });
            }
        }
        tools.behind.push(packages.join("bin"));
        tools.packages = packages;
        tools
    }

    /// The Python that stands under its usual names, where it is not the one of the `PATH`.
    pub(super) fn python(&self) -> Option<&ProjectPython> {
        self.python.as_ref()
    }

    /// Puts the programs on the `PATH`.
    pub(super) fn dress(&self, env: &mut Environment) {
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
        let own = path.unwrap_or_else(|| OsString::from("/usr/bin:/bin"));
        let behind =
            self.behind.iter().filter(|folder| folder.is_dir() || folder.starts_with(&self.packages));
        let folders: Vec<PathBuf> =
            self.names.iter().cloned().chain(env::split_paths(&own)).chain(behind.cloned()).collect();
        // A folder with a colon in its name can't stand there.
        if let Ok(path) = env::join_paths(folders) {
            plan::set(env, "PATH", path);
        }
        if let Some(environment) = self.environment.as_ref().filter(|_| self.names.is_some()) {
            plan::set(env, "VIRTUAL_ENV", environment);
        }
    }

    /// Lets programs other than the kernel find the packages of the session.
    pub(super) fn lend_packages(&self, env: &mut Environment) {
        plan::set(env, "PYTHONPATH", &self.packages);
    }
}

/// The program that a shell would find by this name.
fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    launch::which(Path::new(name), &path).map(|found| told::settled(&found))
}

/// Removes what was written beside the session.
pub(super) fn clear(blobs: &Path) {
    remove(&blobs.join("packages").join("bin"));
}

/// Removes a folder of ours. What a run without a sandbox may have put in the place of the folder that holds it is not
/// followed.
fn remove(folder: &Path) {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
    if !folder.parent().is_some_and(is_link) {
        let _ = fs::remove_dir_all(folder);
    }
}

/// Writes a program for each name that starts this Python. Links would not do: by the place of its own file Python knows
/// its environment.
fn write_names(folder: &Path, python: &Path, packages: &Path) -> io::Result<()> {
    // What a run without a sandbox may have left there is not written through.
    remove(folder);
    blob::make_folder(folder).map_err(io::Error::other)?;
    let of = |path: &Path| path.to_str().map(quoted).ok_or_else(|| io::Error::other("its path is no text"));
    let (start, packages) = (of(python)?, of(packages)?);
    let begin = format!("#!/bin/sh\nPYTHONPATH=\"${{PYTHONPATH-{packages}}}\" exec {start}");
    for (name, arguments) in [("python", ""), ("python3", ""), ("pip", " -m pip"), ("pip3", " -m pip")] {
        let file = folder.join(name);
        fs::write(&file, format!("{begin}{arguments} \"$@\"\n"))?;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(env: &Environment, name: &str) -> Option<String> {
        env.iter().find(|(known, _)| known == name).map(|(_, value)| value.to_string_lossy().into_owned())
    }

    #[test]
    fn only_names_of_python_stand_before_the_programs_of_the_person() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path();
        fs::create_dir_all(base.join("venv/bin")).unwrap();
        let tools = ProjectTools {
            environment: Some(base.join("venv")),
            names: Some(base.join("names")),
            behind: vec![base.join("venv/bin"), base.join("node_modules/.bin"), base.join("packages/bin")],
            packages: base.join("packages"),
            python: None,
        };
        let mut env = vec![("PATH".into(), "/usr/bin:/bin".into())];
        tools.dress(&mut env);
        let base = base.display();
        let wanted = format!("{base}/names:/usr/bin:/bin:{base}/venv/bin:{base}/packages/bin");
        assert_eq!(value(&env, "PATH"), Some(wanted));
        assert_eq!(value(&env, "VIRTUAL_ENV"), Some(format!("{base}/venv")));
        tools.lend_packages(&mut env);
        assert_eq!(value(&env, "PYTHONPATH"), Some(format!("{base}/packages")));
    }

    #[test]
    fn the_names_start_that_python_whatever_its_path_holds() {
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("it's \"$HOME\" `here`");
        fs::write(&python, "#!/bin/sh\necho \"$PYTHONPATH\" \"$@\"\n").unwrap();
        fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).unwrap();
        let (names, packages) = (folder.path().join("names"), Path::new("/p"));
        write_names(&names, &python, packages).unwrap();
        let said = |name: &str, arguments: &[&str]| {
            let mut command = std::process::Command::new(names.join(name));
            let output = command.args(arguments).env_remove("PYTHONPATH").output();
            String::from_utf8(output.unwrap().stdout).unwrap()
        };
        assert_eq!(said("python3", &["a b", "-c"]), "/p a b -c\n");
        assert_eq!(said("pip", &["list"]), "/p -m pip list\n");
        let kept: Vec<_> = fs::read_dir(&names).unwrap().collect();
        assert_eq!(kept.len(), 4);
        // A link in its place is not followed.
        let other = folder.path().join("other");
        fs::write(&other, "kept").unwrap();
        fs::remove_file(names.join("pip")).unwrap();
        std::os::unix::fs::symlink(&other, names.join("pip")).unwrap();
        write_names(&names, &python, packages).unwrap();
        assert_eq!(
            (fs::read_to_string(&other).unwrap().as_str(), said("pip", &[]).as_str()),
            ("kept", "/p -m pip\n")
        );
        // Nor is one in the place of the folder that holds them.
        let precious = folder.path().join("home/bin/precious");
        fs::create_dir_all(precious.parent().unwrap()).unwrap();
        fs::write(&precious, "").unwrap();
        std::os::unix::fs::symlink(folder.path().join("home"), folder.path().join("packages")).unwrap();
        clear(folder.path());
        assert!(precious.exists());
    }
}
