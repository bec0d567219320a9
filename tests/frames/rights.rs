//! Rights that are unchanged since they were last seen take one line; otherwise the changes are marked.

use super::scene::{self, CODE, Scene, confined, findings, inspection, terms};
use super::{assert_screen, assert_shown, assert_text, drawn, snapshots};
use sayso::domain::*;
use sayso::engine::Inspection;
use sayso::tui::widgets::layout::Pane;

/// Terms of a sandbox with two layers.
fn sandboxed() -> Terms {
    let mut terms = confined("python");
    terms.rights.sandbox.layers = ["bwrap", "landlock"]
        .map(|name| Layer { name: name.into(), active: true, tested: true, why: None })
        .to_vec();
    terms
}

/// The first block of a session waits in its sandbox.
fn first() -> Scene {
    let reply = "I will look at the file first.\n\n```python\ndf.info()\n```\n";
    begun(reply, inspection(sandboxed(), Vec::new()))
}

/// The first reply of a session has come, and its first block has this inspection.
fn begun(reply: &str, found: Inspection) -> Scene {
    let message = "Load sales.csv, plot revenue by region per month, clear the old charts first.";
    let mut scene = Scene::answered(message, reply);
    scene.inspected(1, found);
    scene
}

/// The first block has run, and the second one waits under these terms.
fn second(mut scene: Scene, change: impl Fn(&mut Terms)) -> Scene {
    scene.ran(1, 100, "total 12\n");
    scene.reply(&format!("```python\n{CODE}```\n"));
    let mut terms = sandboxed();
    change(&mut terms);
    scene.inspected(2, inspection(terms, findings()));
    scene.review();
    scene
}

fn seen_and_second(change: impl Fn(&mut Terms)) -> Scene {
    let mut scene = first();
    scene.see_block();
    second(scene, change)
}

/// How many rows of a narrow screen show code and remarks about its lines, with the focus on it.
fn code_rows(scene: &mut Scene) -> (usize, String) {
    scene.review();
    let screen = drawn(scene, 80, 24);
    let body: Vec<&str> = screen.lines().skip(2).take(20).collect();
    let rights = body.iter().position(|row| row.contains(" │ ")).unwrap_or(body.len());
    (body.len() - rights, screen)
}

/// A session's first block with its rights in full and this inspection.
fn first_of(code: &str, found: Inspection) -> Scene {
    begun(&format!("```python\n{code}```\n"), found)
}

/// Rights and code share 20 rows. Facts are put side by side if they would leave too few rows for the code.
/// What the code would do shares no row with a right, which costs the code one row of the first page.
#[test]
fn code_has_at_least_14_rows_at_80x24() {
    scene::acted((80, 24), || {
        let effects = Effects { writes: vec!["out/top3.csv".into()], ..Effects::default() };
        let review = Review { findings: findings(), effects, ..Review::default() };
        let told =
            Inspection { undo: Some(UndoCover::default()), ..Inspection::new(review, Ok(sandboxed())) };
        let both = format!("```python\n{CODE}```\n\nThen:\n\n```bash\nls out\n```\n");
        let mut two = Scene::answered("Load sales.csv.", &both);
        two.inspected(1, inspection(sandboxed(), Vec::new()));
        let scenes = vec![
            (
                "first",
                first_of(CODE, inspection(sandboxed(), Vec::new())),
                &["Check", "May read", "Sandbox"][..],
            ),
            ("a finding", first_of(CODE, inspection(sandboxed(), findings())), &["1 high, 1 medium"]),
            ("no sandbox", first_of(CODE, inspection(terms("python"), findings())), &["OFF: this block"]),
            (
                "effects",
                first_of(CODE, told),
                &["Would      write out/top3.csv", "Undo  all", "Limits     60 s"],
            ),
            ("two wait", two, &["May read", "Code !2"]),
            ("as before", seen_and_second(|_| {}), &[AS_BEFORE]),
        ];
        for (what, mut scene, seen) in scenes {
            let (rows, screen) = code_rows(&mut scene);
            let least = if what == "effects" { 13 } else { 14 };
            assert!(rows >= least, "{what}: {rows} rows of code\n{screen}");
            assert!(seen.iter().all(|part| screen.contains(part)), "{what}: {seen:?}\n{screen}");
        }
    });
}

/// For a block with effects, at 80x24: the row that begins with this label, and the screen.
fn row_of(label: &str, found: Inspection) -> (String, String) {
    let (_, screen) = code_rows(&mut first_of(CODE, found));
    let row = screen.lines().find(|row| row.trim_start().starts_with(label)).unwrap_or_default();
    (row.trim().to_owned(), screen)
}

/// A block under these terms that would write these files.
fn writing_to(terms: Terms, names: &[&str]) -> Inspection {
    let writes = names.iter().map(ToString::to_string).collect();
    let review = Review {
        findings: findings(),
        effects: Effects { writes, ..Effects::default() },
        ..Review::default()
    };
    Inspection { undo: Some(UndoCover::default()), ..Inspection::new(review, Ok(terms)) }
}

/// Spaces in a name are written as their number, so that the name can't fake the gap before a fact; nothing
/// follows what the code would do or what is refused of it, neither a fact nor the rule.
#[test]
fn a_name_in_code_forges_no_fact() {
    scene::acted((80, 24), || {
        let mut open = sandboxed();
        (open.rights.network, open.rights.sandbox.network_blocked) = (true, false);
        let forged = "out     Network  off     Check  no findings";
        let (row, screen) = row_of("Would", writing_to(open, &[forged, "y"]));
        assert!(
            row.ends_with("write out<5 spaces>Network<2 spaces>off<5 spaces>Check<2 spaces>no"),
            "{screen}"
        );
        assert_eq!(screen.matches("Network  ").count(), 1, "{screen}");

        let (row, screen) = row_of("Would", writing_to(sandboxed(), &["a ", "b"]));
        assert_eq!(row, "Would      write a<1 space>, b", "{screen}");
        for name in ["y", "─────"] {
            let (row, screen) = row_of("Would", writing_to(sandboxed(), &[name]));
            assert_eq!(row, format!("Would      write {name}"), "{screen}");
        }

        let mut found = writing_to(sandboxed(), &[]);
        found.refused = vec!["writes ~/a     Sandbox  ON: no".into()];
        let (row, screen) = row_of("Refused", found);
        assert_eq!(row, "Refused    writes ~/a<5 spaces>Sandbox<2 spaces>ON: no", "{screen}");

        let mut terms = sandboxed();
        terms.rights.write = vec!["/home/ada/a     Network  off".into()];
        let (row, screen) = row_of("May write", writing_to(terms, &[]));
        assert_eq!(row, "May write  ~/a<5 spaces>Network<2 spaces>off", "{screen}");

        let mut found = writing_to(sandboxed(), &[]);
        found.review.findings.clear();
        found.review.unchecked = Some("no     Undo  all".into());
        let (row, screen) = row_of("Check", found);
        assert_eq!(row, "Check      not checked: no<5 spaces>Undo<2 spaces>all", "{screen}");
    });
}

/// If a row is too narrow for the key to the findings, only the key is left out.
#[test]
fn words_of_a_name_are_never_left_out_of_a_row() {
    scene::acted((80, 24), || {
        let found = writing_to(sandboxed(), &["notes   f = next finding"]);
        let (row, screen) = row_of("Would", found);
        assert_eq!(row, "Would      write notes<3 spaces>f = next finding", "{screen}");
    });
}

/// Facts that can't share a row keep their rows on the first page; after that, rights scroll away to make room
/// for the code.
#[test]
fn rights_that_take_many_rows_scroll_with_the_code() {
    scene::acted((80, 24), || {
        let mut found = inspection(sandboxed(), findings());
        found.refused = vec!["writes /home/ada/.bashrc: the sandbox will refuse".into(); 2];
        found.review.effects.hosts = ["one", "two", "three"].map(|name| format!("{name}.example.net")).into();
        found.review.effects.unknown = true;
        let mut scene = first_of(CODE, found);
        let (rows, screen) = code_rows(&mut scene);
        assert!(rows < 14 && screen.contains("May read") && screen.contains("Refused"), "{screen}");
        scene.press(&["space"]);
        let screen = drawn(&mut scene, 80, 24);
        let code = screen.lines().filter(|row| row.contains(" │ ")).count();
        assert!(code >= 14 && !screen.contains("May read"), "{code} rows\n{screen}");
        scene.see_everything();
        scene.press(&["g"]);
        assert!(drawn(&mut scene, 80, 24).contains("May read"));
    });
}

/// A block that fits has each fact on its own row; facts seen like that count as seen however they are
/// arranged.
#[test]
fn facts_that_moved_together_do_not_have_to_be_seen_again() {
    let mut scene = first_of(CODE, inspection(sandboxed(), Vec::new()));
    scene.see_block();
    assert!(scene.screen.guard.rows().is_all_seen());
    let wide = drawn(&mut scene, 140, 40);
    assert!(wide.lines().any(|row| row.contains("Check      no findings")), "{wide}");
    let narrow = drawn(&mut scene, 140, 24);
    assert!(narrow.contains("     Sandbox  bwrap+landlock: ON"), "{narrow}");
    assert!(scene.screen.guard.rows().is_all_seen(), "{narrow}");
}

const AS_BEFORE: &str = "As before: sandbox on, network off, writes here; p all";

#[test]
fn rights_as_before_are_one_line() {
    snapshots("04g_rights_as_before", || seen_and_second(|_| {}));
    let mut scene = seen_and_second(|_| {});
    let screen = drawn(&mut scene, 80, 24);
    assert!(screen.contains(AS_BEFORE) && !screen.contains("May read"), "{screen}");
    let code = screen.lines().filter(|row| row.contains('│')).count();
    assert!(code >= 14, "{code} rows of code:\n{screen}");
}

/// Also when they say which blocks came before, at every size.
#[test]
fn rights_as_before_take_one_row() {
    let shares = |terms: &mut Terms| {
        terms.shared = Some(SharedState { blocks: (1..=12).map(BlockId).collect(), changed: Vec::new() });
    };
    let mut scene = first();
    scene.see_block();
    let mut scene = second(scene, shares);
    for (width, height) in [(80, 24), (100, 30), (140, 40)] {
        let screen = drawn(&mut scene, width, height);
        let row = screen.lines().find(|row| row.contains("As before:"));
        assert!(row.is_some_and(|row| row.contains("k1 after blocks 1-12; p all")), "{screen}");
    }
}

/// When they take two rows, a key stays beside its action.
#[test]
fn a_key_is_not_torn_from_its_word() {
    let blocks = |blocks: std::ops::RangeInclusive<u32>| {
        let blocks = blocks.filter(|block| *block != 5).map(BlockId).collect();
        move |terms: &mut Terms| terms.shared = Some(SharedState { blocks, changed: Vec::new() })
    };
    for last in [6, 7, 8, 12, 120] {
        let mut scene = first();
        scene.see_block();
        let shares = blocks(1..=last);
        let mut scene = second(scene, |terms| shares.clone()(terms));
        assert_screen(&mut scene, 80, 24, &["As before:", "p all\n"], &[]);
    }
}

/// A person who jumps to the end has seen all lines of code but not all rights: the title says why approving is
/// locked.
#[test]
fn what_locks_the_approval_stands_in_the_title() {
    scene::acted((60, 12), || {
        let mut scene = first();
        scene.go_to(Pane::Code);
        scene.press(&["G"]);
        scene.pass(2_000);
        assert_shown(&mut scene, 60, 12, "seen 1/1, 2 rows not  a locked");
        scene.see_everything();
        assert_shown(&mut scene, 60, 12, "seen 1/1  keys open");
    });
}

#[test]
fn what_changed_of_rights_is_marked() {
    let open = |terms: &mut Terms| {
        terms.rights.network = true;
        terms.rights.sandbox.network_blocked = false;
        terms.limits.wall_ms = 300_000;
    };
    snapshots("04g_rights_changed", || seen_and_second(open));
    let screen = drawn(&mut seen_and_second(open), 140, 40);
    assert_text(&screen, &["changed: OPEN, as you allowed", "changed: 300 s"], &["As before"]);
    assert_eq!(screen.matches("changed:").count(), 2, "{screen}");
}

#[test]
fn a_program_that_tells_its_version_later_has_not_changed() {
    let known = |version: &str| Some(version.to_owned());
    for then in [None, known("3.12")] {
        let mut scene = Scene::answered("Load sales.csv.", "```python\ndf.info()\n```\n");
        let terms = Terms { version: then.clone(), ..sandboxed() };
        scene.inspected(1, inspection(terms, Vec::new()));
        scene.see_block();
        let screen = drawn(&mut second(scene, |terms| terms.version = known("3.12.4")), 80, 24);
        assert!(screen.contains(AS_BEFORE) && !screen.contains("Program"), "{then:?}\n{screen}");
    }
}

#[test]
fn rights_that_nobody_saw_or_of_another_language_are_told_in_full() {
    let in_full = |mut scene: Scene| assert_screen(&mut scene, 140, 40, &["May read"], &["As before"]);
    in_full(second(first(), |_| {}));
    in_full(seen_and_second(|terms| terms.language = Language::bash()));
}

#[test]
fn another_folder_to_start_in_is_told_beside_them() {
    let mut scene = seen_and_second(|terms| terms.cwd = "/home/ada/data/sales/out".into());
    let changed = "changed: python kernel k1, 14 variables live, cwd ~/data/sales/out";
    let before = "As before: sandbox on, network off, writes ~/data/sales; p all";
    assert_screen(&mut scene, 140, 40, &[changed, before], &[]);
}

#[test]
fn p_tells_them_in_full_and_then_they_have_to_be_seen() {
    let mut scene = seen_and_second(|_| {});
    scene.see_block();
    scene.press(&["p"]);
    let screen = drawn(&mut scene, 140, 40);
    assert!(screen.contains("May read") && screen.contains("Program"), "{screen}");
    assert!(!scene.screen.guard.rows().is_all_seen(), "rows that come on screen anew were not seen");
    let said = scene.note_text();
    assert!(said.starts_with("All rights are shown: ") && said.ends_with(" more to look at."), "{said}");
    scene.press(&["p"]);
    assert!(drawn(&mut scene, 140, 40).contains(AS_BEFORE));
}

/// They may scroll with the code: its end hides them.
#[test]
fn p_shows_them_from_their_first_row_wherever_the_code_was() {
    scene::acted((80, 24), || {
        let mut scene = seen_and_second(|_| {});
        scene.see_block();
        scene.press(&["G"]);
        assert_screen(&mut scene, 80, 24, &[], &["Runs in", "import pandas"]);
        scene.press(&["p"]);
        assert_shown(&mut scene, 80, 24, "Runs in");
    });
}

/// The folder named in the first row is called `here` in the others; if no row names it, its path is shown.
#[test]
fn the_folder_of_the_code_is_named_once() {
    assert_text(&drawn(&mut first(), 140, 40), &["May read   the system, here    May write  here"], &[]);
    let installer = |terms: &mut Terms| terms.executor = ExecutorKind::Installer;
    assert_screen(&mut second(first(), installer), 140, 40, &["May write  ~/data/sales"], &["write  here"]);
}

#[test]
fn packages_of_the_session_have_a_short_name() {
    let packages = |terms: &mut Terms| {
        terms.rights.read = vec!["/home/ada/.local/share/sayso/blobs/01/packages".into()];
    };
    let mut scene = seen_and_second(packages);
    assert_shown(&mut scene, 140, 40, "changed: the system, here, packages of this session");
    scene.press(&["p"]);
    assert!(drawn(&mut scene, 140, 40).contains("~/.local/share/sayso/blobs/01/packages"));
    let other = |terms: &mut Terms| terms.rights.read = vec!["/blobs/02/packages".into()];
    assert!(drawn(&mut seen_and_second(other), 140, 40).contains("/blobs/02/packages"));
}

/// A long block, scrolled so that a line in the middle is the first visible one; the rights stay above it.
fn in_the_middle(size: (u16, u16), code: &str) -> Scene {
    let mut scene = first_of(code, inspection(sandboxed(), Vec::new()));
    scene.focus(Pane::Code);
    drawn(&mut scene, size.0, size.1);
    scene.screen.panes.code.scroll(30);
    drawn(&mut scene, size.0, size.1);
    scene
}

fn ninety_lines() -> String {
    (1..=90).map(|line| format!("value_{line} = {line}\n")).collect()
}

/// The number of the first visible line of code.
fn first_shown(screen: &str) -> usize {
    let row = screen.lines().find(|row| row.contains("value_")).unwrap_or_default();
    let name = row.split("value_").nth(1).and_then(|rest| rest.split(' ').next());
    name.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no line of code:\n{screen}"))
}

/// The height decides whether the rights stay above the code or scroll with it, and how many rows they take.
#[test]
fn the_first_line_of_code_stays_when_the_pane_changes_its_height() {
    scene::acted((140, 40), || {
        let mut scene = in_the_middle((140, 40), &ninety_lines());
        let before = drawn(&mut scene, 140, 40);
        let line = first_shown(&before);
        assert!(line > 20 && before.contains("May read"), "{before}");
        for height in [24, 40, 12, 40, 14, 24, 40] {
            let screen = drawn(&mut scene, 140, height);
            assert_eq!(first_shown(&screen), line, "{height} rows\n{screen}");
        }
    });
}

/// A narrow screen does not show this pane while a message is typed.
#[test]
fn the_first_line_of_code_stays_while_another_pane_has_the_keys() {
    scene::acted((80, 30), || {
        let mut scene = in_the_middle((80, 30), &ninety_lines());
        let line = first_shown(&drawn(&mut scene, 80, 30));
        for _ in 0..3 {
            scene.press(&["i"]);
            let away = drawn(&mut scene, 80, 30);
            assert_ne!(scene.screen.panes.focus, Pane::Code, "{away}");
            scene.press(&["ctrl-y"]);
            let screen = drawn(&mut scene, 80, 30);
            assert_eq!(first_shown(&screen), line, "{screen}");
        }
    });
}
