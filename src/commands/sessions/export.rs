//! `sayso sessions export`: writes a session in a form for others, to standard output or into a file.

use super::{Console, find, read_and_warn};
use crate::cli::SessionExportArgs;
use crate::domain::sentences::saving;
use crate::domain::visible::{visible, visible_line};
use crate::driver::export::{self, ExportKeys, ExportStop};
use crate::engine::transcript::Transcript;
use crate::export::{Document, ExportFormat};
use crate::report::{Failure, FailureClass, reason};
use crate::session::factory::SessionFactory;
use crate::store;
use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

pub(super) fn run(
    args: &SessionExportArgs,
    factory: &SessionFactory,
    console: &mut Console<'_>,
) -> Result<(), Failure> {
    let format = format(args)?;
    let summary = find(&factory.loaded.sessions(), &args.session)?;
    let loaded = read_and_warn(&summary, factory, console)?;
    let document = Document::of(&Transcript::fold(loaded.entries));
    let keys = match (args.redact, args.allow_secrets) {
        (true, _) => ExportKeys::Mask,
        (_, true) => ExportKeys::Keep,
        _ => ExportKeys::Stop,
    };
    let blobs = store::blobs_of(&summary.path);
    let written = export::write(document, format, &blobs, keys, &factory.masker());
    let (text, ending) = written.map_err(|why| stop_failure(&why))?;
    match &args.output {
        Some(path) => {
            write(path, &text, args.force)?;
            let name = visible_line(&path.to_string_lossy());
            writeln!(console.out, "{}", saving::file(&name))?;
            // A shell would take Python for commands, and Python a shell script for an error.
            if is_other_script(path, ending) {
                let what = if ending == "py" { "Python" } else { "bash" };
                writeln!(console.err, "note: {name} is a script of {what}, whatever its name says")?;
            }
        }
        // A terminal gets control characters in visible form; files and pipes get the exact text.
        None if io::stdout().is_terminal() => write!(console.out, "{}", visible(&text))?,
        None => console.out.write_all(text.as_bytes())?,
    }
    Ok(())
}

fn format(args: &SessionExportArgs) -> Result<ExportFormat, Failure> {
    let of_file = args.output.as_deref().and_then(ExportFormat::of_file);
    args.format.or(of_file).ok_or_else(|| {
        Failure::new(FailureClass::Usage, "which form is wanted is not told")
            .hint("--format md, html, ipynb, script or json; or a file that ends in .md, .html, .ipynb, .py, .sh or .json.")
    })
}

/// Whether a file's name says that it holds a script of another language than the one with this extension.
fn is_other_script(path: &Path, ending: &str) -> bool {
    let named = path.extension().map(|named| named.to_string_lossy().to_ascii_lowercase());
    matches!((named.as_deref(), ending), (Some("sh"), "py") | (Some("py"), "sh"))
}

fn stop_failure(why: &ExportStop) -> Failure {
    let hint = match why {
        ExportStop::Keys(_) => "--redact masks it; --allow-secrets writes it as it is.",
        ExportStop::Form(_) => "Another --format may do.",
    };
    Failure::new(FailureClass::Work, visible_line(&why.to_string())).hint(hint)
}

/// Writes the file completely or not at all, readable only by the person. Only a plain file is replaced: a device or a
/// pipe would be lost for all who use it, and a run may have made a link.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let name = visible_line(&path.to_string_lossy());
    if let Some(there) = fs::symlink_metadata(path).ok().filter(|there| !there.is_file()) {
        let what = if there.is_symlink() { "a link" } else { "no file" };
        return Err(Failure::new(FailureClass::Usage, format!("{name} is {what}"))
            .hint("Name another file. --format without --output writes it to the standard output."));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = tempfile::NamedTempFile::new_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        let kept = if force { file.persist(path) } else { file.persist_noclobber(path) };
        kept.map(drop).map_err(|error| error.error)
    });
    written.map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            return Failure::new(FailureClass::Usage, format!("{name} is there already"))
                .hint("--force replaces it.");
        }
        Failure::new(FailureClass::Work, format!("{name} can't be written: {}", reason(&error)))
    })
}
