//! The limits of a run: their names, their bounds, how they are written and parsed as people type them. Pure.

use crate::domain::{Enforcement, ExecutorKind, Limits, Terms};
use crate::text::number::whole_size as size;
use crate::tui::widgets::{safe, words};

/// One limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// How long the run may take.
    Time,
    /// Memory of all its processes together.
    Memory,
    /// Processes and threads at the same time.
    Processes,
    /// The size of each file that it writes.
    File,
    /// Files that each process has open.
    OpenFiles,
    /// What is kept of each stream.
    Output,
}

const DAY_MS: u64 = 24 * 3600 * 1000;
const TIB: u64 = 1 << 40;
/// With fewer open files no interpreter starts.
const MIN_FILES: u64 = 16;
const MAX_COUNT: u64 = 1 << 20;

impl Limit {
    /// All limits, in the order of the form.
    pub(crate) const ALL: [Self; 6] =
        [Self::Time, Self::Memory, Self::Processes, Self::File, Self::OpenFiles, Self::Output];

    /// Its name, as it is shown and typed.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::File => "file",
            Self::OpenFiles => "files",
            Self::Output => "output",
        }
    }

    pub(crate) fn description(self) -> &'static str {
        match self {
            Self::Time => "from start to end",
            Self::Memory => "all processes together",
            Self::Processes => "and threads, at once",
            Self::File => "size of each file written",
            Self::OpenFiles => "open in each process",
            Self::Output => crate::domain::sentences::saving::OF_EACH_STREAM,
        }
    }

    /// The limit with this name; a prefix is enough if it is unambiguous.
    pub(crate) fn from_name(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let more = [("wall", Self::Time), ("open-files", Self::OpenFiles), ("file-size", Self::File)];
        let all = Self::ALL.iter().map(|limit| (limit.name(), *limit)).chain(more);
        all.clone().find(|(name, _)| *name == word).map(|(_, limit)| limit).or_else(|| {
            let mut fits = all.filter(|(name, _)| !word.is_empty() && name.starts_with(&word));
            fits.next().map(|(_, limit)| limit).filter(|limit| fits.all(|(_, other)| other == *limit))
        })
    }

    /// The value of this limit, as it could be typed.
    pub(crate) fn text(self, limits: &Limits) -> String {
        match self {
            Self::Time => words::limit(limits.wall_ms),
            Self::Memory => size(limits.memory_bytes),
            Self::Processes => limits.processes.to_string(),
            Self::File => size(limits.file_bytes),
            Self::OpenFiles => limits.open_files.to_string(),
            Self::Output => size(limits.output_kept_bytes),
        }
    }

    /// Parses a value into `limits`; the error says what can be typed.
    pub(crate) fn read(self, typed: &str, limits: &mut Limits) -> Result<(), &'static str> {
        let (typed, least, most, wanted) = match self {
            Self::Time => (milliseconds(typed), 1000, DAY_MS, "a time from 1 s to 24 h, as 90 or 5 min"),
            Self::Memory => {
                (bytes(typed), 1 << 20, TIB, "a size from 1 MiB to 1 TiB, as 512M; 0: not limited")
            }
            Self::Processes => (count(typed), 1, MAX_COUNT, "a number from 1 to 1048576; 0: not limited"),
            Self::File => (bytes(typed), 1, TIB, "a size up to 1 TiB, as 512M or 2 GiB; 0: not limited"),
            Self::OpenFiles => {
                (count(typed), MIN_FILES, MAX_COUNT, "a number from 16 to 1048576; 0: not limited")
            }
            Self::Output => (bytes(typed), 4 << 10, 64 << 20, "a size from 4 KiB to 64 MiB, as 256K"),
        };
        let can_be_off = !matches!(self, Self::Time | Self::Output);
        let is_valid = |amount: &u64| (least..=most).contains(amount) || (can_be_off && *amount == 0);
        let amount = typed.filter(is_valid).ok_or(wanted)?;
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        match self {
            Self::Time => limits.wall_ms = amount,
            Self::Memory => limits.memory_bytes = amount,
            Self::Processes => limits.processes = small(amount),
            Self::File => limits.file_bytes = amount,
            Self::OpenFiles => limits.open_files = small(amount),
            Self::Output => limits.output_kept_bytes = amount,
        }
        Ok(())
    }

    /// How the limit is enforced under these terms.
    pub(crate) fn enforcement(self, terms: Option<&Terms>) -> Enforcement {
        let Some(terms) = terms else { return Enforcement::None };
        let report = &terms.rights.sandbox;
        match self {
            // sayso itself enforces time and output. A kernel elsewhere is asked to stop, and may be out of reach.
            Self::Time if terms.executor == ExecutorKind::Jupyter => Enforcement::Watched,
            Self::Time | Self::Output => Enforcement::Enforced,
            Self::Memory => report.memory,
            Self::Processes => report.processes,
            Self::File | Self::OpenFiles => report.files,
        }
    }
}

/// Why a line of limits is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LimitLineError {
    /// A word that is neither the name of a limit nor a value.
    #[error("{}: /limits takes names and values of {}.", safe::one_line(.0), names())]
    Word(String),
    /// The name of a limit without a value.
    #[error("{}: /limits takes names and values of {}.", .0.name(), names())]
    NoValue(Limit),
}

fn names() -> String {
    Limit::ALL.map(Limit::name).join(", ")
}

/// Parses `memory 2G processes 64`, also with `=` or `:` in between; a unit may be separate from its number.
pub(crate) fn pairs(argument: &str) -> Result<Vec<(Limit, String)>, LimitLineError> {
    let text = argument.replace(['=', ':', ','], " ");
    let mut pairs: Vec<(Limit, String)> = Vec::new();
    for word in text.split_whitespace() {
        let number = word.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        match (Limit::from_name(word).filter(|_| !number), pairs.last_mut()) {
            // A unit that follows its number, like `min` in `time 5 min`.
            (_, Some((_, value)))
                if !number && is_unit(word) && value.ends_with(|c: char| c.is_ascii_digit()) =>
            {
                value.push_str(word);
            }
            (Some(limit), _) => pairs.push((limit, String::new())),
            (None, Some((_, value))) if value.is_empty() => word.clone_into(value),
            (None, None) if number => pairs.push((Limit::Time, word.to_owned())),
            (None, _) => return Err(LimitLineError::Word(word.to_owned())),
        }
    }
    match pairs.iter().find(|(_, value)| value.is_empty()) {
        Some((limit, _)) => Err(LimitLineError::NoValue(*limit)),
        None => Ok(pairs),
    }
}

fn is_unit(word: &str) -> bool {
    milliseconds(&format!("1{word}")).is_some() || bytes(&format!("1{word}")).is_some()
}

/// A number and the unit after it, in lower case.
fn number(typed: &str) -> Option<(f64, String)> {
    let typed = typed.trim().replace([',', '_'], "");
    let at = typed.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(typed.len());
    let (digits, unit) = typed.split_at_checked(at)?;
    Some((digits.parse().ok()?, unit.trim().to_ascii_lowercase()))
}

fn scaled(number: f64, unit: f64) -> Option<u64> {
    let amount = (number * unit).round();
    // Above this a float is not exact any more, and far above all bounds.
    (amount < 9.0e15).then_some(amount as u64)
}

/// `90`, `90 s`, `5 min`, `1h`, `500 ms`: seconds, unless a unit is given.
fn milliseconds(typed: &str) -> Option<u64> {
    let (amount, unit) = number(typed)?;
    let unit = match unit.as_str() {
        "" | "s" | "sec" | "second" | "seconds" => 1000.0,
        "ms" => 1.0,
        "m" | "min" | "minute" | "minutes" => 60_000.0,
        "h" | "hour" | "hours" => 3_600_000.0,
        _ => return None,
    };
    scaled(amount, unit)
}

/// `2G`, `2 GiB`, `512m`, `1.5 GB`, `4096`: bytes, unless a unit is given.
fn bytes(typed: &str) -> Option<u64> {
    let (amount, unit) = number(typed)?;
    let (letter, rest) = unit.split_at_checked(1.min(unit.len()))?;
    let power = match letter {
        "" | "b" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        _ => return None,
    };
    let base: f64 = match (power, rest) {
        (0, "" | "ytes" | "yte") | (_, "" | "ib" | "i") => 1024.0,
        (1.., "b") => 1000.0,
        _ => return None,
    };
    scaled(amount, base.powi(power))
}

fn count(typed: &str) -> Option<u64> {
    number(typed).filter(|(n, unit)| unit.is_empty() && n.fract() == 0.0).and_then(|(n, _)| scaled(n, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(limit: Limit, typed: &str) -> Option<Limits> {
        let mut limits = Limits::default();
        limit.read(typed, &mut limits).ok().map(|()| limits)
    }

    #[test]
    fn times_sizes_and_numbers_as_people_write_them() {
        for (typed, ms) in
            [("90", 90_000), ("5 min", 300_000), ("1.5h", 5_400_000), ("2 S", 2_000), ("1500ms", 1_500)]
        {
            assert_eq!(read(Limit::Time, typed).map(|l| l.wall_ms), Some(ms), "{typed}");
        }
        for (typed, bytes) in [
            ("2G", 2 << 30),
            ("2 GiB", 2 << 30),
            ("512m", 512 << 20),
            ("1.5 GB", 1_500_000_000),
            ("4,194,304", 4 << 20),
            ("0", 0),
        ] {
            assert_eq!(read(Limit::Memory, typed).map(|l| l.memory_bytes), Some(bytes), "{typed}");
        }
        assert_eq!(read(Limit::Processes, "64").map(|l| l.processes), Some(64));
        assert_eq!(read(Limit::Output, "256K").map(|l| l.output_kept_bytes), Some(256 << 10));
    }

    #[test]
    fn what_can_not_be_meant_is_refused() {
        for (limit, typed) in [
            (Limit::Time, "0"),
            (Limit::Time, "25 h"),
            (Limit::Time, "soon"),
            (Limit::Time, "-5"),
            (Limit::Time, "5 5"),
            (Limit::Memory, "2 X"),
            (Limit::Memory, "900K"),
            (Limit::Memory, "99999999999999999999G"),
            (Limit::Processes, "1.5"),
            (Limit::Processes, "2G"),
            (Limit::OpenFiles, "3"),
            (Limit::Output, "0"),
            (Limit::Output, "1G"),
            (Limit::File, ""),
            (Limit::File, "."),
            (Limit::File, "1 Gïb"),
        ] {
            assert_eq!(read(limit, typed), None, "{limit:?} {typed}");
        }
    }

    #[test]
    fn words_behind_the_command() {
        use Limit::{File, Memory, OpenFiles, Processes, Time};
        let read = |text: &str| pairs(text).map(|p| p.into_iter().collect::<Vec<_>>());
        let made = |list: &[(Limit, &str)]| Ok(list.iter().map(|(l, v)| (*l, (*v).to_owned())).collect());
        assert_eq!(
            read("memory 2G processes 64 time 30"),
            made(&[(Memory, "2G"), (Processes, "64"), (Time, "30")])
        );
        assert_eq!(read("30"), made(&[(Time, "30")]));
        assert_eq!(read("5 min"), made(&[(Time, "5min")]));
        assert_eq!(
            read("mem=2 GiB, file 1 G files 64"),
            made(&[(Memory, "2GiB"), (File, "1G"), (OpenFiles, "64")])
        );
        assert_eq!(read("memory 2X"), made(&[(Memory, "2X")]));
        assert_eq!(read(""), made(&[]));
        for wrong in ["memory", "colour 3", "memory processes 3", "2 3", "time 3 4"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn sizes_come_back_as_they_were(amount in 0u64..=TIB) {
            prop_assert_eq!(bytes(&size(amount)), Some(amount));
        }

        #[test]
        fn nothing_that_is_typed_breaks_it(typed in ".{0,24}") {
            for limit in Limit::ALL {
                let _ = read(limit, &typed);
            }
            let _ = pairs(&typed);
        }
    }
}
