//! The answer of `set`.

use std::path::Path;

use loopwright_formats::{
    loop_file::facts::Grade,
    set::{MadeFrom, Manifest},
};

use super::table::width_of;

/// Lists each clip on a line, and what is missing.
pub fn human(set: &Manifest, path: &Path) -> String {
    let mut text = String::new();
    let widest = width_of(set.clips.iter().map(|clip| &clip.name));
    for clip in &set.clips {
        text += &format!("{:widest$}  {:>5.2} s", clip.name, clip.seconds);
        if let (Some(speed), Some(turn)) = (clip.speed_mps, clip.turn_rate_dps) {
            text += &format!("  {speed:>5.2} m/s  {:>6.1} deg/s", (10.0 * turn).round() / 10.0 + 0.0);
        }
        if clip.is_action() {
            let next = clip.next.first().map_or("nothing", |next| &next.clip);
            text += &format!("  {}, then {next}", clip.kind.as_str());
        } else if let (Some(turn), Some(cost)) = (clip.turn_deg, clip.cost) {
            let ends = [&clip.from, &clip.to].map(|state| state.as_ref().map_or("", |state| state.clip.as_str()));
            text += &format!(
                "  {} to {}, {:.0} deg, cost {cost:.3}",
                ends[0],
                ends[1],
                // Adding zero removes the sign of a negative zero.
                turn.round() + 0.0
            );
        }
        text += &format!("  {:6}", clip.grade.map_or("", Grade::as_str));
        let from = match clip.made.from {
            MadeFrom::Take | MadeFrom::Other => clip.made.take.clone(),
            MadeFrom::Mirror | MadeFrom::Blend => {
                let of = set
                    .filled
                    .iter()
                    .find(|filled| filled.clip == clip.name)
                    .map_or_else(String::new, |filled| filled.from.join(", "));
                match clip.made.from {
                    MadeFrom::Mirror if of.is_empty() => format!("mirrored {}", clip.made.take),
                    MadeFrom::Mirror => format!("mirrored {of}"),
                    _ => format!("blended {of}"),
                }
            }
        };
        text += &format!("  {from}");
        if let Some(reason) = &clip.reason {
            text += &format!(": {reason}");
        }
        text.push('\n');
    }
    text += &format!(
        "{}: {} clips at {} frames per second, {} transitions, {} missing, {} takes left out\n",
        path.display(),
        set.clips.len(),
        set.fps,
        set.transitions.len(),
        set.missing.len(),
        set.left_out.len()
    );
    text
}
