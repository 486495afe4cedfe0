//! Bodies that are meshes: drawn where their bones are, in their colours, and small on a page.

use std::sync::Arc;

use glam::{DAffine3, Vec3};
use loopwright_core::{Analysis, Cut, LoopSettings};
use loopwright_draw::{
    Figure, Surface,
    render::{DrawnMotion, Scene, SceneSettings, View, onion},
    report::{LoopEntry, PageHeading, Panel, page},
};
use loopwright_formats::{
    loop_file::facts::QualityFacts,
    mesh::{Bone, Mesh, MeshImage, MeshPart, Vertex},
};
use resvg::tiny_skia::{ColorU8, Pixmap};

use crate::support::{made, snapshot::assert_like_snapshot, walk};

/// Returns a ball of so many rings around every joint, joined in its halves by two colours of a texture.
fn balls(joints: usize, rings: u32) -> Mesh {
    let mut mesh = Mesh::default();
    let around = 2 * rings;
    for joint in 0..joints {
        let first = mesh.vertices.len() as u32;
        mesh.bones.push(Bone {
            joint,
            joint_from_mesh: DAffine3::from_scale(glam::DVec3::splat(0.01)),
        });
        for ring in 0..=rings {
            for step in 0..around {
                let (down, along) = (
                    core::f32::consts::PI * ring as f32 / rings as f32,
                    core::f32::consts::TAU * step as f32 / around as f32,
                );
                let normal = Vec3::new(down.sin() * along.cos(), down.cos(), down.sin() * along.sin());
                mesh.vertices.push(Vertex {
                    position: (9.0 * normal).to_array(),
                    normal: normal.to_array(),
                    texture_at: [if ring < rings / 2 { 0.25 } else { 0.75 }, 0.5],
                    colour: [1.0; 3],
                    bones: [joint as u16, 0, 0, 0],
                    weights: [1.0, 0.0, 0.0, 0.0],
                });
                if ring < rings {
                    let [a, b] = [step, (step + 1) % around].map(|step| first + ring * around + step);
                    mesh.indices.extend([a, b, a + around, b, b + around, a + around]);
                }
            }
        }
    }
    let mut picture = Pixmap::new(2, 1).unwrap();
    let colours = [[230, 20, 20], [20, 60, 230]].map(|[red, green, blue]| ColorU8::from_rgba(red, green, blue, 255));
    for (pixel, colour) in picture.pixels_mut().iter_mut().zip(colours) {
        *pixel = colour.premultiply();
    }
    mesh.images = vec![MeshImage::Here(picture.encode_png().unwrap().into())];
    mesh.parts = vec![MeshPart {
        indices: 0..mesh.indices.len(),
        image: Some(0),
    }];
    mesh
}

fn surface(mesh: Mesh) -> Option<Arc<Surface>> {
    Surface::new(mesh, |_| None).map(Arc::new)
}

fn motion(analysis: &Analysis, surface: Option<Arc<Surface>>) -> DrawnMotion {
    let figure = Figure::new(&analysis.take, &analysis.body).with_surface(surface);
    DrawnMotion::of_take(analysis, &figure, 0, analysis.take.num_frames() - 1).unwrap()
}

fn small() -> SceneSettings {
    SceneSettings {
        view: View::ThreeQuarter,
        size: [144, 144],
        ..SceneSettings::default()
    }
}

/// How many pixels are clearly red, and clearly blue.
fn red_and_blue(rgb: &[u8]) -> [usize; 2] {
    let (pixels, _) = rgb.as_chunks::<3>();
    let more = |one: u8, other: u8| one > other.saturating_add(60);
    [
        pixels.iter().filter(|p| more(p[0], p[1]) && more(p[0], p[2])).count(),
        pixels.iter().filter(|p| more(p[2], p[0]) && more(p[2], p[1])).count(),
    ]
}

#[test]
fn a_mesh_is_drawn_in_the_colours_of_its_texture() {
    let analysis = walk(1.0, |_| {});
    let joints = analysis.take.num_joints();
    let motion = motion(&analysis, surface(balls(joints, 8)));
    let scene = Scene::new(&motion, &small(), "balls").unwrap();
    let picture = scene.frame(0.3).unwrap();
    assert_like_snapshot("render-mesh", &picture.png().unwrap());
    let [red, blue] = red_and_blue(&picture.rgb());
    assert!(red > 300 && blue > 300, "{red} and {blue} pixels");
}

#[test]
fn without_a_mesh_or_with_that_of_another_skeleton_there_are_capsules() {
    let analysis = walk(1.0, |_| {});
    let joints = analysis.take.num_joints();
    let stand_in = Mesh {
        is_stand_in: true,
        ..balls(joints, 4)
    };
    assert!(surface(Mesh::default()).is_none() && surface(stand_in).is_none());
    let plain = motion(&analysis, None);
    assert!(motion(&analysis, surface(balls(joints + 1, 4))) == plain);
    assert!(motion(&analysis, surface(balls(joints, 4))) != plain);
}

#[test]
fn odd_meshes_are_drawn_as_far_as_they_can_be() {
    let analysis = walk(1.0, |_| {});
    let joints = analysis.take.num_joints();
    let mut odd = balls(joints, 4);
    odd.images = vec![MeshImage::Here(
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff"
            .to_vec()
            .into(),
    )];
    for (number, vertex) in odd.vertices.iter_mut().enumerate() {
        vertex.normal = [0.0; 3];
        vertex.texture_at = [f32::MAX, -1e9];
        if number % 7 == 0 {
            vertex.position = [[1e9, 0.0, 0.0], [0.0; 3], [-1e9, 1e9, 1e9]][number % 3];
        }
    }
    let motion = motion(&analysis, surface(odd));
    let scene = Scene::new(&motion, &small(), "").unwrap();
    assert_eq!(scene.frame(0.5).unwrap().size(), [144, 144]);
}

#[test]
fn the_onion_skin_of_a_mesh_is_redder_where_it_jumps() {
    let analysis = walk(2.0, |_| {});
    let joints = analysis.take.num_joints();
    let figure = Figure::new(&analysis.take, &analysis.body).with_surface(surface(balls(joints, 8)));
    let red = |motion: DrawnMotion| {
        let scene = Scene::new(&motion, &small(), "").unwrap();
        red_and_blue(&onion(&scene).unwrap().rgb())[0]
    };
    // Half a cycle leaves the feet far apart.
    let cut = Cut::new(&analysis.take, 0.0, 16.0).unwrap();
    let made = made(&analysis, &cut, &LoopSettings::default());
    let jumps = red(DrawnMotion::of_cut(&made.source, &figure, 0.0, 16.0).unwrap());
    let meets = red(DrawnMotion::of_loop(&made.loop_clip, &figure).unwrap());
    // Of the loop, the sticks before the seam are all that is reddish.
    assert!(jumps > meets + 100, "{jumps} and {meets} pixels");
}

fn entry(closed: DrawnMotion, uncut: Option<DrawnMotion>) -> LoopEntry {
    LoopEntry {
        name: "walk".to_owned(),
        quality: QualityFacts::default(),
        kind: String::new(),
        speed_mps: 1.0,
        turn_rate_dps: 0.0,
        cycles: 1,
        contact_phase: 0.0,
        figures: Vec::new(),
        contacts: Vec::new(),
        closed,
        uncut,
    }
}

#[test]
fn a_page_has_the_mesh_of_a_character_once_and_thinned() {
    let analysis = walk(1.0, |_| {});
    let joints = analysis.take.num_joints();
    let meshes = |page: &str| -> Vec<usize> {
        let parts = page.split("<script type=\"application/json\" id=\"mesh-").skip(1);
        parts
            .map(|part| part.split("</script>").next().unwrap().len())
            .collect()
    };
    for rings in [4, 60] {
        // Each time another surface, as other files of a character give.
        let moving = || motion(&analysis, surface(balls(joints, rings)));
        let panels: Vec<Panel> = (0..3)
            .map(|index| Panel::new(&entry(moving(), Some(moving())), index, 3))
            .collect();
        let html = page(&PageHeading::default(), &panels);
        let [bytes] = meshes(&html)[..] else {
            panic!("{:?}", meshes(&html))
        };
        assert!((10_000..300_000).contains(&bytes), "{rings} rings: {bytes} bytes");
        assert_eq!(html.matches("\"s\":").count(), 6);
        assert_eq!(html, page(&PageHeading::default(), &panels));
    }
    let plain = page(
        &PageHeading::default(),
        &[Panel::new(&entry(motion(&analysis, None), None), 0, 1)],
    );
    assert!(meshes(&plain).is_empty() && !plain.contains("\"s\":"));
}
