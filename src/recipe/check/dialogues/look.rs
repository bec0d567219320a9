use super::*;

#[test]
fn columns_are_looked_at_before_the_model_is_asked() {
    let (mut talk, line) = RecipeDialogue::begin("data", &[("what", "rain"), ("file", "it's.csv")], &[]);
    assert!(line.contains("+block 1") && line.ends_with("deciding 1"), "{line}");
    let (_, _, source, language) = talk.waits();
    assert!(source.ends_with(", \"it's.csv\")\ndel _columns\n"), "{source}");
    assert_eq!(language, Some(Language::python()));
    let line = talk.ends(printed(Outcome::Ok, "it's.csv: 2 rows, 1 columns\n", ""));
    assert!(line.contains("+judged look.1 shown, +said table.1, ask"), "{line}");
    talk.hears(&["it's.csv: 2 rows"]);
}

#[test]
fn what_is_no_table_of_text_is_left_to_the_model() {
    let (_, line) = RecipeDialogue::begin("data", &[("what", "rain"), ("file", "a.parquet")], &[]);
    assert!(line.contains("+judged look.1 nothing, +said table.1, ask"), "{line}");
    for file in ["a.jsonl", "A.CSV.GZ"] {
        let (_, line) = RecipeDialogue::begin("data", &[("what", "rain"), ("file", file)], &[]);
        assert!(line.ends_with("deciding 1"), "{line}");
    }
}

#[test]
fn what_can_not_be_looked_at_holds_up_nothing() {
    let (mut talk, _) = RecipeDialogue::begin("plot", &[("what", "rain"), ("file", "a.csv")], &[]);
    assert_has(&talk.ends(raised("FileNotFoundError", "a.csv")), "+judged look.1 failed, +said plot.1, ask");
}

#[test]
fn a_change_is_shown_and_reviewed_and_an_empty_one_ends_it() {
    let (mut talk, _) = RecipeDialogue::begin("review", &[], &[]);
    assert_eq!(talk.waits().2, "git status --short && git diff HEAD\n");
    assert_has(&talk.ends(printed(Outcome::Ok, "-a\n+b\n", "")), "+judged look.1 shown, +said review.1, ask");
    // This step allows no writes.
    talk.writes("a.py", "x\n");
    assert!(talk.declined().contains("no use for a block of kind write"), "{}", talk.declined());
    assert_has(&talk.d.reply("It changes a to b.\n"), " answered, +recipe done");
    for (outcome, stdout, said) in
        [(Outcome::Ok, "", "There is no change"), (Outcome::Failed, "", "The change can't be shown")]
    {
        let (mut talk, _) = RecipeDialogue::begin("review", &[("change", "git diff x")], &[]);
        assert_has(&talk.ends(printed(outcome, stdout, "")), "+recipe gave_up");
        assert!(talk.summary().contains(said), "{}", talk.summary());
    }
}

#[test]
fn what_draws_is_installed_before_the_model_is_asked() {
    let lacks = [("lacks", "matplotlib")];
    let inputs = [("what", "rain"), ("file", "a.csv")];
    let (mut talk, line) = RecipeDialogue::begin("plot", &inputs, &lacks);
    assert!(!line.contains("ask"), "{line}");
    let (_, kind, source, _) = talk.waits();
    assert_eq!((kind, source.as_str()), (BlockKind::Install { wanted_by: None }, "matplotlib\n"));
    let line = talk.ok();
    assert!(line.contains("+block 2") && !line.contains("ask"), "{line}");
    let line = talk.ends(printed(Outcome::Ok, "a.csv: 2 rows, 1 columns\n", ""));
    assert!(line.contains("+judged look.1 shown, +said plot.1, ask"), "{line}");
    let (mut talk, _) = RecipeDialogue::begin("plot", &inputs, &lacks);
    let line = talk.ends(printed(Outcome::Failed, "", "no network\n"));
    assert!(line.contains("+recipe gave_up") && !line.contains("ask"), "{line}");
    assert!(talk.summary().starts_with("matplotlib is not installed"), "{}", talk.summary());
}
