//! Numbers as bytes, for messages between ranks.

/// Writes length-prefixed slices.
#[derive(Debug, Default)]
pub(crate) struct Writer(pub(crate) Vec<u8>);

impl Writer {
    pub(crate) fn put<T: bytemuck::NoUninit>(&mut self, values: &[T]) {
        self.0.extend_from_slice(&(values.len() as u64).to_le_bytes());
        self.0.extend_from_slice(bytemuck::cast_slice(values));
    }
}

/// Reads them back in the same order.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl Reader<'_> {
    /// The next slice. Panics if the message was not written in this order.
    pub(crate) fn take<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(&mut self) -> Vec<T> {
        let (length, rest) = self.0.split_at(8);
        let length = u64::from_le_bytes(length.try_into().expect("eight bytes")) as usize;
        let (values, rest) = rest.split_at(length * size_of::<T>());
        self.0 = rest;
        bytemuck::allocation::pod_collect_to_vec(values)
    }
}
