//! What a file is, whatever it is called.

use std::path::{Path, PathBuf};

/// Tells files apart: two names with one identity are one file, through links, too.
///
/// # Examples
/// ```
/// use xray_data::FileIdentity;
/// let folder = tempfile::tempdir().expect("a temporary folder");
/// let identity = |name: &str| FileIdentity::of(&folder.path().join(name));
/// std::fs::write(folder.path().join("x.csv"), "1,2").expect("written");
/// assert_eq!(identity("x.csv"), identity("./x.csv"));
/// assert_ne!(identity("x.csv"), identity("new.csv"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileIdentity(Kind);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Kind {
    #[cfg(unix)]
    Node(u64, u64),
    Place(PathBuf),
}

impl FileIdentity {
    /// That of the file of this name, which need not be there yet.
    pub fn of(path: &Path) -> Self {
        #[cfg(unix)]
        if let Some(about) = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file) {
            use std::os::unix::fs::MetadataExt;
            return Self(Kind::Node(about.dev(), about.ino()));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = std::fs::canonicalize(folder.unwrap_or(Path::new("."))).unwrap_or_default();
        let there = std::fs::canonicalize(path);
        let place = there.unwrap_or_else(|_| folder.join(path.file_name().unwrap_or_default()));
        Self(Kind::Place(place))
    }
}
