import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

/** An image that pages may show: its media type and its size in pixels. */
export type Image = {
  type: 'image/png' | 'image/jpeg' | 'image/webp';
  width: number;
  height: number;
};

/** The most bytes of a logo. */
export const maxLogoBytes = 64 * 1024;
/** A small file can unpack to an image that fills a browser's memory. */
const maxPixels = 2048;

/**
 * Reads the type and size from the first bytes of an image. Only PNG, JPEG and WebP: an SVG can
 * contain scripts. The message of the error ends a sentence that begins with the image's name.
 */
export function readLogo(content: Uint8Array): Image {
  if (content.length > maxLogoBytes) throw new Error('must be at most 64 KiB');
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const image = readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes);
  if (!image) throw new Error('must be a PNG, JPEG or WebP image');
  const { width, height } = image;
  if (width < 1 || height < 1 || width > maxPixels || height > maxPixels)
    throw new Error(`must be 1 to ${maxPixels} pixels wide and high`);
  return image;
}

/** Why a sent logo cannot be used; undefined if it can, or if none was sent. Empty removes a logo. */
export function logoProblem(content: Uint8Array | undefined): string | undefined {
  if (!content || content.length === 0) return undefined;
  try {
    readLogo(content);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'is malformed';
  }
}

/** The stored facts about a logo's bytes. The hash is in its address, for caches. */
export type LogoFacts = { hash: string; width: number; height: number };

/** The facts of a logo; undefined for an empty one. @throws if it is no logo */
export function describeLogo(content: Uint8Array): LogoFacts | undefined {
  if (content.length === 0) return undefined;
  const { width, height } = readLogo(content);
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { hash, width, height };
}

/** The API's fields of a logo. `owner` is the ID of the tenant or app. */
export const logoFields = (owner: string, { hash, width, height }: LogoFacts) => ({
  logoPath: `/brand/${owner}/logo?v=${hash}`,
  logoWidth: width,
  logoHeight: height,
});

const startsWith = (bytes: Buffer, hex: string, at = 0): boolean =>
  bytes.subarray(at, at + hex.length / 2).equals(Buffer.from(hex, 'hex'));

/** The signature, and the chunk IHDR with the size (PNG, sections 5.2 and 11.2.1). */
function readPng(bytes: Buffer): Image | undefined {
  if (bytes.length < 33 || !startsWith(bytes, '89504e470d0a1a0a0000000d49484452')) return undefined;
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** The frame headers, SOF0 to SOF15 without the three other segments in that range. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** The segments up to the frame header, which has the size (ITU T.81, annex B). */
function readJpeg(bytes: Buffer): Image | undefined {
  if (!startsWith(bytes, 'ffd8ff')) return undefined;
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes.readUInt8(at + 1);
    if (isFrame(marker))
      return {
        type: 'image/jpeg',
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
      };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** The first chunk of a RIFF file, in the three forms of WebP (RFC 9649). */
function readWebp(bytes: Buffer): Image | undefined {
  if (bytes.length < 30 || !startsWith(bytes, '52494646') || !startsWith(bytes, '57454250', 8))
    return undefined;
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (!startsWith(bytes, '9d012a', 23)) return undefined;
      return {
        type,
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    case 'VP8L': {
      if (bytes[20] !== 0x2f) return undefined;
      const packed = bytes.readUInt32LE(21);
      return { type, width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}
