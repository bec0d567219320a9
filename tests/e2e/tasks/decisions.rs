//! Tasks with other decisions than approving: a long job is stopped, a package is installed, one block is
//! changed and another refused.

use super::Plan;
use crate::model_server::{Answer, Do, ModelServer};
use crate::terminal::PATIENCE;
use std::time::Duration;

#[test]
fn a_long_job_is_interrupted_and_what_it_knew_is_kept() {
    let mut task = Plan::new("interrupt a long job").start(&[
        "This takes long.\n\n```python\nimport time\ndone = 0\nfor n in range(100_000):\n    done += 1\n    \
         if done == 3: print('three are done', flush=True)\n    time.sleep(0.05)\n```\n",
        "How far it came.\n\n```python\nprint('far enough', done >= 3)\n```\n",
        "It had done enough.",
    ]);
    task.say("count slowly");
    task.approve(1);
    task.terminal.wait_for("three are done");
    // No person presses a key in the moment in which the first line comes.
    task.terminal.pause(Duration::from_millis(700));
    task.press("Ctrl-C");
    task.terminal.wait_for("INTERRUPTED");
    task.terminal.pause(Duration::from_millis(100));
    task.press("i");
    task.say("how far did it come?");
    task.approve(2);
    task.ends_with("It had done enough.");
    assert!(task.told(2).contains("far enough True"), "{}", task.told(2));
}

/// A wheel with a module that greets, made by this machine's Python.
fn wheel() -> Vec<u8> {
    let code = "import sys, zipfile\nmade = zipfile.ZipFile(sys.stdout.buffer, 'w')\n\
                info = 'greeter_of_tests-1.0.dist-info/'\n\
                made.writestr('greeter_of_tests.py', 'def greet(name): return \"hello \" + name\\n')\n\
                made.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: greeter-of-tests\\nVersion: 1.0\\n')\n\
                made.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: t\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')\n\
                made.writestr(info + 'RECORD', '')\nmade.close()\n";
    let made = std::process::Command::new("python3").args(["-c", code]).output().expect("python3");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    made.stdout
}

#[test]
fn a_missing_package_is_asked_for_installed_and_used() {
    let list = "<a href=\"/greeter_of_tests-1.0-py3-none-any.whl\">greeter_of_tests-1.0-py3-none-any.whl</a>";
    let package = Answer { status: 200, headers: Vec::new(), body: vec![Do::Write(wheel())] }
        .header("content-type", "application/zip");
    let index = ModelServer::in_order(vec![Answer::status(200, "text/html", list), package]);
    let address = format!("{}/simple", index.url());
    let plan = Plan::new("a missing package").env("PIP_INDEX_URL", &address).env("UV_INDEX_URL", &address);
    let mut task = plan.start(&[
        "It greets.\n\n```python\nimport greeter_of_tests\nprint(greeter_of_tests.greet('you'))\n```\n",
        "You were greeted.",
    ]);
    task.say("greet me");
    // The packages come first, as a block of their own; then the block that needs them.
    task.terminal.wait_for("needs greeter_of_tests");
    task.approve(2);
    // A package tool is started, perhaps installed first, which takes long on a busy machine.
    let is_there = task.terminal.holds_within(PATIENCE * 4, |s| s.contains("Block 1 waits"));
    assert!(is_there, "{}", task.terminal.screen());
    task.approve(1);
    task.ends_with("You were greeted.");
    assert!(task.told(1).contains("hello you"), "{}", task.told(1));
}

#[test]
fn one_block_is_edited_and_another_rejected() {
    let mut task = Plan::new("edit one block, reject another").start(&[
        "Two steps.\n\n```python\nname = 'World'\nprint('Hello', name)\n```\n\n```bash\necho done > log.txt\n```\n",
        "No log then.",
    ]);
    task.say("greet and log it");
    task.go_to(1);
    task.terminal.press_until("e", "EDITING");
    task.press("End");
    task.press("Backspace");
    task.terminal.type_text(" of tests'");
    task.press("Esc");
    task.terminal.wait_for("EDITED");
    task.approve(1);
    task.go_to(2);
    task.terminal.press_until("r", "Reject block");
    task.terminal.type_text("no log please");
    task.press("Enter");
    task.ends_with("No log then.");
    let told = task.told(1);
    assert!(told.contains("Hello World of tests") && told.contains("no log please"), "{told}");
    assert!(!task.path("log.txt").exists());
}
