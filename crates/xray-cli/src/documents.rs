//! Files of documents and their weights.

use std::io::Write;

use xray_data::{Format, Model, Table, write_table};
use xray_nmf::SparseMatrix;
use xray_pipeline::report::{RowStyle, WeightRows};
use xray_pipeline::shards::ShardFile;
use xray_pipeline::{DocumentBlock, DocumentWeights, Folder, OpenFile, RowNames, sparse_rows};

/// documents.csv or documents.parquet, as it is being written.
pub(crate) enum DocumentsFile {
    Csv(Box<OpenFile>),
    #[cfg(feature = "parquet")]
    Parquet(Box<xray_data::ParquetRows<OpenFile>>),
}

impl DocumentsFile {
    pub(crate) fn create(
        folder: &mut Folder,
        parquet: bool,
        rows: &RowNames,
        documents: &DocumentWeights,
        style: RowStyle,
    ) -> xray_pipeline::Result<Self> {
        #[cfg(feature = "parquet")]
        if parquet {
            let file = folder.create("documents.parquet")?;
            let rows = xray_data::ParquetRows::new(file, style.digits);
            return Ok(DocumentsFile::Parquet(Box::new(rows)));
        }
        debug_assert!(!parquet, "the option is there with the feature only");
        let mut file = folder.create("documents.csv")?;
        let header = header(rows, documents, style);
        file.put(|out| out.write_all(&header))?;
        Ok(DocumentsFile::Csv(Box::new(file)))
    }

    pub(crate) fn write(&mut self, rows: &WeightRows<'_>) -> xray_pipeline::Result<()> {
        match self {
            DocumentsFile::Csv(file) => file.put(|out| rows.write_lines(out)),
            #[cfg(feature = "parquet")]
            DocumentsFile::Parquet(file) => {
                /// Rows whose columns are in memory at once.
                const ROWS: usize = 1 << 16;
                let n = rows.ids.len();
                let mut starts = (0..n).step_by(ROWS);
                let pushed = starts.try_for_each(|d| file.push(rows.columns(d..n.min(d + ROWS))));
                pushed.map_err(cannot_write)
            }
        }
    }

    pub(crate) fn finish(self) -> xray_pipeline::Result<OpenFile> {
        match self {
            DocumentsFile::Csv(file) => Ok(*file),
            #[cfg(feature = "parquet")]
            DocumentsFile::Parquet(rows) => rows.finish().map_err(cannot_write),
        }
    }
}

#[cfg(feature = "parquet")]
fn cannot_write(source: std::io::Error) -> xray_pipeline::Error {
    let file = "documents.parquet".to_owned();
    xray_data::Error::Io { file, action: "write", source }.into()
}

/// First and end of each range of own rows.
pub(crate) fn own_ranges(documents: &DocumentWeights) -> Vec<[usize; 2]> {
    documents.own.ranges().into_iter().map(|range| [range.start, range.end]).collect()
}

/// The weights of the own rows, without zeros.
pub(crate) fn write_w_shard(
    folder: &mut Folder,
    shard: ShardFile,
    documents: &DocumentWeights,
) -> xray_pipeline::Result<ShardFile> {
    let w = sparse_rows(&documents.weights, documents.own.n_own(), documents.rank)?;
    folder.write_shard(shard, |out| write_npz(w, out))
}

/// A sparse matrix as scipy reads it.
pub(crate) fn write_npz(
    matrix: SparseMatrix<'static, f64>,
    out: &mut OpenFile,
) -> Result<(), xray_data::Error> {
    write_table(&Table::new(matrix.into()), out, Format::from_name("npz")?)
}

/// The model, on the rank that has it.
pub(crate) fn write_model(folder: &mut Folder, model: Option<Model>) -> xray_pipeline::Result<()> {
    match model {
        Some(model) => folder.write("model.npz", |out| model.write_to(out)),
        None => Ok(()),
    }
}

/// The first line of a file of these documents.
pub(crate) fn header(rows: &RowNames, documents: &DocumentWeights, style: RowStyle) -> Vec<u8> {
    let labels = rows.labels.as_ref().map(|_| [].as_slice());
    let clusters = documents.clusters.as_ref().map(|_| [].as_slice());
    let explained = documents.explained.as_ref().map(|explained| explained.of(0..0));
    let (ids, topics, weights, rank) = (&[], &[], &[], documents.rank);
    WeightRows { ids, labels, topics, clusters, explained, weights, rank, style }.header()
}

/// The rows of a block, to be written.
pub(crate) fn weight_rows<'a>(
    block: &'a DocumentBlock<'_>,
    rank: usize,
    style: RowStyle,
) -> WeightRows<'a> {
    WeightRows {
        ids: &block.ids,
        labels: block.labels.as_deref(),
        topics: block.heaviest,
        clusters: block.clusters,
        explained: block.explained,
        weights: block.weights,
        rank,
        style,
    }
}
