//! The limits of a run, one by one: each is enforced, in a program of its own and in a kernel that was started with
//! others.

use crate::support::*;
use sayso::domain::*;
use std::time::Duration;

impl Shop {
    async fn under(&self, limits: Limits, language: &str, source: &str) -> Told {
        let terms = self.executor.terms(&Language(language.into()), Some(limits)).await.unwrap();
        assert_eq!(terms.limits, limits);
        self.carry_out(self.request_under(terms, source)).await
    }
}

fn limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits { wall_ms: 20_000, ..Limits::default() };
    change(&mut limits);
    limits
}

const FILE: u64 = 65_536;

#[tokio::test]
async fn a_file_grows_no_further_than_its_limit() {
    let shop = Shop::new();
    let small = limits(|l| l.file_bytes = FILE);
    let told = shop.under(small, "bash", "head -c 200000 /dev/zero > big; wc -c < big").await.ok();
    assert_eq!(told.out().trim(), FILE.to_string());
    assert_eq!(shop.sh("head -c 200000 /dev/zero > big; wc -c < big").await.ok().out().trim(), "200000");
    // In a kernel that was started with a higher limit.
    let write = "with open('f', 'wb') as f: f.write(b'x' * 200000)";
    shop.py(write).await.ok();
    let told = shop.under(small, "python", write).await.ended(Outcome::Failed);
    assert!(told.error().message.contains("File too large"), "{:?}", told.error());
    assert_eq!(std::fs::metadata(shop.work().join("f")).unwrap().len(), FILE);
    shop.py(write).await.ok();
}

#[tokio::test]
async fn no_more_files_are_open_than_allowed() {
    let shop = Shop::new();
    let few = limits(|l| l.open_files = 40);
    let source = "for i in $(seq 100); do exec {fd}</dev/null || break; n=$i; done 2>/dev/null; echo $n";
    let told = shop.under(few, "bash", source).await;
    let opened: u32 = told.out().trim().parse().unwrap();
    assert!((20..40).contains(&opened), "{opened}");
    let source = "kept = []\ntry:\n    while len(kept) < 100: kept.append(open('/dev/null'))\nexcept OSError as e:\n    print(e)\nn = len(kept)\nkept.clear()\nn";
    let told = shop.under(few, "python", source).await.ok();
    assert!(told.value().parse::<u32>().unwrap() < 40, "{}", told.value());
    assert!(told.out().contains("Too many open files"), "{}", told.out());
    assert_eq!(shop.py(source).await.ok().value(), "100");
}

#[tokio::test]
async fn a_session_with_few_open_files_has_a_kernel() {
    let shop = Shop::with(|setup| setup.limits.open_files = 40);
    let source = "import resource\nresource.getrlimit(resource.RLIMIT_NOFILE)[0]";
    assert_eq!(shop.py(source).await.ok().value(), "40");
}

#[tokio::test]
async fn a_limit_that_the_code_lifts_is_put_back() {
    let shop = Shop::new();
    shop.py("import resource, time, subprocess").await.ok();
    let small = limits(|l| l.file_bytes = FILE);
    let terms = shop.executor.terms(&Language::python(), Some(small)).await.unwrap();
    assert_eq!(terms.rights.sandbox.files, Enforcement::Watched, "the code can lift it for a moment");
    let lift = "of = resource.RLIMIT_FSIZE\nmost = resource.getrlimit(of)[1]\nresource.setrlimit(of, (most, most))\n\
                until = time.monotonic() + 15\n\
                while resource.getrlimit(of)[0] == most and time.monotonic() < until: time.sleep(0.01)\n\
                resource.getrlimit(of)[0]";
    assert_eq!(shop.under(small, "python", lift).await.ok().value(), FILE.to_string());
    // The programs that the code starts are limited too.
    let source = "done = subprocess.run(['bash', '-c', 'ulimit -S -f unlimited; sleep 0.2; head -c 200000 /dev/zero > g'])\n\
                  import os\nos.stat('g').st_size";
    assert_eq!(shop.under(small, "python", source).await.ok().value(), FILE.to_string());
}

#[tokio::test]
async fn a_kernel_without_a_limit_is_given_one_for_a_later_run() {
    let shop = Shop::with(|setup| (setup.limits.file_bytes, setup.limits.open_files) = (0, 0));
    shop.py("import resource\nbefore = resource.getrlimit(resource.RLIMIT_NOFILE)").await.ok();
    let write = "with open('f', 'wb') as f: f.write(b'x' * 200000)";
    shop.py(write).await.ok();
    let small = limits(|l| (l.file_bytes, l.open_files) = (FILE, 40));
    assert_eq!(shop.under(small, "python", write).await.report.outcome, Outcome::Failed);
    assert_eq!(std::fs::metadata(shop.work().join("f")).unwrap().len(), FILE);
    let ask = "resource.getrlimit(resource.RLIMIT_NOFILE)[0]";
    assert_eq!(shop.under(small, "python", ask).await.ok().value(), "40");
    shop.py(write).await.ok();
    let same = "resource.getrlimit(resource.RLIMIT_NOFILE) == before";
    assert_eq!(shop.py(same).await.ok().value(), "True");
}

#[tokio::test]
async fn code_that_lowers_its_own_limits_for_good_is_followed_by_others() {
    let shop = Shop::new();
    let lower = "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))";
    shop.py(lower).await.ok();
    let ask = "resource.getrlimit(resource.RLIMIT_NOFILE)";
    assert_eq!(shop.py(ask).await.ok().value(), "(100, 100)");
    let few = limits(|l| l.open_files = 40);
    assert_eq!(shop.under(few, "python", ask).await.ok().value(), "(40, 100)");
}

#[tokio::test]
async fn a_look_at_a_block_widens_nothing() {
    let shop = Shop::new();
    let wide = limits(|l| l.file_bytes = 0);
    shop.executor.warm(&Language::python());
    let narrow = shop.terms("python").await;
    let looked = shop.executor.terms(&Language::python(), Some(wide)).await.unwrap();
    let generation = |terms: &Terms| terms.kernel.unwrap().generation;
    assert_ne!(generation(&looked), generation(&narrow), "another would be begun");
    let again = shop.terms("python").await;
    // Its version is known once it is ready, which may happen in between.
    let again = Terms { version: narrow.version.clone(), ..again };
    assert_eq!(again, narrow, "the kernel that was there stays");
    let ask = "import resource\nresource.getrlimit(resource.RLIMIT_FSIZE)";
    assert_eq!(shop.py(ask).await.ok().value(), format!("({0}, {0})", 1u64 << 30));
    // An approved limit does not outlive the kernel either.
    shop.executor.restart_kernel();
    shop.under(wide, "python", "1").await.ok();
    shop.executor.restart_kernel();
    assert_eq!(shop.py(ask).await.ok().value(), format!("({0}, {0})", 1u64 << 30));
}

#[tokio::test]
async fn a_kernel_makes_way_for_wider_limits_or_says_what_to_do() {
    let shop = Shop::new();
    let wide = limits(|l| l.file_bytes = 3 << 30);
    let ask = "import resource\nresource.getrlimit(resource.RLIMIT_FSIZE)[0]";
    // An unused kernel is replaced silently.
    shop.executor.warm(&Language::python());
    assert_eq!(shop.under(wide, "python", ask).await.ok().value(), (3u64 << 30).to_string());
    assert_eq!(shop.py(ask).await.ok().value(), (1u64 << 30).to_string());
    // A kernel with variables is not replaced silently.
    let wider = limits(|l| l.file_bytes = 4 << 30);
    let why = shop.executor.terms(&Language::python(), Some(wider)).await.unwrap_err().to_string();
    assert!(why.contains("file size") && why.contains("K runs the block in a new kernel"), "{why}");
    assert_eq!(shop.py("1").await.ok().value(), "1");
    shop.executor.restart_kernel();
    assert_eq!(shop.under(wider, "python", ask).await.ok().value(), (4u64 << 30).to_string());
}

#[tokio::test]
async fn no_more_processes_than_allowed() {
    let shop = Shop::new();
    let few = limits(|l| l.processes = 12);
    let terms = shop.executor.terms(&Language::bash(), Some(few)).await.unwrap();
    let held = terms.rights.sandbox.processes;
    let told = shop.under(few, "bash", "for i in $(seq 60); do sleep 1 & done; wait").await;
    let by_us = matches!(&told.report.outcome, Outcome::Limit(what) if what.starts_with("processes"));
    let by_the_system = told.err().contains("fork: ");
    assert!(by_us || by_the_system, "{:?} {}", told.report.outcome, told.err());
    assert_eq!(held == Enforcement::Enforced, by_the_system && !by_us, "{held:?}");
    assert!(told.took < Duration::from_secs(10), "{:?}", told.took);
}

#[tokio::test]
async fn memory_of_all_processes_together_is_limited() {
    let shop = Shop::new();
    let small = limits(|l| l.memory_bytes = 200 << 20);
    // Four processes, each below the limit.
    let source = "import os, time\nfor _ in range(4):\n    if os.fork() == 0:\n        kept = bytearray(90 << 20)\n        time.sleep(9)\n        os._exit(0)\ntime.sleep(9)";
    let told = shop.under(small, "python", source).await;
    let Outcome::Limit(what) = &told.report.outcome else { panic!("{:?}", told.report.outcome) };
    assert!(what.starts_with("memory"), "{what}");
}

#[tokio::test]
async fn output_is_kept_up_to_its_limit() {
    let shop = Shop::new();
    let short = limits(|l| l.output_kept_bytes = 4096);
    let told = shop.under(short, "bash", "head -c 100000 /dev/zero | tr '\\0' x").await.ok();
    assert!(told.out().len() <= 4200, "{}", told.out().len());
    assert_eq!(told.report.output.total(Stream::Stdout), 100_000);
}

#[tokio::test]
async fn a_fork_bomb_is_ended() {
    let shop = Shop::alone();
    let few = limits(|l| (l.processes, l.wall_ms) = (64, 5_000));
    for (language, bomb) in [
        ("bash", "b() { b | b & }; b; wait; sleep 600"),
        ("bash", "while :; do (while :; do sleep 600 & done) & done"),
        ("python", "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"),
        (
            "python",
            "import threading, time\nwhile True:\n    try: threading.Thread(target=time.sleep, args=(600,), daemon=True).start()\n    except RuntimeError: time.sleep(0.1)",
        ),
    ] {
        let play = async || {
            let told = shop.under(few, language, bomb).await;
            println!("{bomb:?}: {:?} after {:?}", told.report.outcome, told.took);
            let held = matches!(told.report.outcome, Outcome::Limit(_));
            // If the system enforces the number, the bomb computes without spreading until its time is up.
            assert!(held || told.report.outcome == Outcome::TimedOut, "{:?}", told.report.outcome);
            // None ends by itself; how soon it is killed depends on what else needs the processors.
            assert!(told.took < Duration::from_secs(60), "{bomb}: {:?}", told.took);
            held
        };
        // Without a control group nothing enforces the number for root: the helper has to notice, beside a bomb that
        // may keep a busy system from scheduling the helper until the time is up. So it may not succeed every time.
        let (root, mut held) = (rustix::process::geteuid().is_root(), play().await);
        for _ in 1..MAX_TRIES {
            if root && !held {
                held = play().await;
            }
        }
        assert!(held || !root, "{bomb}");
    }
}

/// A real control group, wherever the version 2 hierarchy is mounted.
#[test]
#[ignore = "needs a cgroup v2 hierarchy that can be written"]
fn a_control_group_is_entered_ended_as_a_whole_and_removed() {
    use sayso::exec::cgroup::Group;
    use sayso::exec::helper_part::JOIN;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let root = mounts.lines().find(|line| line.contains(" - cgroup2 ")).unwrap().split(' ').nth(4).unwrap();
    let name = format!("sayso-test-{}", std::process::id());
    let group = Group::make(std::path::Path::new(root), &name).unwrap();
    // Its children leave their group and session, and keep forking.
    let crowd = "for i in 1 2 3 4; do setsid sh -c 'while :; do sleep 7 & sleep 0.01; done' & done; wait";
    let helper = env!("CARGO_BIN_EXE_sayso");
    let mut child = std::process::Command::new(helper)
        .args(["__run", JOIN])
        .arg(group.procs_file())
        .args(["/bin/sh", "-c", crowd])
        .spawn()
        .unwrap();
    let inside = |group: &Group| std::fs::read_to_string(group.procs_file()).unwrap().lines().count();
    eventually("a crowd", || inside(&group) > 20);
    assert!(!group.is_empty());
    group.kill().unwrap();
    eventually("nobody", || group.is_empty());
    child.wait().unwrap();
    drop(group);
    assert!(!std::path::Path::new(root).join(&name).exists());
    // A group that is left behind with processes is removed once its owner has ended.
    let group = Group::make(std::path::Path::new(root), &name).unwrap();
    let mut child = std::process::Command::new(helper)
        .args(["__run", JOIN])
        .arg(group.procs_file())
        .args(["/bin/sleep", "60"])
        .spawn()
        .unwrap();
    eventually("one", || inside(&group) == 1);
    drop(group);
    assert!(!child.wait().unwrap().success());
    assert!(!std::path::Path::new(root).join(&name).exists());
}
