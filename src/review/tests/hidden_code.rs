//! Tests that what a text does without showing it is told or leaves the effects unknown.

use super::{look, told};
use crate::domain::Severity;

fn assert_unknown(language: &str, samples: &[&str]) {
    let known: Vec<&&str> = samples.iter().filter(|source| !look(language, source).effects.unknown).collect();
    assert!(known.is_empty(), "{known:#?}");
}

fn assert_known(language: &str, samples: &[&str]) {
    for source in samples {
        let review = look(language, source);
        assert!(!review.effects.unknown && review.findings.is_empty(), "{source}: {:?}", told(&review));
    }
}

#[test]
fn a_command_in_an_index_is_started_by_what_takes_names() {
    for source in [
        "x='a[$(./x)]'; echo $((x))",
        "x='a[$(./x)]'; [[ $x -eq 0 ]]",
        "x='a[$(./x)]' y",
        "export x='a[`./x`]'; ((x))",
        "declare 'a[$(./x)]=1'",
        "[[ -v 'a[$(./x)]' ]]",
        "test -v 'a[$(./x)]'",
        "printf -v 'a[$(./x)]' hi",
        "read 'a[$(./x)]' < f",
        "read -a 'a[$(./x)]' < f",
        "read -ap 'a[$(./x)]' < f",
        "read -p -p 'a[$(./x)]' < f",
        "read x -p 'a[$(./x)]' < f",
        "unset 'a[$(./x)]'",
        "let \"a[\\$(./x)]=1\"",
    ] {
        let review = look("bash", source);
        let message = "starts a program where nobody looks for one: an index starts ./x";
        let told = told(&review);
        assert!(
            told.iter().any(|told| told.contains("high") && told.ends_with(message)),
            "{source}: {told:?}"
        );
        assert!(review.effects.unknown, "{source}");
    }
    assert_unknown(
        "bash",
        &[
            "x='$(./x)'; echo ${x@P}",
            "echo \"${PS1@P}\"",
            "declare -a 'a=($(./x))'",
            "declare -a a='([0]=`./x`)'",
            "f() { local -a 'a=(1 $(./x))'; }; f",
        ],
    );
    assert_known(
        "bash",
        &[
            "declare -a 'a=(1 2)' b=(\"$(date)\"); declare c='(costs $5)'",
            "a=(1 2); i=1; echo \"${a[i]} ${a[$((i - 1))]}\"",
            "grep 'a[$(x)]' notes.txt",
            "printf '%s\\n' 'a[$(x)]'",
            "x='[a-z]*'; echo \"$x\"",
            "x='s/a[0-9]/$(b)/'; echo \"$x\"",
            "x='{ count[$(NF - 1)]++ } END { for (k in count) print k }'; awk \"$x\" a.txt",
            "[[ -v a[0] && $x == [ab]* ]] && echo yes",
            "x=a; echo \"${x@Q} ${x@U}\"",
            "read -p 'count[$(NF)] {' x",
            "read -rp 'a[$(x)]: ' x",
            "read -p'a[$(x)]: ' x",
        ],
    );
}

/// bash was asked for each sample, with a file that holds `a[$(./x)]`.
#[test]
fn a_text_from_elsewhere_is_code_in_arithmetic() {
    assert_unknown(
        "bash",
        &[
            "n=$(cat f); (( n > 3 ))",
            "n=$(cat f); echo $((n + 1))",
            "read n < f; [[ $n -gt 3 ]]",
            "while read -r a b; do s=$((s + b)); done < f",
            "mapfile -t a < f; (( a[0] > 1 ))",
            "echo $(( $(cat f) + 1 ))",
            "n=$(cat f); m=$n; let m+=1",
            "n=$(echo \"$(cat f)\"); (( n ))",
            "n=$(head -1 f | tr -d ' '); echo $((n))",
            "n=$(cat f); declare -i m=n",
            "n=$(cat f); echo ${a[n]}",
            "n=$(cat f); a[n]=3",
            "n=$(cat f); x=abc; echo ${x:n}",
            "n=$(cat f); for ((i = 0; i < n; i++)); do echo $i; done",
            "for n in $(cat f); do ((n)); done",
            "printf -v n %s \"$(cat f)\"; ((n))",
            "n=$(seq 1 | cat f); ((n))",
            "n=$(cat f | tr -dc 'a-z[]$()./'); ((n))",
            "n=$(cat f); [ -v \"$n\" ]",
            "n=$(cat f); [[ -v $n ]]",
            "n=$(echo f | xargs cat); ((n))",
        ],
    );
    assert_known(
        "bash",
        &[
            "n=$(wc -l < a); if (( n > 3 )); then echo yes; fi",
            "n=$(LC_ALL=C grep -c x a || echo 0); if [[ $n -gt 3 ]]; then echo \"$n\"; fi",
            "n=$(cat a | wc -l | tr -d ' '); echo $((n + 1))",
            "n=$(cat a | tr -dc '0-9'); echo $((n + 1))",
            "n=$(cat a); [[ -v n && -n $n ]]",
            "n=$(ls | wc -l | xargs); printf -v m %s \"$n\"; echo $((m + 1))",
            "t=$(date +%s); sleep 1; echo $(( $(date +%s) - t ))",
            "for i in $(seq 3); do echo $((i + 1)); done",
            "for f in *; do echo $(( $(stat -c %s \"$f\") / 2 )); done",
            "x=$(cat a); echo \"${#x} $(( ${#x} + 1 )) ${x:0:3}\"",
            "x=$(cat a); x=$((y = 3)); echo $y",
            "mapfile -t a < f; for i in \"${!a[@]}\"; do echo \"${a[$i]} ${a[i + 1]}\"; done",
            "mapfile -t a < f; for ((i = 0; i < ${#a[@]}; i++)); do echo \"${a[i]}\"; done",
            "read -r n < a; [[ $n == 3 ]]",
            "read -r n <<< 3; echo $((n + 1))",
            "declare -A m; while read -r k v; do m[$k]=$v; done < a",
        ],
    );
}

/// bash was asked for each sample, as above.
#[test]
fn a_text_from_elsewhere_is_code_in_arithmetic_on_arguments_and_in_the_names_of_variables() {
    assert_unknown(
        "bash",
        &[
            "f() { (( $1 > 3 )); }; f \"$(cat f)\"",
            "n=$(cat f); f() { local m=$1; (( m > 3 )); }; f \"$n\"",
            "f() { g \"$@\"; }; g() { (( ${1} )); }; f \"$(cat f)\"",
            "n=$(cat f); f() { declare -i m=$1; }; f \"$n\"",
            "set -- \"$(cat f)\"; (( ${1} ))",
            "set -- \"$(cat f)\"; [[ $1 -gt 3 ]]",
            "set -- \"$(cat f)\"; for x; do ((x)); done",
            "set -- \"$(cat f)\"; let \"$@\"",
            "set -- \"$(cat f)\"; (( $* ))",
            "set -- -x \"$(cat f)\"; while getopts x: o; do ((OPTARG)); done",
            "a=(1 2); n=$(cat f); unset \"a[$n]\"",
            "declare -A a=([x]=1); n=$(cat f); unset \"a[$n]\"",
            "a=(1 2); n=$(cat f); unset \"a[n]\"",
            "a=(1 2); unset \"a[$(cat f)]\"",
            "a=(1); n=$(cat f); unset -v \"$n\"",
            "n=$(cat f); read \"$n\" <<< x",
            "n=$(cat f); read -r x \"a[$n]\" <<< 'x y'",
            "n=$(cat f); printf -v \"$n\" x",
            "n=$(cat f); printf -v \"a[$n]\" x",
            "n=$(cat f); declare \"$n=1\"",
            "n=$(cat f); declare \"a[$n]=1\"",
            "n=$(cat f); f() { local \"$n=1\"; }; f",
            "n=$(cat f); test -v \"$n\"",
            "n=$(cat f); declare -i m; m=$n",
            "n=$(cat f); declare -i m; m=n",
            "declare -i m; read m < f",
            "n=$(cat f); echo ${!n}",
            "n=$(expr \"$(cat f)\" : '\\(.*\\)'); ((n))",
            "n=$(date \"+$(cat f)\"); ((n))",
            "n=$(stat -c '%n' a*); ((n))",
        ],
    );
    assert_known(
        "bash",
        &[
            "f() { (( $1 > 3 )); }; f 4; cat a",
            "f() { echo \"$1\"; }; f \"$(cat a)\"; g() { (( $1 )); }; g 3",
            "x=$(cat a); set -- \"$x\"; echo $(( $# + ${#1} ))",
            "x=$(cat a); read -r -p \"$x? \" y; echo \"$y\"",
            "x=$(cat a); a=(1 2); unset \"a[0]\" x; echo \"${a[1]}\"",
            "x=$(cat a); d=$(date -d \"$x\" '+%s'); echo $((d))",
            "x=$(cat a); for v in HOME PWD; do echo \"${!v}\"; done",
            "n=$(expr 3 + 4); echo $((n))",
            "declare -i n; n=$(wc -l < a); echo $((n + 1))",
        ],
    );
}

#[test]
fn code_without_a_grammar_inside_of_commands_is_not_known_as_in_a_block_of_its_own() {
    assert_unknown(
        "bash",
        &[
            "perl -ne 'system q(./x)' a.txt",
            "ruby -e 'system(%q(./x))'",
            "php -r 'system(chr(46) . chr(47) . chr(120));'",
            "cat > a.pl <<'E'\nsystem q(./x);\nE\nperl a.pl",
            "cat > s.awk <<'E'\nBEGIN { system(x) }\nE\nawk -f s.awk a.txt",
        ],
    );
    assert_known("bash", &["awk '{ print $1 }' a.txt", "sed -n '1p' a.txt", "node -e 'console.log(1)'"]);
}

#[test]
fn what_a_text_that_is_not_known_does_is_not_known() {
    assert_unknown(
        "python",
        &[
            "exec(open('x.py').read())",
            "import ctypes\nctypes.CDLL('./x.so')",
            "import pytest\npytest.main(['-q'])",
        ],
    );
    assert_unknown("javascript", &["eval(require('fs').readFileSync('x.js', 'utf8'))"]);
}

#[test]
fn libraries_tell_what_they_write() {
    for (language, source, writes) in [
        ("python", "import cv2\ncv2.VideoWriter('a.mp4', 0, 1, (1, 1))", "a.mp4"),
        ("python", "from torch.utils.tensorboard import SummaryWriter\nSummaryWriter()", "runs"),
        ("python", "import mlflow\nmlflow.log_param('a', 1)", "mlruns"),
        ("python", "import wget\nwget.download('https://a.example/x', 'y')", "y"),
        ("python", "import nbformat\nnbformat.write(x, 'a.ipynb')", "a.ipynb"),
        ("javascript", "require('sharp')('a.png').toFile('b.png')", "b.png"),
        ("javascript", "const sqlite3 = require('sqlite3').verbose();\nnew sqlite3.Database('a.db')", "a.db"),
        ("javascript", "const Database = require('better-sqlite3');\nnew Database('a.db')", "a.db"),
        ("sql", "COPY t TO '/tmp/a.csv';", "/tmp/a.csv"),
    ] {
        assert_eq!(look(language, source).effects.writes, [writes], "{source}");
    }
}

#[test]
fn settings_that_code_hands_to_programs_count_as_in_a_shell() {
    let run = "subprocess.run(['ls']";
    let python = [
        format!("os.environ['PYTHONPATH'] = 'lib'\n{run})"),
        format!("os.environ['LD_PRELOAD'] = x\n{run})"),
        format!("os.environ.update(NODE_OPTIONS='-r ./x')\n{run})"),
        format!("{run}, env={{'LD_PRELOAD': './x.so'}})"),
        format!("{run}, env={{**os.environ, 'PYTHONPATH': 'lib'}})"),
        format!("{run}, env=dict(os.environ, BASH_ENV='x.sh'))"),
        format!("env = os.environ.copy()\nenv['PERL5OPT'] = '-Mx'\n{run}, env=env)"),
        format!("mine = os.environ.copy()\nmine.update(LD_PRELOAD='./x.so')\n{run}, env=mine)"),
        format!("mine = dict(os.environ)\nmine['LD_PRELOAD'] = './x.so'\n{run}, env=mine)"),
        format!(
            "import copy\nmine = copy.copy(os.environ)\nmine |= {{'LD_PRELOAD': './x.so'}}\n{run}, env=mine)"
        ),
        "os.environ |= {'LD_PRELOAD': './x.so'}".to_owned(),
        "os.environ.update([('LD_PRELOAD', './x.so')])".to_owned(),
        "os.execve('/bin/ls', ['ls'], {'LD_PRELOAD': './x.so'})".to_owned(),
        "os.spawnve(os.P_WAIT, '/bin/ls', ['ls'], {'LD_PRELOAD': './x.so'})".to_owned(),
        format!("env = {{'A': '1'}}\nenv['GIT_SSH_COMMAND'] = './x'\n{run}, env=env)"),
        format!("{run}, env={{'PATH': '.'}})"),
    ];
    let python = python.map(|body| format!("import os, subprocess\n{body}"));
    assert_unknown("python", &python.each_ref().map(String::as_str));
    assert_unknown(
        "javascript",
        &[
            "process.env.NODE_OPTIONS = '-r ./x';",
            "process.env['LD_PRELOAD'] = './x.so';",
            "Object.assign(process.env, { LD_PRELOAD: './x.so' });",
            "process.env = { ...process.env, LD_PRELOAD: './x.so' };",
            "process.env = mine;",
            "const e = { ...process.env }; e.LD_PRELOAD = './x.so'; require('child_process').execSync('ls', { env: e });",
            "require('child_process').execSync('ls', { env: { ...process.env, RUBYOPT: '-r./x' } });",
        ],
    );
    assert_known(
        "python",
        &[
            "import os\nos.environ['MPLBACKEND'] = 'Agg'",
            "import os\nos.environ['PATH'] = '/usr/local/bin:' + os.environ['PATH']",
            "import os\nos.environ['PAGER'] = 'cat'",
            "import os\nos.environ |= {'MPLBACKEND': 'Agg'}",
            "import os\nmine = dict(os.environ)\nmine['MPLBACKEND'] = 'Agg'",
            "d = {}\nd['PATH'] = 'lib'",
            "import pandas as pd\ndf = pd.DataFrame()\ndf['EDITOR'] = 'Ann'",
            "d = dict(EDITOR='Ann')",
            "print(open(0).read())",
        ],
    );
    assert_known(
        "javascript",
        &[
            "process.env.NODE_ENV = 'test';",
            "Object.assign(process.env, { NODE_ENV: 'test' });",
            "process.env = { ...process.env, NODE_ENV: 'test' };",
            "console.log(require('fs').readFileSync(0, 'utf8'));",
        ],
    );
}

#[test]
fn what_stands_in_place_of_a_programs_words_is_no_word() {
    for given in ["{ stdio: 'inherit' }", "null, { cwd: 'a' }", "[], {}", "undefined"] {
        let source = format!("require('child_process').spawn('ls', {given});");
        assert!(!look("javascript", &source).effects.unknown, "{source}");
    }
    let deletes =
        look("javascript", "require('child_process').spawn('rm -r x', { shell: true });").effects.deletes;
    assert_eq!(deletes, ["x"]);
    assert_unknown("javascript", &["require('child_process').spawn('ls', words);"]);
}

#[test]
fn code_of_files_and_settings_that_commands_name_is_not_known() {
    assert_unknown(
        "bash",
        &[
            "sed -n -f s.sed a.txt",
            "sed --file=s.sed a.txt",
            "awk -f s.awk a.txt",
            "gawk -l ./x '{ print }' a.txt",
            "gawk -i ./x.awk '{ print }' a.txt",
            "gawk --include=./x.awk '{ print }' a.txt",
            "gawk -i inplace '{ print }' a.txt",
            "gawk -i inplace -i ./x.awk '{ print }' a.txt",
            "gawk '@include \"./x.awk\"\n{ print }' a.txt",
            "printf 'BEGIN { system(\"./x\") }' > a.awk; gawk -i ./a.awk '{ print }' a.txt",
            "printf 'BEGIN { system(\"./x\") }' > a.awk; gawk '@include \"./a.awk\"' a.txt",
            "printf x > a.so; gawk -l ./a.so '{ print }' a.txt",
            "gawk '@load \"./x\"\n{ print }' a.txt",
            "gawk '{ f = \"system\"; @f(\"./x\") }' a.txt",
            "mapfile -C ./x -c 1 a < f",
            "compgen -C ./x",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./x git status",
            "GIT_CONFIG_VALUE_0=./x GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_COUNT=1 git status",
            "GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=./x GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_COUNT=1 git status",
            "TAR_OPTIONS=-I./x tar tf a.tar",
            "RUBYOPT=-r./x ruby -v",
            "PYTHONPATH=lib python3 -c 'import colorsys'",
            "LD_LIBRARY_PATH=lib ls",
            "LD_LIBRARY_PATH=/usr/lib:lib ls",
            "LD_PRELOAD=./x.so ls",
            "NODE_PATH=lib node -e 1",
            "env NODE_OPTIONS=$X node -e 1",
            "PAGER=$X git log",
            "env PAGER=$X git log",
            "cd lib && python3 -c 'import colorsys'",
            "cd lib && python3 -m json.tool a.json",
            "gnuplot a.gp",
            "latexmk a.tex",
            "pre-commit run --all-files",
            "poetry install",
            "poetry lock",
            "uv sync --frozen",
            "uv lock",
        ],
    );
    assert_known(
        "bash",
        &[
            "mapfile -t a < f",
            "compgen -v",
            "RUBYOPT=-W0 ruby -v",
            "LD_LIBRARY_PATH=/usr/local/lib ls",
            "PAGER= git log",
            "PYTHONPATH=. python3 -c 'import colorsys'",
            "cd /home/ann/work && python3 -c 'import colorsys'",
            "python3 -c 'import colorsys'; cd lib",
            "cd /home/ann/work && python3 -m json.tool a.json",
            "(cd lib); python3 -m json.tool a.json",
            "TAR_OPTIONS= tar tf a.tar",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=Ann git status",
        ],
    );
    let keys: Vec<_> = (0..256).map(|n| format!("export GIT_CONFIG_KEY_{n}=user.name")).collect();
    let last = "export GIT_CONFIG_VALUE_0=./x GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_COUNT=1\ngit status";
    let text = format!("{}\n{last}", keys.join("\n"));
    assert_unknown("bash", &[text.as_str()]);
    let git = "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.fsmonitor GIT_CONFIG_VALUE_0=./x git status";
    assert_eq!(look("bash", git).gravest(), Some(Severity::High), "{:?}", told(&look("bash", git)));
}

#[test]
fn python_that_runs_texts_and_files_tells_it() {
    for source in [
        "import timeit\ntimeit.timeit(\"__import__('os').remove('a')\")",
        "import timeit\ntimeit.repeat('1', setup=\"import os; os.remove('a')\")",
        "import cProfile\ncProfile.run(\"__import__('os').remove('a')\")",
    ] {
        assert_eq!(look("python", source).effects.deletes, ["a"], "{source}");
    }
    assert_unknown(
        "python",
        &[
            "import sys\nsys.path.insert(0, 'x')\nimport y",
            "import sys\nsys.path.append('x')",
            "import os\nos.chdir('lib')\nimport colorsys",
            "import os\nos.chdir('lib')\n__import__('colorsys')",
            "import importlib, os\nos.chdir('lib')\nimportlib.import_module('colorsys')",
            "import sys\nsys.path[0] = 'x'",
            "import sys\nsys.path[0:0] = ['x']",
            "import sys as system\nsystem.path += ['x']",
            "import sys\nsys.path = ['x'] + sys.path",
            "from sys import path\npath += ['x']",
            "from sys import path\npath[:0] = ['x']",
            "import sys\nfolders = sys.path\nfolders[0] = 'x'",
            "import doctest\ndoctest.testfile('a')",
            "import sqlite3\nsqlite3.connect(':memory:').load_extension('./x')",
            "import zipfile\nzipfile.ZipFile('a.zip').extractall()",
        ],
    );
    assert_known("python", &["import timeit\ntimeit.timeit('sum(range(100))', number=1000)"]);
    assert_known("python", &["import sys\nfirst = sys.path[0]\nfirst += '/x'"]);
    let options = "import argparse\nargs = vars(argparse.ArgumentParser().parse_args())\nargs['x'] = 1";
    assert_known("python", &[options]);
    assert_unknown("javascript", &["const o = { p: 'a' };\nObject.defineProperty(o, 'p', { value: 'b' });"]);
    let worker = "const { Worker } = require('worker_threads');\nnew Worker('./a.js');";
    assert_unknown("javascript", &[worker]);
}

#[test]
fn files_that_python_opens_for_writing_in_its_own_ways_are_told() {
    for source in [
        "import io\nio.FileIO('a', 'w')",
        "import bz2\nbz2.BZ2File('a', 'w')",
        "import lzma\nlzma.LZMAFile('a', 'w')",
        "import gzip\ngzip.GzipFile('a', 'wb')",
        "import numpy as np\nnp.memmap('a', mode='w+', shape=3)",
        "import numpy as np\nnp.memmap('a', shape=3)",
        "import numpy as np\nnp.lib.format.open_memmap('a', mode='w+', shape=(3,))",
        "import pandas as pd\npd.HDFStore('a')",
        "import pandas as pd\npd.ExcelWriter('a')",
        "import pandas as pd\npd.DataFrame().to_hdf('a', key='x')",
        "import fileinput\nfor line in fileinput.input('a', inplace=True):\n    print(line)",
        "import xml.etree.ElementTree as tree\ntree.parse('b').write('a')",
        "import duckdb\nduckdb.connect('a')",
    ] {
        assert_eq!(look("python", source).effects.writes, ["a"], "{source}");
    }
    for source in [
        "import io\nio.FileIO('a')",
        "import gzip, io\ngzip.GzipFile(fileobj=io.BytesIO(), mode='wb')",
        "import numpy as np\nnp.memmap('a', dtype='u1', mode='r')",
        "import pandas as pd\npd.HDFStore('a', 'r')",
        "import pandas as pd\npd.DataFrame().to_xml()",
        "import duckdb\nduckdb.connect()",
        "import fileinput\nfor line in fileinput.input('a'):\n    print(line)",
    ] {
        let effects = look("python", source).effects;
        assert!(effects.writes.is_empty() && !effects.unknown, "{source}: {effects:?}");
    }
}

#[test]
fn hosts_of_programs_and_modules_that_ask_others_are_told() {
    for (language, source) in [
        ("bash", "git ls-remote https://h.example/x"),
        ("bash", "git archive --remote=ssh://h.example/x HEAD"),
        ("bash", "git submodule add https://h.example/x"),
        ("bash", "svn checkout https://h.example/x d"),
        ("bash", "hg clone ssh://h.example/x d"),
        ("bash", "yt-dlp https://h.example/x"),
        ("javascript", "require('dns').lookup('h.example', () => {})"),
        ("javascript", "import { resolve } from 'node:dns/promises';\nawait resolve('h.example')"),
        ("javascript", "require('http2').connect('https://h.example')"),
    ] {
        assert_eq!(look(language, source).effects.hosts, ["h.example"], "{source}");
    }
    for source in ["svn status", "hg log", "git submodule status", "git archive HEAD"] {
        assert!(look("bash", source).effects.hosts.is_empty(), "{source}");
    }
}

#[test]
fn each_call_of_a_lambda_is_followed_and_not_the_first_alone() {
    for source in [
        "import os\nf = lambda p: os.remove(p)\nf('a')\nf('b')",
        "import os\nf = lambda p: os.remove(p)\nfor p in ['a', 'b']:\n    f(p)",
        "import os\nlist(map(lambda p: os.remove(p), ['a', 'b']))",
        "import os\nf = lambda p: p\nos.remove(f('a'))\nos.remove(f('b'))",
        "import os\ndef each(f):\n    f('a')\n    f('b')\neach(lambda p: os.remove(p))",
        "import os\nfrom concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor() as pool:\n    \
         list(pool.map(lambda p: os.remove(p), ['a', 'b']))",
    ] {
        let effects = look("python", source).effects;
        assert_eq!(
            (effects.deletes, effects.unknown),
            (vec!["a".to_owned(), "b".to_owned()], false),
            "{source}"
        );
    }
    let source = "import shutil\nf = lambda p: shutil.rmtree(p)\nf('build')\nf('/etc')";
    assert_eq!(look("python", source).gravest(), Some(Severity::High), "{:?}", told(&look("python", source)));
}

#[test]
fn a_method_is_followed_again_when_a_field_has_another_value() {
    for (language, source) in [
        (
            "python",
            "import os\nclass A:\n    def __init__(self, p): self.p = p\n    def go(self): os.remove(self.p)\n\
             A('a').go()\nA('b').go()",
        ),
        (
            "python",
            "import os\nclass A:\n    def go(self): self.inner()\n    def inner(self): os.remove(self.p)\n\
             x = A()\nx.p = 'a'\nx.go()\nx.p = 'b'\nx.go()",
        ),
        (
            "python",
            "import os\nclass O: pass\no = O()\ndef go(): os.remove(o.p)\no.p = 'a'\ngo()\no.p = 'b'\ngo()",
        ),
        (
            "javascript",
            "const fs = require('fs');\nclass A { constructor(p) { this.p = p } go() { fs.rmSync(this.p) } }\n\
             new A('a').go();\nnew A('b').go();",
        ),
    ] {
        let effects = look(language, source).effects;
        assert!(effects.unknown || effects.deletes.iter().any(|path| path == "b"), "{source}: {effects:?}");
    }
    for source in [
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\nsetattr(a, 'p', 'b')\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\na.__dict__['p'] = 'b'\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\nvars(a)['p'] = 'b'\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\na.__dict__ = {'p': 'b'}\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\na.__dict__ |= {'p': 'b'}\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\na.__dict__.update(p='b')\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\na.__setattr__('p', 'b')\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\nvars(a).update(p='b')\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\nd = vars(a)\nd['p'] = 'b'\ngo()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef go(): os.remove(a.p)\ngo()\nd = a.__dict__\nd['p'] = 'b'\ngo()",
        "import os\nclass A:\n    def __init__(self, p): self.p = p\n    def go(self): os.remove(self.p)\n\
         a = A('a')\na.p = 'b'\na.go()",
        "import os\nclass A: pass\na = A()\na.p = 'a'\nb = a\nb.p = 'b'\nos.remove(a.p)",
        "import os\nclass A: pass\na = A()\na.p = 'a'\ndef change(x): x.p = 'b'\nchange(a)\nos.remove(a.p)",
        "import os\nf = print\ndef go(): f('b')\ngo()\nf = os.remove\ngo()",
        "import os\nclass A: p = 'a'\ndef go(): os.remove(A.p)\ngo()\nA.p = 'b'\ngo()",
    ] {
        let effects = look("python", source).effects;
        assert!(effects.unknown || effects.deletes.iter().any(|path| path == "b"), "{source}: {effects:?}");
    }
}
