//! The facts about what a block would do, as far as its text shows, and what of that the sandbox would refuse.

use super::detail::Detail;
use crate::domain::Effects;
use crate::engine::Inspection;
use crate::tui::widgets::safe;

/// How many names of each kind are shown, unless all are requested.
const MAX_NAMES_SHOWN: usize = 3;

/// How many refusals are shown, unless all are requested.
const MAX_REFUSALS_SHOWN: usize = 2;

/// The facts for the rights: a label, a text, and whether it stands out. None if no effects and refusals are known.
pub(super) fn facts(inspected: &Inspection, detail: Detail) -> Vec<(&'static str, String, bool)> {
    let effects = &inspected.review.effects;
    let mut facts = Vec::new();
    // For a block about a file, the target facts tell what it would do.
    let of_code = inspected.terms.as_ref().map_or(true, |terms| terms.target.is_none());
    if of_code {
        let text = line(effects, detail);
        if !text.is_empty() {
            facts.push(("Would", text, false));
        }
    }
    let shown = detail.limit(MAX_REFUSALS_SHOWN);
    for refused in inspected.refused.iter().take(shown) {
        facts.push(("Refused", safe::name(refused), true));
    }
    let more = inspected.refused.len().saturating_sub(shown);
    if more > 0 {
        facts.push(("Refused", format!("and {}", detail.more(more)), true));
    }
    facts
}

/// `read sales.csv; write out/top3.csv; reach example.com; and what can't be told`
fn line(effects: &Effects, detail: Detail) -> String {
    let kinds = [
        ("read", &effects.reads),
        ("write", &effects.writes),
        ("delete", &effects.deletes),
        ("reach", &effects.hosts),
        ("start", &effects.programs),
        ("install", &effects.packages),
        ("take from the environment", &effects.environment),
    ];
    let mut parts = Vec::new();
    for (verb, names) in kinds.into_iter().filter(|(_, names)| !names.is_empty()) {
        let names: Vec<String> = names.iter().map(|name| safe::name(name)).collect();
        parts.push(format!("{verb} {}", detail.list(&names, MAX_NAMES_SHOWN, ", ")));
    }
    if effects.unknown {
        let also = if parts.is_empty() { "do" } else { "and" };
        parts.push(format!("{also} what can't be told from its text"));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_what_is_known_and_says_what_is_not() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let effects = Effects {
            reads: names(&["a", "b", "c", "d\u{1b}[2J"]),
            hosts: names(&["example.com"]),
            unknown: true,
            ..Effects::default()
        };
        let keys = Detail::ShortKeys(crate::tui::keymap::Key::parse("p"));
        assert_eq!(
            line(&effects, keys),
            "read a, b, c, 1 more: p; reach example.com; and what can't be told from its text"
        );
        assert!(!line(&effects, Detail::Full).contains('\u{1b}'));
        assert_eq!(line(&Effects::default(), Detail::Full), "");
        let unknown = Effects { unknown: true, ..Effects::default() };
        assert_eq!(line(&unknown, keys), "do what can't be told from its text");
    }
}
