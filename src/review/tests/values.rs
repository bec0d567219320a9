//! Tests that values in Python and JavaScript are not taken as known where they may be others when a path is used.

use super::look;

/// The head of each sample, by language, and how it deletes the path `p`.
fn sample(language: &str, body: &str) -> String {
    match language {
        "python" => format!("import os, shutil\nfrom pathlib import Path\n{body}\n"),
        _ => format!(
            "const fs = require('fs'); const path = require('path'); const rm = p => fs.rmSync(p, {{recursive: true}});\n{body}"
        ),
    }
}

/// Asserts that each sample tells of `../src`, or says that not all is known.
fn assert_told(language: &str, bodies: &[&str]) {
    let missed = |body: &&&str| {
        let effects = look(language, &sample(language, body)).effects;
        !effects.unknown && !effects.deletes.iter().any(|path| path == "../src")
    };
    let missed: Vec<_> = bodies.iter().filter(missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Asserts that exactly these paths are deleted, and that nothing else may be.
fn assert_known(language: &str, samples: &[(&str, &[&str])]) {
    let mut wrong = Vec::new();
    for (body, paths) in samples {
        let mut effects = look(language, &sample(language, body)).effects;
        effects.deletes.sort();
        if effects.unknown || effects.deletes != *paths {
            wrong.push(format!("{body}\n  {:?} unknown: {}", effects.deletes, effects.unknown));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
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
