//! Which files there are, and who reads them.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use xray_data::Input;

/// Bytes at both ends of a file that its fingerprint looks at.
const END: u64 = 1 << 20;

/// The files that a pattern (`part-*.npz`) or a list (`@files.txt`, one path a line) stands for, in
/// order; `None` if it is one file or folder itself.
///
/// # Errors
/// If a list cannot be read, or nothing fits a pattern.
pub fn data_files(data: &Path) -> anyhow::Result<Option<Vec<PathBuf>>> {
    let name = data.to_string_lossy();
    if let Some(list) = name.strip_prefix('@') {
        let text = std::fs::read_to_string(list)
            .with_context(|| format!("{list}: cannot read the list of files"))?;
        let folder = Path::new(list).parent().unwrap_or(Path::new(""));
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let files: Vec<PathBuf> = lines.map(|line| folder.join(line)).collect();
        if files.is_empty() {
            bail!("{list}: found no path, expected one a line");
        }
        return Ok(Some(files));
    }
    if !name.contains(['*', '?']) || data.exists() {
        return Ok(None);
    }
    let folder = data.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let pattern =
        data.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{}: cannot read the folder", folder.display()))?;
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.with_context(|| format!("{}: cannot read", folder.display()))?;
        if fits(pattern.as_bytes(), entry.file_name().to_string_lossy().as_bytes()) {
            files.push(entry.path());
        }
    }
    files.sort();
    match files.is_empty() {
        true => bail!("{name}: no file fits this pattern"),
        false => Ok(Some(files)),
    }
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

/// Tells whether two machines see the same data, without reading all of it: the length and both ends of
/// a file, the names and lengths of the files in a folder.
///
/// # Errors
/// If it cannot be read.
pub fn fingerprint(input: &Input) -> anyhow::Result<Vec<u8>> {
    let Input::Path(path) = input else { return Ok(Vec::new()) };
    let problem = || format!("{}: cannot open", path.display());
    if path.is_dir() {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(path).with_context(problem)? {
            let entry = entry.with_context(problem)?;
            let length = entry.metadata().map(|metadata| metadata.len()).unwrap_or(0);
            names.push(format!("{} {length}", entry.file_name().to_string_lossy()));
        }
        names.sort();
        return Ok(names.join("\n").into_bytes());
    }
    let mut file = std::fs::File::open(path).with_context(problem)?;
    let length = file.metadata().with_context(problem)?.len();
    let mut print = length.to_le_bytes().to_vec();
    file.by_ref().take(END).read_to_end(&mut print).with_context(problem)?;
    if length > END {
        file.seek(SeekFrom::Start(length.saturating_sub(END))).with_context(problem)?;
        file.read_to_end(&mut print).with_context(problem)?;
    }
    Ok(print)
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
