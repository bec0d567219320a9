//! Tests edits with the mistakes that models make: which are applied all the same, and which are refused.

use super::*;

/// The expected outcome of an edit.
enum EditOutcome {
    /// The file becomes this text, found in this way.
    To(&'static str, Exactness),
    /// The edit is refused with a reason that contains this.
    No(&'static str),
}
use EditOutcome::{No, To};
use Exactness::{Exact, Gaps, Inside, Spaces};

const CODE: &str = "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def total(self):\n        \
    result = 0\n        for item in self.items:\n            result += item.price\n        return result\n";

/// The kind of mistake, the file, the edit, and its outcome.
const KINDS: &[(&str, &str, &str, EditOutcome)] = &[
    (
        "indentation left out",
        CODE,
        "<<<<<<< SEARCH\nfor item in self.items:\n    result += item.price\n=======\nfor item in self.items:\n    \
         result += item.price * item.count\n>>>>>>> REPLACE\n",
        To(
            "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def total(self):\n        \
             result = 0\n        for item in self.items:\n            result += item.price * item.count\n        \
             return result\n",
            Spaces,
        ),
    ),
    (
        "two blanks for four, and a deeper line that is new",
        "def f():\n    a = 1\n    return a\n",
        "<<<<<<< SEARCH\ndef f():\n  a = 1\n=======\ndef f():\n  a = 1\n  if a:\n      a = 2\n>>>>>>> REPLACE\n",
        To("def f():\n    a = 1\n    if a:\n        a = 2\n    return a\n", Spaces),
    ),
    (
        "blanks for tabs",
        "func f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n",
        "<<<<<<< SEARCH\n    if x {\n        return 1\n    }\n=======\n    if x {\n        if y {\n            \
         return 2\n        }\n        return 1\n    }\n>>>>>>> REPLACE\n",
        To("func f() {\n\tif x {\n\t\tif y {\n\t\t\treturn 2\n\t\t}\n\t\treturn 1\n\t}\n}\n", Spaces),
    ),
    (
        "blanks at the end of lines",
        "a = 1   \nb = 2\n",
        "<<<<<<< SEARCH\na = 1\nb = 2\n=======\na = 1\nb = 3\n>>>>>>> REPLACE\n",
        To("a = 1   \nb = 3\n", Spaces),
    ),
    (
        "a blank line too many in front",
        "a = 1\nb = 2\n",
        "<<<<<<< SEARCH\n\nb = 2\n=======\n\nb = 3\n>>>>>>> REPLACE\n",
        To("a = 1\nb = 3\n", Exact),
    ),
    (
        "other line ends",
        "a = 1\r\nb = 2\r\nc = 3\r\n",
        "<<<<<<< SEARCH\nb = 2\n=======\nb = 20\nb = 21\n>>>>>>> REPLACE\n",
        To("a = 1\r\nb = 20\r\nb = 21\r\nc = 3\r\n", Exact),
    ),
    (
        "a mark of byte order",
        "\u{feff}a = 1\nb = 2\n",
        "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n",
        To("\u{feff}a = 2\nb = 2\n", Exact),
    ),
    (
        "no line end at the end",
        "a = 1\nb = 2",
        "<<<<<<< SEARCH\nb = 2\n=======\nb = 3\nc = 4\n>>>>>>> REPLACE\n",
        To("a = 1\nb = 3\nc = 4", Exact),
    ),
    (
        "numbers in front of lines",
        "a = 1\n\nb = 2\nc = 3\n",
        "<<<<<<< SEARCH\n 3| b = 2\n 4| c = 3\n=======\n 3| b = 2\n 4| c = 4\n>>>>>>> REPLACE\n",
        To("a = 1\n\nb = 2\nc = 4\n", Spaces),
    ),
    (
        "lines left out by dots",
        CODE,
        "<<<<<<< SEARCH\n    def total(self):\n        ...\n        return result\n=======\n    def sum(self):\n        \
         ...\n        return result\n>>>>>>> REPLACE\n",
        To(
            "class Cart:\n    def __init__(self):\n        self.items = []\n\n    def sum(self):\n        \
             result = 0\n        for item in self.items:\n            result += item.price\n        return result\n",
            Gaps,
        ),
    ),
    (
        "lines left out by words in the new text alone",
        CODE,
        "<<<<<<< SEARCH\n    def total(self):\n        result = 0\n=======\n    def total(self):\n        result = 1\n        \
         # ... rest of the code ...\n>>>>>>> REPLACE\n",
        // The search matches exactly, and applying it would write these words into the file.
        No("left out"),
    ),
    (
        "a line of context that the file has not as it is told",
        "def area(r):\n    # the area of a circle\n    return 3.14 * r * r\n",
        "<<<<<<< SEARCH\ndef area(r):\n    # area of a circle\n    return 3.14 * r * r\n=======\ndef area(r):\n    \
         # area of a circle\n    return math.pi * r * r\n>>>>>>> REPLACE\n",
        To("def area(r):\n    # the area of a circle\n    return math.pi * r * r\n", Exactness::Alike(93)),
    ),
    (
        "a line of context left out",
        "def f(x):\n    log(x)\n    check(x)\n    value = compute(x)\n    return value\n",
        "<<<<<<< SEARCH\ndef f(x):\n    log(x)\n    value = compute(x)\n    return value\n=======\ndef f(x):\n    log(x)\n    \
         value = compute(x)\n    return value + 1\n>>>>>>> REPLACE\n",
        To(
            "def f(x):\n    log(x)\n    check(x)\n    value = compute(x)\n    return value + 1\n",
            Exactness::Alike(99),
        ),
    ),
    (
        "a part of a line",
        "x = compute(1, 2)\ny = 3\n",
        "<<<<<<< SEARCH\ncompute(1, 2)\n=======\ncompute(2, 1)\n>>>>>>> REPLACE\n",
        To("x = compute(2, 1)\ny = 3\n", Inside),
    ),
    (
        "quotes that are set as in print",
        "print('it\u{2019}s here, as ever')\n",
        "<<<<<<< SEARCH\nprint('it's here, as ever')\n=======\nprint(\"here\")\n>>>>>>> REPLACE\n",
        To("print(\"here\")\n", Exactness::Alike(99)),
    ),
    (
        "several places",
        "a = 1\nb = 2\na = 1\n",
        "<<<<<<< SEARCH\na = 1\n=======\na = 2\n>>>>>>> REPLACE\n",
        No("at lines 1, 3"),
    ),
    (
        "twice in one line",
        "x = f(a) + f(a)\n",
        "<<<<<<< SEARCH\nf(a)\n=======\ng(a)\n>>>>>>> REPLACE\n",
        No("(at line 1): take more of that line"),
    ),
    (
        "several places, white space aside",
        "if a:\n    b = 1\nelse:\n        b = 1\n",
        "<<<<<<< SEARCH\nb = 1\n=======\nb = 2\n>>>>>>> REPLACE\n",
        No("at lines 2, 4"),
    ),
    (
        "a function that the model made up",
        CODE,
        "<<<<<<< SEARCH\n    def discount(self, percent):\n        return self.total() * percent\n=======\n    pass\n\
         >>>>>>> REPLACE\n",
        No("not in the file"),
    ),
    (
        "done already",
        "a = 2\nbeta = 3\n",
        "<<<<<<< SEARCH\nalpha_value = 1\n=======\nbeta = 3\n>>>>>>> REPLACE\n",
        No("those that replace them are"),
    ),
    (
        "a diff with counts and lines that are wrong",
        "a\nb\nc\nd\n",
        "--- a/f\n+++ b/f\n@@ -20,9 +31,7 @@\n b\n-c\n+C\n",
        To("a\nb\nC\nd\n", Exact),
    ),
    (
        "a diff without numbers",
        "a\nb\nc\nd\n",
        "--- f\n+++ f\n@@ @@\n b\n-c\n+C\n",
        To("a\nb\nC\nd\n", Exact),
    ),
    (
        "a diff whose context lacks its blank",
        "def f():\n    return 1\n\nx = f()\n",
        "--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\ndef f():\n-    return 1\n+    return 2\n\nx = f()\n",
        To("def f():\n    return 2\n\nx = f()\n", Exact),
    ),
    (
        "markers of nine, and a heading between",
        "Title\n=======\ntext\n",
        "<<<<<<<<< SEARCH\nTitle\n=======\n=========\nOther\n=======\n>>>>>>>>> REPLACE\n",
        To("Other\n=======\ntext\n", Exact),
    ),
    (
        "a conflict that is searched",
        "a\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\nd\n",
        "<<<<<<< SEARCH\n<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> x\n=======\nc\n>>>>>>> REPLACE\n",
        To("a\nc\nd\n", Exact),
    ),
];

#[test]
fn each_kind_comes_out_as_it_should() {
    let mut wrong = Vec::new();
    for (kind, file, written, comes) in KINDS {
        let edit = read(written, "f").map(|mut edits| edits.remove(0));
        let came = edit.map_err(|why| why.to_string()).and_then(|edit| {
            assert_eq!(edit.path, "f", "{kind}");
            apply(Some(file), &edit).map_err(|why| why.to_string())
        });
        let told = format!("{kind}: {came:?}");
        match (came, comes) {
            (Ok(EditResult { text, how }), To(wanted, exactness))
                if text == *wanted && how == [*exactness] => {}
            (Err(why), No(wanted)) if why.contains(wanted) => {}
            _ => wrong.push(told),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The end of a block without an end marker is searched for in all the text after it.
#[test]
fn a_text_that_is_made_to_be_slow_is_given_up() {
    let endless = |count: usize| read(&"<<<<<<< SEARCH\n=======\n>>>>>>>\n".repeat(count), "a.md");
    assert_eq!(endless(100).map(|files| files.len()), Ok(1));
    assert_eq!(endless(MAX_HUNKS + 1), Err(EditError::TooMany));
    assert_eq!(endless(200_000), Err(EditError::TooLong));
    let hunks = "@@ -1 +1 @@\n-a\n+b\n".repeat(MAX_HUNKS + 1);
    assert_eq!(read(&hunks, "a.md"), Err(EditError::TooMany));
    let files: String = (0..=MAX_FILES).map(|at| format!("*** Update File: {at}.md\n-a\n+b\n")).collect();
    assert_eq!(read(&files, ""), Err(EditError::TooMany));
}
