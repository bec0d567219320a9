//! What an annotation of Python asks for, as far as it can be told from its text. Pure; whether a value fits is told in
//! `argument`.

use super::literal::Literal;

/// How deep an annotation may be nested; what is nested deeper takes any literal.
const DEEPEST: usize = 8;
/// Members of a union, choices of a `Literal` and parts of a tuple that are read.
const MOST: usize = 200;

/// What fits.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wanted {
    /// Whatever can be written down.
    Any,
    None,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    List(Box<Wanted>),
    /// A list or a tuple, as it is given: `Sequence[…]`.
    Sequence(Box<Wanted>),
    Tuple(Vec<Wanted>),
    /// `tuple[int, ...]`
    Tuples(Box<Wanted>),
    Set(Box<Wanted>),
    Frozen(Box<Wanted>),
    Dict(Box<Wanted>, Box<Wanted>),
    /// One of these.
    Union(Vec<Wanted>),
    /// One of these values.
    Values(Vec<Literal>),
    /// What is made of a text by the name under which it is known there.
    Made(Make, String),
}

/// What can be made of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Make {
    /// `Path('a')`
    Path,
    /// `Decimal('1.5')`
    Decimal,
    /// `date.fromisoformat('2026-01-31')`
    Date,
    /// `time.fromisoformat('12:30:00')`
    Time,
    /// `datetime.fromisoformat('2026-01-31T12:30:00')`
    DateTime,
}

impl Wanted {
    /// What this annotation asks for.
    pub(super) fn read(annotation: &str) -> Self {
        let text = annotation.trim();
        let mut reader = Reader { rest: text, depth: 0 };
        match reader.union() {
            Some(wanted) if reader.rest.trim().is_empty() => wanted,
            _ => Wanted::Any,
        }
    }
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    /// `a | b | None`
    fn union(&mut self) -> Option<Wanted> {
        let mut all = vec![self.atom()?];
        while self.take("|") && all.len() < MOST {
            all.push(self.atom()?);
        }
        Some(one_of(all))
    }

    fn atom(&mut self) -> Option<Wanted> {
        if self.depth >= DEEPEST {
            return None;
        }
        self.depth += 1;
        let found =
            if self.rest.trim_start().starts_with(['\'', '"']) { self.in_quotes() } else { self.named() };
        self.depth -= 1;
        found
    }

    /// An annotation that is written as a text.
    fn in_quotes(&mut self) -> Option<Wanted> {
        match self.literal()? {
            Literal::Text(text) => {
                let mut inner = Reader { rest: text.as_str(), depth: self.depth };
                let found = inner.union()?;
                inner.rest.trim().is_empty().then_some(found)
            }
            _ => None,
        }
    }

    fn named(&mut self) -> Option<Wanted> {
        let name = self.name()?;
        let short = name.rsplit('.').next().unwrap_or(name);
        if !self.take("[") {
            return Some(plain(short, name));
        }
        let wanted = match short {
            "Literal" => Wanted::Values(self.values()?),
            "Optional" => one_of(vec![self.union()?, Wanted::None]),
            "Union" => one_of(self.unions()?),
            "Annotated" | "Final" => {
                let first = self.union()?;
                self.skip_to_end()?;
                return Some(first);
            }
            "list" | "List" => Wanted::List(Box::new(self.union()?)),
            "Sequence" | "Iterable" | "Collection" | "MutableSequence" => {
                Wanted::Sequence(Box::new(self.union()?))
            }
            "set" | "Set" | "AbstractSet" => Wanted::Set(Box::new(self.union()?)),
            "frozenset" | "FrozenSet" => Wanted::Frozen(Box::new(self.union()?)),
            "tuple" | "Tuple" => self.tuple()?,
            "dict" | "Dict" | "Mapping" | "MutableMapping" => {
                let [key, value] = <[Wanted; 2]>::try_from(self.unions()?).ok()?;
                Wanted::Dict(Box::new(key), Box::new(value))
            }
            _ => {
                self.skip_to_end()?;
                return Some(Wanted::Any);
            }
        };
        self.take("]").then_some(wanted)
    }

    fn unions(&mut self) -> Option<Vec<Wanted>> {
        let mut all = vec![self.union()?];
        while self.take(",") && all.len() < MOST {
            all.push(self.union()?);
        }
        Some(all)
    }

    /// `tuple[int, str]`, `tuple[int, ...]` or `tuple[()]`
    fn tuple(&mut self) -> Option<Wanted> {
        if self.take("()") {
            return Some(Wanted::Tuple(Vec::new()));
        }
        let mut all = vec![self.union()?];
        while self.take(",") && all.len() < MOST {
            if self.take("...") {
                return Some(Wanted::Tuples(Box::new(all.pop()?)));
            }
            all.push(self.union()?);
        }
        Some(Wanted::Tuple(all))
    }

    fn values(&mut self) -> Option<Vec<Literal>> {
        let mut all = vec![self.literal()?];
        while self.take(",") && all.len() < MOST {
            all.push(self.literal()?);
        }
        Some(all)
    }

    /// The literal up to the next comma or bracket outside of quotes.
    fn literal(&mut self) -> Option<Literal> {
        let rest = self.rest.trim_start();
        let (mut quote, mut escaped) = (None, false);
        let end = rest.char_indices().find_map(|(at, c)| {
            match quote {
                Some(_) if escaped => escaped = false,
                Some(_) if c == '\\' => escaped = true,
                Some(open) if c == open => quote = None,
                Some(_) => {}
                None if matches!(c, '\'' | '"') => quote = Some(c),
                None if matches!(c, ',' | ']' | '|') => return Some(at),
                None => {}
            }
            None
        });
        let (text, after) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        self.rest = after;
        Literal::read(text).ok()
    }

    /// A name with dots.
    fn name(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        let sound = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        self.rest = after;
        sound.then_some(name)
    }

    fn take(&mut self, sign: &str) -> bool {
        match self.rest.trim_start().strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Behind the bracket that closes the one that is open.
    fn skip_to_end(&mut self) -> Option<()> {
        let mut open = 1usize;
        for (at, c) in self.rest.char_indices() {
            match c {
                '[' => open += 1,
                ']' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.rest = self.rest.get(at + 1..)?;
                return Some(());
            }
        }
        None
    }
}

fn plain(short: &str, name: &str) -> Wanted {
    let any = || Box::new(Wanted::Any);
    let made = |make, then: &str| Wanted::Made(make, format!("{name}{then}"));
    match short {
        "None" | "NoneType" => Wanted::None,
        "bool" => Wanted::Bool,
        "int" => Wanted::Int,
        "float" => Wanted::Float,
        "str" | "LiteralString" => Wanted::Str,
        "bytes" => Wanted::Bytes,
        "list" | "List" => Wanted::List(any()),
        "Sequence" | "Iterable" | "Collection" | "MutableSequence" => Wanted::Sequence(any()),
        "tuple" | "Tuple" => Wanted::Tuples(any()),
        "set" | "Set" => Wanted::Set(any()),
        "frozenset" | "FrozenSet" => Wanted::Frozen(any()),
        "dict" | "Dict" | "Mapping" | "MutableMapping" => Wanted::Dict(any(), any()),
        "Path" | "PurePath" | "PosixPath" => made(Make::Path, ""),
        "Decimal" => made(Make::Decimal, ""),
        "date" => made(Make::Date, ".fromisoformat"),
        "time" => made(Make::Time, ".fromisoformat"),
        "datetime" => made(Make::DateTime, ".fromisoformat"),
        _ => Wanted::Any,
    }
}

fn one_of(mut all: Vec<Wanted>) -> Wanted {
    if all.len() == 1 { all.pop().unwrap_or(Wanted::Any) } else { Wanted::Union(all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn annotations_are_understood() {
        let list = |of| Wanted::List(Box::new(of));
        for (annotation, wanted) in [
            ("int", Wanted::Int),
            ("typing.List[float]", list(Wanted::Float)),
            ("'list[int]'", list(Wanted::Int)),
            ("Optional[str]", Wanted::Union(vec![Wanted::Str, Wanted::None])),
            ("int | None", Wanted::Union(vec![Wanted::Int, Wanted::None])),
            ("Annotated[int, Gt(3)]", Wanted::Int),
            ("tuple[int, ...]", Wanted::Tuples(Box::new(Wanted::Int))),
            ("tuple[()]", Wanted::Tuple(Vec::new())),
            ("pathlib.Path", Wanted::Made(Make::Path, "pathlib.Path".into())),
            ("dt.date", Wanted::Made(Make::Date, "dt.date.fromisoformat".into())),
            (
                "Literal['a,]', 3]",
                Wanted::Values(vec![Literal::Text("a,]".into()), Literal::Int("3".into())]),
            ),
        ] {
            assert_eq!(Wanted::read(annotation), wanted, "{annotation}");
        }
        let deep = format!("{}int{}", "list[".repeat(100), "]".repeat(100));
        for annotation in
            ["", "pd.DataFrame", "Callable[[int], str]", "list[", "int]", "dict[int]", deep.as_str()]
        {
            assert_eq!(Wanted::read(annotation), Wanted::Any, "{annotation}");
        }
    }

    proptest! {
        #[test]
        fn any_annotation(text in any::<String>(), like in "[a-zA-Z_.\\[\\]'\"|, 0-9\\\\]{0,40}") {
            let _ = (Wanted::read(&text), Wanted::read(&like));
        }
    }
}
