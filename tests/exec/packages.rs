//! Packages: finding out what a kernel lacks, and installing it for real.

use crate::languages::write_program;
use crate::support::*;
use sayso::domain::*;
use sayso::exec::{Setup, TermsFor};
use std::path::PathBuf;

async fn install(shop: &Shop, language: &str, packages: &str) -> Told {
    let into = PackageList::parse(language, packages).map_or(InstallInto::default(), |list| list.into);
    let terms = shop.terms_for(language, TermsFor::Install(into)).await.unwrap();
    assert_eq!(terms.executor, ExecutorKind::Installer);
    assert!(terms.rights.network);
    shop.carry_out(shop.request_under(terms, packages)).await
}

#[tokio::test]
async fn what_a_text_lacks_is_known_before_it_runs() {
    let shop = Shop::new();
    let source = "import json, no_such_a\nfrom no_such_b.part import x\ntry:\n    import no_such_c\nexcept ImportError:\n    \
                  pass\nopen('ran', 'w')\ndef f():\n    import sklearn_no_such\n";
    std::fs::write(shop.work().join("own.py"), "open('imported', 'w')\n").unwrap();
    let lacking = shop.lacking(&format!("import own\n{source}"), &["no-such-d>=2".into()]).await;
    assert_eq!(lacking, ["no-such-d>=2", "no_such_a", "no_such_b", "sklearn_no_such"]);
    assert!(!shop.work().join("ran").exists() && !shop.work().join("imported").exists());
    assert!(shop.executor.missing_packages("def (", &[]).await.is_empty());
    assert!(shop.lacking("import sys, numpy_is_not_here", &[]).await.len() == 1);
    // The kernel continues as if nothing had been asked.
    assert_eq!(shop.py("1 + 1").await.ok().value(), "2");
}

#[tokio::test]
async fn what_lies_in_the_folder_of_packages_is_found_without_a_restart_and_replaces_nothing() {
    let shop = Shop::new();
    assert_eq!(shop.py("import late").await.error().kind, "ModuleNotFoundError");
    let folder = shop.base().join("blobs/packages/python");
    std::fs::write(folder.join("late.py"), "value = 7\n").unwrap();
    std::fs::write(folder.join("json.py"), "raise SystemExit('shadowed')\n").unwrap();
    let told = shop.py("import late, json\nlate.value, json.dumps([1])").await.ok();
    assert_eq!(told.value(), "(7, '[1]')");
}

#[tokio::test]
#[ignore = "needs node"]
async fn packages_of_node_are_found_by_node_in_bash() {
    let shop = Shop::new();
    let need = "node -e 'console.log(require(\"late\"))'";
    assert_eq!(shop.sh(need).await.report.outcome, Outcome::Failed);
    let package = node_modules(&shop).join("late");
    std::fs::create_dir_all(package.join("../.bin")).unwrap();
    std::fs::write(package.join("index.js"), "module.exports = 7;\n").unwrap();
    write_program(&package.join("../.bin/late"), "#!/bin/sh\necho the program\n");
    // The shell existed before; its state does not hide the packages.
    assert_eq!(shop.sh(&format!("{need}; late")).await.ok().out(), "7\nthe program\n");
}

/// The folder of the session's packages for node, which does not exist yet.
fn node_modules(shop: &Shop) -> PathBuf {
    shop.base().join("blobs/packages/node/node_modules")
}

#[tokio::test]
#[ignore = "needs node"]
async fn packages_of_node_are_found_by_modules_that_bash_starts() {
    let shop = Shop::new();
    std::fs::write(shop.work().join("own.mjs"), "import late from 'late';\nconsole.log(late);\n").unwrap();
    let from_python =
        "import subprocess\nsubprocess.run(['node', 'own.mjs'], capture_output=True, text=True).stdout";
    assert_eq!(shop.sh("node own.mjs").await.report.outcome, Outcome::Failed);
    assert_eq!(shop.py(from_python).await.ok().value(), "''");
    let package = node_modules(&shop).join("late");
    std::fs::create_dir_all(&package).unwrap();
    std::fs::write(package.join("package.json"), "{\"exports\": {\"import\": \"./late.mjs\"}}").unwrap();
    std::fs::write(package.join("late.mjs"), "export default 7;\n").unwrap();
    assert_eq!(shop.sh("node own.mjs").await.ok().out(), "7\n");
    // From a kernel that existed before, and from a block of its own.
    assert_eq!(shop.py(from_python).await.ok().value(), "'7\\n'");
    assert_eq!(shop.run("javascript", "import './own.mjs';\n").await.ok().out(), "7\n");

    // Existing packages are not replaced, and a missing one is reported in node's own words.
    let own = shop.work().join("node_modules/late");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::write(own.join("package.json"), "{\"exports\": \"./own.mjs\"}").unwrap();
    std::fs::write(own.join("own.mjs"), "import 'is-nowhere';\n").unwrap();
    let told = shop.sh("node own.mjs").await.ended(Outcome::Failed);
    assert!(told.err().contains("Cannot find package 'is-nowhere'"), "{}", told.err());
    assert!(!told.err().contains("node-packages"), "{}", told.err());
    // Nor is a package that is not built yet, and what the session's package does not export is reported as that.
    std::fs::remove_file(own.join("own.mjs")).unwrap();
    let told = shop.sh("node own.mjs").await;
    assert!(told.err().contains("late/own.mjs"), "{} {}", told.out(), told.err());
    std::fs::remove_dir_all(&own).unwrap();
    let told = shop.sh("node -e 'import(\"late/none\")'").await;
    assert!(told.err().contains("ERR_PACKAGE_PATH_NOT_EXPORTED"), "{}", told.err());
}

#[tokio::test]
#[ignore = "needs node"]
async fn options_that_a_script_has_for_node_are_its_own() {
    let shop = Shop::new();
    std::fs::create_dir_all(node_modules(&shop)).unwrap();
    let script = "NODE_OPTIONS=--stack-trace-limit=3 node -p 'process.env.NODE_OPTIONS'";
    assert_eq!(shop.sh(script).await.ok().out(), "--stack-trace-limit=3\n");
    assert_eq!(shop.terms("bash").await.shared.unwrap().changed, [""; 0]);
    // Options that a block sets are not carried over, and that is shown as always.
    shop.sh("export NODE_OPTIONS=--stack-trace-limit=3").await.ok();
    let changed = shop.terms("bash").await.shared.unwrap().changed;
    assert_eq!(changed, ["not carried over: NODE_OPTIONS"]);
    assert!(shop.sh("echo \"$NODE_OPTIONS\"").await.ok().out().starts_with("--require "));
}

#[tokio::test]
#[ignore = "needs node and a node_modules with tsx and lodash in SAYSO_TEST_TSX"]
async fn node_in_bash_runs_typescript_by_the_sessions_tsx() {
    let shop = Shop::new();
    let modules = node_modules(&shop);
    std::fs::create_dir_all(modules.parent().unwrap()).unwrap();
    let mut copy = std::process::Command::new("cp");
    copy.arg("-r").arg(std::env::var_os("SAYSO_TEST_TSX").unwrap()).arg(&modules);
    assert!(copy.status().unwrap().success());
    let source = "import _ from 'lodash';\nenum A { B = 42 }\nconst n: number = await 2;\nconsole.log(_.add(n, A.B));\n";
    std::fs::write(shop.work().join("x.mts"), source).unwrap();
    let told = shop.sh("node --import tsx x.mts").await.ok();
    assert_eq!((told.out().as_str(), told.err().as_str()), ("44\n", ""));
}

#[tokio::test]
async fn a_list_that_is_none_is_refused() {
    let shop = Shop::new();
    for packages in ["--index-url=http://127.0.0.1:1", "../x", ""] {
        let told = install(&shop, "python", packages).await;
        assert!(matches!(told.report.outcome, Outcome::NotStarted(_)), "{:?}", told.report.outcome);
    }
}

/// An environment beside the working folder, whose pip says what it finds instead of installing something.
fn with_inquisitive_pip(setup: &mut Setup) {
    let base = setup.cwd.parent().unwrap().join("env");
    let ask = "import sys; print('%d.%d' % sys.version_info[:2], end='')";
    let version = std::process::Command::new(python()).args(["-c", ask]).output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let pip = base.join(format!("lib/python{version}/site-packages/pip"));
    std::fs::create_dir_all(&pip).unwrap();
    std::fs::create_dir_all(base.join("bin")).unwrap();
    std::os::unix::fs::symlink(python(), base.join("bin/python3")).unwrap();
    std::fs::write(base.join("pyvenv.cfg"), "home = /usr/bin\n").unwrap();
    std::fs::write(pip.join("__init__.py"), "").unwrap();
    let source = format!(
        "import os, sys\ndef seen(path):\n    try:\n        return os.listdir(path)\n    except OSError as error:\n        return \
         error.strerror\nhome, tmp, cache = (os.environ[name] for name in ('XDG_CONFIG_HOME', 'TMPDIR', 'XDG_CACHE_HOME'))\n\
         print('config', seen(home), 'tmp', seen(tmp), 'cache', seen(cache), 'work', seen({:?}))\n\
         print('settings', os.environ['PIP_CONFIG_FILE'])\n\
         open(home + '/left', 'w'), open(tmp + '/left', 'w'), open(cache + '/left', 'w')\n",
        setup.cwd.to_string_lossy()
    );
    std::fs::write(pip.join("__main__.py"), source).unwrap();
    setup.python = Some(base.join("bin/python3"));
}

#[tokio::test]
#[ignore = "needs bubblewrap and landlock, and no uv"]
async fn what_runs_wrote_for_themselves_reaches_no_installation_and_nothing_of_the_working_folder_does() {
    for without in [ALL, NO_BWRAP] {
        let shop = Shop::with(|setup| {
            setup.without = without;
            with_inquisitive_pip(setup);
        });
        std::fs::write(shop.work().join("own.csv"), "1").unwrap();
        let steer = "mkdir -p $XDG_CONFIG_HOME/pip $XDG_CACHE_HOME/pip; touch $TMPDIR/x $XDG_CACHE_HOME/pip/x\n\
                     printf '[global]\\nindex-url = http://127.0.0.1:8765/simple\\n' > $XDG_CONFIG_HOME/pip/pip.conf";
        shop.sh(steer).await.ok();
        // The second one sees nothing of the first one either.
        for _ in 0..2 {
            let terms = shop.terms_for("python", TermsFor::Install(InstallInto::Session)).await.unwrap();
            let all = [&terms.rights.read[..], &terms.rights.write[..]].concat();
            assert!(!all.iter().any(|folder| shop.work().starts_with(folder)), "{all:?}");
            let told = install(&shop, "python", "six\n").await.ok();
            let out = told.out();
            let (first, rest) = out.split_once('\n').unwrap();
            // In the temporary folder stands where the folder of packages is bound, which lies below `/tmp` here.
            let is_fresh = first.starts_with("config [] tmp [") && first.contains("] cache [] work ");
            assert!(is_fresh, "{first}");
            assert!(!["'x'", "'left'", "own.csv"].iter().any(|name| first.contains(name)), "{first}");
            assert_eq!(rest, "settings /dev/null\n");
        }
        // What runs wrote for themselves is still theirs.
        assert!(shop.sh("cat $XDG_CONFIG_HOME/pip/pip.conf; ls $TMPDIR").await.ok().out().contains("8765"));
    }
}

#[tokio::test]
#[ignore = "needs a Python with pip in SAYSO_TEST_PIP_PYTHON, and its package index"]
async fn packages_are_installed_from_the_index_and_used_at_once() {
    let python: PathBuf = std::env::var_os("SAYSO_TEST_PIP_PYTHON").unwrap().into();
    let shop = Shop::with(|setup| setup.python = Some(python));
    assert_eq!(shop.lacking("import six", &[]).await, ["six"]);
    assert_eq!(shop.py("x = 5\nimport six").await.error().kind, "ModuleNotFoundError");
    let told = install(&shop, "python", "six\n").await.ok();
    assert!(told.out().contains("six") || told.err().contains("six"), "its progress is told");
    assert_eq!(shop.py("import six\n(x, six.PY3)").await.ok().value(), "(5, True)");
    assert!(shop.executor.missing_packages("import six", &["six>=1".into()]).await.is_empty());

    let told = install(&shop, "python", "no-such-package-of-sayso\n").await.ended(Outcome::Failed);
    let said = told.out() + &told.err();
    assert!(said.contains("no-such-package-of-sayso"), "{said}");
}

#[tokio::test]
#[ignore = "needs npm and its registry"]
async fn packages_of_node_are_installed_and_found_by_scripts_and_modules() {
    let shop = Shop::new();
    install(&shop, "javascript", "left-pad@1.3.0\n").await.ok();
    let told = shop.run("javascript", "console.log(require('left-pad')('7', 3, '0'))").await.ok();
    assert_eq!(told.out(), "007\n");
    let told =
        shop.run("javascript", "import pad from 'left-pad';\nconsole.log(pad('8', 2, '0'));\n").await.ok();
    assert_eq!(told.out(), "08\n");
    let told = shop.sh("node -e \"console.log(require('left-pad')('9', 3, '0'))\"").await.ok();
    assert_eq!(told.out(), "009\n", "node finds them wherever it is started");
    assert!(!shop.work().join("node_modules").exists() && !shop.work().join("package.json").exists());
}

/// Makes `.venv` in the folder of a shop from that Python, and lets sayso find it.
fn project(python: &std::path::Path) -> Shop {
    Shop::with(|setup| {
        let mut make = std::process::Command::new(python);
        let made = make.args(["-m", "venv"]).arg(setup.cwd.join(".venv")).status().unwrap();
        assert!(made.success());
        setup.python = None;
    })
}

#[tokio::test]
async fn without_an_environment_of_the_project_nothing_goes_there() {
    let shop = Shop::new();
    assert_eq!(shop.executor.project_venv().await, None);
    let why = shop.terms_for("python", TermsFor::Install(InstallInto::Project)).await.unwrap_err();
    assert!(why.contains("has no .venv") || why.contains("neither uv nor pip"), "{why}");
    // A `.venv` that is a link to elsewhere is not the project's.
    std::os::unix::fs::symlink("/usr", shop.work().join(".venv")).unwrap();
    assert_eq!(shop.executor.project_venv().await, None);
}

#[tokio::test]
#[ignore = "needs a Python with pip in SAYSO_TEST_PIP_PYTHON, and its package index"]
async fn packages_go_into_the_projects_environment_when_the_person_says_so() {
    let python: PathBuf = std::env::var_os("SAYSO_TEST_PIP_PYTHON").unwrap().into();
    let shop = project(&python);
    let venv = shop.work().join(".venv");
    assert_eq!(shop.executor.project_venv().await, Some(venv.clone()));
    let overlay = shop.base().join("blobs/packages/python");
    let inside = shop.terms_for("python", TermsFor::Install(InstallInto::Project)).await.unwrap();
    let beside = match shop.terms_for("python", TermsFor::Install(InstallInto::Session)).await {
        Ok(beside) => beside,
        // Without uv: the project's own pip may not install beside the session.
        Err(why) => {
            assert!(why.contains("into its .venv only"), "{why}");
            Terms { cwd: overlay.clone(), ..inside.clone() }
        }
    };
    assert!(!beside.cwd.starts_with(shop.work()) && inside.cwd == venv);
    assert_eq!(inside.rights.write, std::slice::from_ref(&venv));

    // What was approved for one place does not start for the other.
    let told = shop.carry_out(shop.request_under(beside, "into: .venv\nsix\n")).await;
    assert!(matches!(told.report.outcome, Outcome::Refused(_)), "{:?}", told.report.outcome);

    assert_eq!(shop.py("x = 5\nimport six").await.error().kind, "ModuleNotFoundError");
    install(&shop, "python", "into: .venv\nsix\n").await.ok();
    let seen = shop.py("import six\n(x, six.__file__)").await.ok();
    assert_has(seen.value(), &["(5, '", "/work/.venv/lib/"]);
    assert_eq!(std::fs::read_dir(overlay).unwrap().count(), 0, "nothing beside the session");
}
