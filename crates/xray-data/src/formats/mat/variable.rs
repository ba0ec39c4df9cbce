//! Variables: flags, dimensions, name, and the values of real matrices.

use std::io::Read;

use super::element::Reader;
use crate::assemble::Compressed;
use crate::budget::{Claim, string_bytes};
use crate::error::{Malformed, Result};

/// Array classes: cells, text, sparse numbers, and 6 to 15 for dense numbers of all types.
const CELL: u8 = 1;
const TEXT: u8 = 4;
const SPARSE: u8 = 5;
const NUMBERS: std::ops::RangeInclusive<u8> = 6..=15;
/// Bit of the flags that marks complex numbers.
const COMPLEX: u8 = 0x08;

/// Most dimensions of a variable that are read.
const MOST_DIMENSIONS: u32 = 32;

/// Most bytes of a string that is read.
const LONGEST_STRING: u32 = 1 << 24;

/// What stands before the values of a variable.
#[derive(Debug)]
pub(super) struct Head {
    pub name: String,
    class: u8,
    complex: bool,
    dimensions: Vec<usize>,
}

/// A variable that was read.
#[derive(Debug)]
pub(super) struct Variable {
    pub name: String,
    pub dimensions: Vec<usize>,
    pub content: Content,
}

pub(super) enum Content {
    /// One column after the other.
    Dense(Vec<f64>),
    /// Compressed columns.
    Sparse(Compressed),
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Content::Dense(values) => write!(f, "Dense({} values)", values.len()),
            Content::Sparse(columns) => write!(f, "Sparse({} entries)", columns.values.len()),
        }
    }
}

impl Content {
    /// The memory that it takes.
    pub(super) fn bytes(&self) -> u64 {
        match self {
            Content::Dense(values) => 8 * values.len() as u64,
            Content::Sparse(columns) => 12 * columns.values.len() as u64,
        }
    }
}

impl Variable {
    /// Rows times columns.
    pub(super) fn n_places(&self) -> usize {
        n_places(&self.dimensions)
    }
}

fn n_places(dimensions: &[usize]) -> usize {
    dimensions.iter().fold(1, |n, &d| n.saturating_mul(d))
}

/// Reads what stands before the values; `None` for an empty element.
pub(super) fn read_head(reader: &mut Reader<impl Read>) -> Result<Option<Head>> {
    let Some(flags) = reader.next_element()? else { return Ok(None) };
    let flags = reader.read_bytes(flags, 8, "flags")?;
    let [first, ..] = flags.as_chunks::<4>().0 else {
        return Err(reader.error("flags of less than 4 bytes", "8"));
    };
    let flags = reader.u32(*first);
    let (class, complex) = (flags as u8, (flags >> 8) as u8 & COMPLEX != 0);
    let element = reader.expect_element("dimensions")?;
    let bytes = reader.read_bytes(element, 4 * MOST_DIMENSIONS, "dimensions")?;
    let sizes = bytes.as_chunks::<4>().0.iter().map(|&b| reader.u32(b) as i32);
    let dimensions: Vec<usize> = sizes.filter_map(|size| usize::try_from(size).ok()).collect();
    if dimensions.len() < 2 || dimensions.len() != bytes.len() / 4 {
        return Err(reader.error(format!("dimensions {bytes:02X?}"), "two or more, not negative"));
    }
    let element = reader.expect_element("a name")?;
    let name = reader.read_bytes(element, 1 << 12, "a name")?;
    let name = String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned();
    Ok(Some(Head { name, class, complex, dimensions }))
}

impl Head {
    /// Rows times columns.
    pub(super) fn n_places(&self) -> usize {
        n_places(&self.dimensions)
    }

    pub(super) fn is_real_matrix(&self) -> bool {
        let number = self.class == SPARSE || NUMBERS.contains(&self.class);
        number && !self.complex && self.dimensions.len() == 2
    }

    /// Whether it is an array of real numbers with all its values, of any number of axes.
    pub(super) fn is_dense_array(&self) -> bool {
        NUMBERS.contains(&self.class) && !self.complex
    }

    /// Whether it is a dense row or column with at most `most` entries.
    pub(super) fn is_dense_vector(&self, most: usize) -> bool {
        self.is_real_matrix()
            && self.class != SPARSE
            && self.dimensions.contains(&1)
            && self.n_places() <= most
    }

    pub(super) fn is_cell_array(&self) -> bool {
        self.class == CELL
    }

    /// Reads a cell array of strings, with its name; `None` if a cell holds anything else.
    pub(super) fn read_strings(
        self,
        reader: &mut Reader<impl Read>,
        claim: &mut Claim,
    ) -> Result<Option<(String, Vec<String>)>> {
        let mut strings = Vec::new();
        for _ in 0..self.n_places() {
            let element = reader.expect_element("a cell")?;
            #[expect(clippy::redundant_closure, reason = "the function has no lifetime to choose")]
            let string = reader.within(element, |cell| read_string(cell))?;
            match string {
                Some(string) => {
                    claim.take(string_bytes(string.len()))?;
                    strings.push(string);
                }
                None => return Ok(None),
            }
        }
        Ok(Some((self.name, strings)))
    }

    /// Reads the values.
    pub(super) fn read(
        self,
        reader: &mut Reader<impl Read>,
        claim: &mut Claim,
    ) -> Result<Variable> {
        let number = self.class == SPARSE || NUMBERS.contains(&self.class);
        if !number || self.complex {
            let what = if self.complex { "complex numbers" } else { "text, cells or a structure" };
            let found = format!("{what} in variable \"{}\"", self.name);
            return Err(Malformed::new(&reader.file, found, "a matrix of real numbers")
                .remedy("choose another variable")
                .into());
        }
        let content = if self.class == SPARSE {
            Content::Sparse(self.read_sparse(reader, claim)?)
        } else {
            let element = reader.expect_element("values")?;
            claim.take(8 * reader.n_numbers(element)? as u64)?;
            Content::Dense(reader.read_numbers(element, self.n_places())?)
        };
        Ok(Variable { name: self.name, dimensions: self.dimensions, content })
    }

    fn read_sparse(&self, reader: &mut Reader<impl Read>, claim: &mut Claim) -> Result<Compressed> {
        let [m, n] = self.dimensions[..] else {
            return Err(reader.error("a sparse variable of more dimensions", "two dimensions"));
        };
        let element = reader.expect_element("row indices")?;
        let stored = reader.n_numbers(element)?;
        // Rows as numbers and as indices, and values.
        claim.take((8 + 4 + 8) * stored as u64)?;
        let rows = reader.read_numbers(element, stored)?;
        let element = reader.expect_element("column offsets")?;
        claim.take(16 * reader.n_numbers(element)? as u64)?;
        let offsets: Vec<usize> = reader
            .read_numbers(element, n.saturating_add(1))?
            .iter()
            .map(|&o| o as usize)
            .collect();
        let n_entries = offsets.last().copied().unwrap_or(0);
        if offsets.first() != Some(&0) || !offsets.is_sorted() || n_entries > stored {
            let found = format!("column offsets that end at {n_entries}");
            return Err(reader.error(found, format!("ascending from 0 to at most {stored}")));
        }
        if let Some(row) = rows[..n_entries].iter().find(|&&row| !(row >= 0.0 && row < m as f64)) {
            return Err(reader.error(format!("row index {row}"), format!("less than {m}")));
        }
        let indices: Vec<u32> = rows[..n_entries].iter().map(|&row| row as u32).collect();
        drop(rows);
        claim.give_back(8 * stored as u64);
        // More places than entries may have been set aside.
        let element = reader.expect_element("values")?;
        let n_values = reader.n_numbers(element)?;
        let mut values = reader.read_numbers(element, n_values)?;
        if n_values < n_entries {
            return Err(reader.error(format!("{n_values} values"), format!("{n_entries}")));
        }
        values.truncate(n_entries);
        Ok(Compressed { offsets, indices, values })
    }
}

/// Reads the string of one cell; `None` if it holds anything else than one line of text.
fn read_string(cell: &mut Reader<impl Read>) -> Result<Option<String>> {
    let Some(head) = read_head(cell)? else { return Ok(Some(String::new())) };
    if head.class != TEXT || head.dimensions.len() != 2 || head.dimensions[0] > 1 {
        return Ok(None);
    }
    let element = cell.expect_element("text")?;
    let bytes = cell.read_bytes(element, LONGEST_STRING, "a string")?;
    Ok(cell.decode(element.kind, &bytes))
}
