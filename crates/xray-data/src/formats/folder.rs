//! A folder of texts: ids are paths within the folder, labels the names of the folders right below it.
//!
//! Where there are .txt files they are the texts. Otherwise all files are that hold text, whatever their names end
//! in (.md, .html, .eml, nothing at all); those that hold something else are left out and counted.

mod write;

use std::io::Read;
use std::path::{Path, PathBuf};

use super::{DocumentWriter, Format, ReadTexts, Reader, Told};
use crate::budget::last_bytes;
use crate::compression::Compression;
use crate::encoding::Encoding;
use crate::error::{Error, Malformed, Result, io_error};
use crate::hash::{ContentHash, FileHash};
use crate::inputs::RESULT_RECORD;
use crate::model::Noticed;
use crate::options::LoadOptions;
use crate::read::lines::Line;
use crate::source::{Input, Source};
use crate::table::Documents;

pub(crate) static FORMAT: Format = Format {
    name: "folder",
    words: "a folder of texts",
    endings: &[],
    beginning: None,
    told: Told::Never,
    has_columns: false,
    has_variables: false,
    read: Reader::Folder(read),
    write_table: None,
    write_documents: Some(DocumentWriter::Folder(write::save)),
    names_beside: None,
    decide: None,
    is_zero_based: None,
};

/// Folders within folders that are searched; links to folders are not followed.
const DEEPEST: usize = 32;

/// The texts, and the hash of each file.
fn read(folder: &Path, options: &LoadOptions) -> Result<ReadTexts> {
    let (named, left_out) = text_files(folder, options)?;
    if named.is_empty() {
        let file = folder.display().to_string();
        return Err(Malformed::new(&file, "a folder without texts", "at least one")
            .remedy("name a file, or a folder that holds texts")
            .into());
    }
    let mut documents = Documents::default();
    let (mut labels, mut files, mut noticed) = (Vec::new(), Vec::new(), Noticed::default());
    noticed.left_out_files = left_out;
    let mut claim = options.limits.claim(&folder.display().to_string());
    let kept = named.into_iter().enumerate().filter(|(d, _)| options.keeps_document(*d));
    for (_, (id, path)) in kept {
        let (text, hash, encoding) = read_text(&path, options)?;
        noticed = noticed.in_encoding(encoding);
        documents.texts.push(text);
        files.push(FileHash { name: id.clone(), hash });
        labels.push(id.split_once('/').map_or(String::new(), |(label, _)| label.to_owned()));
        documents.ids.push(id);
        claim.take(documents.last_bytes() + 2 * last_bytes(&labels))?;
    }
    documents.labels = labels.iter().any(|label| !label.is_empty()).then_some(labels);
    Ok(ReadTexts { documents, files, noticed })
}

/// The texts of a folder (their names within it, and where they are, sorted by name), and how many files are none.
fn text_files(folder: &Path, options: &LoadOptions) -> Result<(Vec<(String, PathBuf)>, usize)> {
    let (mut paths, others) = candidates(folder)?;
    let n_files = paths.len() + others;
    if !paths.iter().any(|path| is_text(path)) {
        let mut texts = Vec::new();
        for path in paths {
            if holds_text(&path, options)? {
                texts.push(path);
            }
        }
        paths = texts;
    }
    let name = |path: &PathBuf| {
        let inside = path.strip_prefix(folder).unwrap_or(path);
        let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
        parts.join("/")
    };
    let left_out = n_files - paths.len();
    let mut named: Vec<(String, PathBuf)> = paths.into_iter().map(|p| (name(&p), p)).collect();
    named.sort();
    Ok((named, left_out))
}

/// The files that may be texts of a folder, and how many others there are: the .txt files, or all if there is none.
fn candidates(folder: &Path) -> Result<(Vec<PathBuf>, usize)> {
    let mut paths = Vec::new();
    collect(folder, 0, &mut paths)?;
    let n_files = paths.len();
    if paths.iter().any(|path| is_text(path)) {
        paths.retain(|path| is_text(path));
    }
    let others = n_files - paths.len();
    Ok((paths, others))
}

fn collect(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> Result<()> {
    let fail = |e| io_error(&folder.display().to_string(), "read", e);
    if depth > DEEPEST {
        let file = folder.display().to_string();
        let expected = format!("at most {DEEPEST} folders within each other");
        return Err(Malformed::new(&file, "a deeper one", expected)
            .remedy("name the folder that holds the texts")
            .into());
    }
    for entry in std::fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let kind = entry.file_type().map_err(fail)?;
        let path = entry.path();
        if is_hidden(&entry.file_name().to_string_lossy()) {
            continue;
        }
        if kind.is_dir() {
            if !path.join(RESULT_RECORD).exists() {
                collect(&path, depth + 1, paths)?;
            }
        } else if path.is_file() {
            paths.push(path);
        }
    }
    Ok(())
}

/// Whether a file or folder of this name belongs to a program, not to the texts: copies that notebooks keep, histories,
/// and what macOS packs beside files.
fn is_hidden(name: &str) -> bool {
    name.starts_with('.') || name == "__MACOSX"
}

/// Whether the name of a file says that it is a text.
pub(crate) fn is_text(path: &Path) -> bool {
    let name = path.file_name().map_or(String::new(), |n| n.to_string_lossy().to_lowercase());
    let visible = !name.starts_with('.');
    visible && Compression::without_ending(&name).ends_with(".txt")
}

/// Whether a file of any name holds text.
fn holds_text(path: &Path, options: &LoadOptions) -> Result<bool> {
    match Source::open(&Input::Path(path.to_owned()), options) {
        Ok(source) => Ok(source.holds_text()),
        // Broken compression, or half a character.
        Err(Error::Malformed(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a file is one of the texts that would be read from a folder, or might be.
///
/// # Examples
/// ```
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let file = |name: &str| folder.path().join(name);
/// std::fs::write(file("note.md"), "one").expect("written");
/// assert!(xray_data::is_text_of(&file("note.md"), folder.path()));
/// std::fs::write(file("text.txt"), "two").expect("written");
/// assert!(!xray_data::is_text_of(&file("note.md"), folder.path()));
/// assert!(xray_data::is_text_of(&file("text.txt"), folder.path()));
/// ```
pub fn is_text_of(file: &Path, folder: &Path) -> bool {
    candidates(folder).is_ok_and(|(paths, _)| paths.iter().any(|path| path == file))
}

fn read_text(
    path: &Path,
    options: &LoadOptions,
) -> Result<(String, ContentHash, Option<Encoding>)> {
    let source = Source::open(&Input::Path(path.to_owned()), options)?;
    let (file, stored, told) = (source.name.clone(), source.stored(), source.told());
    let most = options.limits.line_bytes as u64;
    let mut bytes = Vec::new();
    let fail = |e| io_error(&file, "read", e);
    source.into_reader().take(most + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > most {
        return Err(Malformed::new(&file, format!("more than {most} bytes"), "less text")
            .remedy("split it into documents")
            .into());
    }
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = decoded(text, &file, options)?;
    Ok((text, stored.hash().map_err(fail)?, told.other_than_utf8()))
}

/// The text, or where it is not UTF-8.
fn decoded(text: &[u8], file: &str, options: &LoadOptions) -> Result<String> {
    let wrong = match std::str::from_utf8(text) {
        Ok(text) => return Ok(text.to_owned()),
        Err(_) if options.replace_invalid_utf8 => {
            return Ok(String::from_utf8_lossy(text).into_owned());
        }
        Err(e) => e.valid_up_to(),
    };
    let start = text[..wrong].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1);
    let number = text[..start].iter().filter(|&&b| b == b'\n').count() as u64 + 1;
    Line { file, number, bytes: &text[start..] }.text().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sub_folders_are_labels() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (name, text) in [("b/2.txt", "two"), ("a/1.txt", "one"), ("a/note.md", "no")] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("created");
            std::fs::write(path, text).expect("written");
        }
        let ReadTexts { documents, files, .. } =
            read(folder.path(), &LoadOptions::default()).expect("texts");
        assert_eq!(files[1], FileHash { name: "b/2.txt".into(), hash: ContentHash::of(b"two") });
        assert_eq!(documents.ids, ["a/1.txt", "b/2.txt"]);
        assert_eq!(documents.texts, ["one", "two"]);
        assert_eq!(documents.labels, Some(vec!["a".into(), "b".into()]));
    }

    #[test]
    fn hidden_folders_hold_no_texts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let names = ["a/1.txt", ".git/x.txt", "a/.ipynb_checkpoints/1.txt", "__MACOSX/a/1.txt"];
        for name in names {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("created");
            std::fs::write(path, "one").expect("written");
        }
        let found = read(folder.path(), &LoadOptions::default()).expect("texts");
        assert_eq!(found.documents.ids, ["a/1.txt"]);
        assert_eq!(found.noticed.left_out_files, 0);
        assert!(!is_text_of(&folder.path().join(names[2]), folder.path()));
    }

    #[test]
    fn without_txt_all_that_is_text_counts() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files: [(&str, &[u8]); 7] = [
            ("sci/space/101", b"one"),
            ("sci/102.eml", b"caf\xe9"),
            ("rec/103.md", "\u{feff}three".as_bytes()),
            ("rec/cat.png", b"\x89PNG\r\n\x1a\n\0\0"),
            ("rec/zeros", &[0; 100]),
            ("rec/.hidden", b"no"),
            ("rec/broken.gz", b"\x1f\x8b\x08broken"),
        ];
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("has one")).expect("created");
            std::fs::write(path, text).expect("written");
        }
        std::fs::create_dir(folder.path().join("out")).expect("created");
        for name in [RESULT_RECORD, "topics.csv"] {
            std::fs::write(folder.path().join("out").join(name), "no").expect("written");
        }
        let read = read(folder.path(), &LoadOptions::default()).expect("texts");
        assert_eq!(read.documents.ids, ["rec/103.md", "sci/102.eml", "sci/space/101"]);
        assert_eq!(read.documents.texts, ["three", "café", "one"]);
        assert_eq!(read.documents.labels.expect("labels"), ["rec", "sci", "sci"]);
        assert_eq!(read.noticed.left_out_files, 3);
    }

    #[test]
    fn a_file_is_one_of_the_texts_of_its_folder() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = |name: &str| folder.path().join(name);
        for name in ["a.txt", "b.txt", "note.md"] {
            std::fs::write(file(name), "words").expect("written");
        }
        for (name, text) in [("a.txt", true), ("b.txt", true), ("note.md", false), ("c.txt", false)]
        {
            assert_eq!(is_text_of(&file(name), folder.path()), text, "{name}");
        }
    }

    #[test]
    fn invalid_bytes_are_located() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("x.txt"), b"fine\nna\xefve").expect("written");
        let options = LoadOptions { encoding: Encoding::Utf8, ..LoadOptions::default() };
        let message = read(folder.path(), &options).map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("x.txt:2:3: found byte 0xEF"), "{message}");
        let options = LoadOptions { replace_invalid_utf8: true, ..LoadOptions::default() };
        let texts =
            |options: &LoadOptions| read(folder.path(), options).expect("texts").documents.texts;
        assert_eq!(texts(&options), ["fine\nna\u{fffd}ve"]);
        assert_eq!(texts(&LoadOptions::default()), ["fine\nnaïve"]);
    }
}
