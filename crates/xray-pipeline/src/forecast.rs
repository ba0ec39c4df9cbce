//! The memory that a run will take, judged by the shape of its data before it begins.
//!
//! m rows and n columns on all ranks, z entries and `n_own` columns on this one, r anchors, `z_A` entries of the
//! anchors, `z_c` those of the candidates of a round. Bytes of a rank, besides the program and the cached columns
//! of X'X, which get what is left:
//!
//! | stage | bytes |
//! |---|---|
//! | fitting | X, `16 m` for p and the row it came from, `8 r n_own` for products with the anchors, `12 z_A`, `24 z_c`, H |
//! | refining | X (on several ranks also by rows), `24 m_own r` for W, `24 r n` for H and copies to look ahead from, `8 r n_own`, `12 z_A` |
//! | weights | X, H, `8 r^2`, W and what is written of it |
//!
//! X takes `24 z + 8 (m + n)` bytes if it is sparse, by rows and by columns, and `8 m n` if it is dense. The anchors
//! are not known yet, so `z_A` and `z_c` are those of the longest columns. Reading is not forecast but counted
//! ([`xray_data::Budget`]).

use xray_data::{LoadedMatrix, PROGRAM_BYTES};
use xray_nmf::Ownership;
use xray_nmf::comm::Communicator;
use xray_nmf::machine::size_in_words;

use crate::corpus::DistributedMatrix;
use crate::error::{Error, Result};

/// Columns that are scored in one round.
const ROUND: usize = 64;

/// Weights that a column of sparse data has in H, at most as a rule.
const WEIGHTS_OF_SPARSE: usize = 12;

/// Entries that are on their way between ranks: 2^20 of 16 bytes, in three places.
const IN_FLIGHT: u64 = 3 * 16 << 20;

/// What is to be done with the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Work {
    /// The most anchors that are looked for.
    pub rank: usize,
    /// Whether factors are refined.
    pub refines: bool,
    /// Whether the weights of all rows are made.
    pub weighs: bool,
    /// The part of the rows that is held out, for which rows are copied.
    pub copied: f64,
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
    /// Entries of the longest columns, of which the anchors are some.
    pub anchor_entries: u64,
    /// Entries of the longest columns, of which the candidates of a round are some.
    pub round_entries: u64,
    /// Number of ranks.
    pub ranks: usize,
}

impl Shape {
    /// Of what this rank has of a matrix that so many anchors are looked for in.
    pub fn of(comm: &dyn Communicator, matrix: &DistributedMatrix, rank: usize) -> Self {
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
            anchor_entries: longest(rank),
            round_entries: longest(ROUND),
            ranks: comm.size(),
        }
    }
}

/// The most that a rank takes in each stage, without cached columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// While anchors are found.
    pub fitting: u64,
    /// While factors are refined; 0 if they are not.
    pub refining: u64,
    /// While rows are weighed; 0 if they are not.
    pub weighing: u64,
}

impl Forecast {
    /// Of this work on this data.
    pub fn new(shape: &Shape, work: &Work) -> Self {
        let Shape { n_rows, n_columns, own_rows, own_columns, dense, bytes, .. } = *shape;
        let (r, m, n) = (work.rank as u64, n_rows as u64, n_columns as u64);
        let (own_m, own_n) = (own_rows as u64, own_columns as u64);
        let entry = if dense { 8 } else { 12 };
        let anchors = entry * shape.anchor_entries;
        let copies = (bytes as f64 * work.copied) as u64;
        let weights = if dense { r } else { r.min(WEIGHTS_OF_SPARSE as u64) };
        let fitting = bytes
            + copies
            + 16 * m
            + 8 * r * own_n
            + anchors
            + 2 * entry * shape.round_entries
            + 12 * weights * own_n;
        let (by_rows, in_flight) = if shape.ranks == 1 { (0, 0) } else { (bytes, IN_FLIGHT) };
        let refining =
            bytes + by_rows + in_flight + 24 * own_m * r + 24 * r * n + 8 * r * own_n + anchors;
        let weighing = bytes + by_rows + 16 * own_m * r + 8 * r * n + 8 * r * r;
        Self {
            fitting: PROGRAM_BYTES + fitting,
            refining: if work.refines { PROGRAM_BYTES + refining } else { 0 },
            weighing: if work.weighs { PROGRAM_BYTES + weighing } else { 0 },
        }
    }

    /// The most of all stages.
    pub fn peak(&self) -> u64 {
        self.fitting.max(self.refining).max(self.weighing)
    }

    /// What `limit` bytes leave for cached columns while anchors are found.
    ///
    /// # Errors
    /// If the run does not fit into them.
    pub fn cache_within(&self, limit: u64) -> Result<usize> {
        let needed = self.peak();
        if needed <= limit {
            return Ok((limit - self.fitting) as usize);
        }
        let (stage, lighter) = match needed {
            _ if needed == self.fitting => ("to find the anchors", ""),
            _ if needed == self.refining => {
                ("to refine them", ", leave refinement out (--refine 0)")
            }
            _ => ("to weigh the rows", ""),
        };
        Err(Error::Memory(format!(
            "it will take about {} of memory {stage}, where {} may be used; raise --memory if there is more, ask \
             for fewer anchors{lighter}, or use more ranks",
            size_in_words(needed),
            size_in_words(limit)
        )))
    }
}

/// Refuses the weights of rows under a model whose numbers of topics and columns do not fit into the memory.
///
/// # Errors
/// If they do not.
pub(crate) fn check_model(rank: usize, n_columns: usize, n_rows: usize, limit: u64) -> Result<()> {
    let (r, n, m) = (rank as u64, n_columns as u64, n_rows as u64);
    let terms = [r.saturating_mul(r), r.saturating_mul(n), 2 * r.saturating_mul(m)];
    let numbers = terms.into_iter().fold(0, u64::saturating_add);
    let needed = numbers.saturating_mul(8).saturating_add(PROGRAM_BYTES);
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
