use super::*;
use crate::domain::{BlockId, Revision};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use proptest::prelude::*;
use std::time::Duration;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn subject(revision: u32) -> SubjectId {
    SubjectId { block: BlockId(3), revision: Revision(revision), terms: 0 }
}

fn press(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
}

fn row(extent: Range<u64>, line: Option<u32>) -> SubjectRow {
    SubjectRow { extent, line, ..SubjectRow::default() }
}

fn rows(n: u64) -> Vec<SubjectRow> {
    (0..n).map(|i| row(i * 10..i * 10 + 10, Some(i as u32))).collect()
}

const APPROVE: KeyClass = KeyClass::Decision(Verb::Approve);
const SKIP: KeyClass = KeyClass::Decision(Verb::Skip);

/// A block of `n` rows, the first of them drawn at `t`.
fn drawn(n: u64, on_screen: usize, t: Instant) -> Guard {
    let mut g = Guard::new(Times::default(), (80, 24), t);
    g.set_subject(subject(1), t);
    g.layout(rows(n));
    g.rows_on_screen(&[0..on_screen], t);
    g
}

/// A block of `n` rows, all on screen from `t` on, the fence answered 10 ms later.
fn shown(n: u64, t: Instant) -> Guard {
    let mut g = drawn(n, n as usize, t);
    answer(&mut g, t, t + ms(10));
    g
}

/// A block of one row, on screen since the returned time.
fn fresh() -> (Instant, Guard) {
    let t = Instant::now();
    (t, shown(1, t))
}

/// The terminal answers at `at` all queries that were sent with the frame at `asked`.
fn answer(g: &mut Guard, asked: Instant, at: Instant) {
    for query in g.queries(asked) {
        g.cursor_reported(query.place(), at);
    }
}

/// Waits out the hold, lets the terminal answer at once, and returns the decision that counts then.
fn hold_out(g: &mut Guard, from: Instant) -> Option<Verb> {
    g.tick(from + ms(401));
    answer(g, from + ms(401), from + ms(402));
    match g.take_due(from + ms(403)) {
        Some(GuardedAction::Decide(verb)) => Some(verb),
        None => None,
        Some(other) => panic!("{other:?}"),
    }
}

/// Presses a decision key and waits until it is no longer held back.
fn decide(g: &mut Guard, c: char, class: KeyClass, at: Instant) -> Result<Option<Verb>, RefusalReason> {
    match g.key(&press(c), class, at) {
        KeyOutcome::Held => Ok(hold_out(g, at)),
        KeyOutcome::Refused(why) => Err(why),
        other => panic!("a decision is held back first: {other:?}"),
    }
}

type Disturb = fn(&mut Guard, Instant);

const GO: KeyEvent = KeyEvent::new(KeyCode::Char('y'), KeyModifiers::CONTROL);

const ENTER: KeyEvent = KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE);

/// The terminal has not answered that it has drawn the block.
const NOT_ANSWERED: RefusalReason = RefusalReason::Appeared { block: BlockId(3), left: None };
const APPROVED: Option<GuardedAction> = Some(GuardedAction::Decide(Verb::Approve));

const NOT_SHOWN: KeyOutcome = KeyOutcome::Refused(RefusalReason::NotYetShown);
const PASTED: KeyOutcome = KeyOutcome::Refused(RefusalReason::Paste);
const AGAIN: KeyOutcome = KeyOutcome::Refused(RefusalReason::Again);
const REPEATED: KeyOutcome = KeyOutcome::Refused(RefusalReason::Repeat);

/// Enter in an overlay that approves the block.
const ACCEPT: KeyClass = KeyClass::Accept { approves: true };

fn there() -> KeyClass {
    KeyClass::Go { there: true, subject: Some(subject(1)) }
}

fn from_elsewhere() -> KeyClass {
    KeyClass::Go { there: false, subject: Some(subject(1)) }
}

#[test]
fn approves_when_all_was_seen_in_quiet() {
    let t = Instant::now();
    let mut g = shown(5, t);
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(711)), Ok(Some(Verb::Approve)));
    assert_eq!(g.take_due(t + ms(900)), None, "told once");
}

#[test]
fn g2_nothing_counts_before_the_terminal_answered() {
    let t = Instant::now();
    let mut g = drawn(1, 1, t);
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(1000)), Err(NOT_ANSWERED), "not even sent");
    let query = g.queries(t + ms(1000))[0];
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(1900)), Err(NOT_ANSWERED));
    g.cursor_reported(query.place(), t + ms(1950));
    assert!(matches!(
        decide(&mut g, 's', SKIP, t + ms(2640)),
        Err(RefusalReason::Appeared { left: Some(_), .. })
    ));
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(3340)), Ok(Some(Verb::Skip)));
}

#[test]
fn g2_without_an_answer_all_read_in_two_seconds_is_dropped() {
    let t = Instant::now();
    let mut g = drawn(1, 1, t);
    let query = g.queries(t)[0];
    // Fifty keys before the answer, which comes after 3 s: none of them decides anything.
    for i in 0..50 {
        let at = t + ms(i * 60);
        assert!(g.key(&press('a'), APPROVE, at) != KeyOutcome::Held, "key {i}");
        assert_eq!(g.take_due(at), None);
    }
    g.cursor_reported(query.place(), t + ms(3000));
    assert!(matches!(g.approval_refusal(t + ms(3001)), Some(RefusalReason::Appeared { left: Some(_), .. })));
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(3701)), Ok(Some(Verb::Approve)));
}

#[test]
fn g3_a_held_key_never_opens() {
    let (t, mut g) = fresh();
    for i in 1..1000 {
        let admit = g.key(&press('s'), SKIP, t + ms(10 + i * 33));
        assert!(matches!(admit, KeyOutcome::Refused(_)), "repeat {i}: {admit:?}");
    }
}

#[test]
fn g3_scrolling_does_not_disturb_the_quiet_and_other_keys_do() {
    let (t, mut g) = fresh();
    assert_eq!(g.key(&press(' '), KeyClass::Scroll, t + ms(310)), KeyOutcome::Pass);
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(711)), Ok(Some(Verb::Skip)));
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('v'), KeyClass::Other, t + ms(300)), KeyOutcome::Pass);
    assert!(matches!(decide(&mut g, 's', SKIP, t + ms(711)), Err(RefusalReason::Appeared { .. })));
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(1412)), Ok(Some(Verb::Skip)));
}

#[test]
fn g3_a_refused_decision_starts_the_quiet_over() {
    let (t, mut g) = fresh();
    assert!(decide(&mut g, 's', SKIP, t + ms(600)).is_err());
    assert!(decide(&mut g, 's', SKIP, t + ms(1299)).is_err());
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(2000)), Ok(Some(Verb::Skip)));
}

#[test]
fn g4_approve_waits_for_every_row_and_the_others_do_not() {
    let t = Instant::now();
    let mut g = shown(10, t);
    g.rows_on_screen(&[0..6], t + ms(11));
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(800)), Err(RefusalReason::Unseen { lines: 4 }));
    assert_eq!(g.seen_lines(), (6, 10));
    assert_eq!(g.approval_refusal(t + ms(1600)), Some(RefusalReason::Unseen { lines: 4 }));
    assert_eq!(g.decision_refusal(Verb::Reject, t + ms(1600)), None);
    g.rows_on_screen(&[4..10], t + ms(1600));
    assert_eq!(g.approval_refusal(t + ms(1899)), Some(RefusalReason::Unseen { lines: 4 }));
    assert!(g.tick(t + ms(1900)));
    assert_eq!(g.approval_refusal(t + ms(1900)), None);
}

#[test]
fn g4_rows_count_only_from_when_the_terminal_had_them() {
    let t = Instant::now();
    let mut g = drawn(1, 1, t);
    let query = g.queries(t)[0];
    g.tick(t + ms(1500));
    assert_eq!(g.seen_lines(), (0, 1));
    g.cursor_reported(query.place(), t + ms(1500));
    g.tick(t + ms(1799));
    assert_eq!(g.seen_lines(), (0, 1));
    g.tick(t + ms(1800));
    assert_eq!(g.seen_lines(), (1, 1));
}

#[test]
fn g4_approve_waits_for_the_review() {
    let (t, mut g) = fresh();
    g.set_checking(true);
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(900)), Err(RefusalReason::Checking));
    g.set_checking(false);
    // The findings have arrived: their rows are new.
    let mut more = rows(1);
    more.push(row(100..120, None));
    g.layout(more);
    g.rows_on_screen(&[0..2], t + ms(950));
    assert_eq!(g.approval_refusal(t + ms(1649)), Some(RefusalReason::Unseen { lines: 1 }));
    g.tick(t + ms(1649));
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(1700)), Ok(Some(Verb::Approve)));
}

#[test]
fn g5_a_change_starts_over() {
    let (t, mut g) = fresh();
    g.tick(t + ms(800));
    assert_eq!(g.approval_refusal(t + ms(800)), None);
    g.set_subject(subject(1), t + ms(800));
    assert_eq!(g.approval_refusal(t + ms(800)), None, "the same subject again");
    g.set_subject(subject(2), t + ms(800));
    assert_eq!(g.approval_refusal(t + ms(5000)), Some(NOT_ANSWERED));
    assert_eq!(g.seen_lines(), (0, 0));
    assert_eq!(g.queries(t + ms(800)).len(), 1);
}

#[test]
fn g5_resize_focus_and_foreground_restart_the_quiet() {
    let t = Instant::now();
    for event in [
        (|g: &mut Guard, at| g.resized((100, 30), at)) as fn(&mut Guard, Instant),
        |g, at| g.focused(at),
        |g, at| {
            g.pasted(false, at);
        },
    ] {
        let mut g = shown(1, t);
        g.tick(t + ms(1000));
        event(&mut g, t + ms(1000));
        assert_eq!(g.approval_refusal(t + ms(1100)), Some(RefusalReason::Quiet { left: ms(600) }));
        assert_eq!(g.approval_refusal(t + ms(1700)), None);
    }
}

#[test]
fn g5_another_width_tells_what_is_to_be_looked_at_again() {
    let t = Instant::now();
    let mut g = shown(3, t);
    g.tick(t + ms(800));
    assert_eq!(g.approval_refusal(t + ms(800)), None);
    let split = (0..6).map(|i| row(i * 5..i * 5 + 5, Some(i as u32 / 2))).collect();
    assert_eq!(g.layout(split), 0, "narrower shows nothing new");
    let mut more = rows(3);
    more.extend((3..7).map(|i| row(i * 10..i * 10 + 10, None)));
    assert_eq!(g.layout(more), 4);
}

#[test]
fn g6_the_same_key_again_at_once_is_the_keyboard() {
    let (t, mut g) = fresh();
    assert_eq!(g.key(&press('s'), KeyClass::Scroll, t + ms(900)), KeyOutcome::Pass);
    assert_eq!(g.key(&press('s'), SKIP, t + ms(1000)), REPEATED);
}

#[test]
fn g6_keys_at_once_are_a_paste_even_when_the_first_is_alone_at_first() {
    let t = Instant::now();
    for gap in [0, 5, 29] {
        let mut g = shown(1, t);
        let at = t + ms(1000);
        assert_eq!(g.key(&press('a'), APPROVE, at), KeyOutcome::Held);
        assert_eq!(g.take_due(at + ms(gap)), None);
        for class in [KeyClass::Stray, KeyClass::Scroll, KeyClass::Other, SKIP] {
            let mut g = g.clone();
            assert_eq!(g.key(&press('x'), class, at + ms(gap)), PASTED, "gap {gap}");
            assert_eq!(g.key(&press('\n'), KeyClass::Other, at + ms(gap)), PASTED);
            assert_eq!(hold_out(&mut g, at + ms(gap)), None);
        }
    }
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('x'), KeyClass::Scroll, t + ms(990)), KeyOutcome::Pass);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), PASTED);
    // The line ends of a paste do nothing either.
    assert_eq!(g.key(&ENTER, KeyClass::Other, t + ms(1001)), PASTED);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1002)), PASTED);
}

#[test]
fn g6_a_letter_within_the_hold_makes_a_word_of_both_and_nothing_is_decided() {
    let t = Instant::now();
    for gap in [31, 100, 399, 400] {
        for class in [KeyClass::Stray, KeyClass::Scroll, KeyClass::Other, KeyClass::Opener, SKIP, APPROVE] {
            let mut g = shown(1, t);
            let at = t + ms(1000);
            assert_eq!(g.key(&press('a'), APPROVE, at), KeyOutcome::Held);
            let word = KeyOutcome::Word { text: "ad".into(), could_act: true };
            assert_eq!(g.key(&press('d'), class, at + ms(gap)), word, "gap {gap}, {class:?}");
            assert_eq!(hold_out(&mut g, at + ms(gap)), None);
        }
    }
}

#[test]
fn g6_letters_before_it_make_a_word_too() {
    let t = Instant::now();
    for (class, gap) in [(KeyClass::Scroll, 350), (KeyClass::Scroll, 400), (KeyClass::Other, 200)] {
        let mut g = shown(1, t);
        assert_eq!(g.key(&press('j'), class, t + ms(1000)), KeyOutcome::Pass);
        let admit = g.key(&press('a'), APPROVE, t + ms(1000 + gap));
        assert!(matches!(admit, KeyOutcome::Refused(RefusalReason::Word)), "{admit:?}");
        assert_eq!(hold_out(&mut g, t + ms(1000 + gap)), None);
        let admit = g.key(&press(' '), KeyClass::Scroll, t + ms(1100 + gap));
        assert_eq!(admit, KeyOutcome::Word { text: "ja ".into(), could_act: true });
    }
    let mut g = shown(1, t);
    assert_eq!(g.key(&press(' '), KeyClass::Scroll, t + ms(1000)), KeyOutcome::Pass);
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(1401)), Ok(Some(Verb::Approve)), "paged, then approved");
}

#[test]
fn g6_any_key_before_the_answer_takes_the_decision_back() {
    let t = Instant::now();
    let at = t + ms(1000);
    // The hold is over and the network is slow: the answer comes after two seconds, a key before it.
    let asked = || {
        let mut g = shown(1, t);
        assert_eq!(g.key(&press('a'), APPROVE, at), KeyOutcome::Held);
        g.tick(at + ms(401));
        let query = g.queries(at + ms(401))[0];
        assert_eq!(g.take_due(at + ms(900)), None, "held until the terminal answered");
        assert_eq!(g.held_action(), APPROVED);
        (g, query)
    };
    let (mut g, query) = asked();
    g.cursor_reported(query.place(), at + ms(2400));
    assert_eq!(g.take_due(at + ms(2400)), APPROVED, "late, and nothing was typed");
    let disturb: [Disturb; 8] = [
        |g, at| drop(g.key(&press('d'), KeyClass::Stray, at)),
        |g, at| drop(g.key(&press('é'), KeyClass::Stray, at)),
        |g, at| drop(g.key(&ENTER, KeyClass::Other, at)),
        |g, at| drop(g.key(&KeyEvent::new(KeyCode::Down, KeyModifiers::NONE), KeyClass::Scroll, at)),
        |g, at| g.noise(at),
        |g, at| g.focused(at),
        |g, at| g.resized((90, 30), at),
        |g, at| drop(g.pasted(true, at)),
    ];
    for (number, disturb) in disturb.into_iter().enumerate() {
        let (mut g, query) = asked();
        disturb(&mut g, at + ms(1200));
        g.cursor_reported(query.place(), at + ms(1300));
        assert_eq!(g.take_due(at + ms(1300)), None, "disturbance {number}");
    }
    // A key sequence that looks like an answer is not one.
    let (mut g, query) = asked();
    g.cursor_reported((1, 5), at + ms(500));
    assert_eq!(g.take_due(at + ms(500)), None);
    g.cursor_reported(query.place(), at + ms(600));
    assert_eq!(g.take_due(at + ms(600)), None);
    // No answer at all: nothing is decided, and the guard reports that.
    let (mut g, query) = asked();
    g.tick(at + ms(401) + ms(5000));
    assert_eq!((g.take_due(at + ms(5500)), g.take_dropped()), (None, Some(RefusalReason::NoAnswer)));
    g.cursor_reported(query.place(), at + ms(5600));
    assert_eq!(g.take_due(at + ms(5600)), None);
}

#[test]
fn a_program_that_stood_still_decides_nothing() {
    let (t, mut g) = fresh();
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), KeyOutcome::Held);
    g.tick(t + ms(9000));
    assert_eq!((g.take_due(t + ms(9000)), g.take_dropped()), (None, Some(RefusalReason::StoodStill)));
}

#[test]
fn the_go_key_first_only_moves_and_then_approves_where_nothing_stands_beside_it() {
    let (t, mut g) = fresh();
    g.tick(t + ms(900));
    let go = |g: &mut Guard, class, after| g.key(&GO, class, t + ms(after));
    assert_eq!(go(&mut g, from_elsewhere(), 1000), KeyOutcome::Pass, "it moves");
    let early = g.clone();
    assert_eq!(go(&mut g, there(), 1300), KeyOutcome::Held);
    assert_eq!(g.take_due(t + ms(1495)), None);
    assert_eq!(g.take_due(t + ms(1496)), APPROVED, "no quiet time, no answer needed");
    let mut g = early.clone();
    assert_eq!(go(&mut g, there(), 1299), AGAIN, "too soon: it is a first press again");
    assert_eq!(go(&mut g, there(), 1700), KeyOutcome::Held);
    // The first press only shows a note, even where the block is in view.
    let mut g = shown(1, t);
    assert_eq!(go(&mut g, there(), 1000), AGAIN);
    assert_eq!(go(&mut g, there(), 1400), KeyOutcome::Held);
    // After another key, a focus change, a resize or a mouse button, the next press counts as the first.
    let between: [Disturb; 7] = [
        |g, at| drop(g.key(&press(' '), KeyClass::Scroll, at)),
        |g, at| drop(g.key(&press('x'), KeyClass::Text, at)),
        |g, at| drop(g.key(&KeyEvent::new(KeyCode::PageDown, KeyModifiers::NONE), KeyClass::Scroll, at)),
        |g, at| g.focused(at),
        |g, at| g.resized((90, 30), at),
        |g, at| g.noise(at),
        |g, at| g.pressed(true, at),
    ];
    for (number, between) in between.into_iter().enumerate() {
        let mut g = early.clone();
        between(&mut g, t + ms(1200));
        assert_eq!(go(&mut g, there(), 1500), AGAIN, "{number}");
        assert_eq!(g.take_due(t + ms(3000)), None);
    }
}

#[test]
fn the_go_key_inside_a_paste_or_held_down_does_nothing() {
    let t = Instant::now();
    // Held down: the first repeat comes after half a second, the others every 33 ms.
    for (first, every) in [(250, 33), (500, 33), (660, 40), (300, 149), (500, 20), (500, 194)] {
        let mut g = shown(1, t);
        g.key(&GO, from_elsewhere(), t + ms(1000));
        for n in 0..200 {
            let at = t + ms(1000 + first + n * every);
            g.key(&GO, there(), at);
            assert_eq!(g.take_due(at), None, "repeat {n} of {first}, {every}");
        }
    }
    // Where the terminal reports that a key is held down, no repeat counts, however slow.
    let mut g = shown(1, t);
    g.key(&GO, from_elsewhere(), t + ms(1000));
    for n in 0..20 {
        let at = t + ms(1660 + n * 500);
        let repeat = KeyEvent { kind: KeyEventKind::Repeat, ..GO };
        assert_eq!(g.key(&repeat, there(), at), REPEATED);
        assert_eq!(g.take_due(at + ms(499)), None);
    }
    // Other bytes right before or after the key.
    for (before, after) in
        [(Some(5), None), (Some(29), None), (None, Some(0)), (None, Some(29)), (None, Some(149))]
    {
        let mut g = shown(1, t);
        g.key(&GO, from_elsewhere(), t + ms(1000));
        let at = t + ms(1500);
        if let Some(gap) = before {
            g.key(&press('x'), KeyClass::Text, at.checked_sub(ms(gap)).unwrap());
        }
        g.key(&GO, there(), at);
        if let Some(gap) = after {
            g.key(&press('x'), KeyClass::Stray, at + ms(gap));
        }
        assert_eq!(g.take_due(at + ms(900)), None, "{before:?} {after:?}");
    }
    // Inside a paste the key does not even move the focus.
    let mut g = shown(1, t);
    g.key(&press('x'), KeyClass::Text, t + ms(1000));
    assert_eq!(g.key(&GO, from_elsewhere(), t + ms(1000)), PASTED);
}

#[test]
fn the_go_key_holds_the_query_and_what_has_to_be_seen() {
    let t = Instant::now();
    let mut g = drawn(4, 2, t);
    g.key(&GO, from_elsewhere(), t + ms(100));
    assert_eq!(g.key(&GO, there(), t + ms(500)), KeyOutcome::Refused(NOT_ANSWERED));
    answer(&mut g, t + ms(600), t + ms(610));
    assert_eq!(g.key(&GO, there(), t + ms(1000)), KeyOutcome::Refused(RefusalReason::Unseen { lines: 2 }));
    g.rows_on_screen(&[2..4], t + ms(1000));
    g.set_checking(true);
    assert_eq!(g.key(&GO, there(), t + ms(1500)), KeyOutcome::Refused(RefusalReason::Checking));
    g.set_checking(false);
    g.set_subject(subject(2), t + ms(1600));
    let other = KeyClass::Go { there: true, subject: Some(subject(2)) };
    assert_eq!(g.key(&GO, other, t + ms(2000)), AGAIN, "another block is another first press");
}

/// A guard with a block whose checks still run; the key that goes there was pressed at 100 ms.
fn went_to_unchecked(t: Instant) -> Guard {
    let mut g = shown(1, t);
    g.set_checking(true);
    g.key(&GO, from_elsewhere(), t + ms(100));
    g
}

/// The block of that guard reappears as `subject` at 150 ms, and the terminal answers at once.
fn appears_as(g: &mut Guard, subject: SubjectId, t: Instant) -> KeyClass {
    g.set_subject(subject, t + ms(150));
    g.layout(rows(1));
    g.rows_on_screen(&[0..1], t + ms(150));
    answer(g, t + ms(150), t + ms(151));
    KeyClass::Go { there: true, subject: Some(subject) }
}

#[test]
fn who_went_to_a_block_before_its_checks_came_is_there() {
    let t = Instant::now();
    let checked = SubjectId { terms: subject(1).terms + 1, ..subject(1) };
    let mut g = went_to_unchecked(t);
    let there = appears_as(&mut g, checked, t);
    let mut early = g.clone();
    // The findings were not visible before: the time to read them starts now.
    assert_eq!(early.key(&GO, there, t + ms(449)), AGAIN);
    assert_eq!(g.key(&GO, there, t + ms(452)), KeyOutcome::Held);
    // After the checks, changed terms make another subject, and so does another text.
    let mut g = went_to_unchecked(t);
    g.set_checking(false);
    let there = appears_as(&mut g, checked, t);
    assert_eq!(g.key(&GO, there, t + ms(900)), AGAIN);
    let mut g = went_to_unchecked(t);
    let there = appears_as(&mut g, SubjectId { block: BlockId(9), ..checked }, t);
    assert_eq!(g.key(&GO, there, t + ms(900)), AGAIN);
}

#[test]
fn the_go_key_twice_makes_nobody_wait_half_a_second() {
    let t = Instant::now();
    let mut g = drawn(20, 20, t);
    answer(&mut g, t, t);
    g.key(&GO, from_elsewhere(), t);
    assert_eq!(g.key(&GO, there(), t + ms(300)), KeyOutcome::Held);
    let counts = g.next_deadline().expect("it is held back");
    assert!(counts <= t + ms(500), "{:?}", counts - t);
    assert_eq!(g.take_due(counts), APPROVED);
}

#[test]
fn a_letter_without_meaning_begins_a_text_and_a_paste_does_not() {
    let (t, mut g) = fresh();
    assert_eq!(g.key(&press('u'), KeyClass::Stray, t + ms(1000)), KeyOutcome::Held);
    assert_eq!(g.held_action(), None, "nothing is decided by it: nothing is told");
    assert_eq!(g.take_due(t + ms(1030)), None);
    assert_eq!(g.take_due(t + ms(1031)), Some(GuardedAction::Text));
    assert_eq!(g.take_letters(), ("u".into(), false));
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('u'), KeyClass::Stray, t + ms(1000)), KeyOutcome::Held);
    assert_eq!(g.key(&press('s'), SKIP, t + ms(1003)), PASTED);
    assert_eq!(g.take_due(t + ms(2000)), None);
}

#[test]
fn letters_that_act_elsewhere_pass_the_same_gate() {
    let t = Instant::now();
    let retry = KeyClass::Act(GuardedAction::Letter('c'), 7);
    let asking = || {
        let mut g = Guard::new(Times::default(), (80, 24), t);
        g.set_scope(Some(7), t);
        g
    };
    let mut g = asking();
    assert_eq!(g.key(&press('c'), retry, t + ms(1000)), NOT_SHOWN, "the frame is not proven");
    let mut g = asking();
    answer(&mut g, t, t + ms(10));
    assert_eq!(g.key(&press('c'), KeyClass::Act(GuardedAction::Letter('c'), 8), t + ms(900)), NOT_SHOWN);
    let mut g = asking();
    answer(&mut g, t, t + ms(10));
    assert!(matches!(
        g.key(&press('c'), retry, t + ms(600)),
        KeyOutcome::Refused(RefusalReason::Quiet { .. })
    ));
    assert_eq!(g.key(&press('c'), retry, t + ms(1400)), KeyOutcome::Held);
    let word = KeyOutcome::Word { text: "ca".into(), could_act: true };
    assert_eq!(g.clone().key(&press('a'), KeyClass::Stray, t + ms(1800)), word);
    g.tick(t + ms(1801));
    let query = g.queries(t + ms(1801))[0];
    let mut other = g.clone();
    other.set_scope(Some(8), t + ms(1802));
    other.cursor_reported(query.place(), t + ms(1803));
    assert_eq!(other.take_due(t + ms(1803)), None, "another question");
    g.cursor_reported(query.place(), t + ms(1803));
    assert_eq!(g.take_due(t + ms(1803)), Some(GuardedAction::Letter('c')));
}

#[test]
fn an_enter_in_one_burst_with_text_takes_nothing() {
    let t = Instant::now();
    let down = KeyEvent::new(KeyCode::Down, KeyModifiers::NONE);
    for accept in [ACCEPT, KeyClass::Accept { approves: false }] {
        for gap in [0, 5, 29] {
            let mut g = shown(1, t);
            let at = t + ms(1000);
            assert_eq!(g.key(&press('n'), KeyClass::Text, at), KeyOutcome::Pass);
            assert_eq!(g.key(&ENTER, accept, at + ms(gap)), PASTED, "gap {gap}");
            assert_eq!(g.key(&ENTER, accept, at + ms(2 * gap)), PASTED, "gap {gap}: a second line end");
            assert_eq!(g.key(&ENTER, accept, at + ms(2 * gap + 30)), KeyOutcome::Pass, "gap {gap}");
            // Keys that type nothing do not end the burst.
            let mut g = shown(1, t);
            g.key(&press('n'), KeyClass::Text, at);
            g.key(&down, KeyClass::Other, at + ms(gap));
            assert_eq!(g.key(&ENTER, accept, at + ms(2 * gap)), PASTED, "gap {gap}");
            let mut g = shown(1, t);
            g.pasted(false, at);
            assert_eq!(g.key(&ENTER, accept, at + ms(gap)), PASTED, "gap {gap}: behind a paste");
            // Where nothing was typed, Enter takes a row that was chosen however fast; it approves nothing so fast.
            let mut g = shown(1, t);
            g.key(&down, KeyClass::Other, at);
            let outcome = if accept == ACCEPT { PASTED } else { KeyOutcome::Pass };
            assert_eq!(g.key(&ENTER, accept, at + ms(gap)), outcome, "gap {gap}");
        }
    }
}

#[test]
fn the_typed_word_is_typed_letter_by_letter() {
    let t = Instant::now();
    let letter = |g: &mut Guard, at: u64| g.key(&press('n'), KeyClass::TypedWord, t + ms(at));
    for (gap, admit) in [(0, false), (5, false), (29, false), (30, true), (31, true), (200, true)] {
        let mut g = shown(1, t);
        assert_eq!(letter(&mut g, 1000), KeyOutcome::Pass, "gap {gap}");
        assert_eq!(
            letter(&mut g, 1000 + gap),
            KeyOutcome::Pass,
            "gap {gap}: two keys can be pressed almost at once"
        );
        let third = if admit { KeyOutcome::Pass } else { PASTED };
        assert_eq!(letter(&mut g, 1000 + 2 * gap), third, "gap {gap}");
    }
    let mut g = shown(1, t);
    g.pasted(true, t + ms(1000));
    assert_eq!(letter(&mut g, 1005), PASTED, "the rest of a paste");
}

#[test]
fn what_locks_approving_locks_the_overlays_that_approve() {
    let t = Instant::now();
    let rule = KeyClass::Act(GuardedAction::Approval('A'), 7);
    let mut opened = shown(3, t);
    opened.set_scope(Some(7), t + ms(800));
    answer(&mut opened, t + ms(800), t + ms(810));
    assert_eq!(opened.clone().key(&ENTER, ACCEPT, t + ms(1600)), KeyOutcome::Pass);
    assert_eq!(opened.clone().key(&press('A'), rule, t + ms(1600)), KeyOutcome::Held);
    let refused = |g: &Guard, why: RefusalReason| {
        assert_eq!(g.clone().key(&ENTER, ACCEPT, t + ms(2400)), KeyOutcome::Refused(why));
        assert_eq!(g.clone().click(ACCEPT, t + ms(2400)), KeyOutcome::Refused(why));
        assert_eq!(g.clone().key(&press('A'), rule, t + ms(2400)), KeyOutcome::Refused(why));
        assert_eq!(g.clone().click(rule, t + ms(2400)), KeyOutcome::Refused(why));
        let other = KeyClass::Accept { approves: false };
        assert_eq!(g.clone().key(&ENTER, other, t + ms(2400)), KeyOutcome::Pass, "{why:?}");
        let letter = KeyClass::Act(GuardedAction::Letter('A'), 7);
        assert_eq!(g.clone().key(&press('A'), letter, t + ms(2400)), KeyOutcome::Held, "{why:?}");
    };
    let mut resized = opened.clone();
    resized.resized((60, 14), t + ms(1600));
    assert_eq!(resized.layout(rows(7)), 4);
    refused(&resized, RefusalReason::Unseen { lines: 4 });
    let mut checking = opened.clone();
    checking.set_checking(true);
    refused(&checking, RefusalReason::Checking);
    let mut gone = opened;
    gone.clear_subject();
    refused(&gone, RefusalReason::NoBlock);
}

#[test]
fn the_end_of_the_quiet_time_is_told_every_time() {
    let (t, mut g) = fresh();
    g.tick(t + ms(500));
    assert!(g.tick(t + ms(711)), "the title is drawn again");
    assert!(!g.tick(t + ms(800)));
    g.key(&press('v'), KeyClass::Other, t + ms(1000));
    // A call in between does not swallow the change that `tick` reports.
    assert_eq!(g.next_deadline(), Some(t + ms(1700)));
    g.rows_on_screen(&[0..1], t + ms(1701));
    assert!(g.tick(t + ms(1702)));
    assert_eq!(g.approval_refusal(t + ms(1702)), None);
}

#[test]
fn releases_and_repeats_as_terminals_tell_them() {
    let t = Instant::now();
    let kind = |kind| KeyEvent { kind, ..press('a') };
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), KeyOutcome::Held);
    g.key(&kind(KeyEventKind::Release), KeyClass::Other, t + ms(1050));
    assert_eq!(hold_out(&mut g, t + ms(1000)), Some(Verb::Approve), "letting go is no key");
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), KeyOutcome::Held);
    assert_eq!(g.key(&kind(KeyEventKind::Repeat), APPROVE, t + ms(1300)), REPEATED);
    assert_eq!(hold_out(&mut g, t + ms(1300)), None);
}

#[test]
fn a_held_decision_dies_with_its_subject() {
    let (t, mut g) = fresh();
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), KeyOutcome::Held);
    g.set_subject(subject(2), t + ms(1010));
    assert_eq!(hold_out(&mut g, t + ms(1010)), None);
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), KeyOutcome::Held);
    g.resized((20, 5), t + ms(1010));
    assert_eq!(hold_out(&mut g, t + ms(1010)), None);
}

#[test]
fn g8_the_mouse_passes_the_same_gate() {
    let (t, mut g) = fresh();
    assert!(matches!(g.click(APPROVE, t + ms(300)), KeyOutcome::Refused(_)));
    assert_eq!(g.click(APPROVE, t + ms(1001)), KeyOutcome::Held);
    let mut pasted = g.clone();
    pasted.key(&press('x'), KeyClass::Stray, t + ms(1005));
    assert_eq!(pasted.take_due(t + ms(2000)), None, "reports of a mouse inside a paste");
    assert_eq!(g.take_due(t + ms(1032)), APPROVED);
    assert!(matches!(g.click(APPROVE, t + ms(1040)), KeyOutcome::Refused(_)));
}

#[test]
fn a_small_window_locks() {
    let t = Instant::now();
    for (size, open) in [((50, 12), true), ((49, 12), false), ((50, 11), false)] {
        let mut g = shown(1, t);
        g.resized(size, t + ms(20));
        g.tick(t + ms(2000));
        assert_eq!(g.approval_refusal(t + ms(2000)).is_none(), open, "{size:?}");
    }
}

#[test]
fn with_nothing_up_it_sleeps() {
    let t = Instant::now();
    let g = Guard::new(Times::default(), (80, 24), t);
    assert_eq!(g.next_deadline(), None);
    let mut g = shown(1, t);
    while let Some(at) = g.next_deadline() {
        assert!(at <= t + ms(5000));
        g.tick(t + ms(5000));
    }
    assert_eq!(g.next_deadline(), None, "once open and seen, nothing is awaited");
}

#[test]
fn the_words() {
    let why = |w: RefusalReason| w.to_string();
    assert_eq!(why(NOT_ANSWERED), "Block 3 just appeared. Keys typed now are ignored.");
    assert_eq!(why(RefusalReason::Quiet { left: ms(401) }), "Not yet: 0.5 s without a key.");
    assert_eq!(why(RefusalReason::Unseen { lines: 11 }), "Not yet: 11 lines not shown. Space shows them.");
    assert_eq!(why(RefusalReason::Paste), "That looked like a paste. Nothing was decided.");
}

#[derive(Clone, Debug)]
enum GuardStep {
    Key(char, u8),
    Wait(u64),
    Appear(u32),
    Show(usize, usize),
    /// Other rows of the same block, as another width makes them.
    Width(bool),
    Answer,
    Resize(u16, u16),
    Focus,
    Paste,
}

fn step() -> impl Strategy<Value = GuardStep> {
    prop_oneof![
        8 => (proptest::sample::select(vec!['a', 's', 'x', ' ']), 0u8..5).prop_map(|(c, k)| GuardStep::Key(c, k)),
        8 => prop_oneof![Just(1u64), 5..40u64, 100..400u64, 600..1500u64].prop_map(GuardStep::Wait),
        1 => (1u32..3).prop_map(GuardStep::Appear),
        4 => (0usize..6, 0usize..7).prop_map(|(a, b)| GuardStep::Show(a, b)),
        1 => any::<bool>().prop_map(GuardStep::Width),
        3 => Just(GuardStep::Answer),
        1 => (40u16..100, 8u16..30).prop_map(|(w, h)| GuardStep::Resize(w, h)),
        1 => Just(GuardStep::Focus),
        1 => Just(GuardStep::Paste),
    ]
}

/// Six rows; at the other width all of them show something else.
fn rows_at(wide: bool) -> Vec<SubjectRow> {
    let from = if wide { 1000 } else { 0 };
    let moved =
        |row: SubjectRow| SubjectRow { extent: row.extent.start + from..row.extent.end + from, ..row };
    rows(6).into_iter().map(moved).collect()
}

proptest! {
    #![proptest_config(crate::test_cases::cases(2000))]
    /// Whatever happens: when an approval comes out, the last 700 ms before its key were quiet, the frame of this
    /// subject was proven, every row was on screen, no letter came within the hold before the key and none after it
    /// until the terminal had answered the query sent after the hold, and the window was large enough. What an overlay
    /// approves holds the same rows; its word is typed, and Enter does not come in one burst with it.
    #[test]
    fn an_approval_is_always_earned(steps in proptest::collection::vec(step(), 1..120)) {
        let start = Instant::now();
        let mut now = start;
        let mut g = Guard::new(Times::default(), (80, 24), now);
        let (mut size, mut asked, mut proven_at) = ((80u16, 24u16), Vec::<(Query, Instant)>::new(), None::<Instant>);
        let mut raised = None::<Instant>;
        let mut noise: Vec<Instant> = Vec::new();
        let mut keys: Vec<Instant> = Vec::new();
        let (mut held_at, mut answered) = (None::<Instant>, Vec::<(Instant, Instant)>::new());
        let mut on_screen = [None::<Instant>; 6];
        // For each of the two widths.
        let (mut seen, mut wide) = ([[false; 6]; 2], false);
        let (mut last_input, mut in_burst) = (None::<Instant>, false);
        let burst = |last: Option<Instant>, now: Instant| last.is_some_and(|at| now.duration_since(at) < ms(30));
        let mut up = 0;
        for step in steps {
            match step {
                GuardStep::Wait(n) => now += ms(n),
                GuardStep::Appear(revision) => {
                    if up != revision {
                        up = revision;
                        seen = [[false; 6]; 2];
                        on_screen = [None; 6];
                        proven_at = None;
                        raised = Some(now);
                        noise.push(now);
                    }
                    g.set_subject(subject(revision), now);
                    g.layout(rows_at(wide));
                }
                GuardStep::Width(other) => if up != 0 && wide != other {
                    wide = other;
                    on_screen = [None; 6];
                    g.layout(rows_at(wide));
                },
                GuardStep::Answer => if !asked.is_empty() {
                    let (query, sent) = asked.remove(0);
                    g.cursor_reported(query.place(), now);
                    answered.push((sent, now));
                    if proven_at.is_none() && raised.is_some_and(|raised| sent >= raised) {
                        proven_at = Some(now);
                        noise.push(now);
                    }
                },
                GuardStep::Resize(w, h) => { size = (w, h); g.resized(size, now); noise.push(now); }
                GuardStep::Focus => { g.focused(now); noise.push(now); }
                GuardStep::Paste => {
                    g.pasted(true, now);
                    noise.push(now);
                    in_burst = true;
                    last_input = Some(now);
                }
                GuardStep::Show(from, to) => {
                    for (i, slot) in on_screen.iter_mut().enumerate() {
                        let visible = i >= from && i < to;
                        *slot = if visible { slot.or(Some(now)) } else { None };
                    }
                    g.rows_on_screen(&[from..to], now);
                }
                GuardStep::Key(c, kind) => {
                    let class = match kind {
                        0 => APPROVE,
                        1 => KeyClass::Scroll,
                        2 => KeyClass::TypedWord,
                        3 => ACCEPT,
                        _ => KeyClass::Other,
                    };
                    let key = if class == ACCEPT { ENTER } else { press(c) };
                    let quiet_before = noise.iter().all(|n| now.duration_since(*n) >= ms(700));
                    let lonely = keys.iter().all(|p| now.duration_since(*p) > ms(400));
                    let admit = g.key(&key, class, now);
                    if class == KeyClass::TypedWord {
                        prop_assert!(admit != KeyOutcome::Pass || !(in_burst && burst(last_input, now)));
                    }
                    if class == ACCEPT && admit == KeyOutcome::Pass {
                        prop_assert!(up != 0 && proven_at.is_some() && size.0 >= 50 && size.1 >= 12);
                        prop_assert!(seen[usize::from(wide)].iter().all(|s| *s), "{seen:?}");
                        prop_assert!(!burst(last_input, now));
                    }
                    in_burst = burst(last_input, now);
                    last_input = Some(now);
                    if class == APPROVE {
                        if admit == KeyOutcome::Held {
                            prop_assert!(up != 0 && quiet_before && lonely);
                            prop_assert!(proven_at.is_some_and(|p| now.duration_since(p) >= ms(700)));
                            prop_assert!(size.0 >= 50 && size.1 >= 12);
                            prop_assert!(seen[usize::from(wide)].iter().all(|s| *s), "{seen:?}");
                            held_at = Some(now);
                        }
                        prop_assert!(admit != KeyOutcome::Pass);
                    }
                    if class != KeyClass::Scroll { noise.push(now); }
                    keys.push(now);
                }
            }
            g.tick(now);
            asked.extend(g.queries(now).into_iter().map(|query| (query, now)));
            // Without an answer the frame counts as drawn after two seconds.
            if proven_at.is_none() && let Some(sent) = raised && up != 0
                && now.duration_since(sent) >= ms(2000) {
                proven_at = Some(sent + ms(2000));
            }
            for (flag, since) in seen[usize::from(wide)].iter_mut().zip(on_screen) {
                if let (Some(since), Some(proven)) = (since, proven_at) {
                    *flag |= now.saturating_duration_since(since.max(proven)) >= ms(300);
                }
            }
            if let Some(action) = g.take_due(now) {
                prop_assert_eq!(action, GuardedAction::Decide(Verb::Approve));
                let at = held_at.take().expect("was held first");
                prop_assert!(keys.iter().all(|key| *key <= at), "a key came behind it");
                prop_assert!(noise.iter().all(|n| *n <= at), "something came behind it");
                prop_assert!(answered.iter().any(|(sent, _)| *sent > at + ms(400)), "nobody was asked");
            }
        }
    }
}
