//! Inserts a node between the skeleton of an FBX file and its parent.

use ufbx::InheritMode;

use super::document::{change_count, malformed, objects, section};
use crate::fbx::{
    animation::{attribute_and_model, connect, property},
    error::FbxError,
    form::{FbxFile, NodeForm},
    joints::ADDED_ROOT,
    record::{Document, Record},
};

/// Returns the kind of the added root: a bone, as in game rigs, unless Blender (3.4, `import_fbx.py`) would misread the file.
///
/// Blender makes a bone of a limb node, with its tip along Y at the mean distance of its children. A child that rests exactly
/// there is joined to it and loses its translation. Also, below a limb node it finds no bones under a null, and fails on their
/// skins. A null becomes an object in Blender, without either fault.
fn kind_of_root(document: &Document<'_>, first: &NodeForm) -> &'static str {
    let rest = first.translation_at_rest();
    let rests_on_tip = rest.y > 0.0 && rest.x.abs().max(rest.z.abs()) < ON_TIP * rest.y;
    let mut objects = objects(document).iter();
    let model = objects.find(|record| *record.name == *b"Model" && record.first_int() == Some(first.id));
    let is_bone = model.is_some_and(|model| matches!(model.kind_of_object(), Some(b"LimbNode" | b"Limb")));
    if is_bone && !rests_on_tip { "LimbNode" } else { "Null" }
}

/// Largest distance from the tip at which a joint counts as resting on it, as a share of the length; Blender uses a millionth.
const ON_TIP: f64 = 1e-4;

/// Inserts a node between the first joint and its parent.
pub(super) fn add_root_node(
    document: &mut Document,
    name: &str,
    file: &FbxFile,
    id: i64,
) -> Result<NodeForm, FbxError> {
    let first = file.nodes.first().ok_or_else(|| malformed("no joints"))?;
    // A child with its own inheritance of the parent's scale must find that scale there.
    let (mode, inherit_type) = match first.mode {
        InheritMode::Normal => (InheritMode::Normal, 1),
        InheritMode::IgnoreParentScale | InheritMode::ComponentwiseScale => (InheritMode::ComponentwiseScale, 0),
    };
    let kind = kind_of_root(document, first);
    let connections = section(document, "Connections")?;
    let before = connect(first.id, file.above_id);
    let link = connections
        .children
        .iter_mut()
        .find(|record| record.has_attributes_of(&before));
    let link = link.ok_or_else(|| malformed("the first joint hangs from nothing"))?;
    *link = connect(first.id, id);
    connections.extend([connect(id, file.above_id), connect(id + 1, id)]);
    let flags = if kind == "Null" { "Null" } else { "Skeleton" };
    section(document, "Objects")?.extend(attribute_and_model(
        id,
        name,
        kind,
        [Record::new("TypeFlags").text(flags)],
        [
            property("InheritType", "enum", "", "").i32(inherit_type),
            property(ADDED_ROOT, "KString", "", "").text("travel"),
        ],
    ));
    change_count(document, "NodeAttribute", 1)?;
    change_count(document, "Model", 1)?;
    Ok(NodeForm::plain(id, mode))
}
