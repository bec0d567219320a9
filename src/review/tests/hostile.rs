//! Tests that texts that are made to be slow, nested deeply or odd end well.

use super::*;

/// Texts meant to make the review slow, or nested deeply, or large.
fn hostile(size: usize) -> Vec<(&'static str, String)> {
    let n = size;
    let mut texts = vec![
        ("python", "(".repeat(n)),
        ("python", "[".repeat(n / 2) + &"]".repeat(n / 2)),
        ("python", format!("x = {}", "f(".repeat(n / 3) + &")".repeat(n / 3))),
        ("python", format!("x = a{}", ".b".repeat(n / 2))),
        ("python", format!("x = 'a'{}", " + 'a'".repeat(n / 6))),
        ("python", "x = 'a'\n".to_owned() + &"x = x + x\n".repeat(n / 10)),
        ("python", "x = [1]\n".to_owned() + &"x = [x, x, x]\n".repeat(n / 14)),
        ("python", "x = os\n".to_owned() + &"x = x.path()\n".repeat(n / 13)),
        ("python", "def f():\n ".to_owned() + &"lambda: ".repeat(n / 8)),
        ("python", "import os\n".to_owned() + &"os.remove('a')\n".repeat(n / 15)),
        ("python", "os.system('".to_owned() + &"a;".repeat(n / 2) + "')"),
        ("python", "os.system('ls')\n".repeat(n / 16)),
        ("python", "if a:\n  pass\nelif".repeat(n / 17)),
        ("python", "\"\"\"'".repeat(n / 4)),
        ("python", "a\u{200b}".repeat(n / 4)),
        ("bash", "$(".repeat(n / 2)),
        ("bash", "a | ".repeat(n / 4)),
        ("bash", "`".repeat(n)),
        ("bash", "\"$(".repeat(n / 3)),
        ("bash", "cat <<E\n".repeat(n / 8)),
        ("bash", "X=a\n".to_owned() + &"X=\"$X$X\"\n".repeat(n / 9)),
        ("bash", "sudo ".repeat(n / 5)),
        ("bash", "if ".repeat(n / 3)),
        ("bash", "rm ".to_owned() + &"a* ".repeat(n / 3)),
        ("bash", "bash -c '".repeat(n / 9)),
        ("bash", "{".repeat(n)),
        ("bash", "((".repeat(n / 2)),
        ("bash", ("cd a && ".repeat(390) + "ls\n").repeat(n / 3120)),
        ("bash", format!("cd a || {}exit{}", "{ ".repeat(n / 4), "; }".repeat(n / 4))),
        ("javascript", "(".repeat(n)),
        ("javascript", "{".repeat(n)),
        ("javascript", "`${".repeat(n / 3)),
        ("javascript", "a=>".repeat(n / 3)),
        ("javascript", "x = 'a';".to_owned() + &"x = x + x;".repeat(n / 10)),
        ("javascript", "<a>".repeat(n / 3)),
        ("javascript", "a?.[".repeat(n / 4)),
        ("none", "\u{202e}".repeat(n / 3)),
        ("sql", "delete ".repeat(n / 7)),
        ("sql", "with a as (".repeat(n / 11)),
        ("sql", "'".repeat(n)),
        ("ruby", "system(".repeat(n / 7)),
        ("ruby", "`".repeat(n)),
        ("python", "!rm a\n".repeat(n / 6)),
        ("python", "x = …; ".repeat(n / 9)),
        ("python", ">>> a\nb = 1\n".repeat(n / 12)),
        ("python", "?a b\\\n".repeat(n / 7)),
        ("python", "!a \\\n".repeat(n / 5)),
        ("python", "x = !{f()}\n".repeat(n / 11)),
        ("python", "!a ".to_owned() + &"{f()}".repeat(n / 5)),
        ("python", "!a ".to_owned() + &"{x:{[".repeat(n / 5)),
        ("python", "%who {[\n".repeat(n / 8)),
        ("python", "x = '''\n".to_owned() + &"# '''; x = '''\n".repeat(n / 14)),
        ("python", "%%bash\n".to_owned() + &"rm (a; )\n".repeat(n / 9)),
        ("bash", "if [ \\( a \\) ]; then rm x; fi\n".repeat(n / 31)),
        ("bash", "time ( { ".repeat(n / 9)),
        ("bash", "coproc a ".repeat(n / 9)),
        ("bash", "x) a; 'b\n".repeat(n / 9)),
        ("javascript", "x = <a>b;\n".repeat(n / 10)),
        ("python", "while True:\n x.append(1)\n".repeat(n / 24)),
        ("python", "d = {}\n".to_owned() + &"d['k'] = d\nd.update(d)\n".repeat(n / 24)),
        ("javascript", "let l = ['a', 'b'];".to_owned() + &"if (x) { l.splice(1, 2, l) }\n".repeat(n / 30)),
    ];
    texts.extend(hostile_in_depth(n));
    for language in ["python", "bash", "javascript"] {
        texts.push((language, "\u{0}\u{1b}\\'\"${<<".repeat(n / 8)));
        texts.push((language, " ".repeat(n)));
        texts.push((language, "\n".repeat(n)));
    }
    texts
}

/// Texts whose patterns, values, commands or statements are nested deeply, or begin often and end nowhere.
fn hostile_in_depth(n: usize) -> Vec<(&'static str, String)> {
    vec![
        ("python", format!("{}a{} = x", "(".repeat(n / 3), ",)".repeat(n / 3))),
        ("javascript", format!("[a, {}b{}] = x", "[".repeat(n / 2), "]".repeat(n / 2))),
        ("javascript", format!("const {{a: {}b{}}} = x", "{a: ".repeat(n / 5), "}".repeat(n / 5))),
        ("python", {
            let deeper = format!("x = {}x{}\n", "[".repeat(40), "]".repeat(40));
            format!("x = 1\n{}def f():\n    return x\nf()\n", deeper.repeat(n / deeper.len()))
        }),
        ("python", {
            let (open, close) = ("[".repeat(40), "]".repeat(40));
            let function =
                |n: usize| format!("def f{}():\n return {open}f{n}(){close}\nf{}()\n", n + 1, n + 1);
            "def f0():\n return 1\n".to_owned() + &(0..n / 120).map(function).collect::<String>()
        }),
        ("bash", format!("cat a | {}cat{}", "{ ".repeat(n / 5), "; }".repeat(n / 5))),
        ("sql", "exe ".repeat(n / 4)),
        ("sql", "(vacuum ".repeat(n / 8)),
        ("ruby", "\\'\n".repeat(n / 3)),
        ("bash", format!("git -c 'alias.x={}'", "-c alias.x=".repeat(n / 11))),
        ("bash", "***********************x\n".repeat(n / 25)),
        ("bash", "cat <<E\nEx\n".repeat(n / 11)),
        ("bash", format!("{}{}{}", "(\n".repeat(180), "a\n".repeat(n / 4), ") <f\n".repeat(180))),
    ]
}

#[test]
fn characters_far_out_do_not_end_the_process() {
    for c in ['\u{10ffff}', '\u{59342}', '\u{e0041}', '漢'] {
        for text in ["{{c}}", "a{{c}..9}", "{1{c}", "echo ${{c}}", "cat <<{c}\n{c}\n"] {
            let text = text.replace("{c}", &c.to_string()).repeat(50);
            look("bash", &text);
        }
    }
    let review = look("bash", "rm -rf 'größe/漢字'");
    assert_eq!(review.findings.first().map(|f| f.message.as_str()), Some("deletes a folder: größe/漢字"));
}

#[test]
fn a_path_is_as_long_as_the_kernel_takes_it() {
    let key = |slashes: usize| format!("{}root/.ssh/id_rsa", "/".repeat(slashes));
    for slashes in [1, 1500, 4000] {
        let texts =
            [("bash", format!("cat {}", key(slashes))), ("python", format!("open('{}')", key(slashes)))];
        for (language, text) in texts {
            let findings = look(language, &text).findings;
            assert!(
                findings.iter().any(|f| f.severity == Severity::High),
                "{language} {slashes} {findings:?}"
            );
        }
    }
}

#[test]
fn hostile_texts_end_well() {
    for (language, text) in hostile(crate::test_cases::size(20_000)) {
        let review = look(language, &text);
        assert!(review.findings.len() <= MAX_FINDINGS);
    }
}
