//! The functions that ufbx takes from its host if there is no C library, as in WebAssembly: memory, mathematics, strings.
//!
//! ufbx names these functions when it is compiled with `UFBX_NO_LIBC`, and describes them in `ufbx.c`, "External functions". They are
//! called by ufbx alone; nothing here is for Rust. C cannot be served without unsafe code; all else that has any is the file that calls OpenGL.

#![no_std]

extern crate alloc;

use alloc::alloc::{Layout, alloc, dealloc, realloc};
use core::{
    ffi::{c_char, c_int, c_void},
    ptr::{self, null_mut},
};

/// Alignment that C guarantees for `malloc`.
const ALIGN: usize = 16;

/// Memory of that many bytes; one byte for none, which has an address, too. `None` beyond what can be addressed.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.max(1), ALIGN).ok()
}

/// Memory, or null.
#[unsafe(no_mangle)]
extern "C" fn ufbx_malloc(size: usize) -> *mut c_void {
    match layout(size) {
        // SAFETY: the layout has at least one byte.
        Some(layout) => unsafe { alloc(layout) }.cast(),
        None => null_mut(),
    }
}

/// Memory with the former contents, or null, which leaves the former memory as it is.
///
/// # Safety
/// `memory` is null or from these functions, with that size.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_realloc(memory: *mut c_void, old_size: usize, new_size: usize) -> *mut c_void {
    match (memory.is_null(), layout(old_size), layout(new_size)) {
        (true, ..) => ufbx_malloc(new_size),
        // SAFETY: the memory has that layout by the caller's word, and the new size fits a layout.
        (false, Some(old), Some(new)) => unsafe { realloc(memory.cast(), old, new.size()) }.cast(),
        _ => null_mut(),
    }
}

/// Gives memory back.
///
/// # Safety
/// `memory` is null or from these functions, with that size.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_free(memory: *mut c_void, size: usize) {
    if let (false, Some(layout)) = (memory.is_null(), layout(size)) {
        // SAFETY: the memory has that layout by the caller's word.
        unsafe { dealloc(memory.cast(), layout) }
    }
}

/// Functions of numbers.
macro_rules! mathematics {
    ($($name:ident($($x:ident),+) = $function:ident),+ $(,)?) => {
        $(
            #[unsafe(no_mangle)]
            extern "C" fn $name($($x: f64),+) -> f64 {
                libm::$function($($x),+)
            }
        )+
    };
}

mathematics!(
    ufbx_sqrt(x) = sqrt,
    ufbx_sin(x) = sin,
    ufbx_cos(x) = cos,
    ufbx_tan(x) = tan,
    ufbx_asin(x) = asin,
    ufbx_acos(x) = acos,
    ufbx_atan(x) = atan,
    ufbx_fabs(x) = fabs,
    ufbx_rint(x) = rint,
    ufbx_floor(x) = floor,
    ufbx_ceil(x) = ceil,
    ufbx_atan2(y, x) = atan2,
    ufbx_pow(x, y) = pow,
    ufbx_fmin(x, y) = fmin,
    ufbx_fmax(x, y) = fmax,
    ufbx_copysign(x, y) = copysign,
    ufbx_nextafter(x, y) = nextafter,
);

#[unsafe(no_mangle)]
extern "C" fn ufbx_isnan(x: f64) -> c_int {
    c_int::from(x.is_nan())
}

/// # Safety
/// `text` ends with a zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strlen(text: *const c_char) -> usize {
    let mut len = 0;
    // SAFETY: up to the zero all bytes are the text's.
    while unsafe { *text.add(len) } != 0 {
        len += 1;
    }
    len
}

/// # Safety
/// Both have that many bytes and do not overlap.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memcpy(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: by the caller's word.
    unsafe { ptr::copy_nonoverlapping(from.cast::<u8>(), to.cast::<u8>(), count) };
    to
}

/// # Safety
/// Both have that many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memmove(to: *mut c_void, from: *const c_void, count: usize) -> *mut c_void {
    // SAFETY: by the caller's word.
    unsafe { ptr::copy(from.cast::<u8>(), to.cast::<u8>(), count) };
    to
}

/// # Safety
/// The memory has that many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memset(to: *mut c_void, byte: c_int, count: usize) -> *mut c_void {
    // SAFETY: by the caller's word.
    unsafe { ptr::write_bytes(to.cast::<u8>(), byte as u8, count) };
    to
}

/// # Safety
/// The memory has that many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memchr(memory: *const c_void, byte: c_int, count: usize) -> *const c_void {
    let bytes = memory.cast::<u8>();
    // SAFETY: every index is below the count.
    let found = (0..count).find(|&index| unsafe { *bytes.add(index) } == byte as u8);
    // SAFETY: so is this one.
    found.map_or(ptr::null(), |index| unsafe { bytes.add(index) }.cast())
}

/// # Safety
/// Both have that many bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_memcmp(a: *const c_void, b: *const c_void, count: usize) -> c_int {
    // SAFETY: by the caller's word; `compare` reads no further.
    unsafe { compare(a.cast(), b.cast(), count, false) }
}

/// # Safety
/// Both end with a zero.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strcmp(a: *const c_char, b: *const c_char) -> c_int {
    // SAFETY: by the caller's word; `compare` reads no further than the zero of either.
    unsafe { compare(a.cast(), b.cast(), usize::MAX, true) }
}

/// # Safety
/// Both have that many bytes or end with a zero before.
#[unsafe(no_mangle)]
unsafe extern "C" fn ufbx_strncmp(a: *const c_char, b: *const c_char, count: usize) -> c_int {
    // SAFETY: as for `ufbx_strcmp`.
    unsafe { compare(a.cast(), b.cast(), count, true) }
}

/// The difference of the first bytes that differ; a text ends with a zero.
///
/// # Safety
/// Both have that many bytes, or are texts that end before.
unsafe fn compare(a: *const u8, b: *const u8, count: usize, are_texts: bool) -> c_int {
    for index in 0..count {
        // SAFETY: the index is below the count, and no text ended before it.
        let (x, y) = unsafe { (*a.add(index), *b.add(index)) };
        if x != y {
            return c_int::from(x) - c_int::from(y);
        }
        if are_texts && x == 0 {
            break;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_keeps_its_contents_and_is_aligned() {
        // SAFETY: sizes are those that were asked for, and nothing is read beyond them.
        unsafe {
            let memory = ufbx_malloc(5);
            assert!(!memory.is_null() && memory.addr().is_multiple_of(ALIGN));
            ufbx_memcpy(memory, c"seam".as_ptr().cast(), 5);
            let memory = ufbx_realloc(memory, 5, 100_000);
            assert_eq!(ufbx_strcmp(memory.cast(), c"seam".as_ptr()), 0);
            let memory = ufbx_realloc(memory, 100_000, 2);
            assert_eq!(ufbx_memcmp(memory, c"se".as_ptr().cast(), 2), 0);
            ufbx_free(memory, 2);
            let none = ufbx_realloc(null_mut(), 0, 0);
            assert!(!none.is_null());
            ufbx_free(none, 0);
            ufbx_free(null_mut(), 0);
            assert!(ufbx_malloc(usize::MAX).is_null());
        }
    }

    #[test]
    fn texts_compare_as_in_c() {
        let (loop_, looped, high) = (c"loop", c"looped", c"\xff");
        // SAFETY: all end with a zero, and no count goes beyond it.
        unsafe {
            assert_eq!(ufbx_strlen(looped.as_ptr()), 6);
            assert!(ufbx_strcmp(loop_.as_ptr(), looped.as_ptr()) < 0);
            assert!(ufbx_strcmp(high.as_ptr(), looped.as_ptr()) > 0, "bytes are unsigned");
            assert_eq!(ufbx_strncmp(loop_.as_ptr(), looped.as_ptr(), 4), 0);
            assert!(ufbx_strncmp(looped.as_ptr(), loop_.as_ptr(), 6) > 0);
            assert_eq!(ufbx_strncmp(loop_.as_ptr(), loop_.as_ptr(), 100), 0);
            let found = ufbx_memchr(looped.as_ptr().cast(), c_int::from(b'e'), 6);
            assert_eq!(found.addr() - looped.as_ptr().addr(), 4);
            assert!(ufbx_memchr(looped.as_ptr().cast(), c_int::from(b'x'), 6).is_null());
        }
    }

    #[test]
    fn memory_that_overlaps_is_moved_whole() {
        let mut bytes = *b"abcdef";
        // SAFETY: both ranges lie in the array.
        unsafe {
            ufbx_memmove(bytes.as_mut_ptr().add(2).cast(), bytes.as_ptr().cast(), 4);
            assert_eq!(&bytes, b"ababcd");
            ufbx_memset(bytes.as_mut_ptr().cast(), c_int::from(b'-'), 3);
        }
        assert_eq!(&bytes, b"---bcd");
    }
}
