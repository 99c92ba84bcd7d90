// The accent colour of a brand. Pages and mails use it for text on their grounds and as the ground
// of white text, so its contrast is checked once, where it is set (WCAG 2.2, 1.4.3).

import { palette } from './face.ts';

const white = '#ffffff';
/** No ground of light pages and mails is darker, and none of dark ones is lighter. */
const grounds = { light: '#eef3fd', dark: '#1d2637' };
const leastContrast = 4.5;

/** The colours of a brand: its own for light pages, and lighter ones for dark pages. */
type AccentColors = {
  light: string;
  /** For a pointer on a button. */
  lightStrong: string;
  dark: string;
  darkStrong: string;
};

/** The colours without branding. */
const defaultAccent: AccentColors = {
  light: palette.light.accent,
  lightStrong: palette.light.accentStrong,
  dark: palette.dark.accent,
  darkStrong: palette.dark.accentStrong,
};

/**
 * The problem of an accent colour, as the end of a sentence that begins with its name; undefined =
 * none.
 */
export function accentProblem(color: string): string | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(color)) return 'must be a colour such as #1c4fc2';
  const uses = [
    ['white text on it', white],
    [`the light page ${grounds.light}`, grounds.light],
  ] as const;
  const low = uses.find(([, ground]) => contrast(color, ground) < leastContrast);
  if (!low) return undefined;
  // Rounded down, so that a refused ratio never reads as the least one.
  const ratio = (Math.floor(contrast(color, low[1]) * 10) / 10).toFixed(1);
  return `must be darker: its contrast with ${low[0]} is ${ratio}:1, at least ${leastContrast}:1 is needed`;
}

/**
 * The colours for all schemes; '' = without branding. Each has the needed contrast if the colour
 * itself does.
 */
export function accentColors(color: string): AccentColors {
  if (color === '') return defaultAccent;
  const dark = steps
    .map((share) => mix(color, white, share))
    .find((candidate) => contrast(candidate, grounds.dark) >= leastContrast);
  return {
    light: color.toLowerCase(),
    lightStrong: mix(color, '#000000', 0.2),
    dark: dark ?? white,
    darkStrong: mix(dark ?? white, white, 0.35),
  };
}

const steps = Array.from({ length: 21 }, (_, index) => index / 20);

const channels = (color: string): number[] =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));

/** A colour, with this share of another one. */
export function mix(color: string, other: string, share: number): string {
  const [from, to] = [channels(color), channels(other)];
  const mixed = from.map((channel, index) =>
    Math.round(channel * (1 - share) + (to[index] ?? 0) * share),
  );
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Relative luminance (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast ratio of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
