//! A review from its fields: findings, effects, where words came from.

use super::fields::{Missing, Reader};
use crate::domain::{BlockId, Effects, Finding, Place, Review, Severity, Source, Trace};

pub(super) fn review(mut f: Reader<'_>) -> Result<Review, Missing> {
    let findings = f
        .objects("findings")?
        .into_iter()
        .map(|mut finding| {
            Ok(Finding {
                rule: finding.text("rule")?,
                severity: severity(&finding.word("severity")?),
                place: place(&mut finding)?,
                message: finding.text("message")?,
                forbidden: finding.flag("forbidden"),
            })
        })
        .collect::<Result<_, Missing>>()?;
    let mut e = f.object("effects")?;
    Ok(Review {
        findings,
        effects: Effects {
            reads: e.texts("reads")?,
            writes: e.texts("writes")?,
            deletes: e.texts("deletes")?,
            hosts: e.texts("hosts")?,
            programs: e.texts("programs")?,
            packages: e.texts("packages")?,
            environment: e.texts("environment")?,
            unknown: e.flag("unknown"),
        },
        traces: traces(&mut f),
        unchecked: f.text_or_none("unchecked"),
    })
}

fn place(f: &mut Reader<'_>) -> Result<Place, Missing> {
    Ok(Place {
        line: f.small("line")?,
        column: f.small("column")?,
        end_line: f.small("end_line")?,
        end_column: f.small("end_column")?,
    })
}

/// Advice beside the findings: one that can't be read is left out.
fn traces(f: &mut Reader<'_>) -> Vec<Trace> {
    let found = f.objects("traces").unwrap_or_default().into_iter();
    found.filter_map(|mut f| trace(&mut f).ok().flatten()).collect()
}

fn trace(f: &mut Reader<'_>) -> Result<Option<Trace>, Missing> {
    let block = BlockId(f.small_or_zero("block"));
    let from = match f.word("from")?.as_ref() {
        "output" => Source::Output(block),
        "file" => Source::File(block),
        "project" => Source::Project,
        _ => return Ok(None),
    };
    Ok(Some(Trace { place: place(f)?, text: f.text("text")?, from }))
}

/// A severity that is not known counts as the gravest.
fn severity(word: &str) -> Severity {
    [Severity::Info, Severity::Medium].into_iter().find(|s| s.as_str() == word).unwrap_or(Severity::High)
}
