//! Tests the import of files that others wrote, including broken and hostile ones.

use super::{ImportError, read};
use crate::domain::{BlockKind, Languages};
use crate::engine::OpenedFile;
use std::path::Path;

fn opened(name: &str, text: &str) -> Result<OpenedFile, ImportError> {
    read(Path::new(name), text, &Languages::default())
}

/// Each block as language (or kind), place and text.
fn told(file: &OpenedFile) -> Vec<(String, String, String)> {
    let words = |block: &crate::engine::OpenedBlock| {
        let what = block.language.as_ref().map_or(block.kind.as_str(), |language| language.as_str());
        (format!("{} {what}", block.kind.as_str()), block.place.clone(), block.source.to_string())
    };
    file.blocks.iter().map(words).collect()
}

fn block(what: &str, place: &str, text: &str) -> (String, String, String) {
    (what.to_owned(), place.to_owned(), text.to_owned())
}

#[test]
fn a_notebook_is_its_cells() {
    let notebook = r##"{"nbformat": 4, "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "language": "python"}},
        "cells": [
            {"cell_type": "markdown", "source": ["# Sums\n", "of all"]},
            {"cell_type": "code", "source": "x = 1\nx", "outputs": [{"text": "never told"}]},
            {"cell_type": "code", "source": ["%%bash\n", "ls"]},
            {"cell_type": "code", "source": "%%script node\nconsole.log(1)"},
            {"cell_type": "code", "source": "%pip install pandas==2.2.1 six"},
            {"cell_type": "code", "source": "%pip install -r x.txt"},
            {"cell_type": "code", "source": "%%writefile a/b.md\n# B"},
            {"cell_type": "code", "source": "%%time\nx"},
            {"cell_type": "code", "source": "!ls -l"},
            {"cell_type": "code", "source": "x = 1\n!rm {x}"},
            {"cell_type": "code", "source": "%%html\n<b>"},
            {"cell_type": "code", "source": "def f(): 0", "metadata": {"sayso": {"kind": "setup"}}},
            {"cell_type": "code", "source": "%%sayso_bash\npwd"},
            {"cell_type": "code", "source": "%%sayso_write a b.md\nx\n\n"},
            {"cell_type": "code", "source": "%%writefile \"c d.sh\"\nls\n"},
            {"cell_type": "code", "source": "%%writefile -a e.sh\nls\n"},
            {"cell_type": "code", "source": "%%writefile {folder}/a.py\nx"},
            {"cell_type": "code", "source": "  \n"},
            {"cell_type": "raw", "source": "as it is"}]}"##;
    let file = opened("/tmp/sums.ipynb", notebook).unwrap();
    assert_eq!(
        told(&file),
        [
            block("code python", "cell 2 of sums.ipynb", "x = 1\nx"),
            block("code bash", "cell 3 of sums.ipynb", "ls"),
            block("code javascript", "cell 4 of sums.ipynb", "console.log(1)"),
            block("install python", "cell 5 of sums.ipynb", "pandas==2.2.1\nsix\n"),
            block("code python", "cell 6 of sums.ipynb", "%pip install -r x.txt"),
            block("write write", "cell 7 of sums.ipynb", "# B\n"),
            block(
                "code python",
                "cell 8 of sums.ipynb; magics of IPython are left out as remarks",
                "# %%time\nx"
            ),
            block("code bash", "cell 9 of sums.ipynb", "ls -l\n"),
            block(
                "code python",
                "cell 10 of sums.ipynb; line 2 is IPython's and no Python: edit it before it runs",
                "x = 1\n!rm {x}"
            ),
            block("code bash", "cell 13 of sums.ipynb", "pwd"),
            block("write write", "cell 14 of sums.ipynb", "x\n\n"),
            block("write write", "cell 15 of sums.ipynb", "ls\n"),
            block(
                "code python",
                "cell 16 of sums.ipynb; line 1 is IPython's and no Python: edit it before it runs",
                "%%writefile -a e.sh\nls\n"
            ),
            block(
                "code python",
                "cell 17 of sums.ipynb; line 1 is IPython's and no Python: edit it before it runs",
                "%%writefile {folder}/a.py\nx"
            ),
        ]
    );
    assert!(matches!(&file.blocks[11].kind, BlockKind::Write { path } if path == "c d.sh"));
    assert!(matches!(&file.blocks[5].kind, BlockKind::Write { path } if path == "a/b.md"));
    assert!(file.text.starts_with("sums.ipynb\n\n# Sums\nof all\n\n(block 1)\n\n(block 2)"), "{}", file.text);
    assert!(file.text.ends_with("as it is") && !file.text.contains("never told"));
}

#[test]
fn what_is_no_notebook_or_has_nothing_to_run_is_told() {
    assert!(matches!(opened("a.ipynb", "{"), Err(ImportError::NoNotebook(why)) if why.contains("line 1")));
    assert!(matches!(opened("a.ipynb", "[]"), Err(ImportError::NoNotebook(_))));
    assert_eq!(opened("a.ipynb", r#"{"nbformat": 3, "worksheets": []}"#), Err(ImportError::OldNotebook(3)));
    assert_eq!(opened("a.ipynb", r#"{"nbformat": 4, "cells": []}"#), Err(ImportError::NoBlocks));
    for (cell, told) in [
        (r#"{"source": "x"}"#, "cell 2 has no cell_type"),
        (
            r#"{"cell_type": "code", "source": [1]}"#,
            "cell 2 has a source that is no text and no list of texts",
        ),
        (
            r#"{"cell_type": "code", "source": {"a": 1}}"#,
            "cell 2 has a source that is no text and no list of texts",
        ),
        ("7", "cell 2 has no cell_type"),
    ] {
        let first = r#"{"cell_type": "code", "source": "x"}"#;
        let why =
            opened("a.ipynb", &format!(r#"{{"nbformat": 4, "cells": [{first}, {cell}]}}"#)).unwrap_err();
        assert_eq!(why.to_string(), format!("it is no Jupyter notebook: {told}"));
    }
    assert_eq!(opened("a.md", "only words\n\n```text\nx\n```\n"), Err(ImportError::NoBlocks));
    assert_eq!(opened("a.xyz", "x"), Err(ImportError::UnknownKind));
    assert_eq!(opened("a.md", &"```sh\nls\n```\n".repeat(1_001)), Err(ImportError::ManyBlocks(1_001)));
}

#[test]
fn markdown_is_its_fences_in_languages_that_can_be_run() {
    let text = "# T\n\n```python title=x\na = 1\n```\nmore\n\n```text\nout\n```\n\n- in a list:\n\n  ~~~{bash}\n  ls |\n    wc\n  ~~~\n\nend";
    let file = opened("t.md", text).unwrap();
    assert_eq!(
        told(&file),
        [
            block("code python", "line 3 of t.md", "a = 1\n"),
            block("code bash", "line 14 of t.md", "ls |\n  wc\n")
        ]
    );
    for kept in ["# T", "(block 1)", "more", "```text\nout\n```", "- in a list:", "(block 2)", "end"] {
        assert!(file.text.contains(kept), "{kept}: {}", file.text);
    }
    assert!(!file.text.contains("a = 1") && !file.text.contains("wc"));
}

/// Editors on Windows begin a file with such a mark.
#[test]
fn a_byte_order_mark_hides_nothing_of_the_first_line() {
    let fence = opened("t.md", "\u{feff}```python\na = 1\n```\nmore\n").unwrap();
    assert_eq!(told(&fence), [block("code python", "line 1 of t.md", "a = 1\n")]);
    let cell = opened("a.py", "\u{feff}# %% first\nx = 1\n").unwrap();
    assert_eq!((told(&cell)[0].2.as_str(), cell.blocks.len()), ("x = 1\n", 1));
    assert!(cell.text.contains("first"), "{}", cell.text);
    let notebook = r#"{"nbformat": 4, "cells": [{"cell_type": "code", "source": "x = 1"}]}"#;
    assert_eq!(opened("n.ipynb", &format!("\u{feff}{notebook}")).map(|file| file.blocks.len()), Ok(1));
}

#[test]
fn a_script_is_one_block_or_its_cells() {
    let whole = opened("a.py", "#!/usr/bin/env python3\nx = 1  # %% not a cell\n").unwrap();
    assert_eq!(told(&whole)[0].1, "all of a.py");
    let cells = "import os\n# %% [markdown]\n# # Title\n# words\n# %% first\nx = 1\n#%%\ny = 2\n";
    let file = opened("a.py", cells).unwrap();
    let sources: Vec<String> = told(&file).into_iter().map(|(_, _, source)| source).collect();
    assert_eq!(sources, ["import os\n", "x = 1\n", "y = 2\n"]);
    for part in ["# Title\nwords", "first\n\n(block 2)"] {
        assert!(file.text.contains(part), "{}", file.text);
    }
    // Nobody has to decide about the line that names the interpreter, and the first heading begins the first cell.
    let first = opened("a.py", "#!/usr/bin/env python3\n\n# %% first\nx = 1\n# %%\ny = 2\n").unwrap();
    let places: Vec<String> = told(&first).into_iter().map(|(_, place, _)| place).collect();
    assert_eq!(places, ["cell 1 of a.py", "cell 2 of a.py"]);
    let attribute = opened("a.rs", "#![allow(dead_code)]\n// %% all\nfn main() {}\n").unwrap();
    let sources: Vec<String> = told(&attribute).into_iter().map(|(_, _, source)| source).collect();
    assert_eq!(sources, ["#![allow(dead_code)]\n", "fn main() {}\n"]);
    assert_eq!(told(&opened("b.sh", "ls\n").unwrap())[0].0, "code bash");
    let node = opened("c.mjs", "// %%\nlet a = 1\n").unwrap();
    assert_eq!(told(&node)[0].2, "let a = 1\n");
}
