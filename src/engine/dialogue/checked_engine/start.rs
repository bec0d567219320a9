//! The most important check: what may start, and why.

use super::WatchedEngine;
use crate::domain::{
    Approval, BlockId, BlockKind, Decision, Entry, ExecutorKind, Grantor, Policy, Revision, RuleId,
    RunRequest, SandboxLevel, Severity, Sha256, Terms, Timestamp, Verdict,
};
use crate::engine::{Command, Event, Inspection};

impl WatchedEngine {
    /// Checks a run that starts: the engine may start one now, the decision for it is recorded, and somebody made that
    /// decision about exactly this.
    pub(super) fn check_start(&mut self, event: Option<&Event>, request: &RunRequest, now: Timestamp) {
        let run = request.approval().run();
        assert!(self.going.is_none(), "two runs at once");
        assert!(self.runs.insert(run), "a run came twice");
        assert!(!self.unsaved, "a run started while the session can't be saved");
        self.going = Some(run);
        self.check_record(request, now);
        self.check_text(request);
        self.check_grant(event, request.approval());
    }

    /// Checks that the decision is the newest entry, and is about these bytes and terms.
    fn check_record(&self, request: &RunRequest, now: Timestamp) {
        let approval = request.approval();
        let Some((at, Entry::Approved { run, block, revision, sha256, terms, by })) = self.entries.last()
        else {
            panic!("a run started without its decision on record: {:?}", self.entries.last());
        };
        assert_eq!(
            (*at, *run, *block, *revision),
            (now, approval.run(), approval.block(), approval.revision())
        );
        assert_eq!((*sha256, terms, *by), (approval.sha256(), approval.terms(), approval.by()));
        assert_eq!(*sha256, Sha256::of(request.source().as_bytes()));
    }

    /// Checks that the bytes are those of the newest revision, which is whole, and that the executor is one for them.
    fn check_text(&self, request: &RunRequest) {
        let approval = request.approval();
        let terms = approval.terms();
        let proposed = &self.folded.blocks[&approval.block()].block;
        let version = proposed.current();
        assert_eq!((version.revision, &version.source), (approval.revision(), request.source()));
        if proposed.kind.is_code() {
            let empty = version.source.trim().is_empty() && approval.by() != Grantor::CommandLine;
            assert!(version.whole && version.language.is_some() && !empty);
            assert!(terms.executor.runs_code());
            assert_eq!(terms.target.is_some(), matches!(proposed.kind, BlockKind::Load { .. }));
        } else if let BlockKind::Install { .. } = proposed.kind {
            assert!(version.whole && proposed.unclear(version).is_none());
            assert_eq!(terms.executor, ExecutorKind::Installer);
        } else if let BlockKind::Pull { .. } = proposed.kind {
            assert_eq!(terms.executor, ExecutorKind::Engine);
        } else {
            assert!(version.whole && proposed.file_act(version).is_ok());
            assert_eq!((terms.executor, terms.target.is_some()), (ExecutorKind::Files, true));
        }
    }

    /// The inspection of what starts. Checks that the kernel and the folder did not change since, and that it found
    /// these terms.
    fn checked_inspection(&self, approval: &Approval) -> &Inspection {
        let checked = &self.inspections[&approval.block()];
        let Some((inspected, inspection)) = &checked.answer else { panic!("never looked at") };
        assert_eq!(checked.world, self.world, "looked at before the kernel or the folder changed");
        assert_eq!((*inspected, inspection.terms.as_ref()), (approval.revision(), Ok(approval.terms())));
        inspection
    }

    /// Checks that somebody approved exactly this.
    fn check_grant(&mut self, event: Option<&Event>, approval: &Approval) {
        let (block, revision) = (approval.block(), approval.revision());
        let (sha256, terms) = (approval.sha256(), approval.terms());
        let inspection = self.checked_inspection(approval);
        let policy = self.engine.settings.policy;
        match (approval.by(), event) {
            (
                Grantor::Person { typed },
                Some(Event::User(Command::Decide { block: b, revision: r, decision })),
            ) => {
                assert_eq!((*b, *r), (block, revision), "{decision:?}");
                check_person(decision, typed, terms, inspection);
                self.said.push((sha256, terms.clone()));
            }
            (Grantor::Flag, Some(_)) => {
                assert!(policy != Policy::Ask && policy.judge(&inspection.review) == Verdict::Allow);
            }
            (Grantor::Rule(rule), event) => self.check_rule(rule, event, (block, revision), inspection),
            (Grantor::CommandLine, Some(_)) => {
                assert!(!inspection.review.forbidden(), "a name approved what is forbidden");
                let proposed = &self.folded.blocks[&block].block;
                let fetches = matches!(proposed.kind, BlockKind::Pull { .. });
                let at = self.named.iter().position(|named| *named == sha256);
                assert!(proposed.is_own() && (at.is_some() || fetches), "nobody named this");
                at.map(|at| self.named.remove(at));
            }
            (Grantor::Before, Some(_)) => {
                let same = |(hash, then): &(Sha256, Terms)| {
                    *hash == sha256
                        && Terms { kernel: then.kernel, shared: then.shared.clone(), ..terms.clone() }
                            .same_as(then)
                };
                assert!(self.said.iter().any(same), "the person never said yes to this");
            }
            other => panic!("nobody said yes: {other:?}"),
        }
    }

    /// Checks a run granted by a rule: the rule was recorded in this process and is not revoked; it covers the block;
    /// and the person granted it just now, or the start was announced on screen.
    fn check_rule(
        &self,
        rule: RuleId,
        event: Option<&Event>,
        (block, revision): (BlockId, Revision),
        inspection: &Inspection,
    ) {
        let mut granted = None;
        for (_, entry) in &self.entries {
            match entry {
                Entry::RuleAdded(added) if added.id == rule => granted = Some(added),
                Entry::RuleRevoked(revoked) if *revoked == rule => granted = None,
                Entry::Resumed => granted = None,
                _ => {}
            }
        }
        assert!(granted.is_some(), "a rule approved that is not in force");
        assert!(inspection.review.gravest() != Some(Severity::High), "a rule approved a high finding");
        assert!(inspection.review.unchecked.is_none(), "a rule approved what was not checked");
        assert!(!inspection.review.forbidden(), "a rule approved what is forbidden");
        let rights = &inspection.terms.as_ref().unwrap().rights;
        assert!(rights.sandbox.level != SandboxLevel::Off && rights.sandbox.writes_confined);
        match event {
            Some(Event::Timer(timer)) => {
                assert_eq!(self.engine.settings.policy, Policy::Ask);
                assert_eq!(self.announced.get(timer), Some(&(block, revision)), "it was not announced");
            }
            other => panic!("nobody said yes: {other:?}"),
        }
    }
}

/// Checks that the person's key approved this, with the typed word where it is demanded.
fn check_person(decision: &Decision, typed: bool, terms: &Terms, inspection: &Inspection) {
    let plain = Decision::Approve { typed };
    // Whoever grants a rule also approves this block; the rule is for later ones.
    let with_rule = !typed && matches!(decision, Decision::Always(..));
    assert!(*decision == plain || with_rule, "{decision:?}");
    let of_code = terms.executor.starts_programs();
    let off = of_code && terms.rights.sandbox.level == SandboxLevel::Off;
    let demanded = inspection.review.needs_typed_word() || off;
    assert!(typed || !demanded, "the typed word was passed over");
}
