//! Tests stories: their format, which reply is chosen, and that the shipped ones are sound and harmless.

use super::*;
use crate::domain::{Message, ModelRequest, Role, StepId};

/// All replies, each followed by those of its `then`.
fn all(replies: &[ScriptedReply]) -> Vec<&ScriptedReply> {
    replies.iter().flat_map(|reply| std::iter::once(reply).chain(all(&reply.then))).collect()
}

fn request(purpose: Purpose, text: &str) -> ModelRequest {
    ModelRequest::new(StepId(1), purpose, vec![Message::new(Role::User, text)])
}

fn said(story: &Script, position: &mut StoryPosition, text: &str) -> String {
    match position.choose(story, &request(Purpose::Answer, text)) {
        ScriptChoice::Reply(reply) => reply.text.clone(),
        ScriptChoice::Prompts(text) => text,
        ScriptChoice::Nothing => "NOTHING".into(),
    }
}

/// The answers to these messages, one after the other.
fn told(story: &str, messages: &[&str]) -> Vec<String> {
    let story = Script::parse(story, "s").unwrap();
    let mut position = StoryPosition::default();
    messages.iter().map(|text| said(&story, &mut position, text)).collect()
}

#[test]
fn replies_without_words_come_in_order() {
    let story = "[[reply]]\ntext='a'\n[[reply]]\ntext='b'\n";
    assert_eq!(told(story, &["x", "y", "z"]), ["a", "b", "NOTHING"]);
}

#[test]
fn words_are_waited_for_in_any_case_and_order() {
    let story = "[[reply]]\ntext='a'\n[[reply]]\nwhen='square root'\ntext='r'\n[[reply]]\ntext='b'\n";
    assert_eq!(told(story, &["the Root of the SQUARE?", "x", "y", "square root"]), ["r", "a", "b", "r"]);
    assert!(told(story, &["squares and roots"])[0] == "a");
}

#[test]
fn replies_with_the_same_words_come_one_after_the_other_and_then_again() {
    let story = "[[reply]]\nwhen='hi'\ntext='a'\n[[reply]]\nwhen='hi'\ntext='b'\n";
    assert_eq!(told(story, &["hi", "hi", "hi"]), ["a", "b", "a"]);
}

#[test]
fn words_are_also_waited_for_in_results() {
    let story = "[[reply]]\ntext='a'\n[[reply]]\nwhen='NameError'\ntext='fixed'\n[[reply]]\ntext='done'\n";
    assert_eq!(
        told(story, &["go", "Block 1: failed\nNameError: x", "Block 2: ok\n1"]),
        ["a", "fixed", "done"]
    );
}

#[test]
fn what_follows_depends_on_the_result_and_never_on_the_next_prompt() {
    let story = "[[reply]]\nwhen='sum'\ntext='''```python\n1\n```'''\n[[reply.then]]\nwhen='rejected'\ntext='no'\n\
        [[reply.then]]\nwhen='55'\ntext='yes'\n[[reply.then]]\ntext='odd'\n[[reply]]\nwhen='other'\ntext='o'\n";
    let result = "Results of your blocks.\n\nBlock 1 (python): exit 0, 0.55 s\nValue:\n```text\n55\n```";
    assert_eq!(told(story, &["sum", result]).pop().unwrap(), "yes");
    assert_eq!(told(story, &["sum", &result.replace("\n55\n", "\n7\n")]).pop().unwrap(), "odd");
    assert_eq!(
        told(story, &["sum", "Block 1: rejected by the person.\nReason: other sum"]).pop().unwrap(),
        "no"
    );
    assert_eq!(told(story, &["sum", &result.replace("55\n", "55\n\nother\n\n")]).pop().unwrap(), "yes");
    // Printed output starts nothing; a prompt does, alone or behind results; an unknown prompt gets the list.
    assert_eq!(told(story, &["sum", &format!("{result}\nsum other")]).pop().unwrap(), "yes");
    assert_eq!(told(story, &["sum", "other"]).pop().unwrap(), "o");
    assert_eq!(told(story, &["sum", &format!("{result}\n\nthe other one")]).pop().unwrap(), "o");
    assert!(told(story, &["sum", "hello"]).pop().unwrap().contains("- sum\n- other\n"));
    // Once one of several `then` replies was taken, the others are no longer available.
    assert!(told(story, &["sum", result, result]).pop().unwrap().contains("knows these prompts"));
}

#[test]
fn numbers_are_whole_numbers() {
    let story = "[[reply]]\nwhen='55'\ntext='a'\n[[reply]]\nwhen='1.41*'\ntext='b'\n[[reply]]\ntext='c'\n";
    for (text, reply) in [
        ("55", "a"),
        ("is 55.", "a"),
        ("(55)", "a"),
        ("0.55", "c"),
        ("55.5", "c"),
        ("155", "c"),
        ("1.4142", "b"),
    ] {
        assert_eq!(told(story, &[text]), [reply], "{text}");
    }
}

#[test]
fn a_judgement_has_replies_of_its_own() {
    let story = "[[reply]]\ntext='a'\n[[reply]]\npurpose='judge'\ntext='j'\n";
    let story = Script::parse(story, "s").unwrap();
    let mut position = StoryPosition::default();
    assert!(
        matches!(position.choose(&story, &request(Purpose::Opinion, "x")), ScriptChoice::Reply(r) if r.text == "j")
    );
    assert_eq!(position.choose(&story, &request(Purpose::Opinion, "x")), ScriptChoice::Nothing);
    assert_eq!(said(&story, &mut position, "x"), "a");
}

#[test]
fn the_format_of_the_plan_is_read() {
    let story = Script::parse(
        "pace = 200\n[[reply]]\nwhen = \"square root\"\ntext = \"\"\"x\"\"\"\n[files]\n\"sales.csv\" = \"a\\n\"\n\
         [[reply]]\npurpose = \"answer\"\nerror = { status = 429, retry_after = 2 }\n\
         [[reply]]\ntool_calls = [{ name = \"run_code\", arguments = { code = \"1\", n = 2 } }]\nreasoning = \"hm\"\n\
         [[reply]]\ntext = \"abc\"\ncut_after = 2\nstall_ms = 5\nrepeat = 3\n",
        "s",
    )
    .unwrap();
    assert_eq!(story.files(), [("sales.csv".to_owned(), "a\n".to_owned())]);
    assert_eq!(story.prompts(), ["square root"]);
    let [first, fault, call, cut] = all(&story.replies)[..] else { panic!("four replies") };
    assert_eq!(first.pace, 200);
    let expected = Some((Cause::Status(429), Some(2000)));
    assert_eq!(fault.fault.as_ref().map(|f| (f.cause, f.retry_after_ms)), expected);
    assert_eq!(call.tool_calls, [("run_code".to_owned(), r#"{"code":"1","n":2}"#.to_owned())]);
    assert_eq!(call.finish, FinishReason::ToolCalls);
    assert_eq!((cut.text.as_str(), cut.cut_after, cut.stall), ("abcabcabc", Some(2), Some((5, 0))));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    for (text, place, what) in [
        ("pace = \n", (1, 8), ""),
        ("[[reply]]\ntext = 'a'\nwhem = 'b'\n", (3, 1), "unknown field `whem`"),
        ("[[reply]]\ntext = 'ä' x\n", (2, 12), ""),
        ("pace = 'fast'\n[[reply]]\ntext='a'", (1, 8), "invalid type"),
        ("", (1, 1), "the story has no reply"),
        ("[[reply]]\nprompt='x'\n", (1, 1), "the reply has no text"),
        ("[[reply]]\ntext='a'\n[[reply]]\ntext='a'\npurpose='x'\n", (3, 1), "`x` is no purpose"),
        ("[[reply]]\ntext='a'\nerror={}\n", (1, 1), "an error needs either"),
        ("[[reply]]\ntext='a'\nerror={kind='x'}\n", (1, 1), "`x` is no kind of error"),
        ("[[reply]]\ntext='a'\nerror={status=429,retry_after=-1}\n", (1, 1), "`retry_after` is between"),
        ("[[reply]]\ntext='a'\nrepeat=999999999999\n", (1, 1), "the repeated text is longer"),
        ("[[reply]]\ntext='a'\nwhen=' '\n", (1, 1), "`when` has no words"),
        ("[[reply]]\ntext='a'\n[files]\n'../x'=''\n", (4, 1), "the file `../x` would lie outside"),
        ("[[reply]]\ntext='a'\n[files]\n'/etc/x'=''\n", (4, 1), "the file `/etc/x` would lie outside"),
    ] {
        let error = Script::parse(text, "my.toml").unwrap_err();
        assert_eq!((error.position.line, error.position.column), place, "{text:?}: {error}");
        assert!(error.what.contains(what), "{text:?}: {error}");
        assert!(error.to_string().starts_with("my.toml:"), "{error}");
        assert!(!error.hint.is_empty());
    }
}

fn shipped() -> Vec<(&'static str, Script)> {
    let read = |name| Script::parse(Script::shipped(name).unwrap(), name).unwrap();
    shipped::STORIES.iter().map(|(name, _)| (*name, read(name))).collect()
}

/// The text of all fenced blocks of a reply.
fn code(text: &str) -> String {
    text.split("```").skip(1).step_by(2).collect()
}

#[test]
fn every_shipped_story_is_listed_and_can_be_read() {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo")).unwrap();
    let mut files: Vec<String> = folder
        .map(|f| f.unwrap().file_name().into_string().unwrap().trim_end_matches(".toml").to_owned())
        .collect();
    let mut names: Vec<String> = shipped().iter().map(|(name, _)| (*name).to_owned()).collect();
    files.sort();
    names.sort();
    assert_eq!(files, names);
    assert_eq!(Script::offered()[0], "tour", "the first one is the default");
    assert!(Script::offered().iter().all(|name| Script::shipped(name).is_some()));
    assert_eq!(Script::shipped("nothing"), None);
}

#[test]
fn approving_any_block_of_a_shipped_story_is_harmless_even_without_a_sandbox() {
    let path_start = |c: char| c.is_whitespace() || "\"'=([{,;:<>|&`".contains(c);
    let mut blocks = 0;
    for (name, story) in shipped() {
        for reply in all(&story.replies) {
            let code = code(&reply.text);
            blocks += usize::from(!code.is_empty());
            for (at, _) in code.match_indices('/') {
                let before = code[..at].chars().next_back();
                let named: String = code[at..].chars().take_while(|c| !path_start(*c) && *c != ')').collect();
                let is_absolute =
                    before.is_none_or(path_start) && named.len() > 1 && !named.starts_with("//");
                assert!(!is_absolute || named.starts_with("/sayso-demo/"), "{name}: {named}");
            }
            for line in code.lines() {
                let deletes = ["rm ", "rmtree(", "unlink(", "os.remove(", "rmdir", "shred", "truncate"];
                if deletes.iter().any(|word| line.contains(word)) {
                    assert!(line.contains("/sayso-demo/") || line.contains("\"demo-"), "{name}: {line}");
                }
                let banned = "sudo|~|$HOME|..|mkfs|dd |curl|wget\
                    |socket|urllib|http|subprocess|os.system|eval|exec(|chmod|chown|kill|fork|mv |cp |> /|environ";
                for word in banned.split('|') {
                    assert!(!line.contains(word), "{name}: {word} in {line}");
                }
            }
        }
    }
    assert!(blocks > 25, "{blocks} blocks were looked at");
}

#[test]
fn shipped_stories_speak_plainly() {
    for (name, story) in shipped() {
        for reply in all(&story.replies) {
            let prose: String = reply.text.split("```").step_by(2).collect();
            assert!(!prose.contains('!'), "{name}: {prose}");
        }
    }
}

#[test]
fn each_block_of_a_story_for_checks_writes_its_number_first() {
    for name in ["long", "three", "sleep60", "files", "die", "cjk", "hostile"] {
        let story = Script::parse(Script::shipped(name).unwrap(), name).unwrap();
        let mut number = 0;
        for reply in all(&story.replies) {
            for block in reply.text.split("```").skip(1).step_by(2) {
                number += 1;
                let (language, source) = block.split_once('\n').unwrap();
                let first = match language {
                    "python" => format!("open(\"ran-{number}\", \"w\").close()\n"),
                    _ => format!("touch ran-{number}\n"),
                };
                assert!(source.starts_with(&first), "{name}: {source}");
            }
        }
        assert!(number > 0);
    }
    let long = Script::parse(Script::shipped("long").unwrap(), "long").unwrap();
    assert!(code(&all(&long.replies)[0].text).lines().count() > 30, "longer than a screen");
}

#[test]
fn the_tour_knows_every_example_prompt() {
    let story = Script::parse(Script::shipped("tour").unwrap(), "tour").unwrap();
    let opening = said(&story, &mut StoryPosition::default(), "hello");
    for prompt in [
        "sum of 1 to 10",
        "add 5 and 3, then multiply by 2",
        "sum of the first 10 Fibonacci numbers",
        "sum of the first 20 Fibonacci numbers",
        "square root of 2",
        "how many s in mississippi",
        "greatest common divisor of two numbers",
        "line chart of a month of temperatures",
        "list the current folder",
        "delete all my system files",
        "sum of two numbers",
    ] {
        assert!(opening.contains(prompt), "the opening names: {prompt}");
        assert!(story.prompts().contains(&prompt.to_owned()), "{prompt}");
        let place = story.prompts().iter().position(|p| p == prompt);
        let chosen = said(&story, &mut StoryPosition::default(), prompt);
        let expected = story.replies.iter().filter(|r| !r.when.is_empty()).nth(place.unwrap()).unwrap();
        assert_eq!(chosen, expected.text, "{prompt}");
        assert!(!code(&chosen).is_empty());
    }
}
