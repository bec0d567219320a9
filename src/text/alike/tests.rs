use super::*;
use crate::test_cases::cases;
use proptest::prelude::*;

/// 2025-11-23 16:10:00 UTC, and half a year later.
const THEN: i64 = 1_763_914_200_000;
const NOW: i64 = 1_780_000_000_000;

fn runs() -> BothRuns {
    let facts = |folder: &str, at: i64| RunFacts {
        folders: vec![folder.into()],
        time: (at, at + 1500),
        processor_ms: 0,
    };
    BothRuns { then: facts("/home/ada/work", THEN), now: facts("/tmp/sayso-1/replay", NOW), has_sets: true }
}

fn alike(then: &str, now: &str) -> bool {
    runs().first_difference(then, now).is_none()
}

fn clock(at: i64, format: &str) -> String {
    let at = jiff::Timestamp::from_millisecond(at).unwrap().to_zoned(jiff::tz::TimeZone::UTC);
    at.strftime(format).to_string()
}

/// A text as it was then, and as it is now.
#[track_caller]
fn are(then: &str, now: &str) {
    assert!(alike(then, now), "{then} | {now}");
    // All text beside it has to be equal.
    assert!(!alike(&format!("{then} x"), &format!("{now} y")), "{then} | {now}");
}

#[track_caller]
fn differ(then: &str, now: &str) {
    assert!(!alike(then, now), "{then} | {now}");
}

#[test]
fn the_first_line_that_differs_is_told_as_it_was_seen() {
    let found = runs().first_difference("a\n10%\r20%\rb\nc\n", "a\nd\nc").unwrap();
    assert_eq!(found, LineDifference { line: 2, then: Some("b".into()), now: Some("d".into()) });
    let found = runs().first_difference("a\n", "a\nb\n").unwrap();
    assert_eq!(found, LineDifference { line: 2, then: None, now: Some("b".into()) });
    assert_eq!(runs().first_difference("a  \r\nb\n\n", "a\nb"), None);
    differ("", "a");
}

#[test]
fn a_time_is_alike_where_it_is_that_of_its_run_and_data_are_not() {
    for format in [
        "%Y-%m-%d",
        "%Y-%m-%d %H:%M:%S",
        "%Y-%m-%dT%H:%M:%S.123456Z",
        "%Y-%m-%dT%H:%M+00:00",
        "%a %b %e %H:%M:%S %Y",
        "%a %b %e %H:%M:%S UTC %Y",
        "-rw-r--r-- 1 ada ada 12 %b %e %H:%M sales.csv",
        "datetime.datetime(%Y, %-m, %-d, %-H, %-M, 7, 1234)",
        "datetime.date(%Y, %-m, %-d)",
        "[%H:%M:%S] started",
        "%s",
        "%s.25",
        "%s123",
    ] {
        are(&clock(THEN, format), &clock(NOW, format));
        // Printed in another time zone.
        are(&clock(THEN + 2 * 3_600_000, format), &clock(NOW - 5 * 3_600_000, format));
        // A time in the data: three days before, with an offset that no time zone has.
        differ(&clock(THEN - 3 * 86_400_000 - 450_000, format), &clock(NOW, format));
    }
    differ("2024-01-05", "2024-01-06");
    differ("08:30:00", "08:31:00");
    differ("1700000000", "1700000001");
    differ("99:99:99", "98:99:99");
    // The same date in the data, which is near only one of the runs.
    are(&clock(THEN, "%Y-%m-%d"), &clock(THEN, "%Y-%m-%d"));
    differ(&clock(THEN, "%Y-%m-%d"), &clock(THEN + 86_400_000, "%Y-%m-%d"));
}

#[test]
fn what_is_chance_is_alike_and_what_looks_nearly_so_is_not() {
    for (then, now) in [
        ("<A object at 0x7f00dead0010>", "<A object at 0x55d0>"),
        ("id 0x7f00dead0010", "id 0x560000000000"),
        ("in 0.12s", "in 1.40s"),
        ("took 12 ms", "took 7 ms"),
        ("real\t0m0.012s", "real\t0m1.500s"),
        ("0:00:01.123456", "0:00:00.5"),
        ("9f1c7a52-5f0e-4d7a-8b1c-0123456789ab", "00000000-5f0e-4d7a-9b1c-0123456789ab"),
        ("/tmp/tmpab12cd_4/x", "/tmp/tmpzz12cd_5/x"),
        ("/tmp/tmp.AbCdEfGh12", "/tmp/tmp.1234567890"),
        ("pid 12", "pid 3456"),
        ("PID: 12", "PID: 7"),
        ("/home/ada/work/a.py", "/tmp/sayso-1/replay/a.py"),
        ("100%|##| 9/9 [00:01<00:00, 8.21it/s", "100%|##| 9/9 [00:00<00:00, 91.3it/s"),
        ("0.30000000000000004", "0.3"),
        ("1.2345678901234e-5", "1.2345678901235e-5"),
        ("{'a', 'b'} {'c', 'd'}", "{'b', 'a'} {'d', 'c'}"),
        ("frozenset({('b', 2), ('a', 1)})", "frozenset({('a', 1), ('b', 2)})"),
        ("{<A at 0x1>, <B at 0x2>}", "{<B at 0x3>, <A at 0x4>}"),
        ("{\"it's\", 'a, b'}", "{'a, b', \"it's\"}"),
    ] {
        are(then, now);
    }
    for (then, now) in [
        ("0xdeadbeef", "0xdeadbeee"),
        ("0x1234567812345678", "0x1234567812345679"),
        // Longer than the runs, so it is data.
        ("slowest 180.0 seconds", "slowest 1350.0 seconds"),
        ("mean 120 ms", "mean 2000 ms"),
        ("real\t0m0.012s", "real\t1m2.500s"),
        ("0:00:01.123456", "0:00:02.5"),
        ("12 s", "13 s"),
        ("3 min", "4 min"),
        ("1.5 m", "1.6 m"),
        // This UUID is derived from a name, not random.
        ("9f1c7a52-5f0e-5d7a-8b1c-0123456789ab", "00000000-5f0e-5d7a-8b1c-0123456789ab"),
        ("/tmp/report.txt", "/tmp/reports.txt"),
        ("/tmp/tmpab12cd_4/x", "/tmp/tmpab12cd_4/y"),
        ("/home/ada/work2/a.py", "/tmp/sayso-1/replay/a.py"),
        ("/home/ada/work/a.py", "/tmp/sayso-1/replay/b.py"),
        ("/home/ada/work", "/home/ada"),
        ("rapid 12", "rapid 13"),
        ("1.10", "1.1"),
        ("0.123", "0.124"),
        ("1.0000000001", "1.0000000002e3"),
        ("10", "11"),
        ("10000000001", "10000000002"),
        ("nan", "0.0"),
        ("9/9 [00:01<00:00, 8.21it/s, loss=1]", "9/9 [00:01<00:00, 8.21it/s, loss=2]"),
        ("{'a': 1, 'b': 2}", "{'b': 2, 'a': 1}"),
        ("{'a', 'b'}", "{'a', 'c'}"),
        ("{'a', 'b'}", "{'a', 'b', 'b'}"),
        ("['a', 'b']", "['b', 'a']"),
        ("{1, 2}", "{2, 1}"),
        ("{ return 'a', 'b' ", "{ return 'b', 'a' "),
    ] {
        differ(then, now);
    }
    // With several busy processors, their total time counts.
    let mut busy = runs();
    assert!(busy.first_difference("user 1.2s", "user 7.5s").is_some());
    (busy.then.processor_ms, busy.now.processor_ms) = (8_000, 8_000);
    assert_eq!(busy.first_difference("user 1.2s", "user 7.5s"), None);
    let mut others = runs();
    others.has_sets = false;
    assert!(others.first_difference("{'a', 'b'}", "{'b', 'a'}").is_some());
}

#[test]
fn a_hostile_line_is_compared_in_time() {
    let braces = format!("{}x", "{'".repeat(200_000));
    differ(&braces, &format!("{braces}y"));
    let folders = "/home/ada/work ".repeat(50_000);
    differ(&folders, &format!("{folders}y"));
    are(&folders, &folders.replace("/home/ada/work", "/tmp/sayso-1/replay"));
}

/// Something that differs in each run: an old and a new text.
fn chance() -> impl Strategy<Value = (String, String)> {
    let clocks = (0..1000_i64).prop_map(|ms| (clock(THEN + ms, "%F %T"), clock(NOW + ms, "%F %T")));
    let addresses = (0..1_u64 << 40).prop_map(|n| (format!("0x7f{n:010x}"), format!("0x55{:010x}", n / 3)));
    let durations = (1..1_900_u32, 1..1_900_u32).prop_map(|(a, b)| {
        (format!("{}.{:03}s", a / 1000, a % 1000), format!("{}.{:03}s", b / 1000, b % 1000))
    });
    prop_oneof![clocks, addresses, durations]
}

proptest! {
    #![proptest_config(cases(1024))]

    #[test]
    fn a_text_is_alike_to_itself(text in "[ -~\n\r{}',:0-9/éλ-]{0,200}", has_sets: bool) {
        let runs = BothRuns { has_sets, ..runs() };
        prop_assert_eq!(runs.first_difference(&text, &text), None);
        // Also if the texts differ in trailing white space only.
        prop_assert_eq!(runs.first_difference(&text, &format!("{text}\n")), None);
    }

    #[test]
    fn either_side_may_come_first(a in "[ -~\n]{0,60}", b in "[ -~\n]{0,60}") {
        let turned = { let BothRuns { then, now, has_sets } = runs(); BothRuns { then: now, now: then, has_sets } };
        prop_assert_eq!(runs().first_difference(&a, &b).is_none(), turned.first_difference(&b, &a).is_none());
    }

    #[test]
    fn a_changed_word_is_always_found(
        words in prop::collection::vec(prop_oneof![
            "[a-z]{1,9}".prop_map(|word| (word.clone(), word)),
            "[0-9]{1,6}".prop_map(|word| (word.clone(), word)),
            chance(),
        ], 1..12),
        at: prop::sample::Index,
        changed in "[a-z]{1,9}|[0-9]{1,6}",
    ) {
        let then: Vec<String> = words.iter().map(|(then, _)| then.clone()).collect();
        let now: Vec<String> = words.iter().map(|(_, now)| now.clone()).collect();
        prop_assert!(alike(&then.join(" | "), &now.join(" | ")));
        let at = at.index(words.len());
        prop_assume!(then[at] != changed && now[at] != changed);
        let mut other = now;
        other[at] = changed;
        prop_assert!(!alike(&then.join(" | "), &other.join(" | ")));
    }
}
