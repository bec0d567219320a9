//! Reads bash: walks the tree, expands words and collects each command and redirection as an act.
//!
//! `simple_command` reads the commands of the tree, `command` resolves those that run others (`sudo`, `env`, `xargs`,
//! `find -exec`), each from its `command_start`; `word` folds words, `expand` words that become several, `brace` those
//! with braces, `form` the forms of `${…}`, `print` what commands print. `variable` holds the values of variables,
//! `read` sets them, `change` and `branch` find where they stop to be known. `assign` reads assignments, `stream`
//! passes input, `redirect` handles redirections, `alias` aliases, `function` functions, `exit` what ends them,
//! `folder` and `own_folder` changes of the folder, `tilde` the home folder, and `program` what options do, which
//! `option_form` brings into one form. The acts are judged in `judge`.
//!
//! The grammar does not read all as bash does: `redirections` finds what each redirection is for, `here_document`
//! documents that bash ends elsewhere, `text_code` substitutions that the tree does not show, `plain_quotes` quotes that
//! quote nothing, and `joint` words that are written on two lines; `keyword` finds keywords that it takes for commands.
//! `arithmetic` finds what bash takes for an expression although it comes from elsewhere.
//!
//! A value counts as known only where bash certainly agrees; everything else is unknown.

mod alias;
mod arithmetic;
mod assign;
mod brace;
mod branch;
mod change;
mod command;
mod command_start;
mod exit;
mod expand;
mod find;
mod folder;
mod form;
mod function;
mod here_document;
mod index;
mod joint;
mod keyword;
mod module;
mod option_form;
mod options;
mod own_folder;
mod plain_quotes;
mod print;
mod printed_text;
mod program;
mod quoting;
mod read;
mod redirect;
mod redirections;
mod simple_command;
mod stream;
mod text_code;
mod tilde;
mod variable;
mod word;
mod wrapper;

pub(super) use here_document::{first_misread, letters as document_letters};

use branch::OpenScope;
use change::ChangePlaces;
use change::node::changed_in_place;
use command_start::CommandStart;
use function::ShellFunction;
use plain_quotes::PlainQuotes;
use redirections::Redirections;
use variable::ValueSet;

use super::Scope;
use super::flow::{Extraction, Frames};
use super::rule_set::RuleSet;
use super::value::{Argument, Value};
use super::walk::{WalkStep, Walker, walk};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;
use tree_sitter::Node;

/// Reads a parsed text.
///
/// `folder` is where it runs, if code around it changed the working folder; `outer` are the variables that code around it
/// sets.
pub(super) fn read(
    root: Node<'_>,
    source: &str,
    rules: &RuleSet,
    scope: &Scope,
    folder: Option<Value>,
    outer: Vec<Rc<HashSet<String>>>,
) -> Extraction {
    let mut reader = ShellReader::new(source, rules, scope);
    (reader.folder, reader.outer) = (folder, outer);
    reader.functions = function::all(root, source);
    reader.redirections = Redirections::of(root);
    reader.changes = ChangePlaces::of(root, source, &reader.functions, &reader.redirections);
    reader.quotes = PlainQuotes::of(root, source);
    walk(&mut reader, root, 0);
    reader.reading.unknown |= joint::splits_a_word(root, source);
    reader.reading.unknown |= arithmetic::meets_foreign_text(root, source, &reader.redirections);
    reader.reading.cut |= reader.frames.is_exhausted();
    reader.reading.variables = reader.changes.names();
    reader.reading
}

/// Reads the words of one command that runs without a shell (`subprocess.run([...])`).
pub(super) fn read_words(
    words: &[Value],
    span: &Range<usize>,
    rules: &RuleSet,
    scope: &Scope,
    folder: Option<Value>,
) -> Extraction {
    let mut reader = ShellReader::new("", rules, scope);
    reader.folder = folder;
    let words = Argument::of_each(words, span);
    reader.command(words, CommandStart::at(span, None));
    reader.reading
}

/// The state of reading one text.
struct ShellReader<'a, 't> {
    source: &'a str,
    rules: &'a RuleSet,
    scope: &'a Scope,
    frames: Frames,
    /// The standard input of commands, by node.
    inputs: HashMap<usize, Argument>,
    /// The text that redirections write, by node.
    outputs: HashMap<usize, Argument>,
    /// The aliases of commands.
    aliases: HashMap<String, String>,
    /// The keys of git's settings that are handed over in variables, by the names of these.
    git_keys: HashMap<String, Value>,
    /// The folder after the last `cd`.
    folder: Option<Value>,
    /// The variables that code around the text sets.
    outer: Vec<Rc<HashSet<String>>>,
    /// The functions of the text, by name.
    functions: HashMap<String, ShellFunction<'t>>,
    /// The values of `$1`, `$2` …, while a function is followed or after `set --`.
    positional: Option<Vec<Value>>,
    /// The span of the call whose function is being followed; acts in the function get this span.
    called: Option<Range<usize>>,
    /// The functions that are being followed.
    calls: Vec<usize>,
    /// The bytes of functions followed so far.
    followed: usize,
    /// All values that each variable was given.
    choices: HashMap<String, ValueSet>,
    /// The variables that hold one of several values, and whether all of these are remembered.
    several: HashMap<String, bool>,
    /// The variables whose values bash converts when they are set: `declare -i`.
    converted: HashSet<String>,
    /// Whether functions may run or keep what they read, by their bodies, as far as that was asked.
    runs_input: HashMap<usize, bool>,
    /// What each redirection is for.
    redirections: Redirections<'t>,
    /// All places that change something.
    changes: ChangePlaces<'a>,
    /// The single quotes that quote nothing.
    quotes: PlainQuotes,
    /// The stretches of the text that are being read, the innermost last.
    open: Vec<OpenScope>,
    /// The list that was begun last.
    list: Range<usize>,
    /// The commands that share their standard input with others.
    shared: HashSet<usize>,
    /// Whether the command that is being read may read its input in an unusual way, or share it.
    odd_input: bool,
    /// The value of a variable for which a command is being read.
    chosen: Option<(String, Value)>,
    /// Assignments that were read before the node that holds them.
    assigned: HashSet<usize>,
    /// Unknown programs and options that were already reported.
    untold: HashSet<String>,
    /// The script that activates the environment which the last command made, and how many acts there were before.
    activation: Option<(String, usize)>,
    reading: Extraction,
}

impl<'a> ShellReader<'a, '_> {
    fn new(source: &'a str, rules: &'a RuleSet, scope: &'a Scope) -> Self {
        Self {
            source,
            rules,
            scope,
            frames: Frames::new(source.len()),
            inputs: HashMap::new(),
            outputs: HashMap::new(),
            aliases: HashMap::new(),
            git_keys: HashMap::new(),
            folder: None,
            outer: Vec::new(),
            functions: HashMap::new(),
            positional: None,
            called: None,
            calls: Vec::new(),
            followed: 0,
            choices: HashMap::new(),
            several: HashMap::new(),
            converted: HashSet::new(),
            runs_input: HashMap::new(),
            redirections: Redirections::default(),
            changes: ChangePlaces::default(),
            quotes: PlainQuotes::default(),
            open: Vec::new(),
            list: 0..0,
            shared: HashSet::new(),
            odd_input: false,
            chosen: None,
            assigned: HashSet::new(),
            untold: HashSet::new(),
            activation: None,
            reading: Extraction::default(),
        }
    }
}

impl<'t> Walker<'t> for ShellReader<'_, 't> {
    fn visit(&mut self, node: Node<'t>, _: WalkStep) -> bool {
        self.end_scopes(node.start_byte());
        self.take_input(node, 0);
        self.feed_output_pipe(node, None);
        if node.kind() == "for_statement" {
            self.each_of(node);
        } else {
            self.begin_scopes(node);
        }
        match node.kind() {
            "variable_assignment" if !self.assigned.remove(&node.id()) => self.assignment(node),
            "pipeline" => {
                self.pipe(node, None, 0);
            }
            "redirected_statement" => self.redirected(node),
            "file_redirect" => self.redirect(node),
            "command" => self.simple(node),
            "unset_command" => {
                let name = Argument::text("unset", &node.byte_range());
                let words = [name].into_iter().chain(self.words(node, 0)).collect();
                self.command(words, CommandStart::at(&self.place(node), None));
            }
            "declaration_command" => self.declared(node),
            "heredoc_body" => self.code_in_text(node),
            "expansion" => {
                self.as_prompt(node);
                self.code_in_text(node);
            }
            "test_command" => self.indexes_in(node),
            "raw_string" | "ansi_c_string" if self.quotes.stand_alone(node) => self.code_in_text(node),
            "do_group" | "compound_statement" => self.forget_counters(node),
            _ => {}
        }
        for target in changed_in_place(node, self.source) {
            self.forget_target(target);
        }
        true
    }

    fn is_branch(_: &str) -> bool {
        // The reader keeps its own account of branches.
        false
    }

    fn too_deep(&mut self) {
        self.reading.cut = true;
    }
}

impl ShellReader<'_, '_> {
    /// The span to report for a node: that of the call, if a function is being followed.
    fn place(&self, node: Node<'_>) -> Range<usize> {
        self.called.clone().unwrap_or_else(|| node.byte_range())
    }
}
