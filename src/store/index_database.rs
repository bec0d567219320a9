//! SQLite files that are derived from the sessions, in `index/` beside them: one for the list, one for the search.
//! They are only caches: if one is missing, damaged or of another version, it is rebuilt from the session files.
//!
//! Each is private like the sessions (mode 0600, and hidden from runs with its folder). What is removed from it is
//! really gone: bytes of deleted rows are overwritten, and the database's log is truncated.

use super::{StoreError, disk};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Which file it is, and its tables.
#[derive(Debug)]
pub(super) struct TablePlan {
    /// Its name in the folder.
    pub(super) file: &'static str,
    /// The version of its tables; a file with another one is rebuilt.
    pub(super) version: i64,
    pub(super) tables: &'static str,
}

/// How long a process waits for another one that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The most empty pages that are kept for reuse.
const MAX_FREE_PAGES: i64 = 256;
/// The most bytes that are copied to shrink a file; the copying happens in memory.
const MAX_VACUUM_BYTES: i64 = 64 << 20;

/// Why the file can't be used now.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DerivedError {
    /// Its folder is not as it has to be.
    #[error(transparent)]
    Place(#[from] StoreError),
    /// The error of SQLite.
    #[error("the index of the sessions can't be used: {0}")]
    Database(#[from] rusqlite::Error),
}

impl DerivedError {
    /// Whether the file itself is bad, so that only rebuilding it helps.
    fn is_damage(&self) -> bool {
        let DerivedError::Database(error) = self else { return false };
        is_damage(error)
    }
}

/// Whether SQLite says that the file is damaged, or is not a database.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(why, _) => {
            matches!(why.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::TypeMismatch)
        }
        // A row is not of the shape that was written.
        E::FromSqlConversionFailure(..) | E::IntegralValueOutOfRange(..) | E::InvalidColumnType(..) => true,
        _ => false,
    }
}

#[derive(Debug)]
pub(crate) struct DerivedFile {
    pub(super) db: Connection,
}

/// The folder of these files. Links in its path are resolved first: they are the person's own, but SQLite's NOFOLLOW
/// flag would refuse them.
fn folder_of(sessions: &Path) -> Result<PathBuf, StoreError> {
    let sessions = sessions.canonicalize().map_err(|error| StoreError::io(sessions, "opened", error))?;
    Ok(sessions.join("index"))
}

impl DerivedFile {
    /// Opens the file or creates it; a damaged one is rebuilt. The folder of the sessions must exist.
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

    /// Removes sessions by their file names, if the file exists; their bytes are overwritten.
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

    /// A database in memory only.
    pub(super) fn in_memory(plan: &TablePlan) -> Result<Self, DerivedError> {
        let mut db = Connection::open_in_memory()?;
        make_tables(&mut db, plan)?;
        Ok(Self { db })
    }

    /// Opens the file and does this work; if the file turns out to be damaged, rebuilds it and does the work once
    /// more.
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
            // The logs first: one that is left would be taken for the log of the new file.
            for name in ["-wal", "-shm", "-journal", ""] {
                let mut file = path.as_os_str().to_owned();
                file.push(name);
                disk::remove(Path::new(&file))?;
            }
        }
        Ok(Self { db: connect(plan, folder)? })
    }

    /// Gives empty pages back to the disk, if they are most of the file and the rest is quickly copied. If that
    /// fails, the file only stays larger: removed rows are overwritten in any case.
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

    /// Overwrites what the database's log still holds of removed rows, and truncates it.
    pub(super) fn cut_log(&self) -> Result<(), DerivedError> {
        let busy: i64 = self.db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if busy == 0 {
            return Ok(());
        }
        Err(StoreError::NotSaved("another sayso reads the index of the sessions".into()).into())
    }
}

/// Locks the folder while a file is opened, created or replaced, so that nobody opens half of an old and half of a
/// new one. The wait is limited, because the process that holds the lock may be stopped.
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
    // Created here, because SQLite would make it readable for others. SQLite gives its log the mode of this file.
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

/// Creates the tables in a new file. A file with another version counts as damaged.
fn make_tables(db: &mut Connection, plan: &TablePlan) -> Result<(), rusqlite::Error> {
    let shape = |db: &Connection| db.query_row("PRAGMA user_version", [], |row| row.get::<_, i64>(0));
    if shape(db)? == plan.version {
        return Ok(());
    }
    let making = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    match shape(&making)? {
        found if found == plan.version => Ok(()),
        0 => {
            making.execute_batch(plan.tables)?;
            making.pragma_update(None, "user_version", plan.version)?;
            making.commit()
        }
        _ => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB),
            Some("it is of another version".into()),
        )),
    }
}
