//! Words effects, entries and phases for the lines that a scripted session returns.

use crate::domain::{Entry, Purpose, RecipeFact, RuleScope, UndoKind};
use crate::engine::state::Question;
use crate::engine::{Effect, Phase};

pub(super) fn effect(effect: &Effect) -> Option<String> {
    Some(match effect {
        Effect::Record(entry) => entry_word(entry),
        Effect::Ask(request) if request.purpose == Purpose::Summary => format!("sum up s{}", request.step),
        Effect::Ask(request) => format!("ask s{}", request.step),
        Effect::CancelAsk(step) => format!("cancel s{step}"),
        Effect::Inspect { block, revision, options, .. } => {
            let kernel = if options.new_kernel { " in a new kernel" } else { "" };
            let terminal = if options.terminal { " in a terminal" } else { "" };
            format!("look {}.{revision}{kernel}{terminal}", block.id)
        }
        Effect::StartRun { request, .. } => format!("start r{}", request.approval().run()),
        Effect::AfterPart { run, part, ends: None } => format!("go on r{run} {part}"),
        Effect::AfterPart { run, part, ends: Some(why) } => format!("end r{run} {part} '{why}'"),
        Effect::InterruptRun(run) => format!("interrupt r{run}"),
        Effect::KillRun(run) => format!("kill r{run}"),
        Effect::RestartKernel => "restart".into(),
        Effect::UndoAutoRun(run) => format!("take back r{run}"),
        Effect::Undo { run, changes, kind, .. } => {
            let kind = if *kind == UndoKind::Undo { "undo" } else { "redo" };
            format!("{kind} r{run} {changes:?}")
        }
        Effect::SwitchModel => "switch".into(),
        Effect::SetTimer(timer, ms) => format!("timer {timer} {ms}"),
        Effect::Prewarm(language) => format!("prewarm {language}"),
        Effect::RetryStore => "retry store".into(),
        Effect::Settled(_) => return None,
        Effect::RequestOpinion { block, revision, .. } => format!("consult {block}.{revision}"),
        Effect::Load(entries) => format!("load({})", entries.len()),
        Effect::Notify(notice) => format!("'{}'", notice.text),
    })
}

fn entry_word(entry: &Entry) -> String {
    match entry {
        Entry::Header(_) => "+header".into(),
        Entry::Resumed => "+resumed".into(),
        Entry::Accepted { .. } => "+adopted".into(),
        Entry::Undone { run, files, kind: UndoKind::Undo, .. } => {
            format!("+taken back r{run} {}", files.join(" "))
        }
        Entry::Undone { run, files, .. } => format!("+made again r{run} {}", files.join(" ")),
        Entry::Renamed(name) => format!("+named {name}"),
        Entry::Model(model) => format!("+model {model}"),
        Entry::Prompt(_) => "+prompt".into(),
        Entry::Reply { finish, .. } => match &finish.word {
            Some(word) => format!("+reply {word}"),
            None => format!("+reply {}", finish.reason.as_str()),
        },
        Entry::CallRefused { call, .. } => format!("+call refused {call}"),
        Entry::NoTools(model) => format!("+no tools {model}"),
        Entry::Block(block) if block.kind.is_code() => format!("+block {}", block.id),
        Entry::Block(block) => format!("+block {} {}", block.id, block.kind.as_str()),
        Entry::Review { block, revision, .. } => format!("+review {block}.{revision}"),
        Entry::Edited { block, revision, .. } => format!("+edited {block}.{revision}"),
        Entry::Placed { block, revision, .. } => format!("+placed {block}.{revision}"),
        Entry::LanguageChosen { block, revision, .. } => format!("+language {block}.{revision}"),
        Entry::Approved { run, block, revision, by, .. } => {
            format!(
                "+approved r{run} {block}.{revision} {}{}",
                by.as_str(),
                by.rule().map(|rule| format!(" {rule}")).unwrap_or_default()
            )
        }
        Entry::RuleAdded(rule) => format!("+rule {} {}", rule.id, scope_word(rule.scope)),
        Entry::RuleRevoked(rule) => format!("+rule {rule} revoked"),
        Entry::Rejected { block, .. } => format!("+rejected {block}"),
        Entry::Skipped { block, .. } => format!("+skipped {block}"),
        Entry::Declined { block, .. } => format!("+declined {block}"),
        Entry::Recipe(fact) => recipe_word(fact),
        Entry::Reopened(block) => format!("+back {block}"),
        Entry::Ran { run, report, .. } => format!("+ran r{run} {}", report.outcome.as_str()),
        Entry::KernelRestarted => "+restarted".into(),
        Entry::TurnEnd(end) => format!("+end {}", end.as_str()),
        Entry::Summary { upto, .. } => format!("+summary {upto}"),
        Entry::Opinion { block, revision, answer, .. } => {
            let said = answer.as_ref().map_or("none", |opinion| opinion.risk.as_str());
            format!("+opinion {block}.{revision} {said}")
        }
        Entry::Instructions(noted) => format!("+instructions {}", noted.len()),
    }
}

/// The scope's name in session files: `same-text`.
pub(in crate::engine) fn scope_word(scope: RuleScope) -> String {
    serde_json::to_value(scope).unwrap().as_str().unwrap().to_owned()
}

fn recipe_word(fact: &RecipeFact) -> String {
    match fact {
        RecipeFact::Began(start) => format!("+recipe {}", start.name),
        RecipeFact::Said { step, round, .. } => format!("+said {step}.{round}"),
        RecipeFact::Judged(outcome) => {
            format!("+judged {}.{} {}", outcome.step, outcome.round, outcome.verdict)
        }
        RecipeFact::Answered { form, .. } => format!("+answered {form}"),
        RecipeFact::Ended { end, .. } => format!("+recipe {}", end.as_str()),
    }
}

pub(super) fn phase(phase: &Phase) -> String {
    match phase {
        Phase::Idle => "idle".into(),
        Phase::Replying(step) => format!("replying s{step}"),
        Phase::Deciding(block) => format!("deciding {block}"),
        Phase::Running(run) => format!("running r{run}"),
        Phase::Asking(Question::StepLimit(steps)) => format!("asking after {steps} steps"),
        Phase::Asking(Question::Repeated(block, times)) => {
            format!("asking: block {block} came {times} times")
        }
        Phase::Asking(Question::Form(form)) => format!("asking: form {}", form.name),
        Phase::Asking(Question::Budget { .. }) => "asking: budget".into(),
        Phase::Compacting(step) => format!("compacting s{step}"),
        Phase::Stuck(failure) => format!("stuck {}", failure.kind.as_str()),
    }
}
