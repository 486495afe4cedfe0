//! Reads URDF: links that joints join to a tree.

use std::collections::{HashMap, HashSet};

use glam::DVec3;
use loopwright_core::math::{Rigid, rotation};
use roxmltree::Node;

use super::{
    body::{Attribute, RawBody, RawHinge, check_depth, shape_points},
    error::RobotError,
};
use crate::excerpt::one_line;

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Option<Node<'a, 'i>> {
    node.children().find(|child| child.has_tag_name(name))
}

fn name_of<'a>(node: Node<'a, '_>) -> &'a str {
    node.attribute("name").unwrap_or_default()
}

/// Returns an attribute of a node, if there is one, which describes that element.
fn attribute<'a>(element: &'a str, node: Option<Node<'a, '_>>, name: &'static str) -> Attribute<'a> {
    Attribute {
        element,
        name,
        text: node.and_then(|node| node.attribute(name)),
    }
}

/// Returns the bodies of a robot, each after the one that it hangs from.
pub(super) fn bodies(robot: Node<'_, '_>) -> Result<Vec<RawBody>, RobotError> {
    let each_link = || robot.children().filter(|node| node.has_tag_name("link"));
    let links: HashMap<&str, Node<'_, '_>> = each_link().map(|node| (name_of(node), node)).collect();
    let mut below: HashMap<&str, Vec<(&str, Node<'_, '_>)>> = HashMap::new();
    let mut hanging: HashSet<&str> = HashSet::new();
    for joint in robot.children().filter(|node| node.has_tag_name("joint")) {
        let end = |name: &str| {
            child(joint, name)
                .and_then(|end| end.attribute("link"))
                .unwrap_or_default()
        };
        let (parent, link) = (end("parent"), end("child"));
        for name in [parent, link] {
            if !links.contains_key(name) {
                return Err(RobotError::NoLink { name: one_line(name) });
            }
        }
        if !hanging.insert(link) {
            return Err(RobotError::NoTree { name: one_line(link) });
        }
        below.entry(parent).or_default().push((link, joint));
    }
    let tops: Vec<&str> = each_link()
        .map(name_of)
        .filter(|name| !hanging.contains(name))
        .collect();
    let &[top] = &tops[..] else {
        return Err(match tops.get(1) {
            Some(name) => RobotError::NoTree { name: one_line(name) },
            None => RobotError::NoBodies,
        });
    };
    let mut bodies = Vec::new();
    let mut open = vec![(top, None, None, 0)];
    while let Some((name, joint, parent, depth)) = open.pop() {
        check_depth(depth)?;
        let mut body = RawBody {
            name: one_line(name),
            parent,
            ..RawBody::default()
        };
        if let Some(joint) = joint {
            body.place = Some(origin(joint)?);
            body.hinges.extend(hinge(joint)?);
        }
        if let Some(&link) = links.get(name) {
            for collision in link.children().filter(|node| node.has_tag_name("collision")) {
                shape(collision, &mut body)?;
            }
        }
        // A floating base below a link without a shape is the base itself.
        let number = bodies.len();
        bodies.push(body);
        open.extend(
            below
                .get(name)
                .map_or(&[][..], Vec::as_slice)
                .iter()
                .rev()
                .map(|&(link, joint)| (link, Some(joint), Some(number), depth + 1)),
        );
    }
    Ok(without_floating(bodies))
}

/// Returns the bodies without a world above the base, which a floating joint joined.
fn without_floating(mut bodies: Vec<RawBody>) -> Vec<RawBody> {
    let floats = bodies
        .get(1)
        .is_some_and(|body| body.hinges.iter().any(|hinge| hinge.axis == DVec3::ZERO));
    let is_world = floats && !bodies[2..].iter().any(|body| body.parent == Some(0));
    if is_world {
        bodies.remove(0);
        for body in &mut bodies {
            body.parent = body.parent.and_then(|parent| parent.checked_sub(1));
        }
    }
    bodies
        .iter_mut()
        .for_each(|body| body.hinges.retain(|hinge| hinge.axis != DVec3::ZERO));
    bodies
}

fn origin(node: Node<'_, '_>) -> Result<Rigid, RobotError> {
    let Some(origin) = child(node, "origin") else {
        return Ok(Rigid::IDENTITY);
    };
    let read = |name: &'static str| attribute(name_of(node), Some(origin), name).vector();
    let [place, angles] = [read("xyz")?, read("rpy")?].map(Option::unwrap_or_default);
    let turn = |axis: DVec3, angle: f64| rotation::exp(axis * angle);
    let rotation = turn(DVec3::Z, angles.z) * turn(DVec3::Y, angles.y) * turn(DVec3::X, angles.x);
    Ok(Rigid::new(rotation, place))
}

/// Returns the hinge of a joint, `None` for a fixed one; that of a floating joint has no axis.
fn hinge(joint: Node<'_, '_>) -> Result<Option<RawHinge>, RobotError> {
    let name = one_line(name_of(joint));
    let kind = joint.attribute("type").unwrap_or_default();
    let mut axis = attribute(&name, child(joint, "axis"), "xyz")
        .vector()?
        .unwrap_or(DVec3::X);
    match kind {
        "fixed" => return Ok(None),
        "revolute" | "continuous" => {}
        "floating" => axis = DVec3::ZERO,
        _ => {
            return Err(RobotError::Kind {
                name,
                kind: one_line(kind),
            });
        }
    }
    let limit = child(joint, "limit");
    let read = |key: &'static str| attribute(&name, limit, key).number();
    let limits = (kind == "revolute").then_some([read("lower")?.unwrap_or(0.0), read("upper")?.unwrap_or(0.0)]);
    let speed = read("velocity")?.filter(|&speed| speed > 0.0);
    Ok(Some(RawHinge {
        limits: limits.filter(|[least, most]| least < most),
        speed,
        anchor: DVec3::ZERO,
        axis,
        reference: 0.0,
        name,
    }))
}

fn shape(collision: Node<'_, '_>, body: &mut RawBody) -> Result<(), RobotError> {
    let Some(shape) = child(collision, "geometry").and_then(|shape| shape.first_element_child()) else {
        return Ok(());
    };
    let kind = shape.tag_name().name();
    let read = |key: &'static str| attribute(&body.name, Some(shape), key).numbers();
    let size = match kind {
        "mesh" => {
            body.has_mesh = true;
            return Ok(());
        }
        "box" => read("size")?.iter().map(|side| 0.5 * side).collect(),
        _ => {
            let mut size = read("radius")?;
            size.extend(read("length")?.iter().map(|length| 0.5 * length));
            size
        }
    };
    body.points.extend(shape_points(kind, &size, origin(collision)?));
    Ok(())
}
