//! Errors of NPZ files.

use crate::excerpt::list;

/// Why an NPZ file cannot be read.
#[error_kinds(Eq)]
pub enum NpzError {
    /// The archive ends before its contents do, or its parts contradict each other.
    #[error("not a readable zip archive: {detail}")]
    Archive { detail: &'static str },
    #[error("\"{name}\" is packed by method {method}; stored and deflated arrays are read")]
    Method { name: String, method: u16 },
    /// The bytes of an array contradict its header.
    #[error("\"{name}\" is damaged: {detail}")]
    Damaged { name: String, detail: &'static str },
    #[error("\"{name}\" states {stated} bytes, out of proportion to a file of {bytes} bytes")]
    OutOfProportion { name: String, stated: u64, bytes: usize },
    /// An array of Python objects, which runs code when it is loaded.
    #[error("\"{name}\" holds Python objects, which are not read")]
    Objects { name: String },
    #[error("\"{name}\" holds elements of the kind {found}, expected {expected}")]
    Kind {
        name: String,
        found: String,
        expected: &'static str,
    },
    #[error("\"{name}\" is in the order of Fortran; save it after numpy.ascontiguousarray")]
    Order { name: String },
    #[error("\"{name}\" has the shape {found:?}, expected {expected}")]
    Shape {
        name: String,
        found: Vec<usize>,
        expected: String,
    },
    #[error("there is no array \"{name}\"")]
    NoArray { name: &'static str },
    /// No known layout has these arrays.
    #[error("these are the arrays of no motion that is known: {}", list(.names))]
    Unknown { names: Vec<String> },
    #[error("the arrays are those of AMASS, whose skeleton is in the body model and not in the file")]
    Amass,
    #[error("two joints are named \"{name}\"")]
    SameName { name: String },
    #[error("joints are nested more deeply than {limit}")]
    TooDeep { limit: usize },
    #[error("\"{name}\" holds an invalid rotation, that of joint {joint} at frame {frame}")]
    NoRotation {
        name: &'static str,
        /// Frame, counted from 0.
        frame: usize,
        joint: usize,
    },
    #[error("\"{name}\" holds a number that is not finite or beyond any plausible size, its element {element}")]
    OutOfRange { name: String, element: usize },
}

impl NpzError {
    /// Advises what to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::Unknown { .. } | Self::NoArray { .. } => {
                "the arrays that `loopwright convert walk.bvh walk.npz` writes, which docs/formats/npz.md lists"
            }
            Self::Amass => "the motion as BVH or FBX, from a program that has the body model",
            Self::Objects { .. } => {
                "the array saved with a plain dtype, so that numpy.load reads it without allow_pickle"
            }
            _ => "the file saved again with numpy.savez",
        }
    }
}
