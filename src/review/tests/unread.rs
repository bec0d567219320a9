//! Tests that code which a grammar can't parse is reported on its line and read by its words, and that everyday code
//! has none.

use super::*;

/// The lines reported as not parsed.
pub(super) fn unread(review: &Review) -> Vec<u32> {
    assert_eq!(review.unchecked.is_some(), review.findings.iter().any(|f| f.rule == "common.unread"));
    review.findings.iter().filter(|f| f.rule == "common.unread").map(|f| f.place.line).collect()
}

/// The lines of reported deletions.
pub(super) fn deletes(review: &Review) -> Vec<u32> {
    review.findings.iter().filter(|f| f.message.starts_with("deletes")).map(|f| f.place.line).collect()
}

#[test]
fn what_cant_be_read_is_told_and_its_words_are_looked_at() {
    for (language, source, lines, deleted) in [
        ("bash", "echo a\nif [ a ] <>; then rm -rf x; fi\n", vec![2], vec![2]),
        ("bash", "echo a )\n\nb) rm -rf x;; 'c\n", vec![1], vec![3]),
        ("bash", "exec 3<>f\nrm -rf x\n", vec![1], vec![2]),
        ("python", "for i in range(3) print(i)\nshutil.rmtree('x')\n", vec![1], vec![2]),
        ("python", "x = [1, …]\nimport os\nos.remove('x')\n", vec![1], vec![3]),
        ("python", ">>> import os\n>>> os.remove('x')\n", vec![1], vec![2]),
        ("javascript", "a = 1\nconst n = <Node>b; fs.rmSync('x', { recursive: true })\n", vec![2], vec![2]),
        ("javascript", "...\nfs.rmSync('x', { recursive: true })\n", vec![1], vec![2]),
    ] {
        let review = look(language, source);
        assert_eq!((unread(&review), deletes(&review)), (lines, deleted), "{source} {:?}", told(&review));
        assert!(review.effects.unknown, "{source}");
        let why = review.unchecked.unwrap();
        assert!(why.starts_with("line"), "{why}");
        assert!(why.ends_with("can't be read as code: only words were looked at there"), "{why}");
    }
}

#[test]
fn what_is_too_long_to_look_at_its_words_is_told() {
    let review = look("bash", &"a )\nls\n".repeat(4000));
    assert!(review.findings.iter().any(|f| f.message.contains("too long to look at its words")));
    assert!(review.unchecked.is_some());
}

#[test]
fn words_of_nested_code_are_looked_at() {
    for (language, source) in [
        ("bash", "bash -c 'if [ a ] <>; then rm -rf x; fi'\n"),
        ("bash", "python3 -c 'for i in x print(i); shutil.rmtree(\"x\")'\n"),
        ("bash", "python3 -c '…; import shutil; shutil.rmtree(\"x\")'\n"),
        ("bash", "bash -c '… ; rm -rf x'\n"),
        ("python", "import os\nos.system('echo <name> >; rm -rf x')\n"),
        ("python", "exec('>>> import shutil\\n>>> shutil.rmtree(\"x\")')\n"),
        ("python", "import os\nos.system(f'{sudo} rm -rf x')\n"),
        ("bash", "$SUDO rm -rf x\n"),
    ] {
        let review = look(language, source);
        assert!(!deletes(&review).is_empty(), "{source} {:?}", told(&review));
    }
    let review = look("bash", "echo a\nbash -c 'if [ a ] <>; then echo; fi'\n");
    assert_eq!(unread(&review), [2]);
    // A value put in at run time is no error in the text around it.
    for source in ["exec(f'{name} = {value}')", "import os\nos.system(f'git {what} | {pager}')"] {
        assert_eq!(look("python", source).unchecked, None, "{source}");
    }
}

#[test]
fn commands_of_a_shell_are_read_where_its_grammar_takes_them_for_others() {
    for source in [
        "coproc { rm -rf x; }",
        "coproc NAME { rm -rf x; }",
        "coproc NAME while :; do rm -rf x; done",
        "coproc rm -rf x",
        "time { rm -rf x; }",
        "time -p { rm -rf x; }",
        "time if true; then rm -rf x; else rm -rf x; fi",
        "time for i in a; do rm -rf x; done",
        "if [ \\( -f a -a ! -f b \\) -o -d c ]; then rm -rf x; fi",
        "[ ! \\( -f a \\) ] && rm -rf x",
    ] {
        let review = look("bash", source);
        assert!(deletes(&review).contains(&1) && review.unchecked.is_none(), "{source} {:?}", told(&review));
        assert_eq!(
            (review.effects.programs.as_slice(), review.effects.unknown),
            (&["rm".to_owned()][..], false)
        );
    }
}

#[test]
fn code_of_every_day_is_read() {
    let python = [
        "print 'as of old'\nprint >>f, x\nexec 'y = 1'\n",
        "match x:\n    case [a, *b] if a: pass\n    case {'k': v}: pass\n",
        "type X[T] = list[T]\ndef f[T: int](x: T) -> T: ...\nclass A[T]: pass\n",
        "x = f\"{a!r:>{w}} {f\"{b}\"} {c=}\"\n",
        "with (open('a') as a, open('b') as b): pass\ntry: pass\nexcept* E as e: pass\n",
        "async def f():\n    return [x async for x in y if (n := x) > 2]\n",
        "def f(a, /, b, *, c): ...\nx = lambda *a, **k: (yield)\nfor x in *a, b: pass\n",
        "x = (a\n  % b)\ny = a \\\n  % b\nz = '''\n%%bash\n!ls\n?\n'''\nassert x != 1, 'why?'\n",
        "!ls\n%matplotlib inline\n?x\nx?\nx.y??\nfiles = !ls *.csv\nif x:\n    !ls\n    %time f()\n",
    ];
    let bash = [
        "for ((i=0;i<3;i++)); do echo $i; done\nselect x in a b; do break; done\n",
        "[[ $a =~ ^(a|b)+$ ]] && x=${a//b/c}; a=(1 2); echo ${a[@]:1} $((1 + 2))\n",
        "cat <<'E' | sort\na\nE\nwhile read -r a; do echo $a; done < <(ls)\nf() ( ls )\n",
        "git push … ; ... \nls 2>&1 >| out &>> log\n",
    ];
    let javascript = [
        "let x: Array<string> = [] as string[]; const f = <T,>(x: T) => x; x satisfies Y;\n",
        "abstract class Q { @x #y = 2; static { } constructor(private readonly z: number) {} accessor q = 1 }\n",
        "import x, { type Y } from 'y'; export type { A }; import d from './d.json' with { type: 'json' };\n",
        "const a = <div className='x'>{b.map(c => <B key={c} {...d} />)}</div>;\nusing y = z;\n",
    ];
    let all = python.map(|text| ("python", text)).into_iter().chain(bash.map(|text| ("bash", text)));
    for (language, source) in all.chain(javascript.map(|text| ("typescript", text))) {
        let review = look(language, source);
        assert_eq!((unread(&review), &review.unchecked), (vec![], &None), "{source}");
    }
}

#[test]
fn scripts_of_sayso_are_read() {
    for (grammar, source) in [
        (Grammar::Python, include_str!("../../../assets/kernel.py")),
        (Grammar::Python, include_str!("../../../assets/display.py")),
        (Grammar::Python, include_str!("../../../assets/bridge.py")),
        (Grammar::Python, include_str!("../../../assets/again.py")),
        (Grammar::Python, include_str!("../../../assets/page.py")),
        (Grammar::Javascript, include_str!("../../../assets/node.js")),
        (Grammar::Bash, include_str!("../../../assets/shell.sh")),
        (Grammar::Bash, include_str!("../../../assets/program.sh")),
        (Grammar::Bash, include_str!("../../../assets/build.sh")),
    ] {
        let review = look(grammar.as_str(), source);
        assert_eq!(review.findings.iter().find(|f| f.rule == "common.unread"), None);
    }
}

#[test]
fn long_runs_of_comments_are_read() {
    for (language, mark, before, behind) in [
        ("python", "#", "import os\nif a:\n    b = 1\n", "    os.remove('x')\n"),
        ("bash", "#", "if true; then\n", "rm -rf x\nfi\n"),
        ("javascript", "//", "const fs = require('fs')\n", "fs.rmSync('x')\n"),
    ] {
        let lines = format!("{mark} a line that tells what isn't in the code below it, in so many words\n\n");
        let review = look(language, &format!("{before}{}{behind}", lines.repeat(4000)));
        assert_eq!((&review.unchecked, deletes(&review).len()), (&None, 1), "{language} {:?}", told(&review));
    }
}

#[test]
fn what_looks_like_comments_inside_of_quotes_is_none() {
    let lines = "# a line\n".repeat(100);
    for (source, expected) in [
        // The quoted text ends on one of them.
        (format!("import os\nx = '''\n{lines}# '''; os.remove('x')\n{lines}y = '''\n'''\n"), vec![103]),
        (format!("import os\nx = f'''\n{lines}# {{os.remove('x')}}\n{lines}'''\n"), vec![103]),
        (format!("{lines}import os\n{lines}os.remove('x')\n{lines}"), vec![202]),
    ] {
        let review = look("python", &source);
        assert_eq!(deletes(&review), expected, "{:?} {:?}", review.unchecked, told(&review));
    }
    // Hidden characters are found in covered comments, too.
    let hidden = format!("{lines}# a\u{200b}b\n{lines}x = 1\n");
    assert_eq!(look("python", &hidden).gravest(), Some(Severity::Medium));
}

#[test]
fn what_is_cut_off_of_a_long_command_is_told() {
    // Too large to parse: its words are read, except those of a single very long command.
    let source = format!("( : {} ; rm -rf y )\n{}", "x".repeat(5000), "# a line\n".repeat(120_000));
    let review = look("bash", &source);
    let of = |f: &&Finding| f.message.contains("too long to look at its words");
    assert_eq!(review.findings.iter().filter(of).map(|f| f.place.line).collect::<Vec<_>>(), [1]);
    let why = review.unchecked.unwrap();
    assert!(
        why.starts_with("too large to read as code")
            && why.ends_with("not even all words were looked at in line 1"),
        "{why}"
    );
}

#[test]
fn of_what_no_word_was_looked_at_nothing_else_is_told() {
    let review = look("bash", &"ls; )\n".repeat(8000));
    let places: Vec<_> = review
        .findings
        .iter()
        .filter(|f| f.rule == "common.unread")
        .map(|f| (f.place.line, f.place.end_line, f.message.contains("too long")))
        .collect();
    assert_eq!(places, [(1, 4000, false), (4001, 8000, true)]);
    assert_eq!(
        review.unchecked.as_deref(),
        Some(
            "lines 1 to 4000 can't be read as code: only words were looked at there; \
             not even all words were looked at in lines 4001 to 8000"
        )
    );
}

#[test]
fn stretches_on_neighbouring_lines_are_one() {
    let review = look("bash", &"[ \\( a \\) ] <>\n".repeat(50));
    let why = review.unchecked.unwrap();
    assert!(why.starts_with("lines 1 to 50 can't"), "{why} {:?}", review.findings.len());
}

#[test]
fn each_line_is_named_once_and_blanks_behind_a_line_are_none_of_the_next() {
    let long = "x ".repeat(5000);
    for (source, lines) in [
        (format!("ls )\nls {long}) \nls; )\nfoo )\n"), "lines 1 to 4 can't"),
        (format!("ls )\nls ) ls {long}\nls )\n"), "lines 1 to 2, 3 can't"),
    ] {
        let review = look("bash", &source);
        let why = review.unchecked.clone().unwrap();
        assert!(why.starts_with(lines), "{why}");
        let length = |line: u32| source.lines().nth(line as usize - 1).map_or(0, str::len) as u32;
        for finding in review.findings.iter().filter(|f| f.rule == "common.unread") {
            assert!(finding.place.column <= length(finding.place.line), "{finding:?}");
        }
    }
}

#[test]
fn an_operand_with_an_equals_sign_is_no_option_of_an_interpreter() {
    for source in ["printf 'rm -rf ~\\n' | bash -s c=:", "printf 'rm -rf ~\\n' | bash -s -- c=:"] {
        let review = look("bash", source);
        assert!(
            review.findings.iter().any(|f| f.severity == Severity::High),
            "{source}: {:?}",
            told(&review)
        );
    }
    let review = look("bash", "python3 -c 'print(1)'; echo \"code=$?\"");
    assert!(!review.effects.unknown && review.findings.is_empty(), "{:?}", told(&review));
}

#[test]
fn code_in_a_file_that_the_block_wrote_is_known_only_where_it_is_read() {
    for (language, source) in [
        ("bash", "cat > x.mjs <<'X'\nfoo()\nX\nnode --input-type=module -e \"import './x.mjs'\""),
        ("javascript", "import fs from 'fs'\nfs.writeFileSync('x.mjs', 'foo()')\nimport './x.mjs'"),
        ("javascript", "const a = require('..'); a.run()"),
        ("javascript", "import type /* */ from './x.mjs'"),
        ("python", "import importlib\nopen('mod', 'w').write('foo()')\nimportlib.import_module('mod')"),
    ] {
        assert!(look(language, source).effects.unknown, "{source}: {:?}", told(&look(language, source)));
    }
}

#[test]
fn a_sign_in_what_cant_be_read_names_no_program() {
    let rules = |source: &str| look("bash", source).findings.into_iter().map(|f| f.rule).collect::<Vec<_>>();
    for source in ["**bold** (a", "for x in a[0] (\n*.csv b\n"] {
        assert!(!rules(source).contains(&"sh.pattern-name".to_owned()), "{source}: {:?}", rules(source));
    }
    assert!(rules("/bin/r? -rf x (a").contains(&"sh.pattern-name".to_owned()));
}
