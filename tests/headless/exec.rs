//! Tests `sayso exec --json` on programs that raise, loop, flood, read, are interrupted.

use crate::home::{Home, finish, interrupt, output, run_to_end, wait_for};
use serde_json::{Value, json};
use std::process::Stdio;

/// Checks all promised fields and their types.
fn assert_shape(object: &Value) {
    let keys = ["path", "outcome", "exit_code", "signal", "limit", "stdout", "stderr", "value", "error"];
    let more =
        ["truncated", "dropped", "kernel", "receipt", "images", "pictures", "sandbox", "findings", "sha256"];
    for key in keys.iter().chain(&more) {
        assert!(object.get(key).is_some(), "{key} is missing: {object}");
    }
    assert!(object["stdout"].is_string() && object["stderr"].is_string() && object["truncated"].is_boolean());
    assert!(object["dropped"]["stdout"].is_u64() && object["dropped"]["stderr"].is_u64());
    let receipt = &object["receipt"];
    assert!(receipt["wall_ms"].is_number() && receipt["cpu_ms"].is_number());
    assert!(
        receipt["peak_rss_bytes"].is_u64() && receipt["processes"].is_u64() && receipt["files"].is_array()
    );
    for key in ["level", "network", "write", "read", "processes", "memory"] {
        assert!(object["sandbox"][key].is_string(), "sandbox.{key}");
    }
    assert!(object["sandbox"]["layers"].is_array() && object["findings"].is_array());
    assert_eq!(object["sha256"].as_str().map(str::len), Some(64));
    assert!(["kept", "restarted", "none"].contains(&object["kernel"].as_str().unwrap()));
}

#[test]
fn every_field_is_there() {
    let home = Home::new();
    let (object, done) = home.exec("a.py", "print('x')\n1 + 1\n", &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert_shape(&object);
    assert_eq!(object["outcome"], "ok");
    assert_eq!(object["exit_code"], 0);
    assert_eq!(json!([object["signal"], object["limit"], object["error"]]), json!([null, null, null]));
    assert_eq!((&object["value"], &object["stdout"]), (&json!("2"), &json!("x\n")));
    assert_eq!((&object["kernel"], &object["path"]), (&json!("kept"), &json!("a.py")));
    assert_eq!(object["sandbox"]["level"], "off");
}

/// A run may have filled the place: that must not take the sandbox away from the next one.
#[test]
fn nothing_runs_where_the_sandbox_has_no_private_folder() {
    let home = Home::with(&[("a.sh", "touch ran\n")]);
    for options in [&["exec", "a.sh"][..], &["exec", "--sandbox", "workspace", "a.sh"]] {
        home.run_in(&[("TMPDIR", home.work().join("gone"))], options)
            .ended(2)
            .tells(&["the sandbox needs a private folder in "]);
        assert!(!home.work().join("ran").exists());
    }
}

#[test]
fn an_empty_name_of_the_temporary_folder_names_none() {
    let home = Home::with(&[("a.sh", "echo ran\n")]);
    let level = |env: &[(&str, &str)]| {
        home.run_in(env, &["exec", "--json", "a.sh"]).ended(0).json()[0]["sandbox"]["level"].clone()
    };
    assert_eq!(level(&[("TMPDIR", "")]), level(&[]));
}

#[test]
fn a_picture_that_was_written_is_told_and_kept_as_it_was() {
    let home = Home::new();
    let code = "import base64\n\
        data = base64.b64decode('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==')\n\
        open('dot.png', 'wb').write(data)\nopen('no.png', 'w').write('none')\n";
    let (object, done) = home.exec("a.py", code, &[]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let pictures = object["pictures"].as_array().unwrap();
    assert_eq!(pictures.len(), 1, "{object}");
    assert_eq!(
        json!([pictures[0]["name"], pictures[0]["width"], pictures[0]["mime"]]),
        json!(["dot.png", 1, "image/png"])
    );
    assert_eq!(object["images"], json!([]), "what is sent to a model is what the code showed");
    let kept = std::fs::read(pictures[0]["path"].as_str().unwrap()).unwrap();
    assert!(kept.starts_with(b"\x89PNG"));
}

#[test]
fn an_exception_is_told_once() {
    let home = Home::new();
    let (object, done) = home.exec("a.py", "def f():\n    raise ValueError('no')\nf()\n", &[]);
    assert_shape(&object);
    assert_eq!(done.code, Some(1));
    assert_eq!((&object["outcome"], &object["exit_code"]), (&json!("failed"), &json!(1)));
    assert_eq!((&object["error"]["type"], &object["error"]["message"]), (&json!("ValueError"), &json!("no")));
    assert!(object["error"]["traceback"].as_str().unwrap().contains("line 2"));
    assert_eq!(object["stderr"], "");
}

#[test]
fn errors_name_the_file_that_was_named() {
    let home = Home::new();
    let (object, _) = home.exec("sub/a.py", "x = 1\nx.no\n", &[]);
    let traceback = object["error"]["traceback"].as_str().unwrap();
    assert!(traceback.contains("File \"sub/a.py\", line 2"), "{traceback}");
    let (object, _) = home.exec("sub/a.sh", "f() {\n  nope\n}\nf\n", &[]);
    assert_eq!(object["stderr"], "sub/a.sh: line 2: nope: command not found\n");
    let (object, _) = home.exec("sub/a.dash", "true\nnope\n", &[]);
    assert_eq!(object["stderr"], "sub/a.dash: 2: nope: not found\n");
    home.run_with_input(&["exec", "--language", "bash", "-"], "true\nnope\n")
        .tells(&["block 1: line 2: nope"]);
}

#[test]
fn exit_codes_of_programs() {
    let home = Home::new();
    let (object, done) = home.exec("a.sh", "exit 3\n", &[]);
    assert_eq!((&object["outcome"], &object["exit_code"]), (&json!("failed"), &json!(3)));
    assert_eq!((&object["kernel"], done.code), (&json!("none"), Some(1)));
    let (object, _) = home.exec("b.py", "import sys\nsys.exit(4)\n", &[]);
    assert_eq!(object["exit_code"], 4);
    let (object, _) = home.exec("c.py", "import os\nos._exit(5)\n", &[]);
    assert_eq!((&object["outcome"], &object["kernel"]), (&json!("crashed"), &json!("restarted")));
    let (object, _) = home.exec("d.sh", "kill -SEGV $$\n", &[]);
    assert_shape(&object);
    assert_eq!(object["signal"], 11);
}

#[test]
fn a_loop_ends_at_its_limit() {
    let home = Home::new();
    for (name, text) in [("a.py", "while True: pass\n"), ("a.sh", "while :; do :; done\n")] {
        // A busy machine is late now and then; a limit that is enforced late is late each time.
        let walls = (0..4).map(|_| {
            let (object, done) = home.exec(name, text, &["--timeout", "0.5"]);
            assert_shape(&object);
            let ended = (&object["outcome"], done.code);
            assert_eq!(ended, (&json!("timed_out"), Some(124)), "{name}: {object:#}");
            let wall = object["receipt"]["wall_ms"].as_f64().unwrap();
            assert!(wall > 400.0, "{wall}");
            wall
        });
        assert!(walls.into_iter().any(|wall| wall < 3500.0), "{name} is late");
    }
}

#[test]
fn a_run_hears_an_interrupt_also_where_sayso_was_started_to_ignore_it() {
    let home = Home::new();
    for (name, text) in [
        (
            "a.py",
            "import time\ntry:\n    open('a.py-on', 'w').close()\n    time.sleep(60)\nexcept KeyboardInterrupt: print('heard')\n",
        ),
        ("a.sh", "trap 'echo heard; exit' INT\n: > a.sh-on\nsleep 60 & wait\n"),
    ] {
        home.file(name, text);
        let sayso = home.command(&["exec", "--json", "--sandbox", "off", name]);
        let mut shell = home.shell("trap '' INT QUIT HUP; exec \"$0\" \"$@\"", &sayso);
        let child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(|| home.work().join(format!("{name}-on")).exists().then_some(()), "the program's start");
        interrupt(&child);
        let done = finish(child);
        assert_eq!(done.json()[0]["stdout"], "heard\n", "{name} {} {}", done.out, done.err);
    }
}

#[test]
fn files_share_a_session_and_each_gets_its_line() {
    let home = Home::new();
    home.file("a.py", "x = 41\n");
    home.file("b.py", "raise SystemError\n");
    home.file("c.py", "x + 1\n");
    home.file("d.sh", "cd /; export V=7\n");
    home.file("e.sh", "pwd; echo $V\n");
    let done = home.run(&["exec", "--json", "a.py", "b.py", "c.py", "d.sh", "e.sh"]);
    let objects = done.json();
    let paths: Vec<_> = objects.iter().map(|o| o["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["a.py", "b.py", "c.py", "d.sh", "e.sh"]);
    assert_eq!((&objects[2]["value"], &objects[4]["stdout"]), (&json!("42"), &json!("/\n7\n")));
    assert_eq!(done.code, Some(1));
    // Missing confinement is reported, but not if it was requested.
    let off = objects[0]["sandbox"]["level"] == "off";
    assert_eq!(done.err.contains("the sandbox is off"), off, "{}", done.err);
}

#[test]
fn limits_are_options_and_are_told_as_what_they_are() {
    let home = Home::new();
    let bomb = "import time\nblocks = []\nwhile True:\n    blocks.append(b'x' * (1 << 20) * 8)\n    time.sleep(0.002)\n";
    let (object, done) = home.exec("a.py", bomb, &["--memory", "200", "--timeout", "30"]);
    // The system may refuse the allocation before the total of all processes exceeds the limit.
    let limit = object["limit"].as_str().is_some_and(|limit| limit.ends_with("of 200 MiB"));
    assert!(limit || object["error"]["type"] == "MemoryError", "{object}");
    assert_eq!(done.code, Some(1));
    assert_eq!(object["sandbox"]["memory"], "watched");
    for wrong in [["--memory", "0"], ["--processes", "0"], ["--sandbox", "strong"]] {
        assert_eq!(home.run(&["exec", "a.py", wrong[0], wrong[1]]).code, Some(2), "{wrong:?}");
    }
}

#[test]
fn a_level_that_is_asked_for_is_had_or_nothing_runs() {
    let home = Home::with(&[("a.sh", "echo x > made; echo ran\n")]);
    let done = home.run(&["exec", "--json", "--sandbox", "read-only", "a.sh"]);
    if done.code == Some(2) {
        assert!(done.err.contains("can't be had here") && done.out.is_empty(), "{}", done.err);
    } else {
        let object = &done.json()[0];
        assert_eq!(
            json!([object["sandbox"]["level"], object["sandbox"]["write"]]),
            json!(["read-only", "none"])
        );
    }
    assert!(!home.work().join("made").exists());
    let done = home.run(&["exec", "--allow-read", "gone", "a.sh"]);
    if !done.err.contains("the sandbox is off") {
        assert!(done.code == Some(2) && done.err.contains("gone"), "{} {}", done.out, done.err);
        // What to correct is the option: nothing is missing on this machine.
        assert!(done.err.contains("Correct --allow-read") && !done.err.contains("doctor"), "{}", done.err);
    }
}

#[test]
fn a_flood_is_bounded_and_counted() {
    let home = Home::new();
    let text =
        "import os\nb = b'x' * (1 << 20)\nfor _ in range(64): os.write(1, b)\nos.write(1, b'the end')\n";
    let (object, _) = home.exec("a.py", text, &[]);
    let stdout = object["stdout"].as_str().unwrap();
    assert!(stdout.len() <= 1 << 20 && stdout.ends_with("the end"));
    assert_eq!(object["truncated"], true);
    let dropped = object["dropped"]["stdout"].as_u64().unwrap();
    assert_eq!(dropped + stdout.len() as u64, (64 << 20) + 7);
}

#[test]
fn output_without_a_newline_and_output_that_is_no_text() {
    let home = Home::new();
    let (object, _) = home.exec("a.sh", "printf abc\n", &[]);
    assert_eq!(object["stdout"], "abc");
    let (object, _) = home.exec("b.sh", "printf 'a\\377\\033[2J\\302\\233'\n", &[]);
    assert_eq!(object["stdout"], "a\u{fffd}\u{1b}[2J\u{9b}");
    assert_eq!(object["stdout_base64"], "Yf8bWzJKwps=");
}

#[test]
fn what_acts_on_a_terminal_is_escaped() {
    let home = Home::with(&[("a.sh", "printf '\\033]52;c;x\\007\\302\\233\\342\\200\\256\\177'\n")]);
    for args in [&["exec", "--json", "a.sh"][..], &["exec", "a.sh"]] {
        let done = home.run(args);
        let acting = |c: char| c != '\n' && (c.is_control() || c == '\u{202e}');
        assert!(!done.out.contains(acting) && !done.err.contains(acting), "{:?} {:?}", done.out, done.err);
    }
    assert_eq!(home.run(&["exec", "a.sh"]).out, "\\x1b]52;c;x\\x07\\x9b<U+202E>\\x7f");
}

#[test]
fn there_is_nothing_to_read() {
    let home = Home::new();
    let (object, _) = home.exec("a.py", "input('name? ')\n", &[]);
    assert_eq!((&object["outcome"], &object["error"]["type"]), (&json!("failed"), &json!("EOFError")));
    let (object, _) = home.exec("b.sh", "read x && echo got || echo none\n", &[]);
    assert_eq!(object["stdout"], "none\n");
}

#[test]
fn the_bytes_that_were_named_are_the_bytes_that_run() {
    let home = Home::new();
    let text = "s = '''a \n\n\tb'''\r\nprint(len(s), repr(s))";
    let (object, done) = home.exec("a.py", text, &[]);
    assert_eq!(object["stdout"], "6 'a \\n\\n\\tb'\n", "{}", done.err);
    let out = output(std::process::Command::new("sha256sum").arg(home.work().join("a.py")));
    let sum = String::from_utf8(out.stdout).unwrap();
    assert_eq!(object["sha256"].as_str(), sum.split_whitespace().next());
}

#[test]
fn an_interrupt_ends_all_of_it() {
    let home = Home::new();
    home.file("a.py", "open('started', 'w').close()\nimport time\ntime.sleep(600)\n");
    home.file("b.py", "open('ran-b', 'w')\n");
    let mut command = home.command(&["exec", "--json", "a.py", "b.py"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| home.work().join("started").exists().then_some(()), "the program's start");
    interrupt(&child);
    let done = finish(child).ended(130);
    let objects = done.json();
    assert_eq!((objects.len(), &objects[0]["outcome"]), (1, &json!("interrupted")));
    assert!(!home.work().join("ran-b").exists());
}

/// The writing end of a pipe that nobody reads.
fn closed_pipe() -> std::io::PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn what_ran_is_told_and_can_be_taken_back_although_nobody_reads_any_more() {
    let cases: [(&[&str], bool); 4] =
        [(&[], false), (&["--json"], false), (&["--no-session"], false), (&[], true)];
    for (options, is_disk_full) in cases {
        let home = Home::with(&[("a.sh", "echo evil > .envrc; touch made.txt; echo one\n")]);
        let mut command = home.command(&[&["exec", "--sandbox", "off"][..], options, &["a.sh"]].concat());
        if is_disk_full {
            command.stdout(std::fs::File::options().write(true).open("/dev/full").unwrap());
        } else {
            command.stdout(closed_pipe());
        }
        let done = output(&mut command);
        let err = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{options:?} {err}");
        let told = "a.sh created .envrc: what a shell reads when it starts";
        assert_eq!(err.matches(told).count(), 1, "{options:?} {err}");
        if options == ["--no-session"] {
            continue;
        }
        let id = home.session_id();
        let done = home.run(&["sessions", "undo", &id, "--yes"]);
        assert_eq!(done.code, Some(0), "{options:?} {}{}", done.out, done.err);
        for name in [".envrc", "made.txt"] {
            assert!(!home.work().join(name).exists(), "{options:?} {name}");
        }
    }
}

#[test]
fn no_file_is_lost_that_never_started_because_nobody_reads_any_more() {
    let home = Home::with(&[("a.sh", "true\n"), ("b.sh", "true\n")]);
    let mut command = home.command(&["exec", "--json", "--sandbox", "off", "a.sh", "b.sh"]);
    assert_eq!(output(command.stdout(closed_pipe())).status.code(), Some(1));
    let checked = home.run(&["sessions", "check"]).ended(0);
    assert!(checked.out.contains(": whole") && !checked.out.contains("LOST"), "{}", checked.out);
}

#[test]
fn text_output_goes_where_it_belongs() {
    let home = Home::with(&[("a.py", "import sys\nprint('out')\nprint('err', file=sys.stderr)\n6 * 7\n")]);
    let done = home.run(&["exec", "--sandbox", "off", "a.py"]);
    assert_eq!((done.out.as_str(), done.err.as_str(), done.code), ("out\n42\n", "err\n", Some(0)));
    let done = home.run_with_input(&["exec", "--language", "sh", "-"], "echo $((6 * 7))\n");
    assert_eq!((done.out.as_str(), done.code), ("42\n", Some(0)), "{}", done.err);
}

#[test]
fn own_words_do_not_stand_behind_an_unfinished_line() {
    let home = Home::new();
    let run = |name: &str, text: &str| {
        home.file(name, text);
        home.run(&["exec", "--sandbox", "off", name])
    };
    assert_eq!(run("a.py", "print('abc', end='')\n6 * 7\n").out, "abc\n42\n");
    let done = run("v.sh", "printf oops >&2; exit 3\n");
    assert!(done.err.starts_with("oops\nv.sh: failed, exit 3"), "{}", done.err);
    assert_eq!(run("u.sh", "printf abc\n").out, "abc");
}

#[test]
fn a_pipe_gets_all_of_a_flood_in_its_order() {
    let home = Home::new();
    home.configure("limits.output = 8000000\n");
    let line = |number: u32| format!("{number:07} {}\n", "x".repeat(62));
    for count in [12_000, 90_000] {
        home.file("a.py", format!("for i in range({count}): print(f'{{i:07}} ' + 'x' * 62)\n"));
        let done = home.run(&["exec", "--sandbox", "off", "--no-session", "a.py"]);
        let all: String = (0..count).map(line).collect();
        assert!(
            done.out == all && done.err.is_empty(),
            "{} of {} bytes {}",
            done.out.len(),
            all.len(),
            done.err
        );
    }
    let flood = |letter: char| format!("_ = os.write(2, b'{letter}' * 3000000)");
    home.file("b.py", format!("import os\n{}\n_ = os.write(1, b'42\\n')\n{}\n", flood('e'), flood('f')));
    let done = home.run(&["exec", "--sandbox", "off", "--no-session", "b.py"]);
    assert_eq!((done.out.as_str(), done.err.len()), ("42\n", 6_000_000));
}

#[test]
fn a_stream_has_its_end_although_the_other_one_was_flooded_later() {
    let home = Home::new();
    let text = "import os\n_ = os.write(1, b'a' * 3000000 + b'end')\n_ = os.write(2, b'e' * 3000000)\n";
    home.file("a.py", text);
    let done = home.run(&["exec", "--sandbox", "off", "--no-session", "a.py"]).ended(0);
    let end = done.out.trim_start_matches('a');
    assert_eq!(end, "end", "{} bytes", done.out.len());
    let own = done.err.trim_start_matches('e');
    let left_out = 6_000_003 - done.out.len() - (done.err.len() - own.len());
    let told = format!("{left_out} bytes of the output came faster");
    assert_eq!(own.contains(&told), left_out > 0, "{own}");
}

#[test]
fn a_script_without_an_extension_has_the_language_of_its_first_line() {
    let home = Home::with(&[("tool", "#!/usr/bin/env python3\nprint(6 * 7)\n")]);
    let done = home.run(&["exec", "--json", "--sandbox", "off", "tool"]).ended(0);
    assert_eq!((&done.json()[0]["language"], &done.json()[0]["stdout"]), (&json!("python"), &json!("42\n")));
    let args = ["exec", "--json", "--sandbox", "off", "-"];
    let done = home.run_with_input(&args, "#!/bin/sh\necho hi\n");
    assert_eq!((&done.json()[0]["language"], &done.json()[0]["stdout"]), (&json!("bash"), &json!("hi\n")));
    home.file("notes", "print(1)\n");
    home.run(&["exec", "notes"]).ended(2).tells(&["the language of notes is not known"]);
}

#[test]
fn what_cannot_run_is_said_before_anything_runs() {
    let home = Home::new();
    home.file("a.py", "open('ran', 'w')\n");
    home.file("b.cobol", "x");
    home.file("c.py", b"\xff\xfe");
    for (args, what) in [
        (&["exec", "a.py", "nope.py"][..], "nope.py can't be read: no such file or folder"),
        (&["exec", "a.py", "."], ". can't be read: it is a folder\n  hint: Name a file in it."),
        (&["exec", "a.py", "b.cobol"], "the language of b.cobol is not known"),
        (&["exec", "a.py", "c.py"], "c.py is no UTF-8 text: byte 1"),
        (&["exec", "a.py", "--language", "cobol"], "no language \"cobol\""),
        (&["exec", "a.py", "--cwd", "nowhere"], "can't work in nowhere"),
    ] {
        let done = home.run(args).ended(2).tells(&[&format!("error: {what}"), "  hint: "]);
        assert_eq!(done.out, "");
    }
    assert!(!home.work().join("ran").exists());
}

#[test]
fn a_language_without_its_interpreter_is_not_started() {
    let home = Home::with(&[("a.js", "1\n")]);
    let empty = home.work().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let done = home.run_in(&[("PATH", &empty)], &["exec", "--json", "a.js"]);
    let object = done.json().remove(0);
    assert_shape(&object);
    assert_eq!((&object["outcome"], done.code), (&json!("not_started"), Some(1)));
    assert!(object["detail"].as_str().unwrap().contains("node"), "{object}");
}

#[test]
fn an_end_that_can_not_be_written_is_no_success() {
    let home = Home::with(&[("a.sh", "head -c 300000 /dev/zero | tr '\\0' y\n")]);
    let sayso = home.command(&["exec", "--json", "--sandbox", "off", "a.sh"]);
    let mut shell = home.shell("ulimit -f 64; exec \"$0\" \"$@\"", &sayso);
    let done = run_to_end(&mut shell).ended(5);
    assert_eq!(done.json()[0]["outcome"], "ok", "what ran is told all the same");
    assert!(done.err.contains("the session can't be saved: "), "{}", done.err);
    // Without a session nothing has to be written.
    let unkept = home.command(&["exec", "--json", "--no-session", "--sandbox", "off", "a.sh"]);
    let mut shell = home.shell("ulimit -f 64; exec \"$0\" \"$@\"", &unkept);
    run_to_end(&mut shell).ended(0);

    home.run(&["sessions", "check"]).ended(0).prints(&[": whole\n  block 1: LOST, its end is not known\n"]);
}

#[test]
fn the_file_of_a_long_output_is_told_as_what_it_is() {
    let home = Home::with(&[("a.sh", "head -c 3000000 /dev/zero | tr '\\0' y\n")]);
    for (limit, told) in [("4000000", "all of the output is in "), ("2000000", "its beginning and its end")] {
        home.configure(format!("limits.output_file = {limit}\n"));
        let done = home.run(&["exec", "--sandbox", "off", "a.sh"]).ended(0);
        let line = done.err.lines().find(|line| line.contains("the output is in ")).expect(&done.err);
        assert!(line.contains(told), "{limit}: {line}");
    }
}

#[test]
fn options_before_the_command_hold_for_it_or_are_refused() {
    let home = Home::with(&[("a.sh", "echo ran\n")]);
    // What was named to carry out the file is not there: nothing else takes its place.
    let behind = home.run(&["exec", "--executor", "jupyter:none-such", "a.sh"]);
    let before = home.run(&["--executor", "jupyter:none-such", "exec", "a.sh"]);
    assert_ne!(before.code, Some(0), "{}", before.out);
    assert_eq!((before.code, &before.out), (behind.code, &behind.out), "{}", before.err);
    for option in ["--session", "--from"] {
        assert_eq!(home.run(&[option, "x.jsonl", "exec", "a.sh"]).ended(2).out, "");
    }
    assert_eq!(home.run(&["--session", "x.jsonl", "resume", "another"]).ended(2).out, "");
}
