//! A folder of its own for each test, and the program run in it.

#![allow(dead_code)] // No test uses everything.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which the program runs.
pub(crate) struct Place {
    folder: TempDir,
}

/// Anchors of [`Place::slow_fit`].
pub(crate) const SLOW_RANK: usize = 250;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Run {
    /// Exit status; none if a signal ended it.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, content).expect("written");
    }

    pub(crate) fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.bytes(name)).expect("UTF-8")
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.bytes(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The program with arguments, in this folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xray"));
        command.current_dir(self.root()).args(arguments).stdin(Stdio::null());
        command
    }

    /// The same with signals as in a terminal, whatever those who run the tests ignore.
    pub(crate) fn listening(&self, arguments: &[&str]) -> Command {
        if !cfg!(target_os = "linux") {
            return self.command(arguments);
        }
        let mut command = Command::new("env");
        command.arg("--default-signal=HUP,INT,TERM").arg(env!("CARGO_BIN_EXE_xray"));
        command.current_dir(self.root()).args(arguments).stdin(Stdio::null());
        command
    }

    pub(crate) fn xray(&self, arguments: &[&str]) -> Run {
        Run::from(self.command(arguments).output().expect("the program starts"))
    }

    /// Runs the program, which must succeed.
    pub(crate) fn done(&self, arguments: &[&str]) -> Run {
        let run = self.xray(arguments);
        assert_eq!(run.status, Some(0), "{arguments:?}: {}", run.stderr);
        run
    }

    /// Draws a matrix; the arguments of a fit of [`SLOW_RANK`] anchors that takes long enough to be cut short.
    pub(crate) fn slow_fit<'a>(&self, more: &[&'a str]) -> Vec<&'a str> {
        self.done(&["synth", "x.npy", "--rows", "300", "--rank", "250", "--columns", "4000"]);
        let fit =
            ["factorize", "x.npy", "-r", "250", "--engine", "direct", "--selection", "greedy"];
        [&fit[..], &["--json", "-o", "out"], more].concat()
    }

    /// Runs the program with bytes on standard input.
    pub(crate) fn piped(&self, arguments: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut pipe = child.stdin.take().expect("a pipe");
        pipe.write_all(input).expect("the program reads");
        drop(pipe);
        Run::from(child.wait_with_output().expect("the program ends"))
    }

    /// Runs the program through a shell: `"$XRAY"` is its name.
    #[cfg(unix)]
    pub(crate) fn shell(&self, line: &str) -> Run {
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("XRAY", env!("CARGO_BIN_EXE_xray"));
        command.current_dir(self.root()).stdin(Stdio::null());
        Run::from(command.output().expect("a shell"))
    }
}

/// Tells what is left out: standard error itself, as what tests print is kept from people unless they fail.
pub(crate) fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

/// Somebody without rights: what is forbidden holds for root only if root gives them up.
#[cfg(unix)]
const NOBODY: u32 = 65_534;

/// Whether the tests are run by root.
#[cfg(unix)]
pub(crate) fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[cfg(unix)]
impl Place {
    /// Runs a line of the shell as somebody without rights; none if that cannot be.
    pub(crate) fn as_nobody(&self, line: &str) -> Option<Run> {
        use std::os::unix::fs::PermissionsExt;
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("bash");
        command.current_dir(self.root()).env("XRAY", env!("CARGO_BIN_EXE_xray"));
        command.args(["-c", line]).stdin(Stdio::null());
        if is_root() {
            let open = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(self.root(), open).expect("our folder");
            command.uid(NOBODY).gid(NOBODY);
            let mut tried = Command::new(env!("CARGO_BIN_EXE_xray"));
            if tried.arg("--version").uid(NOBODY).gid(NOBODY).output().is_err() {
                skipped(&format!("{line} (the program is in a folder that only root may enter)"));
                return None;
            }
        }
        Some(Run::from(command.output().expect("a shell")))
    }
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self {
            status: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }
}

impl Run {
    /// Standard output as one JSON object.
    pub(crate) fn json(&self) -> Value {
        let value: Value = serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr));
        assert!(value.is_object(), "{value}");
        value
    }

    /// The run failed with one clear message, which has all the words.
    pub(crate) fn assert_error(&self, status: i32, words: &[&str]) {
        if let Some(fault) = self.fault_of_error(status, words) {
            panic!("{fault}: {self:?}");
        }
    }

    /// What is wrong with the way that the run failed. Before it fails it may say what it has read,
    /// and which words that has.
    pub(crate) fn fault_of_error(&self, status: i32, words: &[&str]) -> Option<String> {
        let mut lines: Vec<&str> = self.stderr.lines().collect();
        let told = |line: &str| line.contains("; ") || line.ends_with(" kept");
        for _ in 0..2 {
            if lines.len() > 1 && told(lines[0]) && !lines[0].starts_with("error") {
                lines.remove(0);
            }
        }
        if self.status != Some(status) {
            return Some(format!("not exit status {status}"));
        }
        if lines.len() != 1 || !lines[0].starts_with("error: ") || lines[0].len() > 600 {
            return Some("not one line".to_owned());
        }
        if lines[0].contains("bug in xray") {
            return Some("a panic".to_owned());
        }
        let missing = words.iter().find(|&&word| !lines[0].contains(word));
        missing.map(|word| format!("{word:?} is not in the message"))
    }
}

/// Records of a CSV file without quotes, header first.
pub(crate) fn records(text: &str) -> Vec<Vec<&str>> {
    assert!(text.ends_with('\n') && !text.contains('"'), "{text}");
    let records: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    for record in &records {
        assert_eq!(record.len(), records[0].len(), "{record:?}");
    }
    records
}

/// Whole numbers that look drawn, the same on every run.
pub(crate) struct Draw(pub u64);

impl Draw {
    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

const SUBJECTS: [(&str, &str); 4] = [
    ("sport", "match team goal player season coach league stadium referee striker injury penalty"),
    ("kitchen", "recipe oven butter flour sugar garlic onion sauce pepper bake simmer whisk"),
    (
        "space",
        "orbit planet rocket galaxy telescope astronaut comet lunar satellite gravity star probe",
    ),
    (
        "money",
        "bank profit market share investor inflation budget interest loan currency dividend price",
    ),
];

/// Texts on four subjects, each with an id and the subject as its label.
pub(crate) fn articles(n: usize) -> Vec<(String, String, String)> {
    let mut draw = Draw(7);
    let mut text = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        let drawn: Vec<&str> = (0..14).map(|_| words[draw.below(words.len())]).collect();
        drawn.join(" ")
    };
    let article = |d: usize| {
        let (label, words) = SUBJECTS[d % SUBJECTS.len()];
        (format!("doc{d}"), label.to_owned(), text(words))
    };
    (0..n).map(article).collect()
}

/// The articles as a CSV file.
pub(crate) fn articles_csv(n: usize) -> String {
    let lines = articles(n).into_iter().map(|(id, label, text)| format!("{id},{label},{text}\n"));
    std::iter::once("id,label,text\n".to_owned()).chain(lines).collect()
}
