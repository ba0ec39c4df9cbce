//! Columns of dates: days and moments as `2024-03-05`, all else as it stands.

use parquet::basic::{LogicalType, TimeUnit};
use parquet::record::Field;
use parquet::schema::types::Type;

use super::read::{Column, field, field_text};
use crate::calendar::date_text;

/// A column of dates.
pub(super) struct Time {
    pub name: String,
    /// How many of its numbers are a day, if they are moments: readers tell that of some units alone.
    ticks_a_day: Option<i64>,
}

impl Time {
    pub(super) fn of(field: &Type) -> Self {
        let kind = field.get_basic_info().logical_type_ref();
        let ticks_a_second = match kind {
            Some(LogicalType::Timestamp(about)) => Some(match about.unit {
                TimeUnit::MILLIS => 1_000,
                TimeUnit::MICROS => 1_000_000,
                TimeUnit::NANOS => 1_000_000_000,
            }),
            _ => None,
        };
        let ticks_a_day = ticks_a_second.map(|ticks: i64| 86_400 * ticks);
        Self { name: field.name().to_owned(), ticks_a_day }
    }

    /// What a row says, days and moments as dates.
    pub(super) fn text(&self, row: &[Column]) -> String {
        let Some(found) = field(row, &self.name) else { return String::new() };
        let day = match (found, self.ticks_a_day) {
            (Field::Date(day), _) => i64::from(*day),
            (Field::TimestampMillis(tick), _) => tick.div_euclid(86_400_000),
            (Field::TimestampMicros(tick), _) => tick.div_euclid(86_400_000_000),
            (Field::Long(tick), Some(ticks_a_day)) => tick.div_euclid(ticks_a_day),
            _ => return field_text(found),
        };
        date_text(day).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use crate::options::LoadOptions;
    use crate::source::Input;

    /// Reads the dates of a file with three texts and a column of this type, of which the last value is missing.
    fn dates<T: DataType>(column: &str, values: &[T::T]) -> Vec<String> {
        let schema = format!("message x {{ required binary text (UTF8); optional {column}; }}");
        let schema = Arc::new(parse_message_type(&schema).expect("a schema"));
        let mut bytes = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut bytes, schema, Arc::default()).expect("a writer");
        let mut group = writer.next_row_group().expect("a group");
        let texts = ["one", "two", "three"].map(Into::into);
        let mut texts_column = group.next_column().expect("written").expect("texts");
        texts_column.typed::<ByteArrayType>().write_batch(&texts, None, None).expect("written");
        texts_column.close().expect("written");
        let mut dates = group.next_column().expect("written").expect("dates");
        dates.typed::<T>().write_batch(values, Some(&[1, 1, 0]), None).expect("written");
        dates.close().expect("written");
        group.close().expect("written");
        writer.close().expect("written");
        let input = Input::Bytes { name: "x.parquet".into(), bytes };
        let options = LoadOptions { time: Some("date".into()), ..LoadOptions::default() };
        let loaded = crate::load(&input, &options).expect("readable");
        loaded.into_documents().expect("texts").times.expect("dates")
    }

    #[test]
    fn days_moments_and_numbers_are_dates() {
        let day = 86_400_i64;
        assert_eq!(
            dates::<Int32Type>("int32 date (DATE)", &[19_723, -1]),
            ["2024-01-01", "1969-12-31", ""]
        );
        assert_eq!(dates::<Int32Type>("int32 date", &[2004, 1999]), ["2004", "1999", ""]);
        assert_eq!(dates::<Int64Type>("int64 date", &[1_704_067_200, 7]), ["1704067200", "7", ""]);
        for (unit, ticks) in [("MILLIS", 1_000), ("MICROS", 1_000_000), ("NANOS", 1_000_000_000)] {
            for adjusted in [true, false] {
                let column = format!("int64 date (TIMESTAMP({unit},{adjusted}))");
                let values = [19_723 * day * ticks + 5, -ticks];
                assert_eq!(dates::<Int64Type>(&column, &values), ["2024-01-01", "1969-12-31", ""]);
            }
        }
        let far = dates::<Int32Type>("int32 date (DATE)", &[i32::MAX, i32::MIN]);
        assert_eq!(far, ["", "", ""], "no such years");
        let texts = ["May 2024", "2004"].map(Into::into);
        assert_eq!(dates::<ByteArrayType>("binary date (UTF8)", &texts), ["May 2024", "2004", ""]);
    }
}
