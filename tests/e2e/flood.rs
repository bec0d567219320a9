//! Large amounts at once: a storm of resizes, long output, a long reply.

use crate::approve_then;

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
    terminal.wait_for_each(&["F1 help", "Block 1"]);
    let screen = terminal.screen();
    assert!(!screen.contains('\u{fffd}'), "{screen}");
}

#[test]
fn twenty_thousand_lines_of_output() {
    let block = crate::one_block("python", "for n in range(20000):\n    print('line', n)");
    let story = format!("{block}[[reply]]\nwhen = 'line 19999'\ntext = 'That was long.'\n");
    let (_home, terminal) = crate::asked(&story);
    approve_then(&terminal, 1, "That was long.");
    terminal.wait_for("line 19999");
}

#[test]
fn a_reply_of_twenty_thousand_tokens() {
    let words = "word ".repeat(20_000);
    let story = format!("pace = 0\n[[reply]]\nwhen = \"go\"\ntext = \"\"\"{words}\n\nThe very end.\"\"\"\n");
    let (_home, terminal) = crate::asked(&story);
    terminal.wait_for("The very end.");
    terminal.type_text_then("still here", "still here");
}
