//! sayso: an interactive coding assistant for the terminal. Nothing runs without your say-so.

pub mod config;
pub mod domain;
pub mod engine;
pub mod store;
pub mod workspace;
