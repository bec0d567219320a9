//! Large amounts at once: a storm of resizes, long output, a long reply.

use crate::approve;

const WIDE: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Some wide text: 日本語のテキスト、もっと広い文字。 And an emoji: 👩‍🚀 and a flag 🇩🇪.

```python
open("ran-1", "w").close()
print("日本語" * 40)
```
"""
"#;

#[test]
fn a_storm_of_sizes_tears_nothing() {
    let (_home, terminal) = crate::asked(WIDE);
    terminal.wait_for("WAITING");
    for round in 0..60u16 {
        terminal.resize(40 + (round * 37) % 160, 10 + (round * 13) % 50);
        terminal.pause(std::time::Duration::from_millis(15));
    }
    terminal.resize(45, 11);
    terminal.wait_for("Window too small");
    terminal.resize(100, 30);
    // Once the last row of a frame is there, all of it is.
    terminal.wait_for("F1 help");
    terminal.wait_for("Block 1");
    let screen = terminal.screen();
    assert!(!screen.contains('\u{fffd}'), "{screen}");
}

const LINES: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
```python
for n in range(20000):
    print("line", n)
```
"""
[[reply]]
when = "line 19999"
text = "That was long."
"#;

#[test]
fn twenty_thousand_lines_of_output() {
    let (_home, terminal) = crate::asked(LINES);
    approve(&terminal, 1);
    terminal.wait_for("That was long.");
    terminal.wait_for("line 19999");
}

#[test]
fn a_reply_of_twenty_thousand_tokens() {
    let words = "word ".repeat(20_000);
    let story = format!("pace = 0\n[[reply]]\nwhen = \"go\"\ntext = \"\"\"{words}\n\nThe very end.\"\"\"\n");
    let (_home, terminal) = crate::asked(&story);
    terminal.wait_for("The very end.");
    terminal.type_text("still here");
    terminal.wait_for("still here");
}
