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
#[derive(Clone, Debug, PartialEq)]
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

impl Value for String {
    const KIND: CellKind = CellKind::Text;

    fn to_cell(&self) -> Cell {
        Cell::Text(self.clone())
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Text(text) => Some(loopwright_formats::one_line(&text)),
            // CSV cannot distinguish an empty text from a missing one.
            Cell::Null => Some(Self::new()),
            _ => None,
        }
    }
}

impl Value for f64 {
    const KIND: CellKind = CellKind::Real;

    fn to_cell(&self) -> Cell {
        Cell::Real(*self)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Real(number) => Some(number),
            Cell::Whole(number) => Some(number as Self),
            _ => None,
        }
    }
}

impl Value for u64 {
    const KIND: CellKind = CellKind::Whole;

    fn to_cell(&self) -> Cell {
        Cell::Whole(i64::try_from(*self).unwrap_or(i64::MAX))
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Whole(number) => number.try_into().ok(),
            _ => None,
        }
    }
}

impl Value for bool {
    const KIND: CellKind = CellKind::Truth;

    fn to_cell(&self) -> Cell {
        Cell::Truth(*self)
    }

    fn from_cell(cell: Cell) -> Option<Self> {
        match cell {
            Cell::Truth(truth) => Some(truth),
            _ => None,
        }
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
