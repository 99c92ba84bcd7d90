import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

// The texts of the console: a file for each area and language in packages/texts. The browser loads
// the ones of its language as a single script.

const name = 'virtual:texts';
const resolved = `\0${name}`;
const locales = join(dirname(import.meta.dirname), 'packages/texts/locales');

/** The texts of all areas in one language, and their files. */
export function readTexts(locale: string) {
  const files = globSync(join(locales, locale, 'console', '*.json')).sort();
  const areas = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as object);
  return { files, texts: Object.assign({}, ...areas) as Record<string, string> };
}

const importOf = (locale: string) => `${JSON.stringify(locale)}: () => import('${name}-${locale}')`;

export const textsPlugin = (): Plugin => ({
  name: 'texts',
  resolveId: (id) => (id.startsWith(name) ? `\0${id}` : undefined),
  load(id) {
    if (id === resolved)
      return `export const load = { ${readdirSync(locales).map(importOf).join(', ')} };`;
    if (!id.startsWith(`${resolved}-`)) return undefined;
    const { files, texts } = readTexts(id.slice(resolved.length + 1));
    for (const file of files) this.addWatchFile(file);
    return `export default JSON.parse(${JSON.stringify(JSON.stringify(texts))});`;
  },
});
