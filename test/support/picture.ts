// An SVG for the documents.

type Picture = {
  width: number;
  height: number;
  title: string;
  /** The picture in words, for screen readers. */
  description: string;
  /** CSS rules besides those of the page and its texts. */
  light: readonly string[];
  dark: readonly string[];
  /** Elements, whose texts are escaped already. */
  body: readonly string[];
};

/** Has the classes `page`, `text` and `small`, and is readable on light and dark pages. */
export function picture({ width, height, title, description, light, dark, body }: Picture): string {
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14" role="img" aria-labelledby="t d">`,
    `  <title id="t">${escape(title)}</title>`,
    `  <desc id="d">${escape(description)}</desc>`,
    '  <style>',
    '    .page { fill: #ffffff } .text { fill: #1f2328 } .small { fill: #57606a; font-size: 12px }',
    ...light.map((rules) => `    ${rules}`),
    '    @media (prefers-color-scheme: dark) {',
    '      .page { fill: #0d1117 } .text { fill: #e6edf3 } .small { fill: #9198a1 }',
    ...dark.map((rules) => `      ${rules}`),
    '    }',
    '  </style>',
    `  <rect class="page" width="${width}" height="${height}" rx="8"/>`,
    `  <text class="text" x="20" y="30" font-weight="600">${escape(title)}</text>`,
    ...body,
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

export const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
