// The face of the product: its colours, its typeface and its mark. Pages, console, guides and the
// inbox take them from here. Runs in browsers too.

/** One scheme's colours. The names are those of the custom properties, without their dashes. */
export type Scheme = Readonly<Record<keyof typeof light, string>>;

// The greys have one temperature. Text has a contrast of 4.5 to 1 or more on page, card and said
// ground, edges and focus rings one of 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11): face.test.ts.
const light = {
  page: '#f6f7f8',
  card: '#ffffff',
  text: '#14191d',
  quiet: '#515a61',
  line: '#dfe3e6',
  edge: '#858e95',
  accent: '#0b6477',
  accentStrong: '#084d5c',
  onAccent: '#ffffff',
  saidGround: '#f0f4f6',
  failed: '#b3261e',
  failedGround: '#fdf1f0',
  warned: '#8a5300',
  done: '#1b7045',
};

const dark: Scheme = {
  page: '#0e1214',
  card: '#161b1e',
  text: '#e8ecee',
  quiet: '#adb6bc',
  line: '#2b3338',
  edge: '#6f797f',
  accent: '#6fc8dc',
  accentStrong: '#97dcec',
  onAccent: '#06242b',
  saidGround: '#1f272b',
  failed: '#ffa59e',
  failedGround: '#33201f',
  warned: '#f0bd6a',
  done: '#7bd3a0',
};

export const palette: Readonly<Record<'light' | 'dark', Scheme>> = { light, dark };

/** A scheme's colours as declarations of custom properties: --page, --accent-strong and so on. */
export const declarationsOf = (scheme: 'light' | 'dark'): string =>
  Object.entries(palette[scheme])
    .map(
      ([name, color]) => `--${name.replace(/[A-Z]/g, (big) => `-${big.toLowerCase()}`)}:${color}`,
    )
    .join(';');

/** The colours of a page that follows the browser's scheme. */
export const paletteStyle = (): string =>
  `:root{color-scheme:light dark;${declarationsOf('light')}}` +
  `@media (prefers-color-scheme: dark){:root{${declarationsOf('dark')}}}`;

/** The typeface, then the system's: the second family is one of the system, of the same widths. */
export const fontFamily =
  '"Hanken Grotesk", "Hanken Grotesk Fallback", system-ui, -apple-system, "Segoe UI", sans-serif';

/** The name of a service without a brand. */
export const productName = 'Bailiwick';

/** A boundary with its gate, and the office at the gate, in a field of 32 by 32. */
export const markPath =
  'M7 4h18a3 3 0 0 1 3 3v7h-4.5V8.5h-15v15H14V28H7a3 3 0 0 1-3-3V7a3 3 0 0 1 3-3zM18 18h10v7a3 3 0 0 1-3 3h-7z';

/** The mark on a ground of its own, for the tabs of browsers. */
export const iconSvg = (): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${light.accent}"/>` +
  `<path transform="translate(5 5) scale(.6875)" fill="${light.onAccent}" d="${markPath}"/></svg>`;
