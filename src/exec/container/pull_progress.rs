//! Turns the progress of an image pull into text: one line that overwrites itself, `3 of 8 layers, 45 of 120 MB`, and
//! the messages of the engine about the whole image.
//!
//! Engines report each layer by itself, and far more often than anybody reads.

use crate::text::number::size;
use std::collections::BTreeMap;

/// How many layers are followed; no image has so many.
const MAX_LAYERS: usize = 1000;

/// The progress of one layer.
#[derive(Default)]
struct Layer {
    /// Bytes that have arrived, and bytes in total.
    part: (u64, u64),
    /// It is unpacked, or the engine had it before.
    done: bool,
}

#[derive(Default)]
pub(super) struct PullProgress {
    layers: BTreeMap<String, Layer>,
    /// The last line if it can still be overwritten; else empty.
    line: String,
}

impl PullProgress {
    /// The text to print for a step that the engine reports; `None` if nothing changed.
    pub(super) fn step(&mut self, id: &str, status: &str, part: Option<(i64, i64)>) -> Option<String> {
        let is_layer = !id.is_empty() && !status.starts_with("Pulling from");
        if !is_layer {
            let status: String = status.chars().filter(|c| !c.is_control()).take(120).collect();
            let end = if std::mem::take(&mut self.line).is_empty() { "" } else { "\n" };
            return (!status.is_empty()).then(|| format!("{end}{status}\n"));
        }
        if self.layers.len() >= MAX_LAYERS && !self.layers.contains_key(id) {
            return None;
        }
        let layer = self.layers.entry(id.to_owned()).or_default();
        match status {
            "Downloading" => {
                let number = |n| u64::try_from(n).unwrap_or(0);
                layer.part = part.map_or(layer.part, |(current, total)| (number(current), number(total)));
            }
            "Pull complete" | "Already exists" => {
                (layer.part.0, layer.done) = (layer.part.1, true);
            }
            "Download complete" | "Extracting" => layer.part.0 = layer.part.1,
            _ => {}
        }
        self.written_over()
    }

    /// The current line, as text that overwrites the one before; `None` if it did not change.
    fn written_over(&mut self) -> Option<String> {
        let done = self.layers.values().filter(|layer| layer.done).count();
        let (here, of) = self.layers.values().fold((0u64, 0u64), |(here, of), layer| {
            (here.saturating_add(layer.part.0.min(layer.part.1)), of.saturating_add(layer.part.1))
        });
        let mut line = format!("{done} of {} layers", self.layers.len());
        if of > 0 {
            line += &format!(", {} of {}", size(here), size(of));
        }
        if line == self.line {
            return None;
        }
        // Blanks cover the rest of a longer line.
        let text = format!("\r{line:<width$}", width = self.line.len());
        self.line = line;
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_tells_how_far_all_layers_are() {
        let mut told = PullProgress::default();
        let mut step = |id: &str, status: &str, part| told.step(id, status, part);
        let expected = Some("Pulling from team/tool[2J\n");
        assert_eq!(step("1", "Pulling from team/tool\u{1b}[2J", None).as_deref(), expected);
        assert_eq!(step("a1", "Pulling fs layer", None).as_deref(), Some("\r0 of 1 layers"));
        assert_eq!(step("b2", "Already exists", None).as_deref(), Some("\r1 of 2 layers"));
        assert_eq!(step("a1", "Waiting", None), None);
        let some = step("a1", "Downloading", Some((4_000_000, 20_000_000)));
        assert_eq!(some.as_deref(), Some("\r1 of 2 layers, 4 MB of 20 MB"));
        assert_eq!(step("a1", "Downloading", Some((4_000_001, 20_000_000))), None, "told once");
        assert_eq!(step("a1", "Download complete", None).as_deref(), Some("\r1 of 2 layers, 20 MB of 20 MB"));
        assert_eq!(step("a1", "Extracting", Some((1, 9))), None);
        assert_eq!(step("a1", "Pull complete", None).as_deref(), Some("\r2 of 2 layers, 20 MB of 20 MB"));
        let end = step("", "Status: Downloaded newer image for team/tool:1", None);
        assert_eq!(end.as_deref(), Some("\nStatus: Downloaded newer image for team/tool:1\n"));
        assert_eq!(step("", "", None), None);
    }

    #[test]
    fn a_shorter_line_covers_a_longer_one_and_odd_numbers_do_no_harm() {
        let mut told = PullProgress::default();
        told.step("a", "Downloading", Some((999, 1000)));
        let shorter = told.step("a", "Downloading", Some((i64::MAX, -5)));
        assert_eq!(shorter, Some(format!("\r{:<28}", "0 of 1 layers")));
        for n in 0..2 * MAX_LAYERS {
            told.step(&n.to_string(), "Downloading", Some((i64::MAX, i64::MAX)));
        }
        assert_eq!(told.layers.len(), MAX_LAYERS);
    }
}
