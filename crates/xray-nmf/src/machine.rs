//! What the system lets this process have: cores, memory, and what it has used. The one file that asks.
//!
//! | what | is the least of | read from |
//! |---|---|---|
//! | cores | the affinity mask | `/proc/self/status` |
//! | | the quota of the control group and all above it (v1 and v2) | `cpu.max`, `cpu.cfs_quota_us` |
//! | memory | the machine's | `/proc/meminfo` |
//! | | the limit of the control group and all above it (v1 and v2) | `memory.max`, `memory.limit_in_bytes` |
//! | | the limit of the process (`ulimit -v`) | `/proc/self/limits` |
//!
//! Ranks on one machine [share](Machine::share) these: ranks whose masks have a core in common divide what they
//! have, ranks that a launcher binds to different cores keep their own; ranks of one control group divide its
//! quota and its memory. A missing or strange file only means that there is no such limit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::comm::Communicator;
use crate::error::{Error, Result};

/// Used where the memory cannot be read.
const FALLBACK: u64 = 4 << 30;

/// A system as its files describe it.
#[derive(Debug, Clone)]
pub struct Machine {
    root: PathBuf,
}

/// What one of several ranks may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Worker threads, at least 1.
    pub threads: usize,
    /// Bytes for everything that this rank does: three quarters of its part of the memory.
    pub memory: usize,
    /// Whether a core is this rank's alone, so that it may wait on it without sleeping.
    pub has_own_core: bool,
}

/// What a rank tells the others of itself.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    /// The machine, as long as it runs.
    boot: String,
    /// The control group of the process.
    group: String,
    cores: BTreeSet<usize>,
}

impl Default for Machine {
    fn default() -> Self {
        Self::at("/")
    }
}

impl Machine {
    /// The machine whose `/proc` and `/sys` are in this folder.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Cores that this process may use, at least 1.
    pub fn cores(&self) -> usize {
        let mask = self.mask();
        let allowed = if mask.is_empty() { online_cores() } else { mask.len() };
        let quota = self.core_quota().map_or(usize::MAX, |quota| quota.ceil() as usize);
        allowed.min(quota).max(1)
    }

    /// Bytes of memory that this process may use, where the system tells.
    pub fn memory(&self) -> Option<u64> {
        [self.physical_memory(), self.group_memory(), self.address_space()]
            .into_iter()
            .flatten()
            .min()
    }

    /// Three quarters of the memory, for everything that this process does: the rest is for the system and
    /// for what was not foreseen.
    pub fn memory_budget(&self) -> u64 {
        three_quarters(self.memory().unwrap_or(FALLBACK))
    }

    /// A quarter of the memory, for cached columns of X'X.
    pub fn cache_budget(&self) -> usize {
        (self.memory().unwrap_or(FALLBACK) / 4) as usize
    }

    /// The most memory that this process has had, in bytes, where the system tells.
    pub fn peak_memory(&self) -> Option<u64> {
        kibibytes(&self.read("proc/self/status"), "VmHWM:")
    }

    /// The memory that this process has now, in bytes, where the system tells.
    pub fn resident_memory(&self) -> Option<u64> {
        kibibytes(&self.read("proc/self/status"), "VmRSS:")
    }

    /// What this rank may use beside the others on its machine. Every rank calls this.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    pub fn share(&self, comm: &dyn Communicator) -> Result<Share> {
        let own = self.place();
        let all = comm.all_gather(own.to_text().as_bytes())?;
        let all: Vec<Place> = all.iter().map(|bytes| Place::from_text(bytes)).collect();
        Ok(self.share_with(&own, &all))
    }

    /// `all` are the places of all ranks, this one among them.
    fn share_with(&self, own: &Place, all: &[Place]) -> Share {
        let here: Vec<&Place> = all.iter().filter(|other| other.boot == own.boot).collect();
        let in_group = here.iter().filter(|other| other.group == own.group).count().max(1);
        let on_cores = here.iter().filter(|other| !other.cores.is_disjoint(&own.cores)).count();
        let (on_cores, n_cores) = match own.cores.len() {
            0 => (here.len(), online_cores()),
            n => (on_cores, n),
        };
        let of_mask = n_cores as f64 / on_cores.max(1) as f64;
        let of_quota = self.core_quota().map_or(f64::INFINITY, |quota| quota / in_group as f64);
        let cores = of_mask.min(of_quota);
        let of_machine = self.physical_memory().unwrap_or(FALLBACK) / here.len().max(1) as u64;
        let of_group = self.group_memory().map_or(u64::MAX, |limit| limit / in_group as u64);
        let of_process = self.address_space().unwrap_or(u64::MAX);
        Share {
            threads: (cores as usize).max(1),
            memory: three_quarters(of_machine.min(of_group).min(of_process)) as usize,
            has_own_core: cores >= 1.0,
        }
    }

    fn place(&self) -> Place {
        Place {
            boot: self.read("proc/sys/kernel/random/boot_id").trim().to_owned(),
            group: self.read("proc/self/cgroup").replace('\n', ";"),
            cores: self.mask(),
        }
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_default()
    }

    /// The cores of the affinity mask; none if it cannot be read.
    fn mask(&self) -> BTreeSet<usize> {
        let status = self.read("proc/self/status");
        let list = field(&status, "Cpus_allowed_list:").unwrap_or_default();
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some(first.trim().parse::<usize>().ok()?..=last.trim().parse().ok()?)
        };
        list.split(',').filter_map(range).flatten().collect()
    }

    fn physical_memory(&self) -> Option<u64> {
        kibibytes(&self.read("proc/meminfo"), "MemTotal:")
    }

    /// The soft limit of the address space, in bytes.
    fn address_space(&self) -> Option<u64> {
        let limits = self.read("proc/self/limits");
        field(&limits, "Max address space")?.split_whitespace().next()?.parse().ok()
    }

    /// The least limit of memory of the control group and those above it.
    fn group_memory(&self) -> Option<u64> {
        let files = [("", "memory.max"), ("memory", "memory.limit_in_bytes")];
        let limits = files.into_iter().flat_map(|(controller, file)| {
            self.groups(controller).into_iter().map(move |group| group.join(file))
        });
        limits.filter_map(|file| number(&file)).min()
    }

    /// The least number of cores that the control group and those above it may keep busy.
    fn core_quota(&self) -> Option<f64> {
        let newer = self.groups("").into_iter().filter_map(|group| {
            let text = std::fs::read_to_string(group.join("cpu.max")).ok()?;
            let mut numbers = text.split_whitespace().map(str::parse::<f64>);
            Some(numbers.next()?.ok()? / numbers.next()?.ok()?)
        });
        let older = self.groups("cpu").into_iter().filter_map(|group| {
            // Without a quota it is -1, which is no such number.
            let quota = number(&group.join("cpu.cfs_quota_us"))?;
            Some(quota as f64 / number(&group.join("cpu.cfs_period_us"))? as f64)
        });
        newer.chain(older).filter(|quota| *quota > 0.0).reduce(f64::min)
    }

    /// The folders of the control group of this process and of all above it; version 2 has no controller.
    ///
    /// In a container the path may be the host's, where there is only the root.
    fn groups(&self, controller: &str) -> Vec<PathBuf> {
        let text = self.read("proc/self/cgroup");
        let path = text.lines().find_map(|line| {
            let (controllers, path) = line.split_once(':')?.1.split_once(':')?;
            controllers.split(',').any(|name| name == controller).then_some(path)
        });
        let Some(path) = path else { return Vec::new() };
        let top = self.root.join("sys/fs/cgroup").join(controller);
        let within = Path::new(path.trim_start_matches('/'));
        within.ancestors().map(|above| top.join(above)).collect()
    }
}

fn three_quarters(bytes: u64) -> u64 {
    bytes / 4 * 3
}

/// Where there is no mask to read.
fn online_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

impl Place {
    fn to_text(&self) -> String {
        let cores: Vec<String> = self.cores.iter().map(ToString::to_string).collect();
        format!("{}\n{}\n{}", self.boot, self.group, cores.join(" "))
    }

    fn from_text(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        let mut next = || lines.next().unwrap_or_default().to_owned();
        let (boot, group, cores) = (next(), next(), next());
        let cores = cores.split_whitespace().filter_map(|core| core.parse().ok()).collect();
        Self { boot, group, cores }
    }
}

/// What follows the name of a field at the start of a line.
fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// The bytes of a field that is told in units of 1024.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let kibibytes: u64 = field(text, name)?.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

/// The number that a file has.
fn number(file: &Path) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Returns freed memory to the system, where that can be done: allocators keep what lies between pieces that are in use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn give_back_memory() {
    // SAFETY: the call takes no pointers and keeps all live allocations.
    unsafe { libc::malloc_trim(0) };
}

/// Returns freed memory to the system, where that can be done.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_memory() {}

/// An error if the system would not give the memory of so many numbers of type T now. Asked before a large array is
/// made, so that this ends in words: a failed allocation ends the process.
pub(crate) fn afford<T>(what: &'static str, n: usize) -> Result<()> {
    let refused = Vec::<T>::new().try_reserve_exact(n).is_err();
    let bytes = (n as u64).saturating_mul(size_of::<T>() as u64);
    if refused { Err(Error::Memory { what, bytes }) } else { Ok(()) }
}

/// A number of bytes in words.
///
/// # Examples
/// ```
/// use xray_nmf::machine::size_in_words;
/// assert_eq!(size_in_words(2_500_000), "2.5 MB");
/// assert_eq!(size_in_words(2_700_000_000), "2.7 GB");
/// ```
pub fn size_in_words(bytes: u64) -> String {
    let bytes = bytes as f64;
    if bytes >= 1e9 { format!("{:.1} GB", bytes / 1e9) } else { format!("{:.1} MB", bytes / 1e6) }
}

/// The most memory that this process has had, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    Machine::default().peak_memory()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::{OneRank, run_local_ranks};

    /// A folder that is gone with the test.
    struct Fake(PathBuf);

    impl Fake {
        fn new(name: &str, files: &[(&str, &str)]) -> Self {
            let root = std::env::temp_dir().join(format!("xray-{name}-{}", std::process::id()));
            for (path, content) in files {
                let path = root.join(path);
                std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
                std::fs::write(path, content).expect("writable");
            }
            Self(root)
        }

        fn machine(&self) -> Machine {
            Machine::at(&self.0)
        }
    }

    impl Drop for Fake {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    const STATUS: &str = "Name:\tx\nVmHWM:\t  2048 kB\nVmRSS:\t 1024 kB\n\
                          Cpus_allowed:\tff\nCpus_allowed_list:\t0-3,8,10-12\n";
    const MEMORY: &str = "MemTotal:       16777216 kB\nMemFree: 1 kB\n";

    #[test]
    fn a_machine_of_its_own_has_its_mask_and_its_memory() {
        let fake = Fake::new("plain", &[("proc/self/status", STATUS), ("proc/meminfo", MEMORY)]);
        let machine = fake.machine();
        assert_eq!((machine.cores(), machine.memory()), (8, Some(16 << 30)));
        assert_eq!(
            (machine.peak_memory(), machine.resident_memory()),
            (Some(2 << 20), Some(1 << 20))
        );
        assert_eq!(machine.cache_budget(), 4 << 30);
        let nothing = Machine::at("/nowhere at all");
        assert!(nothing.cores() >= 1 && nothing.memory().is_none() && nothing.cache_budget() > 0);
    }

    #[test]
    fn memory_that_nobody_has_is_refused_in_words() {
        assert!(afford::<f64>("numbers", 1000).is_ok());
        let message = afford::<f64>("numbers", usize::MAX / 16).unwrap_err().to_string();
        assert!(message.starts_with("there is no memory for numbers ("), "{message}");
    }

    #[test]
    fn groups_of_version_2_limit_it_from_any_level() {
        let fake = Fake::new(
            "v2",
            &[
                ("proc/self/status", STATUS),
                ("proc/meminfo", MEMORY),
                ("proc/self/cgroup", "0::/slurm/job_7/step_0\n"),
                ("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n"),
                ("sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n"),
                ("sys/fs/cgroup/slurm/job_7/cpu.max", "250000 100000\n"),
                ("sys/fs/cgroup/slurm/job_7/memory.max", "8589934592\n"),
                ("sys/fs/cgroup/slurm/memory.max", "9589934592\n"),
            ],
        );
        assert_eq!((fake.machine().cores(), fake.machine().memory()), (3, Some(8 << 30)));
    }

    #[test]
    fn groups_of_version_1_and_the_limit_of_the_process_count_too() {
        let fake = Fake::new(
            "v1",
            &[
                ("proc/self/status", STATUS),
                ("proc/meminfo", MEMORY),
                ("proc/self/cgroup", "5:cpu,cpuacct:/docker/abc\n4:memory:/docker/abc\n"),
                // In a container the group is its own root.
                ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n"),
                ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
                ("sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n"),
                (
                    "proc/self/limits",
                    "Limit     Soft Limit  Hard Limit  Units\n\
                 Max address space         6442450944           unlimited            bytes\n",
                ),
            ],
        );
        assert_eq!((fake.machine().cores(), fake.machine().memory()), (4, Some(6 << 30)));
        let free = Fake::new(
            "v1free",
            &[
                ("proc/self/status", STATUS),
                ("proc/self/cgroup", "5:cpu:/\n"),
                ("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
                ("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ],
        );
        assert_eq!(free.machine().cores(), 8);
    }

    fn place(boot: &str, group: &str, cores: impl IntoIterator<Item = usize>) -> Place {
        Place { boot: boot.into(), group: group.into(), cores: cores.into_iter().collect() }
    }

    #[test]
    fn ranks_share_what_they_have_in_common() {
        let fake = Fake::new("share", &[("proc/self/status", STATUS), ("proc/meminfo", MEMORY)]);
        let share = |all: &[Place]| {
            let Share { threads, memory, has_own_core } = fake.machine().share_with(&all[0], all);
            (threads, memory >> 30, has_own_core)
        };
        // Bound to different cores; another machine does not matter.
        let bound = [place("a", "g", 0..4), place("a", "g", 4..8), place("b", "g", 0..4)];
        assert_eq!(share(&bound), (4, 6, true));
        // 16 of 64 cores for an unbound job: equal masks are shared.
        assert_eq!(share(&vec![place("a", "g", 0..16); 4]), (4, 3, true));
        // More ranks than cores.
        assert_eq!(share(&vec![place("a", "g", 0..2); 3]), (1, 3, false));
        // Masks that overlap in part.
        assert_eq!(share(&[place("a", "g", 0..4), place("a", "g", 2..6)]), (2, 6, true));
    }

    #[test]
    fn a_quota_and_its_memory_are_shared_by_the_ranks_of_the_group() {
        let fake = Fake::new(
            "quota",
            &[
                ("proc/self/status", STATUS),
                ("proc/meminfo", MEMORY),
                ("proc/self/cgroup", "0::/job\n"),
                ("sys/fs/cgroup/job/cpu.max", "400000 100000\n"),
                ("sys/fs/cgroup/job/memory.max", "8589934592\n"),
            ],
        );
        let all = [place("a", "job", 0..8), place("a", "job", 0..8), place("a", "other", 8..16)];
        let share = fake.machine().share_with(&all[0], &all);
        assert_eq!((share.threads, share.memory), (2, 3 << 30));
    }

    #[test]
    fn places_survive_the_journey() {
        let fake = Fake::new(
            "place",
            &[
                ("proc/self/status", STATUS),
                ("proc/sys/kernel/random/boot_id", "b00-7\n"),
                ("proc/self/cgroup", "5:cpu:/x\n0::/y\n"),
            ],
        );
        let place = fake.machine().place();
        assert_eq!(Place::from_text(place.to_text().as_bytes()), place);
        assert_eq!(place.cores.len(), 8);
        let alone = fake.machine().share(&OneRank).expect("one rank");
        assert_eq!((alone.threads, alone.has_own_core), (8, true));
        let machine = &fake.machine();
        let four = run_local_ranks(4, |comm| machine.share(comm).expect("talking").threads);
        assert_eq!(four, [2; 4]);
    }

    #[test]
    fn this_machine_says_something() {
        let machine = Machine::default();
        assert!(machine.cores() >= 1 && machine.cache_budget() > 0);
    }
}
