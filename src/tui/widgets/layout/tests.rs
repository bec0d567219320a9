//! Sizes in, rectangles out: at every size, for every state.

use super::*;

const PANES: [Pane; 4] = [Pane::Chat, Pane::Message, Pane::Code, Pane::Output];

fn rows(slot: Option<Slot>) -> u16 {
    slot.map_or(0, |s| s.outer.height)
}

#[test]
fn the_classes_begin_where_they_should() {
    assert_eq!(SizeClass::of(120, 28), SizeClass::Wide);
    assert_eq!(SizeClass::of(119, 40), SizeClass::Medium);
    assert_eq!(SizeClass::of(140, 27), SizeClass::Medium);
    assert_eq!(SizeClass::of(95, 40), SizeClass::Narrow);
    assert_eq!(SizeClass::of(50, 12), SizeClass::Narrow);
    assert_eq!(SizeClass::of(49, 12), SizeClass::TooSmall);
    assert_eq!(SizeClass::of(50, 11), SizeClass::TooSmall);
}

/// A block and the output of a run are both shown.
fn full(activity: LayoutActivity, focus: Pane) -> LayoutRequest {
    LayoutRequest { activity, focus, code: true, output: true, ..LayoutRequest::default() }
}

#[test]
fn shares_follow_the_block() {
    for (activity, code, output) in [
        (LayoutActivity::Even, 18, 20),
        (LayoutActivity::Waiting, 29, 9),
        (LayoutActivity::Running, 9, 29),
        (LayoutActivity::Done, 11, 27),
        (LayoutActivity::Below, 11, 27),
    ] {
        let made = Arrangement::of(140, 40, full(activity, Pane::Message));
        assert_eq!((rows(made.code), rows(made.output)), (code, output), "{activity:?}");
    }
    let made = Arrangement::of(100, 30, full(LayoutActivity::Waiting, Pane::Code));
    assert_eq!((rows(made.chat), rows(made.code), rows(made.message)), (4, 23, 1));
    assert_eq!(made.output, None);
    let made = Arrangement::of(100, 30, full(LayoutActivity::Done, Pane::Message));
    assert_eq!((rows(made.chat), rows(made.code), rows(made.output), rows(made.message)), (14, 3, 10, 3));
}

/// Beside a short waiting block the output gets more room; a long block keeps its share.
#[test]
fn a_short_block_leaves_its_free_rows_to_the_output() {
    for (rows_of_block, code, output) in [(5, 18, 20), (20, 22, 16), (90, 29, 9)] {
        let wants =
            LayoutRequest { code_rows: Some(rows_of_block), ..full(LayoutActivity::Waiting, Pane::Code) };
        let made = Arrangement::of(140, 40, wants);
        assert_eq!((rows(made.code), rows(made.output)), (code, output), "{rows_of_block}");
        assert!(made.code.is_some_and(|slot| slot.inner.height >= rows_of_block.min(27)));
    }
}

/// On a stacked screen with the focus on the output, the conversation gets the rows that neither block nor
/// output needs.
#[test]
fn rows_that_no_other_pane_needs_are_for_prose() {
    let made = |code_rows, output_rows| {
        let (code_rows, output_rows) = (Some(code_rows), output_rows);
        let made = Arrangement::of(
            100,
            30,
            LayoutRequest { code_rows, output_rows, ..full(LayoutActivity::Waiting, Pane::Output) },
        );
        let inner = |slot: Option<Slot>| slot.map_or(0, |slot| slot.inner.height);
        (inner(made.chat), inner(made.code), inner(made.output))
    };
    assert_eq!(made(3, Some(3)), (16, 3, 3), "both need little");
    assert_eq!(made(3, Some(90)), (2, 3, 17), "the output needs all");
    assert_eq!(made(3, None), (2, 3, 17), "what it needs is not known");
    assert_eq!(made(90, Some(3)), (2, 17, 3), "the block needs all");
    assert_eq!(made(90, Some(90)), (2, 12, 8), "both do");
}

#[test]
fn a_pane_with_nothing_in_it_gives_its_room_away() {
    for (width, height) in [(100, 30), (119, 70), (120, 28), (140, 40), (250, 80)] {
        let made = Arrangement::of(width, height, LayoutRequest::default());
        assert_eq!((made.code, made.output), (None, None));
        for slot in [made.chat, made.message] {
            assert_eq!(slot.map(|s| s.outer.width), Some(width), "{width}x{height}");
        }
        assert_eq!(rows(made.chat) + rows(made.message), made.body.height + 1);
        for activity in LayoutActivity::ALL.iter().copied() {
            let both = Arrangement::of(width, height, full(activity, Pane::Message));
            // The shared border is counted twice.
            let shared = u16::from(both.code.is_some() && both.output.is_some());
            let column = rows(both.code) + rows(both.output) - shared;
            let code_only = LayoutRequest { output: false, ..full(activity, Pane::Message) };
            let made = Arrangement::of(width, height, code_only);
            assert_eq!((rows(made.code), rows(made.output)), (column, 0), "{width}x{height} {activity:?}");
            let output_only = LayoutRequest { code: false, ..full(activity, Pane::Message) };
            let made = Arrangement::of(width, height, output_only);
            assert_eq!((rows(made.code), rows(made.output)), (0, column), "{width}x{height} {activity:?}");
        }
    }
}

#[test]
fn prose_has_its_rows_while_nothing_waits_or_runs() {
    for height in 30..90 {
        for activity in [LayoutActivity::Even, LayoutActivity::Writing, LayoutActivity::Done] {
            for focus in PANES {
                let made = Arrangement::of(100, height, full(activity, focus));
                let prose = made.chat.map_or(0, |s| s.inner.height);
                assert!(prose >= MIN_PROSE_ROWS, "{height} {activity:?} {focus:?}: {prose}");
            }
        }
    }
}

#[test]
fn what_a_run_told_has_most_of_the_column() {
    for (width, height) in [(100, 30), (119, 45), (120, 28), (140, 40), (250, 80)] {
        let made = Arrangement::of(width, height, full(LayoutActivity::Done, Pane::Message));
        let (code, output) = (rows(made.code), rows(made.output));
        assert!(output * 100 >= (code + output) * 60, "{width}x{height}: {code} {output}");
    }
}

#[test]
fn code_is_eighty_columns_wide_beside_the_conversation() {
    for width in 120..300 {
        let made = Arrangement::of(width, 36, full(LayoutActivity::Waiting, Pane::Code));
        let (Some(chat), Some(code)) = (made.chat, made.code) else { panic!("{width}: both are there") };
        assert!(code.outer.width - 2 >= 80, "{width}");
        assert!((38..=58).contains(&chat.outer.width), "{width}");
        assert_eq!(chat.outer.width + code.outer.width, width + 1);
    }
}

/// Two panes overlap in one line at most: their shared border.
fn share_at_most_a_border(a: Slot, b: Slot) -> bool {
    let common = a.outer.intersection(b.outer);
    let apart = |slot: Slot| !slot.inner.intersects(common) || slot.inner.is_empty() || common.is_empty();
    let is_line = common.is_empty() || common.width == 1 || common.height == 1;
    is_line && apart(a) && apart(b)
}

#[test]
fn panes_share_borders_alone_and_nothing_is_outside_at_any_size() {
    let there = [(false, false), (true, false), (false, true), (true, true)];
    for (width, height) in (1..210).step_by(3).flat_map(|w| (1..70).map(move |h| (w, h))) {
        for (activity, (code, output)) in LayoutActivity::ALL.iter().flat_map(|s| there.map(|t| (*s, t))) {
            for focus in PANES {
                let wants = LayoutRequest { code, output, message_rows: 9, ..full(activity, focus) };
                let made = Arrangement::of(width, height, wants);
                let slots: Vec<Slot> =
                    [made.chat, made.message, made.code, made.output].into_iter().flatten().collect();
                let rows = [made.header, made.status, made.keys];
                for (i, a) in slots.iter().enumerate() {
                    assert!(made.area.union(a.outer) == made.area, "{width}x{height} {activity:?}");
                    assert!(rows.iter().all(|row| !row.intersects(a.outer)), "{width}x{height} {activity:?}");
                    for b in slots.iter().skip(i + 1) {
                        assert!(share_at_most_a_border(*a, *b), "{width}x{height} {activity:?}: {a:?} {b:?}");
                    }
                }
            }
        }
    }
}

/// Between two panes there is one line: no body cell next to a border is a border of another pane.
#[test]
fn no_border_is_doubled() {
    for (width, height) in [(100, 30), (119, 45), (120, 28), (140, 40), (250, 80)] {
        for activity in LayoutActivity::ALL.iter().copied() {
            let made = Arrangement::of(width, height, full(activity, Pane::Output));
            let (Some(chat), Some(output)) = (made.chat, made.output) else { panic!("both are there") };
            if let Some(code) = made.code {
                assert_eq!(code.outer.bottom() - 1, output.outer.y, "{width}x{height} {activity:?}");
            }
            let beside = made.code.unwrap_or(output).outer;
            let stacked = (chat.outer.bottom() - 1, chat.outer.x) == (beside.y, beside.x);
            assert!(stacked || chat.outer.right() - 1 == beside.x, "{width}x{height} {activity:?}");
            if let Some(message) = made.message.filter(|slot| slot.edge == Edge::Box) {
                let above = if stacked { output.outer } else { chat.outer };
                assert_eq!(above.bottom() - 1, message.outer.y, "{width}x{height} {activity:?}");
            }
        }
    }
}
