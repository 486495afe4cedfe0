# Says where Godot has the bones of imported loops, and whether it loops them.
#
#   apt-get install godot3-server  (3.2.3 was used)
#   cargo xtask measure files
#
# Runs in a project that has been imported already, beside questions.json: a list of questions, each answered in a line of
# JSON.
#
#   {"file", "step_secs", "period_secs", "joints": names, "keys": [[place]]}
#     -> {"loops", "places", "missing", "worst", "ratio", "godot"}
#
# Places are in the world, at every key. "ratio" is the largest step of a bone over the seam over the largest elsewhere,
# through two periods at 240 steps a second.
extends SceneTree


func _init():
	var file = File.new()
	file.open("res://questions.json", File.READ)
	for question in JSON.parse(file.get_as_text()).result:
		print(to_json(answer(question)))
	file.close()
	quit()


func answer(question):
	var scene = load("res://" + question.file).instance()
	get_root().add_child(scene)
	var player = first_of(scene, "AnimationPlayer")
	var skeleton = first_of(scene, "Skeleton")
	var animation_name = player.get_animation_list()[0]
	var animation = player.get_animation(animation_name)
	# Its importer writes LeftUpLeg as left_up_leg.
	var by_letters = {}
	for bone in range(skeleton.get_bone_count()):
		by_letters[letters(skeleton.get_bone_name(bone))] = bone
	var bones = []
	var missing = 0
	for joint in question.joints:
		var bone = by_letters.get(letters(joint), -1)
		bones.append(bone)
		if bone < 0:
			missing += 1
	player.playback_process_mode = AnimationPlayer.ANIMATION_PROCESS_MANUAL
	player.play(animation_name)
	var worst = 0.0
	var count = 0
	for key in range(question.keys.size()):
		# The closing key is the length; beyond it the first comes round.
		player.seek(min(key * question.step_secs, animation.length), true)
		var places = places_of(skeleton, bones)
		for joint in range(bones.size()):
			if bones[joint] >= 0:
				var wanted = question.keys[key][joint]
				worst = max(worst, places[joint].distance_to(Vector3(wanted[0], wanted[1], wanted[2])))
				count += 1
	player.stop()
	player.play(animation_name)
	player.seek(0, true)
	var step = 1.0 / 240.0
	var before = places_of(skeleton, bones)
	var inside = 0.0
	var seam = 0.0
	for index in range(1, int(2.0 * question.period_secs / step) + 2):
		player.advance(step)
		var now = places_of(skeleton, bones)
		var over = floor(index * step / question.period_secs + 1e-9) != floor((index - 1) * step / question.period_secs + 1e-9)
		for joint in range(bones.size()):
			var length = now[joint].distance_to(before[joint])
			if over:
				seam = max(seam, length)
			else:
				inside = max(inside, length)
		before = now
	scene.free()
	return {
		"loops": animation.loop, "places": count, "missing": missing, "worst": worst, "ratio": seam / max(inside, 1e-12),
		"godot": Engine.get_version_info().string
	}


func places_of(skeleton, bones):
	var places = []
	for bone in bones:
		var place = Vector3()
		if bone >= 0:
			place = skeleton.global_transform.xform(skeleton.get_bone_global_pose(bone).origin)
		places.append(place)
	return places


func letters(name):
	var kept = ""
	for letter in name.to_lower():
		if letter in "abcdefghijklmnopqrstuvwxyz0123456789":
			kept += letter
	return kept


func first_of(node, kind):
	if node.is_class(kind):
		return node
	for child in node.get_children():
		var found = first_of(child, kind)
		if found != null:
			return found
	return null
