//! The key test: shows what the terminal sends, which has no other effect meanwhile.

use super::Screen;
use crate::tui::keymap::Key;
use crate::tui::overlays::keys_test::{KeySample, KeysTest};
use std::any::Any;
use std::time::{Duration, Instant};

/// A key that is held down repeats within this time.
const HELD_KEY_TIMEOUT: Duration = Duration::from_millis(700);

impl Screen {
    /// Handles bytes that are no known key.
    pub(crate) fn noise(&mut self, now: Instant) {
        self.guard.noise(now);
        self.show_in_key_test(None, |_| KeySample::other("no key that sayso knows".into()), now);
    }

    /// Shows an event in the key test; returns `false` if the test is not open and the event keeps its usual
    /// meaning. `key` is the key, if it is one.
    pub(super) fn show_in_key_test(
        &mut self,
        key: Option<Key>,
        sent: impl FnOnce(&Self) -> KeySample,
        now: Instant,
    ) -> bool {
        if self.top::<KeysTest>().is_none() {
            return false;
        }
        let sent = sent(self).with_bytes(&self.event_bytes);
        // Keys pressed in the test interrupt the quiet that a decision below it needs.
        self.guard.noise(now);
        self.follow.key(now);
        self.last_step = now;
        self.note = None;
        let Some(top) = self.overlays.last_mut() else { return false };
        let top: &mut dyn Any = top.as_mut();
        let Some(test) = top.downcast_mut::<KeysTest>() else { return false };
        if test.take(sent) {
            self.overlays.pop();
            self.left_test = key.map(|key| (key, now));
            self.inform("Keys mean again what they mean.");
        }
        true
    }

    /// Like `show_in_key_test`, for a key. The key that ended the test belongs to it until it is released.
    pub(super) fn show_key_in_key_test(&mut self, key: Key, now: Instant) -> bool {
        if let Some((left, last)) = self.left_test.take()
            && left == key
            && now.saturating_duration_since(last) < HELD_KEY_TIMEOUT
        {
            self.left_test = Some((key, now));
            self.guard.noise(now);
            return true;
        }
        self.show_in_key_test(Some(key), |screen| KeySample::key(key, &screen.keymap), now)
    }
}
