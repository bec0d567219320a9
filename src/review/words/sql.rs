//! Finds SQL statements that lose data, expose it, or reach outside of the database.
//!
//! A statement ends at `;`. Names are compared without regard to case. A `WHERE` that is always true counts as none.

mod statement;

use super::lexer::{Word, WordKind};
use crate::review::flow::Extraction;
use crate::review::grammar::Grammar;
use crate::review::nested::NestedCode;
use crate::review::orders::{self, OrderEffect};
use crate::review::value::{Act, Argument, Value};
use statement::{Statement, split_statements};
use std::collections::HashSet;
use std::ops::Range;

/// Reads the words of a text.
pub(super) fn read(source: &str, words: &[Word]) -> Extraction {
    let mut reading = Extraction::default();
    let mut created = HashSet::new();
    let statements = split_statements(source, words);
    for statement in &statements {
        created.extend(statement.creates());
    }
    for statement in &statements {
        statement.acts(&created, &mut reading);
    }
    hidden_comments(source, words, &mut reading);
    client_lines(source, &mut reading);
    reading
}

/// Comments that some databases run: `/*!50000 … */`, `/*M! … */`.
fn hidden_comments(source: &str, words: &[Word], reading: &mut Extraction) {
    for word in words.iter().filter(|word| word.kind == WordKind::Comment) {
        let Some(text) = source.get(word.span.clone()) else { continue };
        let inner = text.strip_prefix("/*!").or_else(|| text.strip_prefix("/*M!"));
        let Some(inner) = inner.map(|inner| inner.trim_end_matches("*/")) else { continue };
        let inner = inner.trim_start_matches(|c: char| c.is_ascii_digit());
        reading.nested.push(NestedCode::text(Grammar::Sql, inner, word.span.clone()));
    }
}

/// Lines that the client obeys, not the database: `.shell`, `\!`, `.once |command`.
fn client_lines(source: &str, reading: &mut Extraction) {
    let own = |line: &str| {
        line.starts_with(['.', '\\']) || line.starts_with("system ") || line.starts_with("pager ")
    };
    for order in orders::lines(source) {
        let Some(line) = source.get(order.at.clone()).filter(|line| own(line.trim())) else { continue };
        let (name, text) = match &order.what {
            OrderEffect::Starts { text, .. } => ("client shell", text),
            OrderEffect::Writes(path) => ("client output", path),
            OrderEffect::Reads(path) => ("client input", path),
            OrderEffect::File(path) => {
                // More orders stand there.
                reading.unknown = true;
                ("client input", path)
            }
            _ => continue,
        };
        let end = order.at.start + line.trim_end().len();
        let argument = Argument { value: Value::text(text.clone()), span: order.at.start..end };
        reading.acts.push(Act::new(name, vec![argument], order.at.start..end));
        if let OrderEffect::Starts { text, .. } = order.what {
            reading.nested.push(NestedCode::text(Grammar::Bash, text, order.at.start..end));
        }
    }
}

impl Statement<'_> {
    /// Adds the acts of the statement. Also finds statements after `WITH … AS (…)` and `EXPLAIN ANALYZE`.
    fn acts(&self, created: &HashSet<String>, reading: &mut Extraction) {
        for at in 0..self.words.len() {
            if self.is_exhausted() {
                reading.cut = true;
                return;
            }
            let before = if at == 0 { String::new() } else { self.word(at - 1) };
            let begins = at == 0
                || matches!(before.as_str(), ")" | "(" | "begin" | "then" | "do" | "else" | "analyze");
            if begins {
                self.statement(at, created, reading);
            }
            self.reach(at, reading);
        }
    }

    fn statement(&self, at: usize, created: &HashSet<String>, reading: &mut Extraction) {
        let (verb, next) = (self.word(at), self.word(at + 1));
        match verb.as_str() {
            "drop" => {
                let name = self.skip(at + 2, &["if", "exists", "concurrently"]);
                let table = self.name(name);
                let again = created.contains(&table);
                self.report(&format!("drop {next}"), name, at..name, &[("again", again)], reading);
            }
            "truncate" => {
                let name = self.skip(at + 1, &["table", "only"]);
                let again = created.contains(&self.name(name));
                self.report("truncate", name, at..name, &[("again", again)], reading);
            }
            "delete" => self.delete(at, &next, created, reading),
            "update" => {
                let name =
                    self.skip(at + 1, &["only", "or", "ignore", "replace", "rollback", "abort", "fail"]);
                if self.find("set", name).is_some_and(|set| set > name && set <= name + 4) {
                    let again = created.contains(&self.name(name));
                    let all = self.everywhere(name);
                    self.report("update", name, at..name, &[("all", all), ("again", again)], reading);
                }
            }
            "alter" => {
                let name = self.skip(at + 2, &["if", "exists", "only"]);
                let drop = self.find("drop", name).is_some_and(|d| self.word(d + 1) != "not");
                self.report(&format!("alter {next}"), name, at..name, &[("drop", drop)], reading);
            }
            "grant" | "revoke" | "shutdown" => self.report(&verb, at + 1, at..at + 1, &[], reading),
            "create" | "set" if matches!(next.as_str(), "user" | "role" | "login" | "password") => {
                self.report(&format!("{verb} {next}"), at + 2, at..at + 2, &[], reading);
            }
            "attach" => {
                let name = self.skip(at + 1, &["database"]);
                self.report("attach", name, at..name, &[], reading);
            }
            "vacuum" => {
                if let Some(into) = self.find("into", at) {
                    self.report("vacuum into", into + 1, at..into + 1, &[], reading);
                }
            }
            "pragma" => self.pragma(at, reading),
            "execute" | "exec" | "prepare" | "sp_executesql" => self.executed(at, reading),
            "create" => self.created_native(at, reading),
            "copy" => self.copy(at, reading),
            "load" if next == "data" => {
                let file = self.find("infile", at).map_or(at + 2, |f| f + 1);
                self.report("load data", file, at..file, &[], reading);
            }
            _ => {}
        }
    }

    /// `DELETE FROM t`, and `MERGE … WHEN MATCHED THEN DELETE`.
    fn delete(&self, at: usize, next: &str, created: &HashSet<String>, reading: &mut Extraction) {
        if at > 0 && self.word(at - 1) == "then" && next != "from" {
            if self.word(0) == "merge" || self.find("merge", 0).is_some() {
                let name = self.skip(self.find("merge", 0).unwrap_or(0) + 1, &["into", "only"]);
                self.report("merge delete", name, at..at, &[], reading);
            }
        } else if next == "from" || !next.is_empty() {
            let name = self.skip(at + 1, &["from", "only"]);
            let again = created.contains(&self.name(name));
            let all = self.everywhere(name);
            self.report("delete", name, at..name, &[("all", all), ("again", again)], reading);
        }
    }

    /// `PRAGMA writable_schema = ON`: lets statements corrupt the database.
    fn pragma(&self, at: usize, reading: &mut Extraction) {
        let next = self.word(at + 1);
        let off = (at + 2..self.words.len())
            .any(|at| matches!(self.word(at).trim_matches('\''), "0" | "off" | "false" | "no"));
        let given = self.words.len() > at + 2;
        let opens = match next.rsplit('.').next().unwrap_or_default() {
            "writable_schema" => given && !off,
            "trusted_schema" => given && off,
            _ => false,
        };
        if opens {
            self.report("pragma unsafe", at + 1, at..self.words.len(), &[], reading);
        }
    }

    /// A function in a language without restrictions.
    fn created_native(&self, at: usize, reading: &mut Extraction) {
        let language = self.find("language", at).map(|l| self.name(l + 1)).unwrap_or_default();
        let native = language.ends_with("3u")
            || ["c", "internal", "plpythonu", "plperlu", "pltclu", "plsh"].contains(&language.as_str());
        if native {
            let name = self.find("function", at).or_else(|| self.find("procedure", at)).unwrap_or(at);
            self.report("create native", name + 1, at..name + 1, &[], reading);
        }
    }

    /// `EXECUTE IMMEDIATE 'text'`, `PREPARE p FROM 'text'`, `EXEC('text')`, `sp_executesql N'text'`.
    fn executed(&self, at: usize, reading: &mut Extraction) {
        let mut here = self.skip(at + 1, &["immediate", "(", "sp_executesql", "n"]);
        let dynamic = here > at + 1 || self.word(at) == "sp_executesql";
        if self.word(at) == "prepare" {
            let Some(from) = self.find("from", at).filter(|from| *from <= at + 3) else { return };
            here = from + 1;
        }
        match self.words.get(here) {
            Some(word) if word.kind == WordKind::Text => {
                let text = self.source.get(word.inner.clone()).unwrap_or_default().replace("''", "'");
                reading.nested.push(NestedCode::text(Grammar::Sql, text, word.span.clone()));
            }
            Some(word) if dynamic && word.kind == WordKind::Name || self.word(at) == "prepare" => {
                self.report("execute text", here, at..here, &[], reading);
                reading.unknown = true;
            }
            _ => {}
        }
    }

    /// `COPY … FROM PROGRAM 'command'`, `COPY … TO '/path'`.
    fn copy(&self, at: usize, reading: &mut Extraction) {
        if let Some(program) = self.find("program", at) {
            self.report("copy program", program + 1, at..program + 1, &[], reading);
        } else if let Some(to) = self.find("to", at) {
            self.report("copy to", to + 1, at..to + 1, &[], reading);
        } else if let Some(from) = self.find("from", at) {
            self.report("copy from", from + 1, at..from + 1, &[], reading);
        }
    }

    /// Functions that reach outside of the database, anywhere in a statement.
    fn reach(&self, at: usize, reading: &mut Extraction) {
        if self.words.get(at).is_none_or(|w| w.kind != WordKind::Name) {
            return;
        }
        let word = self.word(at);
        let last = word.rsplit('.').next().unwrap_or_default();
        match last {
            "outfile" | "dumpfile" if self.word(at.wrapping_sub(1)) == "into" => {
                self.report("into outfile", at + 1, at..at + 1, &[], reading);
            }
            "load_file" | "pg_read_file" | "pg_read_binary_file" | "pg_ls_dir" | "readfile" | "lo_import" => {
                self.report("load_file", at + 2, at..at + 2, &[], reading);
            }
            "xp_cmdshell" | "sys_exec" | "sys_eval" => {
                let command = self.skip(at + 1, &["("]);
                self.report("shell", command, at..command, &[], reading);
            }
            "sp_configure" if (at..self.words.len()).any(|at| self.word(at).contains("xp_cmdshell")) => {
                self.report("shell", at + 1, at..at + 1, &[], reading);
            }
            "sp_executesql" if at > 0 => self.executed(at, reading),
            "load_extension"
            | "xp_regwrite"
            | "sp_oacreate"
            | "sp_configure"
            | "pg_terminate_backend"
            | "dblink"
            | "dblink_connect"
            | "lo_export"
            | "writefile" => {
                self.report(last, at + 2, at..at + 2, &[], reading);
            }
            _ => {}
        }
    }

    fn report(
        &self,
        name: &str,
        target: usize,
        span: Range<usize>,
        flags: &[(&str, bool)],
        reading: &mut Extraction,
    ) {
        let span = self.span(span.start, span.end);
        let argument = self.words.get(target).map(|word| {
            let text = self.source.get(word.inner.clone()).unwrap_or_default();
            Argument::text(text, &word.span)
        });
        let flag = |(name, set): &(&str, bool)| set.then(|| ((*name).to_owned(), Argument::given(&span)));
        let act = Act::new(name, argument.into_iter().collect(), span.clone());
        reading.acts.push(Act { named: flags.iter().filter_map(flag).collect(), ..act });
    }
}
