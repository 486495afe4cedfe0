//! One value of a row, in a form that all formats share.

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Text in UTF-8.
    Text,
    /// A double-precision number.
    Real,
    /// A whole number of 64 bits.
    Whole,
    /// True or false.
    Truth,
}

impl CellKind {
    /// Returns the name of the expected type, with its article.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::Real => "a number",
            Self::Whole => "a whole number",
            Self::Truth => "true or false",
        }
    }
}

/// One value of a row.
#[derive(Debug, PartialEq)]
pub(crate) enum Cell {
    Null,
    Text(String),
    Real(f64),
    Whole(i64),
    Truth(bool),
}

/// A type that a column may have.
pub(crate) trait Value: Sized {
    const KIND: CellKind;
    const MAY_BE_NULL: bool = false;

    fn to_cell(&self) -> Cell;

    /// `None` for a value of another type.
    fn from_cell(cell: Cell) -> Option<Self>;
}

/// Makes types those of columns: the kind, how a value is put into a cell, and the cells that it is read from.
macro_rules! values {
    ($($type:ty: $Kind:ident, |$value:ident| $put:expr, { $($cell:pat => $read:expr,)+ })+) => {
        $(impl Value for $type {
            const KIND: CellKind = CellKind::$Kind;

            fn to_cell(&self) -> Cell {
                let $value = self;
                Cell::$Kind($put)
            }

            fn from_cell(cell: Cell) -> Option<Self> {
                match cell {
                    $($cell => $read,)+
                    _ => None,
                }
            }
        })+
    };
}

values! {
    String: Text, |text| text.clone(), {
        Cell::Text(text) => Some(loopwright_formats::one_line(&text)),
        // CSV cannot distinguish an empty text from a missing one.
        Cell::Null => Some(String::new()),
    }
    f64: Real, |number| *number, {
        Cell::Real(number) => Some(number),
        Cell::Whole(number) => Some(number as f64),
    }
    u64: Whole, |number| i64::try_from(*number).unwrap_or(i64::MAX), {
        Cell::Whole(number) => number.try_into().ok(),
    }
    bool: Truth, |truth| *truth, {
        Cell::Truth(truth) => Some(truth),
    }
}

impl<T: Value> Value for Option<T> {
    const KIND: CellKind = T::KIND;
    const MAY_BE_NULL: bool = true;

    fn to_cell(&self) -> Cell {
        match self {
            // Only Parquet supports numbers that are not finite, and they would be meaningless.
            Some(value) => match value.to_cell() {
                Cell::Real(number) if !number.is_finite() => Cell::Null,
                cell => cell,
            },
            None => Cell::Null,
        }
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Null => Some(None),
            cell => T::from_cell(cell).map(Some),
        }
    }
}
