//! Vim keys: a block is edited with them, and approved like any other.

use crate::{approve_then, play, ran, session_with, to_code};

const STORY: &str = r#"
pace = 40
[[reply]]
text = """
Here it is.

```bash
touch ran-1; printf '%s-%s' old words
```
"""
[[reply]]
text = "It is done."
"#;

#[test]
fn a_block_is_edited_by_the_keys_of_vim_and_approved_without_them() {
    let home = tempfile::tempdir().expect("a home");
    crate::write_config(home.path(), "[editor]\nvim = true\n");
    let terminal = play(home.path(), STORY).start();
    terminal.wait_for("Message INSERT");
    terminal.enter_then("Say it", "Block 1 waits");
    to_code(&terminal);
    terminal.press_until("e", "EDITING NORMAL");
    terminal.type_text_then("0/old", "Match 1 of 1");
    terminal.press("Enter");
    terminal.wait_gone("[Find]");
    terminal.type_text_then("cwnew", "EDITING INSERT");
    terminal.press_then("Esc", "EDITING NORMAL");
    terminal.enter_then("ZZ:wq", "A number of a line");
    assert!(!ran(home.path(), 1), "no key of vim runs anything");
    terminal.press("Esc");
    terminal.wait_gone("[Go to line]");
    terminal.press_then("Esc", "EDITED");
    approve_then(&terminal, 1, "new-words");
    assert!(ran(home.path(), 1));
    session_with(home.path(), "printf '%s-%s' new words");
}
