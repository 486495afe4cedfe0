//! The worker of the page: another instance of this build, which `worker.js` starts and to which it passes the page's requests.

use std::{cell::RefCell, sync::Arc};

use js_sys::{Array, Float64Array, Function, Uint8Array};
use loopwright_core::handover::long_arrays;
use wasm_bindgen::{JsError, JsValue, prelude::wasm_bindgen};

use super::parcel::{Bench, packed, unpacked};

thread_local! {
    /// The state of the worker.
    static BENCH: RefCell<Bench> = RefCell::default();

    /// Files that were handed over for the next request.
    static FILES: RefCell<Vec<Vec<u8>>> = RefCell::default();

    /// Receives progress messages.
    static TELL: RefCell<Option<Function>> = RefCell::default();
}

/// Receives a piece of a file for the next request: its index, the size of the whole file in bytes, and the piece.
#[wasm_bindgen]
pub fn take_piece(file: usize, len: usize, piece: &[u8]) {
    FILES.with_borrow_mut(|files| {
        if files.len() <= file {
            files.resize_with(file + 1, Vec::new);
        }
        let taken = &mut files[file];
        taken.reserve_exact(len.saturating_sub(taken.len()));
        taken.extend_from_slice(piece);
    });
}

/// Handles a request of the page, given as bytes, with the files that were handed over before, and a function that receives progress
/// messages. Returns the bytes of the answer, followed by the long arrays of a take. Errors: the bytes are not the page's.
#[wasm_bindgen]
pub fn work_beside(ask: Vec<u8>, tell: Function) -> Result<Array, JsError> {
    let files = FILES.take().into_iter().map(Arc::new).collect();
    let ask = unpacked(&ask)?;
    TELL.set(Some(tell));
    let (answer, opened) = BENCH.with_borrow_mut(|bench| {
        bench.answer(ask, files, &|step| {
            // Without the page's function, no progress is shown.
            let _ = TELL.with_borrow(|tell| {
                let step = Uint8Array::from(packed(&step).ok()?.as_slice());
                Some(tell.as_ref()?.call1(&JsValue::NULL, &step))
            });
        })
    });
    let pieces = Array::of1(&Uint8Array::from(packed(&answer)?.as_slice()));
    drop(answer);
    if let Some(opened) = opened {
        for array in long_arrays(&opened.studied.analysis) {
            pieces.push(&Float64Array::from(array));
        }
    }
    Ok(pieces)
}
