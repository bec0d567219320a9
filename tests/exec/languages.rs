//! Languages other than Python, bash and JavaScript, each with a program of this machine. `.ci/run` runs the tests for
//! programs that may be missing.

use crate::support::*;
use sayso::domain::*;
use std::sync::Arc;

/// Prints the path of the running program.
const OWN_PATH: &str = "#include <stdio.h>\n#include <unistd.h>\n\
    int main(void) { char path[300]; path[readlink(\"/proc/self/exe\", path, 299)] = 0; puts(path); return 0; }\n";

async fn prints(language: &str, source: &str, wanted: &str) {
    let shop = Shop::new();
    let run = async || {
        let told = shop.run(language, source).await;
        let (error, printed) = (&told.report.error, (told.out(), told.err()));
        assert_eq!(told.report.outcome, Outcome::Ok, "{language}: {error:?} {printed:?}");
        told
    };
    let told = run().await;
    assert_eq!(told.out(), wanted, "{language}: {}", told.err());
    assert_eq!(told.err(), "", "{language}");
    assert_eq!(run().await.out(), wanted, "{language}, again");
}

#[tokio::test]
async fn a_posix_shell() {
    prints("sh", "x=6; echo $((x * 7)) \"$PWD\" | cut -d' ' -f1", "42\n").await;
}

#[tokio::test]
async fn a_language_without_a_program_says_which_one_is_missing() {
    let shop = Shop::with(|setup| {
        let entry = language_of!(setup, "lua");
        entry.command = "lua-nowhere".into();
        entry.others.iter_mut().for_each(|way| way.command = format!("{}-nowhere", way.command));
    });
    let why = shop.refusal("lua").await;
    assert!(why.contains("lua-nowhere") && why.contains("lua5.4-nowhere"), "{why}");
}

#[tokio::test]
async fn a_language_of_the_persons_own() {
    let shop = Shop::with(|setup| {
        let mut entry = setup.languages.find("sh").unwrap().clone();
        entry.name = Language("shout".into());
        entry.aliases.clear();
        entry.arguments = vec!["-c".into(), "tr a-z A-Z < {file}; pwd".into()];
        entry.command = "sh".into();
        entry.others.clear();
        Arc::make_mut(&mut setup.languages.0).push(entry);
    });
    let told = shop.run("shout", "hello\n").await.ok();
    assert_eq!(told.out(), format!("HELLO\n{}\n", shop.work().display()));
}

#[tokio::test]
async fn sql_without_its_program_runs_in_pythons_own() {
    let shop = Shop::with(|setup| {
        let entry = language_of!(setup, "sql");
        entry.command = "sqlite3-nowhere".into();
        entry.others.retain(|way| way.command == "python3");
        entry.others[0].command = python().to_string_lossy().into_owned();
    });
    let source = "create table t(a, b);\ninsert into t values (1, 'x;y'), (2, null);\nselect * from t; select 3 as c;\n";
    let told = shop.run("sql", source).await.ok();
    assert_eq!(told.out(), "a  b\n-  ----\n1  x;y\n2  NULL\nc\n-\n3\n");
    let told = shop.run("sql", "select 1;\n\nselect *\nfrom nowhere;\nselect 2;").await;
    assert_eq!(told.report.outcome, Outcome::Failed);
    assert!(told.err().contains("near line 3: no such table: nowhere"), "{}", told.err());
    let told = shop.run("sql", ".open kept.db\ncreate table k(a);\n.tables\n").await.ok();
    assert_eq!(told.out(), "k\n");
    assert!(shop.work().join("kept.db").is_file());
}

#[tokio::test]
#[ignore = "needs cc"]
async fn c_is_built_and_run_and_its_compilers_errors_are_told_as_such() {
    prints("c", "#include <stdio.h>\nint main(void) { puts(\"42\"); return 0; }\n", "42\n").await;
    let shop = Shop::new();
    std::fs::write(shop.work().join("own.h"), "#define OWN 7\n").unwrap();
    let told = shop.run("c", "#include \"own.h\"\nint main(void) { return OWN; }\n").await;
    assert_eq!((told.report.outcome.clone(), told.report.receipt.exit_code), (Outcome::Failed, Some(7)));
    assert_eq!(told.report.error, None, "a program that fails is no error of the compiler");

    let told = shop.run("c", "int main(void) {\n    retrun 0;\n}\n").await.ended(Outcome::Failed);
    let error = told.error();
    assert_eq!(error.kind, "CompileError");
    assert!(error.message.contains("block_") && error.message.contains(".c:2:"), "{}", error.message);
    assert!(told.err().contains("retrun"), "{}", told.err());

    let told = shop.run("c", "int main(void) { int *p = 0; *p = 1; return 0; }\n").await;
    assert!(matches!(told.report.outcome, Outcome::Crashed(_)), "{:?}", told.report.outcome);
    assert_eq!(told.report.receipt.signal, Some(11));

    // Nothing is left of a built program or its source.
    let told = shop.run("c", OWN_PATH).await.ok().out();
    let program = told.trim_end().strip_suffix(" (deleted)").expect("it is gone before it runs").to_owned();
    let folder = std::path::Path::new(&program).parent().unwrap().to_owned();
    assert!(folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("sayso-")), "{told}");
    eventually("a built program or its text was left behind", || !folder.exists());
}

#[tokio::test]
#[ignore = "needs all languages of the suite"]
async fn programs_of_other_languages_are_run_and_print() {
    for (language, source) in [
        ("cpp", "#include <iostream>\nint main() { std::cout << 6 * 7 << \"\\n\"; }\n"),
        ("perl", "use strict; print 6 * 7, \"\\n\";\n"),
        ("ruby", "puts 6 * 7\n"),
        ("lua", "print(6 * 7)\n"),
        ("php", "<?php echo 6 * 7, \"\\n\";\n"),
        ("make", "all:\n\t@echo 42\n"),
        ("java", "class Any { public static void main(String[] a) { System.out.println(6 * 7); } }\n"),
    ] {
        prints(language, source, "42\n").await;
    }
}

#[tokio::test]
#[ignore = "needs rustc"]
async fn rust_is_built_and_run() {
    prints("rust", "fn main() { println!(\"{}\", 6 * 7); }\n", "42\n").await;
    let told = Shop::new().run("rust", "fn main() { let x: i32 = \"a\"; }\n").await;
    assert_eq!(told.error().kind, "CompileError");
    assert!(told.error().message.contains("error[E0308]"), "{}", told.error().message);
}

#[tokio::test]
#[ignore = "needs sqlite3"]
async fn sqlite_runs_and_stops_at_an_error() {
    prints("sql", "create table t(a);\ninsert into t values (42);\nselect a from t;\n", "a \n--\n42\n").await;
    let told = Shop::new().run("sql", "select * from nowhere;\nselect 1;\n").await.ended(Outcome::Failed);
    assert!(told.err().contains("no such table"), "{}", told.err());
}

#[tokio::test]
#[ignore = "needs node 22.13 or newer in SAYSO_TEST_NODE"]
async fn typescript_runs_in_node() {
    let node = std::env::var("SAYSO_TEST_NODE").unwrap();
    let shop = Shop::with(|setup| {
        let entry = language_of!(setup, "typescript");
        entry.command = node;
        entry.others.clear();
    });
    let source = "interface A { n: number }\nconst a: A = { n: 42 };\nconsole.log(a.n);\n";
    let told = shop.run("typescript", source).await.ok();
    assert_eq!((told.out().as_str(), told.err().as_str()), ("42\n", ""));
    let source = "import fs from 'node:fs';\nconst n: number = await 42;\nconsole.log(n);\n";
    assert_eq!(shop.run("typescript", source).await.ok().out(), "42\n");
    shop.run("typescript", "const a: number = ;\n").await.ended(Outcome::Failed);
}

/// Languages with an error in the second line of a block, and what their messages call the place, with `{}` for the
/// name of the source. Compilers call a block by a file name.
const MISTAKES: &[(&str, &str, &[&str])] = &[
    ("python", "x = 1\nx.no\n", &["File \"{}\", line 2"]),
    ("bash", "x=1\nnope\n", &["{}: line 2: nope"]),
    ("bash", "f() {\n  nope\n}\nf\n", &["{}: line 2: nope"]),
    ("bash", "x=1\nif\n", &["{}: line 3: syntax error"]),
    ("sh", "x=1\nnope\n", &["{}: 2: nope"]),
    ("javascript", "const a = 1;\na.b.c;\n", &["{}:2"]),
    ("javascript", "import fs from 'fs';\nfs.no();\n", &["{}:2"]),
    ("javascript", "const a = 1;\nconst b = ;\n", &["{}:2"]),
    ("perl", "use strict;\ndie 'x';\n", &["x at {} line 2."]),
    ("ruby", "x = 1\nraise 'x'\n", &["{}:2:in"]),
    ("lua", "local x = 1\nerror('x')\n", &["{}:2: x", "{}:2: in main chunk"]),
    ("php", "<?php\nthrow new Exception('x');\n", &["x in {}:2"]),
    ("r", "x <- 1\nstop('x')\n", &["{}:2"]),
    ("r", "f <- function(n) {\n  log(n)\n}\nf('a')\n", &["{}:2", "{}:4"]),
    ("r", "x <- 1\nif (TRUE) {\n", &["{}:3"]),
    ("make", "all:\n\tfalse\n", &["[{}:2: all]"]),
    ("sql", "select 1;\nselect * from nowhere;\n", &["near line 2"]),
    ("c", "int main(void) {\n  retrun 0;\n}\n", &["{file}.c:2:3: error"]),
    ("c", "#include <assert.h>\nint main(void) { assert(0); }\n", &["{file}.c:2: main"]),
    ("cpp", "int main() {\n  int x = \"a\";\n}\n", &["{file}.cpp:2:11: error"]),
    ("rust", "fn main() {\n  panic!(\"x\");\n}\n", &["{file}.rs:2:3"]),
    (
        "java",
        "class A {\n  int x = \"s\"; public static void main(String[] a) {}\n}\n",
        &["{file}.java:2: error"],
    ),
    ("java", "class A { public static void main(String[] a) {\n int x = 1 / 0; } }\n", &["{file}.java:2)"]),
];

#[tokio::test]
#[ignore = "needs all languages of the suite"]
async fn errors_name_the_block_or_the_file_and_its_line() {
    for (language, source, places) in MISTAKES {
        let shop = Shop::new();
        let extension = Languages::default().find(language).unwrap().extensions[0].clone();
        let file = format!("sub/mistake.{extension}");
        for named in [None, Some(file)] {
            let request = shop.request(language, source, None).await;
            let called = named.clone().unwrap_or_else(|| request.label());
            let in_file = if named.is_none() { called.replace(' ', "_") } else { "mistake".to_owned() };
            let told = shop.carry_out(request.named(named)).await;
            assert_ne!(told.report.outcome, Outcome::Ok, "{language}: {source}");
            let error = told.report.error.as_ref();
            let said = format!("{}{}", told.err(), error.map_or("", |error| error.traceback.as_str()));
            for place in *places {
                let wanted = place.replace("{}", &called).replace("{file}", &in_file);
                assert!(said.contains(&wanted), "{language}: no {wanted:?} in {said}");
            }
            let message = error.map_or("", |error| error.message.as_str());
            for own in ["/dev/fd", "memfd", "sayso-", "environment:", "asModule()"] {
                assert!(!said.contains(own) && !message.contains(own), "{language}: {own} in {said}");
            }
        }
    }
}

#[tokio::test]
#[ignore = "needs node"]
async fn a_stack_of_node_holds_nothing_of_what_started_the_block() {
    let shop = Shop::new();
    for (source, place) in [
        ("function f() {\n  throw new Error('x');\n}\nf();\n", ":2:9"),
        ("console.error(new Error('x').stack);\nprocess.exit(1);\n", ":1:15"),
        ("let a = ;\n", ":1"),
        ("import fs from 'node:fs';\nthrow new Error('x');\n", ":2:7"),
        ("const n = await 1;\nthrow new Error(n);\n", ":2:7"),
        ("import x from 'not-there-at-all';\n", "not-there-at-all"),
        ("import x from './not-there.mjs';\n", "not-there.mjs"),
        ("const n = await 1;\nlet a = ;\n", ":2"),
    ] {
        let told = shop.run("javascript", source).await;
        assert_eq!(told.report.outcome, Outcome::Failed, "{source}");
        let said = told.err();
        assert!(said.contains(place), "{source}: {said}");
        for own in ["[eval]", "asModule", "asScript"] {
            assert!(!said.contains(own), "{said}");
        }
    }
    // Deferred calls run in the usual order.
    let order = "setTimeout(() => console.log(4));\nPromise.resolve().then(() => console.log(3));\n\
                 process.nextTick(() => console.log(2));\nconsole.log(1, require.main === module);\n";
    assert_eq!(shop.run("javascript", order).await.ok().out(), "1 true\n2\n3\n4\n");
}

#[tokio::test]
async fn typescript_is_run_by_the_projects_own_tool_where_the_machine_has_none() {
    let shop = Shop::with(|setup| {
        let entry = language_of!(setup, "typescript");
        entry.command = "node-nowhere".into();
        entry.others.retain(|way| way.command == "tsx");
    });
    let tool = shop.work().join("node_modules/.bin/tsx");
    write_program(&tool, "#!/bin/sh\necho tsx of the project\ncat \"$1\"\n");
    assert_eq!(shop.terms("typescript").await.interpreter, tool);
    let told = shop.run("typescript", "const a = 1;\n").await.ok();
    assert_eq!(told.out(), "tsx of the project\nconst a = 1;\n");
}

/// Pictures need no package: any value that has a representation of that type is one.
#[tokio::test]
#[ignore = "needs a Julia in SAYSO_TEST_JULIA"]
async fn julia_runs_names_the_line_of_an_error_and_displays_pictures() {
    let julia = std::env::var("SAYSO_TEST_JULIA").unwrap();
    let shop = Shop::with(|setup| language_of!(setup, "julia").command = julia);
    std::fs::create_dir(shop.work().join("sub")).unwrap();
    std::fs::write(shop.work().join("sub/part.jl"), "part() = 42\n").unwrap();
    let source =
        "include(\"part.jl\")\nprintln(part(), ' ', ARGS, ' ', abspath(PROGRAM_FILE) == @__FILE__)\n";
    let request = shop.request("julia", source, None).await;
    let told = shop.carry_out(request.named(Some("sub/b.jl".to_owned()))).await.ok();
    assert_eq!((told.out().as_str(), told.err().as_str()), ("42 String[] true\n", ""));

    let told = shop.run("julia", "f(x) = error(\"no $x\")\n\nf(3)\n").await.ended(Outcome::Failed);
    assert!(told.err().contains("no 3") && told.err().contains("block 2:3"), "{}", told.err());
    let work = shop.work().display().to_string();
    assert!(!told.err().contains("/dev/fd") && !told.err().contains(&work), "{}", told.err());

    let bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03";
    std::fs::write(shop.work().join("a.png"), bytes).unwrap();
    let draws = "struct Plot end\nBase.show(io::IO, ::MIME\"image/png\", ::Plot) = write(io, read(\"a.png\"))\n\
                 display(Plot())\nprintln(\"drawn\")\nPlot()\n";
    let told = shop.run("julia", draws).await.ok();
    assert_eq!((told.out().as_str(), told.report.images.len()), ("drawn\n", 2));
    assert_eq!(std::fs::read(&told.report.images[1].path).unwrap(), bytes);
    // A semicolon keeps the last value from being shown, but not one in a comment.
    for (end, images) in [("Plot();", 1), ("Plot(); # done\n\n# all of it", 1), ("Plot() # a; b;", 2)] {
        let told = shop.run("julia", &draws.replace("\nPlot()\n", &format!("\n{end}\n"))).await.ok();
        assert_eq!(told.report.images.len(), images, "{end}");
    }
}

/// As a program of its own, tsx listens on a socket, which the sandbox refuses.
#[tokio::test]
#[ignore = "needs node and a node_modules with tsx and lodash in SAYSO_TEST_TSX"]
async fn typescript_runs_in_node_by_the_projects_tsx() {
    let shop = Shop::with(|setup| language_of!(setup, "typescript").command = "node-nowhere".into());
    let copied = std::process::Command::new("cp")
        .args(["-r", &std::env::var("SAYSO_TEST_TSX").unwrap(), "node_modules"])
        .current_dir(shop.work())
        .status()
        .expect("cp");
    assert!(copied.success());
    for (source, printed) in [
        ("enum A { B = 42 }\nconst a: A = A.B;\nconsole.log(a);\n", "42\n"),
        (
            "import fs from 'node:fs';\nconst n: number = await 42;\nconsole.log(n, typeof fs);\n",
            "42 object\n",
        ),
        ("import _ from 'lodash';\nconsole.log(_.chunk([1, 2, 3], 2).length as number);\n", "2\n"),
        // A module, since it uses `await`; it finds packages as well.
        ("import _ from 'lodash';\nconst n: number = await 3;\nconsole.log(_.range(n).length);\n", "3\n"),
    ] {
        let told = shop.run("typescript", source).await.ok();
        assert_eq!((told.out().as_str(), told.err().as_str()), (printed, ""));
    }
    // The person's file is treated as a module too if it uses `await`.
    let request = shop.request("typescript", "const n: number = await 5;\nconsole.log(n);\n", None).await;
    assert_eq!(shop.carry_out(request.named(Some("sub/b.ts".to_owned()))).await.ok().out(), "5\n");
    let request =
        shop.request("typescript", "const n: number = await 5;\nthrow new Error('x');\n", None).await;
    let told = shop.carry_out(request.named(Some("sub/b.ts".to_owned()))).await;
    assert!(told.err().contains("b.ts:2") && !told.err().contains(".mts"), "{}", told.err());
    let told = shop.run("typescript", "const a: number = 1;\nthrow new Error('x');\n").await;
    assert_eq!(told.report.outcome, Outcome::Failed);
    assert!(told.err().contains(".ts:2"), "{}", told.err());
}

#[tokio::test]
#[ignore = "needs Rscript"]
async fn plots_of_r_that_name_no_device_are_pictures() {
    let shop = Shop::new();
    shop.run("r", "plot(1:10)\nhist(c(1, 2, 2))\n").await.ok();
    for name in ["Rplot001.png", "Rplot002.png"] {
        assert!(std::fs::read(shop.work().join(name)).expect(name).starts_with(b"\x89PNG"));
    }
    assert!(!shop.work().join("Rplots.pdf").exists());
    // The next block replaces none of them.
    let first = std::fs::read(shop.work().join("Rplot001.png")).expect("the first plot");
    shop.run("r", "plot(10:1)\n").await.ok();
    assert!(shop.work().join("Rplot-2-001.png").exists());
    assert_eq!(std::fs::read(shop.work().join("Rplot001.png")).expect("the first plot"), first);
    // Not even if the first page of a series is deleted and others are left.
    std::fs::remove_file(shop.work().join("Rplot001.png")).expect("the first plot");
    let second = std::fs::read(shop.work().join("Rplot002.png")).expect("the second plot");
    shop.run("r", "plot(10:1)\nhist(c(3, 3, 4))\n").await.ok();
    assert!(shop.work().join("Rplot-3-002.png").exists() && !shop.work().join("Rplot001.png").exists());
    assert_eq!(std::fs::read(shop.work().join("Rplot002.png")).expect("the second plot"), second);
    // A device that the code opens itself is used.
    shop.run("r", "pdf('own.pdf')\nplot(1:10)\n").await.ok();
    assert!(std::fs::read(shop.work().join("own.pdf")).expect("own.pdf").starts_with(b"%PDF"));
}

/// A project with its own environment, which contains a module of its own.
fn project(shop: &Shop) {
    let made = std::process::Command::new(python())
        .args(["-m", "venv", "--without-pip", ".venv"])
        .current_dir(shop.work())
        .status()
        .expect("python makes an environment");
    assert!(made.success());
    let made = std::process::Command::new(shop.work().join(".venv/bin/python"))
        .args(["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"])
        .output()
        .expect("its folder of modules");
    let folder = String::from_utf8(made.stdout).expect("text");
    std::fs::write(format!("{}/only_here.py", folder.trim()), "WORD = 'from the project'").expect("written");
    let tool = shop.work().join(".venv/bin/projecttool");
    write_program(&tool, "#!/bin/sh\necho tool of the project\n");
    write_program(&shop.work().join(".venv/bin/ls"), "#!/bin/sh\necho not the ls that you know\n");
    write_program(&shop.work().join("node_modules/.bin/nodetool"), "#!/bin/sh\necho tool of node\n");
}

pub(crate) fn write_program(path: &std::path::Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    // Written by another process: a fork in a parallel test inherits what this one has open for writing, and then the
    // program can't be started.
    let mut shell = std::process::Command::new("sh")
        .args(["-c", "cat > \"$0\""])
        .arg(path)
        .stdin(std::process::Stdio::piped())
        .spawn()
        .expect("a shell");
    std::io::Write::write_all(&mut shell.stdin.take().expect("its input"), text.as_bytes()).expect("written");
    assert!(shell.wait().expect("its end").success());
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("marked");
}

#[tokio::test]
async fn all_programs_see_the_python_and_the_commands_of_the_project() {
    let shop = Shop::with(|setup| setup.python = None);
    project(&shop);
    let wanted = shop.py("import sys, only_here\nprint(only_here.WORD, sys.prefix)").await.ok().out();
    let venv = shop.work().join(".venv");
    assert_eq!(wanted.trim(), format!("from the project {}", venv.display()));
    let asks = "import sys, only_here; print(only_here.WORD, sys.prefix)";
    let number = shop.py("print('python%d.%d' % sys.version_info[:2])").await.ok().out();
    for name in ["python", "python3", number.trim()] {
        assert_eq!(shop.sh(&format!("{name} -c '{asks}'")).await.ok().out(), wanted, "{name}");
    }
    let from_kernel = format!("import subprocess\nsubprocess.run(['python3', '-c', {asks:?}])");
    assert_eq!(shop.py(&from_kernel).await.ok().out(), wanted);
    assert_eq!(shop.sh("projecttool; nodetool").await.ok().out(), "tool of the project\ntool of node\n");
    // A program that the review knows by name is not replaced.
    assert!(!shop.sh("ls").await.ok().out().contains("not the ls"));
    assert_eq!(shop.sh("echo $VIRTUAL_ENV").await.ok().out(), format!("{}\n", venv.display()));
    let told = shop.terms("bash").await.rights.python.clone().expect("told");
    assert_eq!(told.path, venv.join("bin/python"));
    assert!(told.version.is_some_and(|version| version.starts_with("3.")));
}

#[tokio::test]
async fn a_folder_inside_of_a_project_has_the_python_of_the_project() {
    let shop = Shop::with(|setup| {
        setup.python = None;
        std::fs::write(setup.cwd.join("pyproject.toml"), "[project]\nname = 'app'\n").expect("written");
        setup.cwd = setup.cwd.join("src/app");
        std::fs::create_dir_all(&setup.cwd).expect("made");
    });
    project(&shop);
    let asks = "import only_here; print(only_here.WORD)";
    assert_eq!(shop.py(asks).await.ok().out(), "from the project\n");
    assert_eq!(shop.sh(&format!("python3 -c '{asks}'")).await.ok().out(), "from the project\n");
    assert_eq!(shop.sh("projecttool").await.ok().out(), "tool of the project\n");
}

#[tokio::test]
async fn a_version_that_is_not_installed_is_told_with_the_one_that_stands_in_for_it() {
    let shop = Shop::with(|setup| setup.python = None);
    std::fs::write(shop.work().join(".python-version"), "3.99.1\n").expect("written");
    let told = shop.terms("bash").await.rights.python.clone().expect("told");
    assert_eq!(told.wanted.as_deref(), Some("3.99.1"));
    assert!(told.version.is_some_and(|version| version.starts_with("3.")));
}

#[tokio::test]
async fn packages_of_the_session_are_found_by_every_python() {
    let shop = Shop::with(|setup| setup.python = None);
    project(&shop);
    shop.sh("true").await.ok();
    let packages = shop.base().join("blobs/packages/python");
    std::fs::write(packages.join("fetched.py"), "print('a package')").expect("as an installation does");
    write_program(&packages.join("bin/fetchedtool"), "#!/bin/sh\necho tool of a package\n");
    let told = shop.sh("python3 -c 'import fetched'; fetchedtool").await.ok();
    assert_eq!(told.out(), "a package\ntool of a package\n");
    assert_eq!(shop.py("import fetched").await.ok().out(), "a package\n");
}
