//! The memory that a run will take, judged by the shape of its data before it begins.
//!
//! m rows and n columns on all ranks, z entries and `n_own` columns on this one, r anchors, `z_A` entries of the
//! anchors, `z_c` those of the candidates of a round. Bytes of a rank, besides the program and the cached columns
//! of X'X, which get what is left:
//!
//! | stage | bytes |
//! |---|---|
//! | fitting | X (twice if columns are normalised), `16 m` for p and the row it came from, `8 r n_own` for products with the anchors, `12 z_A`, `24 z_c`, a batch of columns of X'X, `120 n_own`, H; robust: `32 (m + n) (r + 8)` for singular vectors |
//! | stability | as fitting, X again for a sample and its halves, and W and H that were found |
//! | refining | X (on several ranks also by rows), `24 m_own r` for W, `24 r n` for H and copies to look ahead from, `8 r n_own`, `12 z_A` |
//! | weights | X, H, `8 r^2`, W twice; then W once, `24 r n` for centroids and `24 m` for all clusters and lengths |
//! | writing | refined factors: X, `28 m_own r` and `24 r n` for W and H as they are, and as they are written |
//!
//! X takes `24 z + 8 (m + n)` bytes if it is sparse, by rows and by columns, and `8 m n` if it is dense; names come
//! on top. The anchors are not known yet, so `z_A` and `z_c` are those of the longest columns. Reading is not forecast
//! but counted ([`xray_data::Budget`]).

use xray_data::{LoadedMatrix, PROGRAM_BYTES};
use xray_nmf::Ownership;
use xray_nmf::comm::Communicator;
use xray_nmf::machine::size_in_words;

use crate::corpus::Corpus;
use crate::error::{Error, Result};

/// Columns that are scored in one round.
const ROUND: usize = 64;

/// What is known of each column: norms, residuals, bounds, where its weights and factors are.
const PER_COLUMN: u64 = 120;

/// Columns of X'X that are made before they are cached.
const BATCH: u64 = 32;

/// Weights that a column of sparse data has in H, at most as a rule.
const WEIGHTS_OF_SPARSE: usize = 12;

/// Entries that are on their way between ranks: 2^20 of 16 bytes, in three places.
const IN_FLIGHT: u64 = (3 * 16) << 20;

/// What is to be done with the data.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Work {
    /// The most anchors that are looked for.
    pub rank: usize,
    /// Whether factors are refined.
    pub refines: bool,
    /// Whether the weights of all rows are made.
    pub weighs: bool,
    /// The part of the rows that is held out, for which rows are copied.
    pub copied: f64,
    /// Whether columns are normalised, for which all are copied.
    pub normalizes: bool,
    /// Whether the search is robust.
    pub robust: bool,
    /// Whether halves of the rows are fitted after all.
    pub halves: bool,
}

/// What the forecast has to know of the data of one rank.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Shape {
    /// Number of rows.
    pub n_rows: usize,
    /// Number of columns on all ranks.
    pub n_columns: usize,
    /// Rows whose weights are at home here.
    pub own_rows: usize,
    /// Columns of this rank.
    pub own_columns: usize,
    /// Whether every entry is stored.
    pub dense: bool,
    /// The memory of the own columns.
    pub bytes: u64,
    /// The memory of the names of rows and columns.
    pub names: u64,
    /// Entries of the own columns.
    pub entries: u64,
    /// Entries of the longest columns, of which the anchors are some.
    pub anchor_entries: u64,
    /// Entries of the longest columns, of which the candidates of a round are some.
    pub round_entries: u64,
    /// Number of ranks.
    pub ranks: usize,
}

impl Shape {
    /// Of what this rank has of a corpus that so many anchors are looked for in.
    pub fn of(comm: &dyn Communicator, corpus: &Corpus, rank: usize) -> Self {
        let matrix = &corpus.matrix;
        let (columns, m) = (matrix.columns(), matrix.n_rows());
        let mut lengths: Vec<u64> = match columns {
            LoadedMatrix::Dense(_) => vec![m as u64; columns.n_columns().min(rank.max(ROUND))],
            LoadedMatrix::Sparse(x) => x.csc().0.windows(2).map(|w| (w[1] - w[0]) as u64).collect(),
        };
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let longest = |n: usize| lengths.iter().take(n).sum();
        Self {
            n_rows: m,
            n_columns: matrix.n_columns(),
            own_rows: Ownership::rows(m, comm).n_own(),
            own_columns: columns.n_columns(),
            dense: matches!(columns, LoadedMatrix::Dense(_)),
            bytes: columns.bytes(),
            names: corpus.names_bytes(),
            entries: columns.n_entries() as u64,
            anchor_entries: longest(rank),
            round_entries: longest(ROUND),
            ranks: comm.size(),
        }
    }
}

impl Shape {
    /// Bytes of the own part of a column of X'X, of a column that many rows have.
    fn gram_column(&self) -> u64 {
        let in_a_row = self.entries as f64 / self.n_rows.max(1) as f64;
        let rows = self.round_entries as f64 / ROUND.min(self.own_columns.max(1)) as f64;
        (8 * self.own_columns as u64).min((12.0 * rows * in_a_row) as u64)
    }
}

/// The most that a rank takes in each stage, without cached columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// While anchors are found.
    pub fitting: u64,
    /// While halves of the rows are fitted; 0 if they are not.
    pub halving: u64,
    /// While factors are refined; 0 if they are not.
    pub refining: u64,
    /// While rows are weighed; 0 if they are not.
    pub weighing: u64,
    /// While refined factors are written; 0 if there are none, or the data is gone by then.
    pub writing: u64,
}

impl Forecast {
    /// Of this work on this data.
    pub fn new(shape: &Shape, work: &Work) -> Self {
        let Shape { n_rows, n_columns, own_rows, own_columns, dense, .. } = *shape;
        let (m, n) = (n_rows as u64, n_columns as u64);
        // There are no more anchors than columns.
        let r = n.min(work.rank as u64);
        let (own_m, own_n) = (own_rows as u64, own_columns as u64);
        let kept = PROGRAM_BYTES + shape.bytes + shape.names;
        let entry = if dense { 8 } else { 12 };
        let anchors = entry * shape.anchor_entries;
        let copies = (shape.bytes as f64 * work.copied) as u64;
        let normalized = if work.normalizes { shape.bytes } else { 0 };
        let vectors = if work.robust { 32 * (m + n) * (r + 8) } else { 0 };
        let weights = if dense { r } else { r.min(WEIGHTS_OF_SPARSE as u64) };
        let candidates = 2 * entry * shape.round_entries + BATCH * shape.gram_column();
        let products = 8 * r * own_n;
        let columns = PER_COLUMN * own_n + 12 * weights * own_n;
        let fitting = 16 * m + products + anchors + candidates + columns + normalized + vectors;
        let halving = shape.bytes + fitting + 16 * own_m * r + 24 * r * n;
        let (by_rows, in_flight) = if shape.ranks == 1 { (0, 0) } else { (shape.bytes, IN_FLIGHT) };
        let refining = by_rows + in_flight + 24 * own_m * r + 24 * r * n + products + anchors;
        let clusters = 24 * r * n + 24 * m;
        let weighing =
            by_rows + 8 * own_m * r + 8 * r * n + clusters.max(8 * own_m * r + 8 * r * r);
        let writing = 28 * own_m * r + 24 * r * n;
        let when = |needed: bool, bytes: u64| if needed { kept + bytes } else { 0 };
        Self {
            fitting: kept + copies + fitting,
            halving: when(work.halves, halving),
            refining: when(work.refines, refining),
            weighing: when(work.weighs, weighing),
            writing: when(work.refines && !work.weighs, writing),
        }
    }

    /// The most of all stages.
    pub fn peak(&self) -> u64 {
        self.fitting.max(self.halving).max(self.refining).max(self.weighing).max(self.writing)
    }

    /// What `limit` bytes leave for cached columns while anchors are found.
    ///
    /// # Errors
    /// If the run does not fit into them.
    pub fn cache_within(&self, limit: u64) -> Result<usize> {
        let needed = self.peak();
        if needed <= limit {
            return Ok((limit - self.fitting.max(self.halving)) as usize);
        }
        let (stage, lighter) = match needed {
            _ if needed == self.fitting => ("to find the anchors", ""),
            _ if needed == self.halving => ("to look how stable they are", ", leave that out"),
            _ if needed == self.weighing => ("to weigh the rows", ""),
            _ => ("to refine them", ", leave refinement out (--refine 0)"),
        };
        Err(Error::Memory(format!(
            "it will take about {} of memory {stage}, where {} may be used; raise --memory if there is more, ask \
             for fewer anchors{lighter}, or use more ranks",
            size_in_words(needed),
            size_in_words(limit)
        )))
    }
}

/// Refuses the weights of rows under a model whose numbers of topics and columns do not fit into the memory beside
/// the `held` bytes of the model and the rows.
///
/// # Errors
/// If they do not.
pub(crate) fn check_model(
    rank: usize,
    n_columns: usize,
    n_rows: usize,
    held: u64,
    limit: u64,
) -> Result<()> {
    let (r, n, m) = (rank as u64, n_columns as u64, n_rows as u64);
    // Centroids of clusters take as much as H.
    let columns = r.saturating_mul(n).saturating_mul(2);
    let terms = [r.saturating_mul(r), columns, 2 * r.saturating_mul(m)];
    let numbers = terms.into_iter().fold(0, u64::saturating_add);
    let needed = numbers.saturating_mul(8).saturating_add(PROGRAM_BYTES).saturating_add(held);
    if needed <= limit {
        return Ok(());
    }
    Err(Error::Memory(format!(
        "a model of {rank} topics and {n_columns} columns takes about {} of memory for {n_rows} rows, where {} may \
         be used; raise --memory if there is more, or weigh fewer rows at a time",
        size_in_words(needed),
        size_in_words(limit)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A matrix on one rank whose columns have as many entries each.
    fn shape(n_rows: usize, n_columns: usize, entries: u64, rank: u64) -> Shape {
        let dense = entries == (n_rows * n_columns) as u64;
        let lines = 8 * (n_rows + n_columns) as u64;
        let in_a_column = entries / n_columns as u64;
        Shape {
            n_rows,
            n_columns,
            own_rows: n_rows,
            own_columns: n_columns,
            dense,
            bytes: if dense { 8 * entries } else { 24 * entries + lines },
            names: 0,
            entries,
            anchor_entries: rank * in_a_column,
            round_entries: ROUND as u64 * in_a_column,
            ranks: 1,
        }
    }

    /// Peaks of the program, in MB, and what the cache could take of them.
    #[test]
    fn forecasts_are_near_measured_peaks() {
        let refines = |rank| Work { rank, refines: true, ..Work::default() };
        let finds = |rank| Work { rank, ..Work::default() };
        let measured = [
            (shape(600_000, 1_000, 5_000_000, 10), refines(10), 307.3, 0.0),
            (shape(4_000, 4_000, 16_000_000, 8), refines(8), 149.0, 0.0),
            (shape(2_000, 100_000, 3_000_000, 3), finds(3), 128.2, 13.9),
            (shape(200_000, 500, 1_000_000, 5), finds(5), 42.4, 0.0),
        ];
        for (shape, work, peak, cached) in measured {
            let forecast = Forecast::new(&shape, &work).peak() as f64 / 1e6 + cached;
            assert!((0.9..1.5).contains(&(forecast / peak)), "{forecast:.0} MB for {peak} MB");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_with_what_helps() {
        let shape = shape(600_000, 1_000, 5_000_000, 10);
        let work = Work { rank: 10, refines: true, ..Work::default() };
        let forecast = Forecast::new(&shape, &work);
        let cache = forecast.cache_within(forecast.peak()).expect("it fits");
        assert_eq!(cache as u64, forecast.peak() - forecast.fitting);
        let error = forecast.cache_within(forecast.peak() - 1).unwrap_err();
        assert_eq!(error.kind(), xray_nmf::ErrorKind::Memory);
        let message = error.to_string();
        assert!(
            ["--memory", "fewer anchors", "--refine 0"].iter().all(|w| message.contains(w)),
            "{message}"
        );
        // Ranks share all but H.
        let of_two = Shape {
            own_rows: 300_000,
            own_columns: 500,
            bytes: shape.bytes / 2,
            ranks: 2,
            ..shape
        };
        let of_two = Forecast::new(&of_two, &work).peak();
        assert!(of_two < forecast.peak(), "{of_two}");
    }

    #[test]
    fn models_of_many_topics_are_refused() {
        assert!(check_model(10, 1000, 1000, 0, 1 << 30).is_ok());
        assert!(check_model(10, 1000, 1000, 1 << 30, 1 << 30).is_err());
        let message = check_model(20_000, 2, 5, 0, 1 << 30).unwrap_err().to_string();
        assert!(message.contains("20000 topics") && message.contains("3.2 GB"), "{message}");
    }
}
