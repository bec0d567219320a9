use super::*;
use crate::engine::answers;

const TRACE: &str =
    "Traceback (most recent call last):\n  File \"/work/total.py\", line 1, in <module>\nKeyError: 'x'\n";

fn failed() -> RunReport {
    printed(Outcome::Failed, "", TRACE)
}

#[test]
fn a_file_is_seen_to_fail_and_is_mended() {
    let inputs = [("file", "total.py"), ("error", TRACE)];
    let (mut talk, line) = RecipeDialogue::begin("debug", &inputs, &[("file:file", "print({}['x'])\n")]);
    assert!(
        line.contains("+block 1") && line.ends_with("deciding 1"),
        "nothing is asked before it is seen: {line}"
    );
    let (_, _, source, language) = talk.waits();
    assert_eq!((source.as_str(), language), ("python3 total.py\n", Some(Language::bash())));
    assert_has(&talk.ends(failed()), "+judged reproduce.1 reproduced, +said mend.1, ask s");
    talk.hears(&["KeyError: 'x' (exit 1)", "print({}['x'])"]);
    assert_ends(&talk.writes("total.py", "print({}.get('x'))\n"), "deciding 2");
    assert_leads(&talk.ok(), "+block 3", "deciding 3");
    assert_eq!(talk.waits().2, "python3 total.py\n");
    assert_has(&talk.ends(failed()), "+judged mend.1 failed, +said mend.2, ask");
    talk.hears(&["it still fails: KeyError"]);
    talk.saves("total.py", "print(1)\n");
    assert_has(&talk.ends(printed(Outcome::Ok, "1\n", "")), "+judged mend.2 ok, +said explain.1, ask");
    assert_has(&talk.d.reply("The key was missing.\n"), "+judged explain.1 answered, +recipe done");
    assert!(talk.summary().contains("`total.py`"), "{}", talk.summary());
}

#[test]
fn a_change_that_only_keeps_quiet_mends_nothing() {
    let old = "print({}['x'])\n";
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "total.py")], &[("file:file", old)]);
    talk.ends(failed());
    talk.writes("total.py", "try:\n    print({}['x'])\nexcept KeyError:\n    pass\n");
    let block = talk.waits().0;
    talk.ok();
    let said = &talk.d.state().inspected(block).unwrap().review.findings;
    assert!(said.iter().any(|finding| finding.rule == "recipe.hidden"), "{said:?}");
    assert_has(&talk.ends(printed(Outcome::Ok, "", "")), "+judged mend.1 hidden, +said mend.2, ask");
    talk.hears(&["only because the error is caught away (`except KeyError:`)"]);
    talk.saves("total.py", "print({}.get('x'))\n");
    assert_has(&talk.ends(printed(Outcome::Ok, "None\n", "")), "+judged mend.2 ok, +said explain.1");
    // A handler that does something is named in the summary.
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "total.py")], &[("file:file", old)]);
    talk.ends(failed());
    talk.saves("total.py", "try:\n    print({}['x'])\nexcept KeyError:\n    total = other()\n");
    talk.ends(printed(Outcome::Ok, "", ""));
    talk.d.reply("The key was missing.\n");
    assert!(talk.summary().contains("new in it, and takes errors: `except KeyError:`"), "{}", talk.summary());
    // The same for code without a file.
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("code", "x = 1\nprint(y)\n")], &[]);
    talk.ends(raised("NameError", "name 'y' is not defined"));
    let quiet = "x = 1\ntry:\n    print(y)\nexcept NameError: pass\n";
    talk.code(quiet);
    assert_has(&talk.ok(), "+judged mend.1 hidden");
}

#[test]
fn what_keeps_quiet_otherwise_or_does_nothing_any_more_mends_nothing_either() {
    let trace = "/work/a.js:1\nReferenceError: x is not defined\n    at a.js:1:1\n\nNode.js v20.20.2\n";
    let old = "console.log(x);\n";
    let quiet = format!("process.on(\"uncaughtException\",()=>{{}});\n{old}");
    for (new, note) in [
        (&*quiet, "is caught away (`process.on(\"uncaughtException\",()=>{})`)"),
        (
            "process.exit(0);\n",
            "what failed is not done any more: `console.log(x);`. The cause is still there.",
        ),
    ] {
        let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "a.js")], &[("file:file", old)]);
        talk.ends(printed(Outcome::Failed, "", trace));
        talk.hears(&["by the run above: ReferenceError: x is not defined (exit 1)"]);
        talk.writes("a.js", new);
        let block = talk.waits().0;
        talk.ok();
        let said = &talk.d.state().inspected(block).unwrap().review.findings;
        assert!(said.iter().any(|finding| finding.rule == "recipe.hidden"), "{said:?}");
        assert_has(&talk.ends(printed(Outcome::Ok, "", "")), "+judged mend.1 hidden, +said mend.2, ask");
        assert!(talk.told().contains(note), "{}", talk.told());
    }
}

#[test]
fn what_does_not_fail_is_not_mended() {
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "total.py")], &[]);
    assert_leads(&talk.ok(), "+judged reproduce.1 works, +recipe gave_up", "idle");
    talk.sums_up(&["The failure was not seen: it ran without an error. Nothing was changed."]);
}

#[test]
fn another_failure_than_the_one_told_of_is_asked_about() {
    let inputs = [("code", "print(y)\n"), ("error", TRACE)];
    for (choice, verdict) in [
        ("it is not mine", "works, +recipe gave_up"),
        ("go on with this failure", "reproduced, +said mend.1"),
    ] {
        let (mut talk, _) = RecipeDialogue::begin("debug", &inputs, &[]);
        assert_ends(&talk.ends(raised("NameError", "name 'y' is not defined")), "asking: form other_failure");
        assert_has(&talk.answer(&[("what", choice)]), &format!("+judged reproduce.1 {verdict}"));
    }
}

#[test]
fn code_is_run_in_its_language_and_the_corrected_block_is_the_run() {
    let code = "x = 1\nprint(y)\n";
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("code", code)], &[]);
    let (_, _, source, language) = talk.waits();
    assert_eq!((source.trim(), language), (code.trim(), Some(Language::python())));
    talk.ends(raised("NameError", "name 'y' is not defined"));
    talk.code("x = 1\nprint(x)\n");
    talk.d.inspected_ok(2);
    let before = talk.d.state().inspected(BlockId(2)).and_then(|seen| seen.before.clone());
    assert_eq!(before.as_deref().map(str::trim), Some(code.trim()), "the review shows a diff");
    assert_has(&talk.ok(), "+judged mend.1 ok, +said explain.1");
}

#[test]
fn code_that_only_looks_around_mends_nothing() {
    let code = "x = 1\nprint(y)\nprint(x)\n";
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("code", code)], &[]);
    talk.ends(raised("NameError", "name 'y' is not defined"));
    talk.code("import sys; sys.version");
    let line = talk.ok();
    assert!(!line.contains("judged") && line.contains("ask s"), "{line}");
    // Corrected code that writes a file is still the run that counts.
    talk.code("x = 1\nprint(x)\n");
    let mut report = report(Outcome::Ok);
    report.receipt.files = vec![crate::domain::FileChange::new("out.txt", "created", 1)];
    assert_has(&talk.ends(report), "+judged mend.1 ok, +said explain.1");
}

#[test]
fn what_can_not_be_run_is_no_reproduction() {
    for (exit, errors) in [
        (127, "bash: python9: command not found\n"),
        (126, "bash: ./total.py: Permission denied\n"),
        (2, "python3: can't open file '/work/total.py': [Errno 2] No such file or directory\n"),
    ] {
        let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "total.py")], &[]);
        let mut report = printed(Outcome::Failed, "", errors);
        report.receipt.exit_code = Some(exit);
        let line = talk.ends(report);
        assert!(line.contains("+recipe gave_up") && !line.contains("reproduced"), "{line}");
        assert!(talk.summary().contains("could not be run"), "{}", talk.summary());
    }
}

#[test]
fn a_block_that_failed_is_taken_up_by_its_number() {
    let (mut talk, _) = RecipeDialogue::begin("explain", &[("code", "x")], &[]);
    talk.d.reply("It is a name.\n");
    talk.d.user("run it");
    talk.code("print(y)\n");
    talk.ends(raised("NameError", "name 'y' is not defined"));
    talk.d.reply("I see.\n");
    let recipe = recipe("debug");
    let start = |number: &str| {
        let inputs = answers::check(&recipe.card().inputs, &named(&[("block", number)])).unwrap();
        Event::RecipeReady(Box::new(recipe.start(inputs, Answers::new()).unwrap()))
    };
    assert_ends(&talk.d.send(start("1")), "deciding 2");
    assert_eq!(talk.waits().2, "print(y)\n");
    talk.d.skip(2);
    assert_has(&talk.d.send(start("99")), "+recipe gave_up");
    assert!(talk.summary().contains("there is no block 99"));
}

#[test]
fn what_is_not_run_is_not_changed() {
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "total.py")], &[]);
    assert_has(&talk.d.skip(1), "+recipe gave_up");
    assert!(talk.summary().contains("the failure was not seen"), "{}", talk.summary());
    let debug = recipe("debug");
    let inputs = answers::check(&debug.card().inputs, &Answers::new()).unwrap();
    assert!(debug.start(inputs, Answers::new()).is_err(), "there is nothing to look at");
    let (talk, _) = RecipeDialogue::begin("debug", &[("file", "Makefile")], &[]);
    assert!(talk.summary().contains("give the command"), "{}", talk.summary());
}

#[test]
fn never_mended_ends_at_the_limit() {
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("code", "1/0\n")], &[]);
    talk.ends(raised("ZeroDivisionError", "division by zero"));
    for round in 1..5 {
        talk.code(&format!("{round}/0\n"));
        let line = talk.ends(raised("ZeroDivisionError", "division by zero"));
        assert!(line.contains(&format!("+judged mend.{round} failed, +said")), "{line}");
    }
    talk.code("5/0\n");
    let line = talk.ends(raised("ZeroDivisionError", "division by zero"));
    assert!(line.contains("+judged mend.5 failed, +recipe limit"), "{line}");
    talk.sums_up(&["Its cause is not removed: ZeroDivisionError: division by zero"]);
}

#[test]
fn it_goes_on_after_the_session_was_opened_again() {
    let (mut talk, _) = RecipeDialogue::begin("debug", &[("code", "1/0\n")], &[]);
    assert!(talk.d.reopen().ends_with("deciding 1"));
    talk.ends(raised("ZeroDivisionError", "division by zero"));
    assert!(talk.d.reopen().ends_with("stuck cut"));
}

#[test]
fn what_could_not_be_looked_at_is_said_of_a_mend() {
    let note = "whether that is only caught away was not looked at";
    // Each comment after a statement makes the parser read all the following ones; this many exceed its budget.
    let long = |last: &str| format!("x = 1\n{}{last}", "#\n".repeat(20_000));
    for (old, new, is_told) in [
        (long("print({}['x'])\n"), long("print({}.get('x'))\n"), true),
        ("print({}['x'])\n".to_owned(), "print({}.get('x'))\n".to_owned(), false),
    ] {
        let (mut talk, _) = RecipeDialogue::begin("debug", &[("file", "total.py")], &[("file:file", &old)]);
        talk.ends(failed());
        talk.saves("total.py", &new);
        assert_has(&talk.ends(printed(Outcome::Ok, "None\n", "")), "+judged mend.1 ok");
        talk.d.reply("The key was missing.\n");
        assert_eq!(talk.summary().contains(note), is_told, "{}", talk.summary());
    }
}
