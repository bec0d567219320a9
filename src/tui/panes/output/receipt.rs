//! Makes the rows about a run: how it ended, what it used and changed, its value or its error.

pub(super) mod changes;
mod result;

use super::tables::Table;
use crate::domain::sentences::{running, sending};
use crate::domain::{
    BlockKind, ImageRef, KernelFate, KernelRef, Language, Outcome, RunReport, Stream, UndrawnReason,
};
use crate::engine::transcript::{BlockItem, BlockStatus, LoadState, OutputAway, RunItem};
use crate::engine::{State, kernels};
use crate::tui::action::Action;
use crate::tui::keymap::Context;
use crate::tui::theme::Slot;
use crate::tui::widgets::draw_context::DrawContext;
use crate::tui::widgets::{safe, words};
use changes::{change_rows, not_looked_at_rows};
use ratatui::text::{Line, Span};
use result::{result_rows, traceback};

/// `| 4.2 s of 60 s   118 MiB`: the progress of the current run.
pub(super) fn progress(state: &State, draw: DrawContext<'_>) -> String {
    let Some(run) = &state.live.run else { return String::new() };
    let memory =
        if run.rss_bytes > 0 { format!("   {}", words::memory(run.rss_bytes)) } else { String::new() };
    let time = state.activity().map(|going_on| going_on.time(draw.now)).unwrap_or_default();
    format!("{} {time}{memory}", draw.spinner())
}

/// The rows about a run.
#[derive(Clone, Debug, Default)]
pub(super) struct RunRows {
    /// The rows before the output; those of tables are not wrapped.
    pub(super) head: Vec<Line<'static>>,
    /// The tables among them.
    pub(super) tables: Vec<Table>,
    /// The rows after the output.
    pub(super) tail: Vec<Line<'static>>,
}

/// The rows before and after the output of an ended run; `first_error` is the output line that says what went wrong.
pub(super) fn end_rows(
    item: &BlockItem,
    run: &RunItem,
    report: &RunReport,
    first_error: Option<&str>,
    width: u16,
    draw: DrawContext<'_>,
) -> RunRows {
    let mut head = vec![Line::styled(safe::cut(&usage_text(report), width.into()), draw.dim())];
    if let Some(line) = first_error {
        // The output contains it in full.
        head.push(Line::styled(
            safe::cut(&safe::one_line(line), width.into()),
            draw.style(Slot::OutputStderr),
        ));
    }
    let mut tables = Vec::new();
    result_rows(report, width, draw, &mut head, &mut tables);
    let warning = |text: &str| safe::wrap_words(text, width.into(), draw.style(Slot::StatusWarn));
    if let Some(detail) = report.outcome.detail().filter(|d| !d.trim().is_empty()) {
        head.extend(safe::wrap_words(detail.trim(), width.into(), draw.style(Slot::BlockFailed)));
    }
    if matches!(report.outcome, Outcome::Refused(_) | Outcome::NotStarted(_)) {
        head.push(Line::styled(format!("Nothing ran.{}", puts_back(item, draw)), draw.dim()));
    }
    if let KernelFate::Lost(kernel) = report.kernel {
        head.extend(warning(&lost_kernel(&run.terms.language, kernel)));
    }
    head.extend(change_rows(report, width, draw));
    head.extend(not_looked_at_rows(report, width, draw));
    head.extend(refusal_rows(report, width, draw));
    if let Some(missing) = running::output_missing(&report.receipt) {
        head.extend(warning(&missing));
    }
    if report.receipt.not_stopped {
        head.extend(safe::wrap_words(running::MOVING, width.into(), draw.style(Slot::StatusError)));
    }
    match run.unloaded_output() {
        Some((_, away)) => head.push(Line::styled(loading_text(away), draw.style(Slot::OutputTruncated))),
        None => head.extend(dropped_rows(report, draw)),
    }
    RunRows { head, tables, tail: traceback(report, width, draw) }
}

/// Whether a run has a value, or an error of its own.
pub(super) fn has_result(report: &RunReport) -> bool {
    report.value.is_some() || report.error.is_some()
}

/// The facts about an ended run, as lines of any length.
pub(in crate::tui) fn end_lines(
    report: &RunReport,
    language: &Language,
    draw: DrawContext<'_>,
) -> impl Iterator<Item = String> {
    const WHOLE: u16 = u16::MAX;
    let image = |image: &ImageRef| {
        let (name, size) = (safe::one_line(&image.name), words::size(image.bytes));
        format!("image {name}  {}x{}  {size}  {}", image.width, image.height, draw.locale.path(&image.path))
    };
    let lost = match report.kernel {
        KernelFate::Lost(kernel) => Some(lost_kernel(language, kernel)),
        _ => None,
    };
    let moving = report.receipt.not_stopped.then(|| running::MOVING.to_owned());
    let detail = report.outcome.detail().map(|detail| safe::one_line(detail.trim()));
    let text = |line: Line<'static>| line.spans.iter().map(|span| span.content.as_ref()).collect::<String>();
    let rows = change_rows(report, WHOLE, draw).into_iter().chain(not_looked_at_rows(report, WHOLE, draw));
    let rows = rows.chain(refusal_rows(report, WHOLE, draw)).chain(dropped_rows(report, draw));
    let facts: Vec<String> = rows.chain(traceback(report, WHOLE, draw)).map(text).collect();
    let mut rows = Vec::new();
    result_rows(report, WHOLE, draw, &mut rows, &mut Vec::new());
    let result: Vec<String> = rows.into_iter().map(text).collect();
    let images: Vec<String> = report.all_images().map(image).collect();
    let first = std::iter::once(usage_text(report)).chain(result);
    let first =
        first.chain([detail, lost, moving, running::output_missing(&report.receipt)].into_iter().flatten());
    first.chain(facts).chain(images).filter(|line| !line.trim().is_empty())
}

fn lost_kernel(language: &Language, kernel: KernelRef) -> String {
    let (name, lost) = (kernels::name(language, kernel), kernels::lost([(language, &kernel)], (": ", "")));
    format!("Kernel {name} is gone{lost}. The next block starts a new one. Nothing was rerun.")
}

/// `exit 0   6.1 s   peak 164 MiB   cpu 5.8 s`
fn usage_text(report: &RunReport) -> String {
    let receipt = &report.receipt;
    let mut parts = Vec::new();
    match (receipt.exit_code, receipt.signal) {
        (_, Some(signal)) => parts.push(format!("signal {signal}")),
        (Some(code), None) => parts.push(format!("exit {code}")),
        (None, None) => parts.push(report.outcome.label().to_lowercase()),
    }
    parts.push(words::duration(receipt.wall_us / 1000));
    if receipt.peak_rss_bytes > 0 {
        parts.push(format!("peak {}", words::memory(receipt.peak_rss_bytes)));
    }
    if receipt.cpu_us > 0 {
        parts.push(format!("cpu {}", words::duration(receipt.cpu_us / 1000)));
    }
    parts.extend(running::paused(receipt));
    parts.join("   ")
}

/// ` R puts it back for review.`; nothing if the block waits already.
fn puts_back(item: &BlockItem, draw: DrawContext<'_>) -> String {
    if item.status == BlockStatus::Open {
        return String::new();
    }
    draw.keymap.hints(Context::Done, (" ", "", "."), &[(Action::ReopenBlock, "puts it back for review")])
}

/// `refused  write to ~/.ssh/config     the network: example.com`: what the sandbox is known to have refused.
fn refusal_rows(report: &RunReport, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let refused = &report.receipt.refused;
    if refused.is_empty() {
        return Vec::new();
    }
    let text = safe::one_line(&refused.join("     "));
    safe::hanging(
        Span::styled(running::REFUSED_LABEL, draw.dim()),
        &text,
        width.into(),
        draw.style(Slot::StatusWarn),
    )
}

/// What is shown instead of output that is not in memory.
fn loading_text(away: OutputAway) -> String {
    let bytes = words::size(away.bytes as u64);
    match away.load {
        LoadState::Lost => format!("{bytes} of output that can't be read again"),
        LoadState::Away | LoadState::Loading => format!("{bytes} of output are being read"),
    }
}

/// How much of the output was not kept.
fn dropped_rows(report: &RunReport, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let parts: Vec<String> = [Stream::Stdout, Stream::Stderr]
        .map(|stream| (report.output.dropped(stream), stream.name()))
        .into_iter()
        .filter(|(dropped, _)| *dropped > 0)
        .map(|(dropped, name)| format!("{} of {name} not shown", words::size(dropped)))
        .collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let keys = [(Action::OutputPager, "shows all"), (Action::OutputWrite, "writes it to a file")];
    let keys = if report.blob.is_some() { &keys[..] } else { &[] };
    let all = draw.keymap.hints(Context::Done, ("   ", "   ", ""), keys);
    vec![Line::styled(format!("{}{all}", parts.join(", ")), draw.style(Slot::OutputTruncated))]
}

/// The rows of a run whose end was never recorded.
pub(super) fn lost_rows(item: &BlockItem, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let text = format!(
        "Block {} was running when the program ended: its end is not known. It is not run again by itself.{}",
        item.block.id,
        puts_back(item, draw)
    );
    safe::wrap_words(&text, width.into(), draw.style(Slot::StatusWarn))
}

/// The rows of a block that did not run; `is_told`: the model has been informed.
pub(super) fn not_run_rows(
    item: &BlockItem,
    is_told: bool,
    width: u16,
    draw: DrawContext<'_>,
) -> Vec<Line<'static>> {
    let (by, why) = match &item.status {
        BlockStatus::Rejected(reason) if !reason.trim().is_empty() => {
            (sending::reason_given(is_told), reason)
        }
        BlockStatus::Declined(why) => match &item.block.kind {
            BlockKind::Edit { .. } => ("Not run. It went back to the model:", why),
            _ if item.block.is_own() => ("Not run:", why),
            _ => ("Not run. The recipe did not offer it:", why),
        },
        _ => return vec![Line::styled("Not run.", draw.dim())],
    };
    let mut rows = safe::wrap_words(by, width.into(), draw.dim());
    rows.extend(safe::hanging(Span::raw("  "), why.trim(), width.into(), draw.text()));
    rows
}

/// `image  chart.png  9.1 MB   not drawn`: pictures that a run wrote and that were not copied.
pub(super) fn undrawn_rows(report: &RunReport, width: u16, draw: DrawContext<'_>) -> Vec<Line<'static>> {
    let rows = report.undrawn().map(|file| {
        let (name, size) = (safe::one_line(&file.path), words::size(file.bytes));
        Line::styled(safe::cut(&format!("image  {name}  {size}   not drawn"), width.into()), draw.dim())
    });
    rows.collect()
}

/// `image 1  figure-1.png  1350x600  48 KB   o open   w save`; an image that already is a file can't be saved, and one
/// that can contain a script is not opened.
pub(super) fn image_row(
    number: usize,
    image: &ImageRef,
    undrawn: Option<UndrawnReason>,
    is_file: bool,
    width: u16,
    draw: DrawContext<'_>,
) -> Line<'static> {
    let is_svg = image.mime == SVG;
    let pixels = match (image.width, image.height) {
        (0, _) | (_, 0) => String::new(),
        (wide, high) => format!("{wide}x{high}  "),
    };
    let keys = [(!is_svg, (Action::OutputOpen, "open")), (!is_file, (Action::OutputWrite, "save"))];
    let keys: Vec<_> = keys.into_iter().filter(|(holds, _)| *holds).map(|(_, key)| key).collect();
    let keys = draw.keymap.hints(Context::Done, ("   ", "   ", ""), &keys);
    let undrawn = undrawn.map_or_else(String::new, |reason| format!("   {reason}"));
    let (name, size) = (safe::one_line(&image.name), words::size(image.bytes));
    let text = format!("image {number}  {name}  {pixels}{size}{undrawn}{keys}");
    Line::styled(safe::cut(&text, width.into()), draw.text())
}

/// The type of images that can contain scripts, which viewers may run.
pub(in crate::tui) const SVG: &str = "image/svg+xml";
