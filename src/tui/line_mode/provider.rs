//! Asks for the provider by number: the stories, servers on this computer, providers in the cloud, an address.

use super::page::LinePage;
use crate::domain::sentences::{network, sending};
use crate::driver::catalogue::Offer;
use crate::text::number::counted;
use crate::tui::setup::Cloud;
use crate::tui::ui_command::{Choice, Exit};
use secrecy::SecretString;
use std::io;

/// The state of the question.
#[derive(Debug, Default)]
pub(super) struct ProviderQuestion {
    /// The choices, in the order of their numbers.
    rows: Vec<ProviderOption>,
    wanted: ProviderInput,
}

/// One choice.
#[derive(Debug)]
enum ProviderOption {
    Demo,
    Server { provider: String, model: Option<String>, text: String },
    Cloud(Cloud),
    Other,
}

/// What the next line is.
#[derive(Debug, Default)]
enum ProviderInput {
    #[default]
    Number,
    Key(String),
    Address,
}

impl ProviderQuestion {
    /// Offers the known servers and the providers in the cloud.
    pub(super) fn new(servers: &[Offer], clouds: &[Cloud]) -> Self {
        let server = |offer: &Offer| {
            let model = offer.models().first().map(|model| model.name.model.clone());
            let text = format!("{}, {}", offer.name, counted(offer.models().len(), "model"));
            ProviderOption::Server { provider: offer.name.clone(), model, text }
        };
        let found = servers.iter().filter(|offer| !offer.models().is_empty()).map(server);
        let clouds = clouds.iter().cloned().map(ProviderOption::Cloud);
        let rows = [ProviderOption::Demo]
            .into_iter()
            .chain(found)
            .chain(clouds)
            .chain([ProviderOption::Other])
            .collect();
        Self { rows, wanted: ProviderInput::Number }
    }

    /// Asks for the key of a provider directly.
    pub(super) fn key(provider: String) -> Self {
        Self { rows: Vec::new(), wanted: ProviderInput::Key(provider) }
    }

    /// Whether the input must not be shown.
    pub(super) fn is_secret(&self) -> bool {
        matches!(self.wanted, ProviderInput::Key(_))
    }

    pub(super) fn ask(&self, page: &mut LinePage) -> io::Result<()> {
        match &self.wanted {
            ProviderInput::Key(provider) => {
                return page
                    .ask(&format!("Paste the key for {provider} (it is not shown, and stays in memory):"));
            }
            ProviderInput::Address => return page.ask("The address, as http://127.0.0.1:8080/v1:"),
            ProviderInput::Number => {}
        }
        page.line("Where should answers come from?")?;
        for (number, row) in (1..).zip(&self.rows) {
            let text = match row {
                ProviderOption::Demo => format!("demo: {}", network::OF_DEMO),
                ProviderOption::Server { text, .. } => format!("{text}, {}", sending::HERE),
                ProviderOption::Cloud(cloud) => {
                    let key = cloud
                        .key_location
                        .as_ref()
                        .map_or("no key yet".to_owned(), |at| format!("key from {at}"));
                    format!("{}, {key}", cloud.title)
                }
                ProviderOption::Other => "another address that speaks as OpenAI does".to_owned(),
            };
            page.line(&format!("  {number}  {text}"))?;
        }
        page.ask("Type its number:")
    }

    /// Handles a line: the choice, or nothing if another line was asked for.
    pub(super) fn take(&mut self, line: &str, page: &mut LinePage) -> io::Result<Option<Exit>> {
        let line = line.trim();
        let choice = match std::mem::take(&mut self.wanted) {
            ProviderInput::Key(provider) if line.is_empty() => {
                page.line("No key was typed.")?;
                return self.ask_for(ProviderInput::Key(provider), page);
            }
            ProviderInput::Key(provider) => {
                Choice::Cloud { provider, key: Some(SecretString::from(line.to_owned())) }
            }
            ProviderInput::Address if line.is_empty() => {
                page.line("No address was typed.")?;
                return self.ask_for(ProviderInput::Address, page);
            }
            ProviderInput::Address => Choice::Address { base_url: line.to_owned(), key: None },
            ProviderInput::Number => {
                let row = line.parse::<usize>().ok().and_then(|number| self.rows.get(number.checked_sub(1)?));
                match row {
                    Some(ProviderOption::Demo) => Choice::Demo,
                    Some(ProviderOption::Server { provider, model, .. }) => {
                        Choice::Server { provider: provider.clone(), model: model.clone() }
                    }
                    Some(ProviderOption::Cloud(cloud)) if cloud.key_location.is_some() => {
                        Choice::Cloud { provider: cloud.provider.clone(), key: None }
                    }
                    Some(ProviderOption::Cloud(cloud)) => {
                        let wanted = ProviderInput::Key(cloud.provider.clone());
                        return self.ask_for(wanted, page);
                    }
                    Some(ProviderOption::Other) => return self.ask_for(ProviderInput::Address, page),
                    None => {
                        page.line(&format!("That is none of the numbers. {}", sending::NO_PROVIDER))?;
                        page.ask("Type its number:")?;
                        return Ok(None);
                    }
                }
            }
        };
        Ok(Some(Exit::UseProvider(choice)))
    }

    fn ask_for(&mut self, wanted: ProviderInput, page: &mut LinePage) -> io::Result<Option<Exit>> {
        self.wanted = wanted;
        self.ask(page)?;
        Ok(None)
    }
}
