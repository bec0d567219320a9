//! Defines the words of options with a fixed set of values, and their help texts.

use crate::domain::sentences::sandbox::LEVEL_OFF;
use crate::domain::{Policy, SandboxLevel, Severity};
use clap::ValueEnum;
use clap::builder::PossibleValue;

impl ValueEnum for Policy {
    fn value_variants<'a>() -> &'a [Self] {
        &[Policy::Ask, Policy::Clean, Policy::All]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Policy::Ask => value("never", "None: a block ends the run with exit code 10"),
            Policy::Clean => {
                value("clean", "Those that were checked in full, with no medium or high finding")
            }
            Policy::All => value("all", "All but denied ones and those that a link leads outside"),
        })
    }
}

impl ValueEnum for SandboxLevel {
    fn value_variants<'a>() -> &'a [Self] {
        &[SandboxLevel::ReadOnly, SandboxLevel::Workspace, SandboxLevel::Off]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            SandboxLevel::ReadOnly => "The working folder can be read, not written",
            SandboxLevel::Workspace => {
                "The working folder can be read and written (the default, as far as it can be had)"
            }
            SandboxLevel::Off => LEVEL_OFF,
        };
        Some(value(self.as_str(), help))
    }
}

impl ValueEnum for Severity {
    fn value_variants<'a>() -> &'a [Self] {
        &[Severity::High, Severity::Medium, Severity::Info]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let help = match self {
            Severity::High => "High ones",
            Severity::Medium => "Medium and high ones",
            Severity::Info => "All",
        };
        Some(value(self.as_str(), help))
    }
}

fn value(word: &'static str, help: &'static str) -> PossibleValue {
    PossibleValue::new(word).help(help)
}
