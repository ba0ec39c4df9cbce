//! Data on standard output: as it is, unless a terminal shows it.

use std::io::{self, IsTerminal, Write};

use xray_report::printable;

/// Standard output; on a terminal nothing in the lines acts on it.
pub(crate) struct Lines {
    shown: bool,
}

impl Lines {
    pub(crate) fn new() -> Self {
        Self { shown: io::stdout().is_terminal() }
    }
}

impl Write for Lines {
    /// Whole lines come at a time.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut out = io::stdout().lock();
        if self.shown {
            let text = String::from_utf8_lossy(bytes);
            let lines: Vec<_> = text.split('\n').map(printable).collect();
            out.write_all(lines.join("\n").as_bytes())?;
        } else {
            out.write_all(bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}
