//! Which tests run beside others. A crowd of processes that forks takes both processors until it is ended: whoever measures
//! a time beside it measures the crowd. It waits until nothing else runs, and nothing else begins before it is over.

use std::sync::{Condvar, Mutex, PoisonError};

struct Running {
    /// Shops that are open, but for one that is alone.
    beside: u32,
    alone: bool,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { beside: 0, alone: false });
static CHANGED: Condvar = Condvar::new();

/// A shop's place among those that run; it is left when this is dropped.
pub struct Place {
    alone: bool,
}

impl Place {
    /// Beside others. A test may have several: who waits to be alone keeps none of them from beginning.
    pub fn beside() -> Self {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running =
            CHANGED.wait_while(running, |now| now.alone).unwrap_or_else(PoisonError::into_inner);
        running.beside += 1;
        Self { alone: false }
    }

    /// Beside none.
    pub fn alone() -> Self {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let busy = |now: &mut Running| now.alone || now.beside > 0;
        let mut running = CHANGED.wait_while(running, busy).unwrap_or_else(PoisonError::into_inner);
        running.alone = true;
        Self { alone: true }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        if self.alone {
            running.alone = false;
        } else {
            running.beside -= 1;
        }
        drop(running);
        CHANGED.notify_all();
    }
}
