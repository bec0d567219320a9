//! Characters that are invisible or misleading: which they are, and what they are called.
//!
//! The review warns about them, and the painter never sends one to a terminal raw; both use this table. It judges
//! single characters, except [`joins`], which needs the neighbours.

/// Why a character must not be shown as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum HiddenReason {
    /// C0 and C1 controls and DEL. A carriage return too: callers that split lines remove CRLF first. Tab and line feed
    /// are not hidden.
    Control,
    /// Changes the direction in which text is drawn.
    Bidi,
    /// Takes no room: zero-width spaces, joiners, soft hyphens, variation selectors that no emoji uses.
    ZeroWidth,
    /// Tags and the rest of their plane, in which whole invisible texts can be written.
    Tag,
    /// A letter or symbol that is drawn as nothing.
    Filler,
    /// A line or paragraph separator that is not a line feed.
    Separator,
    /// A space that is not U+0020.
    OddSpace,
}

/// Why a character is hidden; `None` for one that may be shown as it is.
///
/// The two presentation selectors U+FE0E and U+FE0F count as shown, because they are part of ordinary emoji.
pub(crate) fn hidden(c: char) -> Option<HiddenReason> {
    Some(match c {
        '\t' | '\n' => return None,
        ' '..='~' => return None,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => HiddenReason::Control,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            HiddenReason::Bidi
        }
        '\u{ad}' | '\u{34f}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200d}' => HiddenReason::ZeroWidth,
        '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}' => HiddenReason::ZeroWidth,
        '\u{fe00}'..='\u{fe0d}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' => {
            HiddenReason::ZeroWidth
        }
        '\u{2d7f}' | '\u{1107f}' => HiddenReason::ZeroWidth,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0100}'..='\u{e01ef}' => HiddenReason::ZeroWidth,
        '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}' => HiddenReason::Tag,
        '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' => {
            HiddenReason::Filler
        }
        '\u{1d159}' | '\u{16fe4}' => HiddenReason::Filler,
        '\u{2028}' | '\u{2029}' => HiddenReason::Separator,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            HiddenReason::OddSpace
        }
        _ => return None,
    })
}

/// The name of a hidden character in words (`right-to-left override`); `None` for one that is not hidden.
pub(crate) fn name(c: char) -> Option<&'static str> {
    let kind = hidden(c)?;
    Some(match c {
        '\0' => "null",
        '\u{7}' => "bell",
        '\u{8}' => "backspace",
        '\u{b}' => "vertical tab",
        '\u{c}' => "form feed",
        '\r' => "carriage return",
        '\u{1b}' => "escape",
        '\u{7f}' => "delete",
        '\u{85}' => "next line",
        '\u{9b}' => "control sequence introducer",
        '\u{61c}' => "Arabic letter mark",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{ad}' => "soft hyphen",
        '\u{34f}' => "combining grapheme joiner",
        '\u{180e}' => "Mongolian vowel separator",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{2060}' => "word joiner",
        '\u{2061}'..='\u{2064}' => "invisible operator",
        '\u{feff}' => "zero-width no-break space",
        '\u{180b}'..='\u{180f}' | '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{fff9}'..='\u{fffb}' => "interlinear annotation",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{17b4}' | '\u{17b5}' => "Khmer inherent vowel",
        '\u{2800}' => "Braille blank",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        '\u{a0}' => "no-break space",
        '\u{202f}' => "narrow no-break space",
        '\u{3000}' => "ideographic space",
        _ => match kind {
            HiddenReason::Control => "control character",
            HiddenReason::Bidi => "direction control",
            HiddenReason::ZeroWidth => "zero-width character",
            HiddenReason::Tag => "tag character",
            HiddenReason::Filler => "blank character",
            HiddenReason::Separator => "separator",
            HiddenReason::OddSpace => "unusual space",
        },
    })
}

/// Whether the zero-width character `c` has its ordinary function between these neighbours: a joiner inside an emoji,
/// or a joiner or non-joiner between letters of a script that uses them.
pub(crate) fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    match c {
        '\u{200d}' if emoji_end(before) && emoji(after) => true,
        '\u{200c}' | '\u{200d}' => joining_script(before) && joining_script(after),
        _ => false,
    }
}

/// Whether a character can begin an emoji, as far as joiners and selectors need it.
pub(crate) fn emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}' | '\u{2900}'..='\u{297f}' | '\u{2b00}'..='\u{2bff}'
        | '\u{3030}' | '\u{303d}' | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}'
        | '\u{a9}' | '\u{ae}' | '\u{203c}' | '\u{2049}' | '\u{2122}' | '\u{2139}')
}

fn emoji_end(c: char) -> bool {
    emoji(c) || c == '\u{fe0f}'
}

/// Scripts that use U+200C and U+200D in their spelling: Arabic and its relatives, the Indic scripts, Khmer, Mongolian.
fn joining_script(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{8ff}' | '\u{900}'..='\u{dff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{18af}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_not_hidden() {
        for c in "aZ 09~\t\näéß漢字кириллицаعربي😀\u{fe0f}\u{301}".chars() {
            assert_eq!(hidden(c), None, "{c:?}");
        }
    }

    #[test]
    fn each_kind_is_known_and_named() {
        for (c, kind) in [
            ('\u{1b}', HiddenReason::Control),
            ('\r', HiddenReason::Control),
            ('\u{9b}', HiddenReason::Control),
            ('\u{202e}', HiddenReason::Bidi),
            ('\u{200b}', HiddenReason::ZeroWidth),
            ('\u{e0041}', HiddenReason::Tag),
            ('\u{3164}', HiddenReason::Filler),
            ('\u{2028}', HiddenReason::Separator),
            ('\u{a0}', HiddenReason::OddSpace),
        ] {
            assert_eq!(hidden(c), Some(kind));
            assert!(name(c).is_some());
        }
        assert_eq!(name('\u{202e}'), Some("right-to-left override"));
    }

    #[test]
    fn every_hidden_character_has_a_name_and_no_other_has() {
        for c in '\0'..=char::MAX {
            assert_eq!(hidden(c).is_some(), name(c).is_some(), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn joiners_work_in_emoji_and_in_scripts_that_use_them() {
        assert!(joins(Some('👩'), '\u{200d}', Some('💻')));
        assert!(joins(Some('\u{fe0f}'), '\u{200d}', Some('🔥')));
        assert!(joins(Some('ی'), '\u{200c}', Some('ه')));
        assert!(!joins(Some('a'), '\u{200d}', Some('b')));
        assert!(!joins(Some('👩'), '\u{200b}', Some('💻')));
        assert!(!joins(None, '\u{200d}', Some('💻')));
    }
}
