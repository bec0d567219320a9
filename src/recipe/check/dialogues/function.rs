use super::*;

const RATE: &str = "def rate(n: int, unit: str = 'm', top: int = LIMIT) -> float:\n    '''Tells the rate.'''\n    return n / 2\n";
const FILE: &[(&str, &str)] = &[("functions_file", "/home/me/mine.py"), ("functions_text", "import math\n")];

fn begun() -> RecipeDialogue {
    let (talk, line) = RecipeDialogue::begin("function", &[("words", "tell a rate")], FILE);
    assert_eq!(
        line,
        "+prompt, +named function-tell-rate, +recipe function, +said define.1, ask s1 | replying s1"
    );
    assert!(talk.told().contains("tell a rate") && talk.told().contains("Exactly one function"));
    talk
}

fn value(value: &str) -> RunReport {
    RunReport { value: Some(value.into()), ..report(Outcome::Ok) }
}

#[test]
fn words_become_a_function_that_is_called_and_kept() {
    let mut talk = begun();
    assert_ends(&talk.code(RATE), "deciding 1");
    assert!(talk.d.is_strict(1));
    assert_leads(&talk.ok(), "+judged define.1 defined", "asking: form arguments");
    assert_leads(&talk.answer(&[("n", "abc")]), "\"abc\" is no int", "asking: form arguments");
    let line = talk.answer(&[("n", "3"), ("unit", "it's")]);
    assert!(line.contains("+answered arguments, +block 2") && line.ends_with("deciding 2"), "{line}");
    let (_, kind, source, _) = talk.waits();
    assert_eq!(
        (kind, source.as_str()),
        (BlockKind::Call { function: "rate".into() }, "rate(n=3, unit=\"it's\")")
    );
    assert_leads(&talk.ends(value("1.5")), "+judged call.1 called", "asking: form save");
    assert_leads(&talk.answer(&[("save", "yes")]), "+block 3 write", "deciding 3");
    let (_, kind, source, _) = talk.waits();
    assert_eq!(kind, BlockKind::Write { path: "/home/me/mine.py".into() });
    assert_eq!(source, format!("import math\n\n\n{RATE}"));
    let (block, ..) = talk.waits();
    talk.d.inspected_over(block.0, "import math\nX = 1\n", file_terms("mine.py"));
    assert_eq!(talk.gravest(block), Some(Severity::High), "what came since the recipe began would be lost");
    assert_leads(&talk.ok(), "+judged save.1 saved, +recipe done", "idle");
    talk.sums_up(&["called (1.5)", "rate is in /home/me/mine.py"]);
}

#[test]
fn names_that_are_there_already_are_told_before_it_is_saved_and_after() {
    const THERE: &str = "import os\nLIMIT = 3\n\ndef rate():\n    return 0\n\n\n# the end\n";
    let elsewhere = "rate /home/me/old.py\nother /home/me/old.py\n";
    let facts = [("functions_file", "lib.py"), ("functions_text", THERE), ("functions_elsewhere", elsewhere)];
    let mut talk =
        RecipeDialogue::begin("function", &[("words", "tell a rate"), ("file", "lib.py")], &facts).0;
    talk.code(RATE);
    talk.ok();
    talk.answer(&[("n", "3")]);
    assert_ends(&talk.ends(value("1.5")), "asking: form save");
    let note = talk.form().note;
    assert!(
        note.contains("It is added to lib.py") && note.contains("it takes the place of the rate in line 4"),
        "{note}"
    );
    assert!(note.contains("; /home/me/old.py has a rate, too") && !note.contains("other"), "{note}");
    talk.answer(&[("save", "yes")]);
    let (_, kind, source, _) = talk.waits();
    assert_eq!(kind, BlockKind::Write { path: "lib.py".into() });
    let rest = THERE.replace("def rate():\n    return 0", RATE.trim_end());
    assert_eq!(source, rest, "all else stays byte for byte");
    talk.ok();
    talk.sums_up(&["rate is in lib.py; it takes the place of the rate in line 4"]);
}

#[test]
fn what_is_not_one_function_is_not_offered_and_the_model_hears_why() {
    for (source, why) in [
        (
            format!("{RATE}\ndef other() -> int:\n    'A.'\n    return 1\n"),
            "line 5: other is a second function",
        ),
        (format!("{RATE}print(rate(1))\n"), "line 4: `print(rate(1))` would run"),
        ("def f(n) -> int:\n    'A.'\n    return n\n".into(), "line 1: the argument n has no annotation"),
        ("def f(n: int = input()) -> int:\n    'A.'\n    return n\n".into(), "`input()` is called when"),
    ] {
        let mut talk = begun();
        let line = talk.code(&source);
        assert!(line.contains("+declined 1, "), "{line}");
        assert!(line.contains("+judged define.1 wrong, +said define.2, ask s2 | replying s2"), "{line}");
        assert!(talk.declined().contains(why), "{}", talk.declined());
        assert!(talk.told().contains(why), "{}", talk.told());
        assert!(talk.code(RATE).ends_with("deciding 2"));
    }
}

#[test]
fn other_languages_and_a_second_block_are_not_offered() {
    let mut talk = begun();
    talk.calls(&[("run_code", serde_json::json!({ "language": "bash", "code": "ls" }))]);
    assert!(talk.declined().contains("a function in Python is wanted"), "{}", talk.declined());
    let code = |code: &str| ("run_code", serde_json::json!({ "language": "python", "code": code }));
    let line = talk.calls(&[code(RATE), code(&RATE.replace("rate", "other"))]);
    assert!(line.contains("+declined 3") && line.ends_with("deciding 2"), "{line}");
    talk.d.inspected_ok(2);
    talk.d.edit(2, "def rate(n):\n    return 1\n");
    let line = talk.ok();
    assert!(line.contains("+judged define.2 wrong"), "the person's edit counts: {line}");
}

#[test]
fn a_default_that_is_an_expression_is_left_open() {
    let mut talk = begun();
    talk.code(
        "import math\n\ndef area(r: float, pi: float = math.pi) -> float:\n    'A.'\n    return r * pi\n",
    );
    talk.ok();
    assert_ends(&talk.answer(&[("r", "2"), ("pi", "")]), "deciding 2");
    assert_eq!(talk.waits().2, "area(r=2)");
}

#[test]
fn a_call_that_fails_leads_back_as_the_person_says() {
    let mut talk = begun();
    talk.code(RATE);
    talk.ok();
    talk.answer(&[("n", "3")]);
    assert_ends(&talk.ends(raised("ValueError", "no")), "asking: form call_failed");
    let line = talk.answer(&[("what", "call it again")]);
    assert!(line.contains("+judged call.1 again") && line.ends_with("asking: form arguments"), "{line}");
    talk.answer(&[("n", "4")]);
    talk.ends(raised("ValueError", "no"));
    assert_has(&talk.answer(&[("what", "mend the function")]), "+judged call.2 failed, +said define.2, ask");
    talk.hears(&["ValueError: no"]);
    talk.code(RATE);
    assert_leads(&talk.ok(), "+judged define.2 defined", "asking: form arguments");
    talk.answer(&[("n", "4")]);
    let (block, ..) = talk.waits();
    assert_leads(&talk.d.skip(block.0), "+judged call.3 not_called", "asking: form save");
    assert_has(&talk.answer(&[]), "+judged save.1 not_saved, +recipe done");
}

#[test]
fn a_new_kernel_is_given_the_function_again() {
    let mut talk = begun();
    talk.code(RATE);
    talk.ok();
    assert!(talk.d.reopen().ends_with("asking: form arguments"));
    let line = talk.answer(&[("n", "3")]);
    assert!(line.contains("+block 2") && line.contains("+block 3") && line.ends_with("deciding 2"), "{line}");
    assert_eq!(talk.waits().2, RATE);
    talk.ok();
    assert_eq!(talk.waits().2, "rate(n=3, unit='m')");
    talk.ends(raised("ValueError", "no"));
    talk.answer(&[("what", "call it again")]);
    talk.answer(&[("n", "4")]);
    assert_eq!(talk.waits().2, "rate(n=4, unit='m')", "this kernel has it");
}

#[test]
fn never_a_function_ends_at_the_limit() {
    let mut talk = begun();
    for round in 1..5 {
        assert_has(&talk.code("print(1)\n"), &format!("+judged define.{round} wrong, +said"));
    }
    assert_has(&talk.code("print(1)\n"), "+judged define.5 wrong, +recipe limit");
}
