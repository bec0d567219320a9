//! Tests that code which a text runs without showing it is told or leaves the effects unknown. Each sample was run: it
//! did what the review had not told.

use super::{look, told};

fn assert_unknown(language: &str, samples: &[&str]) {
    let known: Vec<&&str> = samples.iter().filter(|source| !look(language, source).effects.unknown).collect();
    assert!(known.is_empty(), "{known:#?}");
}

fn assert_known(language: &str, samples: &[&str]) {
    for source in samples {
        let review = look(language, source);
        assert!(!review.effects.unknown && review.findings.is_empty(), "{source}: {:?}", told(&review));
    }
}

#[test]
fn code_without_a_grammar_inside_of_commands_is_not_known_as_in_a_block_of_its_own() {
    assert_unknown(
        "bash",
        &[
            "perl -ne 'system q(./x)' a.txt",
            "ruby -e 'system(%q(./x))'",
            "php -r 'system(chr(46) . chr(47) . chr(120));'",
            "cat > a.pl <<'E'\nsystem q(./x);\nE\nperl a.pl",
            "cat > s.awk <<'E'\nBEGIN { system(x) }\nE\nawk -f s.awk a.txt",
        ],
    );
    assert_known("bash", &["awk '{ print $1 }' a.txt", "sed -n '1p' a.txt", "node -e 'console.log(1)'"]);
}
