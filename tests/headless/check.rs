//! `sayso check`: lines for people, JSON, SARIF, many files, own rules, what is forbidden.

use crate::home::Home;
use crate::schema;
use serde_json::{Value, json};

/// The schema of OASIS for SARIF 2.1.0, as it was published (© OASIS Open; may be copied and given on as it is).
const SARIF: &str = include_str!("../fixtures/sarif/sarif-schema-2.1.0.json");

#[test]
fn the_line_of_code_is_shown_with_the_place() {
    let home = Home::new();
    home.file("a.py", "import os\nos.remove('a.txt')\n");
    home.file("b.sql", "SELECT 1;\n");
    let done = home.run(&["check", "a.py", "b.sql"]);
    assert_eq!(done.code, Some(0), "{}", done.err);
    let wanted = "a.py:2:1: MEDIUM py.delete-file: deletes a file: a.txt\n  2 | os.remove('a.txt')\n    | ^^^^^^^^^^^^^^^^^^\n\
                  b.sql: no findings\n2 files: 0 high, 1 medium, 0 info\n";
    assert_eq!(done.out, wanted);
    assert_eq!(home.run(&["check", "--fail-on", "medium", "a.py"]).code, Some(1));
    assert_eq!(home.run(&["check"]).code, Some(2));
    assert_eq!(home.run(&["check", "--language", "pyhton", "a.py"]).code, Some(2));
}

#[test]
fn sarif_fits_its_schema() {
    let home = Home::new();
    std::fs::create_dir(home.work().join("dir")).unwrap();
    home.file("dir/ü b.py", "import shutil\nshutil.rmtree('out')\nx = 'a\u{202e}b'\n");
    home.file("dir/a.rb", "system('ls')\n");
    home.file("dir/clean.py", "print(1)\n");
    let done = home.run(&["check", "--sarif", "dir"]);
    assert_eq!(done.code, Some(1), "{}", done.err);
    let log: Value = serde_json::from_str(&done.out).unwrap();
    let schema: Value = serde_json::from_str(SARIF).unwrap();
    assert_eq!(schema::problems(&schema, &log), Vec::<String>::new());
    let run = &log["runs"][0];
    let first = run["results"].as_array().unwrap().iter().find(|r| r["ruleId"] == "py.delete-tree").unwrap();
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(
        (&first["level"], &place["artifactLocation"]["uri"]),
        (&json!("error"), &json!("dir/%C3%BC%20b.py"))
    );
    assert_eq!(place["region"], json!({ "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 21 }));
    let index = usize::try_from(first["ruleIndex"].as_u64().unwrap()).unwrap();
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "py.delete-tree");
    let notes = run["invocations"][0]["toolExecutionNotifications"].as_array().unwrap();
    assert!(notes.iter().any(|n| n["message"]["text"].as_str().unwrap().contains("no grammar for ruby")));
    // The judge can say no.
    let mut broken = log.clone();
    broken["runs"][0]["results"][0]["level"] = json!("grave");
    broken["runs"][0]["surprise"] = json!(1);
    assert_eq!(schema::problems(&schema, &broken).len(), 2);
}

#[test]
fn what_cant_be_read_does_not_keep_the_others() {
    let home = Home::new();
    home.file("a.py", "import os\nos.remove('a.txt')\n");
    std::fs::write(home.work().join("b.py"), b"\x7fELF\0\0").unwrap();
    std::os::unix::fs::symlink(".", home.work().join("round")).unwrap();
    let done = home.run(&["check", "gone.py", "a.py", "b.py", "round"]);
    assert_eq!(done.code, Some(2));
    assert!(done.err.contains("gone.py can't be read"), "{}", done.err);
    assert!(
        done.out.contains("a.py:2:1: MEDIUM") && done.out.contains("b.py: not checked: it is no text"),
        "{}",
        done.out
    );
}

#[test]
fn own_rules_hold_and_wrong_ones_are_named() {
    let home = Home::new();
    let folder = home.sayso().join("rules");
    std::fs::create_dir_all(&folder).unwrap();
    let rule = "language = \"python\"\n[[rule]]\nid = \"team.no-print\"\nseverity = \"high\"\ncalls = [\"print\"]\ntarget = [\"0\"]\n\
                message = \"prints {target}\"\nreason = \"We log.\"\nmatches = [\"print('a')\"]\nnear_misses = [\"log('a')\"]\n";
    std::fs::write(folder.join("team.toml"), rule).unwrap();
    std::fs::write(folder.join("wrong.toml"), "language = \"python\"\n[[rule]]\nidd = 3\n").unwrap();
    home.file("a.py", "print('x')\n");
    let done = home.run(&["check", "a.py"]);
    assert_eq!(done.code, Some(1));
    assert!(done.out.contains("HIGH team.no-print: prints x"), "{}", done.out);
    assert!(done.err.contains("wrong.toml:3"), "{}", done.err);
    let listed = home.run(&["check", "--rules", "--json"]).json().remove(0);
    let rules = listed["rules"].as_array().unwrap();
    assert!(rules.len() > 150 && rules.iter().any(|r| r["id"] == "team.no-print"), "{}", rules.len());
    assert!(home.run(&["check", "--rules"]).out.contains("py.delete-tree"));
}

#[test]
fn what_is_forbidden_fails_in_any_spelling() {
    let home = Home::new();
    std::fs::create_dir_all(home.sayso()).unwrap();
    std::fs::write(
        home.sayso().join("config.toml"),
        "[review]\nprofile = \"strict\"\nforbid = [\"pandas.read_csv\"]\n",
    )
    .unwrap();
    for (name, text) in [
        ("a.py", "from os import system as s\ns('ls')\n"),
        ("b.py", "import urllib.request as u\n"),
        ("c.py", "m = __import__('ct' + 'ypes')\n"),
        ("d.py", "import pandas as pd\npd.read_csv('a.csv')\n"),
        ("e.sh", "curl https://example.com\n"),
        ("f.js", "const { exec: x } = require('child_process');\n"),
    ] {
        home.file(name, text);
        let done = home.run(&["check", "--json", name]);
        assert_eq!(done.code, Some(1), "{name} {}", done.out);
        let findings = done.json()[0]["files"][0]["findings"].clone();
        assert!(findings.as_array().unwrap().iter().any(|f| f["forbidden"] == true), "{name} {findings}");
    }
    home.file("good.py", "import math\nimport pandas as pd\nprint(math.sqrt(2), pd.Series([1]).sum())\n");
    let done = home.run(&["check", "good.py"]);
    assert_eq!(done.code, Some(0), "{}", done.out);
}
