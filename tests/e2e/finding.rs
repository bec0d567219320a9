//! Searching and selecting on a real terminal: a note says truthfully what was copied, and Esc leaves
//! everything where it was.

const STORY: &str = r#"
[[reply]]
when = "go"
text = """
The harbour opens early. Nobody was at the harbour when the fog came in from the sea, and the lamps along the quay burned on.

One more line about the harbour.
"""
"#;

#[test]
fn a_drag_is_copied_and_a_search_leaves_everything_where_it_was() {
    crate::at_every_size(|| {
        let (_home, terminal) = crate::asked(STORY);
        terminal.wait_for_each(&["One more line", "Idle"]);
        let before = terminal.screen();
        let row =
            before.lines().position(|row| row.contains("The harbour opens")).expect("the reply is on screen");
        let last = before.lines().position(|row| row.contains("One more line")).expect("all of it");
        // From its first letter to after the word `more`; rows and columns count from 1 here.
        let from = before
            .lines()
            .nth(row)
            .and_then(|row| row.chars().position(|c| c == 'T'))
            .expect("its beginning");
        terminal.send(format!("\x1b[<0;{};{}M", from + 1, row + 1).as_bytes());
        terminal.send(format!("\x1b[<32;{};{}M", from + 9, last + 1).as_bytes());
        terminal.send(format!("\x1b[<0;{};{}m", from + 9, last + 1).as_bytes());
        terminal.wait_for("Sent 3 lines to the terminal clipboard.");
        let text = "The harbour opens early. Nobody was at the harbour when the fog came in from the sea, and the lamps along \
                the quay burned on.\n\nOne more";
        let sent = {
            use base64::Engine as _;
            format!("\x1b]52;c;{}", base64::engine::general_purpose::STANDARD.encode(text))
        };
        // The text itself is sent, without wraps, after the frame that says so.
        terminal.wait_written(&sent, 1);
        // A search, and back.
        terminal.press_then("Ctrl-F", "Type what to look for.");
        terminal.type_text_then("harbour", "3 of 3   Chat 3");
        terminal.press_then("Up", "2 of 3");
        terminal.press("Esc");
        let rows = |screen: &str| {
            screen.lines().take(row + 6).map(|row| row.trim_end().to_owned()).collect::<Vec<_>>()
        };
        terminal.wait_true(|screen| screen.contains("Idle") && rows(screen) == rows(&before));
    });
}
