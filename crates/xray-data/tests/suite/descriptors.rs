//! Open files that are named by their descriptors.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

use xray_data::{Table, check_output, save};
use xray_nmf::DenseMatrix;

/// What the test calls itself with, in a process of its own.
const PLACE: &str = "XRAY_TEST_DESCRIPTOR";

#[test]
fn what_is_written_to_a_descriptor_follows_what_is_there() {
    if let Some(place) = std::env::var_os(PLACE) {
        let matrix = DenseMatrix::from_row_major(1, 2, vec![7.5, 8.25]).expect("1 x 2");
        let format = Some(crate::named("csv"));
        check_output(Path::new(&place), format).expect("it can be written");
        save(&Table::new(matrix.into()), Path::new(&place), format).expect("written");
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let link = folder.path().join("link.csv");
    std::os::unix::fs::symlink("/dev/stdout", &link).expect("linked");
    let link = link.display().to_string();
    for (k, place) in
        ["/dev/stdout", "/dev/stderr", "/dev/fd/1", "/proc/self/fd/2", "/dev/fd/7", &link]
            .into_iter()
            .enumerate()
    {
        let log = folder.path().join(format!("log{k}"));
        fs::write(&log, "before\n").expect("written");
        let inode = fs::metadata(&log).expect("there").ino();
        // Without -a a shell would not append, and a descriptor stands where it was left.
        let mut file = OpenOptions::new().write(true).append(k % 2 == 0).open(&log).expect("there");
        file.write_all(b"before\nmore\n").expect("written");
        let test = "descriptors::what_is_written_to_a_descriptor_follows_what_is_there";
        let mut child = Command::new("sh");
        child.args(["-c", "exec \"$0\" --exact \"$1\" --nocapture 7>&1"]);
        child.arg(std::env::current_exe().expect("this program")).arg(test).env(PLACE, place);
        child.stdout(file.try_clone().expect("shared")).stderr(file);
        assert!(child.status().expect("a shell").success(), "{place}");
        let text = fs::read_to_string(&log).expect("there");
        assert!(text.contains("before\nmore\n"), "{place}: {text}");
        assert!(text.contains("7.5,8.25\n") && text.contains("test result"), "{place}: {text}");
        assert_eq!(fs::metadata(&log).expect("there").ino(), inode, "{place}");
    }
}
