//! The conditions of runs as the next request describes them. When the inspection of a block finds that others are
//! enforced, the next request describes those.

use super::Engine;
use crate::domain::{BlockId, KernelLanguages, Language, Limits, RunConditions};
use crate::text::number;

/// Describes the limits that a program may hit.
fn in_words(limits: Limits) -> String {
    let Limits { wall_ms, memory_bytes, processes, .. } = limits;
    let mut words = vec![number::limit(wall_ms)];
    words.extend((memory_bytes > 0).then(|| format!("{} of memory", number::memory(memory_bytes))));
    words.extend((processes > 0).then(|| format!("{processes} processes")));
    words.join(", ")
}

impl Engine {
    /// The description of the conditions for the next request; empty where nothing is known.
    pub(super) fn conditions(&self) -> String {
        let conditions = self.state.live.conditions.as_ref();
        conditions
            .map(|conditions| conditions.describe(&in_words(conditions.limits), self.now))
            .unwrap_or_default()
    }

    /// Stores the languages for which the Jupyter server said that it has a kernel.
    pub(super) fn kernels_found(&mut self, languages: Vec<Language>) {
        if let Some(conditions) = &mut self.state.live.conditions {
            conditions.kernels = KernelLanguages::Known(languages);
            self.meter.mark_stale();
        }
    }

    /// The languages that a model is offered.
    pub(super) fn offered_languages(&self) -> Vec<&Language> {
        let all = self.settings.languages.0.iter().map(|entry| &entry.name);
        match self.state.live.conditions.as_ref().map(|conditions| &conditions.kernels) {
            Some(KernelLanguages::Known(known)) => all.filter(|name| known.contains(name)).collect(),
            _ => all.collect(),
        }
    }

    /// A block was inspected: takes over the conditions of its terms. Limits that the person set for this block alone
    /// are ignored.
    pub(super) fn conditions_found(&mut self, block: BlockId) {
        let live = &self.state.live;
        let Some(known) = live.blocks.get(&block) else { return };
        let terms = known.inspected.as_ref().and_then(|(_, inspected)| inspected.terms.as_ref().ok());
        let of = |terms| RunConditions::of(terms, live.conditions.as_ref());
        let Some(mut found) = terms.and_then(of).filter(|_| live.conditions.is_some()) else { return };
        if known.limits.is_some() {
            found.limits = live.conditions.as_ref().map_or(found.limits, |conditions| conditions.limits);
        }
        if live.conditions.as_ref() != Some(&found) {
            self.state.live.conditions = Some(found);
            self.meter.mark_stale();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Settings;
    use super::super::dialogue::{Dialogue, TextChecks as _, terms};
    use super::super::event::Event;
    use super::*;
    use crate::domain::{Dialect, Enforcement};

    #[test]
    fn what_was_found_takes_the_place_of_what_was_asked_for() {
        let conditions = Some(RunConditions { confined: true, ..RunConditions::default() });
        let mut d = Dialogue::with(Settings { conditions, ..Settings::default() });
        let told = |d: &Dialogue| d.request().iter().map(|m| m.text.clone()).collect::<Vec<_>>().join("\n");
        d.user("go");
        told(&d).has("There is no network.").has("Each has 60 s, 2 GiB of memory, 256");
        d.reply("```python\n1\n```");
        let mut found = terms();
        found.rights.network = true;
        let python = crate::domain::ProjectPython {
            path: "/v/bin/python".into(),
            version: Some("3.12.4".into()),
            wanted: None,
        };
        found.rights.python = Some(python);
        d.inspected(1, crate::domain::Review::default(), Ok(found));
        d.skip(1);
        d.user("on");
        assert!(told(&d).contains("The network is open."), "{}", told(&d));
        assert!(told(&d).contains("Python is 3.12.4."), "{}", told(&d));
    }

    #[test]
    fn limits_that_nothing_holds_are_not_told() {
        let mut found = terms();
        (found.rights.sandbox.memory, found.rights.sandbox.processes) =
            (Enforcement::Watched, Enforcement::None);
        let limits = RunConditions::of(&found, None).unwrap().limits;
        assert_eq!(in_words(limits), "60 s, 2 GiB of memory");
    }

    #[test]
    fn the_languages_of_a_server_are_told_once_it_was_asked() {
        let conditions =
            Some(RunConditions { kernels: KernelLanguages::Unknown, ..RunConditions::default() });
        let dialect = Some(Dialect::Tools);
        let mut d = Dialogue::with(Settings { dialect, conditions, ..Settings::default() });
        d.user("go");
        let request =
            |d: &Dialogue| d.request().iter().map(|m| m.text.clone()).collect::<Vec<_>>().join("\n");
        assert!(request(&d).contains("is not known yet"), "{}", request(&d));
        d.send(Event::KernelLanguages(vec![Language::python()]));
        d.reply("Good.");
        d.user("on");
        assert!(request(&d).contains("There is a Jupyter kernel for: python."), "{}", request(&d));
        assert_eq!(d.watched.engine.offered_languages(), [&Language::python()]);
    }
}
