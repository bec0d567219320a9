//! The shapes of well-known tokens. Each is specific: a unique prefix, one set of letters, a length. Hashes, UUIDs and
//! other long words do not match.

mod letter_set;
mod private_key;

use super::SecretKind;
use letter_set::{LetterSet, is_base64, run};
use private_key::pem;
use std::ops::Range;

/// The result of matching shapes at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShapeMatch {
    /// No token.
    No,
    /// A token at this range, relative to the position.
    Key(Range<usize>, SecretKind),
    /// The bytes so far may become a token; its kind, if that is already clear.
    Begun(Option<SecretKind>),
}

/// A token that is recognized by its prefix.
struct TokenShape(&'static str, LetterSet, Range<usize>, SecretKind);

/// No token has more letters.
const MAX_TOKEN_LETTERS: usize = 4096;

/// The shapes, longer prefixes first. The range says how many letters follow the prefix.
const SHAPES: &[TokenShape] = &[
    TokenShape("github_pat_", LetterSet::Name, 22..MAX_TOKEN_LETTERS, "a GitHub token"),
    TokenShape("ghp_", LetterSet::Alnum, 30..MAX_TOKEN_LETTERS, "a GitHub token"),
    TokenShape("gho_", LetterSet::Alnum, 30..MAX_TOKEN_LETTERS, "a GitHub token"),
    TokenShape("ghu_", LetterSet::Alnum, 30..MAX_TOKEN_LETTERS, "a GitHub token"),
    TokenShape("ghs_", LetterSet::Alnum, 30..MAX_TOKEN_LETTERS, "a GitHub token"),
    TokenShape("ghr_", LetterSet::Alnum, 30..MAX_TOKEN_LETTERS, "a GitHub token"),
    TokenShape("glpat-", LetterSet::Word, 20..MAX_TOKEN_LETTERS, "a GitLab token"),
    TokenShape("AKIA", LetterSet::Upper, 16..17, "an AWS key"),
    TokenShape("ASIA", LetterSet::Upper, 16..17, "an AWS key"),
    TokenShape("sk-ant-", LetterSet::Word, 16..MAX_TOKEN_LETTERS, "an Anthropic key"),
    TokenShape("sk-proj-", LetterSet::Word, 16..MAX_TOKEN_LETTERS, "an OpenAI key"),
    TokenShape("sk-svcacct-", LetterSet::Word, 16..MAX_TOKEN_LETTERS, "an OpenAI key"),
    TokenShape("sk-admin-", LetterSet::Word, 16..MAX_TOKEN_LETTERS, "an OpenAI key"),
    TokenShape("sk-or-v1-", LetterSet::Word, 16..MAX_TOKEN_LETTERS, "an OpenRouter key"),
    TokenShape("sk-", LetterSet::Alnum, 20..MAX_TOKEN_LETTERS, "an API key (sk-…)"),
    TokenShape("sk_live_", LetterSet::Alnum, 16..MAX_TOKEN_LETTERS, "a Stripe key"),
    TokenShape("sk_test_", LetterSet::Alnum, 16..MAX_TOKEN_LETTERS, "a Stripe key"),
    TokenShape("rk_live_", LetterSet::Alnum, 16..MAX_TOKEN_LETTERS, "a Stripe key"),
    TokenShape("rk_test_", LetterSet::Alnum, 16..MAX_TOKEN_LETTERS, "a Stripe key"),
    TokenShape("whsec_", LetterSet::Alnum, 24..MAX_TOKEN_LETTERS, "a Stripe key"),
    TokenShape("xapp-", LetterSet::Word, 20..MAX_TOKEN_LETTERS, "a Slack token"),
    TokenShape("xoxe.xox", LetterSet::Word, 12..MAX_TOKEN_LETTERS, "a Slack token"),
    TokenShape("xox", LetterSet::Word, 12..MAX_TOKEN_LETTERS, "a Slack token"),
    TokenShape("AIza", LetterSet::Word, 35..36, "a Google key"),
    TokenShape("ya29.", LetterSet::Word, 20..MAX_TOKEN_LETTERS, "a Google token"),
    TokenShape("GOCSPX-", LetterSet::Word, 20..MAX_TOKEN_LETTERS, "a Google key"),
    TokenShape("gsk_", LetterSet::Alnum, 40..MAX_TOKEN_LETTERS, "a Groq key"),
    TokenShape("xai-", LetterSet::Alnum, 40..MAX_TOKEN_LETTERS, "an xAI key"),
    TokenShape("pplx-", LetterSet::Alnum, 40..MAX_TOKEN_LETTERS, "a Perplexity key"),
    TokenShape("hf_", LetterSet::Alnum, 30..MAX_TOKEN_LETTERS, "a Hugging Face token"),
    TokenShape("r8_", LetterSet::Alnum, 36..MAX_TOKEN_LETTERS, "a Replicate token"),
    TokenShape("npm_", LetterSet::Alnum, 36..37, "an npm token"),
    TokenShape("pypi-AgE", LetterSet::Word, 40..MAX_TOKEN_LETTERS, "a PyPI token"),
    TokenShape("dop_v1_", LetterSet::Hex, 64..MAX_TOKEN_LETTERS, "a DigitalOcean token"),
    TokenShape("SG.", LetterSet::Dotted, 60..MAX_TOKEN_LETTERS, "a SendGrid key"),
    TokenShape("dckr_pat_", LetterSet::Word, 20..MAX_TOKEN_LETTERS, "a Docker token"),
    TokenShape("shpat_", LetterSet::Hex, 32..MAX_TOKEN_LETTERS, "a Shopify token"),
    TokenShape("hvs.", LetterSet::Word, 24..MAX_TOKEN_LETTERS, "a Vault token"),
    TokenShape("AGE-SECRET-KEY-1", LetterSet::Alnum, 50..MAX_TOKEN_LETTERS, "an age key"),
    TokenShape("LS0tLS1CRUdJTiBQUklWQVRFIEtFW", LetterSet::Alnum, 1..2, PRIVATE),
    TokenShape("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRV", LetterSet::Alnum, 1..2, PRIVATE),
    TokenShape("LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFW", LetterSet::Alnum, 1..2, PRIVATE),
    TokenShape("LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZ", LetterSet::Alnum, 1..2, PRIVATE),
];

const PRIVATE: SecretKind = "a private key";
const JWT: SecretKind = "a JSON Web Token";

/// Names that precede an AWS secret, which has no shape of its own but forty letters of Base64.
const AWS_NAMES: [&str; 2] = ["aws_secret_access_key", "secretaccesskey"];
const AWS: SecretKind = "an AWS secret key";

/// The header of a JSON Web Token may hold certificates, but not more.
const MAX_HEADER_LETTERS: usize = 16 << 10;

/// The first two bytes of every shape, in each case in which it is written.
pub(super) fn beginnings() -> Vec<[u8; 2]> {
    let two = |word: &str| word.as_bytes().first_chunk::<2>().copied();
    let mut pairs: Vec<[u8; 2]> = SHAPES.iter().filter_map(|shape| two(shape.0)).collect();
    pairs.extend([*b"ey", *b"--"]);
    for [a, b] in AWS_NAMES.iter().filter_map(|name| two(name)) {
        let (upper_a, upper_b) = (a.to_ascii_uppercase(), b.to_ascii_uppercase());
        pairs.extend([[a, b], [upper_a, b], [a, upper_b], [upper_a, upper_b]]);
    }
    pairs
}

/// Matches the shapes at a position. `last`: no bytes follow.
pub(super) fn at(bytes: &[u8], at: usize, last: bool) -> ShapeMatch {
    let rest = bytes.get(at..).unwrap_or_default();
    // Rows of dashes are common, and nothing but a private key begins with one.
    if rest.starts_with(b"-") {
        return pem(rest, last);
    }
    let aws = aws_secret(rest, last);
    if aws != ShapeMatch::No {
        return aws;
    }
    if !begins_word(bytes, at) {
        return ShapeMatch::No;
    }
    let is_in_run = matches!(bytes.get(..at).and_then(<[u8]>::last), Some(b'_' | b'-'));
    let jwt = jwt(rest, is_in_run, last);
    if jwt != ShapeMatch::No {
        return jwt;
    }
    let mut begun = ShapeMatch::No;
    for shape in SHAPES {
        match shape.at(rest, last) {
            ShapeMatch::No => {}
            ShapeMatch::Begun(kind) => begun = ShapeMatch::Begun(kind),
            key @ ShapeMatch::Key(..) => return key,
        }
    }
    begun
}

/// Whether a new word begins at the position. Escapes end a word: `\n` in JSON, `%3D` in a URL, terminal colours; and so
/// does `_`, with which a name may lead up to a token: `copy_ghp_…`.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default();
    let Some(last) = before.last() else { return true };
    if !last.is_ascii_alphanumeric() {
        return true;
    }
    let colour = || {
        let head = before.get(..before.len() - 1).unwrap_or_default();
        let start = head.iter().rposition(|b| !b.is_ascii_digit() && *b != b';').unwrap_or(0);
        last.is_ascii_alphabetic() && head.get(..=start).is_some_and(|head| head.ends_with(b"\x1b["))
    };
    match before.get(before.len().saturating_sub(3)..).unwrap_or_default() {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [b'%', a, b] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit() => true,
        _ => colour(),
    }
}

impl TokenShape {
    fn at(&self, rest: &[u8], last: bool) -> ShapeMatch {
        let TokenShape(word, letters, lengths, kind) = self;
        let word = word.as_bytes();
        if !rest.starts_with(word) {
            let begun = !last && word.starts_with(rest);
            return if begun { ShapeMatch::Begun(None) } else { ShapeMatch::No };
        }
        let body = rest.get(word.len()..).unwrap_or_default();
        // No more is read than tells whether this is a token: after each `-` and `_` of the same run one may begin.
        let most = match lengths.end {
            MAX_TOKEN_LETTERS if word != b"xox" => body.len(),
            end => end,
        };
        let count = run(body.get(..most).unwrap_or(body), |b| letters.has(b));
        let whole =
            lengths.contains(&count) || (lengths.end == MAX_TOKEN_LETTERS && count >= MAX_TOKEN_LETTERS);
        if count == body.len()
            && !last
            && count < MAX_TOKEN_LETTERS
            && (count < lengths.end || lengths.end == MAX_TOKEN_LETTERS)
        {
            return ShapeMatch::Begun(Some(kind));
        }
        // Slack's prefix is followed by one letter and a dash, then numbers: `xoxb-1`.
        let slack = || {
            matches!(body, [b'a' | b'b' | b'e' | b'o' | b'p' | b'r' | b's', b'-', ..])
                && body.get(..count).is_some_and(|body| body.iter().any(u8::is_ascii_digit))
        };
        let fits = word != b"xox" || slack();
        // `sk-` alone begins ordinary names too: so what follows has to be one piece, and dashes belong to the key.
        let end = if whole && word == b"sk-" { run(body, |b| LetterSet::Word.has(b)) } else { count };
        // The first lines of an encoded private key identify all of it.
        let end = if *kind == PRIVATE { run(body, is_base64) } else { end };
        if (whole || *kind == PRIVATE) && fits {
            ShapeMatch::Key(0..word.len() + end, kind)
        } else {
            ShapeMatch::No
        }
    }
}

/// `eyJ….eyJ….…`: three words of Base64, the first two of them JSON objects. `is_in_run`: letters of a word stand before
/// it.
fn jwt(rest: &[u8], is_in_run: bool, last: bool) -> ShapeMatch {
    if !rest.starts_with(b"eyJ") {
        return if !last && b"eyJ".starts_with(rest) { ShapeMatch::Begun(None) } else { ShapeMatch::No };
    }
    let mut end = 0;
    // The header alone is read again at each place in it where a token could begin: there, only a short one counts.
    let longest = if is_in_run { MAX_TOKEN_LETTERS } else { MAX_HEADER_LETTERS };
    for (part, least, most) in [(0, 10, longest), (1, 10, usize::MAX), (2, 8, usize::MAX)] {
        let body = rest.get(end..).unwrap_or_default();
        if part == 1 && !body.starts_with(b"eyJ") {
            let begun = !last && b"eyJ".starts_with(body);
            return if begun { ShapeMatch::Begun(Some(JWT)) } else { ShapeMatch::No };
        }
        let count = run(body.get(..most).unwrap_or(body), |b| LetterSet::Word.has(b));
        if count == body.len() && !last {
            return ShapeMatch::Begun((part > 0).then_some(JWT));
        }
        if count < least {
            return ShapeMatch::No;
        }
        end += count;
        if part < 2 {
            if rest.get(end) != Some(&b'.') {
                return ShapeMatch::No;
            }
            end += 1;
        }
    }
    ShapeMatch::Key(0..end, JWT)
}

/// `aws_secret_access_key = …`: only the value is masked.
fn aws_secret(rest: &[u8], last: bool) -> ShapeMatch {
    for name in AWS_NAMES.map(str::as_bytes) {
        let same = rest.len().min(name.len());
        if !rest
            .get(..same)
            .is_some_and(|head| name.get(..same).is_some_and(|n| head.eq_ignore_ascii_case(n)))
        {
            continue;
        }
        if same < name.len() {
            return if last { ShapeMatch::No } else { ShapeMatch::Begun(None) };
        }
        let behind = rest.get(same..).unwrap_or_default();
        let gap = run(behind, |b| matches!(b, b' ' | b'\t' | b'"' | b'\'' | b'\\' | b':' | b'=' | b'>'));
        let body = behind.get(gap..).unwrap_or_default();
        // One letter more than a secret has tells that this is none.
        let count =
            run(body.get(..41).unwrap_or(body), |b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'));
        if body.len() == count && !last && count <= 40 && gap <= 12 {
            return ShapeMatch::Begun((gap > 0 && count > 0).then_some(AWS));
        }
        let start = same + gap;
        return if (1..=12).contains(&gap) && count == 40 {
            ShapeMatch::Key(start..start + count, AWS)
        } else {
            ShapeMatch::No
        };
    }
    ShapeMatch::No
}
