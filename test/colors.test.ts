import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { iconSvg, palette } from '@bailiwick/texts';

// Colours have one place, packages/texts/face.ts.

const places = [
  'console/{*.html,src/**/*.{css,ts,tsx}}',
  'deploy/local/inbox/*.{css,ts}',
  'gateway/pages/*.{css,html,js,ts}',
  'site/theme/*',
];

/** Scanners read black on white, and a form shows what a colour looks like. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  'console/src/account/app-dialog.tsx': ['#fff', '#000'],
  'gateway/pages/factors.js': ['#fff'],
  'console/src/settings/branding-page.tsx': ['#1c4fc2'],
  'console/src/settings/contrast.ts': ['#ffffff'],
};

const colorsIn = (file: string): string[] =>
  readFileSync(join(root, file), 'utf8').match(
    /#(?:[\da-f]{6}|[\da-f]{3})\b(?![\w-])|\brgba?\(\s*\d/gi,
  ) ?? [];

test('no page, view or style has a colour of its own', () => {
  const files = globSync(places, { cwd: root }).filter((file) => !file.endsWith('.test.ts'));
  assert.ok(files.length > 100);
  const own = files.flatMap((file) =>
    colorsIn(file)
      .filter((color) => !exceptions[file]?.includes(color))
      .map((color) => `${file}: ${color}`),
  );
  assert.deepEqual(own, []);
  for (const [file, colors] of Object.entries(exceptions))
    for (const color of colors) assert.ok(colorsIn(file).includes(color), `${file}: ${color}`);
});

test('the mark of README is that of the pages', () => {
  const drawing = readFileSync(join(root, 'docs/mark.svg'), 'utf8').trim();
  assert.equal(drawing.replace(' width="32" height="32" viewBox', ' viewBox'), iconSvg());
});

test('mails, which programs read without custom properties, have the same colours', () => {
  const known = new Set([...Object.values(palette.light), ...Object.values(palette.dark)]);
  // The ground of a button is a brand's own: docs/mail.md names the colour of its text.
  known.add('#0c1730');
  const colors = colorsIn('services/notifications/email/layout.html');
  assert.ok(colors.length > 5);
  assert.deepEqual(
    colors.filter((color) => !known.has(color)),
    [],
  );
});
