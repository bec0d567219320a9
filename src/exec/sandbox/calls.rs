//! Builds the filters for system calls that a confined program is refused. Pure.
//!
//! A refused call returns an error instead of ending the program, so that the program can report it. The list contains
//! calls that reach into other processes, change what the namespaces and file rules mean, or expose large parts of the
//! kernel.

use super::confinement::SyscallRules;
use super::layer_error::LayerError;
use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};
use std::collections::BTreeMap;

/// On x86-64, calls of the x32 ABI have this bit: other numbers for the same calls, which no list below contains.
const X32_BIT: u32 = 0x4000_0000;
/// Flags of `clone` that make namespaces.
const NAMESPACE_FLAGS: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// Inserts input into a terminal as if it were typed.
const TIOCSTI: u64 = 0x5412;
/// The same on a console.
const TIOCLINUX: u64 = 0x541c;

/// For `ioprio_set`: the target is one process.
const IOPRIO_WHO_PROCESS: u64 = 1;

/// Calls about when and where a process runs, and where its memory is. The first argument is the process; 0 is the
/// caller.
const SCHEDULING_CALLS: &[libc::c_long] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

const REFUSED_CALLS: &[libc::c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_syslog,
    libc::SYS_vhangup,
];

/// Calls about what programs of one user share by a number or a name: shared memory, message queues and semaphores.
/// Refused where no namespace keeps them apart from those of other programs. File rules do not cover them.
const SHARING_CALLS: &[libc::c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// The filters, to be applied in this order. `has_own_namespaces`: what the program shares by a number or a name is
/// apart from what others share.
///
/// # Errors
/// When this processor architecture is not supported.
pub(super) fn programs(calls: SyscallRules, has_own_namespaces: bool) -> Result<Vec<BpfProgram>, LayerError> {
    let arch = arch()?;
    let program = |rules: Rules, errno: i32| {
        SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno.unsigned_abs()), arch)
            .and_then(BpfProgram::try_from)
            .map_err(LayerError::seccomp)
    };
    let refused = refused_rules(has_own_namespaces).map_err(LayerError::seccomp)?;
    let sockets = sockets(calls).map_err(LayerError::seccomp)?;
    Ok(vec![numbers(), program(refused, libc::EPERM)?, program(sockets, libc::ENETUNREACH)?])
}

fn arch() -> Result<TargetArch, LayerError> {
    let name = std::env::consts::ARCH;
    TargetArch::try_from(name).map_err(|_| LayerError::seccomp(format!("not for {name} machines")))
}

/// The calls that pure computing needs: memory, reading and writing open files, ending.
const COMPUTING_CALLS: &[libc::c_long] = &[
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_futex,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_close,
    libc::SYS_sched_yield,
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigaction,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// The filter for a process that only computes from now on. Every other call fails.
///
/// # Errors
/// When this processor architecture is not supported.
pub(super) fn computing() -> Result<BpfProgram, LayerError> {
    let arch = arch()?;
    let rules: Rules = COMPUTING_CALLS.iter().map(|number| (*number, Vec::new())).collect();
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, refused, SeccompAction::Allow, arch)
        .and_then(BpfProgram::try_from)
        .map_err(LayerError::seccomp)
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type FilterResult<T> = Result<T, seccompiler::BackendError>;

fn when(arg: u8, op: SeccompCmpOp, value: u64) -> FilterResult<SeccompCondition> {
    SeccompCondition::new(arg, SeccompCmpArgLen::Dword, op, value)
}

fn rule(arg: u8, op: SeccompCmpOp, value: u64) -> FilterResult<SeccompRule> {
    SeccompRule::new(vec![when(arg, op, value)?])
}

fn refused_rules(has_own_namespaces: bool) -> FilterResult<Rules> {
    use SeccompCmpOp::{Eq, MaskedEq, Ne};
    let mut rules: Rules = REFUSED_CALLS.iter().map(|number| (*number, Vec::new())).collect();
    if !has_own_namespaces {
        rules.extend(SHARING_CALLS.iter().map(|number| (*number, Vec::new())));
    }
    let namespaces = NAMESPACE_FLAGS.iter().map(|flag| {
        let flag = u64::from(flag.unsigned_abs());
        rule(0, MaskedEq(flag), flag)
    });
    rules.insert(libc::SYS_clone, namespaces.collect::<FilterResult<_>>()?);
    rules.insert(libc::SYS_ioctl, vec![rule(1, Eq, TIOCSTI)?, rule(1, Eq, TIOCLINUX)?]);
    // A process may set its own limits and priorities, but not those of others.
    rules.insert(libc::SYS_prlimit64, vec![rule(0, Ne, 0)?]);
    rules.insert(libc::SYS_setpriority, vec![rule(0, Ne, 0)?, rule(1, Ne, 0)?]);
    rules.insert(libc::SYS_ioprio_set, vec![rule(0, Ne, IOPRIO_WHO_PROCESS)?, rule(1, Ne, 0)?]);
    // A run can see its supervisor, and could starve it with these calls.
    for number in SCHEDULING_CALLS {
        rules.insert(*number, vec![rule(0, Ne, 0)?]);
    }
    rules.extend(setid_rules()?);
    #[cfg(target_arch = "x86_64")]
    rules.extend([libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_modify_ldt].map(|n| (n, Vec::new())));
    Ok(rules)
}

/// Refuses to set the setuid and setgid bits of files: whoever started such a file of a run later would have its
/// rights. The setgid bit counts only together with the group's execute bit; otherwise it means file locks. An open
/// call has a mode only if it creates a file.
fn setid_rules() -> FilterResult<Rules> {
    let modes = |at: u8, with: &[(u8, u64)]| -> FilterResult<Vec<SeccompRule>> {
        let bits = [libc::S_ISUID, libc::S_ISGID | libc::S_IXGRP].map(u64::from);
        let rule = |bits: u64| {
            let all = with.iter().copied().chain([(at, bits)]);
            let all = all.map(|(arg, bits)| when(arg, SeccompCmpOp::MaskedEq(bits), bits));
            SeccompRule::new(all.collect::<FilterResult<_>>()?)
        };
        bits.into_iter().map(rule).collect()
    };
    let made =
        [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY].map(|flag| u64::from(flag.unsigned_abs()));
    let opens = |flags: u8| -> FilterResult<Vec<SeccompRule>> {
        let [a, b] = made.map(|flag| modes(flags + 1, &[(flags, flag)]));
        Ok([a?, b?].concat())
    };
    let mut rules = Rules::from([
        (libc::SYS_fchmod, modes(1, &[])?),
        (libc::SYS_fchmodat, modes(2, &[])?),
        (libc::SYS_fchmodat2, modes(2, &[])?),
        (libc::SYS_mknodat, modes(2, &[])?),
        (libc::SYS_openat, opens(2)?),
    ]);
    #[cfg(target_arch = "x86_64")]
    rules.extend([
        (libc::SYS_chmod, modes(1, &[])?),
        (libc::SYS_mknod, modes(1, &[])?),
        (libc::SYS_creat, modes(1, &[])?),
        (libc::SYS_open, opens(1)?),
    ]);
    Ok(rules)
}

/// Refuses all families of sockets except the allowed ones.
fn sockets(calls: SyscallRules) -> FilterResult<Rules> {
    let mut allowed = Vec::new();
    if calls.inet {
        allowed.extend([libc::AF_INET, libc::AF_INET6]);
    }
    if calls.unix {
        allowed.push(libc::AF_UNIX);
    }
    if calls.netlink {
        allowed.push(libc::AF_NETLINK);
    }
    let others = allowed.iter().map(|family| when(0, SeccompCmpOp::Ne, u64::from(family.unsigned_abs())));
    let others = others.collect::<FilterResult<Vec<_>>>()?;
    let rules = if others.is_empty() { Vec::new() } else { vec![SeccompRule::new(others)?] };
    Ok(BTreeMap::from([(libc::SYS_socket, rules)]))
}

/// Answers "no such call" to calls of the x32 ABI, and to `clone3` and `openat2`, whose flags are in memory that a
/// filter can't read. Libraries then use `clone` and `openat`.
fn numbers() -> BpfProgram {
    let op = |code: u32, jt, jf, k| sock_filter { code: code as u16, jt, jf, k };
    let none = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    vec![
        // The call number is the first word of the filter's input.
        op(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        op(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 3, 0, X32_BIT),
        op(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 2, 0, libc::SYS_clone3 as u32),
        op(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 1, 0, libc::SYS_openat2 as u32),
        op(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
        op(libc::BPF_RET | libc::BPF_K, 0, 0, none),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_filter_for_each_choice() {
        for bits in 0..16u8 {
            let calls = SyscallRules { inet: bits & 1 > 0, unix: bits & 2 > 0, netlink: bits & 4 > 0 };
            let programs = programs(calls, bits & 8 > 0).unwrap();
            assert_eq!(programs.len(), 3);
            assert!(programs.iter().all(|program| !program.is_empty() && program.len() < 4096));
        }
    }

    #[test]
    fn what_programs_share_is_refused_without_namespaces() {
        let (alone, apart) = (refused_rules(false).unwrap(), refused_rules(true).unwrap());
        assert!(SHARING_CALLS.contains(&libc::SYS_shmget) && SHARING_CALLS.contains(&libc::SYS_msgget));
        for number in SHARING_CALLS {
            assert!(alone.get(number).is_some_and(Vec::is_empty), "{number} is refused without a condition");
            assert!(!apart.contains_key(number), "{number}");
        }
    }

    #[test]
    fn no_socket_without_a_family_that_is_allowed() {
        let rules = |calls| sockets(calls).unwrap().remove(&libc::SYS_socket).unwrap();
        assert!(rules(SyscallRules::default()).is_empty(), "refused without a condition");
        assert_eq!(rules(SyscallRules { inet: true, ..SyscallRules::default() }).len(), 1);
    }
}
