//! A program that asks for input: it gets a terminal, an answer is typed into it, and the answer's further
//! path.

use crate::{approve_then, play, say_then, session_with, to_code};

const STORY: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Here it is.

```bash
read -p 'Name? ' name
read -s -p 'Word? ' word
echo; echo "Hello $name, ${#word} letters."
```
"""
[[reply]]
when = "6 letters"
text = "The model says: all done."
"#;

/// A curses program: it paints the screen, and shows which key came and whether it has room.
const PROGRAM: &str = r#"
import curses
def main(screen):
    rows, columns = screen.getmaxyx()
    screen.border()
    screen.addstr(1, 2, "size " + ("fits" if rows < 40 and columns > 60 else "does not"))
    screen.addstr(2, 2, "Which key? ")
    while (key := screen.getch()) == curses.KEY_RESIZE: pass
    screen.addstr(3, 2, "it was " + curses.keyname(key).decode() + ", leave? ")
    while screen.getch() != ord("y"): pass
curses.wrapper(main)
"#;

const PAINTED: &str = r#"
pace = 0
[[reply]]
when = "go"
text = """
Here it is.

```bash
/usr/bin/python3 paint.py
```
"""
[[reply]]
when = "a full-screen program ran"
text = "The model says: all done."
"#;

#[test]
fn a_program_that_paints_the_screen_is_played_in_its_pane() {
    crate::at_every_size(|| {
        let home = tempfile::tempdir().expect("a home");
        let setup = play(home.path(), PAINTED);
        std::fs::write(home.path().join("work/paint.py"), PROGRAM).expect("the program is written");
        let terminal = setup.start();
        say_then(&terminal, "go", "WAITING");
        crate::open_keys(&terminal);
        terminal.press_then("T", "Terminal   its own, a whole screen");
        approve_then(&terminal, 1, "It waits for input: Ctrl-] types.");
        terminal.press("\x1d");
        terminal.wait_for_each(&["takes the keys back", "Which key?", "size fits"]);
        terminal.press_then("Up", "it was KEY_UP, leave?");
        terminal.type_text_then("y", "has ended: they go nowhere");
        terminal.press_then("\x1d", "The model says: all done.");
        let file = session_with(home.path(), r#""kind":"run""#);
        assert!(file.contains("its last screen: ---") && file.contains("it was KEY_UP, leave?"), "{file}");
    });
}

#[test]
fn an_answer_is_typed_into_a_program_and_into_nothing_else() {
    let (home, terminal) = crate::asked(STORY);
    terminal.wait_for("WAITING");
    crate::open_keys(&terminal);
    terminal.press_then("T", "Terminal   its own");
    approve_then(&terminal, 1, "It waits for input: Ctrl-] types.");
    terminal.wait_for("Name?");
    terminal.press_then("\x1d", "takes the keys back");
    terminal.enter("Ada");
    terminal.wait_for_each(&["Name? Ada", "Word?"]);
    terminal.enter("hidden");
    terminal.wait_for_each(&["Hello Ada, 6 letters.", "has ended: they go nowhere"]);
    terminal.press_then("\x1d", "The model says: all done.");
    let file = session_with(home.path(), r#""kind":"run""#);
    assert!(file.contains(r#""pty":true"#), "the rights tell it: {file}");
    assert!(!file.contains("hidden"), "what is typed is kept nowhere");
}

#[test]
fn a_language_has_a_terminal_by_the_configuration_and_t_takes_it_away() {
    let home = tempfile::tempdir().expect("a home");
    let setup = play(home.path(), STORY);
    crate::write_config(home.path(), "[languages.bash]\npty = true\n");
    let terminal = setup.start();
    say_then(&terminal, "go", "WAITING");
    to_code(&terminal);
    terminal.wait_for_each(&["Terminal   its own", "keys open"]);
    terminal.press("T");
    terminal.wait_gone("Terminal   its own");
    terminal.wait_for("keys open");
    terminal.press_then("T", "Terminal   its own");
    approve_then(&terminal, 1, "It waits for input: Ctrl-] types.");
    terminal.press_then("\x1d", "takes the keys back");
    terminal.enter_then("Ada", "Name? Ada");
}
