//! Vim's keys as a table: a text with its cursor, strokes, the resulting text. `|` marks the cursor, `<Esc>` is
//! a stroke.

use super::*;
use crate::tui::editing::syntax::Syntax;

/// An engine with the text; `|` marks the cursor.
fn at(marked: &str) -> Text {
    let mut text = Text::of(&marked.replacen('|', "", 1));
    text.written_in(Syntax::of("python"));
    let byte = marked.find('|').unwrap_or(0);
    let before = &marked[..byte];
    let line = before.matches('\n').count();
    text.put_cursor(Pos::new(line, byte - before.rfind('\n').map_or(0, |at| at + 1)));
    text
}

fn shown(text: &Text) -> String {
    let mut lines = text.lines().to_vec();
    let cursor = text.cursor();
    lines[cursor.line].insert(cursor.byte, '|');
    lines.join("\n")
}

fn press(vim: &mut Vim, text: &mut Text, strokes: &str) -> StrokeResult {
    let named = strokes
        .replace("<Esc>", "\u{1b}")
        .replace("<CR>", "\r")
        .replace("<BS>", "\u{8}")
        .replace("<C-r>", "\u{12}")
        .replace("<C-d>", "\u{4}");
    let mut last = StrokeResult::Done;
    for stroke in named.chars() {
        last = vim.stroke(stroke, text);
        if last == StrokeResult::Pass && vim.mode == Mode::Insert {
            type_in(stroke, text);
        }
    }
    last
}

fn check(table: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = table
        .iter()
        .filter_map(|(before, strokes, after)| {
            let mut text = at(before);
            let mut vim = Vim::new(Mode::Normal);
            press(&mut vim, &mut text, strokes);
            let is = shown(&text);
            (is != *after).then(|| format!("{before:?} {strokes}: {is:?}, not {after:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn moves() {
    check(&[
        ("|one two", "w", "one |two"),
        ("|one.two", "w", "one|.two"),
        ("|one.two x", "W", "one.two |x"),
        ("|one\n\ntwo", "ww", "one\n\n|two"),
        ("one t|wo", "b", "one |two"),
        ("one |two", "b", "|one two"),
        ("|one two", "e", "on|e two"),
        ("on|e two", "e", "one tw|o"),
        ("one t|wo", "ge", "on|e two"),
        ("  on|e", "0", "|  one"),
        ("  on|e", "^", "  |one"),
        ("|one", "$", "on|e"),
        ("a\nb|\nc", "gg", "|a\nb\nc"),
        ("|a\nb\n  c", "G", "a\nb\n  |c"),
        ("|a\nb\nc", "2G", "a\n|b\nc"),
        ("|a b a b", "fb", "a |b a b"),
        ("|a b a b", "2fb", "a b a |b"),
        ("|a b a b", "tb", "a| b a b"),
        ("|a b a b", "fb;", "a b a |b"),
        ("|a b a b", "fb;,", "a |b a b"),
        ("|a b a b", "tb;", "a b a| b"),
        ("a b a |b", "Fa", "a b |a b"),
        ("a b a |b", "Ta", "a b a| b"),
        ("|f(x)", "%", "f(x|)"),
        ("abcd|e\nx\nabcde", "jj", "abcde\nx\nabcd|e"),
        ("|a\nb\nc", "3j", "a\nb\n|c"),
        ("|abc", "2l", "ab|c"),
        ("|abc", "9l", "ab|c"),
        ("a|bc", "h", "|abc"),
        ("|a\n  b", "<CR>", "a\n  |b"),
        ("|a\nb\n\nc", "}", "a\nb\n|\nc"),
        ("|one x one", "*", "one x |one"),
        ("|one x one x one", "*n", "one x one x |one"),
        ("|one x one x one", "*N", "|one x one x one"),
        ("|👩‍👩‍👧‍👦e\u{301}x", "ll", "👩‍👩‍👧‍👦e\u{301}|x"),
    ]);
}

#[test]
fn changes() {
    check(&[
        ("|abc", "x", "|bc"),
        ("ab|c", "x", "a|b"),
        ("|abcd", "2x", "|cd"),
        ("a|bc", "X", "|bc"),
        ("a|bc", "rx", "a|xc"),
        ("|abc", "2rx", "x|xc"),
        ("|abc", "~~", "AB|c"),
        ("|a\nb\nc", "dd", "|b\nc"),
        ("a\nb|\nc", "dd", "a\n|c"),
        ("a\n|b", "dd", "|a"),
        ("|a\nb\nc", "2dd", "|c"),
        ("|a\nb\nc", "dj", "|c"),
        ("a\n|b\nc", "dG", "|a"),
        ("a|bc def", "D", "|a"),
        ("one |two three", "dw", "one |three"),
        ("one |two\nthree", "dw", "one| \nthree"),
        ("|a b c d", "d2w", "|c d"),
        ("|a b c d", "2d2w", "|"),
        ("one t|wo", "db", "one |wo"),
        ("|one two", "de", "| two"),
        ("|a, b)", "dt)", "|)"),
        ("one |two", "d0", "|two"),
        ("f(|x)", "d%", "f|)"),
        ("one t|wo three", "diw", "one | three"),
        ("one t|wo three", "daw", "one |three"),
        ("one t|wo", "daw", "on|e"),
        ("x = \"a |b\"", "di\"", "x = \"|\""),
        ("|x = \"a b\"", "di\"", "x = \"|\""),
        ("x = 'a |b' + c", "da'", "x = |+ c"),
        ("f(a, |b)", "di(", "f(|)"),
        ("f(a, |b)", "dab", "|f"),
        ("f(g(|x), y)", "2x", "f(g(|, y)"),
        ("{\n  |a\n  b\n}", "di{", "{\n|}"),
        ("a\nb|\n\nc", "dap", "|c"),
        ("|a\nb", "J", "a| b"),
        ("|a\n  b\nc", "3J", "a b| c"),
        ("|a\nb", ">>", "    |a\nb"),
        ("    |a", "<<", "|a"),
        ("|a\nb", ">j", "    |a\n    b"),
        ("|one two", "gUiw", "|ONE two"),
        ("|ONE", "guu", "|one"),
        ("|a\nb", "gcc", "|# a\nb"),
        ("|a\nb", "gcj", "|# a\n# b"),
    ]);
}

#[test]
fn insertions() {
    check(&[
        ("a|bc", "ix<Esc>", "a|xbc"),
        ("a|bc", "ax<Esc>", "ab|xc"),
        ("  a|b", "Ix<Esc>", "  |xab"),
        ("a|b", "Ax<Esc>", "ab|x"),
        ("if x:|\ny", "oz<Esc>", "if x:\n    |z\ny"),
        ("  a|b", "Oz<Esc>", "  |z\n  ab"),
        ("one |two three", "cwx<Esc>", "one |x three"),
        ("|a b", "cwx<Esc>", "|x b"),
        ("|one two three four", "c2wx<Esc>", "|x three four"),
        ("one tw|o", "cbx<Esc>", "one |xo"),
        ("f(\"|a\")", "ci\"x<Esc>", "f(\"|x\")"),
        ("f(a|)", "ci)x<Esc>", "f(|x)"),
        ("    a|b\nc", "ccx<Esc>", "    |x\nc"),
        ("a|bc d", "Cx<Esc>", "a|x"),
        ("a|bc", "sx<Esc>", "a|xc"),
        ("|", "3ia<Esc>", "aa|a"),
        ("|abc", "ixy<BS>z<Esc>", "x|zabc"),
    ]);
}

#[test]
fn what_is_kept_is_put_back() {
    check(&[
        ("|a\nb", "yyp", "a\n|a\nb"),
        ("|a\nb", "yyP", "|a\na\nb"),
        ("|a\nb", "ddp", "b\n|a"),
        ("|a\nb", "yy2p", "a\n|a\na\nb"),
        ("|ab", "xp", "b|a"),
        ("|one two", "yiwwP", "one on|etwo"),
        ("|one two", "yw$p", "one twoone| "),
        ("|a\nb\nc", "yjGp", "a\nb\nc\n|a\nb"),
        ("|ab cd", "yiwwviwp", "ab a|b"),
        ("|a", "\"ayyp", "a\n|a"),
    ]);
}

#[test]
fn taken_back_and_made_again() {
    check(&[
        ("|one two", "dwu", "|one two"),
        ("|one two", "dwu<C-r>", "|two"),
        ("|a b c", "xxxu", "|b c"),
        ("|a", "ione two <Esc>u", "|a"),
        ("|one two three", "dw.", "|three"),
        ("|a\nb\nc\nd", "dd.", "|c\nd"),
        ("|one two", "cwx<Esc>w.", "x |x"),
        ("|a\nb", "A!<Esc>j.", "a!\nb|!"),
        ("|a\nb\nc", ">>j.", "    a\n    |b\nc"),
        ("|abcdef", "x3.", "|ef"),
        ("|a.", "ix.<Esc>.", "xx|..a."),
        ("|a\nb\nc\nd", "Vj>jj.", "    a\n    b\n    |c\n    d"),
        ("|abcdef", "vld.", "|ef"),
    ]);
}

#[test]
fn selections() {
    check(&[
        ("|one two", "ved", "| two"),
        ("|abc", "vlld", "|"),
        ("|abc def", "vwhd", "|def"),
        ("|a\nb\nc", "Vd", "|b\nc"),
        ("|a\nb\nc", "Vjd", "|c"),
        ("|a\nb\nc", "VjJ", "a| b\nc"),
        ("a|bc", "vcx<Esc>", "a|xc"),
        ("|abc", "v$r-", "|---"),
        ("|abc", "vlU", "|ABc"),
        ("|abc", "vlo<Esc>", "|abc"),
        ("|a\nb", "V>", "    |a\nb"),
        ("f(|abc)", "vi(d", "f(|)"),
        ("|abc", "v<Esc>x", "|bc"),
        ("a|bc", "vhyP", "a|babc"),
    ]);
}

#[test]
fn a_change_that_is_made_again_is_one_step() {
    check(&[
        ("|", "iab<Esc>3.u", "a|b"),
        ("|", "3ia<Esc>.", "aaaa|aa"),
        ("|a b c d e", "cwx<Esc>w2.u", "x |b c d e"),
        ("|a\nb\nc", "ox<Esc>2.u", "a\n|x\nb\nc"),
    ]);
}

#[test]
fn a_line_is_gone_to_whatever_its_number() {
    let mut text = Text::of(&"x\n".repeat(30_000));
    let mut vim = Vim::new(Mode::Normal);
    for (strokes, line) in [("20000G", 19_999), ("25000gg", 24_999), ("99999999999999999999999G", 30_000)] {
        press(&mut vim, &mut text, strokes);
        assert_eq!(text.cursor().line, line, "{strokes}");
    }
    press(&mut vim, &mut text, "gg20000dd");
    assert_eq!(text.last_line(), 10_000);
}

/// Counts and yanked text can be large, and `.` multiplies both: what would insert too much is not started.
#[test]
fn a_repeated_key_puts_in_no_more_than_there_is_room_for() {
    let long = "x".repeat(100_000);
    let mut text = Text::of(&format!("{long}\n"));
    let mut vim = Vim::new(Mode::Normal);
    for strokes in ["yy10000p", "yy10000P", "yyvl10000p", "10000."] {
        assert_eq!(press(&mut vim, &mut text, strokes), StrokeResult::TooMuch, "{strokes}");
        press(&mut vim, &mut text, "<Esc>");
        assert_eq!(text.text().len(), long.len() + 1, "{strokes}");
    }
    assert_eq!(press(&mut vim, &mut text, "10p"), StrokeResult::Done);
    assert_eq!(text.last_line(), 11);
    assert_eq!(press(&mut vim, &mut text, "10000."), StrokeResult::TooMuch);
    assert!(text.text().len() <= MAX_INSERTED_BYTES + 12 * (long.len() + 1), "{}", text.text().len());
    press(&mut vim, &mut text, "u");
    assert_eq!(text.last_line(), 11, "what was done of it is taken back at once");
}

/// Each row was compared with Vim 9.
#[test]
fn counts_the_dot_and_directions_are_those_of_vim() {
    check(&[
        ("|a\nb", "2ox<Esc>", "a\nx\n|x\nb"),
        ("a\n|b", "2Ox<Esc>", "a\nx\n|x\nb"),
        ("|a", "2ox<Esc>.", "a\nx\nx\nx\n|x"),
        ("|one two.three four", "w2daw", "one|three four"),
        ("|one two.three four", "wd2iw", "one |three four"),
        ("|a b c d", "d2aw", "|c d"),
        ("  |ab", "daw", " | "),
        ("  |a b", "d2aw", " | "),
        ("|a b c d", "v3iwd", "| c d"),
        ("|a\n\nb\n\nc", "2dap", "|c"),
        ("|a\n\nb", "d3ap", "|a\n\nb"),
        ("x\n\n\n|a", "dap", "|x"),
        ("x\n\n|a\n\nb", "2dap", "|x"),
        ("|ab x", "d9iw", "|ab x"),
        ("f(g(|x), y)", "d2i(", "f(|)"),
        ("x + 'a|b'", "da'", "x |+"),
        ("|a\nb\n\nc", "d}", "|\nc"),
        ("a\n\nb\n|c", "d{", "a\n|c"),
        ("a|b\nc\n\nd", "d}", "|a\n\nd"),
        ("a|bc\n\nx", "d2$", "|a\nx"),
        ("|abc\n\nx", "d2$", "|x"),
        ("|abc\ndef\nx", "2D", "|x"),
        ("  |abc\ndef\nx", "d2$", "|x"),
        ("|abc\n\nx", "c2$Z<Esc>", "|Z\nx"),
        ("|a\nabc\nab", "$jx", "a\na|b\nab"),
        ("|abc\na\nabcd", "$jjx", "abc\na\nab|c"),
        ("|ab cd x", "yiwwviwPp", "ab aba|b x"),
        ("|ab cd x", "yiwwviwpp", "ab abc|d x"),
        ("|a\nb\nc\nd", "VjJj.", "a b\nc| d"),
        ("|abcd", "vlrxll.0", "|xxxx"),
        ("x a |x b x", "#x", "| a x b x"),
        ("x a x b |x", "#nx", "| a x b x"),
        ("foo a f|oo", "#x", "|oo a foo"),
        ("f|oo a foo", "*x", "foo a |oo"),
        ("x a |x b x", "#Nx", "x a | b x"),
    ]);
}

#[test]
fn a_change_of_a_selection_over_lines_is_not_repeated_and_no_earlier_one_in_its_place() {
    check(&[
        ("|abc\ndef", "xvjd.", "|ef"),
        ("|abc\ndef", "xvjcZ<Esc>.", "|Zef"),
        ("|ab cd", "xviwp.", "|a cd"),
    ]);
}

#[test]
fn the_modes_have_names_and_esc_ends_them() {
    let mut text = at("|abc");
    let mut vim = Vim::new(Mode::Insert);
    assert_eq!(press(&mut vim, &mut text, "<Esc>"), StrokeResult::Done);
    assert_eq!(vim.mode.word(), "NORMAL");
    assert_eq!(press(&mut vim, &mut text, "<Esc>"), StrokeResult::Pass, "what Esc means without vim");
    for (strokes, word) in [("v", "VISUAL"), ("V", "VISUAL LINE"), ("V", "NORMAL"), ("i", "INSERT")] {
        press(&mut vim, &mut text, strokes);
        assert_eq!(vim.mode.word(), word);
    }
    press(&mut vim, &mut text, "<Esc>2d");
    assert!(vim.takes_esc(), "a command that is not whole");
    assert_eq!(press(&mut vim, &mut text, "<Esc>"), StrokeResult::Pass);
    assert_eq!(press(&mut vim, &mut text, "w"), StrokeResult::Done);
    assert_eq!(text.text(), "abc", "it was given up");
}

#[test]
fn no_strokes_are_a_command_line() {
    let mut text = at("|abc");
    let mut vim = Vim::new(Mode::Normal);
    assert_eq!(press(&mut vim, &mut text, ":"), StrokeResult::GoToLine);
    assert_eq!(press(&mut vim, &mut text, "/"), StrokeResult::Find);
    for strokes in ["ZZ", "ZQ", "@a", "&", "Q"] {
        assert_eq!(press(&mut vim, &mut text, strokes), StrokeResult::Done);
        assert_eq!((text.text().as_str(), vim.mode), ("abc", Mode::Normal), "{strokes}");
        vim = Vim::new(Mode::Normal);
    }
    assert_eq!(press(&mut vim, &mut text, "k"), StrokeResult::Beyond(true));
    assert_eq!(press(&mut vim, &mut text, "j"), StrokeResult::Beyond(false));
    assert_eq!(press(&mut vim, &mut text, "\"+yy"), StrokeResult::Copy("abc\n".into()));
}
