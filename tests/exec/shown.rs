//! What a kernel shows beside output: changes of variables, pictures, tables.

use crate::support::*;
use sayso::domain::*;

fn changes(told: &Told) -> (u32, u32, u32) {
    let changes = told.report.receipt.variables.unwrap();
    (changes.added, changes.changed, changes.deleted)
}

/// The marks of the variables that the block changed, in one line.
fn marks(told: &Told) -> String {
    let marked = told.variables().iter().filter_map(|v| Some(format!("{}{}", v.change?.mark(), v.name)));
    marked.collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn what_a_block_did_to_variables_is_told() {
    let shop = Shop::new();
    let told = shop.py("a = [1]\nb = 'x'\nc = 3.5").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((3, 0, 0), "+a +b +c"));
    let told = shop.py("a.append(2)\nb = 'y'\nd = 1\ndel c\nimport os\n_hidden = 1").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((1, 2, 1), "~a ~b +d -c"));
    let told = shop.py("print(a)").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((0, 0, 0), ""));
    let told = shop.py("a.append(3)\n1/0").await;
    assert_eq!((changes(&told), marks(&told).as_str()), ((0, 1, 0), "~a"));
    let told = shop.py("for n in range(500): globals()[f'v{n}'] = n").await.ok();
    assert_eq!(changes(&told), (501, 0, 0));
    assert_eq!(changes(&shop.py("v0 = 'now a text'").await.ok()), (0, 1, 0));
    // Old variables: another object, a deleted one, one with its old value again, and an unchanged one.
    let told = shop.py("v1 = v2\ndel v3\nimport sys as v4\nv4 = 4").await.ok();
    assert_eq!((changes(&told), marks(&told).as_str()), ((0, 1, 1), "-v3"));
    assert_eq!(changes(&shop.py("pass").await.ok()), (0, 0, 0));
    for (source, was) in [
        ("v6 = 'another'; v7 = v6", (0, 2, 0)),
        ("v6 = 'another again'", (0, 1, 0)),
        ("pass", (0, 0, 0)),
        ("import sys as v5", (0, 0, 1)),
        ("v5 = 5; v8 += 1000", (1, 1, 0)),
        ("pass", (0, 0, 0)),
    ] {
        assert_eq!(changes(&shop.py(source).await.ok()), was, "{source}");
    }
    // A variable that becomes one of the newest is not a change, nor is one that no longer is; the loop variable is
    // one.
    let told = shop.py("for n in range(10, 400): del globals()[f'v{n}']").await.ok();
    assert_eq!(changes(&told), (0, 1, 390));
    assert_eq!(changes(&shop.py("for n in range(300): globals()[f'w{n}'] = n").await.ok()), (300, 1, 0));
    let told = shop.sh("true").await.ok();
    assert_eq!(told.report.receipt.variables, None);
}

/// The internal names of the kernel, for a block that inspects how it works.
const KERNEL: &str = "import gc, types\n\
    _kernel = next(f.__globals__ for f in gc.get_objects() if type(f) is types.FunctionType and f.__name__ == '_goes_on')\n";

#[tokio::test]
async fn of_many_names_only_what_may_have_changed_is_described_again() {
    let shop = Shop::new();
    shop.py("for n in range(2000): globals()[f'v{n}'] = [n, 'text'] if n % 3 else n").await.ok();
    let count = format!(
        "{KERNEL}_own = _kernel['_summary']\n_asked = []\n\
         _kernel['_summary'] = lambda value: (_asked.append(1), _own(value))[1]"
    );
    shop.py(&count).await.ok();
    let asked = async |source: &str| {
        let told = shop.py(&format!("_asked.clear()\n{source}")).await.ok();
        (marks(&told), shop.py("len(_asked)").await.ok().value().to_owned())
    };
    assert_eq!(asked("None").await, (String::new(), "0".into()));
    let expected = ("~v1997 ~v1999".into(), "2".into());
    assert_eq!(asked("v1999.append(1); v1997[1] = 'more'; v0 += 1").await, expected);
}

/// Makes, changes and deletes names at random. The reported changes must always be those that follow from the identity
/// of the values alone.
const ROUNDS: &str = r#"
import random as _random
try:
    import numpy as _numpy, pandas as _pandas
except ImportError:
    _numpy = None

class _Own: pass

def _rounds(seed):
    chance, near = _random.Random(seed), "_near _far _far_names _far_values _far_kinds".split()
    small = [
        lambda: chance.randrange(5), lambda: chance.random(), lambda: None, lambda: True, lambda: b"b" * chance.randrange(3),
        lambda: "t" * chance.randrange(1500), lambda: 1 << chance.randrange(600), lambda: 1j * chance.randrange(3),
    ]
    item = lambda: chance.choice(small)()
    items = lambda: [item() for _ in range(chance.randrange(12))]
    makers = small + [
        items, lambda: tuple(items()), lambda: set(items()), lambda: frozenset(items()),
        lambda: {one: item() for one in items()}, lambda: [items()], lambda: {item(): items()},
        lambda: range(chance.randrange(5)), lambda: slice(chance.randrange(3)), _Own, lambda: _random, lambda: len,
    ]
    if _numpy:
        makers += 3 * [
            lambda: _numpy.zeros((2, chance.randrange(3)), dtype=chance.choice(["i4", "f8"])),
            lambda: _pandas.DataFrame({"a": range(chance.randrange(4))}), lambda: _pandas.Series(range(chance.randrange(4))),
        ]
    told = 0
    for _ in range(100):
        for _ in range(chance.randrange(6)):
            name, how = f"v{chance.randrange(300)}", chance.randrange(6)
            value = globals().get(name)
            if how == 0:
                globals().pop(name, None)
            elif how < 3 or not value.__class__ in (list, set, dict):
                globals()[name] = chance.choice(makers)()
            elif type(value) is list:
                value.append(item()) if not value or how == 3 else value.__setitem__(chance.randrange(len(value)), item())
            elif type(value) is set:
                value.add(item()) if not value or how == 3 else value.pop()
            else:
                value.update({item(): item()}) if not value or how == 3 else value.popitem()
        kept = [_kernel[part].copy() for part in near]
        for part in near[:2]:
            _kernel[part] = {
                name: then[:4] + (None, 0, b"") if len(then) > 2 else then for name, then in _kernel[part].items()
            }
        anew = _kernel["_variables"]()
        _kernel.update(zip(near, kept))
        known = _kernel["_variables"]()
        if known != anew:
            return f"{seed}: {[pair for pair in zip(anew[1], known[1]) if pair[0] != pair[1]][:3]}, {anew[2]}, {known[2]}"
        told += known[0]
    return "the same" if told else "nothing"

[_rounds(seed) for seed in range(20)]
"#;

/// Plays the rounds. They take seconds of computing, and many more where other tests compute too.
async fn all_rounds(shop: &Shop) -> Told {
    shop.run_for("python", &format!("{KERNEL}{ROUNDS}"), Some(180_000)).await.ok()
}

#[tokio::test]
async fn what_is_kept_of_variables_tells_the_same_as_a_look_at_all_of_them() {
    let told = all_rounds(&Shop::new()).await;
    assert_eq!(told.value().matches("'the same'").count(), 20, "{}", told.value());
}

#[tokio::test]
#[ignore = "needs a Python with numpy and pandas in SAYSO_TEST_DATA_PYTHON"]
async fn what_is_kept_of_arrays_and_frames_tells_the_same_as_a_look_at_all_of_them() {
    let shop = with_data();
    let told = all_rounds(&shop).await;
    assert_eq!(shop.py("_numpy.__name__").await.ok().value(), "'numpy'");
    assert_eq!(told.value().matches("'the same'").count(), 20, "{}", told.value());
}

#[tokio::test]
async fn values_whose_code_is_somebody_elses_are_not_asked() {
    let shop = Shop::new();
    let source = "class Odd:\n    def __repr__(self): open('ran', 'w')\n    def __eq__(self, o): open('ran', 'w')\n    \
                  def __len__(self): open('ran', 'w'); return 3\no = Odd()\nm = [Odd()]";
    shop.py(source).await.ok();
    shop.py("o = Odd(); m.append(1)").await.ok();
    let parts = "parts = slice(Odd()), [slice(1, Odd())], {'a': slice(None, None, Odd())}\ns = slice(Odd())\n\
                 def f(): pass\nf.__module__ = Odd()\nclass G: __module__ = Odd()\n\
                 class DataFrame:\n    __module__ = 'pandas'\n    @property\n    def shape(self): open('ran', 'w'); return 1, 2\n\
                 frame = DataFrame()\nnone = slice(1, None), range(3)";
    let told = shop.py(parts).await.ok();
    let none = told.variables().iter().find(|variable| variable.name == "none").unwrap();
    assert_eq!(none.value, "(slice(1, None, None), range(0, 3))");
    assert!(!shop.work().join("ran").exists());
}

/// A shop whose Python has the packages of data scientists.
fn with_data() -> Shop {
    let python = std::env::var_os("SAYSO_TEST_DATA_PYTHON").expect("SAYSO_TEST_DATA_PYTHON");
    Shop::with(|setup| setup.python = Some(python.into()))
}

/// The code that makes the values of `tests/fixtures/values.py`.
const MAKES_VALUES: &str = "\
import collections, datetime, pathlib, re, types, uuid
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
import numpy as np, pandas as pd, polars as pl
from rich.table import Table
from rich.panel import Panel
class Bundle:
    def _repr_mimebundle_(self, include=None, exclude=None):
        return {'text/plain': 'two\\n  lines', 'text/html': '<b>no</b>'}, {}
@dataclass
class Point:
    x: int
    y: object
class Colour(Enum):
    RED = 1
    BLUE = 2
Named = collections.namedtuple('Named', 'a b')
class Quiet:
    def __init__(self, x): self.x = x
    def __repr__(self): return 'Quiet(%r)' % (self.x,)
class Lines:
    def __repr__(self): return 'first\\nsecond'
";

/// What IPython shows for the same values with default options.
const ASKS_IPYTHON: &str = "\
import json
from IPython.core.formatters import DisplayFormatter
json.dumps([DisplayFormatter().format(eval(line))[0]['text/plain'] for line in VALUES])
";

/// The text without the sizes of tables, which here are shown for every table.
fn without_size(text: &str) -> Vec<String> {
    let is_size = |line: &str| {
        let line = line.trim_start().trim_end_matches([',', ')', ']', '}']);
        line.starts_with('[') && (line.ends_with(" columns") || line.ends_with(" columns]"))
    };
    let told = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !is_size(line));
    told.map(|line| match line.split_once("Length: ") {
        Some((before, rest)) => format!("{before}{}", rest.split_once(", ").map_or("", |(_, rest)| rest)),
        None => line.to_owned(),
    })
    .collect()
}

#[tokio::test]
#[ignore = "needs a Python with IPython, pandas, polars and rich: SAYSO_TEST_DATA_PYTHON"]
async fn values_are_shown_as_ipython_shows_them() {
    let shop = with_data();
    let values = include_str!("../fixtures/values.py");
    shop.py(MAKES_VALUES).await.ok();
    let lines = serde_json::to_string(&values.lines().collect::<Vec<_>>()).expect("a list");
    let asked = shop.py(&format!("VALUES = {lines}\n{ASKS_IPYTHON}")).await.ok();
    // The value is a Python string that contains JSON.
    let decoded = shop.py("print(_)").await.ok().out();
    let wanted: Vec<String> = serde_json::from_str(decoded.trim()).expect("what IPython shows");
    assert!(asked.value().starts_with('\'') && wanted.len() >= 210);
    // The closing bracket of a container comes after the size of its last table.
    let words = |lines: &[String]| {
        let text = lines.join(" ").replace(['(', ')', '[', ']', '{', '}', ','], " ");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut others = Vec::new();
    for (expression, wanted) in values.lines().zip(&wanted) {
        let told = shop.py(expression).await.ok();
        let (shown, wanted) = (without_size(told.value()), without_size(wanted));
        // The rows of containers may be wrapped elsewhere.
        let is_container = expression.starts_with(['[', '{', '('])
            || ["list(", "set(", "collections."].iter().any(|begin| expression.starts_with(begin));
        let alike = if is_container { words(&shown) == words(&wanted) } else { shown == wanted };
        if !alike {
            others.push(format!("{expression}\n{}\n{}", shown.join("\n"), wanted.join("\n")));
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n\n"));
}

#[tokio::test]
#[ignore = "needs a Python with IPython, pandas, polars, pillow and rich: SAYSO_TEST_DATA_PYTHON"]
async fn what_has_no_text_of_its_own_is_shown_as_a_page_or_a_picture() {
    let shop = with_data();
    shop.py("import io\nimport pandas as pd\nfrom IPython.display import HTML, SVG, Image, Markdown")
        .await
        .ok();
    shop.py("df = pd.DataFrame({'name': ['x', 'yy'], 'n': [1, 22]})").await.ok();
    let table = "   name   n\n0  x      1\n1  yy    22";
    assert_eq!(shop.py("df.style").await.ok().value(), table);
    assert_eq!(shop.py("display(df.style.format(precision=2))").await.ok().out().trim_end(), table);
    let index = "pd.DataFrame({'v': range(4)}, index=pd.MultiIndex.from_product([['a', 'b'], [1, 2]])).style";
    assert_eq!(shop.py(index).await.ok().value(), "      v\na  1  0\n   2  1\nb  1  2\n   2  3");
    assert_eq!(shop.py("HTML('<i>a</i> <b>b</b>c')").await.ok().value(), "a bc");
    assert_eq!(shop.py("Markdown('**a**')").await.ok().value(), "**a**");
    let jpeg = "from PIL import Image as Pictures\nfile = io.BytesIO()\n\
                Pictures.new('RGB', (8, 9)).save(file, 'JPEG')\nImage(data=file.getvalue())";
    let svg = "SVG('<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"8\" height=\"9\"></svg>')";
    for (shows, mime) in [(jpeg, "image/jpeg"), (svg, "image/svg+xml")] {
        let told = shop.py(shows).await.ok();
        let images: Vec<_> =
            told.report.images.iter().map(|image| (image.mime.as_str(), image.width, image.height)).collect();
        assert_eq!((images.as_slice(), told.report.value.as_deref()), ([(mime, 8, 9)].as_slice(), None));
    }
}

#[tokio::test]
#[ignore = "needs a Python with pandas, polars, pillow and plotly in SAYSO_TEST_DATA_PYTHON"]
async fn tables_stand_in_whole_rows_with_their_size() {
    let shop = with_data();
    let frame =
        "import pandas as pd\npd.DataFrame({'name': ['North', 'East'], 'n': [1, 20], 'x': [1.5, 2.25]})";
    let shown = "    name   n     x\n0  North   1  1.50\n1   East  20  2.25\n\n[2 rows x 3 columns]";
    assert_eq!(shop.py(frame).await.ok().value(), shown);
    let told = shop.py("pd.DataFrame({f'column{n}': range(1000) for n in range(50)})").await.ok();
    assert!(told.value().ends_with("[1000 rows x 50 columns]"), "{}", told.value());
    assert!(!told.value().contains('\\') && told.value().contains("..."), "{}", told.value());
    let told = shop.py("pd.set_option('display.max_rows', 4)\npd.DataFrame({'n': range(1000)})").await.ok();
    assert_eq!(told.value().lines().count(), 8, "what the person sets holds: {}", told.value());
    let told = shop.py("import polars as pl\npl.DataFrame({'a': [1, 22], 'b': ['x', None]})").await.ok();
    assert!(told.value().starts_with("shape: (2, 2)\n"), "{}", told.value());
    assert_has(told.value(), &["│ i64 ┆ str"]);
}

#[tokio::test]
async fn a_value_shows_itself_as_a_notebook_asks_it_to() {
    let shop = Shop::new();
    let png = "import zlib, struct\n\
               def part(kind, data): return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))\n\
               PNG = (b'\\x89PNG\\r\\n\\x1a\\n' + part(b'IHDR', struct.pack('>IIBBBBB', 2, 3, 8, 0, 0, 0, 0))\n\
               \x20   + part(b'IDAT', zlib.compress(b'\\0\\0\\0' * 3)) + part(b'IEND', b''))";
    shop.py(png).await.ok();
    for shows in [
        "class A:\n    def _repr_png_(self): return PNG\nA()",
        "import base64\nclass B:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n        \
         return {'image/png': base64.b64encode(PNG).decode(), 'text/plain': 'no'}, {}\nB()",
    ] {
        let told = shop.py(shows).await.ok();
        let sizes: Vec<_> = told.report.images.iter().map(|image| (image.width, image.height)).collect();
        assert_eq!((sizes.as_slice(), told.report.value.as_deref()), ([(2, 3)].as_slice(), None), "{shows}");
    }
    let told = shop.py("class C:\n    def _repr_markdown_(self): return '**bold**'\nC()").await.ok();
    assert_eq!(told.value(), "**bold**");
    let html = "class D:\n    def _repr_html_(self):\n        return '<style>b{}</style><table><tr><th>a</th><th>b</th></tr>\
                <tr><td>1</td><td>&lt;2</td></tr></table>'\nD()";
    assert_eq!(shop.py(html).await.ok().value(), "a  b\n1  <2");
    let page = |html: &str| format!("class P:\n    def _repr_html_(self): return {html:?}\nP()");
    for (html, words) in [
        ("<p>Total: <b>5</b> rows, <i>2</i> empty</p>", "Total: 5 rows, 2 empty"),
        ("<h1>a</h1>b<ul><li>x<li>y</ul><div>c</div>d", "a\nb\nx\ny\nc\nd"),
        ("<title>t</title><pre>a  b\n c</pre>", "a  b\n c"),
        (
            "<table><tr><th>name<th>n</tr><tr><td>a<td>1,000</tr><tr><td>bb<td>2</tr></table>after",
            "name      n\na     1,000\nbb        2\nafter",
        ),
        (
            "<table><tr><td rowspan=2>a<td>b</tr><tr><td>c</tr><tr><td colspan=2>d<td>e</tr></table>",
            "a  b\n   c\n   d  e",
        ),
    ] {
        assert_eq!(shop.py(&page(html)).await.ok().value(), words, "{html}");
    }
    let both = "class F:\n    def _repr_mimebundle_(self, **kinds): return {'text/plain': 'plain', 'text/html': 'no'}\nF()";
    assert_eq!(shop.py(both).await.ok().value(), "plain");
    let own = "class G:\n    def _ipython_display_(self): print('shown')\ndisplay(G())\nG()";
    let told = shop.py(own).await.ok();
    assert_eq!((told.out().as_str(), told.report.value.as_deref()), ("shown\nshown\n", None));
    let other = "class I:\n    def _ipython_display_(self): raise NotImplementedError\n    def __repr__(self): return 'I!'\nI()";
    assert_eq!(shop.py(other).await.ok().value(), "I!");
    // A drawing is sent; if the value also has a text of its own, that is shown too.
    let drawing =
        "class J:\n    def _repr_svg_(self): return '<svg/>'\n    def __repr__(self): return 'POINT'\nJ()";
    let told = shop.py(drawing).await.ok();
    let kinds: Vec<_> = told.report.images.iter().map(|image| image.mime.as_str()).collect();
    assert_eq!((kinds.as_slice(), told.value()), (["image/svg+xml"].as_slice(), "POINT"));
    // If one representation fails, another one is used; a class is not asked for the representation of its values.
    let fails = "class E:\n    def _repr_png_(self): raise ValueError('no')\n    def __repr__(self): return 'E!'\nE()";
    assert_eq!(shop.py(fails).await.ok().value(), "E!");
    assert_eq!(shop.py("A").await.ok().value(), "__main__.A");
    assert_eq!(shop.py("class Meta(type):\n    def __getattr__(cls, name): return 1\nclass M(metaclass=Meta): pass\nstr(M())[:10]").await.ok().value(), "'<__main__.'");
    assert!(shop.py("M()").await.ok().value().starts_with("<__main__.M object"));
}

#[tokio::test]
async fn what_is_usual_in_a_notebook_is_done_or_told() {
    let shop = Shop::new();
    let told = shop.py("for n in (1, 2): display({'n': n}, None)\n'last'").await.ok();
    assert_eq!((told.out().as_str(), told.value()), ("{'n': 1}\nNone\n{'n': 2}\nNone\n", "'last'"));
    // A semicolon means that the value should not be shown, but not one inside a string or a comment.
    for (source, value) in [
        ("41 + 1;", "(none)"),
        ("x = 1; x + 1 ;  # shown?\n", "(none)"),
        ("(x +\n  1) ; \n\n# the end", "(none)"),
        ("'ü' + 'ß';", "(none)"),
        ("import asyncio\nawait asyncio.sleep(0, 'x');", "(none)"),
        ("x = 1; x", "1"),
        ("';'", "';'"),
        ("x  # ;", "1"),
    ] {
        assert_eq!(shop.py(source).await.ok().value(), value, "{source}");
    }
    assert_eq!(shop.py("_").await.ok().value(), "1", "what was not shown is not the last value");
    for source in ["import os\n%matplotlib inline\n", "!pip install numpy"] {
        let told = shop.py(source).await;
        let message = &told.error().message;
        assert!(message.contains("is a notebook's command, and no Python"), "{message}");
    }
    assert!(!shop.py("x = = 1").await.error().message.contains("notebook"));
}

#[tokio::test]
async fn showing_a_value_is_bounded_like_the_run() {
    let shop = Shop::new();
    shop.py("a = []\na.append(a)\nb = {'a': a}\ndeep = []\nfor _ in range(5000): deep = [deep]").await.ok();
    assert_eq!(shop.py("b").await.ok().value(), "{'a': [[...]]}");
    assert!(shop.py("deep").await.ok().value().contains("list of 1"));
    let told = shop.py("[[[0] * 1000] * 1000] * 1000").await.ok();
    assert!(told.value().len() < 100_000, "{}", told.value().len());
    let slow = "class Slow:\n    def __repr__(self):\n        while True: pass\nSlow()";
    shop.run_for("python", slow, Some(1_000)).await.ended(Outcome::TimedOut);
}

#[tokio::test]
async fn long_texts_in_containers_are_cut() {
    let shop = Shop::new();
    for long in ["'x' * 10_000_000", "b'x' * 10_000_000", "bytearray(10_000_000)"] {
        let told = shop.run_for("python", &format!("[{long}] * 8000"), Some(15_000)).await.ok();
        assert!(told.value().contains("… (10000000 long)") && told.value().len() < 300_000, "{long}");
    }
    let told = shop.py("{'k' * 40_000: 'v' * 40_000}").await.ok();
    assert_eq!(told.value().matches("… (40000 long)").count(), 2);
}

#[tokio::test]
async fn long_containers_keep_their_order_and_their_values() {
    let shop = Shop::new();
    shop.py("import collections").await.ok();
    let told = shop.py("collections.OrderedDict((n, n * 2) for n in range(3000))").await.ok();
    assert!(told.value().starts_with("OrderedDict([(0, 0),\n             (1, 2),"), "{}", told.value());
    assert!(told.value().ends_with("3000 items, the first 1000 shown"));
    let told = shop.py("collections.Counter({n: n for n in range(3000)})").await.ok();
    assert!(told.value().starts_with("Counter({2999: 2999,\n         2998: 2998,"), "{}", told.value());
    let told = shop.py("o = collections.OrderedDict(a=1, b=2, c=3)\no.move_to_end('a')\no").await.ok();
    assert_eq!(told.value(), "OrderedDict([('b', 2), ('c', 3), ('a', 1)])");
}

#[tokio::test]
async fn what_is_not_shown_of_nested_containers_is_counted() {
    let shop = Shop::new();
    let told = shop.py("{f'k{i}': list(range(100)) for i in range(300)}").await.ok();
    let last = told.value().lines().last().unwrap_or_default().to_owned();
    let shown = told.value().matches("'k").count();
    assert!(shown > 30 && told.value().contains("..."), "{}", told.value());
    assert!(last.starts_with(&format!("300 items, the first {shown} shown; ")), "{last}");
    // Each array that is shown has 100 numbers; count those of the last one.
    let numbers = told.value().lines().rev().skip(1).flat_map(|line| line.split([',', '[', ' ', ']', '}']));
    let numbers = numbers.filter(|word| word.parse::<u32>().is_ok()).count();
    assert!(last.ends_with(&format!("; {} items inside are not shown", shown * 100 - numbers)), "{last}");
    let told = shop.py("[list(range(5000)), 'x']").await.ok();
    assert!(told.value().ends_with("'x']\n4000 items inside are not shown"), "{}", told.value());
    assert!(!shop.py("[list(range(900)), 'x']").await.ok().value().contains("not shown"));
}

#[tokio::test]
async fn a_value_is_written_by_its_own_printer() {
    let shop = Shop::new();
    let source = "class Pretty:\n    def __init__(self, *inner): self.inner = inner\n    \
                  def _repr_pretty_(self, p, cycle):\n        if cycle: return p.text('Pretty(...)')\n        \
                  with p.group(7, 'Pretty(', ')'):\n            for n, each in enumerate(self.inner):\n                \
                  if n: p.text(','); p.breakable()\n                p.pretty(each)\n";
    shop.py(source).await.ok();
    assert_eq!(shop.py("Pretty(1, [2, 'x'])").await.ok().value(), "Pretty(1, [2, 'x'])");
    assert_eq!(shop.py("[Pretty(1), 2]").await.ok().value(), "[Pretty(1), 2]");
    let long = format!("Pretty({0},\n       {0})", "7".repeat(50));
    assert_eq!(shop.py(&long).await.ok().value(), long);
    assert_eq!(shop.py("p = Pretty()\np.inner = [p]\np").await.ok().value(), "Pretty(Pretty(...))");
    // The nearer of the two definitions counts.
    let own = "class Own(Pretty):\n    def __repr__(self): return 'own'\nOwn(1)";
    assert_eq!(shop.py(own).await.ok().value(), "own");
    let fails = "class Fails:\n    def _repr_pretty_(self, p, cycle): raise ValueError('no')\nFails()";
    assert_eq!(shop.py(fails).await.ok().value(), "<Fails, showing it failed with ValueError: no>");
    assert_eq!(shop.py("type").await.ok().value(), "type");
    assert_eq!(shop.py("[int, type, Pretty]").await.ok().value(), "[int, type, __main__.Pretty]");
    let json = "class Data:\n    def _repr_json_(self): return {'a': [1, 2]}, {'expanded': True}\nData()";
    assert_eq!(shop.py(json).await.ok().value(), "{'a': [1, 2]}");
}

#[tokio::test]
async fn showing_a_value_changes_nothing_of_it() {
    let shop = Shop::new();
    let source = "import collections\nclass Key:\n    n = 1\n    def __hash__(self): return self.n\n    \
                  def __repr__(self): return 'Key'\nk = Key()\nd = collections.defaultdict(list, {k: [1]})\n\
                  plain = {k: 1}\nk.n = 2";
    shop.py(source).await.ok();
    assert_eq!(shop.py("d").await.ok().value(), "defaultdict(list, {Key: [1]})");
    assert_eq!(shop.py("plain").await.ok().value(), "{Key: 1}");
    assert_eq!(shop.py("len(d), len(plain)").await.ok().value(), "(1, 1)");
    let grows =
        "class Grows:\n    def __repr__(self): g[len(g)] = 0; return 'grows'\ng = {0: Grows(), 1: 1}\ng";
    assert_eq!(shop.py(grows).await.ok().value(), "{0: grows, 1: 1}");
}

#[tokio::test]
async fn what_no_message_has_room_for_ends_no_kernel() {
    let shop = Shop::new();
    let source = "kept = 11\nclass Big:\n    def _repr_png_(self): return b'\\x89PNG\\r\\n\\x1a\\n' + bytes(70 << 20)\nBig()";
    let told = shop.py(source).await.ok();
    assert!(told.report.images.is_empty() && told.report.value.is_none());
    assert_eq!(told.out(), "a picture of 70 MiB is not shown: there is room for 64\n");
    let told = shop.py("raise type('E' * (70 << 20), (Exception,), {})('no')").await;
    assert_eq!((told.error().message.as_str(), told.error().kind.starts_with("EEE")), ("no", true));
    let fails =
        "class F:\n    def __repr__(self): raise ValueError('no')\nF.__name__ = 'F' * (70 << 20)\nF()";
    assert!(shop.py(fails).await.ok().value().ends_with("showing it failed with ValueError: no>"));
    shop.py("import sys\nsys.path.append('x' * (70 << 20))").await.ok();
    shop.py("sys.path.pop()\nclass Hook: pass\nHook.__name__ = 'H' * (70 << 20)\nsys.meta_path.append(Hook)")
        .await
        .ok();
    assert_eq!(shop.py("kept").await.ok().value(), "11");
}

#[tokio::test]
#[ignore = "needs a Python with pandas, polars, pillow and plotly in SAYSO_TEST_DATA_PYTHON"]
async fn pictures_and_plots_are_shown() {
    let shop = with_data();
    let told = shop.py("from PIL import Image\nImage.new('CMYK', (30, 20)).show()").await.ok();
    let sizes: Vec<_> = told.report.images.iter().map(|image| (image.width, image.height)).collect();
    assert_eq!(sizes, [(30, 20)]);
    let told = shop.py("Image.new('RGB', (8, 9), 'red')").await.ok();
    assert_eq!((told.report.images.len(), told.report.value.as_deref()), (1, None));
    let plot = "import plotly.graph_objects as go\nfigure = go.Figure(go.Bar(y=[1, 2]))\nfigure.show()";
    let told = shop.py(plot).await.ok();
    let page = shop.work().join("figure-1.html");
    // With kaleido and a browser it would be an image.
    let has_page = page.is_file() && told.out().contains("figure-1.html");
    assert!(told.report.images.len() == 1 || has_page, "{}", told.out());
    assert_eq!(shop.py("figure").await.ok().report.value, None);
}
