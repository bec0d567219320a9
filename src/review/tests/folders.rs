//! Tests that paths are told from the folder in which the code runs that names them: code inside of code too.

use super::shell::{assert_known, assert_told};
use super::{look, messages};

#[test]
fn code_inside_of_code_runs_in_the_folder_of_the_code_around_it() {
    assert_told(&[
        "cd ..; bash -c 'rm -rf src'",
        "cd ..; bash -c 'bash -c \"rm -rf src\"'",
        "cd ..; eval 'rm -rf src'",
        "cd ..; echo 'rm -rf src' | bash",
        "cd ..; bash <<'E'\nrm -rf src\nE\n",
        "cd ..; python3 -c \"import shutil; shutil.rmtree('src')\"",
        "cd ..; env -S 'rm -rf src'",
        "cd ..; alias x='rm -rf src;'; x",
        "env -C .. rm -rf src",
        "env --chdir=.. rm -rf src",
        "find .. -name x -execdir rm -rf src ';'",
        "bash -c 'cd ..'; cd ..; bash -c 'cd x; rm -rf $PWD/../src'",
    ]);
    super::assert_told(
        "python",
        "../src",
        &[
            "import os\nos.chdir('..')\nos.system('rm -rf src')\n",
            "import subprocess\nsubprocess.run(['rm', '-rf', 'src'], cwd='..')\n",
            "import subprocess\nsubprocess.run('rm -rf src', shell=True, cwd='..')\n",
            "import subprocess, sys\nsubprocess.run('rm -rf src', shell=True, cwd=sys.argv[1])\n",
        ],
    );
    super::assert_told(
        "javascript",
        "../src",
        &[
            "process.chdir('..'); require('child_process').execSync('rm -rf src')",
            "require('child_process').execSync('rm -rf src', { cwd: '..' })",
            "require('child_process').spawn('rm', ['-rf', 'src'], { cwd: '..' })",
        ],
    );
    assert_known(&[
        ("cd build; bash -c 'rm -rf out'", &["build/out"]),
        ("env -C build rm -rf out", &["build/out"]),
        ("cd build; env -C x rm -rf out", &["build/x/out"]),
        ("bash -c 'cd build; rm -rf out'", &["build/out"]),
        ("bash -c 'cd ..'; rm -rf out", &["out"]),
    ]);
    super::assert_known(
        "python",
        &[(
            "import subprocess\nsubprocess.run(['rm', '-rf', 'out'], cwd='build', check=True)\n",
            &["build/out"],
        )],
    );
}

#[test]
fn a_folder_that_may_be_another_one_makes_paths_unknown() {
    super::assert_told(
        "python",
        "../src",
        &[
            "import os, shutil\nif input():\n    os.chdir('build')\nshutil.rmtree('../src')\n",
            "import os, shutil, sys\nos.chdir(sys.argv[1])\nshutil.rmtree('src')\n",
            "import os, shutil\ndef go():\n    os.chdir('build')\nshutil.rmtree('../src')\n",
            "import shutil\nfrom contextlib import chdir\nwith chdir('..'):\n    shutil.rmtree('src')\n",
        ],
    );
    super::assert_told(
        "javascript",
        "../src",
        &[
            "const fs = require('fs'); if (x) process.chdir('build'); fs.rmSync('../src', { recursive: true })",
        ],
    );
    assert_told(&["git -C .. clean -fdx", "git clean -fdx"]);
    super::assert_known(
        "python",
        &[
            ("import os, shutil\nos.chdir('a')\nos.chdir('b')\nshutil.rmtree('out')\n", &["a/b/out"]),
            ("import os, shutil\nos.chdir('a')\nos.chdir('..')\nshutil.rmtree('../src')\n", &["a/../../src"]),
        ],
    );
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

#[test]
fn where_a_change_of_the_folder_may_fail_both_folders_are_told() {
    assert_known(&[
        ("cd nowhere; rm -rf ../src", &["../src", "nowhere/../src"]),
        ("cd build\nrm -rf *", &["*", "build/*"]),
        ("cd build && ls\nrm -rf ../src", &["../src", "build/../src"]),
        ("pushd build\nrm -rf ../src\npopd", &["../src", "build/../src"]),
        ("cd /tmp; rm -rf x", &["/tmp/x", "x"]),
        ("set -e; set +e; cd build; rm -rf ../src", &["../src", "build/../src"]),
        ("set -e; cd build && ls; rm -rf ../src", &["../src", "build/../src"]),
        // Where it surely succeeded, or both are inside, one is told.
        ("cd sub; rm -rf out", &["sub/out"]),
        ("cd build && rm -rf ../src", &["build/../src"]),
        ("cd build || exit 1\nrm -rf ../src", &["build/../src"]),
        ("die() { echo no; exit 1; }; cd build || die\nrm -rf ../src", &["build/../src"]),
        ("for d in a; do cd /opt/y || continue; rm -rf x; done", &["/opt/y/x"]),
        ("f() { cd /opt/y || return; rm -rf x; }; f", &["/opt/y/x"]),
        ("f() ( cd /opt/y || return; rm -rf x ); f", &["/opt/y/x"]),
        ("cd /opt/y || exit \"$?\"; rm -rf x", &["/opt/y/x"]),
        ("cd /opt/y || { echo no >&2; exit 1; } 2> /dev/null; rm -rf x", &["/opt/y/x"]),
        ("die() { echo \"no return value\" >&2; exit 1; }; cd /opt/y || die; rm -rf x", &["/opt/y/x"]),
        ("{\ndie() { exit 1; }\ncd /opt/y || die\nrm -rf x\n}", &["/opt/y/x"]),
        ("CDPATH= cd /opt/y && rm -rf x", &["/opt/y/x"]),
        ("CDPATH= cd build && rm -rf out", &["build/out"]),
        ("CDPATH=\"\" cd build && rm -rf out", &["build/out"]),
        ("CDPATHS=.. cd build && rm -rf out", &["build/out"]),
        ("CDPATH=''; cd build && rm -rf out", &["build/out"]),
        ("unset CDPATH; cd build && rm -rf out", &["build/out"]),
        ("set -e; trap 'echo \"set up failed\"' ERR; cd build; rm -rf ../src", &["build/../src"]),
        ("set -e; trap 'set +e' EXIT; cd build; rm -rf ../src", &["build/../src"]),
        ("set -e; trap : INT TERM; cd build; rm -rf ../src", &["build/../src"]),
        ("set -e\ncd build\nrm -rf ../src", &["build/../src"]),
        ("set -euo pipefail\ncd build\nrm -rf *", &["build/*"]),
        ("set -o errexit; cd build; rm -rf ../src", &["build/../src"]),
        ("if cd build; then rm -rf ../src; fi", &["build/../src"]),
        ("cd ..; rm -rf src", &["../src"]),
        ("cd /; rm -rf src", &["/src"]),
        ("pushd build; ls; popd; rm -rf ../src", &["../src"]),
        ("timeout 5 cd build; rm -rf ../src", &["../src"]),
    ]);
    assert_told(&[
        "cd build; cd -; rm -rf ../src",
        "set -e; f() { cd build; rm -rf ../src; }; f || true",
        "set -e; x=$(cd build; rm -rf ../src)",
        "test -e x && set -e; cd build; rm -rf ../src",
        "(set -e); cd build; rm -rf ../src",
        "C=cd; if test -e x; then $C build; fi; rm -rf ../src",
        "c''d build; popd; rm -rf ../src",
        "CDPATH=..; cd work; rm -rf src",
        "CDPATH=.. cd work; rm -rf src",
        "CDPATH+=.. cd work; rm -rf src",
        "CDPATH=..; unset -f CDPATH; cd work; rm -rf src",
        "CDPATH=..; test -e x && unset CDPATH; cd work; rm -rf src",
        "CDPATH=.. builtin cd work; rm -rf src",
        "set -e; trap 'set +e' DEBUG; cd build; rm -rf ../src",
        "off() { set +e; }; set -e; trap off DEBUG; cd build; rm -rf ../src",
        "off() { eval \"$X\"; }; set -e; trap off DEBUG; cd build; rm -rf ../src",
        "set -e; trap \"$X\" DEBUG; cd build; rm -rf ../src",
        "set -e; trap '. ./off' DEBUG; cd build; rm -rf ../src",
        "set -e; trap 'echo x; \"set\" +e' DEBUG; cd build; rm -rf ../src",
        "set -e; trap 'if true; then set +e; fi' DEBUG; cd build; rm -rf ../src",
    ]);
}

#[test]
fn only_what_certainly_ends_the_shell_or_the_round_counts_as_such() {
    let calls_die = |before: &str| format!("{before}; cd /opt/y || die; rm -rf x");
    assert_known(&[(&calls_die("die() { exit 1; }"), &["/opt/y/x"])]);
    let unsure = [
        "die() { return; exit 1; }",
        "die() { test -e x && return; exit 1; }",
        "die() { builtin return; exit 1; }",
        "die() { eval \"$1\"; exit 1; }",
        "die() { \"$1\"; exit 1; }",
        "die() { exit 1 2; }",
        "die() { exit 1; } > /no/such/x",
        "die() ( exit 1 )",
        "die() { exit 1 & }",
        "{ die() { exit 1; }; } &",
        "die() { exit 1; }; die() { :; }",
        "die() { exit 1; }; unset -f die",
        "die() { exit 1; }; eval 'die() { :; }'",
        "die() { exit 1; }; alias die=:",
        "die() { exit 1; }; alias exit=:",
        "die() { exit 1; }; enable -n exit",
        "if test -e x; then die() { exit 1; }; fi",
        "exit() { :; }; die() { exit 1; }",
    ];
    super::assert_told("bash", "x", &unsure.map(calls_die));
    super::assert_told(
        "bash",
        "x",
        &[
            "cd /opt/y || (echo no; exit 1)\nrm -rf x",
            "cd /opt/y || return\nrm -rf x",
            "cd /opt/y || echo exit; rm -rf x",
            "cd /opt/y || break; rm -rf x",
            "cd /opt/y || exit 1 2; rm -rf x",
            "cd /opt/y || exit $((1/0)); rm -rf x",
            "cd /opt/y || exit 1 > /no/such/x; rm -rf x",
            "cd /opt/y || exit 1 > 2; rm -rf x",
            "cd /opt/y || { echo no; exit 1; } > /no/such/x; rm -rf x",
            "enable -n exit; cd /opt/y || exit; rm -rf x",
            "alias exit=:; cd /opt/y || exit; rm -rf x",
            "die() { :; }; cd /opt/y || die; rm -rf x; die() { exit 1; }",
            "cd /opt/y || die; rm -rf x; die() { exit 1; }",
            "exit() { :; }; cd /opt/y || exit; rm -rf x",
            "for d in a; do (cd /opt/y || continue; rm -rf x); done",
            "for d in a; do { cd /opt/y || continue; rm -rf x; } & done",
            "for d in a; do { cd /opt/y || break; rm -rf x; } | cat; done",
            "for d in a; do x=$(cd /opt/y || continue; rm -rf x); done",
            "for d in a; do coproc { cd /opt/y || continue; rm -rf x; }; done",
            "for d in a; do cd /opt/y || continue > /no/x; rm -rf x; done",
        ],
    );
}

#[test]
fn the_name_of_the_folder_is_known_only_where_a_path_begins_with_it() {
    for source in [
        "rm -rf $PWD.old",
        "rm -rf \"$PWD-old\"",
        "rm -rf /opt/x$PWD",
        "rm -rf \"/opt/x${PWD}\"",
        "rm -rf /opt/x\"$PWD\"/y",
        "D=$PWD/y; rm -rf /opt/x$D",
        "D=$PWD; rm -rf $D$D",
        "rm -rf /opt/x/$PWD",
        "D=$PWD; D+=.txt; rm -rf $D",
        "rm -rf $PWD{,.old}",
        "rm -rf ${PWD}.{a,b}",
        "rm -rf \"$(printf %s.old \"$PWD\")\"",
        "D=$PWD/build; rm -rf \"${D#./}\"",
        "rm -rf /opt/${PWD:1}",
        "rm -rf /opt/${HOME#/}",
    ] {
        assert!(look("bash", source).effects.unknown, "{source}");
    }
    assert_known(&[
        ("rm -rf \"$PWD\"/build", &["./build"]),
        ("D=$PWD; rm -rf \"$D/build\"", &["./build"]),
        ("D=$PWD/build/; rm -rf \"${D%/}\"", &["./build"]),
        ("D=$PWD; D+=/build; rm -rf \"$D\"", &["./build"]),
        ("bash -c \"rm -rf $PWD/build\"", &["./build"]),
        ("bash -c \"rm -rf '$PWD'/build && ls\"", &["./build"]),
        ("trap \"rm -rf $PWD/build\" EXIT", &["./build"]),
        ("find . -exec sh -c \"rm -rf $PWD/build\" \\;", &["./build"]),
        ("python3 -c \"import shutil; shutil.rmtree('$PWD/build')\"", &["./build"]),
        ("S=.; rm -rf build${S}old", &["build.old"]),
        ("rm -rf build\".\"old", &["build.old"]),
        ("echo $PWD; rm -rf build\".\"old", &["build.old"]),
        ("D=./build; rm -rf \"${D#./}\"", &["build"]),
    ]);
    for (source, write) in
        [("dd if=a of=$PWD/disk.img", "./disk.img"), ("tar --directory=$PWD/out -xf a.tar", "./out")]
    {
        let effects = look("bash", source).effects;
        assert_eq!((effects.writes, effects.unknown), (vec![write.to_owned()], false), "{source}");
    }
    assert_known(&[("rm -rf $PWD/{a,b}", &["./a", "./b"])]);
    let told = messages(look("bash", "git --work-tree=$PWD clean -fdx"));
    assert_eq!(told, ["deletes files that git does not know: git clean"]);
}

#[test]
fn a_path_that_is_the_same_from_several_folders_is_named_once() {
    let told = |source: &str| messages(look("bash", source));
    assert_eq!(told("cd a; rm -rf /opt/x"), ["deletes a folder: /opt/x"]);
    assert_eq!(told("cd a; rm -rf ~/x ~/x"), ["deletes a folder: ~/x"]);
    let makes = "cd a; make; cd ..\n".repeat(3);
    assert_eq!(told(&makes), ["runs what this folder says: make"; 3]);
}

#[test]
fn long_chains_and_deep_braces_stay_within_the_work_that_a_text_may_take() {
    let chain = "cd a && ".repeat(390) + "ls\n";
    assert!(look("bash", &chain.repeat(20)).unchecked.is_some());
    assert!(look("bash", "cd a && make || exit 1\n".repeat(20).as_str()).unchecked.is_none());
    for chain in ["set -e\n", ""] {
        let chain = |parts: usize| {
            format!("{chain}{}rm -rf x\n", "cd a && make && cp x y && cd .. && ".repeat(parts / 4))
        };
        assert!(look("bash", &chain(200)).unchecked.is_none());
        assert!(look("bash", &chain(80).repeat(10)).unchecked.is_none());
    }
    let deep = format!("cd a || {}exit{}\nrm -rf ../src\n", "{ ".repeat(10_000), "; }".repeat(10_000));
    assert!(look("bash", &deep).unchecked.is_some());
}

#[test]
fn in_loops_and_functions_paths_are_told_from_every_folder() {
    assert_told(&[
        "for d in a b; do rm -rf ../src; cd build; done",
        "while read -r d; do rm -rf src; cd ..; done < list",
        "f() { rm -rf src; }; cd ..; f",
    ]);
    super::assert_told(
        "python",
        "../src",
        &[
            "import os, shutil\nfor d in 'ab':\n    shutil.rmtree('src')\n    os.chdir('..')\n",
            "import os, shutil\nwhile go():\n    shutil.rmtree('src')\n    os.chdir('..')\n",
            "import os, shutil\nflag and os.chdir('build')\nshutil.rmtree('../src')\n",
            "import os, shutil\n[os.chdir('..') for _ in range(2)]\nshutil.rmtree('work/src')\n",
            "import os, shutil\ntry:\n    os.chdir('build')\nexcept OSError:\n    pass\nshutil.rmtree('../src')\n",
            "import os, shutil\ndef f():\n    shutil.rmtree('src')\nf()\nos.chdir('..')\nf()\n",
            "import os, shutil, atexit\ndef f():\n    shutil.rmtree('src')\natexit.register(f)\nos.chdir('..')\n",
            "import os, shutil\np = os.getcwd()\nos.chdir('build')\nshutil.rmtree(p + '/../src')\n",
        ],
    );
    super::assert_told(
        "javascript",
        "../src",
        &[
            "const fs = require('fs'); for (const d of l) { fs.rmSync('src', {recursive: true}); process.chdir('..') }",
            "const fs = require('fs'); x && process.chdir('build'); fs.rmSync('../src', {recursive: true})",
        ],
    );
}

#[test]
fn programs_with_a_folder_of_their_own_are_told_from_it() {
    assert_known(&[
        ("git -C .. rm -rf src", &["../src"]),
        ("git -C a -C b rm -rf out", &["a/b/out"]),
        // Paths start where git was started, or at the top of the tree if that is elsewhere.
        ("git --work-tree=.. rm -rf src", &["../src", "src"]),
        ("git --work-tree .. rm -rf src", &["../src", "src"]),
        ("git --work-tree=b -C .. rm -rf src", &["../b/src", "../src"]),
        ("git --work-tree=/srv/www rm -rf old", &["/srv/www/old"]),
        ("cd /srv/www/a && git --work-tree=/srv/www rm -rf old", &["/srv/www/a/old", "/srv/www/old"]),
        ("git -C .. rm -rf src; rm -rf out", &["../src", "out"]),
        ("find build ../src -delete", &["../src", "build"]),
        ("find . ! -name x -delete", &["."]),
        ("rsync -a --delete a/ ../src", &["../src"]),
    ]);
    let effects = look("bash", "git -C \"$X\" rm -rf src").effects;
    assert!(effects.deletes.is_empty() && effects.unknown, "{effects:?}");
    for (source, writes) in [
        ("git -C .. archive -o x.tar HEAD", "../x.tar"),
        ("tar -C .. -xf a.tar", ".."),
        ("wget -P .. https://a.example/x", "../x"),
        ("curl -O --output-dir .. https://a.example/x", "../x"),
        ("rsync -a a/ ../b/", "../b/"),
    ] {
        assert_eq!(look("bash", source).effects.writes, [writes], "{source}");
    }
    for (source, reads) in [("tar -C ~ -cf a.tar .ssh", "~/.ssh"), ("tar cf a.tar -C .. src", "../src")] {
        assert_eq!(look("bash", source).effects.reads, [reads], "{source}");
    }
    for (source, message) in [
        ("git -C .. clean -fdx", "deletes files that git does not know: git clean in .."),
        ("git -C .. checkout -- .", "discards all changes below: git checkout . in .."),
        ("git --work-tree=/ reset --hard", "discards changes: git reset --hard in /"),
        ("git --work-tree=.. clean -fdx", "deletes files that git does not know: git clean in .. or here"),
        ("git clean -fdx", "deletes files that git does not know: git clean"),
    ] {
        assert_eq!(messages(look("bash", source)), [message], "{source}");
    }
    for source in ["make -C .. clean", "npm --prefix .. ci", "cargo -C .. build"] {
        assert!(look("bash", source).effects.unknown, "{source}");
    }
}

#[test]
fn what_lies_beside_a_folder_of_builds_is_none() {
    let rules = |source: &str| look("bash", source).findings.into_iter().map(|f| f.rule).collect::<Vec<_>>();
    assert_eq!(rules("rm -rf build/../src"), ["sh.delete-tree"]);
    assert_eq!(rules("rm -rf src/../build"), ["sh.delete-derived"]);
}

#[test]
fn what_leads_out_of_a_temporary_folder_is_told() {
    for (language, source) in [
        ("bash", "rm -rf @temporary/x"),
        ("bash", "d=$(mktemp -d); rm -rf \"$d/../../home/ann\""),
        ("bash", "d=$(mktemp -d); rm -rf \"$d\"/.."),
        ("bash", "d=$(mktemp -d); rm -rf \"$d/$x/../a\""),
        ("python", "import shutil\nshutil.rmtree('@temporary/x')"),
        ("python", "import shutil, tempfile\nd = tempfile.mkdtemp(dir='.')\nshutil.rmtree(d + '/../src')"),
        (
            "python",
            "import shutil, tempfile\nfrom pathlib import Path\nd = Path(tempfile.mkdtemp())\nshutil.rmtree(d.parent / 'x')",
        ),
        (
            "javascript",
            "const fs = require('fs'); fs.rmSync(fs.mkdtempSync('./x-') + '/../src', { recursive: true })",
        ),
    ] {
        let review = look(language, source);
        let is_told =
            review.effects.unknown || review.effects.deletes.iter().any(|path| path.starts_with('@'));
        assert!(is_told && !review.findings.is_empty(), "{source}: {review:?}");
    }
    for source in [
        "d=$(mktemp -d); rm -rf \"$d\" \"$d.old\" \"$d/a/../b\"; rm \"$d\"/*",
        "d=$(mktemp -d); bash -c \"rm -rf $d/a\"",
    ] {
        let review = look("bash", source);
        assert!(review.findings.is_empty() && review.effects.deletes.is_empty(), "{source}: {review:?}");
    }
    let effects = look("bash", "d=$(mktemp -d); date > \"$d/b\"").effects;
    assert_eq!(effects.writes, ["@temporary/b"]);
    // A path that begins like the name for such a folder is none of them.
    let spelled = look("python", "import shutil\nshutil.rmtree('\\ue000temporary/x')");
    assert_eq!(spelled.gravest(), Some(crate::domain::Severity::High), "{spelled:?}");
}

#[test]
fn where_a_temporary_folder_is_made_is_told() {
    let made = |call: &str, folder: &str| {
        let source = format!("import os, sys, tempfile\nd = {}\n", call.replace("DIR", folder));
        look("python", &source).effects
    };
    for call in ["tempfile.mkdtemp(dir=DIR)", "tempfile.NamedTemporaryFile('w', dir=DIR, delete=False)"] {
        for folder in ["sys.argv[1]", "os.environ['X']", "f'/opt/{os.getpid()}'"] {
            assert!(made(call, folder).unknown, "{call} {folder}");
        }
        assert_eq!(made(call, "'out'").writes, ["out"], "{call}");
        let effects = made(call, "'/tmp'");
        assert!(effects.writes.is_empty() && !effects.unknown, "{call} {effects:?}");
    }
}

#[test]
fn a_finding_names_the_kind_of_place() {
    for (source, expected) in [
        ("cp a /etc/motd", "writes to a folder of the system: /etc/motd"),
        ("tar xf a.tar -C ~", "writes to a home, a top folder or one above the working folder: ~"),
        ("unzip a.zip -d ..", "writes to a home, a top folder or one above the working folder: .."),
        ("echo a >> /etc/hosts", "writes where names of computers lead: /etc/hosts"),
        ("echo a >> /etc/passwd", "writes who may log in: /etc/passwd"),
        ("cat key >> ~/.ssh/authorized_keys", "writes who may log in: ~/.ssh/authorized_keys"),
        ("echo a >> ~/.ssh/config", "writes what a tool runs by itself: ~/.ssh/config"),
        ("echo a >> /etc/sudoers.d/a", "writes what sudo allows: /etc/sudoers.d/a"),
        ("cat /etc/sudoers", "reads what sudo allows: /etc/sudoers"),
        ("echo a >> .npmrc", "writes what npm obeys by itself: .npmrc"),
        ("chmod +x /etc/hosts", "makes executable what is run or obeyed by itself: /etc/hosts"),
        (
            "cat ~/.ssh/id_rsa ~/.aws/credentials",
            "reads an SSH key, cloud credentials: ~/.ssh/id_rsa, ~/.aws/credentials",
        ),
        (
            "tee -a ~/.zshrc ~/.bashrc /etc/passwd < a",
            "writes what a shell reads when it starts, who may log in: ~/.zshrc, ~/.bashrc, /etc/passwd",
        ),
    ] {
        let told = messages(look("bash", source));
        assert!(told.iter().any(|message| message == expected), "{told:?}");
    }
    for (path, expected) in [
        ("/etc/motd", "writes to a folder of the system: "),
        ("/etc/hosts", "writes where names of computers lead: "),
    ] {
        let told = messages(look("sql", &format!("SELECT 1 INTO OUTFILE '{path}';")));
        assert!(told.iter().any(|message| message.starts_with(expected)), "{told:?}");
    }
}
