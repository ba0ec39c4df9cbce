//! What the pages of the repository show in Rust stands word for word in the README of a crate, where
//! the documentation tests run it. (A package has its own README, but not these pages: it leaves out this file.)

use std::fs;
use std::path::{Path, PathBuf};

/// The folder that holds README.md, docs/ and crates/.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The files and folders in a folder.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    listed.map(|entry| entry.unwrap().path()).collect()
}

/// The Rust examples of a page.
fn examples(page: &str) -> Vec<&str> {
    page.split("```rust\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect()
}

#[test]
fn examples_of_all_pages_are_run() {
    let readmes: Vec<String> = entries(&root().join("crates"))
        .iter()
        .filter_map(|package| fs::read_to_string(package.join("README.md")).ok())
        .collect();
    let run: Vec<&str> = readmes.iter().flat_map(|page| examples(page)).collect();
    let mut pages = entries(&root().join("docs"));
    pages.retain(|page| page.extension().is_some_and(|ending| ending == "md"));
    pages.push(root().join("README.md"));
    let mut n_shown = 0;
    for page in &pages {
        for example in examples(&fs::read_to_string(page).unwrap()) {
            n_shown += 1;
            let page = page.display();
            assert!(run.contains(&example), "{page}: no crate's README has\n{example}");
        }
    }
    assert!(n_shown >= 2, "the README and the guide to experiments show Rust");
}

#[test]
fn examples_of_every_crate_are_included_as_documentation() {
    for package in entries(&root().join("crates")) {
        let Ok(readme) = fs::read_to_string(package.join("README.md")) else { continue };
        if examples(&readme).is_empty() {
            continue;
        }
        let library = fs::read_to_string(package.join("src/lib.rs")).unwrap();
        assert!(
            library.contains("#[doc = include_str!(\"../README.md\")]"),
            "{}: the README's example is not run",
            package.display()
        );
    }
}

/// Rust files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in entries(folder) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            found.push(entry);
        }
    }
}

#[test]
fn every_fault_that_is_told_of_has_its_test() {
    let page = fs::read_to_string(root().join("docs/faults.md")).unwrap();
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    let rows = page.lines().filter_map(|line| line.strip_suffix("` |")?.rsplit_once("| `"));
    let mut n_rows = 0;
    for (_, named) in rows {
        let (file, test) = named.split_once("` `").expect("a file and a test");
        let declared = format!("#[test]\nfn {test}() {{");
        let has_it = |path: &&PathBuf| {
            // Modules of tests are indented, and attributes may stand between.
            let text = fs::read_to_string(path).unwrap().replace("\n    ", "\n");
            path.ends_with(file) && text.replace("#[cfg(unix)]\n", "").contains(&declared)
        };
        assert!(files.iter().any(|path| has_it(&path)), "{file} has no test {test}");
        n_rows += 1;
    }
    assert!(n_rows > 30, "{n_rows} rows");
}
