//! Reference answers and real data, where they are.

use super::Grid;
use serde_json::Value;
use std::path::PathBuf;

/// A folder named by `variable`, or `default` seen from the workspace's root; None if not there.
pub fn folder(variable: &str, default: &str) -> Option<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = std::env::var_os(variable).map_or_else(|| root.join(default), PathBuf::from);
    path.is_dir().then_some(path)
}

/// One reference problem: X and its answers.
pub struct Golden {
    pub name: String,
    pub x: Grid,
    pub answers: Value,
}

/// All reference problems, sorted by name; says so if there are none.
pub fn golden() -> Vec<Golden> {
    let Some(folder) = folder("XRAY_GOLDEN", "../shared/golden") else {
        println!("SKIPPED: no reference answers (set XRAY_GOLDEN to their folder)");
        return Vec::new();
    };
    let mut found: Vec<Golden> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "json"))
        .map(|path| Golden {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            x: read_npy(&std::fs::read(path.with_extension("npy")).unwrap()),
            answers: serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap(),
        })
        .collect();
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// A two-dimensional float64 .npy file.
fn read_npy(bytes: &[u8]) -> Grid {
    assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00", "npy version 1");
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let header = std::str::from_utf8(&bytes[10..10 + length]).unwrap();
    assert!(header.contains("'<f8'"), "{header}");
    let shape = header.split_once('(').unwrap().1.split_once(')').unwrap().0;
    let shape: Vec<usize> = shape.split(',').filter_map(|s| s.trim().parse().ok()).collect();
    let (m, n) = (shape[0], shape[1]);
    let data: Vec<f64> = bytes[10 + length..]
        .chunks_exact(8)
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(data.len(), m * n);
    let fortran = header.contains("'fortran_order': True");
    let at = |d: usize, j: usize| if fortran { data[j * m + d] } else { data[d * n + j] };
    let values = (0..n).flat_map(|j| (0..m).map(move |d| (d, j))).map(|(d, j)| at(d, j)).collect();
    Grid { m, n, values }
}

pub fn indices(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}
