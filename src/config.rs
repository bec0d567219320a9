//! The configuration: what can be set, where it is set, and what holds in the end.
//!
//! - `schema`: the settings as the program uses them, with their defaults; its parts `providers` (sources of replies,
//!   those that are known among them), `context` (what a conversation carries and costs), `executors` (what carries out
//!   runs)
//! - `chosen`: what follows from them
//! - `settings`: the form and bounds of each
//! - `layers`: one source over the other, each value knows where it came from (pure)
//! - `outside`: what environment and options say (pure)
//! - `trust`: what a project may say (pure)
//! - `load`, `paths`: files and environment
//! - `keys`: keys of providers, each for its `origin`
//! - `show`: as text, as a schema
//!
//! - `vision`: which models can see, where nobody tells
//!
//! It decides nothing and keeps no state: it is loaded once, and handed on as a value.

mod chosen;
mod context;
mod error;
mod executors;
pub(crate) mod key_store;
pub(crate) mod keys;
mod layers;
mod load;
mod origin;
mod outside;
mod paths;
mod providers;
mod schema;
pub(crate) mod settings;
mod show;
mod trust;
mod vision;

pub(crate) use chosen::{ChoiceError, ChosenModel};
pub(crate) use context::{prices, shipped_prices};
pub(crate) use error::{ConfigError, KeyFileError};
pub use executors::{ContainerExecutor, Executors, FolderInContainer};
pub(crate) use executors::{ExecutorChoice, JupyterExecutor};
pub(crate) use layers::Origin;
pub(crate) use load::{LoadedConfig, load};
pub(crate) use origin::{is_loopback, origin, without_secrets};
pub(crate) use outside::Flags;
pub(crate) use paths::Paths;
pub(crate) use providers::{Effort, OneOrMore};
pub use providers::{Provider, ProviderKind, Timeouts};
pub(crate) use schema::{Config, Images, Profile, ThemeChoice};
pub(crate) use show::{init, schema_json, show};
pub(crate) use vision::takes_images;

#[cfg(test)]
mod models_tests;
#[cfg(test)]
mod tests;
