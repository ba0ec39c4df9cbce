//! Days as dates.

/// A day that is counted from the first of the year 1970, as `2024-03-05`; none outside the years 1 to 9999.
#[cfg(feature = "parquet")]
pub(crate) fn date_text(day: i64) -> Option<String> {
    // The first day of the year 1, and the last of 9999.
    let (year, month, day) = (-719_162..=2_932_896).contains(&day).then(|| civil(day))?;
    Some(format!("{year:04}-{month:02}-{day:02}"))
}

/// Year, month and day of a day that is counted from the first of the year 1970; from the year 0 on.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    // Count years from March, so that a leap day ends one; 400 years have 146,097 days.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    (year, month, day)
}
