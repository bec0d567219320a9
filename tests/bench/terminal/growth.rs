//! Measures whether the cost of a key, a change of size or a page grows with the session: each figure is taken in a
//! small session and in one a hundred times as long.

use crate::echoes;
use crate::probe::{self, Probe, READY, Row};
use std::time::Duration;

/// The factor over the small session above which the cost counts as growth.
const MOST: f64 = 1.6;

/// The rows of both sessions; the goal of the large one follows from the small one.
fn rows(what: &str, small: &[f64], large: &[f64]) -> Vec<Row> {
    let goal = probe::median(small) * MOST + 0.2;
    vec![
        Row::new(&format!("{what}, small"), "ms", small, f64::NAN),
        Row::new(&format!("{what}, 100 x"), "ms", large, goal),
    ]
}

/// Measures keys with 100 and with 10,000 entries in the session.
pub fn entries() -> Vec<Row> {
    let typed = |messages: usize| {
        let home = tempfile::tempdir().expect("a home");
        probe::long_session(&home.path().join("sayso"), messages, 0);
        let mut probe = Probe::resumed(home.path());
        probe.until("omega");
        probe.drain(Duration::from_millis(800));
        let before = probe.cpu_ms();
        let times = echoes(&mut probe, 60);
        let cpu = (probe.cpu_ms() - before) / times.len() as f64;
        (times, cpu, sizes(&mut probe), pages(&mut probe))
    };
    let (small, large) = (typed(100), typed(10_000));
    let mut all = rows("key to echo, entries", &small.0, &large.0);
    all.extend(rows("processor time a key, entries", &[small.1], &[large.1]));
    all.extend(rows("another size, entries", &small.2, &large.2));
    all.extend(rows("a page of the chat, entries", &small.3, &large.3));
    all
}

/// Measures a change of size, a page and a key with 1,000 and with 100,000 lines of the model's replies in the
/// session.
pub fn lines() -> Vec<Row> {
    let resized = |messages: usize| {
        let home = tempfile::tempdir().expect("a home");
        probe::long_session(&home.path().join("sayso"), messages, 50);
        let mut probe = Probe::resumed(home.path());
        probe.until("omega");
        probe.drain(Duration::from_secs(1));
        (sizes(&mut probe), pages(&mut probe), echoes(&mut probe, 30))
    };
    let (small, large) = (resized(20), resized(2_000));
    let mut all = rows("another size, lines of chat", &small.0, &large.0);
    all.extend(rows("a page, lines of chat", &small.1, &large.1));
    all.extend(rows("key to echo, lines of chat", &small.2, &large.2));
    all
}

/// Measures keys, a change of size and memory after a run that printed 10,000 and 1,000,000 lines.
pub fn printed() -> Vec<Row> {
    let after = |lines: usize| {
        let home = tempfile::tempdir().expect("a home");
        let code = format!(
            "print('\\n'.join(f'line {{n}} of the output' for n in range({lines})))\nprint('om' + 'ega')"
        );
        let story = format!(
            "pace = 0\n[[reply]]\nwhen = \"go\"\ntext = \"\"\"\n```python\n{}\n```\n\"\"\"\n",
            code.replace('\\', "\\\\")
        );
        let mut probe = Probe::story(home.path(), &story, &["--sandbox", "off"]);
        go(&mut probe);
        probe.until("WAITING");
        crate::approved(&mut probe, "omega");
        probe.drain(Duration::from_secs(2));
        let memory = probe.memory_mb("Pss:");
        probe.send(b"\x1b");
        probe.drain(Duration::from_millis(200));
        (echoes(&mut probe, 30), sizes(&mut probe), memory)
    };
    let (small, large) = (after(10_000), after(1_000_000));
    let mut all = rows("key to echo, lines of output", &small.0, &large.0);
    all.extend(rows("another size, lines of output", &small.1, &large.1));
    all.push(Row::single("memory after 1,000,000 lines of output", "MB", large.2, small.2 * MOST + 8.0));
    all
}

/// Measures keys in the editor of a block of 90 and of 9,000 lines, including the colouring that follows.
pub fn edited() -> Vec<Row> {
    let typed = |lines: usize| {
        let home = tempfile::tempdir().expect("a home");
        let code: String = (0..lines).map(|n| format!("def f{n}(): return 'a{n}'  # {n}\n")).collect();
        let story =
            format!("pace = 0\n[[reply]]\nwhen = \"go\"\ntext = \"\"\"\n```python\n{code}```\n\"\"\"\n");
        let mut probe = Probe::story(home.path(), &story, &[]);
        go(&mut probe);
        probe.until("WAITING");
        probe.send(b"\x19");
        probe.drain(Duration::from_secs(5));
        probe.send(b"e");
        probe.until("EDITING");
        probe.drain(Duration::from_secs(5));
        let mut times = Vec::new();
        for n in 0..30 {
            let before = probe.cpu_ms();
            probe.send(&[b"wyzgk"[n % 5]]);
            probe.drain(Duration::from_millis(150));
            times.push(probe.cpu_ms() - before);
        }
        times
    };
    rows("processor time a key, lines of an edited block", &typed(90), &typed(9_000))
}

fn go(probe: &mut Probe) {
    probe.until(READY);
    probe.drain(Duration::from_millis(300));
    probe.send(b"go");
    probe.drain(Duration::from_millis(60));
    probe.send(b"\r");
}

/// Processor times of changes of the window's size, each with its frame.
fn sizes(probe: &mut Probe) -> Vec<f64> {
    let mut times = Vec::new();
    for n in 0..12 {
        let before = probe.cpu_ms();
        probe.resize(if n % 2 == 0 { (100, 30) } else { (140, 40) });
        probe.drain(Duration::from_millis(400));
        times.push(probe.cpu_ms() - before);
    }
    times
}

/// Processor times of Page Up, each with its frame.
fn pages(probe: &mut Probe) -> Vec<f64> {
    let mut times = Vec::new();
    for _ in 0..12 {
        let before = probe.cpu_ms();
        probe.send(b"\x1b[5~");
        probe.drain(Duration::from_millis(150));
        times.push(probe.cpu_ms() - before);
    }
    times
}
