//! Compression that is taken off: gzip, Zstandard, xz and bzip2, told by their first bytes, whatever a name says.

use std::io::{self, BufRead, Read};
use std::ops::RangeInclusive;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;
use xray_nmf::machine::size_in_words;

use crate::error::{Error, wide_window};

/// The window that each part of a file may have, whatever the first one says: that of programs that are not told
/// otherwise, or a share of the memory if that is more.
const ORDINARY_WINDOW: u64 = 8 << 20;
const WINDOW_SHARE_OF_MEMORY: u64 = 16;

/// Logarithms of the windows that Zstandard can be told to allow.
const ZSTANDARD_WINDOWS: RangeInclusive<u32> = 10..=31;

/// What an xz reader has besides its dictionary.
const BESIDE_XZ_DICTIONARY: u64 = 1 << 20;

/// A way in which content is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    Gzip,
    Zstandard,
    Xz,
    Bzip2,
}

impl Compression {
    const ALL: [Self; 4] = [Self::Gzip, Self::Zstandard, Self::Xz, Self::Bzip2];

    /// How names of such files end, without the point.
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Gzip => "gz",
            Self::Zstandard => "zst",
            Self::Xz => "xz",
            Self::Bzip2 => "bz2",
        }
    }

    /// All endings.
    pub(crate) fn endings() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::ending)
    }

    /// A file's name without the ending of compression, if it has one.
    pub(crate) fn without_ending(name: &str) -> &str {
        let cut = |ending: &str| {
            let at = name.len().checked_sub(ending.len() + 1).filter(|&at| at > 0)?;
            let (stem, rest) = (name.get(..at)?, name.get(at..)?);
            rest.strip_prefix('.')?.eq_ignore_ascii_case(ending).then_some(stem)
        };
        Self::endings().find_map(cut).unwrap_or(name)
    }

    /// What content begins like; of bzip2 the ten bytes that even an empty file has.
    pub(crate) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstandard),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [b'B', b'Z', b'h', b'1'..=b'9', block @ ..]
                if block.starts_with(b"1AY&SY") || block.starts_with(b"\x17rE8P\x90") =>
            {
                Some(Self::Bzip2)
            }
            _ => None,
        }
    }

    /// How many bytes one byte can stand for, at most: Deflate never expands more than 1,032 times, a Zstandard block
    /// of 4 bytes holds at most 128 KiB, an LZMA2 chunk of 7 bytes 2 MiB, a bzip2 block of some 30 bytes 255 / 5
    /// times 900,000.
    pub(crate) fn expansion(self) -> u64 {
        match self {
            Self::Gzip => 1_032,
            Self::Zstandard => 1 << 15,
            Self::Xz => 1 << 19,
            Self::Bzip2 => 1 << 21,
        }
    }

    /// What of its content is kept to repeat it, by the first bytes of a file; nothing where that is little, or
    /// cannot be told.
    pub(crate) fn window(self, head: &[u8]) -> u64 {
        match self {
            Self::Gzip | Self::Bzip2 => 0,
            Self::Zstandard => zstandard_window(head).unwrap_or(0),
            Self::Xz => xz_dictionary(head).unwrap_or(0),
        }
    }

    /// About a window that does not fit.
    pub(crate) fn wide_window(self, file: &str, window: u64) -> Error {
        let size = size_in_words(window);
        match self {
            Self::Xz => wide_window(file, &format!("an xz dictionary of {size}"), "xz -d"),
            _ => wide_window(file, &format!("a Zstandard window of {size}"), "zstd -d --long=31"),
        }
    }

    /// The content, whose first part has this window, where `memory` bytes may be used for all that is read.
    pub(crate) fn decoder<R>(
        self,
        packed: R,
        window: u64,
        memory: u64,
    ) -> io::Result<Box<dyn Read + Send>>
    where
        R: BufRead + Send + 'static,
    {
        let most = window.max(ORDINARY_WINDOW).max(memory / WINDOW_SHARE_OF_MEMORY);
        Ok(match self {
            Self::Gzip => Box::new(GzipMembers { member: Some(GzDecoder::new(packed)) }),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Self::Zstandard => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
                let log = most.next_power_of_two().ilog2();
                decoder.window_log_max(
                    log.clamp(*ZSTANDARD_WINDOWS.start(), *ZSTANDARD_WINDOWS.end()),
                )?;
                Box::new(decoder)
            }
            Self::Xz => {
                let most = (most + BESIDE_XZ_DICTIONARY) >> 10;
                let most = u32::try_from(most).unwrap_or(u32::MAX - 1);
                Box::new(XzReader::new_mem_limit(packed, true, most))
            }
        })
    }
}

/// What the header of the first frame says (RFC 8878, 3.1.1.1): a window, or the whole content.
fn zstandard_window(head: &[u8]) -> Option<u64> {
    let about = *head.get(4)?;
    let is_whole = about & 0x20 != 0;
    if !is_whole {
        let window = *head.get(5)?;
        let base = 1_u64 << (10 + (window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    let start = 5 + [0, 1, 2, 4][usize::from(about & 3)];
    let length = 1_usize << (about >> 6);
    let mut size = [0; 8];
    size[..length].copy_from_slice(head.get(start..start + length)?);
    // Of two bytes the number counts from 256.
    Some(u64::from_le_bytes(size).saturating_add(if length == 2 { 256 } else { 0 }))
}

/// What the header of the first block says of its LZMA2 filter: the format's description, 3.1 and 5.3.1.
fn xz_dictionary(head: &[u8]) -> Option<u64> {
    const STREAM_HEADER: usize = 12;
    const LZMA2: u64 = 0x21;
    let length = (usize::from(*head.get(STREAM_HEADER)?) + 1) * 4;
    let header = head.get(STREAM_HEADER..STREAM_HEADER + length)?;
    let flags = header[1];
    let mut rest = &header[2..];
    for _ in 0..(flags >> 6 & 1) + (flags >> 7) {
        xz_number(&mut rest)?;
    }
    for _ in 0..=flags & 3 {
        let (filter, n_properties) = (xz_number(&mut rest)?, xz_number(&mut rest)?);
        let (properties, after) = rest.split_at_checked(usize::try_from(n_properties).ok()?)?;
        if filter == LZMA2 {
            let bits = u64::from(*properties.first()?);
            return (bits <= 40).then(|| (2 | bits & 1) << (bits / 2 + 11));
        }
        rest = after;
    }
    None
}

/// A number of which each byte has seven bits.
fn xz_number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// The content of gzip members one after the other; zeros after one, as tapes pad with, are passed over.
struct GzipMembers<R: BufRead> {
    /// The current one, until the last has ended.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let n = member.read(buffer)?;
            if n > 0 || buffer.is_empty() {
                return Ok(n);
            }
            let Some(ended) = self.member.take() else { break };
            let mut packed = ended.into_inner();
            if has_more(&mut packed)? {
                self.member = Some(GzDecoder::new(packed));
            }
        }
        Ok(0)
    }
}

/// Skips zeros; whether anything follows.
fn has_more(packed: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let bytes = packed.fill_buf()?;
        let (zeros, length) = (bytes.iter().take_while(|&&byte| byte == 0).count(), bytes.len());
        packed.consume(zeros);
        if zeros < length || length == 0 {
            return Ok(length > 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_one_ending() {
        for (name, plain) in [
            ("a.csv.gz", "a.csv"),
            ("A.CSV.XZ", "A.CSV"),
            ("a.bz2", "a"),
            ("a.zst.gz", "a.zst"),
            (".gz", ".gz"),
            ("gz", "gz"),
            ("é.xz", "é"),
        ] {
            assert_eq!(Compression::without_ending(name), plain);
        }
    }

    #[test]
    fn windows_are_told_by_headers() {
        let zstandard =
            |header: &[u8]| zstandard_window(&[b"\x28\xb5\x2f\xfd".as_slice(), header].concat());
        assert_eq!(zstandard(&[0, 0x58]), Some(2 << 20));
        assert_eq!(zstandard(&[0, 0x59]), Some((2 << 20) + (1 << 18)));
        assert_eq!(zstandard(&[0x20, 77]), Some(77), "the whole content");
        assert_eq!(zstandard(&[0x61, 1, 1, 1]), Some(257 + 256), "after a dictionary's name");
        assert_eq!(zstandard(&[0xe0, 0, 0, 0, 0, 1, 0, 0, 0]), Some(1 << 32));
        assert_eq!(zstandard(&[]), None);
        let stream = [0_u8; 12];
        let xz = |block: &[u8]| xz_dictionary(&[&stream[..], block].concat());
        assert_eq!(xz(&[2, 0, 0x21, 1, 0x16, 0, 0, 0, 1, 2, 3, 4]), Some(8 << 20));
        assert_eq!(xz(&[2, 0, 0x21, 1, 0x1c, 0, 0, 0, 1, 2, 3, 4]), Some(64 << 20));
        assert_eq!(xz(&[2, 0, 0x21, 1, 0xfa, 0, 0, 0, 1, 2, 3, 4]), None, "no such size");
        // Two sizes, and a filter before it.
        let sizes = [3, 0xc1, 0x80, 1, 5, 4, 0, 0x21, 1, 0x17, 0, 0, 1, 2, 3, 4];
        assert_eq!(xz(&sizes), Some(12 << 20));
        assert_eq!(xz(&sizes[..9]), None);
    }

    #[test]
    fn words_are_no_compression() {
        assert_eq!(Compression::of(b"BZh is how bzip2 begins"), None);
        assert_eq!(Compression::of(b"BZh91AY&SY"), Some(Compression::Bzip2));
        assert_eq!(Compression::of(b""), None);
    }
}
