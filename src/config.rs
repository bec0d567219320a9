//! Loads the configuration: what can be set, where it is set, and which value holds in the end.
//!
//! - `schema`: the settings as the program uses them, with their defaults; parts of it are `providers` (sources of
//!   replies, with the known ones), `context` (what a conversation carries and costs), `executors` (what carries out
//!   runs), `review_settings` (the guard and reviews) and `ui` (the terminal's look, and editing)
//! - `optional_word`: how a setting without a value is written
//! - `chosen`: the model, the languages and the limits that follow from the settings
//! - `settings`: the form and bounds of each setting
//! - `setting_values`: checks the value of a setting, and describes what is allowed (pure)
//! - `layers`: merges the sources; each value knows where it came from (pure)
//! - `environment_and_flags`: values from the environment and from options (pure)
//! - `trust`: what a project may set (pure)
//! - `addresses`: which provider an address belongs to that is given without one (pure)
//! - `load`, `files`, `paths`: files and environment
//! - `keys`, `key_store`: keys of providers, each for its `origin`
//! - `error`: what is wrong in a file, with its place
//! - `show`: the configuration as text and as a schema
//! - `vision`: which models can see images, if no server says so
//!
//! It decides nothing and keeps no state: it is loaded once and passed on as a value.

mod addresses;
mod chosen;
mod context;
mod environment_and_flags;
mod error;
mod executors;
mod files;
pub(crate) mod key_store;
pub(crate) mod keys;
mod layers;
mod load;
mod optional_word;
mod origin;
mod paths;
mod providers;
mod review_settings;
mod schema;
mod setting_values;
pub(crate) mod settings;
mod show;
mod trust;
mod ui;
mod vision;

pub(crate) use chosen::{ChoiceError, ChosenModel};
pub(crate) use context::{prices, shipped_prices};
pub(crate) use environment_and_flags::Flags;
pub(crate) use error::{ConfigError, KeyFileError};
pub use executors::{ContainerExecutor, Executors, FolderInContainer};
pub(crate) use executors::{ExecutorChoice, JupyterExecutor};
pub(crate) use layers::Origin;
pub(crate) use load::{LoadedConfig, load};
pub(crate) use origin::{is_loopback, origin, usual_scheme, without_secrets};
pub(crate) use paths::Paths;
pub(crate) use providers::{Effort, OneOrMore};
pub use providers::{FormatKind, Provider, Timeouts};
pub(crate) use review_settings::Profile;
pub(crate) use schema::Config;
pub(crate) use show::{init, schema_json, show};
pub(crate) use ui::{Images, ThemeChoice};
pub(crate) use vision::takes_images;

#[cfg(test)]
mod models_tests;
#[cfg(test)]
mod tests;
