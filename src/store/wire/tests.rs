use super::*;
use crate::domain::{
    BlockId, Entry, Masker, OutputBuffer, Revision, Stream, Timestamp, UnscannedChanges, samples::ran,
};
use crate::store::samples::{captured, output_parts, report, same};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

mod frozen;

fn line_of(entry: &Entry) -> Vec<u8> {
    sealed(Timestamp(1_767_225_600_000), encode(entry, Path::new("/blobs"), None).unwrap()).0
}

fn entry_of(line: &[u8]) -> Entry {
    match decoded(line).unwrap() {
        LineContent::Entry(entry, _) => *entry,
        LineContent::UnknownKind => panic!("unknown kind in {}", String::from_utf8_lossy(line)),
    }
}

fn decoded(line: &[u8]) -> Result<LineContent, super::line_error::FieldError> {
    let frame = open(line.strip_suffix(b"\n").unwrap()).unwrap();
    decode(&frame, Path::new("/blobs"))
}

#[test]
fn the_form_of_a_line() {
    let line = line_of(&Entry::Skipped { block: BlockId(3), revision: Revision(1) });
    let line = String::from_utf8(line).unwrap();
    let body = r#"{"v":1,"seq":1,"at":"2026-01-01T00:00:00.000Z","kind":"decision","decision":"skip","block":3,"revision":1,"prev":"00000000"}"#;
    let crc = format!("{:08x}", crc32fast::hash(body.as_bytes()));
    assert_eq!(line, format!("{},\"crc\":\"{crc}\"}}\n", body.strip_suffix('}').unwrap()));
}

#[test]
fn a_changed_byte_is_seen() {
    let line = line_of(&Entry::Prompt("hello world".into()));
    let body = line.strip_suffix(b"\n").unwrap();
    for at in 0..body.len() {
        let mut bad = body.to_vec();
        bad[at] ^= 1;
        assert!(open(&bad).is_err(), "byte {at}");
    }
}

#[test]
fn fields_that_are_not_known_are_passed_over_and_missing_ones_named() {
    let more = Fields::of("prompt").with("text", "x").with("mood", "new");
    let (line, _) = sealed(Timestamp(0), more);
    assert_eq!(entry_of(&line), Entry::Prompt("x".into()));
    let (line, _) = sealed(Timestamp(0), Fields::of("prompt").with("text", 7));
    let expected = "its field \"text\": invalid type: integer `7`, expected a string";
    assert_eq!(decoded(&line).unwrap_err().to_string(), expected);
}

#[test]
fn the_kind_of_a_decision_is_told_by_its_field_alone() {
    for kind in ["decision.approve", "decision.skip", "decision.edit", "a.b"] {
        let (line, _) = sealed(Timestamp(0), Fields::of(kind).with("block", 1).with("revision", 1));
        assert!(matches!(decoded(&line), Ok(LineContent::UnknownKind)), "{kind}");
    }
    let (line, _) = sealed(
        Timestamp(0),
        Fields::of("decision").with("decision", "skip").with("block", 1).with("revision", 1),
    );
    assert!(
        matches!(decoded(&line), Ok(LineContent::Entry(entry, _)) if matches!(*entry, Entry::Skipped { .. }))
    );
}

/// The line of a run with one part replaced.
fn run_with(part: &str, value: Value) -> Result<LineContent, super::line_error::FieldError> {
    let text = String::from_utf8(line_of(&report_entry())).unwrap();
    let Value::Object(mut fields) = serde_json::from_str(&text).unwrap() else { panic!("{text}") };
    fields.insert(part.to_owned(), value);
    super::entry::read("run", &Value::Object(fields).to_string(), Path::new("/blobs"))
}

fn report_entry() -> Entry {
    let output = captured(&[(Stream::Stdout, b"out"), (Stream::Stderr, b"err")]);
    ran(1, 1, report(output))
}

#[test]
fn a_kernel_that_is_not_told_is_damage_and_not_none() {
    for fate in ["kept", "lost"] {
        assert!(run_with("kernel", json!({ "fate": fate })).is_err(), "{fate}");
        assert!(run_with("kernel", json!({ "fate": fate, "generation": "two" })).is_err(), "{fate}");
    }
    assert!(run_with("kernel", json!({ "fate": "none" })).is_ok());
}

#[test]
fn more_bytes_than_can_be_counted_overflow_nothing() {
    let text = String::from_utf8(line_of(&report_entry())).unwrap();
    let line: Value = serde_json::from_str(&text).unwrap();
    let mut output = line["output"].clone();
    output["dropped"] = json!({ "stdout": u64::MAX, "stderr": u64::MAX });
    let Ok(LineContent::Entry(entry, _)) = run_with("output", output) else { panic!("{line}") };
    let Entry::Ran { report, .. } = *entry else { panic!("{line}") };
    assert_eq!(report.output.total(Stream::Stdout), u64::MAX);
}

#[test]
fn what_was_not_looked_at_stands_in_the_receipt_and_nowhere_else() {
    let mut report = report(OutputBuffer::default());
    let line = String::from_utf8(line_of(&ran(1, 1, report.clone()))).unwrap();
    assert!(!line.contains("not_looked_at"), "{line}");
    report.receipt.not_looked_at = UnscannedChanges {
        folders: 2,
        names: vec!["target".into()],
        changes: 3,
        names_incomplete: true,
        ..UnscannedChanges::default()
    };
    let entry = ran(1, 1, report);
    let line = String::from_utf8(line_of(&entry)).unwrap();
    let expected = r#""not_looked_at":{"folders":2,"names":["target"],"changes":3,"obeyed":true}"#;
    assert!(line.contains(expected), "{line}");
    assert!(same(&entry_of(line.as_bytes()), &entry));
}

#[test]
fn a_blob_is_named_without_its_folder_and_leads_nowhere_else() {
    let mut report = report(OutputBuffer::default());
    report.blob = Some(PathBuf::from("/blobs/run-1.out"));
    report.images[0].path = PathBuf::from("/blobs/figure-1.png");
    let entry = ran(1, 1, report);
    let line = String::from_utf8(line_of(&entry)).unwrap();
    assert!(line.contains(r#""all_output":{"blob":"run-1.out"}"#), "{line}");
    assert!(same(&entry_of(line.as_bytes()), &entry));

    let hostile =
        encode(&entry, Path::new("/blobs"), None).unwrap().with("all_output", json!({ "blob": "../../x" }));
    assert!(decoded(&sealed(Timestamp(0), hostile).0).is_err());
}

#[test]
fn large_output_goes_to_its_own_file_and_comes_back() {
    let big = vec![0xfe; 70_000];
    let output = captured(&[(Stream::Stdout, &big), (Stream::Stderr, b"warn"), (Stream::Stdout, b"end\n")]);
    let blob = blob_for(&output, &Masker::default(), || "output-1.log".into()).unwrap();
    assert_eq!(blob.bytes.len(), 70_008);
    let entry = ran(1, 1, report(output.clone()));
    let (line, _) = sealed(Timestamp(0), encode(&entry, Path::new("/blobs"), Some(&blob)).unwrap());
    assert!(line.len() < 2000);
    let Ok(LineContent::Entry(back, Some(outside))) = decoded(&line) else { panic!() };
    let Entry::Ran { report, .. } = *back else { panic!() };
    assert_eq!(
        report.output.dropped(Stream::Stdout),
        70_004,
        "until the file is read, all of it counts as dropped"
    );
    assert_eq!(output_parts(&restore_blob(&outside, &blob.bytes).unwrap()), output_parts(&output));
    assert!(restore_blob(&outside, &blob.bytes[1..]).is_none());
    assert!(blob_for(&captured(&[(Stream::Stdout, b"small")]), &Masker::default(), String::new).is_none());
}

#[test]
fn moments_beyond_all_calendars_do_not_break_a_line() {
    for at in [i64::MIN, -1, 0, 1, 1_767_225_600_123, i64::MAX] {
        let text = String::from(Timestamp(at));
        let back = Timestamp::try_from(text.clone()).unwrap_or_else(|error| panic!("{text}: {error}"));
        if (-1..=1_767_225_600_123).contains(&at) {
            assert_eq!(back, Timestamp(at));
        }
    }
}

/// The words in JSON and on screen are those in the files.
#[test]
fn a_word_is_the_same_everywhere() {
    fn word(value: impl serde::Serialize) -> String {
        match json!(value) {
            Value::Object(fields) => fields.into_iter().next().unwrap().1.as_str().unwrap().into(),
            word => word.as_str().unwrap().into(),
        }
    }
    use crate::domain::{
        BlockKind, Dialect, Enforcement, ExecutorKind, FailureKind, FinishReason, Grantor, Outcome,
        RecipeEnd, Risk, SandboxLevel, Severity, TurnEnd,
    };
    macro_rules! same {
        ($($value:expr),* $(,)?) => {{ $( assert_eq!(word($value), $value.as_str()); )* }};
    }
    for risk in Risk::ALL {
        same!(risk);
    }
    same!(Dialect::ExecuteTags, ExecutorKind::Installer, SandboxLevel::ReadOnly, Enforcement::Enforced);
    same!(FinishReason::ToolCalls, FailureKind::Refused, FailureKind::Overflow, FailureKind::NotAModel);
    same!(Severity::Medium, RecipeEnd::GaveUp, TurnEnd::StepLimit, Outcome::NotStarted(String::new()));
    same!(Grantor::Person { typed: true }, Grantor::Before, BlockKind::Pull { wanted_by: None });
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(open(&bytes).is_err());
        let _ = peek_version(&bytes);
    }
}

fn sealed(at: Timestamp, fields: Fields) -> (Vec<u8>, ChainLink) {
    let (line, next) = seal(ChainLink::FIRST, at, &Masker::default().mask(fields), false);
    (line.bytes().to_vec(), next)
}

/// A line from elsewhere may claim any length, and a file with holes may have it.
#[test]
fn a_file_that_is_larger_than_a_run_may_keep_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let big = vec![b'x'; 70_000];
    let output = captured(&[(Stream::Stdout, &big)]);
    let blob = blob_for(&output, &Masker::default(), || "output-1.log".into()).unwrap();
    let entry = ran(1, 1, report(output));
    let fields = encode(&entry, Path::new("/blobs"), Some(&blob)).unwrap();
    let (line, _) = sealed(Timestamp(0), fields);
    let claimed = 20_000_000_000u64;
    let forged = String::from_utf8(line).unwrap().replace("o70000", &format!("o0 o{claimed} o0"));
    let body = forged.rsplit_once(",\"crc\"").unwrap().0;
    let forged = format!("{body},\"crc\":\"{:08x}\"}}", crc32fast::hash(format!("{body}}}").as_bytes()));
    let Ok(LineContent::Entry(_, Some(outside))) = decoded(format!("{forged}\n").as_bytes()) else {
        panic!()
    };
    let path = folder.path().join("output-1.log");
    std::fs::File::create(&path).unwrap().set_len(claimed).unwrap();
    let read = crate::store::blob::read_blob(&path, &outside);
    assert!(read.is_err_and(|error| error.to_string().contains("was changed")));
}
