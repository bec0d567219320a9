//! What has to do with models: choosing one, what a chat takes and costs, what a model thinks of a block.

use super::scene::{Scene, clouds};
use super::{drawn, snapshots};
use sayso::domain::*;
use sayso::driver::catalogue::{CatalogueAnswer, KeyState, Offer};
use sayso::driver::{Job, JobResult, Notification};
use sayso::engine::cost::PriceSource;
use sayso::engine::state::{ContextShare, Cost, LiveSummary, Question};
use sayso::engine::{Command, Phase};
use sayso::tui::overlays::key::KeyBox;
use sayso::tui::overlays::models::Models;
use sayso::tui::overlays::welcome::Welcome;
use sayso::tui::setup::Setup;
use sayso::tui::ui_command::{Choice, Exit, UiCommand};
use sayso::tui::widgets::layout::Pane;
use std::sync::Arc;

fn name(provider: &str, model: &str) -> ModelName {
    ModelName { provider: provider.into(), model: model.into() }
}

fn info(provider: &str, model: &str, context: u64) -> ModelInfo {
    ModelInfo { context: Some(context), ..ModelInfo::named(name(provider, model)) }
}

fn offer(name: &str, local: bool, key: KeyState, answer: CatalogueAnswer) -> Offer {
    Offer { name: name.into(), kind: "openai", address: Some("http://x".into()), local, key, answer }
}

/// Ollama with these models.
pub fn ollama(models: &[&str]) -> Offer {
    let models =
        models.iter().map(|model| ModelInfo { local: true, ..info("ollama", model, 32_768) }).collect();
    let offer = offer("ollama", true, KeyState::Needless, CatalogueAnswer::Models(models));
    Offer { address: Some("http://127.0.0.1:11434".into()), ..offer }
}

/// What a person with Ollama and a key for Anthropic is offered.
fn offers() -> Vec<Offer> {
    let local =
        |model, context| ModelInfo { local: true, tools: Some(true), ..info("ollama", model, context) };
    let priced = |model, input, output| ModelInfo {
        price: Some(Price { input, output, cached: 300, cache_written: 3_750, long: None }),
        ..info("anthropic", model, 200_000)
    };
    vec![
        offer(
            "ollama",
            true,
            KeyState::Needless,
            CatalogueAnswer::Models(vec![
                local("qwen3-coder", 32_768),
                local("llama3.3:8b", 131_072),
                local("tiny", 4_096),
            ]),
        ),
        offer("vllm", true, KeyState::Needless, CatalogueAnswer::Failed("connection refused".into())),
        offer(
            "anthropic",
            false,
            KeyState::Kept("ANTHROPIC_API_KEY".into()),
            CatalogueAnswer::Models(vec![
                priced("claude-sonnet-4-5", 3_000, 15_000),
                priced("claude-haiku-4-5-with-a-very-long-name-indeed-20251001", 1_000, 5_000),
            ]),
        ),
        offer("openrouter", false, KeyState::Kept("OPENROUTER_API_KEY".into()), CatalogueAnswer::Asking),
        offer(
            "groq",
            false,
            KeyState::Kept("GROQ_API_KEY".into()),
            CatalogueAnswer::Failed("The key for groq was refused (401). Not sent again.".into()),
        ),
        offer("openai", false, KeyState::Missing("OPENAI_API_KEY".into()), CatalogueAnswer::NoKey),
        Offer {
            address: None,
            ..offer(
                "scripted",
                false,
                KeyState::Needless,
                CatalogueAnswer::Models(vec![ModelInfo::named(name("scripted", "tour"))]),
            )
        },
    ]
}

fn found(scene: &mut Scene, found: JobResult) {
    scene.step(|screen, ctx| screen.told(Notification::Job(found), ctx));
}

/// The list of models, with all answers.
fn picking() -> Scene {
    let mut scene =
        Scene::set_up(Setup { clouds: clouds(), cwd: "/home/ada/data/sales".into(), ..Setup::default() });
    scene.record(Entry::Prompt("Load sales.csv".into()));
    scene.reply("Loaded.\n", &[]);
    scene.state.live.context = share(12_412, Some(32_768), false);
    scene.type_text("/model");
    let wishes = scene.press(&["enter"]);
    assert!(matches!(wishes.as_slice(), [UiCommand::Job(Job::Models)]), "{wishes:?}");
    found(&mut scene, JobResult::Offers(offers()));
    scene
}

fn share(used: u64, of: Option<u64>, estimated: bool) -> ContextShare {
    ContextShare { used, of, estimated, ..ContextShare::default() }
}

#[test]
fn model_picker() {
    snapshots("11_models", || {
        let mut scene = picking();
        scene.press(&["down"]);
        scene
    });
}

#[test]
fn model_picker_tested() {
    snapshots("11_models_tested", || {
        let mut scene = picking();
        scene.type_text("llama");
        let wishes = scene.press(&["ctrl-t"]);
        assert!(matches!(wishes.as_slice(), [UiCommand::Job(Job::TestModel(m))] if m.model == "llama3.3:8b"));
        let tested = Ok("ollama answers after 12 ms: the model is there.".to_owned());
        found(&mut scene, JobResult::Tested(name("ollama", "llama3.3:8b"), tested));
        scene
    });
}

#[test]
fn choosing_a_model_sends_it_and_a_provider_without_a_key_asks_for_one() {
    let mut scene = picking();
    scene.type_text("sonnet");
    let wishes = scene.press(&["enter"]);
    assert!(
        matches!(wishes.as_slice(), [UiCommand::Send(Command::UseModel(m))] if m.to_string() == "anthropic/claude-sonnet-4-5")
    );
    assert!(scene.screen.overlays.is_empty());

    let mut scene = picking();
    scene.type_text("openai");
    assert!(scene.press(&["enter"]).is_empty());
    assert!(scene.screen.top::<KeyBox>().is_some_and(|key| key.provider == "openai"));
    scene.step(|screen, ctx| screen.paste("sk-very-secret", ctx));
    let wishes = scene.press(&["enter"]);
    let [UiCommand::Leave(Exit::UseProvider(Choice::Cloud { provider, key: Some(_) }))] = wishes.as_slice()
    else {
        panic!("{wishes:?}")
    };
    assert_eq!(provider, "openai");

    // Who is still being asked, or failed, has nothing to choose from; the list stays open.
    for row in ["openrouter", "groq"] {
        let mut scene = picking();
        scene.type_text(row);
        assert!(scene.press(&["enter"]).is_empty());
        assert!(scene.screen.top::<Models>().is_some(), "{row}");
    }
}

#[test]
fn what_a_hostile_server_lists_stays_text() {
    let mut scene = picking();
    let evil = ModelInfo::named(name("openrouter", "evil\u{1b}[2J\u{202e}\nmodel\u{7}"));
    let answer = CatalogueAnswer::Models(vec![evil]);
    found(&mut scene, JobResult::Offer(offer("openrouter", false, KeyState::Needless, answer)));
    scene.type_text("evil");
    let text = drawn(&mut scene, 100, 30);
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{text}");
    assert!(text.contains("evil"), "{text}");
}

#[test]
fn the_screen_of_the_first_choice_offers_gemini_and_asks_for_its_key() {
    let mut scene = Scene::set_up(Setup { welcome: true, clouds: clouds(), ..Setup::default() });
    scene.frame();
    let wishes = scene.press(&["4"]);
    let [UiCommand::Leave(Exit::UseProvider(Choice::Cloud { provider, key: None }))] = wishes.as_slice()
    else {
        panic!("{wishes:?}")
    };
    assert_eq!(provider, "anthropic", "its key is known");
    assert!(scene.press(&["5"]).is_empty());
    scene.step(|screen, ctx| screen.paste("sk-very-secret", ctx));
    let wishes = scene.press(&["enter"]);
    assert!(
        matches!(wishes.as_slice(), [UiCommand::Leave(Exit::UseProvider(Choice::Cloud { provider, .. }))] if provider == "gemini")
    );
}

#[test]
fn a_choice_of_provider_can_be_left_where_one_is_in_use() {
    let mut scene = Scene::worked();
    scene.type_text("/provider");
    scene.press(&["enter"]);
    assert!(scene.screen.top::<Welcome>().is_some());
    scene.press(&["esc"]);
    assert!(scene.screen.overlays.is_empty());
    let mut scene = Scene::set_up(Setup { welcome: true, ..Setup::default() });
    scene.press(&["esc"]);
    assert!(scene.screen.top::<Welcome>().is_some());
}

/// A session with a model of which much is known.
fn informed() -> Scene {
    let mut scene = Scene::worked();
    scene.state.live.model = Some(ModelInfo {
        local: true,
        tools: Some(true),
        images: Some(false),
        ..info("ollama", "qwen3-coder", 32_768)
    });
    scene.state.live.context =
        ContextShare { shortened: 3, summarised_upto: 12, ..share(12_412, Some(32_768), true) };
    scene.state.live.cost = Cost {
        nanos: 123_400_000,
        unknown: 2,
        last: Some(31_200_000),
        price: Some(PriceSource::Table(Some("2026-01-01".into()))),
        budget: Some(2_000_000_000),
        ..Cost::default()
    };
    scene.state.live.instructions = vec![Instructions {
        path: "/home/ada/data/sales/AGENTS.md".into(),
        text: Arc::from("Use tabs.\n"),
        bytes: 40_000,
        own: false,
    }];
    scene.state.live.use_instructions = true;
    scene
}

#[test]
fn context_and_cost_in_the_header() {
    snapshots("02_context_and_cost", informed);
}

#[test]
fn status() {
    snapshots("18_status", || {
        let mut scene = informed();
        scene.screen.setup.ignored =
            vec!["/home/ada/data/sales/.sayso.toml:3: providers.openai.base_url was ignored: a project can't set this.".into()];
        scene.type_text("/status");
        scene.press(&["enter"]);
        scene
    });
}

#[test]
fn the_context_is_full() {
    let make = || {
        let mut scene = informed();
        scene.record(Entry::Prompt("and now all of it".into()));
        scene.state.phase = Phase::Stuck(ReplyFailure {
            kind: FailureKind::Overflow,
            status: None,
            message: "This chat needs 34,100 of 32,768 tokens. Nothing was sent.".into(),
            hint: String::new(),
            departure: sayso::domain::Departure::Never,
        });
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
        scene
    };
    snapshots("16_context_full", make);
    let mut scene = make();
    scene.frame();
    scene.pass(1_000);
    let wishes = scene.press(&["c"]);
    assert!(matches!(wishes.as_slice(), [UiCommand::Send(Command::Compact)]), "{wishes:?}");
}

#[test]
fn a_summary_is_written() {
    let make = || {
        let mut scene = informed();
        let step = StepId(9);
        scene.state.live.summary = Some(LiveSummary {
            step,
            upto: 4,
            text: "The person asked for a chart of revenue by region.".repeat(8),
            since: scene.now,
            usage: None,
            retry: None,
            stuck: None,
        });
        scene.state.phase = Phase::Compacting(step);
        scene.now = scene.now.plus(3_000);
        scene
    };
    snapshots("03_summing_up", make);
    let mut scene = make();
    let wishes = scene.press(&["ctrl-c"]);
    assert!(matches!(wishes.as_slice(), [UiCommand::Send(Command::Stop)]), "{wishes:?}");
}

#[test]
fn the_session_budget_is_reached() {
    let make = || {
        let mut scene = informed();
        scene.state.phase = Phase::Asking(Question::Budget { spent: 2_013_000_000, limit: 2_000_000_000 });
        scene.settle();
        scene.screen.panes.focus = Pane::Output;
        scene
    };
    snapshots("16_budget", make);
    let open = || {
        let mut scene = make();
        scene.frame();
        scene.pass(1_000);
        scene
    };
    assert!(make().press(&["c"]).is_empty(), "a letter right away spends nothing");
    assert!(matches!(open().press(&["c"]).as_slice(), [UiCommand::Send(Command::Continue)]));
    assert!(matches!(open().press(&["e"]).as_slice(), [UiCommand::Send(Command::EndTurn)]));
}

#[test]
fn commands_of_context_cost_and_instructions() {
    let typed = |text: &str| {
        let mut scene = informed();
        scene.type_text(text);
        let wishes = scene.press(&["enter"]);
        (scene, wishes)
    };
    assert!(matches!(typed("/compact").1.as_slice(), [UiCommand::Send(Command::Compact)]));
    assert!(matches!(
        typed("/instructions").1.as_slice(),
        [UiCommand::Send(Command::UseInstructions(false))]
    ));
    assert!(matches!(
        typed("/instructions on").1.as_slice(),
        [UiCommand::Send(Command::UseInstructions(true))]
    ));
    assert!(typed("/instructions maybe").1.is_empty());
    let (scene, _) = typed("/cost");
    assert_eq!(
        scene.screen.note.unwrap().text,
        "This session cost $0.12 and more: not known of 2 requests, $0.0312 for the newest reply. Prices are those of \
         the shipped table, as of 2026-01-01. It asks at $2.00."
    );
}

/// A block that waits, with what a model said of it.
fn advised(answer: Result<Opinion, String>) -> Scene {
    let mut scene = Scene::waiting();
    scene.frame();
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    scene.pass(2_000);
    scene.record(Entry::Opinion {
        block: BlockId(3),
        revision: Revision(1),
        model: name("anthropic", "claude-haiku-4-5"),
        answer,
        usage: Usage::default(),
    });
    scene
}

fn opinion() -> Opinion {
    Opinion {
        risk: Risk::Medium,
        reason: "It removes a folder that the person named, and overwrites out/top3.csv without a copy."
            .into(),
        lines: vec![11, 22],
    }
}

#[test]
fn a_second_opinion() {
    snapshots("04_opinion", || advised(Ok(opinion())));
}

#[test]
fn a_second_opinion_that_did_not_come() {
    snapshots("04_opinion_failed", || advised(Err("its answer was no opinion".into())));
}

#[test]
fn asking_for_a_second_opinion_holds_up_nothing() {
    let mut scene = Scene::waiting();
    scene.frame();
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    scene.pass(2_000);
    let wishes = scene.press(&["J"]);
    assert!(matches!(wishes.as_slice(), [UiCommand::Send(Command::Consult(BlockId(3)))]), "{wishes:?}");
    let now = scene.now;
    scene.state.live.blocks.get_mut(&BlockId(3)).unwrap().consulting = Some((Revision(1), now));
    scene.pass(3_000);
    let text = drawn(&mut scene, 100, 30);
    assert!(text.contains("asking a model, 3 s"), "{text}");
    assert!(scene.press(&["J"]).is_empty(), "it is asked once");
}

#[test]
fn an_opinion_adds_nothing_that_has_to_be_seen_and_hides_no_row_for_ever() {
    let mut scene = advised(Ok(opinion()));
    let before = scene.screen.guard.seen().1;
    scene.state.transcript.blocks.get_mut(&BlockId(3)).unwrap().opinions.clear();
    scene.frame();
    assert_eq!(scene.screen.guard.seen().1, before);
    let mut scene = advised(Ok(Opinion { reason: "very long ".repeat(200), ..opinion() }));
    scene.screen.resized((80, 24), scene.at);
    scene.frame();
    scene.see_everything();
}

#[test]
fn a_block_that_a_rule_forbids() {
    let make = || {
        let mut scene = Scene::waiting();
        let mut findings = super::scene::findings();
        findings[0].forbidden = true;
        findings[0].message = "forbidden (shutil.rmtree): deletes a folder: out/charts".into();
        scene.inspect(3, findings);
        scene.frame();
        scene.screen.panes.focus = Pane::Code;
        scene.frame();
        scene.see_everything();
        scene
    };
    snapshots("04_denied", make);
    let mut scene = make();
    scene.screen.resized((140, 40), scene.at);
    scene.frame();
    scene.see_everything();
    let mut wishes = scene.press(&["a"]);
    scene.at += std::time::Duration::from_millis(50);
    wishes.extend(scene.step(|screen, ctx| screen.tick(ctx)).1);
    assert!(wishes.is_empty() && scene.screen.overlays.is_empty(), "{wishes:?}");
    let note = &scene.screen.note.as_ref().unwrap().text;
    assert!(note.starts_with("Block 3 is denied, line 11: forbidden (shutil.rmtree)"), "{note}");
}

/// A file that a model would write, against what stands in it.
fn writing(before: Option<&str>, note: Option<&str>) -> Scene {
    let mut scene = Scene::worked();
    let step = StepId(7);
    scene.record(Entry::Reply {
        step,
        text: "I will note the regions.".into(),
        reasoning: String::new(),
        tool_calls: Vec::new(),
        kept: Vec::new(),
        finish: Finish { reason: FinishReason::ToolCalls, word: None },
        usage: Usage::default(),
    });
    let new = "# Regions\n\nNorth leads with 1.25 M.\nEast follows.\n\nSource: sales.csv\n";
    scene.record(Entry::Block(Block {
        id: BlockId(3),
        step,
        kind: BlockKind::Write { path: "notes.md".into() },
        origin: Origin {
            dialect: Dialect::Tools,
            info: String::new(),
            range: 24..24,
            closed: true,
            call: Some("c1".into()),
            note: note.map(Into::into),
            own: false,
        },
        versions: vec![Version {
            revision: Revision(1),
            source: Arc::from(new),
            language: None,
            whole: true,
        }],
    }));
    scene.inspect(3, Vec::new());
    let inspected = scene.state.live.blocks.get_mut(&BlockId(3)).unwrap().inspected.as_mut().unwrap();
    inspected.before = before.map(Arc::from);
    if let Ok(terms) = &mut inspected.terms {
        terms.language = Language("write".into());
        terms.executor = ExecutorKind::Files;
        terms.kernel = None;
        terms.target = Some(Target {
            path: "/home/ada/data/sales/notes.md".into(),
            link: None,
            found: before.map_or(OnDisk::Nothing, |text| OnDisk::File(Some(Sha256::of(text.as_bytes())))),
            bytes: before.map_or(0, |text| text.len() as u64),
            folders: 0,
            outside: false,
            folder: None,
        });
    }
    scene.decide(3);
    scene.frame();
    scene.screen.panes.focus = Pane::Code;
    scene.frame();
    scene.pass(2_000);
    scene
}

#[test]
fn a_file_is_written_as_a_change_of_what_is_there() {
    let before = "# Regions\n\nNorth leads.\nEast follows.\n\nSource: sales.csv\n";
    snapshots("04_write", || writing(Some(before), Some("read from a tool call printed as text")));
}

#[test]
fn a_file_that_is_not_there_yet() {
    snapshots("04_write_new", || writing(None, None));
}
