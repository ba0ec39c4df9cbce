//! MATLAB files of version 5 to 7.2: the matrix with a given name, or the largest one.
//!
//! A file is a header of 128 bytes and a sequence of elements: a tag with type and size, then data,
//! padded to 8 bytes. A variable is an element of type *matrix* (flags, dimensions, name, values),
//! often within an element of type *compressed*. Numbers are stored in whatever type is smallest.
//! Variables that are not wanted are skipped without being stored.

mod element;
mod variable;

use std::io::{BufReader, Read};

use element::{Element, Reader};
use variable::{Content, Variable};

use crate::assemble::{check_shape, dense_by_columns};
use crate::columns::known;
use crate::error::{Malformed, Result, io_error};
use crate::options::{ColumnChoice, LoadOptions};
use crate::source::Source;
use crate::table::{LoadedMatrix, Table};

/// Type of an element that holds another one in zlib's format.
const COMPRESSED: u32 = 15;
/// Type of an element that holds a variable.
const MATRIX: u32 = 14;

/// Names under which classes of rows are usually stored.
const LABEL_NAMES: [&str; 6] = ["gnd", "labels", "label", "classes", "class", "y"];

/// Largest vector that is kept because it may hold labels.
const MOST_LABELS: usize = 1 << 27;

pub(crate) fn read(source: Source, options: &LoadOptions) -> Result<Table> {
    let file = source.name.clone();
    let mut reader = source.into_reader();
    let big_endian = read_file_header(&file, &mut reader)?;
    let mut selection = Selection::new(options);
    let mut elements = Reader::new(&file, reader, big_endian);
    while let Some(element) = elements.next_element()? {
        match element.kind {
            COMPRESSED => {
                let size = u64::from(element.size);
                let packed = elements.by_ref().take(size);
                let zlib = flate2::read::ZlibDecoder::new(packed);
                let mut inner = Reader::new(&file, BufReader::new(zlib), big_endian);
                let variable = inner.next_element()?;
                if let Some(variable) = variable {
                    selection.offer(&mut inner, variable)?;
                }
                let rest = inner.into_inner().into_inner().into_inner();
                drain(&file, rest)?;
            }
            _ => {
                let size = element.padded_size();
                let body = elements.by_ref().take(size);
                let mut inner = Reader::new(&file, body, big_endian);
                selection.offer(&mut inner, element)?;
                drain(&file, inner.into_inner())?;
            }
        }
    }
    selection.into_table(&file, options)
}

/// Skips what is left of an element; a file that ends within one is cut off.
fn drain(file: &str, mut rest: std::io::Take<impl Read>) -> Result<()> {
    std::io::copy(&mut rest, &mut std::io::sink()).map_err(|e| io_error(file, "read", e))?;
    if rest.limit() > 3 + 4 {
        return Err(Malformed::new(file, "the end of the file", "the rest of a variable")
            .remedy("it may be cut off: fetch or write it again")
            .into());
    }
    Ok(())
}

/// Checks the first 128 bytes and returns whether numbers have their highest byte first.
fn read_file_header(file: &str, reader: &mut dyn Read) -> Result<bool> {
    let mut header = [0; 128];
    reader.read_exact(&mut header).map_err(|e| io_error(file, "read", e))?;
    match &header[124..] {
        [0, 1, b'I', b'M'] => Ok(false),
        [1, 0, b'M', b'I'] => Ok(true),
        other => Err(Malformed::new(
            file,
            format!("version and byte order {other:02X?}"),
            "a MATLAB file of version 5 to 7.2",
        )
        .remedy("save it with save(..., '-v7')")
        .into()),
    }
}

/// What has been found so far.
struct Selection<'a> {
    options: &'a LoadOptions,
    chosen: Option<Variable>,
    /// Vectors that may be labels.
    vectors: Vec<Vec<f64>>,
    names: Vec<String>,
}

impl<'a> Selection<'a> {
    fn new(options: &'a LoadOptions) -> Self {
        Self { options, chosen: None, vectors: Vec::new(), names: Vec::new() }
    }

    /// Reads a variable if it is wanted.
    fn offer(&mut self, reader: &mut Reader<impl Read>, element: Element) -> Result<()> {
        if element.kind != MATRIX {
            return Ok(());
        }
        let Some(head) = variable::read_head(reader)? else { return Ok(()) };
        self.names.push(head.name.clone());
        let wanted = match &self.options.variable {
            Some(name) => head.name == *name,
            None => {
                let best = self.chosen.as_ref().map_or(0, Variable::n_places);
                head.is_real_matrix() && head.n_places() > best
            }
        };
        let labels = self.may_be_labels(&head.name) && head.is_dense_vector(MOST_LABELS);
        if !wanted && !labels {
            return Ok(());
        }
        let variable = head.read(reader)?;
        // Labels may come before the matrix they belong to, and be the largest until then.
        if let (true, Content::Dense(values)) = (labels, &variable.content) {
            self.vectors.push(values.clone());
        }
        if wanted {
            self.chosen = Some(variable);
        }
        Ok(())
    }

    fn may_be_labels(&self, name: &str) -> bool {
        match &self.options.label {
            Some(ColumnChoice::Name(wanted)) => wanted == name,
            _ => LABEL_NAMES.iter().any(|usual| usual.eq_ignore_ascii_case(name)),
        }
    }

    fn into_table(self, file: &str, options: &LoadOptions) -> Result<Table> {
        let Some(variable) = self.chosen else {
            let found = match &options.variable {
                Some(name) => format!("no variable \"{name}\""),
                None => "no matrix of real numbers".to_owned(),
            };
            return Err(Malformed::new(file, found, "a matrix").remedy(known(&self.names)).into());
        };
        let matrix = to_matrix(file, variable, options)?;
        let n_rows = matrix.n_rows();
        let fitting = self.vectors.into_iter().find(|values| values.len() == n_rows);
        let labels = fitting.map(|values| values.iter().map(f64::to_string).collect::<Vec<_>>());
        if let (Some(choice), None) = (&options.label, &labels) {
            let found = format!("no variable {choice} with {n_rows} entries");
            return Err(Malformed::new(file, found, "labels").remedy(known(&self.names)).into());
        }
        Ok(Table { labels, ..Table::new(matrix) })
    }
}

fn to_matrix(file: &str, variable: Variable, options: &LoadOptions) -> Result<LoadedMatrix> {
    let [m, n] = variable.dimensions[..] else {
        let found = format!("\"{}\" with dimensions {:?}", variable.name, variable.dimensions);
        return Err(Malformed::new(file, found, "two dimensions")
            .remedy("reshape it to rows x columns")
            .into());
    };
    match variable.content {
        Content::Dense(values) => dense_by_columns(file, m, n, values),
        Content::Sparse(columns) => {
            check_shape(file, m, n, columns.values.len(), &options.limits)?;
            columns.into_matrix_by_columns(file, m)
        }
    }
}
