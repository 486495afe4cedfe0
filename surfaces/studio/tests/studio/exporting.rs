//! Exported files: the same bytes as by the library and by the command.

use egui_kittest::kittest::Queryable as _;
use loopwright_core::{
    Analysis, LoopSettings, MadeLoop, SearchSettings,
    closure::{ClosureName, ShapeKind},
    edit::{EditKey, EditKind, EditValue},
    feet::FootLock,
};
use loopwright_formats::{Format, LoopFile, Sidecar, SizeLimits, load, loop_file::facts::TakeFacts};
use loopwright_job::{
    Verdict,
    recipe::{EditedBody, Recipe},
    verdict,
};
use loopwright_studio::{Action, Model, model::Stretch};

use super::driven::{command, is_made, stroll, studio_with_stroll, walk, written_until};

#[test]
fn from_a_file_to_an_exported_loop() {
    let (folder, mut harness) = studio_with_stroll(1280.0, 2400.0);
    // Another loop of the list.
    harness.key(eframe::egui::Key::Num2);
    harness.wait_made();
    assert_eq!(harness.edit().stretch, Stretch::Found(1));
    // Another method, by its list.
    harness.choose("Method", "spring");
    assert_eq!(harness.edit().closure(), ClosureName::Shape(ShapeKind::Spring));
    let spring = harness.edit().clone();
    // Feet off, and on again by undo.
    harness.click("Lock planted feet");
    assert_eq!(harness.edit().settings.feet.lock, FootLock::Off);
    harness.click("Undo");
    assert_eq!(harness.model().edit(), Some(&spring));

    harness.export_by("Export the loop");
    let written = folder.path().join("stroll-loop.bvh");
    let sidecar = folder.path().join("stroll-loop.bvh.json");
    harness.wait_file(&sidecar);

    // The same loop by the library alone.
    let file = load(&walk(Format::Bvh, &stroll()), "stroll").unwrap();
    let analysis = Analysis::new(&file.take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let candidate = &found.candidates[1];
    let settings = LoopSettings {
        closure: spring.settings.closure.clone(),
        ..LoopSettings::default()
    };
    let made = analysis.make_loop(candidate, &settings).unwrap();
    let wanted = LoopFile::write(&made, &file.source).unwrap();
    let bytes = std::fs::read(&written).unwrap();
    let is_right = bytes == wanted.bytes().as_ref();
    assert!(is_right, "the studio writes what the library writes");
    let facts = Sidecar::from_json(&std::fs::read(&sidecar).unwrap()).unwrap();
    assert!(facts.check_file(&bytes).is_ok() && facts.take.file == "stroll.bvh");

    // A file that is there is left alone until one says otherwise.
    std::fs::write(&written, "mine").unwrap();
    harness.press("Export the loop");
    harness.wait_label("Replace it");
    assert_eq!(std::fs::read(&written).unwrap(), b"mine");
    harness.press("Replace it");
    assert!(std::fs::read(&written).unwrap() == bytes);
}

#[test]
fn every_format_is_what_the_library_writes() {
    let mut model = Model::new(loopwright_studio::work::Wake::default());
    written_until(&mut model, is_made);
    let (opened, made) = (model.opened().unwrap().clone(), model.made().unwrap().clone());
    for format in Format::of_characters() {
        model.apply(Action::Export(format));
        let exported = written_until(&mut model, |model| model.progress().is_none()).remove(0);
        let source = opened.studied.file.source.in_format(format, opened.take());
        // As the command line writes it: with a root joint where engines want one.
        let writing = made
            .done
            .output
            .writing(format, opened.studied.analysis.root_joint(), SizeLimits::default());
        let take = TakeFacts::new("walk.bvh", opened.take(), opened.studied.file.source.space());
        let mut wanted = LoopFile::write_with(&made.done.made, take, &source, &writing).unwrap();
        judge(&opened.studied.analysis, &made.done.made, &mut wanted);
        assert!(exported.bytes == wanted.bytes().as_ref(), "{format:?}");
        assert_eq!(exported.file_name, format!("walk-loop.{}", format.extension()));
    }
}

/// Adds to a loop that the library wrote the verdict and kind that all programs state.
fn judge(analysis: &Analysis, made: &MadeLoop, written: &mut LoopFile) {
    let of_take = verdict::of_take(analysis, &made.candidate);
    Verdict::of_made(made, &written.quality, &of_take).state(&mut written.sidecar.quality);
    let kind = analysis.motion_kind(Some(&made.candidate), Some(written.quality.root_mps));
    written.sidecar.kind = Some(kind.to_string());
}

/// The loop that a recipe makes of a take, by the libraries alone, as the command line makes it.
fn made_by_recipe(text: &str, bytes: &[u8], format: Format) -> Vec<u8> {
    use loopwright_formats::{AnimationChoice, read_take};
    let recipe = Recipe::read(text.as_bytes()).unwrap();
    let study = &recipe.take;
    let settings = study.settings(study.space(), AnimationChoice::Auto, SizeLimits::default());
    let file = read_take(bytes, "stroll", &settings, &mut Vec::new()).unwrap();
    let analysis = Analysis::with(&file.take, &study.overrides()).unwrap();
    let search = SearchSettings {
        cycles: recipe.stretch.cycles,
        ..SearchSettings::default()
    };
    let (start, end) = recipe.stretch.start.zip(recipe.stretch.end).unwrap();
    let candidate = analysis.appraise(start, end, &search).unwrap();
    let output = recipe.output.filled(file.take.frame_rate_hz(), &candidate);
    let settings = recipe
        .loop_settings(&output, &analysis, &EditedBody::of_take(&analysis), &mut Vec::new())
        .unwrap();
    let made = analysis.make_loop(&candidate, &settings).unwrap();
    let source = output.engine().placed(file.source.in_format(format, &file.take));
    let writing = output.writing(format, analysis.root_joint(), SizeLimits::default());
    let take = TakeFacts::new("stroll.bvh", &file.take, file.source.space());
    let mut written = LoopFile::write_with(&made, take, &source, &writing).unwrap();
    written.sidecar.candidate.several_cycles_for = recipe.stretch.several_cycles_for;
    judge(&analysis, &made, &mut written);
    written.bytes().into_owned()
}

/// A saved recipe makes the same bytes again: by the libraries, by the studio, and by the command that LOOPWRIGHT names, if any.
#[test]
fn a_saved_recipe_makes_the_same_bytes() {
    let (folder, mut harness) = studio_with_stroll(1280.0, 3600.0);
    let (path, bytes) = (folder.path().join("stroll.bvh"), walk(Format::Bvh, &stroll()));
    harness.drag_along("End of the stretch", 25.0);
    harness.wait_made();
    assert!(matches!(harness.edit().stretch, Stretch::Frames { .. }));
    harness.choose("Method", "spring");
    for kind in ["joint at a time", "joint all the time", "smooth", "aim", "noise"] {
        harness.click(&format!("Add: {kind}"));
    }
    assert_eq!(harness.made().done.made.edits.len(), 5);
    // Values, as the widgets set them.
    harness.change(|edit| {
        for layer in &mut edit.recipe.edits {
            match layer.kind {
                EditKind::Move | EditKind::Offset => {
                    let rotation = EditValue::Vector([5.0, 0.0, 12.5]);
                    layer.values.set(EditKey::Rotation, rotation);
                }
                EditKind::Aim => layer.values.set(EditKey::Turn, EditValue::Number(20.0)),
                EditKind::Swing | EditKind::Smooth | EditKind::Noise => {}
            }
        }
    });
    harness.wait_made();
    harness.click("Add a stance of LeftFoot");

    harness.export_by("Save the recipe");
    harness.press("Export the loop");
    let sidecar = folder.path().join("stroll-loop.bvh.json");
    harness.wait_file(&sidecar);
    let text = std::fs::read_to_string(folder.path().join("stroll-loop.toml")).unwrap();
    let exported = std::fs::read(folder.path().join("stroll-loop.bvh")).unwrap();
    assert!(exported == made_by_recipe(&text, &bytes, Format::Bvh), "{text}");
    let facts = Sidecar::from_json(&std::fs::read(&sidecar).unwrap()).unwrap();
    assert_eq!(facts.edits.len(), 5);
    // The facts inside a glTF file are the same, too.
    let (opened, made) = (harness.opened(), harness.made());
    let glb = loopwright_studio::model::Exported::of(opened, made, Format::Glb).unwrap();
    assert!(glb.bytes == made_by_recipe(&text, &bytes, Format::Glb), "GLB");
    for (name, wanted) in [("again.bvh", &exported), ("again.glb", &glb.bytes)] {
        let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", name];
        if command(folder.path(), &words).is_some() {
            assert!(std::fs::read(folder.path().join(name)).unwrap() == *wanted, "{name}");
            command(folder.path(), &["check", name]);
        }
    }

    // Opened again it is the same, on a take that was opened afresh.
    let saved = harness.made().recipe.clone();
    harness.start_opening(&path);
    harness.wait("the take is open again", |model| {
        is_made(model) && model.edit().is_some_and(|edit| edit.recipe.edits.is_empty())
    });
    let recipe = folder.path().join("stroll-loop.toml");
    harness.start_opening(&recipe);
    harness.wait("the recipe is followed", |model| {
        is_made(model) && model.edit().is_some_and(|edit| edit.recipe.edits.len() == 5)
    });
    assert_eq!(harness.made().recipe, saved);
    assert_eq!(harness.model().recipe_text().unwrap().unwrap(), text);
    harness.click("Undo");
    assert!(harness.edit().recipe.edits.is_empty());
    // A file that is no recipe changes nothing.
    std::fs::write(&recipe, "[closure]\nmetod = \"spring\"\n").unwrap();
    harness.start_opening(&recipe);
    harness.wait_problem();
    harness.get_by_label_contains("unknown field");
}

/// For an engine: its format, its root motion, and the bytes of the command with the saved recipe.
#[test]
fn a_loop_is_exported_for_an_engine() {
    let (folder, mut harness) = studio_with_stroll(1280.0, 4200.0);
    harness.choose("Method", "spring");
    harness.click("Add: noise");
    harness.click("Add a stance of LeftFoot");
    for (engine, mode, name) in [
        ("unreal", loopwright_core::RootMode::Constant, "stroll-loop.fbx"),
        ("godot", loopwright_core::RootMode::Constant, "stroll-loop.glb"),
        ("bevy", loopwright_core::RootMode::InPlace, "stroll-loop.glb"),
        ("unity", loopwright_core::RootMode::Constant, "stroll-loop.fbx"),
    ] {
        harness.choose("Engine", engine);
        let edit = harness.edit();
        assert_eq!(edit.settings.root.mode, mode);
        assert!(edit.settings.root.recenter, "engines take loops at the origin");
        harness.press("Export (E)");
        if engine == "unreal" {
            harness.write_here();
        }
        let sidecar = folder.path().join(format!("{name}.json"));
        harness.wait_file(&sidecar);
        let facts = Sidecar::from_json(&std::fs::read(&sidecar).unwrap()).unwrap();
        assert!(facts.target.is_some());
        harness.press("Save the recipe");
        let again = name.replace("stroll-loop", "again");
        let words = ["make", "stroll.bvh", "--recipe", "stroll-loop.toml", "-o", &again];
        if command(folder.path(), &words).is_some() {
            let [own, again] = [name, &again].map(|name| std::fs::read(folder.path().join(name)).unwrap());
            assert!(own == again, "{engine}");
        }
        // The next engine has names of the same ending.
        for written in std::fs::read_dir(folder.path()).unwrap() {
            let written = written.unwrap().path();
            if !written.ends_with("stroll.bvh") {
                std::fs::remove_file(written).unwrap();
            }
        }
    }
}
