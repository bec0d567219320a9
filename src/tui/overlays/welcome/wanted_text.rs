//! The text field of the choice: a key, or the address of a server that is not listed.

use super::Welcome;
use crate::domain::sentences::saving;
use crate::tui::setup::Cloud;
use crate::tui::ui_command::Choice;
use crate::tui::widgets::field::Field;
use secrecy::SecretString;

/// The note that asks for the address of a server that is not listed.
pub(super) const TYPE_AN_ADDRESS: &str = "Type the address of the server, then Enter.";

/// What a text field is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedText {
    Key(KeyOwner),
    Address,
}

/// Whose key it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyOwner {
    /// A provider in the cloud: its index in [`Welcome::clouds`].
    Cloud(usize),
    /// The server whose address is typed next.
    OwnServer,
}

impl Welcome {
    /// The name of a key's owner, as the screen shows it.
    pub(super) fn name_of(&self, owner: KeyOwner) -> &str {
        self.cloud(owner).map_or("your own server", |cloud| cloud.title.as_str())
    }

    fn cloud(&self, owner: KeyOwner) -> Option<&Cloud> {
        match owner {
            KeyOwner::Cloud(at) => self.clouds.get(at),
            KeyOwner::OwnServer => None,
        }
    }

    /// Opens the field for a key; returns the note to show.
    pub(super) fn ask_for_key(&mut self, of: KeyOwner) -> String {
        self.field = Some((WantedText::Key(of), Field::secret()));
        format!(
            "Paste a key for {} and press Enter. It stays in memory; /key store keeps it.",
            self.name_of(of)
        )
    }

    pub(super) fn accept_text(&mut self, filling: WantedText, text: String) -> Result<Choice, String> {
        match filling {
            _ if text.is_empty() => Err("Nothing was typed.".into()),
            WantedText::Key(of) => {
                let key = SecretString::from(text);
                match self.cloud(of) {
                    Some(cloud) => Ok(Choice::Cloud { provider: cloud.provider.clone(), key: Some(key) }),
                    None => {
                        (self.key, self.key_is_gone) = (Some(key), false);
                        self.field = Some((WantedText::Address, Field::single_line()));
                        Err(format!("{} {TYPE_AN_ADDRESS}", saving::KEY_IN_MEMORY))
                    }
                }
            }
            WantedText::Address if !text.starts_with("http://") && !text.starts_with("https://") => {
                self.field = Some((WantedText::Address, Field::with(&text)));
                Err("An address begins with http:// or https://.".into())
            }
            WantedText::Address => Ok(Choice::Address { base_url: text, key: self.key.take() }),
        }
    }
}
