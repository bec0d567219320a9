//! Scopes of the grammars → classes of the theme.

use crate::tui::theme::Syntax;
use std::collections::HashMap;
use syntect::parsing::{Scope, ScopeStack};

/// The first that is a prefix of a scope decides; longer ones stand before shorter ones. `None`: ask the scope below.
const RULES: &[(&str, Option<Syntax>)] = &[
    ("comment", Some(Syntax::Comment)),
    ("string.regexp", Some(Syntax::Escape)),
    ("string.unquoted", None),
    ("string", Some(Syntax::String)),
    ("constant.character.escape", Some(Syntax::Escape)),
    ("constant.other.placeholder", Some(Syntax::Escape)),
    ("constant.numeric", Some(Syntax::Number)),
    ("constant", Some(Syntax::Constant)),
    ("keyword.operator.logical", Some(Syntax::Keyword)),
    ("keyword.operator.word", Some(Syntax::Keyword)),
    ("keyword.operator", Some(Syntax::Operator)),
    ("keyword", Some(Syntax::Keyword)),
    ("storage", Some(Syntax::Keyword)),
    ("entity.name.function.decorator", Some(Syntax::Attribute)),
    ("entity.name.function", Some(Syntax::Function)),
    ("entity.name.tag", Some(Syntax::Tag)),
    ("entity.name.section", Some(Syntax::Markup)),
    ("entity.name.label", Some(Syntax::Tag)),
    ("entity.name.constant", Some(Syntax::Constant)),
    ("entity.name", Some(Syntax::Type)),
    ("entity.other.attribute-name", Some(Syntax::Attribute)),
    ("entity.other.inherited-class", Some(Syntax::Type)),
    ("support.function", Some(Syntax::Function)),
    ("support.constant", Some(Syntax::Constant)),
    ("support.type.property-name", Some(Syntax::Tag)),
    ("support", Some(Syntax::Type)),
    ("variable.function", Some(Syntax::Function)),
    ("variable.annotation", Some(Syntax::Attribute)),
    ("variable.language", Some(Syntax::Constant)),
    ("variable", Some(Syntax::Variable)),
    ("meta.annotation", Some(Syntax::Attribute)),
    ("meta.interpolation", Some(Syntax::Plain)),
    ("meta.mapping.key", Some(Syntax::Tag)),
    ("punctuation.definition.string", Some(Syntax::String)),
    ("punctuation.definition.comment", Some(Syntax::Comment)),
    ("punctuation.definition.annotation", Some(Syntax::Attribute)),
    ("punctuation.definition.variable", Some(Syntax::Variable)),
    ("punctuation.section.interpolation", Some(Syntax::Escape)),
    ("punctuation.separator.decimal", None),
    ("punctuation", Some(Syntax::Punctuation)),
    ("markup", Some(Syntax::Markup)),
    ("invalid", Some(Syntax::Invalid)),
    ("source", Some(Syntax::Plain)),
    ("text", Some(Syntax::Plain)),
];

/// Remembers the class of each scope.
#[derive(Debug, Default)]
pub struct Scopes {
    known: HashMap<Scope, Option<Syntax>>,
}

impl Scopes {
    /// The class of what has these scopes.
    pub fn class(&mut self, stack: &ScopeStack) -> Syntax {
        stack.as_slice().iter().rev().find_map(|scope| self.of(*scope)).unwrap_or(Syntax::Plain)
    }

    fn of(&mut self, scope: Scope) -> Option<Syntax> {
        *self.known.entry(scope).or_insert_with(|| {
            let name = scope.build_string();
            let rule = RULES.iter().find(|(prefix, _)| {
                name.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            });
            rule.and_then(|(_, class)| *class)
        })
    }
}
