//! Memory that the system refuses ends the program with a message and status 1, not with an abort.
//!
//! Budgets refuse what is foreseen. For the rest this is the last net: Rust's own answer to a failed allocation is
//! to abort, and to unwind from an allocator is undefined, so the message is written and the process ended right
//! here, without asking for memory.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The system's allocator, which says what failed.
pub(crate) struct Announcing;

// SAFETY: every call is passed on to the system's allocator as it is, so its guarantees hold; what it refuses never
// returns.
unsafe impl GlobalAlloc for Announcing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those of `System`.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.realloc(old, layout, size) }, size)
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(old, layout) }
    }
}

/// What was asked for, or the end.
#[inline]
fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        refuse(size);
    }
    memory
}

#[cold]
fn refuse(size: usize) -> ! {
    let mut digits = [b'0'; 20];
    let start = decimal(size, &mut digits);
    // Standard error has no buffer, so that nothing is allocated.
    let mut stderr = std::io::stderr();
    let parts: [&[u8]; 3] = [
        b"error: out of memory: the system refused ",
        &digits[start..],
        b" more bytes; set --memory to what there is, use smaller data, fewer anchors or more ranks\n",
    ];
    // Nothing can be done if it cannot be printed.
    let _ = parts.iter().try_for_each(|part| stderr.write_all(part));
    // SAFETY: it ends the process at once, and touches none of its memory. Exit handlers might ask for some.
    unsafe { libc::_exit(1) }
}

/// Writes a number at the end of `digits`; where it starts.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> usize {
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_without_memory() {
        for number in [0, 7, 10, 36_602_488, usize::MAX] {
            let mut digits = [0; 20];
            let start = decimal(number, &mut digits);
            assert_eq!(digits[start..], *number.to_string().as_bytes());
        }
    }
}
