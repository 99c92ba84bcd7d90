import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import { maxLogoBytes, readLogo } from './image.ts';

const hex = (text: string, length = 64) => {
  const bytes = Buffer.from(text.replaceAll(' ', ''), 'hex');
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length))]);
};
const png = (width: string, height: string) =>
  hex(`89504e470d0a1a0a 0000000d 49484452 ${width} ${height} 0806000000`);
// A frame header after a segment of metadata.
const jpeg = hex('ffd8 ffe00010 4a464946000101000001000100 00 ffc00011 08 0030 00a0 03');
const lossy = hex('52494646 38000000 57454250 56503820 2c000000 500200 9d012a a000 3000');
const lossless = hex('52494646 38000000 57454250 5650384c 2c000000 2f 9fc00b00');
const extended = hex('52494646 38000000 57454250 56503858 0a000000 10000000 9f0000 2f0000');

test('readLogo reads the type and size of PNG, JPEG and WebP', () => {
  const size = { width: 160, height: 48 };
  assert.deepEqual(readLogo(png('000000a0', '00000030')), { type: 'image/png', ...size });
  assert.deepEqual(readLogo(jpeg), { type: 'image/jpeg', ...size });
  for (const file of [lossy, lossless, extended])
    assert.deepEqual(readLogo(file), { type: 'image/webp', ...size });
});

test('readLogo rejects other files, whatever they begin with', () => {
  const files = [
    Buffer.alloc(0),
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    Buffer.from('GIF89a'.padEnd(64, '\0'), 'latin1'),
    Buffer.from('<!doctype html><script>alert(1)</script>'),
    // Signatures without the header that must follow.
    hex('89504e470d0a1a0a'),
    png('000000a0', '00000030').subarray(0, 20),
    hex('ffd8ffe0ffff'),
    hex('ffd8ff'),
    hex('ffd8ff', 3),
    hex('52494646 38000000 57454250 58585858'),
  ];
  for (const file of files)
    assert.throws(() => readLogo(file), { message: 'must be a PNG, JPEG or WebP image' });
});

test('readLogo rejects images that are too large, as files and unpacked', () => {
  const small = png('00000800', '00000001');
  assert.equal(readLogo(small).width, 2048);
  const most = Buffer.concat([small, Buffer.alloc(maxLogoBytes - small.length)]);
  assert.equal(readLogo(most).height, 1);
  assert.throws(() => readLogo(Buffer.concat([most, Buffer.alloc(1)])), {
    message: 'must be at most 64 KiB',
  });
  for (const [width, height] of [
    ['00000801', '00000001'],
    ['00000001', 'ffffffff'],
    ['00000000', '00000001'],
  ] as const)
    assert.throws(() => readLogo(png(width, height)), {
      message: 'must be 1 to 2048 pixels wide and high',
    });
});
