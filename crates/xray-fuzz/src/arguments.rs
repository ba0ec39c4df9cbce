//! Words on the command line.

use std::cell::RefCell;
use std::ffi::OsString;

use clap::{Command, CommandFactory, FromArgMatches};
use xray_cli::args::Cli;

thread_local! {
    /// Made once: that takes much longer than to read arguments.
    static COMMAND: RefCell<Command> = RefCell::new({
        let mut command = Cli::command();
        command.build();
        command
    });
}

/// Arguments, with a line break after each.
pub(crate) fn run(bytes: &[u8]) -> bool {
    let words = bytes.split(|&byte| byte == b'\n').map(word);
    let words = std::iter::once(OsString::from("xray")).chain(words);
    let found = COMMAND.with_borrow_mut(|command| command.try_get_matches_from_mut(words));
    let parsed = found.and_then(|found| Cli::from_arg_matches(&found));
    if let Err(refused) = &parsed {
        assert!(!refused.to_string().is_empty(), "help, or what is wrong");
    }
    parsed.is_ok()
}

/// Names of files need not be UTF-8.
#[cfg(unix)]
fn word(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn word(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let lines = [
        "topics reviews.csv --text body -k 20 -o topics/ --anchor a,b --exclude c --json",
        "topics a.txt --ngrams 2 --min-df 2 --max-df 0.5 --stop-words none --stem english",
        "factorize x.npz -r 20 --selection greedy --memory 1.5G --threads 2 --fixed 0,3 --refine 4",
        "transform m.npz new.csv --columns -o w.npy -q",
        "rank x.mtx --max 9 --fast --delimiter ; --transpose",
        "synth x.npz --rows 9 --columns 8 -r 3 --seed 4",
        "compare x.npz -r 4 --methods xray-greedy,spa",
        "convert a.csv b.npz --to npz --format csv --header no --text body",
        "completions bash",
    ];
    lines.iter().map(|line| line.replace(' ', "\n").into_bytes()).collect()
}
