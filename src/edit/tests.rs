use super::*;
use crate::test_cases::cases;
use crate::text::diff::LineComparison;
use proptest::prelude::*;

fn one(text: &str) -> FileEdit {
    let mut files = read(text, "a.py").unwrap();
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn put(before: &str, text: &str) -> Result<EditResult, UnmatchedHunk> {
    apply(Some(before), &one(text))
}

fn block(search: &str, replace: &str) -> String {
    format!("<<<<<<< SEARCH\n{search}=======\n{replace}>>>>>>> REPLACE\n")
}

#[test]
fn several_files_and_several_hunks_are_read() {
    let text = format!(
        "{}src/b.py\n```python\n{}```\n*** Update File: a b (1).py\n{}",
        block("x\n", "y\n"),
        block("1\n", "2\n"),
        block("3\n", "4\n")
    );
    let files = read(&text, "a.py").unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.py", "src/b.py", "a b (1).py"]);
    let diff = "diff --git a/x.rs b/x.rs\nindex 1..2 100644\n--- a/x.rs\n+++ b/x.rs\n@@ -1,2 +1,2 @@ fn f()\n a\n-b\n+c\n\
                --- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+z\n";
    let files = read(diff, "").unwrap();
    assert_eq!((files[0].path.as_str(), files[1].path.as_str()), ("x.rs", "new.rs"));
    assert_eq!(apply(Some("a\nb\n"), &files[0]).unwrap().text, "a\nc\n");
    assert_eq!(apply(None, &files[1]).unwrap().text, "z\n");
    let patch = "*** Begin Patch\n*** Update File: x.py\n@@ def f():\n a\n-b\n+c\n*** Add File: y.py\n+new\n*** End Patch\n";
    let files = read(patch, "").unwrap();
    assert_eq!(apply(Some("a\nb\n"), &files[0]).unwrap().text, "a\nc\n");
    assert_eq!((files[1].path.as_str(), apply(None, &files[1]).unwrap().text.as_str()), ("y.py", "new\n"));
}

/// A diff without context lines, and a patch that ends a file.
#[test]
fn lines_are_added_where_a_hunk_says_although_it_searches_none() {
    let diff = |hunks: &str| format!("--- a/a.py\n+++ b/a.py\n{hunks}");
    let patch = |hunk: &str| {
        format!("*** Begin Patch\n*** Update File: a.py\n@@\n{hunk}*** End of File\n*** End Patch\n")
    };
    let text = "a\nb\na\nb\n";
    for (edit, after) in [
        (diff("@@ -2,0 +3 @@\n+x\n"), "a\nb\nx\na\nb\n"),
        (diff("@@ -1,0 +2,2 @@\n+x\n+y\n@@ -4,0 +7 @@\n+z\n"), "a\nx\ny\nb\na\nb\nz\n"),
        (diff("@@ -1 +1,2 @@\n-a\n+x\n+y\n@@ -2,0 +4 @@\n+z\n"), "x\ny\nb\nz\na\nb\n"),
        (patch("+x\n"), "a\nb\na\nb\nx\n"),
        (patch(" a\n-b\n+x\n"), "a\nb\na\nx\n"),
    ] {
        assert_eq!(put(text, &edit).map(|done| done.text), Ok(after.to_owned()), "{edit}");
    }
    assert_eq!(put("a\nb", &patch("+x\n")).unwrap().text, "a\nb\nx", "the end of the file stays as it is");
    for (edit, fault) in [
        (diff("@@ -9,0 +10 @@\n+x\n"), HunkFault::NoSearch),
        // Who makes a new file does not know that it has text.
        (diff("@@ -0,0 +1 @@\n+x\n"), HunkFault::NoSearch),
        (diff("@@ -2,3 +3,4 @@\n+x\n"), HunkFault::NoSearch),
        ("*** Add File: a.py\n+x\n*** End of File\n".into(), HunkFault::NoSearch),
        (diff("@@ -1,0 +2,3 @@\n+b\n+a\n+b\n"), HunkFault::Added),
    ] {
        assert_eq!(put(text, &edit).unwrap_err().fault, fault, "{edit}");
    }
}

#[test]
fn what_is_no_edit_says_why() {
    for (text, why) in [
        ("print(1)\n", "neither"),
        ("<<<<<<< SEARCH\na\n=======\nb\n", "does not end"),
        ("<<<<<<< SEARCH\na\n=======\nb\n<<<<<<< SEARCH\nc\n=======\nd\n>>>>>>> REPLACE\n", "does not end"),
        ("<<<<<<< SEARCH\na\n=======\nb\n=======\nc\n>>>>>>> REPLACE\n", "several lines"),
        ("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "it deletes x: an edit only changes text"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "no hunk"),
    ] {
        let refused = read(text, "a.py").expect_err(text).to_string();
        assert!(refused.contains(why), "{refused}");
    }
    assert_eq!(read(&block("a\n", "b\n"), ""), Err(EditError::NoPath));
}

/// A part of a diff that changes one line of `x`.
const CHANGE: &str = "diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn a_part_without_a_hunk_is_an_empty_file_or_refused_in_words() {
    let git = "diff --git a/p/__init__.py b/p/__init__.py\nnew file mode 100644\nindex 0000000..e69de29\n";
    let plain = "--- /dev/null\n+++ b/p/__init__.py\n";
    let patch =
        "*** Begin Patch\n*** Update File: x\n@@\n-a\n+b\n*** Add File: p/__init__.py\n*** End Patch\n";
    for text in [format!("{CHANGE}{git}"), format!("{git}{CHANGE}"), format!("{CHANGE}{plain}"), patch.into()]
    {
        let mut files = read(&text, "").unwrap();
        files.sort_by(|a, b| b.path.cmp(&a.path));
        let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths, ["x", "p/__init__.py"], "{text}");
        assert_eq!(apply(None, &files[1]).unwrap().text, "", "{text}");
        assert_eq!(apply(Some("text\n"), &files[1]).unwrap_err().fault, HunkFault::NoSearch, "{text}");
    }
    // A file without a first line of its own does not belong to the new one before it.
    let bare = format!("{git}--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n");
    let paths: Vec<_> = read(&bare, "").unwrap().into_iter().map(|file| file.path).collect();
    assert_eq!(paths, ["p/__init__.py", "x"]);
    assert_eq!(read("*** Begin Patch\n*** Add File: a b\n*** End Patch\n", "").unwrap()[0].path, "a b");
    let head = |path: &str| format!("diff --git a/{path} b/{path}\n");
    let binary = "Binary files a/i.png and b/i.png differ\n";
    for (part, why) in [
        (head("y z") + "deleted file mode 100644\nindex e69de29..0000000\n", "it deletes y z: "),
        (
            "diff --git a/y b/other\nsimilarity index 100%\ncopy from y\ncopy to other\n".into(),
            "it copies y: ",
        ),
        (head("i.png") + "index 1..2 100644\n" + binary, "it changes bytes that are no text in i.png: "),
        (binary.into(), "it changes bytes that are no text in b/i.png: "),
        (
            head("i.png") + "index 1..2 100644\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n",
            "it changes bytes that are no text in i.png: ",
        ),
        (head("y") + "old mode 100644\nnew mode 100755\n", "it sets the mode of y: "),
        (
            head("y") + "new file mode 100755\n--- /dev/null\n+++ b/y\n@@ -0,0 +1 @@\n+a\n",
            "it sets the mode of y: ",
        ),
        (head("y") + "new file mode 120000\n", "it sets the mode of y: "),
        (head("y") + "index 1..2 100644\n", "it names y, but has no hunk that changes it"),
        ("--- a/y\n+++ b/y\n@@ -1 +1 @@\n a\n".into(), "it names y, but has no hunk that changes it"),
        ("*** Add File: y\na line without its sign\n".into(), "it names y, but has no hunk that changes it"),
    ] {
        for text in [format!("{part}{CHANGE}"), format!("{CHANGE}{part}")] {
            let refused = read(&text, "").expect_err(&text).to_string();
            assert!(refused.starts_with(why), "{refused}\n{text}");
        }
    }
}

#[test]
fn the_file_that_is_meant_may_stand_in_front() {
    for (line, path) in [
        ("Change it:\n\n**src/a.py**\n", Some("src/a.py")),
        ("In `src/a.py`, replace the loop:", Some("src/a.py")),
        ("### a.py:\n", Some("a.py")),
        ("src/a.py", Some("src/a.py")),
        ("This is how it goes.", None),
        ("Here:", None),
        ("", None),
    ] {
        assert_eq!(path_in_front(line).as_deref(), path, "{line:?}");
    }
}

#[test]
fn what_is_there_several_times_is_refused_and_a_diff_may_choose_by_its_line() {
    let file = "a\nx\nb\nx\n";
    let refused = put(file, &block("x\n", "y\n")).unwrap_err();
    assert_eq!(refused.fault, HunkFault::Several(vec![2, 4]));
    assert_eq!(put(file, "--- a/a.py\n+++ b/a.py\n@@ -4 +4 @@\n-x\n+y\n").unwrap().text, "a\nx\nb\ny\n");
    let wrong = put(file, "--- a/a.py\n+++ b/a.py\n@@ -3 +3 @@\n-x\n+y\n").unwrap_err();
    assert_eq!(wrong.fault, HunkFault::Several(vec![2, 4]));
    // Several similar places are refused, too.
    let file = "def total_of(rows):\n    pass\n\ndef total_in(rows):\n    pass\n";
    let refused = put(file, &block("def total_if(rows):\n", "def total(rows):\n")).unwrap_err();
    assert!(matches!(refused.fault, HunkFault::Several(_)), "{refused}");
}

#[test]
fn what_is_not_found_is_told_and_nothing_of_what_is_there() {
    let file = "import os\n\ndef area(r):\n    return 3 * r * r\n\nprint(area(2))\n";
    let refused = put(file, &block("def area(r):\n    return math.tau * radius\n", "x\n")).unwrap_err();
    assert_eq!(refused.to_string(), "a.py: the lines that it searches are not in the file; read it first");
    let done = put(file, &block("def volume(radius, height):\n", "    return 3 * r * r\n")).unwrap_err();
    assert_eq!(done.fault, HunkFault::Done);
    assert_eq!(apply(None, &one(&block("a\n", "b\n"))).unwrap_err().fault, HunkFault::NoFile);
    assert_eq!(put(file, &block("", "b\n")).unwrap_err().fault, HunkFault::NoSearch);
    assert_eq!(put(file, &block("import os\n", "import os\n")).unwrap_err().fault, HunkFault::NoChange);
}

#[test]
fn words_are_found_whole_or_not_at_all() {
    let alike = put("TIMEOUT = 30\n", &block("TIMEOUT = 3\n", "TIMEOUT = 5\n")).unwrap();
    assert_eq!((alike.text.as_str(), alike.how.as_slice()), ("TIMEOUT = 5\n", &[Exactness::Alike(91)][..]));
    assert_eq!(put("max = 1\n", &block("x = 1\n", "y = 2\n")).unwrap_err().fault, HunkFault::Missing);
    let inside = put("f(a, b) + 1\n", &block("f(a, b)\n", "g(b)\n")).unwrap();
    assert_eq!((inside.text.as_str(), inside.how.as_slice()), ("g(b) + 1\n", &[Exactness::Inside][..]));
}

#[test]
fn a_hunk_of_a_diff_is_taken_whole_and_where_its_line_says() {
    // The counts are wrong, but the lines left over still belong to the hunk.
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\n-d\n+e\n";
    assert_eq!(put("a\nb\n\nd\n", diff).unwrap().text, "a\nc\n\ne\n");
    let gone = "--- a/a.sql\n+++ b/a.sql\n@@ -1,2 +1 @@\n--- old\n select 1;\n";
    assert_eq!(put("-- old\nselect 1;\n", gone).unwrap().text, "select 1;\n");
    // Hunks further down don't move the expected line.
    let file = (1..=60)
        .map(|n| if n == 10 || n == 12 { "x\n".into() } else { format!("l{n}\n") })
        .collect::<String>();
    let diff = "--- a/a.py\n+++ b/a.py\n@@ -50 +50,3 @@\n-l50\n+q1\n+q2\n+q3\n@@ -10 +10 @@\n-x\n+y\n";
    let text = put(&file, diff).unwrap().text;
    assert_eq!((text.lines().nth(9), text.lines().nth(11)), (Some("y"), Some("x")));
    let huge = "--- a/a.py\n+++ b/a.py\n@@ -9223372036854775808 +1 @@\n-x\n+y\n";
    assert!(matches!(put(&file, huge).unwrap_err().fault, HunkFault::Several(_)));
    // `a/` is kept if it is a real folder.
    assert_eq!(read("--- a/x.py\n+++ a/x.py\n@@ -1 +1 @@\n-a\n+b\n", "").unwrap()[0].path, "a/x.py");
    assert_eq!(read("--- /dev/null\n+++ b/x.py\n@@ -0,0 +1 @@\n+b\n", "").unwrap()[0].path, "x.py");
}

/// Git quotes names with letters beyond ASCII unless it is told not to.
#[test]
fn a_name_that_git_escaped_is_the_name_of_the_file() {
    let path = |diff: &str| read(diff, "").map(|edits| edits[0].path.clone()).unwrap();
    let hunk = "@@ -1 +1 @@\n-a\n+b\n";
    let name = r"\303\274ber/a b.txt";
    assert_eq!(path(&format!("--- \"a/{name}\"\n+++ \"b/{name}\"\n{hunk}")), "über/a b.txt");
    let git = format!("diff --git \"a/{name}\" \"b/{name}\"\n");
    assert_eq!(path(&format!("{git}--- \"a/{name}\"\n+++ \"b/{name}\"\n{hunk}")), "über/a b.txt");
    assert_eq!(path(&format!("{git}new file mode 100644\nindex 0000000..e69de29\n")), "über/a b.txt");
    assert_eq!(path(&format!("--- /dev/null\n+++ \"b/\\\"a\\\\b\\\".txt\"\n{hunk}")), "\"a\\b\".txt");
    // Without quotes a backslash is a letter of the name; escapes that make no name stay as they are.
    assert_eq!(path(&format!("--- a/\\303\n+++ b/\\303\n{hunk}")), "\\303");
    for kept in [r"\303", r"a\nb", r"a\012b", r"\777", r"a\"] {
        assert_eq!(path(&format!("--- \"a/{kept}\"\n+++ \"b/{kept}\"\n{hunk}")), kept);
    }
}

#[test]
fn a_hunk_of_a_patch_is_behind_the_lines_that_it_names() {
    let file = "class A:\n    def f(self):\n        pass\n\n    def g(self):\n        pass\n\n\
                class B:\n    def g(self):\n        pass\n";
    let patch = |named: &str| {
        format!(
            "*** Begin Patch\n*** Update File: a.py\n{named}-        pass\n+        go()\n*** End Patch\n"
        )
    };
    let changed = |named: &str| {
        let text = put(file, &patch(named)).unwrap().text;
        text.lines().position(|line| line.trim() == "go()").map(|at| at + 1)
    };
    assert_eq!(changed("@@ class A:\n@@     def g(self):\n"), Some(6));
    assert_eq!(changed("@@ class B:\n@@ def g(self):\n"), Some(10));
    assert_eq!(changed("@@ def f(self):\n"), Some(3));
    // A line that is there twice, or not at all, tells nothing.
    for named in ["@@ def g(self):\n", "@@ class C:\n", "@@\n"] {
        let refused = put(file, &patch(named)).unwrap_err();
        assert_eq!(refused.fault, HunkFault::Several(vec![3, 6, 10]), "{named}");
    }
}

#[test]
fn what_goes_has_to_be_meant_itself() {
    let file = "class Box:\n    def __init__(self):\n        self.colour = 'red and blue'\n        self.max_height = 10\n";
    let search = file.replace("height", "width");
    let fault = put(file, &block(&search, &search.replace("10", "20"))).unwrap_err().fault;
    assert_eq!(fault, HunkFault::Missing);
}

#[test]
fn lines_are_indented_as_their_neighbours_are() {
    let file = "def f(self):\n    for item in self.items:\n        result += item.price\n";
    let written = "for item in self.items:\nresult += item.price\n";
    let text = put(file, &block(written, &written.replace("item.price", "item.cost"))).unwrap().text;
    assert_eq!(text, file.replace("price", "cost"));
    let numbers = block("2|    return 1\n", "2|    return 2\n3|x = f()\n");
    assert_eq!(put("def f():\n    return 1\n", &numbers).unwrap().text, "def f():\n    return 2\nx = f()\n");
    let tabs =
        put("\tif a:\n\t\treturn a\n", &block("        return a\n", "        return a\n    return b\n"))
            .unwrap()
            .text;
    assert_eq!(tabs, "\tif a:\n\t\treturn a\n\treturn b\n");
}

#[test]
fn a_new_file_needs_nothing_to_search() {
    let edit = one(&block("", "x = 1\n"));
    assert_eq!(apply(None, &edit).unwrap().text, "x = 1\n");
    assert_eq!(apply(Some(""), &edit).unwrap().text, "x = 1\n");
}

#[test]
fn what_is_written_down_of_a_call_is_read_back() {
    let hunks = vec![
        EditHunk::new("<<<<<<< SEARCH\na\n=======\n", "=========\n>>>>>>>>>> REPLACE\n"),
        EditHunk::new("", "\n\n"),
    ];
    let edits = vec![
        FileEdit { path: "-a b (1).py".into(), hunks: hunks.clone() },
        FileEdit { path: "b".into(), hunks },
    ];
    assert_eq!(read(&write(&edits), "").unwrap(), edits);
}

fn text() -> impl Strategy<Value = String> {
    let line = "(a|b|-- c|\\+\\+ d|@@ e|  f|\\\\ g|)";
    (proptest::collection::vec(line, 0..14), any::<bool>()).prop_map(|(lines, open)| {
        let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        if open { text.trim_end_matches('\n').to_owned() } else { text }
    })
}

proptest! {
    #![proptest_config(cases(2_048))]

    /// The diff of two texts turns the one into the other, whatever they contain, with either line end.
    #[test]
    fn a_diff_makes_the_one_text_of_the_other(old in text(), new in text(), context in 1usize..4, crlf in any::<bool>()) {
        prop_assume!(old != new && !new.is_empty() && (!crlf || old.contains('\n')));
        let diff = LineComparison::new(&old, &new, None).unified(context, Some(("a/f", "b/f")));
        let ends = |text: &str| if crlf { text.replace('\n', "\r\n") } else { text.to_owned() };
        let edits = read(&diff, "").unwrap();
        prop_assert_eq!(edits.len(), 1);
        let applied = apply(Some(&ends(&old)), &edits[0]).map_err(|why| TestCaseError::fail(format!("{why}\n{diff}")))?;
        prop_assert_eq!(applied.text, ends(&new));
    }

    /// Whatever the edit, only lines that it names as changed are touched: the others stay as they were, in their
    /// order.
    #[test]
    fn nothing_else_is_touched(
        head in proptest::collection::vec("[a-e \t]{0,6}", 0..8),
        tail in proptest::collection::vec("[a-e \t]{0,6}", 0..8),
        middle in proptest::collection::vec("[v-z]{3,9}", 1..5),
        shift in 0usize..3,
        ends in prop_oneof![Just("\n"), Just("\r\n")],
        mark in any::<bool>(),
    ) {
        let lines = |part: &[String]| part.iter().map(|line| format!("{line}{ends}")).collect::<String>();
        let mark = if mark { "\u{feff}" } else { "" };
        let file = format!("{mark}{}{}{}", lines(&head), lines(&middle), lines(&tail));
        // Indentation and trailing spaces that the file does not have.
        let blanks = " ".repeat(shift);
        let search: String = middle.iter().map(|line| format!("{blanks}{line}{blanks}\n")).collect();
        let hunk = EditHunk::new(&search, &format!("{blanks}new\n"));
        match apply(Some(&file), &FileEdit { path: "f".into(), hunks: vec![hunk] }) {
            Ok(applied) => {
                let wanted = format!("{mark}{}new{ends}{}", lines(&head), lines(&tail));
                prop_assert_eq!(applied.text, wanted);
            }
            Err(why) => prop_assert!(matches!(why.fault, HunkFault::Several(_)), "{}", why),
        }
    }

    /// Text that occurs twice is not changed.
    #[test]
    fn two_places_are_none(lines in proptest::collection::vec("[a-z]{3,9}", 1..4), between in "[A-Z]{3,9}") {
        let piece = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let file = format!("{piece}{between}\n{piece}");
        let edit = FileEdit { path: "f".into(), hunks: vec![EditHunk::new(&piece, "new\n")] };
        prop_assert!(matches!(apply(Some(&file), &edit).unwrap_err().fault, HunkFault::Several(_)));
    }

    /// Any text is either read or refused with a message; nothing panics.
    #[test]
    fn anything_is_read_or_refused(
        text in "([<=>]{5,8}( SEARCH| REPLACE)?\n|@@ -1,2 \\+1,2 @@\n|[ +-]?[ab]{0,3}\n|--- a/x\n\\+\\+\\+ b/x\n|\\.\\.\\.\n|\\*\\*\\* End Patch\n){0,14}",
        file in "([ab ]{0,4}\n){0,8}",
    ) {
        for edit in read(&text, "f").into_iter().flatten() {
            let _ = apply(Some(&file), &edit);
        }
    }
}
