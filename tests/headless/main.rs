//! Tests the program as scripts use it: the real binary in a home of its own, programs that misbehave, a model server
//! that records its requests. Asserts on output, exit codes and requests.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, clippy::print_stdout)] // a test that can't go on fails by panicking

mod branches;
mod browser;
mod check;
mod commands;
mod context;
mod documents;
mod edits;
mod exec;
mod finding;
mod handed_on;
mod home;
mod humaneval;
mod in_a_browser;
mod launch;
mod leftovers;
#[path = "../support/model_server.rs"]
mod model_server;
mod models;
mod protected;
mod providers;
mod published;
mod pulling;
mod recipes;
mod records;
mod replay;
mod run;
mod runners;
mod schema;
mod secrets;
mod seen;
mod served;
mod sessions;
mod tools;
mod truth;
