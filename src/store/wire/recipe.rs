//! Facts about recipes as fields, and back.

use super::encode::list;
use super::fields::{Fields, Missing, Reader, lacking};
use crate::domain::{Answers, RecipeEnd, RecipeFact, RecipeStart, RoundOutcome};

/// The fields of a fact's line.
pub(super) fn fields(fact: &RecipeFact) -> Fields {
    let of = |what: &str| Fields::of("recipe").with("what", what);
    match fact {
        RecipeFact::Began(start) => of("began")
            .with("name", start.name.as_str())
            .with("definition", start.definition.as_ref())
            .with("inputs", list(&start.inputs, pair))
            .with("facts", list(&start.facts, pair))
            .with("prompt", start.prompt.as_str()),
        RecipeFact::Said { step, title, round, text } => of("said")
            .with("step", step.as_str())
            .with("title", title.as_str())
            .with("round", *round)
            .with("text", text.as_str()),
        RecipeFact::Judged(outcome) => of("judged")
            .with("step", outcome.step.as_str())
            .with("round", outcome.round)
            .with("verdict", outcome.verdict.as_str())
            .with("note", outcome.note.as_str()),
        RecipeFact::Answered { form, answers } => {
            of("answered").with("form", form.as_str()).with("answers", list(answers, pair))
        }
        RecipeFact::Ended { end, summary } => {
            of("ended").with("end", end.as_str()).with("summary", summary.as_str())
        }
    }
}

fn pair((name, text): &(String, String)) -> Fields {
    Fields::new().with("name", name.as_str()).with("text", text.as_str())
}

/// Reads a fact's line.
pub(super) fn read(mut f: Reader<'_>) -> Result<RecipeFact, Missing> {
    Ok(match f.word("what")?.as_ref() {
        "began" => RecipeFact::Began(Box::new(RecipeStart {
            name: f.text("name")?,
            definition: f.text("definition")?.into(),
            inputs: pairs(&mut f, "inputs")?,
            facts: pairs(&mut f, "facts")?,
            prompt: f.text_or_empty("prompt"),
        })),
        "said" => RecipeFact::Said {
            step: f.text("step")?,
            title: f.text_or_empty("title"),
            round: f.small("round")?,
            text: f.text("text")?,
        },
        "judged" => RecipeFact::Judged(RoundOutcome {
            step: f.text("step")?,
            round: f.small("round")?,
            verdict: f.text("verdict")?,
            note: f.text_or_empty("note"),
        }),
        "answered" => RecipeFact::Answered { form: f.text("form")?, answers: pairs(&mut f, "answers")? },
        "ended" => RecipeFact::Ended {
            end: match f.word("end")?.as_ref() {
                "done" => RecipeEnd::Done,
                "gave_up" => RecipeEnd::GaveUp,
                "limit" => RecipeEnd::Limit,
                _ => RecipeEnd::Stopped,
            },
            summary: f.text_or_empty("summary"),
        },
        _ => return Err(lacking("what", "began, said, judged, answered or ended")),
    })
}

fn pairs(f: &mut Reader<'_>, key: &str) -> Result<Answers, Missing> {
    f.objects(key)?.into_iter().map(|mut pair| Ok((pair.text("name")?, pair.text("text")?))).collect()
}
