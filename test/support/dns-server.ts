import { Buffer } from 'node:buffer';
import { createSocket } from 'node:dgram';
import { createServer, isIPv4 } from 'node:net';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { takePort } from './ports.ts';

// A scripted DNS server (RFC 1035) over UDP, and over TCP for long answers.

type Zone = {
  /** All addresses of the name. A query gets those of its family. */
  addresses?: readonly string[];
  /** The name is an alias of this name, which has the addresses. */
  cname?: string;
  txt?: readonly string[];
  /** The delay before the answer. */
  delayMs?: number;
  /** The error code: 2 = SERVFAIL, 5 = REFUSED. */
  code?: number;
};

export type DnsServer = Awaited<ReturnType<typeof startDns>>;

/** Starts a DNS server. It answers NXDOMAIN for names that were not set. */
export async function startDns() {
  const zones = new Map<string, Zone | (() => Zone)>();
  const queries: string[] = [];
  const late = new Set<NodeJS.Timeout>();
  function handle(query: Buffer, respond: (answer: Buffer) => void): void {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    const entry = zones.get(name);
    const zone = typeof entry === 'function' ? entry() : entry;
    queries.push(name);
    const send = () => respond(answer(query.subarray(0, end + 4), type, zone));
    if (zone?.delayMs === undefined) send();
    else late.add(setTimeout(send, zone.delayMs));
  }
  const socket = createSocket('udp4', (query, { port, address }) =>
    handle(query, (whole) => socket.send(truncated(whole), port, address)),
  );
  const server = createServer((stream) => {
    stream.on('error', () => {});
    // A query is short and arrives in one chunk, after its two-byte length.
    stream.on('data', (chunk) =>
      handle(Buffer.from(chunk.subarray(2)), (whole) =>
        stream.write(Buffer.concat([lengthOf(whole), whole])),
      ),
    );
  });
  const port = await takePort();
  await new Promise<void>((resolve) => socket.bind(port, loopback, resolve));
  await new Promise<void>((resolve) => server.listen(port, loopback, resolve));
  return {
    /** The value for BAILIWICK_EGRESS_RESOLVER and BAILIWICK_DNS_RESOLVERS. */
    address: `${loopback}:${port}`,
    /** The name of every query. */
    queries,
    /** Sets the records of a name, or a function that returns them for each query. */
    set: (name: string, zone: Zone | (() => Zone)) => void zones.set(name, zone),
    async stop(): Promise<void> {
      for (const timer of late) clearTimeout(timer);
      server.close();
      await new Promise<void>((resolve) => socket.close(resolve));
    },
  };
}

const types = { a: 1, cname: 5, txt: 16, aaaa: 28 };

const lengthOf = (message: Buffer): Buffer =>
  Buffer.from([message.length >> 8, message.length & 255]);

/** The answer for UDP. A long answer becomes an empty one with the TC bit: the client uses TCP. */
function truncated(whole: Buffer): Buffer {
  if (whole.length <= 512) return whole;
  const { end } = readName(whole, 12);
  const cut = Buffer.from(whole.subarray(0, end + 4));
  cut.writeUInt16BE(cut.readUInt16BE(2) | 0x0200, 2);
  cut.writeUInt16BE(0, 6);
  return cut;
}

function answer(question: Buffer, type: number, zone: Zone | undefined): Buffer {
  const header = Buffer.from(question.subarray(0, 12));
  const addresses = (zone?.addresses ?? []).filter(
    (address) => type === (isIPv4(address) ? types.a : types.aaaa),
  );
  const owner = zone?.cname === undefined ? Buffer.from([0xc0, 12]) : encodeName(zone.cname);
  const texts = type === types.txt ? (zone?.txt ?? []) : [];
  const records = [
    ...addresses.map((address) => record(owner, type, encodeAddress(address))),
    ...texts.map((text) => record(owner, type, encodeText(text))),
  ];
  if (zone?.cname !== undefined)
    records.unshift(record(Buffer.from([0xc0, 12]), types.cname, encodeName(zone.cname)));
  // Response, recursion desired and available; 3 = NXDOMAIN.
  header.writeUInt16BE(0x8180 | (zone === undefined ? 3 : (zone.code ?? 0)), 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, question.subarray(12), ...records]);
}

function record(owner: Buffer, type: number, content: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  // A TTL of an hour: a client that queries again within it does not cache.
  fixed.writeUInt32BE(3600, 4);
  fixed.writeUInt16BE(content.length, 8);
  return Buffer.concat([owner, fixed, content]);
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 };
}

const encodeName = (name: string): Buffer =>
  Buffer.concat([
    ...name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]),
    Buffer.of(0),
  ]);

/** Encodes a text in pieces of at most 255 bytes. */
function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.max(1, Math.ceil(bytes.length / 255)) }, (_, index) =>
    bytes.subarray(index * 255, (index + 1) * 255),
  );
  return Buffer.concat(pieces.flatMap((piece) => [Buffer.of(piece.length), piece]));
}

function encodeAddress(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The URL parser converts a dotted IPv4 suffix to hexadecimal groups.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const groupsOf = (half: string) =>
    half === '' ? [] : half.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const groups = [
    ...first,
    ...Array.from({ length: 8 - first.length - last.length }, () => 0),
    ...last,
  ];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}
