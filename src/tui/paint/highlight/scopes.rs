//! Maps the names that grammars give to parts of code (scopes) to the classes that themes colour.

use crate::tui::theme::Syntax;
use std::collections::HashMap;
use syntect::parsing::{Scope, ScopeStack};

/// Prefixes of scopes and their classes. The longest match decides; a scope without a match takes the class of
/// the scope around it.
const TABLE: &[(&str, Syntax)] = &[
    ("comment", Syntax::Comment),
    ("constant", Syntax::Constant),
    ("constant.character.escape", Syntax::Escape),
    ("constant.numeric", Syntax::Number),
    ("constant.other.placeholder", Syntax::Escape),
    ("entity.name", Syntax::Type),
    ("entity.name.constant", Syntax::Constant),
    ("entity.name.function", Syntax::Function),
    ("entity.name.label", Syntax::Variable),
    ("entity.name.section", Syntax::Markup),
    ("entity.name.tag", Syntax::Tag),
    ("entity.name.variable", Syntax::Variable),
    ("entity.other.attribute-name", Syntax::Attribute),
    ("entity.other.inherited-class", Syntax::Type),
    ("invalid", Syntax::Invalid),
    ("keyword", Syntax::Keyword),
    ("keyword.operator", Syntax::Operator),
    ("keyword.operator.logical.python", Syntax::Keyword),
    ("keyword.operator.word", Syntax::Keyword),
    ("keyword.other.unit", Syntax::Number),
    ("markup", Syntax::Markup),
    ("markup.deleted", Syntax::Invalid),
    ("markup.inserted", Syntax::String),
    ("markup.raw", Syntax::String),
    ("meta.annotation", Syntax::Attribute),
    ("meta.attribute.rust", Syntax::Attribute),
    ("meta.diff.header", Syntax::Markup),
    ("meta.diff.range", Syntax::Number),
    ("meta.interpolation", Syntax::Plain),
    ("meta.mapping.key.json", Syntax::Tag),
    ("meta.preprocessor", Syntax::Attribute),
    ("meta.structure.dictionary.key", Syntax::Tag),
    ("punctuation", Syntax::Punctuation),
    ("punctuation.definition.annotation", Syntax::Attribute),
    ("punctuation.definition.comment", Syntax::Comment),
    ("punctuation.definition.heading", Syntax::Markup),
    ("punctuation.definition.string", Syntax::String),
    ("punctuation.section.embedded", Syntax::Escape),
    ("punctuation.section.interpolation", Syntax::Escape),
    ("storage", Syntax::Keyword),
    ("storage.type.numeric", Syntax::Number),
    ("string", Syntax::String),
    ("string.regexp", Syntax::Escape),
    ("support", Syntax::Type),
    ("support.constant", Syntax::Constant),
    ("support.function", Syntax::Function),
    ("support.type.property-name", Syntax::Tag),
    ("variable", Syntax::Variable),
    ("variable.annotation", Syntax::Attribute),
    ("variable.function", Syntax::Function),
    ("variable.language", Syntax::Constant),
    ("variable.other.constant", Syntax::Constant),
];

/// Finds the class of any scope.
pub(super) struct Scopes {
    table: Vec<(Scope, Syntax)>,
    known: HashMap<Scope, Option<Syntax>>,
    keys: Vec<Scope>,
}

impl Scopes {
    pub(super) fn new() -> Self {
        let scope = |name: &str| Scope::new(name).ok();
        let mut table: Vec<(Scope, Syntax)> =
            TABLE.iter().filter_map(|(name, class)| Some((scope(name)?, *class))).collect();
        table.sort_by_key(|(scope, _)| std::cmp::Reverse(scope.len()));
        let keys = ["meta.mapping.key.json", "meta.structure.dictionary.key"];
        Self { table, known: HashMap::new(), keys: keys.into_iter().filter_map(scope).collect() }
    }

    /// Returns the class of text inside these scopes.
    pub(super) fn class(&mut self, stack: &ScopeStack) -> Syntax {
        let scopes = stack.as_slice();
        let class = scopes.iter().rev().find_map(|scope| self.of(*scope)).unwrap_or(Syntax::Plain);
        // A key (of JSON, YAML) is a string too; that it is a key matters more.
        let is_key = |scope: &Scope| self.keys.iter().any(|key| key.is_prefix_of(*scope));
        if class == Syntax::String && scopes.iter().any(is_key) { Syntax::Tag } else { class }
    }

    fn of(&mut self, scope: Scope) -> Option<Syntax> {
        let table = &self.table;
        *self.known.entry(scope).or_insert_with(|| {
            table.iter().find(|(prefix, _)| prefix.is_prefix_of(scope)).map(|(_, class)| *class)
        })
    }
}
