//! Texts in: every rank ends up with the documents of its blocks.

use xray_data::{Documents, Origin, Schema};
use xray_nmf::Ownership;
use xray_nmf::comm::{Collectives, Communicator};

use super::exchange::exchange_records;
use super::{check_rows, gather_sizes};
use crate::agree::together;
use crate::error::Result;

/// The documents of one rank's blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnDocuments {
    /// The own documents. They have classes and dates if those of any rank have.
    pub own: Documents,
    /// Number of documents on all ranks.
    pub n_documents: usize,
    /// What they were read from, hashed as it passed.
    pub origin: Option<Origin>,
}

/// Documents of a file that was read with the share of this rank.
pub(super) fn documents_of_one(
    comm: &dyn Communicator,
    documents: Documents,
    origin: Origin,
) -> Result<OwnDocuments> {
    let n_documents = comm.total(documents.len())?;
    together(comm, check_rows(n_documents))?;
    let own = alike(comm, documents)?;
    Ok(OwnDocuments { own, n_documents, origin: Some(origin) })
}

/// Documents of files that hold consecutive ones, rank after rank. Those without ids of their own are
/// numbered as if the files were one.
pub(super) fn documents_of_files(
    comm: &dyn Communicator,
    mut own: Documents,
    schema: &Schema,
    origin: Origin,
) -> Result<OwnDocuments> {
    let sizes = gather_sizes(comm, [own.len()])?;
    let n_documents = sizes.iter().map(|size| size[0]).sum();
    together(comm, check_rows(n_documents))?;
    if schema.counts_documents() {
        own.number_from(1 + sizes[..comm.rank()].iter().map(|size| size[0]).sum::<usize>());
    }
    let own = to_block_owners(comm, alike(comm, own)?, n_documents)?;
    Ok(OwnDocuments { own, n_documents, origin: Some(origin) })
}

/// Documents that have classes, and dates, if those of any rank have.
fn alike(comm: &dyn Communicator, documents: Documents) -> Result<Documents> {
    let n = documents.len();
    let shared = |list: Option<Vec<String>>| -> Result<Option<Vec<String>>> {
        let there = comm.any(list.is_some())?;
        Ok(there.then(|| list.unwrap_or_else(|| vec![String::new(); n])))
    };
    let (labels, times) = (shared(documents.labels)?, shared(documents.times)?);
    Ok(Documents { labels, times, ..documents })
}

/// Documents that were read in consecutive parts, to the owners of their blocks.
pub(super) fn to_block_owners(
    comm: &dyn Communicator,
    own: Documents,
    n_documents: usize,
) -> Result<Documents> {
    if comm.is_alone() {
        return Ok(own);
    }
    let sizes = gather_sizes(comm, [own.len()])?;
    let first: usize = sizes[..comm.rank()].iter().map(|size| size[0]).sum();
    let blocks = Ownership::rows(n_documents, comm);
    let Documents { ids, texts, labels, times } = own;
    let (labelled, dated) = (labels.is_some(), times.is_some());
    let [mut labels, mut times] = [labels, times].map(|list| list.unwrap_or_default().into_iter());
    let mut leaving = ids.into_iter().zip(texts).enumerate();
    let write = |messages: &mut [Vec<u8>]| {
        let (k, (id, text)) = leaving.next()?;
        let [label, time] = [&mut labels, &mut times].map(|list| list.next().unwrap_or_default());
        let message = &mut messages[blocks.owner(first + k)];
        let before = message.len();
        message.extend_from_slice(&((first + k) as u64).to_le_bytes());
        [&id, &label, &time, &text].into_iter().for_each(|field| write_text(message, field));
        Some(message.len() - before)
    };
    let mut arrived: Vec<(u64, [String; 4])> = Vec::with_capacity(blocks.n_own());
    let read = |mut message: &[u8]| {
        while let Some((place, rest)) = message.split_first_chunk() {
            message = rest;
            let fields = std::array::from_fn(|_| read_text(&mut message));
            arrived.push((u64::from_le_bytes(*place), fields));
        }
    };
    exchange_records(comm, write, read)?;
    arrived.sort_unstable_by_key(|&(place, _)| place);
    let (mut own, mut labels, mut times) = (Documents::default(), Vec::new(), Vec::new());
    for (_, [id, label, time, text]) in arrived {
        own.ids.push(id);
        own.texts.push(text);
        labels.push(label);
        times.push(time);
    }
    own.labels = labelled.then_some(labels);
    own.times = dated.then_some(times);
    Ok(own)
}

/// Length and bytes.
pub(crate) fn write_text(message: &mut Vec<u8>, text: &str) {
    message.extend_from_slice(&(text.len() as u64).to_le_bytes());
    message.extend_from_slice(text.as_bytes());
}

pub(crate) fn read_text(message: &mut &[u8]) -> String {
    let Some((length, rest)) = message.split_first_chunk() else { return String::new() };
    let length = (u64::from_le_bytes(*length) as usize).min(rest.len());
    let (text, rest) = rest.split_at(length);
    *message = rest;
    String::from_utf8_lossy(text).into_owned()
}
