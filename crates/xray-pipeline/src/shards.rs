//! H in parallel: every rank writes its columns, and rank 0 a manifest that lists the files.
//!
//! ```text
//! out/h-00000-of-00004.npz  rank x own columns, as scipy.sparse.load_npz reads it
//! out/manifest.json         {"format": "xray-shards", "rank", "columns", "anchors", "shards": [...]}
//! ```
//!
//! The manifest is written last, so that a folder without one is not complete; it has the hash of every
//! file.

use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};
use xray_data::{AtomicFile, LoadOptions, Loaded, LoadedMatrix, Table, load, save};
use xray_nmf::comm::Communicator;
use xray_nmf::{Factorization, Matrix, SparseMatrix};

use crate::agree::together;
use crate::error::{Error, Result};
use crate::read::data_files;

const FORMAT: &str = "xray-shards";
const VERSION: u32 = 1;

/// The name of the manifest in its folder.
pub const MANIFEST: &str = "manifest.json";

/// What the folder holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// `xray-shards`.
    pub format: String,
    /// 1.
    pub version: u32,
    /// Number of anchors: rows of H.
    pub rank: usize,
    /// Number of columns of H.
    pub columns: usize,
    /// The anchors, in the order found.
    pub anchors: Vec<usize>,
    /// The files, rank after rank. Every rank has blocks of columns, dealt out to and fro.
    pub shards: Vec<ShardFile>,
}

/// One file with some columns of H.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardFile {
    /// Its name in the folder.
    pub file: String,
    /// Its columns of H, in order: first and end (exclusive) of each range.
    pub ranges: Vec<[usize; 2]>,
    /// How many columns it has.
    pub columns: usize,
    /// How many weights are not zero.
    pub entries: usize,
    /// BLAKE3 of the file.
    pub blake3: String,
}

/// Writes this rank's columns and, on rank 0, the manifest. The folder must exist for all ranks.
///
/// # Errors
/// The same on all ranks, if any file cannot be written.
pub fn write_shards(comm: &dyn Communicator, folder: &Path, found: &Factorization) -> Result<()> {
    let own = together(comm, write_own(comm.rank(), comm.size(), folder, found))?;
    let mut messages = vec![Vec::new(); comm.size()];
    messages[0] = serde_json::to_vec(&own)?;
    let received = comm.all_to_all(messages)?;
    let written = if comm.rank() == 0 { write_manifest(folder, found, &received) } else { Ok(()) };
    together(comm, written)
}

/// Removes what an earlier run has left in the folder, if it is one, the manifest first.
///
/// # Errors
/// If a file cannot be removed.
pub fn remove_shards(folder: &Path) -> Result<()> {
    if !folder.is_dir() {
        return Ok(());
    }
    let remove = |path: &Path| match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io(path, "remove the old file")(error))
        }
        _ => Ok(()),
    };
    // A manifest of something else stays.
    let manifest = folder.join(MANIFEST);
    let known = std::fs::read(&manifest).ok();
    let known = known.and_then(|text| serde_json::from_slice::<Manifest>(&text).ok());
    if known.is_some_and(|manifest| manifest.format == FORMAT) {
        remove(&manifest)?;
    }
    for shard in data_files(&folder.join("h-?????-of-?????.npz")).ok().flatten().unwrap_or_default()
    {
        remove(&shard)?;
    }
    Ok(())
}

fn write_own(rank: usize, size: usize, folder: &Path, found: &Factorization) -> Result<ShardFile> {
    let file = format!("h-{rank:05}-of-{size:05}.npz");
    let path = folder.join(&file);
    let own = found.own_columns();
    let (offsets, rows, values) = found.weights().csc();
    let h = SparseMatrix::from_csc(
        found.rank(),
        own.n_own(),
        offsets.to_vec(),
        rows.to_vec(),
        values.to_vec(),
    )?;
    save(&Table::new(h.into()), &path, None)?;
    let bytes = std::fs::read(&path).map_err(Error::io(&path, "read back"))?;
    Ok(ShardFile {
        file,
        ranges: own.ranges().into_iter().map(|range| [range.start, range.end]).collect(),
        columns: own.n_own(),
        entries: values.len(),
        blake3: blake3::hash(&bytes).to_hex().to_string(),
    })
}

fn write_manifest(folder: &Path, found: &Factorization, parts: &[Vec<u8>]) -> Result<()> {
    let shards = parts.iter().map(|part| serde_json::from_slice(part));
    let manifest = Manifest {
        format: FORMAT.to_owned(),
        version: VERSION,
        rank: found.rank(),
        columns: found.n_columns(),
        anchors: found.anchors(),
        shards: shards.collect::<Result<_, _>>()?,
    };
    let json = serde_json::to_vec_pretty(&manifest)?;
    let path = folder.join(MANIFEST);
    let mut file = AtomicFile::create(&path)?;
    file.write_all(&json).map_err(Error::io(&path, "write"))?;
    Ok(file.commit()?)
}

/// H, from all files that the manifest lists.
///
/// # Errors
/// If a file is missing, is not the one that was written, or does not fit; the message names it.
pub fn read_shards(folder: &Path) -> Result<(Manifest, SparseMatrix<'static, f64>)> {
    let path = folder.join(MANIFEST);
    let problem = |path: &Path, what: &str| Error::Mismatch(format!("{}: {what}", path.display()));
    let unfinished = "no manifest; the run that wrote here did not come to its end";
    let text = std::fs::read(&path).map_err(|_| problem(&path, unfinished))?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|_| problem(&path, "damaged"))?;
    if manifest.format != FORMAT || manifest.version != VERSION {
        let what = format!("version {}, expected {VERSION}", manifest.version);
        return Err(problem(&path, &what));
    }
    let mut lines: Vec<Vec<(usize, f64)>> = vec![Vec::new(); manifest.columns];
    for shard in &manifest.shards {
        let path = folder.join(&shard.file);
        let bytes = std::fs::read(&path).map_err(|_| problem(&path, "missing"))?;
        if blake3::hash(&bytes).to_hex().as_str() != shard.blake3 {
            return Err(problem(&path, "not the file that the manifest lists"));
        }
        if shard.columns == 0 || manifest.rank == 0 {
            continue;
        }
        let loaded = load(&path.as_path().into(), &LoadOptions::default())?;
        let Loaded::Table(Table { matrix: LoadedMatrix::Sparse(h), .. }) = loaded else {
            return Err(problem(&path, "expected a sparse matrix"));
        };
        let columns: Vec<usize> = shard.ranges.iter().flat_map(|r| r[0]..r[1]).collect();
        if columns.len() != h.n_columns() || columns.iter().any(|&j| j >= manifest.columns) {
            return Err(problem(&path, "not the columns that the manifest lists"));
        }
        for (i, &j) in columns.iter().enumerate() {
            h.column(i).for_each(|k, value| lines[j].push((k, value)));
        }
    }
    let entries = lines.iter().enumerate();
    let entries = entries.flat_map(|(j, line)| line.iter().map(move |&(k, value)| (k, j, value)));
    let h = SparseMatrix::from_triplets(manifest.rank, manifest.columns, entries)
        .map_err(|error| problem(&path, &format!("the shards do not fit together: {error}")))?;
    Ok((manifest, h))
}
