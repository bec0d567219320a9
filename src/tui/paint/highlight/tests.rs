use super::*;
use std::fmt::Write as _;
use std::sync::mpsc;
use std::time::Instant;

/// Long enough for any machine.
const DEADLINE: Duration = Duration::from_secs(60);

struct Bench {
    highlighter: Highlighter,
    woken: mpsc::Receiver<()>,
}

impl Bench {
    fn new() -> Self {
        Self::with_patience(PATIENCE)
    }

    fn with_patience(patience: Duration) -> Self {
        let (sender, woken) = mpsc::channel();
        let waker = move || {
            let _ = sender.send(());
        };
        Self { highlighter: Highlighter::with_patience(waker, patience), woken }
    }

    fn ask(&self, key: u64, language: &str, text: &str) {
        self.highlighter.request(key, language, text.into());
    }

    /// All answers until `count` lines are there or the answers of a key end.
    fn answers(&self, until: impl Fn(&[HighlightResult]) -> bool) -> Vec<HighlightResult> {
        let (mut all, since) = (Vec::new(), Instant::now());
        while !until(&all) {
            let left = DEADLINE.saturating_sub(since.elapsed());
            self.woken.recv_timeout(left).expect("an answer");
            all.extend(self.highlighter.take());
        }
        all
    }

    fn classes(&self, language: &str, text: &str) -> Vec<(String, Syntax)> {
        self.ask(1, language, text);
        let painted = self.answers(|all| !all.is_empty());
        self.highlighter.forget(1);
        painted
            .into_iter()
            .flat_map(|p| p.lines)
            .flat_map(|(line, classes)| {
                classes
                    .into_iter()
                    .map(move |(range, class)| (line[range].to_owned(), class))
                    .collect::<Vec<_>>()
            })
            .collect()
    }
}

fn has(classes: &[(String, Syntax)], text: &str, class: Syntax) {
    assert!(
        classes.iter().any(|(t, c)| t.trim() == text && *c == class),
        "{text} as {class:?} in {classes:?}"
    );
}

#[test]
fn code_has_its_classes() {
    let bench = Bench::new();
    let python = bench.classes(
        "python",
        "@cached\ndef area(r, n=2):\n    \"\"\"Doc.\"\"\"\n    # why\n    if not r: return None\n    return math.pi * r ** 2 + len('a\\n')\nclass Box(Base): pass\n",
    );
    for (text, class) in [
        ("def", Syntax::Keyword),
        ("area", Syntax::Function),
        ("2", Syntax::Number),
        ("# why", Syntax::Comment),
        ("not", Syntax::Keyword),
        ("None", Syntax::Constant),
        ("len", Syntax::Function),
        ("\\n", Syntax::Escape),
        ("*", Syntax::Operator),
        ("Box", Syntax::Type),
    ] {
        has(&python, text, class);
    }
    has(&bench.classes("py3", "import os\n"), "import", Syntax::Keyword);
    has(&bench.classes("bash", "if true; then echo \"$x\"; fi # end\n"), "if", Syntax::Keyword);
    has(&bench.classes("javascript", "const f = () => 'a';\n"), "const", Syntax::Keyword);
    has(&bench.classes("ts", "interface A { b: number }\n"), "interface", Syntax::Keyword);
    has(&bench.classes("json", "{\"a\": true}\n"), "true", Syntax::Constant);
    for language in ["toml", "yaml", "sql", "rust", "html", "diff", "go", "c", "r", "julia"] {
        assert!(grammar_exists(language), "{language}");
    }
}

fn grammar_exists(language: &str) -> bool {
    two_face::syntax::extra_newlines().find_syntax_by_token(language).is_some()
}

#[test]
fn a_text_that_grows_tells_its_new_lines() {
    let bench = Bench::new();
    let mut text = String::new();
    let mut at = 0;
    for n in 0..300 {
        let _ = writeln!(text, "x{n} = 'a'  # {n}");
        if n % 30 != 29 {
            continue;
        }
        bench.ask(7, "python", &text);
        let painted = bench.answers(|all| all.iter().map(|p| p.lines.len()).sum::<usize>() >= 30);
        assert_eq!(painted[0].first_line, at);
        at += 30;
        assert_eq!(painted.iter().map(|p| p.lines.len()).sum::<usize>(), 30);
    }
}

/// However a text came about, its colours are those of the text told at once.
#[test]
fn a_changed_text_is_told_from_the_change_on() {
    let bench = Bench::new();
    let before = (0..200).map(|n| format!("x{n} = '''a'''")).collect::<Vec<_>>().join("\n") + "\n";
    let after = before.replace("x150 = '''a'''", "x150 = '''a");
    bench.ask(1, "python", &before);
    bench.answers(|all| all.iter().map(|p| p.lines.len()).sum::<usize>() == 200);
    bench.ask(1, "python", &after);
    let changed = bench.answers(|all| all.last().is_some_and(|p| p.first_line + p.lines.len() == 200));
    let first = changed[0].first_line;
    assert!((100..=150).contains(&first), "{first}");
    bench.ask(2, "python", &after);
    let fresh = bench.answers(|all| all.last().is_some_and(|p| p.first_line + p.lines.len() == 200));
    let lines = |painted: Vec<HighlightResult>| painted.into_iter().flat_map(|p| p.lines).collect::<Vec<_>>();
    assert_eq!(lines(changed), lines(fresh)[first..]);
}

#[test]
fn what_is_too_large_or_unknown_stays_plain() {
    let bench = Bench::new();
    bench.ask(1, "python", &"x = 1\n".repeat(10_001));
    bench.ask(2, "python", &format!("x = '{}'\n", "y".repeat(1 << 20)));
    bench.ask(3, "no-such-language", "x = 1\n");
    bench.ask(4, "text", "x = 1\n");
    bench.ask(5, "python", &format!("x = '{}'\ny = 1", "y".repeat(5_000)));
    let painted = bench.answers(|all| !all.is_empty());
    assert_eq!(painted.len(), 1);
    assert_eq!(painted[0].key, 5);
    assert!(painted[0].lines[0].1.is_empty());
    assert_eq!(painted[0].lines[1].0, "y = 1");
    assert!(!painted[0].lines[1].1.is_empty());
}

#[test]
fn forgotten_colours_are_told_again() {
    let bench = Bench::new();
    for _ in 0..2 {
        bench.ask(1, "python", "x = 1\r\ny = 2");
        let painted = bench.answers(|all| !all.is_empty());
        assert_eq!((painted[0].first_line, painted[0].lines.len()), (0, 2));
        assert_eq!(painted[0].lines[0].0, "x = 1");
        bench.highlighter.forget(1);
    }
}

#[test]
fn the_thread_starts_late_and_ends() {
    let bench = Bench::with_patience(Duration::from_millis(1));
    assert!(!bench.highlighter.shared.state().works);
    for _ in 0..2 {
        bench.ask(1, "python", "x = 1\n");
        bench.answers(|all| !all.is_empty());
        let since = Instant::now();
        while bench.highlighter.shared.state().works {
            assert!(since.elapsed() < DEADLINE);
            std::thread::yield_now();
        }
    }
}
