//! The check `written`: files were written.

use super::{Check, CheckResponse, CheckSpec, NOTHING};
use crate::recipe::view::View;

const WRITTEN: &str = "written";

#[derive(Debug)]
pub(super) struct WrittenCheck;

impl Check for WrittenCheck {
    fn spec(&self) -> CheckSpec {
        CheckSpec::of("written", &[WRITTEN, NOTHING])
    }

    fn judge(&self, view: &View<'_>) -> CheckResponse {
        let files = view.written();
        if files.is_empty() {
            CheckResponse::nothing(view, "no file was written")
        } else {
            CheckResponse::judge(WRITTEN, files.join(", "))
        }
    }

    fn hint(&self, _: &View<'_>, _: &str, _: &str) -> String {
        "No file was written. Write it.".into()
    }
}
