// Formats texts for a terminal. Names and descriptions come from other users: control characters are shown escaped.

// Control characters, and marks that change the writing direction.
const unsafe = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function printable(text: string): string {
  return text.replace(unsafe, (character) =>
    character === '\n' || character === '\t'
      ? ' '
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

const longestCell = 60;

/** Formats a value on one line. */
export function cell(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(cell).join(', ');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([key, item]) => `${printable(key)}=${cell(item)}`)
      .join(', ');
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

const shortened = (text: string) =>
  text.length > longestCell ? `${text.slice(0, longestCell - 1)}…` : text;

type Row = Readonly<Record<string, unknown>>;

/** The names of a record for people, in the order of the columns. */
const namesOfRecords = ['Name', 'Slug', 'Path', 'Email'];

/** Names come first, also those in a nested record, and IDs last, a record's own at the end of the line. */
function placeOf(name: string, rows: readonly Row[]): number {
  const place = namesOfRecords.indexOf(name);
  if (place !== -1) return place;
  if (rows.some((row) => hasName(row[name]))) return 0;
  if (name === 'ID') return namesOfRecords.length + 2;
  return namesOfRecords.length + (name === 'Tenant' || name.endsWith('ID') ? 1 : 0);
}

const hasName = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, 'Name');

/**
 * Formats rows below a heading. Columns without values are left out, and so is the tenant if it is everywhere the one that the
 * request names.
 */
export function table(rows: readonly Row[], tenant?: string): string {
  const isSaid = tenant !== undefined && rows.every((row) => row['Tenant'] === tenant);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    .filter((name) => rows.some((row) => cell(row[name]) !== '') && !(isSaid && name === 'Tenant'))
    .sort((a, b) => placeOf(a, rows) - placeOf(b, rows));
  return aligned([
    names.map(printable),
    ...rows.map((row) => names.map((name) => shortened(cell(row[name])))),
  ]);
}

/** Aligns columns, each as wide as its longest value. */
export function aligned(lines: ReadonlyArray<readonly string[]>): string {
  const widths = lines.reduce<number[]>(
    (maxima, line) => line.map((text, index) => Math.max(maxima[index] ?? 0, text.length)),
    [],
  );
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
