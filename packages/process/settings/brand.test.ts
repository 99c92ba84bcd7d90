import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pageBrandSettings, readBrandImage } from './brand.ts';
import { readSettings } from './config.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

test('the process starts with usable branding, and with none', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-brand-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'logo');
  writeFileSync(file, png);
  const settings = readSettings(pageBrandSettings, {
    BAILIWICK_BRAND_NAME: 'Example',
    BAILIWICK_BRAND_LOGO_FILE: file,
    BAILIWICK_BRAND_COLOR: '#8a1538',
    BAILIWICK_TERMS_URL: 'https://example.com/terms',
  });
  assert.partialDeepStrictEqual(readBrandImage(settings.brandLogo), {
    type: 'image/png',
    width: 1,
    height: 1,
  });
  assert.equal(readBrandImage(readSettings(pageBrandSettings, {}).brandLogo), undefined);
});

test('the process names every problem of its branding, and does not start', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bailiwick-brand-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [large, drawing] = [join(folder, 'large'), join(folder, 'logo.svg')];
  writeFileSync(large, Buffer.concat([png, Buffer.alloc(64 * 1024)]));
  writeFileSync(drawing, '<svg xmlns="http://www.w3.org/2000/svg"/>');
  const problems = (environment: Record<string, string>) => {
    try {
      readSettings(pageBrandSettings, environment);
    } catch (error) {
      return (error as Error).message.split('\n').slice(1);
    }
    return [];
  };
  assert.deepEqual(
    problems({
      BAILIWICK_BRAND_NAME: 'a'.repeat(65),
      BAILIWICK_BRAND_LOGO_FILE: large,
      BAILIWICK_BRAND_COLOR: '#ffcc00',
      BAILIWICK_BRAND_FAVICON_FILE: '/nowhere/icon',
      BAILIWICK_TERMS_URL: 'http://example.com',
      BAILIWICK_PRIVACY_URL: 'javascript:alert(1)',
    }),
    [
      '  - BAILIWICK_BRAND_NAME must be at most 64 characters, without control characters',
      `  - BAILIWICK_BRAND_LOGO_FILE names the image ${large}, which must be at most 64 KiB`,
      '  - BAILIWICK_BRAND_COLOR must be darker: its contrast with white text on it is 1.5:1, at least 4.5:1 is needed',
      '  - BAILIWICK_BRAND_FAVICON_FILE names the image /nowhere/icon, which cannot be read',
      '  - BAILIWICK_TERMS_URL must be an https URL',
      '  - BAILIWICK_PRIVACY_URL must be an https URL',
    ],
  );
  assert.deepEqual(problems({ BAILIWICK_BRAND_LOGO_FILE: drawing }), [
    `  - BAILIWICK_BRAND_LOGO_FILE names the image ${drawing}, which must be a PNG, JPEG or WebP image`,
  ]);
});
