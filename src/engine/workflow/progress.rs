//! Moves a recipe forward: opens it, does what it wants next, asks its questions, and ends it.

use super::{WorkflowContext, WorkflowError, WorkflowStep};
use crate::domain::{Answers, Entry, RecipeEnd, RecipeFact, RecipeStart, TurnEnd};
use crate::engine::resume::unanswered;
use crate::engine::state::Question;
use crate::engine::{Engine, Phase, answers, notices};

impl Engine {
    /// Begins a recipe that the driver has prepared.
    pub(in crate::engine) fn begin_recipe(&mut self, start: RecipeStart) {
        if self.state.phase != Phase::Idle {
            return self.notify(notices::recipe_not_now());
        }
        let Some(opener) = self.settings.workflows.0.clone() else { return };
        match opener.open(&start) {
            Ok(workflow) => {
                self.open_turn();
                self.turn.workflow = Some(workflow);
                self.prompted(start.prompt.clone().into());
                self.record(Entry::Recipe(RecipeFact::Began(Box::new(start))));
                self.follow_workflow();
            }
            Err(why) => self.notify(notices::recipe_refused(&start.name, &why.to_string())),
        }
    }

    /// Takes the recipe's next steps.
    pub(in crate::engine) fn follow_workflow(&mut self) {
        self.take_workflow_steps(Self::step_or_ask);
    }

    /// Takes the recipe's next steps after the session was opened again: the model is asked only when the person wants
    /// it.
    pub(in crate::engine) fn resume_workflow(&mut self) {
        self.take_workflow_steps(|engine| {
            let message = "The session was closed before the reply came. The recipe goes on with it.";
            engine.state.phase = unanswered(message);
        });
    }

    /// Takes the recipe's next steps; `ask` is what to do where the model is asked.
    fn take_workflow_steps(&mut self, ask: fn(&mut Self)) {
        let steps = self.recipe().map(|(workflow, context)| workflow.next(&context)).unwrap_or_default();
        for step in steps {
            if step == WorkflowStep::Ask {
                return ask(self);
            }
            if self.take_workflow_step(step) {
                return;
            }
        }
        self.leave_workflow();
    }

    /// Takes a step other than `Ask`; returns whether it was the last.
    fn take_workflow_step(&mut self, step: WorkflowStep) -> bool {
        match step {
            WorkflowStep::Judge(outcome) => self.record(Entry::Recipe(RecipeFact::Judged(outcome))),
            WorkflowStep::Say { step, title, round, text } => {
                self.record(Entry::Recipe(RecipeFact::Said { step, title, round, text }));
            }
            WorkflowStep::Propose { kind, language, source, note } => {
                let block = self.propose_own(kind, language, source, note);
                self.order_inspection(block);
            }
            WorkflowStep::Form(form) => {
                self.ask_person(Question::Form(Box::new(form)));
                return true;
            }
            WorkflowStep::End { end, summary } => {
                self.turn.workflow = None;
                self.record(Entry::Recipe(RecipeFact::Ended { end, summary }));
                let stopped = end == RecipeEnd::Stopped;
                self.finish(if stopped { TurnEnd::Stopped } else { TurnEnd::Answered });
                return true;
            }
            WorkflowStep::Ask => {}
        }
        false
    }

    /// Handles steps without a last one: blocks of the recipe wait, or it does not know how to go on.
    fn leave_workflow(&mut self) {
        let next = self.state.queue().next().map(|item| item.block.id);
        match next {
            Some(block) => self.wait_for_decision(block),
            None => self.finish(TurnEnd::Stopped),
        }
    }

    /// The turn ends before its recipe has ended.
    pub(in crate::engine) fn stop_workflow(&mut self) {
        if self.turn.workflow.take().is_some() {
            let (end, summary) = (RecipeEnd::Stopped, String::new());
            self.record(Entry::Recipe(RecipeFact::Ended { end, summary }));
        }
    }

    /// Opens the recipe again that was in progress when the session was closed.
    pub(in crate::engine) fn reopen_workflow(&mut self) {
        let Some(start) = WorkflowContext::of(&self.state).map(|context| context.start.clone()) else {
            return;
        };
        let Some(opener) = self.settings.workflows.0.clone() else { return };
        let opened = if self.state.live.foreign { Err(WorkflowError::Foreign) } else { opener.open(&start) };
        match opened {
            Ok(workflow) => self.turn.workflow = Some(workflow),
            Err(why) => {
                let (end, summary) = (RecipeEnd::GaveUp, String::new());
                self.record(Entry::Recipe(RecipeFact::Ended { end, summary }));
                self.notify(notices::recipe_refused(&start.name, &why.to_string()));
            }
        }
    }

    /// The person answers the form that waits.
    pub(in crate::engine) fn answer_form(&mut self, answers: &Answers) {
        let Phase::Asking(Question::Form(form)) = &self.state.phase else { return };
        match answers::check(form, answers) {
            Ok(answers) => {
                let form = form.name.clone();
                self.record(Entry::Recipe(RecipeFact::Answered { form, answers }));
                self.follow_workflow();
            }
            Err(misfits) => {
                if let Some(misfit) = misfits.first() {
                    self.notify(notices::misfit(misfit));
                }
            }
        }
    }
}
