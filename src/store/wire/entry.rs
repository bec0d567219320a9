//! An entry becomes the fields of a line, and a line an entry. The types tell their shape by serde; here stands what
//! belongs to the line: `kind` in front of the fields, and what a line with masked texts is not.

use super::fields::Fields;
use super::frame::Frame;
use super::line_error::LineError;
use super::output::{ExternalOutput, OutputBlob};
use super::run::RunLine;
use crate::domain::Entry;
use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer, VariantAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::{Error, Value};
use std::cell::Cell;
use std::path::Path;

#[derive(Debug)]
pub(crate) enum LineContent {
    /// An entry; the output of its run stands in that file, where one is named.
    Entry(Box<Entry>, Option<ExternalOutput>),
    /// A kind of entry that this version does not know.
    UnknownKind,
}

/// The fields of an entry, `kind` first. Files below `blobs` are named without their folder, so that the sessions can
/// be moved; `output` names the file that holds the output of a run, where it has one of its own.
///
/// # Errors
/// When a value can't be told in JSON; none of ours is such.
pub(crate) fn encode(entry: &Entry, blobs: &Path, output: Option<&OutputBlob>) -> Result<Fields, Error> {
    if let Entry::Ran { run, block, report } = entry {
        return Fields::of("run").with_all(RunLine::of((*run, *block), report, blobs, output));
    }
    // A variant with fields is told as an object with one field, its name; one without them as its name.
    let (name, fields) = match serde_json::to_value(entry)? {
        Value::Object(variant) => variant.into_iter().next().unwrap_or_default(),
        name => (name.as_str().unwrap_or_default().to_owned(), Value::Null),
    };
    match name.split_once('.') {
        Some((kind, which)) => Fields::of(kind).with(kind, which).with_all(fields),
        None => Fields::of(&name).with_all(fields),
    }
}

/// Reads the entry of a line; `blobs` is where files lie that are named without a folder.
///
/// # Errors
/// What is wrong with the line, which part of it named.
pub(crate) fn decode(frame: &Frame<'_>, blobs: &Path) -> Result<LineContent, LineError> {
    let mut decoded = read(&frame.kind, frame.json, blobs)?;
    if let LineContent::Entry(entry, _) = &mut decoded
        && frame.redacted
    {
        no_longer_whole(entry);
    }
    Ok(decoded)
}

/// Reads an entry of this kind from the fields in a line.
pub(super) fn read(kind: &str, json: &str, blobs: &Path) -> Result<LineContent, LineError> {
    let name = match kind {
        "run" => {
            let (entry, outside) = fields_of::<RunLine>(json)?.into_entry(blobs)?;
            return Ok(LineContent::Entry(Box::new(entry), outside));
        }
        "decision" => format!("decision.{}", fields_of::<Decision>(json)?.decision),
        // No kind has a dot: the names of decisions do, and are made of two fields.
        kind if kind.contains('.') => return Ok(LineContent::UnknownKind),
        kind => kind.to_owned(),
    };
    let known = Cell::new(false);
    let line = EntryLine { name: &name, json, known: &known };
    match Entry::deserialize(line) {
        Ok(entry) => Ok(LineContent::Entry(Box::new(entry), None)),
        Err(_) if known.get() => Err(find_fault(line)),
        Err(_) if kind == "decision" => {
            Err(LineError::Field { field: kind.to_owned(), what: "not one that this version knows".into() })
        }
        Err(_) => Ok(LineContent::UnknownKind),
    }
}

/// Reads an entry that can't be read once more, to find out where.
fn find_fault(line: EntryLine<'_, '_>) -> LineError {
    match serde_path_to_error::deserialize::<_, Entry>(line) {
        Err(error) => location_error(&error, line.name),
        Ok(_) => LineError::Whole("it can't be read".into()),
    }
}

#[derive(Deserialize)]
struct Decision {
    decision: String,
}

/// Reads a line as these fields. What else stands there is passed over.
///
/// # Errors
/// What is wrong with it, which part of it named.
pub(crate) fn fields_of<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, LineError> {
    // Once more only where something is wrong: to find out where takes time.
    serde_json::from_str(json).or_else(|_| {
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json))
            .map_err(|error| location_error(&error, ""))
    })
}

/// Where a line is not as it has to be, and how.
fn location_error(error: &serde_path_to_error::Error<Error>, variant: &str) -> LineError {
    let path = error.path().to_string();
    let field = path.strip_prefix(variant).unwrap_or(&path).trim_start_matches('.');
    let what = super::frame::without_place(error.inner());
    if field.is_empty() { LineError::Whole(what) } else { LineError::Field { field: field.to_owned(), what } }
}

/// A text in which a key was masked is not what was written: it can't be run as it stands, and what a provider signed
/// does not hold any more.
fn no_longer_whole(entry: &mut Entry) {
    match entry {
        Entry::Block(block) => block.versions.iter_mut().for_each(|version| version.whole = false),
        Entry::Edited { whole, .. } | Entry::Placed { whole, .. } => *whole = false,
        Entry::Reply { kept, .. } => kept.clear(),
        _ => {}
    }
}

/// A line as a variant of [`Entry`]: its name, and its fields among all that the line holds.
#[derive(Clone, Copy)]
struct EntryLine<'de, 'a> {
    name: &'a str,
    json: &'de str,
    /// Is set when there is a variant of that name.
    known: &'a Cell<bool>,
}

impl<'de> Deserializer<'de> for EntryLine<'de, '_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de> EnumAccess<'de> for EntryLine<'de, '_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let name: StrDeserializer<'_, Error> = self.name.into_deserializer();
        let variant = seed.deserialize(name)?;
        self.known.set(true);
        Ok((variant, self))
    }
}

impl<'de> VariantAccess<'de> for EntryLine<'de, '_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(&mut serde_json::Deserializer::from_str(self.json))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("fields without names"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        serde_json::Deserializer::from_str(self.json).deserialize_map(visitor)
    }
}
