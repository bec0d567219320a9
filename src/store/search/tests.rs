use super::searcher::MAX_COMPLETIONS;
use super::*;
use crate::domain::{BlockId, Entry, Outcome, Revision, RunReport, Stream};
use crate::store::index::IndexStamp;
use crate::store::samples::{
    AT, block, captured, damaged, derived_holds as holds, header, reply, report, set_modified, wait,
    write_session,
};
use crate::store::{Store, manage};
use crate::test_folder;
use proptest::prelude::*;
use std::time::{Duration, Instant};

const ALWAYS: SearchControl<'_> = SearchControl { goes_on: &|| true, on_progress: &|_, _| {} };

fn ran(id: u32, outcome: Outcome, printed: &str) -> Entry {
    let output = captured(&[(Stream::Stdout, printed.as_bytes())]);
    let report = RunReport { outcome, value: None, error: None, ..report(output) };
    crate::domain::samples::ran(id, id, report)
}

/// A session with each kind of event once.
fn whole(folder: &Path, id: &str) -> PathBuf {
    let entries = vec![
        Entry::Prompt("Why does the turbine vibrate?".into()),
        reply("Let me look:\n```python\nprint(spectrum)\n```\nThen we know."),
        Entry::Block(block(1, "print(spectrum)")),
        ran(1, Outcome::Ok, "peak at 50 hertz"),
        Entry::Block(block(2, "import antigravity")),
        Entry::Rejected { block: BlockId(2), revision: Revision(1), reason: String::new() },
    ];
    write_session(folder, id, &entries)
}

fn wanted(words: &str) -> SearchQuery {
    SearchQuery { sought: SearchWords::read(words), limit: 20, ..SearchQuery::default() }
}

fn found(folder: &Path, wanted: &SearchQuery) -> SearchResults {
    search(folder, wanted, &Masker::default(), &ALWAYS).unwrap()
}

/// Kind, block and line of each hit.
fn told(folder: &Path, words: &str) -> Vec<(&'static str, Option<u32>, String)> {
    let hits = found(folder, &wanted(words)).hits;
    hits.into_iter()
        .map(|hit| (hit.place.kind.as_str(), hit.place.block.map(|block| block.0), hit.line))
        .collect()
}

fn open(folder: &Path) -> DerivedFile {
    DerivedFile::open(folder, &database::PLAN).unwrap()
}

/// Searches until all files are settled.
fn settled(folder: &Path) {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        found(folder, &wanted("x"));
        let files = database::files(&open(folder).db).unwrap();
        if files.values().all(|file| file.stamp != IndexStamp::default()) {
            return;
        }
        assert!(Instant::now() < end, "{files:?}");
        std::thread::yield_now();
    }
}

#[test]
fn what_was_said_and_done_is_found_where_it_stands() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), "s-1");
    let one = |words: &str| told(dir.path(), words);
    assert_eq!(one("turbine"), [("prompt", None, "Why does the turbine vibrate?".into())]);
    assert_eq!(one("vibrate turb"), one("turbine"));
    assert_eq!(one("\"turbine does\""), []);
    assert_eq!(one("then know"), [("reply", None, "Then we know.".into())]);
    // The code is in the reply, too, but is reported only once.
    assert_eq!(one("spectrum"), [("block", Some(1), "print(spectrum)".into())]);
    assert_eq!(one("hertz"), [("output", Some(1), "peak at 50 hertz".into())]);
    assert_eq!(one("nowhere"), []);
    let hit = found(dir.path(), &wanted("antigrav")).hits.remove(0);
    assert_eq!((hit.place.message, hit.at, hit.session.id.as_str()), (2, AT, "s-1"));
    let mode = |name: &str| test_folder::mode(&dir.path().join(name));
    assert_eq!((mode("index"), mode("index/search.db")), (0o700, 0o600));
}

#[test]
fn coloured_words_are_found_as_they_are_shown() {
    let dir = tempfile::tempdir().unwrap();
    let printed = "\u{1b}[1;31mFAILED\u{1b}[0m tests/a.py\n\u{1b}[31mred\u{1b}[0mdish\n";
    write_session(dir.path(), "s-1", &[Entry::Block(block(1, "x")), ran(1, Outcome::Ok, printed)]);
    let one = |words: &str| told(dir.path(), words);
    assert_eq!(one("\"failed tests\""), [("output", Some(1), "FAILED tests/a.py".into())]);
    assert_eq!(one("reddish "), [("output", Some(1), "reddish".into())]);
    assert_eq!(one("31mred"), []);
}

#[test]
fn hits_are_narrowed_down() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), "s-1");
    let count = |change: &dyn Fn(&mut SearchQuery)| {
        let mut wanted = wanted("print");
        change(&mut wanted);
        found(dir.path(), &wanted).hits.len()
    };
    assert_eq!(count(&|_| {}), 1);
    assert_eq!(count(&|w| w.language = Some("Python".into())), 1);
    assert_eq!(count(&|w| w.language = Some("bash".into())), 0);
    assert_eq!(count(&|w| w.outcome = Some("ok".into())), 1);
    assert_eq!(count(&|w| w.outcome = Some("rejected".into())), 0);
    assert_eq!(count(&|w| w.folder = Some("/home/ada".into())), 1);
    assert_eq!(count(&|w| w.folder = Some("/home/a".into())), 0);
    assert_eq!(count(&|w| w.since = Some(AT)), 1);
    assert_eq!(count(&|w| w.since = Some(AT.plus(1))), 0);
    assert_eq!(count(&|w| w.until = Some(AT)), 0);
    let rejected = SearchQuery { outcome: Some("rejected".into()), ..wanted("import") };
    assert_eq!(found(dir.path(), &rejected).hits.len(), 1);
    let model = header("s").model.unwrap().model.to_uppercase();
    assert_eq!(count(&|w| w.model = Some(model.clone())), 1);
    assert_eq!(count(&|w| w.model = Some("no-such".into())), 0);
}

#[test]
fn only_what_is_new_is_taken_while_the_beginning_is_what_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = whole(dir.path(), "s-1");
    settled(dir.path());
    let kept = || database::files(&open(dir.path()).db).unwrap().into_values().next().unwrap();
    let before = kept();
    assert_eq!(before.read, std::fs::metadata(&path).unwrap().len());
    let (store, _) = Store::open(&path).unwrap();
    store.append(Entry::Prompt("and the gearbox?".into()), AT);
    wait(store.close()).unwrap();
    assert_eq!(told(dir.path(), "gearbox").len(), 1);
    assert_eq!((kept().number, kept().messages), (before.number, before.messages + 1), "gone on with");
    // An incomplete line is read once it is complete.
    let text = std::fs::read(&path).unwrap();
    let mut torn = text.clone();
    torn.extend_from_slice(&text[..40]);
    std::fs::write(&path, &torn).unwrap();
    assert_eq!(told(dir.path(), "gearbox").len(), 1);
    assert_eq!(kept().read, text.len() as u64);
    // The file begins differently, so all of it is read again.
    std::fs::remove_file(&path).unwrap();
    let others = [Entry::Prompt("another turbine".into()), reply("x".repeat(9000).as_str())];
    assert_eq!(write_session(dir.path(), "s-1", &others), path);
    assert_eq!(told(dir.path(), "gearbox"), []);
    assert_eq!(told(dir.path(), "turbine"), [("prompt", None, "another turbine".into())]);
}

#[test]
fn a_hit_is_told_only_while_it_stands_in_the_file() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), "s-1");
    settled(dir.path());
    let db = open(dir.path()).db;
    db.execute("UPDATE bodies SET body = 'Why does the turbine explode?' WHERE body LIKE '%turbine%'", [])
        .unwrap();
    assert_eq!(told(dir.path(), "turbine"), [("prompt", None, "Why does the turbine vibrate?".into())]);
    assert_eq!(told(dir.path(), "explode"), []);
    db.execute("UPDATE places SET start = start + 1", []).unwrap();
    assert_eq!(told(dir.path(), "hertz").len(), 1);
}

#[test]
fn a_key_that_stands_in_a_file_is_not_kept() {
    let dir = tempfile::tempdir().unwrap();
    write_session(dir.path(), "s-1", &[Entry::Prompt("the password is correct-horse-battery ok".into())]);
    let masker = Masker::knowing(["correct-horse-battery".to_owned().into()]);
    let hits = |words: &str| search(dir.path(), &wanted(words), &masker, &ALWAYS).unwrap().hits;
    assert_eq!(hits("battery"), []);
    assert!(!hits("password").remove(0).line.contains("horse"));
    assert!(!holds(dir.path(), b"horse"));
    // A key that the masker learns later is removed from the database as soon as it would be shown.
    let dir = tempfile::tempdir().unwrap();
    write_session(dir.path(), "s-1", &[Entry::Prompt("the password is correct-horse-battery ok".into())]);
    settled(dir.path());
    assert!(holds(dir.path(), b"horse"));
    let told = search(dir.path(), &wanted("password"), &masker, &ALWAYS).unwrap().hits;
    assert!(!told[0].line.contains("horse"), "{told:?}");
}

#[test]
fn of_a_removed_session_no_word_stays() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), "s-1");
    let entries = [Entry::Prompt("the xylophone of Wzlatko".into()), reply("quxotic")];
    let secret = write_session(dir.path(), "s-2", &entries);
    settled(dir.path());
    let copy = dir.path().join("copy");
    std::fs::copy(&secret, &copy).unwrap();
    let words: [&[u8]; 4] = [b"xylophone of", b"xylophone", b"wzlatko", b"quxotic"];
    assert!(holds(dir.path(), b"xylophone of") && holds(dir.path(), b"quxotic"));
    manage::delete(&secret).unwrap();
    for word in words {
        assert!(!holds(dir.path(), word), "{}", String::from_utf8_lossy(word));
    }
    let db = open(dir.path()).db;
    db.execute_batch("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'words', 'row')").unwrap();
    let terms = |word: &str| -> i64 {
        db.query_row("SELECT count(*) FROM terms WHERE term = ?1", [word], |row| row.get(0)).unwrap()
    };
    assert_eq!((terms("turbine"), terms("wzlatko"), terms("quxotic")), (1, 0, 0));
    db.execute_batch("INSERT INTO words (words) VALUES ('integrity-check')").unwrap();
    drop(db);
    // A session that somebody else removed is deleted by the next search.
    std::fs::rename(&copy, &secret).unwrap();
    assert_eq!(told(dir.path(), "wzlatko").len(), 1);
    std::fs::remove_file(&secret).unwrap();
    assert_eq!(told(dir.path(), "wzlatko"), []);
    for word in words {
        assert!(!holds(dir.path(), word), "{}", String::from_utf8_lossy(word));
    }
}

#[test]
fn a_damaged_one_is_made_anew() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..30 {
        whole(dir.path(), &format!("s-{number}"));
    }
    settled(dir.path());
    let truth = told(dir.path(), "hertz");
    assert_eq!(truth.len(), 20);
    let path = dir.path().join("index/search.db");
    let kept = std::fs::read(&path).unwrap();
    let mut of_another_version = kept.clone();
    of_another_version[63] = 77;
    for (number, damaged) in damaged(&kept).iter().chain([&of_another_version]).enumerate() {
        for log in ["search.db-wal", "search.db-shm"] {
            std::fs::remove_file(dir.path().join("index").join(log)).ok();
        }
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(told(dir.path(), "hertz"), truth, "damage {number}");
    }
}

#[test]
fn where_it_cannot_be_kept_the_files_are_searched() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), "s-1");
    std::fs::write(dir.path().join("index"), "in the way").unwrap();
    assert_eq!(told(dir.path(), "hertz").len(), 1);
    assert_eq!(told(&dir.path().join("no such folder"), "hertz"), []);
    std::fs::remove_file(dir.path().join("index")).unwrap();
    // Nor through a link.
    let elsewhere = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("index")).unwrap();
    assert_eq!(told(dir.path(), "hertz").len(), 1);
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn one_that_another_process_writes_into_is_searched_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let path = whole(dir.path(), "s-1");
    settled(dir.path());
    let other = open(dir.path());
    other.db.execute_batch("BEGIN IMMEDIATE").unwrap();
    let (store, _) = Store::open(&path).unwrap();
    store.append(Entry::Prompt("and the gearbox?".into()), AT);
    wait(store.close()).unwrap();
    let now = found(dir.path(), &wanted("hertz"));
    assert!(now.hits.len() == 1 && now.behind.is_some(), "{now:?}");
    other.db.execute_batch("COMMIT").unwrap();
    assert_eq!(told(dir.path(), "gearbox").len(), 1);
}

#[test]
fn two_that_begin_at_once_find_the_same() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..40 {
        whole(dir.path(), &format!("s-{number}"));
    }
    let counts: Vec<usize> = std::thread::scope(|scope| {
        let each: Vec<_> = (0..4).map(|_| scope.spawn(|| told(dir.path(), "hertz").len())).collect();
        each.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(counts, [20; 4]);
    let rows: i64 =
        open(dir.path()).db.query_row("SELECT count(*) FROM bodies", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 40 * 6, "each text is kept once");
}

#[test]
fn of_many_words_that_begin_alike_all_are_found() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..MAX_COMPLETIONS + 8 {
        let text = format!("glide{number:02} over the moor");
        write_session(dir.path(), &format!("s-{number}"), &[Entry::Prompt(text.into())]);
    }
    let count = |words: &str, limit: usize| {
        let found = found(dir.path(), &SearchQuery { limit, ..wanted(words) });
        (found.hits.len(), found.more)
    };
    assert_eq!(count("moor gli", 1000), (MAX_COMPLETIONS + 8, false));
    assert_eq!(count("glide", 5), (5, true));
    assert_eq!(count("glide0", 1000), (10, false));
    assert_eq!(count("glide07", 1000), (1, false));
    assert_eq!(count("glider", 1000), (0, false));
}

#[test]
fn the_oldest_are_left_out_where_there_is_too_much() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..4 {
        set_modified(&whole(dir.path(), &format!("s-{number}")), 1_000_000 + number);
    }
    let mut derived = open(dir.path());
    let masker = Masker::default();
    update::update(&mut derived, dir.path(), &masker, 400, &ALWAYS).unwrap();
    let looking = wanted("hertz");
    let searching = Searcher { folder: dir.path(), wanted: &looking, masker: &masker, waiting: &ALWAYS };
    let (found, stale) = searching.find(&derived.db).unwrap();
    let ids: Vec<&str> = found.hits.iter().map(|hit| hit.session.id.as_str()).collect();
    assert!(ids.first() == Some(&"s-3") && ids.len() < 4, "{ids:?}");
    assert_eq!((found.left_out, stale.len()), (4 - ids.len(), 0));
    assert!(database::kept_bytes(&derived.db).unwrap() <= 400);
}

#[test]
fn nobody_who_does_not_wait_any_more_is_searched_for() {
    let dir = tempfile::tempdir().unwrap();
    whole(dir.path(), "s-1");
    let gone = SearchControl { goes_on: &|| false, on_progress: &|_, _| {} };
    let found = search(dir.path(), &wanted("hertz"), &Masker::default(), &gone).unwrap();
    assert_eq!(found.hits, []);
}

proptest! {
    #![proptest_config(crate::test_cases::cases(256))]
    #[test]
    fn whatever_is_looked_for_is_answered(text in "\\PC{1,40}", asked in any::<String>()) {
        let dir = tempfile::tempdir().unwrap();
        write_session(dir.path(), "s-1", &[Entry::Prompt(text.clone().into())]);
        search(dir.path(), &wanted(&asked), &Masker::default(), &ALWAYS).unwrap();
        let own = wanted(&format!("\"{}\"", text.replace('"', " ")));
        let hits = search(dir.path(), &own, &Masker::default(), &ALWAYS).unwrap().hits;
        prop_assert_eq!(hits.len(), usize::from(!own.sought.is_empty()), "{:?}", text);
    }
}

#[test]
fn names_are_found_where_what_was_asked_does_not_tell_them() {
    let dir = tempfile::tempdir().unwrap();
    let path = whole(dir.path(), "s-1");
    let rename = |name: &str| wait(manage::rename(&path, name, (&Masker::default(), None), AT)).unwrap();
    rename("quarterly zebra");
    let name = ("name", None, "quarterly zebra".to_owned());
    assert_eq!(told(dir.path(), "zebra quart"), std::slice::from_ref(&name));
    let of_python = SearchQuery { language: Some("python".into()), ..wanted("zebra") };
    assert!(found(dir.path(), &of_python).hits.is_empty());
    let elsewhere = SearchQuery { folder: Some("/elsewhere".into()), ..wanted("zebra") };
    assert!(found(dir.path(), &elsewhere).hits.is_empty());
    // A caller that has a list of the sessions searches only for places.
    assert!(found(dir.path(), &SearchQuery { without_names: true, ..wanted("zebra") }).hits.is_empty());
    // A name made from the first prompt gives no extra hit, and neither does an old name.
    rename("why-does-the-turbine");
    assert!(told(dir.path(), "zebra").is_empty());
    assert_eq!(told(dir.path(), "why turbine")[0].0, "prompt");
}

#[test]
fn filters_alone_tell_blocks_or_what_was_asked() {
    let dir = tempfile::tempdir().unwrap();
    let _one = whole(dir.path(), "s-1");
    let entries = vec![
        Entry::Prompt("Once more.".into()),
        Entry::Block(block(1, "\n1 / 0")),
        ran(1, Outcome::Failed, "division by zero"),
    ];
    let _two = write_session(dir.path(), "s-2", &entries);
    let all = |wanted: SearchQuery| -> Vec<(String, String)> {
        let hits = found(dir.path(), &SearchQuery { limit: 20, ..wanted }).hits;
        hits.into_iter().map(|hit| (hit.place.to_string(), hit.line)).collect()
    };
    let failed = SearchQuery { outcome: Some("failed".into()), ..SearchQuery::default() };
    assert_eq!(all(failed.clone()), [("block 1".to_owned(), "1 / 0".to_owned())]);
    assert!(all(SearchQuery { until: Some(AT), ..failed }).is_empty());
    let asked: Vec<String> =
        all(SearchQuery { since: Some(AT), ..SearchQuery::default() }).into_iter().map(|hit| hit.1).collect();
    assert_eq!(asked.len(), 2, "{asked:?}");
    for words in ["Once more.", "Why does the turbine vibrate?"] {
        assert!(asked.iter().any(|line| line == words), "{asked:?}");
    }
    assert!(all(SearchQuery::default()).is_empty(), "nothing is looked for");
}

#[test]
fn what_branches_have_in_common_is_told_once() {
    let dir = tempfile::tempdir().unwrap();
    let entries = || vec![Entry::Prompt("the turbine".into()), Entry::Block(block(1, "turbine()"))];
    let branch = |id: &str, of: Option<&str>, more: Option<&str>| {
        let branch_of = of.map(|of| crate::domain::BranchOrigin {
            session: crate::domain::SessionId(of.into()),
            entries: 2,
            at: None,
        });
        let store = Store::create(dir.path(), crate::domain::Header { branch_of, ..header(id) });
        entries()
            .into_iter()
            .chain(more.map(|text| Entry::Prompt(text.into())))
            .for_each(|e| store.append(e, AT));
        wait(store.close()).unwrap();
    };
    branch("s-1", None, None);
    branch("s-2", Some("s-1"), Some("another turbine"));
    branch("s-3", Some("s-2"), None);
    branch("s-4", None, None);
    let hits = found(dir.path(), &wanted("turbine")).hits;
    let mut told: Vec<(String, usize)> = hits.into_iter().map(|hit| (hit.line, hit.also)).collect();
    told.sort();
    let one = |line: &str, also| (line.to_owned(), also);
    // s-4 has the same text, but is not related to the others.
    let expected = [
        one("another turbine", 0),
        one("the turbine", 0),
        one("the turbine", 2),
        one("turbine()", 0),
        one("turbine()", 2),
    ];
    assert_eq!(told, expected);
}

#[test]
fn many_sessions_leave_at_once_and_give_their_room_back() {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..40)
        .map(|n| {
            let text: String = (0..4_000).map(|word| format!("wombat{n}x{word} ")).collect();
            write_session(dir.path(), &format!("s-{n}"), &[Entry::Prompt(text.as_str().into())])
        })
        .collect();
    settled(dir.path());
    let space = || std::fs::metadata(dir.path().join("index/search.db")).unwrap().len();
    let before = space();
    let (kept, gone) = paths.split_first().unwrap();
    let gone: Vec<&Path> = gone.iter().map(PathBuf::as_path).collect();
    let mut removed = 0;
    let done = manage::delete_all(&gone, |_, result| removed += usize::from(result.is_ok()));
    assert!(done.iter().all(Result::is_ok) && removed == gone.len());
    assert!(space() < before / 4, "{} of {before}", space());
    assert!(kept.exists() && holds(dir.path(), b"wombat0x1 ") && !holds(dir.path(), b"wombat1x1 "));
    assert_eq!(told(dir.path(), "wombat0x17").first().map(|place| place.0), Some("prompt"));
}
