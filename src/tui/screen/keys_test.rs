//! What the terminal sends while the person looks at just that: it is shown and does nothing else.

use super::{Note, Screen};
use crate::tui::keymap::Key;
use crate::tui::overlays::keys_test::{KeysTest, Sent};
use std::any::Any;
use std::time::Instant;

impl Screen {
    /// Shows what the terminal sends from now on.
    pub(super) fn test_keys(&mut self) {
        self.open(KeysTest::new(self.setup.kitty));
    }

    /// Bytes came that mean nothing.
    pub fn noise(&mut self, now: Instant) {
        self.guard.noise(now);
        self.is_tested(|_| Sent::other("no key that sayso knows".into()), now);
    }

    /// Takes what came where it is only to be shown; `false`: it means what it means.
    pub(super) fn is_tested(&mut self, sent: impl FnOnce(&Self) -> Sent, now: Instant) -> bool {
        if self.top::<KeysTest>().is_none() {
            return false;
        }
        let sent = sent(self).with_bytes(&self.sent);
        // What is pressed here is no quiet for what stands below.
        self.guard.noise(now);
        self.follow.key(now);
        self.last_step = now;
        self.note = None;
        let Some(top) = self.overlays.last_mut() else { return false };
        let top: &mut dyn Any = top.as_mut();
        let Some(test) = top.downcast_mut::<KeysTest>() else { return false };
        if test.take(sent) {
            self.overlays.pop();
            self.say(Note::info("Keys mean again what they mean."));
        }
        true
    }

    /// The same of a key.
    pub(super) fn is_tested_key(&mut self, key: Key, now: Instant) -> bool {
        self.is_tested(|screen| Sent::key(key, &screen.keymap), now)
    }
}
