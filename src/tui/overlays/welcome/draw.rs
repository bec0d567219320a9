//! Draws the choice of a provider: its rows, what was found on this computer, and the open text field.

use super::wanted_text::WantedText;
use super::{OverlayContext, ProviderRow, USUAL_SERVER, Welcome, leave_hint};
use crate::domain::sentences::sandbox::SandboxStanding;
use crate::domain::sentences::{network, running, saving};
use crate::tui::theme::Slot;
use crate::tui::widgets::sheet::{Sheet, entry};
use crate::tui::widgets::{safe, words};
use ratatui::text::Line;

/// In fewer columns than this, a provider's address is left out.
const MIN_ADDRESS_COLUMNS: u16 = 68;

impl Welcome {
    pub(super) fn draw(&self, ctx: OverlayContext<'_>, width: u16) -> Sheet {
        let draw = ctx.draw;
        let mut sheet = Sheet::new("Welcome");
        sheet.words(running::ONLY_APPROVED, width, draw.text());
        sheet.gap().row(Line::styled("Where should answers come from?", draw.style(Slot::UiTitle))).gap();
        let marked = sheet.rows.len() + self.cursor.0;
        // An open field has the cursor, which is in view.
        sheet.in_view = self.field.is_none().then_some(marked..marked + 1);
        for (at, row) in self.rows().iter().enumerate() {
            let (name, what, state) = describe(*row, self);
            // If there is no room for both, the state is more useful than the address.
            let text = match width {
                0..MIN_ADDRESS_COLUMNS if !state.is_empty() => format!("{}  {name:<10} {state}", at + 1),
                _ => format!("{}  {name:<10} {what:<38} {state}", at + 1),
            };
            sheet.row(entry(text.trim_end(), at == self.cursor.0, width, draw));
        }
        sheet.gap();
        sheet.words(&self.interpreters_text(), width, draw.text());
        let standing = SandboxStanding::of(ctx.sandbox);
        let slot = match standing {
            SandboxStanding::Untested => Slot::UiText,
            _ if standing.is_bad() => Slot::SandboxOff,
            _ => Slot::SandboxOn,
        };
        sheet.words(&safe::one_line(&standing.sentence()), width, draw.style(slot));
        sheet.gap();
        sheet.words(saving::KEYS, width, draw.dim());
        sheet.gap();
        match &self.field {
            Some((filling, field)) => {
                let head = match filling {
                    WantedText::Key(of) => format!("key for {}: ", self.name_of(*of)),
                    WantedText::Address => "address: ".into(),
                };
                sheet.field(&head, field, width, draw);
                if self.key_is_gone && *filling == WantedText::Address {
                    sheet.words(saving::KEY_OF_ONE_ADDRESS, width, draw.text());
                }
            }
            None => {
                let digits = self.rows().len();
                let key = if self.takes_key().is_some() { "k paste a key   " } else { "" };
                let (out, word) = leave_hint(ctx);
                let text = format!("1-{digits} or Up/Down, Enter choose   {key}{out} {word}");
                sheet.dim(text, draw);
            }
        }
        sheet
    }

    /// The languages that blocks can run in here.
    fn interpreters_text(&self) -> String {
        match &self.interpreters {
            None => "Looking for python, bash and node on this computer.".to_owned(),
            Some(found) if found.is_empty() => "No interpreter found: blocks can't run here yet.".into(),
            Some(found) => {
                let names: Vec<String> = found
                    .iter()
                    .map(|i| match &i.version {
                        Some(version) => format!("{} {}", i.language, version_number(version)),
                        None => i.language.to_string(),
                    })
                    .collect();
                format!("Found on this computer: {}", names.join(", "))
            }
        }
    }
}

/// The version number without the additions of a build: `12.2.0` of `12.2.0-14+deb12u1`.
fn version_number(version: &str) -> &str {
    let end = version.find(|c: char| !c.is_ascii_digit() && c != '.');
    version.get(..end.unwrap_or(version.len())).unwrap_or_default()
}

fn describe(row: ProviderRow, welcome: &Welcome) -> (String, String, String) {
    match row {
        ProviderRow::Demo => ("Demo".into(), network::OF_DEMO.into(), "ready".into()),
        ProviderRow::Local => {
            let more = welcome.servers.as_ref().map_or(0, |servers| servers.len().saturating_sub(1));
            let state = match (&welcome.servers, welcome.server()) {
                (_, Some(server)) => {
                    let more = if more > 0 { format!(", {more} more") } else { String::new() };
                    format!("found, {}{more}", words::count(server.models().len(), "model"))
                }
                _ if welcome.usual.elsewhere => "not asked".into(),
                (None, None) => "looking".into(),
                (Some(_), None) => "not found".into(),
            };
            let (name, address) = match welcome.server() {
                Some(server) => (server.name.as_str(), server.address.as_deref().unwrap_or_default()),
                None => (USUAL_SERVER, welcome.usual.address.as_str()),
            };
            (title(name), safe::one_line(address.trim_end_matches("/v1")), state)
        }
        ProviderRow::Cloud(at) => {
            let Some(cloud) = welcome.clouds.get(at) else { return Default::default() };
            let state = if cloud.key_location.is_some() { "set" } else { "not set" };
            let key = cloud.key_location.as_ref().unwrap_or(&cloud.key_name);
            (cloud.title.clone(), format!("key from {}", safe::one_line(key)), state.into())
        }
        ProviderRow::Other => ("Other".into(), "any OpenAI-compatible address".into(), String::new()),
    }
}

/// A server program's name as its makers write it.
fn title(provider: &str) -> String {
    match provider {
        "ollama" => "Ollama".into(),
        "lmstudio" => "LM Studio".into(),
        "llamacpp" => "llama.cpp".into(),
        "vllm" => "vLLM".into(),
        other => safe::one_line(other),
    }
}
