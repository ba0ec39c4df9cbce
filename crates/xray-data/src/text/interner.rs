//! Strings to small numbers, in order of first appearance.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// The hash by which terms are found.
pub(super) fn hash_of(term: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(term.as_bytes());
    hasher.finish()
}

/// A set of strings in one piece of memory, numbered from 0.
#[derive(Debug, Clone, Default)]
pub(super) struct Interner {
    table: HashTable<u32>,
    hashes: Vec<u64>,
    /// Where each string ends in `text`; it starts where the one before ends.
    ends: Vec<usize>,
    text: String,
}

impl Interner {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        (self.text.capacity() + 16 * self.ends.capacity() + 5 * self.table.capacity()) as u64
    }

    pub(super) fn get(&self, id: u32) -> &str {
        nth(&self.text, &self.ends, id)
    }

    /// The string's hash, so that merging need not compute it again.
    pub(super) fn hash(&self, id: u32) -> u64 {
        self.hashes[id as usize]
    }

    /// The number of `term`, and whether it is new.
    pub(super) fn intern(&mut self, term: &str) -> (u32, bool) {
        self.intern_hashed(term, hash_of(term))
    }

    pub(super) fn intern_hashed(&mut self, term: &str, hash: u64) -> (u32, bool) {
        let Self { table, hashes, ends, text } = self;
        if let Some(&id) = table.find(hash, |&id| nth(text, ends, id) == term) {
            return (id, false);
        }
        let id = ends.len() as u32;
        text.push_str(term);
        ends.push(text.len());
        hashes.push(hash);
        table.insert_unique(hash, id, |&other| hashes[other as usize]);
        (id, true)
    }
}

#[inline]
fn nth<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    &text[start..ends[id]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance() {
        let mut interner = Interner::default();
        let ids: Vec<_> = ["b", "a", "b", "", "a"].map(|t| interner.intern(t).0).into();
        assert_eq!(ids, [0, 1, 0, 2, 1]);
        assert_eq!((interner.get(0), interner.get(1), interner.get(2)), ("b", "a", ""));
    }
}
