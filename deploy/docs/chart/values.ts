import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Setting, SettingTable } from '@bailiwick/process';
import { parse } from 'yaml';
import { root } from '../../local/paths.ts';
import { settingTables } from '../../settings.ts';

// Reads helm/bailiwick/values.yaml: each value with its default and the comment above it.

const chartDir = join(root, 'helm/bailiwick');

export type Values = { [name: string]: unknown };

export type WrittenValues = {
  values: Values;
  /**
   * For each key with a line of its own, by its path, the comment above it, in the order of the
   * file.
   */
  comments: ReadonlyMap<string, string>;
};

export const readChartFile = (path: string): string => readFileSync(join(chartDir, path), 'utf8');

export function readValues(text: string = readChartFile('values.yaml')): WrittenValues {
  const comments = new Map<string, string>();
  const above: Array<{ indent: number; path: string }> = [];
  let comment: string[] = [];
  for (const line of text.split('\n')) {
    const [, indent = '', note, name] = /^( *)(?:# ?(.*)|([\w-]+):.*)$/.exec(line) ?? [];
    if (note !== undefined) comment.push(note.trim());
    else if (name !== undefined) {
      while ((above.at(-1)?.indent ?? -1) >= indent.length) above.pop();
      const path = pathTo(above.at(-1)?.path ?? '', name);
      above.push({ indent: indent.length, path });
      comments.set(path, comment.join(' '));
      comment = [];
    } else comment = [];
  }
  return { values: parse(text) as Values, comments };
}

export const pathTo = (path: string, name: string): string =>
  path === '' ? name : `${path}.${name}`;

export const isMap = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The settings of all processes by name. A name means the same in every process. */
export const settings: Record<string, Setting> = Object.assign(
  {},
  ...Object.values<SettingTable>(settingTables),
);
