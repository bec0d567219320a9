//! Decides which tests run in parallel. A crowd of processes that forks occupies both processors until it is killed,
//! and would distort every time that another test measures. Such a test waits until nothing else runs, and no other
//! test starts before it has ended.

use std::sync::{Condvar, Mutex, PoisonError};

struct Running {
    /// How many shops are open, apart from one that runs alone.
    beside: u32,
    alone: bool,
}

static RUNNING: Mutex<Running> = Mutex::new(Running { beside: 0, alone: false });
static CHANGED: Condvar = Condvar::new();

/// The permission of a shop to run. Dropping it gives it back.
pub struct Place {
    alone: bool,
}

impl Place {
    /// Run beside others. A test may have several shops; one that waits to run alone does not keep them from starting.
    pub fn beside() -> Self {
        let running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running =
            CHANGED.wait_while(running, |now| now.alone).unwrap_or_else(PoisonError::into_inner);
        running.beside += 1;
        Self { alone: false }
    }

    /// Run alone.
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
