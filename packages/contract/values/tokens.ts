import { Buffer } from 'node:buffer';
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type TokenKind, tokenLetters } from '../identifiers.ts';

// Bearer tokens: "bwk", a letter for the kind, "_", 43 base62 characters of 256 random bits, and 6
// of their CRC32. The prefix lets secret scanners find leaked tokens, and the checksum lets the
// gateway reject malformed tokens without a look-up.

const kinds = new Map<string, TokenKind>(
  Object.entries(tokenLetters).map(([kind, letter]) => [letter, kind as TokenKind]),
);
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^bwk([a-z])_[0-9A-Za-z]{43}([0-9A-Za-z]{6})$/;

/** A new token. It is shown once; only its {@link tokenHash} is stored. */
export function createToken(kind: TokenKind): string {
  const random = base62(randomBytes(32), 43);
  const head = `bwk${tokenLetters[kind]}_${random}`;
  return head + checksum(head);
}

/** The kind of a well-formed token with a valid checksum, else undefined. */
export function tokenKind(token: string): TokenKind | undefined {
  const match = form.exec(token);
  if (!match || checksum(token.slice(0, -6)) !== match[2]) return undefined;
  return kinds.get(match[1] ?? '');
}

/** SHA-256 of a token. With 256 random bits a slow hash would add no protection. */
export function tokenHash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return base62(bytes, 6);
}

function base62(bytes: Uint8Array, length: number): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let index = 0; index < length; index++) {
    text = alphabet[Number(number % 62n)] + text;
    number /= 62n;
  }
  return text;
}
