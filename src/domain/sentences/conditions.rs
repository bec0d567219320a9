//! Tells a model in few words under which conditions its blocks run: first those that were requested, and after the
//! first inspection of a block those that the latest inspection found enforced.

use crate::domain::{Enforcement, Language, Limits, SandboxLevel, Terms, Timestamp};
use std::collections::BTreeMap;
use std::path::PathBuf;

const MAX_FOLDERS_SHOWN: usize = 4;

/// The languages whose versions the model is told, and the name of the program of each.
const VERSIONED: &[(&str, &str)] = &[("python", "Python"), ("bash", "bash"), ("javascript", "node")];

/// The languages for which there are Jupyter kernels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum KernelLanguages {
    /// Code is not run by Jupyter kernels.
    #[default]
    Unused,
    /// The server has not been asked yet.
    Unknown,
    /// There is a kernel for each of these languages, and for no other.
    Known(Vec<Language>),
}

/// What a model is told of the conditions under which its blocks run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunConditions {
    /// Whether a sandbox confines the blocks.
    pub(crate) confined: bool,
    /// Whether they can use the network.
    pub(crate) network: bool,
    /// Where they may write, besides their temporary folder.
    pub(crate) write: Vec<PathBuf>,
    /// How much each of them may use.
    pub(crate) limits: Limits,
    /// The languages of Jupyter kernels, if those run the code.
    pub(crate) kernels: KernelLanguages,
    /// The known versions, by the name of the program: `Python`, `node`.
    pub(crate) versions: BTreeMap<&'static str, String>,
}

impl KernelLanguages {
    /// The sentence for the model; `None` if code is not run by Jupyter kernels.
    fn describe(&self) -> Option<String> {
        let named = match self {
            Self::Unused => return None,
            Self::Unknown => {
                return Some(
                    "Which languages have a Jupyter kernel is not known yet; most servers have one for python.".into(),
                );
            }
            Self::Known(languages) => languages.iter().map(|language| one_line(language.as_str())),
        };
        let named = named.collect::<Vec<_>>().join(", ");
        Some(if named.is_empty() {
            "There is no Jupyter kernel: no code can be run.".into()
        } else {
            format!("There is a Jupyter kernel for: {named}. Code in other languages can't be run.")
        })
    }
}

/// The limits of a run, without those that nothing enforces.
fn enforced_limits(terms: &Terms) -> Limits {
    let (mut limits, report) = (terms.limits, &terms.rights.sandbox);
    if report.memory == Enforcement::None {
        limits.memory_bytes = 0;
    }
    if report.processes == Enforcement::None {
        limits.processes = 0;
    }
    limits
}

/// Text from outside must not begin a new line of the prompt.
fn one_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}

impl RunConditions {
    /// Adds the versions of programs for these languages.
    #[must_use]
    pub(crate) fn with_versions(mut self, known: impl IntoIterator<Item = (Language, String)>) -> Self {
        let named = known.into_iter().filter_map(|(language, version)| {
            let (_, program) = VERSIONED.iter().find(|(known, _)| *known == language.as_str())?;
            Some((*program, version))
        });
        self.versions.extend(named);
        self
    }

    /// The conditions of a block under these terms; `None` if no program is started for it.
    pub(crate) fn of(terms: &Terms, known: Option<&Self>) -> Option<Self> {
        let mut versions = known.map(|known| known.versions.clone()).unwrap_or_default();
        let of_python = terms.rights.python.as_ref().and_then(|python| python.version.clone());
        if let Some(version) = of_python {
            versions.entry("Python").or_insert(version);
        }
        let of_block = VERSIONED.iter().find(|(language, _)| *language == terms.language.as_str());
        versions.extend(of_block.and_then(|(_, program)| Some((*program, terms.version.clone()?))));
        terms.executor.runs_code().then(|| Self {
            confined: terms.rights.sandbox.level != SandboxLevel::Off,
            network: terms.rights.network,
            write: terms.rights.write.clone(),
            limits: enforced_limits(terms),
            kernels: known.map(|known| known.kernels.clone()).unwrap_or_default(),
            versions,
        })
    }

    /// The text for the model, with the limits in words and the date.
    pub(crate) fn describe(&self, limits: &str, now: Timestamp) -> String {
        let network = if self.network { "The network is open" } else { "There is no network" };
        let mut parts = vec![if self.confined {
            format!("Blocks run in a sandbox. {network}. {}.", self.writes())
        } else {
            format!(
                "Blocks run without a sandbox, with all rights of the person's account: take care. {network}."
            )
        }];
        parts.push(format!("Each has {limits}."));
        parts.extend(self.kernels.describe());
        let versions =
            self.versions.iter().map(|(program, version)| format!("{program} is {}", one_line(version)));
        let versions = versions.collect::<Vec<_>>().join(", ");
        parts.extend((!versions.is_empty()).then(|| format!("{versions}.")));
        parts.push(
            "Packages that are missing are not for code to install: import them, and the person is asked."
                .into(),
        );
        let day = jiff::Timestamp::from_millisecond(now.0).map(|now| now.strftime("%Y-%m-%d").to_string());
        parts.extend(day.map(|day| format!("Today is {day} (UTC).")));
        format!("# Conditions now\n\n{}", parts.join(" "))
    }

    fn writes(&self) -> String {
        let named =
            self.write.iter().take(MAX_FOLDERS_SHOWN).map(|folder| one_line(&folder.to_string_lossy()));
        let mut places: Vec<String> = named.collect();
        if self.write.len() > MAX_FOLDERS_SHOWN {
            places.push(format!("{} more folders", self.write.len() - MAX_FOLDERS_SHOWN));
        }
        places.push("private places that go with the session (as $TMPDIR, ~/.cache)".into());
        format!("They can write to {}, and nowhere else", places.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked() -> RunConditions {
        RunConditions { confined: true, write: vec!["/work".into()], ..RunConditions::default() }
    }

    fn told(conditions: &RunConditions) -> String {
        conditions.describe("60 s, 2 GiB of memory, 256 processes", Timestamp(1_790_073_660_000))
    }

    #[test]
    fn the_words_are_few_and_say_all_of_it() {
        let known = [(Language::python(), "3.12.4".into()), (Language::javascript(), "20.11.1".into())];
        let text = told(&asked().with_versions(known));
        assert_eq!(
            text,
            "# Conditions now\n\nBlocks run in a sandbox. There is no network. They can write to /work, private places that go \
             with the session (as $TMPDIR, ~/.cache), and nowhere else. Each has 60 s, 2 GiB of memory, 256 processes. Python is 3.12.4, node is 20.11.1. Packages that are missing are \
             not for code to install: import them, and the person is asked. Today is 2026-09-22 (UTC)."
        );
        assert!(text.len() < 480, "about 110 tokens: {}", text.len());
        let text = told(&RunConditions { confined: false, network: true, ..asked() });
        assert!(text.contains("without a sandbox") && text.contains("The network is open"), "{text}");
        assert!(!text.contains("kernel"), "{text}");
        let kernels = |kernels| told(&RunConditions { kernels, ..asked() });
        assert!(kernels(KernelLanguages::Unknown).contains("is not known yet"));
        let text = kernels(KernelLanguages::Known(vec![Language::python(), Language("r".into())]));
        assert!(text.contains("kernel for: python, r. Code in other languages can't be run."), "{text}");
        let text = kernels(KernelLanguages::Known(Vec::new()));
        assert!(text.contains("There is no Jupyter kernel: no code can be run."), "{text}");
        let folders = (0..9).map(|n| PathBuf::from(format!("/f{n}\nx"))).collect();
        let text = told(&RunConditions { write: folders, ..asked() });
        assert!(text.contains("/f3 x, 5 more folders, private places that go with the session (as $TMPDIR, ~/.cache), and nowhere else"), "{text}");
    }
}
