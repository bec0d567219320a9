//! Prints the results of jobs that the person asked for: models, sessions, the sandbox.

use super::awaited_jobs::AwaitedJob;
use super::session::Session;
use crate::domain::sentences::sandbox::SandboxStanding;
use crate::domain::sentences::{branches, saving};
use crate::driver::catalogue::{CatalogueAnswer, Offer};
use crate::driver::{JobResult, SessionTree, Summary, TreeRow};
use crate::tui::ui_command::Exit;
use crate::tui::widgets::words;
use std::io;
use std::time::Instant;

/// The most sessions listed.
pub(super) const MAX_SESSIONS_SHOWN: usize = 20;

/// The most models listed of a provider.
const MAX_MODELS_SHOWN: usize = 40;

impl Session<'_> {
    pub(super) fn print_job_result(&mut self, result: &JobResult) -> io::Result<()> {
        let held = self.question_after.take();
        match result {
            JobResult::Sessions(all) => match self.awaited.take_listing() {
                Some(AwaitedJob::Sessions(wanted)) => self.sessions(all, wanted.as_deref())?,
                Some(AwaitedJob::Comparable(wanted)) => self.comparable(all, wanted.as_deref())?,
                _ => {
                    self.question_after = held;
                    return Ok(());
                }
            },
            JobResult::Compared(_, compared) if self.awaited.take(&AwaitedJob::Compared) => match compared {
                Ok(compared) => self.compared(compared)?,
                Err(why) => self.mode.page.line(&format!("Warning: {why}"))?,
            },
            JobResult::Recipes(recipes, notices) if self.awaited.take(&AwaitedJob::Recipes) => {
                return self.recipes(recipes, notices);
            }
            JobResult::Changes(record, found) => {
                // A list requested before a newer request is no longer waited for.
                return match self.wanted_changes.take_if(|of| of.record == *record) {
                    Some(of) => self.changes(of, found),
                    None => Ok(()),
                };
            }
            JobResult::SessionHits(_, found) if self.awaited.take(&AwaitedJob::Hits) => self.hits(found)?,
            JobResult::Offers(offers) if self.awaited.contains(&AwaitedJob::Models) => {
                self.asking = offers.iter().filter(|offer| offer.answer == CatalogueAnswer::Asking).count();
                self.offers(offers, held)?;
            }
            JobResult::Offer(offer) if self.awaited.contains(&AwaitedJob::Models) => {
                self.asking = self.asking.saturating_sub(1);
                self.offers(std::slice::from_ref(offer), held)?;
            }
            JobResult::ChangedInstructions(held) if self.awaited.take(&AwaitedJob::Instructions) => {
                return self.changed_instructions(held);
            }
            JobResult::Sandbox(found) if self.awaited.take(&AwaitedJob::Sandbox) => {
                self.mode.page.line(&SandboxStanding::of(Some(found)).sentence())?;
            }
            JobResult::Tested(_, answer) if self.awaited.take(&AwaitedJob::Trial) => {
                let (Ok(text) | Err(text)) = answer;
                self.mode.page.line(text)?;
                self.mode.page.line("/model lists the models.")?;
            }
            JobResult::KeyStored(provider, file) => {
                let file = file.display().to_string();
                self.mode.page.line(&saving::key_stored(provider, &file))?;
            }
            JobResult::NewRecipe(path) | JobResult::Saved(path) => {
                self.mode.page.line(&format!("Written: {}", path.display()))?;
            }
            JobResult::Failed(why) => self.mode.page.line(&format!("Warning: {why}"))?,
            _ => {
                self.question_after = held;
                return Ok(());
            }
        }
        self.put_again()
    }

    /// Prints what providers have answered. Once every asked one has, later answers are not for this command.
    fn offers(&mut self, offers: &[Offer], held: Option<Instant>) -> io::Result<()> {
        for offer in offers {
            self.offer(offer)?;
        }
        if self.asking == 0 {
            self.awaited.take(&AwaitedJob::Models);
        }
        self.question_after = held.filter(|_| self.asking > 0);
        Ok(())
    }

    fn offer(&mut self, offer: &Offer) -> io::Result<()> {
        match &offer.answer {
            CatalogueAnswer::Models(models) => {
                for model in models.iter().take(MAX_MODELS_SHOWN) {
                    self.mode.page.line(&format!("  {}", model.name))?;
                }
                Ok(())
            }
            CatalogueAnswer::NoKey => self.mode.page.line(&format!("  {}: no key", offer.name)),
            CatalogueAnswer::Failed(why)
            | CatalogueAnswer::Refused(why)
            | CatalogueAnswer::NotRunning(why) => self.mode.page.line(&format!("  {}: {why}", offer.name)),
            CatalogueAnswer::Asking => Ok(()),
        }
    }

    /// Lists the sessions, or opens the named one.
    fn sessions(&mut self, all: &[Summary], wanted: Option<&str>) -> io::Result<()> {
        let tree = SessionTree::of(all, |_| true);
        let rows = tree.rows().iter().filter_map(|row| Some((row, all.get(row.at)?)));
        let (rows, sessions): (Vec<&TreeRow>, Vec<&Summary>) = rows.unzip();
        if let Some(wanted) = wanted {
            return match chosen(&sessions, wanted) {
                Some(session) => self.leave(Exit::OpenSession(session.path.clone(), None)),
                None => self.mode.page.line("No session matches. /resume lists them."),
            };
        }
        let now = self.driver.now();
        for (number, (row, session)) in (1..).zip(rows.iter().zip(&sessions).take(MAX_SESSIONS_SHOWN)) {
            let lead = row.lead(self.options.glyphs().tree);
            let waiting =
                if session.waiting > 0 { format!(", {} waiting", session.waiting) } else { String::new() };
            let ago = words::ago(now, session.modified);
            let (label, messages) = (session.label(), words::count(session.messages as usize, "message"));
            let from = origin(session, &sessions);
            self.mode.page.line(&format!("  {number}  {lead}{label}, {ago}, {messages}{waiting}{from}"))?;
        }
        self.mode.page.line(if all.is_empty() {
            "There is no session yet."
        } else {
            "/resume NUMBER or NAME opens one."
        })
    }
}

/// Finds a session by its number in the list, its name, or the beginning of its id.
pub(super) fn chosen<'a>(sessions: &[&'a Summary], wanted: &str) -> Option<&'a Summary> {
    let number = wanted.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let numbered = number.and_then(|at| sessions.get(at));
    let is_meant = |session: &Summary| session.name == wanted || session.id.starts_with(wanted);
    numbered.or_else(|| sessions.iter().find(|session| is_meant(session))).copied()
}

/// Says where a branch left its session, or that this session no longer exists.
pub(super) fn origin(session: &Summary, sessions: &[&Summary]) -> String {
    let Some(of) = &session.branch_of else { return String::new() };
    if sessions.iter().any(|one| one.id == *of) {
        branches::place(session.branch_at)
    } else {
        format!(", a {}", branches::branch(None, session.branch_at))
    }
}
