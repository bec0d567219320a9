//! Tests that messages are loaded when they are shown or sent, and that a request waits for all of its messages.

use super::*;
use crate::domain::{Entry, FailureKind, Timestamp, TurnEnd, Usage, samples};
use crate::engine::transcript::{Item, PagedTranscript, Transcript};
use crate::engine::{Command, Event, Settings};

const EACH: usize = 1 << 20;

/// A session of this many replies of a megabyte each, and a short one.
fn entries(replies: u32) -> Vec<(Timestamp, Entry)> {
    let header = samples::header("s");
    let reply = |n: u32, text: &str| samples::reply(n, text, &format!("thought {n}"));
    let mut entries = vec![Entry::Header(header), Entry::Prompt("first".into()), reply(1, "short")];
    for n in 0..replies {
        entries.push(Entry::Prompt("go on".into()));
        entries.push(reply(n + 2, &format!("{n} {}", "x".repeat(EACH))));
        entries.push(Entry::TurnEnd(TurnEnd::Answered));
    }
    entries.into_iter().map(|entry| (Timestamp(1), entry)).collect()
}

fn resumed(entries: &[(Timestamp, Entry)]) -> Engine {
    resumed_with(entries, Settings::default()).0
}

fn resumed_with(entries: &[(Timestamp, Entry)], settings: Settings) -> (Engine, Vec<Effect>) {
    let mut paged = PagedTranscript::default();
    paged.extend(entries.to_vec());
    Engine::resume(settings, paged.into(), Timestamp(2))
}

fn with_context(tokens: u64) -> Settings {
    Settings { context_tokens: Some(tokens), ..Settings::default() }
}

fn command(engine: &mut Engine, command: Command) -> Vec<Effect> {
    engine.handle(Event::User(command), Timestamp(3))
}

/// Reads an entry as the driver does.
fn read(entries: &[(Timestamp, Entry)]) -> impl Fn(u64) -> Result<Entry, String> {
    move |entry| entries.get(entry as usize).map(|(_, entry)| entry.clone()).ok_or("gone".into())
}

/// The items that are not in memory, and the bytes of the texts in memory.
fn standing(engine: &Engine) -> (Vec<usize>, usize) {
    let items = engine.state().transcript.items.iter().enumerate();
    let replies = items.filter_map(|(at, item)| match item {
        Item::Reply(reply) => Some((at, reply)),
        _ => None,
    });
    let away = replies.clone().filter(|(_, reply)| reply.paged_out.is_some()).map(|(at, _)| at).collect();
    (away, replies.map(|(_, reply)| reply.text().len()).sum())
}

/// Shows these items, and answers the loads from these entries; returns how many there were.
fn look(engine: &mut Engine, items: &[usize], entries: &[(Timestamp, Entry)]) -> usize {
    let bodies = items.iter().map(|item| Body::Message(*item)).collect();
    let asked = load_of(command(engine, Command::Load(bodies)));
    loaded(engine, &asked, read(entries));
    asked.len()
}

#[test]
fn the_newest_stay_and_the_others_come_when_they_are_looked_at() {
    let entries = entries(60);
    let mut engine = resumed(&entries);
    let (away, bytes) = standing(&engine);
    assert!(away.len() > 50 && bytes < 7 << 20, "{} {bytes}", away.len());
    assert!(away.contains(&1), "a short one too");
    let whole = Transcript::fold(entries.clone());
    for chunk in away.chunks(4) {
        assert_eq!(look(&mut engine, chunk, &entries), chunk.len());
        for at in chunk {
            let (Some(Item::Reply(now)), Some(Item::Reply(then))) =
                (engine.state().transcript.items.get(*at), whole.items.get(*at))
            else {
                panic!("replies");
            };
            assert_eq!(now.body, then.body);
        }
        let (_, bytes) = standing(&engine);
        assert!(bytes < 25 << 20, "what was looked at before is let go: {bytes}");
    }
    assert_eq!(look(&mut engine, &away[away.len() - 1..], &entries), 0, "it is there");
}

#[test]
fn what_is_on_screen_stays_however_long_it_is() {
    let entries = entries(60);
    let mut engine = resumed(&entries);
    let (away, _) = standing(&engine);
    assert_eq!(look(&mut engine, &away, &entries), away.len());
    assert!(standing(&engine).0.is_empty());
    assert_eq!(look(&mut engine, &away, &entries), 0);
}

#[test]
fn what_is_asked_for_is_asked_once_and_what_can_not_be_read_is_told_once() {
    let entries = entries(30);
    let mut engine = resumed(&entries);
    let at = standing(&engine).0[0];
    let load = |engine: &mut Engine| command(engine, Command::Load(vec![Body::Message(at)]));
    let asks = |effects: &[Effect]| effects.iter().any(|effect| matches!(effect, Effect::Load(_)));
    assert!(asks(&load(&mut engine)));
    assert!(!asks(&load(&mut engine)), "it is on its way");
    // An entry that is not the one wanted is refused.
    let other = entries[5].1.clone();
    let told = engine
        .handle(Event::Loaded(vec![LoadedBody { body: Body::Message(at), result: Ok(other) }]), Timestamp(4));
    assert!(matches!(&told[..], [Effect::Notify(_)]), "{told:?}");
    assert_eq!(standing(&engine).0[0], at);
    assert!(!asks(&load(&mut engine)), "it can't be read");
}

/// The loads that a prompt causes, with a context of this many tokens.
fn submitted(entries: &[(Timestamp, Entry)], tokens: u64) -> (Engine, Vec<(Body, u64)>) {
    let (mut engine, _) = resumed_with(entries, with_context(tokens));
    let effects = command(&mut engine, Command::Submit("and now".into()));
    assert!(!asks(&effects), "{effects:?}");
    (engine, load_of(effects))
}

fn asks(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| matches!(effect, Effect::Ask(_)))
}

fn loaded(
    engine: &mut Engine,
    asked: &[(Body, u64)],
    read: impl Fn(u64) -> Result<Entry, String>,
) -> Vec<Effect> {
    let bodies = asked.iter().map(|(body, entry)| LoadedBody { body: *body, result: read(*entry) });
    engine.handle(Event::Loaded(bodies.collect()), Timestamp(4))
}

const ANY: u64 = u64::MAX / 4;

#[test]
fn a_request_waits_for_what_it_tells_and_goes_out_once() {
    let entries = entries(30);
    let (mut engine, asked) = submitted(&entries, ANY);
    assert!(asked.len() > 20 && matches!(engine.state().phase(), Phase::Replying(_)));
    let (first, rest) = asked.split_at(7);
    assert!(!asks(&loaded(&mut engine, first, read(&entries))), "a part of it is no request");
    assert!(asks(&loaded(&mut engine, rest, read(&entries))));
    assert!(!asks(&loaded(&mut engine, rest, read(&entries))));
}

#[test]
fn a_request_that_waits_can_be_stopped() {
    let entries = entries(30);
    let (mut engine, asked) = submitted(&entries, ANY);
    command(&mut engine, Command::Stop);
    assert_eq!(*engine.state().phase(), Phase::Idle);
    assert!(!asks(&loaded(&mut engine, &asked, read(&entries))));
}

#[test]
fn a_conversation_that_is_too_long_or_can_not_be_read_is_not_sent_in_part() {
    let entries = entries(60);
    let (engine, asked) = submitted(&entries, 200_000);
    assert!(asked.is_empty(), "nothing is read for it");
    let Phase::Stuck(failure) = engine.state().phase() else { panic!("it is stuck") };
    assert!(failure.message.contains("at least "), "{}", failure.message);
    assert!(failure.message.contains("of 200,000 tokens"), "{}", failure.message);
    // A length reported before the refusal is a lower bound, too.
    let (resumed, effects) = resumed_with(&entries, with_context(200_000));
    let share = resumed.state().live.context;
    assert!(share.at_least && said(&effects).contains("at least "), "{share:?}");
    assert_eq!(share.used, engine.state().live.context.used, "of one conversation one length is told");
    let (mut engine, asked) = submitted(&entries, ANY);
    assert!(!asks(&loaded(&mut engine, &asked, |_| Err("gone".into()))));
    let Phase::Stuck(failure) = engine.state().phase() else { panic!("it is stuck") };
    assert!(failure.message.contains("can't be read again"), "{}", failure.message);
    assert_eq!(failure.kind, FailureKind::SessionUnreadable, "summing it up would be of no use");
}

/// Answers loads in parts of `of` texts until no more are requested; returns all effects.
fn load_in_parts(
    engine: &mut Engine,
    mut asked: Vec<(Body, u64)>,
    of: usize,
    entries: &[(Timestamp, Entry)],
) -> Vec<Effect> {
    let mut all = Vec::new();
    for _ in 0..20 {
        if asked.is_empty() {
            return all;
        }
        let part: Vec<_> = asked.drain(..of.min(asked.len())).collect();
        for effect in loaded(engine, &part, read(entries)) {
            match effect {
                Effect::Load(more) => asked.extend(more),
                effect => all.push(effect),
            }
        }
    }
    panic!("it is read again and again");
}

fn messages(effects: &[Effect]) -> Option<&[crate::domain::Message]> {
    effects.iter().find_map(|effect| match effect {
        Effect::Ask(request) => Some(&request.messages[..]),
        _ => None,
    })
}

fn load_of(effects: Vec<Effect>) -> Vec<(Body, u64)> {
    let asked = effects.into_iter().filter_map(|effect| match effect {
        Effect::Load(asked) => Some(asked),
        _ => None,
    });
    asked.flatten().collect()
}

/// No message of a request is dropped while the others are loaded, even if it was loaded before for the screen.
#[test]
fn a_request_tells_what_was_looked_at_before_too() {
    for request in [Command::Submit("and now".into()), Command::Compact] {
        let entries = entries(30);
        let (mut engine, _) = resumed_with(&entries, with_context(ANY));
        let away = standing(&engine).0;
        look(&mut engine, &away[..9], &entries);
        command(&mut engine, Command::Load(vec![]));
        let asked = load_of(command(&mut engine, request));
        assert_eq!(asked.len(), away.len() - 9);
        let effects = load_in_parts(&mut engine, asked, 12, &entries);
        let told = messages(&effects).expect("it leaves");
        let bytes: usize = told.iter().map(|message| message.text.len()).sum();
        assert!(bytes > 29 * EACH, "of a summary all but the newest turn: {bytes}");
        let (_, bytes) = standing(&engine);
        assert!(bytes < 25 << 20, "and what it took is let go: {bytes}");
    }
}

#[test]
fn how_long_it_is_is_known_before_it_is_read() {
    let entries = entries(30);
    let used = |engine: &Engine| engine.state().live.context.used;
    let mut whole = Engine::resume(with_context(ANY), Transcript::fold(entries.clone()), Timestamp(2)).0;
    command(&mut whole, Command::Submit("and now".into()));
    let (mut engine, asked) = submitted(&entries, ANY);
    assert!(used(&engine).abs_diff(used(&whole)) < used(&whole) / 100, "{} {}", used(&engine), used(&whole));
    assert!(engine.state().live.context.estimated);
    loaded(&mut engine, &asked, read(&entries));
    assert_eq!(used(&engine), used(&whole));
}

#[test]
fn what_could_not_be_read_is_read_when_it_is_wanted_again() {
    let entries = entries(30);
    let (mut engine, asked) = submitted(&entries, ANY);
    // A provider's count makes the computed length inexact.
    let usage = Usage { input: Some(500), output: Some(0), ..Usage::default() };
    engine.meter.count(1_000, &usage, true);
    assert!(!asks(&loaded(&mut engine, &asked, |_| Err("gone".into()))));
    assert!(matches!(engine.state().phase(), Phase::Stuck(_)), "nothing leaves without it");
    // No summary is made without it, either.
    let asked = load_of(command(&mut engine, Command::Compact));
    assert!(!asked.is_empty());
    let effects = loaded(&mut engine, &asked, |_| Err("gone".into()));
    assert!(!asks(&effects) && said(&effects).contains("No summary: a part of this chat"), "{effects:?}");
    let asked = load_of(command(&mut engine, Command::Retry));
    assert!(!asked.is_empty());
    assert!(asks(&loaded(&mut engine, &asked, read(&entries))));
}

fn said(effects: &[Effect]) -> String {
    let said = effects.iter().filter_map(|effect| match effect {
        Effect::Notify(notice) => Some(notice.text.as_str()),
        _ => None,
    });
    said.collect::<Vec<_>>().join(" ")
}

#[test]
fn while_it_is_read_nobody_answers() {
    let entries = entries(30);
    let (mut engine, asked) = submitted(&entries, ANY);
    let doing = |engine: &Engine| engine.state().activity().map(|going| going.what);
    let has_left = |engine: &Engine| engine.state().live.reply.as_ref().map(|reply| reply.has_left());
    assert_eq!(
        (doing(&engine).as_deref(), has_left(&engine)),
        (Some("Reading earlier messages"), Some(false))
    );
    loaded(&mut engine, &asked, read(&entries));
    assert_eq!((doing(&engine).as_deref(), has_left(&engine)), (Some("Answering"), Some(true)));
}

#[test]
fn a_summary_that_waits_is_told_and_so_is_its_end() {
    let entries = entries(30);
    let mut engine = resumed(&entries);
    let effects = command(&mut engine, Command::Compact);
    assert_eq!(said(&effects), "Reading earlier messages for the summary.");
    let asked = load_of(effects);
    let effects = command(&mut engine, Command::Submit("no, this".into()));
    assert!(said(&effects).contains("No summary is made: another request came first."), "{effects:?}");
    assert!(!said(&loaded(&mut engine, &asked, |_| Err("gone".into()))).contains("summary"));
}

#[test]
fn a_summary_that_waits_can_be_stopped() {
    let entries = entries(30);
    let mut engine = resumed(&entries);
    let asked = load_of(command(&mut engine, Command::Compact));
    assert!(engine.state().live.awaits_summary, "front ends tell by it what Ctrl-C stops");
    let effects = command(&mut engine, Command::Stop);
    assert!(!engine.state().live.awaits_summary);
    assert_eq!(said(&effects), "Stopped. The chat is as it was.");
    assert!(!asks(&load_in_parts(&mut engine, asked, 12, &entries)));
    // Nothing waits any more, so there is nothing to stop.
    assert_eq!(said(&command(&mut engine, Command::Stop)), "");
}

#[test]
fn ctrl_c_beside_a_block_that_waits_stops_no_summary() {
    let entries = entries(30);
    let mut engine = resumed(&entries);
    let asked = load_of(command(&mut engine, Command::Compact));
    command(&mut engine, Command::TypedCommand("ls".into()));
    assert!(matches!(engine.state().phase(), Phase::Deciding(_)));
    assert!(!engine.state().live.awaits_summary, "front ends would say that it was stopped");
    command(&mut engine, Command::Stop);
    assert!(matches!(engine.state().phase(), Phase::Deciding(_)));
    command(&mut engine, Command::SkipAll);
    assert_eq!(*engine.state().phase(), Phase::Idle);
    assert!(engine.state().live.awaits_summary, "it still reads, and can be stopped again");
    assert!(asks(&load_in_parts(&mut engine, asked, 12, &entries)));
}

#[test]
fn what_was_queued_goes_out_before_what_is_typed_while_a_summary_is_read() {
    let entries = entries(30);
    let prompts = |effects: &[Effect]| -> Vec<String> {
        let recorded = effects.iter().filter_map(|effect| match effect {
            Effect::Record(Entry::Prompt(prompt)) => Some(prompt.text.clone()),
            _ => None,
        });
        recorded.collect()
    };
    let reading = |queued: Command| {
        let mut engine = resumed(&entries);
        engine.settings.session_budget = Some(1);
        engine.state.live.cost.budget = Some(0);
        command(&mut engine, Command::Compact);
        assert_eq!(prompts(&command(&mut engine, queued)), Vec::<String>::new());
        let asked = load_of(command(&mut engine, Command::Continue));
        assert!(!asked.is_empty() && *engine.state().phase() == Phase::Idle);
        engine
    };
    let mut engine = reading(Command::Submit("first".into()));
    let effects = command(&mut engine, Command::Submit("second".into()));
    assert_eq!(prompts(&effects), ["first\n\nsecond"]);
    assert_eq!(engine.state().live.queued, None);
    // A typed command is queued before the prompt.
    let mut engine = reading(Command::TypedCommand("ls".into()));
    let effects = command(&mut engine, Command::Submit("second".into()));
    assert_eq!(prompts(&effects), Vec::<String>::new());
    assert!(said(&effects).contains("Queued."), "{effects:?}");
    assert!(matches!(engine.state().phase(), Phase::Deciding(_)));
    assert_eq!(engine.state().live.queued.as_ref().map(|prompt| prompt.text.as_str()), Some("second"));
}

#[test]
fn the_budget_is_asked_for_before_a_summary_is_read() {
    let entries = entries(30);
    let mut engine = resumed(&entries);
    engine.settings.session_budget = Some(1);
    engine.state.live.cost.budget = Some(0);
    let effects = command(&mut engine, Command::Compact);
    assert!(load_of(effects).is_empty() && matches!(engine.state().phase(), Phase::Asking(_)));
    let asked = load_of(command(&mut engine, Command::Continue));
    assert!(!asked.is_empty());
    assert!(asks(&load_in_parts(&mut engine, asked, 12, &entries)));
}

#[test]
fn prompts_that_are_too_long_by_far_are_not_read_to_say_so() {
    let mut entries = entries(40);
    for (_, entry) in &mut entries {
        match entry {
            Entry::Prompt(prompt) => prompt.text = "y".repeat(EACH),
            Entry::Reply { text, .. } => *text = "Yes.".into(),
            _ => {}
        }
    }
    let (engine, asked) = submitted(&entries, 1_000_000);
    assert!(asked.is_empty() && matches!(engine.state().phase(), Phase::Stuck(_)));
}
