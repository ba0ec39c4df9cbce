//! Clusters: one for each document, with an eye on their sizes.
//!
//! The heaviest topic of a document is where most of its weight is; which *group* of documents it belongs to is another
//! question. From the heaviest topics on, ten steps of
//!
//! ```text
//! c_k = mean of the documents of cluster k, scaled to length 1
//! z_d = argmax_k  kappa x_d'c_k + ln((n_k + 1) / n)          ties to the smaller k
//! ```
//!
//! | symbol | identifier | |
//! |---|---|---|
//! | `x_d` | a row of X | scaled to length 1 here, whatever the weighting was |
//! | `c_k` | `centroids` | a direction for each cluster |
//! | `ln((n_k + 1) / n)` | `log_sizes` | `n_k` of the n documents that are in any cluster are in k |
//! | `kappa` | `sharpness` | `12 / r`, r = the mean of `x_d'c_z(d)` at the start: how much directions count beside sizes |
//!
//! That is a mixture of directions (von Mises and Fisher's) with one concentration, fitted by hard assignments. A document
//! that shares no word with any cluster has none. There is no random start, and steps end early where nothing changes.
//!
//! Cost: `z k` multiplications a step for z entries of X; k n numbers for the centroids.
//!
//! **The same bits.** Every rank has its columns of X with all rows, and its rows with all columns. The clusters of all
//! documents are gathered (4 bytes each), each rank adds up its columns row after row, and the sums are gathered:
//! every number is added in the order of one machine.

use rayon::prelude::*;
use xray_nmf::comm::{Collectives, Communicator};
use xray_nmf::{Line, Matrix, Ownership};

use crate::corpus::Corpus;
use crate::documents::DocumentWeights;
use crate::error::Result;
use crate::topics::scale_topics;

/// Steps, at most.
const STEPS: usize = 10;

/// What the mean similarity times `kappa` is at the start.
const SHARPNESS: f64 = 12.0;

/// Stands for no cluster where numbers travel.
const NONE: u32 = u32::MAX;

/// What decides the cluster of a document, old or new.
#[derive(Debug, Clone, PartialEq)]
pub struct Clusters {
    /// One row of `rank` numbers for each column of X: the directions of the clusters, each of length 1 or, without
    /// documents, 0.
    pub centroids: Vec<f64>,
    /// `ln((n_k + 1) / n)` of each cluster.
    pub log_sizes: Vec<f64>,
    /// How much directions count beside sizes.
    pub sharpness: f64,
}

impl Clusters {
    /// The clusters of the own documents of a corpus whose rows have been made, and what decides them; collective.
    ///
    /// # Errors
    /// If the ranks cannot exchange data.
    ///
    /// # Panics
    /// If the rows have not been made.
    pub fn find(
        comm: &dyn Communicator,
        corpus: &Corpus,
        documents: &DocumentWeights,
    ) -> Result<(Self, Vec<Option<usize>>)> {
        let columns = corpus.matrix.columns().as_matrix();
        let rows = corpus.matrix.rows().expect("rows are made");
        let layout = Ownership::columns(corpus.n_words(), comm);
        let data = Data { comm, columns, rows, own: documents.own, layout, rank: documents.rank };
        data.find(&documents.heaviest)
    }

    /// Number of clusters.
    pub fn rank(&self) -> usize {
        self.log_sizes.len()
    }

    /// The cluster of each row; none for a row that shares no word with any.
    pub fn assign(&self, rows: &dyn Matrix) -> Vec<Option<usize>> {
        let places = (0..rows.n_rows()).into_par_iter();
        places.map_init(Line::default, |row, d| self.cluster_of(rows, d, row).0).collect()
    }

    /// The cluster of a row, and the similarity to each.
    fn cluster_of(&self, rows: &dyn Matrix, d: usize, row: &mut Line) -> (Option<usize>, Vec<f64>) {
        rows.read_row(d, row);
        let length = length_of(row);
        let mut similar = vec![0.0; self.rank()];
        row.for_each(|j, x| {
            let centroids = &self.centroids[j * self.rank()..(j + 1) * self.rank()];
            similar.iter_mut().zip(centroids).for_each(|(sum, c)| *sum += x * c);
        });
        if !similar.iter().any(|s| *s > 0.0) {
            return (None, similar);
        }
        similar.iter_mut().for_each(|s| *s /= length);
        let score = |k: usize| self.sharpness * similar[k] + self.log_sizes[k];
        let better = |best, k| if score(k) > score(best) { k } else { best };
        ((0..self.rank()).reduce(better), similar)
    }
}

/// The Euclidean length of a row.
fn length_of(row: &Line) -> f64 {
    row.values.iter().fold(0.0, |sum, v| sum + v * v).sqrt()
}

/// What one rank has of the documents.
struct Data<'a> {
    comm: &'a dyn Communicator,
    /// The own columns, with all rows.
    columns: &'a dyn Matrix,
    /// The own rows, with all columns.
    rows: &'a dyn Matrix,
    own: Ownership,
    layout: Ownership,
    rank: usize,
}

impl Data<'_> {
    fn find(&self, start: &[Option<usize>]) -> Result<(Clusters, Vec<Option<usize>>)> {
        let lengths = self.everywhere(&self.own_lengths())?;
        let mut all = self.all(start)?;
        let mut clusters = self.clusters(&all, &lengths)?;
        clusters.sharpness = self.sharpness(&clusters, start)?;
        let mut own = clusters.assign(self.rows);
        for _ in 1..STEPS {
            let next = self.all(&own)?;
            if next == all {
                break;
            }
            all = next;
            clusters = Clusters { sharpness: clusters.sharpness, ..self.clusters(&all, &lengths)? };
            own = clusters.assign(self.rows);
        }
        Ok((clusters, own))
    }

    fn own_lengths(&self) -> Vec<f64> {
        let places = (0..self.rows.n_rows()).into_par_iter();
        let length = |row: &mut Line, d| {
            self.rows.read_row(d, row);
            length_of(row)
        };
        places.map_init(Line::default, length).collect()
    }

    /// The clusters of all documents, in their order.
    fn all(&self, own: &[Option<usize>]) -> Result<Vec<u32>> {
        let own: Vec<u32> = own.iter().map(|k| k.map_or(NONE, |k| k as u32)).collect();
        Ok(self.own.in_order(&self.comm.gather(&own)?, 1))
    }

    /// A number of each document, in their order.
    fn everywhere(&self, own: &[f64]) -> Result<Vec<f64>> {
        Ok(self.own.in_order(&self.comm.gather(own)?, 1))
    }

    /// Centroids and sizes of what all documents are in.
    fn clusters(&self, all: &[u32], lengths: &[f64]) -> Result<Clusters> {
        let rank = self.rank;
        let mut sums = vec![0.0; self.columns.n_columns() * rank];
        let add = |column: &mut Line, (j, sums): (usize, &mut [f64])| {
            self.columns.read_column(j, column);
            column.for_each(|d, x| {
                if all[d] != NONE && x != 0.0 {
                    sums[all[d] as usize] += x / lengths[d];
                }
            });
        };
        sums.par_chunks_exact_mut(rank.max(1)).enumerate().for_each_init(Line::default, add);
        let mut centroids = match self.comm.is_alone() {
            true => sums,
            false => self.layout.in_order(&self.comm.gather(&sums)?, rank),
        };
        scale_topics(&mut centroids, rank);
        let mut sizes = vec![0_usize; rank];
        all.iter().filter(|k| **k != NONE).for_each(|&k| sizes[k as usize] += 1);
        let n = sizes.iter().sum::<usize>().max(1) as f64;
        let log_sizes = sizes.into_iter().map(|size| ((size + 1) as f64 / n).ln()).collect();
        Ok(Clusters { centroids, log_sizes, sharpness: 0.0 })
    }

    /// `12 / r`; 0 where no document is in any cluster.
    fn sharpness(&self, clusters: &Clusters, start: &[Option<usize>]) -> Result<f64> {
        let places = start.par_iter().enumerate();
        let similar = |row: &mut Line, (d, cluster): (usize, &Option<usize>)| match cluster {
            Some(k) => clusters.cluster_of(self.rows, d, row).1[*k],
            None => 0.0,
        };
        let own: Vec<f64> = places.map_init(Line::default, similar).collect();
        let sum = self.everywhere(&own)?.into_iter().fold(0.0, |sum, s| sum + s);
        let n = self.comm.total(start.iter().flatten().count())?;
        Ok(if sum > 0.0 { SHARPNESS * n as f64 / sum } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use xray_nmf::SparseMatrix;
    use xray_nmf::comm::OneRank;

    use super::*;

    fn found(
        rows: &[Vec<f64>],
        start: &[Option<usize>],
        rank: usize,
    ) -> (Clusters, Vec<Option<usize>>) {
        let (m, n) = (rows.len(), rows[0].len());
        let entries = rows.iter().enumerate().flat_map(|(d, row)| {
            row.iter().enumerate().filter(|(_, x)| **x != 0.0).map(move |(j, x)| (d, j, *x))
        });
        let x = SparseMatrix::from_triplets(m, n, entries).expect("in range");
        let own = Ownership::rows(m, &OneRank);
        let layout = Ownership::columns(n, &OneRank);
        let data = Data { comm: &OneRank, columns: &x, rows: &x, own, layout, rank };
        data.find(start).expect("one rank")
    }

    /// The formula, with dense rows and nothing shared with the code above.
    fn by_hand(rows: &[Vec<f64>], start: &[Option<usize>], rank: usize) -> Vec<Option<usize>> {
        let n = rows[0].len();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let unit = |v: &[f64]| {
            let length = dot(v, v).sqrt();
            v.iter().map(|x| if length > 0.0 { x / length } else { 0.0 }).collect::<Vec<f64>>()
        };
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| unit(row)).collect();
        let (mut z, mut kappa) = (start.to_vec(), None);
        for _ in 0..10 {
            let of_cluster = |k: usize| (0..rows.len()).filter(|&d| z[d] == Some(k)).collect();
            let members: Vec<Vec<usize>> = (0..rank).map(of_cluster).collect();
            let centroid = |members: &Vec<usize>| {
                let sum = |j: usize| members.iter().map(|&d| rows[d][j]).sum::<f64>();
                unit(&(0..n).map(sum).collect::<Vec<f64>>())
            };
            let centroids: Vec<Vec<f64>> = members.iter().map(centroid).collect();
            let sizes: Vec<f64> = members.iter().map(|members| members.len() as f64).collect();
            let inside: f64 = sizes.iter().sum();
            let kappa = *kappa.get_or_insert_with(|| {
                let near = |(members, c): (&Vec<usize>, &Vec<f64>)| {
                    members.iter().map(|&d| dot(&rows[d], c)).sum::<f64>()
                };
                12.0 / (members.iter().zip(&centroids).map(near).sum::<f64>() / inside)
            });
            let assigned = |row: &Vec<f64>| {
                let score =
                    |k: usize| kappa * dot(row, &centroids[k]) + ((sizes[k] + 1.0) / inside).ln();
                let best = (0..rank).rev().max_by(|&a, &b| score(a).total_cmp(&score(b)));
                best.filter(|_| centroids.iter().any(|c| dot(row, c) > 0.0))
            };
            z = rows.iter().map(assigned).collect();
        }
        z
    }

    #[test]
    fn a_document_on_the_border_goes_to_the_larger_cluster() {
        let (tea, milk, both) = (vec![2.0, 0.0, 0.0], vec![0.0, 0.5, 0.0], vec![1.0, 1.0, 0.0]);
        let rows = vec![tea.clone(), tea.clone(), tea, milk, both, vec![0.0; 3]];
        let start = [Some(0), Some(0), Some(0), Some(1), None, None];
        let (clusters, z) = found(&rows, &start, 2);
        assert_eq!(z, [Some(0), Some(0), Some(0), Some(1), Some(0), None]);
        // In the end four of five documents are in the first; at the start each was its cluster's mean.
        assert!(clusters.log_sizes[0].abs() < 1e-15);
        assert!((clusters.log_sizes[1] - 0.4_f64.ln()).abs() < 1e-15);
        assert!((clusters.sharpness - 12.0).abs() < 1e-12);
    }

    #[test]
    fn ties_go_to_the_smaller_number_and_strangers_nowhere() {
        let rows = vec![
            vec![1.0, 0.0, 0.0],
            vec![0.0, 1.0, 0.0],
            vec![1.0, 1.0, 0.0],
            vec![0.0, 0.0, 1.0],
        ];
        let (clusters, z) = found(&rows, &[Some(0), Some(1), None, None], 2);
        assert_eq!(z[3], None, "it shares no word with a cluster");
        assert_eq!(z[2], Some(0));
        assert_eq!(clusters.rank(), 2);
        let (clusters, z) = found(&rows, &[None; 4], 3);
        assert_eq!((clusters.sharpness, z), (0.0, vec![None; 4]));
        assert_eq!(found(&rows, &[None; 4], 0).1, [None; 4]);
    }

    #[test]
    fn clusters_are_those_of_the_formula() {
        let number = |i: usize| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) % 1000;
        for case in 0..20 {
            let (m, n, rank) = (40 + case, 12, 2 + case % 5);
            let entry = |d: usize, j: usize| {
                let i = number((case * m + d) * n + j);
                let near = (d + j).is_multiple_of(rank);
                if i < 550 && !near { 0.0 } else { (1 + i) as f64 * if near { 2.0 } else { 0.5 } }
            };
            let row = |d: usize| (0..n).map(|j| if d == 7 { 0.0 } else { entry(d, j) }).collect();
            let rows: Vec<Vec<f64>> = (0..m).map(row).collect();
            let start: Vec<Option<usize>> =
                (0..m).map(|d| (d != 7).then_some(number(d + case) % rank)).collect();
            let (clusters, z) = found(&rows, &start, rank);
            assert_eq!(z, by_hand(&rows, &start, rank), "case {case}");
            assert_ne!(z, start, "case {case}: something moves");
            assert_eq!(clusters.centroids.len(), n * rank);
        }
    }
}
