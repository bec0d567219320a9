//! Real full-screen programs and line editors, in a terminal of their own, with real keys.

use crate::support::*;
use crate::terminals::shops;
use sayso::domain::*;
use std::time::{Duration, Instant};

/// A program in its terminal.
struct Playing<'a> {
    shop: &'a Shop,
    run: RunId,
    events: Events,
    seen: Vec<RunEvent>,
    screen: TerminalScreen,
}

impl<'a> Playing<'a> {
    async fn start(shop: &'a Shop, language: &str, source: &str) -> Self {
        // Painting much takes minutes on a busy machine.
        let limits = Some(Limits { wall_ms: 180_000, ..Limits::default() });
        let terms = shop.executor.terms(&Language(language.into()), limits).await.unwrap();
        let terms = shop.executor.terminal_terms(terms).await.unwrap();
        let (run, events) = shop.start(shop.request_under(terms, source));
        Self { shop, run, events, seen: Vec::new(), screen: TerminalScreen::default() }
    }

    fn text(&self) -> String {
        let text = |row: &ScreenRow| {
            let text: String = row.iter().filter(|c| c.width > 0).map(|c| c.character).collect();
            text.trim_end().to_owned()
        };
        self.screen.rows.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// Waits until the screen meets a condition.
    async fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) {
        while !is_so(self) {
            let next = tokio::time::timeout(Duration::from_secs(30), self.events.recv()).await;
            let Ok(Some((_, event))) = next else { panic!("no {what}: {next:?}\n{}", self.text()) };
            if let RunEvent::Screen(screen) = &event {
                self.screen = (**screen).clone();
            }
            assert!(!matches!(event, RunEvent::Ended(_)), "no {what}, and it ended: {}", self.text());
            self.seen.push(event);
        }
    }

    async fn shows(&mut self, wanted: &str) {
        self.until(wanted, |playing| playing.text().contains(wanted)).await;
    }

    async fn shows_on_its_own_screen(&mut self, wanted: &str) {
        self.until(wanted, |playing| playing.screen.is_alternate && playing.text().contains(wanted)).await;
    }

    fn press(&self, keys: &str) {
        self.shop.executor.control(self.run, RunControl::Type(keys.as_bytes().to_vec()));
    }

    async fn end(self) -> Told {
        rest_of(self.events, self.seen).await
    }
}

const CURSES: &str = r#"
import curses
def main(screen):
    curses.curs_set(1)
    while True:
        screen.erase()
        screen.border()
        rows, columns = screen.getmaxyx()
        screen.addstr(1, 2, f"size {rows}x{columns} 漢字")
        screen.addstr(2, 2, "colour", curses.A_BOLD | curses.color_pair(0))
        screen.move(3, 2)
        screen.refresh()
        key = screen.getch()
        screen.addstr(2, 12, curses.keyname(key).decode())
        screen.refresh()
        if key == ord('q'):
            break
        if key != curses.KEY_RESIZE:
            screen.getch()
print("before")
curses.wrapper(main)
print("after")
"#;

#[tokio::test]
async fn a_curses_program_paints_its_screen_and_reads_every_key() {
    let shop = Shop::new();
    let mut playing = Playing::start(&shop, "python", CURSES).await;
    playing.shows("size 24x80 漢字").await;
    assert!(playing.screen.is_alternate && playing.screen.application_cursor);
    playing.until("its cursor", |playing| playing.screen.cursor == Some((3, 2))).await;
    // Lines are drawn as lines, not as the letters that encode them.
    assert!(playing.text().starts_with('┌') && playing.text().contains("│ colour"), "{}", playing.text());
    for (keys, name) in [
        ("\x1bOA", "KEY_UP"),
        ("\x1b[15~", "KEY_F(5)"),
        ("\x1bOH", "KEY_HOME"),
        ("\x1b[3~", "KEY_DC"),
        ("\t", "^I"),
    ] {
        playing.press(keys);
        playing.shows(name).await;
        playing.press("x");
        playing.until("an answer to x", |playing| !playing.text().contains(name)).await;
    }
    shop.executor.control(playing.run, RunControl::Resize(10, 40));
    playing.shows("size 10x40").await;
    assert_eq!((playing.screen.rows.len(), playing.screen.rows[0].len()), (10, 40));
    playing.press("q");
    let told = playing.end().await.ok();
    let out = told.out();
    assert!(out.starts_with("before\r\n"), "{out}");
    assert!(out.contains("--- a full-screen program ran; its last screen: ---\r\n┌"), "{out}");
    assert!(out.trim_end().ends_with("after"), "{out}");
    assert!(!out.contains("24x80"), "of its screens only the last is kept: {out}");
}

const MOUSE: &str = r#"
import curses
def main(screen):
    curses.mousemask(curses.ALL_MOUSE_EVENTS)
    curses.mouseinterval(0)
    screen.addstr(0, 0, "click")
    screen.refresh()
    while True:
        key = screen.getch()
        if key == ord('q'):
            break
        if key == curses.KEY_MOUSE:
            _, column, row, _, state = curses.getmouse()
            names = [name for name in ("BUTTON1_PRESSED", "BUTTON1_RELEASED") if state & getattr(curses, name)]
            screen.addstr(1, 0, f"{names} at {column},{row}")
            screen.refresh()
curses.wrapper(main)
"#;

#[tokio::test]
async fn a_curses_program_that_asks_for_the_mouse_gets_it_in_the_form_that_it_asks_for() {
    let shop = Shop::new();
    let mut playing = Playing::start(&shop, "python", MOUSE).await;
    playing.until("a wish for the mouse", |playing| playing.screen.mouse >= MouseReports::Buttons).await;
    playing.shows("click").await;
    let (down, up) = if playing.screen.mouse_in_numbers {
        ("\x1b[<0;8;4M", "\x1b[<0;8;4m")
    } else {
        ("\x1b[M ($", "\x1b[M#($")
    };
    playing.press(down);
    playing.shows("['BUTTON1_PRESSED'] at 7,3").await;
    playing.press(up);
    playing.shows("['BUTTON1_RELEASED'] at 7,3").await;
    playing.press("q");
    playing.end().await.ok();
}

/// The terminal does what `tput` and `tabs` say about it.
#[tokio::test]
async fn tab_stops_and_regions_are_those_that_programs_set() {
    let shop = Shop::new();
    let source = "tabs 5,11; printf 'a\\tb\\tc\\n'\n\
                  tput csr 4 8; printf '\\033[?6h\\033[1;1Htop\\033[99;1Hbottom'; read -s x";
    let mut playing = Playing::start(&shop, "bash", source).await;
    playing.shows("bottom").await;
    let text = playing.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines[4], lines[8]), ("top", "bottom"), "{text}");
    assert_eq!(lines[0], "a   b     c", "{text}");
    playing.press("\r");
    playing.end().await.ok();
}

#[tokio::test]
async fn a_repl_edits_its_line_and_goes_back_in_its_history() {
    let shop = Shop::new();
    let mut playing = Playing::start(&shop, "bash", &format!("{} -q", python().display())).await;
    playing.shows(">>>").await;
    playing.press("6 8x\x1b[D\x1b[D* \x1b[C\x1b[3~\r");
    // The program gets the keys again when it asks for input; before that, the terminal handles them.
    playing.shows("\n48\n>>>").await;
    playing.press("\x1b[A\r");
    playing.until("48 twice", |playing| playing.text().matches("\n48\n>>>").count() == 2).await;
    playing.press("\x04");
    let told = playing.end().await.ok();
    assert!(told.out().contains("48\r\n"), "{}", told.out());
}

#[tokio::test]
async fn much_that_is_painted_is_neither_kept_nor_held() {
    let shop = Shop::new();
    let source = "import sys\nsys.stdout.write('\\x1b[?1049h')\n\
                  page = ''.join(f'\\x1b[{row};1H{row * 7919 % 10007:>70}' for row in range(1, 25))\n\
                  for _ in range(12000): sys.stdout.write(page)\n\
                  sys.stdout.write('\\x1b[Hthe last\\x1b[?1049l')\nprint('over')\n";
    let since = Instant::now();
    let playing = Playing::start(&shop, "python", source).await;
    let told = playing.end().await.ok();
    let took = since.elapsed();
    let kept = told.report.output.total(Stream::Stdout);
    assert!(kept < 8 << 10, "{kept}");
    assert!(told.out().contains("the last") && told.out().contains("over"), "{}", told.out());
    let screens = told.events.iter().filter(|event| matches!(event, RunEvent::Screen(_))).count();
    let most = took.as_millis() / 5 + 20;
    assert!(screens as u128 <= most, "{screens} screens in {took:?}");
}

#[tokio::test]
async fn what_a_program_asks_of_its_terminal_is_answered_into_it_alone() {
    let shop = Shop::new();
    let source = "stty -echo -icanon min 1\nprintf '\\033[3;4H\\033[6n\\033]52;c;?\\007\\033[c'\n\
                  IFS= read -r -t 15 -d c answer\nprintf '\\nread %q\\n' \"${answer}c\"\n";
    let told = Playing::start(&shop, "bash", source).await.end().await.ok();
    assert!(told.out().contains(r"read $'\E[3;4R\E[?62;22c'"), "{}", told.out());
}

/// Whether a program waits for input is reported as far as it is known: for a read, but not for waiting for several
/// things at once.
#[tokio::test]
async fn what_waits_in_a_read_of_its_terminal_is_told() {
    for shop in shops() {
        for (language, source) in [
            ("bash", "read -p 'Name? ' x; while :; do sleep 0.05; done"),
            ("bash", "head -n 1 < /dev/tty; while :; do sleep 0.05; done"),
            ("python", "import time\ninput('Name? ')\nwhile True: time.sleep(0.05)\n"),
        ] {
            let mut playing = Playing::start(&shop, language, source).await;
            let told = |asks| move |p: &Playing<'_>| p.seen.contains(&RunEvent::Asks(asks));
            playing.until("that it waits", told(true)).await;
            playing.press("Ada\r");
            playing.until("that it goes on", told(false)).await;
            shop.executor.control(playing.run, RunControl::Interrupt);
            playing.end().await;
        }
        let told = shop.sh("sleep 0.5").await.ok();
        assert!(!told.events.iter().any(|event| matches!(event, RunEvent::Asks(_))));
    }
}

#[tokio::test]
#[ignore = "needs less"]
async fn less_pages() {
    let shop = Shop::new();
    let mut playing = Playing::start(&shop, "bash", "echo before; seq 1 500 | LESS= less; echo after").await;
    playing.shows_on_its_own_screen("23\n").await;
    playing.press(" ");
    playing.shows("46\n").await;
    playing.press("/333\r");
    playing.shows("333\n334").await;
    playing.press("q");
    let out = playing.end().await.ok().out();
    assert!(out.starts_with("before\r\n") && out.trim_end().ends_with("after"), "{out}");
    assert!(out.contains("333\r\n334\r\n") && !out.contains("\r\n23\r\n"), "{out}");
}

#[tokio::test]
#[ignore = "needs vi"]
async fn vi_writes_a_file() {
    let shop = Shop::new();
    let mut playing = Playing::start(&shop, "bash", "vi note.txt; cat note.txt").await;
    playing.shows_on_its_own_screen("\n~").await;
    playing.press("ione\rtwo");
    playing.shows("two").await;
    playing.press("\x1bOAx\x1b");
    playing.press(":wq\r");
    let out = playing.end().await.ok().out();
    assert!(std::fs::read_to_string(shop.work().join("note.txt")).unwrap().ends_with("two\n"), "{out}");
    assert!(out.trim_end().ends_with("two"), "{out}");
}

#[tokio::test]
#[ignore = "needs git"]
async fn hunks_are_picked_with_git() {
    let shop = Shop::new();
    let source = "git init -q . && git config user.email a@b.c && git config user.name n\n\
                  seq 1 30 > f && git add f && git commit -qm one\nsed -i -e '2s/2/two/' -e '28s/28/late/' f\n\
                  git add -p\ngit diff --cached --stat\ngit diff --cached | grep -c late";
    let mut playing = Playing::start(&shop, "bash", source).await;
    playing.shows("Stage this hunk").await;
    playing.press("y\r");
    playing.until("the second hunk", |playing| playing.text().matches("Stage this hunk").count() == 2).await;
    playing.press("n\r");
    let out = playing.end().await.out();
    assert_has(&out, &["1 file changed, 1 insertion(+), 1 deletion(-)"]);
    assert!(out.trim_end().ends_with('0'), "{out}");
}

#[tokio::test]
#[ignore = "needs npm"]
async fn npm_asks_for_a_package() {
    let shop = Shop::new();
    let mut playing = Playing::start(&shop, "bash", "npm init --no-update-notifier").await;
    playing.shows("package name:").await;
    playing.press("asked\r");
    for (question, answer) in [
        ("version:", "\r"),
        ("description:", "a thing\x7fng\r"),
        ("entry point:", "\r"),
        ("test command:", "\r"),
        ("git repository:", "\r"),
        ("keywords:", "\r"),
        ("author:", "\r"),
        ("license:", "\r"),
    ] {
        playing.shows(question).await;
        playing.press(answer);
    }
    // Some versions ask for the kind of modules.
    playing
        .until("an end", |playing| ["\ntype:", "Is this OK?"].iter().any(|end| playing.text().contains(end)))
        .await;
    if playing.text().contains("\ntype:") {
        playing.press("\r");
    }
    playing.shows("Is this OK?").await;
    playing.press("yes\r");
    let told = playing.end().await.ok();
    let made = std::fs::read_to_string(shop.work().join("package.json")).unwrap();
    assert!(made.contains("\"asked\"") && made.contains("a thinng"), "{made}\n{}", told.out());
}
