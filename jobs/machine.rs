//! What this machine has for a process: processors and memory. [`crate::run_options`], the command line and the Python package take their defaults from here.
//!
//! **Definition.** A container is a machine with less: its control groups set limits, and a process that takes more is ended. So the
//! memory is the least of `MemTotal` in `/proc/meminfo` and the limits of the process's control group and of the groups that it is in:
//! `memory.max` of version 2, `memory.limit_in_bytes` of version 1. A container sees its own group at the root, or under the path that
//! `/proc/self/cgroup` names, so both are read. The standard library asks the same of processors.
//!
//! **Reference.** Linux, `Documentation/admin-guide/cgroup-v2.rst` and `cgroup-v1/memory.rst`.

use std::path::{Component, Path};
use std::sync::OnceLock;

/// Processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes of memory that there are for this process; `None` where the system does not say.
pub fn memory() -> Option<u64> {
    static FOUND: OnceLock<Option<u64>> = OnceLock::new();
    *FOUND.get_or_init(|| memory_below(Path::new("/")))
}

/// The same by the files below `root`.
fn memory_below(root: &Path) -> Option<u64> {
    let read = |path: &Path| std::fs::read_to_string(root.join(path)).unwrap_or_default();
    let about = read(Path::new("proc/meminfo"));
    let total = about.lines().find_map(|line| line.strip_prefix("MemTotal:")?.strip_suffix("kB"));
    let total = total.and_then(|number| number.trim().parse::<u64>().ok()?.checked_mul(1024));
    let mut least = total;
    for line in read(Path::new("proc/self/cgroup")).lines() {
        let Some((controllers, group)) = line.split_once(':').and_then(|(_, rest)| rest.split_once(':'))
        else {
            continue;
        };
        let (mount, file) = match controllers {
            "" => ("sys/fs/cgroup", "memory.max"),
            of if of.split(',').any(|of| of == "memory") => ("sys/fs/cgroup/memory", "memory.limit_in_bytes"),
            _ => continue,
        };
        // A process in a group outside of its own container's has `..` there.
        let names = Path::new(group).components().filter(|part| matches!(part, Component::Normal(_)));
        for folder in Path::new(mount).join(names.collect::<std::path::PathBuf>()).ancestors() {
            if !folder.starts_with(mount) {
                break;
            }
            // `max` is no number, and no limit.
            let limit = read(&folder.join(file)).trim().parse::<u64>().ok();
            least = limit.into_iter().chain(least).min();
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths, and the texts in them.
    type Files = &'static [(&'static str, &'static str)];

    #[test]
    fn the_memory_of_a_machine_is_the_least_of_all_limits() {
        const GIB: u64 = 1 << 30;
        const MACHINE: (&str, &str) = ("proc/meminfo", "MemTotal:       25165824 kB\nMemFree:  1 kB\n");
        const VERSION_1: &str = "12:cpu,cpuacct:/a\n5:memory:/docker/abc\n0::/\n";
        let cases: [(&str, Files, Option<u64>); 9] = [
            ("no system that says it", &[], None),
            ("no groups", &[MACHINE], Some(24 * GIB)),
            (
                "the root of a container",
                &[MACHINE, ("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/memory.max", "2147483648\n")],
                Some(2 * GIB),
            ),
            (
                "no limit",
                &[MACHINE, ("proc/self/cgroup", "0::/a\n"), ("sys/fs/cgroup/a/memory.max", "max\n")],
                Some(24 * GIB),
            ),
            (
                "a group above has less",
                &[
                    MACHINE,
                    ("proc/self/cgroup", "0::/a/b\n"),
                    ("sys/fs/cgroup/a/b/memory.max", "8589934592\n"),
                    ("sys/fs/cgroup/a/memory.max", "1073741824\n"),
                ],
                Some(GIB),
            ),
            (
                "more than there is",
                &[MACHINE, ("proc/self/cgroup", "0::/\n"), ("sys/fs/cgroup/memory.max", "99999999999999\n")],
                Some(24 * GIB),
            ),
            (
                "version 1, in a container",
                &[
                    MACHINE,
                    ("proc/self/cgroup", VERSION_1),
                    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n"),
                ],
                Some(GIB / 2),
            ),
            (
                "version 1, outside, without a limit of the root",
                &[
                    MACHINE,
                    ("proc/self/cgroup", VERSION_1),
                    ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
                    ("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "1073741824\n"),
                ],
                Some(GIB),
            ),
            (
                "a group elsewhere, and lines of no form",
                &[
                    MACHINE,
                    ("proc/self/cgroup", "x\n0::/../../etc\n"),
                    ("sys/fs/cgroup/memory.max", "3221225472\n"),
                    ("etc/memory.max", "1\n"),
                ],
                Some(3 * GIB),
            ),
        ];
        for (what, files, expected) in cases {
            let root = tempfile::tempdir().unwrap();
            for (path, text) in files {
                let path = root.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, text).unwrap();
            }
            assert_eq!(memory_below(root.path()), expected, "{what}");
        }
    }
}
