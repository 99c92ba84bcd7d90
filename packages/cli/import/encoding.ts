import { createReadStream } from 'node:fs';

// The text of a file in an encoding that programs write: UTF-8, UTF-16 of Excel, or Windows-1252,
// which contains all letters of Latin-1.

/** The encodings by their byte order marks. */
const marks: ReadonlyArray<readonly [mark: readonly number[], encoding: string]> = [
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * The form of UTF-16 that a file has, if any. Without a mark its first character says so: in a file
 * of users it is ASCII, and one of its two bytes is zero.
 */
function utf16Of(head: Uint8Array): string | undefined {
  const [, marked] = marks.find(([mark]) => mark.every((byte, at) => head[at] === byte)) ?? [];
  if (marked) return marked;
  return head[0] === 0 ? 'utf-16be' : head[1] === 0 ? 'utf-16le' : undefined;
}

/** The encoding of a file. Reads all of it, because one wrong byte says that it is not UTF-8. */
export async function encodingOf(file: string): Promise<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let isFirst = true;
  try {
    for await (const piece of createReadStream(file) as AsyncIterable<Uint8Array>) {
      const encoding = isFirst ? utf16Of(piece) : undefined;
      if (encoding) return encoding;
      isFirst = false;
      utf8.decode(piece, { stream: true });
    }
    // A character that the file does not finish.
    utf8.decode();
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252';
    throw error;
  }
  return 'utf-8';
}

/** The pieces of a file as text, without a byte order mark. `read` gets the bytes read so far. */
export async function* textOf(
  file: string,
  encoding: string,
  read: (bytes: number) => void = () => {},
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  const stream = createReadStream(file);
  let bytes = 0;
  try {
    for await (const piece of stream as AsyncIterable<Uint8Array>) {
      read((bytes += piece.length));
      yield decoder.decode(piece, { stream: true });
    }
    yield decoder.decode();
  } finally {
    stream.destroy();
  }
}

/** The first characters of a file. */
export async function headOf(file: string, encoding: string): Promise<string> {
  for await (const text of textOf(file, encoding)) return text;
  return '';
}
