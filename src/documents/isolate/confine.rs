//! What a child gives up before it sees a foreign byte.

use std::io;

/// Bytes of memory that it may have.
const MEMORY: u64 = 1 << 30;

/// Seconds of processor time for a document.
const SECONDS: u64 = 20;

/// Gives up files, connections, programs and memory beyond the limit.
pub(super) fn confine() -> io::Result<()> {
    // Read while files can still be opened.
    limit(libc::RLIMIT_AS, used_memory().saturating_add(MEMORY))?;
    limit(libc::RLIMIT_CORE, 0)?;
    limit(libc::RLIMIT_FSIZE, 0)?;
    // Standard input, output and error are there; no number is left for a file or a connection.
    limit(libc::RLIMIT_NOFILE, 3)?;
    #[cfg(target_os = "linux")]
    {
        end_with_parent()?;
        filter_calls()?;
    }
    Ok(())
}

/// Allows the time for one more document; who needs more is ended by the system.
pub(super) fn allow_time() -> io::Result<()> {
    let mut used = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: getrusage fills the struct it is given, which is all zeros before.
    let used = unsafe {
        match libc::getrusage(libc::RUSAGE_SELF, used.as_mut_ptr()) {
            0 => used.assume_init(),
            _ => return Err(io::Error::last_os_error()),
        }
    };
    let seconds = u64::try_from(used.ru_utime.tv_sec + used.ru_stime.tv_sec).unwrap_or(0);
    let hard = hard_limit(libc::RLIMIT_CPU)?;
    set(libc::RLIMIT_CPU, &libc::rlimit { rlim_cur: hard.min(seconds + 1 + SECONDS), rlim_max: hard })
}

/// What `RLIMIT_…` numbers are on this system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
type Resource = libc::c_int;

/// Lowers the limit of a resource; a limit that is lower already stays.
fn limit(resource: Resource, most: u64) -> io::Result<()> {
    let most = most.min(hard_limit(resource)?);
    set(resource, &libc::rlimit { rlim_cur: most, rlim_max: most })
}

/// What a limit may be raised to at most.
fn hard_limit(resource: Resource) -> io::Result<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: getrlimit fills the struct it is given.
    match unsafe { libc::getrlimit(resource, &mut limit) } {
        0 => Ok(limit.rlim_max),
        _ => Err(io::Error::last_os_error()),
    }
}

fn set(resource: Resource, limit: &libc::rlimit) -> io::Result<()> {
    // SAFETY: setrlimit reads the struct it is given.
    match unsafe { libc::setrlimit(resource, limit) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Bytes of addresses that the program itself takes: its code, its stacks, what its allocator set aside.
fn used_memory() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.as_deref().and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    // SAFETY: sysconf takes a number.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    pages.map_or(1 << 30, |pages| pages.saturating_mul(page))
}

/// Has the system end this process when its parent ends.
#[cfg(target_os = "linux")]
fn end_with_parent() -> io::Result<()> {
    // SAFETY: prctl takes numbers here.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Has the system refuse every call but those that reading a pipe, computing and ending take.
#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter_calls() -> io::Result<()> {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter_all_threads};

    const ALLOWED: &[i64] = &[
        libc::SYS_read,
        libc::SYS_write,
        libc::SYS_readv,
        libc::SYS_writev,
        libc::SYS_close,
        libc::SYS_mmap,
        libc::SYS_munmap,
        libc::SYS_mremap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_getrandom,
        libc::SYS_getrusage,
        libc::SYS_getrlimit,
        libc::SYS_setrlimit,
        libc::SYS_prlimit64,
        libc::SYS_clock_gettime,
        libc::SYS_sched_yield,
        libc::SYS_sigaltstack,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_restart_syscall,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_tgkill,
        libc::SYS_exit,
        libc::SYS_exit_group,
    ];
    let rules = ALLOWED.iter().map(|call| (*call, Vec::new())).collect();
    let refused = SeccompAction::Errno(libc::EPERM as u32);
    let here = std::env::consts::ARCH.try_into().map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, refused, SeccompAction::Allow, here).map_err(io::Error::other)?;
    let program: BpfProgram = filter.try_into().map_err(io::Error::other)?;
    match apply_filter_all_threads(&program) {
        Ok(()) => Ok(()),
        // A kernel without filters, or one that another filter keeps from taking more: the limits hold all the same.
        Err(seccompiler::Error::Prctl(_) | seccompiler::Error::Seccomp(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// This kernel's filters are not known here; the limits hold all the same.
#[cfg(all(target_os = "linux", not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
fn filter_calls() -> io::Result<()> {
    Ok(())
}
