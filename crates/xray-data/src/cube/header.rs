//! The text of an ENVI header: `name = value`, where a value in braces may go on for lines.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Malformed, Result, io_error, quoted};

/// Longest header that is read.
const LONGEST: u64 = 1 << 24;

/// A field, and the line where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field {
    /// In small letters, with single spaces.
    pub name: String,
    /// Without braces.
    pub value: String,
    pub line: u64,
}

/// The fields of a header, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub file: String,
    pub all: Vec<Field>,
}

impl Fields {
    /// The fields of a file. No more of it is read than a header may have.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let name = path.display().to_string();
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(|e| io_error(&name, "open", e))?;
        file.take(LONGEST + 1).read_to_end(&mut bytes).map_err(|e| io_error(&name, "read", e))?;
        if bytes.len() as u64 > LONGEST {
            let expected = format!("a header of at most {LONGEST} bytes");
            return Err(Malformed::new(&name, "a longer file", expected).into());
        }
        Self::parse(&name, &bytes)
    }

    fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut lines = text.lines().zip(1u64..);
        let first = lines.next().map_or("", |(line, _)| line);
        if first.trim() != "ENVI" {
            let found = quoted(first.as_bytes());
            return Err(Malformed::new(file, found, "ENVI in the first line").at_line(1).into());
        }
        let mut all: Vec<Field> = Vec::new();
        let mut seen: HashMap<String, u64> = HashMap::new();
        while let Some((line, number)) = lines.next() {
            let line = line.trim();
            if line.is_empty() || line.starts_with(';') {
                continue;
            }
            let Some((name, value)) = line.split_once('=') else {
                let found = quoted(line.as_bytes());
                return Err(Malformed::new(file, found, "name = value").at_line(number).into());
            };
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
            let value = match value.trim().strip_prefix('{') {
                None => value.trim().to_owned(),
                Some(inside) => braced(file, inside, number, &mut lines)?,
            };
            if let Some(before) = seen.insert(name.clone(), number) {
                let found = format!("{name} again, as in line {before}");
                return Err(Malformed::new(file, found, "it once").at_line(number).into());
            }
            all.push(Field { name, value, line: number });
        }
        Ok(Self { file: file.to_owned(), all })
    }

    pub(super) fn get(&self, name: &str) -> Option<&Field> {
        self.all.iter().find(|field| field.name == name)
    }

    /// A field that must be there.
    pub(super) fn expect(&self, name: &str) -> Result<&Field> {
        self.get(name)
            .ok_or_else(|| Malformed::new(&self.file, format!("no line for {name}"), "one").into())
    }

    /// A side of the cube, which must be there.
    pub(super) fn side(&self, name: &str) -> Result<usize> {
        let field = self.expect(name)?;
        let side = field.value.parse().ok().filter(|&side| side > 0);
        side.ok_or_else(|| self.wrong(field, "a whole number above 0").into())
    }

    /// A whole number that may be there.
    pub(super) fn whole(&self, name: &str) -> Result<Option<u64>> {
        let Some(field) = self.get(name) else { return Ok(None) };
        field.value.parse().map(Some).map_err(|_| self.wrong(field, "a whole number").into())
    }

    /// A number that may be there.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        let Some(field) = self.get(name) else { return Ok(None) };
        field.value.parse().map(Some).map_err(|_| self.wrong(field, "a number").into())
    }

    /// A list of so many finite numbers that may be there.
    pub(super) fn numbers(&self, name: &str, count: usize) -> Result<Option<Vec<f64>>> {
        let Some(field) = self.get(name) else { return Ok(None) };
        let parts = field.value.split([',', ' ', '\t', '\n']).filter(|part| !part.is_empty());
        let number = |part: &str| part.parse().ok().filter(|number: &f64| number.is_finite());
        let numbers: Option<Vec<f64>> = parts.map(number).collect();
        match numbers {
            Some(numbers) if numbers.len() == count => Ok(Some(numbers)),
            Some(numbers) => {
                let found = format!("{name} with {} numbers", numbers.len());
                let expected = format!("{count}, one for each band");
                Err(Malformed::new(&self.file, found, expected).at_line(field.line).into())
            }
            None => Err(self.wrong(field, "finite numbers between commas").into()),
        }
    }

    pub(super) fn wrong(&self, field: &Field, expected: &str) -> Malformed {
        let found = format!("{} = {}", field.name, quoted(field.value.as_bytes()));
        Malformed::new(&self.file, found, expected).at_line(field.line)
    }
}

/// The rest of a value in braces, over as many lines as it takes.
fn braced<'a>(
    file: &str,
    inside: &'a str,
    first: u64,
    lines: &mut impl Iterator<Item = (&'a str, u64)>,
) -> Result<String> {
    let mut value = String::new();
    let mut line = (inside, first);
    loop {
        if let Some((within, after)) = line.0.split_once('}') {
            if !after.trim().is_empty() {
                let found = quoted(after.trim().as_bytes());
                return Err(Malformed::new(file, found, "the end of the line after }")
                    .at_line(line.1)
                    .into());
            }
            value.push_str(within);
            return Ok(value.trim().to_owned());
        }
        value.push_str(line.0.trim());
        value.push('\n');
        let Some(next) = lines.next() else {
            let found = "a brace that is never closed";
            return Err(Malformed::new(file, found, "} at its end").at_line(first).into());
        };
        line = next;
    }
}
