//! SQL: the statements that lose data, give it away, or reach outside the database.
//!
//! A statement ends at `;`. Names are compared in any case. A `WHERE` that is always true counts as none.

use super::lexer::{Sort, Word};
use crate::review::flow::Reading;
use crate::review::value::{Act, Argument, Kind, Value};
use std::collections::HashSet;
use std::ops::Range;

/// Reads the words of a text.
pub(super) fn read(source: &str, words: &[Word]) -> Reading {
    let mut reading = Reading::default();
    let mut created = HashSet::new();
    let statements: Vec<Statement<'_>> = split(source, words);
    for statement in &statements {
        created.extend(statement.creates());
    }
    for statement in &statements {
        statement.acts(&created, &mut reading);
    }
    reading
}

/// The words of one statement that count.
struct Statement<'a> {
    source: &'a str,
    words: Vec<&'a Word>,
}

fn split<'a>(source: &'a str, words: &'a [Word]) -> Vec<Statement<'a>> {
    let mut all = vec![Vec::new()];
    for word in words {
        match word.sort {
            Sort::Comment | Sort::Break => {}
            Sort::Sign(';') => all.push(Vec::new()),
            _ => {
                if let Some(last) = all.last_mut() {
                    last.push(word);
                }
            }
        }
    }
    all.into_iter().filter(|words| !words.is_empty()).map(|words| Statement { source, words }).collect()
}

impl Statement<'_> {
    /// A word in lower case; empty where there is none.
    fn word(&self, at: usize) -> String {
        let text = self.words.get(at).and_then(|w| self.source.get(w.span.clone())).unwrap_or_default();
        text.chars().take(128).collect::<String>().to_ascii_lowercase()
    }

    /// The position of a keyword at or behind a position.
    fn find(&self, keyword: &str, from: usize) -> Option<usize> {
        (from..self.words.len())
            .find(|at| self.words.get(*at).is_some_and(|w| w.sort == Sort::Name) && self.word(*at) == keyword)
    }

    fn span(&self, from: usize, to: usize) -> Range<usize> {
        let start = self.words.get(from).map_or(0, |w| w.span.start);
        let end = self.words.get(to).or(self.words.last()).map_or(start, |w| w.span.end);
        start..end.max(start)
    }

    /// A name behind a position, its quotes left out.
    fn name(&self, at: usize) -> String {
        self.word(at).trim_matches(['"', '`', '[', ']', '\'']).to_owned()
    }

    /// The position behind words that may stand in front of a name.
    fn skip(&self, mut at: usize, words: &[&str]) -> usize {
        while words.contains(&self.word(at).as_str()) {
            at += 1;
        }
        at
    }

    /// The table that this statement makes.
    fn creates(&self) -> Option<String> {
        if self.word(0) != "create" {
            return None;
        }
        let table = self.find("table", 1).or_else(|| self.find("view", 1))?;
        Some(self.name(self.skip(table + 1, &["if", "not", "exists"])))
    }

    /// Tells what the statement does. Also reached behind `WITH … AS (…)` and `EXPLAIN ANALYZE`.
    fn acts(&self, created: &HashSet<String>, reading: &mut Reading) {
        for at in 0..self.words.len() {
            let before = if at == 0 { String::new() } else { self.word(at - 1) };
            let begins = at == 0
                || matches!(before.as_str(), ")" | "(" | "begin" | "then" | "do" | "else" | "analyze");
            if begins {
                self.statement(at, created, reading);
            }
            self.reach(at, reading);
        }
    }

    fn statement(&self, at: usize, created: &HashSet<String>, reading: &mut Reading) {
        let (verb, next) = (self.word(at), self.word(at + 1));
        match verb.as_str() {
            "drop" => {
                let name = self.skip(at + 2, &["if", "exists", "concurrently"]);
                let table = self.name(name);
                let again = created.contains(&table);
                self.tell(&format!("drop {next}"), name, at..name, &[("again", again)], reading);
            }
            "truncate" => {
                let name = self.skip(at + 1, &["table", "only"]);
                let again = created.contains(&self.name(name));
                self.tell("truncate", name, at..name, &[("again", again)], reading);
            }
            "delete" if next == "from" || !next.is_empty() => {
                let name = self.skip(at + 1, &["from", "only"]);
                let again = created.contains(&self.name(name));
                let all = self.everywhere(name);
                self.tell("delete", name, at..name, &[("all", all), ("again", again)], reading);
            }
            "update" => {
                let name =
                    self.skip(at + 1, &["only", "or", "ignore", "replace", "rollback", "abort", "fail"]);
                if self.find("set", name).is_some_and(|set| set > name && set <= name + 4) {
                    let again = created.contains(&self.name(name));
                    let all = self.everywhere(name);
                    self.tell("update", name, at..name, &[("all", all), ("again", again)], reading);
                }
            }
            "alter" => {
                let name = self.skip(at + 2, &["if", "exists", "only"]);
                let drop = self.find("drop", name).is_some_and(|d| self.word(d + 1) != "not");
                self.tell(&format!("alter {next}"), name, at..name, &[("drop", drop)], reading);
            }
            "grant" | "revoke" | "shutdown" => self.tell(&verb, at + 1, at..at + 1, &[], reading),
            "create" | "set" if matches!(next.as_str(), "user" | "role" | "login" | "password") => {
                self.tell(&format!("{verb} {next}"), at + 2, at..at + 2, &[], reading);
            }
            "attach" => {
                let name = self.skip(at + 1, &["database"]);
                self.tell("attach", name, at..name, &[], reading);
            }
            "copy" => self.copy(at, reading),
            "load" if next == "data" => {
                let file = self.find("infile", at).map_or(at + 2, |f| f + 1);
                self.tell("load data", file, at..file, &[], reading);
            }
            _ => {}
        }
    }

    /// `COPY … FROM PROGRAM 'command'`, `COPY … TO '/path'`.
    fn copy(&self, at: usize, reading: &mut Reading) {
        if let Some(program) = self.find("program", at) {
            self.tell("copy program", program + 1, at..program + 1, &[], reading);
        } else if let Some(to) = self.find("to", at) {
            self.tell("copy to", to + 1, at..to + 1, &[], reading);
        } else if let Some(from) = self.find("from", at) {
            self.tell("copy from", from + 1, at..from + 1, &[], reading);
        }
    }

    /// What reaches outside of the database, wherever it stands.
    fn reach(&self, at: usize, reading: &mut Reading) {
        if self.words.get(at).is_none_or(|w| w.sort != Sort::Name) {
            return;
        }
        let word = self.word(at);
        let last = word.rsplit('.').next().unwrap_or_default();
        match last {
            "outfile" | "dumpfile" if self.word(at.wrapping_sub(1)) == "into" => {
                self.tell("into outfile", at + 1, at..at + 1, &[], reading);
            }
            "load_file" | "pg_read_file" | "pg_read_binary_file" | "pg_ls_dir" | "readfile" | "lo_import" => {
                self.tell("load_file", at + 2, at..at + 2, &[], reading);
            }
            "xp_cmdshell" | "sys_exec" | "sys_eval" => {
                let command = self.skip(at + 1, &["("]);
                self.tell("shell", command, at..command, &[], reading);
            }
            "load_extension"
            | "xp_regwrite"
            | "sp_oacreate"
            | "sp_configure"
            | "pg_terminate_backend"
            | "dblink"
            | "dblink_connect"
            | "lo_export"
            | "writefile" => {
                self.tell(last, at + 2, at..at + 2, &[], reading);
            }
            _ => {}
        }
    }

    /// Whether no condition keeps rows from it: none is given, or one that always holds.
    fn everywhere(&self, from: usize) -> bool {
        if self.find("limit", from).is_some() || self.find("join", from).is_some() {
            return false;
        }
        let Some(place) = self.find("where", from) else {
            return self.find("using", from).is_none();
        };
        let rest: Vec<String> = (place + 1..self.words.len()).map(|at| self.word(at)).collect();
        let rest = rest.concat();
        matches!(rest.as_str(), "true" | "1" | "1=1" | "'1'='1'" | "(1=1)" | "0=0" | "nottrue=false")
    }

    fn tell(
        &self,
        name: &str,
        target: usize,
        span: Range<usize>,
        flags: &[(&str, bool)],
        reading: &mut Reading,
    ) {
        let span = self.span(span.start, span.end);
        let argument = self.words.get(target).map(|word| {
            let text = self.source.get(word.inner.clone()).unwrap_or_default();
            Argument { value: Value::text(text), span: word.span.clone() }
        });
        let flag = |(name, set): &(&str, bool)| {
            set.then(|| {
                ((*name).to_owned(), Argument { value: Value::new(Kind::Bool(true)), span: span.clone() })
            })
        };
        reading.acts.push(Act {
            name: name.to_owned(),
            receiver: None,
            arguments: argument.into_iter().collect(),
            named: flags.iter().filter_map(flag).collect(),
            folder: None,
            span: span.clone(),
        });
    }
}
