use super::*;
use crate::domain::{BlockId, Revision};
use proptest::prelude::*;
use std::time::Duration;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn token(revision: u32) -> Token {
    Token { block: BlockId(3), revision: Revision(revision), terms: 0 }
}

fn press(c: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
}

fn rows(n: u64) -> Vec<Row> {
    (0..n).map(|i| Row { extent: i * 10..i * 10 + 10, line: Some(i as u32) }).collect()
}

const APPROVE: Class = Class::Decision(Verb::Approve);
const SKIP: Class = Class::Decision(Verb::Skip);

/// A block of `n` rows, all on screen from `t` on, the fence answered 10 ms later.
fn shown(n: u64, t: Instant) -> Guard {
    let mut g = Guard::new(Times::default(), (80, 24), t);
    g.appeared(token(1), t);
    g.layout(rows(n));
    g.rows_on_screen(&[0..n as usize], t);
    let query = g.fence_query(t).unwrap();
    g.fence_answered(query.place(), t + ms(10));
    g
}

/// Presses a decision and waits out the time that it is held back.
fn decide(g: &mut Guard, c: char, class: Class, at: Instant) -> Result<Option<Verb>, Why> {
    match g.key(&press(c), class, at) {
        Admit::Held => Ok(g.due(at + ms(30))),
        Admit::Refused(why) => Err(why),
        Admit::Pass => panic!("a decision is held back first"),
    }
}

#[test]
fn approves_when_all_was_seen_in_quiet() {
    let t = Instant::now();
    let mut g = shown(5, t);
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(711)), Ok(Some(Verb::Approve)));
    assert_eq!(g.due(t + ms(900)), None, "told once");
}

#[test]
fn g2_nothing_counts_before_the_terminal_answered() {
    let t = Instant::now();
    let mut g = Guard::new(Times::default(), (80, 24), t);
    g.appeared(token(1), t);
    g.layout(rows(1));
    g.rows_on_screen(&[0..1], t);
    let before = Why::Appeared { block: BlockId(3), left: None };
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(1000)), Err(before), "not even sent");
    let query = g.fence_query(t + ms(1000)).unwrap();
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(1900)), Err(before));
    g.fence_answered(query.place(), t + ms(1950));
    assert!(matches!(decide(&mut g, 's', SKIP, t + ms(2640)), Err(Why::Appeared { left: Some(_), .. })));
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(3340)), Ok(Some(Verb::Skip)));
}

#[test]
fn g2_without_an_answer_all_read_in_two_seconds_is_dropped() {
    let t = Instant::now();
    let mut g = Guard::new(Times::default(), (80, 24), t);
    g.appeared(token(1), t);
    g.layout(rows(1));
    g.rows_on_screen(&[0..1], t);
    let query = g.fence_query(t).unwrap();
    // Fifty keys before the answer, which comes after 3 s: nothing is decided by any of them.
    for i in 0..50 {
        let at = t + ms(i * 60);
        assert!(g.key(&press('a'), APPROVE, at) != Admit::Held, "key {i}");
        assert_eq!(g.due(at), None);
    }
    g.fence_answered(query.place(), t + ms(3000));
    assert!(matches!(g.locked(t + ms(3001)), Some(Why::Appeared { left: Some(_), .. })));
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(3701)), Ok(Some(Verb::Approve)));
}

#[test]
fn g3_a_held_key_never_opens() {
    let t = Instant::now();
    let mut g = shown(1, t);
    for i in 1..1000 {
        let admit = g.key(&press('s'), SKIP, t + ms(10 + i * 33));
        assert!(matches!(admit, Admit::Refused(_)), "repeat {i}: {admit:?}");
    }
}

#[test]
fn g3_scrolling_does_not_disturb_the_quiet_and_other_keys_do() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert_eq!(g.key(&press(' '), Class::Scroll, t + ms(500)), Admit::Pass);
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(711)), Ok(Some(Verb::Skip)));
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('v'), Class::Other, t + ms(500)), Admit::Pass);
    assert!(matches!(decide(&mut g, 's', SKIP, t + ms(711)), Err(Why::Appeared { .. })));
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(1412)), Ok(Some(Verb::Skip)));
}

#[test]
fn g3_a_refused_decision_starts_the_quiet_over() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert!(decide(&mut g, 's', SKIP, t + ms(600)).is_err());
    assert!(decide(&mut g, 's', SKIP, t + ms(1299)).is_err());
    assert_eq!(decide(&mut g, 's', SKIP, t + ms(2000)), Ok(Some(Verb::Skip)));
}

#[test]
fn g4_approve_waits_for_every_row_and_the_others_do_not() {
    let t = Instant::now();
    let mut g = shown(10, t);
    g.rows_on_screen(&[0..6], t + ms(11));
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(800)), Err(Why::Unseen { lines: 4 }));
    assert_eq!(g.seen(), (6, 10));
    assert_eq!(g.locked(t + ms(1600)), Some(Why::Unseen { lines: 4 }));
    assert_eq!(g.locked_for(Verb::Reject, t + ms(1600)), None);
    g.rows_on_screen(&[4..10], t + ms(1600));
    assert_eq!(g.locked(t + ms(1899)), Some(Why::Unseen { lines: 4 }));
    assert!(g.tick(t + ms(1900)));
    assert_eq!(g.locked(t + ms(1900)), None);
}

#[test]
fn g4_rows_count_only_from_when_the_terminal_had_them() {
    let t = Instant::now();
    let mut g = Guard::new(Times::default(), (80, 24), t);
    g.appeared(token(1), t);
    g.layout(rows(1));
    g.rows_on_screen(&[0..1], t);
    let query = g.fence_query(t).unwrap();
    g.tick(t + ms(1500));
    assert_eq!(g.seen(), (0, 1));
    g.fence_answered(query.place(), t + ms(1500));
    g.tick(t + ms(1799));
    assert_eq!(g.seen(), (0, 1));
    g.tick(t + ms(1800));
    assert_eq!(g.seen(), (1, 1));
}

#[test]
fn g4_approve_waits_for_the_review() {
    let t = Instant::now();
    let mut g = shown(1, t);
    g.checking(true);
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(900)), Err(Why::Checking));
    g.checking(false);
    // The findings came: their rows are new.
    let mut more = rows(1);
    more.push(Row { extent: 100..120, line: None });
    g.layout(more);
    g.rows_on_screen(&[0..2], t + ms(950));
    assert_eq!(g.locked(t + ms(1649)), Some(Why::Unseen { lines: 1 }));
    g.tick(t + ms(1649));
    assert_eq!(decide(&mut g, 'a', APPROVE, t + ms(1700)), Ok(Some(Verb::Approve)));
}

#[test]
fn g5_a_change_starts_over() {
    let t = Instant::now();
    let mut g = shown(1, t);
    g.tick(t + ms(800));
    assert_eq!(g.locked(t + ms(800)), None);
    g.appeared(token(1), t + ms(800));
    assert_eq!(g.locked(t + ms(800)), None, "the same token is the same subject");
    g.appeared(token(2), t + ms(800));
    assert_eq!(g.locked(t + ms(5000)), Some(Why::Appeared { block: BlockId(3), left: None }));
    assert_eq!(g.seen(), (0, 0));
    assert!(g.fence_query(t + ms(800)).is_some());
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
        assert_eq!(g.locked(t + ms(1100)), Some(Why::Quiet { left: ms(600) }));
        assert_eq!(g.locked(t + ms(1700)), None);
    }
}

#[test]
fn g5_another_width_tells_what_is_to_be_looked_at_again() {
    let t = Instant::now();
    let mut g = shown(3, t);
    g.tick(t + ms(800));
    assert_eq!(g.locked(t + ms(800)), None);
    let split: Vec<Row> =
        (0..6u64).map(|i| Row { extent: i * 5..i * 5 + 5, line: Some(i as u32 / 2) }).collect();
    assert_eq!(g.layout(split), 0, "narrower shows nothing new");
    let mut more = rows(3);
    more.extend((3..7).map(|i| Row { extent: i * 10..i * 10 + 10, line: None }));
    assert_eq!(g.layout(more), 4);
}

#[test]
fn g6_the_same_key_again_at_once_is_the_keyboard() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('s'), Class::Scroll, t + ms(900)), Admit::Pass);
    assert_eq!(g.key(&press('s'), SKIP, t + ms(1000)), Admit::Refused(Why::Repeat));
}

#[test]
fn g6_keys_at_once_are_a_paste_even_when_the_first_is_alone_at_first() {
    let t = Instant::now();
    for gap in [0, 5, 29] {
        let mut g = shown(1, t);
        let at = t + ms(1000);
        assert_eq!(g.key(&press('a'), APPROVE, at), Admit::Held);
        assert_eq!(g.due(at + ms(gap)), None);
        assert_eq!(g.key(&press('x'), Class::Other, at + ms(gap)), Admit::Refused(Why::Paste), "gap {gap}");
        assert_eq!(g.due(at + ms(500)), None);
    }
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('x'), Class::Scroll, t + ms(990)), Admit::Pass);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), Admit::Refused(Why::Paste));
}

#[test]
fn g6_a_key_after_the_hold_does_not_take_the_decision_back() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), Admit::Held);
    assert_eq!(g.key(&press('x'), Class::Other, t + ms(1031)), Admit::Pass);
    assert_eq!(g.due(t + ms(1032)), Some(Verb::Approve));
}

#[test]
fn a_held_decision_dies_with_its_subject() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), Admit::Held);
    g.appeared(token(2), t + ms(1010));
    assert_eq!(g.due(t + ms(1100)), None);
    let mut g = shown(1, t);
    assert_eq!(g.key(&press('a'), APPROVE, t + ms(1000)), Admit::Held);
    g.resized((20, 5), t + ms(1010));
    assert_eq!(g.due(t + ms(1100)), None);
}

#[test]
fn g8_the_mouse_passes_the_same_gate() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert!(matches!(g.click(Verb::Approve, t + ms(300)), Admit::Refused(_)));
    assert_eq!(g.click(Verb::Approve, t + ms(1001)), Admit::Pass);
    assert!(matches!(g.click(Verb::Approve, t + ms(1010)), Admit::Refused(_)));
}

#[test]
fn a_small_window_locks() {
    let t = Instant::now();
    for (size, open) in [((50, 12), true), ((49, 12), false), ((50, 11), false)] {
        let mut g = shown(1, t);
        g.resized(size, t + ms(20));
        g.tick(t + ms(2000));
        assert_eq!(g.locked(t + ms(2000)).is_none(), open, "{size:?}");
    }
}

#[test]
fn a_paste_in_review_never_decides() {
    let t = Instant::now();
    let mut g = shown(1, t);
    assert_eq!(g.pasted(true, t + ms(1000)), Admit::Refused(Why::Paste));
    assert!(g.locked(t + ms(1100)).is_some());
}

#[test]
fn with_nothing_up_it_sleeps() {
    let t = Instant::now();
    let g = Guard::new(Times::default(), (80, 24), t);
    assert_eq!(g.next_deadline(t), None);
    let mut g = shown(1, t);
    while let Some(at) = g.next_deadline(t + ms(5000)) {
        assert!(at <= t + ms(5000));
        g.tick(t + ms(5000));
    }
    assert_eq!(g.next_deadline(t + ms(5000)), None, "once open and seen, nothing is awaited");
}

#[test]
fn the_words() {
    let why = |w: Why| w.to_string();
    assert_eq!(
        why(Why::Appeared { block: BlockId(3), left: None }),
        "Block 3 just appeared. Keys typed now are ignored."
    );
    assert_eq!(why(Why::Quiet { left: ms(401) }), "Not yet: 0.5 s without a key.");
    assert_eq!(why(Why::Unseen { lines: 11 }), "Not yet: 11 lines not shown. Space shows them.");
    assert_eq!(why(Why::Paste), "That looked like a paste. Nothing was decided.");
}

#[derive(Clone, Debug)]
enum Step {
    Key(char, u8),
    Wait(u64),
    Appear(u32),
    Show(usize, usize),
    Answer,
    Resize(u16, u16),
    Focus,
    Paste,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (proptest::sample::select(vec!['a', 's', 'x', ' ']), 0u8..3).prop_map(|(c, k)| Step::Key(c, k)),
        8 => prop_oneof![Just(1u64), 5..40u64, 100..400u64, 600..1500u64].prop_map(Step::Wait),
        1 => (1u32..3).prop_map(Step::Appear),
        4 => (0usize..6, 0usize..7).prop_map(|(a, b)| Step::Show(a, b)),
        3 => Just(Step::Answer),
        1 => (40u16..100, 8u16..30).prop_map(|(w, h)| Step::Resize(w, h)),
        1 => Just(Step::Focus),
        1 => Just(Step::Paste),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    /// Whatever happens: when an approval comes out, the last 700 ms before its key were quiet, the frame of this
    /// subject was proven, every row was on screen, no other key came within 30 ms, and the window was large enough.
    #[test]
    fn an_approval_is_always_earned(steps in proptest::collection::vec(step(), 1..120)) {
        let start = Instant::now();
        let mut now = start;
        let mut g = Guard::new(Times::default(), (80, 24), now);
        let (mut size, mut query, mut proven_at) = ((80u16, 24u16), None::<(Query, Instant)>, None::<Instant>);
        let mut noise: Vec<Instant> = Vec::new();
        let mut printable: Vec<Instant> = Vec::new();
        let mut held_at = None::<Instant>;
        let mut on_screen = [None::<Instant>; 6];
        let mut seen = [false; 6];
        let mut up = 0;
        for step in steps {
            match step {
                Step::Wait(n) => now += ms(n),
                Step::Appear(revision) => {
                    if up != revision {
                        up = revision;
                        seen = [false; 6];
                        on_screen = [None; 6];
                        proven_at = None;
                        query = None;
                        noise.push(now);
                    }
                    g.appeared(token(revision), now);
                    g.layout(rows(6));
                    if let Some(q) = g.fence_query(now) { query = Some((q, now)); }
                }
                Step::Answer => if let Some((q, _)) = query.take() {
                    g.fence_answered(q.place(), now);
                    noise.push(now);
                    if proven_at.is_none() { proven_at = Some(now); }
                },
                Step::Resize(w, h) => { size = (w, h); g.resized(size, now); noise.push(now); }
                Step::Focus => { g.focused(now); noise.push(now); }
                Step::Paste => { g.pasted(true, now); noise.push(now); }
                Step::Show(from, to) => {
                    for (i, slot) in on_screen.iter_mut().enumerate() {
                        let visible = i >= from && i < to;
                        *slot = if visible { slot.or(Some(now)) } else { None };
                    }
                    g.rows_on_screen(&[from..to], now);
                }
                Step::Key(c, kind) => {
                    let class = match kind { 0 => APPROVE, 1 => Class::Scroll, _ => Class::Other };
                    let quiet_before = noise.iter().all(|n| now.duration_since(*n) >= ms(700));
                    let lonely = printable.iter().all(|p| now.duration_since(*p) >= ms(30));
                    let admit = g.key(&press(c), class, now);
                    if class == APPROVE {
                        if admit == Admit::Held {
                            prop_assert!(up != 0 && quiet_before && lonely);
                            prop_assert!(proven_at.is_some_and(|p| now.duration_since(p) >= ms(700)));
                            prop_assert!(size.0 >= 50 && size.1 >= 12);
                            prop_assert!(seen.iter().all(|s| *s), "{seen:?}");
                            held_at = Some(now);
                        }
                        prop_assert!(admit != Admit::Pass);
                    }
                    if class != Class::Scroll { noise.push(now); }
                    printable.push(now);
                }
            }
            // Without an answer the fence falls after two seconds.
            if proven_at.is_none() && let Some((_, sent)) = query && now.duration_since(sent) >= ms(2000) {
                proven_at = Some(sent + ms(2000));
            }
            for (flag, since) in seen.iter_mut().zip(on_screen) {
                if let (Some(since), Some(proven)) = (since, proven_at) {
                    *flag |= now.saturating_duration_since(since.max(proven)) >= ms(300);
                }
            }
            if let Some(verb) = g.due(now) {
                prop_assert_eq!(verb, Verb::Approve);
                let at = held_at.take().expect("was held first");
                prop_assert!(printable.iter().filter(|p| **p >= at && p.duration_since(at) < ms(30)).count() == 1);
            }
        }
    }
}
