//! Commands that the person types (`!ls` in the message): each becomes a bash block that waits between turns. Typing it
//! decides nothing: it is inspected, shown with its rights and findings, and decided about like every block. Its result
//! is sent to the model with the next prompt. A command typed while a turn goes on is queued until the turn ends.

use super::{Engine, Phase, notices};
use crate::domain::{BlockKind, Language, Origin};

/// The origin of such a block.
pub(super) const YOUR_COMMAND: &str = "your own command";

impl Engine {
    /// Proposes the command, or queues it.
    pub(super) fn propose_typed(&mut self, command: &str) {
        let command = command.trim();
        if command.is_empty() {
            return;
        }
        self.state.live.commands.push_back(command.to_owned());
        if self.state.phase == Phase::Idle {
            // One may be queued already while a summary waits for messages: it comes first.
            self.begin_queued();
        }
        if !self.state.live.commands.is_empty() {
            self.notify(notices::queued_command(self.state.live.leaves));
        }
    }

    pub(super) fn propose_command(&mut self, command: String) {
        let origin = Origin { typed: true, ..Origin::own(YOUR_COMMAND) };
        let kind = BlockKind::Code { language: Some(Language::bash()) };
        let block = self.propose_from(origin, kind, Language::bash(), command.into());
        self.order_inspection(block);
        self.advance();
    }
}

#[cfg(test)]
mod tests {
    use crate::domain::{Language, Outcome, Severity};
    use crate::engine::Command;
    use crate::engine::dialogue::{Dialogue, TextChecks as _, confined, review};

    fn bash() -> crate::domain::Terms {
        crate::domain::Terms { language: Language::bash(), ..confined() }
    }

    fn typed(d: &mut Dialogue, command: &str) -> String {
        d.command(Command::TypedCommand(command.into()))
    }

    #[test]
    fn a_command_waits_like_every_block_and_its_result_goes_with_the_next_prompt() {
        let mut d = Dialogue::new();
        assert_eq!(typed(&mut d, " git status\n"), "+block 1, look 1.1, prewarm bash | deciding 1");
        d.inspected(1, review(Severity::Medium), Ok(bash())).ends("| deciding 1").lacks("start");
        d.approve(1);
        d.started(1);
        d.prints("clean\n");
        let line = d.ended(1, Outcome::Ok);
        assert!(line.ends_with("| idle") && !line.contains("ask"), "no model is asked: {line}");
        d.user("what now?");
        let told = d.told();
        told.has("The person typed this command, it is none of yours:\n```bash\ngit status\n```");
        assert!(told.contains("clean") && told.ends_with("what now?"), "{told}");
    }

    #[test]
    fn a_high_finding_takes_the_typed_word_though_the_person_wrote_it() {
        let mut d = Dialogue::new();
        typed(&mut d, "rm -rf ~");
        d.inspected(1, review(Severity::High), Ok(bash()));
        assert!(!d.approve(1).contains("start"));
        assert!(d.type_run(1).contains("start r1"));
    }

    #[test]
    fn in_a_turn_a_command_is_queued_and_waits_when_the_turn_ends_before_the_prompt_that_is_queued() {
        let mut d = Dialogue::after_prompt("x");
        assert!(!typed(&mut d, "ls").contains("+block"));
        d.reply("```python\na\n```\n");
        assert_eq!(typed(&mut d, "  "), "| deciding 1");
        assert!(!typed(&mut d, "pwd").contains("+block"));
        d.user("and then?");
        d.reject(1, "no").has("ask").lacks("+block");
        d.reply("Done.").has("+block 2").ends("| deciding 2");
        d.skip(2).has("+block 3").ends("| deciding 3");
        d.inspected(3, review(Severity::Info), Ok(bash()));
        d.approve(3);
        let line = d.passes(1, Outcome::Ok);
        assert!(line.contains("ask"), "the prompt goes now: {line}");
        assert!(d.told().contains("pwd") && d.told().ends_with("and then?"), "{}", d.told());
    }

    #[test]
    fn what_is_queued_is_taken_back_the_prompt_first() {
        let mut d = Dialogue::after_prompt("x");
        typed(&mut d, "ls");
        typed(&mut d, "pwd");
        d.user("y");
        for left in ["y", "!pwd", "!ls"] {
            assert_eq!(d.state().live.peek_queued().as_deref(), Some(left));
            d.command(Command::EditQueued);
        }
        assert_eq!(d.state().live.peek_queued(), None);
        assert!(d.reply("Done.").ends_with("| idle"));
    }

    #[test]
    fn one_that_waits_waits_again_after_a_resume_and_can_be_skipped() {
        let mut d = Dialogue::new();
        typed(&mut d, "ls");
        d.reopen().has("look 1.1").ends("| deciding 1");
        assert!(d.skip(1).ends_with("| idle"));
        d.user("x");
        assert!(!d.told().contains("ls"), "what was skipped is not told");
    }
}
