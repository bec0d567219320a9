//! Ways to hide errors that only the grammar shows, and proper fixes that look like them.

use super::tree::{MAX_LOOKS, Source};
use super::{ErrorHandling, silencers, swallows};
use crate::domain::Language;

const PYTHON: &str = "import sys\ndef load(row):\n    return {'x': row['x']}\n\nprint(load({}))\n";
const JS: &str = "function load(row) {\n  return row.x.y;\n}\nconsole.log(load({}));\n";
const BASH: &str = "set -euo pipefail\ncp a b\necho done\n";

#[track_caller]
fn caught(language: &str, old: &str, new: &str, note: &str) {
    assert_eq!(swallows(&Language(language.into()), old, new).as_deref(), Some(note), "{new}");
}

#[track_caller]
fn mends(language: &str, old: &str, new: &str) {
    assert_eq!(swallows(&Language(language.into()), old, new), None, "{new}");
}

fn handled(language: &Language, old: &str, new: &str) -> Option<String> {
    ErrorHandling::of(language, old, new).new_handler
}

#[test]
fn python_keeps_quiet_in_more_ways_than_handlers() {
    let body = "    return {'x': row['x']}\n";
    let with = |inside: &str, before: &str| {
        PYTHON.replace(body, inside).replace("import sys\n", &format!("import sys\n{before}"))
    };
    for hook in ["sys.excepthook = lambda *a: os._exit(0)", "sys.excepthook = quiet"] {
        let before = format!("import os\ndef quiet(*a):\n    os._exit(0)\n{hook}\n");
        caught("python", PYTHON, &with(body, &before), &format!("`{hook}`"));
    }
    let inside = "    with Quiet() as q:\n        return {'x': row['x']}\n";
    let class = |exit: &str| {
        format!(
            "class Quiet:\n    def __enter__(self):\n        return self\n    def __exit__(self, kind, error, trace):\n{exit}"
        )
    };
    for exit in [
        "        return True\n",
        "        print(error)\n        return True\n",
        "        self.close()\n        return True\n",
    ] {
        caught("python", PYTHON, &with(inside, &class(exit)), "`with Quiet() as q:`");
    }
    for exit in [
        "        return False\n",
        "        self.close()\n",
        "        self.errors.append(error)\n        return True\n",
    ] {
        mends("python", PYTHON, &with(inside, &class(exit)));
    }
    let tried = "    try:\n        return {'x': row['x']}\n    finally:\n        return {'x': 0}\n";
    let made = "from contextlib import contextmanager\n@contextmanager\ndef quiet():\n    try:\n        yield\n    except Exception:\n        pass\n";
    let wrapper = "def safe(f):\n    def inner(*a):\n        try:\n            return f(*a)\n        except Exception:\n            return None\n    return inner\n";
    for (inside, before, note) in [
        (tried, "", "`finally:`"),
        (
            "    try: return {'x': row['x']}\n    except KeyError: return None\n",
            "",
            "`except KeyError: return None`",
        ),
        (
            body,
            "import atexit, os\natexit.register(lambda: os._exit(0))\n",
            "`atexit.register(lambda: os._exit(0))`",
        ),
        ("    with quiet():\n        return {'x': row['x']}\n", made, "`with quiet():`"),
    ] {
        caught("python", PYTHON, &with(inside, before), note);
    }
    let wrapped = with(body, wrapper).replace("def load", "@safe\ndef load");
    caught("python", PYTHON, &wrapped, "`@safe`");
}

#[test]
fn javascript_keeps_quiet_in_more_ways_than_handlers() {
    let inside = |text: &str| JS.replace("  return row.x.y;\n", text);
    for (new, note) in [
        (
            "  seen(row);\n  try { return row.x.y; } catch { return undefined; }\n",
            "`catch { return undefined; }`",
        ),
        ("  try {\n    return row.x.y;\n  }\n  catch (e)\n  {\n    console.error(e);\n  }\n", "`catch (e)`"),
        ("  try { return row.x.y; } finally { return null; }\n", "`finally { return null; }`"),
    ] {
        caught("javascript", JS, &inside(new), note);
    }
    for event in ["uncaughtException", "unhandledRejection"] {
        let hook = format!("process.on(\"{event}\",()=>{{}})");
        caught("javascript", JS, &format!("{hook};\n{JS}"), &format!("`{hook}`"));
        caught(
            "typescript",
            JS,
            &format!("const f = () => {{ process.exit(0); }};\nprocess.once('{event}', f);\n{JS}"),
            &format!("`process.once('{event}', f)`"),
        );
    }
    let hook = "process.on('exit', () => { process.exitCode = 0; })";
    caught("javascript", JS, &format!("{hook};\n{JS}"), &format!("`{hook}`"));
    caught("javascript", "go();\n", "const n = 1;\ngo().catch(() => {});\n", "`go().catch(() => {})`");
    mends("javascript", JS, &inside("  try { return row.x.y; } catch (e) { return other(e); }\n"));
    mends("javascript", JS, &inside("  return row.x?.y;\n"));
    let loud = format!("process.on('uncaughtException', (e) => {{ report(e); process.exit(1); }});\n{JS}");
    mends("javascript", JS, &loud);
    let told = handled(&Language::javascript(), JS, &loud).unwrap();
    assert!(told.starts_with("new in it, and takes errors: `process.on('uncaughtException'"), "{told}");
}

#[test]
fn bash_keeps_quiet_by_traps_and_options() {
    caught("bash", BASH, &format!("trap \"exit 0\" EXIT\n{BASH}"), "`trap \"exit 0\" EXIT`");
    caught(
        "bash",
        BASH,
        &format!("end() {{\n  rm -f x\n  exit 0\n}}\ntrap end ERR\n{BASH}"),
        "`trap end ERR`",
    );
    caught("bash", BASH, "cp a b\necho done\n", "`set -euo pipefail` is gone");
    caught("bash", BASH, "set -u\ncp a b\necho all done\n", "`set -euo pipefail` is gone");
    caught("bash", "#!/bin/bash -e\ncp a b\n", "#!/bin/bash\ncp a c\n", "`#!/bin/bash -e` is gone");
    mends("bash", BASH, &format!("trap 'rm -f x' EXIT\n{BASH}"));
    mends("bash", BASH, &format!("trap 'exit 1' ERR\n{BASH}"));
    mends("bash", BASH, "set -o errexit -o nounset -o pipefail\ncp a c\necho done\n");
    let looks = "cp a b || exit 1\necho done\n";
    mends("bash", BASH, looks);
    assert_eq!(handled(&Language::bash(), BASH, looks).as_deref(), Some("`set -euo pipefail` is gone"));
}

#[test]
fn what_is_not_done_any_more_is_told() {
    let gone = "not done any more: `def load(row):` and 2 more lines";
    for new in ["import sys\nsys.exit(0)\n", "# nothing here\n", "", "\"\"\"Nothing.\"\"\"\n", "pass\n"] {
        caught("python", PYTHON, new, gone);
    }
    let exits = format!("import sys\nsys.exit(0)\n{}", PYTHON.replace("import sys\n", ""));
    let early = PYTHON.replace("    return {", "    return None\n    return {");
    for (language, old, new, what) in [
        ("python", PYTHON, "def load(row):\n    return row.get('x')\n", "`print(load({}))`"),
        ("python", PYTHON, &*exits, "`print(load({}))`, behind `sys.exit(0)`"),
        ("python", PYTHON, &*early, "`return {'x': row['x']}`, behind `return None`"),
        ("javascript", JS, "process.exit(0);\n", "`function load(row) {` and 2 more lines"),
        ("javascript", JS, "// gone\n", "`function load(row) {` and 2 more lines"),
        ("bash", BASH, "set -euo pipefail\nexit 0\n", "`cp a b` and 1 more line"),
        ("bash", BASH, "set -euo pipefail\nexit 0\ncp a b\necho done\n", "`cp a b`, behind `exit 0`"),
    ] {
        caught(language, old, new, &format!("not done any more: {what}"));
    }
    // In JavaScript, functions may be defined after a `return` and used before it.
    let hoisted = "function f() {\n  return g();\n  function g() { return 1; }\n}\nf();\n";
    mends("javascript", hoisted, &hoisted.replace("return g()", "return g(1)"));
    // A different program, or a broken text, is not an empty one.
    for new in ["print(1)\n", "def load(:\n", "import sys\nx = 1\n"] {
        mends("python", PYTHON, new);
    }
    // Here the old file had only definitions, too.
    mends("python", "def f():\n    return g()\n", "def f():\n    return 1\n");
}

#[test]
fn texts_that_are_made_for_it_come_to_an_end() {
    for (language, text) in [
        ("javascript", "try{".repeat(40_000)),
        ("javascript", "{".repeat(100_000)),
        ("python", "(".repeat(100_000)),
        ("bash", "{ ".repeat(60_000)),
        ("bash", "{é".repeat(1_000)),
    ] {
        swallows(&Language(language.into()), "x\n", &text);
        handled(&Language(language.into()), &text, "x\n");
    }
}

/// How many nodes and node texts the search for silencers visits.
fn work(language: &str, text: &str) -> usize {
    let source = Source::read(text, &Language(language.into())).unwrap();
    silencers(&source);
    source.work.get()
}

#[test]
fn functions_are_looked_up_and_not_searched_for() {
    let many = |of: &dyn Fn(usize) -> String| (0..4_000).map(of).collect::<String>();
    for (language, text) in [
        ("python", many(&|n| format!("def f{n}(): pass\nx = f{n}\ng(f{n})\n"))),
        ("python", many(&|n| format!("def f{n}(): pass\natexit.register(f{n})\n"))),
        ("javascript", many(&|n| format!("function f{n}() {{ go(); }}\na.catch(f{n});\n"))),
        ("bash", many(&|n| format!("f{n}() {{ :; }}\ntrap f{n} EXIT\n"))),
    ] {
        let work = work(language, &text);
        assert!(work < 4_000 * 40, "{language}: {work}");
    }
}

#[test]
fn what_is_nested_is_not_looked_at_from_each_of_its_levels() {
    let nested = |open: &str, close: &str| format!("{}{}", open.repeat(8_000), close.repeat(8_000));
    let finally = nested("try{}finally{", "}");
    let calls = format!("function f() {{ {} }}\n{}", "go();".repeat(9_000), "a.catch(f);\n".repeat(9_000));
    for (language, text) in [("javascript", finally), ("javascript", calls)] {
        let work = work(language, &text);
        assert!((8_000..3 * MAX_LOOKS).contains(&work), "{language}: {work}");
    }
    // Few nodes, but each holds the text of all the nodes inside it.
    for (open, close) in [
        ("a.catch(()=>{", "})"),
        ("a.catch(e=>", ")"),
        ("process.on('exit',()=>{a[", "]=1})"),
        ("a.then(f,e=>", ")"),
    ] {
        let text = format!("{}1{}", open.repeat(4_000), close.repeat(4_000));
        let source = Source::read(&text, &Language("javascript".into())).unwrap();
        silencers(&source);
        assert!(!source.is_whole(), "{open}");
    }
    // A few levels are examined in full.
    caught(
        "javascript",
        "go();\n",
        "try { try { go(); } finally { try {} finally { return 1; } } } finally { done(); }\n",
        "`finally { try {} finally { return 1; } }`",
    );
}

#[test]
fn what_is_not_looked_at_is_no_proof_that_nothing_is_caught() {
    let unseen = |language: &str, old: &str, new: &str| {
        let caught = ErrorHandling::of(&Language(language.into()), old, new);
        assert_eq!(caught.hidden, None);
        caught.unexamined
    };
    let comments = |many: usize| format!("x = 1\n{}print(x['y'])\n", "#\n".repeat(many));
    let quiet = |text: &str| {
        text.replace("x = 1\n", "import os, atexit\natexit.register(lambda: os._exit(0))\nx = 1\n")
    };
    // These are parsed, although for each line the scanner reads all following ones.
    caught("python", &comments(1_400), &quiet(&comments(1_400)), "`atexit.register(lambda: os._exit(0))`");
    assert!(!unseen("python", &comments(1_400), &comments(1_401)));
    // A text that costs too much, one that is too large, and one nested too deeply to be searched from each level.
    assert!(unseen("python", &comments(20_000), &quiet(&comments(20_000))));
    assert!(unseen("python", PYTHON, &format!("{PYTHON}{}", "#".repeat(300_000))));
    let finally = format!("{}{}{JS}", "try{}finally{".repeat(8_000), "}".repeat(8_000));
    assert!(unseen("javascript", JS, &finally));
    // More than are compared.
    let many: String = (0..300).map(|n| format!("try:\n    a{n}()\nexcept OSError:\n    b{n}()\n")).collect();
    assert!(unseen("python", PYTHON, &format!("{many}{PYTHON}")));
    assert!(!unseen("python", PYTHON, &format!("{PYTHON}print(2)\n")));
    assert!(!unseen("ruby", "a\n", "b\n"), "its lines are all that is known");
}
