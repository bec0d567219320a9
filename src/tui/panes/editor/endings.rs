//! The ends of lines: taken apart when a text is opened, put back as they were when it is handed on.

use similar::{DiffOp, capture_diff_slices};

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Lf,
    CrLf,
}

impl End {
    fn as_str(self) -> &'static str {
        match self {
            End::Lf => "\n",
            End::CrLf => "\r\n",
        }
    }
}

/// A text as lines and their ends. The last line has no end: a text that ends with a newline has an empty last line.
#[derive(Clone, Debug)]
pub(super) struct Lines {
    /// The lines without their ends.
    pub(super) texts: Vec<String>,
    ends: Vec<End>,
    /// Whether it starts with a byte order mark; the mark is in no line.
    mark: bool,
    /// The end that most lines have.
    usual: End,
}

const BYTE_ORDER_MARK: char = '\u{feff}';

impl Lines {
    pub(super) fn of(text: &str) -> Self {
        let body = text.strip_prefix(BYTE_ORDER_MARK);
        let mark = body.is_some();
        let (mut texts, mut ends) = (Vec::new(), Vec::new());
        let mut rest = body.unwrap_or(text);
        while let Some((line, behind)) = rest.split_once('\n') {
            let (line, end) = line.strip_suffix('\r').map_or((line, End::Lf), |l| (l, End::CrLf));
            texts.push(line.to_owned());
            ends.push(end);
            rest = behind;
        }
        texts.push(rest.to_owned());
        let usual = if 2 * ends.iter().filter(|e| **e == End::CrLf).count() > ends.len() {
            End::CrLf
        } else {
            End::Lf
        };
        Self { texts, ends, mark, usual }
    }

    /// Takes over the line ends of a text that replaced this one, for lines that are not in this one.
    pub(super) fn adopt(&mut self, other: &Lines) {
        self.usual = other.usual;
    }

    /// The lines as one text again: lines that were there keep their ends.
    pub(super) fn join(&self, now: &[String]) -> String {
        let ends = self.ends_for(now);
        let mut text = String::with_capacity(now.iter().map(|l| l.len() + 2).sum());
        if self.mark {
            text.push(BYTE_ORDER_MARK);
        }
        for (i, line) in now.iter().enumerate() {
            text.push_str(line);
            if i + 1 < now.len() {
                text.push_str(ends.get(i).copied().unwrap_or(self.usual).as_str());
            }
        }
        text
    }

    /// For each line whether it is new or changed.
    pub(super) fn changed(&self, now: &[String]) -> Vec<bool> {
        let mut marks = vec![false; now.len()];
        for op in capture_diff_slices(similar::Algorithm::Myers, &self.texts, now) {
            if let DiffOp::Insert { new_index, new_len, .. } | DiffOp::Replace { new_index, new_len, .. } = op
            {
                marks.iter_mut().skip(new_index).take(new_len).for_each(|m| *m = true);
            }
        }
        marks
    }

    /// The end of each line but the last.
    fn ends_for(&self, now: &[String]) -> Vec<End> {
        if self.ends.iter().all(|e| *e == self.usual) {
            return vec![self.usual; now.len()];
        }
        if now == self.texts {
            return self.ends.clone();
        }
        let mut ends: Vec<Option<End>> = vec![None; now.len()];
        for op in capture_diff_slices(similar::Algorithm::Myers, &self.texts, now) {
            let (old, new, len) = match op {
                DiffOp::Equal { old_index, new_index, len } => (old_index, new_index, len),
                DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                    (old_index, new_index, old_len.min(new_len))
                }
                _ => continue,
            };
            for (end, was) in ends.iter_mut().skip(new).zip(self.ends.iter().skip(old)).take(len) {
                *end = Some(*was);
            }
        }
        // A line that was not there before ends as the one above it.
        let mut above = self.usual;
        ends.into_iter()
            .map(|end| {
                above = end.unwrap_or(above);
                above
            })
            .collect()
    }
}
