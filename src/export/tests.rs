//! Tests each format on one session that has everything, including hostile text, and how keys are masked in it.

use super::document::{BlockPart, Document, DocumentPart, Picture, RunPart, StreamText};
use super::error::PictureError;
use super::markdown::inert;
use super::{ExportError, ExportFormat};
use crate::domain::{Masker, Stream, Timestamp};
use serde_json::Value;
use std::collections::BTreeSet;
use strum::VariantArray as _;

/// A key that matches no known pattern.
const KEY: &str = "correct-horse-battery";

fn ran(outcome: &str) -> RunPart {
    RunPart {
        by: "person".into(),
        version: Some("3.12.4".into()),
        outcome: outcome.into(),
        ended: "done, 3 ms".into(),
        ..RunPart::default()
    }
}

fn block(
    number: u32,
    what: &str,
    language: Option<&str>,
    source: &str,
    run: Option<RunPart>,
) -> DocumentPart {
    DocumentPart::Block(Box::new(BlockPart {
        block: number,
        label: language.unwrap_or(what).into(),
        kind: what.into(),
        language: language.map(Into::into),
        source: source.into(),
        unmasked: true,
        writes: Vec::new(),
        edited: false,
        own: false,
        decided: if run.is_some() { "approved (person)" } else { "rejected: <b>no</b>" }.into(),
        run,
    }))
}

/// A block that wrote this file.
fn writing(number: u32, path: &str, text: &str) -> DocumentPart {
    let mut write = block(number, "write", None, text, Some(ran("ok")));
    if let DocumentPart::Block(block) = &mut write {
        block.writes = vec![(path.into(), text.into())];
    }
    write
}

fn picture(mime: &str, written: bool, data: Result<&[u8], &str>) -> Picture {
    Picture {
        name: "figure\"><script>".into(),
        mime: mime.into(),
        width: 2,
        height: 2,
        written,
        path: "/none".into(),
        data: data.map(Into::into).map_err(|why: &str| PictureError::Unreadable(why.to_owned())),
    }
}

/// The cells of the document as a notebook, and the notebook.
fn notebook(document: &Document) -> (Vec<Value>, Value) {
    let (text, _) = document.write(ExportFormat::Notebook).unwrap();
    let notebook: Value = serde_json::from_str(&text).unwrap();
    (notebook["cells"].as_array().unwrap().clone(), notebook)
}

/// The text of a cell.
fn source(cell: &Value) -> String {
    cell["source"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

fn printing(text: &str) -> RunPart {
    RunPart { printed: vec![StreamText { stream: Stream::Stdout, text: text.into() }], ..ran("ok") }
}

fn with_all() -> Document {
    let hostile = "<script>alert(1)</script> <img src=http://e.org/x> ![p](http://e.org/p.png) \
                   [l](javascript:alert(1)) \u{202e}\u{1b}[2J";
    let shown = RunPart {
        value: Some("{'a': 1}".into()),
        pictures: vec![
            picture("image/png", false, Ok(b"\x89PNG")),
            picture("image/svg+xml", false, Err("SVG </p>")),
        ],
        files: vec!["created out.csv".into()],
        ..printing("10%\r100%\n\u{1b}[31mred\u{1b}[0m <b>\n")
    };
    let failed = RunPart {
        error: Some(("ZeroDivisionError".into(), "division by zero".into(), String::new())),
        ended: "failed, exit 1".into(),
        ..ran("failed")
    };
    let source = "from __future__ import annotations\nprint('''<b>''')\n";
    let installed = printing("Successfully installed pandas-2.2.1 six-1.16.0\n");
    Document {
        title: format!("sales {hostile}"),
        session: "01-a".into(),
        created: Some(Timestamp(0)),
        models: vec!["local/one".into()],
        parts: vec![
            DocumentPart::Asked { at: Timestamp(0), text: hostile.into(), files: vec!["a.csv".into()] },
            DocumentPart::Said {
                text: format!(
                    "# One\n\n{hostile}\n\n```python\nx = 1 # <i>\n```\n\n| a | b |\n|--|-:|\n| 1 | 2 |"
                ),
            },
            block(1, "install", Some("python"), "pandas\n", Some(installed)),
            block(2, "code", Some("python"), source, Some(shown)),
            block(3, "code", Some("python"), "1/0", Some(failed)),
            block(4, "code", Some("bash"), "echo 'a\\'\n", Some(printing("a\n"))),
            block(5, "code", Some("python"), "rm()", None),
            writing(6, "notes/a.md", "a\n```\nb\n"),
            block(7, "code", Some("c"), "int main(){return 0;}", Some(ran("ok"))),
            DocumentPart::Note { text: "The kernel was restarted.".into() },
        ],
    }
}

#[test]
fn markdown_and_script_are_as_they_were_read() {
    let (markdown, _) = with_all().write(ExportFormat::Markdown).unwrap();
    insta::assert_snapshot!("markdown", markdown);
    let (script, ending) = with_all().write(ExportFormat::Script).unwrap();
    assert_eq!(ending, "py");
    insta::assert_snapshot!("script", script);
}

#[test]
fn a_page_loads_and_runs_nothing_whatever_stands_in_it() {
    let (page, _) = with_all().write(ExportFormat::Html).unwrap();
    for acting in [
        "<script",
        "href=\"h",
        "href=\"j",
        "src=\"h",
        "<img src=h",
        "<b>",
        "<i>",
        "\u{1b}",
        "\u{202e}",
        "url(",
    ] {
        // Only the page's own style and headings are markup.
        assert!(!page.contains(acting), "{acting}\n{page}");
    }
    let addresses: Vec<&str> = page.match_indices("src=\"").map(|(at, _)| &page[at + 5..at + 20]).collect();
    assert_eq!(addresses, ["data:image/png;"]);
    for told in [
        "(javascript:alert(1))",
        "SVG &lt;/p&gt;",
        "class=\"c-",
        "100%\nred &lt;b&gt;",
        "<td class=\"right\">2",
    ] {
        assert!(page.contains(told), "{told}\n{page}");
    }
    // Every opened tag is closed, so no block leaks into the next.
    for name in ["section", "pre", "code", "span", "figure", "table", "tr", "td", "p", "ul", "li", "h3"] {
        let opened = page.matches(&format!("<{name}>")).count() + page.matches(&format!("<{name} ")).count();
        assert_eq!(opened, page.matches(&format!("</{name}>")).count(), "{name}");
    }
}

#[test]
fn a_notebook_has_a_cell_of_its_own_name_for_each_block() {
    let (cells, notebook) = notebook(&with_all());
    assert_eq!(notebook["metadata"]["kernelspec"]["name"], "python3");
    let ids: BTreeSet<&str> = cells.iter().map(|cell| cell["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), cells.len());
    let cell = |id: &str| cells.iter().find(|cell| cell["id"] == id).unwrap();
    let source = |id: &str| source(cell(id));
    assert_eq!(source("block-1"), "%pip install pandas==2.2.1 six==1.16.0");
    assert_eq!(source("block-4"), "%%sayso_bash\necho 'a\\'");
    assert_eq!(source("block-6"), "%%sayso_write notes/a.md\na\n```\nb\n");
    assert!(source("setup").contains("def _sayso_bash(") && cells[1]["id"] == "setup");
    assert_eq!(cell("block-3")["outputs"][0]["ename"], "ZeroDivisionError");
    assert_eq!(cell("block-2")["outputs"][1]["data"]["image/png"], "iVBORw==");
    let expected = (Some("markdown"), Some("markdown"));
    assert_eq!((cell("block-5")["cell_type"].as_str(), cell("block-7")["cell_type"].as_str()), expected);
}

#[test]
fn a_block_that_only_read_does_not_choose_the_kernel() {
    for what in ["read", "list"] {
        let parts = vec![
            block(1, what, None, "data", Some(ran("ok"))),
            block(2, "code", Some("r"), "x <- 1", Some(ran("ok"))),
        ];
        let (_, notebook) = notebook(&Document { parts, ..with_all() });
        assert_eq!(notebook["metadata"]["kernelspec"]["name"], "ir", "{what}");
    }
}

#[test]
fn what_a_cell_can_not_hold_as_it_is_is_written_by_a_call() {
    let written = |path: &str, text: &str| {
        let (cells, _) = notebook(&Document { parts: vec![writing(1, path, text)], ..with_all() });
        source(cells.iter().find(|cell| cell["id"] == "block-1").unwrap())
    };
    assert_eq!(written("a b/{c}.txt", "x\n\n"), "%%sayso_write a b/{c}.txt\nx\n\n");
    assert_eq!(written("a", "x"), "_sayso_write(\"a\", r'''x''')");
    assert_eq!(written("a", ""), "_sayso_write(\"a\", r'''''')");
    assert_eq!(written(" a", "x\n"), "_sayso_write(\" a\", r'''x\n''')");
    assert!(written("a", "x\r\n").starts_with("_sayso_write(\"a\", \"x\\U0000000d"));
}

#[test]
fn pictures_that_were_written_stand_below_their_cell() {
    let picture = |written| picture("image/png", written, Ok(b"\x89PNG"));
    let run = RunPart { pictures: vec![picture(true), picture(false)], ..ran("ok") };
    let parts = vec![block(1, "code", Some("python"), "plot()", Some(run))];
    let (cells, _) = notebook(&Document { parts, ..with_all() });
    let [_, cell, below] = &cells[..] else { panic!("{cells:?}") };
    assert_eq!(cell["outputs"].as_array().unwrap().len(), 1);
    assert_eq!(below["attachments"]["picture-1"]["image/png"], "iVBORw==");
    assert_eq!(below["source"][2], "![](attachment:picture-1)");
}

#[test]
fn a_script_holds_what_ran_or_is_refused() {
    let mut masked = with_all();
    for part in &mut masked.parts {
        if let DocumentPart::Block(block) = part {
            block.unmasked &= block.block != 2;
        }
    }
    assert!(matches!(masked.write(ExportFormat::Script), Err(ExportError::Masked(2))));
    let mut none = with_all();
    none.parts.retain(
        |part| !matches!(part, DocumentPart::Block(block) if block.ended_well() && block.kind != "install"),
    );
    assert!(matches!(none.write(ExportFormat::Script), Err(ExportError::NothingRan)));
    let bash =
        Document { parts: vec![block(1, "code", Some("bash"), "echo 1\n", Some(ran("ok")))], ..with_all() };
    let (text, ending) = bash.write(ExportFormat::Script).unwrap();
    assert_eq!(ending, "sh");
    let last = "\n# Block 1 (bash)\n_sayso_run <<'BLOCK_1'\necho 1\nBLOCK_1\n";
    assert!(text.starts_with("#!/usr/bin/env bash\n") && text.ends_with(last), "{text}");
}

#[test]
fn what_was_taken_back_is_told_in_every_form() {
    let run = RunPart { taken_back: Some("a.txt and 2 more".into()), ..ran("ok") };
    let document =
        Document { parts: vec![block(1, "code", Some("bash"), "echo >a.txt\n", Some(run))], ..with_all() };
    let told = [
        (ExportFormat::Markdown, "*Taken back afterwards: a.txt and 2 more*"),
        (ExportFormat::Html, "Taken back afterwards: a.txt and 2 more"),
        (ExportFormat::Json, "\"taken_back\": \"a.txt and 2 more\""),
        (ExportFormat::Notebook, "\"taken_back\": \"a.txt and 2 more\""),
        (
            ExportFormat::Script,
            "# Made again by it, though changes of it were taken back in the session: 1.\n",
        ),
    ];
    assert_eq!(told.len(), ExportFormat::VARIANTS.len());
    for (format, words) in told {
        let (text, _) = document.write(format).unwrap();
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn what_is_imported_and_was_not_installed_is_told_as_not_pinned() {
    let script =
        |parts: Vec<DocumentPart>| Document { parts, ..with_all() }.write(ExportFormat::Script).unwrap().0;
    let source = "import os, pandas as pd, matplotlib.pyplot as plt\nfrom yaml import load\nimport mine\n";
    let code = || block(2, "code", Some("python"), source, Some(ran("ok")));
    let text = script(vec![writing(3, "mine.py", "x = 1\n"), code()]);
    // An environment that `uv` builds from a header would lack the imported packages.
    assert!(!text.contains("# /// script") && text.contains("# It ran on Python 3.12.\n"), "{text}");
    assert!(text.contains("environment had it: matplotlib, pandas, pyyaml.\n"), "{text}");
    let installed = block(1, "install", Some("python"), "pandas\n", Some(printing(" + pandas==2.2.1\n")));
    let text = script(vec![installed, code()]);
    assert!(text.contains("#   \"pandas==2.2.1\",\n# ]\n# ///\n# Not pinned"), "{text}");
    assert!(text.contains("environment had it: matplotlib, mine, pyyaml.\n"), "{text}");
}

#[test]
fn keys_are_named_wherever_they_stand_and_masked_in_every_form() {
    let masker = Masker::knowing([KEY.into()]);
    let mut clean = with_all();
    assert!(clean.secrets(&masker).is_empty());
    let mut printed = printing(&format!("{KEY} {KEY}"));
    printed.value = Some(KEY.into());
    let mut document = Document {
        title: KEY.into(),
        parts: vec![
            DocumentPart::Asked { at: Timestamp(0), text: format!("use {KEY}"), files: vec![KEY.into()] },
            DocumentPart::Said { text: KEY.into() },
            block(3, "code", Some("python"), &format!("k = '{KEY}'"), Some(printed)),
        ],
        ..with_all()
    };
    let secrets = document.secrets(&masker);
    let told: Vec<(&str, usize)> =
        secrets.iter().map(|secret| (secret.place.as_str(), secret.count)).collect();
    assert_eq!(
        told,
        [
            ("the name", 1),
            ("message 1", 2),
            ("the model's words, 1", 1),
            ("block 3's code", 1),
            ("block 3's output", 3)
        ]
    );
    let masked = masker.mask(document).into_inner();
    for format in ExportFormat::VARIANTS {
        let (text, _) = masked.write(*format).unwrap();
        assert!(!text.contains(KEY), "{format}");
        assert!(text.contains("[redacted]"), "{format}");
    }
}

#[test]
fn markdown_that_is_handed_on_loads_nothing() {
    let live = [
        "a ![p](http://e.org/p.png) b",
        "<div>\n<img src=x>\n<script>1</script>\n</div>\n\n![x][y]\n\n[y]: http://e.org/y.png",
        "[![p](http://e.org/a.png)](http://e.org)",
        "- <!-- c --> <a href=x>",
        "\\![p](x) \\\\![p](x)",
    ];
    for text in live {
        let safe = inert(text);
        assert!(!is_live(&safe), "{safe}");
    }
    assert_eq!(inert("`<b>` and ![no picture]"), "`<b>` and \\![no picture]");
    for still in [
        "`<b>` and `![p](x)`",
        "a <https://e.org/> b, $x<y$",
        "- [ ] x",
        "```html\n<img src=x>\n![p](x)\n```\n",
        "1 < 2 & 3",
    ] {
        assert_eq!(inert(still), still);
    }
}

/// Whether anything in this Markdown would be loaded, or is a tag, for programs with and without tables.
fn is_live(text: &str) -> bool {
    use pulldown_cmark::{Event, Options, Parser, Tag};
    [Options::empty(), Options::ENABLE_TABLES].into_iter().any(|options| {
        Parser::new_ext(text, options).any(|event| {
            matches!(event, Event::Html(_) | Event::InlineHtml(_) | Event::Start(Tag::Image { .. }))
        })
    })
}

/// The texts of the headings of the second level.
fn headings(text: &str) -> Vec<String> {
    use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd};
    let (mut headings, mut is_open) = (Vec::<String>::new(), false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::Heading { level: HeadingLevel::H2, .. }) => {
                headings.push(String::new());
                is_open = true;
            }
            Event::End(TagEnd::Heading(_)) => is_open = false,
            Event::Text(text) if is_open => headings.last_mut().unwrap().push_str(&text),
            _ => {}
        }
    }
    headings
}

/// Exports replies with these texts, each before a prompt with the same text, and checks all that would be rendered.
fn assert_nothing_is_live(replies: &[String]) {
    let mut parts = Vec::new();
    for reply in replies {
        parts.push(DocumentPart::Said { text: reply.clone() });
        parts.push(DocumentPart::Asked { at: Timestamp(0), text: reply.clone(), files: Vec::new() });
    }
    let document = Document { title: "t".into(), parts, ..with_all() };
    let (markdown, _) = document.write(ExportFormat::Markdown).unwrap();
    assert!(!is_live(&markdown), "{replies:?} -> {markdown}");
    let asked = headings(&markdown).iter().filter(|heading| heading.starts_with("You, 1970")).count();
    assert_eq!(asked, replies.len(), "{replies:?} -> {markdown}");
    for cell in notebook(&document).0 {
        let text = source(&cell);
        assert!(!is_live(&text), "{replies:?} -> {text}");
    }
}

#[test]
fn nothing_is_live_in_a_whole_document() {
    let documents: [&[&str]; 11] = [
        &["<script>x</script> ![one](http://evil.example/1.png)"],
        &["<div>\\<img src=http://evil.example/2.png>"],
        &["![three][r3]", "[r3]: http://evil.example/3.png"],
        &["![three][r\\]3]", "> - [\nr\\]3\n]: http://evil.example/3.png"],
        &["~~~", "a"],
        &["- a\n\n  ```\n  b", "````` \n ``` ", "> ~~~\n> c"],
        &["<!-- a", "-->", "<?php", "<![CDATA["],
        &["<source\n`><img src=x>`"],
        &["| ` | ` ![x](http://evil.example/4.png) ` |\n|--|--|"],
        &["\t<img src=x>", "a\n\n\t<img src=x>"],
        &["`<b>\n![x](y)`", "[`]: x\n![x](y)`"],
    ];
    for replies in documents {
        assert_nothing_is_live(&replies.iter().map(|reply| (*reply).to_owned()).collect::<Vec<_>>());
    }
}

#[test]
fn what_is_escaped_reads_as_before_and_open_code_is_closed() {
    for (text, safe) in [
        ("a\n\n~~~~ b\nc", "a\n\n~~~~ b\nc\n~~~~"),
        ("<script>x</script> ![a](b)", "&lt;script>x&lt;/script> \\![a](b)"),
        ("<div>\\<img src=a>", "&lt;div>&lt;img src=a>"),
        ("[a]: http://e.org", "[a]\\: http://e.org"),
    ] {
        assert_eq!(inert(text), safe);
    }
}

/// Pieces that change how the rest of a text is read, in one way or another.
const CONSTRUCTS: &[&str] = &[
    "<div>",
    "</div>",
    "<script>",
    "</script>",
    "<!--",
    "-->",
    "<img src=http://e.org/a>",
    "\\",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "![a](http://e.org/b)",
    "![a][b]",
    "![b]",
    "[b]: http://e.org/c",
    "> ",
    "- ",
    "1. ",
    "    ",
    "\t",
    "| a | b |\n|--|--|\n",
    "$",
    "# ",
    "<http://e.org>",
    "a",
];

proptest::proptest! {
    #[test]
    fn nothing_is_live_whatever_is_joined(
        replies in proptest::collection::vec(
            proptest::collection::vec(proptest::sample::select(CONSTRUCTS), 1..10),
            1..4,
        )
    ) {
        assert_nothing_is_live(&replies.iter().map(|pieces| pieces.concat()).collect::<Vec<_>>());
    }

    #[test]
    fn no_markdown_is_live_once_it_is_handed_on(text in "[!<>a/\\[\\]()\\\\`\n -]{0,40}") {
        let safe = inert(&text);
        assert!(!is_live(&safe), "{text:?} -> {safe:?}");
    }
}

#[test]
fn json_does_nothing_in_a_terminal() {
    let mut document = with_all();
    let text = "\u{7f}\u{9b}31m\u{202e}\u{2066} \u{e9}";
    document.parts.push(block(9, "code", Some("python"), text, Some(ran("ok"))));
    let is_active =
        |c: char| c == '\u{7f}' || ('\u{80}'..='\u{9f}').contains(&c) || "\u{202e}\u{2066}".contains(c);
    for format in [ExportFormat::Json, ExportFormat::Notebook] {
        let (written, _) = document.write(format).unwrap();
        assert!(!written.contains(is_active) && written.contains("\\u009b31m\\u202e"), "{written}");
        let read: Value = serde_json::from_str(&written).unwrap();
        assert!(read.to_string().contains(text));
    }
}

/// The cells of a notebook with these blocks, without its title: the kind and the text of each.
fn cells(parts: Vec<DocumentPart>) -> Vec<(String, String)> {
    let (cells, _) = notebook(&Document { parts, ..with_all() });
    let of = |cell: &Value| (cell["cell_type"].as_str().unwrap().to_owned(), source(cell));
    cells.iter().skip(1).map(of).collect()
}

#[test]
fn a_line_that_was_no_command_becomes_none_in_a_notebook() {
    let failed = || RunPart {
        error: Some(("SyntaxError".into(), "invalid syntax".into(), String::new())),
        ..ran("failed")
    };
    let of = |language: &str, source: &str, run: RunPart| {
        cells(vec![block(1, "code", Some(language), source, Some(run))]).pop().unwrap()
    };
    for source in ["!touch pwn2", "# fine\n%%bash\ntouch pwn3", "rm -rf a"] {
        let all = cells(vec![block(1, "code", Some("python"), source, Some(failed()))]);
        let [setup, (kind, text)] = all.as_slice() else { panic!("{all:?}") };
        assert!(setup.0 == "code" && setup.1.contains("def _sayso_python("), "{}", setup.1);
        assert_eq!((kind.as_str(), text.as_str()), ("code", &*format!("%%sayso_python\n{source}")));
    }
    let called = of("python", "x = '''\n>>> !ls'''", ran("ok"));
    assert_eq!(called.1, "_sayso_python(\"block_1\", \"x = '''\\n>>> !ls'''\")");
    for source in ["await f()\n!ls", "get_ipython().system('ls')"] {
        assert_eq!(of("python", source, failed()).0, "markdown", "{source}");
    }
    // An IPython that waits outside of functions finds no command in what Python has read.
    let awaited = of("python", "x = await f()\nprint(f\"{x=!r}\")", ran("ok"));
    assert_eq!(awaited, ("code".to_owned(), "x = await f()\nprint(f\"{x=!r}\")".to_owned()));
    // In a Jupyter kernel such a line was a command.
    let in_jupyter = RunPart { in_jupyter: true, ..ran("ok") };
    assert_eq!(of("python", "!ls", in_jupyter), ("code".to_owned(), "!ls".to_owned()));
    // To Python `\r\n` is one line end, to bash the `\r` is a character.
    assert_eq!(of("python", "x = 1\r\nx\r\n", ran("ok")).1, "x = 1\r\nx");
    assert_eq!(of("python", "!ls\r\n", failed()).1, "%%sayso_python\n!ls");
    assert_eq!(of("bash", "echo a\r\n", ran("ok")).1, "%%sayso_bash\necho a\r");
    assert_eq!(of("bash", ">>> touch a", failed()).0, "markdown");
    assert_eq!(of("julia", ";touch a", failed()).0, "markdown");
}
