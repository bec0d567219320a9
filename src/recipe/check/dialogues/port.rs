use super::*;

#[test]
fn what_the_new_one_prints_is_compared_with_the_old_one() {
    let inputs = [("file", "slug.py"), ("target", "slug.js")];
    let (mut talk, _) = RecipeDialogue::begin("port", &inputs, &[("file:file", "def slug(): ...\n")]);
    talk.writes("slug.py", "x\n");
    assert!(talk.declined().contains("stays as it is"), "{}", talk.declined());
    talk.saves("old.py", "print(1)\n");
    assert_eq!(talk.waits().2, "python3 old.py\n");
    assert_has(&talk.ends(printed(Outcome::Ok, "1\n", "")), "+judged examples.1 green, +said port.1, ask");
    // Without examples of its own, the new program can't be compared.
    assert_has(&talk.saves("slug.js", "x\n"), "+judged port.1 nothing, +said port.2");
    talk.saves("new.js", "console.log(2)\n");
    let source = talk.waits().2;
    assert!(
        source.starts_with("old=$(python3 old.py\n) || exit 90\nnew=$(node new.js\n) || exit 91\n"),
        "{source}"
    );
    let line = talk.ends(printed(Outcome::Failed, "1c1\n< 1\n---\n> 2\n", ""));
    assert!(line.contains("+judged port.2 red, +said port.3"), "{line}");
    talk.hears(&["They do not print the same: > 2"]);
    talk.saves("new.js", "console.log(1)\n");
    let line = talk.ends(printed(Outcome::Ok, "the same: 1 lines\n", ""));
    assert!(line.contains("+judged port.3 green, +recipe done"), "{line}");
    assert!(talk.summary().contains("Both print the same: 1 lines"), "{}", talk.summary());
}

#[test]
fn how_the_new_examples_run_can_be_told() {
    let inputs = [("file", "a.py"), ("target", "a.rs"), ("run", "cargo run -q --example a")];
    let (mut talk, _) = RecipeDialogue::begin("port", &inputs, &[("file:file", "x\n")]);
    talk.saves("old.py", "print(1)\n");
    talk.ends(printed(Outcome::Ok, "1\n", ""));
    talk.saves("a.rs", "fn main() {}\n");
    assert!(talk.waits().2.contains("new=$(cargo run -q --example a\n) || exit 91\n"));
}
