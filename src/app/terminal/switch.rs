//! Leaves the open session for another one: a branch of it, one of the list, or a new one.

use crate::app::folder;
use crate::domain::sentences::saving;
use crate::domain::visible::visible_line;
use crate::domain::{BranchPoint, NoBranch, Notice};
use crate::session::factory::SessionFactory;
use crate::session::opening::OpenSession;
use crate::store::StoreError;
use crate::tui::Options;
use crate::tui::setup::SessionPick;
use std::path::{Path, PathBuf};

/// Replaces the open session with the next one. The open one stays if the next could not be opened.
pub(super) async fn switch_to(
    next: Result<OpenSession, StoreError>,
    opened: &mut OpenSession,
    options: &mut Options,
) {
    match next {
        Ok(next) => {
            let before = std::mem::replace(opened, next);
            if let Err(why) = before.driver.close().await {
                options.notices.push(Notice::error(saving::lost_at_the_end(&why.to_string())));
            }
        }
        Err(error) => report_not_opened(Notice::error(error.to_string()), options),
    }
}

/// Whether the open session stays: `path` is that session, or it belongs to another folder and the person has not
/// been warned of that yet.
pub(super) fn session_stays(
    factory: &SessionFactory,
    opened: &OpenSession,
    path: &Path,
    (warned, options): (&mut Option<PathBuf>, &mut Options),
) -> bool {
    if path == opened.driver.session_path() {
        options.notices.push(Notice::info("This session is open already."));
        return true;
    }
    let id = path.file_stem().map(|id| id.to_string_lossy().into_owned()).unwrap_or_default();
    let warning = folder::warning(&folder::of(factory, path), &factory.place.cwd, &id);
    let Some(warning) = warning.filter(|_| warned.as_deref() != Some(path)) else { return false };
    *warned = Some(path.to_owned());
    report_not_opened(Notice::warn(warning), options);
    options.setup.pick_session = Some(SessionPick::File(path.to_owned()));
    true
}

/// Makes a branch of the open session. Returns the branch's file and a notice about it, or the notice why there is
/// none.
pub(super) async fn branch(
    factory: &SessionFactory,
    opened: &mut OpenSession,
    point: BranchPoint,
) -> Result<(PathBuf, Notice), Notice> {
    let told = |why: String| Notice::error(format!("No branch: {}.", why.trim_end_matches('.')));
    opened.driver.saved().await.map_err(|why| told(why.to_string()))?;
    let path = opened.driver.session_path();
    if !path.exists() {
        return Err(told(NoBranch::Empty.to_string()));
    }
    let branch = factory.branch(&path, point, None).await.map_err(|why| told(why.to_string()))?;
    let of = opened.driver.state().transcript.name.clone();
    let of = if of.is_empty() { "the session that was open".to_owned() } else { visible_line(&of) };
    Ok((
        branch.path,
        Notice::info(format!("A branch of {of}, which stays as it is: /resume goes back to it.")),
    ))
}

/// Reports why the other session was not opened, and drops the place to show in it.
fn report_not_opened(why: Notice, options: &mut Options) {
    options.setup.place = None;
    options.notices.push(why);
}
