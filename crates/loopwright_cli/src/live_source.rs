//! Where poses come from while they come: BVH on the standard input, or packets of VMC from this machine.

use std::io::{self, Read};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use loopwright_formats::vmc::{VmcCounts, VmcCut, VmcEvent, VmcReader};

use crate::exit::Failure;

/// Bytes read of the standard input at a time.
const READ_BYTES: usize = 1 << 16;

/// The largest packet of UDP.
const PACKET_BYTES: usize = 1 << 16;

/// Pieces that wait. The standard input then waits with its sender; packets are lost.
const MAX_WAITING: usize = 4096;

/// What came next.
pub(crate) enum Came {
    /// The next bytes of a BVH file, and when they came.
    Text(Vec<u8>, Instant),
    /// What follows does not continue what came before.
    Cut(VmcCut),
    /// Nothing in the meantime.
    Nothing,
    /// The end.
    End,
}

/// A piece of a stream, and when it came.
type Piece = (io::Result<Vec<u8>>, Instant);

/// A stream of poses.
pub(crate) struct LiveSource {
    pieces: Receiver<Piece>,
    packets: Option<Packets>,
}

/// What packets are turned into.
struct Packets {
    reader: VmcReader,
    since: Instant,
    /// When the last one came.
    came: Instant,
    lost: Arc<AtomicU64>,
}

impl LiveSource {
    /// The standard input.
    pub(crate) fn of_input() -> Result<Self, Failure> {
        let (sender, pieces) = sync_channel(MAX_WAITING / 64);
        let read = move || {
            let mut input = io::stdin().lock();
            let mut bytes = vec![0; READ_BYTES];
            loop {
                let piece = match input.read(&mut bytes) {
                    Ok(0) => break,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    read => read.map(|count| bytes[..count].to_vec()),
                };
                let is_last = piece.is_err();
                if sender.send((piece, Instant::now())).is_err() || is_last {
                    break;
                }
            }
        };
        begin("listen", read)?;
        Ok(Self { pieces, packets: None })
    }

    /// A port of this machine, which no other one reaches; 0 is any that is free. Returns which it is.
    pub(crate) fn of_port(port: u16, rate_hz: Option<f64>) -> Result<(Self, u16), Failure> {
        let failed = |error: io::Error| {
            Failure::error(format!("cannot listen at port {port} of this machine: {error}")).try_this(
                "another --port, which the sender has to use too; or end the program that listens there already",
            )
        };
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let port = socket.local_addr().map_err(failed)?.port();
        let (sender, pieces) = sync_channel(MAX_WAITING);
        let lost = Arc::<AtomicU64>::default();
        let of_reader = Arc::clone(&lost);
        begin("listen", move || receive(&socket, &sender, &of_reader))?;
        let now = Instant::now();
        let packets = Packets {
            reader: VmcReader::new(rate_hz),
            since: now,
            came: now,
            lost,
        };
        let packets = Some(packets);
        Ok((Self { pieces, packets }, port))
    }

    /// What comes next, if it comes within that time. Errors: the standard input cannot be read.
    pub(crate) fn next(&mut self, within: Duration) -> Result<Came, Failure> {
        if let Some(packets) = &mut self.packets
            && let Some(event) = packets.reader.next_event()
        {
            return Ok(packets.came_of(event));
        }
        let (piece, came) = match self.pieces.recv_timeout(within) {
            Ok(piece) => piece,
            Err(RecvTimeoutError::Timeout) => return Ok(Came::Nothing),
            Err(RecvTimeoutError::Disconnected) => return Ok(Came::End),
        };
        let piece = piece.map_err(|error| Failure::error(format!("cannot read the stream: {error}")))?;
        let Some(packets) = &mut self.packets else {
            return Ok(Came::Text(piece, came));
        };
        packets.came = came;
        packets
            .reader
            .push(&piece, came.duration_since(packets.since).as_secs_f64());
        let event = packets.reader.next_event();
        Ok(event.map_or(Came::Nothing, |event| packets.came_of(event)))
    }

    /// What was odd in packets, and how many were lost because work took longer than they did.
    pub(crate) fn counts(&self) -> Option<(&VmcCounts, u64)> {
        let packets = self.packets.as_ref()?;
        Some((packets.reader.counts(), packets.lost.load(Ordering::Relaxed)))
    }
}

impl Packets {
    fn came_of(&self, event: VmcEvent) -> Came {
        match event {
            VmcEvent::Text(text) => Came::Text(text, self.came),
            VmcEvent::Cut(why) => Came::Cut(why),
        }
    }
}

/// Takes packets from the system as they come, so that it does not drop them while a loop is made.
fn receive(socket: &UdpSocket, sender: &SyncSender<Piece>, lost: &AtomicU64) {
    let mut bytes = vec![0; PACKET_BYTES];
    loop {
        let piece = match socket.recv(&mut bytes) {
            Ok(count) => Ok(bytes[..count].to_vec()),
            // What Windows says when a port that we never wrote to is closed, and signals.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted
                ) =>
            {
                continue;
            }
            Err(error) => Err(error),
        };
        let is_last = piece.is_err();
        let sent = sender.try_send((piece, Instant::now()));
        match sent {
            Err(TrySendError::Disconnected(_)) => break,
            Err(TrySendError::Full(_)) => {
                lost.fetch_add(1, Ordering::Relaxed);
            }
            Ok(()) => {}
        }
        if is_last {
            break;
        }
    }
}

fn begin(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Failure> {
    let begun = thread::Builder::new().name(name.to_owned()).spawn(work);
    (begun.map(drop)).map_err(|error| Failure::error(format!("the system gives no thread to listen with: {error}")))
}
