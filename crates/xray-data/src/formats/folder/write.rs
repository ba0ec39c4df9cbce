//! A folder of .txt files: `LABEL/ID.txt`, or `ID.txt` where there is no label.

use std::collections::HashSet;
use std::path::Path;

use crate::error::Result;
use crate::table::Documents;
use crate::write::{AtomicFolder, BYTE_ORDER_MARK, refused};

/// Longest name of a file, in bytes, that every usual system takes.
const LONGEST_NAME: usize = 255;

pub(super) fn save(documents: &Documents, path: &Path) -> Result<()> {
    let names = file_names(documents);
    let names = names.map_err(|e| refused(&path.display().to_string(), &super::FORMAT, e))?;
    let folder = AtomicFolder::create(path)?;
    for (name, text) in names.iter().zip(&documents.texts) {
        let mark = if text.starts_with(BYTE_ORDER_MARK) { "\u{feff}" } else { "" };
        folder.write(name, &[mark.as_bytes(), text.as_bytes()])?;
    }
    folder.commit()
}

/// The name of each document's file within the folder.
fn file_names(documents: &Documents) -> Result<Vec<String>, String> {
    let mut names = Vec::with_capacity(documents.len());
    let mut taken = HashSet::new();
    for (d, id) in documents.ids.iter().enumerate() {
        let label = documents.labels.as_ref().map(|labels| labels[d].as_str());
        let name = file_name(id, label)
            .map_err(|reason| format!("document {}: {reason}; write jsonl instead", d + 1))?;
        if !taken.insert(name.to_lowercase()) {
            return Err(format!("two documents would be {name:?}; write jsonl instead"));
        }
        names.push(name);
    }
    Ok(names)
}

/// `LABEL/ID.txt`; what is there of it already, as in an id from a folder, is not added again.
fn file_name(id: &str, label: Option<&str>) -> Result<String, String> {
    let ending = if id.to_lowercase().ends_with(".txt") { "" } else { ".txt" };
    let within = id.split_once('/').map_or("", |(folder, _)| folder);
    let name = match label {
        Some(label) if label != within => {
            if label.is_empty() {
                return Err(format!("id {id:?} would get the label {within:?}"));
            }
            if label.contains('/') {
                return Err(format!("label {label:?} cannot be the name of a folder"));
            }
            format!("{label}/{id}{ending}")
        }
        _ => format!("{id}{ending}"),
    };
    if !name.split('/').all(is_plain_name) {
        return Err(format!("{name:?} cannot be the name of a file"));
    }
    Ok(name)
}

/// Whether it names a visible file in the folder it is in.
fn is_plain_name(name: &str) -> bool {
    let elsewhere = if cfg!(windows) { "\\:" } else { "\\" };
    let special = |c: char| c.is_control() || elsewhere.contains(c);
    let visible = !name.is_empty() && !super::is_hidden(name);
    visible && name.len() <= LONGEST_NAME && !name.contains(special)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_labels_and_ids() {
        let name = |id: &str, label| file_name(id, label).expect("a plain name");
        assert_eq!(name("7", None), "7.txt");
        assert_eq!(name("7", Some("a b")), "a b/7.txt");
        assert_eq!(name("a/7.TXT", Some("a")), "a/7.TXT");
        assert_eq!(name("x/7", Some("a")), "a/x/7.txt");
        assert_eq!(name("7", Some("")), "7.txt");
    }

    #[test]
    fn nothing_is_written_elsewhere() {
        for id in ["", "/etc/x", "../x", "a/../../x", ".x", "a\\b", "a//b", "a\0b", "a/./b"] {
            assert!(file_name(id, None).is_err(), "{id:?}");
        }
        assert!(file_name("x", Some("..")).is_err() && file_name("x", Some("__MACOSX")).is_err());
        assert!(file_name("a/x", Some("")).is_err() && file_name("x", Some("a/b")).is_err());
        assert!(file_name(&"x".repeat(300), None).is_err());
    }
}
