//! Makes branches of a session: where a branch starts, its name, and the draft that it opens with.

use super::factory::SessionFactory;
use crate::domain::sentences::saving;
use crate::domain::{BranchOrigin, BranchPoint, Entry, Header, NoBranch, SessionId};
use crate::driver::Clock;
use crate::store::index::{self, Summary};
use crate::store::{self, Damage, Draft, LoadedSession, Seal, StoreError, branch};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    /// The number of prompts and replies that it starts with.
    pub(crate) messages: usize,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum BranchError {
    /// The session has no such branch point.
    #[error("{0}")]
    Place(#[from] NoBranch),
    /// The session is foreign: its approvals would become this installation's own in the branch.
    #[error("it is {0}: sayso sessions adopt makes it yours")]
    Foreign(String),
    /// Some lines of the session's file can't be read.
    #[error("its file is damaged: {0}")]
    Damaged(String),
    /// The session can't be read, or the branch can't be written.
    #[error("{0}")]
    Store(#[from] StoreError),
}

impl SessionFactory {
    /// Makes a branch of the session in this file. The session itself is only read.
    ///
    /// # Errors
    /// When there is no such point, or the session is foreign, damaged or unreadable. When the branch can't be
    /// written, nothing of it is left on disk.
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
        let cut = count_entries(&loaded, point)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let sessions = index::list(folder);
        let name = name.unwrap_or_else(|| name_of(&sessions, path));
        let header = header(&loaded, cut, point, &name)?;
        let masker = self.masker();
        let begins = loaded.entries.get(..cut).unwrap_or_default();
        let messages = begins.iter().filter(|(_, entry)| is_message(entry)).count();
        let written = branch::write((path, &loaded), cut, (folder, header), (&masker, Some(seal))).await?;
        if let Some((_, Entry::Prompt(prompt))) = loaded.entries.get(cut) {
            // The prompt at which the branch starts becomes its draft, which the person can change, send or discard.
            Draft::beside(&written, masker).keep(&prompt.text)?;
        }
        Ok(Branch { path: written, name, messages })
    }
}

/// How many entries of the session the branch begins with.
fn count_entries(loaded: &LoadedSession, point: BranchPoint) -> Result<usize, BranchError> {
    if let Some(why) = &loaded.foreign {
        return Err(BranchError::Foreign(saving::is_foreign(&why.to_string())));
    }
    if let Some(damage) = loaded.damage.iter().find(|damage| Damage::is_loss(damage)) {
        return Err(BranchError::Damaged(damage.to_string()));
    }
    Ok(point.count_entries(&loaded.entries)?)
}

fn header(loaded: &LoadedSession, cut: usize, point: BranchPoint, name: &str) -> Result<Header, BranchError> {
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

/// The session's name with the next free number: `sales`, `sales-2`, `sales-3`.
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
    // With n sessions, one of n + 1 numbers is free.
    (2..sessions.len() + 3).map(|number| format!("{label}-{number}")).find(is_free).unwrap_or(label)
}
