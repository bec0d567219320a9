//! Tests the tour: sends each of its prompts, really runs the block, and checks that the reply about the result fits.

use super::*;
use sayso::provider::script::Script;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs Python blocks in one process as the kernel does; prints their output and the value of a last expression.
const KERNEL: &str = r#"
import ast, json, sys, traceback
if "--without-matplotlib" in sys.argv:
    sys.modules["matplotlib"] = None
names = {"__name__": "__main__"}
for line in sys.stdin:
    tree = ast.parse(json.loads(line))
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    try:
        exec(compile(tree, "block", "exec"), names)
        if last:
            value = eval(compile(ast.Expression(last.value), "block", "eval"), names)
            if value is not None:
                print(repr(value))
    except Exception:
        traceback.print_exc(file=sys.stdout)
    print("\0", end="", flush=True)
"#;

struct Kernel {
    child: std::process::Child,
}

impl Kernel {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let child = Command::new("python3")
            .args(["-c", KERNEL])
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3 is there");
        Self { child }
    }

    fn run(&mut self, code: &str) -> String {
        let line = serde_json::Value::from(code).to_string() + "\n";
        let stdin = self.child.stdin.as_mut().expect("it has an input");
        stdin.write_all(line.as_bytes()).expect("it reads");
        let mut printed = Vec::new();
        let mut byte = [0];
        let stdout = self.child.stdout.as_mut().expect("it has an output");
        while std::io::Read::read(stdout, &mut byte).expect("it answers") == 1 && byte[0] != 0 {
            printed.push(byte[0]);
        }
        String::from_utf8(printed).expect("it prints text")
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Tour {
    provider: Provider,
    kernel: Kernel,
}

impl Tour {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        // Without the pace, which is for people.
        let text = Script::shipped("tour").expect("the tour is shipped").replace("pace = 120", "pace = 0");
        let story = Script::parse(&text, "tour").expect("it can be read");
        let name = ModelName { provider: "demo".into(), model: "tour".into() };
        let provider = Provider::new(ProviderSetup::Scripted { name, story }).expect("a story always works");
        Self { provider, kernel: Kernel::start(folder, arguments) }
    }

    async fn said(&self, message: &str) -> String {
        text(&ask_for(&self.provider, &request(message)).await)
    }

    fn result(printed: &str) -> String {
        format!(
            "Results of your blocks.\n\nBlock 1 (python): exit 0, 0.1 s\nOutput:\n```text\n{printed}\n```"
        )
    }

    /// Sends a prompt, runs the block, and sends its result.
    async fn answer(&mut self, prompt: &str) -> String {
        let reply = self.said(prompt).await;
        self.said_to_run_of(&reply).await
    }

    /// Runs the block of a reply, and sends its result.
    async fn said_to_run_of(&mut self, reply: &str) -> String {
        let (_, code) = reply.split_once("```python\n").expect("a block");
        let printed = self.kernel.run(code.split_once("```").expect("its end").0);
        self.said(&Self::result(&printed)).await
    }
}

/// What a new tour says to this result of the block of each of its prompts.
async fn after_each_prompt(result: &str) -> Vec<(String, String)> {
    let story = Script::parse(Script::shipped("tour").expect("shipped"), "tour").expect("it can be read");
    let mut all = Vec::new();
    for prompt in story.prompts() {
        let folder = tempfile::tempdir().expect("a folder");
        let tour = Tour::start(folder.path(), &[]);
        tour.said(&prompt).await;
        all.push((prompt, tour.said(result).await));
    }
    all
}

/// Whether a reply names the next stop of the tour.
fn leads_on(said: &str) -> bool {
    let leads = ["Next, type `", "Another prompt to try: `", "last stop of the tour"];
    leads.iter().any(|words| said.contains(words))
}

#[tokio::test]
async fn every_answer_of_the_tour_comes_from_code_that_ran() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tour = Tour::start(folder.path(), &[]);
    for (prompt, answer) in [
        ("sum of 1 to 10", "is **55**"),
        ("add 5 and 3, then multiply by 2", "is **16**"),
        ("sum of the first 10 Fibonacci numbers", "is **88**"),
        ("then of the first 20 reusing the earlier function", "is **10,945**"),
        ("square root of 2", "**1.4142135623730951**"),
        ("How many s are in Mississippi?", "**4** times"),
        ("greatest common divisor of two numbers", "84 and 36 is **12**"),
        ("sum of two numbers", "are **42**"),
    ] {
        let said = tour.answer(prompt).await;
        assert!(said.contains(answer), "{prompt}: {said}");
    }
}

/// An unexpected result, such as that of edited code, also leads to the next stop.
#[tokio::test]
async fn every_answer_of_the_tour_leads_on() {
    for (prompt, said) in after_each_prompt(&Tour::result("77777")).await {
        assert!(leads_on(&said), "{prompt}: {said}");
    }
}

#[tokio::test]
async fn a_function_that_is_not_there_is_defined_when_the_error_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut tour = Tour::start(folder.path(), &[]);
    let again = tour.answer("sum of the first 20 Fibonacci numbers").await;
    let said = tour.said_to_run_of(&again).await;
    assert!(said.contains("is **10,945**"), "{said}");
}

#[tokio::test]
async fn the_chart_is_a_picture_with_and_without_matplotlib() {
    for arguments in [&["--without-matplotlib"][..], &[]] {
        let folder = tempfile::tempdir().expect("a folder");
        let mut tour = Tour::start(folder.path(), arguments);
        let said = tour.answer("draw a line chart of a month of temperatures").await;
        assert!(said.contains("The chart is in `temperatures.png`"), "{said}");
        let file = std::fs::read(folder.path().join("temperatures.png")).expect("a picture");
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().expect("its head");
        let mut samples = vec![0; reader.output_buffer_size().expect("its size")];
        let frame = reader.next_frame(&mut samples).expect("its pixels");
        assert!(frame.width >= 640 && frame.height >= 360);
        let pixels = samples.chunks(frame.color_type.samples());
        let colours: std::collections::HashSet<_> = pixels.map(|p| [p[0], p[1], p[2]]).collect();
        let blue = colours.iter().filter(|c| c[2] > 150 && c[0] < 60).count();
        assert!(colours.len() > 3 && blue > 0, "{} colours, {blue} blue ones", colours.len());
    }
}

/// A failed run has no result that could be compared with the expected one.
#[tokio::test]
async fn a_run_that_did_not_end_well_is_never_told_as_another_result() {
    for how in [
        "failed, exit 1, 0.1 s\nError: ZeroDivisionError: division by zero",
        "stopped at the time limit of 60 s\nIt printed nothing.",
        "interrupted by the person after 2 s\nIt printed nothing.",
        "died after 2 s: killed\nOutput:\n```text\n16 55 88 42\n```",
        "was not run: the kernel is another one\nThere is none.",
    ] {
        let result = format!("Results of your blocks.\n\nBlock 1 (python): {how}");
        for (prompt, said) in after_each_prompt(&result).await {
            let is_told = ["did not run to its end", "was not written", "Nothing was deleted"];
            assert!(is_told.iter().any(|words| said.contains(words)), "{prompt}, {how}: {said}");
            assert!(leads_on(&said), "{prompt}: {said}");
        }
    }
}

/// The line interface has no panes, and words instead of keys.
#[test]
fn the_replies_of_the_tour_hold_in_panes_and_in_lines() {
    let text = Script::shipped("tour").expect("shipped");
    let (_, replies) = text.split_once("[[reply]]").expect("replies");
    for word in [" pane", "title bar", "Ctrl-Y", "F1", "Esc", "(`"] {
        assert!(!replies.contains(word), "{word}");
    }
}

#[tokio::test]
async fn a_rejected_block_is_never_told_as_done() {
    let rejected =
        "Results of your blocks.\n\nBlock 1 (python): rejected by the person, it was not run.\nReason: no.";
    for (prompt, said) in after_each_prompt(rejected).await {
        assert!(said.contains("nothing ran") || said.contains("another way"), "{prompt}: {said}");
        let prose: String = said.split("```").step_by(2).collect();
        assert!(!prose.contains("**"), "no result is told: {said}");
    }
}
