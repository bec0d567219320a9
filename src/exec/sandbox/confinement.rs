//! What a program takes upon itself before it starts: walls around files, refused system calls, limits. A pure value,
//! and how it travels to the helper; `enter` acts on it.

use crate::domain::Limits;
use crate::exec::frames::FrameError;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;

/// Memory that threads and allocators set aside without using it, for each processor.
const SET_ASIDE: u64 = 48 << 20;

/// What a program takes upon itself; the default is nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Confinement {
    /// Walls around files and signals.
    pub walls: Option<Walls>,
    /// Refused system calls.
    pub calls: Option<Calls>,
    /// Limits of each process.
    pub limits: Vec<Limit>,
}

/// Which folders and files can be reached at all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Walls {
    /// These can be read and started.
    pub read: Vec<PathBuf>,
    /// These can be read and written.
    pub write: Vec<PathBuf>,
    /// Whether connecting and listening by TCP is refused.
    pub no_tcp: bool,
}

/// Which families of sockets can be made; other dangerous calls are refused always.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// Internet sockets. In a network of its own they reach nobody else.
    pub inet: bool,
    /// Sockets that lie in folders. Pairs without a name are always allowed.
    pub unix: bool,
    /// The kernel's own network settings.
    pub netlink: bool,
}

/// A limit of each process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Of what.
    pub what: Limited,
    /// What holds.
    pub soft: u64,
    /// Up to where the program can raise it.
    pub hard: u64,
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limited {
    /// Memory of its own, in bytes.
    Data,
    /// Processes and threads of the same user in the same namespace.
    Processes,
    /// The size of each file that it writes.
    File,
    /// Open files.
    Open,
}

impl Limit {
    /// Whether nothing is limited: the entry is there for runs that come later and are.
    pub fn is_none(&self) -> bool {
        (self.soft, self.hard) == (u64::MAX, u64::MAX)
    }
}

impl Limited {
    const ALL: [(Self, u8); 4] =
        [(Limited::Data, b'd'), (Limited::Processes, b'p'), (Limited::File, b'f'), (Limited::Open, b'o')];
}

/// The limits that each process is given. `own_users` tells that the user is counted for this run alone: else others of
/// the person's processes would count too, and nothing could be started any more. What is not limited has its entry too:
/// a program that is there for several runs can be given a limit for a later one.
pub fn limits(limits: &Limits, own_users: bool, processors: u64) -> Vec<Limit> {
    let same = |what, amount: u64| {
        let amount = if amount > 0 { amount } else { u64::MAX };
        Limit { what, soft: amount, hard: amount }
    };
    let data = match limits.memory_bytes {
        0 => u64::MAX,
        memory => data_limit(memory, processors),
    };
    let mut all = vec![Limit { what: Limited::Data, soft: data, hard: u64::MAX }];
    if own_users {
        all.push(same(Limited::Processes, limits.processes.into()));
    }
    all.push(same(Limited::File, limits.file_bytes));
    all.push(same(Limited::Open, limits.open_files.into()));
    all
}

/// The memory that one process may set aside under a limit on what all of them use. Who looks at the processes holds
/// the limit itself; this one turns a single huge request into an error that the program can tell.
pub fn data_limit(memory_bytes: u64, processors: u64) -> u64 {
    memory_bytes.saturating_add(SET_ASIDE.saturating_mul(processors))
}

impl Confinement {
    /// The fields of a message: each begins with a letter that tells what it is.
    pub fn fields(&self) -> Vec<Vec<u8>> {
        let mut fields = Vec::new();
        let mut add = |letter: u8, rest: &[u8]| fields.push([&[letter], rest].concat());
        if let Some(walls) = &self.walls {
            add(b'W', if walls.no_tcp { b"1" } else { b"0" });
            walls.read.iter().for_each(|path| add(b'r', path.as_os_str().as_bytes()));
            walls.write.iter().for_each(|path| add(b'w', path.as_os_str().as_bytes()));
        }
        if let Some(calls) = self.calls {
            let bits = [calls.inet, calls.unix, calls.netlink].map(|bit| if bit { b'1' } else { b'0' });
            add(b'C', &bits);
        }
        for limit in &self.limits {
            if let Some((_, letter)) = Limited::ALL.iter().find(|(what, _)| *what == limit.what) {
                add(*letter, format!("{}:{}", limit.soft, limit.hard).as_bytes());
            }
        }
        fields
    }

    /// Reads what [`Confinement::fields`] made.
    ///
    /// # Errors
    /// When a field is not known: less than what was meant must never be entered.
    pub fn from_fields<'a>(fields: impl IntoIterator<Item = &'a [u8]>) -> Result<Self, FrameError> {
        let mut confinement = Self::default();
        for field in fields {
            let (letter, rest) = field.split_first().ok_or(FrameError::Torn)?;
            let unknown = FrameError::Unknown(*letter);
            let path = || PathBuf::from(OsString::from_vec(rest.to_vec()));
            match letter {
                b'W' => {
                    confinement.walls = Some(Walls { no_tcp: rest == b"1", ..Walls::default() });
                }
                b'r' => confinement.walls.as_mut().ok_or(unknown)?.read.push(path()),
                b'w' => confinement.walls.as_mut().ok_or(unknown)?.write.push(path()),
                b'C' => {
                    let [inet, unix, netlink] =
                        <[u8; 3]>::try_from(rest).map_err(|_| unknown)?.map(|bit| bit == b'1');
                    confinement.calls = Some(Calls { inet, unix, netlink });
                }
                _ => {
                    let what = Limited::ALL.iter().find(|(_, known)| known == letter).ok_or(unknown)?.0;
                    let text = std::str::from_utf8(rest).map_err(|_| unknown)?;
                    let (soft, hard) = text.split_once(':').ok_or(unknown)?;
                    let number = |text: &str| text.parse().map_err(|_| unknown);
                    confinement.limits.push(Limit { what, soft: number(soft)?, hard: number(hard)? });
                }
            }
        }
        Ok(confinement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(confinement: &Confinement) -> Result<Confinement, FrameError> {
        let fields = confinement.fields();
        Confinement::from_fields(fields.iter().map(Vec::as_slice))
    }

    #[test]
    fn it_comes_back_as_it_was() {
        let confinement = Confinement {
            walls: Some(Walls {
                read: vec!["/usr".into(), "/a b\n".into()],
                write: vec!["/tmp".into()],
                no_tcp: true,
            }),
            calls: Some(Calls { inet: true, unix: false, netlink: true }),
            limits: limits(&Limits::default(), true, 2),
        };
        assert_eq!(read(&confinement), Ok(confinement));
        assert_eq!(read(&Confinement::default()), Ok(Confinement::default()));
    }

    #[test]
    fn limits_that_are_not_set_can_be_set_later() {
        let none =
            Limits { memory_bytes: 0, processes: 0, file_bytes: 0, open_files: 0, ..Limits::default() };
        let open = limits(&none, true, 2);
        assert!(open.len() == 4 && open.iter().all(Limit::is_none), "{open:?}");
        assert!(!limits(&Limits::default(), true, 2).iter().any(Limit::is_none));
        assert!(limits(&Limits::default(), false, 2).iter().all(|limit| limit.what != Limited::Processes));
    }

    proptest! {
        #[test]
        fn any_fields_are_read_without_harm(fields in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..12), 0..6)) {
            let _ = Confinement::from_fields(fields.iter().map(Vec::as_slice));
        }
    }
}
