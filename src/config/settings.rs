//! Defines what a setting is: its name, its form, its bounds, whether a project may tighten it, and its help text; all
//! of them are in `table`.
//!
//! This one table drives the checks of all layers, the limits of project files, the JSON schema, and the test that
//! the example file is complete. Default values are in `schema` and its parts (`Default`) and nowhere else.

pub(super) mod table;

use table::SETTINGS;

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SettingForm {
    /// A text that is not empty.
    Text,
    /// One of these words.
    Words(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number within these bounds.
    Whole(i64, i64),
    /// A limit: a whole number within these bounds, or 0 for none.
    Limit(i64, i64),
    /// An amount of US dollars, up to this many.
    Dollars(i64),
    /// A list of paths: absolute, or below `~/`.
    Paths,
    /// A size within these bounds: a number of bytes, or a text like `64 KiB`.
    Bytes(i64, i64),
    /// A list of texts.
    Texts,
    /// A text, or a list of texts.
    TextOrTexts,
    /// A path: absolute, or below `~/`.
    Folder,
    /// A program: a name that is looked up, or a path.
    Program,
    /// An address that begins with `http://` or `https://`.
    Address,
    /// An executor: `local`, `container`, `container:IMAGE`, `jupyter`, `jupyter:KERNEL`.
    Executor,
}

/// How a project's file may change a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tighten {
    /// Not at all.
    Never,
    /// Only to a lower value; a setting without a value is not limited.
    Lower,
    /// The same, where 0 means not limited.
    LowerLimit,
    /// Only to a higher value.
    Higher,
    /// Only to this word.
    Word(&'static str),
    /// Only switch it off.
    Off,
    /// Only add to the list.
    Add,
}

/// One setting. A `*` in its name is a part that the person chooses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    /// Its name, with dots: `review.arm_ms`.
    pub(crate) name: &'static str,
    /// The form of its value.
    pub(crate) form: SettingForm,
    /// How a project may change it.
    pub(crate) tighten: Tighten,
    /// Its help text, one line.
    pub(crate) help: &'static str,
}

/// The setting with this name, whose parts may be the person's own.
pub(crate) fn find(name: &[String]) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| parts_behind(setting, name).is_some_and(|mut rest| rest.next().is_none()))
}

/// The parts that may follow this name: the next parts of all settings that begin with it.
pub(crate) fn names_below(name: &[String]) -> Vec<&'static str> {
    let mut parts: Vec<&'static str> = Vec::new();
    for next in SETTINGS.iter().filter_map(|setting| parts_behind(setting, name)?.next()) {
        if !parts.contains(&next) {
            parts.push(next);
        }
    }
    parts
}

/// Whether the person chose the last part of this name: `providers.lab`, `languages.ruby`.
pub(crate) fn has_user_name(name: &[String]) -> bool {
    let Some(last) = name.len().checked_sub(1) else { return false };
    SETTINGS.iter().any(|setting| {
        setting.name.split('.').nth(last) == Some("*")
            && parts_behind(setting, name).is_some_and(|mut rest| rest.next().is_some())
    })
}

/// The parts of a setting's name behind this beginning; `None` if it begins otherwise.
fn parts_behind(setting: &Setting, name: &[String]) -> Option<impl Iterator<Item = &'static str> + use<>> {
    let matches = |want: &str, part: &str| want == part || (want == "*" && !part.is_empty());
    let mut wanted = setting.name.split('.');
    name.iter().all(|part| wanted.next().is_some_and(|want| matches(want, part))).then_some(wanted)
}
