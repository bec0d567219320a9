//! Finds the folders of sayso's files. `SAYSO_HOME` puts them all into one folder.

use super::ConfigError;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Paths {
    /// The person's own files: configuration, keys, themes, rules and recipes.
    pub(crate) config: PathBuf,
    /// Sessions and demo folders.
    pub(crate) data: PathBuf,
    /// The log, the positions of borders between panes, and copies of files made before runs.
    pub(crate) state: PathBuf,
}

impl Paths {
    /// The platform's folders, or `SAYSO_HOME` for all of them. `env` gives the value of an environment variable.
    ///
    /// # Errors
    /// When there is no home folder, or `HOME` or `SAYSO_HOME` is not an absolute path.
    pub(crate) fn find(env: &dyn Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        // A relative home depends on the working folder: a project could then supply keys and rules.
        let given = |name: &str| env(name).filter(|home| !home.is_empty());
        for (name, more) in [("HOME", ": nothing was read or written"), ("SAYSO_HOME", "")] {
            if let Some(home) = given(name).filter(|home| !Path::new(home).is_absolute()) {
                let message = format!("{home:?} is not an absolute path{more}");
                return Err(ConfigError::Value { origin: name.into(), message });
            }
        }
        if let Some(home) = given("SAYSO_HOME") {
            return Ok(Self::under(Path::new(&home)));
        }
        let folders = directories::ProjectDirs::from("", "", "sayso").ok_or(ConfigError::NoHome)?;
        let data = folders.data_dir().to_owned();
        Ok(Self {
            config: folders.config_dir().to_owned(),
            state: folders.state_dir().map_or_else(|| data.join("state"), Path::to_owned),
            data,
        })
    }

    pub(crate) fn under(home: &Path) -> Self {
        Self { config: home.to_owned(), data: home.to_owned(), state: home.to_owned() }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    pub(crate) fn keymap(&self) -> PathBuf {
        self.config.join("keymap.toml")
    }

    /// The positions of the borders between panes.
    pub(crate) fn borders(&self) -> PathBuf {
        self.state.join("borders")
    }

    /// The folder of a person's own rules for the review.
    pub(crate) fn rules(&self) -> PathBuf {
        self.config.join("rules")
    }

    pub(crate) fn recipes(&self) -> PathBuf {
        self.config.join("recipes")
    }

    /// The person's own functions, unless other files are configured.
    pub(crate) fn functions(&self) -> PathBuf {
        self.config.join("functions.py")
    }

    pub(crate) fn themes(&self) -> PathBuf {
        self.config.join("themes")
    }

    pub(crate) fn credentials(&self) -> PathBuf {
        self.config.join("credentials.toml")
    }

    /// The folder of the sessions, unless another one is configured.
    pub(crate) fn sessions(&self) -> PathBuf {
        self.data.join("sessions")
    }

    /// The folder in which demos work.
    pub(crate) fn demo(&self) -> PathBuf {
        self.data.join("demo")
    }

    /// Copies of files, made before runs.
    pub(crate) fn undo(&self) -> PathBuf {
        self.state.join("undo")
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.state.join("sayso.log")
    }
}
