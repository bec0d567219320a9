//! The terminal front door: reads the state, draws it, turns keys into commands. It decides nothing.

pub mod action;
pub mod clipboard;
pub mod fence;
pub mod frames;
pub mod guard;
pub mod input;
pub mod keymap;
pub mod paint;
pub mod terminal;
pub mod theme;
