//! All rules that a review applies: the shipped ones, the person's own, and what the person forbids.
//!
//! Own rule files look like the shipped ones (`assets/rules/*.toml`), with `language = "…"` at the top. The caller
//! loads the texts; nothing is read here.

use super::forbid::Forbid;
use super::grammar::Grammar;
use super::queries;
use super::rule_error::{RuleError, RuleFault};
use super::rule_set::{self, RuleSet, parse};
use super::rules::{Builtin, PlaceRow, ReviewRule, RuleFile};
use super::{RuleInfo, Scope, review};
use crate::domain::{Language, Severity};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use strum::VariantArray as _;

const MAX_FILE_BYTES: usize = 1 << 20;

/// The module that the folder holds in which examples of rules are reviewed, and its file.
pub(super) fn example_modules() -> Arc<BTreeMap<String, String>> {
    let module = ["module_of_the_folder", "module_of_the_folder.py"];
    Arc::new(BTreeMap::from([module.map(str::to_owned).into()]))
}

/// The scope in which examples of rules are reviewed.
pub(super) fn example_scope(rules: RuleRegistry) -> Scope {
    let (cwd, home) = ("/home/ann/work".into(), Some("/home/ann".into()));
    Scope { cwd, home, rules: Arc::new(rules), ..Scope::default() }
}

/// An entry of `review.off` or `review.lower` that fits no rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoSuchRule {
    /// The setting that contains it.
    pub(crate) setting: &'static str,
    /// What is wrong with it, and what would fit.
    pub(crate) why: String,
}

/// All rules that a review applies. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct RuleRegistry {
    /// The rule sets of languages for which the person has own rules; each includes the shipped rules.
    own: HashMap<Grammar, Arc<RuleSet>>,
    /// Sensitive paths that the person added.
    places: Arc<[PlaceRow]>,
    forbid: Arc<Forbid>,
    /// Rules with a lowered severity, by id; `None`: switched off.
    milder: Arc<HashMap<String, Option<Severity>>>,
}

/// Where the ids of rules are listed.
const IDS_HINT: &str = "sayso check --rules lists the ids; as in \"py.delete-file\"";

/// The rule that an entry of `review.lower` (`ID=info`) names, and its milder severity; the error is why there is none.
fn lowered<'e>(entry: &'e str, known: &HashMap<&str, Severity>) -> Result<(&'e str, Severity), String> {
    let malformed =
        || format!("{entry:?} is no rule and a milder severity, as in \"sh.delete-tree=medium\"; {IDS_HINT}");
    let (id, word) = entry.split_once('=').ok_or_else(malformed)?;
    let (id, word) = (id.trim(), word.trim());
    let milder = [Severity::Info, Severity::Medium];
    let to = milder.into_iter().find(|severity| severity.as_str() == word).ok_or_else(malformed)?;
    let was = *known.get(id).ok_or_else(malformed)?;
    if to >= was {
        let was = was.as_str();
        return Err(format!("{id} is {was}: this makes rules milder, never graver"));
    }
    Ok((id, to))
}

impl RuleRegistry {
    /// The shipped rules and those of files, each a name (for messages) and a text.
    ///
    /// # Errors
    /// All files that can't be used; each error names the file, the rule or the line, and what to do.
    pub(crate) fn with<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> Result<Self, Vec<RuleError>> {
        let mut errors = Vec::new();
        let mut added: HashMap<Grammar, Vec<(&str, RuleFile)>> = HashMap::new();
        let mut places = Vec::new();
        // The file of each own rule.
        let mut origins: HashMap<String, String> = HashMap::new();
        for (name, text) in files {
            match own_file(name, text) {
                Ok((grammar, mut file)) => {
                    origins.extend(file.rule.iter().map(|rule| (rule.id.clone(), name.to_owned())));
                    places.append(&mut file.place);
                    if let Some(grammar) = grammar {
                        added.entry(grammar).or_default().push((name, file));
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        let mut registry = RuleRegistry { places: places.into(), ..RuleRegistry::default() };
        for (grammar, files) in added {
            match combine(grammar, files) {
                Ok(rules) => drop(registry.own.insert(grammar, Arc::new(rules))),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            errors.extend(registry.broken_examples(&origins));
        }
        if errors.is_empty() { Ok(registry) } else { Err(errors) }
    }

    /// These rules, with some switched off (`off`: ids) and some lowered (`lower`: `ID=info`). Also returns the entries
    /// that could not be applied.
    #[must_use]
    pub(crate) fn with_lowered(mut self, off: &[String], lower: &[String]) -> (Self, Vec<NoSuchRule>) {
        if off.is_empty() && lower.is_empty() {
            // The usual case; the shipped rules need not be parsed yet.
            return (self, Vec::new());
        }
        let known: HashMap<&str, Severity> =
            self.rules().into_iter().map(|rule| (rule.id, rule.severity)).collect();
        let mut milder: HashMap<String, Option<Severity>> = HashMap::new();
        let mut wrong: Vec<NoSuchRule> = Vec::new();
        let mut refuse = |setting, why| wrong.push(NoSuchRule { setting, why });
        for id in off {
            if known.contains_key(id.as_str()) {
                milder.insert(id.clone(), None);
            } else {
                refuse("review.off", format!("there is no rule {id:?}; {IDS_HINT}"));
            }
        }
        for entry in lower {
            match lowered(entry, &known) {
                Ok((id, severity)) => {
                    milder.entry(id.to_owned()).or_insert(Some(severity));
                }
                Err(why) => refuse("review.lower", why),
            }
        }
        drop(known);
        self.milder = Arc::new(milder);
        (self, wrong)
    }

    /// The severity of a rule's finding after the person's settings; `None`: it is not reported.
    pub(super) fn severity_told(&self, rule: &str, severity: Severity) -> Option<Severity> {
        match self.milder.get(rule) {
            Some(milder) => milder.map(|milder| milder.min(severity)),
            None => Some(severity),
        }
    }

    /// These rules, with this list of forbidden names.
    #[must_use]
    pub(crate) fn forbidding(mut self, forbid: Forbid) -> Self {
        self.forbid = Arc::new(forbid);
        self
    }

    /// These rules, with the strict profile added to the forbidden names.
    #[must_use]
    pub(crate) fn with_strict_profile(&self) -> Self {
        let names = self.forbid.names().iter().cloned().chain(Forbid::strict());
        self.clone().forbidding(Forbid::new(names))
    }

    /// The names that the person forbids.
    pub(crate) fn forbid(&self) -> &Forbid {
        &self.forbid
    }

    /// The sensitive paths: those that the person added, then those common to all languages.
    pub(super) fn places(&self) -> impl Iterator<Item = &PlaceRow> {
        self.places.iter().chain(&rule_set::common().file.place)
    }

    pub(super) fn of(&self, grammar: Grammar) -> &RuleSet {
        match self.own.get(&grammar) {
            Some(own) => own,
            None => rule_set::shipped_rules(grammar),
        }
    }

    /// All rules that give findings, by language and in the order of their files; the person's own follow the shipped
    /// ones.
    pub(crate) fn rules(&self) -> Vec<RuleInfo<'_>> {
        let sets = Grammar::VARIANTS.iter().map(|grammar| (grammar.as_str(), self.of(*grammar)));
        let sets = sets.into_iter().chain([("common", rule_set::common())]);
        sets.flat_map(|(language, set)| set.file.rule.iter().map(move |rule| (language, rule)))
            .filter_map(|(language, rule)| info(language, rule))
            .collect()
    }

    /// Examples of own rules that do not hold: a rule that misses what it was written for is worse than none.
    fn broken_examples(&self, origins: &HashMap<String, String>) -> Vec<RuleError> {
        let mut errors = Vec::new();
        for (grammar, own) in &self.own {
            let shipped = rule_set::shipped_rules(*grammar).file.rule.len();
            for rule in own.file.rule.iter().skip(shipped) {
                let examples = rule.matches.iter().map(|text| (text, true));
                for (text, wanted) in examples.chain(rule.near_misses.iter().map(|text| (text, false))) {
                    if self.finds(rule, *grammar, text) != wanted {
                        let verb = if wanted { "misses" } else { "finds" };
                        let file = origins.get(&rule.id).map_or("", String::as_str);
                        let fault = RuleFault::Example { verb, example: text.clone() };
                        errors.push(RuleError::of_rule(file, &rule.id, fault));
                    }
                }
            }
        }
        errors
    }

    fn finds(&self, rule: &ReviewRule, grammar: Grammar, text: &str) -> bool {
        let scope = Scope { modules: example_modules(), ..example_scope(self.clone()) };
        let review = review(text, Some(&Language(grammar.as_str().to_owned())), &scope);
        review.findings.iter().any(|finding| finding.rule == rule.id)
    }
}

/// Parses a file of the person's. It has to name a language, unless it only lists places.
fn own_file(name: &str, text: &str) -> Result<(Option<Grammar>, RuleFile), RuleError> {
    let file = name.to_owned();
    if text.len() > MAX_FILE_BYTES {
        let reason = format!("it is larger than {} KiB", MAX_FILE_BYTES / 1024);
        return Err(RuleError::Unreadable { file, line: 1, reason });
    }
    let parsed = parse(name, text)?;
    sound_places(name, text, &parsed.place)?;
    if parsed.language.is_none() && parsed.rule.is_empty() && !parsed.place.is_empty() {
        return Ok((None, parsed));
    }
    let known = || Grammar::VARIANTS.iter().map(|grammar| grammar.as_str()).collect::<Vec<_>>().join(", ");
    let grammar = parsed.language.as_deref().and_then(Grammar::of);
    let grammar = grammar.ok_or_else(|| RuleError::NoLanguage { file, known: known() })?;
    let unfit = |rule: &&ReviewRule| rule.builtin.is_some() || rule.query.is_some() && !grammar.has_grammar();
    if let Some(rule) = parsed.rule.iter().find(unfit) {
        return Err(RuleError::of_rule(name, &rule.id, RuleFault::NoMatcher));
    }
    Ok((Some(grammar), parsed))
}

/// Checks that own places have a sensitive class and say what they are.
fn sound_places(name: &str, text: &str, places: &[PlaceRow]) -> Result<(), RuleError> {
    let heads = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("[[place]]"));
    for (place, (line, _)) in places.iter().zip(heads) {
        let reason = if !place.class.is_meaning() {
            "the class of a place is secret, private or start"
        } else if place.what.trim().is_empty() || place.paths.is_empty() {
            "a place has paths, and `what` says what is there: \"a key of the team\""
        } else {
            continue;
        };
        let file = name.to_owned();
        return Err(RuleError::Unreadable { file, line: line + 1, reason: reason.to_owned() });
    }
    Ok(())
}

/// The shipped rules of a language together with own ones; each file is checked against all before it.
fn combine(grammar: Grammar, files: Vec<(&str, RuleFile)>) -> Result<RuleSet, RuleError> {
    let (shipped, text) = rule_set::shipped(grammar);
    let mut whole = parse(shipped, text)?;
    let mut last = shipped;
    for (name, file) in files {
        let known: Vec<&str> = whole.rule.iter().map(|rule| rule.id.as_str()).collect();
        if let Some(rule) = file.rule.iter().find(|rule| known.contains(&rule.id.as_str())) {
            return Err(RuleError::of_rule(name, &rule.id, RuleFault::Twice));
        }
        whole.extend(file);
        last = name;
    }
    let set = RuleSet::new(last, whole)?;
    if grammar.has_grammar() {
        queries::compile(last, grammar, &set.file.rule)?;
    }
    Ok(set)
}

fn info<'a>(language: &'static str, rule: &'a ReviewRule) -> Option<RuleInfo<'a>> {
    let matcher = match (rule.builtin, &rule.query) {
        (Some(Builtin::Hidden), _) => "characters that hide",
        (Some(Builtin::Lookalike), _) => "names that read like others",
        (Some(Builtin::Shape), _) => "code out of sight",
        (Some(Builtin::Unread), _) => "what the grammar can't read",
        (Some(Builtin::Keys), _) => "keys in the text",
        (Some(Builtin::Forbid), _) => "review.forbid",
        (None, Some(_)) => "a query of the grammar",
        (None, None) => "calls",
    };
    Some(RuleInfo {
        id: &rule.id,
        language,
        severity: rule.severity?,
        message: &rule.message,
        reason: &rule.reason,
        reference: &rule.reference,
        matcher,
        matches: &rule.matches,
        near_misses: &rule.near_misses,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "language = \"python\"\n[[rule]]\nid = \"team.x\"\nseverity = \"medium\"\ncalls = [\"x.y\"]\nmessage = \"m\"\n";

    fn refused(text: &str) -> String {
        let errors = RuleRegistry::with([("team.toml", text)]).expect_err(text);
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn own_rules_stand_beside_the_shipped_ones() {
        let registry = RuleRegistry::with([("team.toml", GOOD)]).unwrap();
        let ids: Vec<_> = registry.rules().iter().map(|rule| rule.id.to_owned()).collect();
        assert!(ids.contains(&"team.x".to_owned()) && ids.contains(&"py.delete-tree".to_owned()));
        let scope = Scope { rules: Arc::new(registry), ..Scope::default() };
        let review = review("import x\nx.y()", Some(&Language::python()), &scope);
        assert_eq!(review.findings.first().map(|f| f.rule.as_str()), Some("team.x"));
    }

    #[test]
    fn a_rule_that_reports_nothing_can_make_the_effects_unknown() {
        let silent = GOOD.replace("severity = \"medium\"\n", "");
        let is_unknown = |rule: &str| {
            let registry = RuleRegistry::with([("team.toml", rule)]).unwrap();
            let scope = Scope { rules: Arc::new(registry), ..Scope::default() };
            ["import x\nx.y('a')", "import x\nx.y(*a)"].map(|text| {
                let review = review(text, Some(&Language::python()), &scope);
                assert_eq!(review.findings, []);
                review.effects.unknown
            })
        };
        assert_eq!(is_unknown(&silent), [false, false]);
        assert_eq!(is_unknown(&format!("{silent}unknown = true\n")), [true, true]);
    }

    #[test]
    fn the_strict_profile_comes_to_what_is_forbidden() {
        let mild = RuleRegistry::default().forbidding(Forbid::new(["math".to_owned()]));
        let findings = |registry: &RuleRegistry, text: &str| {
            let scope = Scope { rules: Arc::new(registry.clone()), ..Scope::default() };
            review(text, Some(&Language::python()), &scope).forbidden()
        };
        assert!(findings(&mild, "import math") && !findings(&mild, "import socket"));
        let strict = mild.with_strict_profile();
        assert!(findings(&strict, "import math") && findings(&strict, "import socket"));
        assert!(!findings(&mild, "import socket"), "the registry it was made from is as before");
    }

    #[test]
    fn own_places_mean_something_in_every_language() {
        let text = "[[place]]\nclass = \"secret\"\nwhat = \"the key of the vault\"\npaths = [\"~/vault/**\"]\n\
                    except = [\"~/vault/README\"]\n";
        let findings = |registry: &RuleRegistry, language: Language, text: &str| {
            let review = review(text, Some(&language), &example_scope(registry.clone()));
            review.findings.iter().map(|f| (f.severity, f.message.clone())).collect::<Vec<_>>()
        };
        let own = RuleRegistry::with([("team.toml", text)]).unwrap();
        for (language, code) in [
            (Language::bash(), "cat ~/vault/key"),
            (Language::python(), "open('/home/ann/vault/key').read()"),
        ] {
            let found = findings(&own, language.clone(), code);
            assert!(
                found.iter().any(|(s, m)| *s == Severity::High && m.contains("the key of the vault")),
                "{found:?}"
            );
            let before = findings(&RuleRegistry::default(), language, code);
            assert!(!before.iter().any(|(s, _)| *s == Severity::High), "{before:?}");
        }
        assert!(
            findings(&own, Language::bash(), "cat ~/vault/README").iter().all(|(s, _)| *s == Severity::Info)
        );
        let wrong = refused(&format!("{text}\n{}", text.replace("secret", "inside")));
        assert!(wrong.starts_with("team.toml:7: ") && wrong.contains("secret, private or start"), "{wrong}");
        assert!(refused(&text.replace("the key of the vault", " ")).contains("`what` says"));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        assert!(refused("language = 3").starts_with("team.toml:1: "), "{}", refused("language = 3"));
        assert!(refused("[[rule]]\n\nidd = 'x'").starts_with("team.toml:"));
        assert!(refused("").contains("language = "));
        assert!(refused(&GOOD.replace("calls = [\"x.y\"]\n", "")).contains("rule team.x: give it calls"));
        assert!(refused(&GOOD.replace("message = \"m\"\n", "")).contains("needs a message"));
        assert!(refused(&GOOD.replace("team.x", "py.eval")).contains("there is a rule of this name"));
        assert!(
            refused(&GOOD.replace("calls = [\"x.y\"]", "acts = [\"fly\"]")).contains("no [[act]] named fly")
        );
        let query = GOOD.replace("calls = [\"x.y\"]", "on = [\"call\"]\nquery = \"(nothing) @found\"");
        assert!(refused(&query).contains("does not fit the grammar"), "{}", refused(&query));
        let example = format!("{GOOD}matches = [\"z()\"]\n");
        let wrong = refused(&example);
        assert!(
            wrong.starts_with("team.toml, rule team.x: ") && wrong.contains("misses its example"),
            "{wrong}"
        );
        assert!(refused(&"#".repeat(MAX_FILE_BYTES + 1)).contains("larger"));
    }
}
