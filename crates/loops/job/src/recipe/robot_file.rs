//! The file of a robot, which is read as soon as it is named.

use std::{fs, path::PathBuf, sync::Arc};

use loopwright_core::Skeleton;
use loopwright_formats::read_robot;

use super::words::Written;

/// Longest description of a robot that is read, bytes.
const MOST_BYTES: u64 = 64 << 20;

/// A robot and the file that describes it.
#[value]
pub struct RobotFile {
    /// Path of the file, as the user gave it.
    pub path: PathBuf,
    /// Its skeleton, with hinges.
    pub robot: Arc<Skeleton>,
}

impl Written for RobotFile {
    fn written(&self) -> String {
        self.path.display().to_string()
    }

    fn read(text: &str) -> Result<Self, String> {
        let path = PathBuf::from(text);
        let cannot = |why: &dyn core::fmt::Display| format!("must be the MJCF or URDF file of a robot: {why}");
        if fs::metadata(&path).map_err(|error| cannot(&error))?.len() > MOST_BYTES {
            return Err(cannot(&"it is too large"));
        }
        let robot = read_robot(&fs::read(&path).map_err(|error| cannot(&error))?).map_err(|error| cannot(&error))?;
        Ok(Self {
            path,
            robot: Arc::new(robot),
        })
    }
}
