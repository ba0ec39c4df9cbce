//! Hyperspectral cubes: those that other programs wrote, bit by bit, and headers that are wrong.
//!
//! `tests/python/make_cubes.py` writes them; the folder is named by `XRAY_REFERENCE`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use xray_data::Error;
use xray_data::cube::{Cube, CubeOptions, read_mask, read_spectra};

/// All numbers of a cube, a block of lines after the other.
fn numbers(cube: &mut Cube, at_once: usize) -> Vec<f64> {
    let (mut all, mut block) = (Vec::new(), Vec::new());
    for first in (0..cube.rows()).step_by(at_once) {
        let lines = first..(first + at_once).min(cube.rows());
        cube.read_lines(lines, &mut block).expect("read");
        all.extend_from_slice(&block);
    }
    all
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn cubes_of_other_programs_have_all_their_bits() {
    let place = std::env::var_os("XRAY_REFERENCE").map(|path| PathBuf::from(path).join("cubes"));
    let Some(folder) = place.filter(|folder| folder.is_dir()) else {
        println!("SKIPPED: XRAY_REFERENCE names no folder with cubes");
        return;
    };
    let told = std::fs::read(folder.join("cubes.json")).expect("make_cubes.py wrote it");
    let told: Vec<Value> = serde_json::from_slice(&told).expect("JSON");
    assert!(told.len() > 60, "{} cubes", told.len());
    for known in &told {
        let file = known["file"].as_str().expect("a name");
        let expected: Vec<u64> = known["bits"]
            .as_array()
            .expect("bits")
            .iter()
            .map(|v| v.as_u64().expect("bits"))
            .collect();
        if let Some(names) = known["names"].as_array() {
            let library = read_spectra(&folder.join(file), &CubeOptions::default()).expect(file);
            assert_eq!(bits(&library.values.concat()), expected, "{file}");
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            assert_eq!(library.names, names, "{file}");
            assert_eq!(library.axis.as_ref().map(|axis| axis[1]), Some(412.5));
            continue;
        }
        let shape = known["shape"].as_str().map(|shape| shape.parse().expect("a shape"));
        let options = CubeOptions { shape, ..CubeOptions::default() };
        let mut cube = Cube::open(&folder.join(file), &options).unwrap_or_else(|e| panic!("{e}"));
        let size: Vec<usize> = known["size"]
            .as_array()
            .expect("sizes")
            .iter()
            .map(|v| v.as_u64().expect("a size") as usize)
            .collect();
        assert_eq!([cube.rows(), cube.columns(), cube.bands().len()], size[..], "{file}");
        for at_once in [1, 2, 100] {
            assert_eq!(bits(&numbers(&mut cube, at_once)), expected, "{file}");
        }
        if let Some(wavelengths) = known["about"]["wavelengths"].as_array() {
            let wavelengths: Vec<f64> = wavelengths.iter().filter_map(Value::as_f64).collect();
            assert_eq!(cube.wavelengths(), Some(wavelengths), "{file}");
            assert_eq!(cube.about().ignored, Some(-9999.0));
            assert!(cube.about().place[0].1.starts_with("UTM"), "{:?}", cube.about());
        }
    }
}

/// A folder with a header and the numbers of 2 lines, 3 samples and 2 bands in one byte each.
fn scene(header: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.hdr");
    std::fs::write(&path, header).expect("written");
    std::fs::write(folder.path().join("scene.img"), (0u8..12).collect::<Vec<u8>>())
        .expect("written");
    (folder, path)
}

const HEADER: &str = "ENVI\nsamples = 3\nlines = 2\nbands = 2\ndata type = 1\ninterleave = bip\n";

fn message(path: &Path, options: &CubeOptions) -> String {
    Cube::open(path, options).expect_err("wrong").to_string()
}

#[test]
fn headers_may_be_written_in_many_ways() {
    let odd = "ENVI\n; a remark\nSamples=3\nLINES = 2\n bands  =  2 \ndata  type = 1\ninterleave = BIL\n\
               wavelength = { 400,\n  500 }\nmap info = {UTM, 1}\n\n";
    let (_folder, path) = scene(odd);
    let mut cube = Cube::open(&path, &CubeOptions::default()).expect("a cube");
    assert_eq!(cube.wavelengths(), Some(vec![400.0, 500.0]));
    assert_eq!(numbers(&mut cube, 1), [0., 3., 1., 4., 2., 5., 6., 9., 7., 10., 8., 11.]);
    // By the name of its numbers, and some bands alone.
    let options = CubeOptions {
        bands: Some("2".parse().expect("bands")),
        scale: Some(2.0),
        ..CubeOptions::default()
    };
    let mut cube = Cube::open(&path.with_extension("img"), &options).expect("a cube");
    assert_eq!(numbers(&mut cube, 2), [1.5, 2.0, 2.5, 4.5, 5.0, 5.5]);
    assert_eq!(cube.wavelengths(), Some(vec![500.0]));
}

#[test]
fn wrong_headers_are_told_with_their_line() {
    let cases = [
        ("samples = 3\n", ":1: found \"samples = 3\", expected ENVI"),
        ("ENVI\nsamples 3\n", ":2: found \"samples 3\", expected name = value"),
        (
            &HEADER.replace("samples = 3", "samples = three"),
            ":2: found samples = \"three\", expected a whole",
        ),
        (&HEADER.replace("lines = 2\n", ""), "found no line for lines, expected one"),
        (&HEADER.replace("lines = 2", "lines = -2"), ":3: found lines = \"-2\", expected a whole"),
        (&HEADER.replace("data type = 1", "data type = 6"), ":5: found data type = \"6\""),
        (&HEADER.replace("bip", "bsp"), ":6: found interleave = \"bsp\", expected bsq, bil or bip"),
        (&format!("{HEADER}byte order = 2\n"), ":7: found byte order"),
        (
            &format!("{HEADER}wavelength = {{1, 2, 3}}\n"),
            ":7: found wavelength with 3 numbers, expected 2",
        ),
        (&format!("{HEADER}wavelength = {{1, x}}\n"), ":7: found wavelength = \"1, x\""),
        (&format!("{HEADER}wavelength = {{1, NaN}}\n"), ":7: found wavelength = \"1, NaN\""),
        (&format!("{HEADER}bbl = {{1,\n1"), ":7: found a brace that is never closed"),
        (&format!("{HEADER}bbl = {{1,1}} 3\n"), ":7: found \"3\""),
        (&format!("{HEADER}bbl = {{1,\n1}} 3\n"), ":8: found \"3\""),
        (&format!("{HEADER}reflectance scale factor = inf\n"), ":7: found reflectance scale"),
        (&format!("{HEADER}header offset = 18446744073709551615\n"), "found 12 bytes, expected"),
        (&format!("{HEADER}bbl = {{0,0}}\n"), "no good band"),
        (&format!("{HEADER}bands = 2\n"), ":7: found bands again, as in line 4"),
        (&format!("{HEADER}file compression = 1\n"), ":7: found file compression"),
        (&HEADER.replace("lines = 2", "lines = 3"), "found 12 bytes, expected 18 bytes"),
        (&HEADER.replace("lines = 2", "lines = 9000000000000000000"), "found 12 bytes, expected"),
        (&HEADER.replace("bands = 2", "bands = 0"), ":4: found bands = \"0\", expected a whole"),
    ];
    for (header, expected) in cases {
        let (_folder, path) = scene(header);
        let told = message(&path, &CubeOptions::default());
        assert!(told.contains(expected), "{header}\n{told}");
        assert!(told.contains("scene."), "{told}");
    }
    let (_folder, path) = scene(HEADER);
    let beyond =
        CubeOptions { bands: Some("1-5".parse().expect("bands")), ..CubeOptions::default() };
    assert!(message(&path, &beyond).contains("the cube has bands 1 to 2"));
    std::fs::remove_file(path.with_extension("img")).expect("removed");
    assert!(message(&path, &CubeOptions::default()).contains("no file of numbers beside it"));
    let missing = path.with_file_name("missing.hdr");
    assert!(matches!(Cube::open(&missing, &CubeOptions::default()), Err(Error::Io { .. })));
    let other = path.with_file_name("other.txt");
    std::fs::write(&other, "words").expect("written");
    assert!(message(&other, &CubeOptions::default()).contains("expected an ENVI header"));
}

/// Each of these took minutes once: what was read so far was looked through again for every line.
#[test]
fn long_headers_take_no_longer_than_they_are() {
    let fields: String = (0..200_000).map(|k| format!("field {k} = {k}\n")).collect();
    let (_folder, path) = scene(&format!("{HEADER}{fields}"));
    Cube::open(&path, &CubeOptions::default()).expect("a cube");
    let (_folder, path) = scene(&format!("{HEADER}description = {{{}", "\n".repeat(1 << 21)));
    assert!(message(&path, &CubeOptions::default()).contains("never closed"));
    let (_folder, path) = scene(&format!("{HEADER}description = {{{}}}", " ".repeat(1 << 24)));
    assert!(message(&path, &CubeOptions::default()).contains("a header of at most"));
}

#[test]
fn numbers_are_found_beside_their_header_under_many_names() {
    let names = [
        ("x.hdr", "x.img"),
        ("x.hdr", "x"),
        ("x.img.hdr", "x.img"),
        ("x.bsq.hdr", "x.bsq"),
        ("x.v2.hdr", "x.v2.dat"),
        ("x.HDR", "x.IMG"),
    ];
    for (header, data) in names {
        let folder = tempfile::tempdir().expect("a folder");
        let [header, data] = [header, data].map(|name| folder.path().join(name));
        std::fs::write(&header, HEADER).expect("written");
        std::fs::write(&data, (0u8..12).collect::<Vec<u8>>()).expect("written");
        for path in [&header, &data] {
            let cube = Cube::open(path, &CubeOptions::default());
            let mut cube = cube.unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(numbers(&mut cube, 2)[..4], [0.0, 1.0, 2.0, 3.0]);
        }
    }
}

/// The header beside an array or a table may belong to something else of the same name.
#[test]
fn arrays_and_tables_beside_a_header_are_themselves() {
    let (_folder, path) = scene(HEADER);
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    let text = "{'descr': '|u1', 'fortran_order': False, 'shape': (1, 3, 4), }\n";
    array.extend((text.len() as u16).to_le_bytes());
    array.extend(text.as_bytes());
    array.extend(20u8..32);
    let npy = path.with_extension("npy");
    std::fs::write(&npy, array).expect("written");
    let mut cube = Cube::open(&npy, &CubeOptions::default()).expect("a cube");
    assert_eq!(numbers(&mut cube, 1)[..3], [20.0, 21.0, 22.0]);
    let table = path.with_extension("csv");
    std::fs::write(&table, "band,soil\n1,0.5\n2,0.75\n").expect("written");
    let spectra = read_spectra(&table, &CubeOptions::default()).expect("spectra");
    assert_eq!((spectra.names, spectra.values), (vec!["soil".into()], vec![vec![0.5, 0.75]]));
}

#[test]
fn spectra_are_finite() {
    let header = HEADER.replace("bands = 2", "bands = 1").replace("data type = 1", "data type = 4");
    let (_folder, path) = scene(&header.replace("lines = 2", "lines = 1"));
    let bytes: Vec<u8> = [1.0f32, f32::NAN, 3.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    std::fs::write(path.with_extension("img"), bytes).expect("written");
    let told = read_spectra(&path, &CubeOptions::default()).expect_err("NaN").to_string();
    assert!(told.contains("found NaN in spectrum 1, band 2"), "{told}");
}

#[test]
fn masks_have_the_size_of_the_image() {
    let (_folder, path) = scene(&HEADER.replace("bands = 2", "bands = 1"));
    let options = CubeOptions::default();
    let mask = read_mask(&path, 2, 3, &options).expect("a mask");
    assert_eq!(mask, [false, true, true, true, true, true]);
    let told = read_mask(&path, 3, 2, &options).expect_err("wrong size").to_string();
    assert!(told.contains("expected 3 x 2 pixels"), "{told}");
}
