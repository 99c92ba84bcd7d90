import { config, type Schema } from './constraints.ts';
import { chartSchema, leavesOf } from './schema.ts';
import { readChartFile, readValues, settings } from './values.ts';

// Writes the table of values in helm/bailiwick/README.md. The rest of the file is written by hand.

const begin =
  '<!-- Generated from values.yaml by deploy/docs/chart/readme.ts: change that, then run `npm run generate`. -->';
const end = '<!-- end of the generated table -->';

export function renderChartReadme(): string {
  const text = readChartFile('README.md');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error('helm/bailiwick/README.md has no place for the table of values');
  return `${before}${begin}\n\n${renderTable()}\n${end}${after}`;
}

function renderTable(): string {
  const schema = chartSchema();
  const rows = leavesOf(readValues())
    .filter(({ path }) => path !== 'config')
    .map(
      ({ path, description, fallback }) =>
        [path, fallback, description || (schemaAt(schema, path)?.description ?? '')] as const,
    );
  const settingRows = Object.keys(config).map(
    (name) =>
      [
        `config.${name}`,
        defaultOf(name),
        `${settings[name]?.env}: ${settings[name]?.about}`,
      ] as const,
  );
  const lines = [...rows, ...settingRows].map(
    ([path, fallback, description]) =>
      `| \`${path}\` | ${renderDefault(fallback)} | ${escapeCell(description)} |`,
  );
  return ['| Value | Default | Description |', '| --- | --- | --- |', ...lines, ''].join('\n');
}

const schemaAt = (schema: Schema, path: string): Schema | undefined =>
  path.split('.').reduce<Schema | undefined>((place, name) => place?.properties?.[name], schema);

function defaultOf(name: string): unknown {
  const fallback = settings[name]?.fallback ?? '';
  return settings[name]?.kind === 'list' ? fallback.split(',').filter(Boolean) : fallback;
}

function renderDefault(value: unknown): string {
  if (value === '' || value === undefined) return '';
  return `\`${escapeCell(typeof value === 'string' ? value : JSON.stringify(value))}\``;
}

/** A bar would end the cell, and <release> would be an HTML tag. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
