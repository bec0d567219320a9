//! Replaces the internal paths under which a program got its source by the name that the person knows, `block 3` or the
//! file that they named, in the errors that the program prints. Pure.
//!
//! Only standard error is changed (in a terminal everything, since streams are not separate there), and only these
//! names are replaced. The code itself is never changed, so line numbers stay right.

use super::helper_wire::FIRST_INHERITED_FD;
use crate::domain::{Chunk, Stream};

/// An internal name, and what is shown instead.
#[derive(Clone, Debug, PartialEq, Eq)]
struct OwnName {
    own: Vec<u8>,
    shown: Vec<u8>,
    /// Whether it counts only at the start of a line.
    begins_line: bool,
}

/// The names of one program. The end of its output that may be the beginning of a name is held back until more arrives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwnNames {
    names: Vec<OwnName>,
    held: Vec<u8>,
    /// The last byte that was passed on.
    last: Option<u8>,
    /// Whether the program has a terminal, where errors and other output are mixed.
    in_terminal: bool,
}

/// In a terminal, a prompt may end in the first byte of a name and wait for input, so a single byte is not held back.
const MIN_HELD_IN_TERMINAL: usize = 2;

impl OwnNames {
    /// For a program that reads its source from the first passed descriptor.
    pub(super) fn of_descriptor(label: &str) -> Self {
        // Some programs show the target of that link.
        let own = [format!("/dev/fd/{FIRST_INHERITED_FD}"), "/memfd:sayso (deleted)".to_owned()];
        own.iter().fold(Self::default(), |names, own| names.with(own, label))
    }

    /// For bash, which names the place of a function that came in by `-c` "environment", and says that a text was
    /// evaluated. If the source itself evaluates texts or exports functions to other shells, lines of those are
    /// reported in the same words, so the names are not replaced.
    pub(super) fn of_bash(label: &str, source: &str) -> Self {
        let shown = format!("{label}: line ");
        let mut names = Self::default();
        if !["export", "declare", "typeset", "set -"].iter().any(|word| source.contains(word)) {
            names = names.with("environment: line ", &shown);
        }
        if !source.contains("eval") {
            names = names.with(&format!("{label}: eval: line "), &shown);
        }
        names.names.iter_mut().for_each(|name| name.begins_line = true);
        names
    }

    /// For a program whose source lies in this private folder.
    pub(super) fn of_folder(folder: &str) -> Self {
        Self::default().with(&format!("{folder}/"), "")
    }

    pub(super) fn with(mut self, own: &str, shown: &str) -> Self {
        let (own, shown) = (own.as_bytes().to_vec(), shown.as_bytes().to_vec());
        self.names.push(OwnName { own, shown, begins_line: false });
        self
    }

    /// For the same program in a terminal.
    pub(super) fn in_terminal(self) -> Self {
        Self { in_terminal: true, ..self }
    }

    /// The stream on which errors appear.
    fn stream(&self) -> Stream {
        if self.in_terminal { Stream::Stdout } else { Stream::Stderr }
    }

    /// Replaces the names in a piece of output.
    pub(super) fn pass(&mut self, chunk: Chunk) -> Vec<Chunk> {
        if self.names.is_empty() {
            return vec![chunk];
        }
        if chunk.stream != self.stream() {
            return self.rest().into_iter().chain([chunk]).collect();
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend(chunk.bytes);
        let shown = self.replaced(&bytes, false);
        shown.into_iter().collect()
    }

    /// The output that is still held back, because nothing follows.
    pub(super) fn rest(&mut self) -> Option<Chunk> {
        let bytes = std::mem::take(&mut self.held);
        self.replaced(&bytes, true)
    }

    /// `is_whole`: nothing follows, so nothing is held back.
    fn replaced(&mut self, bytes: &[u8], is_whole: bool) -> Option<Chunk> {
        let (mut out, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
        while let Some((first, behind)) = rest.split_first() {
            let fits = |name: &&OwnName| is_at(name, self.last);
            let can_be_held = !self.in_terminal || rest.len() >= MIN_HELD_IN_TERMINAL;
            if !is_whole && can_be_held && self.names.iter().filter(fits).any(|name| name.could_stand(rest)) {
                self.held = rest.to_vec();
                break;
            }
            if let Some(name) = self.names.iter().filter(fits).find(|name| name.stands_in(rest)) {
                out.extend(&name.shown);
                rest = rest.get(name.own.len()..).unwrap_or_default();
                self.last = name.own.last().copied();
                continue;
            }
            out.push(*first);
            self.last = Some(*first);
            rest = behind;
        }
        (!out.is_empty()).then(|| Chunk::new(self.stream(), out))
    }
}

impl OwnName {
    /// Whether the text starts with this name, not followed by a digit that would extend its number.
    fn stands_in(&self, text: &[u8]) -> bool {
        let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
        text.strip_prefix(&*self.own)
            .is_some_and(|behind| !(is_digit(self.own.last()) && is_digit(behind.first())))
    }

    /// Whether more bytes could make this text the name.
    fn could_stand(&self, text: &[u8]) -> bool {
        let ends_in_digit = self.own.last().is_some_and(u8::is_ascii_digit);
        self.own.starts_with(text) && (ends_in_digit || self.own.len() > text.len())
    }
}

/// Whether the name can begin after this byte, which must not be inside of a longer path.
fn is_at(name: &OwnName, last: Option<u8>) -> bool {
    match last {
        None | Some(b'\n') => true,
        Some(_) if name.begins_line => false,
        Some(byte) => !(byte.is_ascii_alphanumeric() || b"_-./".contains(&byte)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn err(bytes: &[u8]) -> Chunk {
        Chunk::new(Stream::Stderr, bytes)
    }

    /// What is shown of errors that arrive in pieces of this size.
    fn shown(mut names: OwnNames, text: &str, size: usize) -> String {
        let mut all = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            all.extend(names.pass(err(piece)));
        }
        all.extend(names.rest());
        all.iter().map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect()
    }

    #[test]
    fn a_name_becomes_the_blocks_in_any_pieces() {
        let text = "/dev/fd/90:2:in `f': x\n\tfrom /dev/fd/90:5\n/memfd:sayso (deleted)(3)\n/a/dev/fd/90 /dev/fd/901 /dev/fd/90";
        let wanted = "block 3:2:in `f': x\n\tfrom block 3:5\nblock 3(3)\n/a/dev/fd/90 /dev/fd/901 block 3";
        for size in 1..40 {
            assert_eq!(shown(OwnNames::of_descriptor("block 3"), text, size), wanted, "{size}");
        }
    }

    #[test]
    fn in_a_terminal_all_that_is_printed_is_looked_at_and_a_question_is_not_held_back() {
        let out = |bytes: &[u8]| Chunk::new(Stream::Stdout, bytes);
        let mut names = OwnNames::of_descriptor("block 3").in_terminal();
        assert_eq!(names.pass(out(b"Path? /")), [out(b"Path? /")]);
        assert_eq!(names.pass(out(b"\r\n  File \"/dev/f")), [out(b"\r\n  File \"")]);
        assert_eq!(names.pass(out(b"d/90\", line 2")), [out(b"block 3\", line 2")]);
    }

    #[test]
    fn bash_names_a_function_by_the_file_and_nothing_else_is_taken_for_it() {
        let text = "environment: line 4: x: command not found\nthe environment: line 5\n";
        let wanted = "a.sh: line 4: x: command not found\nthe environment: line 5\n";
        assert_eq!(shown(OwnNames::of_bash("a.sh", "f() {\n x\n}\nf"), text, 7), wanted);
        // A shell below gets the function and counts its lines itself, and so does what the source evaluates.
        let below = "environment: line 1: x: command not found\na.sh: eval: line 6: oh\n";
        let source = "f() { x; }\nexport -f f\nbash b.sh\neval \"$y\"\n";
        assert_eq!(shown(OwnNames::of_bash("a.sh", source), below, 7), below);
    }

    #[test]
    fn what_is_printed_otherwise_comes_at_once_and_in_its_order() {
        let mut names = OwnNames::of_folder("/tmp/sayso-00000000");
        assert_eq!(names.pass(err(b"12%")), [err(b"12%")]);
        assert_eq!(names.pass(err(b" /tmp/say")), [err(b" ")]);
        let out = Chunk::new(Stream::Stdout, b"/tmp/sayso-00000000/a");
        assert_eq!(names.pass(out.clone()), [err(b"/tmp/say"), out]);
        assert_eq!(names.rest(), None);
    }

    proptest! {
        #[test]
        fn what_holds_no_name_is_what_it_was(text in "[a-d/ \n]{0,60}", size in 1usize..20) {
            prop_assert_eq!(shown(OwnNames::of_descriptor("block 3"), &text, size), text);
        }
    }
}
