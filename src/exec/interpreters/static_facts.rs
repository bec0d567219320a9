//! Finds out about an interpreter without starting it: from its links, its name, the folders of version managers, and
//! the settings of virtual environments. Reads a limited amount. The results are only labels.

use crate::exec::settings_file::read_text;
use crate::launch::is_program;
use std::fs;
use std::io::Read as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

/// How many Python versions in one folder are considered.
const MAX_VERSIONS: usize = 16;
/// A longer word is not a version.
const MAX_VERSION_LENGTH: usize = 24;

/// Resolves links, except in two cases: the link of a virtual environment stays, because Python recognizes the
/// environment by it, and the name of a multi-call program such as busybox stays, because it acts by that name.
pub(crate) fn executable_path(path: &Path) -> PathBuf {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let in_place = || {
        let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.into());
        path.file_name().map_or_else(|| folder.clone(), |name| folder.join(name))
    };
    if environment(path).is_some() {
        return in_place();
    }
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    if stem(&real) == stem(path) { real } else { in_place() }
}

/// The name of a program without its version.
fn stem(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-').to_string()
}

/// Whether a program is a shim that looks for the real program each time it is started, as the folder says: a script, a
/// link to a program of another name, or one of rustup's names.
pub(crate) fn is_stand_in(path: &Path) -> bool {
    let real = fs::canonicalize(path).unwrap_or_else(|_| path.into());
    let (real_stem, own) = (stem(&real), stem(path));
    let other = !real_stem.starts_with(&own) && !own.starts_with(&real_stem);
    is_script(&real) || other || is_rustup(path)
}

fn is_script(path: &Path) -> bool {
    let mut start = [0u8; 2];
    fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok() && &start == b"#!"
}

/// Whether this is rustup under another name (a link or the same file).
fn is_rustup(path: &Path) -> bool {
    let same = |other: PathBuf| {
        let (Ok(one), Ok(other)) = (fs::metadata(path), fs::metadata(other)) else { return false };
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    };
    path.parent().is_some_and(|folder| same(folder.join("rustup")))
}

/// The virtual environment of a Python.
pub(crate) fn environment(python: &Path) -> Option<PathBuf> {
    let environment = python.parent()?.parent()?;
    environment.join("pyvenv.cfg").is_file().then(|| environment.into())
}

/// Whether a virtual environment also sees packages that are installed outside of it.
pub(super) fn is_open(python: &Path) -> bool {
    let settings = environment(python).and_then(|venv| read_text(&venv.join("pyvenv.cfg")));
    let opens = |line: &str| line.replace(' ', "").eq_ignore_ascii_case("include-system-site-packages=true");
    settings.is_some_and(|text| text.lines().any(opens))
}

/// The version of a program according to `pyvenv.cfg`, a version manager's folder, or its own name.
pub(crate) fn version(path: &Path) -> Option<String> {
    if let Some(venv) = environment(path)
        && let Some(told) = read_text(&venv.join("pyvenv.cfg")).and_then(|text| version_in_settings(&text))
    {
        return Some(told);
    }
    let real = fs::canonicalize(path).ok()?;
    let of_folder = real.parent().and_then(Path::parent).and_then(Path::file_name);
    let of_folder = of_folder.and_then(|name| name.to_str()).and_then(version_word);
    let own_name = || {
        let name = real.file_name()?.to_str()?;
        version_word(name.trim_start_matches(|c: char| !c.is_ascii_digit()))
    };
    of_folder.or_else(own_name)
}

/// The value of `version = 3.12.4` or `version_info = 3.12.4.final.0` in `pyvenv.cfg`.
fn version_in_settings(text: &str) -> Option<String> {
    let value = |wanted: &str| {
        let pairs = text.lines().filter_map(|line| line.split_once('='));
        pairs.filter(|(name, _)| name.trim() == wanted).map(|(_, value)| value.trim()).next()
    };
    let told = value("version").or_else(|| value("version_info"))?;
    let numbers: Vec<&str> = told.split('.').take(3).collect();
    version_word(&numbers.join("."))
}

/// The version in the name of a folder or a file: `3.12.4`, `v20.1.0`, `cpython-3.12.4-linux-x86_64-gnu`.
pub(super) fn version_word(name: &str) -> Option<String> {
    let is_version = |word: &str| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let fits = word.len() <= MAX_VERSION_LENGTH
            && word.contains('.')
            && !word.contains("..")
            && !word.ends_with('.');
        let starts = word.starts_with(|c: char| c.is_ascii_digit());
        let plain = word.chars().all(|c| c.is_ascii_digit() || c == '.');
        (fits && starts && plain).then(|| word.to_owned())
    };
    name.split('-').find_map(is_version)
}

/// The program behind a shim, according to the settings of its version manager outside of any project.
pub(crate) fn stand_in_target(stand_in: &Path) -> Option<PathBuf> {
    let (folder, name) = (stand_in.parent()?, stand_in.file_name()?);
    let root = folder.parent()?;
    if folder.file_name()? == "shims" {
        // pyenv, rbenv, nodenv: the global version.
        let chosen = read_text(&root.join("version"))?;
        let version = one_name(chosen.lines().next()?.trim())?;
        return Some(root.join("versions").join(version).join("bin").join(name))
            .filter(|path| is_program(path));
    }
    if is_rustup(stand_in) || fs::canonicalize(stand_in).is_ok_and(|real| stem(&real) == "rustup") {
        let home = std::env::var_os("RUSTUP_HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let home = home.or_else(|| Some(root.parent()?.join(".rustup")))?;
        let settings = read_text(&home.join("settings.toml"))?;
        let line = settings.lines().find_map(|line| line.trim().strip_prefix("default_toolchain"))?;
        let toolchain = one_name(line.trim_start_matches(['=', ' ']).trim().trim_matches('"'))?;
        return Some(home.join("toolchains").join(toolchain).join("bin").join(name))
            .filter(|path| is_program(path));
    }
    None
}

/// The text, if it is the name of a single file or folder.
pub(super) fn one_name(text: &str) -> Option<&str> {
    let mut parts = Path::new(text).components();
    let one = matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none();
    (one && !text.is_empty()).then_some(text)
}

/// Whether a package is in one of the folders where this Python looks for packages. `home` holds those of the account.
pub(crate) fn holds_package(python: &Path, home: Option<&Path>, package: &str) -> bool {
    places(python, home).iter().any(|folder| {
        let package = folder.join(package);
        package.join("__init__.py").is_file() || package.join("__main__.py").is_file()
    })
}

/// The folders in which a Python looks for packages.
fn places(python: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let prefix = |python: &Path| python.parent().and_then(Path::parent).map(Path::to_path_buf);
    if environment(python).is_some() || python.parent().is_some_and(|bin| !bin.ends_with("bin")) {
        return prefix(python).iter().flat_map(|prefix| versions(&prefix.join("lib"))).collect();
    }
    let real = fs::canonicalize(python).ok();
    let mut libraries: Vec<PathBuf> = [prefix(python), real.as_deref().and_then(prefix)]
        .into_iter()
        .flatten()
        .map(|p| p.join("lib"))
        .collect();
    libraries.extend(home.map(|home| home.join(".local/lib")));
    if libraries.iter().any(|library| library == Path::new("/usr/lib")) {
        libraries.push("/usr/local/lib".into());
    }
    libraries.sort();
    libraries.dedup();
    libraries.iter().flat_map(|library| versions(library)).collect()
}

/// `site-packages` and Debian's `dist-packages` of each Python in a `lib` folder.
fn versions(library: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(library).into_iter().flatten().flatten();
    let pythons = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("python"));
    let folders =
        |entry: fs::DirEntry| ["site-packages", "dist-packages"].map(|name| entry.path().join(name));
    pythons.take(MAX_VERSIONS).flat_map(folders).filter(|folder| folder.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::{TestFolder, write_program};
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_resolved_but_for_a_virtual_environment() {
        let TestFolder { base, .. } = &TestFolder::new();
        write_program(&base.join("real/python3.12"), "");
        fs::create_dir_all(base.join("bin")).unwrap();
        fs::create_dir_all(base.join("venv/bin")).unwrap();
        symlink(base.join("real/python3.12"), base.join("bin/python3")).unwrap();
        symlink(base.join("real/python3.12"), base.join("venv/bin/python")).unwrap();
        fs::write(base.join("venv/pyvenv.cfg"), "").unwrap();
        assert_eq!(executable_path(&base.join("bin/python3")), base.join("real/python3.12"));
        assert_eq!(executable_path(&base.join("venv/bin/python")), base.join("venv/bin/python"));
        symlink(base.join("real/python3.12"), base.join("bin/sh")).unwrap();
        assert_eq!(executable_path(&base.join("bin/sh")), base.join("bin/sh"));
    }

    #[test]
    fn stand_ins_are_known() {
        let TestFolder { base, .. } = &TestFolder::new();
        write_program(&base.join("shims/python3"), "#!/bin/sh\n");
        write_program(&base.join("bin/mise"), "\x7fELF");
        write_program(&base.join("bin/python3.12"), "\x7fELF");
        write_program(&base.join("cargo/rustup"), "\x7fELF");
        symlink(base.join("bin/mise"), base.join("shims/node")).unwrap();
        symlink(base.join("bin/python3.12"), base.join("bin/python3")).unwrap();
        fs::hard_link(base.join("cargo/rustup"), base.join("cargo/rustc")).unwrap();
        for stand_in in ["shims/python3", "shims/node", "cargo/rustc"] {
            assert!(is_stand_in(&base.join(stand_in)), "{stand_in}");
        }
        assert!(!is_stand_in(&base.join("bin/python3")));
    }

    #[test]
    fn versions_are_told_by_places() {
        let TestFolder { base, .. } = &TestFolder::new();
        let cases = [
            ("pyenv/versions/3.12.4/bin/python3", Some("3.12.4")),
            ("node/v20.1.0/bin/node", Some("20.1.0")),
            ("uv/cpython-3.11.9-linux-x86_64-gnu/bin/python", Some("3.11.9")),
            ("usr/bin/python3.11", Some("3.11")),
            ("usr/bin/ruby", None),
            ("venv/bin/python", Some("3.10.2")),
            ("evil/bin/python", None),
        ];
        for (path, _) in cases {
            write_program(&base.join(path), "");
        }
        fs::write(base.join("venv/pyvenv.cfg"), "home = /usr/bin\nversion = 3.10.2\n").unwrap();
        fs::write(base.join("evil/pyvenv.cfg"), "version = 9.9\x1b]0;x\x07\n").unwrap();
        for (path, told) in cases {
            assert_eq!(version(&base.join(path)).as_deref(), told, "{path}");
        }
        assert_eq!(version_in_settings("version_info = 3.12.4.final.0").as_deref(), Some("3.12.4"));
    }

    #[test]
    fn what_stands_behind_is_read_and_never_leads_elsewhere() {
        let TestFolder { base, .. } = &TestFolder::new();
        write_program(&base.join(".pyenv/shims/python3"), "#!/bin/sh\n");
        write_program(&base.join(".pyenv/versions/3.12.4/bin/python3"), "");
        write_program(&base.join("bin/python3"), "");
        let shim = base.join(".pyenv/shims/python3");
        assert_eq!(stand_in_target(&shim), None);
        fs::write(base.join(".pyenv/version"), "3.12.4\n").unwrap();
        assert_eq!(stand_in_target(&shim), Some(base.join(".pyenv/versions/3.12.4/bin/python3")));
        fs::write(base.join(".pyenv/version"), "../..\n").unwrap();
        assert_eq!(stand_in_target(&shim), None);
        write_program(&base.join(".cargo/bin/rustup"), "\x7fELF");
        symlink("rustup", base.join(".cargo/bin/rustc")).unwrap();
        write_program(&base.join(".rustup/toolchains/stable-x/bin/rustc"), "");
        fs::write(base.join(".rustup/settings.toml"), "default_toolchain = \"stable-x\"\n").unwrap();
        if std::env::var_os("RUSTUP_HOME").is_none() {
            let real = base.join(".rustup/toolchains/stable-x/bin/rustc");
            assert_eq!(stand_in_target(&base.join(".cargo/bin/rustc")), Some(real));
        }
    }

    #[test]
    fn packages_are_looked_for_and_not_asked_for() {
        let TestFolder { base, .. } = &TestFolder::new();
        let python = base.join(".venv/bin/python3");
        write_program(&python, "#!/bin/sh\ntouch \"$0.was-started\"\necho True\n");
        let packages = base.join(".venv/lib/python3.12/site-packages/pytest");
        fs::create_dir_all(&packages).unwrap();
        assert!(!holds_package(&python, None, "pytest"));
        fs::write(packages.join("__init__.py"), "").unwrap();
        assert!(holds_package(&python, None, "pytest"));
        assert!(!base.join(".venv/bin/python3.was-started").exists());
    }
}
