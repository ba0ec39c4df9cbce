//! Where a model comes from.

use std::io::Read;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::error::{Result, io_error};
use crate::source::Input;

/// Version, input, time and seed of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Provenance {
    /// Version of this crate that wrote the model.
    pub version: String,
    /// Name of the input.
    pub input: String,
    /// `blake3:` and 64 hexadecimal digits, see [`hash_input`]; none for standard input.
    pub input_hash: Option<String>,
    /// When the model was made, as in `2026-01-31T12:00:00Z`.
    pub created: Option<String>,
    /// Seed of the run.
    pub seed: Option<u64>,
}

impl Provenance {
    /// For a run on `input`, now.
    ///
    /// # Errors
    /// If the input cannot be read to compute its hash.
    pub fn of(input: &Input, seed: u64) -> Result<Self> {
        Ok(Self::new(input.name(), hash_input(input)?, seed))
    }

    /// For a run on data whose hash is known, now.
    pub fn new(input: String, input_hash: Option<String>, seed: u64) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            input,
            input_hash,
            created: Some(timestamp(now)),
            seed: Some(seed),
        }
    }
}

/// Seconds since 1970 as a date and time in UTC.
fn timestamp(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Count years from March, so that a leap day ends one; 400 years have 146,097 days.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", second % 60)
}

/// `blake3:` and the hash of a file's bytes as stored; of a folder the hash over the names and
/// contents of its files in order. `None` for standard input and other pipes, which cannot be read
/// twice.
///
/// # Errors
/// If the input cannot be read.
pub fn hash_input(input: &Input) -> Result<Option<String>> {
    let mut hasher = blake3::Hasher::new();
    match input {
        Input::Stdin => return Ok(None),
        Input::Bytes { bytes, .. } => {
            hasher.update(bytes);
        }
        Input::Path(path) if path.is_dir() => hash_folder(path, &mut hasher)?,
        Input::Path(path) if is_pipe(path) => return Ok(None),
        Input::Path(path) => hash_file(path, &mut hasher)?,
    }
    Ok(Some(format!("blake3:{}", hasher.finalize().to_hex())))
}

/// Whether there is something at the path that is no file.
fn is_pipe(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

fn hash_file(path: &Path, hasher: &mut blake3::Hasher) -> Result<()> {
    let fail = |e| io_error(&path.display().to_string(), "read", e);
    let mut file = std::fs::File::open(path).map_err(fail)?;
    let mut block = vec![0; 1 << 16];
    loop {
        match file.read(&mut block) {
            Ok(0) => return Ok(()),
            Ok(n) => {
                hasher.update(&block[..n]);
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(e) => return Err(fail(e)),
        }
    }
}

fn hash_folder(folder: &Path, hasher: &mut blake3::Hasher) -> Result<()> {
    let fail = |e| io_error(&folder.display().to_string(), "read", e);
    let mut entries = std::fs::read_dir(folder)
        .and_then(|entries| entries.collect::<std::io::Result<Vec<_>>>())
        .map_err(fail)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let kind = entry.file_type().map_err(fail)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        hasher.update(&(name.len() as u64).to_le_bytes());
        hasher.update(name.as_bytes());
        if kind.is_dir() {
            hash_folder(&entry.path(), hasher)?;
        } else if entry.path().is_file() {
            hash_file(&entry.path(), hasher)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_leap_years_and_ends_of_centuries() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(timestamp(seconds), text);
        }
    }

    #[test]
    fn hashes_tell_contents_apart() {
        let hash = |bytes: &[u8]| {
            hash_input(&Input::Bytes { name: "x".into(), bytes: bytes.to_vec() }).expect("memory")
        };
        assert_ne!(hash(b"a"), hash(b"b"));
        // The published hash of nothing.
        let empty = "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262";
        assert_eq!(hash(b"").as_deref(), Some(empty));
    }
}
