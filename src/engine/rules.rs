//! Decides what an "always" rule of the person covers, and describes it in words.
//!
//! Pure functions. A rule covers no high or forbidden finding, nothing that no sandbox confines, no state that an earlier
//! block changed, and no more rights than those of the block on which it was granted. `always` decides when a covered
//! block starts.

use super::State;
use super::transcript::BlockItem;
use crate::domain::sentences::running;
use crate::domain::{
    Block, BlockId, BlockKind, ExecutorKind, Policy, Review, Rule, RuleId, RuleScope, SandboxLevel, Severity,
    Sha256, Terms, Verdict,
};
use crate::text::line::one_line;
use crate::text::number::counted;

/// Why a rule does not cover a block. The text continues a sentence whose subject is the block.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleMismatch {
    /// It waits in a session that is not this installation's own.
    #[error("waits in a session that another installation wrote: each block is asked about")]
    Foreign,
    /// It is not code of the model, but a file, packages or functions.
    #[error("is no code: such blocks are asked about each time")]
    NotCode,
    /// The person's own list of denied things has something in it.
    #[error("is denied: {0}")]
    Forbidden(String),
    /// It has a high finding.
    #[error("has a high finding: {0}")]
    High(String),
    /// It has this many findings.
    #[error("has {}", counted(*.0, "finding"))]
    Findings(usize),
    /// Its text does not tell all that it does: it may run code that nobody saw.
    #[error("does what can't be told from its text")]
    NotTold,
    /// The checks did not cover all of it.
    #[error("was not checked: {0}")]
    Unchecked(String),
    /// It touches a path that is a link to somewhere else.
    #[error("has a link: {0}")]
    Link(String),
    /// No sandbox confines its run.
    #[error("{}", running::NO_SANDBOX)]
    NoSandbox,
    /// It reaches the network.
    #[error("{}", running::REACHES_NETWORK)]
    Network,
    /// The sandbox would let it write to this path.
    #[error("{}", running::may_write(.0))]
    MayWrite(String),
    /// It would do more than read: what it does.
    #[error("{0}")]
    Acts(String),
    /// It is another text.
    #[error("is another text")]
    OtherText,
    /// It is in another language.
    #[error("is {0}")]
    OtherLanguage(String),
    /// It would start in another folder.
    #[error("starts in another folder")]
    OtherFolder,
    /// It has other rights or limits, or another interpreter.
    #[error("has other rights or limits")]
    OtherRights,
    /// Earlier blocks changed the state that it shares with them.
    #[error("shares a state that an earlier block changed")]
    StateChanged,
}

/// Whether a rule covers this block in its current revision.
pub fn check_cover(rule: &Rule, block: &Block, review: &Review, terms: &Terms) -> Result<(), RuleMismatch> {
    // Another text is named as that, whatever else speaks against it.
    if rule.scope == RuleScope::SameText && Sha256::of(block.current().source.as_bytes()) != rule.sha256 {
        return Err(RuleMismatch::OtherText);
    }
    if !matches!(block.kind, BlockKind::Code { .. }) {
        return Err(RuleMismatch::NotCode);
    }
    let named = |finding: &crate::domain::Finding| finding.message.clone();
    if let Some(finding) = review.findings.iter().find(|finding| finding.forbidden) {
        return Err(RuleMismatch::Forbidden(named(finding)));
    }
    if let Some(finding) = review.findings.iter().find(|finding| finding.severity == Severity::High) {
        return Err(RuleMismatch::High(named(finding)));
    }
    if let Some(why) = &review.unchecked {
        return Err(RuleMismatch::Unchecked(why.clone()));
    }
    if let Some(link) = review.findings.iter().find(|finding| finding.rule == "file.link") {
        // The link may lead somewhere else each time.
        return Err(RuleMismatch::Link(named(link)));
    }
    match rule.scope {
        RuleScope::SameText | RuleScope::Clean if terms.language != rule.terms.language => {
            return Err(RuleMismatch::OtherLanguage(terms.language.as_str().to_owned()));
        }
        RuleScope::SameText => {}
        RuleScope::Clean => check_findings(review, true)?,
        RuleScope::Reading => reads_only(review)?,
    }
    within(rule, terms)
}

/// Whether there are no findings, and, if it has to be `told`, no effects besides those that the text tells.
fn check_findings(review: &Review, told: bool) -> Result<(), RuleMismatch> {
    match review.findings.len() {
        0 if told && review.effects.unknown => Err(RuleMismatch::NotTold),
        0 => Ok(()),
        found => Err(RuleMismatch::Findings(found)),
    }
}

/// Whether it only reads, as far as its text shows; the sandbox takes care of the rest.
fn reads_only(review: &Review) -> Result<(), RuleMismatch> {
    if Policy::Clean.judge(review) != Verdict::Allow {
        return check_findings(review, false);
    }
    let effects = &review.effects;
    let acts = [
        ("writes", &effects.writes),
        ("deletes", &effects.deletes),
        ("reaches", &effects.hosts),
        ("installs", &effects.packages),
    ];
    match acts.into_iter().find_map(|(verb, names)| names.first().map(|name| format!("{verb} {name}"))) {
        Some(act) => Err(RuleMismatch::Acts(act)),
        None => Ok(()),
    }
}

/// Whether the sandbox confines the run, and the terms are no wider than the rule's.
fn within(rule: &Rule, terms: &Terms) -> Result<(), RuleMismatch> {
    let rights = &terms.rights;
    if !terms.found_changed().is_empty() {
        // The same words may start another program there, or call another function. That something was changed when the
        // rule was granted does not tell what it was changed to since.
        return Err(RuleMismatch::StateChanged);
    }
    if rights.terminal {
        // A terminal means that it asks the person something, and nobody may be there to answer.
        return Err(RuleMismatch::OtherRights);
    }
    let here = [ExecutorKind::Kernel, ExecutorKind::Subprocess, ExecutorKind::Container];
    let elsewhere = !here.contains(&terms.executor);
    if rights.sandbox.level == SandboxLevel::Off || !rights.sandbox.writes_confined || elsewhere {
        return Err(RuleMismatch::NoSandbox);
    }
    let closed = !rights.network && rights.sandbox.network_blocked;
    if rule.scope != RuleScope::SameText && !closed {
        return Err(RuleMismatch::Network);
    }
    match rule.scope {
        RuleScope::Reading => match rights.write.first() {
            Some(folder) => Err(RuleMismatch::MayWrite(folder.display().to_string())),
            None if terms.limits != rule.terms.limits => Err(RuleMismatch::OtherRights),
            None if !reads_no_more(terms, &rule.terms) => Err(RuleMismatch::OtherRights),
            None if !held_as_well(terms, &rule.terms) => Err(RuleMismatch::OtherRights),
            None => Ok(()),
        },
        RuleScope::SameText if terms.cwd != rule.terms.cwd => Err(RuleMismatch::OtherFolder),
        RuleScope::SameText | RuleScope::Clean if same_rights(terms, &rule.terms) => Ok(()),
        RuleScope::SameText | RuleScope::Clean => Err(RuleMismatch::OtherRights),
    }
}

/// Whether one run may read no more files, and gets no more environment variables, than another. It may be in a
/// language that gets fewer.
fn reads_no_more(now: &Terms, then: &Terms) -> bool {
    let (now, then) = (&now.rights, &then.rights);
    (now.sandbox.reads_confined || !then.sandbox.reads_confined)
        && now.read.iter().all(|path| then.read.iter().any(|folder| path.starts_with(folder)))
        && now.environment.iter().all(|name| then.environment.contains(name))
}

/// Whether a run's limits are enforced at least as strictly as another's.
fn held_as_well(now: &Terms, then: &Terms) -> bool {
    let (now, then) = (&now.rights.sandbox, &then.rights.sandbox);
    now.memory >= then.memory && now.processes >= then.processes && now.files >= then.files
}

/// Whether two runs may do the same. Fields that only describe the sandbox (its layers, its notes) are ignored.
fn same_rights(now: &Terms, then: &Terms) -> bool {
    let holds = |terms: &Terms| {
        let report = &terms.rights.sandbox;
        (
            report.level,
            report.network_blocked,
            report.writes_confined,
            report.reads_confined,
            report.contained,
            report.memory,
            report.processes,
            report.files,
        )
    };
    now.executor == then.executor
        && now.interpreter == then.interpreter
        && now.limits == then.limits
        && now.rights.read == then.rights.read
        && now.rights.write == then.rights.write
        && now.rights.network == then.rights.network
        && now.rights.environment == then.rights.environment
        && holds(now) == holds(then)
}

/// What a rule covers, in words.
pub fn describe(rule: &Rule) -> String {
    let language = one_line(rule.terms.language.as_str());
    match rule.scope {
        RuleScope::SameText => format!("this exact text again ({language}, same sha256)"),
        RuleScope::Clean => running::clean_rule(&language),
        RuleScope::Reading => running::READING_RULE.into(),
    }
}

/// A rule that the person could grant on the block that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The rule that would be granted.
    pub rule: Rule,
    /// Why it can't be granted on this block.
    pub refused: Option<RuleMismatch>,
    /// Blocks of this session that it would have covered, oldest first.
    pub covered: Vec<BlockId>,
    /// The newest block of this session that it would not have covered, and why.
    pub missed: Option<(BlockId, RuleMismatch)>,
}

/// The rules that could be granted on a block, the narrowest first; none while it is being inspected or if it can't
/// run.
pub fn offers(state: &State, block: BlockId) -> Vec<Offer> {
    RuleScope::ALL.into_iter().filter_map(|scope| offer(state, block, scope)).collect()
}

/// Whether any rule could be granted on a block.
pub(crate) fn is_offered(state: &State, block: BlockId) -> bool {
    let mut rules = RuleScope::ALL.into_iter().filter_map(|scope| proposed(state, block, scope));
    rules.any(|rule| can_be_granted(state, &rule) == Some(Ok(())))
}

/// Whether this rule can be granted on its block; `None` while that is being inspected or if it can't run.
fn can_be_granted(state: &State, rule: &Rule) -> Option<Result<(), RuleMismatch>> {
    let item = state.transcript.blocks.get(&rule.block)?;
    let inspected = state.inspected(rule.block)?;
    let covered = check_cover(rule, &item.block, &inspected.review, inspected.terms.as_ref().ok()?);
    Some(if state.live.foreign { Err(RuleMismatch::Foreign) } else { covered })
}

fn offer(state: &State, block: BlockId, scope: RuleScope) -> Option<Offer> {
    let rule = proposed(state, block, scope)?;
    let refused = can_be_granted(state, &rule)?.err();
    let mut offer = Offer { rule, refused, covered: Vec::new(), missed: None };
    for other in state.transcript.blocks.values().filter(|other| other.block.id != block) {
        let id = other.block.id;
        // Skip blocks that were never inspected or could not run.
        let Some((review, terms)) = known(state, other) else { continue };
        match check_cover(&offer.rule, &other.block, review, terms) {
            Ok(()) => offer.covered.push(id),
            Err(miss) => offer.missed = Some((id, miss)),
        }
    }
    Some(offer)
}

/// The rule that granting this scope on a block would make.
pub(super) fn proposed(state: &State, block: BlockId, scope: RuleScope) -> Option<Rule> {
    let item = state.transcript.blocks.get(&block)?;
    let terms = state.inspected(block)?.terms.as_ref().ok()?.clone();
    let id = state.transcript.rules.iter().map(|item| item.rule.id).max().unwrap_or(RuleId(0)).next();
    let sha256 = Sha256::of(item.block.current().source.as_bytes());
    Some(Rule { id, scope, block, sha256, terms })
}

/// The review of a block's newest revision, and the terms under which it would run or ran.
fn known<'a>(state: &'a State, item: &'a BlockItem) -> Option<(&'a Review, &'a Terms)> {
    if let Some(inspected) = state.inspected(item.block.id) {
        return Some((&inspected.review, inspected.terms.as_ref().ok()?));
    }
    let current = item.block.current().revision;
    let (_, review) = item.review.as_ref().filter(|(revision, _)| *revision == current)?;
    let run = item.runs.iter().rev().find(|run| run.revision == current)?;
    Some((review, &run.terms))
}

/// The first rule in force that covers the block that waits. A block that was settled before is never covered: whoever
/// puts it back wants to decide about it.
pub(super) fn covering(state: &State, block: BlockId) -> Option<&Rule> {
    let item = state.transcript.blocks.get(&block).filter(|item| item.settled_at.is_none())?;
    let inspected = state.inspected(block)?;
    let terms = inspected.terms.as_ref().ok()?;
    state
        .transcript
        .rules_in_force()
        .find(|rule| check_cover(rule, &item.block, &inspected.review, terms).is_ok())
}

#[cfg(test)]
mod tests;
