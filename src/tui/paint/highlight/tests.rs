use super::*;
use std::time::{Duration, Instant};

async fn next(h: &mut Highlighter) -> Highlighted {
    tokio::time::timeout(Duration::from_secs(30), h.next()).await.expect("an answer in time")
}

/// The words of a line with their classes.
fn words(line: &Classes) -> Vec<(&str, Syntax)> {
    let mut from = 0;
    line.runs
        .iter()
        .map(|(end, class)| {
            let word = (line.text[from..*end].trim(), *class);
            from = *end;
            word
        })
        .filter(|(word, _)| !word.is_empty())
        .collect()
}

#[tokio::test]
async fn python() {
    let mut h = Highlighter::new();
    h.request(1, "python", "import os  # why\n@cache\ndef f(x):\n    return f\"a{x}\\n\" + 1.5 and None\n");
    let result = next(&mut h).await;
    assert_eq!((result.key, result.first, result.lines.len()), (1, 0, 4));
    let has = |line: usize, word: &str, class: Syntax| {
        let words = words(&result.lines[line]);
        assert!(words.iter().any(|(w, c)| w.contains(word) && *c == class), "{word} {class:?}: {words:?}");
    };
    has(0, "import", Syntax::Keyword);
    has(0, "# why", Syntax::Comment);
    has(1, "cache", Syntax::Attribute);
    has(2, "def", Syntax::Keyword);
    has(2, "f", Syntax::Function);
    has(3, "\\n", Syntax::Escape);
    has(3, "1.5", Syntax::Number);
    has(3, "None", Syntax::Constant);
    has(3, "and", Syntax::Keyword);
}

#[tokio::test]
async fn the_languages_that_run_are_known() {
    let mut h = Highlighter::new();
    for (key, language, text, word, class) in [
        (1, "bash", "for f in *; do echo \"$f\"; done", "for", Syntax::Keyword),
        (2, "javascript", "const x = \"s\"; // c", "// c", Syntax::Comment),
        (3, "typescript", "let x: number = 1", "1", Syntax::Number),
        (4, "json", "{\"a\": true}", "true", Syntax::Constant),
    ] {
        h.request(key, language, text);
        let result = next(&mut h).await;
        let words = words(&result.lines[0]);
        assert!(words.iter().any(|(w, c)| w.contains(word) && *c == class), "{language}: {words:?}");
    }
}

#[tokio::test]
async fn a_growing_text_is_read_once() {
    let mut h = Highlighter::new();
    let whole = "x = '''\nstill a string\n'''\ny = 1\n";
    let mut classes: Vec<Classes> = Vec::new();
    let mut last_first = 0;
    for end in 1..=whole.len() {
        h.grow(7, "python", &whole[..end]);
        let result = next(&mut h).await;
        assert!(result.first >= last_first, "settled lines are not read again");
        last_first = result.first;
        classes.truncate(result.first);
        classes.extend(result.lines);
    }
    h.request(8, "python", whole);
    assert_eq!(next(&mut h).await.lines, classes);
    assert_eq!(
        words(&classes[1]),
        [("still a string", Syntax::Comment)].map(|(w, _)| (w, classes[1].runs[0].1))
    );
}

#[tokio::test]
async fn an_edit_is_read_from_where_it_changed() {
    let mut h = Highlighter::new();
    let text = |middle: &str| {
        let line = "value = compute(1)\n";
        format!("{}{middle}\n{}", line.repeat(200), line.repeat(50))
    };
    h.request(1, "python", &text("x = 1"));
    assert_eq!(next(&mut h).await.lines.len(), 251);
    h.request(1, "python", &text("x = 'a"));
    let result = next(&mut h).await;
    assert!(result.first > 160 && result.first <= 200, "{}", result.first);
    h.request(2, "python", &text("x = 'a"));
    let fresh = next(&mut h).await;
    assert_eq!(fresh.lines[result.first..], result.lines[..]);
}

#[tokio::test]
async fn what_is_too_large_or_unknown_stays_plain_and_nothing_breaks() {
    let mut h = Highlighter::new();
    h.request(1, "no such language", "x\n");
    h.request(2, "python", &"x".repeat(LARGEST + 1));
    h.request(3, "python", &format!("{}\nif x: pass\n", "y".repeat(100_000)));
    let result = next(&mut h).await;
    assert_eq!(result.key, 3);
    assert_eq!(result.lines[0].runs, []);
    assert!(words(&result.lines[1]).contains(&("if", Syntax::Keyword)));
    assert!(h.try_next().is_none());
}

fn rss_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Measures; run by hand, with each of the features `onig` and `fancy`:
/// cargo test --release --lib paint::highlight -- --ignored --nocapture --test-threads 1
#[tokio::test]
#[ignore = "a measurement"]
async fn speed_and_memory() {
    let python = include_str!("../../../../assets/kernel.py");
    let mut h = Highlighter::new();
    let before = rss_kb();
    let start = Instant::now();
    h.request(1, "python", "import os\n");
    next(&mut h).await;
    println!("first line: {:?}, memory {} -> {} KB", start.elapsed(), before, rss_kb());
    let text = python.repeat(1 + 6000 / python.lines().count());
    let text: String = text.split_inclusive('\n').take(6000).collect();
    let start = Instant::now();
    h.request(2, "python", &text);
    let lines = next(&mut h).await.lines.len();
    let seconds = start.elapsed().as_secs_f64();
    println!("python: {lines} lines, {:.0} lines/s, memory {} KB", lines as f64 / seconds, rss_kb());
    let bash =
        "for f in *.txt; do\n  echo \"$f: $(wc -l < \"$f\")\" | sed 's/x/y/g' >> out.log\ndone\n".repeat(700);
    let start = Instant::now();
    h.request(3, "bash", &bash);
    let lines = next(&mut h).await.lines.len();
    println!(
        "bash: {lines} lines, {:.0} lines/s, memory {} KB",
        lines as f64 / start.elapsed().as_secs_f64(),
        rss_kb()
    );
}
