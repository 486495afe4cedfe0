//! Where poses come from while they come: BVH on the standard input, or packets of VMC from this machine.

use std::io::{self, Read};
use std::net::{Ipv4Addr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use loopwright_formats::vmc::{VmcCounts, VmcCut, VmcEvent, VmcReader};

use crate::exit::Result;

/// Bytes read of the standard input at a time.
const READ_BYTES: usize = 1 << 16;

/// The largest packet of UDP.
const PACKET_BYTES: usize = 1 << 16;

/// Pieces that wait. The standard input then waits with its sender; packets are lost.
const MAX_WAITING: usize = 4096;

/// What came next.
pub enum Came {
    /// The next bytes of a BVH file, if any, and when they came.
    Text(Vec<u8>, Instant),
    /// The file ends. What follows does not continue it and is another one.
    Cut(VmcCut),
    /// No motion, for so long.
    Silence(Duration),
    /// The end.
    End,
}

/// A piece of a stream, and when it came.
type Piece = (io::Result<Vec<u8>>, Instant);

/// A stream of poses.
pub struct LiveSource {
    pieces: Receiver<Piece>,
    /// When the last one came that motion came of.
    came: Instant,
    packets: Option<Packets>,
}

/// What packets are turned into.
struct Packets {
    port: u16,
    reader: VmcReader,
    since: Instant,
    lost: Arc<AtomicU64>,
}

impl LiveSource {
    /// The standard input.
    pub fn of_input() -> Result<Self> {
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
        Ok(Self {
            pieces,
            came: Instant::now(),
            packets: None,
        })
    }

    /// A port of this machine, which no other one reaches; 0 is any that is free.
    pub fn of_port(port: u16, rate_hz: Option<f64>) -> Result<Self> {
        let failed = |error: io::Error| {
            failure!("cannot listen at port {port} of this machine: {error}").try_this(
                "another --port, which the sender has to use too; or end the program that listens there already",
            )
        };
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        let port = socket.local_addr().map_err(failed)?.port();
        let (sender, pieces) = sync_channel(MAX_WAITING);
        let lost = Arc::<AtomicU64>::default();
        let of_reader = Arc::clone(&lost);
        begin("listen", move || receive(&socket, &sender, &of_reader))?;
        let came = Instant::now();
        let packets = Packets {
            port,
            reader: VmcReader::new(rate_hz),
            since: came,
            lost,
        };
        let packets = Some(packets);
        Ok(Self { pieces, came, packets })
    }

    /// The port at which packets are received.
    pub fn port(&self) -> Option<u16> {
        self.packets.as_ref().map(|packets| packets.port)
    }

    /// What comes next, if it comes within that time. Errors: the standard input cannot be read.
    pub fn next(&mut self, within: Duration) -> Result<Came> {
        if let Some(event) = self.next_event() {
            return Ok(event);
        }
        let (piece, came) = match self.pieces.recv_timeout(within) {
            Ok(piece) => piece,
            // What waits in line while a loop is made is no silence.
            Err(RecvTimeoutError::Timeout) => return Ok(Came::Silence(self.came.elapsed())),
            Err(RecvTimeoutError::Disconnected) => return Ok(Came::End),
        };
        let piece = piece.map_err(|error| failure!("cannot read the stream: {error}"))?;
        let Some(packets) = &mut self.packets else {
            self.came = came;
            return Ok(Came::Text(piece, came));
        };
        let received_secs = came.duration_since(packets.since).as_secs_f64();
        packets.reader.push(&piece, received_secs);
        let last = core::mem::replace(&mut self.came, came);
        Ok(self.next_event().unwrap_or_else(|| {
            // What no pose came of is silence too: a sender that has lost its body may go on to say that it is there.
            self.came = last;
            Came::Silence(came.duration_since(last))
        }))
    }

    /// What came of packets and was not taken yet.
    fn next_event(&mut self) -> Option<Came> {
        Some(match self.packets.as_mut()?.reader.next_event()? {
            VmcEvent::Text(text) => Came::Text(text, self.came),
            VmcEvent::Cut(why) => Came::Cut(why),
        })
    }

    /// What was odd in packets, and how many were lost because work took longer than they did.
    pub fn counts(&self) -> Option<(&VmcCounts, u64)> {
        let packets = self.packets.as_ref()?;
        Some((packets.reader.counts(), packets.lost.load(Ordering::Relaxed)))
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

fn begin(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let begun = thread::Builder::new().name(name.to_owned()).spawn(work);
    (begun.map(drop)).map_err(|error| failure!("the system gives no thread to listen with: {error}"))
}
