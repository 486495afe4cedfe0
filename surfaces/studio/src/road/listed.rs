//! The animations of a file as a list: the length of each, and its kind of motion.

use loopwright_formats::{AnimatedFile, AnimationChoice, SizeLimits};
use loopwright_job::recipe::StudyArgs;

use super::{Sketch, opened::stem_of};

/// Joints times frames that are studied in one piece of work: about a third of a second.
const PIECE: usize = 200_000;

/// An animation of a file.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Listed {
    /// Length, seconds; `None` if it cannot be read.
    pub secs: Option<f64>,
    /// Mean speed of the body over the ground, metres per second.
    pub mps: Option<f64>,
    /// The kind of motion in one word; empty if it cannot be studied.
    pub kind: String,
    /// The body in the middle of it; empty if it cannot be studied.
    pub sketch: Sketch,
}

/// Returns the names of all animations of a file, and describes some of them, in order from the index `from`; nothing if the file cannot be
/// read.
pub fn list(file_name: &str, bytes: &[u8], study: &StudyArgs, from: usize) -> (Vec<String>, Vec<Listed>) {
    let Ok(file) = AnimatedFile::parse(bytes, stem_of(file_name), None) else {
        return (Vec::new(), Vec::new());
    };
    // Each animation is studied on its own body.
    let study = StudyArgs {
        rig: None,
        map: None,
        bone_stretch: None,
        ..study.clone()
    };
    let mut listed = Vec::new();
    let mut studied = 0;
    for number in from..file.num_animations() {
        if studied > PIECE {
            break;
        }
        let settings = study.settings(study.space(), AnimationChoice::Number(number), SizeLimits::default());
        let read = file.read(&settings, &mut Vec::new()).ok();
        let secs = read.as_ref().map(|loaded| loaded.take.duration_secs());
        studied += read
            .as_ref()
            .map_or(0, |loaded| loaded.take.num_frames() * loaded.take.num_joints());
        let analysed = read.and_then(|loaded| {
            let study = loopwright_job::Study::new(study.clone(), None).ok()?;
            study.analyse(file_name, loaded, Vec::new()).ok()
        });
        listed.push(match analysed {
            Some(of) => {
                let [first, last] = [0, of.take().num_frames() - 1]
                    .map(|frame| of.analysis.world.position(frame, of.analysis.body.hips));
                let span = of.take().duration_secs().max(f64::MIN_POSITIVE);
                Listed {
                    secs,
                    kind: of.analysis.motion_kind(None, None).to_string(),
                    mps: Some((last - first).with_y(0.0).length() / span),
                    sketch: Sketch::of_take(&of.analysis, of.take().num_frames() / 2),
                }
            }
            None => Listed {
                secs,
                ..Listed::default()
            },
        });
    }
    (file.animation_names().to_vec(), listed)
}
