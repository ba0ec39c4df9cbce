//! The data that experiments run on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use xray_data::text::{Keep, TextOptions, position_names};
use xray_data::{ColumnChoice, Input, LoadOptions, Loaded, LoadedMatrix, Table, load};
use xray_nmf::{Matrix, SparseMatrix};
use xray_pipeline::measure::Labelling;
use xray_pipeline::{Corpus, into_sparse};

use crate::part::Part;
use crate::preparation::CountedSet;

/// A matrix, and what is known about it.
#[derive(Debug, Clone)]
pub struct DataSet {
    /// What tables call it.
    pub name: String,
    /// Rows are documents or samples; anchors are columns.
    pub matrix: LoadedMatrix,
    /// A name for each column.
    pub words: Vec<String>,
    /// The class of each row.
    pub labels: Option<Labelling>,
}

impl DataSet {
    /// A weighted corpus; its labels count if every document has one.
    pub fn from_corpus(name: &str, corpus: Corpus) -> Self {
        Self {
            name: name.to_owned(),
            labels: classes_of(corpus.rows.labels.as_deref()),
            words: corpus.words().into_owned(),
            matrix: corpus.matrix.into_columns(),
        }
    }

    /// What methods work on.
    pub(crate) fn part(&self) -> Part<'_> {
        Part::whole(self.matrix.as_matrix())
    }

    /// Number of classes, or 0 if rows have none.
    pub fn n_classes(&self) -> usize {
        self.labels.as_ref().map_or(0, Labelling::n_classes)
    }

    /// The class of each row.
    ///
    /// # Errors
    /// If rows have none.
    pub fn classes(&self) -> Result<&[usize]> {
        let labels = self.labels.as_ref();
        Ok(labels.with_context(|| format!("{}: no classes", self.name))?.ids())
    }

    /// The share of rows in the largest class: the accuracy of those who look at nothing.
    ///
    /// # Errors
    /// If rows have no classes.
    pub(crate) fn majority(&self) -> Result<f64> {
        let classes = self.classes()?;
        let sizes = class_sizes(classes, self.n_classes());
        Ok(sizes.iter().max().map_or(0.0, |&most| most as f64 / classes.len() as f64))
    }

    /// The documents x words matrix.
    ///
    /// # Errors
    /// If the data is dense.
    pub fn sparse(&self) -> Result<&SparseMatrix<'static, f64>> {
        match &self.matrix {
            LoadedMatrix::Sparse(x) => Ok(x),
            LoadedMatrix::Dense(_) => bail!("{}: this experiment is for sparse data", self.name),
        }
    }
}

/// The folder with the real data sets.
#[derive(Debug, Clone)]
pub struct DataFolder(PathBuf);

impl DataFolder {
    /// A folder with `bbc/`, `reuters/`, `tdt2/`, `tweets/`, `acl/`, `debian/` and `swimmer/`.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn new(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            bail!(
                "{}: no such folder; set XRAY_DATA to the folder with the real data sets, or add --quick",
                path.display()
            );
        }
        Ok(Self(path.to_owned()))
    }

    /// The path of a file.
    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn table(&self, file: &str, options: LoadOptions) -> Result<Table> {
        let path = self.file(file);
        let loaded = load(&Input::from(path.as_path()), &options)?.into_table();
        loaded.with_context(|| format!("{}: found texts, expected numbers", path.display()))
    }

    /// BBC news: 2,225 documents, 9,635 words, 5 classes.
    ///
    /// # Errors
    /// If the files cannot be read.
    pub fn bbc(&self) -> Result<CountedSet> {
        let options = LoadOptions {
            transpose: true,
            column_names: Some(self.file("bbc/bbc.terms")),
            labels: Some(self.file("bbc/bbc.classes")),
            ..LoadOptions::default()
        };
        CountedSet::from_table("BBC", self.table("bbc/bbc.mtx.gz", options)?)
    }

    /// TDT2: 9,394 documents, 36,771 words, 30 classes.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn tdt2(&self) -> Result<CountedSet> {
        CountedSet::from_table("TDT2", self.table("tdt2/TDT2.mat", classified())?)
    }

    /// The ten largest classes of Reuters-21578: 7,285 documents, 18,221 words.
    ///
    /// # Errors
    /// If the file cannot be read or has no classes.
    pub fn reuters10(&self) -> Result<CountedSet> {
        let table = self.table("reuters/Reuters21578.mat", classified())?;
        let labels = table.labels.context("Reuters21578.mat: no variable gnd with the classes")?;
        let rows = largest_classes(&labels, 10);
        let matrix = LoadedMatrix::Sparse(into_sparse(table.matrix)?.rows_at(&rows));
        let labels = Some(rows.iter().map(|&d| labels[d].clone()).collect());
        CountedSet::from_table("Reuters-10", Table { labels, ..Table::new(matrix) })
    }

    /// The raw text of Reuters-21578, with the program's usual choice of words.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn reuters_text(&self) -> Result<DataSet> {
        self.texts("Reuters text", "reuters/reuters21578.jsonl.gz", LoadOptions::default())
    }

    /// Tweets: a stand-in for the paper's IBM Twitter data.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn tweets(&self) -> Result<DataSet> {
        self.texts("tweets", "tweets/tweets.tsv.gz", LoadOptions::default())
    }

    /// Titles and abstracts of papers.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn acl(&self) -> Result<DataSet> {
        self.texts("ACL abstracts", "acl/papers.tsv.gz", LoadOptions::default())
    }

    /// Descriptions of packages: name, section, text, without a header.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn debian(&self) -> Result<DataSet> {
        let options = LoadOptions {
            header: Some(false),
            text: vec![ColumnChoice::Position(2)],
            id: Some(ColumnChoice::Position(0)),
            ..LoadOptions::default()
        };
        self.texts("Debian packages", "debian/descriptions.tsv.gz", options)
    }

    fn texts(&self, name: &str, file: &str, options: LoadOptions) -> Result<DataSet> {
        let path = self.file(file);
        match load(&Input::from(path.as_path()), &options)? {
            Loaded::Documents(documents) => {
                // The figures were made of texts as they are.
                let options = TextOptions { keep: vec![Keep::All], ..TextOptions::default() };
                let corpus = Corpus::from_documents(documents, options);
                Ok(DataSet::from_corpus(name, corpus.with_context(|| path.display().to_string())?))
            }
            Loaded::Table(_) => bail!("{}: found numbers, expected texts", path.display()),
        }
    }

    /// The images of swimmers, a row for each.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn swimmer(&self) -> Result<LoadedMatrix> {
        let options = LoadOptions { transpose: true, ..LoadOptions::default() };
        Ok(self.table("swimmer/Swimmer.mat", options)?.matrix)
    }
}

/// A MATLAB file with counts `fea` and classes `gnd`.
fn classified() -> LoadOptions {
    LoadOptions {
        variable: Some("fea".to_owned()),
        label: Some(ColumnChoice::from("gnd")),
        ..LoadOptions::default()
    }
}

impl CountedSet {
    /// Counts with names and classes; columns without names are called by their places.
    ///
    /// # Errors
    /// If the matrix is too large to be sparse.
    fn from_table(name: &str, table: Table) -> Result<Self> {
        let Table { matrix, column_names, labels, .. } = table;
        let counts = into_sparse(matrix)?;
        Ok(Self {
            name: name.to_owned(),
            words: column_names.unwrap_or_else(|| position_names(counts.n_columns())),
            labels: classes_of(labels.as_deref()),
            counts,
        })
    }

    /// A corpus of counts.
    ///
    /// # Errors
    /// If the matrix is too large to be sparse.
    pub fn from_corpus(name: &str, corpus: Corpus) -> Result<Self> {
        Ok(Self {
            name: name.to_owned(),
            words: corpus.words().into_owned(),
            labels: classes_of(corpus.rows.labels.as_deref()),
            counts: into_sparse(corpus.matrix.into_columns())?,
        })
    }
}

/// Classes, if every row has one.
fn classes_of(labels: Option<&[String]>) -> Option<Labelling> {
    labels.filter(|labels| labels.iter().all(|l| !l.is_empty())).map(Labelling::from_names)
}

fn class_sizes(classes: &[usize], n_classes: usize) -> Vec<usize> {
    let mut sizes = vec![0usize; n_classes];
    classes.iter().for_each(|&class| sizes[class] += 1);
    sizes
}

/// The rows of the `n` classes with most rows, in order.
fn largest_classes(labels: &[String], n: usize) -> Vec<usize> {
    let labelling = Labelling::from_names(labels);
    let sizes = class_sizes(labelling.ids(), labelling.n_classes());
    let mut classes: Vec<usize> = (0..sizes.len()).collect();
    classes.sort_by_key(|&class| std::cmp::Reverse(sizes[class]));
    let kept = &classes[..n.min(classes.len())];
    let ids = labelling.ids().iter().enumerate();
    ids.filter(|(_, class)| kept.contains(class)).map(|(d, _)| d).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_classes_keep_the_order_of_rows() {
        let labels = ["c", "a", "b", "a", "c", "d", "a"].map(String::from);
        assert_eq!(largest_classes(&labels, 2), [0, 1, 3, 4, 6]);
        assert_eq!(largest_classes(&labels, 9).len(), labels.len());
    }

    #[test]
    fn a_folder_that_is_not_there_is_named_with_the_remedy() {
        let error = DataFolder::new(Path::new("no/such/folder")).expect_err("nothing there");
        let message = error.to_string();
        assert!(message.starts_with("no/such/folder") && message.contains("--quick"), "{message}");
    }
}
