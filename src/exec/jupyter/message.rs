//! Encodes and decodes messages of the Jupyter protocol, in three forms: the signed parts of a ZeroMQ message, and the
//! two forms of a server's WebSocket. Pure. What it decodes is hostile.

use crate::domain::Sha256;
use crate::domain::word::words;
use crate::text::number::hex;
use hmac::{Hmac, Mac as _};
use serde_json::{Map, Value, json};

/// The version of the protocol.
const VERSION: &str = "5.3";
/// Separates the addresses from the message.
const DELIMITER: &[u8] = b"<IDS|MSG>";
/// How many parts of a message are read at most, addresses and buffers included.
const MAX_PARTS: usize = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(super) enum Channel {
    Shell,
    /// Requests that do not wait for the running block.
    Control,
    /// Output and status, sent to every client.
    Iopub,
    /// Requests for input.
    Stdin,
}

words!(Channel);

/// A message, without the buffers that extensions add.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JupyterMessage {
    pub(crate) channel: Channel,
    pub(crate) header: Value,
    /// The header of the message that this one answers or is about.
    pub(crate) parent: Value,
    pub(crate) content: Value,
}

/// Why bytes are not a valid message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum MessageError {
    #[error("a message of the kernel has a form that is not known")]
    Form,
    /// It is not signed with the key, so somebody else made it.
    #[error("a message carries a wrong signature")]
    Signature,
}

impl JupyterMessage {
    /// A new message. `id` has to be unique, `session` names this client, `date` is the time in ISO 8601.
    pub(super) fn new(
        channel: Channel,
        kind: &str,
        (id, session, date): (&str, &str, &str),
        content: Value,
    ) -> Self {
        let header = json!({
            "msg_id": id, "session": session, "username": "sayso", "date": date, "msg_type": kind, "version": VERSION,
        });
        Self { channel, header, parent: Value::Object(Map::new()), content }
    }

    /// The type of the message, such as `execute_reply`.
    pub(super) fn kind(&self) -> &str {
        self.header.get("msg_type").and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn id(&self) -> &str {
        self.header.get("msg_id").and_then(Value::as_str).unwrap_or_default()
    }

    /// The id of the message that this one answers or is about; empty if there is none.
    pub(super) fn parent_id(&self) -> &str {
        self.parent.get("msg_id").and_then(Value::as_str).unwrap_or_default()
    }

    /// A text field of its content; empty if missing.
    pub(super) fn text(&self, name: &str) -> &str {
        self.content.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The parts that are signed.
    fn body(&self) -> [Vec<u8>; 4] {
        [&self.header, &self.parent, &json!({}), &self.content].map(|part| part.to_string().into_bytes())
    }

    /// Encodes it as the signed parts of a ZeroMQ message.
    pub(super) fn to_parts(&self, key: &[u8]) -> Vec<Vec<u8>> {
        let body = self.body();
        // Without a signature the kernel refuses it.
        let signed = signature(key, &body).unwrap_or_default();
        let mut parts = vec![DELIMITER.to_vec(), signed.into_bytes()];
        parts.extend(body);
        parts
    }

    /// Decodes the parts of a ZeroMQ message.
    ///
    /// # Errors
    /// When they are not a message, or are not signed with this key.
    pub(super) fn from_parts(channel: Channel, parts: &[Vec<u8>], key: &[u8]) -> Result<Self, MessageError> {
        let at = parts.iter().take(MAX_PARTS).position(|part| part == DELIMITER).ok_or(MessageError::Form)?;
        let [signed, body @ ..] = parts.get(at + 1..).unwrap_or_default() else {
            return Err(MessageError::Form);
        };
        let body = body.get(..4).ok_or(MessageError::Form)?;
        if !key.is_empty() && !is_signed(key, body, signed) {
            return Err(MessageError::Signature);
        }
        let [header, parent, _, content] = body else { return Err(MessageError::Form) };
        Self::from_json(channel, header, parent, content)
    }

    /// Encodes it in the binary form of a WebSocket (`v1.kernel.websocket.jupyter.org`): a table of offsets, then the
    /// parts.
    pub(super) fn to_v1(&self) -> Vec<u8> {
        let body = self.body();
        let mut parts: Vec<&[u8]> = vec![self.channel.as_str().as_bytes()];
        parts.extend(body.iter().map(Vec::as_slice));
        let count = parts.len() as u64 + 1;
        let mut bytes = count.to_le_bytes().to_vec();
        let mut offset = 8 * (count + 1);
        bytes.extend(offset.to_le_bytes());
        for part in &parts {
            offset += part.len() as u64;
            bytes.extend(offset.to_le_bytes());
        }
        for part in &parts {
            bytes.extend_from_slice(part);
        }
        bytes
    }

    /// Decodes the binary form of a WebSocket.
    ///
    /// # Errors
    /// When the bytes are not a message.
    pub(super) fn from_v1(bytes: &[u8]) -> Result<Self, MessageError> {
        let number = |at: usize| {
            let bytes: [u8; 8] = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
            usize::try_from(u64::from_le_bytes(bytes)).ok()
        };
        let count = number(0).filter(|count| (6..=MAX_PARTS).contains(count)).ok_or(MessageError::Form)?;
        let offsets: Option<Vec<usize>> = (1..=count).map(|at| number(8 * at)).collect();
        let offsets = offsets.ok_or(MessageError::Form)?;
        let parts: Option<Vec<&[u8]>> = offsets.windows(2).map(|two| bytes.get(two[0]..two[1])).collect();
        let parts = parts.ok_or(MessageError::Form)?;
        let [channel, header, parent, _, content, ..] = parts[..] else { return Err(MessageError::Form) };
        let channel =
            std::str::from_utf8(channel).ok().and_then(|name| name.parse().ok()).ok_or(MessageError::Form)?;
        Self::from_json(channel, header, parent, content)
    }

    /// Encodes it in the text form of a WebSocket, for servers that do not support the binary form.
    pub(super) fn to_text(&self) -> String {
        json!({
            "channel": self.channel.as_str(), "header": self.header, "parent_header": self.parent, "metadata": {},
            "content": self.content, "buffers": [],
        })
        .to_string()
    }

    /// Decodes the text form of a WebSocket.
    ///
    /// # Errors
    /// When the text is not a message.
    pub(super) fn from_text(text: &[u8]) -> Result<Self, MessageError> {
        let mut value: Value = serde_json::from_slice(text).map_err(|_| MessageError::Form)?;
        let channel = value.get("channel").and_then(Value::as_str).and_then(|name| name.parse().ok());
        let mut take = |name: &str| value.get_mut(name).map(Value::take).unwrap_or_default();
        Self::checked(
            channel.ok_or(MessageError::Form)?,
            take("header"),
            take("parent_header"),
            take("content"),
        )
    }

    fn from_json(
        channel: Channel,
        header: &[u8],
        parent: &[u8],
        content: &[u8],
    ) -> Result<Self, MessageError> {
        let read = |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).map_err(|_| MessageError::Form);
        Self::checked(channel, read(header)?, read(parent)?, read(content)?)
    }

    fn checked(channel: Channel, header: Value, parent: Value, content: Value) -> Result<Self, MessageError> {
        if header.get("msg_type").is_some_and(Value::is_string) && content.is_object() {
            Ok(Self { channel, header, parent, content })
        } else {
            Err(MessageError::Form)
        }
    }
}

/// The HMAC-SHA256 of the parts in hexadecimal; empty without a key.
fn signature(key: &[u8], parts: &[Vec<u8>]) -> Result<String, MessageError> {
    if key.is_empty() {
        return Ok(String::new());
    }
    Ok(hex(&hmac(key, parts)?.finalize().into_bytes()))
}

/// Whether `signed` is the signature of the parts. The comparison takes constant time.
fn is_signed(key: &[u8], parts: &[Vec<u8>], signed: &[u8]) -> bool {
    let signed = std::str::from_utf8(signed).ok().and_then(Sha256::parse);
    let hmac = hmac(key, parts).ok();
    signed.zip(hmac).is_some_and(|(signed, hmac)| hmac.verify_slice(&signed.0).is_ok())
}

fn hmac(key: &[u8], parts: &[Vec<u8>]) -> Result<Hmac<sha2::Sha256>, MessageError> {
    let mut hmac = Hmac::<sha2::Sha256>::new_from_slice(key).map_err(|_| MessageError::Signature)?;
    for part in parts {
        hmac.update(part);
    }
    Ok(hmac)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message() -> JupyterMessage {
        let content = json!({ "code": "print('ü')", "silent": false });
        JupyterMessage::new(Channel::Shell, "execute_request", ("a1", "s", "2026-01-01T00:00:00Z"), content)
    }

    #[test]
    fn the_signature_is_that_of_rfc_4231() {
        let of = |key: &[u8], text: &[u8]| signature(key, &[text.to_vec()]).unwrap();
        let expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert_eq!(of(b"Jefe", b"what do ya want for nothing?"), expected);
        let expected = "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54";
        assert_eq!(of(&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First"), expected);
    }

    #[test]
    fn every_form_is_read_back() {
        let message = message();
        let mut parts = message.to_parts(b"key");
        parts.insert(0, b"kernel.1.status".to_vec());
        assert_eq!(JupyterMessage::from_parts(Channel::Shell, &parts, b"key").as_ref(), Ok(&message));
        let expected = Err(MessageError::Signature);
        assert_eq!(JupyterMessage::from_parts(Channel::Shell, &parts, b"other"), expected);
        parts[5] = b"{\"code\":\"forged\"}".to_vec();
        assert_eq!(JupyterMessage::from_parts(Channel::Shell, &parts, b"key"), Err(MessageError::Signature));
        assert_eq!(JupyterMessage::from_v1(&message.to_v1()).as_ref(), Ok(&message));
        assert_eq!(JupyterMessage::from_text(message.to_text().as_bytes()).as_ref(), Ok(&message));
        assert_eq!((message.kind(), message.id(), message.parent_id()), ("execute_request", "a1", ""));
    }

    proptest! {
        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..120), parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..9), 0..9)) {
            let _ = JupyterMessage::from_v1(&bytes);
            let _ = JupyterMessage::from_text(&bytes);
            let mut parts = parts;
            parts.insert(0, DELIMITER.to_vec());
            let _ = JupyterMessage::from_parts(Channel::Iopub, &parts, b"");
        }

        /// A table with wrong offsets never makes it read out of bounds.
        #[test]
        fn any_change(at in 0usize..80, with in any::<u8>()) {
            let mut bytes = message().to_v1();
            bytes[at] = with;
            let _ = JupyterMessage::from_v1(&bytes);
        }
    }
}
