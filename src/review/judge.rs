//! Judges acts: matches them with the rules of their language, and produces findings and effects.
//!
//! Knows nothing of grammars. Code inside arguments is returned to the caller, which can read it.

mod history;
mod location;

use super::Scope;
use super::diagnostic::{Diagnostic, NamedTargets};
use super::folder::folders_of;
use super::grammar::Grammar;
use super::nested::NestedCode;
use super::path_class;
use super::path_class::join_folder;
use super::rule_set::RuleSet;
use super::rules::{ActRow, Condition, EffectKind, ReviewRule, TargetClass};
use super::value::{Act, HOLE, Value, ValueKind, taint};
use super::wording::{in_folder, short, spell};
use crate::domain::{Effects, Severity};
pub(super) use history::ActHistory;
use location::{TargetContext, folders_to_tell, is_in_place};
use std::collections::HashSet;
use std::ops::Range;

/// The most files that a text makes and that are remembered.
const MAX_MADE: usize = 1024;

/// The result of judging one act.
#[derive(Debug, Default)]
pub(super) struct Judgement {
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) nested: Vec<NestedCode>,
    /// Files that the act creates or overwrites, and whether it downloads them.
    made: Vec<(String, bool)>,
}

/// Judges one act by a set of rules. The act's spans point into `source`.
pub(super) fn judge(
    act: &Act,
    rules: &RuleSet,
    source: &str,
    scope: &Scope,
    past: &mut ActHistory,
) -> Judgement {
    let mut judged = Judgement::default();
    if past.note_unknown(act) {
        return judged;
    }
    let mut over: Vec<&str> = Vec::new();
    let written = past.written.run_by(act);
    for (rule, way) in rules.rules_for(&act.name) {
        if !rule.when.iter().chain(&way.when).all(|condition| is_met(condition, act)) {
            continue;
        }
        if rule.unknown && written.is_some() {
            continue;
        }
        let before = judged.diagnostics.len();
        MatchedRule { rule, way, act, source, scope }.apply(past, &mut judged);
        if judged.diagnostics.len() > before {
            over.extend(rule.over.iter().map(String::as_str));
        }
    }
    for (path, fetched) in judged.made.drain(..) {
        if fetched {
            past.fetched.insert(path.clone());
        }
        past.made.insert(path);
    }
    drop_milder(&mut judged.diagnostics, &over);
    judged.nested.extend(super::stdin::code_for_interpreter(act));
    let (settings, is_known) = super::environment::settings_of(act);
    judged.nested.extend(settings);
    past.effects.unknown |= !is_known;
    judged.nested.extend(written);
    past.written.note(act);
    past.is_cut |= !past.links.note(act);
    judged
}

/// Drops diagnostics of one act that repeat a graver one: those that a matched rule names in `over`, and on each effect
/// all but the gravest (the first of several).
fn drop_milder(diagnostics: &mut Vec<Diagnostic>, over: &[&str]) {
    diagnostics.retain(|diagnostic| !over.contains(&diagnostic.rule.as_str()));
    let ranks: Vec<_> =
        diagnostics.iter().map(|diagnostic| (diagnostic.effect, diagnostic.severity)).collect();
    let mut index = 0;
    diagnostics.retain(|diagnostic| {
        let here = index;
        index += 1;
        let beaten = |(at, (effect, severity)): (usize, &(Option<EffectKind>, Severity))| {
            *effect == diagnostic.effect
                && (*severity > diagnostic.severity || *severity == diagnostic.severity && at < here)
        };
        diagnostic.effect.is_none() || !ranks.iter().enumerate().any(beaten)
    });
}

/// A rule that may apply to an act, in the way in which it matched.
struct MatchedRule<'a> {
    rule: &'a ReviewRule,
    way: &'a ActRow,
    act: &'a Act,
    source: &'a str,
    scope: &'a Scope,
}

impl MatchedRule<'_> {
    /// Adds what the rule's targets in the act do, and what is reported of them.
    fn apply(&self, past: &mut ActHistory, judged: &mut Judgement) {
        let Self { rule, way, act, .. } = self;
        let path = way.path.as_ref().map(Value::text);
        let targets = match &path {
            Some(path) => vec![(path, None)],
            None => act.first_of(&way.target),
        };
        let none_given = targets.is_empty();
        let any = none_given && way.target.is_empty();
        let folders = folders_of(act);
        let mut reported = ReportedTargets::default();
        for (value, span) in targets {
            let mut is_covered = false;
            for folder in folders_to_tell(rule.effect, value, &folders, self.scope) {
                is_covered |= self.add_place((value, span), folder, past, judged, &mut reported);
            }
            // Code is read once, in whatever folders it may run.
            if let Some(language) = rule.runs
                && is_covered
            {
                let span = span.cloned().unwrap_or_else(|| act.span.clone());
                let words = act.first_of(&way.words).into_iter().map(|(value, _)| value);
                let more: Vec<&Value> = words.filter(|value| !is_no_word(value)).collect();
                add_nested(value, &more, language, span, judged, &mut past.effects);
            }
        }
        // Which files are deleted does not stand in the text.
        past.effects.unknown |= any && rule.effect == Some(EffectKind::Deletes);
        if reported.targets.is_empty() && !any {
            // The target is not where the rule expects it (`rmtree(*args)`), so it counts as unknown.
            if !none_given || !covers_unknown_targets(rule) {
                return;
            }
            reported.targets.push("(known only at run time)".to_owned());
            past.effects.unknown |= rule.effect.is_some();
        }
        past.effects.unknown |= rule.unknown;
        judged.diagnostics.extend(diagnostic(rule, act, reported));
    }

    /// Adds what one target means, seen from one folder; returns whether the rule covers that place.
    fn add_place(
        &self,
        (value, span): (&Value, Option<&Range<usize>>),
        folder: Option<&str>,
        past: &mut ActHistory,
        judged: &mut Judgement,
        reported: &mut ReportedTargets,
    ) -> bool {
        let Self { rule, way, .. } = self;
        let context = TargetContext { effect: rule.effect, folder, scope: self.scope, past };
        let located = context.locate(value);
        if !is_in_place(rule, &located) {
            return false;
        }
        let place = context.linked_place(value);
        let spelled = spell(value, span, rule.effect, folder, self.source);
        let kind = located.what(rule.r#where.as_deref().unwrap_or_default());
        reported.add(spelled, place.as_deref(), kind);
        // The reading of nested code shows more.
        if rule.runs.is_none() {
            if let Some(place) = &place {
                add_target(rule.effect, &Value::text(place), None, &mut past.effects);
            }
            add_target(rule.effect, value, folder, &mut past.effects);
        }
        if way.makes
            && let Some(path) = value.as_whole_text()
        {
            let path = join_folder(path.strip_prefix("./").unwrap_or(path), folder);
            if past.made.len() < MAX_MADE || past.made.contains(&path) {
                judged.made.push((path, way.fetches));
            } else {
                past.is_cut = true;
            }
        }
        true
    }
}

/// The targets of an act that a rule covers, as its diagnostic names them.
#[derive(Default)]
struct ReportedTargets {
    targets: Vec<String>,
    /// The same, to find them fast: an act may have very many.
    known: HashSet<String>,
    /// What the sensitive places among them are, each once.
    kinds: Vec<String>,
}

impl ReportedTargets {
    /// Adds a target; `place` is where links lead from it, and `kind` is what that place is.
    fn add(&mut self, spelled: String, place: Option<&str>, kind: Option<&str>) {
        let target = match place {
            Some(place) => format!("{spelled} -> {}", short(place)),
            None => spelled,
        };
        if self.known.insert(target.clone()) {
            self.targets.push(target);
        }
        self.kinds.extend(kind.map(str::to_owned).filter(|kind| !self.kinds.contains(kind)));
    }
}

/// Whether a rule covers targets of which nothing is known. A rule that names no classes does if it reports something or
/// makes the effects unknown.
fn covers_unknown_targets(rule: &ReviewRule) -> bool {
    match &rule.r#where {
        Some(classes) => classes.contains(&TargetClass::Unknown),
        None => rule.severity.is_some() || rule.unknown,
    }
}

/// The diagnostic of a rule for an act with these targets; `None` if the rule reports nothing.
fn diagnostic(rule: &ReviewRule, act: &Act, reported: ReportedTargets) -> Option<Diagnostic> {
    let template = rule.message.replace("{name}", &act.name).replace("{folder}", &in_folder(act));
    let named = NamedTargets { template, kinds: reported.kinds, targets: reported.targets };
    Some(Diagnostic {
        rule: rule.id.clone(),
        severity: rule.severity?,
        span: act.span.clone(),
        message: named.message(),
        effect: rule.effect,
        forbidden: false,
        names: rule.message.contains("{target}").then_some(named),
    })
}

/// Adds a target to the effects of the block.
fn add_target(effect: Option<EffectKind>, value: &Value, folder: Option<&str>, effects: &mut Effects) {
    let Some(effect) = effect else { return };
    if value.is_pipe() && matches!(effect, EffectKind::Reads | EffectKind::Writes) {
        // The command at its other end is judged by itself.
        return;
    }
    if value.kind == ValueKind::Number(0) && effect == EffectKind::Reads {
        // The standard input.
        return;
    }
    let known = value.as_text().and_then(|(text, _)| match effect {
        EffectKind::Hosts => path_class::host(text),
        EffectKind::Programs => text.split_whitespace().next().map(str::to_owned),
        EffectKind::Packages | EffectKind::Environment => Some(text.to_owned()),
        _ => Some(join_folder(text, folder)),
    });
    let list = match effect {
        EffectKind::Reads => &mut effects.reads,
        EffectKind::Writes => &mut effects.writes,
        EffectKind::Deletes => &mut effects.deletes,
        EffectKind::Hosts => &mut effects.hosts,
        EffectKind::Programs => &mut effects.programs,
        EffectKind::Packages => &mut effects.packages,
        EffectKind::Environment => &mut effects.environment,
    };
    match known.map(|text| path_class::shown(&text)) {
        Some(text) if !text.contains(HOLE) => add_effect(list, text, &mut effects.unknown),
        _ => effects.unknown = true,
    }
}

/// Adds to a list of effects; an incomplete list counts as unknown.
pub(super) fn add_effect(list: &mut Vec<String>, text: String, unknown: &mut bool) {
    if list.contains(&text) {
        return;
    }
    if list.len() < 256 {
        list.push(text);
    } else {
        *unknown = true;
    }
}

/// Whether a value stands in place of the words of a program: its options, nothing, or what is called at its end.
fn is_no_word(value: &Value) -> bool {
    matches!(value.kind, ValueKind::Map(_) | ValueKind::Nothing)
        || value.as_name().is_some_and(|name| name.starts_with("function "))
}

/// Adds nested code for the caller to read; unknown parts make the effects unknown.
fn add_nested(
    value: &Value,
    more: &[&Value],
    language: Grammar,
    span: Range<usize>,
    judged: &mut Judgement,
    effects: &mut Effects,
) {
    match (&value.kind, value.as_text()) {
        (ValueKind::List(words), _) if language == Grammar::Bash => {
            judged.nested.push(NestedCode::Words { words: words.clone(), span });
        }
        (_, Some(_)) if language == Grammar::Bash && !more.is_empty() => {
            let mut words = vec![value.clone()];
            for value in more {
                match &value.kind {
                    ValueKind::List(items) => words.extend(items.iter().cloned()),
                    _ => words.push((*value).clone()),
                }
            }
            judged.nested.push(NestedCode::Words { words, span });
        }
        (_, Some((text, whole))) => {
            effects.unknown |= !whole;
            judged.nested.push(NestedCode::text(language, text, span));
        }
        _ => effects.unknown = true,
    }
}

/// Whether an act meets a condition.
fn is_met(condition: &Condition, act: &Act) -> bool {
    let found: Vec<&Value> =
        condition.at.iter().flat_map(|selector| act.select(selector)).map(|(value, _)| value).collect();
    let right = match condition.given {
        Some(given) => given != found.is_empty(),
        None => found.iter().any(|value| value_meets(condition, value)),
    };
    right != condition.not
}

fn value_meets(condition: &Condition, value: &Value) -> bool {
    let text = match &value.kind {
        ValueKind::Bool(truth) => Some(truth.to_string()),
        ValueKind::Number(number) => Some(number.to_string()),
        ValueKind::Map(items) if items.is_empty() => Some("{}".to_owned()),
        _ => value.as_text().map(|(text, _)| text.to_owned()),
    };
    let of_text = |list: &Option<Vec<String>>, test: fn(&str, &str) -> bool| {
        list.as_ref()
            .is_none_or(|words| text.as_deref().is_some_and(|text| words.iter().any(|w| test(text, w))))
    };
    of_text(&condition.is, |text, word| text == word)
        && of_text(&condition.contains, |text, word| text.contains(word))
        && of_text(&condition.starts, |text, word| text.starts_with(word))
        && of_text(&condition.ends, |text, word| text.ends_with(word))
        && condition
            .named
            .as_ref()
            .is_none_or(|names| value.as_name().is_some_and(|n| names.iter().any(|w| w == n)))
        && condition.constant.is_none_or(|constant| value.is_constant() == constant)
        && condition.mark.as_ref().is_none_or(|marks| {
            let all = value.all_taint();
            marks.iter().any(|mark| all.meets(taint(*mark)))
        })
}
