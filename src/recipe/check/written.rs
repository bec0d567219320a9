//! The check `written`: files were written.

use super::{Check, Look};
use crate::recipe::view::View;

const WRITTEN: &str = "written";
const NOTHING: &str = "nothing";

#[derive(Debug)]
pub(super) struct Written;

impl Check for Written {
    fn name(&self) -> &'static str {
        "written"
    }

    fn verdicts(&self) -> &'static [&'static str] {
        &[WRITTEN, NOTHING]
    }

    fn look(&self, view: &View<'_>) -> Look {
        let files = view.written();
        match (view.reply(), files.as_slice()) {
            (None, _) => Look::Ask,
            (Some(_), []) if !view.newest().is_empty() => Look::Ask,
            (Some(_), []) => Look::Judge { verdict: NOTHING, note: "no file was written".into() },
            (Some(_), files) => Look::Judge { verdict: WRITTEN, note: files.join(", ") },
        }
    }

    fn hint(&self, _: &View<'_>, _: &str, _: &str) -> String {
        "No file was written. Write it.".into()
    }
}
