//! What the terminal sends while the person looks at just that: it is shown and does nothing else.

use super::{Note, Screen};
use crate::tui::keymap::Key;
use crate::tui::overlays::keys_test::{KeySample, KeysTest};
use std::any::Any;
use std::time::{Duration, Instant};

/// A key that is held down comes again sooner.
const HELD_KEY_TIMEOUT: Duration = Duration::from_millis(700);

impl Screen {
    /// Shows what the terminal sends from now on.
    pub(super) fn test_keys(&mut self) {
        self.open(KeysTest::new(self.setup.kitty));
    }

    /// Bytes came that mean nothing.
    pub(crate) fn noise(&mut self, now: Instant) {
        self.guard.noise(now);
        self.is_tested(|_| KeySample::other("no key that sayso knows".into()), now);
    }

    /// Takes what came where it is only to be shown; `false`: it means what it means.
    pub(super) fn is_tested(&mut self, sent: impl FnOnce(&Self) -> KeySample, now: Instant) -> bool {
        self.test(None, sent, now)
    }

    fn test(&mut self, key: Option<Key>, sent: impl FnOnce(&Self) -> KeySample, now: Instant) -> bool {
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
            self.left_test = key.map(|key| (key, now));
            self.show_note(Note::info("Keys mean again what they mean."));
        }
        true
    }

    /// The same of a key. The one that left is still only a test until it was let go.
    pub(super) fn is_tested_key(&mut self, key: Key, now: Instant) -> bool {
        if let Some((left, last)) = self.left_test.take()
            && left == key
            && now.saturating_duration_since(last) < HELD_KEY_TIMEOUT
        {
            self.left_test = Some((key, now));
            self.guard.noise(now);
            return true;
        }
        self.test(Some(key), |screen| KeySample::key(key, &screen.keymap), now)
    }
}
