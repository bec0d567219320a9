//! Converts an entry to the fields of a line, and back. Serde at the types defines the fields; this module adds what
//! belongs to the line: `kind` in front of the fields, and marking texts of a masked line as not whole.

use super::fields::Fields;
use super::frame::Frame;
use super::line_error::FieldError;
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
    /// An entry, and the file with the output of its run, if the output is in a file of its own.
    Entry(Box<Entry>, Option<ExternalOutput>),
    /// A kind of entry that this version does not know.
    UnknownKind,
}

/// The fields of an entry, `kind` first. Files below `blobs` are named without that folder, so that sessions can be
/// moved. `output` names the file with the output of a run, if it is in a file of its own.
///
/// # Errors
/// When a value can't be expressed in JSON, which is not the case for any of ours.
pub(crate) fn encode(entry: &Entry, blobs: &Path, output: Option<&OutputBlob>) -> Result<Fields, Error> {
    if let Entry::Ran { run, block, report } = entry {
        return Fields::of("run").with_all(RunLine::of((*run, *block), report, blobs, output));
    }
    // Serde represents a variant with fields as an object with one field, its name; a variant without fields as its
    // name.
    let (name, fields) = match serde_json::to_value(entry)? {
        Value::Object(variant) => variant.into_iter().next().unwrap_or_default(),
        name => (name.as_str().unwrap_or_default().to_owned(), Value::Null),
    };
    match name.split_once('.') {
        Some((kind, which)) => Fields::of(kind).with(kind, which).with_all(fields),
        None => Fields::of(&name).with_all(fields),
    }
}

/// Reads the entry of a line; `blobs` is the folder of files that are named without a folder.
///
/// # Errors
/// What is wrong with the line, and in which field.
pub(crate) fn decode(frame: &Frame<'_>, blobs: &Path) -> Result<LineContent, FieldError> {
    let mut decoded = read(&frame.kind, frame.json, blobs)?;
    if let LineContent::Entry(entry, _) = &mut decoded
        && frame.redacted
    {
        no_longer_whole(entry);
    }
    Ok(decoded)
}

/// Reads an entry of this kind from the fields of a line.
pub(super) fn read(kind: &str, json: &str, blobs: &Path) -> Result<LineContent, FieldError> {
    let name = match kind {
        "run" => {
            let (entry, outside) = fields_of::<RunLine>(json)?.into_entry(blobs)?;
            return Ok(LineContent::Entry(Box::new(entry), outside));
        }
        "decision" => format!("decision.{}", fields_of::<Decision>(json)?.decision),
        // No kind contains a dot. The variant names of decisions do: they are joined from two fields.
        kind if kind.contains('.') => return Ok(LineContent::UnknownKind),
        kind => kind.to_owned(),
    };
    let known = Cell::new(false);
    let line = EntryLine { name: &name, json, known: &known };
    match Entry::deserialize(line) {
        Ok(entry) => Ok(LineContent::Entry(Box::new(entry), None)),
        Err(_) if known.get() => Err(find_fault(line)),
        Err(_) if kind == "decision" => {
            Err(FieldError::Field { field: kind.to_owned(), what: "not one that this version knows".into() })
        }
        Err(_) => Ok(LineContent::UnknownKind),
    }
}

/// Reads an invalid entry once more, to find out where it is invalid.
fn find_fault(line: EntryLine<'_, '_>) -> FieldError {
    match serde_path_to_error::deserialize::<_, Entry>(line) {
        Err(error) => location_error(&error, line.name),
        Ok(_) => FieldError::Whole("it can't be read".into()),
    }
}

#[derive(Deserialize)]
struct Decision {
    decision: String,
}

/// Reads the fields of `T` from a line. Other fields are ignored.
///
/// # Errors
/// What is wrong with the line, and in which field.
pub(crate) fn fields_of<'a, T: Deserialize<'a>>(json: &'a str) -> Result<T, FieldError> {
    // Tracking the path takes time, so it is done only after an error.
    serde_json::from_str(json).or_else(|_| {
        serde_path_to_error::deserialize(&mut serde_json::Deserializer::from_str(json))
            .map_err(|error| location_error(&error, ""))
    })
}

/// The field in which a line is invalid, and how.
fn location_error(error: &serde_path_to_error::Error<Error>, variant: &str) -> FieldError {
    let path = error.path().to_string();
    let field = path.strip_prefix(variant).unwrap_or(&path).trim_start_matches('.');
    let what = super::frame::without_place(error.inner());
    if field.is_empty() {
        FieldError::Whole(what)
    } else {
        FieldError::Field { field: field.to_owned(), what }
    }
}

/// Marks texts as not whole because a key in them was masked: such a block can't be run, and what a provider signed
/// is no longer valid.
fn no_longer_whole(entry: &mut Entry) {
    match entry {
        Entry::Block(block) => block.versions.iter_mut().for_each(|version| version.whole = false),
        Entry::Edited { whole, .. } | Entry::Placed { whole, .. } => *whole = false,
        Entry::Reply { kept, .. } => kept.clear(),
        _ => {}
    }
}

/// Presents a line to serde as a variant of [`Entry`]: the variant's name, and its fields among all fields of the
/// line.
#[derive(Clone, Copy)]
struct EntryLine<'de, 'a> {
    name: &'a str,
    json: &'de str,
    /// Set if a variant with this name exists.
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
