//! Locates the target of an act: its path, after resolving links that exist or that the text makes.

use super::history::ActHistory;
use crate::review::Scope;
use crate::review::path_class::join_folder;
use crate::review::path_class::{self, PathMeaning};
use crate::review::rules::{EffectKind, ReviewRule, TargetClass};
use crate::review::value::Value;

/// The classes of a target's place, as far as its effect needs them.
pub(super) fn locate_target(
    effect: Option<EffectKind>,
    value: &Value,
    folder: Option<&str>,
    scope: &Scope,
    past: &ActHistory,
) -> PathMeaning {
    match effect {
        Some(EffectKind::Hosts) => locate_host(value),
        Some(EffectKind::Programs | EffectKind::Packages | EffectKind::Environment) => PathMeaning::default(),
        _ => value
            .as_text()
            .or_else(|| value.as_file())
            .map_or_else(unknown, |(text, _)| locate_path(effect, text, folder, scope, past)),
    }
}

fn locate_path(
    effect: Option<EffectKind>,
    text: &str,
    folder: Option<&str>,
    scope: &Scope,
    past: &ActHistory,
) -> PathMeaning {
    let mut located = path_class::locate(text, folder, scope);
    if let Some(place) = follow_links(effect, text, folder, scope, past) {
        // Keeps what the name means (such as a secret), but takes the region from the place it leads to.
        let there = path_class::locate(&place, None, scope);
        located.classes.retain(|class| class.is_meaning());
        located.classes.extend(there.classes);
        located.names.splice(0..0, there.names);
        return located;
    }
    let path = join_folder(text.strip_prefix("./").unwrap_or(text), folder);
    if past.made.contains(&path) {
        located.classes = vec![TargetClass::Own];
    }
    if past.fetched.contains(&path) {
        located.classes.push(TargetClass::Fetched);
    }
    located
}

/// The folders from which a target is told: the first of these, and each other in which its path is another and means
/// more.
pub(super) fn folders_to_tell<'a>(
    effect: Option<EffectKind>,
    value: &Value,
    folders: &[Option<&'a str>],
    scope: &Scope,
) -> Vec<Option<&'a str>> {
    let mut told: Vec<Option<&'a str>> = folders.iter().take(1).copied().collect();
    let names_no_path = matches!(
        effect,
        Some(EffectKind::Hosts | EffectKind::Programs | EffectKind::Packages | EffectKind::Environment)
    );
    let path = value.as_text().or_else(|| value.as_file()).filter(|_| !names_no_path && folders.len() > 1);
    let Some((path, _)) = path else { return told };
    let classes = |folder: Option<&str>| path_class::locate(path, folder, scope).classes;
    let mut known: Vec<TargetClass> = told.iter().copied().flat_map(classes).collect();
    if known.contains(&TargetClass::Unknown) {
        known.push(TargetClass::Inside);
    }
    known.push(TargetClass::Derived);
    for folder in folders.iter().skip(1) {
        if told.iter().any(|known| join_folder(path, *known) == join_folder(path, *folder)) {
            continue;
        }
        let there = classes(*folder);
        let is_inside = there.contains(&TargetClass::Inside) && !there.contains(&TargetClass::Root);
        if !is_inside || there.iter().any(|class| !known.contains(class)) {
            known.extend(there);
            told.push(*folder);
        }
    }
    told
}

/// The place to which links lead from the path that a target names; `None` for targets that are no paths.
pub(super) fn linked_place(
    effect: Option<EffectKind>,
    value: &Value,
    folder: Option<&str>,
    scope: &Scope,
    past: &ActHistory,
) -> Option<String> {
    let (path, _) = value.as_text().filter(|_| is_path(effect))?;
    follow_links(effect, path, folder, scope, past)
}

/// Whether the targets of an effect are paths.
fn is_path(effect: Option<EffectKind>) -> bool {
    matches!(effect, Some(EffectKind::Reads | EffectKind::Writes | EffectKind::Deletes))
}

/// Where a path leads through links that exist before the text runs, or that the text makes.
fn follow_links(
    effect: Option<EffectKind>,
    text: &str,
    folder: Option<&str>,
    scope: &Scope,
    past: &ActHistory,
) -> Option<String> {
    let path = join_folder(text, folder);
    let there = scope.links.of(&path, effect).map(|place| place.to_string_lossy().into_owned());
    there.or_else(|| past.links.of(&path).filter(|_| effect != Some(EffectKind::Deletes)))
}

fn unknown() -> PathMeaning {
    PathMeaning::only(TargetClass::Unknown)
}

fn locate_host(value: &Value) -> PathMeaning {
    let class = value.as_text().map_or(TargetClass::Unknown, |(text, _)| path_class::host_class(text));
    PathMeaning::only(class)
}

/// Whether a target lies in a place that the rule covers.
pub(super) fn is_in_place(rule: &ReviewRule, located: &PathMeaning) -> bool {
    let wanted = rule.r#where.as_ref().is_none_or(|w| w.iter().any(|class| located.is(*class)));
    wanted && !rule.except.iter().any(|class| located.is(*class))
}
