//! Tests the parser against the specification's examples, against its own result for the text in pieces, and against
//! what models write.

use super::*;
use crate::domain::language::LanguageEntry;
use proptest::prelude::*;
use std::sync::Arc;

fn fences(text: &str) -> Vec<Segment> {
    checked(text, Dialect::Fences, &Languages::default())
}

/// Parses a text, and checks what has to hold for every text: segments tile it, and pieces of any size give the same
/// result.
pub(super) fn checked(text: &str, dialect: Dialect, languages: &Languages) -> Vec<Segment> {
    let whole = parse(text, dialect, languages, true);
    assert_tiles(text.len(), &whole);
    let mut parser = Parser::new(dialect, languages);
    for c in text.chars() {
        parser.push(c.encode_utf8(&mut [0; 4]));
        assert_tiles(parser.text().len(), parser.segments());
        assert_last_may_change(parser.segments(), &whole, text);
    }
    let (kept, pieces) = parser.finish(true);
    assert_eq!(kept, text);
    assert_eq!(pieces, whole, "{text:?}");
    whole
}

/// Parses a text, and reads it again for what the model may have meant; the segments tile it.
pub(super) fn read_as(text: &str, dialect: Dialect, complete: bool) -> Vec<Segment> {
    let languages = Languages::default();
    let segments = parse(text, dialect, &languages, complete);
    let segments = reread(text, segments, dialect, &languages, complete);
    let end = segments.iter().fold(0, |at, segment| {
        assert_eq!(segment.range().start, at, "segments tile the text: {segments:#?}");
        segment.range().end
    });
    assert_eq!(end, text.len());
    segments
}

/// The blocks among these segments.
pub(super) fn proposals(segments: Vec<Segment>) -> Vec<Proposal> {
    let block = |segment| match segment {
        Segment::Block(block) => Some(block),
        Segment::Prose(_) => None,
    };
    segments.into_iter().filter_map(block).collect()
}

/// The blocks of a reply, after checking that pieces of any size give the same.
pub(super) fn streamed(text: &str) -> Vec<Proposal> {
    checked(text, Dialect::Fences, &Languages::default());
    proposals(read_as(text, Dialect::Fences, true))
}

fn assert_tiles(length: usize, segments: &[Segment]) {
    let mut at = 0;
    for (i, segment) in segments.iter().enumerate() {
        assert_eq!(segment.range().start, at, "{segments:?}");
        at = segment.range().end;
        assert!(segment.range().end > segment.range().start);
        if let [Segment::Prose(_), Segment::Prose(_)] = segments.get(i..i + 2).unwrap_or(&[]) {
            panic!("prose twice: {segments:?}");
        }
    }
    assert_eq!(at, length, "{segments:?}");
}

/// All segments of a growing reply except the last are those of the whole reply.
fn assert_last_may_change(growing: &[Segment], whole: &[Segment], text: &str) {
    let settled = growing.len().saturating_sub(1);
    assert_eq!(growing.get(..settled), whole.get(..settled), "{growing:#?}\n{text:?}");
}

/// The only one of these blocks.
#[track_caller]
pub(super) fn single(blocks: Vec<Proposal>) -> Proposal {
    <[Proposal; 1]>::try_from(blocks).map_or_else(|other| panic!("{other:#?}"), |[block]| block)
}

/// The block of a text that has exactly one.
#[track_caller]
fn only(text: &str) -> Proposal {
    single(proposals(fences(text)))
}

fn source(text: &str) -> String {
    only(text).source
}

fn none(text: &str) {
    assert_eq!(proposals(fences(text)), [], "{text:?}");
}

#[test]
fn the_examples_of_the_specification() {
    let file = include_str!("../../../tests/fixtures/replies/commonmark-code.jsonl");
    let (mut examples, mut with_fences) = (0, 0);
    for line in file.lines() {
        let example: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = example["markdown"].as_str().unwrap();
        let expected: Vec<(&str, &str, u64)> = example["expected"]["fenced"]
            .as_array()
            .unwrap()
            .iter()
            .map(|f| (f["info"].as_str().unwrap(), f["text"].as_str().unwrap(), f["line"].as_u64().unwrap()))
            .collect();
        // Make a language of every word in these examples.
        let languages = Languages(Arc::new(
            expected
                .iter()
                .map(|(info, ..)| info::language_word(info).to_lowercase())
                .filter(|w| !w.is_empty())
                .map(|name| LanguageEntry {
                    name: Language(name),
                    aliases: vec![],
                    extensions: vec![],
                    command: String::new(),
                    arguments: vec![],
                    compile: vec![],
                    others: vec![],
                    persistent: false,
                })
                .collect(),
        ));
        let found = proposals(checked(text, Dialect::Fences, &languages));
        let found: Vec<(&str, &str, u64)> =
            found.iter().map(|b| (b.info.as_str(), b.source.as_str(), u64::from(b.lines.0))).collect();
        assert_eq!(found, expected, "example {}: {text:?}", example["example"]);
        examples += 1;
        with_fences += usize::from(!expected.is_empty());
    }
    assert_eq!((examples, with_fences), (652, 35));
}

#[test]
fn a_fence_between_prose() {
    let text = "Look:\n\n```python title=\"x\"\nprint(1)\n```\n\nDone.\n";
    let segments = fences(text);
    let [Segment::Prose(before), Segment::Block(block), Segment::Prose(after)] = segments.as_slice() else {
        panic!("{segments:#?}");
    };
    assert_eq!(&text[before.clone()], "Look:\n\n");
    assert_eq!(&text[after.clone()], "\nDone.\n");
    assert_eq!(&text[block.range.clone()], "```python title=\"x\"\nprint(1)\n```\n");
    assert_eq!(block.source, "print(1)\n");
    assert_eq!(block.info, "python title=\"x\"");
    assert_eq!(block.lines, (3, 5));
    assert_eq!(block.language, Some(Language::python()));
    assert!(block.closed);
}

#[test]
fn longer_fences_hold_shorter_ones_and_tildes() {
    assert_eq!(source("````py\n```\n~~~\n````\n"), "```\n~~~\n");
    assert_eq!(source("~~~sh\n```py\necho\n```\n~~~\n"), "```py\necho\n```\n");
    assert_eq!(source("```py\nx\n``` y\n   ````\n"), "x\n``` y\n");
}

#[test]
fn containers_are_taken_off() {
    assert_eq!(
        source("1. Do this:\n   ```python\n   if x:\n       y()\n\n   z()\n   ```\n2. Then\n"),
        "if x:\n    y()\n\nz()\n"
    );
    assert_eq!(source("> quoted\n> ```bash\n> ls\n>\n> pwd\n> ```\n"), "ls\n\npwd\n");
    assert_eq!(source("- a\n  - b\n\n    > ~~~js\n    > f()\n    > ~~~\n"), "f()\n");
    assert_eq!(source("  ```py\n  a\n    b\n c\n  ```\n"), "a\n  b\nc\n");
}

#[test]
fn a_fence_that_only_its_container_ends_is_not_closed() {
    let block = only("> ```py\n> a\n\nprose\n");
    assert_eq!((block.source.as_str(), block.closed), ("a\n", false));
}

#[test]
fn unclosed_at_the_end() {
    let block = only("```py\nprint(1)\npri");
    assert_eq!((block.source.as_str(), block.closed, block.lines), ("print(1)\npri", false, (1, 3)));
    assert!(!only("```py").closed);
    assert!(!only("```py\nx\n``").closed);
    assert!(only("```py\nx\n```").closed);
}

#[test]
fn a_closing_fence_at_the_very_end_of_a_cut_reply_is_not_trusted() {
    let cut = |text| proposals(parse(text, Dialect::Fences, &Languages::default(), false))[0].closed;
    assert!(!cut("```py\nx\n```"));
    assert!(cut("```py\nx\n```\n"));
    assert!(cut("```py\nx\n```\nand th"));
}

#[test]
fn line_ends_stay_as_written() {
    let block = only("a\r\n\r\n```py\r\nx = 1\r\n\r\ny\r\n```\r\nb\r\n");
    assert_eq!((block.source.as_str(), block.info.as_str()), ("x = 1\r\n\r\ny\r\n", "py"));
    assert_eq!(source("- ```py\r\n  x\r\n\r\n  y\r\n  ```\r\n"), "x\r\n\r\ny\r\n");
    assert_eq!(source("```py\n\u{feff}x \n\ty\u{202e}\u{0}\n```\n"), "\u{feff}x \n\ty\u{202e}\u{0}\n");
}

#[test]
fn what_is_no_fence_is_never_offered() {
    none("    print(1)\n");
    none("text\n\n\t```py\n\tx\n\t```\n");
    none("<!--\n```py\nx\n```\n-->\n");
    none("`` ```py `` and ```py x ``` inline\n");
    none("```json\n{}\n```\n\n~~~text\nx\n~~~\n```console\n$ ls\n```\n```python norun\nx\n```\n");
    none("<pre>\n```py\nx\n```\n</pre>\n");
}

#[test]
fn a_fence_without_a_language_asks_and_empty_blocks_stay() {
    assert_eq!(only("```\nls\n```\n").language, None);
    let blocks = proposals(fences("```py\n```\n```sh\n\n```\n"));
    let sources: Vec<_> = blocks.iter().map(|b| b.source.as_str()).collect();
    assert_eq!(sources, ["", "\n"]);
}

#[test]
fn execute_tags() {
    assert_eq!(source("<execute>\nprint(1)\n\nx = '</b>'\n</execute>\n"), "print(1)\n\nx = '</b>'\n");
    assert_eq!(source("Sum: <execute>print(1 + 2)</execute> is it."), "print(1 + 2)");
    assert_eq!(source("<execute> print(1) </execute>"), "print(1)");
    assert_eq!(source("<execute>a = 1\nprint(a)</execute>"), "a = 1\nprint(a)");
    let block = only("So:\n<execute lang=\"bash\">\nls | wc -l\n</execute>\nThen\n");
    assert_eq!((block.language, block.info.as_str()), (Some(Language::bash()), "lang=\"bash\""));
    assert_eq!((block.dialect, block.lines, block.closed), (Dialect::ExecuteTags, (2, 4), true));
    assert_eq!(only("<execute lang=js>1</execute>").language, Some(Language::javascript()));
    none("<execute lang='cobol'>\n```py\nx\n```\n</execute>\n");
}

#[test]
fn a_fence_inside_tags_is_unwrapped() {
    let block = only("<execute>\n```bash\nls\n```\n</execute>\n");
    assert_eq!((block.source.as_str(), block.language), ("ls\n", Some(Language::bash())));
    assert_eq!(source("<execute>\n\n~~~\nx\n~~~\n\n</execute>"), "x\n");
    assert_eq!(source("<execute>```py\nx\n```</execute>"), "x\n");
    assert_eq!(source("<execute>\nx = '''\n```\n'''\n</execute>"), "x = '''\n```\n'''\n");
}

#[test]
fn a_fence_with_a_path_is_a_file_in_every_dialect() {
    let write = |path: &str| Some(BlockKind::Write { path: path.into() });
    let text = "Tests:\n\n```python path=\"tests/test x.py\"\n>>> 1\n```\n\n```json path=a.json\n{}\n```\n";
    for dialect in [Dialect::Fences, Dialect::ExecuteTags, Dialect::Tools] {
        let segments = checked(text, dialect, &Languages::default());
        let again = reread(text, segments.clone(), dialect, &Languages::default(), true);
        assert_eq!(again, segments, "the text of a file is taken as it is");
        let blocks = proposals(segments);
        let [tests, data] = &blocks[..] else { panic!("{blocks:#?}") };
        assert_eq!((&tests.special_kind, tests.source.as_str()), (&write("tests/test x.py"), ">>> 1\n"));
        assert_eq!((&data.special_kind, &data.language, data.closed), (&write("a.json"), &None, true));
    }
    let empty = only("```python path=pkg/__init__.py\n```\n");
    assert_eq!((empty.special_kind, empty.source.as_str()), (write("pkg/__init__.py"), ""));
    let list = only("- a\n\n  ```sh path=run.sh\n  ls\n  ```\n");
    assert_eq!((list.special_kind, list.source.as_str()), (write("run.sh"), "ls\n"));
    let tagged = only("<execute>\n```python path=a.py\nx = 1\n```\n</execute>\n");
    assert_eq!((tagged.special_kind, tagged.source.as_str()), (write("a.py"), "x = 1\n"));
    let said = only("<execute lang=bash>\n```python path=a.py\nls\n```\n</execute>\n");
    assert_eq!((said.special_kind, said.language), (None, Some(Language::bash())));
    let open = only("```python path=a.py\nx = ");
    assert_eq!((open.special_kind, open.closed), (write("a.py"), false));
    none("```python norun path=a.py\nx\n```\n");
}

/// Without its quotes, the first word of a name would be another file, perhaps one that exists.
#[test]
fn a_path_without_quotes_has_all_words_of_its_name() {
    for (info, path) in [
        ("text path=my file.txt", "my file.txt"),
        ("edit path=Makefile of last year.mk", "Makefile of last year.mk"),
        ("python path=src/old parts/a b.py title=x", "src/old parts/a b.py"),
        ("{python path=report v1.2 final.py}", "report v1.2 final.py"),
        ("text path=my file (1).txt", "my file (1).txt"),
        ("text path=my file (copy 2).txt", "my file (copy 2).txt"),
        ("text path=my(old file).txt title=x", "my(old file).txt"),
        ("make path=Makefile (see notes.txt first) now", "Makefile"),
        ("text path=salt & pepper.txt title=x", "salt & pepper.txt"),
        ("python path=a.py b.py", "a.py"),
        ("make path=Makefile", "Makefile"),
        ("make path=Makefile title=a.mk", "Makefile"),
        ("make path=Makefile (see notes.txt)", "Makefile"),
        ("text path=LICENSE new", "LICENSE"),
        ("text path=.env production.txt", ".env production.txt"),
    ] {
        let block = only(&format!("```{info}\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n```\n"));
        let of = block.special_kind.as_ref().map(|kind| match kind {
            BlockKind::Write { path } => vec![path.clone()],
            BlockKind::Edit { paths } => paths.clone(),
            other => panic!("{other:?}"),
        });
        assert_eq!(of, Some(vec![path.to_owned()]), "{info}");
    }
}

#[test]
fn tags_inside_code_are_code() {
    assert_eq!(source("```py\ns = '<execute>'\n</execute>\n```\n"), "s = '<execute>'\n</execute>\n");
    none("Wrap it in `<execute>` and `</execute>`.\n");
    none("Wrap it in <execute> tags.\n\nSo.\n");
    none("    <execute>\n    x\n    </execute>\n");
    none("<!-- <execute>x</execute> -->\n");
    none("\\<execute>x</execute>\n");
    none("<executed>x</executed> <execute/>\n");
}

#[test]
fn a_word_about_tags_does_not_swallow_the_code() {
    assert_eq!(source("I don't use <execute> here:\n```py\nx\n```\n"), "x\n");
}

#[test]
fn an_unclosed_tag_is_incomplete() {
    let block = only("<execute>\nprint(1)\n```\nx");
    assert_eq!((block.source.as_str(), block.closed), ("print(1)\n```\nx", false));
}

#[test]
fn tags_in_containers() {
    assert_eq!(source("1. First\n   <execute>\n   if x:\n       y()\n   </execute>\n"), "if x:\n    y()\n");
    assert_eq!(source("> <execute>\n> x\n> </execute>\n"), "x\n");
}

#[test]
fn after_a_tag_all_goes_on() {
    let text = "<execute>a</execute> and <execute>b</execute>\n\n```py\nc\n```\n";
    let blocks = proposals(fences(text));
    let found: Vec<_> = blocks.iter().map(|b| (b.source.as_str(), b.lines)).collect();
    assert_eq!(found, [("a", (1, 1)), ("b", (1, 1)), ("c\n", (3, 5))]);
}

#[test]
fn an_open_block_is_seen_growing() {
    let mut parser = Parser::new(Dialect::Fences, &Languages::default());
    let mut seen = Vec::new();
    for piece in ["Now:\n```py", "thon\npri", "nt('", "```')\n", "``", "`\n", "so"] {
        parser.push(piece);
        seen.push(match parser.segments().last() {
            Some(Segment::Block(b)) => format!("{}{:?}", if b.closed { "closed" } else { "open" }, b.source),
            _ => "prose".into(),
        });
    }
    assert_eq!(
        seen,
        [
            "prose",
            "open\"pri\"",
            "open\"print('\"",
            "open\"print('```')\\n\"",
            "open\"print('```')\\n\"",
            "closed\"print('```')\\n\"",
            "prose"
        ]
    );
}

#[test]
fn an_open_tag_is_seen_growing() {
    let mut parser = Parser::new(Dialect::Fences, &Languages::default());
    parser.push("<execute>\n```py\nx = 1 ");
    parser.push("</ex");
    let [Segment::Block(block)] = parser.segments() else { panic!("{:?}", parser.segments()) };
    assert_eq!(block.source, "x = 1 ");
    parser.push("it>\n");
    let [Segment::Block(block)] = parser.segments() else { panic!("{:?}", parser.segments()) };
    assert_eq!(block.source, "x = 1 </exit>\n");
}

#[test]
fn a_block_in_a_list_grows_line_by_line() {
    let mut parser = Parser::new(Dialect::Fences, &Languages::default());
    parser.push("1. Do\n   ```py\n   a\n     b\n   c");
    let [_, Segment::Block(block)] = parser.segments() else { panic!("{:?}", parser.segments()) };
    assert_eq!(block.source, "a\n  b\n");
}

#[test]
fn the_base_follows_closed_blocks() {
    let mut parser = Parser::new(Dialect::Fences, &Languages::default());
    parser.push("para\n\n```py\nx\n```\n");
    assert_eq!(parser.stable(), parser.text().len());
    parser.push("- a\n\n- b\n\n");
    assert_eq!(&parser.text()[parser.stable()..], "- b\n\n");
}

/// Lines that interfere with each other.
fn line() -> impl Strategy<Value = String> {
    let lead = prop_oneof![
        6 => Just(""), 1 => Just(" "), 2 => Just("  "), 1 => Just("   "), 1 => Just("    "), 1 => Just("\t"),
        1 => Just("> "), 1 => Just(">"), 2 => Just("- "), 1 => Just("1. "), 1 => Just("2) "), 1 => Just("> - ")
    ];
    let body = prop_oneof![
        4 => Just("```"), 4 => Just("```py"), 2 => Just("~~~"), 1 => Just("~~~json"), 2 => Just("```py path=a.py"), 1 => Just("~~~ path='b c'"), 1 => Just("````sh x"),
        1 => Just("`"), 1 => Just("``` a`b"), 3 => Just("text"), 3 => Just(""), 1 => Just("---"), 1 => Just("# h"),
        2 => Just("<execute>"), 1 => Just("<execute lang=sh>x"), 2 => Just("</execute>"), 1 => Just("<!--"),
        1 => Just("-->"), 1 => Just("<div>"), 1 => Just("<pre>"), 1 => Just("[a]: /b"), 1 => Just("'é\u{202e}"),
        1 => Just("x <execute>y</execute> z"), 1 => Just("==="),
        1 => Just("```edit path=a"), 1 => Just("~~~diff"), 1 => Just("<<<<<<< SEARCH"), 1 => Just("======="),
        2 => Just(">>>>>>> REPLACE"), 1 => Just("@@ -1,2 +1,2 @@"), 1 => Just("-a")
    ];
    let end =
        prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just(""), 1 => Just("\n\n"), 1 => Just(" \n")];
    (lead, body, end).prop_map(|(a, b, c)| format!("{a}{b}{c}"))
}

fn nasty() -> impl Strategy<Value = String> {
    proptest::collection::vec(line(), 0..14).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(crate::test_cases::cases(4_000))]

    #[test]
    fn pieces_of_any_size_give_the_same(text in nasty(), tags in any::<bool>()) {
        checked(&text, if tags { Dialect::ExecuteTags } else { Dialect::Fences }, &Languages::default());
    }

    #[test]
    fn segments_while_growing_depend_on_the_text_alone(text in nasty(), cut in any::<prop::sample::Index>()) {
        let languages = Languages::default();
        let cut = text.floor_char_boundary(cut.index(text.len() + 1));
        let (mut one, mut two) = (Parser::new(Dialect::Fences, &languages), Parser::new(Dialect::Fences, &languages));
        one.push(&text);
        two.push(&text[..cut]);
        two.push(&text[cut..]);
        prop_assert_eq!(one.segments(), two.segments());
        prop_assert_eq!(one.stable(), two.stable());
    }

    #[test]
    fn any_text_is_taken(text in "\\PC{0,60}|[`~<>\\-\\s/execut\\r\\n\\x00]{0,60}") {
        checked(&text, Dialect::Fences, &Languages::default());
    }
}

#[test]
fn a_reply_that_is_built_to_be_slow_is_whole_in_the_end() {
    let count = crate::test_cases::size(20_000);
    let text = "> ```py\n> x\n> ```\n> text\n".repeat(count);
    let segments = parse(&text, Dialect::Fences, &Languages::default(), true);
    assert_tiles(text.len(), &segments);
    let found = proposals(segments);
    assert_eq!(found.len(), count);
    assert!(found.iter().all(|b| b.closed && b.source == "x\n"));
}
