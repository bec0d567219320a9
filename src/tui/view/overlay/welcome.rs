//! The first choice: where answers come from.

use super::Sheet;
use super::lists::entry;
use crate::domain::sentences::sandbox::Standing;
use crate::domain::sentences::{network, saving};
use crate::tui::screen::Screen;
use crate::tui::screen::layer::{Filling, USUAL_SERVER, Welcome, WelcomeRow};
use crate::tui::theme::Slot;
use crate::tui::view::look::Look;
use crate::tui::view::{safe, words};
use ratatui::text::Line;

/// The sheet.
pub(super) fn sheet(screen: &Screen, welcome: &Welcome, width: u16, look: Look<'_>) -> Sheet {
    let mut sheet = Sheet::new("Welcome");
    let app = &screen.setup.app;
    sheet.words(&format!("{app} runs code on this computer only after you approve it."), width, look.text());
    sheet.gap().row(Line::styled("Where should answers come from?", look.style(Slot::UiTitle))).gap();
    for (at, row) in welcome.rows().iter().enumerate() {
        let (name, what, state) = describe(*row, welcome);
        let text = format!("{}  {name:<10} {what:<36} {state}", at + 1);
        sheet.row(entry(text.trim_end(), at == welcome.cursor.0, width, look));
    }
    sheet.gap();
    let found = match &welcome.interpreters {
        None => "Looking for python, bash and node on this computer.".to_owned(),
        Some(found) if found.is_empty() => "No interpreter found: blocks can't run here yet.".into(),
        Some(found) => {
            let names: Vec<String> = found
                .iter()
                .map(|i| match &i.version {
                    Some(version) => format!("{} {}", i.language, safe::one_line(version)),
                    None => i.language.to_string(),
                })
                .collect();
            format!("Found on this computer: {}", names.join(", "))
        }
    };
    sheet.words(&found, width, look.text());
    let standing = Standing::of(screen.sandbox.as_ref());
    let slot = match standing {
        Standing::Untested => Slot::UiText,
        _ if standing.is_bad() => Slot::SandboxOff,
        _ => Slot::SandboxOn,
    };
    sheet.words(&safe::one_line(&standing.sentence()), width, look.style(slot));
    sheet.gap();
    sheet.words(saving::KEYS, width, look.dim());
    sheet.gap();
    match &welcome.field {
        Some((filling, field)) => {
            let head = match filling {
                Filling::Key => "key: ",
                Filling::Address => "address: ",
            };
            sheet.field(head, field, width, look);
        }
        None => {
            let digits = welcome.rows().len();
            let text = format!("1-{digits} or Up/Down, Enter choose   k paste a key   q quit");
            sheet.row(Line::styled(text, look.dim()));
        }
    }
    sheet
}

fn describe(row: WelcomeRow, welcome: &Welcome) -> (String, String, String) {
    match row {
        WelcomeRow::Demo => ("Demo".into(), network::OF_DEMO.into(), "ready".into()),
        WelcomeRow::Local => {
            let more = welcome.servers.as_ref().map_or(0, |servers| servers.len().saturating_sub(1));
            let state = match (&welcome.servers, welcome.server()) {
                (_, Some(server)) => {
                    let more = if more > 0 { format!(" +{more}") } else { String::new() };
                    format!("found, {}{more}", words::count(server.models().len(), "model"))
                }
                (None, None) => "looking".into(),
                (Some(_), None) => "not found".into(),
            };
            let (name, address) = match welcome.server() {
                Some(server) => (server.name.as_str(), server.address.as_deref().unwrap_or_default()),
                None => USUAL_SERVER,
            };
            (title(name), safe::one_line(address.trim_end_matches("/v1")), state)
        }
        WelcomeRow::Cloud(at) => {
            let Some(cloud) = welcome.clouds.get(at) else { return Default::default() };
            let state = match (&cloud.kept, &welcome.key) {
                (Some(_), _) => "set",
                (None, Some(_)) => "pasted",
                (None, None) => "not set",
            };
            let place = cloud.kept.as_ref().unwrap_or(&cloud.place);
            (cloud.title.clone(), format!("key from {}", safe::one_line(place)), state.into())
        }
        WelcomeRow::Other => ("Other".into(), "any OpenAI-compatible address".into(), String::new()),
    }
}

/// The name of a server's program, as its makers write it.
fn title(provider: &str) -> String {
    match provider {
        "ollama" => "Ollama".into(),
        "lmstudio" => "LM Studio".into(),
        "llamacpp" => "llama.cpp".into(),
        "vllm" => "vLLM".into(),
        other => safe::one_line(other),
    }
}
