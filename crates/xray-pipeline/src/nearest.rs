//! Documents that are made of the same topics.

use serde::Serialize;
use xray_nmf::comm::{Collectives, Communicator};

use crate::agree::together;
use crate::corpus::RowNames;
use crate::documents::DocumentWeights;
use crate::error::{Error, Result};
use crate::evidence::texts_of;

/// The documents nearest to one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Nearest {
    /// The document.
    pub id: String,
    /// Its neighbours, the nearest first.
    pub neighbours: Vec<Neighbour>,
}

/// A document near another one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbour {
    /// Its place among all documents, from 0.
    pub row: usize,
    /// What it is called.
    pub id: String,
    /// Cosine of both documents' weights of topics.
    pub similarity: f64,
}

/// The `n` documents nearest to each of those called `ids`, by the cosine of their weights of topics, the first of
/// equally near ones first; collective. Of documents with the same name the first is meant.
///
/// # Errors
/// If there is no document of a name.
pub fn nearest_documents(
    comm: &dyn Communicator,
    names: &RowNames,
    documents: &DocumentWeights,
    ids: &[String],
    n: usize,
) -> Result<Vec<Nearest>> {
    ids.iter().map(|id| nearest_to(comm, names, documents, id, n)).collect()
}

fn nearest_to(
    comm: &dyn Communicator,
    names: &RowNames,
    documents: &DocumentWeights,
    id: &str,
    n: usize,
) -> Result<Nearest> {
    let (own, rank) = (&documents.own, documents.rank);
    let found = (0..own.n_own()).find(|&place| names.id(place) == id);
    let rows =
        comm.gather(&found.map(|place| own.global(place) as u64).into_iter().collect::<Vec<_>>())?;
    let Some(row) = rows.into_iter().min().map(|row| row as usize) else {
        return together(comm, Err(Error::Usage(format!("no document is called {id:?}"))));
    };
    let own_weights = |place: usize| &documents.weights[place * rank..(place + 1) * rank];
    let wanted = comm.gather(own.local(row).map_or(&[][..], own_weights))?;
    let cosine = |place: usize| {
        let weights = own_weights(place);
        dot(weights, &wanted) / (dot(weights, weights).sqrt() * dot(&wanted, &wanted).sqrt())
    };
    let others = (0..own.n_own()).filter(|&place| own.global(place) != row);
    let near = others.map(|place| [own.global(place) as f64, cosine(place)]);
    let mut near: Vec<[f64; 2]> = near.filter(|[_, cosine]| *cosine > 0.0).collect();
    nearest_first(&mut near, n);
    let mut all = comm.gather(near.as_flattened())?.as_chunks().0.to_vec();
    nearest_first(&mut all, n);
    let rows: Vec<usize> = all.iter().map(|[row, _]| *row as usize).collect();
    let called = texts_of(comm, own, &rows, |place| names.id(place).into_owned())?;
    let neighbours = all.iter().zip(called);
    let neighbours =
        neighbours.map(|(&[row, similarity], id)| Neighbour { row: row as usize, id, similarity });
    Ok(Nearest { id: id.to_owned(), neighbours: neighbours.collect() })
}

fn nearest_first(near: &mut Vec<[f64; 2]>, n: usize) {
    near.sort_by(|a, b| b[1].total_cmp(&a[1]).then(a[0].total_cmp(&b[0])));
    near.truncate(n);
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use xray_nmf::Ownership;
    use xray_nmf::comm::{OneRank, run_local_ranks};

    use super::*;

    fn nearest(comm: &dyn Communicator, id: &str) -> Result<Vec<Nearest>> {
        let own = Ownership::rows(5, comm);
        let all = [[1.0, 0.0], [2.0, 0.1], [0.0, 1.0], [0.0, 0.0], [3.0, 0.0]];
        let places: Vec<usize> = (0..own.n_own()).map(|place| own.global(place)).collect();
        let weights = places.iter().flat_map(|&d| all[d]).collect();
        let ids = places.iter().map(|d| format!("d{d}")).collect();
        let names = RowNames { own, ids: Some(ids), labels: None, times: None };
        nearest_documents(comm, &names, &DocumentWeights::new(own, 2, weights), &[id.to_owned()], 2)
    }

    #[test]
    fn documents_of_the_same_topics_are_near() {
        let found = nearest(&OneRank, "d0").expect("neighbours");
        let names: Vec<&str> = found[0].neighbours.iter().map(|near| near.id.as_str()).collect();
        assert_eq!(names, ["d4", "d1"]);
        assert_eq!(found[0].neighbours[0].similarity, 1.0);
        for other in run_local_ranks(3, |comm| nearest(comm, "d0")) {
            assert_eq!(other.expect("neighbours"), found);
        }
        assert!(nearest(&OneRank, "d3").expect("neighbours")[0].neighbours.is_empty());
        assert!(nearest(&OneRank, "d9").is_err_and(|error| error.to_string().contains("d9")));
    }
}
