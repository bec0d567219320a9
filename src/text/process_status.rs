//! Parses `/proc/PID/status`.

/// Whether a signal set in this text (`SigBlk`, `SigIgn`, `SigCgt`) contains a signal.
pub(crate) fn holds_signal(status: &str, set: &str, signal: i32) -> bool {
    status
        .lines()
        .find_map(|line| line.strip_prefix(set)?.strip_prefix(':'))
        .and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok())
        .is_some_and(|bits| bits.checked_shr(signal.unsigned_abs().saturating_sub(1)).unwrap_or(0) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::holds_signal;

    #[test]
    fn a_signal_is_found_in_its_set_alone() {
        let status =
            "Name:\tsh\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\nSigCgt:\t8000000000004002\n";
        let held = |set: &str| -> Vec<i32> {
            (1..=64).filter(|signal| holds_signal(status, set, *signal)).collect()
        };
        assert_eq!((held("SigBlk"), held("SigIgn"), held("SigCgt")), (vec![], vec![1], vec![2, 15, 64]));
        assert!(held("SigPnd").is_empty() && held("Sig").is_empty());
        assert!(!holds_signal(status, "SigCgt", 65), "there is no such signal");
        assert!(!holds_signal("SigIgn:\tgarbage\n", "SigIgn", 1) && !holds_signal("", "SigIgn", 1));
    }
}
