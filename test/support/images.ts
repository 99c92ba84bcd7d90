import { Buffer } from 'node:buffer';
import { crc32, deflateSync } from 'node:zlib';

// Images for tests, small enough to be made here.

function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, crc] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  crc.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, crc]);
}

/** A PNG of one colour, filled up with a text chunk to `size` bytes. */
export function pngOf(
  [red, green, blue]: readonly [number, number, number],
  { width = 160, height = 48, size = 0 } = {},
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, RGB.
  header.set([8, 2], 8);
  const row = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, () => Buffer.from([red, green, blue])),
  ]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const image = [
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
  ];
  const end = chunk('IEND', Buffer.alloc(0));
  const rest = size - Buffer.concat([...image, end]).length - 12;
  const filling = rest > 0 ? [chunk('tEXt', Buffer.alloc(rest, 'a'))] : [];
  return Buffer.concat([...image, ...filling, end]);
}
