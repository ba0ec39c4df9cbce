//! Results in parallel: every rank writes its part, and rank 0 a manifest that lists the files.
//!
//! ```text
//! h-00000-of-00004.npz           rank x own columns of H, as scipy.sparse.load_npz reads it
//! w-00000-of-00004.npz           own rows x rank of W
//! documents-00000-of-00004.csv   the lines of documents.csv of the own rows
//! manifest.json                  rank, anchors, parameters, and every file with its lines, length and hash
//! ```
//!
//! The manifest takes its name last, so that a folder without one is not complete. [`load_model`] reads all of
//! it back.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xray_data::{
    Input, LoadOptions, Loaded, LoadedMatrix, Model, ModelKind, Provenance, Table, load,
};
use xray_nmf::{Matrix, SparseMatrix, choices};

use crate::error::{Error, Result};
use crate::folder::read_settled;

const FORMAT: &str = "xray-shards";
const VERSION: u32 = 2;

/// The name of the manifest in its folder.
pub const MANIFEST: &str = "manifest.json";

/// The name of the model in its folder.
const MODEL: &str = "model.npz";

choices! {
    /// What a shard holds a part of.
    pub enum Part ("part") {
        H = "h": "columns of H",
        W = "w": "rows of W",
        Documents = "documents": "lines of documents.csv",
    }
}

/// What the folder holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// All but the files.
    #[serde(flatten)]
    pub head: ManifestHead,
    /// The files, rank after rank.
    pub files: Vec<ShardFile>,
}

/// What a manifest tells beside its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ManifestHead {
    /// `xray-shards`.
    pub format: String,
    /// 2.
    pub version: u32,
    /// What was fitted.
    pub kind: ModelKind,
    /// Number of anchors: rows of H, columns of W.
    pub rank: usize,
    /// Number of rows of W.
    pub rows: usize,
    /// Number of columns of H.
    pub columns: usize,
    /// The anchors, in the order found.
    pub anchors: Vec<usize>,
    /// The relative residual after each.
    pub residual_norm: Vec<f64>,
    /// The parameters of the fit.
    pub parameters: Map<String, Value>,
    /// Where the result comes from.
    pub provenance: Provenance,
}

impl Default for ManifestHead {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            kind: ModelKind::Factorize,
            rank: 0,
            rows: 0,
            columns: 0,
            anchors: Vec::new(),
            residual_norm: Vec::new(),
            parameters: Map::new(),
            provenance: Provenance::default(),
        }
    }
}

/// One file with a part of a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ShardFile {
    /// Its name in the folder.
    pub file: String,
    /// What it holds a part of.
    pub part: Part,
    /// Its columns or rows, in order: first and end (exclusive) of each range.
    pub ranges: Vec<[usize; 2]>,
    /// What they are called, for columns that have names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// Its length.
    pub bytes: u64,
    /// BLAKE3 of it.
    pub blake3: String,
}

impl ShardFile {
    /// The file of one rank, before it is written.
    pub fn new(
        part: Part,
        rank: usize,
        size: usize,
        ranges: Vec<[usize; 2]>,
        names: Option<Vec<String>>,
    ) -> Self {
        let ending = if part == Part::Documents { "csv" } else { "npz" };
        let file = format!("{part}-{rank:05}-of-{size:05}.{ending}");
        Self { file, part, ranges, names, bytes: 0, blake3: String::new() }
    }

    fn lines(&self) -> impl Iterator<Item = usize> {
        self.ranges.iter().flat_map(|range| range[0]..range[1])
    }
}

/// Whether a file is called like a shard.
pub(crate) fn is_shard_name(name: &str) -> bool {
    let number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = |text: &str| text.split_once("-of-").is_some_and(|(a, b)| number(a) && number(b));
    [("h-", ".npz"), ("w-", ".npz"), ("documents-", ".csv")].iter().any(|(start, end)| {
        name.strip_prefix(start).and_then(|rest| rest.strip_suffix(end)).is_some_and(numbers)
    })
}

impl Manifest {
    /// The manifest of a folder, if it has one of shards.
    ///
    /// # Errors
    /// If it is of another version, or damaged.
    pub fn read(folder: &Path) -> Result<Option<Self>> {
        #[derive(Deserialize)]
        struct Version {
            format: String,
            version: u32,
        }
        let path = folder.join(MANIFEST);
        let Ok(text) = std::fs::read(&path) else { return Ok(None) };
        let Ok(known) = serde_json::from_slice::<Version>(&text) else { return Ok(None) };
        if known.format != FORMAT {
            return Ok(None);
        }
        if known.version != VERSION {
            let found = format!("shards of version {}, expected {VERSION}", known.version);
            return Err(problem(&path, &format!("{found}; fit again")));
        }
        let manifest = serde_json::from_slice(&text);
        manifest.map(Some).map_err(|error| problem(&path, &format!("damaged: {error}")))
    }
}

fn problem(path: &Path, what: &str) -> Error {
    Error::Mismatch(format!("{}: {what}", path.display()))
}

/// A model: a file, or the folder that a run has written, in one piece or in shards. What a killed run has
/// decided but not completed is completed first.
///
/// # Errors
/// If there is no model, a shard is missing or is not the one that was written, or parts do not fit; the
/// message names the file.
pub fn load_model(path: &Path) -> Result<Model> {
    if path.is_dir() { read_settled(path, || load_folder(path)) } else { Ok(Model::load(path)?) }
}

/// The files that [`load_model`] may read.
pub fn model_files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let shards = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let shards = shards.filter(|name| is_shard_name(name));
    let names = [MODEL, "w.npz", MANIFEST].map(String::from).into_iter().chain(shards);
    names.map(|name| path.join(name)).collect()
}

fn load_folder(path: &Path) -> Result<Model> {
    let Some(Manifest { head, files }) = Manifest::read(path)? else {
        if !path.join(MODEL).exists() {
            let what = "neither model.npz nor the manifest of complete shards is in this folder";
            return Err(problem(path, what));
        }
        return Ok(Model::load(&path.join(MODEL))?);
    };
    let part = |part: Part| files.iter().filter(move |file| file.part == part);
    let w = match part(Part::W).next() {
        Some(_) => Some(rows_of(path, part(Part::W), head.rows, head.rank)?.into()),
        None if path.join("w.npz").exists() => Some(read_matrix(&path.join("w.npz"))?),
        None => None,
    };
    if part(Part::H).next().is_none() {
        let model = Model::load(&path.join(MODEL))?;
        return Ok(Model { w: model.w.or(w), ..model });
    }
    let h = columns_of(path, part(Part::H), head.rank, head.columns)?;
    let model = Model {
        parameters: head.parameters,
        provenance: head.provenance,
        residual_norm: head.residual_norm,
        w,
        names: names_of(part(Part::H), head.columns),
        ..Model::new(head.kind, head.anchors, h.into())
    };
    model.check()?;
    Ok(model)
}

/// The names of all columns, if the shards tell them.
fn names_of<'a>(files: impl Iterator<Item = &'a ShardFile>, n: usize) -> Option<Vec<String>> {
    let mut names = vec![String::new(); n];
    for file in files {
        for (j, name) in file.lines().zip(file.names.as_ref()?) {
            names.get_mut(j)?.clone_from(name);
        }
    }
    Some(names)
}

/// H, from shards with some of its columns each.
fn columns_of<'a>(
    folder: &Path,
    files: impl Iterator<Item = &'a ShardFile>,
    rank: usize,
    n: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let mut entries = Vec::new();
    for file in files {
        let Some(part) = read_shard(folder, file, rank)? else { continue };
        check_lines(folder, file, part.n_columns(), n)?;
        for (i, j) in file.lines().enumerate() {
            part.column(i).for_each(|k, value| entries.push((k, j, value)));
        }
    }
    let h = SparseMatrix::from_triplets(rank, n, entries);
    h.map_err(|error| problem(folder, &format!("the shards do not fit together: {error}")))
}

/// W, from shards with some of its rows each.
fn rows_of<'a>(
    folder: &Path,
    files: impl Iterator<Item = &'a ShardFile>,
    m: usize,
    rank: usize,
) -> Result<SparseMatrix<'static, f64>> {
    let mut entries = Vec::new();
    for file in files {
        let Some(part) = read_shard(folder, file, rank)? else { continue };
        check_lines(folder, file, part.n_rows(), m)?;
        for (i, d) in file.lines().enumerate() {
            part.row(i).for_each(|k, value| entries.push((d, k, value)));
        }
    }
    let w = SparseMatrix::from_triplets(m, rank, entries);
    w.map_err(|error| problem(folder, &format!("the shards do not fit together: {error}")))
}

fn check_lines(folder: &Path, file: &ShardFile, found: usize, n: usize) -> Result<()> {
    let expected = file.lines().count();
    if expected != found || file.lines().any(|line| line >= n) {
        let what = format!("found {found} lines, and the manifest lists {expected} of {n}");
        return Err(problem(&folder.join(&file.file), &what));
    }
    Ok(())
}

/// The numbers of a shard, unless it is empty.
fn read_shard(
    folder: &Path,
    file: &ShardFile,
    rank: usize,
) -> Result<Option<SparseMatrix<'static, f64>>> {
    let path = folder.join(&file.file);
    let bytes = std::fs::read(&path).map_err(|_| problem(&path, "missing"))?;
    if blake3::hash(&bytes).to_hex().as_str() != file.blake3 {
        return Err(problem(&path, "not the file that the manifest lists"));
    }
    if file.lines().next().is_none() || rank == 0 {
        return Ok(None);
    }
    match read_matrix(&path)? {
        LoadedMatrix::Sparse(part) => Ok(Some(part)),
        LoadedMatrix::Dense(_) => Err(problem(&path, "expected a sparse matrix")),
    }
}

fn read_matrix(path: &Path) -> Result<LoadedMatrix> {
    match load(&Input::from(path), &LoadOptions::default())? {
        Loaded::Table(Table { matrix, .. }) => Ok(matrix),
        Loaded::Documents(_) => Err(problem(path, "expected numbers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_have_names_of_their_own() {
        for name in ["h-00000-of-00003.npz", "w-12345-of-99999.npz", "documents-00001-of-00002.csv"]
        {
            assert!(is_shard_name(name), "{name}");
        }
        for name in
            ["h.npz", "h-1-of-3.npz", "documents.csv", "h-00000-of-00003.csv", "w-a-of-b.npz"]
        {
            assert!(!is_shard_name(name), "{name}");
        }
        let file = ShardFile::new(Part::W, 3, 64, Vec::new(), None).file;
        assert_eq!(file, "w-00003-of-00064.npz");
        assert!(is_shard_name(&file));
    }

    #[test]
    fn old_and_foreign_manifests_are_told_apart() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path();
        assert_eq!(Manifest::read(path).expect("none"), None);
        std::fs::write(path.join(MANIFEST), r#"{"format": "other", "version": 2}"#)
            .expect("written");
        assert_eq!(Manifest::read(path).expect("not ours"), None);
        std::fs::write(path.join(MANIFEST), r#"{"format": "xray-shards", "version": 1}"#)
            .expect("written");
        let message = Manifest::read(path).unwrap_err().to_string();
        assert!(message.contains("version 1, expected 2"), "{message}");
        std::fs::write(path.join(MANIFEST), r#"{"format": "xray-shards", "version": 2}"#)
            .expect("written");
        assert!(Manifest::read(path).unwrap_err().to_string().contains("damaged"));
        let message = load_model(&path.join("nothing")).unwrap_err().to_string();
        assert!(message.contains("nothing"), "{message}");
    }
}
