//! Chooses which images of results are sent to a model that can see them.

use crate::domain::ImageRef;
use crate::engine::transcript::{SettledEvent, Settlement, Transcript};

/// The most images in a request; the newest are chosen.
const MAX_IMAGES: usize = 4;
/// Images of more bytes than this are not sent.
const MAX_IMAGE_BYTES: u64 = 3 << 20;
/// The formats that models read.
const MEDIA_TYPES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The images made by these runs that could be sent.
pub(super) fn of<'a>(
    transcript: &'a Transcript,
    settled: &[&'a SettledEvent],
) -> impl DoubleEndedIterator<Item = &'a ImageRef> {
    let report = move |settled: &'a SettledEvent| match settled.what {
        Settlement::Ran(run) => {
            let item = transcript.blocks.get(&settled.block)?;
            let run = item.runs.iter().find(|item| item.run == run)?;
            run.ended.as_ref().map(|(_, report)| report)
        }
        Settlement::Rejected(_) | Settlement::Declined(_) => None,
    };
    let fits =
        |image: &&ImageRef| image.bytes <= MAX_IMAGE_BYTES && MEDIA_TYPES.contains(&image.mime.as_str());
    settled.iter().copied().filter_map(report).flat_map(|report| &report.images).filter(fits)
}

/// The newest images of a conversation that could be sent.
pub(super) fn newest(transcript: &Transcript) -> Vec<ImageRef> {
    of(transcript, &transcript.settled.iter().collect::<Vec<_>>()).rev().take(MAX_IMAGES).cloned().collect()
}
