//! Which files there are, and who reads them.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use xray_data::{Input, LoadOptions};
use xray_nmf::comm::Communicator;

use crate::agree::{same_everywhere, together};
use crate::error::{Error, Result};

/// A fingerprint looks at all of a file up to this size; of a longer one, and of long folders, at samples.
const WHOLE: u64 = 1 << 26;

/// Number and size of the samples.
const SAMPLES: u64 = 256;
const SAMPLE: u64 = 1 << 16;

/// The files that a pattern (`part-*.npz`) or a list (`@files.txt`, one path a line) stands for, in
/// order; `None` if it is one file or folder itself.
///
/// # Errors
/// If a list cannot be read, or nothing fits a pattern.
pub fn data_files(data: &Path) -> Result<Option<Vec<PathBuf>>> {
    let name = data.to_string_lossy();
    if let Some(list) = name.strip_prefix('@') {
        let text = std::fs::read_to_string(list)
            .map_err(Error::io(Path::new(list), "read the list of files"))?;
        let folder = Path::new(list).parent().unwrap_or(Path::new(""));
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let files: Vec<PathBuf> = lines.map(|line| folder.join(line)).collect();
        if files.is_empty() {
            return Err(Error::Mismatch(format!("{list}: found no path, expected one a line")));
        }
        return with_content(files, list).map(Some);
    }
    if !name.contains(['*', '?']) || data.exists() {
        return Ok(None);
    }
    let folder = data.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let pattern =
        data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let entries = std::fs::read_dir(folder).map_err(Error::io(folder, "read the folder"))?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(Error::io(folder, "read the folder"))?;
        if fits(pattern.as_bytes(), entry.file_name().to_string_lossy().as_bytes()) {
            files.push(entry.path());
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(Error::Mismatch(format!("{name}: no file fits this pattern")));
    }
    with_content(files, &name).map(Some)
}

/// The files that are not empty: programs that write in parts leave such where they had nothing.
fn with_content(mut files: Vec<PathBuf>, name: &str) -> Result<Vec<PathBuf>> {
    files.retain(|file| std::fs::metadata(file).map_or(true, |about| about.len() > 0));
    if files.is_empty() {
        return Err(Error::Mismatch(format!("{name}: all files are empty")));
    }
    Ok(files)
}

/// Whether a name fits a pattern with `*` (any characters) and `?` (one).
fn fits(pattern: &[u8], name: &[u8]) -> bool {
    match pattern.split_first() {
        None => name.is_empty(),
        Some((b'*', rest)) => (0..=name.len()).any(|k| fits(rest, &name[k..])),
        Some((b'?', rest)) => !name.is_empty() && fits(rest, &name[1..]),
        Some((c, rest)) => name.first() == Some(c) && fits(rest, &name[1..]),
    }
}

/// The files of one rank: consecutive ones, so that the order of rows is that of the files.
pub fn own_files(files: &[PathBuf], rank: usize, size: usize) -> &[PathBuf] {
    &files[rank * files.len() / size..(rank + 1) * files.len() / size]
}

/// Tells whether two machines see the same data: a hash of the names, lengths and contents of the files,
/// or of samples from all over them where they are long.
///
/// # Errors
/// If it cannot be read, or is no file that every rank can read on its own.
pub fn fingerprint(input: &Input) -> Result<Vec<u8>> {
    let Input::Path(path) = input else { return Ok(Vec::new()) };
    let problem = Error::io(path, "open");
    let about = std::fs::metadata(path).map_err(&problem)?;
    let mut hasher = blake3::Hasher::new();
    if about.is_file() {
        hash_samples(path, about.len(), about.len().min(WHOLE), &mut hasher)?;
    } else if about.is_dir() {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(path).map_err(&problem)? {
            let entry = entry.map_err(&problem)?;
            let about = std::fs::metadata(entry.path()).map_err(&problem)?;
            if about.is_file() {
                files.push((entry.path(), about.len()));
            }
        }
        files.sort();
        let most = WHOLE / files.len().max(1) as u64;
        for (file, length) in files {
            hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
            hash_samples(&file, length, most, &mut hasher)?;
        }
    } else {
        let name = path.display();
        let message = format!("{name}: not a file; every rank reads the data on its own");
        return Err(Error::Usage(message));
    }
    Ok(hasher.finalize().as_bytes().to_vec())
}

/// Checks that all ranks share out the same files.
pub(crate) fn check_same_list(comm: &dyn Communicator, files: &[PathBuf]) -> Result<()> {
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    same_everywhere(comm, "the list of files", names.join("\n").as_bytes())
}

/// Checks that the files with names and labels are the same on all ranks.
pub(crate) fn check_side_files(comm: &dyn Communicator, options: &LoadOptions) -> Result<()> {
    if comm.size() == 1 {
        return Ok(());
    }
    let files = [&options.row_names, &options.column_names, &options.labels];
    let prints = files.into_iter().flatten().map(|file| fingerprint(&Input::Path(file.clone())));
    let prints: Result<Vec<Vec<u8>>> = prints.collect();
    same_everywhere(comm, "the files with names and labels", &together(comm, prints)?.concat())
}

/// Checks that all ranks see the same file or folder.
///
/// # Errors
/// The same on all ranks, if they do not, or one cannot read it.
pub(crate) fn check_same_data(comm: &dyn Communicator, input: &Input) -> Result<()> {
    if comm.size() == 1 {
        return Ok(());
    }
    let own = match input {
        Input::Stdin => Err(Error::Usage(
            "standard input reaches only one rank; name a file that all ranks can read".into(),
        )),
        input => fingerprint(input),
    };
    same_everywhere(comm, "the data", &together(comm, own)?)
}

/// Takes in the length of a file and all of it, if that is at most `whole`, or samples of it.
fn hash_samples(path: &Path, length: u64, whole: u64, hasher: &mut blake3::Hasher) -> Result<()> {
    let problem = Error::io(path, "read");
    hasher.update(&length.to_le_bytes());
    let mut file = std::fs::File::open(path).map_err(&problem)?;
    if length <= whole {
        std::io::copy(&mut file, hasher).map_err(&problem)?;
        return Ok(());
    }
    let n_samples = (whole / SAMPLE).clamp(1, SAMPLES);
    let last = length.saturating_sub(SAMPLE);
    for k in 0..=n_samples {
        let start = (u128::from(last) * u128::from(k) / u128::from(n_samples)) as u64;
        file.seek(SeekFrom::Start(start)).map_err(&problem)?;
        std::io::copy(&mut file.by_ref().take(SAMPLE), hasher).map_err(&problem)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_have_stars_and_question_marks() {
        for (pattern, name, expected) in [
            ("part-*.npz", "part-001.npz", true),
            ("part-*.npz", "part-001.npy", false),
            ("?.txt", "a.txt", true),
            ("?.txt", "ab.txt", false),
            ("*", "", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
        ] {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn fingerprints_see_a_change_anywhere() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x");
        let print = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("written");
            [&path, &folder.path().to_owned()]
                .map(|place| fingerprint(&Input::Path(place.clone())).expect("read"))
        };
        let mut bytes = vec![7; 3 << 20];
        let [file, whole_folder] = print(&bytes);
        bytes[2 << 20] = 8;
        let [other_file, other_folder] = print(&bytes);
        assert!(file != other_file && whole_folder != other_folder);
        let long = |at: usize| {
            let mut hasher = blake3::Hasher::new();
            let mut bytes = vec![0; 1 << 20];
            bytes[at] = 1;
            std::fs::write(&path, &bytes).expect("written");
            hash_samples(&path, 1 << 20, SAMPLE * 4, &mut hasher).expect("read");
            hasher.finalize()
        };
        let prints = [0, (1 << 20) - 1, 1 << 18, (1 << 19) - 1].map(long);
        assert!((0..4).all(|k| !prints[..k].contains(&prints[k])), "{prints:?}");
    }

    #[test]
    fn files_are_shared_out_in_order() {
        let files: Vec<PathBuf> = (0..7).map(|k| PathBuf::from(k.to_string())).collect();
        for size in 1..10 {
            let shared: Vec<PathBuf> =
                (0..size).flat_map(|rank| own_files(&files, rank, size).to_vec()).collect();
            assert_eq!(shared, files, "{size}");
        }
    }

    #[test]
    fn lists_and_patterns_name_what_is_missing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("a.npz"), "x").expect("written");
        assert_eq!(data_files(&path("a.npz")).expect("a file"), None);
        assert_eq!(data_files(&path("*.npz")).expect("a pattern"), Some(vec![path("a.npz")]));
        assert!(data_files(&path("*.csv")).unwrap_err().to_string().contains("no file fits"));
        std::fs::write(path("list"), "a.npz\n\nb.npz\n").expect("written");
        let list = PathBuf::from(format!("@{}", path("list").display()));
        assert_eq!(data_files(&list).expect("a list"), Some(vec![path("a.npz"), path("b.npz")]));
        assert!(data_files(Path::new("@nowhere")).is_err());
    }
}
