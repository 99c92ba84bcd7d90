import { Buffer } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { countIn } from './lines.ts';

// One file with the hashes of all known passwords, HASH:COUNT in ascending order. It has tens of
// gigabytes: a lookup reads some 25 short pieces of it, and the process keeps none of them.

/** More than a line has: 40 digits, a colon, a count and the line's end. */
const lineBytes = 128;
/** The search ends with a block of this size. */
const blockBytes = 4096;
/** The places that are compared at the start. */
const samples = 64;

/** @throws if the file is not of this form and order, as far as some places of it show */
export async function assertHashFile(path: string): Promise<void> {
  await reading(path, async (file, size) => {
    const first = await readAt(file, 0, lineBytes);
    if (!/^[0-9A-F]{40}:\d+\r?(\n|$)/.test(first))
      throw new Error('does not begin with a SHA-1 hash and a count');
    let before = first.slice(0, 40);
    for (let sample = 1; sample < samples; sample++) {
      const line = await lineAfter(file, Math.floor((size / samples) * sample));
      if (line && line.hash < before) throw new Error('is not in the order of its hashes');
      before = line?.hash ?? before;
    }
  });
}

/** How often a hash occurred in breaches; 0 = it is not in the file. */
export const countInHashFile = (path: string, hash: string): Promise<number> =>
  reading(path, async (file, size) => {
    // The line of the hash begins at `from` or later, and before `to`.
    let [from, to] = [0, size];
    while (to - from > blockBytes) {
      const middle = from + Math.floor((to - from) / 2);
      const line = await lineAfter(file, middle);
      if (line && line.hash <= hash) from = line.start;
      else to = middle + 1;
    }
    return countIn(await readAt(file, from, Math.max(0, to - from) + lineBytes), hash);
  });

async function reading<T>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<T>,
): Promise<T> {
  const file = await open(path);
  try {
    return await work(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/** The first line that begins after a position; undefined after the last one. */
async function lineAfter(
  file: FileHandle,
  position: number,
): Promise<{ start: number; hash: string } | undefined> {
  const text = await readAt(file, position, lineBytes);
  const start = text.indexOf('\n') + 1;
  if (start === 0 ? text.length < lineBytes : start === text.length) return undefined;
  const hash = text.slice(start, start + 40);
  if (start === 0 || !/^[0-9A-F]{40}$/.test(hash))
    throw new Error('has a line without a SHA-1 hash and a count');
  return { start: position + start, hash };
}

async function readAt(file: FileHandle, position: number, length: number): Promise<string> {
  const buffer = Buffer.alloc(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.toString('latin1', 0, filled).toUpperCase();
}
