//! The text of an ENVI header: `name = value`, where a value in braces may go on for lines.

use crate::error::{Malformed, Result, quoted};

/// Longest header that is read.
const LONGEST: usize = 1 << 24;

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
    pub(super) fn parse(file: &str, bytes: &[u8]) -> Result<Self> {
        if bytes.len() > LONGEST {
            let found = format!("a header of {} bytes", bytes.len());
            return Err(Malformed::new(file, found, format!("at most {LONGEST}")).into());
        }
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut lines = text.lines().zip(1u64..);
        let first = lines.next().map_or("", |(line, _)| line);
        if first.trim() != "ENVI" {
            let found = quoted(first.as_bytes());
            return Err(Malformed::new(file, found, "ENVI in the first line").at_line(1).into());
        }
        let mut all: Vec<Field> = Vec::new();
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
            if let Some(before) = all.iter().find(|field| field.name == name) {
                let found = format!("{name} again, as in line {}", before.line);
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
        self.get(name).ok_or_else(|| {
            Malformed::new(&self.file, "a header without it", format!("{name} = ...")).into()
        })
    }

    /// A number that must be there.
    pub(super) fn whole(&self, name: &str) -> Result<usize> {
        let field = self.expect(name)?;
        field.value.parse().map_err(|_| self.wrong(field, "a whole number").into())
    }

    /// A number that may be there.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>> {
        let Some(field) = self.get(name) else { return Ok(None) };
        field.value.parse().map(Some).map_err(|_| self.wrong(field, "a number").into())
    }

    /// A list of so many numbers that may be there.
    pub(super) fn numbers(&self, name: &str, count: usize) -> Result<Option<Vec<f64>>> {
        let Some(field) = self.get(name) else { return Ok(None) };
        let parts = field.value.split([',', ' ', '\t', '\n']).filter(|part| !part.is_empty());
        let numbers: Option<Vec<f64>> = parts.map(|part| part.parse().ok()).collect();
        match numbers {
            Some(numbers) if numbers.len() == count => Ok(Some(numbers)),
            Some(numbers) => {
                let found = format!("{name} with {} numbers", numbers.len());
                let expected = format!("{count}, one for each band");
                Err(Malformed::new(&self.file, found, expected).at_line(field.line).into())
            }
            None => Err(self.wrong(field, "numbers between commas").into()),
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
    inside: &str,
    first: u64,
    lines: &mut impl Iterator<Item = (&'a str, u64)>,
) -> Result<String> {
    let mut value = inside.to_owned();
    loop {
        if let Some((within, after)) = value.split_once('}') {
            if !after.trim().is_empty() {
                let found = quoted(after.trim().as_bytes());
                return Err(Malformed::new(file, found, "the end of the line after }")
                    .at_line(first)
                    .into());
            }
            return Ok(within.trim().to_owned());
        }
        let Some((line, _)) = lines.next() else {
            let found = "a brace that is never closed";
            return Err(Malformed::new(file, found, "} at its end").at_line(first).into());
        };
        value.push('\n');
        value.push_str(line.trim());
    }
}
