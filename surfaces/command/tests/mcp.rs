//! Agents that call the command's tools by the Model Context Protocol.

use std::{io::Write, process::Stdio};

use serde_json::{Value, json};

use crate::harness::{Folder, command};

/// Returns the answers to these lines.
fn exchange(folder: &Folder, lines: &[String]) -> Vec<Value> {
    let mut run = command();
    run.arg("mcp").current_dir(folder.path());
    let mut server = run.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    server
        .stdin
        .take()
        .unwrap()
        .write_all(lines.join("\n").as_bytes())
        .unwrap();
    let ended = server.wait_with_output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let said = String::from_utf8(ended.stdout).unwrap();
    said.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn request(id: u32, method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn called(id: u32, tool: &str, arguments: Value) -> String {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// The JSON document that a tool answered, and whether it is an error.
fn document(answer: &Value) -> (Value, bool) {
    let result = &answer["result"];
    let text = result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"));
    (
        serde_json::from_str(text).unwrap(),
        result["isError"].as_bool().unwrap(),
    )
}

#[test]
fn tools_answer_as_the_commands_do() {
    let folder = Folder::with_walk();
    let answers = exchange(
        &folder,
        &[
            request(
                1,
                "initialize",
                json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {}}),
            ),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string(),
            request(2, "tools/list", json!({})),
            called(3, "find", json!({"takes": ["walk.bvh"], "top": 2, "turning": "left"})),
            called(
                4,
                "make",
                json!({"takes": ["walk.bvh"], "output": "loop.glb", "set": ["closure.share=0.4"], "force": false}),
            ),
            called(5, "check", json!({"loops": ["loop.glb"]})),
            called(6, "make", json!({"takes": ["gone.bvh"]})),
            called(7, "inspect", json!({"takes": ["walk.bvh"], "no-such-flag": true})),
            request(8, "ping", json!({})),
        ],
    );
    let ids: Vec<_> = answers.iter().map(|answer| answer["id"].as_u64().unwrap()).collect();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-03-26");
    let tools = answers[1]["result"]["tools"].as_array().unwrap();
    let named: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(named, ["inspect", "find", "make", "check", "set"]);
    for tool in tools {
        let schema = &tool["inputSchema"];
        for required in schema["required"].as_array().unwrap() {
            assert!(schema["properties"][required.as_str().unwrap()].is_object(), "{tool}");
        }
    }
    let asked = [
        "find walk.bvh --top 2 --turning left --json",
        "make walk.bvh -o loop.glb --set closure.share=0.4 --force --json",
        "check loop.glb --json",
    ];
    for (answer, asked) in answers[2..5].iter().zip(asked) {
        assert_eq!(document(answer), (folder.succeed(asked).json(), false), "{asked}");
    }
    for answer in &answers[5..7] {
        let (document, is_error) = document(answer);
        assert!(is_error && document["error"].is_object(), "{document}");
    }
}

#[test]
fn messages_that_are_none_are_refused_and_the_next_is_answered() {
    let wrong = [
        ("{".to_owned(), -32700),
        ("[]".to_owned(), -32600),
        ("9".repeat(3 << 20), -32600),
        (request(1, "resources/list", json!({})), -32601),
        (called(1, "demo", json!({})), -32602),
        (called(1, "check", json!({"loops": "-"})), -32602),
        (called(1, "check", json!({"loops": {}})), -32602),
    ];
    let mut lines: Vec<String> = wrong.iter().map(|(line, _)| line.clone()).collect();
    lines.push(request(2, "ping", json!({})));
    let answers = exchange(&Folder::new(), &lines);
    assert_eq!(answers.len(), wrong.len() + 1);
    for ((line, code), answer) in wrong.iter().zip(&answers) {
        assert_eq!(answer["error"]["code"], *code, "{line:.80}: {answer}");
    }
    assert_eq!(answers[wrong.len()]["result"], json!({}));
}
