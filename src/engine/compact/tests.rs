use super::*;
use crate::domain::{FailureKind, FinishReason, ModelInfo, ModelName, Price, Role, Usage};
use crate::engine::context::tokens;
use crate::engine::cost::Prices;
use crate::engine::dialogue::{Dialogue, TextChecks as _, failure};
use crate::engine::{Command, Event, Settings};

fn name() -> ModelName {
    ModelName { provider: "p".into(), model: "m".into() }
}

/// Reports a context of this many tokens for the model.
fn knows(d: &mut Dialogue, context: u64) -> String {
    d.send(Event::ModelInfo(Box::new(ModelInfo { context: Some(context), ..ModelInfo::named(name()) })))
}

fn answered(d: &mut Dialogue, text: &str, input: u64, output: u64) -> String {
    d.delta(text);
    d.replied(ReplyEvent::Usage(Usage { input: Some(input), output: Some(output), ..Usage::default() }));
    d.finish(FinishReason::Stop)
}

/// A session of two turns, the first of which is long.
fn two_turns() -> Dialogue {
    let mut d = Dialogue::after_prompt(&format!("first {}", "long ".repeat(2_000)));
    d.reply("One.");
    d.user("second");
    d.reply("Two.");
    d
}

#[test]
fn the_share_is_estimated_until_a_provider_counts() {
    let mut d = Dialogue::after_prompt("hello");
    let share = d.state().live.context;
    assert_eq!((share.of, share.percent(), share.estimated), (None, None, true));
    assert!(share.used > 0);
    knows(&mut d, 1_000);
    answered(&mut d, "Hi.", 20, 5);
    let share = d.state().live.context;
    assert_eq!((share.used, share.of, share.estimated, share.percent()), (25, Some(1_000), false, Some(2)));
    d.user("more");
    assert!(d.state().live.context.estimated, "what was added is not counted yet");
    assert!(d.state().live.context.used > 25);
    // Another model may count differently.
    d.reply("Yes.");
    d.command(Command::UseModel(ModelName { provider: "q".into(), model: "m".into() }));
    let share = d.state().live.context;
    assert_eq!((share.of, share.estimated), (None, true));
}

#[test]
fn what_does_not_fit_does_not_leave() {
    let mut d = two_turns();
    assert!(knows(&mut d, 2_400).contains("of the context is used"));
    let line = d.user("third");
    assert!(line.starts_with("+prompt, 'This chat needs about 2,"), "{line}");
    assert!(line.ends_with(" of 2,400 tokens. Nothing was sent.' | stuck context_overflow"), "{line}");
    // It fits a model with a longer context.
    d.command(Command::UseModel(name()));
    knows(&mut d, 100_000);
    assert_eq!(d.command(Command::Retry), "ask s3 | replying s3");
}

#[test]
fn a_summary_makes_room_and_the_request_goes_out() {
    let mut d = two_turns();
    knows(&mut d, 2_400);
    d.user("third");
    assert_eq!(d.command(Command::Compact), "sum up s3 | compacting s3");
    let asked = d.request();
    assert_eq!(asked.iter().map(|m| m.role).collect::<Vec<_>>(), [Role::System, Role::User]);
    assert!(asked[1].text.contains("[shortened: ") && tokens(&asked[1].text) < 2_400, "it has to fit itself");
    assert!(!asked[1].text.contains("third"), "what is newest stays as it is");
    d.delta("They wanted the first thing.");
    assert_eq!(
        d.state().live.summary.as_ref().map(|s| s.text.as_str()),
        Some("They wanted the first thing.")
    );
    assert_eq!(d.user("meanwhile"), "'Queued. It is sent when this turn ends.' | compacting s3");
    d.finish(FinishReason::Stop).starts("+summary 6, 'Summed up: ").ends(", ask s4 | replying s4");
    assert!(d.told().ends_with("They wanted the first thing.\n\nthird"), "{}", d.told());
    assert_eq!(d.state().live.context.summarised_upto, 6);
    assert_eq!(d.reply("Three."), "+reply stop, +end answered, +prompt, ask s5 | replying s5");
    // The summary still counts when the session is opened again.
    d.reply("Four.");
    d.reopen();
    d.user("fifth");
    assert!(d.request()[0].text.contains("They wanted the first thing."));
    assert!(!format!("{:?}", d.request()).contains("long long"));
}

#[test]
fn between_turns_the_newest_turn_stays_whole() {
    let mut d = two_turns();
    assert_eq!(d.command(Command::Compact), "sum up s3 | compacting s3");
    d.delta("Sum.");
    d.finish(FinishReason::Stop).starts("+summary 3, ").ends(" | idle");
    assert!(d.command(Command::Compact).contains("sum up"), "the rest can be summed up too");
    d.delta("Sum of all.");
    assert!(d.finish(FinishReason::Stop).starts_with("+summary 7, "));
    assert_eq!(d.command(Command::Compact), "'There is nothing older to be summed up.' | idle");
}

#[test]
fn a_summary_waits_for_what_its_server_says_of_the_model() {
    let asks = |stuck: bool| {
        let mut d = two_turns();
        if stuck {
            d.user("third");
            d.fail(FailureKind::Overflow);
        }
        d.command(Command::UseModel(name()));
        d.send(Event::AskingAboutModel(name()));
        let phase = d.state().phase.clone();
        d.command(Command::Compact).starts("'Asking what the model can do before the summary is made.'");
        assert_eq!(d.state().phase, phase);
        assert!(d.state().live.awaits_summary, "front ends tell by it what Ctrl-C stops");
        d
    };
    for stuck in [false, true] {
        let mut d = asks(stuck);
        let step = if stuck { 4 } else { 3 };
        knows(&mut d, 2_400).has(&format!("sum up s{step}")).ends(&format!("| compacting s{step}"));
        assert!(tokens(&d.request()[1].text) < 2_400, "it fits what was not known before");
        let mut d = asks(stuck);
        assert!(d.stop().contains("'Stopped. The chat is as it was.'"));
        knows(&mut d, 2_400).lacks("| compacting");
    }
}

#[test]
fn without_a_whole_summary_all_stays_as_it_was() {
    let ends: [&dyn Fn(&mut Dialogue) -> String; 5] = [
        &|d| d.fail(FailureKind::Server),
        &|d| d.finish(FinishReason::Stop),
        &|d| {
            d.delta("half");
            d.finish(FinishReason::Length)
        },
        &|d| d.replied(ReplyEvent::Delta("x".repeat(MAX_SUMMARY_BYTES + 1))),
        &|d| d.stop(),
    ];
    for stuck in [false, true] {
        for end in ends {
            let mut d = two_turns();
            if stuck {
                d.user("third");
                d.fail(FailureKind::Overflow);
            }
            let before = (d.state().phase.clone(), d.state().transcript.clone());
            assert!(d.command(Command::Compact).contains("sum up"));
            end(&mut d).has("The chat is as it was.");
            assert_eq!((d.state().phase.clone(), d.state().transcript.clone()), before);
        }
    }
}

#[test]
fn in_a_turn_that_is_stuck_the_newest_step_stays() {
    let mut d = Dialogue::after_prompt("the task");
    for step in 1..=2 {
        d.reply(&format!("step {step} {}\n```python\nprint({step})\n```\n", "word ".repeat(3_000)));
        d.runs(step, step, crate::domain::Outcome::Ok);
    }
    d.fail(FailureKind::Overflow);
    assert!(d.command(Command::Compact).contains("sum up"));
    assert!(d.request()[1].text.contains("The last message in it is being worked on."));
    d.delta("Step one was taken.");
    assert!(d.finish(FinishReason::Stop).starts_with("+summary 2, "));
    let told: Vec<_> = d.request().iter().map(|message| message.text.as_str()).collect();
    told[0].ends("Step one was taken.\n\n[What is being worked on, in the person's words:]\n\nthe task");
    assert!(told[1].starts_with("step 2 ") && told[2].contains("Block 2 (python)"), "{told:?}");
}

#[test]
fn a_summary_is_offered_once_for_each_crossing() {
    let mut d = two_turns();
    knows(&mut d, 3_000).has("% of the context is used (2,").has("/compact");
    assert!(!d.user("third").contains("/compact"));
    assert!(!d.reply("Three.").contains("/compact"));
    knows(&mut d, 100_000);
    assert!(knows(&mut d, 3_000).contains("/compact"), "it was below in between");
}

#[test]
fn what_is_configured_wins_over_what_is_told() {
    let mut d = Dialogue::with(Settings { context_tokens: Some(500), ..Settings::default() });
    d.user("hello");
    assert_eq!(d.state().live.context.of, Some(500));
    knows(&mut d, 100_000);
    assert_eq!(d.state().live.context.of, Some(500));
}

#[test]
fn a_summary_is_refused_where_nothing_can_be_summed_up() {
    let mut d = Dialogue::new();
    assert_eq!(d.command(Command::Compact), "'There is nothing older to be summed up.' | idle");
    d.user("x");
    assert_eq!(d.command(Command::Compact), "'A summary can be made when this turn is over.' | replying s1");
    d.fail(FailureKind::Overflow);
    d.command(Command::Compact).is("'There is nothing older to be summed up.' | stuck context_overflow");
    assert_eq!(d.state().phase, Phase::Stuck(failure(FailureKind::Overflow)));
}

/// A session with a budget of one dollar; a token costs a tenth of a cent.
fn with_budget() -> Dialogue {
    let price = Price { input: 1_000_000, output: 1_000_000, ..Price::default() };
    let prices = Prices { own: [("p/m".to_owned(), price)].into(), ..Prices::default() };
    let mut d =
        Dialogue::with(Settings { prices, session_budget: Some(1_000_000_000), ..Settings::default() });
    d.command(Command::UseModel(name()));
    d
}

#[test]
fn the_budget_asks_before_a_request_leaves() {
    let mut d = with_budget();
    d.user("one");
    answered(&mut d, "Yes.", 600, 500);
    assert_eq!((d.state().live.cost.nanos, d.state().live.cost.last), (1_100_000_000, Some(1_100_000_000)));
    d.user("two")
        .is("+prompt, 'This session has cost $1.10 of $1.00. Nothing was sent. Go on?' | asking: budget");
    assert_eq!(d.command(Command::Continue), "ask s2 | replying s2");
    assert_eq!(d.state().live.cost.budget, Some(2_000_000_000));
    answered(&mut d, "Yes.", 3_000, 500);
    d.user("three");
    assert_eq!(d.command(Command::EndTurn), "+end budget | idle");
    assert!(d.command(Command::Compact).ends_with("asking: budget"));
    assert_eq!(d.command(Command::EndTurn), "| idle");
    d.command(Command::Compact);
    assert_eq!(d.command(Command::Continue), "sum up s3 | compacting s3");
    assert_eq!(d.state().live.cost.budget, Some(5_000_000_000), "as far as it takes");
}

#[test]
fn a_price_that_becomes_known_while_a_request_waits_counts_for_it() {
    let mut d = Dialogue::with(Settings { session_budget: Some(1_000_000_000), ..Settings::default() });
    d.command(Command::UseModel(name()));
    d.user("one");
    answered(&mut d, "Yes.", 600, 500);
    d.send(Event::AskingAboutModel(name()));
    d.user("two").is("+prompt | replying s2");
    let price = Some(Price { input: 1_000_000, output: 1_000_000, ..Price::default() });
    let info = ModelInfo { price, tools: Some(true), ..ModelInfo::named(name()) };
    d.send(Event::ModelInfo(Box::new(info)))
        .is("'This session has cost $1.10 of $1.00. Nothing was sent. Go on?' | asking: budget");
    assert_eq!(d.command(Command::Continue), "ask s2 | replying s2");
}

#[test]
fn what_is_not_known_is_not_nothing() {
    let mut d = with_budget();
    d.user("one");
    d.reply("No usage was told.");
    let cost = &d.state().live.cost;
    assert_eq!((cost.nanos, cost.unknown, cost.last), (0, 1, None));
    d.command(Command::UseModel(ModelName { provider: "q".into(), model: "x".into() }));
    d.user("two").has("'The price of q/x is not known: what it costs does not count towards");
    answered(&mut d, "Yes.", 9, 9);
    assert_eq!(d.state().live.cost.unknown, 2);
    assert!(!d.user("three").contains("not known"), "told once");
}

#[test]
fn instructions_stand_in_the_request_and_are_noted_when_they_change() {
    let file = |text: &str| crate::domain::samples::instructions("/p/AGENTS.md", text, false);
    let mut d = Dialogue::with(Settings { use_instructions: true, ..Settings::default() });
    d.send(Event::Instructions(vec![file("use tabs")]));
    assert_eq!(d.user("x"), "+prompt, +named x, +instructions 1, ask s1 | replying s1");
    assert!(d.request()[0].role == Role::System && d.request()[0].text.contains("use tabs"));
    d.reply("Yes.");
    assert_eq!(d.user("y"), "+prompt, ask s2 | replying s2", "the same files");
    d.reply("Yes.");
    d.send(Event::Instructions(vec![file("use spaces")]));
    assert_eq!(d.user("z"), "+prompt, +instructions 1, ask s3 | replying s3");
    d.reply("Yes.");
    d.command(Command::UseInstructions(false));
    assert_eq!(d.user("w"), "+prompt, +instructions 0, ask s4 | replying s4");
    assert_ne!(d.request()[0].role, Role::System);
}

#[test]
fn the_request_for_a_summary_fits_too_or_none_leaves() {
    let room = |context: u64| context - context / 8;
    for words in ["long ", "длинный ", "長い", "```\n"] {
        for context in [700, 2_400, 6_000] {
            let mut d = Dialogue::new();
            for turn in 0..6 {
                d.user(&format!("{turn} {}", words.repeat(900)));
                d.reply(&words.repeat(300));
            }
            knows(&mut d, context);
            let line = d.command(Command::Compact);
            assert_eq!(line, "sum up s7 | compacting s7", "{words} {context}");
            let needs = crate::engine::context::estimate(d.request());
            assert!(needs <= room(context), "{words} {context}: {needs}");
        }
    }
    let mut d = two_turns();
    knows(&mut d, 300);
    let line = d.command(Command::Compact);
    line.starts("'No summary: the request for it does not fit the model's 263 tokens.");
    assert!(line.ends_with(" | idle"), "{line}");
}

#[test]
fn where_the_size_is_not_known_a_careful_one_is_taken() {
    let mut d = Dialogue::after_prompt("first");
    d.reply(&"word ".repeat(60_000));
    assert!(d.user("second").starts_with("+prompt, ask s2"), "half of it fits");
    d.reply(&"word ".repeat(60_000));
    let line = d.user("third");
    assert!(line.contains("needs at least 150,0"), "{line}");
    line.has("how many the model takes is not known: 131,072 are assumed. Nothing was sent.");
    assert!(line.ends_with("stuck context_overflow"), "{line}");
    // A size reported by the provider replaces the assumed one.
    knows(&mut d, 400_000);
    assert!(d.command(Command::Retry).starts_with("ask s3"));
}
