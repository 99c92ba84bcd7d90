import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accentColors, accentProblem, contrast } from './accent.ts';

test('contrast is the ratio of WCAG 2.2', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#777777'), 1);
  // The two greys around 4.5:1 on white.
  assert.equal(contrast('#767676', '#ffffff').toFixed(2), '4.54');
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test('accentProblem names the ratio of a colour that is too light', () => {
  assert.equal(accentProblem('#1c4fc2'), undefined);
  assert.equal(accentProblem('#1C4FC2'), undefined);
  assert.equal(
    accentProblem('#ffcc00'),
    'must be darker: its contrast with white text on it is 1.5:1, at least 4.5:1 is needed',
  );
  // White text on it is readable, and it is not on the page.
  assert.match(accentProblem('#757575') ?? '', /contrast with the light page #\w+ is 4\.1:1/);
  for (const malformed of ['', 'red', '#fff', '#1c4fc2ff', '#1c4fcg', ' #1c4fc2', 'url(#1c4fc2)'])
    assert.equal(accentProblem(malformed), 'must be a colour such as #1c4fc2', malformed);
});

test('accentColors have enough contrast on the grounds of both schemes', () => {
  for (const color of ['', '#000000', '#1c4fc2', '#8a1538', '#0b6b3a', '#5b2d8e', '#6b5900']) {
    if (color !== '') assert.equal(accentProblem(color), undefined, color);
    const { light, lightStrong, dark, darkStrong } = accentColors(color);
    for (const one of [light, lightStrong])
      for (const ground of ['#ffffff', '#f2f4f7', '#f4f5f7', '#eef3fd'])
        assert.ok(contrast(one, ground) >= 4.5, `${one} on ${ground}`);
    // The last one is the text on dark pages' buttons.
    for (const one of [dark, darkStrong])
      for (const ground of ['#101319', '#191d25', '#14171c', '#1c2027', '#1d2637', '#0c1730'])
        assert.ok(contrast(one, ground) >= 4.5, `${one} on ${ground}`);
  }
});
