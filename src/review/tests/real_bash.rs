//! Compares what a review knows of small scripts with what a real bash makes of them: where the review says that all is
//! known, each path that bash hands to `rm` is told.

use super::super::*;
use crate::test_cases;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the scripts of a file, each in a shell of its own. A NUL ends each script. `rm` is a function that writes the
/// folder and the path of each operand; an empty folder ends a script. No program can be started, so nothing is ever
/// deleted: `PATH` names no folder, and the scripts name no program by its path. It needs bash 4.4 (`mapfile -d`).
const RUNNER: &str = r#"
(( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 )) || exit 99
mapfile -d '' -t __scripts < "$1"; __work=$2; shift 2; exec 3>&1 >/dev/null 2>&1 </dev/null
rm() { shift 2; while (( $# )); do printf '%s\0%s\0' "$PWD" "$1" >&3; shift; done; }
for __script in "${__scripts[@]}"; do
    ( cd "$__work" || exit; unset OLDPWD __work __scripts; eval "$__script" )
    printf '\0\0' >&3
done
"#;

/// Makes scripts; the same number always makes the same one.
struct ScriptMaker(u64);

/// Statements of one command. `N` stands for a name, `L` for a literal, `V` for a word.
const SIMPLE_STATEMENTS: &[&str] = &[
    "N=V",
    "N=V",
    "N=V",
    "N+=L",
    "N=L",
    "A=(V V)",
    "A=(V L)",
    "A+=(V)",
    "A[1]=V",
    "export N=V",
    "declare N=V",
    "unset N",
    "cd L",
    "cd a",
    "cd no",
    "cd V",
    "cd ..",
    "pushd a",
    "pushd no",
    "popd",
    "cd -",
    "set -- V V",
    "set -- V",
    "shift",
    "set -e",
    "set +e",
    "IFS=,",
    "IFS=$' \\t\\n'",
    "read -r N <<< V",
    "read D E <<< V",
    "printf -v N %s V",
    "printf -v N '%s-%s' V V",
    "rm -rf -- V",
    "rm -rf -- V V",
    "rm -rf -- V",
    "N=V rm -rf -- V",
    "N=L true",
    "true",
    "false",
    "let N=1",
    "(( N = 2 ))",
    ": ${N:=V}",
    "eval N=L",
    "eval 'cd a'",
    "mapfile -t A <<< V",
    "C=cd; $C a",
    "R=rm; $R -rf -- V",
    "\"rm\" -rf -- V",
    "builtin cd a",
    "cd a || exit",
    "cd no || exit",
    "cd a && true",
    "cd no || true",
    "cd a || return",
    "cd V || { true; exit; }",
    "cd no 2> /dev/null",
    "readonly R0=V",
    "local N=V",
    "exit",
    "cd \"$N\"",
    "cd -P a",
    "cd -- a",
    "time N=V",
    "N=V E=$N",
    "rm -rf -- \"$PWD\"/L",
];

/// Statements with others in them: `S` stands for a statement, `C` for a condition.
const COMPOUND_STATEMENTS: &[&str] = &[
    "if C; then S; fi",
    "if C; then S; else S; fi",
    "if C; then S; elif C; then S; else S; fi",
    "C && S",
    "C || S",
    "C && { S; S; }",
    "C || { S; S; }",
    "for N in V V; do S; S; done",
    "for N in V; do S; done",
    "( S; S )",
    "{ S; S; }",
    "f() { S; S; }; f V",
    "f() { S; }; f; f",
    "f() { local N=V; S; }; f V V",
    "case V in a) S;; *) S;; esac",
    "case \"$N\" in a | b) S;; esac; S",
    "S | true",
    "true | S",
    "for (( i = 0; i < 2; i++ )); do S; S; done",
    "while read -r N; do S; done <<< V",
    "S & wait",
    "trap 'S' EXIT",
    "eval 'S'",
    "C && S || S",
    "C && S && S",
    "f() { S; }; S; f",
    "f() { N=V; }; C && f",
    "f() { cd a; }; f; S",
    "S &\nwait\nS",
    "! S",
    "until true; do S; done",
];

/// Words that a shell expands.
const ODD_WORDS: &[&str] = &[
    "${N}",
    "\"${N:-L}\"",
    "\"${N-L}\"",
    "${N:-`echo V`}",
    "${N:-x$(echo V)}",
    "${N#$(echo a)}",
    "${N:-L}",
    "${N:+L}",
    "${N+L}",
    "${N:=L}",
    "${N%L}",
    "${N#L}",
    "${N%%/*}",
    "${N##*/}",
    "${N/a/b}",
    "${N//a/..}",
    "\"${N/%b/x}\"",
    "${N:1}",
    "${N:0:2}",
    "\"${N: -1}\"",
    "${N^^}",
    "${#N}",
    "${!N}",
    "$1",
    "\"$2\"",
    "\"$@\"",
    "$*",
    "\"$*\"",
    "\"${A[@]}\"",
    "${A[0]}",
    "\"${A[1]}\"",
    "\"${A[*]}\"",
    "${A[-1]}",
    "${#A[@]}",
    "${A[@]:1}",
    "$(echo V)",
    "\"$(echo V)\"",
    "$(printf %s V)",
    "$(pwd)/L",
    "$PWD",
    "\"$PWD\"/L",
    "x$PWD",
    "\"${PWD}L\"",
    "./L",
    "\"./L\"",
    "~/L",
    "\"~\"/L",
    "$HOME/L",
    "{a,b}",
    "x{a,../b}",
    "{1..2}L",
    "$'a\\x2fb'",
    "x\"$N\"b",
    "$N$N",
    "$N/V",
    "\"$N/L\"",
    "$((1+2))",
    "$#",
    "`echo V`",
    "\\$N",
    "\"\\$N\"",
    "'$N'",
    "$N''",
    "\"\"$N",
    "$(cd a; pwd)",
    "$(D=b; echo $D)",
    "x$Ny",
];

impl ScriptMaker {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % count
    }

    fn one(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    fn name(&mut self) -> &'static str {
        self.one(&["D", "D", "E"])
    }

    fn literal(&mut self) -> &'static str {
        self.one(&["a", "b", "build", "../src", "..", "a/b", "src", "'a b'", "''", "a,b", "../src/x", "no"])
    }

    /// A word, with signs that stand for others.
    fn word(&mut self, depth: u32) -> String {
        let (name, literal) = (self.name(), self.literal());
        let plain = ["L", "L", "L", "L", "$N", "\"$N\"", "\"$N\"", "\"${N}\"", "$N/L", "\"$N/L\"", "x$N"];
        let form = if self.below(3) > 0 { self.one(&plain) } else { self.one(ODD_WORDS) };
        let inner = if depth > 0 && form.contains('V') { self.word(depth - 1) } else { "a".to_owned() };
        form.replace('N', name).replace('L', literal).replace('V', &inner)
    }

    fn condition(&mut self) -> String {
        let word = self.word(0);
        self.one(&[
            "true",
            "false",
            "test -d a",
            "test -d no",
            "[ \"$D\" = a ]",
            "cd a",
            "cd no",
            "cd V",
            "! true",
            "! cd no",
        ])
        .replace('V', &word)
    }

    fn statement(&mut self, depth: u32) -> String {
        let is_simple = depth == 0 || self.below(3) > 0;
        let mut form = self.one(if is_simple { SIMPLE_STATEMENTS } else { COMPOUND_STATEMENTS }).to_owned();
        if !COMPOUND_STATEMENTS.contains(&form.as_str()) {
            while form.contains('V') {
                let word = self.word(1);
                form = form.replacen('V', &word, 1);
            }
            return form.replace('L', self.literal()).replace('N', self.name());
        }
        let mut made = String::new();
        for sign in form.chars() {
            match sign {
                'S' => {
                    let mut inner = self.statement(depth - 1);
                    if form.contains("'S'") && inner.contains('\'') {
                        inner = "D=../src".to_owned();
                    }
                    made += &inner;
                }
                'C' => made += &self.condition(),
                'V' => made += &self.word(1),
                'N' => made += self.name(),
                sign => made.push(sign),
            }
        }
        made
    }

    fn script(number: u64) -> String {
        let mut maker = ScriptMaker((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut script = match maker.below(4) {
            0 => String::new(),
            _ => format!("D={}; E={}\n", maker.literal(), maker.literal()),
        };
        if maker.below(8) == 0 {
            let (indent, word) = (maker.one(&["", "  ", "x "]), maker.word(0));
            let form = maker.one(&["$(rm -rf -- V)", "`rm -rf -- V`", "$N ${N:-$(rm -rf -- V)}", "$N"]);
            let end = maker.one(&["E", " E\nE"]);
            script += &format!(": <<E\n{indent}{}\n{end}\n", form.replace('V', &word).replace('N', "D"));
        }
        for _ in 0..=maker.below(3) {
            script += &maker.statement(2);
            script += maker.one(&["\n", "; "]);
        }
        script + "rm -rf -- " + &maker.word(1) + "\n"
    }
}

/// What bash hands to `rm`: for each script, the folders with the paths.
fn handed_to_rm(scripts: &[String], folder: &Path) -> Vec<Vec<(String, String)>> {
    let file = folder.join("scripts");
    fs::write(&file, scripts.iter().map(|script| format!("{script}\0")).collect::<String>()).unwrap();
    let out = folder.join("out");
    let mut bash = Command::new("/bin/bash");
    bash.args(["--norc", "-c", RUNNER, "bash"]).arg(&file).arg(folder.join("home/work"));
    bash.env_clear().env("PATH", folder.join("none")).env("HOME", folder.join("home")).stdin(Stdio::null());
    let status =
        bash.current_dir(folder).stdout(File::create(&out).unwrap()).stderr(Stdio::null()).status().unwrap();
    assert_ne!(status.code(), Some(99), "this test needs bash 4.4 or newer as /bin/bash");
    assert!(status.success(), "{status}");
    let printed = fs::read_to_string(out).unwrap();
    let mut items = printed.split('\0');
    let mut all = vec![Vec::new()];
    while let (Some(here), Some(path)) = (items.next(), items.next()) {
        match (here, all.last_mut()) {
            ("", _) => all.push(Vec::new()),
            (_, Some(last)) => last.push((here.to_owned(), path.to_owned())),
            _ => {}
        }
    }
    all.pop();
    all
}

/// Whether a path lies in the working folder.
fn is_inside(path: &str, scope: &Scope) -> bool {
    Path::new(path).starts_with(&scope.cwd)
}

/// The paths that bash touches and the review, which says that it knows all, does not tell. Where a change of the folder
/// may fail and both folders are inside, one of them is told.
fn missed(handed: &[(String, String)], effects: &Effects, scope: &Scope) -> Vec<String> {
    let told: BTreeSet<String> =
        effects.deletes.iter().filter_map(|path| path_class::resolved(path, scope)).collect();
    let is_told = |here: &str, path: &str| {
        let Some(real) = path_class::resolved(&path_class::join_folder(path, Some(here)), scope) else {
            return false;
        };
        let end = format!("/{}", path.trim_start_matches("./"));
        let beside = is_inside(&real, scope)
            && effects.deletes.iter().any(|told| format!("/{told}").ends_with(&end))
            && told.iter().any(|told| is_inside(told, scope));
        told.contains(&real) || beside
    };
    let real = handed.iter().filter(|(here, path)| !path.is_empty() && !is_told(here, path));
    real.map(|(here, path)| format!("{here} {path}")).collect()
}

#[test]
fn what_a_review_knows_of_a_script_is_what_bash_does() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("home/work");
    for name in ["a/b", "b", "build", "src"] {
        fs::create_dir_all(work.join(name)).unwrap();
    }
    let home = folder.path().join("home");
    let scope = Scope { cwd: work, home: Some(home), ..Scope::default() };
    let count = test_cases::cases(4000).cases;
    let scripts: Vec<String> = (0..u64::from(count)).map(ScriptMaker::script).collect();
    let handed = handed_to_rm(&scripts, folder.path());
    assert_eq!(handed.len(), scripts.len());
    let (mut known, mut wrong) = (0, Vec::new());
    for (script, handed) in scripts.iter().zip(&handed) {
        let review = review(script, Some(&Language::bash()), &scope);
        if review.effects.unknown {
            continue;
        }
        known += 1;
        let missed = missed(handed, &review.effects, &scope);
        if !missed.is_empty() {
            wrong.push(format!("{script}  told {:?}\n  but {missed:?}", review.effects.deletes));
        }
    }
    println!("review: {known} of {count} scripts known");
    wrong.sort_by_key(String::len);
    wrong.truncate(25);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known * 5 > count as usize, "{known} of {count} scripts known");
}
