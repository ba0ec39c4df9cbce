//! Whether all ranks see the same files.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use xray_data::{Input, Inputs, LoadOptions};
use xray_nmf::comm::Communicator;

use crate::agree::{same_everywhere, together};
use crate::error::{Error, Result};

/// A fingerprint looks at all of a file up to this size; of a longer one, and of long folders, at samples.
const WHOLE: u64 = 1 << 26;

/// Number and size of the samples.
const SAMPLES: u64 = 256;
const SAMPLE: u64 = 1 << 16;

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
pub(crate) fn check_same_list(comm: &dyn Communicator, inputs: &Inputs) -> Result<()> {
    let names: Vec<String> = inputs.parts().iter().map(Input::name).collect();
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
}
