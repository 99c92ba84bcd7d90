import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

// The schemes of crypt(3) and PHP that no library of ours has. They run on the main thread, so they
// let other work in between.

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Milliseconds after which other work runs, and rounds between two looks at the clock. */
const sliceMs = 0.5;
const roundsPerLook = 16;

/** Runs rounds in slices. */
async function inSlices(rounds: number, work: (round: number) => void): Promise<void> {
  let began = performance.now();
  for (let round = 0; round < rounds; round++) {
    work(round);
    if (round % roundsPerLook !== 0 || performance.now() - began < sliceMs) continue;
    await nextTurn();
    began = performance.now();
  }
}

const digest = (algorithm: string, ...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash(algorithm);
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** The characters of three bytes, least significant bits first, as crypt(3) writes them. */
function characters(bytes: readonly number[], count: number): string {
  let bits = bytes.reduce((sum, byte, index) => sum + byte * 256 ** index, 0);
  let text = '';
  for (let remaining = count; remaining > 0; remaining--, bits = Math.floor(bits / 64))
    text += alphabet[bits % 64];
  return text;
}

const repeated = (bytes: Buffer, length: number): Buffer =>
  Buffer.alloc(length, bytes.length === 0 ? 0 : bytes);

type Crypt = { salt: string; rounds: number };

/**
 * `$5$` and `$6$` in crypt(3): "Unix crypt using SHA-256 and SHA-512", U. Drepper, 2007. Returns the
 * last digest. The numbers are the steps of that text.
 */
async function shaCrypt(
  algorithm: 'sha256' | 'sha512',
  password: string,
  { salt, rounds }: Crypt,
): Promise<Buffer> {
  const [key, saltBytes] = [Buffer.from(password), Buffer.from(salt)];
  const inner = digest(algorithm, key, saltBytes, key); // 4 to 8
  const parts = [key, saltBytes, repeated(inner, key.length)]; // 1 to 3, 9 and 10
  for (let bits = key.length; bits > 0; bits >>>= 1) parts.push((bits & 1) === 1 ? inner : key); // 11
  let state = digest(algorithm, ...parts);
  // 13 to 16, then 17 to 20
  const p = repeated(digest(algorithm, ...Array<Buffer>(key.length).fill(key)), key.length);
  const s = repeated(
    digest(algorithm, ...Array<Buffer>(16 + (state[0] ?? 0)).fill(saltBytes)),
    saltBytes.length,
  );
  await inSlices(rounds, (round) => {
    const isOdd = round % 2 === 1; // 21
    const middle = [...(round % 3 === 0 ? [] : [s]), ...(round % 7 === 0 ? [] : [p])];
    state = digest(algorithm, isOdd ? p : state, ...middle, isOdd ? state : p);
  });
  return state;
}

/**
 * Step 22: a third of the digest's bytes apart, three bytes at a time, each triple with its places
 * turned by `turn` against the one before.
 */
function shaText(state: Buffer, { third, turn }: { third: number; turn: number }): string {
  let text = '';
  for (let index = 0; index < third; index++) {
    const places = [index, index + third, index + 2 * third];
    const first = (turn * index) % 3;
    const turned = [...places.slice(first), ...places.slice(0, first)];
    text += characters(turned.map((place) => state[place] ?? 0).toReversed(), 4);
  }
  return text;
}

/** SHA-512-crypt, `$6$`. Returns the last part of the hash. */
export async function sha512Crypt(password: string, crypt: Crypt): Promise<string> {
  const state = await shaCrypt('sha512', password, crypt);
  return shaText(state, { third: 21, turn: 1 }) + characters([state[63] ?? 0], 2);
}

/** SHA-256-crypt, `$5$`. Returns the last part of the hash. */
export async function sha256Crypt(password: string, crypt: Crypt): Promise<string> {
  const state = await shaCrypt('sha256', password, crypt);
  return shaText(state, { third: 10, turn: 2 }) + characters([state[30] ?? 0, state[31] ?? 0], 3);
}

/**
 * The portable hash of phpass 0.5, `$P$` and `$H$`: MD5 in many rounds, as WordPress and phpBB made
 * it. Returns the last part of the hash.
 */
export async function phpass(
  password: string,
  { salt, log2Rounds }: { salt: string; log2Rounds: number },
): Promise<string> {
  const key = Buffer.from(password);
  let state = digest('md5', Buffer.from(salt), key);
  await inSlices(2 ** log2Rounds, () => {
    state = digest('md5', state, key);
  });
  let text = '';
  for (let index = 0; index < 15; index += 3)
    text += characters([...state.subarray(index, index + 3)], 4);
  return text + characters([state[15] ?? 0], 2);
}

/** The cost that a setting of phpass names. */
export const phpassLog2 = (setting: string): number => alphabet.indexOf(setting);
