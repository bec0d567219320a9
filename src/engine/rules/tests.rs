//! Tests of the person's rules: what they cover, and what they start.

use super::*;
use crate::domain::{
    DeadKernel, Effects, Enforcement, Finding, Language, Outcome, Revision, SharedState, TimerId,
};
use crate::engine::dialogue::wording::scope_word;
use crate::engine::dialogue::{Dialogue, TextChecks as _, confined, review};
use crate::engine::state::{Countdown, RuleMatch};
use crate::engine::{Command, Event};

const ONE: &str = "```python\nprint(1)\n```\n";
const TWO: &str = "```python\nprint(2)\n```\n";

/// A session with one confined block that waits, without findings.
fn waiting() -> Dialogue {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected(1, Review::default(), Ok(confined()));
    d
}

/// The same session after the block was approved with a rule and ran, and the block `next` was proposed.
fn granted(scope: RuleScope, next: &str) -> Dialogue {
    let mut d = waiting();
    let offer = offers(d.state(), BlockId(1)).into_iter().find(|offer| offer.rule.scope == scope).unwrap();
    let words = describe(&offer.rule);
    assert_eq!(
        d.always(1, scope),
        format!(
            "+rule 1 {}, 'Rule 1 holds from now on: {words}. /rules lists and removes it.', +approved r1 1.1 person, start r1 | running r1",
            scope_word(scope)
        )
    );
    d.passes(1, Outcome::Ok);
    d.reply(next);
    d
}

fn timer(d: &mut Dialogue, number: u32) -> String {
    d.send(Event::Timer(TimerId(number)))
}

fn clean(d: &mut Dialogue, block: u32) -> String {
    d.inspected(block, Review::default(), Ok(confined()))
}

#[test]
fn a_covered_block_is_shown_and_then_starts_and_says_by_what() {
    let mut d = granted(RuleScope::Clean, TWO);
    assert_eq!(clean(&mut d, 2), "+review 2.1 | deciding 2");
    let matched = d.state().live.matched.clone();
    assert_eq!(
        matched,
        Some(RuleMatch {
            rule: RuleId(1),
            block: BlockId(2),
            revision: Revision(1),
            countdown: Countdown::NotShown
        })
    );
    assert_eq!(timer(&mut d, 1), "| deciding 2", "nobody saw it yet");
    assert_eq!(d.on_screen(2, true), "timer 1 3000 | deciding 2");
    assert_eq!(d.on_screen(2, true), "| deciding 2", "drawn again it starts no second time");
    assert_eq!(timer(&mut d, 1), "+approved r2 2.1 rule 1, start r2 | running r2");
}

#[test]
fn time_runs_only_while_it_is_on_screen() {
    let mut d = granted(RuleScope::Clean, TWO);
    clean(&mut d, 2);
    d.on_screen(2, true);
    d.on_screen(2, false);
    assert_eq!(timer(&mut d, 1), "| deciding 2");
    assert_eq!(d.on_screen(2, true), "timer 2 3000 | deciding 2");
    assert_eq!(timer(&mut d, 1), "| deciding 2", "the first one is an old one");
    assert!(timer(&mut d, 2).ends_with("| running r2"));
}

#[test]
fn what_is_held_back_waits_for_a_decision() {
    for command in [Command::StopCountdown, Command::Stop] {
        let mut d = granted(RuleScope::Clean, TWO);
        clean(&mut d, 2);
        d.on_screen(2, true);
        d.command(command)
            .is("'Rule 1 stopped for block 2. Nothing ran: it waits for your decision.' | deciding 2");
        assert_eq!(timer(&mut d, 1), "| deciding 2");
        // After another inspection it is still held back.
        d.send(Event::KernelDied(DeadKernel::of_python("x")));
        clean(&mut d, 2);
        assert_eq!(d.state().live.matched, None);
        assert!(d.approve(2).ends_with("+approved r2 2.1 person, start r2 | running r2"));
    }
}

#[test]
fn any_change_begins_anew() {
    let mut d = granted(RuleScope::Clean, TWO);
    clean(&mut d, 2);
    d.on_screen(2, true);
    d.edit(2, "print(3)\n");
    assert_eq!(timer(&mut d, 1), "| deciding 2", "it is looked at");
    clean(&mut d, 2);
    assert_eq!(timer(&mut d, 1), "| deciding 2", "the new text was not on screen");
    d.on_screen(2, true);
    assert!(timer(&mut d, 2).contains("+approved r2 2.2 rule 1"));
}

#[test]
fn a_high_or_forbidden_finding_is_never_covered() {
    for scope in RuleScope::ALL {
        let mut d = waiting();
        let mut terms = confined();
        if scope == RuleScope::Reading {
            terms.rights.write.clear();
        }
        d.edit(1, "print(1)  \n");
        d.inspected(1, Review::default(), Ok(terms.clone()));
        assert!(d.always(1, scope).ends_with("| running r1"), "{scope:?}");
        d.passes(1, Outcome::Ok);
        for (block, forbidden) in [(2, false), (3, true)] {
            d.reply(ONE);
            d.edit(block, "print(1)  \n");
            let mut found = review(if forbidden { Severity::Info } else { Severity::High });
            found.findings[0].forbidden = forbidden;
            d.inspected(block, found, Ok(terms.clone()));
            assert_eq!(d.state().live.matched, None, "{scope:?}");
            d.skip(block);
            d.user("more");
        }
    }
}

#[test]
fn a_rule_is_refused_where_it_would_not_cover_the_block_itself() {
    let mut d = waiting();
    d.always(1, RuleScope::Reading)
        .is("'Block 1 may write /work: use --sandbox read-only. No rule was made.' | deciding 1");
    d.command(Command::SetLimits { block: BlockId(1), limits: crate::domain::Limits::default() });
    d.inspected(1, review(Severity::High), Ok(confined()));
    assert_eq!(d.always(1, RuleScope::SameText), "'Type run and press Enter to run it once.' | deciding 1");
    assert!(d.state().transcript.rules.is_empty());
}

#[test]
fn without_a_sandbox_there_is_no_rule() {
    let mut d = Dialogue::after_reply(ONE);
    d.runs(1, 1, Outcome::Ok);
    d.reply(TWO);
    d.inspected_ok(2);
    assert_eq!(d.always(2, RuleScope::SameText), "'Type run and press Enter to run it once.' | deciding 2");
    assert!(d.state().transcript.rules.is_empty());
}

#[test]
fn a_revoked_rule_approves_nothing() {
    let mut d = granted(RuleScope::Clean, TWO);
    clean(&mut d, 2);
    d.on_screen(2, true);
    d.command(Command::RevokeRule(RuleId(1)))
        .is("+rule 1 revoked, 'Rule 1 removed. What it covered is asked about again.' | deciding 2");
    assert_eq!(timer(&mut d, 1), "| deciding 2");
    assert_eq!(d.command(Command::RevokeRule(RuleId(1))), "| deciding 2");
}

#[test]
fn rules_do_not_live_longer_than_the_process() {
    let mut d = granted(RuleScope::Clean, TWO);
    d.reopen().has("Variables are not kept, nor 1 rule: the kernel is new.");
    clean(&mut d, 2);
    assert_eq!(d.state().live.matched, None);
    assert!(d.always(2, RuleScope::SameText).starts_with("+rule 2 same-text"), "numbers go on");
}

#[test]
fn a_block_that_is_put_back_asks_for_its_own_decision() {
    let mut d = granted(RuleScope::Clean, "Done.");
    d.reopen_block(1);
    clean(&mut d, 1);
    assert_eq!(d.state().live.matched, None);
}

#[test]
fn the_same_text_is_covered_and_no_other() {
    let mut d = granted(RuleScope::SameText, ONE);
    clean(&mut d, 2);
    assert!(d.state().live.matched.is_some());
    d.edit(2, "print(1) \n");
    clean(&mut d, 2);
    assert_eq!(d.state().live.matched, None);
}

/// Why a rule granted under these terms does not cover a block.
fn judged(scope: RuleScope, found: Review, change: impl Fn(&mut Terms)) -> Result<(), String> {
    let d = waiting();
    let block = d.block(1);
    let mut granted = confined();
    if scope == RuleScope::Reading {
        granted.rights.write.clear();
    }
    let sha256 = Sha256::of(b"print(1)\n");
    let rule = Rule { id: RuleId(1), scope, block: BlockId(1), sha256, terms: granted.clone() };
    let mut now = granted;
    change(&mut now);
    check_cover(&rule, block, &found, &now).map_err(|miss| miss.to_string())
}

/// Terms under which a block finds its shared state changed by earlier blocks.
fn changed(changed: &[&str]) -> Terms {
    let changed = changed.iter().map(ToString::to_string).collect();
    let shared = SharedState { blocks: [BlockId(1)].into_iter().collect(), changed };
    Terms { shared: Some(shared), ..confined() }
}

#[test]
fn a_state_that_an_earlier_block_changed_is_not_covered() {
    let found: [(&[&str], bool); 3] =
        [(&["PATH changed"], false), (&["builtins replaced: open"], false), (&[], true)];
    for scope in [RuleScope::SameText, RuleScope::Clean] {
        for (change, covers) in found {
            let mut d = granted(scope, ONE);
            d.inspected(2, Review::default(), Ok(changed(change)));
            assert_eq!(d.state().live.matched.is_some(), covers, "{scope:?}: {change:?}");
        }
    }
    for scope in RuleScope::ALL {
        let judged =
            judged(scope, Review::default(), |terms| terms.shared = changed(&["PATH changed"]).shared);
        assert_eq!(judged, Err("shares a state that an earlier block changed".into()), "{scope:?}");
    }
}

/// The words of a change don't tell what was changed to since.
#[test]
fn no_rule_is_granted_in_a_changed_state() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected(1, Review::default(), Ok(changed(&["PATH changed"])));
    d.always(1, RuleScope::SameText).has("shares a state that an earlier block changed").lacks("running");
}

/// Another kind of enforcement.
fn other(hold: Enforcement) -> Enforcement {
    if hold == Enforcement::Watched { Enforcement::Enforced } else { Enforcement::Watched }
}

#[test]
fn more_rights_than_the_rule_has_are_not_covered() {
    type Change = fn(&mut Terms);
    let wider: [(&str, Change); 12] = [
        ("other rights or limits", |t| t.rights.write.push("/home".into())),
        ("other rights or limits", |t| t.rights.read.push("/home".into())),
        ("other rights or limits", |t| t.rights.environment.push("TOKEN".into())),
        ("other rights or limits", |t| t.limits.wall_ms += 1),
        ("other rights or limits", |t| t.interpreter = "/tmp/python".into()),
        ("other rights or limits", |t| t.rights.sandbox.reads_confined = true),
        ("other rights or limits", |t| t.rights.sandbox.memory = other(t.rights.sandbox.memory)),
        ("other rights or limits", |t| t.rights.sandbox.processes = other(t.rights.sandbox.processes)),
        ("other rights or limits", |t| t.rights.sandbox.files = other(t.rights.sandbox.files)),
        ("working sandbox", |t| t.rights.sandbox.level = SandboxLevel::Off),
        ("working sandbox", |t| t.rights.sandbox.writes_confined = false),
        ("is bash", |t| t.language = Language::bash()),
    ];
    for (why, change) in wider {
        for scope in [RuleScope::SameText, RuleScope::Clean] {
            let judged = judged(scope, Review::default(), change);
            assert!(judged.as_ref().is_err_and(|miss| miss.contains(why)), "{why}: {judged:?}");
        }
    }
    assert_eq!(judged(RuleScope::Clean, Review::default(), |_| {}), Ok(()));
    let open: Change = |t| t.rights.network = true;
    assert_eq!(judged(RuleScope::Clean, Review::default(), open), Err("can reach the network".into()));
    let moved: Change = |t| t.cwd = "/other".into();
    assert_eq!(judged(RuleScope::SameText, Review::default(), moved), Err("starts in another folder".into()));
    assert_eq!(judged(RuleScope::Clean, Review::default(), moved), Ok(()));
}

#[test]
fn reading_is_held_to_by_the_sandbox_and_by_what_the_text_says() {
    let reading = |found, change: fn(&mut Terms)| judged(RuleScope::Reading, found, change);
    assert_eq!(reading(Review::default(), |t| t.language = Language::bash()), Ok(()));
    assert_eq!(
        reading(Review::default(), |t| t.rights.write.push("/work".into())),
        Err("may write /work: use --sandbox read-only".into())
    );
    let more: [fn(&mut Terms); 2] =
        [|t| t.rights.read.push("/home".into()), |t| t.rights.environment.push("TOKEN".into())];
    for more in more {
        assert_eq!(reading(Review::default(), more), Err("has other rights or limits".into()));
    }
    assert_eq!(reading(Review::default(), |t| t.rights.sandbox.reads_confined = true), Ok(()));
    let effects = Effects { deletes: vec!["out".into()], ..Effects::default() };
    let acts = Review { effects, ..Review::default() };
    assert_eq!(reading(acts, |_| {}), Err("deletes out".into()));
    assert_eq!(reading(review(Severity::Medium), |_| {}), Err("has 1 finding".into()));
    assert_eq!(reading(review(Severity::Info), |_| {}), Ok(()));
    let unchecked = Review { unchecked: Some("too large".into()), ..Review::default() };
    assert_eq!(reading(unchecked.clone(), |_| {}), Err("was not checked: too large".into()));
    assert!(judged(RuleScope::Clean, unchecked, |_| {}).is_err());
    assert!(judged(RuleScope::Clean, review(Severity::Info), |_| {}).is_err());
    assert_eq!(judged(RuleScope::SameText, review(Severity::Medium), |_| {}), Ok(()));
}

#[test]
fn a_rule_for_a_language_covers_nothing_that_the_text_does_not_tell() {
    let effects = Effects { unknown: true, ..Effects::default() };
    let found = Review { effects, ..Review::default() };
    let told = "does what can't be told from its text";
    assert_eq!(judged(RuleScope::Clean, found.clone(), |_| {}), Err(told.into()));
    // The person saw this text, and a sandbox holds the other to reading.
    for scope in [RuleScope::SameText, RuleScope::Reading] {
        assert_eq!(judged(scope, found.clone(), |_| {}), Ok(()), "{scope:?}");
    }
}

#[test]
fn an_offer_tells_what_it_would_have_covered_and_a_near_miss() {
    let mut d = waiting();
    d.approve(1);
    d.passes(1, Outcome::Ok);
    d.reply(TWO);
    d.inspected(2, review(Severity::Medium), Ok(confined()));
    d.skip(2);
    d.user("more");
    d.reply(TWO);
    clean(&mut d, 3);
    let offers = offers(d.state(), BlockId(3));
    let told: Vec<_> = offers
        .iter()
        .map(|o| {
            let missed = o.missed.as_ref().map(|(block, miss)| format!("block {block} {miss}"));
            (o.rule.scope, o.refused.is_none(), o.covered.clone(), missed)
        })
        .collect();
    assert_eq!(
        told,
        [
            (RuleScope::SameText, true, vec![BlockId(2)], Some("block 1 is another text".to_owned())),
            (RuleScope::Clean, true, vec![BlockId(1)], Some("block 2 has 1 finding".to_owned())),
            (RuleScope::Reading, false, vec![], Some("block 2 has 1 finding".to_owned())),
        ]
    );
}

#[test]
fn another_text_is_no_near_miss_for_what_was_found_in_it() {
    let mut d = Dialogue::after_reply(ONE);
    d.inspected(1, review(Severity::High), Ok(confined()));
    d.skip(1);
    d.user("more");
    d.reply(TWO);
    clean(&mut d, 2);
    let missed: Vec<_> = offers(d.state(), BlockId(2))
        .into_iter()
        .map(|offer| (offer.rule.scope, offer.missed.map(|(_, miss)| miss)))
        .collect();
    let high = || Some(RuleMismatch::High("does much".into()));
    assert_eq!(
        missed,
        [
            (RuleScope::SameText, Some(RuleMismatch::OtherText)),
            (RuleScope::Clean, high()),
            (RuleScope::Reading, high()),
        ]
    );
}

#[test]
fn a_named_finding_says_why() {
    let finding = Finding::new("r", Severity::High, "deletes all");
    let found = Review { findings: vec![finding], ..Review::default() };
    assert_eq!(judged(RuleScope::SameText, found, |_| {}), Err("has a high finding: deletes all".into()));
}

#[test]
fn in_a_foreign_session_each_block_waits_whatever_was_said_for_all() {
    let settings = |foreign, policy| crate::engine::Settings {
        foreign,
        policy,
        unconfined: true,
        ..crate::engine::Settings::default()
    };
    for (foreign, waits) in [(false, false), (true, true)] {
        let mut d = Dialogue::with_reply(settings(foreign, Policy::All), ONE);
        assert_eq!(!d.inspected_ok(1).contains("start r1"), waits, "{foreign}");
    }
    let mut d = Dialogue::with_reply(settings(true, Policy::Ask), ONE);
    d.inspected(1, Review::default(), Ok(confined()));
    let offers = offers(d.state(), BlockId(1));
    assert!(!offers.is_empty() && offers.iter().all(|offer| offer.refused == Some(RuleMismatch::Foreign)));
    d.always(1, RuleScope::Clean).has("each block is asked about").ends("| deciding 1");
    // Not even a rule in force covers anything.
    let mut d = granted(RuleScope::Clean, TWO);
    d.foreign();
    clean(&mut d, 2);
    assert_eq!(d.state().live.matched, None);
}
