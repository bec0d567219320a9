use super::*;
use base64::Engine as _;
use proptest::prelude::*;

/// One token of each kind. None is or ever was valid; they are assembled here so that no scanner reports this file as a
/// leak.
fn tokens() -> Vec<String> {
    let letters = "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY";
    let long = format!("{letters}{letters}{letters}");
    let of = |word: &str, count: usize| format!("{word}{}", &long[..count]);
    let upper = |word: &str| format!("{word}{}", "IOSFODNN7EXAMPLE");
    vec![
        of("ghp_", 36),
        of("gho_", 36),
        of("ghs_", 36),
        of("github_pat_", 82),
        of("glpat-", 20),
        upper("AKIA"),
        upper("ASIA"),
        of("sk-", 48),
        of("sk-proj-", 64),
        of("sk-ant-api03-", 80),
        of("sk-or-v1-", 64),
        of("sk_live_", 24),
        format!("xoxb-123456789012-{}", &long[..24]),
        format!("xapp-1-A012345-{}", &long[..24]),
        of("AIza", 35),
        of("ya29.", 60),
        of("hf_", 34),
        of("npm_", 36),
        of("gsk_", 52),
        format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{}", &long[..43]),
    ]
}

fn pem() -> String {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    format!("-----BEGIN {0}-----\n{line}\n{line}\nabcd==\n-----END {0}-----\n", "RSA PRIVATE KEY")
}

#[test]
fn a_mask_keeps_the_length_and_the_lines() {
    let masker = Masker::knowing(["sk-abcdefghij".into()]);
    let masked = masker.mask("key sk-abcdefghij and sk-abcdefghij.".to_owned());
    assert_eq!(*masked, "key [redacted]*** and [redacted]***.");
    assert_eq!(masked.kinds().iter().copied().collect::<Vec<_>>(), ["a key that sayso knows"]);
    let masked = Masker::default().mask(pem());
    assert_eq!((masked.len(), masked.lines().count()), (pem().len(), pem().lines().count()));
    assert!(!masked.contains("MIIE") && masked.contains("-----END RSA"), "{}", *masked);
    assert!(masked.kinds().contains("a private key"));
    assert_eq!(Masker::default().mask(masked.clone().into_inner()).kinds().len(), 0, "a mask is no key");
}

#[test]
fn a_word_is_masked_in_any_case_and_a_key_only_as_it_is() {
    let masker = Masker::knowing(["abcdefghij".into()]).with_words(["wombat".into(), "S\u{f6}hne".into()]);
    for text in ["wombat", "Wombat", "WOMBAT", "womBat"] {
        let masked = masker.text(&format!("a {text}: {text}s, {text}"));
        assert!(!masked.to_lowercase().contains("womb"), "{masked}");
    }
    for text in ["S\u{f6}hne", "s\u{f6}hne", "S\u{d6}HNE", "S\u{f6}hnE"] {
        assert!(!masker.text(text).to_lowercase().contains("hne"), "{text}");
    }
    assert_eq!(masker.text("Abcdefghij"), "Abcdefghij");
    // Letters beyond ASCII have two cases as well: each word here is named in small letters.
    let (ivanov, size) = ("\u{438}\u{432}\u{430}\u{43d}\u{43e}\u{432}", "\u{fc}bergr\u{f6}\u{df}e");
    let others = Masker::default().with_words([ivanov.into(), size.into()]);
    let capital = "\u{418}\u{432}\u{430}\u{43d}\u{43e}\u{432}";
    let sizes = ["\u{dc}bergr\u{f6}\u{df}e", "\u{dc}BERGR\u{d6}\u{1e9e}E", &size.to_uppercase()];
    for text in [ivanov, capital, &ivanov.to_uppercase(), size].into_iter().chain(sizes) {
        let masked = others.text(&format!("a {text}, {text} b"));
        assert!(masked.is_ascii() && !masked.to_lowercase().contains("berg"), "{masked}");
    }
    let mut stream = MaskStream::new(others);
    let pieces = capital.as_bytes().chunks(1).map(|piece| stream.push(piece).into_inner());
    let pieces = pieces.collect::<Vec<_>>().concat();
    let masked = String::from_utf8([pieces, stream.end().into_inner()].concat()).unwrap();
    assert!(masked.is_ascii(), "{masked}");
    let mut stream = MaskStream::new(masker);
    let pieces = ["a Wo", "m", "BAT b"].map(|piece| stream.push(piece.as_bytes()).into_inner());
    let masked = String::from_utf8([pieces.concat(), stream.end().into_inner()].concat()).unwrap();
    assert_eq!(masked, "a ****** b");
}

#[test]
fn well_known_tokens_are_masked_in_any_surroundings() {
    let masker = Masker::default();
    for token in tokens().into_iter().chain([pem()]) {
        let json = serde_json::to_string(&token).unwrap();
        let json = json.trim_matches('"');
        for text in [
            token.clone(),
            format!("export TOKEN={token}\n"),
            format!("x = \"{token}\""),
            format!("https://{token}@host.example/a"),
            format!("{{\"code\":\"a\\n{json}\\nb\"}}"),
            format!("\x1b[31m{token}\x1b[0m"),
            format!("q=%3D{token}"),
        ] {
            let masked = masker.mask(text.clone());
            assert_eq!(masked.len(), text.len());
            for secret in token.split("-----").filter(|part| part.len() > 30) {
                let middle = &secret[secret.len() / 2 - 5..secret.len() / 2 + 5];
                assert!(!masked.contains(middle), "{text:?} became {:?}", *masked);
            }
            assert_eq!(masked.kinds().len(), 1, "{text:?}");
        }
    }
}

#[test]
fn a_name_may_lead_up_to_a_token() {
    let masker = Masker::default();
    for token in tokens() {
        assert_eq!(masker.text(&format!("copy_{token}.txt")).find(&token), None, "{token}");
    }
    let hash = "0123456789abcdef".repeat(4);
    assert_eq!(masker.text(&format!("cache_npm_{hash}")), format!("cache_npm_{hash}"));
}

#[test]
fn rows_of_beginnings_are_not_read_again_from_each_of_them() {
    for word in ["eyJ_", "eyJ-", "xoxq_", "xoxq-", "sk-", "AIza-", "glpat-", "github_pat_", "secretaccesskey"]
    {
        // No part of it has as many letters as a token between two beginnings, or a digit where Slack has one.
        let text = format!("x = {} y", word.repeat(crate::test_cases::size(200_000) / word.len()));
        assert_eq!(Masker::default().text(&text).len(), text.len(), "{word}");
    }
}

#[test]
fn a_secret_of_aws_is_known_by_its_name() {
    let value = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    for text in [
        format!("aws_secret_access_key = {value}"),
        format!("export AWS_SECRET_ACCESS_KEY='{value}'"),
        format!("\"SecretAccessKey\": \"{value}\","),
    ] {
        let masked = Masker::default().text(&text);
        assert!(!masked.contains("wJalr"), "{masked}");
        assert_eq!(masked.len(), text.len());
    }
}

#[test]
fn a_web_token_may_have_a_long_header() {
    let header = format!("eyJ{}", "hbGci".repeat(2000));
    let token = format!("{header}.eyJzdWIiOiIxMjM0NTY3ODkwIn0.aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY");
    let masked = Masker::default().mask(format!("Authorization: Bearer {token}\n"));
    assert!(!masked.contains("hbGci") && !masked.contains("aB3d"), "{}", *masked);
    assert!(masked.kinds().contains("a JSON Web Token"));
}

#[test]
fn ordinary_data_stays() {
    for text in [
        "",
        "550e8400-e29b-41d4-a716-446655440000",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904 (HEAD -> main)",
        "sk-learn, sk-folding-cube-number-seven, disk-1234567890123456789012345",
        "risk-0123456789012345678901234567890123456789",
        "ghp_ is how tokens of GitHub begin; ghp_short is none",
        "AKIA is a name, AKIAIOSFODNN7EXAMPLEX is longer, BAKIAIOSFODNN7EXAMPLE1 begins elsewhere",
        "eyJhbGciOiJIUzI1NiJ9 alone is no token",
        "if \"-----BEGIN PRIVATE KEY-----\" in text and \"-----END PRIVATE KEY-----\" in text: pass",
        "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n-----END CERTIFICATE-----",
        "xoxo, xox-games, xoxo-and-kisses-from-me",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "AIzaria is a name; hf_transfer==0.1.9; npm_config_registry=x; SG.1",
        "aws_secret_access_key is asked for",
        "none ollama lm-studio",
    ] {
        let masked = Masker::knowing(["none".into(), "ollama".into(), "".into()]).mask(text.to_owned());
        assert_eq!(*masked, text);
        assert!(masked.kinds().is_empty(), "{text}");
    }
}

#[test]
fn encodings_of_a_known_key_are_masked() {
    let key = "pa/ss+word\"Ähm-0123456789";
    let masker = Masker::knowing([key.into()]);
    let base64 = base64::engine::general_purpose::STANDARD;
    for lead in ["", "u", "us", "user:"] {
        let text = base64.encode(format!("{lead}{key}"));
        assert!(!masker.mask(format!("Authorization: Basic {text}")).kinds().is_empty(), "{text}");
    }
    let hex: String = key.bytes().map(|b| format!("{b:02x}")).collect();
    let percent = "pa%2Fss%2Bword%22%C3%84hm-0123456789";
    for text in [hex.as_str(), percent, &percent.to_lowercase(), &serde_json::to_string(key).unwrap()] {
        assert!(!masker.mask(text.to_owned()).kinds().is_empty(), "{text}");
    }
}

#[test]
fn a_key_that_a_gap_cut_leaves_neither_part() {
    let key = "q7-0123456789-abcdefghijklmnop";
    let masker = Masker::knowing([key.into()]);
    let token = tokens().remove(0);
    for (secret, head) in [(key, 11), (token.as_str(), 20)] {
        let mut captured = OutputBuffer::new(400);
        let before = 100 - head;
        captured.push(Stream::Stdout, "a ".repeat(before).as_bytes().get(..before).unwrap());
        captured.push(Stream::Stdout, secret.as_bytes());
        captured.push(Stream::Stdout, "b ".repeat(400).as_bytes());
        assert!(captured.dropped(Stream::Stdout) > 0);
        let masked = masker.mask(captured);
        let text = String::from_utf8(masked.bytes(Stream::Stdout)).unwrap();
        assert!(!text.contains(&secret[..head]), "{text}");
    }
    let mut captured = OutputBuffer::new(400);
    captured.push(Stream::Stdout, "a ".repeat(300).as_bytes());
    captured.push(Stream::Stdout, key.as_bytes());
    captured.push(Stream::Stdout, "b ".repeat(146).as_bytes());
    let text = String::from_utf8(masker.mask(captured).bytes(Stream::Stdout)).unwrap();
    assert!(!text.contains("ijklmnop"), "{text}");
}

proptest! {
    #[test]
    fn a_key_in_bytes_is_found_wherever_it_stands(
        before in proptest::collection::vec(any::<u8>(), 0..50),
        after in proptest::collection::vec(any::<u8>(), 0..50),
    ) {
        let secret = "s3cret-value";
        let bytes = [before.as_slice(), secret.as_bytes(), after.as_slice()].concat();
        let masked = Masker::knowing([secret.into()]).mask(bytes.clone());
        prop_assert_eq!(masked.len(), bytes.len());
        prop_assert!(!masked.windows(secret.len()).any(|w| w == secret.as_bytes()));
    }

    /// However a text is split into pieces, the stream's output equals the masked whole text.
    #[test]
    fn pieces_are_masked_like_the_whole(
        words in proptest::collection::vec(0usize..26, 1..12),
        cuts in proptest::collection::vec(1usize..40, 1..60),
    ) {
        let key = "q7-0123456789-abcdefghijklmnop";
        let masker = Masker::knowing([key.into()]);
        let tokens = tokens();
        let text: String = words
            .iter()
            .map(|word| match word {
                0..=19 => format!("{} ", tokens[*word]),
                20 => pem(),
                21 => format!("{key}\n"),
                22 => key[..12].to_owned(),
                23 => "eyJ sk- ghp_ -----BEGIN \n".to_owned(),
                24 => "plain words, 42\n".to_owned(),
                _ => "aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n".to_owned(),
            })
            .collect();
        let whole = masker.mask(text.clone().into_bytes());
        let mut stream = MaskStream::new(masker);
        let (mut got, mut rest, mut cuts) = (Vec::new(), text.as_bytes(), cuts.iter().cycle());
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((*cuts.next().unwrap()).min(rest.len()));
            got.extend(stream.push(piece).into_inner());
            rest = behind;
        }
        got.extend(stream.end().into_inner());
        prop_assert_eq!(String::from_utf8(got), String::from_utf8(whole.into_inner()));
    }

    #[test]
    fn masking_never_breaks_a_text(text in any::<String>()) {
        prop_assert_eq!(Masker::default().text(&text).len(), text.len());
    }
}
