//! Thrift's compact encoding, as much of it as headers of pages need: numbers, and what is passed over.

use std::io::{self, Read};

/// Structures within structures that a header may have.
const MOST_DEPTH: usize = 8;

/// The kind of a field that is a structure.
pub(super) const STRUCT: u8 = 12;

/// Reads one value after the other.
pub(super) struct Thrift<R> {
    inner: R,
    read: u64,
}

impl<R: Read> Thrift<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, read: 0 }
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.read
    }

    fn byte(&mut self) -> Option<u8> {
        let mut byte = [0];
        self.inner.read_exact(&mut byte).ok()?;
        self.read += 1;
        Some(byte[0])
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }

    /// A number whose sign is its last bit.
    pub(super) fn int(&mut self) -> Option<i64> {
        let value = self.varint()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    fn pass(&mut self, bytes: u64) -> Option<()> {
        let passed = io::copy(&mut self.inner.by_ref().take(bytes), &mut io::sink()).ok()?;
        self.read += passed;
        (passed == bytes).then_some(())
    }

    /// Shows number and kind of each field of a structure, whose value is to be read.
    pub(super) fn fields(
        &mut self,
        depth: usize,
        visit: &mut dyn FnMut(&mut Self, i64, u8) -> Option<()>,
    ) -> Option<()> {
        if depth >= MOST_DEPTH {
            return None;
        }
        let mut id = 0;
        loop {
            let byte = self.byte()?;
            let (more, kind) = (i64::from(byte >> 4), byte & 0x0f);
            if kind == 0 {
                return Some(());
            }
            id = if more == 0 { self.int()? } else { id.wrapping_add(more) };
            visit(self, id, kind)?;
        }
    }

    pub(super) fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            // The kind is the value.
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(|_| ()),
            7 => self.pass(8),
            8 => self.varint().and_then(|bytes| self.pass(bytes)),
            9 | 10 => {
                let byte = self.byte()?;
                let short = u64::from(byte >> 4);
                let n = if short == 15 { self.varint()? } else { short };
                (0..n).try_for_each(|_| self.skip_item(byte & 0x0f, depth + 1))
            }
            STRUCT => self.fields(depth + 1, &mut |thrift, _, kind| thrift.skip(kind, depth + 1)),
            _ => None,
        }
    }

    /// In a list a truth value has a byte.
    fn skip_item(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            _ if depth >= MOST_DEPTH => None,
            1 | 2 => self.pass(1),
            _ => self.skip(kind, depth),
        }
    }
}
