//! Blocks that recipes propose themselves, run for real in the kernel and its sandbox.

use crate::support::*;
use std::time::Duration;

const WHICH_HUNK: &str = include_str!("../../assets/recipes/which_hunk.py");
const MEASURE: &str = include_str!("../../assets/recipes/measure.py");
const OLD: &str = include_str!("../fixtures/recipes/hunks/old.py");
const NEW: &str = include_str!("../fixtures/recipes/hunks/new.py");
/// As the recipe `refactor` writes it; see `src/recipe/scripts/tests.rs`.
const CALL: &str = include_str!("../fixtures/recipes/hunks/call.py");
const NET: &str = "from work import *\nassert first(1) == 1\nassert second(1) == 2\nassert third(2) == 6\nprint('=> a lie')\n";

/// The output of the script for a file, with a call of it.
async fn which(file: &str, call: &str) -> Vec<String> {
    let shop = Shop::new();
    let folder = shop.work();
    std::fs::write(folder.join("work.py"), file).unwrap();
    std::fs::write(folder.join("net.py"), NET).unwrap();
    std::fs::create_dir(folder.join(".git")).unwrap();
    let call = call.replace("'/work/project'", &format!("'{}'", folder.display()));
    let call = call.replace("'python3 net.py'", &format!("'{} net.py'", python().display()));
    let told = shop.py(&format!("{WHICH_HUNK}{call}")).await.ok();
    assert_eq!(std::fs::read_to_string(folder.join("work.py")).unwrap(), file, "the folder is as it was");
    assert!(told.report.receipt.files.is_empty(), "{:?}", told.report.receipt.files);
    assert_eq!(shop.py("'_which_hunk' in globals()").await.value(), "False");
    told.out().lines().filter_map(|line| line.strip_prefix("=> ")).map(str::to_owned).collect()
}

/// The call with other hunks.
fn call(hunks: &str) -> String {
    let head = CALL.split_once("hunks=[").unwrap().0;
    format!("{head}hunks=[{hunks}], seconds=16)\ndel _which_hunk\n")
}

#[tokio::test]
async fn the_hunk_that_breaks_the_net_is_named() {
    assert_eq!(which(NEW, CALL).await, ["hunk 2 of 3 (line 6) breaks the net"]);
}

#[tokio::test]
async fn hunks_that_need_each_other_are_not_blamed() {
    // `first` is now `one`, and `second` calls it that; the test fails because `third` has changed.
    let new = "def one(n):\n    return n\n\n\nfirst = one\n\n\ndef second(n):\n    return one(n) + 1\n\n\n\
        def third(n):\n    return n * 4\n";
    let hunks = r"(0, 1, ['def first(n):\n']), (4, 7, []), (8, 9, ['    return first(n) + 1\n']), (12, 13, ['    return n * 3\n'])";
    assert_eq!(which(new, &call(hunks)).await, ["hunk 4 of 4 (line 13) breaks the net"]);
}

#[tokio::test]
async fn what_can_t_be_told_is_said() {
    let two = OLD.replace("n + 1", "n + 2").replace("n * 3", "4 * n");
    let hunks = r"(5, 6, ['    return n + 1\n']), (9, 10, ['    return n * 3\n'])";
    let said = which(&two, &call(hunks)).await;
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said.iter().all(|line| line.ends_with("breaks the net when it is there alone")), "{said:?}");
    let said = which(NEW, &CALL.replace("'python3 net.py'", "'false'")).await;
    assert!(said[0].contains("even without the change"), "{said:?}");
}

/// A block that measures Python code.
fn measurement(shop: &Shop, code: &str, before: &str, seconds: u32) -> String {
    let (folder, python) = (shop.work(), python());
    let (folder, python) = (folder.display(), python.display());
    format!(
        "{MEASURE}_measure(folder='{folder}', command=['{python}', '-c', {code:?}], before={before}, seconds={seconds})\n"
    )
}

#[tokio::test]
async fn runs_are_measured() {
    let shop = Shop::new();
    let play = async || {
        let told = shop.py(&measurement(&shop, "print('=> seconds: 9')", "[]", 16)).await.ok();
        assert!(told.out().contains("\nmedian "), "{}", told.out());
        // Each measurement takes less than a second, and all fit into the time.
        let was_in_time = told.out().contains(" s, 7 runs\n=> seconds: 0.");
        told.late_unless(was_in_time)
    };
    in_time(Duration::from_secs(20), play).await;
    let out = shop.py(&measurement(&shop, "pass", "[0.5, 0.6, 0.7]", 16)).await.ok().out();
    assert_has(&out, &["before: median 0.6000 s, from 0.5000 to 0.7000 s, 3 runs\nafter: median "]);
}

#[tokio::test]
async fn what_can_t_be_measured_is_said() {
    let shop = Shop::new();
    let out = shop.py(&measurement(&shop, "import sys; sys.exit('no')", "[]", 9)).await.ok().out();
    assert_eq!(out, "    no\n=> failed: exit 1\n");
    // Output of the measured code can't be taken for a result.
    let forged = "import sys; sys.exit('=> seconds: 0.1 0.1 0.1')";
    let out = shop.py(&measurement(&shop, forged, "[]", 9)).await.ok().out();
    assert_eq!(out, "    => seconds: 0.1 0.1 0.1\n=> failed: exit 1\n");
    let out = shop.py(&measurement(&shop, "import time; time.sleep(20)", "[]", 1)).await.ok().out();
    assert!(out.starts_with("=> too slow"), "{out}");
}

/// What the recipe `function` proposes for an async function.
#[tokio::test]
async fn a_function_that_has_to_be_awaited_is_called() {
    let shop = Shop::new();
    shop.py("async def later(n: int) -> int:\n    'Later.'\n    return n + 1\n").await.ok();
    assert_eq!(shop.py("await later(n=1)").await.ok().value(), "2");
}

const COLUMNS: &str = include_str!("../../assets/recipes/columns.py");

#[tokio::test]
async fn columns_are_told_with_the_form_of_their_values() {
    let shop = Shop::new();
    let table = "day,when,amount,de,n,word\n\
                 2024-01-02,03/04/2024,\"1,234.5\",\"1.234,5\",3,x\n\
                 2024-03-01T10:00:00Z,4.5.2023,22,\"3,5\",-,\n";
    std::fs::write(shop.work().join("a.csv"), table).unwrap();
    std::fs::write(shop.work().join("a.jsonl"), "{\"a\": 1, \"b\": \"x\"}\n\n{\"a\": null, \"c\": [1]}\n")
        .unwrap();
    std::fs::write(shop.work().join("a.json"), "[{\"a\": 1}, {\"a\": 2}]").unwrap();
    shop.py("import gzip\nwith gzip.open('b.csv.gz', 'wt') as file: print('a\\n1', file=file)").await.ok();
    let told = |file: &'static str| {
        let shop = &shop;
        async move {
            let call = format!(
                "{COLUMNS}_columns({:?}, {file:?})\ndel _columns\n",
                shop.work().display().to_string()
            );
            shop.py(&call).await.ok().out()
        }
    };
    assert_eq!(
        told("a.csv").await,
        "a.csv: 2 rows\n\
         \x20 day: 0 empty; 2 dates from 2024-01-02 to 2024-03-01T10:00:00Z\n\
         \x20 when: 0 empty; 2 dates of another form, 2 different: ['03/04/2024', '4.5.2023']\n\
         \x20 amount: 0 empty; 1 numbers from 22 to 22; 1 numbers with commas between thousands from 1234.5 to 1234.5\n\
         \x20 de: 0 empty; 2 numbers with a decimal comma from 3.5 to 1234.5\n\
         \x20 n: 1 empty; 1 numbers from 3 to 3\n\
         \x20 word: 1 empty; 1 texts, 1 different: ['x']\n"
    );
    assert_eq!(
        told("a.jsonl").await,
        "a.jsonl: 2 rows\n  a: 1 empty; 1 numbers from 1 to 1\n  b: 1 empty; 1 texts, 1 different: ['x']\n\
         \x20 c: 1 empty; 1 texts, 1 different: ['[1]']\n"
    );
    assert_eq!(told("a.json").await, "a.json: 2 rows\n  a: 0 empty; 2 numbers from 1 to 2\n");
    assert_eq!(told("b.csv.gz").await, "b.csv.gz: 1 rows\n  a: 0 empty; 1 numbers from 1 to 1\n");
}
