//! How much memory cached columns may take when the caller does not say.

/// Used where the machine's memory cannot be read.
const FALLBACK: usize = 1 << 30;

/// A quarter of the machine's memory, or 1 GiB where the system does not tell.
pub(crate) fn default_budget() -> usize {
    // A missing or strange file only means the fallback.
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    total_kib(&text).map_or(FALLBACK, |kib| kib * 1024 / 4)
}

fn total_kib(meminfo: &str) -> Option<usize> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_total() {
        assert_eq!(total_kib("MemTotal:       2048 kB\nMemFree: 1 kB\n"), Some(2048));
        assert_eq!(total_kib(""), None);
    }
}
