//! A node between the skeleton of an FBX file and what it hangs from.

use ufbx::InheritMode;

use super::document::{count_objects, malformed, section};
use crate::fbx::{
    animation::{connect, properties, property},
    error::FbxError,
    form::{FbxFile, NodeForm},
    joints::ADDED_ROOT,
    keys::Keys,
    record::{Document, Record},
};

/// What the added root is: a bone, as rigs of games have it, unless Blender (3.4, `import_fbx.py`) would misread the file.
///
/// It makes a bone of a limb node, with its tip as far along Y as its children lie on average, and a child that rests exactly
/// there is joined to it and loses its place. And below a limb node it looks for no bones under a null, and stumbles over their
/// skins. A null becomes an object there, with neither fault.
fn kind_of_root(document: &Document<'_>, first: &NodeForm) -> &'static str {
    let rest = first.place_at_rest();
    let rests_on_tip = rest.y > 0.0 && rest.x.abs().max(rest.z.abs()) < ON_TIP * rest.y;
    let objects = document.records.iter().find(|record| *record.name == *b"Objects");
    let model = objects
        .into_iter()
        .flat_map(|objects| &objects.children)
        .find(|record| *record.name == *b"Model" && record.first_int() == Some(first.id));
    let is_bone = model.is_some_and(|model| matches!(model.kind_of_object(), Some(b"LimbNode" | b"Limb")));
    if is_bone && !rests_on_tip { "LimbNode" } else { "Null" }
}

/// How far beside the tip a joint rests on it, as a share of the way there; Blender takes a millionth.
const ON_TIP: f64 = 1e-4;

/// Puts a node between the first joint and what it hangs from.
pub(super) fn add_root_node(
    document: &mut Document<'_>,
    keys: &Keys,
    file: &FbxFile,
    id: i64,
) -> Result<NodeForm, FbxError> {
    let first = file.nodes.first().ok_or_else(|| malformed("no joints"))?;
    // A child that takes its parent's scale in its own way must find it there.
    let (mode, inherit_type) = match first.mode {
        InheritMode::Normal => (InheritMode::Normal, 1),
        InheritMode::IgnoreParentScale | InheritMode::ComponentwiseScale => (InheritMode::ComponentwiseScale, 0),
    };
    let name = &keys.skeleton.joint(0).name;
    let kind = kind_of_root(document, first);
    let connections = section(document, "Connections")?;
    let before = connect(first.id, file.above_id);
    let link = connections
        .children
        .iter_mut()
        .find(|record| record.has_attributes_of(&before))
        .ok_or_else(|| malformed("the first joint hangs from nothing"))?;
    *link = connect(first.id, id);
    connections.extend([connect(id, file.above_id), connect(id + 1, id)]);
    section(document, "Objects")?.extend([
        Record::new("NodeAttribute")
            .i64(id + 1)
            .text(&format!("{name}\0\x01NodeAttribute"))
            .text(kind)
            .with([Record::new("TypeFlags").text(if kind == "Null" { "Null" } else { "Skeleton" })]),
        Record::new("Model")
            .i64(id)
            .text(&format!("{name}\0\x01Model"))
            .text(kind)
            .with([
                Record::new("Version").i32(232),
                properties([
                    property("InheritType", "enum", "", "").i32(inherit_type),
                    property(ADDED_ROOT, "KString", "", "").text("travel"),
                ]),
                Record::new("Shading").bool(true),
                Record::new("Culling").text("CullingOff"),
            ]),
    ]);
    count_objects(document, "NodeAttribute", 1)?;
    count_objects(document, "Model", 1)?;
    Ok(NodeForm::plain(id, mode))
}
