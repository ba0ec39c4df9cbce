//! `xray unmix`: from cubes to files, the same from every storage, and what it says of wrong ones.

#![cfg(feature = "experiments")]

mod support;

use serde_json::Value;
use support::{Place, skipped};

/// A small scene: scene.hdr, scene.img and scene-truth.csv.
fn scene(place: &Place) {
    place.done(&[
        "synth",
        "scene.hdr",
        "--cube",
        "30x40x50",
        "-r",
        "3",
        "--snr",
        "30",
        "--seed",
        "4",
    ]);
}

fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

/// What stands behind the header of a .npy file.
fn npy_numbers(bytes: &[u8]) -> Vec<f32> {
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    numbers(&bytes[10 + length..])
}

#[test]
fn a_scene_becomes_spectra_maps_and_numbers() {
    let place = Place::new();
    scene(&place);
    let arguments = [
        "unmix",
        "scene.hdr",
        "--truth",
        "scene-truth.csv",
        "--library",
        "scene-truth.csv",
        "-o",
        "out",
    ];
    let run = place.done(&arguments);
    assert!(run.stderr.contains("30 x 40 pixels, 50 bands"), "{}", run.stderr);
    assert!(run.stderr.contains("3 endmembers: the knee"), "{}", run.stderr);
    assert!(run.stdout.contains("material_1"), "{}", run.stdout);
    let report = place.json("out/unmix.json");
    assert_eq!(report["endmembers"].as_array().map(Vec::len), Some(3));
    assert!(report["truth"]["mean_angle"].as_f64().expect("an angle") < 3.0, "{report}");
    assert_eq!(report["suggestion"]["path"].as_array().map(Vec::len), Some(15));
    let nearest = &report["endmembers"][0]["nearest"];
    assert!(nearest[0]["angle"].as_f64() <= nearest[1]["angle"].as_f64());
    let members = &report["endmembers"][0];
    assert_eq!(
        members["n_members"].as_u64(),
        members["members"].as_array().map(|m| m.len() as u64)
    );
    let spectra = place.text("out/endmembers.csv");
    assert_eq!(spectra.lines().count(), 51);
    assert!(
        spectra.starts_with("wavelength,endmember_1,endmember_2,endmember_3\n400,"),
        "{spectra}"
    );
    let maps = npy_numbers(&place.bytes("out/abundances.npy"));
    assert_eq!(maps.len(), 30 * 40 * 3);
    assert_eq!(numbers(&place.bytes("out/abundances.img")), maps);
    assert!(maps.chunks(3).all(|pixel| (pixel.iter().sum::<f32>() - 1.0).abs() < 1e-5));
    assert!(place.text("out/abundances.hdr").contains("samples = 40\nlines = 30\nbands = 3\n"));
    assert!(place.bytes("out/maps.png").starts_with(b"\x89PNG"));
    assert!(place.text("out/endmembers.svg").contains("wavelength (Nanometers)"));

    // Known endmembers give the same maps, in both ways to ask for it; the image is a cube itself.
    place.done(&["unmix", "scene.img", "--endmembers", "out/endmembers.csv", "-o", "again"]);
    assert_eq!(place.bytes("again/abundances.npy"), place.bytes("out/abundances.npy"));
    place.done(&["transform", "out", "scene.hdr", "-o", "applied"]);
    assert_eq!(place.bytes("applied/abundances.npy"), place.bytes("out/abundances.npy"));
    place.done(&["unmix", "out/abundances.hdr", "-r", "2", "-o", "of-maps"]);
    // Without wavelengths the order of bands decides, and that is told.
    let header = place.text("scene.hdr").replace("wavelength", "length");
    place.write("bare.hdr", header);
    place.write("bare.img", place.bytes("scene.img"));
    let run = place.done(&["unmix", "bare.hdr", "--endmembers", "out/endmembers.csv"]);
    assert!(run.stderr.contains("only one side has wavelengths"), "{}", run.stderr);
}

#[test]
fn threads_and_storage_change_no_bit() {
    let place = Place::new();
    scene(&place);
    place.done(&["unmix", "scene.hdr", "-r", "3", "-o", "one", "--threads", "1"]);
    place.done(&["unmix", "scene.hdr", "-r", "3", "-o", "three", "--threads", "3"]);
    // The same numbers in the order bsq, with the highest byte first, and as an array.
    let values = numbers(&place.bytes("scene.img"));
    let mut other = Vec::new();
    for band in 0..50 {
        (0..1200).for_each(|j| other.extend(values[j * 50 + band].to_be_bytes()));
    }
    place.write("other.dat", &other);
    let header = place
        .text("scene.hdr")
        .replace("= bip", "= bsq")
        .replace("byte order = 0", "byte order = 1");
    place.write("other.hdr", header);
    place.done(&["unmix", "other.hdr", "-r", "3", "-o", "bsq"]);
    let mut array = b"\x93NUMPY\x01\x00".to_vec();
    let text = "{'descr': '<f4', 'fortran_order': False, 'shape': (30, 40, 50), }\n";
    array.extend((text.len() as u16).to_le_bytes());
    array.extend(text.as_bytes());
    array.extend(place.bytes("scene.img"));
    place.write("scene.npy", &array);
    std::fs::rename(place.path("scene.hdr"), place.path("gone.hdr")).expect("renamed");
    place.done(&["unmix", "scene.npy", "-r", "3", "-o", "npy"]);
    for folder in ["three", "bsq", "npy"] {
        for file in ["abundances.npy", "maps.png"] {
            let [a, b] =
                [place.bytes(&format!("one/{file}")), place.bytes(&format!("{folder}/{file}"))];
            assert!(a == b, "{folder}/{file}");
        }
    }
}

#[test]
fn the_page_has_the_same_bytes_and_can_be_left_out() {
    let place = Place::new();
    scene(&place);
    let arguments = ["unmix", "scene.hdr", "-r", "3", "--library", "scene-truth.csv"];
    place.done(&[&arguments[..], &["-o", "one", "--threads", "1"]].concat());
    place.done(&[&arguments[..], &["-o", "three", "--threads", "3"]].concat());
    let page = place.text("one/report.html");
    assert!(page == place.text("three/report.html"), "threads change the page");
    assert!(page.contains("<h1 id=\"title\">3 endmembers in 1,200 pixels</h1>"));
    assert!(page.contains("<code>xray unmix scene.hdr -r 3 --library scene-truth.csv</code>"));
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: Value = serde_json::from_str(data.expect("data")).expect("JSON");
    let report = place.json("one/unmix.json");
    assert_eq!(data["unmix"]["endmembers"][1]["spectrum"], report["endmembers"][1]["spectrum"]);
    assert_eq!(data["unmix"]["residual"], report["residual"]);
    assert_eq!((&data["scene"]["side"], &data["scene"]["rows"]), (&1.into(), &30.into()));
    place.done(&[&arguments[..], &["-o", "one", "--no-report"]].concat());
    assert!(!place.path("one/report.html").exists());
    assert!(place.path("one/unmix.json").exists());
}

#[test]
fn methods_rules_bands_and_masks_are_obeyed() {
    let place = Place::new();
    scene(&place);
    for method in ["xray", "spa", "vca", "nfindr"] {
        let run = place.done(&["unmix", "scene.hdr", "-r", "3", "--method", method, "--json"]);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(answer["method"], *method);
        assert_eq!(answer["endmembers"][2]["n_members"], 1);
    }
    assert!(!place.path("scene-unmixed").exists(), "--json writes nothing unless asked");
    place.done(&["unmix", "scene.hdr", "-r", "3", "--nnls", "--bands", "1-20,41-", "--scale", "2"]);
    let spectra = place.text("scene-unmixed/endmembers.csv");
    assert_eq!(spectra.lines().count(), 31);
    let maps = npy_numbers(&place.bytes("scene-unmixed/abundances.npy"));
    assert!(maps.chunks(3).any(|pixel| (pixel.iter().sum::<f32>() - 1.0).abs() > 1e-3));
    // The left half of the image.
    let mask: Vec<u8> = (0..1200).map(|j| u8::from(j % 40 < 20)).collect();
    place.write("mask.img", &mask);
    place.write(
        "mask.hdr",
        "ENVI\nsamples = 40\nlines = 30\nbands = 1\ndata type = 1\ninterleave = bsq\n",
    );
    place.done(&[
        "unmix",
        "scene.hdr",
        "-r",
        "3",
        "--mask",
        "mask.hdr",
        "--sum-to-one",
        "-o",
        "half",
    ]);
    let maps = npy_numbers(&place.bytes("half/abundances.npy"));
    for (j, pixel) in maps.chunks(3).enumerate() {
        let sum: f32 = pixel.iter().sum();
        assert!(if j % 40 < 20 { (sum - 1.0).abs() < 1e-5 } else { sum == 0.0 }, "{j}: {pixel:?}");
    }
    assert_eq!(place.json("half/unmix.json")["pixels"], 600);
    let members = place.json("half/unmix.json")["endmembers"][0]["members"].clone();
    assert!(
        members
            .as_array()
            .expect("members")
            .iter()
            .all(|at| at[1].as_u64().expect("a column") <= 20)
    );
}

#[test]
fn wrong_cubes_and_wishes_are_told_and_nothing_is_written() {
    let place = Place::new();
    scene(&place);
    let nan = [
        &place.bytes("scene.img")[..4 * 50 * 41],
        &f32::NAN.to_le_bytes(),
        &place.bytes("scene.img")[4 * 50 * 41 + 4..],
    ]
    .concat();
    place.write("nan.img", nan);
    place.write("nan.hdr", place.text("scene.hdr"));
    place.write("words.txt", "these are words\n");
    place.write("other.csv", "band,a\n1,0.5\n2,0.7\n");
    let longer: String = (1..=60).map(|band| format!("{band},0.5\n")).collect();
    place.write("longer.csv", format!("band,a\n{longer}"));
    place.write("dark.img", vec![0; 4 * 1200 * 50]);
    place.write("dark.hdr", place.text("scene.hdr"));
    let cases: [(&[&str], i32, &str); 12] = [
        (&["dark.hdr"], 1, "dark.hdr: no band has light"),
        (&["scene.hdr", "-r", "3", "--scale", "1e-300"], 1, "--scale divides them"),
        (&["scene.hdr", "--endmembers", "longer.csv"], 1, "the spectra have a band 51"),
        (&["nan.hdr", "-r", "3"], 1, "found NaN in row 2, column 2, band 1"),
        (&["missing.hdr"], 1, "missing.hdr: cannot open"),
        (&["words.txt"], 1, "words.txt: found no cube"),
        (&["scene.hdr", "-r", "51"], 2, "give 1 to 50"),
        (&["scene.hdr", "--bands", "40-60"], 2, "the cube has bands 1 to 50"),
        (&["scene.hdr", "--mask", "scene.hdr"], 1, "expected 30 x 40 pixels"),
        (&["scene.hdr", "--endmembers", "other.csv"], 1, "the spectra have 2 bands"),
        (&["scene.hdr", "-r", "2", "--truth", "scene-truth.csv"], 2, "the truth has 3 endmembers"),
        (&["scene.hdr", "--scale", "0"], 2, "--scale"),
    ];
    for (arguments, status, expected) in cases {
        let run = place.xray(&[&["unmix"], arguments, &["-o", "out"]].concat());
        assert_eq!(run.status, Some(status), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{arguments:?}: {}", run.stderr);
        assert!(!place.path("out").exists(), "{arguments:?}");
    }
    let run = place.xray(&["unmix", "scene.hdr", "--memory", "1K"]);
    assert!(run.status == Some(1) && run.stderr.contains("raise --memory"), "{}", run.stderr);
    let run = place.xray(&["unmix", "scene.hdr", "-o", "."]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    let run = place.xray(&["synth", "x.npy", "--cube", "3x3x20", "-r", "2"]);
    assert!(run.status == Some(2) && run.stderr.contains("end the name in .hdr"), "{}", run.stderr);
}

#[test]
fn real_scenes_come_out_as_the_design_has_it() {
    let Some(data) =
        std::env::var_os("XRAY_DATA").map(std::path::PathBuf::from).filter(|d| d.is_dir())
    else {
        skipped("Samson and Jasper Ridge (XRAY_DATA names no folder)");
        return;
    };
    let place = Place::new();
    let scenes = [
        ("samson/samson_1.mat", "samson/Samson_GT.mat", 3, 3.1, 0.175),
        ("jasper/jasperRidge2_R198.mat", "jasper/Jasper_GT.mat", 4, 5.8, 0.09),
    ];
    for (cube, truth, rank, angle, error) in scenes {
        let [cube, truth] = [cube, truth].map(|file| data.join(file).display().to_string());
        let run = place.done(&["unmix", &cube, "--truth", &truth, "--json"]);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(answer["suggestion"]["number"], rank, "{cube}");
        let [found, off] = ["mean_angle", "abundance_rmse"]
            .map(|what| answer["truth"][what].as_f64().expect("a number"));
        println!("{cube}: {found:.3} degrees, abundances {off:.3}");
        assert!(found <= angle && off <= error, "{cube}: {found} {off}");
    }
}
