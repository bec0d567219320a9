//! A branch of a session: where it leaves, what it is called, and what stands in Message when it is opened.

use super::factory::SessionFactory;
use crate::domain::sentences::saving;
use crate::domain::{BranchOrigin, BranchPoint, Entry, Header, NoBranch, SessionId};
use crate::driver::Clock;
use crate::store::index::{self, Summary};
use crate::store::{self, Damage, Draft, LoadedSession, Seal, StoreError, branch};
use std::path::{Path, PathBuf};

/// A branch that was made.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    /// How many prompts and replies it begins with.
    pub(crate) messages: usize,
}

/// Why there is no branch.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BranchError {
    /// The session has no such place.
    #[error("{0}")]
    Place(#[from] NoBranch),
    /// What it tells of approvals would become this installation's own.
    #[error("it is {0}: sayso sessions adopt makes it yours")]
    Foreign(String),
    /// Lines of it can't be read.
    #[error("its file is damaged: {0}")]
    Damaged(String),
    /// It can't be read, or the branch can't be written.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl SessionFactory {
    /// Begins a branch of the session in this file; the session itself is only read, and stays as it is.
    ///
    /// # Errors
    /// When there is no such place, when the session is foreign or damaged, or can't be read; when the branch can't be
    /// written, nothing of it is left.
    pub(crate) async fn branch(
        &self,
        path: &Path,
        point: BranchPoint,
        name: Option<String>,
    ) -> Result<Branch, BranchError> {
        let seal = Seal::make(&self.loaded.paths.state)?;
        let (from, reader) = (path.to_owned(), seal.clone());
        let read = tokio::task::spawn_blocking(move || store::read_with(&from, Some(&reader))).await;
        let loaded = read.map_err(|_| StoreError::Stopped)??;
        let cut = place(&loaded, point)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let sessions = index::list(folder);
        let name = name.unwrap_or_else(|| name_of(&sessions, path));
        let header = header(&loaded, (cut, point), &name)?;
        let masker = self.masker();
        let begins = loaded.entries.get(..cut).unwrap_or_default();
        let messages = begins.iter().filter(|(_, entry)| is_message(entry)).count();
        let written = branch::write((path, &loaded), cut, (folder, header), (&masker, Some(seal))).await?;
        if let Some((_, Entry::Prompt(prompt))) = loaded.entries.get(cut) {
            // It is a draft like any other: it can be changed, sent or thrown away.
            Draft::beside(&written, masker).keep(&prompt.text)?;
        }
        Ok(Branch { path: written, name, messages })
    }
}

fn place(loaded: &LoadedSession, point: BranchPoint) -> Result<usize, BranchError> {
    if let Some(why) = &loaded.foreign {
        return Err(BranchError::Foreign(saving::is_foreign(&why.to_string())));
    }
    if let Some(damage) = loaded.damage.iter().find(|damage| Damage::is_loss(damage)) {
        return Err(BranchError::Damaged(damage.to_string()));
    }
    Ok(point.count_entries(&loaded.entries)?)
}

fn header(
    loaded: &LoadedSession,
    (cut, point): (usize, BranchPoint),
    name: &str,
) -> Result<Header, BranchError> {
    let Some((_, Entry::Header(of))) = loaded.entries.first() else {
        return Err(NoBranch::Empty.into());
    };
    let entries = u64::try_from(cut.saturating_sub(1)).unwrap_or(u64::MAX);
    let at = Some(point.branch_place(loaded.entries.get(..cut).unwrap_or_default()));
    Ok(Header {
        id: SessionId(uuid::Uuid::now_v7().to_string()),
        name: name.to_owned(),
        created: Clock::System.now(),
        program: env!("CARGO_PKG_VERSION").into(),
        branch_of: Some(BranchOrigin { session: of.id.clone(), entries, at }),
        ..of.clone()
    })
}

fn is_message(entry: &Entry) -> bool {
    matches!(entry, Entry::Prompt(_) | Entry::Reply { .. })
}

/// The name of the session with the next free number: `sales`, `sales-2`, `sales-3`.
fn name_of(sessions: &[Summary], path: &Path) -> String {
    let of = sessions.iter().find(|session| session.path == path);
    let label = of.filter(|session| !session.name.is_empty()).map_or_else(
        || "branch".to_owned(),
        |session| match session.name.rsplit_once('-') {
            Some((stem, number))
                if !number.is_empty() && number.len() < 4 && number.bytes().all(|b| b.is_ascii_digit()) =>
            {
                stem.to_owned()
            }
            _ => session.name.clone(),
        },
    );
    let is_free = |name: &String| !sessions.iter().any(|session| session.name == *name);
    // One more than there are is free.
    (2..sessions.len() + 3).map(|number| format!("{label}-{number}")).find(is_free).unwrap_or(label)
}
