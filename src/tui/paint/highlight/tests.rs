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
        Self::with_patience(IDLE_TIMEOUT)
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

    /// Collects answers until `until` holds for them.
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

/// Whatever edits led to a text, its colours are those of the same text highlighted at once.
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

/// Applies results to the lines that were known before.
fn put_in(mut lines: Vec<Classes>, painted: Vec<HighlightResult>) -> Vec<Classes> {
    for told in painted {
        let end = told.resumes_at_old_line.unwrap_or(lines.len()).max(told.first_line);
        lines.splice(told.first_line..end, told.lines);
    }
    lines
}

/// An edit costs only the lines around it, anywhere in a long text; and whatever edits led to a text, its
/// colours are those of the same text highlighted at once.
#[test]
fn an_edit_tells_the_lines_around_it() {
    let bench = Bench::new();
    let mut text: Vec<String> = (0..3_000).map(|n| format!("def f{n}(): return 'a{n}'  # {n}")).collect();
    let whole = |text: &[String]| text.join("\n") + "\n";
    let lines_of = |all: &[HighlightResult]| all.iter().map(|p| p.lines.len()).sum::<usize>();
    let fresh = |text: &[String]| {
        bench.highlighter.forget(2);
        bench.ask(2, "python", &whole(text));
        put_in(Vec::new(), bench.answers(|all| lines_of(all) >= text.len()))
    };
    bench.ask(1, "python", &whole(&text));
    let mut known = put_in(Vec::new(), bench.answers(|all| lines_of(all) >= text.len()));
    for (edit, at) in [1_500, 20, 2_990, 640, 641, 1_500, 1, 2_900].into_iter().enumerate() {
        match edit % 4 {
            0 => text[at] += "; x = (1, 'b')",
            1 => text.insert(at, "y = '''a'''".into()),
            2 => drop(text.remove(at)),
            _ => drop(text.splice(at..at + 3, ["z = 1", "", "# z", "w = 2"].map(String::from))),
        }
        bench.ask(1, "python", &whole(&text));
        let told = bench.answers(|all| !all.is_empty());
        assert!(lines_of(&told) <= 2 * 64 + 8, "{} lines for edit {edit}", lines_of(&told));
        known = put_in(known, told);
        assert!(known == fresh(&text), "edit {edit}");
    }
    // Opening a string changes all lines after it; closing it restores them.
    for line in ["s = '''".to_owned(), text[1_000].clone()] {
        text[1_000] = line;
        bench.ask(1, "python", &whole(&text));
        let told =
            bench.answers(|all| all.last().is_some_and(|p| p.first_line + p.lines.len() >= text.len()));
        known = put_in(known, told);
        assert!(known == fresh(&text), "{}", text[1_000]);
    }
}

/// An interrupted highlighting is completed by the next request.
#[test]
fn what_was_told_in_part_is_told_in_full_later() {
    let mut work = super::work::Work::new();
    let text: Vec<String> = (0..3_000).map(|n| format!("def f{n}(): return 'a{n}'")).collect();
    let mut known: Vec<Classes> = Vec::new();
    let mut ask = |key: u64, known: &mut Vec<Classes>, text: &[String], most: usize| {
        let request = Request { key, language: "python".into(), text: (text.join("\n") + "\n").into() };
        let mut told = Vec::new();
        work.paint(request, &mut |portion| {
            told.push(portion);
            told.len() < most
        });
        *known = put_in(std::mem::take(known), told);
    };
    ask(1, &mut known, &text, 1);
    assert_eq!(known.len(), 200);
    let mut text = text;
    for (edit, most) in [(10, usize::MAX), (12, 1), (700, 1), (20, 1), (2_000, usize::MAX)] {
        text[edit].push_str(" + 1");
        ask(1, &mut known, &text, most);
        assert!(most == 1 || known.len() == text.len(), "edit {edit}: {} lines", known.len());
    }
    let mut fresh = Vec::new();
    ask(2, &mut fresh, &text, usize::MAX);
    assert!(known == fresh, "{} of {} lines", known.len(), fresh.len());
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
