//! To which accounts and groups this process can give its files.

/// The id that the system shows for all accounts and groups that a user namespace does not know.
const UNKNOWN_ID: u32 = 65_534;
/// How many ids a namespace has that knows all accounts.
const ALL_IDS: u64 = 4_294_967_295;

/// What the system lets this process do.
#[derive(Debug)]
pub(super) struct ChownRights {
    /// Whether it may give files to any account and group that it knows.
    to_others: bool,
    accounts: KnownIds,
    groups: KnownIds,
}

impl ChownRights {
    pub(super) fn of_process() -> Self {
        Self {
            to_others: may_give_to_others(),
            accounts: KnownIds::of("/proc/self/uid_map"),
            groups: KnownIds::of("/proc/self/gid_map"),
        }
    }

    /// Whether this is the number of an account that the process knows, and not the one that stands for all others.
    pub(super) fn knows_account(account: u32) -> bool {
        KnownIds::of("/proc/self/uid_map").has(account)
    }

    /// Like `knows_account`, for a group.
    pub(super) fn knows_group(group: u32) -> bool {
        KnownIds::of("/proc/self/gid_map").has(group)
    }

    /// Whether a file can belong to this account.
    pub(super) fn can_be_owner(&self, account: u32) -> bool {
        // Where the own account is unknown, too, its number is that of all unknown ones.
        let is_own = rustix::process::geteuid().as_raw() == account;
        self.accounts.has(account) && (self.to_others || is_own)
    }

    /// Whether a file can have this group.
    pub(super) fn can_be_group(&self, group: u32) -> bool {
        let own = rustix::process::getgroups().unwrap_or_default();
        let mut own = std::iter::once(rustix::process::getegid()).chain(own);
        self.groups.has(group) && (self.to_others || own.any(|own| own.as_raw() == group))
    }
}

/// Root can lack this right, and somebody else can have it.
#[cfg(target_os = "linux")]
fn may_give_to_others() -> bool {
    use rustix::thread::{CapabilitySet, capabilities};
    capabilities(None).is_ok_and(|has| has.effective.contains(CapabilitySet::CHOWN))
}

#[cfg(not(target_os = "linux"))]
fn may_give_to_others() -> bool {
    rustix::process::geteuid().is_root()
}

/// The map of a user namespace: each line has the first id inside, the first outside and how many there are. A system
/// without such namespaces has none and knows all ids.
#[derive(Debug)]
struct KnownIds(Option<String>);

impl KnownIds {
    fn of(path: &str) -> Self {
        Self(std::fs::read_to_string(path).ok())
    }

    fn has(&self, id: u32) -> bool {
        let Some(map) = &self.0 else { return true };
        let mut ranges = map.lines().filter_map(|line| {
            let mut numbers = line.split_whitespace().map(|number| number.parse::<u64>().ok());
            Some((numbers.next()??, numbers.nth(1)??))
        });
        ranges.any(|(first, count)| {
            let is_in_range = (first..first.saturating_add(count)).contains(&u64::from(id));
            is_in_range && (id != UNKNOWN_ID || count == ALL_IDS)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accounts_of_the_own_namespace_are_known() {
        let whole = KnownIds(Some("         0          0 4294967295\n".into()));
        assert!([0, 1234, UNKNOWN_ID].into_iter().all(|id| whole.has(id)) && KnownIds(None).has(1234));
        let root_only = KnownIds(Some("         0       4000          1\n".into()));
        assert!(root_only.has(0) && !root_only.has(1) && !root_only.has(UNKNOWN_ID));
        let container = KnownIds(Some("0 1000 1\n1 100000 65535\n".into()));
        assert!(container.has(0) && container.has(1234) && !container.has(70_000));
        assert!(!container.has(UNKNOWN_ID), "it may be any account outside");
    }

    #[test]
    fn the_number_of_the_own_account_does_not_count_where_it_stands_for_all_others() {
        let own = rustix::process::geteuid().as_raw();
        let can_be_owner = |map: Option<String>| {
            ChownRights { to_others: false, accounts: KnownIds(map), groups: KnownIds(None) }
                .can_be_owner(own)
        };
        assert!(can_be_owner(None) && can_be_owner(Some(format!("{own} 4000 1\n"))));
        assert!(!can_be_owner(Some(String::new())), "a namespace without a map");
    }
}
