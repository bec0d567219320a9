//! Finds settings that start programs: git's `core.pager=…`, ssh's `ProxyCommand=…`, tar's `exec=…`, and makefiles.

use super::{Order, OrderEffect};

fn whole(what: OrderEffect, text: &str) -> Vec<Order> {
    vec![Order { what, at: 0..text.len() }]
}

fn starts(text: &str) -> OrderEffect {
    OrderEffect::starts(text.trim(), false)
}

/// Git settings whose value is started, by the last part of their name.
const GIT_COMMAND_SETTINGS: &[&str] = &[
    "pager",
    "editor",
    "fsmonitor",
    "sshcommand",
    "gitproxy",
    "askpass",
    "external",
    "textconv",
    "command",
    "cmd",
    "driver",
    "helper",
    "clean",
    "smudge",
    "process",
    "program",
    "packobjectshook",
    "uploadpack",
    "receivepack",
    "vcs",
    "alternaterefscommand",
    "httpd",
    "tocmd",
    "cccmd",
    "sendmailcmd",
    "browser",
    "difffilter",
    "defaultkeycommand",
];

/// Git settings that name a file or folder of things to run.
const GIT_PATH_SETTINGS: &[&str] = &["hookspath", "templatedir"];

/// Helpers that git ships with.
const GIT_HELPERS: &[&str] =
    &["", "store", "cache", "osxkeychain", "manager", "manager-core", "libsecret", "wincred"];

/// How deep settings may stand in the values of aliases (`alias.x=-c core.pager=…`); what deeper ones start is not known.
const MAX_DEPTH: u32 = 16;

/// A git setting `name=value`.
pub(super) fn git(text: &str) -> Vec<Order> {
    git_at(text, 0)
}

fn git_at(text: &str, depth: u32) -> Vec<Order> {
    if depth > MAX_DEPTH {
        return whole(OrderEffect::Unknown, text);
    }
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let name = name.trim().to_ascii_lowercase();
    let last = name.rsplit('.').next().unwrap_or_default();
    let value = value.trim();
    let switch = matches!(
        value.to_ascii_lowercase().as_str(),
        "true" | "false" | "yes" | "no" | "on" | "off" | "0" | "1" | ""
    );
    if name.starts_with("alias.") {
        let found = value.strip_prefix('!').map(starts).or_else(|| hidden_setting(value, depth + 1));
        return found.map_or_else(Vec::new, |what| whole(what, text));
    }
    if name == "protocol.ext.allow" && value != "never" || name.starts_with("url.ext::") {
        return whole(OrderEffect::Unknown, text);
    }
    if GIT_PATH_SETTINGS.contains(&last)
        || matches!(name.as_str(), "include.path")
        || name.starts_with("includeif.")
    {
        return if value.is_empty() || value == "/dev/null" {
            Vec::new()
        } else {
            whole(OrderEffect::File(value.to_owned()), text)
        };
    }
    if name.starts_with("submodule.") && last == "update" {
        return value.strip_prefix('!').map(starts).map_or_else(Vec::new, |what| whole(what, text));
    }
    if switch
        || last == "helper" && GIT_HELPERS.contains(&value.split_whitespace().next().unwrap_or_default())
    {
        return Vec::new();
    }
    if GIT_COMMAND_SETTINGS.contains(&last) || name.starts_with("pager.") {
        return whole(starts(value.trim_start_matches('!')), text);
    }
    Vec::new()
}

/// A `-c core.pager=…` within the value of an alias.
fn hidden_setting(value: &str, depth: u32) -> Option<OrderEffect> {
    let (_, rest) = value.split_once("-c ")?;
    git_at(rest.trim().trim_matches(['"', '\'']), depth).into_iter().next().map(|order| order.what)
}

/// An ssh setting, `Name=value` or `Name value`.
pub(super) fn ssh(text: &str) -> Vec<Order> {
    let split = text.find(['=', ' ', '\t']).unwrap_or(text.len());
    let (name, value) = text.split_at(split);
    let value = value.trim_start_matches(['=', ' ', '\t']).trim_matches('"');
    if value.is_empty() || value.eq_ignore_ascii_case("none") {
        return Vec::new();
    }
    match name.trim().to_ascii_lowercase().as_str() {
        "proxycommand" | "localcommand" | "knownhostscommand" => whole(starts(value), text),
        "pkcs11provider" | "securitykeyprovider" | "xauthlocation" | "include" => {
            whole(OrderEffect::File(value.to_owned()), text)
        }
        "match" if value.contains("exec") => whole(OrderEffect::Unknown, text),
        _ => Vec::new(),
    }
}

/// A checkpoint action of tar.
pub(super) fn checkpoint(text: &str) -> Vec<Order> {
    text.strip_prefix("exec=").map_or_else(Vec::new, |command| whole(starts(command), text))
}

/// Settings of cargo, apt and others whose names say that something is started.
pub(super) fn other(text: &str) -> Vec<Order> {
    const NAMES: &[&str] = &[
        "runner",
        "linker",
        "rustc",
        "wrapper",
        "rustdoc",
        "invoke",
        "::bin",
        "script-shell",
        "credential-provider",
        "pager",
        "editor",
        "browser",
        "node-options",
        "viewer",
        "exec",
        "shell",
        "git",
    ];
    let (name, value) = text.rsplit_once('=').unwrap_or((text, ""));
    let name = name.to_ascii_lowercase();
    let value = value.trim().trim_matches(['"', '\'', '[', ']']);
    if value.is_empty() || matches!(value, "true" | "false") || !NAMES.iter().any(|part| name.contains(part))
    {
        return Vec::new();
    }
    whole(starts(value), text)
}

/// The commands of a makefile: lines after a tab, commands on a rule's line, and `$(shell …)`.
pub(super) fn make(text: &str) -> Vec<Order> {
    let mut orders = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let at = start;
        start += line.len();
        let body = line.trim_end();
        let command = match body.strip_prefix('\t') {
            Some(recipe) => Some(recipe),
            None => body.split_once(':').and_then(|(_, rest)| rest.split_once(';')).map(|(_, recipe)| recipe),
        };
        let shell = body
            .split_once("$(shell ")
            .and_then(|(_, rest)| rest.split_once(')'))
            .map(|(command, _)| command);
        let assigned = body.split_once("!=").map(|(_, command)| command).filter(|_| !body.starts_with('\t'));
        for command in [command, shell, assigned].into_iter().flatten() {
            let command = command.trim().trim_start_matches(['@', '-', '+']).replace("$$", "$");
            if !command.is_empty() {
                let what = OrderEffect::starts(command, true);
                orders.push(Order { what, at: at..at + body.len() });
            }
        }
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_start_are_told_from_those_that_do_not() {
        for text in [
            "core.pager=./x",
            "core.fsmonitor=touch x",
            "core.sshCommand=sh -c id",
            "alias.x=!id",
            "diff.external=./x",
            "filter.a.clean=./x",
            "credential.helper=!id",
            "pager.log=./x",
            "protocol.ext.allow=always",
            "core.hooksPath=/tmp",
            "CORE.PAGER=id",
            "alias.x=-c core.pager=id log",
        ] {
            assert_eq!(git(text).len(), 1, "{text}");
        }
        for text in [
            "core.pager=",
            "core.fsmonitor=true",
            "user.name=Ann",
            "alias.st=status -sb",
            "credential.helper=store",
            "color.pager=true",
            "pager.log=false",
            "core.autocrlf=input",
            "push.default=current",
        ] {
            assert_eq!(git(text).len(), 0, "{text}");
        }
        let effect = |text: &str| git(text).into_iter().next().map(|order| order.what);
        assert_eq!(effect("alias.x=-c alias.y=-c core.pager=id log"), Some(starts("id log")));
        let deep = format!("{}core.pager=id", "alias.x=-c ".repeat(20_000));
        assert_eq!(effect(&deep), Some(OrderEffect::Unknown));
        for text in
            ["ProxyCommand=nc %h %p", "proxycommand nc a 1", "LocalCommand=id", "PKCS11Provider=./x.so"]
        {
            assert_eq!(ssh(text).len(), 1, "{text}");
        }
        assert!(ssh("StrictHostKeyChecking=no").is_empty() && ssh("ProxyCommand=none").is_empty());
        assert!(checkpoint("dot").is_empty() && checkpoint("exec=sh").len() == 1);
        assert_eq!(make("all: a\n\trm -rf b\nx:;id\nA := $(shell id)\nB = 1\n").len(), 3);
        assert_eq!(other("target.x.runner=\"./evil\"").len(), 1);
        assert!(other("build.jobs=4").is_empty());
    }
}
