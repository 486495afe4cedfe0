//! `loopwright mcp`: offers commands as tools of the Model Context Protocol, for agents: JSON-RPC 2.0 over stdin and stdout, one message
//! per line.
//!
//! The arguments of a tool are the flags of its command, and its answer is the command's JSON. Source: modelcontextprotocol.io, revision
//! 2025-06-18.

use std::{
    ffi::OsString,
    io::{self, BufRead, Read},
};

use clap::{Arg, ArgAction, Command};
use serde_json::{Map, Value, json};

use crate::{
    answers,
    args::{NoArgs, full_command, short_command},
    exit::{ERROR_STATUS, Ending, Result},
    files, output, project,
    report::failure,
};

/// Commands that agents may call.
const TOOLS: [&str; 5] = ["inspect", "find", "make", "check", "set"];

/// Longest message, bytes.
const MAX_MESSAGE: u64 = 1 << 20;

/// Revisions of the protocol with the messages used here, newest last.
const REVISIONS: [&str; 3] = ["2024-11-05", "2025-03-26", "2025-06-18"];

const INSTRUCTIONS: &str = "Makes seamless loops of motion capture (BVH, FBX, glTF, NPZ). inspect a take, find its loops, make one, check it; \
    set makes all loops and transitions of a character. Name files by absolute paths. Properties are the flags of `loopwright TOOL --help`; those that are not listed work \
    too. Answers are JSON: believe `grade` (good, review, bad) and the measured checks beside it. Existing files are kept without `force`.";

/// An error in a message: the code of JSON-RPC, and a text.
type Wrong = (i32, String);

/// Answers messages until the input ends.
pub fn run(_: &NoArgs) -> Result<Ending> {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let failed = |error: io::Error| failure!("cannot read the standard input: {error}");
        let length = input
            .by_ref()
            .take(MAX_MESSAGE)
            .read_until(b'\n', &mut line)
            .map_err(failed)?;
        let answered = match length as u64 {
            0 => return Ok(Ending::Done),
            MAX_MESSAGE if line.last() != Some(&b'\n') => {
                input.skip_until(b'\n').map_err(failed)?;
                Some(reply(
                    Value::Null,
                    Err((-32600, format!("a message has more than {MAX_MESSAGE} bytes"))),
                ))
            }
            _ if line.trim_ascii().is_empty() => None,
            _ => match serde_json::from_slice(&line) {
                Ok(message) => answer(&message),
                Err(error) => Some(reply(Value::Null, Err((-32700, error.to_string())))),
            },
        };
        if let Some(answered) = answered {
            output::print(&format!("{answered}\n"))?;
        }
    }
}

fn reply(id: Value, result: Result<Value, Wrong>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err((code, message)) => json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}}),
    }
}

/// Returns the answer to a message; notifications have none.
fn answer(message: &Value) -> Option<Value> {
    let Some(method) = message["method"].as_str() else {
        return Some(reply(
            message["id"].clone(),
            Err((-32600, "it names no method".to_owned())),
        ));
    };
    let id = message.get("id")?.clone();
    let params = &message["params"];
    let result = match method {
        "initialize" => Ok(initialize(params)),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({"tools": TOOLS.map(tool)})),
        "tools/call" => call(params),
        _ => Err((-32601, format!("there is no method {method:?}"))),
    };
    Some(reply(id, result))
}

fn initialize(params: &Value) -> Value {
    let known = REVISIONS.iter().find(|known| params["protocolVersion"] == **known);
    json!({
        "protocolVersion": known.unwrap_or(&REVISIONS[REVISIONS.len() - 1]),
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "loopwright", "version": env!("CARGO_PKG_VERSION")},
        "instructions": INSTRUCTIONS,
    })
}

/// Describes a command as a tool: its properties are the command's inputs and the flags that `-h` shows.
fn tool(name: &str) -> Value {
    let program = short_command();
    let command = program.find_subcommand(name).expect("tools are commands");
    let shown: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| {
            let is_listed = arg.is_positional() || arg.get_id() == "set" || !arg.is_hide_short_help_set();
            is_listed && arg.get_id() != "json"
        })
        .collect();
    let required: Vec<String> = shown
        .iter()
        .filter(|arg| arg.is_required_set())
        .map(|arg| name_of(arg))
        .collect();
    let properties: Map<String, Value> = shown.into_iter().map(|arg| (name_of(arg), property(arg))).collect();
    json!({
        "name": name,
        "description": command.get_about().map(ToString::to_string),
        "inputSchema": {"type": "object", "properties": properties, "required": required},
    })
}

fn name_of(arg: &Arg) -> String {
    arg.get_long().unwrap_or(arg.get_id().as_str()).to_owned()
}

fn property(arg: &Arg) -> Value {
    let of_one = ["string", "number"];
    let mut property = match arg.get_action() {
        ArgAction::Append => json!({"type": "array", "items": {"type": of_one}}),
        action if action.takes_values() => json!({"type": of_one}),
        _ => json!({"type": "boolean"}),
    };
    property["description"] = json!(arg.get_help().map(ToString::to_string));
    property
}

/// Runs a tool. Errors: there is none of this name, or an argument is no text, number, Boolean or list of them.
fn call(params: &Value) -> Result<Value, Wrong> {
    let program = full_command();
    let name = TOOLS.into_iter().find(|tool| params["name"] == **tool);
    let command = name
        .and_then(|name| program.find_subcommand(name))
        .ok_or_else(|| (-32602, format!("there is no tool {}", params["name"])))?;
    let typed = typed(command, params["arguments"].as_object()).map_err(|why| (-32602, why))?;
    let answered = project::with_settings(&typed).and_then(|typed| answers::answer(&typed.args));
    let (text, is_error) = match answered {
        Ok(answer) => {
            let text = match answer.failure {
                Some(failure) if answer.printed.is_empty() => failure::json(&failure, None),
                _ => answer.printed,
            };
            (text, answer.status == ERROR_STATUS)
        }
        Err(failure) => (failure::json(&failure, None), true),
    };
    Ok(json!({"content": [{"type": "text", "text": text}], "isError": is_error}))
}

/// Converts arguments to a command line. Errors: one has the wrong type, or names the standard input, which carries the protocol.
fn typed(command: &Command, arguments: Option<&Map<String, Value>>) -> Result<Vec<OsString>, String> {
    let mut typed: Vec<OsString> = ["loopwright", command.get_name(), "--json"].map(OsString::from).into();
    let mut inputs = vec![OsString::from("--")];
    for (name, value) in arguments.into_iter().flatten() {
        let is_input = command.get_positionals().any(|arg| arg.get_id() == name.as_str());
        let values = match value {
            Value::Array(values) => values.as_slice(),
            value => core::slice::from_ref(value),
        };
        for value in values {
            match value {
                Value::Null | Value::Bool(false) => {}
                Value::Bool(true) => typed.push(format!("--{name}").into()),
                Value::String(_) | Value::Number(_) => {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    if value == files::STREAM {
                        return Err(format!(
                            "{name}: the standard input and output are the protocol's; name a file"
                        ));
                    }
                    if is_input {
                        inputs.push(value.into());
                    } else {
                        typed.push(format!("--{name}={value}").into());
                    }
                }
                _ => return Err(format!("{name}: {value} is no text, number or truth")),
            }
        }
    }
    Ok([typed, inputs].concat())
}
