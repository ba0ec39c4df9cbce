//! Reading and writing the model file.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xray_nmf::Matrix;

use super::{FORMAT_VERSION, Model, ModelClusters, ModelKind, Provenance};
use crate::assemble::{Compressed, Stored, check_shape, dense};
use crate::budget::json_bytes;
use crate::error::{Malformed, Result, io_error, quoted};
use crate::formats::npz::{self, Archive, NpzWriter};
use crate::options::Limits;
use crate::source::{Input, Source};
use crate::table::LoadedMatrix;
use crate::text::{STEM_RULES, TextOptions, Vectorizer};
use crate::write::AtomicFile;

/// Marks the metadata of a model.
const FORMAT: &str = "xray-nmf model";

/// Bytes of parsed JSON for each byte of it, at most.
const METADATA_GROWTH: u64 = 32;

/// What messages call a model that is in no file.
const IN_MEMORY: &str = "model in memory";

/// The JSON in the array `metadata`.
#[derive(Serialize, Deserialize)]
struct Metadata {
    format: String,
    format_version: u64,
    kind: ModelKind,
    parameters: Map<String, Value>,
    provenance: Provenance,
    preprocessing: Option<Preprocessing>,
}

/// The part of a vectorizer that is not an array. What is not known here would be left undone.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Preprocessing {
    options: TextOptions,
    n_documents: usize,
    /// Which rules made stems, if any did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    stem_rules: Option<String>,
}

impl Preprocessing {
    fn of(vectorizer: &Vectorizer) -> Self {
        let options = vectorizer.options().clone();
        let stem_rules = options.stemming.map(|_| STEM_RULES.to_owned());
        Self { options, n_documents: vectorizer.n_documents(), stem_rules }
    }

    /// Refuses stems by other rules: new texts would be stemmed differently.
    fn check_stems(&self, file: &str) -> Result<()> {
        let found = self.stem_rules.as_deref().unwrap_or("an unknown date");
        if self.options.stemming.is_none() || found == STEM_RULES {
            return Ok(());
        }
        let found = format!("words stemmed by the rules of {found}");
        Err(damaged(file, found, &format!("those of {STEM_RULES}")).into())
    }
}

/// The part of the metadata that every version has.
#[derive(Deserialize)]
struct Version {
    format: String,
    format_version: u64,
}

impl Model {
    /// Writes the model; the file appears complete or not at all.
    ///
    /// # Errors
    /// If parts do not fit together or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.check()?;
        let file = path.display().to_string();
        let out = AtomicFile::create(path)?;
        let out = self.write(out).map_err(|e| io_error(&file, "write", e))?;
        out.commit()
    }

    /// Writes what [`save`](Self::save) does to any stream.
    ///
    /// # Errors
    /// If parts do not fit together or the stream refuses.
    pub fn write_to(&self, out: &mut dyn io::Write) -> Result<()> {
        self.check()?;
        self.write(out).map(drop).map_err(|e| io_error(IN_MEMORY, "write", e))
    }

    /// What [`save`](Self::save) writes, in memory.
    ///
    /// # Errors
    /// If parts do not fit together.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.check()?;
        self.write(Vec::new()).map_err(|e| io_error(IN_MEMORY, "write", e))
    }

    fn write<W: io::Write>(&self, out: W) -> io::Result<W> {
        let mut npz = NpzWriter::new(out);
        let metadata = Metadata {
            format: FORMAT.to_owned(),
            format_version: FORMAT_VERSION,
            kind: self.kind,
            parameters: self.parameters.clone(),
            provenance: self.provenance.clone(),
            preprocessing: self.preprocessing.as_ref().map(Preprocessing::of),
        };
        npz.bytes("metadata", &serde_json::to_vec(&metadata)?)?;
        npz.integers("anchors", self.anchors.iter().map(|&anchor| anchor as i64))?;
        npz.floats("residual_norm", &[self.residual_norm.len()], &self.residual_norm)?;
        write_matrix(&mut npz, "h", &self.h)?;
        if let Some(w) = &self.w {
            write_matrix(&mut npz, "w", w)?;
        }
        if let Some(clusters) = &self.clusters {
            clusters.write(&mut npz)?;
        }
        if let Some(names) = self.column_names() {
            npz.bytes("vocabulary", &serde_json::to_vec(names)?)?;
        }
        if let Some(names) = &self.row_names {
            npz.bytes("row_names", &serde_json::to_vec(names)?)?;
        }
        if let Some(vectorizer) = &self.preprocessing {
            let frequencies = vectorizer.document_frequencies();
            npz.integers("document_frequencies", frequencies.iter().map(|&df| df as i64))?;
            npz.floats("idf", &[vectorizer.idf().len()], vectorizer.idf())?;
            if vectorizer.keys() != vectorizer.vocabulary() {
                npz.bytes("stems", &serde_json::to_vec(vectorizer.keys())?)?;
            }
        }
        npz.finish()
    }

    /// Reads a model.
    ///
    /// # Errors
    /// If the file is no model, is damaged, or was written by a newer version.
    pub fn load(path: &Path) -> Result<Self> {
        Self::load_within(path, &Limits::default())
    }

    /// As [`load`](Self::load), with limits on what it may take.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_within(path: &Path, limits: &Limits) -> Result<Self> {
        Self::read(&Input::Path(path.to_owned()), limits)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) gave.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        Self::read(&Input::Bytes { name: IN_MEMORY.to_owned(), bytes }, &Limits::default())
    }

    fn read(input: &Input, limits: &Limits) -> Result<Self> {
        let source = Source::open_bytes(input, limits)?;
        let file = source.name.clone();
        if !npz::is_archive(source.start()) {
            let found = quoted(&source.start()[..source.start().len().min(16)]);
            return Err(Malformed::new(&file, found, "a model of xray, which is a zip archive")
                .remedy("name the file that a fit has written")
                .into());
        }
        let mut archive = Archive::open(source, limits)?;
        let metadata = read_metadata(&file, &mut archive)?;
        let anchors = archive.indices("anchors")?.into_iter().map(|a| a as usize).collect();
        let h = read_matrix(&file, &mut archive, "h")?;
        let has_w = archive.has("w") || archive.has("w_data");
        let w = if has_w { Some(read_matrix(&file, &mut archive, "w")?) } else { None };
        let clusters = ModelClusters::read(&file, &mut archive)?;
        let mut names = read_names(&file, &mut archive, "vocabulary")?;
        let row_names = read_names(&file, &mut archive, "row_names")?;
        let preprocessing = match metadata.preprocessing {
            None => None,
            Some(part) => {
                part.check_stems(&file)?;
                let vocabulary = names.take().unwrap_or_default();
                Some(read_vectorizer(&file, &mut archive, part, vocabulary)?)
            }
        };
        let model = Self {
            kind: metadata.kind,
            parameters: metadata.parameters,
            provenance: metadata.provenance,
            anchors,
            residual_norm: archive.numbers("residual_norm")?.1,
            h,
            w,
            clusters,
            names,
            row_names,
            preprocessing,
        };
        model.check().map_err(|e| damaged(&file, e, "parts that fit together"))?;
        Ok(model)
    }
}

pub(super) fn damaged(file: &str, found: impl std::fmt::Display, expected: &str) -> Malformed {
    Malformed::new(file, found.to_string(), expected).remedy("fit the model again")
}

/// Reads a list of names, if there is one.
fn read_names(file: &str, archive: &mut Archive, array: &str) -> Result<Option<Vec<String>>> {
    if !archive.has(array) {
        return Ok(None);
    }
    let json = archive.bytes(array)?;
    archive.claim.take(json_bytes(&json))?;
    let parsed = serde_json::from_slice(&json);
    Ok(Some(parsed.map_err(|e| damaged(file, e, "a JSON list of names"))?))
}

fn read_vectorizer(
    file: &str,
    archive: &mut Archive,
    part: Preprocessing,
    vocabulary: Vec<String>,
) -> Result<Vectorizer> {
    let frequencies = archive.indices("document_frequencies")?;
    let idf = archive.numbers("idf")?.1;
    let stems = read_names(file, archive, "stems")?;
    let Preprocessing { options, n_documents, .. } = part;
    let vectorizer = Vectorizer::from_parts(options, n_documents, vocabulary, frequencies, idf);
    let read = vectorizer.and_then(|vectorizer| match stems {
        Some(stems) => vectorizer.with_stems(stems),
        None => Ok(vectorizer),
    });
    read.map_err(|e| damaged(file, e, "weights of a vocabulary").into())
}

/// Reads the metadata, looking at the version first.
fn read_metadata(file: &str, archive: &mut Archive) -> Result<Metadata> {
    if !archive.has("metadata") {
        return Err(Malformed::new(file, "an archive without metadata", "a model of xray")
            .remedy("name the file that a fit has written")
            .into());
    }
    let json = archive.bytes("metadata")?;
    // What it is parsed to.
    archive.claim.take(METADATA_GROWTH * json.len() as u64)?;
    let version: Version = serde_json::from_slice(&json)
        .map_err(|e| damaged(file, e, "metadata with format and format_version"))?;
    if version.format != FORMAT {
        let found = format!("metadata of format {:?}", version.format);
        return Err(Malformed::new(file, found, format!("{FORMAT:?}")).into());
    }
    if version.format_version == 0 {
        let found = "version 0 of the model format";
        return Err(damaged(file, found, &format!("1 to {FORMAT_VERSION}")).into());
    }
    if version.format_version > FORMAT_VERSION {
        let found = format!("version {} of the model format", version.format_version);
        return Err(Malformed::new(file, found, format!("at most {FORMAT_VERSION}"))
            .remedy("it was written by a newer version of xray: update, or fit the model again")
            .into());
    }
    Ok(serde_json::from_slice(&json).map_err(|e| damaged(file, e, "metadata of version 1"))?)
}

pub(super) fn write_matrix<W: io::Write>(
    npz: &mut NpzWriter<W>,
    name: &str,
    matrix: &LoadedMatrix,
) -> io::Result<()> {
    match matrix {
        LoadedMatrix::Dense(x) => {
            let (m, n) = (x.n_rows(), x.n_columns());
            let values: Vec<f64> = (0..m)
                .flat_map(|d| (0..n).map(move |j| (d, j)))
                .map(|(d, j)| x.get(d, j))
                .collect();
            npz.floats(name, &[m, n], &values)
        }
        LoadedMatrix::Sparse(x) => {
            let (offsets, indices, values) = x.csr();
            npz.floats(&format!("{name}_data"), &[values.len()], values)?;
            let indices = indices.iter().map(|&i| i64::from(i));
            npz.integers(&format!("{name}_indices"), indices)?;
            npz.integers(&format!("{name}_indptr"), offsets.iter().map(|&o| o as i64))?;
            let shape = [x.n_rows() as i64, x.n_columns() as i64];
            npz.integers(&format!("{name}_shape"), shape.into_iter())
        }
    }
}

pub(super) fn read_matrix(file: &str, archive: &mut Archive, name: &str) -> Result<LoadedMatrix> {
    if archive.has(name) {
        let (header, values) = archive.numbers(name)?;
        let [m, n] = header.shape[..] else {
            return Err(
                damaged(file, format!("{name} of shape {:?}", header.shape), "two axes").into()
            );
        };
        return dense(file, Stored::ByRows, m, n, values);
    }
    let values = archive.numbers(&format!("{name}_data"))?.1;
    let indices = archive.indices(&format!("{name}_indices"))?;
    let offsets = archive.indices(&format!("{name}_indptr"))?;
    let shape = archive.indices(&format!("{name}_shape"))?;
    let (&[m, n], Some(&last)) = (shape.as_slice(), offsets.last()) else {
        return Err(damaged(file, format!("{name} of shape {shape:?}"), "two axes").into());
    };
    let in_order = offsets.is_sorted() && offsets[0] == 0 && last == values.len() as u64;
    let fits = offsets.len() as u64 == m.saturating_add(1) && indices.len() == values.len();
    if !in_order || !fits || indices.iter().any(|&i| i >= n.min(u64::from(u32::MAX))) {
        return Err(damaged(file, format!("{name} with wrong indices"), "an intact matrix").into());
    }
    let offsets = offsets.into_iter().map(|o| o as usize).collect();
    let indices = indices.into_iter().map(|i| i as u32).collect();
    check_shape(file, m as usize, n as usize, values.len(), &Limits::default())?;
    let rows = Compressed { offsets, indices, values };
    rows.into_matrix(&mut archive.claim, Stored::ByRows, n as usize)
}

#[cfg(test)]
mod tests {
    use xray_nmf::{DenseMatrix, ErrorKind, SparseMatrix};

    use super::*;

    fn model() -> Model {
        let documents = ["red green", "green blue", "blue red red"];
        let options = TextOptions::scikit_learn();
        let (_, vectorizer) = Vectorizer::fit_transform(options, &documents).expect("words");
        let h = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 2, 0.1), (1, 1, 0.3)]);
        let w = DenseMatrix::from_row_major(3, 2, vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6]);
        let mut parameters = Map::new();
        parameters.insert("rank".into(), Value::from(2));
        Model {
            parameters,
            residual_norm: vec![0.5, 0.1],
            w: Some(w.expect("3 x 2").into()),
            preprocessing: Some(vectorizer),
            provenance: Provenance { seed: Some(7), ..Provenance::default() },
            ..Model::new(ModelKind::Topics, vec![0, 2], h.expect("in range").into())
        }
    }

    fn written(model: &Model) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.npz");
        model.save(&path).expect("written");
        (folder, path)
    }

    #[test]
    fn everything_comes_back() {
        let model = model();
        let (_folder, path) = written(&model);
        let again = Model::load(&path).expect("intact");
        assert_eq!(again.kind, ModelKind::Topics);
        assert_eq!(again.parameters, model.parameters);
        assert_eq!(again.provenance, model.provenance);
        assert_eq!(again.anchors, model.anchors);
        assert_eq!(again.residual_norm, model.residual_norm);
        assert_eq!(again.preprocessing, model.preprocessing);
        assert_eq!(again.column_names(), model.column_names());
        let (LoadedMatrix::Sparse(h), LoadedMatrix::Sparse(expected)) = (&again.h, &model.h) else {
            panic!("sparse")
        };
        assert_eq!(h.csr(), expected.csr());
        let Some(LoadedMatrix::Dense(w)) = &again.w else { panic!("dense") };
        assert_eq!(w.get(2, 1), 0.6);
    }

    #[test]
    fn bytes_in_memory_are_those_of_the_file() {
        let model = model();
        let (_folder, path) = written(&model);
        let bytes = model.to_bytes().expect("fits together");
        assert_eq!(bytes, std::fs::read(&path).expect("written"));
        let again = Model::from_bytes(bytes).expect("intact");
        assert_eq!((again.anchors, again.provenance), (model.anchors, model.provenance));
        let message = Model::from_bytes(vec![1, 2, 3]).unwrap_err().to_string();
        assert!(message.starts_with("model in memory"), "{message}");
    }

    #[cfg(feature = "stemming")]
    #[test]
    fn stems_by_other_rules_are_refused() {
        let options =
            TextOptions { stemming: Some(crate::text::Language::Greek), ..Default::default() };
        let (_, vectorizer) = Vectorizer::fit_transform(options, &["ισαισα"]).expect("a word");
        assert_eq!(
            (vectorizer.vocabulary(), vectorizer.keys()),
            (&["ισαισα".to_owned()][..], &["ισα".to_owned()][..])
        );
        let mut part = Preprocessing::of(&vectorizer);
        assert!(part.check_stems("x").is_ok());
        part.stem_rules = Some("20190101".into());
        let message = part.check_stems("x").unwrap_err().to_string();
        assert!(message.contains("20190101") && message.contains("fit the model again"));
        part.stem_rules = None;
        assert!(part.check_stems("x").is_err());
    }

    #[test]
    fn newer_versions_are_refused_with_the_remedy() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("new.npz");
        let mut npz = NpzWriter::new(AtomicFile::create(&path).expect("created"));
        let json = br#"{"format": "xray-nmf model", "format_version": 2, "kind": "dreams"}"#;
        npz.bytes("metadata", json).expect("written");
        npz.finish().expect("written").commit().expect("renamed");
        let message = Model::load(&path).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("found version 2") && message.contains("update"), "{message}");
    }

    #[test]
    fn damage_is_an_error() {
        let (_folder, path) = written(&model());
        let bytes = std::fs::read(&path).expect("there");
        for length in [0, 1, 100, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(&path, &bytes[..length]).expect("written");
            assert!(Model::load(&path).is_err(), "{length}");
        }
        for at in (0..bytes.len()).step_by(7) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            std::fs::write(&path, &changed).expect("written");
            let _ = Model::load(&path);
        }
    }

    fn negative() -> LoadedMatrix {
        let h = SparseMatrix::from_triplets(2, 3, [(0, 0, 1.0), (1, 2, -0.1)]);
        h.expect("in range").into()
    }

    #[test]
    fn unknown_options_and_versions_are_refused() {
        let metadata = |more: &str, version: u64| {
            let options = format!("{{\"lowercase\": true{more}}}");
            format!(
                "{{\"format\": \"{FORMAT}\", \"format_version\": {version}, \"kind\": \"topics\", \
                 \"parameters\": {{}}, \"provenance\": {{}}, \
                 \"preprocessing\": {{\"options\": {options}, \"n_documents\": 3}}}}"
            )
        };
        let message = |json: String| {
            let mut npz = NpzWriter::new(Vec::new());
            npz.bytes("metadata", json.as_bytes()).expect("written");
            let bytes = npz.finish().expect("written");
            Model::from_bytes(bytes).map(|_| ()).unwrap_err().to_string()
        };
        assert!(message(metadata("", 1)).contains("anchors"), "the metadata is as it should be");
        assert!(message(metadata("", 0)).contains("version 0"));
        let unknown = message(metadata(", \"reverse\": true", 1));
        assert!(
            unknown.contains("reverse") && unknown.contains("fit the model again"),
            "{unknown}"
        );
    }

    #[test]
    fn parts_that_do_not_fit_are_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.npz");
        for (wrong, word) in [
            (Model { anchors: vec![3, 0], ..model() }, "3 columns"),
            (Model { anchors: vec![0], ..model() }, "H has 2 rows"),
            (Model { kind: ModelKind::Factorize, anchors: vec![2, 2], ..model() }, "2 twice"),
            (Model { residual_norm: vec![0.5, f64::NAN], ..model() }, "finite"),
            (Model { h: negative(), ..model() }, "not negative"),
        ] {
            let message = wrong.save(&path).unwrap_err().to_string();
            assert!(message.contains(word), "{message}");
            assert!(!path.exists());
            // The same in a file that somebody else has written; that is no wrong usage.
            let error = Model::from_bytes(wrong.write(Vec::new()).expect("memory")).unwrap_err();
            let message = error.to_string();
            assert!(message.starts_with(IN_MEMORY) && message.contains(word), "{message}");
            assert_eq!(error.kind(), ErrorKind::Data, "{message}");
        }
        // A word may begin several topics.
        Model { anchors: vec![2, 2], ..model() }.save(&path).expect("topics");
        assert_eq!(Model::load(&path).expect("written here").anchors, [2, 2]);
    }
}
