//! Where bytes come from: a file, standard input or memory, plain or compressed.
//!
//! A source knows an upper bound on how many bytes it can yield, compressed or not, so that a size which a header
//! declares can be refused before anything is allocated for it.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use crate::budget::Claim;
use crate::compression::Compression;
use crate::encoding::{Decoder, Encoding, Told};
use crate::error::{Malformed, Result, io_error};
use crate::formats::is_signed;
use crate::hash::{Bytes, Stored};
use crate::options::{Limits, LoadOptions};

/// Bytes at the start of the (decompressed) content that are looked at before reading, at least.
const HEAD_BYTES: usize = 1 << 16;

/// Whole lines that are looked at, at least: what a file holds is never judged by a line that is cut.
const HEAD_LINES: usize = 8;

/// Bytes that are copied to memory at a time.
const COPIED_AT_ONCE: u64 = 1 << 20;

/// Bytes of UTF-8 that a byte of another character set may take.
const UTF8_EXPANSION: u64 = 3;

/// What a field takes in all that is made of the first bytes to judge by them: its bytes, its place, a name. Only where
/// lines are long it is much.
const PER_FIELD: u64 = 80;

/// What fields of tables are separated by; between words of texts are spaces.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Layers of compression that are taken off; more is a mistake or an attack.
const MOST_LAYERS: usize = 2;

/// Where data comes from.
///
/// # Examples
/// ```
/// use xray_data::Input;
/// assert_eq!(Input::from("-").name(), "standard input");
/// assert_eq!(Input::from("corpus.csv.gz").name(), "corpus.csv.gz");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Input {
    /// A file, or a folder of texts.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes in memory, under a name for messages.
    Bytes {
        /// The name for messages.
        name: String,
        /// The content.
        bytes: Vec<u8>,
    },
}

impl Input {
    /// The name that messages use.
    pub fn name(&self) -> String {
        match self {
            Input::Path(path) => path.display().to_string(),
            Input::Stdin => "standard input".to_owned(),
            Input::Bytes { name, .. } => name.clone(),
        }
    }

    /// The path, if it is a folder.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Input::Path(path) if path.is_dir() => Some(path),
            _ => None,
        }
    }
}

impl From<&str> for Input {
    fn from(name: &str) -> Self {
        if name == "-" { Input::Stdin } else { Input::Path(name.into()) }
    }
}

impl From<&Path> for Input {
    fn from(path: &Path) -> Self {
        if path.as_os_str() == "-" { Input::Stdin } else { Input::Path(path.to_owned()) }
    }
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Self {
        Input::from(path.as_path())
    }
}

/// An open source with its compression taken off.
pub(crate) struct Source {
    /// The name for messages.
    pub name: String,
    /// The first bytes of the content.
    head: Vec<u8>,
    /// Whether they are all of it.
    whole: bool,
    /// The content cannot be longer than this, if that is known.
    pub most_bytes: Option<u64>,
    /// The bytes as they are stored.
    stored: Stored,
    /// Whether it is a regular file without compression.
    plain_file: bool,
    /// What is decided about the character set.
    told: Told,
    /// No more than this is looked at, even if it has no whole line: lines may not be longer, either.
    longest_head: usize,
    /// For the fields of long lines, as long as there is something to read.
    fields: Claim,
    rest: Box<dyn Read + Send>,
}

impl Source {
    /// Opens an input that is not a folder; text of any character set is read as UTF-8.
    pub(crate) fn open(input: &Input, options: &LoadOptions) -> Result<Self> {
        let source = Self::open_bytes(input, &options.limits)?;
        source.decoded(options.encoding, options.replace_invalid_utf8)?.with_lines()
    }

    /// Opens an input that is not a folder, for its bytes.
    pub(crate) fn open_bytes(input: &Input, limits: &Limits) -> Result<Self> {
        let name = input.name();
        let (bytes, length) = match input {
            Input::Path(path) => {
                let file = File::open(path).map_err(|e| io_error(&name, "open", e))?;
                let metadata = file.metadata().map_err(|e| io_error(&name, "open", e))?;
                (Bytes::File(file), metadata.is_file().then_some(metadata.len()))
            }
            Input::Stdin => (Bytes::Stdin(io::stdin()), None),
            Input::Bytes { bytes, .. } => {
                (Bytes::Memory(Cursor::new(bytes.clone())), Some(bytes.len() as u64))
            }
        };
        let plain_file = matches!(bytes, Bytes::File(_)) && length.is_some();
        let stored = Stored::new(bytes);
        let fields = limits.claim(&name);
        let rest = Box::new(stored.clone());
        let source = Self {
            name,
            head: Vec::new(),
            whole: false,
            most_bytes: length,
            stored,
            plain_file,
            told: Told::default(),
            longest_head: limits.line_bytes,
            fields,
            rest,
        };
        source.with_head()?.decompressed(limits)
    }

    /// Whether it is text, by its first bytes: of no binary format, and without zeros.
    pub(crate) fn holds_text(&self) -> bool {
        let text = std::str::from_utf8(&self.head).map_err(|error| error.error_len());
        let unicode = matches!(text, Ok(_) | Err(None));
        unicode && !is_signed(&self.head) && !self.is_binary()
    }

    /// Whether it is a regular file without compression.
    pub(crate) fn is_plain_file(&self) -> bool {
        self.plain_file
    }

    /// Whether there is nothing but white space.
    pub(crate) fn is_blank(&self) -> bool {
        let text = self.head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.head);
        self.whole && text.trim_ascii().is_empty()
    }

    /// The bytes as they are stored, for their hash once the content was read.
    pub(crate) fn stored(&self) -> Stored {
        self.stored.clone()
    }

    /// What can be judged before reading: the first bytes, of text in whole lines.
    pub(crate) fn start(&self) -> &[u8] {
        let end = memchr::memrchr(b'\n', &self.head).map(|end| end + 1);
        match end {
            Some(end) if !self.whole && !self.is_binary() => &self.head[..end],
            _ => &self.head,
        }
    }

    /// Whether [`start`](Self::start) is all of the content.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole
    }

    /// The same, with a claim for what is behind it, which is given back once it was read.
    pub(crate) fn holding(self, claim: Claim) -> Self {
        Self { rest: Box::new(Held { inner: self.rest, _claim: claim }), ..self }
    }

    /// Doubles what can be looked at; false if that is all there is, or as much as may be.
    pub(crate) fn look_further(&mut self) -> Result<bool> {
        if self.whole || self.head.len() >= self.longest_head {
            return Ok(false);
        }
        self.read_head(self.head.len())?;
        let separated = |by: &u8| memchr::memchr_iter(*by, &self.head).count();
        let n_fields = SEPARATORS.iter().map(separated).max().unwrap_or(0);
        self.fields.hold(PER_FIELD * n_fields as u64)?;
        Ok(true)
    }

    fn is_binary(&self) -> bool {
        memchr::memchr(0, &self.head[..self.head.len().min(HEAD_BYTES)]).is_some()
    }

    /// Reads more of the first bytes; they are handed out again by [`into_reader`](Self::into_reader).
    fn read_head(&mut self, more: usize) -> Result<()> {
        let read = self.rest.by_ref().take(more as u64).read_to_end(&mut self.head);
        let read = read.map_err(|e| io_error(&self.name, "read", e))?;
        self.whole = read < more;
        Ok(())
    }

    fn with_head(mut self) -> Result<Self> {
        self.read_head(HEAD_BYTES)?;
        Ok(self)
    }

    /// Looks at some whole lines, if it is text.
    fn with_lines(mut self) -> Result<Self> {
        let lines = |head: &[u8]| memchr::memchr_iter(b'\n', head).take(HEAD_LINES).count();
        while !self.is_binary() && lines(&self.head) < HEAD_LINES && self.look_further()? {}
        Ok(self)
    }

    /// Takes compression off, with a claim for what it keeps of the content.
    fn decompressed(mut self, limits: &Limits) -> Result<Self> {
        for _ in 0..MOST_LAYERS {
            let Some(compression) = Compression::of(&self.head) else { return Ok(self) };
            let Self { name, head, most_bytes, stored, rest, longest_head, fields, told, .. } =
                self;
            let window = compression.window(&head);
            let mut claim = limits.claim(&name);
            claim.take(window).map_err(|_| compression.wide_window(&name, window))?;
            let packed = BufReader::with_capacity(1 << 16, Cursor::new(head).chain(rest));
            let rest = compression.decoder(packed, window, limits.loaded_bytes.limit());
            let rest = rest.map_err(|e| io_error(&name, "read", e))?;
            let rest = Box::new(Held { inner: rest, _claim: claim });
            let most_bytes = most_bytes.map(|n| n.saturating_mul(compression.expansion()));
            let (head, whole, plain_file) = (Vec::new(), false, false);
            let source = Self {
                name,
                head,
                whole,
                most_bytes,
                stored,
                plain_file,
                told,
                longest_head,
                fields,
                rest,
            };
            self = source.with_head()?;
        }
        match Compression::of(&self.head) {
            Some(_) => {
                Err(Malformed::new(&self.name, "compression within compression", "one layer")
                    .remedy("decompress it first")
                    .into())
            }
            None => Ok(self),
        }
    }

    /// The same in UTF-8, unless it is of a format that is told by its first bytes.
    fn decoded(self, encoding: Encoding, replace: bool) -> Result<Self> {
        if is_signed(&self.head) || self.head.is_empty() {
            return Ok(self);
        }
        let stored = Cursor::new(self.head).chain(self.rest);
        let decoder = Decoder::new(stored, encoding, replace);
        let told = decoder.told();
        let (head, whole, rest) = (Vec::new(), false, Box::new(decoder));
        let mut source = Self { head, whole, rest, told, ..self }.with_head()?;
        if source.told.other_than_utf8().is_some() {
            source.most_bytes = source.most_bytes.map(|n| n.saturating_mul(UTF8_EXPANSION));
        }
        Ok(source)
    }

    /// The character set, once the content was read.
    pub(crate) fn told(&self) -> Told {
        self.told.clone()
    }

    /// The whole content, from its start.
    pub(crate) fn into_reader(self) -> Box<dyn BufRead + Send> {
        let inner = Cursor::new(self.head).chain(self.rest);
        let content = Held { inner, _claim: self.fields };
        Box::new(BufReader::with_capacity(1 << 18, content))
    }

    /// The whole content with random access: the file itself, or a copy in memory, which `claim` holds.
    pub(crate) fn into_seekable(self, limits: &Limits, claim: &mut Claim) -> Result<Seekable> {
        let (name, most) = (self.name.clone(), limits.buffered_bytes);
        if self.plain_file
            && let Some(file) = self.stored.file().map_err(|e| io_error(&name, "read", e))?
        {
            return Ok(Seekable::File(file));
        }
        let mut bytes = Vec::new();
        let mut reader = self.into_reader().take(most.saturating_add(1));
        loop {
            claim.take(COPIED_AT_ONCE)?;
            let read = reader.by_ref().take(COPIED_AT_ONCE).read_to_end(&mut bytes);
            if read.map_err(|e| io_error(&name, "read", e))? == 0 {
                break;
            }
        }
        if bytes.len() as u64 > most {
            return Err(Malformed::new(
                &name,
                format!("more than {most} bytes"),
                "content that fits in memory",
            )
            .remedy("decompress it to a file first")
            .into());
        }
        Ok(Seekable::Memory(bytes))
    }
}

/// Content, and a claim for the memory behind it.
struct Held<R> {
    inner: R,
    _claim: Claim,
}

impl<R: Read> Read for Held<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.inner.read(buffer)
    }
}

/// Refuses a declared number of things, each of at least `each` bytes, that content of at most
/// `most_bytes` cannot hold; `line` is where it was declared.
pub(crate) fn check_room(
    name: &str,
    most_bytes: Option<u64>,
    what: &str,
    declared: u64,
    each: u64,
    line: Option<u64>,
) -> Result<()> {
    match most_bytes {
        Some(most) if declared.saturating_mul(each) > most => {
            let found = format!("a header that declares {declared} {what}");
            let expected = format!("at most {}, as the file can hold no more", most / each.max(1));
            let mut error = Malformed::damaged(name, found, expected);
            error.line = line;
            Err(error.into())
        }
        _ => Ok(()),
    }
}

/// Content with random access.
pub(crate) enum Seekable {
    File(File),
    Memory(Vec<u8>),
}

/// What archive readers need.
pub(crate) trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

impl Seekable {
    pub(crate) fn into_reader(self) -> Box<dyn ReadSeek> {
        match self {
            Seekable::File(file) => Box::new(BufReader::new(file)),
            Seekable::Memory(bytes) => Box::new(Cursor::new(bytes)),
        }
    }
}
