use super::*;
use crate::python::merge::with_function;
use proptest::prelude::*;

const GOOD: &str = "\"\"\"Rates.\"\"\"\nimport math\nfrom pathlib import Path\n\nLIMIT: int = 60 * 60\nNAMES = ('a', 'b')\n\n\
    def rate(n: int, unit: str = 'm', *, path: Path = Path('.'), top: int = LIMIT) -> float:\n    '''Tells the rate.\n\n    \
    More.'''\n    def helper(x):\n        return print(x)\n    return n / 2\n";

fn flaws(source: &str) -> Vec<String> {
    examine(source).err().unwrap_or_default().iter().map(ToString::to_string).collect()
}

#[test]
fn one_function_is_read() {
    let defined = examine(GOOD).unwrap();
    let function = &defined.function;
    assert_eq!(function.name, "rate");
    assert_eq!(
        function.signature,
        "rate(n: int, unit: str = 'm', *, path: Path = Path('.'), top: int = LIMIT) -> float"
    );
    assert!(function.doc.starts_with("Tells the rate."));
    let names: Vec<&str> = function.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["n", "unit", "path", "top"]);
    assert_eq!(
        defined.expressions,
        [("path".into(), "Path('.')".into()), ("top".to_owned(), "LIMIT".to_owned())]
    );
    assert!(
        !defined.is_async && examine("async def f() -> int:\n    'A.'\n    return 1\n").unwrap().is_async
    );
    assert!(examine("@functools.cache\ndef f() -> int:\n    'A.'\n    return 1\n").is_ok());
    assert!(examine("def f(n: int) -> int:\n    r'''A \\d.'''\n    return 1").is_ok());
}

#[test]
fn each_flaw_is_told_with_its_line() {
    let fine = "def f(n: int) -> int:\n    'A.'\n    return n\n";
    for (source, told) in [
        ("x = 1\n".to_owned(), "line 1: there is no function"),
        (format!("{fine}\ndef g() -> int:\n    'B.'\n    return 2\n"), "line 5: g is a second function"),
        (format!("{fine}print(f(1))\n"), "line 4: `print(f(1))` would run when the function is defined"),
        (format!("{fine}f(1)\n"), "line 4: `f(1)` would run"),
        (
            format!("{fine}if __name__ == '__main__':\n    f(1)\n"),
            "line 4: `if __name__ == '__main__':` would run",
        ),
        (
            format!("import os\nHERE = os.getcwd()\n{fine}"),
            "line 2: `HERE = os.getcwd()` is more than a constant",
        ),
        (format!("X = f'{{1}}'\n{fine}"), "line 1: `X = f'{1}'` is more than a constant"),
        (format!("X = 'a' * 9\n{fine}"), "is more than a constant"),
        (format!("X = 9 ** 9 ** 9\n{fine}"), "is more than a constant"),
        (format!("import os\nos.x = 1\n{fine}"), "is more than a constant"),
        (format!("class A:\n    pass\n{fine}"), "line 1: a class beside the function"),
        (format!("@app.route('/')\n{fine}"), "line 1: the decorator `@app.route('/')` runs when"),
        ("def f(n, m: int) -> int:\n    'A.'\n".into(), "line 1: the argument n has no annotation"),
        ("def f(\n    *args,\n) -> int:\n    'A.'\n".into(), "line 2: the argument args has no annotation"),
        ("def f(n: int):\n    'A.'\n".into(), "the result of f has no annotation"),
        ("def f(n: int) -> int:\n    return n\n".into(), "line 1: f has no docstring"),
        ("def f(n: int) -> int:\n    f'{n}'\n".into(), "line 1: f has no docstring"),
        (
            "def f(n: float = time.time()) -> int:\n    'A.'\n".into(),
            "`time.time()` is called when the function is defined",
        ),
        ("def f(n: print('x')) -> int:\n    'A.'\n".into(), "`print('x')` is called when"),
        ("def f(n: int) -> int:\n    'A.'\n    return (\n".into(), "this is no Python"),
        (String::new(), "there is no function"),
    ] {
        let all = flaws(&source);
        assert!(all.iter().any(|flaw| flaw.contains(told)), "{source}\n{all:?}");
    }
    assert_eq!(flaws("def f(a, b):\n    pass\n").len(), 4, "all at once");
    assert!(flaws(&"x".repeat(MAX_BYTES + 1))[0].contains("at most 262144 bytes are"));
    // A small text that takes too many steps is not reported as too large.
    let comments =
        |many: usize| format!("def f(n: int) -> int:\n    'A.'\n{}    return n\n", "#\n".repeat(many));
    assert!(examine(&comments(1_400)).is_ok());
    let told = flaws(&comments(20_000));
    assert!(told[0].contains("too many steps") && !told[0].contains("bytes"), "{told:?}");
}

#[test]
fn what_runs_when_it_is_defined_is_refused() {
    let text = |head: &str| format!("{head}\ndef f(n: int) -> int:\n    'A.'\n    return n\n");
    for fine in ["X: int = 1", "@cache", "import functools\n@functools.lru_cache"] {
        assert!(examine(&text(fine)).is_ok(), "{fine}");
    }
    for bad in [
        "X: print(1) = 1",
        "X: str(open('a')) = 1",
        "@print",
        "@(lambda g: print(g))",
        "@cache()",
        "def cache(g: int) -> int:\n    'A.'\n    return g\n@cache",
    ] {
        assert!(examine(&text(bad)).is_err(), "{bad}");
    }
    for head in ["n: print(1)", "n: int(open('a'))", "n: int = int(print(1))"] {
        assert!(examine(&format!("def f({head}) -> int:\n    'A.'\n    return n\n")).is_err(), "{head}");
    }
}

proptest! {
    #[test]
    fn any_text(text in any::<String>(), like in "(def f\\(|a: int|=|\\)| -> int:|\n| {4}|'A.'|print\\(|@|\\*|return 1){0,20}") {
        for text in [text, like] {
            let _ = examine(&text);
            let _ = with_function(&text, "def f() -> int:\n    'A.'\n", "f");
        }
    }
}
