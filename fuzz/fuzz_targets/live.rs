//! Streams: rows of BVH in pieces, and packets of VMC, each with its length before it. What is recorded of them is a file that is read.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopwright_formats::vmc::{VmcEvent, VmcReader};
use loopwright_formats::{BvhRecording, BvhStream, ReadSettings, StreamedLine, read_take};

fuzz_target!(|bytes: &[u8]| {
    if bytes.starts_with(b"HIERARCHY") {
        let pieces: Vec<Vec<u8>> = bytes.chunks(61).map(<[u8]>::to_vec).collect();
        return hear(&pieces);
    }
    let (mut reader, mut rest, mut secs) = (VmcReader::new(None), bytes, 0.0);
    let mut pieces = Vec::new();
    while let [length, after, tail @ ..] = rest {
        let (packet, tail) = tail.split_at(usize::from(*length).min(tail.len()));
        secs += f64::from(*after) / 1000.0;
        reader.push(packet, secs);
        rest = tail;
        while let Some(event) = reader.next_event() {
            match event {
                VmcEvent::Text(text) => pieces.push(text),
                VmcEvent::Cut(_) => hear(&core::mem::take(&mut pieces)),
            }
        }
    }
    hear(&pieces);
});

/// Hears a file that comes in pieces.
fn hear(pieces: &[Vec<u8>]) {
    let mut stream = BvhStream::new();
    let mut recording: Option<BvhRecording> = None;
    for piece in pieces {
        stream.push(piece);
        loop {
            let row = match stream.next_line(&mut Vec::new()) {
                Ok(Some(StreamedLine::Frame { text, .. })) => text.to_vec(),
                Ok(Some(_)) => continue,
                Ok(None) => break,
                Err(_) => return,
            };
            let head = stream.head().expect("a row comes after the head");
            recording
                .get_or_insert_with(|| BvhRecording::new(head.clone()))
                .push(&row);
        }
    }
    if let Some(recording) = recording {
        let file = recording.file(0..recording.num_frames());
        if let Ok(read) = read_take(&file, "fuzz", &ReadSettings::default(), &mut Vec::new()) {
            assert_eq!(read.take.num_frames(), recording.num_frames());
        }
    }
}
