//! Files that are derived from the sessions and lie beside them, in `index/`, SQLite: one of the list, one for what is
//! searched. They are never the truth: missing, of another version or damaged one is made anew from the session files.
//!
//! Each is private like the sessions (0600, hidden from runs with their folder), and what leaves it is really gone: bytes
//! of removed rows are overwritten, and the log of the database is cut off.

use super::{StoreError, disk};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Which of the files, and what it holds.
#[derive(Debug)]
pub(super) struct TablePlan {
    /// Its name in the folder.
    pub(super) file: &'static str,
    /// The shape of its tables; a file of another one is made anew.
    pub(super) shape: i64,
    pub(super) tables: &'static str,
}

/// How long one process waits for another that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// Pages that may stand empty: they are used again.
const MAX_FREE_PAGES: i64 = 256;
/// Bytes of a file that are copied to make it smaller; that is done in memory.
const MAX_VACUUM_BYTES: i64 = 64 << 20;

/// Why it can't be used now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DerivedError {
    /// Its place is not as it has to be.
    #[error(transparent)]
    Place(#[from] StoreError),
    /// What SQLite says of it.
    #[error("the index of the sessions can't be used: {0}")]
    Database(#[from] rusqlite::Error),
}

impl DerivedError {
    /// Whether the file itself is bad, so that only a new one helps.
    fn is_damage(&self) -> bool {
        let DerivedError::Database(error) = self else { return false };
        is_damage(error)
    }
}

/// Whether SQLite says that the file is damaged, or is none of its files.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(why, _) => {
            matches!(why.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TypeMismatch)
        }
        // A row that is not of the shape that was written.
        E::FromSqlConversionFailure(..) | E::IntegralValueOutOfRange(..) | E::InvalidColumnType(..) => true,
        _ => false,
    }
}

#[derive(Debug)]
pub(crate) struct DerivedFile {
    pub(super) db: Connection,
}

/// The folder of all of them, of the sessions in this folder. SQLite follows no link with its flag, those of folders above
/// included: these are the person's own.
fn folder_of(sessions: &Path) -> Result<PathBuf, StoreError> {
    let sessions = sessions.canonicalize().map_err(|error| StoreError::io(sessions, "opened", error))?;
    Ok(sessions.join("index"))
}

impl DerivedFile {
    /// Opens it, or makes it where it is missing; a damaged one is made anew. The folder of the sessions has to be there.
    pub(super) fn open(sessions: &Path, plan: &TablePlan) -> Result<Self, DerivedError> {
        let folder = folder_of(sessions)?;
        if folder.is_symlink() {
            return Err(StoreError::unsafe_place(&folder, "is a symbolic link").into());
        }
        disk::make_folder(&folder)?;
        match connect(plan, &folder) {
            Ok(db) => Ok(Self { db }),
            Err(error) if error.is_damage() => Self::make_anew(plan, &folder),
            Err(error) => Err(error),
        }
    }

    /// Takes sessions out of the file, where there is one, by the names of their files; their bytes leave it too.
    pub(super) fn forget(
        sessions: &Path,
        plan: &TablePlan,
        gone: &[&Path],
        forget: impl Fn(&Connection, &OsStr) -> Result<bool, DerivedError>,
    ) -> Result<(), DerivedError> {
        if sessions.join("index").join(plan.file).symlink_metadata().is_err() {
            return Ok(());
        }
        let mut derived = Self::open(sessions, plan)?;
        let writing = derived.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for name in gone.iter().filter_map(|session| session.file_name()) {
            forget(&writing, name)?;
        }
        writing.commit()?;
        derived.shrink();
        derived.cut_log()
    }

    /// One that is kept nowhere.
    pub(super) fn in_memory(plan: &TablePlan) -> Result<Self, DerivedError> {
        let mut db = Connection::open_in_memory()?;
        make_tables(&mut db, plan)?;
        Ok(Self { db })
    }

    /// Opens it and does this work; where the file turns out to be damaged, once more with a new one.
    pub(super) fn open_with<T>(
        sessions: &Path,
        plan: &TablePlan,
        work: impl Fn(&mut Self) -> Result<T, DerivedError>,
    ) -> Result<(Self, T), DerivedError> {
        let mut derived = Self::open(sessions, plan)?;
        match work(&mut derived) {
            Ok(done) => Ok((derived, done)),
            Err(error) if error.is_damage() => {
                drop(derived);
                tracing::warn!(%error, "the index of the sessions is damaged, and made anew");
                let mut derived = Self::make_anew(plan, &folder_of(sessions)?)?;
                let done = work(&mut derived)?;
                Ok((derived, done))
            }
            Err(error) => Err(error),
        }
    }

    fn make_anew(plan: &TablePlan, folder: &Path) -> Result<Self, DerivedError> {
        {
            let path = folder.join(plan.file);
            let _gate = lock_folder(folder, File::try_lock)?;
            // Its log first: one that is left would be taken for that of the new file.
            for name in ["-wal", "-shm", "-journal", ""] {
                let mut file = path.as_os_str().to_owned();
                file.push(name);
                match std::fs::remove_file(&file) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                        return Err(StoreError::io(&path, "deleted", error).into());
                    }
                    _ => {}
                }
            }
        }
        Ok(Self { db: connect(plan, folder)? })
    }

    /// Gives pages that hold nothing any more back to the disk, where they are most of the file and what is left is soon
    /// copied. Where that can't be done the file stays larger, and nothing else: what was removed is overwritten all the
    /// same.
    pub(super) fn shrink(&self) {
        if let Err(error) = self.give_back() {
            tracing::debug!(%error, "an index keeps its size");
        }
    }

    fn give_back(&self) -> Result<(), DerivedError> {
        let number = |what: &str| self.db.query_row(what, [], |row| row.get::<_, i64>(0));
        let (all, free) = (number("PRAGMA page_count")?, number("PRAGMA freelist_count")?);
        let left = all.saturating_sub(free).saturating_mul(number("PRAGMA page_size")?);
        if free > MAX_FREE_PAGES && free > all / 2 && left <= MAX_VACUUM_BYTES {
            self.db.execute_batch("VACUUM")?;
        }
        Ok(())
    }

    /// Overwrites what the log of the database still holds of removed rows, and cuts it off.
    pub(super) fn cut_log(&self) -> Result<(), DerivedError> {
        let busy: i64 = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy == 0 {
            return Ok(());
        }
        Err(StoreError::NotSaved("another sayso reads the index of the sessions".into()).into())
    }
}

/// Held while the file is opened, made or replaced, so that nobody opens half of an old and half of a new one. Who holds it
/// may be a process that was stopped: it is not waited for without end.
fn lock_folder(folder: &Path, lock: fn(&File) -> Result<(), TryLockError>) -> Result<File, StoreError> {
    let path = folder.join("lock");
    let file = disk::replace(&path)?;
    let began = Instant::now();
    loop {
        match lock(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if began.elapsed() < LOCK_TIMEOUT => {
                std::thread::sleep(LOCK_RETRY_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::NotSaved("another sayso holds the index of the sessions".into()));
            }
            Err(TryLockError::Error(error)) => return Err(StoreError::io(&path, "locked", error)),
        }
    }
}

fn connect(plan: &TablePlan, folder: &Path) -> Result<Connection, DerivedError> {
    let _gate = lock_folder(folder, File::try_lock_shared)?;
    let path = &folder.join(plan.file);
    // Made by us: SQLite would make it readable for others, and gives its log the rights of this file.
    match disk::open_read(path) {
        Ok(_) => {}
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => {
            drop(disk::replace(path)?);
        }
        Err(error) => return Err(error.into()),
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(LOCK_TIMEOUT)?;
    db.execute_batch(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=ON; PRAGMA trusted_schema=OFF;
         PRAGMA cell_size_check=ON; PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=0; PRAGMA cache_size=-16384;",
    )?;
    make_tables(&mut db, plan)?;
    Ok(db)
}

/// Makes the tables of a new file; one of another shape counts as damaged.
fn make_tables(db: &mut Connection, plan: &TablePlan) -> Result<(), rusqlite::Error> {
    let shape = |db: &Connection| db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if shape(db)? == plan.shape {
        return Ok(());
    }
    let making = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match shape(&making)? {
        found if found == plan.shape => Ok(()),
        0 => {
            making.execute_batch(plan.tables)?;
            making.pragma_update(None, "user_version", plan.shape)?;
            making.commit()
        }
        _ => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB),
            Some("it is of another version".into()),
        )),
    }
}
