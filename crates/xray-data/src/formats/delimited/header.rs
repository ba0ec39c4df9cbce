//! Whether the first record names the columns.

use std::collections::HashSet;

use super::sample::{Sample, is_meant_as_number, is_missing, is_number};
use crate::columns::{self, Guess};
use crate::error::{Error, Malformed, quoted};
use crate::read::lines::parse_count;

/// Longest name of a column, in bytes, that is not usual for columns.
const LONGEST_NAME: usize = 40;

/// Whole numbers that are years rather than values, where they ascend from column to column.
const YEARS: std::ops::RangeInclusive<u64> = 1500..=2100;

/// Whether the first record names the columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Header {
    Yes,
    No,
    /// It looks like both. At this place is what has no place in one of them: among numbers a word, which may be a
    /// name or a mistake, and among names something that is no name.
    Mixed(usize),
}

impl Sample {
    /// Whether the first record of a table of numbers names the columns: pandas leaves the corner
    /// empty, and names are no numbers. Words for missing values are values.
    pub(super) fn number_header(&self) -> Header {
        let first = self.first();
        let shift = usize::from(self.has_short_header());
        // A name is missing over the names of rows, or empty: whatever the others are, they are names.
        if self.has_empty_corner() || shift == 1 && !self.is_mostly_numbers(0) {
            return Header::Yes;
        }
        let of_numbers = (0..first.len())
            .filter(|&k| self.is_mostly_numbers(k + shift) && !is_missing(&first[k]));
        let (numbers, names): (Vec<usize>, Vec<usize>) =
            of_numbers.partition(|&k| is_meant_as_number(&first[k]));
        match (numbers.is_empty(), names.first()) {
            (_, None) if shift == 0 => self.names_of_numbers(&numbers),
            (_, None) => Header::No,
            (true, Some(_)) => Header::Yes,
            (false, Some(_)) if shift == 1 || self.repeated => Header::Yes,
            (false, Some(&place)) => Header::Mixed(place),
        }
    }

    /// Whether numbers of the first record may be names of their columns: beside a name that is usual for ids, years
    /// where no other record has years, places where all others have fractions. The places of the numbers ascend.
    fn names_of_numbers(&self, numbers: &[usize]) -> Header {
        let first = self.first();
        let Some(word) =
            (0..first.len()).find(|k| numbers.binary_search(k).is_err() && !is_missing(&first[*k]))
        else {
            return Header::No;
        };
        let others = || self.records[1..].iter();
        let among = |record: &Vec<Vec<u8>>| {
            let field = |&k: &usize| record.get(k).map_or(&b""[..], |field| field.trim_ascii());
            numbers.iter().map(field).map(<[u8]>::to_vec).collect::<Vec<_>>()
        };
        let has_fractions =
            |record: &Vec<Vec<u8>>| among(record).iter().any(|field| parse_count(field).is_none());
        let named =
            columns::guess(&self.names(), &[], Guess::Id) == Some(word) && self.is_told_once(word);
        let own = among(&self.records[0]);
        let years = are_years(&own) && !others().any(|record| are_years(&among(record)));
        let places = are_places(&own) && others().all(has_fractions);
        match !numbers.is_empty() && others().len() > 0 && (named || years || places) {
            true if self.repeated => Header::Yes,
            true => Header::Mixed(word),
            false => Header::No,
        }
    }

    /// Whether the first record of a table of texts names the columns: short, distinct names that
    /// are no numbers, and either single words or among them a usual one. Alone it does so if one is usual. Where
    /// several are usual the others may be anything.
    pub(super) fn text_header(&self) -> Header {
        let corner = usize::from(self.has_empty_corner());
        let names = self.names();
        let names = &names[corner..];
        let words = || names.iter().all(|name| !name.trim().contains(' '));
        let mut seen = HashSet::new();
        let odd = names.iter().position(|name| !is_short_name(name) || !seen.insert(name));
        let is_usual = |&k: &usize| columns::is_usual(&names[k]) && self.is_told_once(k + corner);
        let n_usual = (0..names.len()).filter(is_usual).count();
        match odd {
            None if self.repeated || self.has_usual_name() => Header::Yes,
            None if self.records.len() > 1 && words() => Header::Yes,
            Some(place) if n_usual == 1 && corner == 0 && !self.repeated => Header::Mixed(place),
            Some(_) if n_usual > 0 => Header::Yes,
            _ => Header::No,
        }
    }

    /// Whether the word in a field of the first record is in no other record's field of that column.
    fn is_told_once(&self, column: usize) -> bool {
        let word = self.first()[column].trim_ascii();
        let same = |field: &Vec<u8>| field.trim_ascii().eq_ignore_ascii_case(word);
        !self.records[1..].iter().filter_map(|record| record.get(column)).any(same)
    }

    /// Whether the first field is empty: pandas leaves it so over the names of rows.
    pub(super) fn has_empty_corner(&self) -> bool {
        self.first().len() > 1 && self.first()[0].trim_ascii().is_empty()
    }

    /// Whether the first record has one field less: R writes no name over the names of rows.
    pub(super) fn has_short_header(&self) -> bool {
        self.records.get(1).is_some_and(|second| second.len() == self.first().len() + 1)
    }

    /// Whether a field of the first record is what columns are usually called.
    pub(super) fn has_usual_name(&self) -> bool {
        self.names().iter().any(|name| columns::is_usual(name))
    }
}

/// Whether it is short enough for the name of a column, and no number.
fn is_short_name(name: &str) -> bool {
    let name = name.trim();
    !name.is_empty() && name.len() <= LONGEST_NAME && !is_number(name.as_bytes())
}

/// Whether these are years that ascend, two at least.
fn are_years(fields: &[Vec<u8>]) -> bool {
    let years: Option<Vec<u64>> = fields.iter().map(|field| parse_count(field)).collect();
    years.is_some_and(|years| {
        let ascend = years.windows(2).all(|pair| pair[0] < pair[1]);
        years.len() > 1 && ascend && years.iter().all(|year| YEARS.contains(year))
    })
}

/// Whether these count places from 0 or 1, two at least.
fn are_places(fields: &[Vec<u8>]) -> bool {
    let from = |start: u64| {
        let place = |(k, field): (usize, &Vec<u8>)| parse_count(field) == Some(start + k as u64);
        fields.iter().enumerate().all(place)
    };
    fields.len() > 1 && (from(0) || from(1))
}

/// A first record that may be names or numbers.
pub(super) fn mixed_numbers(file: &str, place: usize, field: &[u8]) -> Error {
    let found = format!("{} beside numbers in the first record", quoted(field));
    mixed(file, place, found, "names alone, or numbers alone")
}

/// A first record that may be names or the first text.
pub(super) fn mixed_texts(file: &str, place: usize, field: &[u8]) -> Error {
    let found = format!("{} beside a usual name in the first record", quoted(field));
    mixed(file, place, found, "names alone, or no name")
}

fn mixed(file: &str, place: usize, found: String, expected: &str) -> Error {
    let remedy = "say with `header` whether it names the columns";
    Malformed::new(file, found, expected).at(1, place as u64 + 1).remedy(remedy).into()
}

#[cfg(test)]
mod tests {
    use super::super::sample::tests::sample;
    use super::*;

    #[test]
    fn the_first_record_names_columns_of_numbers_or_has_numbers() {
        for (content, header) in [
            ("a\n1\n2\n", Header::Yes),
            ("1\n2\n", Header::No),
            ("x,1\ny,2\n", Header::No),
            // Where the corner is empty, or the name over the names of rows is missing, numbers are names.
            (",1,2\nx,3,4\ny,5,6\n", Header::Yes),
            ("1,2\nx,3,4\ny,5,6\n", Header::Yes),
            ("a,1\n7,3,4\n8,5,6\n", Header::Yes),
            ("1,2\n7,3,4\n8,5,6\n", Header::No),
            ("a,1\n3,4\n5,6\n", Header::Mixed(0)),
            ("1,b\n3,4\n5,6\n", Header::Mixed(1)),
            // Years over numbers, and places over fractions, beside a word; and what may be rows as well.
            ("country,1990,1991\nUK,1,2\nFR,4,5\n", Header::Mixed(0)),
            ("1990,1991,country\n1,2,UK\n4,5,FR\n", Header::Mixed(2)),
            ("who,1990,1991\na,1985,1992\nb,4,5\n", Header::No),
            ("x,1990,1990\ny,3,4\n", Header::No),
            ("x,1990,1985\ny,3,4\n", Header::No),
            ("x,1990\ny,3\n", Header::No),
            ("who,1,2\na,0.5,1.5\nb,2.25,3\n", Header::Mixed(0)),
            ("who,0,1\na,0.5,1\n", Header::Mixed(0)),
            ("x,1,2\ny,3,4\nz,0.5,1\n", Header::No),
            ("x,1,3\ny,0.5,1\n", Header::No),
            ("id,7,5\nx,3,4\n", Header::Mixed(0)),
            ("id,7,5\nid,3,4\n", Header::No),
            // A missing value alone is no empty corner.
            ("\"\"\n1\n2\n", Header::No),
        ] {
            assert_eq!(sample(content).number_header(), header, "{content:?}");
        }
        let mut repeated = sample("1,b\n3,4\n");
        repeated.extend(sample("1,c\n5,6\n"));
        assert_eq!(repeated.number_header(), Header::Mixed(1));
        assert_eq!(repeated.records.len(), 4);
        repeated.extend(sample("1,b\n7,8\n"));
        assert_eq!(repeated.number_header(), Header::Yes);
        assert_eq!(repeated.records.len(), 5);
        repeated.extend(sample("1,c\n5,6\n"));
        assert_eq!(repeated.number_header(), Header::Yes, "once repeated is enough");
    }

    #[test]
    fn names_of_texts_are_short_distinct_and_no_numbers() {
        let longest = "x".repeat(LONGEST_NAME);
        for (content, header) in [
            ("a,b\nc d,e f\n", true),
            ("a,b\n", false),
            ("a,text\n", true),
            ("a b,c\nd,e\n", false),
            ("a b,text\nd,e\n", true),
            ("a,a\nb,c\n", false),
            ("a,1\nb,c\n", false),
            ("a,\nb,c\n", false),
            (",a\nb,c\n", true),
            (&format!("{longest},b\nc,d\n"), true),
            (&format!("{longest}x,b\nc,d\n"), false),
        ] {
            assert_eq!(sample(content).text_header() == Header::Yes, header, "{content:?}");
        }
    }

    #[test]
    fn headers_of_any_width_are_judged_soon() {
        let row = |field: &dyn Fn(usize) -> String| (0..300_000).map(field).collect::<Vec<_>>();
        let [names, numbers] = [row(&|k| format!("n{k}")), row(&|k| k.to_string())]
            .map(|fields| sample(&format!("{0}\n{0}\n", fields.join(","))));
        let start = std::time::Instant::now();
        assert_eq!(names.text_header(), Header::Yes);
        assert_eq!(numbers.number_header(), Header::No);
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }

    #[test]
    fn usual_names_make_a_header_of_any_other_names() {
        let question = "How satisfied are you with the service overall?";
        for (content, header) in [
            ("id,label,text,\nd1,x,cat fur,\n", Header::Yes),
            ("id,text,flag,flag\nd1,cat fur,0,1\n", Header::Yes),
            (&format!("id,text,{question}\nd1,cat fur,very\n"), Header::Yes),
            ("id,text,2020\nd1,cat fur,7\n", Header::Yes),
            (",text,1\nd1,cat fur,7\n", Header::Yes),
            ("id,label,text,\n", Header::Yes),
            // One word may as well be a text or a class.
            ("text,2020\ncat fur,7\n", Header::Mixed(1)),
            ("1,text\n2,cat fur\n", Header::Mixed(0)),
            ("paw,text,paw\ncat fur,x,y\n", Header::Mixed(2)),
            (&format!("text,{question}\ncat fur,very\n"), Header::Mixed(1)),
            // It is one if others have it, too.
            ("1,text,cat fur\n2,Text,dog fur\n3,word,paw\n", Header::No),
            ("1,cat fur\n2,text\n", Header::No),
        ] {
            assert_eq!(sample(content).text_header(), header, "{content:?}");
        }
        let mut repeated = sample("text,2020\ncat fur,7\n");
        repeated.extend(sample("text,2020\ndog fur,8\n"));
        assert_eq!(repeated.text_header(), Header::Yes);
    }
}
