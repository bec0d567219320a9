//! Line mode: only whole words decide, nothing typed before the question does, and no escape sequence is
//! written.

use crate::model_server::{self, Answer, Do, ModelServer};
use crate::terminal::{PATIENCE, Setup, Terminal};
use crate::{play, ran, session_with};
use std::path::Path;
use std::time::{Duration, Instant};

/// A block with a high finding, then one without.
const STORY: &str = r#"
pace = 20
[[reply]]
when = "go"
text = """
First the folder goes.

```python
open("ran-1", "w").close()
import shutil; shutil.rmtree("old", ignore_errors=True)
print("one", "is", "gone")
```

```python
open("ran-2", "w").close()
40 + 2
```
"""
[[reply]]
when = "42"
text = "The model says: all done."
[[reply]]
when = "too risky"
text = "The model was told why."
"#;

/// Plays this story in line mode, until a message is asked for.
pub fn lines(home: &Path, story: &str) -> Terminal {
    let terminal = in_lines(home, story).start();
    terminal.wait_for("You:");
    terminal
}

/// The same in a new home.
pub fn begun(story: &str) -> (tempfile::TempDir, Terminal) {
    let home = tempfile::tempdir().expect("a home");
    let terminal = lines(home.path(), story);
    (home, terminal)
}

/// A setup that plays this story in line mode.
pub fn in_lines<'a>(home: &'a Path, story: &str) -> Setup<'a> {
    let mut setup = play(home, story).env("TERM", "dumb");
    setup.args.insert(0, "--plain".into());
    setup
}

/// A terminal in line mode whose model is this server, ready for a message.
fn asking(home: &Path, server: &ModelServer) -> Terminal {
    let args = ["--plain", "--model", "openai/one", "--base-url", &server.v1()];
    let terminal = Setup::new(home, &args).env("TERM", "dumb").start();
    terminal.wait_for("You:");
    terminal
}

/// Approves the waiting block, with the word that a missing sandbox requires.
pub fn approve(terminal: &Terminal) {
    terminal.wait_true(asks_for_words);
    let before = terminal.raw().len();
    answer(terminal, "approve");
    let told = |text: &str| String::from_utf8_lossy(&terminal.raw()[before..]).contains(text);
    let (is_approved, asks) = (|| told(" approved at "), || told("Type run and press Enter"));
    let deadline = Instant::now() + PATIENCE;
    while !is_approved() && !asks() {
        assert!(Instant::now() < deadline, "nothing came of it:\n{}", terminal.screen());
        terminal.pause(Duration::from_millis(20));
    }
    if !is_approved() {
        answer(terminal, "run");
    }
}

/// Whether the words of a block are asked for, and none was typed yet.
fn asks_for_words(text: &str) -> bool {
    text.lines().any(|row| row.starts_with("Type approve") && row.trim_end().ends_with(':'))
}

/// Waits until this block is printed and its words are asked for: text typed sooner is put aside.
#[track_caller]
pub fn wait_for_block(terminal: &Terminal, block: &str) {
    terminal.wait_true(|s| s.rsplit_once(block).is_some_and(|(_, behind)| asks_for_words(behind)));
}

/// Waits until a message is asked for after this text: text typed sooner is put aside.
#[track_caller]
pub fn wait_for_question(terminal: &Terminal, text: &str) {
    let is_question = |row: &str| row.trim_end() == "You:";
    terminal.wait_true(|s| s.rsplit_once(text).is_some_and(|(_, behind)| behind.lines().any(is_question)));
}

/// Types an answer like a person who has read the question.
pub fn answer(terminal: &Terminal, text: &str) {
    terminal.pause(Duration::from_millis(400));
    terminal.enter(text);
}

/// Types an answer, and waits for the text that it brings.
#[track_caller]
pub fn answer_then(terminal: &Terminal, text: &str, told: &str) {
    answer(terminal, text);
    terminal.wait_for(told);
}

/// Types an answer, and waits until a message is asked for after what it brings.
#[track_caller]
pub fn ask(terminal: &Terminal, text: &str, told: &str) {
    answer(terminal, text);
    wait_for_question(terminal, told);
}

#[test]
fn whole_words_decide_and_a_high_finding_takes_one_more() {
    let (home, mut terminal) = begun(STORY);
    answer_then(&terminal, "go", "Block 1 python, 3 lines, waiting:");
    terminal.wait_for_each(&["  Secrets: none", "HIGH: deletes", "Type approve"]);
    for (times, text) in (1..).zip(["a", "yes", "1", ""]) {
        answer(&terminal, text);
        terminal.wait_true(|s| s.matches("Nothing was decided.").count() == times);
    }
    answer_then(&terminal, "approve", "Type run and press Enter");
    assert!(!ran(home.path(), 1));
    answer_then(&terminal, "yes", "That was not the word.");
    answer(&terminal, "approve");
    terminal.wait_true(|s| s.matches("Anything else goes back:").count() == 2);
    answer_then(&terminal, "run", "  | one is gone");
    wait_for_block(&terminal, "Block 2 python, 2 lines, waiting:");
    assert!(ran(home.path(), 1) && !ran(home.path(), 2));
    approve(&terminal);
    terminal.wait_for("value  42");
    wait_for_question(&terminal, "The model says: all done.");
    assert!(ran(home.path(), 2));
    answer(&terminal, "/quit");
    terminal.wait_exit();
    let written = terminal.raw();
    assert!(!written.contains(&0x1b), "{}", String::from_utf8_lossy(&written));
}

/// A file whose text holds a fence, which ends it.
const TORN: &str = r#"
[[reply]]
text = """
```markdown path=README.md
# Sales

```python
print(1)
```

```bash
ls out
```
"""
"#;

#[test]
fn what_may_be_only_a_part_of_its_text_is_refused_before_the_question() {
    let (home, terminal) = begun(TORN);
    answer_then(&terminal, "go", "It can't run as it is. Type edit, reject or skip:");
    for (times, word) in (2..).zip(["approve", "always"]) {
        let why =
            "Block 1 may be only a part of its text. Edit it, then it can be approved. Nothing was decided.";
        answer_then(&terminal, word, why);
        terminal.wait_true(|s| s.matches("Type edit, reject or skip:").count() == times);
    }
    assert_eq!(terminal.screen().matches("Block 1 write").count(), 1);
    assert!(!session_with(home.path(), "\"kind\":\"block\"").contains("\"kind\":\"decision\""));
}

#[test]
fn what_was_typed_before_the_question_does_not_answer_it() {
    let (home, terminal) = begun(STORY);
    answer_then(&terminal, "go", "First the");
    // While the block is being written: a complete line and an incomplete one.
    terminal.send(b"approve\rappro");
    terminal.wait_for("Type approve");
    answer_then(&terminal, "ve", "none of the words");
    // A paste is no decision either.
    terminal.pause(Duration::from_millis(400));
    terminal.send(b"approve\rmore of it\r");
    terminal.wait_for("That looked like a paste. Nothing was decided.");
    assert!(!ran(home.path(), 1));
    answer(&terminal, "reject too risky");
    wait_for_block(&terminal, "Block 2 python");
    answer_then(&terminal, "skip", "The model was told why.");
    // The typed text is not lost.
    terminal.wait_for("Kept, not sent:");
    assert!(!ran(home.path(), 1) && !ran(home.path(), 2));
    session_with(home.path(), r#""kind":"turn_end""#);
}

/// Between the lines of one message nothing is said about it.
#[test]
fn a_line_with_a_backslash_goes_on_in_the_next_one() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["Both came."]);
    let terminal = asking(home.path(), &server);
    answer_then(&terminal, "one\\", "...");
    answer(&terminal, "two\\");
    ask(&terminal, "three", "Both came.");
    let screen = terminal.screen();
    assert!(!screen.contains("Kept, not sent"), "{screen}");
    let questions = screen.lines().filter(|row| row.starts_with("You:")).count();
    assert_eq!(questions, 2, "{screen}");
    let body = String::from_utf8_lossy(&server.requests()[0].body).into_owned();
    assert!(body.contains(r"one\ntwo\nthree"), "{body}");
}

/// As in the panes. As a line of a longer message it belongs to that.
#[test]
fn the_word_exit_alone_leaves_and_is_not_sent() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["Both came.", "It was sent."]);
    let mut terminal = asking(home.path(), &server);
    answer_then(&terminal, "one\\", "...");
    ask(&terminal, "exit", "Both came.");
    answer(&terminal, "exit");
    assert_eq!(terminal.wait_exit(), 0);
    let is_sent =
        |request: &model_server::Received| String::from_utf8_lossy(&request.body).contains(r"one\nexit");
    assert_eq!(server.requests().iter().filter(|request| is_sent(request)).count(), 1, "none follows");
}

/// While a reply comes it would be sent as the next message.
#[test]
fn the_word_exit_alone_leaves_during_a_reply_too() {
    let home = tempfile::tempdir().expect("a home");
    let reply = Answer::stream(vec![Do::Write(model_server::delta("Once upon a time")), Do::Hang]);
    let server = ModelServer::start(vec![reply]);
    let mut terminal = asking(home.path(), &server);
    answer(&terminal, "hello");
    server.wait_for_requests(1);
    answer(&terminal, "exit");
    terminal.wait_exit();
    assert_eq!(server.requests().len(), 1, "it was not sent");
}

#[test]
fn files_and_commands_of_the_person_go_the_same_way_in_lines() {
    let (home, terminal) = begun(STORY);
    std::fs::write(home.path().join("work/risk.txt"), "this is too risky\n").expect("written");
    answer(&terminal, "see @gone.txt");
    terminal.wait_for("There is no file gone.txt here. Not sent: Enter again sends it as it stands.");
    terminal.wait_for("Kept, not sent:");
    ask(&terminal, "/drop", "You: /drop");
    answer_then(&terminal, "see @risk.txt", "with: risk.txt 18 B");
    let screen = terminal.screen();
    let before = screen.split("  with: risk.txt").next().unwrap_or_default();
    assert!(before.trim_end().ends_with("see @risk.txt"), "no message is asked for meanwhile: {screen}");
    wait_for_question(&terminal, "The model was told why.");
    answer_then(&terminal, "!touch ran-1; echo $((40 + 2))", "Origin: your own command");
    terminal.wait_for("Type approve");
    assert!(!ran(home.path(), 1), "typing it decided nothing");
    approve(&terminal);
    wait_for_question(&terminal, "  | 42");
    assert!(ran(home.path(), 1));
    answer_then(&terminal, "and?", "The model says: all done.");
}

#[test]
fn the_form_of_a_recipe_is_asked_line_by_line() {
    let story = "[[reply]]\ntext = 'It prints one.'\n";
    let (home, terminal) = begun(story);
    std::fs::write(home.path().join("work/one.py"), "print(1)\n").expect("written");
    answer_then(&terminal, "/recipe explain", "Which file? (a file; Enter leaves it out):");
    answer_then(&terminal, "one.py", "Or which code?");
    answer_then(&terminal, "", "What do you want to know about it?");
    terminal.wait_for("Enter takes what it does");
    answer_then(&terminal, "", "Recipe explain begins.");
    terminal.wait_for("It prints one.");
    session_with(home.path(), "one.py");
}

#[test]
fn a_recipe_that_is_written_meanwhile_is_listed_and_begins_but_not_one_of_a_run() {
    let home = tempfile::tempdir().expect("a home");
    let story = "[[reply]]\nwhen = 'go'\ntext = \"\"\"\n```bash\ncd ../sayso/recipes\nsed s/house/hut/ house.toml \
        >hut.toml\nsed -i s/House/Hidden/ house.toml && echo copied\n```\n\"\"\"\n[[reply]]\nwhen = 'copied'\n\
        text = 'It was copied.'\n[[reply]]\nwhen = 'kitchen'\ntext = 'A tidy house.'\n";
    let mut setup = in_lines(home.path(), story);
    setup.args.extend(["--sandbox".into(), "off".into()]);
    let terminal = setup.size(200, 100).start();
    terminal.wait_for("You:");
    let folder = home.path().join("sayso/recipes");
    std::fs::create_dir_all(&folder).expect("a folder");
    let definition = "name = 'house'\ntitle = 'House style'\nwhen = 'Always.'\nprompt = 'Tidy {room}'\n\
        [[input]]\nname = 'room'\nask = 'Which room?'\n[[step]]\nname = 'a'\ntitle = 'A'\nsay = 'Tidy {room}.'\n\
        check = 'reply'\n[step.on.answered]\nthen = 'end'\n[end]\nsummary = 'Tidied.'\n";
    std::fs::write(folder.join("house.toml"), definition).expect("written");
    std::fs::write(folder.join("odd.toml"), "name =").expect("written");
    answer_then(&terminal, "/recipe", "house: House style");
    terminal.wait_for("odd.toml:1:");
    wait_for_question(&terminal, "house: House style");
    ask(&terminal, "/recipe house kitchen", "A tidy house.");
    session_with(home.path(), "Tidy kitchen.");
    // Nothing confines this run: what it wrote there is not trusted before the next start.
    answer(&terminal, "go");
    wait_for_block(&terminal, "Block 1");
    approve(&terminal);
    wait_for_question(&terminal, "It was copied.");
    assert!(folder.join("hut.toml").is_file());
    answer(&terminal, "/recipe hut");
    terminal.wait_for("hut.toml changed since a run began that could write there: it is not used");
    wait_for_question(&terminal, "There is no recipe hut.");
    answer(&terminal, "/recipe");
    terminal.wait_true(|screen| screen.matches("house: House style").count() == 2);
    assert!(!terminal.screen().contains("house: Hidden"), "{}", terminal.screen());
}

#[test]
fn a_key_that_is_typed_is_no_message_no_draft_and_in_no_file() {
    let home = tempfile::tempdir().expect("a home");
    let models = serde_json::json!({ "data": [{ "id": "one", "context_length": 8192 }] });
    let server = ModelServer::replying(&["You are known here."]).with_models(&models);
    let mut terminal = asking(home.path(), &server);
    answer_then(&terminal, "/key openai", "Paste the key for openai");
    // Interrupted halfway: the part typed so far is stored nowhere.
    terminal.pause(Duration::from_millis(400));
    terminal.type_text("sk-half-of-it");
    terminal.press("Ctrl-C");
    wait_for_question(&terminal, "Ctrl-C again within 2 s quits.");
    terminal.pause(Duration::from_millis(2100));
    // Ctrl-D submits the incomplete line: a Ctrl-C can't take that back, as in any terminal.
    answer(&terminal, "/key openai");
    terminal.holds_within(Duration::from_secs(20), |s| s.matches("Paste the key").count() == 2);
    terminal.pause(Duration::from_millis(400));
    terminal.type_text("sk-half-handed-over");
    terminal.press("Ctrl-D");
    terminal.pause(Duration::from_millis(400));
    terminal.press("Ctrl-C");
    terminal.holds_within(Duration::from_secs(20), |s| s.matches("Ctrl-C again").count() == 2);
    terminal.pause(Duration::from_millis(2100));
    answer(&terminal, "/key openai");
    terminal.holds_within(Duration::from_secs(20), |s| s.matches("Paste the key").count() == 3);
    ask(&terminal, "sk-typed-by-hand", "openai answers after");
    ask(&terminal, "hello", "You are known here.");
    let asked = server.wait_for_requests(1).pop().expect("a request");
    assert_eq!(asked.header("authorization"), Some("Bearer sk-typed-by-hand"));
    answer(&terminal, "/quit");
    terminal.wait_exit();
    assert!(!terminal.screen().contains("memory): Nothing"), "its line has an end: {}", terminal.screen());
    for part in ["sk-half", "sk-typed"] {
        assert!(!String::from_utf8_lossy(&asked.body).contains(part));
        assert!(!String::from_utf8_lossy(&terminal.raw()).contains(part), "{}", terminal.screen());
        let mut files = crate::files_ending(home.path(), "");
        files.retain(|path| {
            std::fs::read(path).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(part))
        });
        assert_eq!(files, Vec::<std::path::PathBuf>::new());
    }
}

#[test]
fn a_paste_whose_lines_end_in_a_backslash_arrives_whole() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["It has three lines."]);
    let terminal = asking(home.path(), &server);
    terminal.pause(Duration::from_millis(400));
    terminal.send(b"docker run \\\r  --rm \\\r  image\r");
    terminal.wait_for("Enter sends it");
    answer_then(&terminal, "", "It has three lines.");
    let told = server.wait_for_requests(1)[0].last_message();
    assert!(told.contains("docker run \\\n  --rm \\\n  image"), "{told}");
}

#[test]
fn a_summary_says_that_it_is_being_written() {
    let story = "pace = 0\n[[reply]]\ntext = \"It is four.\"\n";
    let (_home, terminal) = begun(story);
    ask(&terminal, "two and two", "It is four.");
    answer_then(&terminal, "/compact", "Summing up what is older. Ctrl-C stops it.");
    // The result is reported as well.
    terminal.wait_for("No summary: This story has no further reply.");
}

/// A command is no message: its output follows it, and the next message is asked for after that.
#[test]
fn what_a_command_tells_comes_before_the_next_message_is_asked_for() {
    crate::terminal::in_size((140, 40), || {
        let (_home, terminal) = begun(STORY);
        for (command, told) in [
            ("/recipe", "  debug: "),
            ("/resume", "no session yet"),
            ("/help", "show and opinion tell more."),
        ] {
            answer(&terminal, command);
            let behind = |screen: &str| -> Vec<String> {
                let after = screen.split_once(&format!("You: {command}")).map_or("", |(_, after)| after);
                after.lines().map(|row| row.trim_end().to_owned()).filter(|row| !row.is_empty()).collect()
            };
            terminal.wait_true(|screen| {
                let rows = behind(screen);
                rows.iter().any(|row| row.contains(told)) && rows.last().is_some_and(|row| row == "You:")
            });
            let rows = behind(&terminal.screen());
            assert_eq!(rows.iter().filter(|row| *row == "You:").count(), 1, "{}", terminal.screen());
        }
    });
}

#[test]
fn the_models_of_each_provider_are_listed_once_in_lines() {
    crate::terminal::in_size((140, 40), || {
        let home = tempfile::tempdir().expect("a home");
        let server = ModelServer::replying(&["Never asked."])
            .with_models(&serde_json::json!({ "data": [{ "id": "local-model" }] }));
        crate::models::configure(home.path(), "vllm", &server.v1());
        let terminal = lines(home.path(), STORY);
        answer_then(&terminal, "/model", "vllm/local-model");
        for provider in ["ollama: ", "lmstudio: ", "llamacpp: "] {
            terminal.wait_for(provider);
        }
        assert_eq!(terminal.screen().matches("anthropic: no key").count(), 1, "{}", terminal.screen());
    });
}

#[test]
fn what_is_no_answer_to_whether_to_go_on_is_told_to_be_kept() {
    let story =
        "pace = 0\n[[reply]]\nwhen = ['go', 'again']\ntext = \"\"\"\n```bash\necho again\n```\n\"\"\"\n";
    let (_home, terminal) = begun(story);
    answer(&terminal, "go");
    for block in ["Block 1 bash", "Block 2 bash"] {
        wait_for_block(&terminal, block);
        approve(&terminal);
    }
    terminal.wait_for("Type continue or end:");
    answer_then(&terminal, "what now", "That is none of the words. It is kept for the next message.");
    // A paste is no answer either, whatever its words are.
    terminal.pause(Duration::from_millis(400));
    terminal.send(b"continue\rand this\r");
    terminal.wait_for("That looked like a paste. It is kept for the next message.");
    answer_then(&terminal, "end", "Kept, not sent:");
    terminal.wait_for("> what now");
}

/// What a session is told of the folder is looked for as soon as it is open, whichever model it goes on with.
#[test]
fn instructions_are_found_in_a_session_that_another_model_goes_on_with() {
    let home = tempfile::tempdir().expect("a home");
    let server = ModelServer::replying(&["It is read."]);
    let args = ["--plain", "--model", "openai/one", "--base-url", &server.v1()];
    let mut terminal = crate::at_work(home.path(), &args).env("TERM", "dumb").start();
    terminal.wait_for("You:");
    ask(&terminal, "hello", "It is read.");
    answer(&terminal, "/quit");
    terminal.wait_exit();
    std::fs::write(home.path().join("work/AGENTS.md"), "Use tabs.\n").expect("written");
    let args = ["resume", "--last", "--plain", "--model", "openai/two", "--base-url", &server.v1()];
    let terminal = crate::at_work(home.path(), &args).env("TERM", "dumb").start();
    terminal.wait_for("You:");
    // They are read beside everything else.
    let is_found = |_| {
        answer(&terminal, "/status");
        terminal.holds_within(Duration::from_secs(1), |screen| screen.contains("the project's words"))
    };
    assert!((0..20).any(is_found), "{}", terminal.screen());
}

#[test]
fn commands_that_no_line_would_show_the_effect_of_tell_it() {
    crate::terminal::in_size((140, 40), || {
        let home = tempfile::tempdir().expect("a home");
        std::fs::create_dir_all(home.path().join("work")).expect("a folder");
        std::fs::write(home.path().join("work/.sayso.toml"), "theme = \"ink\"\n").expect("written");
        let terminal = lines(home.path(), STORY);
        for (command, told) in [
            ("/config", "Ignored: "),
            ("/status", "Instructions: none: no AGENTS.md here"),
            ("/kernel", "No block runs. /restart begins a new kernel."),
            ("/keys test", "This has no meaning in plain lines."),
            ("/rename sales", "This chat is called sales from here on."),
        ] {
            answer_then(&terminal, command, told);
            wait_for_question(&terminal, told);
        }
        // The name that it has already is told too.
        answer(&terminal, "/rename sales");
        terminal.wait_true(|screen| screen.matches("This chat is called sales").count() == 2);
    });
}

#[test]
fn a_kernel_ends_only_after_it_was_told_what_is_lost() {
    let home = tempfile::tempdir().expect("a home");
    let story = "[[reply]]\nwhen = 'go'\ntext = \"\"\"\n```python\nx = 1\n```\n\"\"\"\n[[reply]]\ntext = 'It is set.'\n";
    let terminal = lines(home.path(), story);
    terminal.wait_for("You:");
    answer(&terminal, "go");
    wait_for_block(&terminal, "Block 1 python");
    approve(&terminal);
    wait_for_question(&terminal, "It is set.");
    answer(&terminal, "/restart");
    wait_for_question(&terminal, "1 variable lost. Type /restart now to go on.");
    assert!(!terminal.screen().contains("Kernel k1 ended"), "{}", terminal.screen());
    answer(&terminal, "/restart now");
    wait_for_question(&terminal, "Kernel k1 ended: 1 variable lost. Nothing was rerun.");
}

#[test]
fn sessions_are_found_by_what_is_in_them_and_opened_there_in_lines() {
    let (home, mut terminal) = begun("[[reply]]\nwhen = \"go\"\ntext = \"The harbour opens early.\"\n");
    ask(&terminal, "go", "The harbour opens early.");
    session_with(home.path(), r#""kind":"turn_end""#);
    answer(&terminal, "/quit");
    terminal.wait_exit();
    let mut terminal = lines(home.path(), "[[reply]]\ntext = \"Yes.\"\n");
    ask(&terminal, "/search harb since:soon", "\"soon\" is no date and no age");
    ask(&terminal, "/search harb since:1d outcome:failed", "No session holds that.");
    answer_then(&terminal, "/search harb since:1d", "reply: The harbour opens early.");
    wait_for_question(&terminal, "/resume place NUMBER opens the session there.");
    ask(&terminal, "/resume place 7", "There are the places 1 to 1.");
    answer_then(&terminal, "/resume place 1", "Found, message 2, a reply:");
    wait_for_question(&terminal, "  | The harbour opens early.");
    ask(&terminal, "/search", "language:NAME outcome:failed model:NAME");
    answer(&terminal, "/quit");
    terminal.wait_exit();
    assert!(!terminal.raw().contains(&0x1b));
}

#[test]
fn what_a_run_changed_is_taken_back_by_a_word_in_lines() {
    let home = tempfile::tempdir().expect("a home");
    let story = "[[reply]]\nwhen = \"go\"\ntext = '''\n```python\nopen(\"new.txt\", \"w\").write(\"new\")\nopen(\"kept.txt\", \"w\").write(\"after\")\n```\n'''\n[[reply]]\ntext = \"Written.\"\n";
    let work = home.path().join("work");
    std::fs::create_dir_all(&work).expect("a folder");
    std::fs::write(work.join("kept.txt"), "before").expect("a file");
    // Everything that is asked stays on screen.
    let mut terminal = in_lines(home.path(), story).size(140, 80).start();
    terminal.wait_for("You:");
    ask(&terminal, "/undo", "Of no run of this session there is a list of changes.");
    answer(&terminal, "go");
    wait_for_block(&terminal, "Block 1");
    approve(&terminal);
    wait_for_question(&terminal, "Written.");
    let text = |name: &str| std::fs::read_to_string(work.join(name)).ok();
    let (kept, new) = (|| text("kept.txt"), || text("new.txt"));
    let both = || (kept(), new());
    let ran = (Some("after".to_owned()), Some("new".to_owned()));
    assert_eq!(both(), ran);
    ask(&terminal, "/undo 7", "Block 7 has not run.");
    let asked = |times| terminal.wait_true(|s| s.matches("Type back or again").count() == times);
    answer(&terminal, "/undo");
    asked(1);
    terminal.wait_for_each(&["created new.txt", "back: Removes new.txt."]);
    ask(&terminal, "back it up", "Nothing was decided.");
    assert_eq!(both(), ran, "a sentence decides nothing");
    ask(&terminal, "/drop", "You: /drop");
    answer(&terminal, "/undo 1");
    asked(2);
    terminal.wait_true(|s| s.matches("back: Changes back kept.txt.").count() == 2);
    answer(&terminal, "back");
    terminal.wait_true(|_| both() == (Some("before".to_owned()), None));
    wait_for_question(&terminal, "Type back or again");
    answer(&terminal, "/undo");
    asked(3);
    terminal.wait_for("again: Brings back new.txt.");
    answer(&terminal, "again");
    terminal.wait_true(|_| both() == ran);
    wait_for_question(&terminal, "Type back or again");
    answer(&terminal, "/quit");
    terminal.wait_exit();
    assert!(!terminal.raw().contains(&0x1b));
}

/// All pieces of the reply arrive at once: the text before its block and after it is printed all the same.
#[test]
fn what_a_quick_model_says_around_its_block_is_told() {
    let home = tempfile::tempdir().expect("a home");
    let parts =
        ["First I tell a lot.\n\nAnd more.\n\n```bash", "\necho hi\n```\n\nAnd this is ", "behind it."];
    let mut body: Vec<u8> = parts.iter().flat_map(|part| model_server::delta(part)).collect();
    body.extend(model_server::finish("stop"));
    body.extend(b"data: [DONE]\n\n");
    let server = ModelServer::start(vec![Answer::stream(vec![Do::Write(body)])]);
    let terminal = asking(home.path(), &server);
    answer_then(&terminal, "go", "waiting:");
    let screen = terminal.screen();
    let at = |text: &str| screen.find(text).unwrap_or_else(|| panic!("{text} in\n{screen}"));
    let order =
        ["First I tell a lot.", "And more.", "writes a block: bash", "And this is behind it.", "waiting:"];
    assert!(order.map(at).is_sorted(), "{screen}");
    assert!(order.iter().all(|text| screen.matches(text).count() == 1), "{screen}");
}

#[test]
fn instructions_that_a_run_changed_are_shown_and_told_by_a_whole_word() {
    let home = tempfile::tempdir().expect("a home");
    let work = home.path().join("work");
    std::fs::create_dir_all(&work).expect("a folder");
    let code = "open(\"AGENTS.md\", \"w\").write(\"Use tabs.\\n\"); print(\"it is written\")";
    let block = format!("```python\n{code}\n```\n");
    let replies = [&*block, "The model says: all done.", "Tabs it is.", "Spaces, then?"];
    let server = ModelServer::replying(&replies);
    let args = ["--plain", "--model", "openai/one", "--base-url", &server.v1()];
    // Everything that is asked stays on screen.
    let mut terminal = crate::at_work(home.path(), &args).env("TERM", "dumb").size(140, 80).start();
    terminal.wait_for("You:");
    answer(&terminal, "go");
    wait_for_block(&terminal, "Block 1 python");
    approve(&terminal);
    wait_for_question(&terminal, "The model says: all done.");
    let asked = |times| {
        answer(&terminal, "/instructions changes");
        terminal.wait_true(|s| s.matches("Type tell").count() == times);
    };
    asked(1);
    terminal.wait_for_each(&["AGENTS.md: +1 -0 lines since a run began.", "  = + Use tabs."]);
    ask(&terminal, "tell it", "Nothing was decided.");
    asked(2);
    ask(&terminal, "tell", "The model is told the new text");
    ask(&terminal, "/instructions changes", "No file of instructions was changed by a run.");
    ask(&terminal, "/drop", "You: /drop");
    ask(&terminal, "and now?", "Tabs it is.");
    // While the project's instructions are off, an accepted text waits for them.
    ask(&terminal, "/instructions off", "is no longer told to the model.");
    std::fs::write(work.join("AGENTS.md"), "Use spaces.\n").expect("written");
    asked(3);
    ask(&terminal, "tell", "told to the model once /instructions on is given.");
    ask(&terminal, "and then?", "Spaces, then?");
    let told: Vec<String> = server
        .requests()
        .iter()
        .map(|request| request.json()["messages"][0]["content"].to_string())
        .collect();
    let holds = |text: &str| -> Vec<bool> { told.iter().map(|system| system.contains(text)).collect() };
    assert_eq!(holds("Use tabs."), [false, false, true, false]);
    assert_eq!(holds("Use spaces."), [false; 4]);
    answer(&terminal, "/quit");
    terminal.wait_exit();
}
