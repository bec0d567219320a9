//! Pictures drawn by the terminal itself: with the protocol that it says it supports, or that the person names;
//! only while visible.

use crate::terminal::Terminal;
use std::path::Path;

/// A run that makes a picture; nothing after it replaces the picture.
const STORY: &str = r#"
pace = 0
[[reply]]
when = "go"
text = '''
```python
import struct, zlib
def part(kind, data):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
rows = b"".join(b"\0" + bytes((2 * y, 128, 255)) * 96 for y in range(96))
size = struct.pack(">IIBBBBB", 96, 96, 8, 2, 0, 0, 0)
with open("demo-picture.png", "wb") as file:
    file.write(b"\x89PNG\r\n\x1a\n")
    file.write(part(b"IHDR", size) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))
print("it", "is", "made")
```
'''
[[reply]]
when = "it is made"
text = "Here it is."
"#;

/// A run that made a picture, in a terminal of this kind.
fn drawn(home: &Path, config: &str, env: &[(&str, &str)]) -> Terminal {
    crate::write_config(home, config);
    let setup = crate::play(home, STORY).size(140, 40);
    let terminal = env.iter().fold(setup, |setup, (name, value)| setup.env(name, value)).start();
    crate::say(&terminal, "go");
    crate::approve_then(&terminal, 1, "Here it is.");
    terminal.wait_for("demo-picture.png");
    terminal
}

/// How often the bytes contain this part.
fn count(raw: &[u8], part: &str) -> usize {
    raw.windows(part.len()).filter(|bytes| *bytes == part.as_bytes()).count()
}

#[test]
fn the_terminal_draws_what_a_run_made_and_takes_it_away_beneath_an_overlay() {
    let kitty = ("\x1b_Ga=p,", "", &[("TERM", "xterm-kitty")][..]);
    let iterm = ("\x1b]1337;File=inline=1;", "", &[("TERM_PROGRAM", "iTerm.app")][..]);
    let sixel = ("\x1bP0;1;0q", "[ui]\nimages = \"sixel\"\n", &[][..]);
    for (begin, config, env) in [kitty, iterm, sixel] {
        let home = tempfile::tempdir().expect("a home");
        let terminal = drawn(home.path(), config, env);
        terminal.wait_written(begin, 1);
        terminal.press_until("F1", "Help");
        if begin.starts_with("\x1b_G") {
            terminal.wait_written("\x1b_Ga=d,d=I,", 1);
        }
        // A frame before that of the overlay may have drawn the picture once more.
        let raw = terminal.raw();
        let overlay = raw.windows(4).rposition(|bytes| bytes == b"Help").expect("its title is written");
        assert_eq!(count(&raw[overlay..], begin), 0, "nothing is drawn over the overlay: {begin:?}");
        terminal.press("Esc");
        terminal.wait_written(begin, count(&raw, begin) + 1);
    }
}

#[test]
fn half_blocks_are_drawn_where_nothing_else_is_known_and_off_is_off() {
    let has_blocks = |screen: &str| screen.contains('▀') || screen.contains('█');
    let plain = ("", &[][..], true);
    let between = ("", &[("TERM", "xterm-kitty"), ("TMUX", "/tmp/t,1,0")][..], true);
    let half = ("[ui]\nimages = \"half\"\n", &[("TERM", "xterm-kitty")][..], true);
    let off = ("[ui]\nimages = \"off\"\n", &[("TERM", "xterm-kitty")][..], false);
    crate::side_by_side([plain, between, half, off], |(config, env, blocks)| {
        let home = tempfile::tempdir().expect("a home");
        let terminal = drawn(home.path(), config, env);
        if blocks {
            terminal.wait_true(has_blocks);
        } else {
            terminal.wait_for("not drawn: images are off");
            assert!(!has_blocks(&terminal.screen()), "{}", terminal.screen());
        }
        for begin in ["\x1b_Ga=", "\x1b]1337", "\x1bP0;1;0q"] {
            assert_eq!(count(&terminal.raw(), begin), 0, "{begin:?}");
        }
    });
}
