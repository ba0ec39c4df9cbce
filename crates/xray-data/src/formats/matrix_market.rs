//! Matrix Market: `%%MatrixMarket matrix coordinate|array real|integer|pattern symmetry`.
//!
//! Entries of one place are added up. Symmetric files store one triangle; the other is filled in,
//! with the sign changed for skew-symmetric ones.

use std::io::{self, Write};

use xray_nmf::{DenseMatrix, Matrix};

use super::{Format, Keeps, Parsed, Reader, TableWriter, Told};
use crate::assemble::{Entries, Stored, check_shape, dense};
use crate::error::{Malformed, Result};
use crate::options::LoadOptions;
use crate::read::cautious_capacity;
use crate::read::lines::{Line, Lines};
use crate::source::{Source, check_room};
use crate::table::{LoadedMatrix, Table};
use crate::write::write_number;

pub(crate) static FORMAT: Format = Format {
    name: "mtx",
    words: "Matrix Market, coordinate or array",
    endings: &["mtx", "mm"],
    beginning: None,
    told: Told::Signature(|head| {
        head.len() >= 14 && head[..14].eq_ignore_ascii_case(b"%%MatrixMarket")
    }),
    has_columns: false,
    has_variables: false,
    read: Reader::File(|source, options| read(source, options).map(Parsed::from)),
    write_table: Some(TableWriter { keeps: Keeps::NOTHING, check: |_| Ok(()), write }),
    write_documents: None,
    names_beside: None,
    decide: None,
    is_zero_based: None,
};

/// A coordinate line has at least `1 1` and its end.
const BYTES_PER_COORDINATE: u64 = 4;
/// An array line has at least a digit and its end.
const BYTES_PER_VALUE: u64 = 2;

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The first line.
#[derive(Clone, Copy)]
struct Banner {
    coordinate: bool,
    pattern: bool,
    symmetry: Symmetry,
}

pub(crate) fn read(source: Source, options: &LoadOptions) -> Result<Table> {
    let most_bytes = source.most_bytes;
    let mut lines = Lines::new(source, options.limits.line_bytes);
    let banner = match lines.next_line()? {
        Some(line) => read_banner(line)?,
        None => return Err(lines.ends_early("a line %%MatrixMarket").into()),
    };
    let matrix = if banner.coordinate {
        read_coordinates(&mut lines, banner, most_bytes, options)?
    } else {
        read_array(&mut lines, banner, most_bytes, options)?
    };
    Ok(Table::new(matrix))
}

fn read_banner(line: Line<'_>) -> Result<Banner> {
    let mut words = line.fields();
    let mut next = |choices: &[&str]| -> Result<usize> {
        let expected = format!("one of {}", choices.join(", "));
        let field = words.expect(&expected)?;
        let lowercase = field.bytes.to_ascii_lowercase();
        let place = choices.iter().position(|c| c.as_bytes().eq_ignore_ascii_case(&lowercase));
        place
            .ok_or_else(|| field.error(expected).remedy("complex numbers are not supported").into())
    };
    next(&["%%MatrixMarket"])?;
    next(&["matrix"])?;
    let coordinate = next(&["coordinate", "array"])? == 0;
    // Arrays have no patterns: the last choice is for coordinates only.
    let kinds = ["real", "integer", "double", "pattern"];
    let pattern = next(&kinds[..if coordinate { 4 } else { 3 }])? == 3;
    let symmetry = match next(&["general", "symmetric", "skew-symmetric"])? {
        0 => Symmetry::General,
        1 => Symmetry::Symmetric,
        _ => Symmetry::Skew,
    };
    Ok(Banner { coordinate, pattern, symmetry })
}

/// The next line that is neither blank nor a comment.
fn next_data_line(lines: &mut Lines, expected: impl Fn() -> String) -> Result<Line<'_>> {
    if next_entry(lines)? { Ok(lines.current()) } else { Err(lines.ends_early(expected()).into()) }
}

fn read_coordinates(
    lines: &mut Lines,
    banner: Banner,
    most_bytes: Option<u64>,
    options: &LoadOptions,
) -> Result<LoadedMatrix> {
    let ([n_rows, n_columns, declared], number) =
        read_sizes(lines, ["rows", "columns", "entries"])?;
    let file = lines.file().to_owned();
    check_room(&file, most_bytes, "entries", declared, BYTES_PER_COORDINATE, Some(number))?;
    check_square(&file, banner, n_rows, n_columns)?;
    let (n_rows, n_columns) = (n_rows as usize, n_columns as usize);
    check_shape(&file, n_rows, n_columns, declared as usize, &options.limits)?;
    let mut entries = Entries::keeping(options.kept(n_rows, n_columns));
    let mut claim = options.limits.claim(&file);
    if options.share.is_none() {
        claim.hold(declared.saturating_mul(16))?;
        entries.values.reserve(cautious_capacity(declared));
    }
    for read in 0..declared {
        let line =
            next_data_line(lines, || format!("entry {} of the {declared} declared", read + 1))?;
        let mut fields = line.fields();
        let row = fields.expect("a row")?.index_from_one("row", n_rows)?;
        let column = fields.expect("a column")?.index_from_one("column", n_columns)?;
        let value = if banner.pattern { 1.0 } else { fields.expect("a value")?.number()? };
        fields.expect_end()?;
        entries.push(row, column, value);
        if banner.symmetry != Symmetry::General && row != column {
            let mirrored = if banner.symmetry == Symmetry::Skew { -value } else { value };
            entries.push(column, row, mirrored);
        }
        claim.hold(entries.bytes())?;
    }
    expect_no_more(lines, &format!("the end after {declared} entries"))?;
    entries.into_matrix(&mut claim, n_rows, n_columns, &options.limits)
}

/// The line with the sizes, and its number.
fn read_sizes<const N: usize>(lines: &mut Lines, what: [&str; N]) -> Result<([u64; N], u64)> {
    let expected = || format!("numbers of {}", what.join(" and "));
    let line = next_data_line(lines, expected)?;
    let mut fields = line.fields();
    let mut sizes = [0; N];
    for (size, what) in sizes.iter_mut().zip(what) {
        *size = fields.expect(&expected())?.count(&format!("a number of {what}"))?;
    }
    fields.expect_end()?;
    Ok((sizes, line.number))
}

/// Moves to the next line with data; false at the end.
fn next_entry(lines: &mut Lines) -> Result<bool> {
    while let Some(line) = lines.next_line()? {
        if !line.is_blank() && line.bytes[0] != b'%' {
            return Ok(true);
        }
    }
    Ok(false)
}

fn expect_no_more(lines: &mut Lines, expected: &str) -> Result<()> {
    if next_entry(lines)? {
        return Err(lines.current().error(expected).remedy("correct the declared number").into());
    }
    Ok(())
}

fn check_square(file: &str, banner: Banner, n_rows: u64, n_columns: u64) -> Result<()> {
    if banner.symmetry != Symmetry::General && n_rows != n_columns {
        let found = format!("a symmetric matrix of {n_rows} x {n_columns}");
        return Err(Malformed::new(file, found, "as many rows as columns").into());
    }
    Ok(())
}

fn read_array(
    lines: &mut Lines,
    banner: Banner,
    most_bytes: Option<u64>,
    options: &LoadOptions,
) -> Result<LoadedMatrix> {
    let ([n_rows, n_columns], number) = read_sizes(lines, ["rows", "columns"])?;
    let file = lines.file().to_owned();
    check_square(&file, banner, n_rows, n_columns)?;
    let stored = match banner.symmetry {
        Symmetry::General => n_rows.saturating_mul(n_columns),
        Symmetry::Symmetric => (n_rows.saturating_mul(n_rows.saturating_add(1))) / 2,
        Symmetry::Skew => (n_rows.saturating_mul(n_rows.saturating_sub(1))) / 2,
    };
    check_room(&file, most_bytes, "values", stored, BYTES_PER_VALUE, Some(number))?;
    // Unfolding half of a matrix makes another of all its values.
    let unfolded = if stored == n_rows.saturating_mul(n_columns) { 0 } else { 2 * stored };
    options.limits.claim(&file).take(stored.saturating_add(unfolded).saturating_mul(8))?;
    let values = read_values(lines, stored)?;
    let (m, n) = (n_rows as usize, n_columns as usize);
    let values = match banner.symmetry {
        Symmetry::General => values,
        symmetry => unfold(m, &values, symmetry == Symmetry::Skew),
    };
    dense(&file, Stored::ByColumns, m, n, values)
}

/// The values of an array, several a line if need be.
fn read_values(lines: &mut Lines, stored: u64) -> Result<Vec<f64>> {
    let mut values = Vec::with_capacity(cautious_capacity(stored));
    while (values.len() as u64) < stored {
        let line = next_data_line(lines, || format!("value {} of {stored}", values.len() + 1))?;
        for field in line.fields() {
            if values.len() as u64 == stored {
                return Err(field.error(format!("the end after {stored} values")).into());
            }
            values.push(field.number()?);
        }
    }
    expect_no_more(lines, &format!("the end after {stored} values"))?;
    Ok(values)
}

/// The full square from its lower triangle, stored column after column.
fn unfold(n: usize, triangle: &[f64], skew: bool) -> Vec<f64> {
    let mut full = vec![0.0; n * n];
    let mut stored = triangle.iter();
    for j in 0..n {
        for i in j + usize::from(skew)..n {
            let value = stored.next().copied().unwrap_or(0.0);
            full[i * n + j] = if skew { -value } else { value };
            full[j * n + i] = value;
        }
    }
    full
}

/// Sparse matrices as coordinates, dense ones as an array.
fn write(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    let (m, n) = (table.matrix.n_rows(), table.matrix.n_columns());
    match &table.matrix {
        LoadedMatrix::Sparse(x) => {
            writeln!(out, "%%MatrixMarket matrix coordinate real general")?;
            writeln!(out, "{m} {n} {}", x.n_entries())?;
            let (offsets, columns, values) = x.csr();
            for d in 0..m {
                for k in offsets[d]..offsets[d + 1] {
                    write!(out, "{} {} ", d + 1, columns[k] + 1)?;
                    write_number(values[k], out)?;
                    out.write_all(b"\n")?;
                }
            }
            Ok(())
        }
        LoadedMatrix::Dense(x) => {
            writeln!(out, "%%MatrixMarket matrix array real general\n{m} {n}")?;
            write_values(x, out)
        }
    }
}

fn write_values(x: &DenseMatrix<'static, f64>, out: &mut dyn Write) -> io::Result<()> {
    for j in 0..x.n_columns() {
        for d in 0..x.n_rows() {
            write_number(x.get(d, j), out)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Input;

    fn parse(content: &str) -> Result<Table> {
        let input = Input::Bytes { name: "test.mtx".into(), bytes: content.into() };
        let options = LoadOptions::default();
        read(Source::open(&input, &options)?, &options)
    }

    fn rows(table: &Table) -> Vec<Vec<f64>> {
        (0..table.matrix.n_rows())
            .map(|d| {
                let mut row = vec![0.0; table.matrix.n_columns()];
                table.matrix.for_each_in_row(d, |j, v| row[j] = v);
                row
            })
            .collect()
    }

    #[test]
    fn coordinates_of_all_kinds() {
        let general =
            "%%MatrixMarket matrix coordinate real general\n% note\n\n2 3 2\n1 3 .5\n2 1 2\n";
        assert_eq!(rows(&parse(general).expect("valid")), [[0.0, 0.0, 0.5], [2.0, 0.0, 0.0]]);
        let pattern = "%%matrixmarket MATRIX coordinate pattern symmetric\n2 2 2\n1 1\n2 1";
        assert_eq!(rows(&parse(pattern).expect("valid")), [[1.0, 1.0], [1.0, 0.0]]);
        let skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 3\n";
        assert_eq!(rows(&parse(skew).expect("valid")), [[0.0, -3.0], [3.0, 0.0]]);
    }

    #[test]
    fn arrays_run_down_the_columns() {
        let general = "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n";
        assert_eq!(rows(&parse(general).expect("valid")), [[1.0, 3.0], [2.0, 4.0]]);
        let symmetric = "%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n";
        assert_eq!(rows(&parse(symmetric).expect("valid")), [[1.0, 2.0], [2.0, 3.0]]);
        let skew = "%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n";
        assert_eq!(rows(&parse(skew).expect("valid")), [[0.0, -5.0], [5.0, 0.0]]);
    }

    #[test]
    fn errors_say_where() {
        let content = "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n1 3 1\n";
        let message = parse(content).map(|_| ()).unwrap_err().to_string();
        assert_eq!(message, "test.mtx:4:3: found \"3\", expected a column between 1 and 2");
    }
}
