//! Changes of bytes, the same for the same seed: what a fuzzer does, without its feedback.

use rand::RngExt;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Numbers that counters and lengths do not expect.
const NUMBERS: [u64; 8] = [0, 1, 255, 0x7fff_ffff, 0xffff_ffff, 1 << 62, u64::MAX - 7, u64::MAX];

/// Words that readers look for, and some that they do not expect.
pub const WORDS: [&str; 32] = [
    "\n",
    "\r\n",
    "\t",
    ",",
    ";",
    "\"",
    "\"\"",
    "\0",
    " ",
    ":",
    "#",
    "%",
    "-",
    "1e999",
    "-0.0",
    "NaN",
    "inf",
    "18446744073709551616",
    "\u{feff}",
    "\u{1f600}",
    "{",
    "}",
    "[",
    "]",
    "\\u0000",
    "%%MatrixMarket",
    "\u{93}NUMPY",
    "PK\u{3}\u{4}",
    "PAR1",
    "'shape': (",
    "<f8",
    "text",
];

/// Draws changed copies of seeds.
#[derive(Debug)]
pub struct Mutator {
    seeds: Vec<Vec<u8>>,
    random: ChaCha8Rng,
}

impl Mutator {
    /// For these seeds, of which there is at least one.
    pub fn new(seeds: Vec<Vec<u8>>, number: u64) -> Self {
        assert!(!seeds.is_empty(), "something must be changed");
        Self { seeds, random: ChaCha8Rng::seed_from_u64(number) }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.random_range(0..n.max(1))
    }

    /// One of the seeds with one to five changes; sometimes bytes that have nothing to do with any.
    pub fn draw(&mut self) -> Vec<u8> {
        if self.below(20) == 0 {
            return self.noise();
        }
        let place = self.below(self.seeds.len());
        let mut bytes = self.seeds[place].clone();
        for _ in 0..1 + self.below(5) {
            self.change(&mut bytes);
        }
        bytes
    }

    /// Random bytes after the beginning of a seed.
    fn noise(&mut self) -> Vec<u8> {
        let (place, n_kept, n) = (self.below(self.seeds.len()), self.below(80), self.below(300));
        let kept = self.seeds[place].iter().copied().take(n_kept);
        kept.chain((0..n).map(|_| self.random.random())).collect()
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(40)).min(bytes.len());
        match self.below(9) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let part = bytes[at..end].to_vec();
                bytes.splice(at..at, part);
            }
            3 => {
                let word = WORDS[self.below(WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            4 => {
                let number = NUMBERS[self.below(NUMBERS.len())].to_le_bytes();
                bytes[at..].iter_mut().zip(number).for_each(|(byte, new)| *byte = new);
            }
            5 => {
                let other = self.below(self.seeds.len());
                let from = self.below(self.seeds[other].len());
                bytes.truncate(at);
                bytes.extend_from_slice(&self.seeds[other][from..]);
            }
            _ => {
                let new = self.random.random::<u8>();
                let flipped = 1 << (new % 8);
                let whole = self.below(2) == 0;
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = if whole { new } else { *byte ^ flipped };
                }
            }
        }
    }
}
