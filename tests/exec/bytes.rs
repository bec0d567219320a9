//! The bytes that run are the approved ones, and the bytes that are kept are the printed ones.

use crate::beside::Place;
use crate::support::*;
use sayso::domain::*;

/// Sources that an editor, a shell or a careless template would change.
const TRICKY: &[&str] = &[
    "x = 'trailing'   \t \n\n\n",
    "s = '''a\n\n\n  b   \n\tc'''\n",
    "y = 1\r\nz = '''p\r\nq'''\r\n",
    "no_newline = 1",
    "\u{feff}bom = 1\n",
    "é = 'ü \u{2028} \u{85}'\n\x0cf = 2\n",
    "$HOME = '`echo`' if False else 1",
    "q = '''\"\"\"$(echo no)\\'''\n",
];

#[tokio::test]
async fn python_gets_exactly_the_bytes() {
    let shop = Shop::new();
    let hook = "import sys\nseen = []\ndef hook(event, args):\n    if event == 'compile' and isinstance(args[0], (str, bytes)) and str(args[1]).startswith('block'):\n        seen.append(args[0])\nsys.addaudithook(hook)";
    shop.py(hook).await.ok();
    for source in TRICKY {
        shop.py("seen.clear()").await.ok();
        shop.py(source).await;
        let told = shop.py("import hashlib\ntext = seen[0]\nhashlib.sha256(text if isinstance(text, bytes) else text.encode()).hexdigest()").await;
        // The byte order mark only says that UTF-8 follows; Python removes it.
        let expected = Sha256::of(source.trim_start_matches('\u{feff}').as_bytes()).to_string();
        assert_eq!(told.value(), format!("'{expected}'"), "{source:?}");
    }
}

#[tokio::test]
#[ignore = "needs node"]
async fn bash_and_node_get_exactly_the_bytes() {
    let shop = Shop::new();
    for text in ["a  \t \n\n\nb\n", "x\r\ny\r\n", "é \u{2028} \u{feff}\n", "$HOME `id` \\ \"q\" 'r'\n"] {
        let told = shop.sh(&format!("cat <<'END'\n{text}END\n")).await;
        if text.contains("\r\n") {
            // Bash would take the CR for a part of a word, so such a source is refused instead of run differently than
            // shown.
            assert!(matches!(told.report.outcome, Outcome::Refused(_)), "{:?}", told.report.outcome);
        } else {
            assert_eq!(told.ok().out(), text);
            let unended = format!("printf %s \"$(cat <<'END'\n{text}END\n)\" # no newline at the end");
            assert_eq!(shop.sh(&unended).await.ok().out(), text.trim_end_matches('\n'));
        }
        let literal =
            text.replace('\\', "\\\\").replace('`', "\\`").replace('$', "\\$").replace("\r\n", "\\r\\n");
        let told = shop.run("javascript", &format!("process.stdout.write(`{literal}`)")).await.ok();
        assert_eq!(told.out(), text);
    }
    // node prints its own source.
    let source = "  \t\nfunction f() { return '  x\t' }   \n\nprocess.stdout.write(f.toString())";
    assert_eq!(shop.run("javascript", source).await.ok().out(), "function f() { return '  x\t' }");
}

#[tokio::test]
async fn any_bytes_that_are_printed_are_kept() {
    let shop = Shop::new();
    let all: Vec<u8> = (0..=255).cycle().take(70_000).collect();
    let python = "import sys\nsys.stdout.buffer.write(bytes(i % 256 for i in range(70000)))\nNone";
    let told = shop.py(python).await.ok();
    assert!(told.report.output.bytes(Stream::Stdout) == all);
    let told = shop.sh("printf '\\xff\\x00\\xc3'; printf '\\xe2\\x82' >&2").await.ok();
    assert_eq!(told.report.output.bytes(Stream::Stdout), [0xff, 0, 0xc3]);
    assert_eq!(told.report.output.bytes(Stream::Stderr), [0xe2, 0x82]);
}

#[tokio::test]
async fn other_bytes_than_the_approved_are_no_request() {
    let shop = Shop::new();
    let request = shop.request("python", "1", None).await;
    assert!(RunRequest::new(request.approval().clone(), "2".into()).is_err());
}

#[test]
fn a_flood_is_kept_at_both_ends_and_on_disk_up_to_its_limit() {
    let _place = Place::beside();
    play_alone("bytes::child_of_a_flood");
}

#[tokio::test]
#[ignore = "is started by another test"]
async fn child_of_a_flood() {
    let shop = Shop::new();
    // It computes for seconds, on a busy machine for minutes.
    let limits = Limits { output_file_bytes: 64 << 20, wall_ms: 180_000, ..Limits::default() };
    let terms = shop.executor.terms(&Language::bash(), Some(limits)).await.unwrap();
    let source = "echo first; head -c 300000000 /dev/zero; echo last";
    let before = resident();
    let told = shop.carry_out(shop.request_under(terms, source)).await.ok();
    let after = resident();
    let output = &told.report.output;
    assert_eq!(output.total(Stream::Stdout), 300_000_000 + 11);
    assert_eq!(output.bytes(Stream::Stdout).len(), 1 << 20);
    assert!(output.head(Stream::Stdout).starts_with(b"first\n"));
    assert!(output.tail(Stream::Stdout).ends_with(b"last\n"));
    let passed: usize =
        told.events.iter().map(|e| if let RunEvent::Output(c) = e { c.bytes.len() } else { 0 }).sum();
    assert!(passed < 200 << 20, "{passed} bytes went to the viewer");
    // Only this test keeps all events.
    assert!(after < before + passed as u64 + (64 << 20), "{before} then {after}, {passed} passed");
    let blob = told.report.blob.unwrap();
    let size = std::fs::metadata(&blob).unwrap().len();
    assert!(((64 << 20)..(65 << 20)).contains(&size), "{size}");
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}
