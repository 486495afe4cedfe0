//! Receives poses live: BVH on the standard input, or VMC packets from this machine.

use std::{
    io::{self, Read},
    net::{Ipv4Addr, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

use loopwright_formats::vmc::{VmcCounts, VmcCut, VmcEvent, VmcReader};

use crate::exit::Result;

/// Bytes read from the standard input at a time.
const READ_BYTES: usize = 1 << 16;

/// Largest UDP packet, bytes.
const PACKET_BYTES: usize = 1 << 16;

/// Most pieces in the queue. When it is full, the sender of the standard input waits, and packets are lost.
const MAX_WAITING: usize = 4096;

/// An event of the stream.
pub enum Came {
    /// The next bytes of a BVH file, if any, and the time of their arrival.
    Text(Vec<u8>, Instant),
    /// The file ends here; what follows belongs to another one.
    Cut(VmcCut),
    /// No motion for this long.
    Silence(Duration),
    /// The end of the stream.
    End,
}

/// A piece of the stream, and the time of its arrival.
type Piece = (io::Result<Vec<u8>>, Instant);

/// A stream of poses.
pub struct LiveSource {
    pieces: Receiver<Piece>,
    /// Arrival of the last piece that contained motion.
    came: Instant,
    packets: Option<Packets>,
}

/// Converts packets.
struct Packets {
    port: u16,
    reader: VmcReader,
    since: Instant,
    lost: Arc<AtomicU64>,
}

impl LiveSource {
    /// Reads from the standard input.
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

    /// Listens on a port of this machine that other machines cannot reach; 0 picks any free one.
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

    /// Returns the next event, waiting for at most `within`. Errors: the standard input cannot be read.
    pub fn next(&mut self, within: Duration) -> Result<Came> {
        if let Some(event) = self.next_event() {
            return Ok(event);
        }
        let (piece, came) = match self.pieces.recv_timeout(within) {
            Ok(piece) => piece,
            // Pieces that queue up while a loop is made do not count as silence.
            Err(RecvTimeoutError::Timeout) => return Ok(Came::Silence(self.came.elapsed())),
            Err(RecvTimeoutError::Disconnected) => return Ok(Came::End),
        };
        let piece = piece.map_err(|error| failure!("cannot read the stream: {error}"))?;
        let Some(packets) = &mut self.packets else {
            self.came = came;
            return Ok(Came::Text(piece, came));
        };
        packets
            .reader
            .push(&piece, came.duration_since(packets.since).as_secs_f64());
        let last = core::mem::replace(&mut self.came, came);
        Ok(self.next_event().unwrap_or_else(|| {
            // Packets without a pose count as silence too: a sender that lost track of the body may keep sending.
            self.came = last;
            Came::Silence(came.duration_since(last))
        }))
    }

    /// Returns the next event from packets received so far.
    fn next_event(&mut self) -> Option<Came> {
        Some(match self.packets.as_mut()?.reader.next_event()? {
            VmcEvent::Text(text) => Came::Text(text, self.came),
            VmcEvent::Cut(why) => Came::Cut(why),
        })
    }

    /// Counts bad packets, and packets that were lost because the work was slower than their arrival.
    pub fn counts(&self) -> Option<(&VmcCounts, u64)> {
        let packets = self.packets.as_ref()?;
        Some((packets.reader.counts(), packets.lost.load(Ordering::Relaxed)))
    }
}

/// Receives packets as they arrive, so that the system does not drop them while a loop is made.
fn receive(socket: &UdpSocket, sender: &SyncSender<Piece>, lost: &AtomicU64) {
    let mut bytes = vec![0; PACKET_BYTES];
    loop {
        let piece = match socket.recv(&mut bytes) {
            Ok(count) => Ok(bytes[..count].to_vec()),
            // Signals, and what Windows reports when a port that was never written to is closed.
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
        match sender.try_send((piece, Instant::now())) {
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
    thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .map(drop)
        .map_err(|error| failure!("the system gives no thread to listen with: {error}"))
}
