//! Loads the person's own functions for real.

use crate::support::*;
use sayso::domain::*;
use sayso::exec::TermsFor;
use std::path::PathBuf;

const TOOLS: &str = r#""""Tools."""
import math
from dataclasses import dataclass
from typing import Literal, Optional
import enum

class Loud:
    def __repr__(self):
        open("repr-ran", "w").close()
        return "loud"

class Colour(enum.Enum):
    RED = 1

@dataclass
class Point:
    x: "int" = 0

def area(r: float, unit: Literal["cm", "m"] = "cm", *, exact: bool = False) -> float:
    """The area of a circle.

    More about it.
    """
    return round(_pi() * r * r, 2)

def pick(names: list[str], scores: Optional[dict[str, int]] = None, loud=Loud(), /, *rest: int, **more) -> None:
    return None

async def later(point: Point, colour: Colour = Colour.RED):
    pass

def _pi():
    return math.pi

sqrt = math.sqrt
answer = 42
"#;

pub async fn load(shop: &Shop, name: &str, source: &str) -> Told {
    let mut terms = shop.terms_for("python", TermsFor::Load).await.unwrap();
    let path = PathBuf::from("/home/ann/.config/sayso").join(name);
    let found = OnDisk::File(Some(Sha256::of(source.as_bytes())));
    terms.target = Some(Target { bytes: 1, outside: true, ..Target::at(path, found) });
    shop.carry_out(shop.request_under(terms, source)).await
}

pub fn functions(told: &Told) -> Vec<Function> {
    let told = told.events.iter().find_map(|event| match event {
        RunEvent::Functions(functions) => Some(functions.clone()),
        _ => None,
    });
    told.unwrap_or_default()
}

#[tokio::test]
async fn public_functions_are_told_and_can_be_called() {
    let shop = Shop::new();
    let told = load(&shop, "tools.py", TOOLS).await.ok();
    let functions = functions(&told);
    let signatures: Vec<&str> = functions.iter().map(|f| f.signature.as_str()).collect();
    assert_eq!(
        signatures,
        [
            "area(r: float, unit: Literal['cm', 'm'] = 'cm', *, exact: bool = False) -> float",
            "pick(names: list[str], scores: dict[str, int] | None = None, loud=..., /, *rest: int, **more) -> None",
            "async later(point: Point, colour: Colour = ...)",
        ]
    );
    assert_eq!(functions[0].doc, "The area of a circle.\n\nMore about it.");
    let kinds: Vec<ParameterKind> = functions[1].parameters.iter().map(|p| p.kind).collect();
    use ParameterKind::{Options, Positional, Rest};
    assert_eq!(kinds, [Positional, Positional, Positional, Rest, Options]);
    let unit = &functions[0].parameters[1];
    assert_eq!((unit.default.as_deref(), unit.required), (Some("'cm'"), false));
    assert!(!shop.work().join("repr-ran").exists(), "a foreign repr ran");

    // The block calls the function. Names that the file uses do not clash with the block's own names.
    let told = shop.py("math = _pi = None\narea(2.0)").await.ok();
    assert_eq!(told.value(), "12.57");
    let told = shop.py("answer").await;
    assert_eq!(told.error().kind, "NameError");
    assert_eq!(shop.py("import pickle; pickle.loads(pickle.dumps(area)) is area").await.ok().value(), "True");
    assert!(shop.py("x = 1").await.ok().variables().iter().all(|variable| variable.name != "area"));
}

#[tokio::test]
async fn a_load_error_is_told_with_its_line() {
    let shop = Shop::new();
    let told = load(&shop, "tools.py", "def f():\n    return 1\n\nf(missing)\n").await.ended(Outcome::Failed);
    assert!(told.error().traceback.contains("File \"tools.py\", line 4"), "{}", told.error().traceback);
    assert!(functions(&told).is_empty());
    let told = load(&shop, "tools.py", "def f(:\n").await;
    assert_eq!(told.error().kind, "SyntaxError");
    assert!(told.error().traceback.contains("File \"tools.py\", line 1"), "{}", told.error().traceback);
    // The file is corrected, and loaded again into the same kernel.
    load(&shop, "tools.py", "def f():\n    return 7\n").await.ok();
    assert_eq!(shop.py("f()").await.ok().value(), "7");
}

#[tokio::test]
async fn a_file_named_like_a_module_hides_nothing() {
    let shop = Shop::new();
    let told = load(&shop, "json.py", "def mine():\n    return 'mine'\n").await.ok();
    assert_eq!(functions(&told)[0].name, "mine");
    assert_eq!(shop.py("import json\njson.dumps([1]) + mine()").await.ok().value(), "'[1]mine'");
}

#[tokio::test]
async fn a_hostile_file_can_not_break_the_talk() {
    let shop = Shop::new();
    let source = "__all__ = ['f', 3, 'nothing']\ndef f(): pass\nf.__doc__ = 5\nf.__signature__ = 'x'\n\
                  def g(): pass\n";
    let told = load(&shop, "odd.py", source).await.ok();
    assert!(functions(&told).is_empty(), "{:?}", functions(&told));
    let long = format!("def f():\n    '''{}'''\n", "x".repeat(100_000));
    let told = load(&shop, "long.py", &long).await.ok();
    assert!(functions(&told)[0].doc.len() < 3_000);
}
