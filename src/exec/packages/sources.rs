//! Where a package manager fetches packages from: the variables of the person's environment that say so, as they are
//! shown before the approval. In a sandbox nothing else says so, since no file of settings is followed there. Pure.

use super::super::environment::Environment;
use super::super::plan;
use crate::config::without_secrets;
use crate::domain::Reach;
use crate::domain::sentences::sandbox::ONLY_WITHOUT;
use std::ffi::OsString;
use std::path::Path;

/// Variables that name an index, a folder of packages, or a server that is trusted without a certificate, by language.
const SOURCES: &[(&str, &[&str])] = &[
    (
        "python",
        &[
            "PIP_INDEX_URL",
            "PIP_EXTRA_INDEX_URL",
            "PIP_FIND_LINKS",
            "PIP_TRUSTED_HOST",
            "PIP_CONFIG_FILE",
            "UV_INDEX",
            "UV_DEFAULT_INDEX",
            "UV_INDEX_URL",
            "UV_EXTRA_INDEX_URL",
            "UV_FIND_LINKS",
        ],
    ),
    ("javascript", &["NPM_CONFIG_REGISTRY", "npm_config_registry"]),
];

/// Variables that name a manager's files of settings. In an environment of the project, a folder of packages or a home
/// folder, an earlier run could have written such a file. uv is told by an option to follow none.
///
/// Each gets a file without settings. npm refuses to read one file twice.
const SETTINGS: &[(&str, &str)] = &[
    ("PIP_CONFIG_FILE", "/dev/null"),
    ("npm_config_userconfig", "/dev/null"),
    ("npm_config_globalconfig", "/nonexistent/npmrc"),
];

/// Makes package managers follow no file of settings.
pub(in crate::exec) fn follow_no_settings(env: &mut Environment) {
    for (name, file) in SETTINGS {
        plan::set(env, name, file);
    }
}

/// Whether a variable says where packages come from.
pub(super) fn is_source(name: &str) -> bool {
    SOURCES.iter().any(|(_, names)| names.contains(&name))
}

/// What these variables say about where packages of a language come from: `PIP_INDEX_URL=https://pypi.example/simple`.
/// `reach` is that of the installation.
pub(super) fn describe(
    language: &str,
    all: impl IntoIterator<Item = (OsString, OsString)>,
    reach: &Reach,
) -> Vec<String> {
    let names = SOURCES.iter().find(|(of, _)| *of == language).map_or(&[][..], |(_, names)| names);
    let is_closed = |path: &Path| reach.reads(path).is_closed() || reach.is_private(path);
    let shown = |address: &String| {
        let note = if local_path(address).is_some_and(is_closed) { ONLY_WITHOUT } else { "" };
        format!("{}{note}", without_password(address))
    };
    let mut told: Vec<String> = all
        .into_iter()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| names.contains(&name.as_str()))?;
            let value = value.to_string_lossy();
            // Followed in no sandbox, whether it can be read or not.
            if name == "PIP_CONFIG_FILE" {
                return Some(format!("{name}={value}{ONLY_WITHOUT}"));
            }
            Some(format!("{name}={}", addresses(&value).iter().map(shown).collect::<Vec<_>>().join(" ")))
        })
        .collect();
    told.sort();
    told
}

/// The addresses in a value, between blanks or commas. A comma may also be part of an address.
fn addresses(value: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in value.split_whitespace() {
        for (at, piece) in word.split(',').enumerate() {
            match found.last_mut() {
                Some(last) if at > 0 && !piece.starts_with('/') && !piece.contains("://") => {
                    last.push(',');
                    last.push_str(piece);
                }
                _ => found.push(piece.to_owned()),
            }
        }
    }
    found
}

/// The same address without the name and password in it, and without a query.
fn without_password(address: &str) -> String {
    if address.contains("://") { without_secrets(address) } else { address.to_owned() }
}

/// The path on this computer that an address leads to: `/w/wheels`, `file:///w/wheels`, `corp=/w/simple`.
fn local_path(address: &str) -> Option<&Path> {
    let named = address.split_once('=').filter(|(name, _)| !name.contains(['/', ':']));
    let address = named.map_or(address, |(_, address)| address);
    let path = address.strip_prefix("file://").or_else(|| address.strip_prefix("file:")).unwrap_or(address);
    Some(Path::new(path)).filter(|path| path.is_absolute())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Reachability, ReachablePath};

    fn pairs(all: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        all.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn who_names_an_index_is_told_and_a_password_is_not() {
        let env = pairs(&[
            ("UV_INDEX", "corp=https://ada:s3cret@pypi.example/simple https://other.example/a@b?token=x"),
            ("UV_FIND_LINKS", "https://ada:a,b@h.example/x,y,https://ada:b@i.example/,/w/a@b"),
            ("PIP_INDEX_URL", "http://token@127.0.0.1:8765/simple"),
            ("PIP_CONFIG_FILE", "/srv/pip.conf"),
            ("PIP_CERT", "/etc/ssl/cert.pem"),
            ("npm_config_registry", "https://npm.example/"),
        ]);
        assert_eq!(
            describe("python", env.clone(), &Reach::open()),
            [
                "PIP_CONFIG_FILE=/srv/pip.conf (only without a sandbox)",
                "PIP_INDEX_URL=http://127.0.0.1:8765/simple",
                "UV_FIND_LINKS=https://h.example/x,y https://i.example/ /w/a@b",
                "UV_INDEX=corp=https://pypi.example/simple https://other.example/a@b",
            ]
        );
        assert_eq!(describe("javascript", env, &Reach::open()), ["npm_config_registry=https://npm.example/"]);
        assert!(describe("r", pairs(&[("PIP_INDEX_URL", "x")]), &Reach::open()).is_empty());
    }

    #[test]
    fn a_folder_that_the_installation_can_not_read_is_no_source_in_the_sandbox() {
        let reach = Reach {
            places: vec![ReachablePath::to_read("/srv/wheels"), ReachablePath::closed("/tmp")],
            read: Reachability::No,
            ..Reach::default()
        };
        for (value, is_read) in [
            ("/w/wheels", false),
            ("file:///w/wheels", false),
            ("file:/w/wheels", false),
            ("corp=/w/simple", false),
            ("/tmp/wheels", false),
            ("/srv/wheels", true),
            ("https://pypi.example/a=/w/b", true),
        ] {
            for reach in [&reach, &Reach::open()] {
                let note = if is_read || *reach == Reach::open() { "" } else { ONLY_WITHOUT };
                let told = describe("python", pairs(&[("UV_INDEX", value)]), reach);
                assert_eq!(told, [format!("UV_INDEX={value}{note}")]);
            }
        }
    }

    #[test]
    fn every_variable_of_an_index_that_is_passed_is_told() {
        for name in super::super::NETWORK {
            let parts = ["INDEX", "LINKS", "TRUSTED_HOST", "REGISTRY", "CONFIG_FILE"];
            assert!(!parts.iter().any(|part| name.to_uppercase().contains(part)), "{name}");
        }
    }

    #[test]
    fn no_file_of_settings_is_followed_whoever_named_it() {
        let mut env = pairs(&[("PIP_CONFIG_FILE", "/work/pip.conf"), ("PATH", "/bin")]);
        follow_no_settings(&mut env);
        for (name, file) in SETTINGS {
            let values: Vec<_> =
                env.iter().filter(|(known, _)| known == name).map(|(_, value)| value).collect();
            assert_eq!(values, [file], "{name}");
        }
    }
}
