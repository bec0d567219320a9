//! Parses Python annotations, as far as their text alone says which values they accept.

use super::literal::{Literal, take};

/// How deep an annotation may be nested; what is nested deeper accepts any literal.
const MAX_DEPTH: usize = 8;
/// How many members of a union, choices of a `Literal` or parts of a tuple are read.
const MAX_MEMBERS: usize = 200;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Annotation {
    /// Accepts every literal.
    Any,
    /// An unknown type, by its name, or a text that is no annotation at all: accepts any literal.
    Foreign(String),
    None,
    Bool,
    Int,
    Float,
    Str,
    Bytes,
    List(Box<Annotation>),
    /// `Sequence[…]`: a list or a tuple, passed as it was written.
    Sequence(Box<Annotation>),
    Tuple(Vec<Annotation>),
    /// `tuple[int, ...]`
    Tuples(Box<Annotation>),
    Set(Box<Annotation>),
    Frozen(Box<Annotation>),
    Dict(Box<Annotation>, Box<Annotation>),
    Union(Vec<Annotation>),
    /// One of these values.
    Values(Vec<Literal>),
    /// A value that the type of this name makes from a text.
    Made(Constructor, String),
}

/// Types whose values are made from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Constructor {
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

impl Constructor {
    /// The expression that makes a value from a text, where the annotation calls the type `name`.
    pub(crate) fn maker(self, name: &str) -> String {
        match self {
            Constructor::Path | Constructor::Decimal => name.to_owned(),
            Constructor::Date | Constructor::Time | Constructor::DateTime => format!("{name}.fromisoformat"),
        }
    }
}

impl Annotation {
    /// Parses the text of an annotation.
    pub(crate) fn read(annotation: &str) -> Self {
        let text = annotation.trim();
        if text.is_empty() {
            return Annotation::Any;
        }
        let mut reader = AnnotationReader { rest: text, depth: 0 };
        match reader.union() {
            Some(wanted) if reader.rest.trim().is_empty() => wanted,
            _ => Annotation::Foreign(text.to_owned()),
        }
    }

    /// Whether it says nothing about the values that fit.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Annotation::Any | Annotation::Foreign(_))
    }
}

struct AnnotationReader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> AnnotationReader<'a> {
    /// `a | b | None`
    fn union(&mut self) -> Option<Annotation> {
        Some(one_of(self.several("|", Self::atom)?))
    }

    fn several<T>(&mut self, between: &str, read: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut all = vec![read(self)?];
        while self.take(between) && all.len() < MAX_MEMBERS {
            all.push(read(self)?);
        }
        Some(all)
    }

    fn atom(&mut self) -> Option<Annotation> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let found =
            if self.rest.trim_start().starts_with(['\'', '"']) { self.in_quotes() } else { self.named() };
        self.depth -= 1;
        found
    }

    /// An annotation written as a string.
    fn in_quotes(&mut self) -> Option<Annotation> {
        let Literal::Text(text) = self.literal()? else { return None };
        let mut inner = AnnotationReader { rest: &text, depth: self.depth };
        let found = inner.union()?;
        inner.rest.trim().is_empty().then_some(found)
    }

    fn named(&mut self) -> Option<Annotation> {
        let name = self.name()?;
        let short = name.rsplit('.').next().unwrap_or(name);
        if !self.take("[") {
            return Some(plain(short, name));
        }
        let wanted = match short {
            "Literal" => Annotation::Values(self.several(",", Self::literal)?),
            "Optional" => one_of(vec![self.union()?, Annotation::None]),
            "Union" => one_of(self.several(",", Self::union)?),
            "Annotated" | "Final" | "Required" | "NotRequired" => {
                let first = self.union()?;
                self.skip_to_end()?;
                return Some(first);
            }
            "list" | "List" => Annotation::List(Box::new(self.union()?)),
            "Sequence" | "Iterable" | "Collection" | "MutableSequence" => {
                Annotation::Sequence(Box::new(self.union()?))
            }
            "set" | "Set" | "AbstractSet" => Annotation::Set(Box::new(self.union()?)),
            "frozenset" | "FrozenSet" => Annotation::Frozen(Box::new(self.union()?)),
            "tuple" | "Tuple" => self.tuple()?,
            "dict" | "Dict" | "Mapping" | "MutableMapping" => {
                let [key, value] = <[Annotation; 2]>::try_from(self.several(",", Self::union)?).ok()?;
                Annotation::Dict(Box::new(key), Box::new(value))
            }
            _ => {
                self.skip_to_end()?;
                return Some(Annotation::Foreign(name.to_owned()));
            }
        };
        self.take("]").then_some(wanted)
    }

    /// `tuple[int, str]`, `tuple[int, ...]` or `tuple[()]`
    fn tuple(&mut self) -> Option<Annotation> {
        if self.take("()") {
            return Some(Annotation::Tuple(Vec::new()));
        }
        let mut all = vec![self.union()?];
        while self.take(",") && all.len() < MAX_MEMBERS {
            if self.take("...") {
                return Some(Annotation::Tuples(Box::new(all.pop()?)));
            }
            all.push(self.union()?);
        }
        Some(Annotation::Tuple(all))
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

    fn name(&mut self) -> Option<&'a str> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len());
        let (name, after) = rest.split_at_checked(end)?;
        let sound = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
        self.rest = after;
        sound.then_some(name)
    }

    fn take(&mut self, sign: &str) -> bool {
        take(&mut self.rest, sign)
    }

    /// Skips past the bracket that closes the open one.
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

fn plain(short: &str, name: &str) -> Annotation {
    let any = || Box::new(Annotation::Any);
    let made = |make| Annotation::Made(make, name.to_owned());
    match short {
        "None" | "NoneType" => Annotation::None,
        "bool" => Annotation::Bool,
        "int" => Annotation::Int,
        "float" => Annotation::Float,
        "str" | "LiteralString" => Annotation::Str,
        "bytes" => Annotation::Bytes,
        "list" | "List" => Annotation::List(any()),
        "Sequence" | "Iterable" | "Collection" | "MutableSequence" => Annotation::Sequence(any()),
        "tuple" | "Tuple" => Annotation::Tuples(any()),
        "set" | "Set" => Annotation::Set(any()),
        "frozenset" | "FrozenSet" => Annotation::Frozen(any()),
        "dict" | "Dict" | "Mapping" | "MutableMapping" => Annotation::Dict(any(), any()),
        "Path" | "PurePath" | "PosixPath" => made(Constructor::Path),
        "Decimal" => made(Constructor::Decimal),
        "date" => made(Constructor::Date),
        "time" => made(Constructor::Time),
        "datetime" => made(Constructor::DateTime),
        "Any" | "object" => Annotation::Any,
        _ => Annotation::Foreign(name.to_owned()),
    }
}

fn one_of(mut all: Vec<Annotation>) -> Annotation {
    if all.len() == 1 { all.pop().unwrap_or(Annotation::Any) } else { Annotation::Union(all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn annotations_are_understood() {
        let list = |of| Annotation::List(Box::new(of));
        for (annotation, wanted) in [
            ("int", Annotation::Int),
            ("typing.List[float]", list(Annotation::Float)),
            ("'list[int]'", list(Annotation::Int)),
            ("Optional[str]", Annotation::Union(vec![Annotation::Str, Annotation::None])),
            ("int | None", Annotation::Union(vec![Annotation::Int, Annotation::None])),
            ("Annotated[int, Gt(3)]", Annotation::Int),
            ("tuple[int, ...]", Annotation::Tuples(Box::new(Annotation::Int))),
            ("tuple[()]", Annotation::Tuple(Vec::new())),
            ("pathlib.Path", Annotation::Made(Constructor::Path, "pathlib.Path".into())),
            ("dt.date", Annotation::Made(Constructor::Date, "dt.date".into())),
            (
                "Literal['a,]', 3]",
                Annotation::Values(vec![Literal::Text("a,]".into()), Literal::Int("3".into())]),
            ),
        ] {
            assert_eq!(Annotation::read(annotation), wanted, "{annotation}");
        }
        let deep = format!("{}int{}", "list[".repeat(100), "]".repeat(100));
        for annotation in
            ["", "pd.DataFrame", "Callable[[int], str]", "list[", "int]", "dict[int]", deep.as_str()]
        {
            assert!(Annotation::read(annotation).is_open(), "{annotation}");
        }
    }

    proptest! {
        #[test]
        fn any_annotation(text in any::<String>(), like in "[a-zA-Z_.\\[\\]'\"|, 0-9\\\\]{0,40}") {
            let _ = (Annotation::read(&text), Annotation::read(&like));
        }
    }
}
