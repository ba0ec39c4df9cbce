//! Memory that what is read may take: counted as it grows, and shared by all who read at the same time.
//!
//! A file of a few bytes can stand for any number of them: compression, dictionaries and repetition expand it, and
//! so do numbers of 8 bytes for each digit, or a text for each line. So readers say what they hold, block by
//! block, before the memory is used, and the budget refuses what it cannot give.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use xray_nmf::machine::Machine;

use crate::error::{Error, Result};

/// Taken from the budget at once: what is asked for grows by a few bytes at a time.
const STEP: u64 = 1 << 20;

/// The overhead of a string: its place in a list, and what the allocator adds to its bytes.
const PER_STRING: u64 = 24 + 16;

/// The least that the allocator gives for a string.
const LEAST_STRING: u64 = 16;

/// Bytes that may be used for what is read. Clones share one account.
///
/// # Examples
/// ```
/// use xray_data::{Budget, Error, Input, Limits, LoadOptions, load};
/// let limits = Limits { loaded_bytes: Budget::new(1_000), ..Limits::default() };
/// let options = LoadOptions { limits, ..LoadOptions::default() };
/// let input = Input::Bytes { name: "long.txt".into(), bytes: b"a\n".repeat(1_000) };
/// assert!(matches!(load(&input, &options), Err(Error::Memory { limit: 1_000, .. })));
/// ```
#[derive(Debug, Clone)]
pub struct Budget(Arc<Account>);

#[derive(Debug)]
struct Account {
    limit: AtomicU64,
    taken: AtomicU64,
}

/// What the program takes without data: itself, the stacks and buffers of its threads.
pub const PROGRAM_BYTES: u64 = 24 << 20;

/// The account of the process: memory is what all that goes on in it shares.
static PROCESS: LazyLock<Budget> = LazyLock::new(|| {
    let budget = Budget::new(Machine::default().memory_budget());
    budget.0.taken.store(PROGRAM_BYTES, Ordering::Relaxed);
    budget
});

impl Budget {
    /// So many bytes.
    pub fn new(limit: u64) -> Self {
        Self(Arc::new(Account { limit: AtomicU64::new(limit), taken: AtomicU64::new(0) }))
    }

    /// The one of the process, which is used where no other is named: three quarters of the memory that the
    /// process may use, or what [`limit_process`](Self::limit_process) said.
    pub fn of_process() -> Self {
        PROCESS.clone()
    }

    /// Sets the memory that the whole process may use.
    pub fn limit_process(bytes: u64) {
        PROCESS.0.limit.store(bytes, Ordering::Relaxed);
    }

    /// The bytes that may be used.
    pub fn limit(&self) -> u64 {
        self.0.limit.load(Ordering::Relaxed)
    }

    /// The bytes that are in use.
    pub fn taken(&self) -> u64 {
        self.0.taken.load(Ordering::Relaxed)
    }

    /// A share that holds nothing yet; `file` is who is named if it asks for too much.
    pub fn claim(&self, file: &str) -> Claim {
        Claim { budget: self.clone(), file: file.to_owned(), held: 0, granted: 0 }
    }
}

/// The one of the process.
impl Default for Budget {
    fn default() -> Self {
        Self::of_process()
    }
}

/// Budgets of the same size.
impl PartialEq for Budget {
    fn eq(&self, other: &Self) -> bool {
        self.limit() == other.limit()
    }
}

impl Eq for Budget {}

/// What one reader holds of a [`Budget`]; given back when it is dropped.
#[derive(Debug)]
pub struct Claim {
    budget: Budget,
    file: String,
    held: u64,
    granted: u64,
}

impl Claim {
    /// The file that it is for.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The bytes that it holds.
    pub fn held(&self) -> u64 {
        self.held
    }

    /// Holds so many bytes more.
    ///
    /// # Errors
    /// If the budget does not have them.
    #[inline]
    pub fn take(&mut self, more: u64) -> Result<()> {
        self.hold(self.held.saturating_add(more))
    }

    /// Holds so many bytes, or more if it did already.
    ///
    /// # Errors
    /// If the budget does not have them.
    #[inline]
    pub fn hold(&mut self, bytes: u64) -> Result<()> {
        let held = self.held.max(bytes);
        if held > self.granted {
            self.grow(held)?;
        }
        self.held = held;
        Ok(())
    }

    /// Gives back so many bytes, of memory that was freed.
    pub fn give_back(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
        let rest = self.granted - self.held.min(self.granted);
        self.granted -= rest;
        self.budget.0.taken.fetch_sub(rest, Ordering::Relaxed);
    }

    #[cold]
    fn grow(&mut self, held: u64) -> Result<()> {
        let (limit, taken) = (self.budget.limit(), &self.budget.0.taken);
        let needed = held - self.granted;
        let mut given = 0;
        let update = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            let left = limit.saturating_sub(taken);
            given = needed.max(STEP).min(left);
            (needed <= left).then_some(taken + given)
        });
        match update {
            Ok(_) => {
                self.granted += given;
                Ok(())
            }
            Err(taken) => Err(Error::Memory {
                file: self.file.clone(),
                needed: taken.saturating_add(needed),
                limit,
            }),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.budget.0.taken.fetch_sub(self.granted, Ordering::Relaxed);
    }
}

/// What a string of so many bytes takes in a list.
#[inline]
pub(crate) fn string_bytes(length: usize) -> u64 {
    PER_STRING + LEAST_STRING.max(length as u64)
}

/// What a table by hashes takes that has room for so many entries of so many bytes: it is full at seven eighths of its
/// places, of which it has a power of two, with a byte more for each.
#[inline]
pub(crate) fn table_bytes(capacity: usize, entry: usize) -> u64 {
    let places = match capacity {
        0 => 0,
        1..4 => 4,
        4..8 => 8,
        _ => (capacity * 8 / 7).next_power_of_two(),
    };
    (places * (entry + 1)) as u64
}

/// What the last string of a list takes; nothing if it is empty.
#[inline]
pub(crate) fn last_bytes(list: &[String]) -> u64 {
    list.last().map_or(0, |string| string_bytes(string.len()))
}

/// The memory that a list of strings takes, as readers count it.
pub fn list_bytes(list: &[String]) -> u64 {
    list.iter().map(|string| string_bytes(string.len())).sum()
}

/// What a JSON list of strings takes once it is read, at most: commas stand between them.
pub(crate) fn json_bytes(json: &[u8]) -> u64 {
    let commas = memchr::memchr_iter(b',', json).count() as u64;
    json.len() as u64 + (commas + 1) * string_bytes(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn claims_share_a_budget_and_give_it_back() {
        let budget = Budget::new(10 * STEP);
        let mut first = budget.claim("first");
        first.take(1).expect("there is enough");
        assert_eq!(budget.taken(), STEP);
        first.hold(6 * STEP).expect("there is enough");
        let mut second = budget.clone().claim("second");
        second.take(4 * STEP).expect("all that is left");
        let message = second.take(1).unwrap_err().to_string();
        assert!(message.starts_with("second: needs more than 10.5 MB of memory"), "{message}");
        assert!(message.contains("--memory"), "{message}");
        first.give_back(5 * STEP);
        second.take(5 * STEP).expect("what was given back");
        drop(first);
        drop(second);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn a_budget_is_never_exceeded_by_many_at_once() {
        let budget = Budget::new(100 * STEP);
        let claims: Vec<Claim> = std::thread::scope(|scope| {
            let taker = || {
                let mut claim = budget.claim("many");
                while claim.take(STEP / 3).is_ok() {}
                assert!(budget.taken() <= budget.limit());
                claim
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(taker)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        let held = claims.iter().map(Claim::held).sum::<u64>();
        assert!((90 * STEP..=100 * STEP).contains(&held), "{held}");
        drop(claims);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn tables_are_counted_by_their_places() {
        let mut table = rustc_hash::FxHashMap::<u64, u64>::default();
        assert_eq!(table_bytes(table.capacity(), 16), 0);
        for (n, places) in [(1, 4), (7, 8), (8, 16), (28, 32), (29, 64), (448, 512), (449, 1024)] {
            table.extend((0..n).map(|k| (k, k)));
            assert_eq!(table_bytes(table.capacity(), 16), 17 * places, "{n}");
        }
    }

    #[test]
    fn the_default_is_a_share_of_what_the_process_may_use() {
        let limit = Budget::default().limit();
        assert!(limit > 0 && limit <= Machine::default().memory().unwrap_or(u64::MAX));
    }
}
