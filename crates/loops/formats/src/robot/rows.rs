//! Motion of robots as rows of numbers, in CSV and in JSON.

use core::{f64::consts::FRAC_PI_2, fmt::Write as _};

use glam::{DQuat, DVec3, EulerRot};
use loopwright_core::{Skeleton, math::Rigid, motion::Hinges};
use serde_json::Value;

use super::{
    error::RobotMotionError,
    motion::{RobotMotion, Written, wxyz},
    source::Layout,
};
use crate::{error::ReadError, excerpt::one_line, limits::SizeLimits};

/// Frames per second of files that do not state them.
const UNITREE_FPS: f64 = 30.0;
const SEED_FPS: f64 = 120.0;

/// Returns the rate at which rows of a layout without a stated rate are read, frames per second.
pub(super) fn unstated_fps(layout: &Layout) -> Option<f64> {
    match layout {
        Layout::Unitree { .. } => Some(UNITREE_FPS),
        Layout::Seed => Some(SEED_FPS),
        _ => None,
    }
}

/// The header of the base in SEED's rows.
const SEED_BASE: [&str; 7] = [
    "Frame",
    "root_translateX",
    "root_translateY",
    "root_translateZ",
    "root_rotateX",
    "root_rotateY",
    "root_rotateZ",
];
const SEED_JOINT: &str = "_dof";

/// Joints that the shorter rows of Unitree leave out, by parts of their names.
const NOT_IN_SHORT: [&str; 4] = ["waist_roll", "waist_pitch", "wrist_pitch", "wrist_yaw"];

/// A frame time that some files use for a thirtieth of a second.
const ROUNDED_THIRTIETH: f64 = 0.033;

pub(super) type Robot<'a> = (&'a Skeleton, &'a Hinges);

/// Reads a rotation from the numbers of a row that begin with it.
type Turn = fn(&[f64]) -> DQuat;

fn xyzw(row: &[f64]) -> DQuat {
    DQuat::from_slice(row)
}

fn names<'a>((robot, hinges): Robot<'a>) -> Vec<&'a str> {
    hinges.each().map(|(joint, _)| &*robot.joint(joint).name).collect()
}

fn is_in_short(name: &str) -> bool {
    !NOT_IN_SHORT.iter().any(|part| name.contains(part))
}

/// Reads CSV: Unitree's without a header, SEED's with one.
pub(super) fn read_csv(bytes: &[u8], robot: Robot, _: &SizeLimits) -> Result<(RobotMotion, Layout), RobotMotionError> {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .peekable();
    let header = lines.next_if(|(_, line)| {
        let first = line.split(',').next();
        first.is_none_or(|cell| cell.trim().parse::<f64>().is_err())
    });
    let mut rows = Vec::new();
    for (line, text) in lines {
        let cells = text.split(',').map(|cell| {
            cell.trim().parse::<f64>().map_err(|_| RobotMotionError::Number {
                line: line + 1,
                found: one_line(cell),
            })
        });
        rows.push(cells.collect::<Result<Vec<f64>, _>>()?);
    }
    match header {
        Some((_, header)) => Ok((seed(header, &rows, robot)?, Layout::Seed)),
        None => unitree(&rows, robot),
    }
}

fn check_columns(rows: &[Vec<f64>], expected: &[usize]) -> Result<usize, RobotMotionError> {
    let first = rows.first().ok_or(RobotMotionError::NoRows)?.len();
    let wrong = |row: usize, expected: &[usize]| {
        let numbers: Vec<String> = expected.iter().map(usize::to_string).collect();
        Err(RobotMotionError::Columns {
            row,
            found: rows[row].len(),
            expected: numbers.join(" or "),
        })
    };
    if !expected.contains(&first) {
        return wrong(0, expected);
    }
    rows.iter()
        .position(|row| row.len() != first)
        .map_or(Ok(first), |row| wrong(row, &[first]))
}

fn unitree(rows: &[Vec<f64>], robot: Robot) -> Result<(RobotMotion, Layout), RobotMotionError> {
    let names = names(robot);
    let mut given: Vec<usize> = (0..names.len()).filter(|&hinge| is_in_short(names[hinge])).collect();
    let is_short = check_columns(rows, &[7 + names.len(), 7 + given.len()])? != 7 + names.len();
    if !is_short {
        given = (0..names.len()).collect();
    }
    let of_order = |order: Turn| -> Result<RobotMotion, RobotMotionError> {
        let mut motion = RobotMotion::new(UNITREE_FPS);
        for row in rows {
            let mut angles = vec![0.0; names.len()];
            for (&hinge, angle) in given.iter().zip(&row[7..]) {
                angles[hinge] = *angle;
            }
            motion.push(DVec3::from_slice(row), order(&row[3..7]), angles)?;
        }
        Ok(motion)
    };
    // Some files put w first: only in the right order are the soles on the ground.
    let (motion, other) = (of_order(xyzw)?, of_order(wxyz)?);
    let heights = [&motion, &other].map(|motion| motion.sole_height(robot.0, robot.1));
    let is_other = heights[1].zip(heights[0]).is_some_and(|(other, own)| other < own);
    Ok((if is_other { other } else { motion }, Layout::Unitree { is_short }))
}

fn seed(header: &str, rows: &[Vec<f64>], robot: Robot) -> Result<RobotMotion, RobotMotionError> {
    let columns: Vec<&str> = header.split(',').map(str::trim).collect();
    check_columns(rows, &[columns.len()])?;
    let column = |name: &str| columns.iter().position(|column| *column == name);
    let mut base = [0; 6];
    for (place, name) in base.iter_mut().zip(&SEED_BASE[1..]) {
        *place = column(name).ok_or_else(|| RobotMotionError::NoColumn {
            name: (*name).to_owned(),
        })?;
    }
    let names = names(robot);
    let bare = |name: &str| name.trim_end_matches(SEED_JOINT).trim_end_matches("_joint").to_owned();
    let hinges: Vec<Option<usize>> = names
        .iter()
        .map(|name| {
            columns
                .iter()
                .position(|column| column.ends_with(SEED_JOINT) && bare(column) == bare(name))
        })
        .collect();
    if hinges.iter().all(Option::is_none)
        && let Some(found) = columns.iter().find(|column| column.ends_with(SEED_JOINT))
    {
        return Err(RobotMotionError::NoJoint { name: one_line(found) });
    }
    let mut motion = RobotMotion::new(SEED_FPS);
    for row in rows {
        let at = |index: usize| row[base[index]];
        let place = DVec3::new(at(0), at(1), at(2)) / 100.0;
        let [x, y, z] = [3, 4, 5].map(|index| at(index).to_radians());
        let angles = hinges
            .iter()
            .map(|column| column.map_or(0.0, |column| row[column].to_radians()));
        motion.push(place, DQuat::from_euler(EulerRot::ZYX, z, y, x), angles)?;
    }
    Ok(motion)
}

/// Reads JSON with rows in `Frames`.
pub(super) fn read_json(text: &[u8], robot: Robot, limits: &SizeLimits) -> Result<(RobotMotion, Layout), ReadError> {
    limits.check_json(text)?;
    let file: Value = serde_json::from_slice(text).map_err(|error| RobotMotionError::Json {
        detail: error.to_string(),
    })?;
    let frames = file.get("Frames").and_then(Value::as_array);
    let row = |row: &Value| row.as_array()?.iter().map(Value::as_f64).collect::<Option<Vec<f64>>>();
    let rows: Option<Vec<Vec<f64>>> = frames.and_then(|frames| frames.iter().map(row).collect());
    let rows = rows.ok_or(RobotMotionError::NoKey { key: "Frames" })?;
    let (count, feet) = (names(robot).len(), robot.1.soles.len());
    let known = [7 + count, 8 + count, 13 + 2 * count + 6 * feet, 12 + 2 * count];
    let found = check_columns(&rows, &known)?;
    let stated = || {
        let secs = file.get("FrameDuration").and_then(Value::as_f64);
        let secs = secs.map(|secs| {
            if (secs - ROUNDED_THIRTIETH).abs() < 1e-9 {
                1.0 / 30.0
            } else {
                secs
            }
        });
        let key = "FrameDuration";
        secs.filter(|secs| *secs > 0.0).ok_or(RobotMotionError::NoKey { key })
    };
    // The column at which the base begins, and its rotation, which the angles follow.
    let (layout, base, width, rotation): (_, usize, usize, Turn) = if found == known[1] {
        (Layout::DeepMimic, 1, 4, wxyz)
    } else if found == known[3] {
        check_speeds(&rows, count, stated()?)?;
        (Layout::TienKung, 0, 3, |row| {
            DQuat::from_euler(EulerRot::XYZ, row[0], row[1], row[2])
        })
    } else if found == known[0] {
        (Layout::Imitation, 0, 4, xyzw)
    } else {
        (Layout::Hardware, 0, 4, xyzw)
    };
    let is_upright = layout == Layout::DeepMimic;
    let upright = DQuat::from_rotation_x(if is_upright { FRAC_PI_2 } else { 0.0 });
    let mut motion = RobotMotion::default();
    for row in &rows {
        motion.push(
            upright * DVec3::from_slice(&row[base..]),
            upright * rotation(&row[base + 3..]) * upright.conjugate(),
            row[base + 3 + width..][..count].iter().copied(),
        )?;
    }
    motion.fps = if is_upright {
        let num_steps = rows.len().saturating_sub(1).max(1);
        num_steps as f64 / rows[..num_steps].iter().map(|row| row[0]).sum::<f64>()
    } else {
        1.0 / stated()?
    };
    Ok((motion, layout))
}

/// Checks that velocities match the angles, which distinguishes two layouts of equal width. Errors: there is no base in the rows.
fn check_speeds(rows: &[Vec<f64>], count: usize, secs: f64) -> Result<(), RobotMotionError> {
    let (mut wrong, mut all) = (0.0, 0.0);
    // The first row of some files holds no velocities.
    for pair in rows.windows(2).skip(1) {
        for hinge in 0..count {
            let speed = (pair[1][6 + hinge] - pair[0][6 + hinge]) / secs;
            let stated = 0.5 * (pair[0][12 + count + hinge] + pair[1][12 + count + hinge]);
            wrong += (stated - speed).abs();
            all += stated.abs() + speed.abs();
        }
    }
    if wrong > 0.5 * all {
        Err(RobotMotionError::NoBase)
    } else {
        Ok(())
    }
}

/// Returns the rows of a motion, key by key.
fn rows(written: &Written<'_, '_>, layout: &Layout, step_secs: f64) -> impl Iterator<Item = Vec<f64>> {
    let names = names((&written.skeleton, &written.hinges));
    written.keys().enumerate().map(move |(number, keys)| {
        let base = keys.moving(0, Rigid::IDENTITY);
        let Rigid { rotation, translation } = base.at;
        let angles = &keys.own.angles;
        let velocities = || {
            [base.linear, base.angular]
                .map(|velocity| rotation.conjugate() * velocity)
                .into_iter()
                .flat_map(|velocity| velocity.to_array())
                .chain(keys.speeds())
        };
        let mut row: Vec<f64> = Vec::new();
        match layout {
            Layout::Seed => {
                let (z, y, x) = rotation.to_euler(EulerRot::ZYX);
                row.push(number as f64);
                row.extend((100.0 * translation).to_array());
                row.extend([x, y, z].map(f64::to_degrees));
                row.extend(angles.iter().map(|angle| angle.to_degrees()));
            }
            Layout::DeepMimic => {
                let level = DQuat::from_rotation_x(-FRAC_PI_2);
                let quat = level * rotation * level.conjugate();
                row.push(step_secs);
                row.extend((level * translation).to_array());
                row.extend([quat.w, quat.x, quat.y, quat.z]);
                row.extend(angles);
            }
            Layout::TienKung => {
                let (x, y, z) = rotation.to_euler(EulerRot::XYZ);
                row.extend(translation.to_array());
                row.extend([x, y, z]);
                row.extend(angles);
                row.extend(velocities());
            }
            _ => {
                row.extend(translation.to_array());
                row.extend(rotation.to_array());
                let is_short = *layout == Layout::Unitree { is_short: true };
                let kept = angles
                    .iter()
                    .zip(&names)
                    .filter(|(_, name)| !is_short || is_in_short(name));
                row.extend(kept.map(|(angle, _)| angle));
                if *layout == Layout::Hardware {
                    let (places, speeds) = keys.feet(&written.hinges);
                    row.extend(places.iter().flat_map(DVec3::to_array));
                    row.extend(velocities());
                    row.extend(speeds.iter().flat_map(DVec3::to_array));
                }
            }
        }
        row
    })
}

fn joined(row: &[f64], separator: &str) -> String {
    let cells: Vec<String> = row.iter().map(|number| format!("{number:.8}")).collect();
    cells.join(separator)
}

/// Writes CSV.
pub(super) fn write_csv(written: &Written<'_, '_>, layout: &Layout, step_secs: f64) -> String {
    let mut text = String::new();
    if *layout == Layout::Seed {
        let names: Vec<String> = SEED_BASE
            .into_iter()
            .map(str::to_owned)
            .chain(
                names((&written.skeleton, &written.hinges))
                    .into_iter()
                    .map(|name| format!("{name}{SEED_JOINT}")),
            )
            .collect();
        text += &names.join(",");
        text.push('\n');
    }
    for row in rows(written, layout, step_secs) {
        text += &joined(&row, ",");
        text.push('\n');
    }
    text
}

/// Writes JSON.
pub(super) fn write_json(written: &Written<'_, '_>, layout: &Layout, step_secs: f64) -> String {
    let mut text = if *layout == Layout::DeepMimic {
        let mode = if written.is_loop() { "wrap" } else { "none" };
        format!(
            "{{\n\"Loop\": \"{mode}\",\n\"CycleSyncRootPos\": true,\n\"CycleSyncRootRot\": false,\n\"CycleSyncRootHeight\": false,\n"
        )
    } else {
        let mode = if written.is_loop() { "Wrap" } else { "Clamp" };
        format!(
            "{{\n\"LoopMode\": \"{mode}\",\n\"FrameDuration\": {step_secs:?},\n\"EnableCycleOffsetPosition\": true,\n\"EnableCycleOffsetRotation\": true,\n\"MotionWeight\": 1.0,\n"
        )
    };
    text += "\"Frames\":\n[";
    for (number, row) in rows(written, layout, step_secs).enumerate() {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(text, "{comma}\n[{}]", joined(&row, ", "));
    }
    text += "\n]\n}\n";
    text
}
