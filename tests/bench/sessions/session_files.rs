//! Writes the sessions to measure: prompts and replies, sealed like those of a person.

use crate::recorded_run::recorded_run;
use crate::wait;
use sayso::domain::{Entry, Finish, FinishReason, Header, SessionId, StepId, Timestamp, TurnEnd, Usage};
use sayso::store::{Seal, Store};
use std::path::{Path, PathBuf};

/// The most entries that wait to be written to the disk.
const ON_THEIR_WAY: usize = 2_000;

/// A size of session.
pub struct Size {
    pub name: &'static str,
    messages: usize,
    /// Extra paragraphs of each answer.
    paragraphs: usize,
    /// Whether the conversation fits a model's context.
    pub fits: bool,
    /// Bytes that the run of each answer printed; 0: there are no runs.
    printed: usize,
    /// How often the bench opens it.
    pub rounds: usize,
}

impl Size {
    /// The sizes of the table.
    pub fn all(part: usize) -> Vec<Self> {
        let of = |name, messages, paragraphs, fits, rounds| Self {
            name,
            messages: if fits { messages } else { (messages / part).max(1_000) },
            paragraphs,
            fits,
            printed: 0,
            rounds,
        };
        vec![
            of("10 messages", 10, 0, true, 7),
            of("1,000 messages", 1_000, 0, true, 7),
            of("100,000 messages", 100_000, 4, false, 3),
            of("10,000 messages, 1 GB", 10_000, 2_300, false, 3),
            Self { printed: 20_000, ..of("10,000 runs of 20 KB", 20_000, 0, false, 3) },
        ]
    }
}

/// Writes a session of this size below a home.
pub fn session(home: &Path, size: &Size) -> PathBuf {
    write(home, 1, size.messages, (size.paragraphs, size.printed))
}

/// Writes a session of two messages.
pub fn small(home: &Path, number: usize) {
    write(home, number as u128 + 1, 2, (0, 0));
}

fn write(home: &Path, id: u128, messages: usize, (paragraphs, printed): (usize, usize)) -> PathBuf {
    let folder = home.join("sayso");
    let header = Header {
        id: SessionId(format!("01900000-0000-7000-8000-{id:012x}")),
        name: format!("made-{id}"),
        created: Timestamp(1_767_225_600_000),
        // The folder in which the program starts; in another one it would ask where to continue.
        cwd: home.to_path_buf(),
        model: None,
        program: "bench".into(),
        branch_of: None,
    };
    let seal = Seal::make(&folder).expect("a seal");
    let store = Store::create(&folder.join("sessions"), header).with_seal(Some(seal));
    let turns = messages / 2;
    let more = "A line of *words* with `code`, long enough to be wrapped where the window is narrow.\n\n"
        .repeat(paragraphs);
    for n in 0..turns {
        let at = Timestamp(1_767_225_600_000 + n as i64 * 1000);
        let needle = if n == turns / 2 { "the needle" } else { "it" };
        store.append(Entry::Prompt(format!("Question {n}: what is {needle} about?").into()), at);
        let end = if n + 1 == turns { "omega" } else { "and so on" };
        let reply = Entry::Reply {
            step: StepId(n as u32 + 1),
            text: format!(
                "{more}An answer with **some** words and `code`, number {n}, {end}.\n\n- one\n- two\n"
            ),
            reasoning: String::new(),
            tool_calls: vec![],
            kept: vec![],
            finish: Finish { reason: FinishReason::Stop, word: None },
            usage: Usage::default(),
        };
        store.append(reply, at);
        if printed > 0 {
            for entry in run(n as u32 + 1, printed) {
                store.append(entry, at);
            }
        }
        store.append(Entry::TurnEnd(TurnEnd::Answered), at);
        if n % if printed > 0 { ON_THEIR_WAY / 10 } else { ON_THEIR_WAY } == 0 {
            wait(store.sync()).expect("written");
        }
    }
    wait(store.close()).expect("the session is written");
    store.path()
}

/// The block of the answer with this number, and its run, which printed so many bytes.
fn run(number: u32, printed: usize) -> [Entry; 3] {
    let source = format!("for row in rows[{number}:]:\n    print(row)\n");
    let line = format!("{number} a row of a table, as wide as most are   12.50   7.25\n");
    recorded_run(number, &source, line.repeat(printed / line.len()).as_bytes())
}
