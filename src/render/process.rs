//! The browser's process: started with a profile of its own, spoken to over a pipe, ended with all its children.
//!
//! The debugging protocol goes over file descriptors 3 and 4 and not over a port: a port could be found by whoever else is on
//! the machine, and by pages. A browser whose pipe is closed ends by itself, also when this process is killed.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

/// Features of the browser that go to the network by themselves, or around a proxy.
const OFF: &str = "Translate,OptimizationHints,OptimizationGuideModelDownloading,MediaRouter,DialMediaRouteProvider,\
    CastMediaRouteProvider,GlobalMediaControls,InterestFeedContentSuggestions,AutofillServerCommunication,\
    CertificateTransparencyComponentUpdater,AsyncDns,DnsOverHttps,Prerender2,SpeculationRulesPrefetchFuture,\
    WebRtcHideLocalIpsWithMdns,NetworkTimeServiceQuerying,PrivacySandboxSettings4,Reporting,NetworkErrorLogging,WebTransport,\
    HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,ServiceWorkerAutoPreload,LocalNetworkAccessChecks";

/// How a browser is started.
pub(crate) struct Start<'a> {
    pub program: &'a Path,
    pub sandbox: bool,
    /// Port of the proxy on 127.0.0.1.
    pub proxy: u16,
    /// SHA-256 of the public key that the proxy's certificates have, in base64.
    pub key_hash: &'a str,
    pub user_agent: &'a str,
    /// Bytes of memory of all its processes.
    pub max_memory: u64,
}

/// A running browser; ends when dropped.
pub(crate) struct Process {
    child: Child,
    _profile: TempDir,
}

/// Our ends of the two pipes.
pub(crate) struct Pipes {
    pub to: OwnedFd,
    pub from: OwnedFd,
}

impl Process {
    /// Starts a browser.
    pub fn start(start: &Start<'_>) -> io::Result<(Process, Pipes)> {
        let profile = tempfile::Builder::new().prefix("webmill-chromium-").tempdir()?;
        let (its_in, to) = io::pipe()?;
        let (from, its_out) = io::pipe()?;
        let mut command = Command::new(start.program);
        command
            .args(arguments(start, profile.path()))
            .env("HOME", profile.path())
            .env("XDG_CONFIG_HOME", profile.path())
            .env("XDG_CACHE_HOME", profile.path())
            .env("LANG", "en_US.UTF-8")
            .env_remove("DISPLAY")
            .env_remove("DBUS_SESSION_BUS_ADDRESS")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // A group of its own, so that all its processes can be ended at once.
            .process_group(0);
        let (its_in, its_out) = (OwnedFd::from(its_in), OwnedFd::from(its_out));
        let (reads, writes) = (its_in.as_raw_fd(), its_out.as_raw_fd());
        // SAFETY: between fork and exec the closure calls fcntl and dup2 alone, which are async-signal-safe, on descriptors that
        // `its_in` and `its_out` keep open until after `spawn`; it takes no lock and does not allocate.
        unsafe { command.pre_exec(move || hand_over(reads, writes)) };
        let child = command.spawn()?;
        Ok((Process { child, _profile: profile }, Pipes { to: to.into(), from: from.into() }))
    }

    /// Number of its group of processes.
    pub fn group(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        end_group(self.group());
        let _ = self.child.wait();
    }
}

/// Ends all processes of a group.
pub(crate) fn end_group(group: u32) {
    let Ok(group) = i32::try_from(group) else { return };
    if group > 1 {
        // SAFETY: kill takes two numbers; a group that is gone is an error that says so.
        unsafe { libc::kill(-group, libc::SIGKILL) };
    }
}

/// Makes `reads` descriptor 3 and `writes` descriptor 4, whatever numbers they have.
fn hand_over(reads: RawFd, writes: RawFd) -> io::Result<()> {
    let checked = |result: i32| if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) };
    // Out of the way first: either may be 3 or 4 already.
    // SAFETY: fcntl and dup2 take numbers; what is no descriptor is an error.
    unsafe {
        let reads = checked(libc::fcntl(reads, libc::F_DUPFD_CLOEXEC, 10))?;
        let writes = checked(libc::fcntl(writes, libc::F_DUPFD_CLOEXEC, 10))?;
        checked(libc::dup2(reads, 3))?;
        checked(libc::dup2(writes, 4))?;
    }
    Ok(())
}

fn arguments(start: &Start<'_>, profile: &Path) -> Vec<String> {
    let fixed = include_str!("arguments.txt").lines().filter(|line| !line.starts_with('#'));
    let mut arguments: Vec<String> = fixed.map(String::from).collect();
    // A page gets half of what there is.
    let heap = (start.max_memory / 2) >> 20;
    arguments.extend([
        format!("--js-flags=--max-old-space-size={}", heap.clamp(64, 4096)),
        format!("--disable-features={OFF}"),
        format!("--user-data-dir={}", profile.display()),
        format!("--proxy-server=http://127.0.0.1:{}", start.proxy),
        format!("--ignore-certificate-errors-spki-list={}", start.key_hash),
        format!("--user-agent={}", start.user_agent),
    ]);
    if !start.sandbox || is_root() {
        arguments.push("--no-sandbox".into());
    }
    arguments
}

/// Chromium has no sandbox for root.
pub(crate) fn is_root() -> bool {
    // SAFETY: geteuid takes nothing and cannot fail.
    unsafe { libc::geteuid() == 0 }
}

/// What the processes of a browser take.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Bytes that they have for themselves, together.
    pub bytes: u64,
    /// The process of a page that takes most, and its bytes.
    largest: Option<(i32, u64)>,
}

impl Memory {
    /// Of all processes of a group; `None` where the system does not tell.
    pub fn of_group(group: u32) -> Option<Memory> {
        let mut memory = Memory::default();
        for entry in std::fs::read_dir("/proc").ok()?.flatten() {
            let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else {
                continue;
            };
            let folder = entry.path();
            // A process may end while it is looked at.
            let Ok(stat) = std::fs::read_to_string(folder.join("stat")) else { continue };
            // The name of the program, in parentheses, may hold anything; state, parent and group come after it.
            let group_of = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(2)?.parse().ok());
            if group_of != Some(group) {
                continue;
            }
            let Ok(status) = std::fs::read_to_string(folder.join("status")) else { continue };
            let own = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
            let kib: u64 = own.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0);
            let bytes = kib << 10;
            memory.bytes += bytes;
            let arguments = std::fs::read(folder.join("cmdline")).unwrap_or_default();
            let renders = memchr::memmem::find(&arguments, b"--type=renderer").is_some();
            if renders && memory.largest.is_none_or(|(_, most)| bytes > most) {
                memory.largest = Some((process, bytes));
            }
        }
        Some(memory)
    }

    /// Ends the page that takes most, or all where no page is to blame.
    pub fn relieve(&self, group: u32) {
        match self.largest.filter(|(_, bytes)| *bytes > self.bytes / 4) {
            // SAFETY: kill takes two numbers; a process that is gone is an error that says so.
            Some((process, _)) => unsafe {
                libc::kill(process, libc::SIGKILL);
            },
            None => end_group(group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_goes_around_the_proxy() {
        let start = Start {
            program: Path::new("chromium"),
            sandbox: true,
            proxy: 4711,
            key_hash: "abc=",
            user_agent: "webmill/0",
            max_memory: 1 << 30,
        };
        let arguments = arguments(&start, Path::new("/profile"));
        for wanted in [
            "--proxy-server=http://127.0.0.1:4711",
            "--proxy-bypass-list=<-loopback>",
            "--disable-quic",
            "--user-data-dir=/profile",
            "--ignore-certificate-errors-spki-list=abc=",
            "--js-flags=--max-old-space-size=512",
        ] {
            assert!(arguments.iter().any(|a| a == wanted), "{wanted}");
        }
    }
}
