import { readFileSync } from 'node:fs';
import path from 'node:path';

// The sections of docs/connect-applications.md, whose configurations the tests beside this file use.

const page = readFileSync(
  path.join(import.meta.dirname, '../../docs/connect-applications.md'),
  'utf8',
);
const sections = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text]),
);

export type Section = ReturnType<typeof readSection>;

/** The section below a heading. @throws if the page has none. */
export function readSection(heading: string) {
  const text = sections.get(heading);
  if (text === undefined) throw new Error(`the page has no section ${heading}`);
  const blocks = (mark: string): string[] =>
    Array.from(
      text.matchAll(new RegExp(`^\`\`\`${mark}\\n(.*?)^\`\`\`$`, 'gms')),
      ([, code = '']) => code,
    );
  return {
    /** The code blocks in a language, in their order. */
    blocks,
    /** The apps that its commands register, in their order. */
    apps: Array.from(
      text.matchAll(/bailiwick Apps_Save --App '(\{[^']*\})'/g),
      ([, json = '']) => JSON.parse(json) as AppFields,
    ),
    /** The code blocks of files, by the name that a comment in their first line has. */
    files: (mark: string): Map<string, string> =>
      new Map(
        blocks(mark).map((code) => {
          const [, name] = /^(?:#|\/\/) (\S+)\n/.exec(code) ?? [];
          if (name === undefined) throw new Error(`a block has no file name: ${code}`);
          return [name, code];
        }),
      ),
  };
}

export type AppFields = { Tenant: string; Name: string; RedirectURIs: string[] };

/** The headings of the sections that register apps. */
export const headings = [...sections.keys()].filter(
  (heading) => readSection(heading).apps.length > 0,
);
