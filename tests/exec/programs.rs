//! Programs for one block: bash and node.

use crate::support::*;
use sayso::domain::*;

#[tokio::test]
async fn bash_keeps_its_folder_and_exported_variables() {
    let shop = Shop::new();
    let told =
        shop.sh("mkdir -p 'a b/c'; cd 'a b/c'; export WORDS=$'two\\nlines'; local_only=1; false").await;
    assert_eq!((told.report.outcome.clone(), told.report.receipt.exit_code), (Outcome::Failed, Some(1)));
    assert_eq!(told.report.cwd, Some(shop.work().join("a b/c")));
    assert_eq!(shop.terms("bash").await.cwd, shop.work().join("a b/c"));
    let told = shop.sh("pwd; echo \"$WORDS ${local_only-unset}\"; unset WORDS").await.ok();
    assert_eq!(told.out(), format!("{}\ntwo\nlines unset\n", shop.work().join("a b/c").display()));
    assert_eq!(shop.sh("echo ${WORDS-gone}").await.ok().out(), "gone\n");
}

#[tokio::test]
async fn an_environment_too_large_to_start_with_stops_no_later_block() {
    let shop = Shop::new();
    let large = "large=$(head -c 100000 /dev/zero | tr '\\0' x); export SMALL=1";
    for export in ["export BIG=$large$large", "for at in {1..30}; do export BIG$at=$large; done"] {
        shop.sh(&format!("{large}; {export}")).await.ok();
        assert_eq!(shop.sh("echo $SMALL ${BIG-gone}").await.ok().out(), "1 gone\n", "{export}");
        shop.sh(&format!("{large}; {export}")).await.ok();
        let terms = shop.terms("bash").await;
        let changed = terms.shared.unwrap().changed.join("; ");
        assert!(changed.contains("not carried over: BIG"), "{changed}");
    }
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock"]
async fn a_shell_that_names_a_folder_closed_to_it_stays_where_it_was() {
    // With bubblewrap, what lies in `/tmp` is the run's own, as far as its rights tell.
    let shop = Shop::with(|setup| setup.without = NO_BWRAP);
    let closed = shop.base().join("closed");
    std::fs::create_dir(&closed).unwrap();
    let forged = |folder: &std::path::Path| {
        format!("printf 'cwd\\0{}\\n\\0end\\0' >&91; kill -9 $$", folder.display())
    };
    for (folder, next) in [(closed, shop.work()), (shop.work().join("sub"), shop.work().join("sub"))] {
        std::fs::create_dir_all(&folder).unwrap();
        shop.sh(&forged(&folder)).await;
        assert_eq!(shop.terms("bash").await.cwd, next);
    }
}

#[tokio::test]
async fn bash_keeps_its_state_however_the_block_ends() {
    let shop = Shop::new();
    for (n, source) in [
        "export V=0; exit 0",
        "set -e; export V=1; false; echo never",
        "set -u; export V=2; echo $unset_name",
        "trap 'echo bye' EXIT; export V=3",
        "set -x; export V=4",
        "IFS=x; export V=5; (exit 9)",
        "printf() { :; }; pwd() { :; }; export V=6",
        "PATH=; export V=7",
        "export V=8; kill() { :; }; return 0 2>/dev/null",
    ]
    .iter()
    .enumerate()
    {
        let told = shop.sh(source).await;
        assert!(!told.err().contains("sayso"), "{source}: {}", told.err());
        assert_eq!(shop.sh("echo $V").await.ok().out(), format!("{n}\n"), "{source}");
        shop.sh("export PATH=/usr/bin:/bin").await;
    }
    // Killed, or replaced by another program: the previous state stays.
    shop.sh("cd /; export V=no; kill -9 $$").await;
    shop.sh("cd /; exec true").await.ok();
    let told = shop.sh("echo $V; pwd").await.ok();
    assert_eq!(told.out(), format!("8\n{}\n", shop.work().display()));
}

#[tokio::test]
async fn bash_names_the_block_and_the_line() {
    let shop = Shop::new();
    let told = shop.sh("echo one\n\nnot_a_command\n").await;
    assert_eq!(told.err(), "block 1: line 3: not_a_command: command not found\n");
    assert_eq!(told.report.receipt.exit_code, Some(127));
    let told = shop.sh("echo fine\nif then\n").await;
    assert_has(&told.err(), &["block 2: ", "line 2: syntax error"]);
    assert_eq!(shop.sh("echo $0 $# $-").await.ok().out(), "block 3 0 hBc\n");
}

#[tokio::test]
async fn both_streams_and_no_input() {
    let shop = Shop::new();
    let none =
        "echo out; echo err >&2; cat; read x || echo no input; [ -t 0 ] || echo no terminal; printf end";
    let told = shop.sh(none).await.ok();
    assert_eq!((told.out().as_str(), told.err().as_str()), ("out\nno input\nno terminal\nend", "err\n"));
    let devices = "echo x > /dev/stderr; echo y > /dev/stdout; (: < /dev/tty) 2>/dev/null || echo no tty";
    let told = shop.sh(devices).await.ok();
    assert_eq!((told.out().as_str(), told.err().as_str()), ("y\nno tty\n", "x\n"));
}

#[tokio::test]
async fn bash_refuses_a_nul() {
    let shop = Shop::new();
    let told = shop.sh("echo a\0b").await;
    assert!(matches!(told.report.outcome, Outcome::Refused(_)), "{:?}", told.report.outcome);
}

#[tokio::test]
#[ignore = "needs node"]
async fn node_runs_scripts_and_modules() {
    let shop = Shop::new();
    std::fs::write(shop.work().join("mine.cjs"), "module.exports = { v: 7 }").unwrap();
    std::fs::write(shop.work().join("mine.mjs"), "export const v = 8; export default 9").unwrap();
    let told = shop.run("javascript", "const fs = require('fs'); const { v } = require('./mine.cjs'); console.log(v, typeof fs.readFileSync, require.main === module, process.argv.length)").await.ok();
    assert_eq!(told.out(), "7 function true 2\n");
    let told = shop.run("javascript", "import fs, { readFileSync } from 'fs';\nimport nine, { v } from './mine.mjs';\nconst w = await Promise.resolve(v);\nconsole.log(w, nine, typeof fs.readFileSync, (await import('./mine.mjs')).v)").await.ok();
    assert_eq!((told.out().as_str(), told.err().as_str()), ("8 9 function 8\n", ""));
    let told = shop.run("javascript", "const x = 1;\nfunction f() { throw new TypeError('no') }\nf()").await;
    assert_eq!(told.report.receipt.exit_code, Some(1));
    assert!(told.err().contains("block 3:2") && told.err().contains("TypeError: no"), "{}", told.err());
    let told = shop.run("javascript", "let x = ;").await;
    assert!(told.err().contains("block 4:1") && told.err().contains("SyntaxError"), "{}", told.err());
    let told = shop.run("javascript", "import x from 'fs';\nthrow new Error('late')").await;
    assert!(told.err().contains("block 5:2") && told.report.receipt.exit_code == Some(1), "{}", told.err());
    let told = shop.run("javascript", "process.exit(4)").await;
    assert_eq!((told.report.outcome.clone(), told.report.receipt.exit_code), (Outcome::Failed, Some(4)));
}

#[tokio::test]
async fn the_receipt_tells_what_was_used() {
    let shop = Shop::new();
    let told = shop.sh("i=0; (while ((i < 200000)); do ((i++)); done); sleep 0.2; head -c 50000000 /dev/zero | tail -c 40000000 | wc -c").await.ok();
    let receipt = &told.report.receipt;
    assert!(receipt.cpu_us > 50_000 && receipt.wall_us > 200_000, "{receipt:?}");
    assert!(receipt.peak_rss_bytes > 35 << 20, "{receipt:?}");
    assert!(receipt.processes >= 2, "{receipt:?}");
    let told = shop.py("s = 0\nfor i in range(2_000_000): s += i\nx = bytearray(80_000_000)").await.ok();
    let receipt = &told.report.receipt;
    assert!(receipt.cpu_us > 30_000 && receipt.cpu_us < 10_000_000, "{receipt:?}");
    assert!(receipt.peak_rss_bytes > 80_000_000, "{receipt:?}");
    let told = shop.py("1").await.ok();
    assert!(told.report.receipt.cpu_us < 30_000, "not the difference: {:?}", told.report.receipt);
}

#[tokio::test]
async fn what_is_not_installed_is_told() {
    let shop = Shop::with(|setup| language_of!(setup, "javascript").command = "node-of-nowhere".into());
    assert_has(&shop.refusal("javascript").await, &["node-of-nowhere", "installed"]);
}

#[tokio::test]
async fn interpreters_are_found_with_their_versions() {
    let shop = Shop::new();
    let found = shop.executor.interpreters().await;
    let names: Vec<&str> = found.iter().map(|i| i.language.as_str()).collect();
    assert_eq!(names.get(..3), Some(&["python", "bash", "javascript"][..]));
    assert!(found.iter().all(|i| i.path.is_absolute()), "{found:?}");
    // Not every program prints its version: dash does not.
    assert!(found.iter().take(3).all(|i| i.version.is_some()), "{found:?}");
}
