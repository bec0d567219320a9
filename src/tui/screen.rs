//! stub
pub mod commands;
pub mod field;
pub mod filter;
