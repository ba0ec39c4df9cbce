//! One table for each kind of choice: names, help, errors and serde come from it.
//!
//! A choice is an enum without numbers. Its table, written with [`choices!`](crate::choices), says how users
//! call each variant and what it does, in one sentence. Programs, files and Python read nothing else.

use crate::error::{Error, Result};

/// Something that is chosen by its name.
///
/// # Examples
/// ```
/// use xray_nmf::{Choice, Engine};
///
/// fn listed<T: Choice>() -> Vec<String> {
///     T::ALL.iter().map(|choice| format!("{}: {}", choice.name(), choice.words())).collect()
/// }
/// assert_eq!(listed::<Engine>().len(), 2);
/// assert_eq!(Engine::names(), "lazy or direct");
/// let error = "eager".parse::<Engine>().unwrap_err();
/// assert!(error.to_string().ends_with("use lazy or direct"));
/// ```
pub trait Choice: Copy + PartialEq + std::fmt::Debug + Send + Sync + 'static {
    /// What is chosen, as messages call it.
    const KIND: &'static str;

    /// All choices, in the order of their table.
    const ALL: &'static [Self];

    /// What users type.
    fn name(self) -> &'static str;

    /// One sentence for help texts.
    fn words(self) -> &'static str;

    /// Other names that are understood.
    fn aliases(self) -> &'static [&'static str] {
        &[]
    }

    /// The choice with this name or alias.
    ///
    /// # Errors
    /// [`Error::Choice`] if there is none; the message lists the names.
    fn named(name: &str) -> Result<Self> {
        let is_meant = |choice: &Self| choice.name() == name || choice.aliases().contains(&name);
        Self::ALL.iter().copied().find(is_meant).ok_or_else(|| Error::Choice {
            kind: Self::KIND,
            value: name.to_owned(),
            allowed: Self::names(),
        })
    }

    /// All names, as a sentence lists them: `lazy or direct`.
    fn names() -> String {
        let names: Vec<&str> = Self::ALL.iter().map(|choice| choice.name()).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, others)) => format!("{} or {last}", others.join(", ")),
            None => String::new(),
        }
    }
}

/// Makes an enum from the table of its choices: [`Choice`], `ALL`, `name`, `words`, `FromStr`, `Display`, and
/// serde's traits (as a name) if xray-nmf has the feature `serde`.
///
/// # Examples
/// ```
/// xray_nmf::choices! {
///     /// How eggs are served.
///     #[derive(Default)]
///     pub enum Eggs ("eggs") {
///         #[default]
///         SunnySideUp = "sunny-side-up" | "fried": "fried on one side",
///         Boiled = "boiled": "five minutes in water",
///     }
/// }
/// assert_eq!("fried".parse(), Ok(Eggs::SunnySideUp));
/// assert_eq!(Eggs::default().to_string(), "sunny-side-up");
/// assert_eq!(Eggs::ALL.map(Eggs::words), ["fried on one side", "five minutes in water"]);
/// let error = "raw".parse::<Eggs>().unwrap_err().to_string();
/// assert_eq!(error, "eggs = raw is not allowed; use sunny-side-up or boiled");
/// ```
#[macro_export]
macro_rules! choices {
    ($(#[$meta:meta])* $vis:vis enum $type:ident ($kind:literal) {
        $($(#[$row:meta])* $variant:ident = $name:literal $(| $alias:literal)*: $words:literal),+ $(,)?
    }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $type {
            $($(#[$row])* #[doc = concat!("`", $name, "`: ", $words)] $variant),+
        }

        #[allow(dead_code)] // Not every table has a user for all of them.
        impl $type {
            /// All choices, in the order of the table.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// What users type.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }

            /// What it means, in one sentence.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$variant => $words),+ }
            }
        }

        impl $crate::Choice for $type {
            const KIND: &'static str = $kind;
            const ALL: &'static [Self] = &$type::ALL;

            fn name(self) -> &'static str {
                $type::name(self)
            }

            fn words(self) -> &'static str {
                $type::words(self)
            }

            fn aliases(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($alias),*]),+ }
            }
        }

        $crate::__choice_traits!($type);
        $crate::__choice_serde!($type);
    };
}

/// What follows from [`Choice`] alone.
#[doc(hidden)]
#[macro_export]
macro_rules! __choice_traits {
    ($type:ident) => {
        impl std::str::FromStr for $type {
            type Err = $crate::Error;

            fn from_str(name: &str) -> $crate::Result<Self> {
                <Self as $crate::Choice>::named(name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad($crate::Choice::name(*self))
            }
        }
    };
}

#[doc(hidden)]
#[cfg(not(feature = "serde"))]
#[macro_export]
macro_rules! __choice_serde {
    ($type:ident) => {};
}

#[doc(hidden)]
#[cfg(feature = "serde")]
#[macro_export]
macro_rules! __choice_serde {
    ($type:ident) => {
        impl $crate::__serde::Serialize for $type {
            fn serialize<S: $crate::__serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str($crate::Choice::name(*self))
            }
        }

        impl<'de> $crate::__serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::__serde::Deserializer<'de>>(
                deserializer: D,
            ) -> std::result::Result<Self, D::Error> {
                use $crate::__serde::de::Error as _;
                let name =
                    <std::borrow::Cow<'de, str> as $crate::__serde::Deserialize>::deserialize(
                        deserializer,
                    )?;
                <Self as $crate::Choice>::named(&name).map_err(D::Error::custom)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Normalize, RankReason, Refinement, Selection, Solver, Termination};

    /// Names are distinct, also from all aliases, and lead back to their choice.
    fn check<T: Choice + std::str::FromStr<Err = Error> + std::fmt::Display>() {
        let mut names = Vec::new();
        for choice in T::ALL {
            assert_eq!(choice.to_string(), choice.name());
            assert!(!choice.words().is_empty());
            for name in std::iter::once(choice.name()).chain(choice.aliases().iter().copied()) {
                assert_eq!(name.parse::<T>(), Ok(*choice));
                assert!(!names.contains(&name), "{name}");
                names.push(name);
            }
        }
        let error = "nothing like it".parse::<T>().expect_err("no such name").to_string();
        assert!(error.contains(T::KIND) && error.contains(&T::names()), "{error}");
    }

    #[test]
    fn every_name_leads_back_to_its_choice() {
        check::<Selection>();
        check::<Engine>();
        check::<Solver>();
        check::<Normalize>();
        check::<Refinement>();
        check::<Termination>();
        check::<RankReason>();
    }

    #[cfg(feature = "serde")]
    #[test]
    fn files_say_the_name() {
        let json = serde_json::to_string(&Solver::ALL).expect("names");
        assert_eq!(json, r#"["active-set","coordinate-descent"]"#);
        let back: [Solver; 2] = serde_json::from_str(r#"["active-set","cd"]"#).expect("names");
        assert_eq!(back, Solver::ALL);
        let error = serde_json::from_str::<Solver>(r#""exact""#).expect_err("no such name");
        assert!(error.to_string().contains("use active-set or coordinate-descent"), "{error}");
    }
}
