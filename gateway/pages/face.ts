import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

// The typeface of pages, console and reference. Its files are in fonts/, which names their source.

type FontFile = { name: string; content: Buffer };

const folder = new URL('fonts/', import.meta.url);

/** A file with the hash of its content in its name, so that a browser keeps it for ever. */
function readFont(family: string): FontFile {
  const content = readFileSync(new URL(`${family}.woff2`, folder));
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 10);
  return { name: `fonts/${family}-${hash}.woff2`, content };
}

const [latin, extended] = ['hanken-grotesk-latin', 'hanken-grotesk-latin-ext'].map(readFont) as [
  FontFile,
  FontFile,
];

/** The files, by their paths below the public URL. */
export const fontFiles: ReadonlyMap<string, Buffer> = new Map(
  [latin, extended].map(({ name, content }) => [`/pages/${name}`, content]),
);

// The ranges of fonts/subset.sh. Letters of other scripts are the system's.
const faceOf = ({ name }: FontFile, range: string): string =>
  `@font-face{font-family:"Hanken Grotesk";font-weight:400 600;font-display:swap;src:url(${name}) format("woff2");unicode-range:${range}}`;

/** A font of the system with the widths and heights of ours: text stays in place when ours comes. */
const fallback = (weight: string, names: readonly string[], size: number): string => {
  const share = (metric: number) => `${((metric / size) * 100).toFixed(2)}%`;
  const sources = names.map((name) => `local("${name}")`).join(',');
  return `@font-face{font-family:"Hanken Grotesk Fallback";font-weight:${weight};src:${sources};size-adjust:${size}%;ascent-override:${share(100)};descent-override:${share(30.3)};line-gap-override:0%}`;
};

/** The rules of the typeface, for a file in /pages. Arial and its likes differ by weight. */
export const faceStyle: string = [
  faceOf(
    latin,
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,U+2122,U+2191,U+2193,U+2212,U+2215,U+FFFD',
  ),
  faceOf(extended, 'U+0100-0130,U+0132-0151,U+0154-017F'),
  fallback('400', ['Arial', 'Helvetica', 'Liberation Sans', 'Arimo'], 101.57),
  fallback('600', ['Arial Bold', 'Helvetica Bold', 'Liberation Sans Bold', 'Arimo Bold'], 94.97),
].join('\n');

/**
 * The markup that loads the typeface with a page: every page has Latin letters. `root` leads from
 * the page to the public URL.
 */
export const fontMarkup = (root: string): string =>
  `<link rel="preload" href="${root}pages/${latin.name}" as="font" type="font/woff2" crossorigin />`;

/** The icon of the product, for a page without a brand's. */
export const iconMarkup = (root: string): string =>
  `<link rel="icon" type="image/svg+xml" href="${root}pages/icon.svg" />`;
