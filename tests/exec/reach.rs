//! Compares the reach that sayso shows for a run with what the run can really do: tries paths from inside, one by one.

use crate::support::*;
use sayso::domain::*;
use sayso::exec::{SandboxRequest, Setup};
use std::fs;
use std::path::{Path, PathBuf};

/// Tries to read and to write a path, and prints `r` and `w` for what worked.
const TRY: &str = r#"
try_one() {
  local told=""
  if [ -d "$1" ]; then
    ls "$1" >/dev/null 2>&1 && told=r
    (: >"$1/.tried") 2>/dev/null && told="${told}w" && rm -f "$1/.tried"
  else
    (head -c 1 -- "$1") >/dev/null 2>&1 && told=r
    (: >>"$1") 2>/dev/null && told="${told}w"
  fi
  printf '%s %s\n' "${told:--}" "$1"
}
"#;

/// A home folder with secrets, a project in it with a repository, and something beside it.
fn furnish(setup: &mut Setup) -> PathBuf {
    let home = setup.cwd.parent().unwrap().join("home");
    let work = home.join("work");
    for folder in [".ssh", "other", "work/.git/hooks", "work/data", "given/in", "given/out"] {
        fs::create_dir_all(home.join(folder)).unwrap();
    }
    for file in [".ssh/id_rsa", ".bashrc", "other/a.csv", "work/sales.csv", "work/.git/config", "given/in/a"]
    {
        fs::write(home.join(file), "x\n").unwrap();
    }
    fs::write(work.join(".git/hooks/pre-commit"), "x\n").unwrap();
    fs::write(work.join(".git/HEAD"), "x\n").unwrap();
    setup.cwd = work;
    setup.home = Some(home.clone());
    home
}

fn places(home: &Path) -> Vec<PathBuf> {
    let below = [
        "work",
        "work/sales.csv",
        "work/data",
        "work/.git/HEAD",
        "work/.git/config",
        "work/.git/hooks/pre-commit",
        "work/.git/hooks",
        ".ssh/id_rsa",
        ".ssh",
        ".bashrc",
        "other/a.csv",
        "other",
        "given/in/a",
        "given/out",
        ".cache",
    ];
    let system = [
        "/usr/bin/env",
        "/usr/lib",
        "/etc/passwd",
        "/etc/shadow",
        "/etc",
        "/tmp",
        "/var/tmp",
        "/var/log",
        "/dev/null",
        "/dev/shm",
        "/dev/zero",
        "/root",
        "/home",
        "/run",
        "/opt",
        "/boot",
        "/sys/kernel",
    ];
    below.iter().map(|path| home.join(path)).chain(system.iter().map(Into::into)).collect()
}

/// Every path whose shown reach differs from what was found.
async fn lies(change: impl FnOnce(&mut Setup)) -> Vec<String> {
    let mut home = PathBuf::new();
    let shop = Shop::with(|setup| {
        home = furnish(setup);
        change(setup);
    });
    let places = places(&home);
    let there: Vec<PathBuf> = places.iter().filter(|path| path.exists()).cloned().collect();
    let list: String = places.iter().map(|path| format!("try_one {}\n", path.display())).collect();
    let request = shop.request("bash", &format!("{TRY}{list}"), None).await;
    let reach = shop.executor.reach(request.approval().terms()).await;
    let told = shop.carry_out(request).await.ok();
    let out = told.out();
    let mut lies = Vec::new();
    for path in &places {
        let found = out.lines().find_map(|line| line.strip_suffix(&format!(" {}", path.display())));
        let found = found.unwrap_or_else(|| panic!("{} was not tried: {out}", path.display()));
        for (what, sign, can) in [("read", 'r', reach.reads(path)), ("write", 'w', reach.writes(path))] {
            let could = found.contains(sign);
            // The rights of the account matter too, and a missing file can't be read, however open the path is.
            let ours = there.contains(path)
                && [home.as_path(), Path::new("/tmp")].iter().any(|h| path.starts_with(h));
            if can == Reachability::No && could || can == Reachability::Yes && !could && ours {
                lies.push(format!("{what} {}: told {can:?}, was {could}", path.display()));
            }
        }
    }
    lies
}

fn wish(level: SandboxLevel, setup: &mut Setup) {
    let home = setup.home.clone().unwrap();
    let write = if level == SandboxLevel::Workspace { vec![home.join("given/out")] } else { Vec::new() };
    setup.sandbox =
        SandboxRequest { level, read: vec![home.join("given/in")], write, ..SandboxRequest::default() };
}

#[tokio::test]
async fn what_is_told_of_places_is_what_a_run_finds() {
    for level in [SandboxLevel::Workspace, SandboxLevel::ReadOnly] {
        for without in [ALL, NO_BWRAP] {
            let lies = lies(|setup| {
                wish(level, setup);
                setup.without = without;
            });
            assert_eq!(lies.await, [""; 0], "{level:?} {without:?}");
        }
    }
    let open = lies(|setup| setup.sandbox = SandboxRequest::default()).await;
    assert_eq!(open, [""; 0], "off");
}

#[tokio::test]
async fn in_the_home_folder_what_is_told_is_what_a_run_finds() {
    for without in [ALL, NO_BWRAP] {
        let lies = lies(|setup| {
            setup.cwd = setup.home.clone().unwrap();
            setup.without = without;
        });
        assert_eq!(lies.await, [""; 0], "{without:?}");
    }
}

#[tokio::test]
async fn a_kernel_reaches_what_it_was_started_with() {
    let shop = Shop::with(|setup| drop(furnish(setup)));
    let hooks = shop.base().join("home/work/.envrc");
    shop.py("1").await.ok();
    fs::write(&hooks, "x").unwrap();
    let kernel = shop.terms("python").await;
    let reach = shop.executor.reach(&kernel).await;
    let could = shop.py("open('.envrc', 'a').close()").await.report.outcome == Outcome::Ok;
    assert_eq!(reach.writes(&hooks) == Reachability::Yes, could, "{reach:?}");
    // A shell starts after the file was made. Landlock alone can't take it out of the folder that is writable.
    let bash = shop.terms("bash").await;
    let reach = shop.executor.reach(&bash).await;
    if bash.rights.sandbox.contained {
        assert_eq!(reach.writes(&hooks), Reachability::No, "{reach:?}");
    }
    let could = shop.sh("echo x >> .envrc").await.report.outcome == Outcome::Ok;
    assert_eq!(reach.writes(&hooks) == Reachability::Yes, could, "{reach:?}");
}

#[tokio::test]
async fn who_goes_to_a_closed_folder_is_said_not_to_be_in_the_one_shown() {
    // Landlock alone keeps nobody from going there.
    let shop = Shop::with(|setup| {
        furnish(setup);
        setup.without = NO_BWRAP;
    });
    let home = shop.base().join("home");
    let other = home.join("other").display().to_string();
    for (language, source) in
        [("python", format!("import os\nos.chdir('{other}')")), ("bash", format!("cd '{other}'"))]
    {
        let told = shop.run(language, &source).await.ok();
        let terms = shop.terms(language).await;
        let is_off = terms.rights.sandbox.level == SandboxLevel::Off;
        assert_eq!(terms.cwd, home.join(if is_off { "other" } else { "work" }), "{language}");
        assert_eq!(told.report.cwd, Some(terms.cwd), "{language}");
        let changed = terms.shared.unwrap().changed;
        let is_said = changed.iter().any(|change| change.contains("folder") && change.contains("closed to"));
        assert_eq!(is_said, !is_off, "{language}: {changed:?}");
    }
}
