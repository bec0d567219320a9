//! Turns a function's signature into a form that asks for its arguments, and the answers into the text of a call.

use crate::domain::{AnswerError, Answers, Field, FieldKind, Form, Parameter, ParameterKind};
use crate::engine::answers::MisfitError;
use crate::python::argument;
use crate::python::function::Definition;

pub(super) const ARGUMENTS: &str = "arguments";

/// The form of the function's arguments; `None` where it takes none.
pub(super) fn form(defined: &Definition) -> Option<Form> {
    let function = &defined.function;
    let fields: Vec<Field> = function.parameters.iter().map(|parameter| field(defined, parameter)).collect();
    let note = function.doc.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let (name, title) = (ARGUMENTS.to_owned(), function.signature.clone());
    (!fields.is_empty()).then(|| Form { name, title, note: note.to_owned(), fields })
}

fn field(defined: &Definition, parameter: &Parameter) -> Field {
    let annotation = annotation(parameter);
    let open = defined.expressions.iter().find(|(name, _)| *name == parameter.name);
    let help = match (open, parameter.kind) {
        (Some((_, expression)), _) => format!("{annotation}; empty: {expression}"),
        (None, ParameterKind::Rest) => format!("{annotation}: all further arguments; empty: none"),
        (None, ParameterKind::Options) => format!("{annotation}: further arguments by name; empty: none"),
        (None, _) => annotation.clone(),
    };
    Field {
        name: parameter.name.clone(),
        label: parameter.name.clone(),
        help,
        kind: FieldKind::Argument { annotation },
        required: parameter.required,
        default: parameter.default.clone(),
    }
}

/// The annotation of the value that is asked for: for `*args` and `**kwargs` the form asks for a list or a dict.
fn annotation(parameter: &Parameter) -> String {
    let of = if parameter.annotation.is_empty() { "Any" } else { parameter.annotation.trim() };
    match parameter.kind {
        ParameterKind::Rest => format!("list[{of}]"),
        ParameterKind::Options => format!("dict[str, {of}]"),
        _ => of.to_owned(),
    }
}

/// The call with these answers, each written as a Python literal. Arguments without an answer are left out, so Python
/// uses the default.
///
/// # Errors
/// When an argument is missing, does not fit, or can't be left out here.
pub(super) fn call(defined: &Definition, answers: &Answers) -> Result<String, AnswerError> {
    let function = &defined.function;
    let given = |parameter: &Parameter| {
        let answer =
            answers.iter().find(|(name, _)| *name == parameter.name).map_or("", |(_, text)| text.trim());
        if answer.is_empty() {
            return Ok(None);
        }
        let value = argument::value(&annotation(parameter), answer);
        value.map(|value| Some(value.to_string())).map_err(|why| MisfitError::from(why).of(&parameter.name))
    };
    let rest = function.parameters.iter().position(|parameter| parameter.kind == ParameterKind::Rest);
    let has_rest = match rest.and_then(|at| function.parameters.get(at)) {
        Some(parameter) => given(parameter)?.is_some_and(|all| all != "[]"),
        None => false,
    };
    let (mut parts, mut open): (Vec<String>, Option<&str>) = (Vec::new(), None);
    for (at, parameter) in function.parameters.iter().enumerate() {
        let by_place =
            parameter.kind == ParameterKind::Positional || has_rest && rest.is_some_and(|rest| at < rest);
        let name = parameter.name.as_str();
        match (parameter.kind, given(parameter)?) {
            (_, None) if parameter.required => return Err(MisfitError::Needed.of(name)),
            (_, None) => open = open.or(by_place.then_some(name)),
            (ParameterKind::Rest, Some(all)) => parts.extend((all != "[]").then(|| format!("*{all}"))),
            (ParameterKind::Options, Some(all)) => parts.extend((all != "{}").then(|| format!("**{all}"))),
            (_, Some(value)) if by_place => parts.push(value),
            (_, Some(value)) => parts.push(format!("{name}={value}")),
        }
        let further = function.parameters.get(at + 1).map(|next| next.kind);
        if let (Some(left), true) = (open, by_place && has_rest && further == Some(ParameterKind::Rest)) {
            return Err(MisfitError::NeededWhere("further arguments are given").of(left));
        }
    }
    if let Some(left) = open
        && skips(function.parameters.as_slice(), answers)
    {
        return Err(MisfitError::NeededWhere("a later one is given by its place").of(left));
    }
    let call = format!("{}({})", function.name, parts.join(", "));
    Ok(if defined.is_async { format!("await {call}") } else { call })
}

/// Whether a positional-only parameter is left out although a later one is given.
fn skips(parameters: &[Parameter], answers: &Answers) -> bool {
    let answered = |parameter: &Parameter| {
        answers.iter().any(|(name, text)| *name == parameter.name && !text.trim().is_empty())
    };
    let mut places = parameters.iter().filter(|parameter| parameter.kind == ParameterKind::Positional);
    places.any(|parameter| !answered(parameter)) && places.any(answered)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::answers;
    use crate::python::function::examine;

    fn call_of(head: &str, given: &[(&str, &str)]) -> Result<String, String> {
        let defined = examine(&format!("def f({head}) -> int:\n    'A.'\n    return 1\n")).unwrap();
        let given: Answers = given.iter().map(|(n, t)| ((*n).to_owned(), (*t).to_owned())).collect();
        let form = form(&defined).unwrap_or_default();
        let answers = answers::check(&form, &given)
            .map_err(|misfits| misfits.iter().map(ToString::to_string).collect::<String>())?;
        call(&defined, &answers).map_err(|why| why.to_string())
    }

    #[test]
    fn a_form_is_made_from_the_signature() {
        let source = "def rate(n: int, unit: str = 'm', *, path: Path = Path('.')) -> float:\n    '''Tells the rate.\n\n    \
                  More.'''\n    return n / 2\n";
        let form = form(&examine(source).unwrap()).unwrap();
        assert_eq!((form.name.as_str(), form.note.as_str()), ("arguments", "Tells the rate."));
        let unit = &form.fields[1];
        assert_eq!((unit.default.as_deref(), unit.required), (Some("'m'"), false));
        assert_eq!(unit.kind, FieldKind::Argument { annotation: "str".into() });
        let path = &form.fields[2];
        assert_eq!((path.default.as_deref(), path.required), (None, false));
        assert_eq!(path.help, "Path; empty: Path('.')");
        assert_eq!(super::form(&examine("def f() -> int:\n    'A.'\n").unwrap()), None);
    }

    #[test]
    fn a_call_is_written_out() {
        for (head, given, written) in [
            ("", &[][..], "f()"),
            ("n: int, unit: str = 'm'", &[("n", "3")], "f(n=3, unit='m')"),
            (
                "n: int, unit: str = 'm'",
                &[("n", "3"), ("unit", "it's; import os")],
                "f(n=3, unit=\"it's; import os\")",
            ),
            ("n: int = LIMIT, m: int = 2", &[], "f(m=2)"),
            ("a: int, /, b: int", &[("a", "1"), ("b", "2")], "f(1, b=2)"),
            ("a: int, *args: str", &[("a", "1"), ("args", "['x', 'y']")], "f(1, *['x', 'y'])"),
            ("a: int, *args: str, **more: int", &[("a", "1"), ("more", "{'k': 2}")], "f(a=1, **{'k': 2})"),
            ("n: int = None", &[], "f()"),
            ("p: Path | None = None", &[("p", "a.csv")], "f(p=Path('a.csv'))"),
        ] {
            assert_eq!(call_of(head, given).as_deref(), Ok(written), "{head}");
        }
        for (head, given, why) in [
            ("n: int", &[("n", "abc")][..], "n: \"abc\" is no int"),
            ("n: int", &[], "n: an answer is needed"),
            ("a: int = X, /, b: int = Y, c: int = 1", &[("b", "1")], ""),
            ("a: int = X, b: int = Y, /", &[("b", "1")], "a: an answer is needed"),
            ("a: int = X, *args: int", &[("args", "[1]")], "a: an answer is needed where further"),
        ] {
            let told = call_of(head, given);
            assert!(why.is_empty() == told.is_ok(), "{head}: {told:?}");
            assert!(told.err().unwrap_or_default().contains(why), "{head}");
        }
    }
}
