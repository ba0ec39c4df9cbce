//! Archives with right checksums, whatever is in them.
//!
//! Almost every change of a zip file breaks a checksum, and is refused before a reader has seen it. So the bytes
//! here are a list of members, each a length of two bytes and so many bytes of content under a name, and are packed
//! only then.

use std::io::{Cursor, Read, Write};

use xray_data::{Input, LoadOptions, load};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::{readers, seeds};

/// Ends the name of a member.
const END_OF_NAME: u8 = b'\n';

/// An npz or xlsx of these members is refused, or read.
pub(crate) fn arrays(bytes: &[u8]) -> bool {
    let Some((&written, members)) = bytes.split_first() else { return false };
    let input = Input::Bytes { name: "arrays.npz".into(), bytes: packed(members) };
    let loaded = load(&input, &LoadOptions::default());
    loaded.map(|loaded| readers::judge(&loaded, written)).is_ok()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let archives = seeds::files().into_iter().filter(|(name, _)| ["npz", "xlsx"].contains(name));
    archives.map(|(_, bytes)| [&[0], &unpacked(bytes)[..]].concat()).collect()
}

/// A zip file of the members that are listed; what is wrong with the list ends it.
pub(crate) fn packed(mut list: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    while let Some((&[low, high], rest)) = list.split_first_chunk::<2>() {
        let Some(end) = rest.iter().position(|&byte| byte == END_OF_NAME) else { break };
        let name = String::from_utf8_lossy(&rest[..end]);
        let content = &rest[end + 1..];
        let length = usize::from(u16::from_le_bytes([low, high])).min(content.len());
        // A name that is there already is refused; the fuzzer will find another.
        if archive.start_file(name, options).is_err() {
            break;
        }
        archive.write_all(&content[..length]).expect("memory");
        list = &content[length..];
    }
    archive.finish().expect("memory").into_inner()
}

/// The list of the members of a zip file.
pub(crate) fn unpacked(bytes: Vec<u8>) -> Vec<u8> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("a seed");
    let mut list = Vec::new();
    for place in 0..archive.len() {
        let mut member = archive.by_index(place).expect("a seed");
        let name = member.name().expect("a seed").into_owned();
        let mut content = Vec::new();
        member.read_to_end(&mut content).expect("a seed");
        let length = u16::try_from(content.len()).expect("seeds are small");
        list.extend(length.to_le_bytes());
        list.extend(name.as_bytes());
        list.push(END_OF_NAME);
        list.extend(content);
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_survive_packing() {
        for (name, bytes) in seeds::files() {
            if name == "npz" {
                let list = unpacked(bytes);
                assert_eq!(unpacked(packed(&list)), list);
            }
        }
    }
}
