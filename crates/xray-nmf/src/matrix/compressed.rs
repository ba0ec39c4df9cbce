//! One compressed form of a sparse matrix: by rows or by columns.
//!
//! "Line" stands for a row or a column, whichever the form goes by.

use std::borrow::Cow;
use std::ops::Range;

use rayon::prelude::*;

use super::{Line, Scalar, check_dimensions, check_largest, check_value};
use crate::error::{Error, Result, check_length};
use crate::machine::afford;

/// One compressed form: line l (a row or a column) holds entries `offsets[l]..offsets[l + 1]`.
#[derive(Debug, Clone)]
pub(super) struct Compressed<'a, T: Scalar> {
    pub(super) offsets: Cow<'a, [usize]>,
    pub(super) indices: Cow<'a, [u32]>,
    pub(super) values: Cow<'a, [T]>,
}

impl<'a, T: Scalar> Compressed<'a, T> {
    pub(super) fn checked(
        axis: &'static str,
        n_lines: usize,
        dimension: usize,
        offsets: impl Into<Cow<'a, [usize]>>,
        indices: impl Into<Cow<'a, [u32]>>,
        values: impl Into<Cow<'a, [T]>>,
    ) -> Result<Self> {
        check_dimensions(n_lines, dimension)?;
        let (offsets, indices, values) = (offsets.into(), indices.into(), values.into());
        check_length("offsets", n_lines + 1, offsets.len())?;
        check_length("indices", values.len(), indices.len())?;
        if offsets[0] != 0 {
            return Err(Error::Offsets { position: 0, value: offsets[0] });
        }
        for (l, pair) in offsets.windows(2).enumerate() {
            let last = l + 1 == n_lines;
            if pair[1] < pair[0] || pair[1] > values.len() || (last && pair[1] != values.len()) {
                return Err(Error::Offsets { position: l + 1, value: pair[1] });
            }
        }
        if n_lines == 0 && !values.is_empty() {
            return Err(Error::Offsets { position: 0, value: 0 });
        }
        let matrix = Self { offsets, indices, values };
        (0..n_lines).try_for_each(|l| matrix.check_line(axis, l, dimension))?;
        check_largest(&matrix.values)?;
        Ok(matrix)
    }

    pub(super) fn check_line(&self, axis: &'static str, line: usize, bound: usize) -> Result<()> {
        let (indices, values) = self.line(line);
        for pair in indices.windows(2) {
            if pair[1] <= pair[0] {
                return Err(Error::IndexOrder { axis, line, previous: pair[0], index: pair[1] });
            }
        }
        if let Some(&index) = indices.iter().find(|&&i| i as usize >= bound) {
            return Err(Error::IndexOutOfRange { axis, line, index: u64::from(index), bound });
        }
        for (&index, value) in indices.iter().zip(values) {
            let (row, column) =
                if axis == "row" { (line, index as usize) } else { (index as usize, line) };
            check_value(row, column, value.to_f64())?;
        }
        Ok(())
    }

    pub(super) fn n_lines(&self) -> usize {
        self.offsets.len() - 1
    }

    #[inline]
    pub(super) fn line(&self, l: usize) -> (&[u32], &[T]) {
        let range = self.offsets[l]..self.offsets[l + 1];
        (&self.indices[range.clone()], &self.values[range])
    }

    pub(super) fn read_line(&self, l: usize, into: &mut Line) {
        let (indices, values) = self.line(l);
        let into_indices = into.indices.get_or_insert_default();
        into_indices.clear();
        into_indices.extend_from_slice(indices);
        into.values.clear();
        into.values.extend(values.iter().map(|v| v.to_f64()));
    }

    #[inline]
    pub(super) fn line_length(&self, l: usize) -> usize {
        self.offsets[l + 1] - self.offsets[l]
    }

    pub(super) fn map_lines<R: Send>(&self, f: impl Fn(&[u32], &[T]) -> R + Sync) -> Vec<R> {
        let one = |l| {
            let (indices, values) = self.line(l);
            f(indices, values)
        };
        (0..self.n_lines()).into_par_iter().with_min_len(64).map(one).collect()
    }

    /// The first negative entry as (line, index, value).
    pub(super) fn first_negative(&self) -> Option<(usize, usize, f64)> {
        let position = self.values.iter().position(|v| v.to_f64() < 0.0)?;
        let line = self.offsets.partition_point(|&o| o <= position) - 1;
        Some((line, self.indices[position] as usize, self.values[position].to_f64()))
    }

    /// An error if there is no memory for the other form of so many lines.
    pub(super) fn afford_transposed(&self, n_lines: usize) -> Result<()> {
        let (offsets, entries) = (2 * (n_lines as u64 + 1) * 8, self.values.len());
        let bytes = offsets + (entries * (4 + size_of::<T>())) as u64;
        afford::<u8>("the matrix by rows and by columns", bytes as usize)
    }

    /// The other compressed form, by counting; `n_lines` is its number of lines.
    pub(super) fn transposed(&self, n_lines: usize) -> Compressed<'static, T> {
        let mut offsets = vec![0usize; n_lines + 1];
        for &i in self.indices.iter() {
            offsets[i as usize + 1] += 1;
        }
        accumulate(&mut offsets);
        let mut next = offsets.clone();
        let mut indices = vec![0u32; self.indices.len()];
        let mut values = vec![T::default(); self.values.len()];
        for l in 0..self.n_lines() {
            let (line_indices, line_values) = self.line(l);
            for (&i, &v) in line_indices.iter().zip(line_values) {
                let place = &mut next[i as usize];
                indices[*place] = l as u32;
                values[*place] = v;
                *place += 1;
            }
        }
        Compressed { offsets: offsets.into(), indices: indices.into(), values: values.into() }
    }

    pub(super) fn lines_in(&self, range: Range<usize>) -> Compressed<'static, T> {
        let start = self.offsets[range.start];
        let entries = start..self.offsets[range.end];
        let offsets: Vec<usize> =
            self.offsets[range.start..=range.end].iter().map(|o| o - start).collect();
        Compressed {
            offsets: offsets.into(),
            indices: self.indices[entries.clone()].to_vec().into(),
            values: self.values[entries].to_vec().into(),
        }
    }

    pub(super) fn lines_at(&self, lines: &[usize]) -> Compressed<'static, T> {
        let mut offsets = vec![0];
        let (mut indices, mut values) = (Vec::new(), Vec::new());
        for &l in lines {
            let (line_indices, line_values) = self.line(l);
            indices.extend_from_slice(line_indices);
            values.extend_from_slice(line_values);
            offsets.push(indices.len());
        }
        Compressed { offsets: offsets.into(), indices: indices.into(), values: values.into() }
    }
}

/// Turns counts at `l + 1` into offsets.
pub(super) fn accumulate(offsets: &mut [usize]) {
    for l in 1..offsets.len() {
        offsets[l] += offsets[l - 1];
    }
}
