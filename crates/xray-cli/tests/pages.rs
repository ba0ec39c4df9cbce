//! What the pages of the repository show in Rust stands word for word in the README of a crate, where
//! the documentation tests run it; what they show of the program is run here. (A package has its own README, but not
//! these pages: it leaves out this file.)

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::{Place, articles, articles_csv};

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

/// Files as the README's commands name them.
fn files_of_the_readme() -> Place {
    let place = Place::new();
    place.write("articles.csv", articles_csv(120));
    let mut reviews = "section,date,body\n".to_owned();
    for (k, (id, label, text)) in articles(120).into_iter().enumerate() {
        reviews += &format!("{label},2024-{:02}-{:02},{text}\n", 1 + k % 12, 1 + k % 28);
        place.write(&format!("folder/{label}/{id}.txt"), text);
    }
    place.write("new.csv", reviews.lines().take(9).collect::<Vec<_>>().join("\n") + "\n");
    place.write("reviews.csv", reviews);
    let texts = articles(120).into_iter().map(|(_, _, text)| text).collect::<Vec<_>>();
    place.write("lines.txt", texts.join("\n") + "\n");
    // 60 documents of two subjects each over 20 words: UCI's bag of words, and Matrix Market with names.
    let entries: Vec<(usize, usize, usize)> = (1..=60)
        .flat_map(|d| (0..6).map(move |q| (d, 1 + (7 * d + 3 * q) % 10 + 10 * (d % 2), 1 + q % 3)))
        .collect();
    let lines = entries.iter().map(|(d, j, count)| format!("{d} {j} {count}\n"));
    let lines: String = lines.collect();
    place.write("docword.kos.txt", format!("60\n20\n{}\n{lines}", entries.len()));
    let banner = "%%MatrixMarket matrix coordinate integer general\n";
    place.write("counts.mtx", format!("{banner}60 20 {}\n{lines}", entries.len()));
    place.write("words.txt", (1..=20).map(|j| format!("word{j}\n")).collect::<String>());
    place.write("classes.txt", (1..=60).map(|d| format!("{}\n", d % 2)).collect::<String>());
    for arguments in [
        ["convert", "docword.kos.txt", "docword.kos.txt.gz"],
        ["convert", "counts.mtx", "x.npz"],
        ["convert", "counts.mtx", "x.mat"],
    ] {
        place.done(&arguments);
    }
    place.done(&["synth", "cube.hdr", "--cube", "20x20x30", "-r", "3"]);
    place
}

/// The commands of the README's section about texts, as they stand; options that stand alone follow a command.
fn commands_about_texts() -> Vec<String> {
    let page = fs::read_to_string(root().join("README.md")).unwrap();
    let section = page.split("\n## ").find(|part| part.starts_with("From text to topics")).unwrap();
    let shown = section.lines().filter_map(|line| line.strip_prefix("$ ")).map(str::to_owned);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let listed =
        rows.flat_map(|(_, typed)| typed.split('`').skip(1).step_by(2)).filter_map(|code| {
            let options = || format!("xray topics reviews.csv --text body -k 8 -o options {code}");
            let is_option = code.starts_with("--") && code != "--anchor-strength 1";
            // A page that is served does not end by itself: the tests in a browser use it.
            let ends = !code.starts_with("xray explore ");
            if is_option {
                Some(options())
            } else {
                (code.starts_with("xray ") && ends).then(|| code.to_owned())
            }
        });
    shown.chain(listed).collect()
}

#[test]
fn commands_of_the_readme_run_as_they_stand() {
    let place = files_of_the_readme();
    let commands = commands_about_texts();
    assert!(commands.len() > 18, "{commands:?}");
    for command in &commands {
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        place.done(&words);
    }
    for made in [
        "out/documents.csv",
        "out/classes.csv",
        "edited.npz",
        "x.mtx.gz",
        "cube-unmixed/endmembers.csv",
    ] {
        assert!(place.path(made).exists(), "{made}");
    }
}

/// From a scene that is drawn to maps of it; it needs the program with its experiments.
#[test]
#[cfg(feature = "experiments")]
fn commands_of_the_guide_to_unmixing_run_as_they_stand() {
    let place = Place::new();
    let page = fs::read_to_string(root().join("docs/unmixing.md")).unwrap();
    let commands: Vec<&str> =
        page.lines().filter_map(|line| line.strip_prefix("$ xray ")).collect();
    assert!(commands.len() >= 4, "{commands:?}");
    for command in commands {
        place.done(&command.split_whitespace().collect::<Vec<_>>());
    }
    for made in ["scene/maps.png", "named/unmix.json", "later/abundances.npy"] {
        assert!(place.path(made).exists(), "{made}");
    }
}
