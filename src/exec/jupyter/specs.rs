//! Finds the kernels installed on this machine, in the same folders as Jupyter.

use super::error::JupyterError;
use crate::text::system_error::words;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A larger file is not a description.
const MAX_BYTES: u64 = 1 << 20;
const MAX_KERNELS: usize = 500;

/// A kernel that can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spec {
    /// Its name, `python3`.
    pub(crate) name: String,
    /// Its language, in lower case.
    pub(crate) language: String,
    /// The program and its arguments, with `{connection_file}` in place of the path. Empty for a kernel on a server.
    pub(crate) argv: Vec<String>,
    /// Environment variables that the description sets.
    pub(crate) env: Vec<(String, String)>,
    /// Whether it is interrupted by a message instead of a signal.
    pub(crate) by_message: bool,
}

impl Spec {
    /// Reads a description; `None` if it names no language.
    pub(super) fn read(name: &str, value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let argv = value.get("argv").and_then(Value::as_array).cloned().unwrap_or_default();
        let env = value.get("env").and_then(Value::as_object).cloned().unwrap_or_default();
        Some(Self {
            name: name.to_owned(),
            language: text("language")?.to_lowercase(),
            argv: argv.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            env: env.into_iter().filter_map(|(k, v)| Some((k, v.as_str()?.to_owned()))).collect(),
            by_message: text("interrupt_mode").as_deref() == Some("message"),
        })
    }

    /// Whether it runs blocks of this language. Kernels call some languages by other names.
    pub(super) fn runs(&self, language: &str) -> bool {
        let own = match self.language.as_str() {
            "python3" | "ipython" => "python",
            "javascript" | "js" | "nodejs" => "javascript",
            "sh" | "shell" => "bash",
            other => other,
        };
        own == language
    }
}

/// The kernel to use: the one named `wanted`, else the first that runs the language, where `python3` and one named like
/// the language come first. `place` is a phrase for where they were searched.
///
/// # Errors
/// When there is none.
pub(super) fn choose(
    specs: &[Spec],
    wanted: Option<&str>,
    language: &str,
    place: &str,
) -> Result<Spec, JupyterError> {
    let there: Vec<&str> = specs.iter().map(|spec| spec.name.as_str()).take(20).collect();
    let there = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
    let place = place.to_owned();
    if let Some(name) = wanted {
        let found = specs.iter().find(|spec| spec.name.eq_ignore_ascii_case(name));
        let found = found.ok_or_else(|| JupyterError::NoName { name: name.into(), place, there })?;
        if !found.runs(language) {
            let (name, own) = (found.name.clone(), found.language.clone());
            return Err(JupyterError::Language { name, own, language: language.into() });
        }
        return Ok(found.clone());
    }
    let mut fitting: Vec<&Spec> = specs.iter().filter(|spec| spec.runs(language)).collect();
    fitting.sort_by_key(|spec| (spec.name != "python3", spec.name != language));
    let found = fitting.first().copied().cloned();
    found.ok_or(JupyterError::NoKernel { language: language.into(), place, there })
}

/// The folders in which kernels are searched, in Jupyter's order; the first match wins. `prefixes` are those of the
/// Pythons in use.
pub(super) fn folders(env: &dyn Fn(&str) -> Option<String>, prefixes: &[PathBuf]) -> Vec<PathBuf> {
    let set = |name: &str| env(name).filter(|value| !value.is_empty());
    let mut found: Vec<PathBuf> = Vec::new();
    if let Some(path) = set("JUPYTER_PATH") {
        found.extend(std::env::split_paths(&path));
    }
    found.extend(prefixes.iter().map(|prefix| prefix.join("share/jupyter")));
    let home = set("HOME").map(PathBuf::from);
    let user = set("JUPYTER_DATA_DIR").map(PathBuf::from).or_else(|| {
        if cfg!(target_os = "macos") {
            return home.as_ref().map(|home| home.join("Library/Jupyter"));
        }
        let data = set("XDG_DATA_HOME").map(PathBuf::from);
        data.or_else(|| home.as_ref().map(|home| home.join(".local/share"))).map(|data| data.join("jupyter"))
    });
    found.extend(user);
    found.extend(["/usr/local/share/jupyter", "/usr/share/jupyter"].map(PathBuf::from));
    found.retain(|folder| folder.is_absolute());
    found.into_iter().map(|folder| folder.join("kernels")).collect()
}

/// The prefixes of the Pythons in use: the chosen one, the active environment, and that of the `jupyter` command.
pub(super) fn prefixes(env: &dyn Fn(&str) -> Option<String>, python: Option<&Path>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    found.extend(python.and_then(Path::parent).and_then(Path::parent).map(Path::to_owned));
    found.extend(["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(|name| env(name)).map(PathBuf::from));
    for folder in env("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default()
    {
        if folder.is_absolute() && folder.join("jupyter").is_file() {
            let real = std::fs::canonicalize(&folder).unwrap_or(folder);
            found.extend(real.parent().map(Path::to_owned));
        }
    }
    found.retain(|prefix| prefix.is_absolute());
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|prefix| seen.insert(prefix.clone()));
    found
}

/// The kernels in these folders. Unreadable descriptions are skipped.
pub(super) fn installed(folders: &[PathBuf]) -> Vec<Spec> {
    let mut found: BTreeMap<String, Spec> = BTreeMap::new();
    for folder in folders {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten().take(MAX_KERNELS) {
            let name = entry.file_name().to_string_lossy().into_owned();
            if found.contains_key(&name.to_lowercase()) {
                continue;
            }
            match read(&name, &entry.path().join("kernel.json"), folder) {
                Ok(spec) => drop(found.insert(name.to_lowercase(), spec)),
                Err(error) => tracing::debug!(%error, "a kernel is left out"),
            }
        }
    }
    found.into_values().collect()
}

fn read(name: &str, path: &Path, folder: &Path) -> Result<Spec, JupyterError> {
    let unusable = |why: String| JupyterError::Spec { path: path.into(), why };
    let meta = std::fs::metadata(path).map_err(|error| unusable(words(&error)))?;
    if !meta.is_file() || meta.len() > MAX_BYTES {
        return Err(unusable("it is no plain file of a description".into()));
    }
    let text = std::fs::read(path).map_err(|error| unusable(words(&error)))?;
    let value: Value = serde_json::from_slice(&text).map_err(|error| unusable(error.to_string()))?;
    let mut spec = Spec::read(name, &value).ok_or_else(|| unusable("it names no language".into()))?;
    if spec.argv.is_empty() {
        return Err(unusable("it names no program".into()));
    }
    // A bare `python` means the Python for which the kernel was installed, by PREFIX/share/jupyter/kernels.
    let prefix = folder.ancestors().nth(3);
    if let (Some(first), Some(prefix)) = (spec.argv.first_mut(), prefix)
        && first.starts_with("python")
        && !first.contains('/')
    {
        let own = [prefix.join("bin").join(&*first), prefix.join("bin/python")];
        if let Some(own) = own.into_iter().find(|path| path.is_file()) {
            *first = own.to_string_lossy().into_owned();
        }
    }
    let resources = path.parent().map(|folder| folder.to_string_lossy().into_owned()).unwrap_or_default();
    for word in &mut spec.argv {
        *word = word.replace("{resource_dir}", &resources);
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_folder::write;

    fn kernel(folder: &Path, name: &str, text: &str) {
        write(&folder.join("kernels").join(name).join("kernel.json"), text);
    }

    #[test]
    fn kernels_are_found_where_jupyter_finds_them() {
        let base = tempfile::tempdir().unwrap();
        let prefix = base.path().join("venv");
        let data = prefix.join("share/jupyter");
        kernel(
            &data,
            "python3",
            r#"{"argv": ["python", "-m", "x", "{connection_file}"], "language": "python"}"#,
        );
        kernel(
            &data,
            "ir",
            r#"{"argv": ["R", "{resource_dir}"], "language": "R", "interrupt_mode": "message"}"#,
        );
        kernel(&data, "broken", "{");
        kernel(&data, "empty", r#"{"argv": [], "language": "x"}"#);
        write(&prefix.join("bin/python"), "");
        let user = base.path().join("user");
        kernel(&user.join("jupyter"), "python3", r#"{"argv": ["other"], "language": "python"}"#);
        kernel(&user.join("jupyter"), "bash", r#"{"argv": ["b"], "language": "bash", "env": {"PS1": "$"}}"#);
        let user = user.to_string_lossy().into_owned();
        let env = move |name: &str| (name == "XDG_DATA_HOME").then(|| user.clone());
        let found = installed(&folders(&env, std::slice::from_ref(&prefix)));
        let names: Vec<&str> = found.iter().map(|spec| spec.name.as_str()).collect();
        assert_eq!(names, ["bash", "ir", "python3"]);
        assert_eq!(found[2].argv[0], prefix.join("bin/python").to_string_lossy());
        assert!(found[1].by_message && found[1].argv[1].ends_with("kernels/ir"));
        assert_eq!(found[0].env, [("PS1".to_owned(), "$".to_owned())]);
    }

    #[test]
    fn why_a_description_is_not_used_is_told_in_words() {
        let why = read("x", Path::new("/none/kernel.json"), Path::new("/none")).map(drop).unwrap_err();
        let expected =
            "the description of the kernel in /none/kernel.json can't be used: No such file or directory";
        assert_eq!(why.to_string(), expected);
    }

    #[test]
    fn the_kernel_of_a_language() {
        let spec = |name: &str, language: &str| {
            Spec::read(name, &serde_json::json!({ "language": language })).unwrap()
        };
        let specs = [spec("conda", "python"), spec("ir", "R"), spec("python3", "Python")];
        let name = |wanted, language| choose(&specs, wanted, language, "here").map(|spec| spec.name);
        assert_eq!(name(None, "python").unwrap(), "python3");
        assert_eq!(name(Some("Conda"), "python").unwrap(), "conda");
        assert_eq!(name(None, "r").unwrap(), "ir");
        let expected = "the Jupyter kernel ir runs r, not python";
        assert_eq!(name(Some("ir"), "python").unwrap_err().to_string(), expected);
        assert!(name(Some("x"), "python").unwrap_err().to_string().contains("there is conda, ir, python3"));
        let why = name(None, "bash").unwrap_err().to_string();
        assert!(why.starts_with("no Jupyter kernel for bash was found here"), "{why}");
    }
}
