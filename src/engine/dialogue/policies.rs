//! Tests of what no policy lets run without the person.

use super::tools::{WRITE, file_terms};
use super::*;
use crate::domain::Policy;

#[test]
fn what_is_forbidden_waits_for_an_edit() {
    let forbidden = || {
        let mut review = review(Severity::Info);
        review.findings.iter_mut().for_each(|finding| finding.forbidden = true);
        review
    };
    for policy in [Policy::Ask, Policy::Clean, Policy::All] {
        let settings = Settings { policy, ..Settings::default() };
        let mut d = Dialogue::with_reply(settings, "```python\nimport urllib\n```\n");
        assert_eq!(d.inspected(1, forbidden(), Ok(terms())), "+review 1.1 | deciding 1");
        assert!(d.type_run(1).starts_with("'Block 1 is denied, line 0: does much. Edit it.'"));
    }
}

#[test]
fn a_link_that_leads_outside_is_never_covered_by_a_word_for_all() {
    for policy in [Policy::Clean, Policy::All] {
        for (link, outside, starts) in [(true, true, false), (true, false, true), (false, true, true)] {
            let settings = Settings { dialect: Some(Dialect::Tools), policy, ..Settings::default() };
            let mut d = Dialogue::with(settings);
            d.user("x");
            d.calls_tool("c1", "write_file", WRITE);
            d.finish(FinishReason::ToolCalls);
            let mut terms = file_terms("write");
            if let Some(target) = &mut terms.target {
                target.link = link.then(|| "/work/notes.md".into());
                target.outside = outside;
            }
            let line = d.inspected(1, Review::default(), Ok(terms));
            assert_eq!(line.contains("start r1"), starts, "{policy:?} {link} {outside}: {line}");
        }
    }
}

#[test]
fn a_sandbox_that_holds_nothing_any_more_is_no_sandbox_to_a_word_for_all() {
    for (unconfined, terms, starts) in
        [(false, confined(), true), (false, terms(), false), (true, terms(), true)]
    {
        let settings = Settings { policy: Policy::All, unconfined, ..Settings::default() };
        let mut d = Dialogue::with_reply(settings, "```python\nprint(1)\n```\n");
        let line = d.inspected(1, Review::default(), Ok(terms));
        assert_eq!(line.contains("start r1"), starts, "{unconfined}: {line}");
    }
}
