//! Reads MJCF, the files of MuJoCo: bodies in bodies, with defaults by class.

use std::collections::HashMap;

use glam::{DMat3, DQuat, DVec3};
use loopwright_core::math::{Rigid, rotation};
use roxmltree::Node;

use super::{
    body::{Attribute, RawBody, RawHinge, check_depth, shape_points},
    error::RobotError,
};
use crate::excerpt::one_line;

/// The class that applies where none is named.
const MAIN: &str = "main";

/// Most attributes of all classes, with those that they inherit: robots stay below some thousand. More would let a small file fill the memory.
const MOST_ATTRIBUTES: usize = 100_000;

/// The attributes that a class sets, by element and attribute name.
type Class<'a> = HashMap<(&'a str, &'a str), &'a str>;

/// The settings that apply to the whole file.
struct File<'a> {
    classes: HashMap<&'a str, Class<'a>>,
    /// The attributes of all classes that were read.
    num_attributes: usize,
    in_radians: bool,
    has_auto_limits: bool,
    euler: &'a str,
}

/// An element of the file, and the class that applies to it.
struct Element<'f, 'a, 'i> {
    file: &'f File<'a>,
    node: Node<'a, 'i>,
    class: &'f Class<'a>,
    name: String,
}

/// Returns the bodies of a robot, each after the one that it hangs from.
pub(super) fn bodies<'a>(root: Node<'a, '_>) -> Result<Vec<RawBody>, RobotError> {
    let mut file = File {
        classes: HashMap::from([(MAIN, Class::new())]),
        num_attributes: 0,
        in_radians: false,
        has_auto_limits: true,
        euler: "xyz",
    };
    for node in root.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "compiler" => {
                file.in_radians |= node.attribute("angle") == Some("radian");
                file.has_auto_limits &= node.attribute("autolimits") != Some("false");
                file.euler = node.attribute("eulerseq").unwrap_or(file.euler);
            }
            "default" => file.read_defaults(node, MAIN, 0)?,
            _ => {}
        }
    }
    let tops: Vec<Node<'a, '_>> = root
        .children()
        .filter(|node| node.has_tag_name("worldbody"))
        .flat_map(|world| world.children().filter(|node| node.has_tag_name("body")))
        .collect();
    let free = tops.iter().find(|node| {
        node.children().any(|joint| {
            joint.has_tag_name("freejoint") || joint.has_tag_name("joint") && joint.attribute("type") == Some("free")
        })
    });
    let Some(&top) = free.or(tops.first()) else {
        let included = root.descendants().find(|node| node.has_tag_name("include"));
        return Err(match included.and_then(|node| node.attribute("file")) {
            Some(file) => RobotError::Includes { file: one_line(file) },
            None => RobotError::NoBodies,
        });
    };
    let mut bodies = Vec::new();
    file.read_body(top, None, MAIN, Rigid::IDENTITY, &mut bodies, 0)?;
    Ok(bodies)
}

impl<'a> File<'a> {
    /// Reads a class and those inside it, which inherit from it.
    fn read_defaults(&mut self, node: Node<'a, '_>, above: &'a str, depth: usize) -> Result<(), RobotError> {
        check_depth(depth)?;
        let name = node.attribute("class").unwrap_or(MAIN);
        let mut class = self.classes[above].clone();
        for element in node
            .children()
            .filter(|child| child.is_element() && !child.has_tag_name("default"))
        {
            for attribute in element.attributes() {
                class.insert((element.tag_name().name(), attribute.name()), attribute.value());
            }
        }
        self.num_attributes += class.len();
        if self.num_attributes > MOST_ATTRIBUTES {
            return Err(RobotError::Defaults { limit: MOST_ATTRIBUTES });
        }
        self.classes.insert(name, class);
        for inner in node.children().filter(|child| child.has_tag_name("default")) {
            self.read_defaults(inner, name, depth + 1)?;
        }
        Ok(())
    }

    fn element<'f, 'i>(&'f self, node: Node<'a, 'i>, class: &'a str) -> Result<Element<'f, 'a, 'i>, RobotError> {
        let class = node.attribute("class").unwrap_or(class);
        Ok(Element {
            file: self,
            node,
            class: self
                .classes
                .get(class)
                .ok_or_else(|| RobotError::NoClass { name: one_line(class) })?,
            name: one_line(node.attribute("name").unwrap_or_default()),
        })
    }

    /// Reads a body and those below it; `frame` is the frame of the surrounding elements that are no bodies.
    fn read_body(
        &self,
        node: Node<'a, '_>,
        parent: Option<usize>,
        class: &'a str,
        frame: Rigid,
        bodies: &mut Vec<RawBody>,
        depth: usize,
    ) -> Result<(), RobotError> {
        let own = self.element(node, MAIN)?;
        let number = bodies.len();
        bodies.push(RawBody {
            name: if own.name.is_empty() {
                format!("body{number}")
            } else {
                own.name.clone()
            },
            parent,
            place: Some(frame * own.place()?),
            ..RawBody::default()
        });
        self.read_inside(
            node,
            number,
            node.attribute("childclass").unwrap_or(class),
            Rigid::IDENTITY,
            bodies,
            depth + 1,
        )
    }

    /// Reads what is inside a body, or inside a frame in it.
    fn read_inside(
        &self,
        node: Node<'a, '_>,
        body: usize,
        class: &'a str,
        frame: Rigid,
        bodies: &mut Vec<RawBody>,
        depth: usize,
    ) -> Result<(), RobotError> {
        check_depth(depth)?;
        for child in node.children().filter(Node::is_element) {
            match child.tag_name().name() {
                "body" => self.read_body(child, Some(body), class, frame, bodies, depth)?,
                "frame" => {
                    let inner = frame * self.element(child, MAIN)?.place()?;
                    self.read_inside(
                        child,
                        body,
                        child.attribute("childclass").unwrap_or(class),
                        inner,
                        bodies,
                        depth + 1,
                    )?;
                }
                "joint" => {
                    let hinge = self.element(child, class)?.hinge(frame, &bodies[body].name)?;
                    bodies[body].hinges.extend(hinge);
                }
                "geom" => self.element(child, class)?.shape(frame, &mut bodies[body])?,
                "include" => {
                    return Err(RobotError::Includes {
                        file: one_line(child.attribute("file").unwrap_or_default()),
                    });
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Element<'_, '_, '_> {
    /// Returns an attribute, from the element or from its class.
    fn get(&self, name: &'static str) -> Attribute<'_> {
        Attribute {
            element: &self.name,
            name,
            text: self
                .node
                .attribute(name)
                .or_else(|| self.class.get(&(self.node.tag_name().name(), name)).copied()),
        }
    }

    fn angle(&self, number: f64) -> f64 {
        if self.file.in_radians {
            number
        } else {
            number.to_radians()
        }
    }

    /// Returns its place in the frame around it.
    fn place(&self) -> Result<Rigid, RobotError> {
        Ok(Rigid::new(
            self.rotation()?,
            self.get("pos").vector()?.unwrap_or(DVec3::ZERO),
        ))
    }

    fn rotation(&self) -> Result<DQuat, RobotError> {
        if let Some([w, x, y, z]) = self.get("quat").exactly()? {
            let quat = DQuat::from_xyzw(x, y, z, w);
            let length = quat.length();
            return if length > 1e-9 {
                Ok(quat / length)
            } else {
                Err(self.get("quat").wrong("a rotation"))
            };
        }
        if let Some(angles) = self.get("euler").exactly::<3>()? {
            let mut turned = DQuat::IDENTITY;
            for (letter, angle) in self.file.euler.chars().zip(angles) {
                let axis = match letter.to_ascii_lowercase() {
                    'x' => DVec3::X,
                    'y' => DVec3::Y,
                    _ => DVec3::Z,
                };
                let turn = rotation::exp(axis * self.angle(angle));
                turned = if letter.is_ascii_lowercase() {
                    turned * turn
                } else {
                    turn * turned
                };
            }
            return Ok(turned);
        }
        if let Some([x, y, z, angle]) = self.get("axisangle").exactly()? {
            return Ok(rotation::exp(
                DVec3::new(x, y, z).normalize_or_zero() * self.angle(angle),
            ));
        }
        if let Some([a, b, c, d, e, f]) = self.get("xyaxes").exactly()? {
            let (x, y) = (DVec3::new(a, b, c).normalize_or(DVec3::X), DVec3::new(d, e, f));
            let y = (y - y.dot(x) * x)
                .try_normalize()
                .ok_or_else(|| self.get("xyaxes").wrong("two axes"))?;
            return Ok(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))));
        }
        match self.get("zaxis").vector()? {
            Some(axis) => Ok(DQuat::from_rotation_arc(DVec3::Z, axis.normalize_or(DVec3::Z))),
            None => Ok(DQuat::IDENTITY),
        }
    }

    /// Returns the hinge that a joint is; `None` if it frees the base.
    fn hinge(&self, frame: Rigid, body: &str) -> Result<Option<RawHinge>, RobotError> {
        let name = if self.name.is_empty() { body } else { &self.name };
        match self.get("type").text.unwrap_or("hinge") {
            "hinge" => {}
            "free" => return Ok(None),
            kind => {
                return Err(RobotError::Kind {
                    name: name.to_owned(),
                    kind: one_line(kind),
                });
            }
        }
        let limited = self.get("limited").text.unwrap_or("auto");
        let range = match self.get("range").numbers()?[..] {
            [least, most] if least < most => Some([self.angle(least), self.angle(most)]),
            _ => None,
        };
        let is_limited = limited == "true" || limited == "auto" && self.file.has_auto_limits;
        Ok(Some(RawHinge {
            name: name.to_owned(),
            anchor: frame.transform_point(self.get("pos").vector()?.unwrap_or(DVec3::ZERO)),
            axis: frame.rotation * self.get("axis").vector()?.unwrap_or(DVec3::Z),
            limits: range.filter(|_| is_limited),
            speed: None,
            reference: self.angle(self.get("ref").number()?.unwrap_or(0.0)),
        }))
    }

    /// Adds a shape, if it collides.
    fn shape(&self, frame: Rigid, body: &mut RawBody) -> Result<(), RobotError> {
        let touches = |attribute: &'static str| self.get(attribute).text.is_none_or(|text| text.trim() != "0");
        if !touches("contype") && !touches("conaffinity") {
            return Ok(());
        }
        let named = self.get("mesh").text.map_or("sphere", |_| "mesh");
        let kind = self.get("type").text.unwrap_or(named);
        if kind == "mesh" {
            body.has_mesh = true;
            return Ok(());
        }
        let mut size = self.get("size").numbers()?;
        let mut place = self.place()?;
        if let Some([a, b, c, d, e, f]) = self.get("fromto").exactly()? {
            let (from, to) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
            place = Rigid::new(
                DQuat::from_rotation_arc(DVec3::Z, (from - to).normalize_or(DVec3::Z)),
                0.5 * (from + to),
            );
            let half = 0.5 * from.distance(to);
            let radius = size.first().copied().unwrap_or(0.0);
            size = if kind == "capsule" || kind == "cylinder" {
                vec![radius, half]
            } else {
                vec![radius, radius, half]
            };
        }
        body.points.extend(shape_points(kind, &size, frame * place));
        Ok(())
    }
}
