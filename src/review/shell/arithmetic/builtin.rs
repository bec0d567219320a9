//! What commands hand to the names that arithmetic may read: builtins that set variables, and calls of functions.

use super::ArithmeticScan;
use super::holder::TextHolder;
use crate::review::syntax::named_children;
use tree_sitter::Node;

impl<'s> ArithmeticScan<'s, '_> {
    pub(super) fn command(&mut self, node: Node<'_>) {
        let name = self.name_of(node).unwrap_or_default();
        let children = named_children(node, usize::MAX).into_iter();
        let children = children.chain(self.redirections.words_behind(node));
        let children = children.filter(|child| {
            !matches!(child.kind(), "command_name" | "variable_assignment" | "file_redirect")
        });
        let (strings, words): (Vec<Node<'_>>, Vec<Node<'_>>) =
            children.partition(|child| child.kind() == "herestring_redirect");
        match name {
            _ if self.functions.contains(name) => self.give_each(TextHolder::Positions(name), &words),
            "set" => self.give_each(self.positions(), &words),
            "getopts" => self.held.copy(TextHolder::Variable("OPTARG"), self.positions()),
            "let" => {
                for word in words {
                    self.compute(word);
                }
            }
            "unset" => self.unset(&words),
            "declare" | "typeset" | "local" => self.declared(name, &words),
            "test" => self.tested(&words),
            "printf" => self.printed_into(&words),
            "read" | "mapfile" | "readarray" => self.read_into(name, &words, strings.first().copied()),
            _ => {}
        }
    }

    /// What `unset` names, unless these are functions.
    pub(super) fn unset(&mut self, words: &[Node<'_>]) {
        if words.iter().all(|word| self.text(*word) != "-f") {
            for word in words {
                self.name_in(*word);
            }
        }
    }

    /// Words that declare variables: bash computes the index of one that gets a value.
    pub(super) fn declared(&mut self, program: &str, words: &[Node<'_>]) {
        for word in words {
            if matches!(program, "declare" | "typeset" | "local") && self.text(*word).contains('=') {
                self.name_in(*word);
            }
        }
    }

    /// `test -v NAME`.
    fn tested(&mut self, words: &[Node<'_>]) {
        for pair in words.windows(2) {
            if let [sign, name] = pair
                && self.text(*sign) == "-v"
            {
                self.name_in(*name);
            }
        }
    }

    /// `printf -v NAME …`.
    fn printed_into(&mut self, words: &[Node<'_>]) {
        if let [option, name, values @ ..] = words
            && self.text(*option) == "-v"
        {
            self.name_in(*name);
            let name = self.text(*name).trim_matches(['"', '\'']);
            let name = name.split('[').next().unwrap_or_default();
            self.give_each(TextHolder::Variable(name), values);
        }
    }

    /// The names that `read` and `mapfile` set, from a here-string or from elsewhere.
    fn read_into(&mut self, program: &str, words: &[Node<'_>], given: Option<Node<'_>>) {
        /// The options of `read` with a value that is no name.
        const WITH_VALUE: &[char] = &['d', 'i', 'n', 'N', 'p', 't', 'u'];
        let mut is_value = false;
        for word in words.iter().filter(|_| program == "read") {
            let spelled = self.text(*word);
            let is_option = spelled.starts_with('-');
            let takes_next = is_option && spelled.ends_with(WITH_VALUE);
            if !std::mem::replace(&mut is_value, takes_next) && !is_option {
                self.name_in(*word);
            }
        }
        let names = words.iter().filter(|word| word.kind() == "word").map(|word| self.text(*word));
        let names: Vec<&str> = names.filter(|word| !word.starts_with('-')).collect();
        for name in names.into_iter().chain(["REPLY", "MAPFILE"]) {
            let name = TextHolder::Variable(name);
            match given {
                Some(given) => self.give(name, given),
                None => self.held.fill(name),
            }
        }
    }

    /// A word that names a variable. It may have an index, which bash computes, also one that comes from a value.
    fn name_in(&mut self, word: Node<'_>) {
        let spelled = self.text(word);
        let spelled = spelled.split_once('=').map_or(spelled, |(name, _)| name);
        let expanded = spelled.find(['$', '`']);
        let index = spelled.find('[').filter(|at| expanded.is_none_or(|expanded| *at < expanded));
        if expanded.is_some() || index.is_some() && !self.has_tables {
            let start = word.start_byte();
            self.compute_in(word, start + index.unwrap_or_default()..start + spelled.len());
        }
    }

    fn give_each(&mut self, holder: TextHolder<'s>, values: &[Node<'_>]) {
        for value in values {
            self.give(holder, *value);
        }
    }
}
