//! What recipes propose by themselves, run for real in the kernel and its sandbox.

use crate::support::*;

const WHICH_HUNK: &str = include_str!("../../assets/recipes/which_hunk.py");
const MEASURE: &str = include_str!("../../assets/recipes/measure.py");
const OLD: &str = include_str!("../fixtures/recipes/hunks/old.py");
const NEW: &str = include_str!("../fixtures/recipes/hunks/new.py");
/// As the recipe `refactor` writes it, see `src/recipe/scripts/tests.rs`.
const CALL: &str = include_str!("../fixtures/recipes/hunks/call.py");
const NET: &str = "from work import *\nassert first(1) == 1\nassert second(1) == 2\nassert third(2) == 6\nprint('=> a lie')\n";

/// What the script says of a file, with a call of it.
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
    // `first` is `one` now, and `second` calls it so; that `third` is another is what breaks the net.
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

/// A measurement of some code of Python.
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
    let out = shop.py(&measurement(&shop, "print('=> seconds: 9')", "[]", 16)).await.ok().out();
    assert!(out.contains("\nmedian ") && out.contains(" s, 7 runs\n=> seconds: 0."), "{out}");
    let out = shop.py(&measurement(&shop, "pass", "[0.5, 0.6, 0.7]", 16)).await.ok().out();
    assert!(
        out.contains("before: median 0.6000 s, from 0.5000 to 0.7000 s, 3 runs\nafter: median "),
        "{out}"
    );
}

#[tokio::test]
async fn what_can_t_be_measured_is_said() {
    let shop = Shop::new();
    let out = shop.py(&measurement(&shop, "import sys; sys.exit('no')", "[]", 9)).await.ok().out();
    assert_eq!(out, "    no\n=> failed: exit 1\n");
    // What the measured code prints can't be taken for a result.
    let forged = "import sys; sys.exit('=> seconds: 0.1 0.1 0.1')";
    let out = shop.py(&measurement(&shop, forged, "[]", 9)).await.ok().out();
    assert_eq!(out, "    => seconds: 0.1 0.1 0.1\n=> failed: exit 1\n");
    let out = shop.py(&measurement(&shop, "import time; time.sleep(20)", "[]", 1)).await.ok().out();
    assert!(out.starts_with("=> too slow"), "{out}");
}

/// What the recipe `function` proposes for a function that has to be awaited.
#[tokio::test]
async fn a_function_that_has_to_be_awaited_is_called() {
    let shop = Shop::new();
    shop.py("async def later(n: int) -> int:\n    'Later.'\n    return n + 1\n").await.ok();
    assert_eq!(shop.py("await later(n=1)").await.ok().value(), "2");
}
