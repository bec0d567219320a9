//! Locates the target of an act: its path, after resolving links that exist or that the text makes.

use super::history::ActHistory;
use crate::review::Scope;
use crate::review::path_class::join_folder;
use crate::review::path_class::{self, PathMeaning};
use crate::review::rules::{EffectKind, ReviewRule, TargetClass};
use crate::review::value::Value;

/// What a target's place depends on besides its value.
pub(super) struct TargetContext<'a> {
    pub(super) effect: Option<EffectKind>,
    /// The folder at which relative paths start, if the code changed it.
    pub(super) folder: Option<&'a str>,
    pub(super) scope: &'a Scope,
    pub(super) past: &'a ActHistory,
}

impl TargetContext<'_> {
    /// The classes of a target's place, as far as its effect needs them.
    pub(super) fn locate(&self, value: &Value) -> PathMeaning {
        match self.effect {
            Some(EffectKind::Hosts) => {
                let host = value.as_text().map(|(text, _)| path_class::host_class(text));
                PathMeaning::only(host.unwrap_or(TargetClass::Unknown))
            }
            Some(EffectKind::Programs | EffectKind::Packages | EffectKind::Environment) => {
                PathMeaning::default()
            }
            _ => match value.as_text().or_else(|| value.as_file()) {
                Some((text, _)) => self.locate_path(text),
                None => PathMeaning::only(TargetClass::Unknown),
            },
        }
    }

    fn locate_path(&self, text: &str) -> PathMeaning {
        let mut located = path_class::locate(text, self.folder, self.scope);
        if let Some(place) = self.follow_links(text) {
            // Keeps what the name means (such as a secret), but takes the region from the place it leads to.
            let there = path_class::locate(&place, None, self.scope);
            located.classes.retain(|class| class.is_meaning());
            located.classes.extend(there.classes);
            located.names.splice(0..0, there.names);
            return located;
        }
        let path = join_folder(text.strip_prefix("./").unwrap_or(text), self.folder);
        // What is put among the temporary files replaces none of another name.
        let is_among = self.effect == Some(EffectKind::Writes)
            && matches!(path.trim_end_matches('/'), "/tmp" | "/var/tmp" | "/private/tmp");
        if is_among && located.classes == [TargetClass::Outside] {
            located.classes = vec![TargetClass::Temp];
        }
        if self.past.made.contains(&path) {
            located.classes = vec![TargetClass::Own];
        }
        if self.past.fetched.contains(&path) {
            located.classes.push(TargetClass::Fetched);
        }
        located
    }

    /// The place to which links lead from the path that a target names; `None` for targets that are no paths.
    pub(super) fn linked_place(&self, value: &Value) -> Option<String> {
        let (path, _) = value.as_text()?;
        let is_path =
            matches!(self.effect, Some(EffectKind::Reads | EffectKind::Writes | EffectKind::Deletes));
        if is_path { self.follow_links(path) } else { None }
    }

    /// Where a path leads through links that exist before the text runs, or that the text makes.
    fn follow_links(&self, text: &str) -> Option<String> {
        let path = join_folder(text, self.folder);
        let there = self.scope.links.of(&path, self.effect).map(|place| place.to_string_lossy().into_owned());
        there.or_else(|| self.past.links.of(&path).filter(|_| self.effect != Some(EffectKind::Deletes)))
    }
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

/// Whether a target lies in a place that the rule covers.
pub(super) fn is_in_place(rule: &ReviewRule, located: &PathMeaning) -> bool {
    let wanted = rule.r#where.as_ref().is_none_or(|w| w.iter().any(|class| located.is(*class)));
    wanted && !rule.except.iter().any(|class| located.is(*class))
}
