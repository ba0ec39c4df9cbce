//! Recently used columns of `X'X` within a memory budget.
//!
//! If the budget holds all columns this is simply the materialised C. Eviction gives each column
//! that was used since it was last looked at a second chance (the CLOCK rule).

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::GramColumn;

/// A bounded map from column index to column of `X'X`.
#[derive(Debug)]
pub(crate) struct GramCache {
    budget: usize,
    bytes: usize,
    entries: HashMap<usize, Entry>,
    clock: VecDeque<usize>,
    /// One more column, outside the budget: the last one computed for a single use.
    latest: Option<(usize, Arc<GramColumn>)>,
}

#[derive(Debug)]
struct Entry {
    column: Arc<GramColumn>,
    used: bool,
}

impl GramCache {
    pub(crate) fn new(budget: usize) -> Self {
        Self { budget, bytes: 0, entries: HashMap::new(), clock: VecDeque::new(), latest: None }
    }

    /// Column j, if it is here.
    pub(crate) fn get(&mut self, j: usize) -> Option<Arc<GramColumn>> {
        if let Some((k, column)) = &self.latest
            && *k == j
        {
            return Some(Arc::clone(column));
        }
        let entry = self.entries.get_mut(&j)?;
        entry.used = true;
        Some(Arc::clone(&entry.column))
    }

    /// Keeps column j if the budget allows, at the expense of columns not used lately.
    pub(crate) fn insert(&mut self, j: usize, column: &Arc<GramColumn>) {
        let bytes = column.bytes();
        if bytes > self.budget || self.entries.contains_key(&j) {
            return;
        }
        while self.bytes + bytes > self.budget {
            self.evict_one();
        }
        self.bytes += bytes;
        self.entries.insert(j, Entry { column: Arc::clone(column), used: false });
        self.clock.push_back(j);
    }

    /// Remembers column j until the next call.
    pub(crate) fn keep_latest(&mut self, j: usize, column: &Arc<GramColumn>) {
        self.latest = Some((j, Arc::clone(column)));
    }

    /// Drops column j: it will not be asked for again.
    pub(crate) fn forget(&mut self, j: usize) {
        self.latest = None;
        if let Some(entry) = self.entries.remove(&j) {
            self.bytes -= entry.column.bytes();
            self.clock.retain(|&k| k != j);
        }
    }

    fn evict_one(&mut self) {
        while let Some(j) = self.clock.pop_front() {
            let entry = self.entries.get_mut(&j).expect("the clock lists only cached columns");
            if std::mem::take(&mut entry.used) {
                self.clock.push_back(j);
            } else {
                self.bytes -= entry.column.bytes();
                self.entries.remove(&j);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(value: f64) -> Arc<GramColumn> {
        Arc::new(GramColumn::Dense(vec![value; 10]))
    }

    #[test]
    fn keeps_within_the_budget_and_prefers_used_columns() {
        let mut cache = GramCache::new(3 * 80);
        for j in 0..3 {
            cache.insert(j, &column(j as f64));
        }
        assert!(cache.get(0).is_some());
        cache.insert(3, &column(3.0));
        assert!(cache.get(0).is_some(), "used, so it got a second chance");
        assert!(cache.get(1).is_none(), "the oldest unused one went");
        assert!(cache.bytes <= cache.budget);
        cache.forget(0);
        assert!(cache.get(0).is_none());
        assert_eq!(cache.bytes, 160);
    }

    #[test]
    fn a_column_larger_than_the_budget_is_not_kept() {
        let mut cache = GramCache::new(79);
        cache.insert(0, &column(0.0));
        assert!(cache.get(0).is_none());
    }
}
