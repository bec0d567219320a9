//! What the person, the model, the runs and the disk report to the engine of a scene, as short as a test can
//! write it.
//!
//! Everything here is an event as a front end or the driver sends it. The engine's orders are recorded, so that
//! an answer goes to the right order; nothing is answered that was not ordered.

use super::{Scene, USAGE, confined, inspection, report, terms};
use sayso::domain::*;
use sayso::engine::{Command, EditFault, Effect, Event, Inspection, Phase, PlacedEdit, StoreEvent};

/// What the engine ordered and still waits for.
#[derive(Default)]
pub(super) struct Orders {
    /// The step of the newest request.
    step: StepId,
    /// Revisions of blocks that wait for inspection.
    inspections: Vec<(BlockId, Revision)>,
    /// The last timer that was set.
    timer: TimerId,
    /// How many entries were to be recorded.
    recorded: u64,
}

impl Scene {
    /// Starts the session.
    pub(super) fn start(&mut self, header: Header) {
        let effects = self.engine.start(header, self.now);
        self.note(effects);
        self.saved();
    }

    /// Sends one event. Its records are on disk at once.
    pub fn send(&mut self, event: Event) {
        self.send_unsaved(event);
        if self.state().live().store_failure.is_none() {
            self.saved();
        }
    }

    /// Sends one event. Its records are still on their way to the disk.
    pub fn send_unsaved(&mut self, event: Event) {
        let effects = self.engine.handle(event, self.now);
        self.note(effects);
    }

    /// All records are on disk.
    pub fn saved(&mut self) {
        self.send_unsaved(Event::Store(StoreEvent::Saved(self.orders.recorded)));
    }

    fn note(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Record(_) => self.orders.recorded += 1,
                Effect::Ask(request) => self.orders.step = request.step,
                Effect::Inspect { block, revision, .. } => self.orders.inspections.push((block.id, revision)),
                Effect::SetTimer(timer, _) => self.orders.timer = timer,
                _ => {}
            }
        }
    }

    /// A command of the person.
    pub fn command(&mut self, command: Command) {
        self.send(Event::User(command));
    }

    /// The session file can't be written any more.
    pub fn disk_fails(&mut self) {
        self.send(Event::Store(StoreEvent::Failed("no space left.".into())));
    }

    /// The last timer that was set fires.
    pub fn timer_fires(&mut self) {
        self.send(Event::Timer(self.orders.timer));
    }

    // The conversation.

    /// A message of the person.
    pub fn ask(&mut self, text: &str) {
        self.command(Command::Submit(text.into()));
    }

    /// A part of the awaited reply. Between turns the person first sends a message.
    pub fn replied(&mut self, event: ReplyEvent) {
        if *self.state().phase() == Phase::Idle {
            self.ask("And now?");
        }
        assert!(
            matches!(self.state().phase(), Phase::Replying(_) | Phase::Compacting(_)),
            "no reply is waited for: {:?}",
            self.state().phase()
        );
        self.send(Event::Reply(self.orders.step, event));
    }

    /// A whole reply. Its blocks wait; without blocks the turn ends.
    pub fn reply(&mut self, text: &str) {
        self.reply_of(text, USAGE);
    }

    /// A whole reply with this usage.
    pub fn reply_of(&mut self, text: &str, usage: Usage) {
        self.replied(ReplyEvent::Delta(text.into()));
        self.replied(ReplyEvent::Usage(usage));
        self.replied(ReplyEvent::Finished(Finish { reason: FinishReason::Stop, word: None }));
    }

    /// A reply of one block, which the sandbox would confine and in which nothing is found.
    pub fn proposed(&mut self, block: u32, language: &str, code: &str) {
        self.reply(&format!("```{language}\n{code}\n```\n"));
        self.inspected(block, inspection(confined(language), Vec::new()));
    }

    /// A reply has been streaming for six seconds.
    pub fn streaming(&mut self, text: &str) {
        self.replied(ReplyEvent::Delta(text.into()));
        self.replied(ReplyEvent::Usage(Usage { output: Some(412), ..Usage::default() }));
        self.now = self.now.plus(6_000);
    }

    /// The provider fails.
    pub fn fail(&mut self, failure: ReplyFailure) {
        self.replied(ReplyEvent::Failed(failure));
    }

    // Inspections and decisions.

    fn block(&self, block: u32) -> &Version {
        self.state().transcript().blocks[&BlockId(block)].block.current()
    }

    /// The terms of a block on this machine, in its language.
    fn terms_of(&self, block: u32) -> Terms {
        terms(self.block(block).language.as_ref().map_or("python", |language| language.as_str()))
    }

    /// The review of a block arrives; the block would run here, without a sandbox.
    pub fn inspect(&mut self, block: u32, findings: Vec<Finding>) {
        self.inspected(block, inspection(self.terms_of(block), findings));
    }

    /// The inspection of a block arrives.
    pub fn inspected(&mut self, block: u32, found: Inspection) {
        let id = BlockId(block);
        assert!(self.awaits_inspection(block), "nobody asked for a look at block {block}");
        while let Some(at) = self.orders.inspections.iter().position(|(ordered, _)| *ordered == id) {
            let (_, revision) = self.orders.inspections.remove(at);
            self.send(Event::Inspected(id, revision, Box::new(found.clone())));
        }
    }

    /// The places of an edit were found, or not.
    pub fn placed(&mut self, block: u32, edit: Result<PlacedEdit, EditFault>) {
        let inspection = Inspection::new(Review::default(), Err("its places are looked for".into()));
        let at = self.orders.inspections.iter().position(|(ordered, _)| *ordered == BlockId(block));
        let (id, revision) = self.orders.inspections.remove(at.expect("a look at the block"));
        self.send(Event::Inspected(id, revision, Box::new(Inspection { edit: Some(edit), ..inspection })));
    }

    /// Inspects a block again: the person sets its limits to the same values, and a new inspection finds this.
    pub fn inspected_anew(&mut self, block: u32, found: Inspection) {
        self.command(Command::SetLimits { block: BlockId(block), limits: Limits::default() });
        self.inspected(block, found);
    }

    fn awaits_inspection(&self, block: u32) -> bool {
        self.orders.inspections.iter().any(|(ordered, _)| *ordered == BlockId(block))
    }

    /// The person decides about a block as it is shown.
    pub fn decide(&mut self, block: u32, decision: Decision) {
        let revision = self.block(block).revision;
        self.command(Command::Decide { block: BlockId(block), revision, decision });
    }

    /// The person lets a block run, with the typed word if it takes one. If its inspection is still awaited,
    /// the block is found harmless.
    pub fn approve(&mut self, block: u32) {
        if self.awaits_inspection(block) {
            self.inspect(block, Vec::new());
        }
        let typed = self.state().needs_typed(BlockId(block));
        self.decide(block, Decision::Approve { typed });
    }

    /// The block that a rule covers is shown, or hidden.
    pub fn on_screen(&mut self, block: u32, seen: bool) {
        let revision = self.block(block).revision;
        self.command(Command::OnScreen { block: BlockId(block), revision, seen });
    }

    // Runs.

    /// An event of the present run.
    pub fn run(&mut self, event: RunEvent) {
        let Phase::Running(run) = *self.state().phase() else {
            panic!("nothing runs: {:?}", self.state().phase())
        };
        self.send(Event::Run(run, event));
    }

    /// The present run ends.
    pub fn ended(&mut self, report: RunReport) {
        self.run(RunEvent::Ended(Box::new(report)));
    }

    /// Approves a block and lets it run to its end.
    pub fn ran(&mut self, block: u32, wall_ms: u64, output: &str) {
        self.ran_with(block, report(output, wall_ms));
    }

    pub fn ran_with(&mut self, block: u32, report: RunReport) {
        self.approve(block);
        self.run(RunEvent::Started);
        self.ended(report);
    }

    /// The person lets a block run by a new rule; it runs to its end.
    pub fn ran_by_rule(&mut self, block: u32, scope: RuleScope, output: &str) {
        self.decide(block, Decision::Always(scope));
        self.run(RunEvent::Started);
        self.ended(report(output, 100));
    }

    /// Approves a block; its run is in progress.
    pub fn running(&mut self, block: u32, output: &str, ms: u64) {
        self.approve(block);
        self.run(RunEvent::Started);
        self.run(RunEvent::Output(Chunk::new(Stream::Stdout, output)));
        self.run(RunEvent::Usage { rss_bytes: 118 << 20, cpu_ms: 4_000 });
        self.now = self.now.plus(ms);
    }
}
