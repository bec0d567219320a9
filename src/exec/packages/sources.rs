//! Where a package manager fetches packages from: the variables of the person's environment that say so, as they are
//! shown before the approval. In a sandbox nothing else says so, since no file of settings is followed there. Pure.

use super::super::environment::Environment;
use super::super::plan;
use crate::domain::sentences::sandbox::ONLY_WITHOUT;
use std::ffi::OsString;

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
pub(super) fn told(language: &str, all: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<String> {
    let names = SOURCES.iter().find(|(of, _)| *of == language).map_or(&[][..], |(_, names)| names);
    let mut told: Vec<String> = all
        .into_iter()
        .filter_map(|(name, value)| {
            let name = name.into_string().ok().filter(|name| names.contains(&name.as_str()))?;
            let note = if name == "PIP_CONFIG_FILE" { ONLY_WITHOUT } else { "" };
            Some(format!("{name}={}{note}", without_password(&value.to_string_lossy())))
        })
        .collect();
    told.sort();
    told
}

/// The same addresses without the names and passwords in them.
fn without_password(addresses: &str) -> String {
    let one = |address: &str| {
        let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (host, path) = rest.split_at(end);
        format!("{scheme}://{}{path}", host.rsplit('@').next().unwrap_or(host))
    };
    addresses.split_whitespace().map(one).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(all: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        all.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn who_names_an_index_is_told_and_a_password_is_not() {
        let env = pairs(&[
            ("UV_INDEX", "corp=https://ada:s3cret@pypi.example/simple https://other.example/a@b"),
            ("PIP_INDEX_URL", "http://token@127.0.0.1:8765/simple"),
            ("PIP_CONFIG_FILE", "/srv/pip.conf"),
            ("PIP_CERT", "/etc/ssl/cert.pem"),
            ("npm_config_registry", "https://npm.example/"),
        ]);
        assert_eq!(
            told("python", env.clone()),
            [
                "PIP_CONFIG_FILE=/srv/pip.conf (only without a sandbox)",
                "PIP_INDEX_URL=http://127.0.0.1:8765/simple",
                "UV_INDEX=corp=https://pypi.example/simple https://other.example/a@b",
            ]
        );
        assert_eq!(told("javascript", env), ["npm_config_registry=https://npm.example/"]);
        assert!(told("r", pairs(&[("PIP_INDEX_URL", "x")])).is_empty());
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
