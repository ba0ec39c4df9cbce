//! MATLAB files of version 5 to 7.2: the matrix with a given name, or the largest one.
//!
//! A file is a header of 128 bytes and a sequence of elements: a tag with type and size, then data,
//! padded to 8 bytes. A variable is an element of type *matrix* (flags, dimensions, name, values),
//! often within an element of type *compressed*. Numbers are stored in whatever type is smallest.
//! Variables that are not wanted are skipped without being stored.
//!
//! Labels are a vector of numbers or a cell array of strings under one of the usual names; the names
//! of rows and columns are the cell arrays `row_names` and `column_names`.

mod element;
mod variable;
mod write;

use std::io::{BufReader, Read};

use element::{Element, Reader, drain};
use variable::{Content, Variable};

use super::{Format, Keeps, Parsed, Reader as FileReader, TableWriter, Told};
use crate::assemble::{Stored, check_shape, dense};
use crate::budget::{Claim, string_bytes};
use crate::columns::{LABEL_VARIABLES, known};
use crate::cube::Array;
use crate::error::{Malformed, Result, io_error};
use crate::model::Noticed;
use crate::options::{ColumnChoice, LoadOptions};
use crate::source::Source;
use crate::table::{LoadedMatrix, Table};

pub(crate) static FORMAT: Format = Format {
    name: "mat",
    words: "MATLAB version 5 to 7.2",
    endings: &["mat"],
    beginning: None,
    told: Told::Signature(is_mat),
    has_columns: false,
    has_variables: true,
    read: FileReader::File(read),
    write_table: Some(TableWriter { keeps: Keeps::ALL, check: write::check, write: write::write }),
    write_documents: None,
    names_beside: None,
    decide: None,
    is_zero_based: None,
};

/// Version 7.3 is HDF5, and says so where the others say 5.0.
pub(crate) fn is_mat(head: &[u8]) -> bool {
    let version = head.get(124..128);
    let marked = matches!(version, Some([0, 1, b'I', b'M'] | [1, 0, b'M', b'I']));
    head.starts_with(b"MATLAB 5.0") || marked && !head.starts_with(b"MATLAB 7.3")
}

/// Type of an element that holds another one in zlib's format.
const COMPRESSED: u32 = 15;
/// Type of an element that holds a variable.
const MATRIX: u32 = 14;

/// Variables that this crate writes beside the matrix.
const ROW_NAMES: &str = "row_names";
const COLUMN_NAMES: &str = "column_names";
const LABELS: &str = "labels";
const NUMERIC_LABELS: &str = "gnd";

/// Largest vector that is kept because it may hold labels.
const MOST_LABELS: usize = 1 << 27;

fn read(source: Source, options: &LoadOptions) -> Result<Parsed> {
    let file = source.name.clone();
    let mut selection = Selection::new(options, &file);
    for_each_variable(source, &mut selection)?;
    selection.into_parsed(&file, options)
}

/// Looks at one variable after the other.
trait Visitor {
    /// Reads a variable if it is wanted; the rest of it is skipped.
    fn offer(&mut self, reader: &mut Reader<impl Read>, element: Element) -> Result<()>;
}

fn for_each_variable(source: Source, visitor: &mut impl Visitor) -> Result<()> {
    let file = source.name.clone();
    let mut reader = source.into_reader();
    let big_endian = read_file_header(&file, &mut reader)?;
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
                    visitor.offer(&mut inner, variable)?;
                }
                let rest = inner.into_inner().into_inner().into_inner();
                drain(&file, rest)?;
            }
            _ => elements.within(element, |inner| visitor.offer(inner, element))?,
        }
    }
    Ok(())
}

/// The dense arrays of real numbers, of any number of axes: the one that is named, or the largest, and all with at most `most`
/// numbers.
pub(crate) fn read_arrays(
    source: Source,
    name: Option<&str>,
    most: usize,
    claim: &mut Claim,
) -> Result<Vec<Array>> {
    let mut arrays = Arrays { name, most, claim, found: Vec::new() };
    for_each_variable(source, &mut arrays)?;
    Ok(arrays.found)
}

struct Arrays<'a> {
    name: Option<&'a str>,
    most: usize,
    claim: &'a mut Claim,
    found: Vec<Array>,
}

impl Visitor for Arrays<'_> {
    fn offer(&mut self, reader: &mut Reader<impl Read>, element: Element) -> Result<()> {
        if element.kind != MATRIX {
            return Ok(());
        }
        let Some(head) = variable::read_head(reader)? else { return Ok(()) };
        let largest = self.found.iter().map(|array| array.values.len()).max().unwrap_or(0);
        let wanted = match self.name {
            Some(name) => head.name == name,
            None => head.n_places() > largest,
        };
        if !head.is_dense_array() || !(wanted || head.n_places() <= self.most) {
            return Ok(());
        }
        let Variable { name, dimensions, content } = head.read(reader, self.claim)?;
        if let Content::Dense(values) = content {
            // The largest so far makes way for a larger one.
            if self.name.is_none() && wanted {
                let small = |array: &Array| array.values.len() <= self.most;
                let before = self.found.iter().filter(|array| !small(array));
                self.claim.give_back(before.map(|array| 8 * array.values.len() as u64).sum());
                self.found.retain(small);
            }
            self.found.push(Array { name, size: dimensions, values, first_fastest: true });
        }
        Ok(())
    }
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
    /// Cell arrays that may be labels or names, with their own names.
    lists: Vec<(String, Vec<String>)>,
    /// The names of all variables.
    known: Vec<String>,
    claim: Claim,
}

impl<'a> Selection<'a> {
    fn new(options: &'a LoadOptions, file: &str) -> Self {
        let (vectors, lists, known) = (Vec::new(), Vec::new(), Vec::new());
        Self { options, chosen: None, vectors, lists, known, claim: options.limits.claim(file) }
    }

    fn may_be_labels(&self, name: &str) -> bool {
        match &self.options.label {
            Some(ColumnChoice::Name(wanted)) => wanted == name,
            _ => LABEL_VARIABLES.iter().any(|usual| usual.eq_ignore_ascii_case(name)),
        }
    }

    fn into_parsed(mut self, file: &str, options: &LoadOptions) -> Result<Parsed> {
        let Some(variable) = self.chosen.take() else {
            let found = match &options.variable {
                Some(name) => format!("no variable \"{name}\""),
                None => "no matrix of real numbers".to_owned(),
            };
            return Err(Malformed::new(file, found, "a matrix").remedy(known(&self.known)).into());
        };
        let noticed = Noticed::of_part(variable.name.clone());
        let matrix = to_matrix(&mut self.claim, variable, options)?;
        let (m, n) = (matrix.n_rows(), matrix.n_columns());
        let row_names = self.take_list(m, |name| name == ROW_NAMES);
        let column_names = self.take_list(n, |name| name == COLUMN_NAMES);
        let labels = self.take_labels(m);
        if let (Some(choice), None) = (&options.label, &labels) {
            let found = format!("no variable {choice} with {m} numbers or strings");
            return Err(Malformed::new(file, found, "labels").remedy(known(&self.known)).into());
        }
        let table = Table { matrix, row_names, column_names, labels, times: None };
        Ok(Parsed { noticed, ..table.into() })
    }

    /// The first list of this length with a fitting name.
    fn take_list(&mut self, length: usize, fits: impl Fn(&str) -> bool) -> Option<Vec<String>> {
        let place = self.lists.iter().position(|(name, list)| fits(name) && list.len() == length);
        place.map(|place| self.lists.swap_remove(place).1)
    }

    fn take_labels(&mut self, n_rows: usize) -> Option<Vec<String>> {
        match self.vectors.iter().find(|values| values.len() == n_rows) {
            Some(values) => Some(values.iter().map(f64::to_string).collect()),
            None => self.take_list(n_rows, |name| name != ROW_NAMES && name != COLUMN_NAMES),
        }
    }
}

impl Visitor for Selection<'_> {
    fn offer(&mut self, reader: &mut Reader<impl Read>, element: Element) -> Result<()> {
        if element.kind != MATRIX {
            return Ok(());
        }
        let Some(head) = variable::read_head(reader)? else { return Ok(()) };
        self.claim.take(string_bytes(head.name.len()))?;
        self.known.push(head.name.clone());
        let wanted = match &self.options.variable {
            Some(name) => head.name == *name,
            None => {
                let best = self.chosen.as_ref().map_or(0, Variable::n_places);
                head.is_real_matrix() && head.n_places() > best
            }
        };
        let side = [ROW_NAMES, COLUMN_NAMES].contains(&head.name.as_str());
        if !wanted && head.is_cell_array() && (side || self.may_be_labels(&head.name)) {
            self.lists.extend(head.read_strings(reader, &mut self.claim)?);
            return Ok(());
        }
        let labels = self.may_be_labels(&head.name) && head.is_dense_vector(MOST_LABELS);
        if !wanted && !labels {
            return Ok(());
        }
        let variable = head.read(reader, &mut self.claim)?;
        // Labels may come before the matrix they belong to, and be the largest until then.
        if let (true, Content::Dense(values)) = (labels, &variable.content) {
            // Numbers, and the words for them.
            self.claim.take((8 + string_bytes(0)) * values.len() as u64)?;
            self.vectors.push(values.clone());
        }
        if wanted {
            let before = self.chosen.replace(variable);
            self.claim.give_back(before.map_or(0, |variable| variable.content.bytes()));
        } else {
            self.claim.give_back(variable.content.bytes());
        }
        Ok(())
    }
}

fn to_matrix(claim: &mut Claim, variable: Variable, options: &LoadOptions) -> Result<LoadedMatrix> {
    let file = claim.file();
    let [m, n] = variable.dimensions[..] else {
        let found = format!("\"{}\" with dimensions {:?}", variable.name, variable.dimensions);
        return Err(Malformed::new(file, found, "two dimensions")
            .remedy("reshape it to rows x columns")
            .into());
    };
    match variable.content {
        Content::Dense(values) => dense(file, Stored::ByColumns, m, n, values),
        Content::Sparse(columns) => {
            check_shape(file, m, n, columns.values.len(), &options.limits)?;
            columns.into_matrix(claim, Stored::ByColumns, m)
        }
    }
}
