//! Texts in other character sets than UTF-8.

use xray_data::{Encoding, Error, Input, LoadOptions, Loaded, load, load_with_origin};

const CSV: &str = "id,label,text\n1,français,l’été à la plage\n2,deutsch,Straße und Öl\n";
const NUMBERS: &str = "näme,größe\n1,2\n3,4\n";

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn latin1(text: &str) -> Vec<u8> {
    let byte = |c: char| if c == '’' { 0x92 } else { u8::try_from(c).expect("Latin-1") };
    text.chars().map(byte).collect()
}

fn read(bytes: Vec<u8>, encoding: Encoding) -> Result<(Loaded, Vec<Encoding>), Error> {
    let options = LoadOptions { encoding, ..LoadOptions::default() };
    let input = Input::Bytes { name: "x.csv".into(), bytes };
    let (loaded, origin) = load_with_origin(&input, &options)?;
    Ok((loaded, origin.reading.expect("it was read").noticed.encodings))
}

#[test]
fn all_give_the_same_table_of_texts() {
    let (expected, told) = read(CSV.into(), Encoding::Auto).expect("texts");
    let expected = expected.into_documents();
    assert!(told.is_empty());
    let with_mark = utf16(&format!("\u{feff}{CSV}"));
    for (bytes, encoding) in [
        (latin1(CSV), Encoding::Latin1),
        (utf16(CSV), Encoding::Utf16),
        (with_mark, Encoding::Utf16),
    ] {
        for asked in [Encoding::Auto, encoding] {
            let (found, told) = read(bytes.clone(), asked).expect("texts");
            assert_eq!(found.into_documents(), expected);
            assert_eq!(told, [encoding]);
        }
    }
}

#[test]
fn tables_of_numbers_too() {
    for bytes in [NUMBERS.into(), latin1(NUMBERS), utf16(NUMBERS)] {
        let (found, _) = read(bytes, Encoding::Auto).expect("numbers");
        let table = found.into_table().expect("numbers");
        assert_eq!(table.column_names.expect("a header"), ["näme", "größe"]);
        assert_eq!(table.matrix.n_rows(), 2);
    }
}

#[test]
fn a_wrong_choice_is_refused_or_seen() {
    let message = read(latin1(CSV), Encoding::Utf8).unwrap_err().to_string();
    assert!(message.starts_with("x.csv:2:") && message.contains("`encoding`"), "{message}");
    assert!(read(b"id,text\n1,ab\n".to_vec(), Encoding::Utf16).is_err());
    let (read, _) = read(CSV.into(), Encoding::Latin1).expect("texts");
    assert!(read.into_documents().expect("texts").texts[1].starts_with("StraÃŸe"));
}

#[test]
fn binary_files_are_still_refused() {
    let zeros: Vec<u8> = (0..4096_u32).flat_map(u32::to_le_bytes).collect();
    let noise: Vec<u8> =
        (0..4096_u32).map(|k| (k.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let picture = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &noise[..]].concat();
    let without_zeros: Vec<u8> = noise.iter().copied().filter(|&byte| byte != 0).collect();
    for bytes in [zeros, noise, picture] {
        let message = read(bytes, Encoding::Auto).unwrap_err().to_string();
        assert!(message.contains("binary data of no known format"), "{message}");
    }
    let message = read(without_zeros, Encoding::Auto).unwrap_err().to_string();
    assert!(message.contains("not UTF-8"), "{message}");
}

#[test]
fn side_files_may_be_in_another_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let names = folder.path().join("names.txt");
    std::fs::write(&names, utf16("\u{feff}éins\nzwei\n")).expect("written");
    let input = Input::Bytes { name: "x.csv".into(), bytes: b"1,2\n3,4\n".to_vec() };
    let options = LoadOptions { column_names: Some(names), ..LoadOptions::default() };
    let table = load(&input, &options).expect("numbers").into_table().expect("numbers");
    assert_eq!(table.column_names.expect("names"), ["éins", "zwei"]);
}
