//! Hyperspectral cubes: a header of strangers, and numbers beside it.
//!
//! The first byte is the number of bytes of the file of numbers, in steps of eight; they follow, and the rest is the header.

use std::path::Path;

use tempfile::TempDir;
use xray_data::cube::{Cube, CubeOptions, EnviHeader, read_mask, read_spectra};

/// Bytes of the file of numbers for each step of the first byte.
const STEP: usize = 8;
/// Numbers of a cube beyond which nothing is read: that would only take time.
const LARGEST: usize = 1 << 12;

pub(crate) fn run(bytes: &[u8]) -> bool {
    let Some((&steps, content)) = bytes.split_first() else { return false };
    let (numbers, header) = content.split_at((usize::from(steps) * STEP).min(content.len()));
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, numbers, header);
    // A library or a mask is read by the same header, and may be refused.
    let _ = read_spectra(&path, &CubeOptions::default());
    let _ = read_mask(&path, 2, 3, &CubeOptions::default());
    match Cube::open(&path, &CubeOptions::default()) {
        Ok(cube) => judge(cube, numbers, &path),
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error says what is wrong");
            false
        }
    }
}

/// The path of the header.
fn written(folder: &TempDir, numbers: &[u8], header: &[u8]) -> std::path::PathBuf {
    let path = folder.path().join("cube.hdr");
    std::fs::write(&path, header).expect("written");
    std::fs::write(path.with_extension("img"), numbers).expect("written");
    path
}

/// A cube has as many numbers as its file can hold, the same whether lines are read together or one by one, and its
/// header comes back as it is written.
fn judge(mut cube: Cube, numbers: &[u8], path: &Path) -> bool {
    let (rows, columns, bands) = (cube.rows(), cube.columns(), cube.bands().len());
    assert!(rows * columns * cube.n_stored() <= numbers.len(), "a byte for each at least");
    if rows * columns * bands > LARGEST {
        return true;
    }
    let (mut whole, mut line) = (Vec::new(), Vec::new());
    // Large whole numbers are refused when they are met.
    if cube.read_lines(0..rows, &mut whole).is_err() {
        return true;
    }
    assert_eq!(whole.len(), rows * columns * bands);
    for row in 0..rows {
        cube.read_lines(row..row + 1, &mut line).expect("as before");
        let same = line
            .iter()
            .zip(&whole[row * columns * bands..])
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "line {row}");
    }
    write_again(&cube, path);
    true
}

fn write_again(cube: &Cube, path: &Path) {
    let mut about = cube.about().clone();
    // The places of a strange header may have braces in them.
    about.place.clear();
    about.wavelength_units = None;
    let size = [cube.rows(), cube.columns(), cube.n_stored()];
    let again = path.with_file_name("again.hdr");
    std::fs::write(&again, EnviHeader::written(size, &["one {, band".to_owned()], &about))
        .expect("written");
    std::fs::write(again.with_extension("img"), vec![0; 4 * size.iter().product::<usize>()])
        .expect("written");
    let again = Cube::open(&again, &CubeOptions::default()).expect("what was written can be read");
    assert_eq!([again.rows(), again.columns(), again.n_stored()], size);
    assert_eq!(again.about().wavelengths, about.wavelengths);
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let plain = "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 1\ninterleave = bip\n";
    let full = "ENVI\r\ndescription = {two\r\nlines}\r\nSamples=3\r\nlines = 2\r\nbands = 4\r\nheader offset = 3\r\n\
                file type = ENVI Standard\r\ndata type = 12\r\ninterleave = BIL\r\nbyte order = 1\r\n\
                wavelength = {400, 500.5, 6e2, 700}\r\nwavelength units = Nanometers\r\nbbl = {1, 0, 1, 1}\r\n\
                data ignore value = -9999\r\nreflectance scale factor = 10000\r\nmap info = {UTM, 1, 1}\r\n; end\r\n";
    let wide = plain.replace("= 1\n", "= 5\n").replace("bip", "bsq");
    let library = "ENVI\nsamples = 4\nlines = 2\nbands = 1\nfile type = ENVI Spectral Library\ndata type = 4\n\
                   interleave = bsq\nspectra names = {soil, water}\nwavelength = {1, 2, 3, 4}\n";
    [(2, plain), (7, full), (12, &wide), (4, library)]
        .into_iter()
        .map(|(steps, header)| {
            let numbers: Vec<u8> = (0..steps * STEP).map(|k| (7 * k % 128) as u8).collect();
            [&[steps as u8], &numbers[..], header.as_bytes()].concat()
        })
        .collect()
}
