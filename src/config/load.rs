//! Loads the configuration: reads the files and the environment and merges the layers.

use super::addresses::separate_addresses;
use super::chosen::TakenWord;
use super::environment_and_flags::{self, Flags};
use super::error::ConfigError;
use super::files::{project_files, read_file};
use super::layers::{self, FoundSetting, Origin, Origins, dotted};
use super::schema::{Config, Sandbox};
use super::{Paths, setting_values, settings, trust};
use crate::domain::Notice;
use crate::text::position::line_of;
use std::path::{Path, PathBuf};
use toml::Value;

/// The configuration, with the origins of its values.
#[derive(Clone, Debug)]
pub(crate) struct LoadedConfig {
    pub(crate) config: Config,
    /// Where each value came from.
    pub(crate) origins: Origins,
    /// Messages for the person: settings of the project that were refused.
    pub(crate) notices: Vec<Notice>,
    /// The folders of the files; for sessions use [`LoadedConfig::sessions`].
    pub(crate) paths: Paths,
    /// The merged values, for showing them.
    pub(super) whole: toml::Table,
}

impl LoadedConfig {
    pub(crate) fn sessions(&self) -> PathBuf {
        self.config.sessions.folder.clone().unwrap_or_else(|| self.paths.sessions())
    }

    /// Whether the person chose the value of this setting: it is neither the default nor the project's.
    pub(crate) fn is_chosen(&self, name: &str) -> bool {
        match self.origins.of(name) {
            Origin::Default => false,
            Origin::File(path, _) => *path == self.paths.file(),
            Origin::Environment(_) | Origin::Flag(_) => true,
        }
    }
}

/// Loads the configuration: defaults, the person's file, the project's files (from `cwd` upwards, the
/// outermost first), the environment, options. A missing file is not an error.
///
/// # Errors
/// When a file can't be read or is wrong; the error names file, line and column.
pub(crate) fn load(
    paths: &Paths,
    cwd: &Path,
    env: &dyn Fn(&str) -> Option<String>,
    flags: &Flags,
) -> Result<LoadedConfig, ConfigError> {
    let mut layered = ConfigLayers::start()?;
    if let Some(source) = read_file(&paths.file())? {
        let found = read_strict(&paths.file(), &source)?;
        layered.add_file(&paths.file(), found);
        layered.check_language_commands(&paths.file(), &source)?;
    }
    for (path, source) in project_files(cwd, &paths.file(), &mut layered.notices)? {
        layered.add_project(&path, &source)?;
    }
    // Keep the values of the files alone: stored keys belong to addresses in files, and the address in the file
    // belongs to the model in the file.
    let files = layered.whole.clone();
    for (name, key, value) in environment_and_flags::environment(env) {
        layered.add_value(key, value, Origin::Environment(name.into()))?;
    }
    for (option, key, value) in environment_and_flags::flags(flags) {
        layered.add_value(key, value, Origin::Flag(option.into()))?;
    }
    for (option, key, folders) in [
        ("--allow-read", ["sandbox", "read"], &flags.allow_read),
        ("--allow-write", ["sandbox", "write"], &flags.allow_write),
    ] {
        layered.add_folders(option, key, cwd, folders)?;
    }
    layered.finish(&files, paths.clone(), env)
}

/// The layers merged so far.
struct ConfigLayers {
    whole: toml::Table,
    origins: Origins,
    notices: Vec<Notice>,
}

impl ConfigLayers {
    fn start() -> Result<Self, ConfigError> {
        let whole =
            toml::Table::try_from(Config::default()).map_err(|error| ConfigError::Flaw(error.to_string()))?;
        Ok(Self { whole, origins: Origins::default(), notices: Vec::new() })
    }

    fn set(&mut self, name: &[String], value: Value, origin: Origin) {
        self.origins.0.insert(dotted(name), origin);
        layers::insert(&mut self.whole, name, value);
    }

    fn add_file(&mut self, path: &Path, found: Vec<FoundSetting>) {
        for FoundSetting { name, value, line } in found {
            self.set(&name, value, Origin::File(path.to_owned(), line));
        }
    }

    fn add_project(&mut self, path: &Path, source: &str) -> Result<(), ConfigError> {
        let (found, wrong) = layers::read(path, source)?;
        for wrong in wrong {
            // An unreadable limit must not be skipped: it was meant to hold. A setting that is unknown or that a
            // project can't set only gets a notice.
            let tightens = settings::find(&wrong.name).is_some_and(|s| s.tighten != settings::Tighten::Never);
            if tightens {
                return Err(wrong.in_file(path, source));
            }
            let line = line_of(source, wrong.span.start);
            let (path, name) = (path.display(), dotted(&wrong.name));
            self.notices
                .push(Notice::warn(format!("{path}:{line}: {name} was ignored: a project can't set this.")));
        }
        let (kept, notices) = trust::accepted_settings(path, found, &self.whole);
        self.notices.extend(notices);
        self.add_file(path, kept);
        Ok(())
    }

    /// Adds a value that does not come from a file.
    fn add_value(&mut self, key: &str, value: Value, origin: Origin) -> Result<(), ConfigError> {
        let name: Vec<String> = key.split('.').map(str::to_owned).collect();
        let setting = settings::find(&name).ok_or_else(|| ConfigError::Flaw(format!("no setting {key}")))?;
        let place = match &origin {
            Origin::Environment(name) | Origin::Flag(name) => name.clone(),
            other => other.to_string(),
        };
        let value = setting_values::check(setting, value)
            .map_err(|why| ConfigError::Value { origin: place, message: why.to_string() })?;
        self.set(&name, value, origin);
        Ok(())
    }

    /// Adds folders of the command line to those of the files; they are relative to the working folder.
    fn add_folders(
        &mut self,
        option: &str,
        key: [&str; 2],
        cwd: &Path,
        more: &[PathBuf],
    ) -> Result<(), ConfigError> {
        if more.is_empty() {
            return Ok(());
        }
        let mut all = layers::get(&self.whole, &key).and_then(Value::as_array).cloned().unwrap_or_default();
        for folder in more {
            let folder = cwd.join(folder).into_os_string().into_string().map_err(|folder| {
                let message = format!("{} is no text", folder.display());
                ConfigError::Value { origin: option.into(), message }
            })?;
            all.push(Value::String(folder));
        }
        self.add_value(&key.join("."), Value::Array(all), Origin::Flag(option.into()))
    }

    /// Checks that each language has a program, as a new one has no default.
    fn check_language_commands(&self, path: &Path, source: &str) -> Result<(), ConfigError> {
        let languages = self.whole.get("languages").and_then(Value::as_table).into_iter().flatten();
        for (language, values) in languages {
            if values.get("command").is_none() {
                let name = ["languages".to_owned(), language.clone()];
                let span = layers::key_span(source, &name);
                let message = "needs a command: the program that runs it".into();
                return Err(layers::SettingError { name: name.to_vec(), span, message }.in_file(path, source));
            }
        }
        Ok(())
    }

    fn finish(
        self,
        files: &toml::Table,
        paths: Paths,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<LoadedConfig, ConfigError> {
        let Self { whole, origins, mut notices } = self;
        let mut config: Config = serde_path_to_error::deserialize(Value::Table(whole.clone()))
            .map_err(|error| ConfigError::Flaw(format!("{}: {}", error.path(), error.inner().message())))?;
        resolve_paths(&mut config, &paths, env)?;
        separate_addresses(&mut config, &origins, files);
        notices.extend(taken_word_notices(&config, &origins));
        Ok(LoadedConfig { config, origins, notices, paths, whole })
    }
}

/// Resolves the paths in a configuration: `~` is the home folder, and other files of functions are relative to the
/// folder of the configuration.
fn resolve_paths(
    config: &mut Config,
    paths: &Paths,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<(), ConfigError> {
    let functions = &mut config.functions.files;
    for path in functions.iter_mut().filter(|path| !path.starts_with("~")) {
        *path = paths.config.join(&*path);
    }
    let home = env("HOME").filter(|home| !home.is_empty());
    let single = [&mut config.sessions.folder, &mut config.run.python].into_iter().flatten();
    let Sandbox { read, write, .. } = &mut config.sandbox;
    let several = read.iter_mut().chain(write).chain(&mut config.instructions.files).chain(functions);
    for path in single.chain(several) {
        if let Ok(below) = path.strip_prefix("~") {
            *path = Path::new(home.as_deref().ok_or(ConfigError::NoHome)?).join(below);
        }
    }
    Ok(())
}

/// Notices about words that are given to a language in vain. Only what somebody wrote is meant to hold: a shipped word
/// that was given away is no mistake.
fn taken_word_notices(config: &Config, origins: &Origins) -> Vec<Notice> {
    let mut notices = Vec::new();
    for TakenWord { setting, word, owner } in config.taken_words() {
        if let Some(origin) = origins.of_whole(&setting) {
            notices.push(Notice::warn(format!(
                "{origin}: {setting}: {word:?} is a word of {} already: it is not used.",
                owner.0
            )));
        }
    }
    notices
}

/// Reads a file in which any error is fatal.
fn read_strict(path: &Path, source: &str) -> Result<Vec<FoundSetting>, ConfigError> {
    let (found, wrong) = layers::read(path, source)?;
    match wrong.into_iter().min_by_key(|wrong| wrong.span.start) {
        Some(first) => Err(first.in_file(path, source)),
        None => Ok(found),
    }
}
