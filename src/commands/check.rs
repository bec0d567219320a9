//! `sayso check`: reviews files without running them.
//!
//! `files` gathers the files, `work` reviews them in parallel, and the results are printed in the order in which the
//! files were named: for people (`human`), as JSON, or as SARIF (`sarif`). `progress` shows on standard error how far
//! the check is. A file that can't be read does not keep the others from being reviewed.

mod files;
mod human;
mod lines;
mod pieces;
mod progress;
mod rules;
mod sarif;
mod work;

pub(super) use human::finding_line;
pub(super) use pieces::shebang_program;

use super::Console;
use crate::cli::{CheckArgs, ModelArgs};
use crate::domain::Severity;
use crate::headless::{json, shapes};
use crate::report::{Failure, FailureClass};
use crate::review::Scope;
use progress::Progress;
use serde_json::{Value, json};
use std::io::Write;
use work::{CheckOutcome, CheckedFile, ReportForm};

pub(super) fn run(args: &CheckArgs, outer: &ModelArgs, console: &mut Console<'_>) -> Result<(), Failure> {
    let factory = super::factory(outer, console)?;
    let scope = factory.scope();
    if args.rules {
        return rules::list(&scope.rules, args.json, console.out);
    }
    let languages = factory.languages.all.clone();
    if let Some(word) = &args.language {
        // An unknown language is a typing error: reported once, not for every file.
        files::named_language(word, &languages)?;
    }
    let jobs = files::gather(&args.files, args.language.as_deref(), &languages);
    let form = match (args.json, args.sarif) {
        (_, true) => ReportForm::Sarif,
        (true, false) => ReportForm::Json,
        (false, false) => ReportForm::Lines,
    };
    let mut report = Report::new(form, &scope, console.out);
    report.begin()?;
    let mut progress = Progress::new(console.err);
    work::review_each(jobs, (&scope, &languages), form, &mut progress, &mut |checked| {
        report.write_file(&checked)
    })?;
    drop(progress);
    report.end()?;
    report.judge(args)
}

/// Writes the report and counts what it holds.
struct Report<'a> {
    form: ReportForm,
    scope: &'a Scope,
    out: &'a mut dyn Write,
    files: usize,
    needs_comma: bool,
    findings: [usize; 3],
    forbidden: usize,
    /// Files that could be read, but were not checked or not in full.
    unchecked: usize,
    unreadable: Vec<String>,
    notes: Vec<Value>,
}

impl<'a> Report<'a> {
    fn new(form: ReportForm, scope: &'a Scope, out: &'a mut dyn Write) -> Self {
        Self {
            form,
            scope,
            out,
            files: 0,
            needs_comma: false,
            findings: [0; 3],
            forbidden: 0,
            unchecked: 0,
            unreadable: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn begin(&mut self) -> Result<(), Failure> {
        match self.form {
            ReportForm::Lines => {}
            ReportForm::Json => write!(self.out, "{{\"files\":[")?,
            ReportForm::Sarif => sarif::begin(&self.scope.rules, self.out)?,
        }
        Ok(())
    }

    fn write_file(&mut self, checked: &CheckedFile) -> Result<(), Failure> {
        self.files += 1;
        match &checked.outcome {
            CheckOutcome::Reviewed { review, .. } => {
                for (count, severity) in
                    self.findings.iter_mut().zip([Severity::High, Severity::Medium, Severity::Info])
                {
                    *count += review.count(severity);
                }
                self.unchecked += usize::from(review.unchecked.is_some());
                self.forbidden += review.findings.iter().filter(|f| f.forbidden).count();
            }
            CheckOutcome::Unread(why) => {
                self.unreadable
                    .push(format!("{} can't be read: {why}", super::input::display_path(&checked.path)));
            }
        }
        match self.form {
            ReportForm::Lines => human::write_file(checked, self.out)?,
            ReportForm::Json => {
                self.write_comma()?;
                json::write_fragment(self.out, &file_json(checked))?;
            }
            ReportForm::Sarif => {
                for result in sarif::results(checked, &self.scope.rules) {
                    self.write_comma()?;
                    json::write_fragment(self.out, &result)?;
                }
                sarif::add_note(checked, &mut self.notes);
            }
        }
        Ok(())
    }

    /// Writes the comma between two values of a list.
    fn write_comma(&mut self) -> Result<(), Failure> {
        if std::mem::replace(&mut self.needs_comma, true) {
            self.out.write_all(b",")?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), Failure> {
        match self.form {
            ReportForm::Lines if self.files > 1 => {
                human::summary(self.files, self.findings, self.unchecked, self.out)?;
            }
            ReportForm::Lines => {}
            ReportForm::Json => writeln!(self.out, "]}}")?,
            ReportForm::Sarif => sarif::end(&self.notes, self.out)?,
        }
        Ok(())
    }

    /// The exit code that the counts ask for.
    fn judge(&self, args: &CheckArgs) -> Result<(), Failure> {
        if let Some(first) = self.unreadable.first() {
            let more = match self.unreadable.len() {
                1 => String::new(),
                many => format!("; and {} more", many - 1),
            };
            return Err(Failure::new(FailureClass::Usage, format!("{first}{more}"))
                .hint("Check the names and the rights of the files."));
        }
        let counted = match args.fail_on {
            Severity::High => self.findings.iter().take(1).sum::<usize>(),
            Severity::Medium => self.findings.iter().take(2).sum(),
            Severity::Info => self.findings.iter().sum(),
        };
        // A file that was not fully checked never counts as clean.
        let unchecked = if args.allow_unchecked { 0 } else { self.unchecked };
        if counted + self.forbidden + unchecked > 0 {
            Err(Failure::already_reported(FailureClass::Work))
        } else {
            Ok(())
        }
    }
}

/// Adds the cell to findings in notebooks.
fn with_cells(mut findings: Value, cells: &[Option<u32>]) -> Value {
    for (finding, cell) in findings.as_array_mut().into_iter().flatten().zip(cells) {
        if let (Some(cell), Some(finding)) = (cell, finding.as_object_mut()) {
            finding.insert("cell".into(), json!(cell));
        }
    }
    findings
}

fn file_json(checked: &CheckedFile) -> Value {
    let path = checked.path.to_string_lossy();
    match &checked.outcome {
        CheckOutcome::Reviewed { language, review, cells, .. } => json!({
            "path": path,
            "language": language,
            "findings": with_cells(shapes::findings(review), cells),
            "effects": review.effects,
            "unchecked": review.unchecked,
        }),
        CheckOutcome::Unread(why) => json!({
            "path": path,
            "language": null,
            "findings": [],
            "effects": null,
            "unchecked": format!("it can't be read: {why}"),
        }),
    }
}
