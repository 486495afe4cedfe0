//! Meshes as they are drawn: with few enough triangles, and colours as screens show them.

use loopwright_formats::mesh::Mesh;

/// Returns a mesh of as few vertices and triangles as fit, without vertices that no triangle has; `None` if it cannot be that
/// small.
pub(crate) fn thinned(mesh: &Mesh, fits: impl Fn(usize, usize) -> bool) -> Option<Mesh> {
    /// Cells along the longest side of a thinned mesh: from sizes that hardly show to sizes at which a body is hardly recognizable.
    const CELLS: [f32; 24] = [
        1000.0, 700.0, 500.0, 400.0, 320.0, 260.0, 220.0, 190.0, 165.0, 145.0, 130.0, 115.0, 100.0, 88.0, 76.0, 66.0,
        54.0, 40.0, 28.0, 14.0, 10.0, 7.0, 5.0, 3.0,
    ];
    let few = |indices: &[u32]| {
        let mut places = vec![None; mesh.vertices.len()];
        let mut kept = Vec::new();
        let indices: Vec<u32> = indices
            .iter()
            .map(|&index| {
                *places[index as usize].get_or_insert_with(|| {
                    kept.push(mesh.vertices[index as usize]);
                    kept.len() as u32 - 1
                })
            })
            .collect();
        let is_there = !indices.is_empty() && fits(kept.len(), indices.len() / 3);
        is_there.then(|| Mesh {
            vertices: kept,
            bones: mesh.bones.clone(),
            indices,
            ..Mesh::default()
        })
    };
    few(&mesh.indices).or_else(|| CELLS.into_iter().find_map(|cells| few(&mesh.coarse(cells))))
}

/// Returns a linear channel as a screen value: a square root approximates the transfer curve, as a square does its inverse.
pub(crate) fn to_screen(channel: f32) -> f32 {
    channel.clamp(0.0, 1.0).sqrt()
}
