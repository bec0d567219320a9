//! Tests that paths are told from the folder in which the code runs that names them: code inside of code too.

use super::look;

/// Asserts that each sample tells of `../src`, or says that not all is known.
fn assert_told(samples: &[(&str, &str)]) {
    let missed = |(language, source): &&(&str, &str)| {
        let effects = look(language, source).effects;
        !effects.unknown && !effects.deletes.iter().any(|path| path == "../src")
    };
    let missed: Vec<_> = samples.iter().filter(missed).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Asserts that exactly this path is deleted, and that nothing else may be.
fn assert_known(samples: &[(&str, &str, &str)]) {
    for (language, source, path) in samples {
        let effects = look(language, source).effects;
        assert_eq!((effects.deletes, effects.unknown), (vec![(*path).to_owned()], false), "{source}");
    }
}

#[test]
fn code_inside_of_code_runs_in_the_folder_of_the_code_around_it() {
    assert_told(&[
        ("bash", "cd ..; bash -c 'rm -rf src'"),
        ("bash", "cd ..; bash -c 'bash -c \"rm -rf src\"'"),
        ("bash", "cd ..; eval 'rm -rf src'"),
        ("bash", "cd ..; echo 'rm -rf src' | bash"),
        ("bash", "cd ..; bash <<'E'\nrm -rf src\nE\n"),
        ("bash", "cd ..; python3 -c \"import shutil; shutil.rmtree('src')\""),
        ("bash", "cd ..; env -S 'rm -rf src'"),
        ("bash", "cd ..; alias x='rm -rf src;'; x"),
        ("bash", "env -C .. rm -rf src"),
        ("bash", "env --chdir=.. rm -rf src"),
        ("bash", "find .. -name x -execdir rm -rf src ';'"),
        ("bash", "bash -c 'cd ..'; cd ..; bash -c 'cd x; rm -rf $PWD/../src'"),
        ("python", "import os\nos.chdir('..')\nos.system('rm -rf src')\n"),
        ("python", "import subprocess\nsubprocess.run(['rm', '-rf', 'src'], cwd='..')\n"),
        ("python", "import subprocess\nsubprocess.run('rm -rf src', shell=True, cwd='..')\n"),
        ("python", "import subprocess, sys\nsubprocess.run('rm -rf src', shell=True, cwd=sys.argv[1])\n"),
        ("javascript", "process.chdir('..'); require('child_process').execSync('rm -rf src')"),
        ("javascript", "require('child_process').execSync('rm -rf src', { cwd: '..' })"),
        ("javascript", "require('child_process').spawn('rm', ['-rf', 'src'], { cwd: '..' })"),
    ]);
    assert_known(&[
        ("bash", "cd build; bash -c 'rm -rf out'", "build/out"),
        ("bash", "env -C build rm -rf out", "build/out"),
        ("bash", "cd build; env -C x rm -rf out", "build/x/out"),
        ("bash", "bash -c 'cd build; rm -rf out'", "build/out"),
        ("bash", "bash -c 'cd ..'; rm -rf out", "out"),
        (
            "python",
            "import subprocess\nsubprocess.run(['rm', '-rf', 'out'], cwd='build', check=True)\n",
            "build/out",
        ),
    ]);
}

#[test]
fn a_folder_that_may_be_another_one_makes_paths_unknown() {
    assert_told(&[
        ("python", "import os, shutil\nif input():\n    os.chdir('build')\nshutil.rmtree('../src')\n"),
        ("python", "import os, shutil, sys\nos.chdir(sys.argv[1])\nshutil.rmtree('src')\n"),
        ("python", "import os, shutil\ndef go():\n    os.chdir('build')\nshutil.rmtree('../src')\n"),
        (
            "python",
            "import shutil\nfrom contextlib import chdir\nwith chdir('..'):\n    shutil.rmtree('src')\n",
        ),
        (
            "javascript",
            "const fs = require('fs'); if (x) process.chdir('build'); fs.rmSync('../src', { recursive: true })",
        ),
        ("bash", "git -C .. clean -fdx"),
        ("bash", "git clean -fdx"),
    ]);
    assert_known(&[
        ("python", "import os, shutil\nos.chdir('a')\nos.chdir('b')\nshutil.rmtree('out')\n", "a/b/out"),
        (
            "python",
            "import os, shutil\nos.chdir('a')\nos.chdir('..')\nshutil.rmtree('../src')\n",
            "a/../../src",
        ),
    ]);
}

#[test]
fn each_value_of_a_loop_is_known_where_all_are_named() {
    let effects = look("bash", "for f in a.txt b.txt; do cat \"$f\"; done").effects;
    assert_eq!((effects.reads, effects.unknown), (vec!["a.txt".to_owned(), "b.txt".to_owned()], false));
    for source in [
        "for f in a.txt b.txt; do rm -f -- x y \"$f\"; done",
        "for f in a.txt b.txt; do (f=x); rm -f -- x y \"$f\"; done",
        "for f in a.txt b.txt; do test -e x && f=$(y); rm \"$f\"; done",
    ] {
        assert!(look("bash", source).effects.unknown, "{source}");
    }
}
