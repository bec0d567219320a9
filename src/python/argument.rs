//! Turns what a person answers for an argument of a function into a value that fits its annotation, or says why it
//! doesn't.
//!
//! Where a string is expected it needs no quotes, but may have them (`' '` is a space). Paths, dates and the like are
//! given as their text, and passed as a call of the name that the annotation uses. Where the annotation says nothing,
//! any literal is accepted.

use super::annotation::{Annotation, Constructor};
use super::literal::{Literal, quoted, shortened};

/// An answer that does not fit the annotation of its argument.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no {wanted}{}", quoted(.answer), .why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
pub(crate) struct ArgumentError {
    answer: String,
    /// The annotation, or a description in place of one that says nothing.
    wanted: String,
    /// What is wrong with the answer, or how it has to be written, where there is more to say.
    why: Option<String>,
}

/// The value that an answer means for an argument with this annotation. Written out with [`Literal`]'s `Display` it is
/// valid in a call.
pub(crate) fn value(annotation: &str, answer: &str) -> Result<Literal, ArgumentError> {
    let (annotation, answer) = (annotation.trim(), answer.trim());
    let wanted = Annotation::read(annotation);
    from_text(&wanted, answer).map_err(|why| {
        let written = Some(format_hint(&wanted)).filter(|shape| !shape.is_empty());
        ArgumentError {
            answer: answer.to_owned(),
            wanted: if wanted.is_open() { "literal of Python" } else { annotation }.to_owned(),
            why: why.or_else(|| written.map(|shape| format!("it is written as {shape}"))),
        }
    })
}

/// Why a value does not fit, where there is more to say than that.
type MismatchReason = Option<String>;

/// The value of an answer that may be a string without quotes.
fn from_text(wanted: &Annotation, text: &str) -> Result<Literal, MismatchReason> {
    let literal = Literal::read(text);
    if let Ok(literal) = &literal
        && let Ok(value) = conform(wanted, literal)
    {
        return Ok(value);
    }
    match wanted {
        Annotation::Str => Ok(Literal::Text(text.to_owned())),
        Annotation::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "yes" => Ok(Literal::Bool(true)),
            "false" | "no" => Ok(Literal::Bool(false)),
            _ => Err(None),
        },
        Annotation::Float if matches!(text.trim_start_matches(['-', '+']), "inf" | "nan") => {
            Ok(call_maker("float", text))
        }
        Annotation::Made(..) => conform(wanted, &Literal::Text(text.to_owned())),
        Annotation::Values(values) => {
            let word = Literal::Text(text.to_owned());
            values.contains(&word).then_some(word).ok_or_else(|| Some(choices(values)))
        }
        Annotation::Union(all) => all.iter().find_map(|one| from_text(one, text).ok()).ok_or(None),
        _ => match literal {
            Ok(literal) => conform(wanted, &literal),
            Err(why) => Err(wanted.is_open().then(|| why.to_string())),
        },
    }
}

/// The literal as it is passed, if the annotation accepts it.
fn conform(wanted: &Annotation, literal: &Literal) -> Result<Literal, MismatchReason> {
    use Literal as L;
    let all = |of: &Annotation, items: &[L]| {
        items.iter().map(|item| conform_inside(of, item)).collect::<Result<Vec<_>, _>>()
    };
    match (wanted, literal) {
        (Annotation::Any | Annotation::Foreign(_), value)
        | (Annotation::None, value @ L::None)
        | (Annotation::Bool, value @ L::Bool(_))
        | (Annotation::Int, value @ L::Int(_))
        | (Annotation::Float, value @ (L::Int(_) | L::Float(_)))
        | (Annotation::Str, value @ L::Text(_))
        | (Annotation::Bytes, value @ L::Bytes(_)) => check_hashable(value).map(|()| value.clone()),
        (Annotation::List(of) | Annotation::Sequence(of), L::List(items)) => Ok(L::List(all(of, items)?)),
        (Annotation::Sequence(of) | Annotation::Tuples(of), L::Tuple(items))
        | (Annotation::Tuples(of), L::List(items)) => Ok(L::Tuple(all(of, items)?)),
        (Annotation::Tuple(of), L::Tuple(items) | L::List(items)) => {
            if of.len() != items.len() {
                return Err(Some(format!("it has {} items, {} are asked for", items.len(), of.len())));
            }
            let each = of.iter().zip(items).map(|(of, item)| conform_inside(of, item));
            Ok(L::Tuple(each.collect::<Result<_, _>>()?))
        }
        (Annotation::Set(of), given) => conform_set(of, given),
        (Annotation::Frozen(of), given) => {
            Ok(L::Made { maker: "frozenset".into(), from: Box::new(conform_set(of, given)?) })
        }
        (Annotation::Dict(key, value), L::Dict(items)) => {
            let each = items.iter().map(|(k, v)| Ok((conform_inside(key, k)?, conform_inside(value, v)?)));
            let dict = L::Dict(each.collect::<Result<_, MismatchReason>>()?);
            check_hashable(&dict).map(|()| dict)
        }
        (Annotation::Union(of), value) => of.iter().find_map(|one| conform(one, value).ok()).ok_or(None),
        (Annotation::Values(values), value) => {
            values.contains(value).then(|| value.clone()).ok_or_else(|| Some(choices(values)))
        }
        (Annotation::Made(make, name), value) => make_of(*make, name, value),
        _ => Err(None),
    }
}

/// As `conform`, for an item of a list or the like: an error names the item.
fn conform_inside(wanted: &Annotation, literal: &Literal) -> Result<Literal, MismatchReason> {
    conform(wanted, literal).map_err(|why| {
        why.or_else(|| Some(format!("{} in it is no {}", short_text(literal), type_word(wanted))))
    })
}

fn conform_set(of: &Annotation, given: &Literal) -> Result<Literal, MismatchReason> {
    let items = match given {
        Literal::Set(items) | Literal::List(items) | Literal::Tuple(items) => items.as_slice(),
        Literal::Dict(items) if items.is_empty() => &[],
        _ => return Err(None),
    };
    let set = Literal::Set(items.iter().map(|item| conform_inside(of, item)).collect::<Result<_, _>>()?);
    check_hashable(&set).map(|()| set)
}

/// Lists, sets and dicts can't be in a set or be keys of a dict.
fn check_hashable(value: &Literal) -> Result<(), MismatchReason> {
    fn is_hashable(value: &Literal) -> bool {
        match value {
            Literal::List(_) | Literal::Set(_) | Literal::Dict(_) => false,
            Literal::Tuple(all) => all.iter().all(is_hashable),
            _ => true,
        }
    }
    match value {
        Literal::List(all) | Literal::Tuple(all) => all.iter().try_for_each(check_hashable),
        Literal::Set(all) if !all.iter().all(is_hashable) => {
            Err(Some("a set takes no lists, sets or dicts".into()))
        }
        Literal::Dict(all) => {
            let keys = all.iter().all(|(key, _)| is_hashable(key));
            all.iter().try_for_each(|(_, value)| check_hashable(value))?;
            keys.then_some(()).ok_or_else(|| Some("a key can't be a list, a set or a dict".into()))
        }
        _ => Ok(()),
    }
}

fn call_maker(maker: &str, text: &str) -> Literal {
    Literal::Made { maker: maker.to_owned(), from: Box::new(Literal::Text(text.to_owned())) }
}

fn make_of(make: Constructor, name: &str, value: &Literal) -> Result<Literal, MismatchReason> {
    let text = match (make, value) {
        (_, Literal::Text(text)) => text.as_str(),
        (Constructor::Decimal, Literal::Int(digits) | Literal::Float(digits)) => digits,
        _ => return Err(None),
    };
    let fine = match make {
        Constructor::Path => (!text.is_empty() && !text.contains('\0')).then(|| text.to_owned()),
        Constructor::Decimal => text.trim().parse::<f64>().ok().map(|_| text.trim().to_owned()),
        Constructor::Date => text.parse::<jiff::civil::Date>().ok().map(|date| date.to_string()),
        Constructor::Time => iso_time(text),
        Constructor::DateTime => iso_moment(text),
    };
    fine.map(|text| call_maker(&make.maker(name), &text)).ok_or(None)
}

/// A date, with or without a time, in a form that every version of Python reads.
fn iso_moment(text: &str) -> Option<String> {
    let (date, time) =
        text.split_once(['T', 't', ' ']).map_or((text, None), |(date, time)| (date, Some(time)));
    let date = date.parse::<jiff::civil::Date>().ok()?;
    match time {
        None => Some(format!("{date}T00:00:00")),
        Some(time) => Some(format!("{date}T{}", iso_time(time)?)),
    }
}

fn iso_time(text: &str) -> Option<String> {
    let text = text.trim();
    let (clock, zone) = match text.find(['Z', 'z', '+', '-']) {
        Some(at) => text.split_at_checked(at)?,
        None => (text, ""),
    };
    let zone = match zone {
        "" => String::new(),
        "Z" | "z" => "+00:00".into(),
        zone => {
            let (hours, minutes) = zone.get(1..)?.split_once(':')?;
            let two = |text: &str, most: u8| text.len() == 2 && text.parse::<u8>().is_ok_and(|n| n < most);
            (two(hours, 24) && two(minutes, 60)).then(|| zone.to_owned())?
        }
    };
    let clock = clock.parse::<jiff::civil::Time>().ok()?;
    match clock.subsec_nanosecond() {
        0 => Some(format!("{clock}{zone}")),
        nanos if nanos % 1_000 == 0 => Some(format!("{clock:.6}{zone}")),
        _ => None,
    }
}

fn choices(values: &[Literal]) -> String {
    let all: Vec<String> = values.iter().map(short_text).collect();
    format!("it is one of {}", all.join(", "))
}

fn short_text(literal: &Literal) -> String {
    shortened(&literal.to_string())
}

/// The accepted type as one word.
fn type_word(wanted: &Annotation) -> &str {
    match wanted {
        Annotation::Any | Annotation::Foreign(_) => "literal",
        Annotation::None => "None",
        Annotation::Bool => "bool",
        Annotation::Int => "int",
        Annotation::Float => "float",
        Annotation::Str => "str in quotes",
        Annotation::Bytes => "bytes",
        Annotation::List(_) => "list",
        Annotation::Sequence(_) => "list or tuple",
        Annotation::Tuple(_) | Annotation::Tuples(_) => "tuple",
        Annotation::Set(_) | Annotation::Frozen(_) => "set",
        Annotation::Dict(..) => "dict",
        Annotation::Union(_) => "value that fits",
        Annotation::Values(_) => "choice",
        Annotation::Made(Constructor::Path, _) => "path in quotes",
        Annotation::Made(Constructor::Decimal, _) => "number",
        Annotation::Made(..) => "date or time in quotes",
    }
}

/// How a value is written, where that is not obvious.
fn format_hint(wanted: &Annotation) -> &'static str {
    match wanted {
        Annotation::Bool => "True or False",
        Annotation::Bytes => "b'…'",
        Annotation::List(of) | Annotation::Sequence(of) => match **of {
            Annotation::Str => "['a', 'b']",
            _ => "[1, 2]",
        },
        Annotation::Tuple(_) | Annotation::Tuples(_) => "(1, 2)",
        Annotation::Set(_) | Annotation::Frozen(_) => "{1, 2}",
        Annotation::Dict(..) => "{'a': 1}",
        Annotation::Made(Constructor::Date, _) => "2026-01-31",
        Annotation::Made(Constructor::Time, _) => "12:30:00",
        Annotation::Made(Constructor::DateTime, _) => "2026-01-31T12:30:00",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn written(annotation: &str, answer: &str) -> Result<String, String> {
        value(annotation, answer).map(|value| value.to_string()).map_err(|why| why.to_string())
    }

    #[test]
    fn answers_mean_values() {
        for (annotation, answer, call) in [
            ("int", " 1_000 ", "1000"),
            ("float", "3", "3"),
            ("float", "-inf", "float('-inf')"),
            ("bool", "yes", "True"),
            ("str", "it's 3", "\"it's 3\""),
            ("str", "3", "'3'"),
            ("str", "' '", "' '"),
            ("str", "'tis", "\"'tis\""),
            ("str", "x'); import os #", "\"x'); import os #\""),
            ("bytes", "b'a'", "b'a'"),
            ("None", "None", "None"),
            ("list[int]", "[1, 2]", "[1, 2]"),
            ("list[str]", "['a']", "['a']"),
            ("tuple[int, str]", "1, 'a'", "(1, 'a')"),
            ("tuple[int, ...]", "[1]", "(1,)"),
            ("set[int]", "[1, 2]", "{1, 2}"),
            ("set[int]", "{}", "set()"),
            ("frozenset[str]", "{'a'}", "frozenset({'a'})"),
            ("dict[str, list[int]]", "{'a': [1]}", "{'a': [1]}"),
            ("Optional[int]", "None", "None"),
            ("int | str", "3", "3"),
            ("int | str", "'3'", "'3'"),
            ("int | str", "a b", "'a b'"),
            ("str | None", "None", "None"),
            ("Literal['fast', 'slow', 3]", "fast", "'fast'"),
            ("Literal['fast', 'slow', 3]", "3", "3"),
            ("Path", "a b.csv", "Path('a b.csv')"),
            ("list[pathlib.Path]", "['a']", "[pathlib.Path('a')]"),
            ("Path | None", "a.csv", "Path('a.csv')"),
            ("Decimal", "1.50", "Decimal('1.50')"),
            ("date", "2026-02-28", "date.fromisoformat('2026-02-28')"),
            ("datetime.datetime", "2026-02-28", "datetime.datetime.fromisoformat('2026-02-28T00:00:00')"),
            (
                "datetime",
                "2026-02-28 12:30:00.5Z",
                "datetime.fromisoformat('2026-02-28T12:30:00.500000+00:00')",
            ),
            ("pd.DataFrame", "{'a': [1]}", "{'a': [1]}"),
            ("Any", "'a'", "'a'"),
            ("", "3", "3"),
        ] {
            assert_eq!(written(annotation, answer).as_deref(), Ok(call), "{annotation} {answer}");
        }
    }

    #[test]
    fn misfits_are_told_with_what_would_fit() {
        for (annotation, answer, why) in [
            ("int", "abc", "\"abc\" is no int"),
            ("int", "1.5", "\"1.5\" is no int"),
            ("int", "True", "\"True\" is no int"),
            ("float", "x", "\"x\" is no float"),
            ("bool", "3", "\"3\" is no bool: it is written as True or False"),
            ("list[int]", "1", "\"1\" is no list[int]: it is written as [1, 2]"),
            ("list[int]", "[1, 'a']", "\"[1, 'a']\" is no list[int]: 'a' in it is no int"),
            ("list[str]", "a, b", "\"a, b\" is no list[str]: it is written as ['a', 'b']"),
            ("tuple[int, int]", "(1,)", "\"(1,)\" is no tuple[int, int]: it has 1 items, 2 are asked for"),
            (
                "set[list[int]]",
                "[[1]]",
                "\"[[1]]\" is no set[list[int]]: a set takes no lists, sets or dicts",
            ),
            ("Literal['a', 3]", "b", "\"b\" is no Literal['a', 3]: it is one of 'a', 3"),
            ("date", "2026-02-30", "\"2026-02-30\" is no date: it is written as 2026-01-31"),
            ("int | None", "x", "\"x\" is no int | None"),
            (
                "pd.DataFrame",
                "df",
                "\"df\" is no literal of Python: \"df\" is a name, no value; a text goes in quotes",
            ),
        ] {
            assert_eq!(written(annotation, answer), Err(why.into()));
        }
    }

    proptest! {
        /// No answer becomes more than one value: the output is a literal again, or one call of a maker around a
        /// literal.
        #[test]
        fn a_text_stays_a_text(answer in any::<String>()) {
            let written = written("str", &answer).unwrap();
            prop_assert!(!written.chars().any(char::is_control));
            prop_assert!(matches!(Literal::read(&written), Ok(Literal::Text(_))));
        }

        #[test]
        fn any_answer(annotation in "[a-zA-Z\\[\\]|, ]{0,20}", answer in any::<String>()) {
            let _ = value(&annotation, &answer);
        }
    }
}
