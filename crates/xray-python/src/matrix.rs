//! The data as Python has it, borrowed where the layout allows.
//!
//! | Python | here |
//! |---|---|
//! | ndarray of float32 or float64, C or Fortran order | borrowed |
//! | csr, csc: `data` of float32 or float64 | borrowed |
//! | csr, csc: `indices` of int32 / int64 | borrowed / copied to 4 bytes |
//! | csr, csc: `indptr` of int64 / int32 | borrowed / copied to 8 bytes |
//!
//! Everything else is converted in Python before it comes here. The engine builds the other
//! compressed form of a sparse matrix by itself.

use std::borrow::Cow;
use std::sync::Arc;

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use xray_data::LoadedMatrix;
use xray_nmf::{DenseMatrix, Entry, Error, ErrorKind, Result, Scalar, SparseMatrix};

use crate::doorway;
use crate::failure::Failure;

/// One of the engine's matrices.
pub(crate) enum Storage {
    Dense32(DenseMatrix<'static, f32>),
    Dense64(DenseMatrix<'static, f64>),
    Sparse32(SparseMatrix<'static, f32>),
    Sparse64(SparseMatrix<'static, f64>),
}

/// A matrix, and the arrays that it borrows from.
pub(crate) struct Borrowed {
    pub(crate) storage: Storage,
    _owners: Vec<Py<PyAny>>,
}

/// A checked matrix of the engine, over the arrays of a NumPy or SciPy matrix.
#[pyclass(frozen, module = "xray_nmf._xray_nmf")]
pub(crate) struct Matrix(pub(crate) Arc<Borrowed>);

#[pymethods]
impl Matrix {
    /// `names` are those of the columns, for messages.
    #[new]
    #[pyo3(signature = (matrix, transposed = false, allow_negative = true, names = None))]
    fn new(
        matrix: &Bound<'_, PyAny>,
        transposed: bool,
        allow_negative: bool,
        names: Option<Vec<String>>,
    ) -> PyResult<Self> {
        let mut owners = Vec::new();
        let make = match numbers(matrix)? {
            Numbers::Single => load::<f32>(matrix, &mut owners)?,
            Numbers::Double => load::<f64>(matrix, &mut owners)?,
        };
        let work = move |_: &doorway::Watch| -> std::result::Result<Borrowed, NamedError> {
            let named = |error| NamedError::new(error, names.as_deref());
            let mut storage = make().map_err(named)?;
            // Before it is transposed, so that errors have positions as Python counts them.
            if !allow_negative {
                check_signs(storage.as_matrix()).map_err(named)?;
            }
            if transposed {
                storage = storage.transposed();
            }
            Ok(Borrowed { storage, _owners: owners })
        };
        doorway::run(matrix.py(), None, work).map(|borrowed| Self(Arc::new(borrowed)))
    }
}

/// An error of an entry, with the name of its column.
#[derive(Debug, thiserror::Error)]
#[error("{}{error}", .name.as_ref().map_or(String::new(), |name| format!("column {name:?}: ")))]
struct NamedError {
    error: Error,
    name: Option<String>,
}

impl NamedError {
    fn new(error: Error, names: Option<&[String]>) -> Self {
        let column = match error {
            Error::NotFinite { column, .. } | Error::Negative { column, .. } => Some(column),
            _ => None,
        };
        let name = column.and_then(|column| names?.get(column).cloned());
        Self { error, name }
    }
}

impl Failure for NamedError {
    fn kind(&self) -> ErrorKind {
        self.error.kind()
    }
}

fn check_signs(matrix: &dyn xray_nmf::Matrix) -> Result<()> {
    match matrix.first_negative() {
        Some(Entry { row, column, value }) => Err(Error::Negative { row, column, value }),
        None => Ok(()),
    }
}

impl Storage {
    /// The engine's matrix, whichever it is.
    pub(crate) fn as_matrix(&self) -> &dyn xray_nmf::Matrix {
        match self {
            Storage::Dense32(x) => x,
            Storage::Dense64(x) => x,
            Storage::Sparse32(x) => x,
            Storage::Sparse64(x) => x,
        }
    }

    pub(crate) fn is_dense(&self) -> bool {
        matches!(self, Storage::Dense32(_) | Storage::Dense64(_))
    }

    /// Number of stored entries.
    pub(crate) fn n_entries(&self) -> usize {
        match self {
            Storage::Sparse32(x) => x.n_entries(),
            Storage::Sparse64(x) => x.n_entries(),
            dense => dense.as_matrix().n_rows() * dense.as_matrix().n_columns(),
        }
    }

    /// A copy of some rows, or of all, in double precision.
    pub(crate) fn copied_rows(&self, rows: Option<&[usize]>) -> Result<LoadedMatrix> {
        let matrix = self.as_matrix();
        let n = matrix.n_columns();
        let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        let mut copy = |d: usize| {
            let line = matrix.row(d);
            indices.extend(line.indices.unwrap_or_default());
            values.extend(line.values);
            offsets.push(values.len());
        };
        match rows {
            Some(rows) => rows.iter().for_each(|&d| copy(d)),
            None => (0..matrix.n_rows()).for_each(copy),
        }
        let m = offsets.len() - 1;
        Ok(match self.is_dense() {
            true => DenseMatrix::from_row_major(m, n, values)?.into(),
            false => SparseMatrix::from_csr(m, n, offsets, indices, values)?.into(),
        })
    }

    fn transposed(self) -> Self {
        match self {
            Storage::Dense32(x) => Storage::Dense32(x.transposed()),
            Storage::Dense64(x) => Storage::Dense64(x.transposed()),
            Storage::Sparse32(x) => Storage::Sparse32(x.transposed()),
            Storage::Sparse64(x) => Storage::Sparse64(x.transposed()),
        }
    }
}

/// The two types of entries.
enum Numbers {
    Single,
    Double,
}

fn is_sparse(matrix: &Bound<'_, PyAny>) -> PyResult<bool> {
    matrix.hasattr("indptr")
}

fn numbers(matrix: &Bound<'_, PyAny>) -> PyResult<Numbers> {
    let name: String = matrix.getattr("dtype")?.getattr("name")?.extract()?;
    match name.as_str() {
        "float32" => Ok(Numbers::Single),
        "float64" => Ok(Numbers::Double),
        _ => Err(PyTypeError::new_err(format!("entries are {name}, not float32 or float64"))),
    }
}

/// Makes the engine's matrix, outside the GIL.
type Maker = Box<dyn FnOnce() -> Result<Storage> + Send>;

/// An element type with its two storages.
trait Number: Scalar + Element {
    fn dense(matrix: DenseMatrix<'static, Self>) -> Storage;
    fn sparse(matrix: SparseMatrix<'static, Self>) -> Storage;
}

impl Number for f32 {
    fn dense(matrix: DenseMatrix<'static, f32>) -> Storage {
        Storage::Dense32(matrix)
    }
    fn sparse(matrix: SparseMatrix<'static, f32>) -> Storage {
        Storage::Sparse32(matrix)
    }
}

impl Number for f64 {
    fn dense(matrix: DenseMatrix<'static, f64>) -> Storage {
        Storage::Dense64(matrix)
    }
    fn sparse(matrix: SparseMatrix<'static, f64>) -> Storage {
        Storage::Sparse64(matrix)
    }
}

fn load<T: Number>(matrix: &Bound<'_, PyAny>, owners: &mut Vec<Py<PyAny>>) -> PyResult<Maker> {
    if is_sparse(matrix)? { sparse::<T>(matrix, owners) } else { dense::<T>(matrix, owners) }
}

fn dense<T: Number>(matrix: &Bound<'_, PyAny>, owners: &mut Vec<Py<PyAny>>) -> PyResult<Maker> {
    let array = matrix.cast::<PyArray2<T>>()?;
    let (m, n) = (array.shape()[0], array.shape()[1]);
    let by_rows = array.is_c_contiguous();
    let values = borrow(array, owners)?;
    Ok(Box::new(move || {
        let matrix = if by_rows {
            DenseMatrix::from_row_major(m, n, values)?
        } else {
            DenseMatrix::from_column_major(m, n, values)?
        };
        Ok(T::dense(matrix))
    }))
}

fn sparse<T: Number>(matrix: &Bound<'_, PyAny>, owners: &mut Vec<Py<PyAny>>) -> PyResult<Maker> {
    let (m, n): (usize, usize) = matrix.getattr("shape")?.extract()?;
    let format: String = matrix.getattr("format")?.extract()?;
    let by_rows = match format.as_str() {
        "csr" => true,
        "csc" => false,
        _ => return Err(PyValueError::new_err(format!("a sparse matrix in {format} format"))),
    };
    let offsets = integers(&matrix.getattr("indptr")?, owners)?;
    let indices = integers(&matrix.getattr("indices")?, owners)?;
    let values = borrow(matrix.getattr("data")?.cast::<PyArray1<T>>()?, owners)?;
    Ok(Box::new(move || {
        let (offsets, indices) = (offsets.as_offsets(), indices.as_indices());
        let matrix = if by_rows {
            SparseMatrix::from_csr(m, n, offsets, indices, values)?
        } else {
            SparseMatrix::from_csc(m, n, offsets, indices, values)?
        };
        Ok(T::sparse(matrix))
    }))
}

/// An index array in one of SciPy's two types.
enum Integers {
    Narrow(&'static [i32]),
    Wide(&'static [i64]),
}

fn integers(array: &Bound<'_, PyAny>, owners: &mut Vec<Py<PyAny>>) -> PyResult<Integers> {
    if let Ok(narrow) = array.cast::<PyArray1<i32>>() {
        return Ok(Integers::Narrow(borrow(narrow, owners)?));
    }
    Ok(Integers::Wide(borrow(array.cast::<PyArray1<i64>>()?, owners)?))
}

impl Integers {
    /// As row or column numbers. One that is negative or too large becomes too large for any matrix:
    /// the engine refuses it.
    fn as_indices(&self) -> Cow<'static, [u32]> {
        match *self {
            Integers::Narrow(indices) => Cow::Borrowed(bytemuck::cast_slice(indices)),
            Integers::Wide(indices) => {
                indices.iter().map(|&i| u32::try_from(i).unwrap_or(u32::MAX)).collect()
            }
        }
    }

    /// As positions; negative ones as above.
    fn as_offsets(&self) -> Cow<'static, [usize]> {
        match *self {
            Integers::Narrow(offsets) => {
                offsets.iter().map(|&o| usize::try_from(o).unwrap_or(usize::MAX)).collect()
            }
            Integers::Wide(offsets) => match bytemuck::try_cast_slice(offsets) {
                Ok(same) => Cow::Borrowed(same),
                Err(_) => {
                    offsets.iter().map(|&o| usize::try_from(o).unwrap_or(usize::MAX)).collect()
                }
            },
        }
    }
}

/// The array's numbers, for as long as its new entry in `owners` lives.
#[expect(unsafe_code, reason = "the engine's thread may outlive an interrupted call")]
fn borrow<T: Element, D: numpy::ndarray::Dimension>(
    array: &Bound<'_, numpy::PyArray<T, D>>,
    owners: &mut Vec<Py<PyAny>>,
) -> PyResult<&'static [T]> {
    let readonly = array.readonly();
    let slice = readonly.as_slice().map_err(|e| PyValueError::new_err(e.to_string()))?;
    owners.push(array.clone().into_any().unbind());
    // SAFETY: `as_slice` has checked that pointer, length and alignment make a slice. NumPy frees or
    // moves the numbers only when the array object goes away, or in `resize`, which refuses while
    // there are other references; `owners` holds one, beside the slice, in the same `Borrowed`.
    // Writing to an array while a fit reads it is a race in Python as it is with any function that
    // releases the GIL; the documentation says so.
    Ok(unsafe { std::slice::from_raw_parts(slice.as_ptr(), slice.len()) })
}
