//! Offers what a block needs and what is missing, packages or a container image, as a block of its own: before the
//! block that needs it, or after that failed.
//!
//! Nothing is fetched without a decision, and the person sees the names of what would be fetched. When it was fetched,
//! the block that needed it waits (again).

use super::transcript::BlockStatus;
use super::{Engine, Phase, notices};
use crate::domain::{
    BlockId, BlockKind, Entry, ExecutorKind, ImageName, Language, Outcome, PackageList, Policy, RunReport,
    Stream, packages,
};
use std::collections::BTreeSet;

/// How many bytes of standard error are searched for a missing package.
const MAX_SEARCHED_BYTES: usize = 16 << 10;

/// What was offered so far: nothing is offered twice for the same block.
#[derive(Debug, Default)]
pub(super) struct Installs {
    offered: BTreeSet<(BlockId, String)>,
}

/// What follows from the end of a run, concerning packages.
pub(super) enum Consequence {
    None,
    /// What this block lacked is installed: it waits again.
    BringBack(BlockId),
    /// It failed because this package is missing: offer to install it.
    Offer(Language, String),
    /// It failed because this package is missing, but sayso can't install it there: tell the person.
    Tell(String, ExecutorKind),
}

impl Engine {
    /// If the block that waits lacks packages or its image, offers to fetch them first.
    pub(super) fn offer_lacking(&mut self) {
        let Phase::Deciding(block) = self.state.phase else { return };
        let Some(inspected) = self.state.inspected(block) else { return };
        if let Some(image) = inspected.image.clone() {
            if let Some(pull) = self.offer_pull(block, &image) {
                self.named_with(block, pull);
                self.order_inspection(pull);
                self.advance();
            }
            return;
        }
        if inspected.lacking.is_empty() || inspected.terms.is_err() {
            return;
        }
        let (lacking, language) = (inspected.lacking.clone(), self.language_of(block));
        if let Some(language) = language
            && let Some(install) = self.offer_install(block, &language, &lacking)
        {
            self.order_inspection(install);
            self.advance();
        }
    }

    /// What follows from the end of a run, concerning packages.
    pub(super) fn consequence(&self, block: BlockId, report: &RunReport) -> Consequence {
        let kind = self.state.transcript.blocks.get(&block).map(|item| &item.block.kind);
        match (kind, &report.outcome) {
            (
                Some(
                    BlockKind::Install { wanted_by: Some(wanted_by) }
                    | BlockKind::Pull { wanted_by: Some(wanted_by) },
                ),
                Outcome::Ok,
            ) => Consequence::BringBack(*wanted_by),
            (Some(BlockKind::Install { .. } | BlockKind::Pull { .. }) | None, _) => Consequence::None,
            (Some(_), Outcome::Failed) => self
                .language_of(block)
                .and_then(|language| Some((missing_package(&language, report)?, language)))
                .map_or(Consequence::None, |(package, language)| match self.executor_of(block) {
                    Some(elsewhere @ (ExecutorKind::Container | ExecutorKind::Jupyter)) => {
                        Consequence::Tell(package, elsewhere)
                    }
                    _ => Consequence::Offer(language, package),
                }),
            _ => Consequence::None,
        }
    }

    /// Does what follows from the end of a run.
    pub(super) fn apply_consequence(&mut self, block: BlockId, consequence: Consequence) {
        match consequence {
            Consequence::None => {}
            Consequence::BringBack(block) => self.reopen_failed_block(block),
            Consequence::Tell(package, executor) => {
                self.notify(notices::lacks_elsewhere(block, &package, executor));
            }
            Consequence::Offer(language, package) => {
                if let Some(install) = self.offer_install(block, &language, &[package]) {
                    self.order_inspection(install);
                }
            }
        }
    }

    /// What the block lacked is installed: if it failed for that, it waits again.
    fn reopen_failed_block(&mut self, block: BlockId) {
        let failed = self.state.transcript.blocks.get(&block).is_some_and(|item| {
            let report = item.runs.last().and_then(|run| run.ended.as_ref()).map(|(_, report)| report);
            item.status == BlockStatus::Approved
                && report.is_some_and(|report| report.outcome == Outcome::Failed)
        });
        if failed {
            self.record(Entry::Reopened(block));
            self.order_inspection(block);
        }
    }

    /// The executor of a block's newest run.
    fn executor_of(&self, block: BlockId) -> Option<ExecutorKind> {
        let runs = &self.state.transcript.blocks.get(&block)?.runs;
        runs.last().map(|run| run.terms.executor)
    }

    fn language_of(&self, block: BlockId) -> Option<Language> {
        let item = self.state.transcript.blocks.get(&block)?;
        let language = item.block.current().language.clone()?;
        match language.as_str() {
            "python" => Some(language),
            "javascript" | "typescript" => Some(Language::javascript()),
            _ => None,
        }
    }

    /// Proposes an installation. Without a person to ask, nothing is offered: approving the blocks in advance did not
    /// allow the network that an installation needs.
    fn offer_install(&mut self, block: BlockId, language: &Language, lacking: &[String]) -> Option<BlockId> {
        if self.settings.policy != Policy::Ask || self.turn.named.is_some() {
            return None;
        }
        let new: Vec<String> = lacking
            .iter()
            .filter(|package| !self.installs.offered.contains(&(block, (*package).clone())))
            .cloned()
            .collect();
        let list = PackageList::parse(
            language.as_str(),
            &PackageList { packages: new, ..PackageList::default() }.text(),
        )
        .ok()?;
        self.installs.offered.extend(list.packages.iter().map(|package| (block, package.clone())));
        let note = format!("block {block} needs {}: install it first?", list.words());
        let kind = BlockKind::Install { wanted_by: Some(block) };
        Some(self.propose_own(kind, language.clone(), list.text().into(), note))
    }

    /// Proposes to pull an image, once for each block. Without a person to ask, nothing is offered; for blocks named on
    /// the command line only if fetching was asked for there.
    fn offer_pull(&mut self, block: BlockId, image: &ImageName) -> Option<BlockId> {
        let item = self.state.transcript.blocks.get(&block)?;
        let language = item.block.current().language.clone().filter(|_| item.block.kind.is_code())?;
        if self.settings.policy != Policy::Ask
            || !self.offers_images(block)
            || !self.installs.offered.insert((block, image.as_str().to_owned()))
        {
            return None;
        }
        let note =
            format!("block {block} runs in {image}, which is not on the container engine: pull it first?");
        let kind = BlockKind::Pull { wanted_by: Some(block) };
        Some(self.propose_own(kind, language, image.text().into(), note))
    }
}

/// The package whose absence made a run fail.
fn missing_package(language: &Language, report: &RunReport) -> Option<String> {
    if *language == Language::python() {
        let error = report.error.as_ref().filter(|error| error.kind == "ModuleNotFoundError")?;
        return packages::missing_module(&error.message).and_then(packages::python_package);
    }
    let printed = report.output.bytes(Stream::Stderr);
    let end = printed.get(printed.len().saturating_sub(MAX_SEARCHED_BYTES)..).unwrap_or_default();
    packages::missing_node_package(&String::from_utf8_lossy(end))
}

#[cfg(test)]
mod tests {
    use crate::domain::{BlockId, Decision, ImageName, Language, Policy, Revision, samples};
    use crate::domain::{
        ExecutorKind, KernelFate, Outcome, OutputBuffer, Review, RunError, RunReport, Stream, Terms,
    };
    use crate::engine::dialogue::{Dialogue, TextChecks as _, report, terms};
    use crate::engine::{Command, Event, Inspection, Settings};

    const PYTHON: &str = "Look:\n\n```python\nimport numpy\n```\n";

    fn installer() -> Terms {
        Terms {
            executor: ExecutorKind::Installer,
            kernel: None,
            interpreter: "/usr/bin/uv".into(),
            ..terms()
        }
    }

    fn module_missing(name: &str) -> RunReport {
        let error = RunError {
            kind: "ModuleNotFoundError".into(),
            message: format!("No module named '{name}'"),
            traceback: String::new(),
        };
        RunReport { error: Some(error), ..report(Outcome::Failed) }
    }

    fn installed(outcome: Outcome) -> RunReport {
        RunReport { kernel: KernelFate::None, error: None, ..report(outcome) }
    }

    fn lacking(d: &mut Dialogue, block: u32, packages: &[&str]) -> String {
        let lacking = packages.iter().map(ToString::to_string).collect();
        let inspection = Inspection { lacking, ..Inspection::new(Review::default(), Ok(terms())) };
        d.send(Event::Inspected(BlockId(block), Revision(1), Box::new(inspection)))
    }

    #[test]
    fn a_failed_import_leads_to_an_installation_and_the_block_waits_again() {
        let mut d = Dialogue::after_reply(PYTHON);
        d.begins(1, 1);
        d.ended_as(1, module_missing("sklearn.tree")).has("+block 2 install").ends("deciding 2");
        assert_eq!(&*d.block(2).current().source, "scikit-learn\n");
        assert_eq!(d.block(2).label(), "install");
        // An installation does not accept the terms of another kind of run.
        d.inspected(2, Review::default(), Ok(terms()));
        assert!(!d.type_run(2).contains("start"), "terms of a kernel");
        d.reopen_block(2);
        d.command(Command::SetLimits { block: BlockId(2), limits: terms().limits });
        d.inspected(2, Review::default(), Ok(installer()));
        assert!(d.type_run(2).contains("start r2"));
        d.ended_as(2, installed(Outcome::Ok)).has("+back 1").ends("deciding 1");
        d.accepts(1);
        d.ended_as(3, report(Outcome::Ok)).has("ask s2");
        assert!(d.told().contains("Block 2 (install)"), "{}", d.told());
    }

    #[test]
    fn what_is_not_wanted_or_fails_is_not_offered_again() {
        let mut d = Dialogue::after_reply(PYTHON);
        d.runs_into(1, 1, module_missing("numpy"));
        d.skip(2).has("ask s2");

        d.reply("```python\nimport numpy as np\n```\n");
        d.runs_into(3, 2, module_missing("numpy"));
        d.accepts_under(4, installer());
        d.ended_as(3, installed(Outcome::Failed)).has("ask s3").lacks("+back");
    }

    #[test]
    fn what_is_known_to_be_missing_is_offered_before_the_run() {
        let mut d = Dialogue::after_reply(PYTHON);
        lacking(&mut d, 1, &["numpy", "pandas"]).has("+block 2 install").ends("deciding 2");
        d.decide(2, Decision::Skip).ends("deciding 1").lacks("+block");
        // The block can still be run as it is.
        lacking(&mut d, 1, &["numpy", "pandas"]);
        assert!(d.type_run(1).contains("start r1"));
    }

    #[test]
    fn a_hostile_name_is_no_package() {
        let mut d = Dialogue::after_reply(PYTHON);
        for name in ["--index-url=http://evil", "x; rm -rf /", "../x"] {
            lacking(&mut d, 1, &[name]).lacks("install");
        }
        d.type_run(1);
        d.ended_as(1, module_missing("evil' --index-url 'http")).lacks("+block 2 install http");
    }

    fn no_image(d: &mut Dialogue, block: u32) -> String {
        let nothing = Inspection::new(Review::default(), Err("the image is not there".into()));
        let inspection = Inspection { image: Some(ImageName::parse("python:3").unwrap()), ..nothing };
        d.send(Event::Inspected(BlockId(block), Revision(1), Box::new(inspection)))
    }

    fn in_container() -> Terms {
        Terms { executor: ExecutorKind::Container, ..terms() }
    }

    fn engine() -> Terms {
        Terms { executor: ExecutorKind::Engine, kernel: None, ..terms() }
    }

    #[test]
    fn an_image_that_is_missing_is_pulled_by_the_person_only_and_the_block_waits_again() {
        let mut d = Dialogue::after_reply(PYTHON);
        no_image(&mut d, 1).has("+block 2 pull").ends("deciding 2");
        assert_eq!(d.block(2).label(), "pull python:3");
        // A pull does not accept the terms of a run in a container.
        d.inspected(2, Review::default(), Ok(in_container()));
        assert!(!d.type_run(2).contains("start"), "terms of a container");
        d.command(Command::SetLimits { block: BlockId(2), limits: terms().limits });
        d.inspected(2, Review::default(), Ok(engine()));
        assert!(d.approve(2).contains("start r1"), "nothing of it is started: it takes no typed word");
        d.ended_as(1, installed(Outcome::Ok)).ends("deciding 1").lacks("+back");
        d.accepts_under(1, in_container());
        d.ended_as(2, report(Outcome::Ok)).has("ask s2");
        assert!(!d.told().contains("pull"), "{}", d.told());
    }

    #[test]
    fn a_pull_that_fails_or_is_not_wanted_leaves_the_block_waiting() {
        let mut d = Dialogue::after_reply(PYTHON);
        no_image(&mut d, 1);
        d.inspected(2, Review::default(), Ok(engine()));
        d.approve(2);
        d.ended_as(1, installed(Outcome::Failed)).ends("deciding 1");
        let line = no_image(&mut d, 1);
        assert!(!line.contains("+block"), "it is offered once: {line}");
        assert!(!d.type_run(1).contains("start"));
        // The person may put the pull back.
        d.reopen_block(2).ends("deciding 2");
        d.skip(2).ends("deciding 1");
    }

    #[test]
    fn where_nobody_is_asked_nothing_is_pulled() {
        let settings = Settings { policy: Policy::All, unconfined: true, ..Settings::default() };
        let mut d = Dialogue::with_reply(settings, PYTHON);
        no_image(&mut d, 1).lacks("+block").ends("deciding 1");
    }

    #[test]
    fn a_package_of_node() {
        let mut d = Dialogue::after_reply("```javascript\nrequire('left-pad')\n```\n");
        let node = samples::in_subprocess(Language::javascript());
        d.accepts_under(1, node);
        let mut output = OutputBuffer::new(1 << 20);
        output.push(Stream::Stderr, b"Error: Cannot find module 'left-pad'\nRequire stack:\n");
        let failed = RunReport { output, kernel: KernelFate::None, error: None, ..report(Outcome::Failed) };
        d.ended_as(1, failed).has("+block 2 install");
        assert_eq!(d.block(2).current().language, Some(Language::javascript()));
    }
}
