//! Copies pictures that a run wrote into files to the session's folder, so that they can be shown as they were.
//! Pictures that a block of R or Julia drew are its plots: these languages have no other way to show them.
//!
//! The pictures are data, read through the session's open working folder; no link is followed out of it. A process of
//! its own decodes them.

use crate::domain::{FileChange, ImageRef, Language, RunId};
use crate::exec;
use crate::workspace::held_path::{Folder, HeldPath};
use crate::workspace::read;
use std::path::Path;
use std::sync::Arc;

/// How many pictures of one run are kept: as many plots as a receipt lists, and the first few others.
const MAX_PLOTS: usize = 50;
const MAX_OTHER_IMAGES: usize = 4;

/// Larger files are not kept.
const MAX_BYTES: u64 = 4 << 20;

/// Copies the pictures among these files into the session's folder of blobs. Returns the plots that this code drew,
/// which count as images that it showed, and the others. Blocks; for a worker.
pub(super) fn keep(
    run: RunId,
    files: &[FileChange],
    code: Option<&(Language, Arc<str>)>,
    folder: &Folder,
    blobs: &Path,
) -> (Vec<ImageRef>, Vec<ImageRef>) {
    // A run may have replaced the folder.
    if !folder.is_in_place() {
        return (Vec::new(), Vec::new());
    }
    let names = code.map(|(language, source)| PlotNames::of(language, source)).unwrap_or_default();
    let pictures = files.iter().filter(|file| file.is_picture());
    let (plots, others): (Vec<_>, Vec<_>) = pictures.partition(|file| names.is_plot(&file.path));
    // Their bytes are checked before they are kept.
    let kept = |files: Vec<&FileChange>, most| {
        files.into_iter().filter_map(|file| keep_one(run, &file.path, folder, blobs)).take(most).collect()
    };
    (kept(plots, MAX_PLOTS), kept(others, MAX_OTHER_IMAGES))
}

fn keep_one(run: RunId, name: &str, folder: &Folder, blobs: &Path) -> Option<ImageRef> {
    let place = HeldPath::find(&folder.path().join(name)).ok()?;
    if place.found().is_none() || !place.path().starts_with(folder.path()) {
        return None;
    }
    let bytes = read::held(&place, MAX_BYTES).ok()?;
    exec::keep_written(run, blobs, name, &bytes)
}

/// R functions that draw into an image file.
const R_CALLS: &[&str] =
    &["png", "jpeg", "ggsave", "agg_png", "agg_jpeg", "CairoPNG", "CairoJPEG", "save_plot"];
/// The same for Julia: Plots and PyPlot, Makie and FileIO, Gadfly.
const JULIA_CALLS: &[&str] = &["savefig", "png", "save", "PNG"];
const MAX_ARGUMENT_CHARS: usize = 400;

/// The file names of a text's plots. R and Julia name the file in the call that draws it, or R names it by itself.
#[derive(Default)]
struct PlotNames<'a> {
    named: Vec<&'a str>,
    is_r: bool,
}

impl<'a> PlotNames<'a> {
    fn of(language: &Language, source: &'a str) -> Self {
        let (devices, is_r) = match language.as_str() {
            "r" => (R_CALLS, true),
            "julia" => (JULIA_CALLS, false),
            _ => return Self::default(),
        };
        Self { named: named_by(devices, source, is_r), is_r }
    }

    fn is_plot(&self, path: &str) -> bool {
        // The function `png` of Julia's Plots adds the extension.
        let whole = |named: &str| !self.is_r && matches_path(path, &format!("{named}.png"));
        let is_named = |named: &&str| matches_path(path, named) || whole(named);
        (self.is_r && is_named_by_r(file_name(path))) || self.named.iter().any(is_named)
    }
}

/// Whether R itself gives a file this name (`assets/profile.R`): `Rplot001.png`, or `Rplot-2-001.png` if that exists.
fn is_named_by_r(name: &str) -> bool {
    let series = name.strip_prefix("Rplot-").and_then(|rest| rest.split_once('-'));
    let later = series.is_some_and(|(series, page)| {
        !series.is_empty() && series.chars().all(|c| c.is_ascii_digit()) && is_page(page, "%03d.png")
    });
    later || is_page(name, "Rplot%03d.png")
}

/// Whether a name in a call can mean this file. Folders in the name have to be those right above the file. A bare name
/// matches in any folder, because another argument may give that.
fn matches_path(path: &str, named: &str) -> bool {
    if named.starts_with('/') || named.contains("..") {
        return is_page(file_name(path), file_name(named));
    }
    let named = named.strip_prefix("./").unwrap_or(named);
    let above = path.rmatch_indices('/').nth(named.matches('/').count());
    is_page(above.and_then(|(at, _)| path.get(at + 1..)).unwrap_or(path), named)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The quoted texts in calls of these functions.
fn named_by<'a>(devices: &[&str], source: &'a str, is_r: bool) -> Vec<&'a str> {
    let mut named = Vec::new();
    for device in devices {
        for (at, _) in source.match_indices(device) {
            let before = source.get(..at).unwrap_or_default();
            let behind = source.get(at + device.len()..).unwrap_or_default().trim_start();
            // In R a dot is a letter of names; in Julia it separates the module.
            let is_part = before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || is_r && c == '.');
            if is_part || !behind.starts_with('(') {
                continue;
            }
            named.extend(texts_in_call(behind));
        }
    }
    named
}

/// The quoted texts in the parentheses at the start.
fn texts_in_call(call: &str) -> Vec<&str> {
    let (mut texts, mut depth, mut quote) = (Vec::new(), 0_usize, None);
    for (at, c) in call.char_indices().take(MAX_ARGUMENT_CHARS) {
        match (quote, c) {
            (Some((opened, began)), _) if c == opened => {
                texts.extend(call.get(began..at));
                quote = None;
            }
            (None, '"' | '\'') => quote = Some((c, at + 1)),
            (None, '(') => depth += 1,
            (None, ')') if depth <= 1 => break,
            (None, ')') => depth -= 1,
            _ => {}
        }
    }
    texts
}

/// Whether a file has this name, in which `%d` or `%03d` stands for a page number.
fn is_page(name: &str, named: &str) -> bool {
    let Some((before, rest)) = named.split_once('%') else { return name == named };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('d');
    let number = after.and_then(|after| name.strip_prefix(before)?.strip_suffix(after));
    number.is_some_and(|number| !number.is_empty() && number.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Outcome, Receipt, RunReport};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x02\x80\0\0\x01\xe0\x08\x06";

    fn change(path: &str, change: &str) -> FileChange {
        FileChange::new(path, change, 0)
    }

    #[test]
    fn plots_of_r_are_what_it_showed_and_other_pictures_are_not() {
        let shown = |language: &str, source: &str| {
            let names = ["Rplot001.png", "out/sales.png", "page-2.png", "photo.png", "Rplotx.png"];
            let language = Language(language.into());
            let plots = PlotNames::of(&language, source);
            names.into_iter().filter(|name| plots.is_plot(name)).collect::<Vec<_>>().join(" ")
        };
        assert!(is_named_by_r("Rplot-2-001.png") && !is_named_by_r("Rplot-x-001.png"));
        assert!(!is_named_by_r("Rplot--001.png"));
        assert_eq!(shown("r", "plot(1:3)"), "Rplot001.png");
        let named = "grDevices::png(filename = \"out/sales.png\", width = 9)";
        assert_eq!(shown("r", named), "Rplot001.png out/sales.png");
        assert_eq!(shown("r", "png ('out/sales.png')\nplot(1)\n"), "Rplot001.png out/sales.png");
        assert_eq!(shown("r", "p <- ggplot(d)\nggsave(\"sales.png\", p)"), "Rplot001.png out/sales.png");
        assert_eq!(shown("r", "jpeg(\"page-%d.png\"); plot(1)"), "Rplot001.png page-2.png");
        assert_eq!(shown("r", "file.copy('a.png', 'photo.png'); mypng('photo.png')"), "Rplot001.png");
        let behind = "png(paste0('out/', f('sales.png')), width = (1)); file.copy('a.png', 'photo.png')";
        assert_eq!(shown("r", behind), "Rplot001.png out/sales.png");
        for elsewhere in ["in/sales.png", "far/out/sales.png", "a/photo.png"] {
            assert_eq!(shown("r", &format!("png('{elsewhere}')")), "Rplot001.png");
        }
        assert_eq!(shown("r", "png('./photo.png')"), "Rplot001.png photo.png");
        assert_eq!(shown("python", "png('out/sales.png')"), "");
        assert_eq!(shown("julia", "plot(1:3)"), "", "what R names by itself is R's");
        for draws in [
            "savefig(p, \"out/sales.png\")",
            "png(\"out/sales\")",
            "CairoMakie.save(\"out/sales.png\", fig; px_per_unit = 2)",
            "draw(PNG(\"out/sales.png\", 6inch, 4inch), p)",
        ] {
            assert_eq!(shown("julia", draws), "out/sales.png", "{draws}");
        }
        assert_eq!(shown("julia", "cp(\"photo.png\", \"out/sales.png\"); mysavefig(\"photo.png\")"), "");
    }

    #[test]
    fn pictures_of_the_folder_are_kept_and_nothing_else() {
        let home = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(home.path()).unwrap();
        let (work, blobs) = (home.join("work"), home.join("blobs"));
        std::fs::create_dir_all(work.join("out")).unwrap();
        std::fs::write(work.join("out/a.PNG"), PNG).unwrap();
        std::fs::write(work.join("text.png"), "no picture").unwrap();
        std::fs::write(work.join("a.svg"), "<?xml version='1.0'?>\n<svg width='5' height='4'/>").unwrap();
        std::fs::write(work.join("page.svg"), "<html><body/></html>").unwrap();
        std::fs::write(home.join("outside.png"), PNG).unwrap();
        std::os::unix::fs::symlink(home.join("outside.png"), work.join("link.png")).unwrap();
        let files = [
            change("out/a.PNG", "created"),
            change("text.png", "created"),
            change("link.png", "created"),
            change("../outside.png", "created"),
            change("gone.png", "deleted"),
            change("a.svg", "created"),
            change("page.svg", "created"),
        ];
        let folder = Folder::find(&work).unwrap();
        let keep = |run, files: &[FileChange], code| keep(RunId(run), files, code, &folder, &blobs);
        let (_, kept) = keep(1, &files, None);
        let told: Vec<_> =
            kept.iter().map(|image| (image.name.as_str(), image.width, image.height)).collect();
        assert_eq!(told, [("out/a.PNG", 640, 480), ("a.svg", 5, 4)]);
        assert!(kept[0].path.starts_with(&blobs));
        // There is no copy of a file of the same name in another folder.
        let other = change("b/out/a.PNG", "created");
        let receipt = Receipt { files: vec![files[0].clone(), other.clone()], ..Receipt::default() };
        let report = RunReport { receipt, pictures: kept.clone(), ..RunReport::bare(Outcome::Ok) };
        assert_eq!(report.undrawn().collect::<Vec<_>>(), [&other]);
        let many: Vec<FileChange> = (0..60).map(|_| change("out/a.PNG", "changed")).collect();
        assert_eq!(keep(2, &many, None).1.len(), MAX_OTHER_IMAGES);
        let draws = (Language("r".into()), Arc::from("png('out/a.PNG')\nplot(1)"));
        let (plots, others) = keep(4, &many, Some(&draws));
        assert_eq!((plots.len(), others.len()), (MAX_PLOTS, 0), "plots are shown as those of Python are");
        std::fs::rename(&work, home.join("old")).unwrap();
        std::os::unix::fs::symlink(home.join("old"), &work).unwrap();
        assert_eq!(keep(3, &files, None), (Vec::new(), Vec::new()), "the folder was replaced");
    }
}
