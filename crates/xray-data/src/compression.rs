//! Compression that is taken off: gzip, Zstandard, xz and bzip2, told by their first bytes, whatever a name says.

use std::io::{self, BufRead, Read};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::GzDecoder;
use lzma_rust2::XzReader;

/// An xz dictionary may have this many bytes, or a share of the memory if that is more: what `xz -9` wants, and a bit.
const LEAST_XZ_DICTIONARY: u64 = 72 << 20;
const XZ_SHARE_OF_MEMORY: u64 = 4;

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

    /// The content, where `memory` bytes may be used for all that is read.
    pub(crate) fn decoder<R>(self, packed: R, memory: u64) -> io::Result<Box<dyn Read + Send>>
    where
        R: BufRead + Send + 'static,
    {
        Ok(match self {
            Self::Gzip => Box::new(GzipMembers { member: Some(GzDecoder::new(packed)) }),
            Self::Zstandard => Box::new(zstd::stream::read::Decoder::with_buffer(packed)?),
            Self::Bzip2 => Box::new(MultiBzDecoder::new(packed)),
            Self::Xz => {
                let most = (memory / XZ_SHARE_OF_MEMORY).max(LEAST_XZ_DICTIONARY) >> 10;
                let most = u32::try_from(most).unwrap_or(u32::MAX - 1);
                Box::new(XzReader::new_mem_limit(packed, true, most))
            }
        })
    }
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
    fn words_are_no_compression() {
        assert_eq!(Compression::of(b"BZh is how bzip2 begins"), None);
        assert_eq!(Compression::of(b"BZh91AY&SY"), Some(Compression::Bzip2));
        assert_eq!(Compression::of(b""), None);
    }
}
