//! Tests that notebook syntax is read as IPython reads it, or reported as not read. The expected results are what
//! IPython 8 was seen to do.

use super::unread::{deletes, unread};
use super::*;

#[test]
fn lines_of_notebooks_are_read_as_what_they_are() {
    for (source, line) in [
        ("!rm -rf x", 1),
        ("a = 1\nif a:\n    !!rm -rf x\n", 3),
        ("!ls \\\n  ; rm -rf x\n", 2),
        ("x=!rm -rf x\n", 1),
        ("a.b, c[0] = %sx rm -rf x\n", 1),
        ("!echo {__import__('shutil').rmtree('x')}\n", 1),
        ("%time \\\nos.remove('x')\n", 2),
        ("import os as o\n%timeit -n 5 -r1 o.remove('x')\n", 2),
        ("x = %timeit -o __import__('os').remove('x')\n", 1),
        ("%config A.b = __import__('os').remove('x')\n", 1),
        ("%rm -rf x\n", 1),
        ("%%bash\nrm -rf x\n", 2),
        ("\n# a note\n%%bash -e\nrm -rf x\n", 4),
        ("%%script --bg bash\nrm -rf x\n", 2),
        ("%%python3\nimport os\nos.remove('x')\n", 3),
        ("%%time\nimport os\nos.remove('x')\n", 3),
        ("%%timeit import os\nos.remove('x')\n", 2),
        ("%%capture out\nimport os\nos.remove('x')\n", 3),
        ("%%sx rm -rf x\n", 1),
        ("%%sayso_bash\nrm -rf x\n", 2),
        ("%%sayso_python\nimport os\nos.remove('x')\n", 3),
    ] {
        let review = look("python", source);
        assert_eq!(deletes(&review), [line], "{source} {:?} {:?}", told(&review), review.unchecked);
        assert_eq!(unread(&review), [0; 0], "{source} {:?}", told(&review));
    }
    let review = look("python", "%sql DROP TABLE a\n");
    assert!(review.gravest() > Some(Severity::Info), "{:?}", told(&review));
    let review = look("python", "%env LD_PRELOAD=./x.so\n");
    assert!(review.gravest() > Some(Severity::Info), "{:?}", told(&review));
    let review = look("python", "%cd /etc\nopen('hosts', 'w')\n");
    assert!(review.effects.writes.contains(&"/etc/hosts".to_owned()), "{:?}", review.effects);
    assert!(look("python", "%run x.py\n").effects.programs.iter().any(|name| name == "python3"));
    for magic in ["writefile", "sayso_write"] {
        let written = look("python", &format!("%%{magic} a.txt\nx = [1, …]\n"));
        assert_eq!((written.effects.writes, written.unchecked), (vec!["a.txt".to_owned()], None), "{magic}");
    }
}

#[test]
fn lines_of_notebooks_that_nobody_knows_are_told() {
    for source in [
        "%store x >> f",
        "%nothing",
        "%%R\nx",
        "%%html\n<p>",
        "x = 1\n%%bash\nls\n",
        ";f x",
        "/f x",
        ",f x",
        "%lprun -f __import__('os').remove('x') f()\n",
    ] {
        assert!(!unread(&look("python", source)).is_empty(), "{source}");
    }
    for source in
        ["%%ruby\nFileUtils.rm_rf('x')\n", "%%bash -c 'rm -rf x'\necho\n", "%lprun -f os.remove('x') f()\n"]
    {
        let review = look("python", source);
        assert!(!unread(&review).is_empty() && !deletes(&review).is_empty(), "{source} {:?}", told(&review));
    }
}

/// `os.remove` as one expression.
const GONE: &str = "__import__('os').remove('x')";

#[test]
fn a_line_goes_on_only_where_ipython_goes_on() {
    let befores = ["!echo '", "x = !echo '", "%time '", "%ls '"];
    // With a blank after the backslash, the next line is Python.
    for end in ["\\ \n", "\\\t\n", "\\\r\n"] {
        for before in befores {
            let review = look("python", &format!("{before}{end}{GONE} #'\n"));
            assert_eq!(deletes(&review), [2], "{before:?} {end:?} {:?}", told(&review));
        }
    }
    // IPython ends the line here, too.
    for end in ["\r", "\\\r", "\u{b}", "\u{c}", "\u{1c}", "\u{85}", "\u{2028}"] {
        for before in befores.into_iter().chain(["%%prun x #", "%%timeit x #"]) {
            let review = look("python", &format!("{before}{end}{GONE} #'\n"));
            assert_eq!(unread(&review).first(), Some(&1), "{before:?} {end:?} {:?}", told(&review));
        }
    }
    // More lines than are joined into one.
    let review = look("python", &format!("!echo \\\n{}reboot\n", "a \\\n".repeat(150)));
    assert_eq!(unread(&review).first(), Some(&1), "{:?}", told(&review));
    assert_eq!(look("python", "!ls \t\n!ls \\\n  a \r\n%time f() \n").unchecked, None);
    let review = look("python", &format!("%%writefile a.txt\r{GONE}\n"));
    assert_eq!(review.effects.writes, ["a.txt"]);
    assert_eq!(deletes(&look("python", "!ls \\\n  ; rm -rf x\n")), [2]);
}

#[test]
fn what_looks_like_an_option_and_is_none_is_python() {
    for before in
        ["%time -", "x = %time -", "%%time -", "%time --", "%timeit -n 5 -", "x = %prun -q -", "%time -n 5 -"]
    {
        let review = look("python", &format!("{before}{GONE}\n"));
        assert!(!deletes(&review).is_empty() || !unread(&review).is_empty(), "{before} {:?}", told(&review));
    }
    for before in ["%time -", "x = %time -", "%time - ", "%time --no-raise-error ", "%timeit -n5 -r 2 -t -q "]
    {
        let review = look("python", &format!("{before}{GONE}\n"));
        assert_eq!((deletes(&review), unread(&review)), (vec![1], vec![]), "{before} {:?}", told(&review));
    }
    // IPython parses options word by word, so with unknown options nobody knows what would run.
    for source in [
        "%timeit -qn5 f()",
        "%timeit -x f()",
        "%prun -l f() g()",
        "x = %timeit -n f() g()",
        "%time x = '--no-raise-error'",
    ] {
        assert_eq!(unread(&look("python", source)).first(), Some(&1), "{source}");
    }
}

#[test]
fn python_in_braces_is_read_wherever_ipython_evaluates_it() {
    for (source, line) in [
        ("%matplotlib {GONE}", 1),
        ("%who {GONE}", 1),
        ("%cd {GONE}", 1),
        ("%env A={GONE}", 1),
        ("%pinfo {GONE}", 1),
        ("%run {GONE}", 1),
        ("%ls {GONE}", 1),
        ("%sql {GONE}", 1),
        ("%memit f('{GONE}')", 1),
        ("%nothing {GONE}", 1),
        ("x = %sx ls {GONE}", 1),
        ("%%capture {GONE}\nx", 1),
        ("%%markdown {GONE}\nx", 1),
        ("%%bash --out {GONE}\nls", 1),
        ("%%sx\nls {GONE}", 2),
        ("%%writefile {GONE}\nx", 1),
        ("!echo '${GONE}'", 1),
        ("!echo {{{GONE}}}", 1),
        ("!echo {[GONE for _ in {1}][0]}", 1),
        ("!echo { GONE!r}", 1),
        ("!echo {(lambda:GONE)()}", 1),
        ("!echo \\\n {str(\\\n GONE)}", 3),
    ] {
        let source = source.replace("{GONE", &format!("{{{GONE}")).replace("GONE", GONE);
        let review = look("python", &source);
        assert!(deletes(&review).contains(&line), "{source} {:?} {:?}", deletes(&review), told(&review));
    }
    // IPython evaluates nothing here: doubled braces are literal, and these magics take their line verbatim.
    for source in [
        format!("!echo '{{{{{GONE}}}}}'"),
        format!("%time \"{{{GONE}}}\""),
        format!("%timeit \"{{{GONE}}}\""),
    ] {
        let review = look("python", &source);
        assert_eq!((deletes(&review), unread(&review)), (vec![], vec![]), "{source} {:?}", told(&review));
    }
    // Braces of a shell and of its programs are no Python.
    for source in [
        "!echo ${HOME} ${X:-$(date)} a{b,c} a{1..3} {x}",
        "!find . -exec ls {} \\;",
        "!awk '{print toupper($1)}' a.txt",
        "!git show HEAD@{1}",
    ] {
        assert_eq!(unread(&look("python", source)), [0; 0], "{source}");
    }
    assert_eq!(deletes(&look("python", "!awk 'BEGIN{system(\"rm -rf x\")}'\n")), [1]);
}

/// Braces that Python can't evaluate are left to the shell by IPython.
#[test]
fn braces_that_are_no_python_hide_nothing_from_the_shell() {
    for command in [
        "echo {x|rm -rf y|cat}",
        "echo {x||rm -rf y||cat}",
        "echo {x&rm -rf y&cat}",
        "echo {x;rm -rf y;cat}",
        "echo {`rm -rf y`}",
        "echo {a,\"$(rm -rf y)\"}",
        "echo {\"$(rm -rf y)\"}",
        "{rm,-rf,y}",
        "{rm,-rf,\"y()\"}",
    ] {
        for source in [format!("!{command}"), format!("x = !{command}"), format!("%sx {command}")] {
            let review = look("python", &source);
            let is_told = !deletes(&review).is_empty() || !unread(&review).is_empty();
            assert!(is_told, "{source} {:?} {:?}", told(&review), review.effects);
        }
    }
    let review = look("python", "!echo {x>/home/ann/.bashrc}\n");
    assert!(review.gravest() >= Some(Severity::Medium), "{:?} {:?}", told(&review), review.effects);
    // What only Python can evaluate is a value.
    for source in ["!cp {os.path.join(a, b)} c", "!ls {files[0]} {a['b']} {x.y!r} {f(1, 2)}"] {
        assert_eq!(unread(&look("python", source)), [0; 0], "{source}");
    }
}

#[test]
fn a_text_that_a_magic_would_begin_hides_no_lines_behind_it() {
    for magic in ["%time x = ", "%timeit ", "%config A.b = ", "%prun "] {
        for quotes in ["'''", "\"\"\""] {
            let source = format!("import os\n{magic}{quotes}\nos.remove('x') #{quotes}\n");
            let review = look("python", &source);
            assert!(deletes(&review).contains(&3), "{source} {:?}", told(&review));
            assert_eq!(unread(&review).first(), Some(&2), "{source} {:?}", told(&review));
        }
    }
}

#[test]
fn magics_that_write_read_or_load_are_not_quiet() {
    for source in [
        "%history -f x.txt",
        "%hist -nf x.txt",
        "%history -fx.txt",
        "%load x.py",
        "%load http://example.com/x.py",
        "%matplotlib module://evil",
        "%aimport {x}",
        "%aimport a b",
        "%%writefile a b\nx",
        "%%writefile --append\nx",
    ] {
        assert_eq!(unread(&look("python", source)).first(), Some(&1), "{source}");
    }
    for source in ["%history", "%hist -n 1-5", "%load", "%aimport", "%aimport -os", "%matplotlib inline"] {
        assert_eq!(look("python", source).unchecked, None, "{source}");
    }
    let writes = |source: &str| look("python", source).effects.writes;
    assert_eq!(writes("%prun -T out.txt f()"), ["out.txt"]);
    assert_eq!(writes("%prun -D a/out.prof -l 5 f()"), ["a/out.prof"]);
    assert_eq!(writes("%prun -Tout.txt f()"), ["out.txt"]);
    assert_eq!(writes("x = %prun -r -T out.txt f()"), ["out.txt"]);
    assert_eq!(writes("%%prun -T out.txt\nf()"), ["out.txt"]);
    assert_eq!(writes("%lprun -f f -T out.txt f()"), ["out.txt"]);
    for source in ["%%writefile --append a.txt\nx", "%%writefile a.txt -a\nx", "%%writefile 'a.txt'\nx"] {
        assert_eq!(writes(source), ["a.txt"], "{source}");
    }
    let review = look("python", "%%writefile --append /home/ann/.bashrc\nx");
    assert!(review.gravest() == Some(Severity::High), "{:?}", told(&review));
    for source in [
        "%%writefile {path}\nx",
        "%%writefile $path\nx",
        "%%writefile '$path'\nx",
        "%%writefile {a.b}/c.txt\nx",
    ] {
        let review = look("python", source);
        assert!(review.effects.unknown, "{source} {:?}", review.effects);
        assert!(
            !review.effects.writes.iter().any(|path| path.contains(['{', '$'])),
            "{source} {:?}",
            review.effects
        );
    }
    let plain = look("python", "import evil\n").effects;
    assert_eq!(look("python", "%aimport evil, -os\n").effects, plain);
}
