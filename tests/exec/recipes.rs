//! What recipes propose by themselves, run for real in the kernel and its sandbox.

use crate::support::*;

const WHICH_HUNK: &str = include_str!("../../assets/recipes/which_hunk.py");
const MEASURE: &str = include_str!("../../assets/recipes/measure.py");

#[tokio::test]
async fn the_hunk_that_breaks_the_net_is_found_in_the_kernel() {
    let shop = Shop::new();
    let folder = shop.work();
    let file = "a = 10\nkeep = 1\nb = 2\nkeep_too = 1\nc = 30\n";
    std::fs::write(folder.join("work.py"), file).unwrap();
    std::fs::write(folder.join("net.py"), "import work\nassert work.b == 20\n").unwrap();
    let hunks = "[(0, 1, ['a = 1\\n']), (2, 3, ['b = 20\\n']), (4, 5, ['c = 3\\n'])]";
    let net = format!("{} net.py", python().display());
    let call =
        format!("_which_hunk(folder={folder:?}, file='work.py', net={net:?}, hunks={hunks}, seconds=16)\n");
    let told = shop.py(&format!("{WHICH_HUNK}{call}del _which_hunk\n")).await.ok();
    let out = told.out();
    assert!(out.ends_with("=> hunk 2 of 3 (line 3) breaks the net\n"), "{out}");
    assert_eq!(out.lines().count(), 8, "{out}");
    assert_eq!(std::fs::read_to_string(folder.join("work.py")).unwrap(), file);
    assert!(told.report.receipt.files.is_empty(), "{:?}", told.report.receipt.files);
    assert_eq!(shop.py("'_which_hunk' in globals()").await.value(), "False");
}

#[tokio::test]
async fn runs_are_measured_in_the_kernel() {
    let shop = Shop::new();
    let call = |before: &str| {
        let (folder, python) = (shop.work(), python());
        format!(
            "{MEASURE}_measure(folder={folder:?}, command=[{python:?}, '-c', 'pass'], before={before}, seconds=16)\n"
        )
    };
    let out = shop.py(&call("[]")).await.ok().out();
    assert!(out.contains("\nmedian ") && out.contains(" s, 7 runs\n=> seconds: "), "{out}");
    let out = shop.py(&call("[0.5, 0.6, 0.7]")).await.ok().out();
    assert!(
        out.contains("before: median 0.6000 s, from 0.5000 to 0.7000 s, 3 runs\nafter: median "),
        "{out}"
    );
}

/// What the recipe `function` proposes for a function that has to be awaited.
#[tokio::test]
async fn a_function_that_has_to_be_awaited_is_called() {
    let shop = Shop::new();
    shop.py("async def later(n: int) -> int:\n    'Later.'\n    return n + 1\n").await.ok();
    assert_eq!(shop.py("await later(n=1)").await.ok().value(), "2");
}
