import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contrast } from './accent.ts';
import { iconSvg, palette, paletteStyle } from './face.ts';

test('texts, edges and buttons of both schemes have the contrast of WCAG 2.2 AA', () => {
  for (const [name, colors] of Object.entries(palette)) {
    const grounds = [colors.page, colors.card, colors.saidGround];
    const assertRatio = (least: number, color: string, ground: string) =>
      assert.ok(contrast(color, ground) >= least, `${name}: ${color} on ${ground}`);
    for (const ground of grounds) {
      for (const color of [
        'text',
        'quiet',
        'accent',
        'accentStrong',
        'failed',
        'warned',
        'done',
      ] as const)
        assertRatio(4.5, colors[color], ground);
      assertRatio(3, colors.edge, ground);
    }
    assertRatio(4.5, colors.failed, colors.failedGround);
    assertRatio(4.5, colors.onAccent, colors.accent);
    assertRatio(4.5, colors.onAccent, colors.accentStrong);
  }
});

test('the grounds of the pages leave the contrast that accentProblem promises to a brand', () => {
  const { light, dark } = palette;
  for (const ground of [light.page, light.card, light.saidGround])
    assert.ok(contrast(ground, '#000000') >= contrast('#eef3fd', '#000000'), ground);
  for (const ground of [dark.page, dark.card, dark.saidGround])
    assert.ok(contrast(ground, '#ffffff') >= contrast('#1d2637', '#ffffff'), ground);
});

test('paletteStyle has every colour of both schemes, and the icon those of the light one', () => {
  const style = paletteStyle();
  for (const color of [...Object.values(palette.light), ...Object.values(palette.dark)])
    assert.ok(style.includes(`:${color}`), color);
  assert.match(style, /--accent-strong:#/);
  assert.ok(iconSvg().includes(`fill="${palette.light.accent}"`));
});
