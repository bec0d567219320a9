//! The limits of the block that waits: a form with a row for each, and the same in words behind `/limits`. What is typed
//! is read here; whether a limit holds is told by the block's terms.

mod typed;

use super::field::Field;
use super::layer::Layer;
use super::{Ctx, Note, Screen, Wish};
use crate::domain::{BlockId, ExecutorKind, Hold, Limits, Terms};
use crate::engine::{Command, State};
use crate::text::number::whole_size as size;
use typed::{bytes, count, milliseconds, pairs};

/// One limit of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// How long it may take.
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

/// The limits of the block that waits, to be changed.
#[derive(Debug)]
pub struct LimitsForm {
    /// The block.
    pub block: BlockId,
    /// A row for each limit.
    pub rows: Vec<Row>,
    /// The row with the cursor.
    pub at: usize,
    /// What the form was opened with.
    before: Limits,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// Its limit.
    pub limit: Limit,
    /// What was typed.
    pub field: Field,
    /// How it is held.
    pub hold: Hold,
    /// Why what was typed can't be taken.
    pub wrong: Option<String>,
}

const DAY_MS: u64 = 24 * 3600 * 1000;
const TIB: u64 = 1 << 40;
/// With fewer open files no interpreter starts.
const FEWEST_FILES: u64 = 16;
const MOST: u64 = 1 << 20;

impl Limit {
    /// All of them, in the order of the form.
    pub const ALL: [Self; 6] =
        [Self::Time, Self::Memory, Self::Processes, Self::File, Self::OpenFiles, Self::Output];

    /// Its name, as it is shown and typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Memory => "memory",
            Self::Processes => "processes",
            Self::File => "file",
            Self::OpenFiles => "files",
            Self::Output => "output",
        }
    }

    /// What is counted.
    pub fn of(self) -> &'static str {
        match self {
            Self::Time => "from start to end",
            Self::Memory => "all processes together",
            Self::Processes => "and threads, at once",
            Self::File => "size of each file written",
            Self::OpenFiles => "open in each process",
            Self::Output => crate::domain::sentences::saving::OF_EACH_STREAM,
        }
    }

    /// The limit that a word names; a few letters are enough where they name one alone.
    fn named(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        let more = [("wall", Self::Time), ("open-files", Self::OpenFiles), ("file-size", Self::File)];
        let all = Self::ALL.iter().map(|limit| (limit.name(), *limit)).chain(more);
        all.clone().find(|(name, _)| *name == word).map(|(_, limit)| limit).or_else(|| {
            let mut fits = all.filter(|(name, _)| !word.is_empty() && name.starts_with(&word));
            fits.next().map(|(_, limit)| limit).filter(|limit| fits.all(|(_, other)| other == *limit))
        })
    }

    /// What these limits say of it, so that it can be typed again.
    fn text(self, limits: &Limits) -> String {
        match self {
            Self::Time => crate::tui::view::words::limit(limits.wall_ms),
            Self::Memory => size(limits.memory_bytes),
            Self::Processes => limits.processes.to_string(),
            Self::File => size(limits.file_bytes),
            Self::OpenFiles => limits.open_files.to_string(),
            Self::Output => size(limits.kept_bytes),
        }
    }

    /// Reads what was typed into these limits.
    ///
    /// # Errors
    /// With what can be typed, where it can't be read or is out of bounds.
    fn read(self, typed: &str, limits: &mut Limits) -> Result<(), String> {
        let within = |amount: Option<u64>, least: u64, most: u64, none: bool| {
            amount.filter(|n| (least..=most).contains(n) || (none && *n == 0))
        };
        let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let (read, bounds) = match self {
            Self::Time => {
                (within(milliseconds(typed), 1000, DAY_MS, false), "a time from 1 s to 24 h, as 90 or 5 min")
            }
            Self::Memory => (
                within(bytes(typed), 1 << 20, TIB, true),
                "a size from 1 MiB to 1 TiB, as 512M; 0: not limited",
            ),
            Self::File => {
                (within(bytes(typed), 1, TIB, true), "a size up to 1 TiB, as 512M or 2 GiB; 0: not limited")
            }
            Self::Processes => {
                (within(count(typed), 1, MOST, true), "a number from 1 to 1048576; 0: not limited")
            }
            Self::OpenFiles => (
                within(count(typed), FEWEST_FILES, MOST, true),
                "a number from 16 to 1048576; 0: not limited",
            ),
            Self::Output => {
                (within(bytes(typed), 4 << 10, 64 << 20, false), "a size from 4 KiB to 64 MiB, as 256K")
            }
        };
        let amount = read.ok_or(bounds)?;
        match self {
            Self::Time => limits.wall_ms = amount,
            Self::Memory => limits.memory_bytes = amount,
            Self::Processes => limits.processes = small(amount),
            Self::File => limits.file_bytes = amount,
            Self::OpenFiles => limits.open_files = small(amount),
            Self::Output => limits.kept_bytes = amount,
        }
        Ok(())
    }

    /// How it is held under these terms.
    fn hold(self, terms: Option<&Terms>) -> Hold {
        let Some(terms) = terms else { return Hold::None };
        let report = &terms.rights.sandbox;
        match self {
            // The clock and what is kept are sayso's own. A kernel elsewhere is asked to end, and may be out of reach.
            Self::Time if terms.executor == ExecutorKind::Jupyter => Hold::Watched,
            Self::Time | Self::Output => Hold::Enforced,
            Self::Memory => report.memory,
            Self::Processes => report.processes,
            Self::File | Self::OpenFiles => report.files,
        }
    }
}

impl LimitsForm {
    /// A form for a block that has these limits, which its terms hold as they say.
    pub fn new(block: BlockId, limits: Limits, terms: Option<&Terms>) -> Self {
        let row = |limit: Limit| {
            let mut field = Field::line();
            field.set(&limit.text(&limits));
            Row { limit, field, hold: limit.hold(terms), wrong: None }
        };
        Self { block, rows: Limit::ALL.into_iter().map(row).collect(), at: 0, before: limits }
    }

    /// Moves the cursor to another row.
    pub fn step(&mut self, by: isize) {
        self.at = self.at.saturating_add_signed(by).min(self.rows.len().saturating_sub(1));
    }

    /// The field that is typed into.
    pub fn field(&mut self) -> Option<&mut Field> {
        self.rows.get_mut(self.at).map(|row| &mut row.field)
    }

    /// What was typed has changed: what was wrong with it is not any more, or is told anew.
    pub fn changed(&mut self) {
        if let Some(row) = self.rows.get_mut(self.at) {
            row.wrong = None;
        }
    }

    /// Types a text into the row of a limit.
    fn set(&mut self, limit: Limit, text: &str) {
        if let Some(row) = self.rows.iter_mut().find(|row| row.limit == limit) {
            row.field.set(text);
        }
    }

    /// The limits as typed. Where a row can't be read, it says why and has the cursor.
    pub fn read(&mut self) -> Option<Limits> {
        let mut limits = self.before;
        let mut first = None;
        for (at, row) in self.rows.iter_mut().enumerate() {
            let typed = row.field.text();
            // What was not touched stays exactly as it was.
            if typed == row.limit.text(&self.before) {
                row.wrong = None;
                continue;
            }
            row.wrong = row.limit.read(&typed, &mut limits).err();
            if row.wrong.is_some() {
                first.get_or_insert(at);
            }
        }
        match first {
            Some(at) => {
                self.at = at;
                None
            }
            None => Some(limits),
        }
    }
}

impl Screen {
    /// Opens the form for the block that waits.
    pub(super) fn open_limits(&mut self, state: &State) {
        if let Some(form) = self.limits_form(state) {
            self.layers.push(Layer::Limits(form));
        }
    }

    fn limits_form(&mut self, state: &State) -> Option<LimitsForm> {
        let Some(item) = state.waiting() else {
            self.say(Note::info("No block waits: limits belong to a block."));
            return None;
        };
        let block = item.block.id;
        let terms = state.inspected(block).and_then(|i| i.terms.as_ref().ok());
        if terms.is_some_and(|terms| terms.executor == ExecutorKind::Files) {
            self.say(Note::of_wait(format!("Block {block} starts nothing that limits could hold.")));
            return None;
        }
        Some(LimitsForm::new(block, Self::limits_of(state, block), terms))
    }

    /// `/limits`: nothing opens the form, a number is the time in seconds, else names and values in turn. What can't be
    /// taken stands in the form, or in the message again.
    pub(super) fn limits_command(&mut self, argument: &str, ctx: Ctx<'_>) -> Vec<Wish> {
        let Some(mut form) = self.limits_form(ctx.state) else { return Vec::new() };
        match pairs(argument) {
            Ok(pairs) => {
                for (limit, value) in &pairs {
                    form.set(*limit, value);
                }
                if pairs.is_empty() {
                    self.layers.push(Layer::Limits(form));
                    return Vec::new();
                }
                self.apply_limits(form)
            }
            Err(word) => {
                self.composer.set(&format!("/limits {argument}"));
                let names: Vec<&str> = Limit::ALL.iter().map(|limit| limit.name()).collect();
                let word = crate::tui::view::safe::one_line(&word);
                self.say(Note::warn(format!(
                    "{word}: /limits takes names and values of {}.",
                    names.join(", ")
                )));
                Vec::new()
            }
        }
    }

    /// Sends the limits as typed, or shows the form with what is wrong.
    pub(super) fn apply_limits(&mut self, mut form: LimitsForm) -> Vec<Wish> {
        match form.read() {
            Some(limits) if limits == form.before => {
                self.say(Note::of_wait("Nothing was changed."));
                Vec::new()
            }
            Some(limits) => vec![Wish::Send(Command::SetLimits { block: form.block, limits })],
            None => {
                self.layers.push(Layer::Limits(form));
                Vec::new()
            }
        }
    }

    /// The limits that a change starts from.
    fn limits_of(state: &State, block: BlockId) -> Limits {
        let inspected = state.inspected(block).and_then(|i| i.terms.as_ref().ok()).map(|t| t.limits);
        let chosen = state.live.blocks.get(&block).and_then(|b| b.limits);
        chosen.or(inspected).unwrap_or_default()
    }
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
        assert_eq!(read(Limit::Output, "256K").map(|l| l.kept_bytes), Some(256 << 10));
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

    #[test]
    fn a_wrong_row_tells_why_keeps_its_text_and_stops_all_of_them() {
        let mut form = LimitsForm::new(BlockId(1), Limits::default(), None);
        form.set(Limit::Memory, "3G");
        form.set(Limit::Output, "much");
        assert_eq!(form.read(), None);
        assert_eq!(form.at, 5);
        assert_eq!(form.rows[5].field.text(), "much");
        assert!(form.rows[5].wrong.as_ref().unwrap().contains("64 MiB"));
        assert!(form.rows[1].wrong.is_none());
        form.set(Limit::Output, "1M");
        assert_eq!(form.read(), Some(Limits { memory_bytes: 3 << 30, ..Limits::default() }));
    }

    #[test]
    fn a_row_that_was_not_touched_keeps_what_could_not_be_typed() {
        let before = Limits { wall_ms: 500, kept_bytes: 100, ..Limits::default() };
        let mut form = LimitsForm::new(BlockId(1), before, None);
        form.set(Limit::Processes, "3");
        assert_eq!(form.read(), Some(Limits { processes: 3, ..before }));
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
