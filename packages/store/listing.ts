import { Buffer } from 'node:buffer';
import type { Run, Statement } from './statements.ts';
import type { TrigramIndex } from './trigrams.ts';

// Pages of a list that is searched, filtered and sorted. Each order and each way to search has an
// index, and a page reads a limited number of rows, so it costs the same however many rows there
// are. A page reads one of two ways:
// - It walks the index of the order and compares each row with the filter. If many rows match, the
//   page is soon full.
// - Otherwise it collects the few rows that a selective condition finds through its index, and
//   sorts them.

/** Rows that a condition may find and a page may sort. */
const collectedRows = 5000;
/** Rows that the first statement of a walk compares with the filter: enough for most. */
const firstRows = 1000;
/** Rows of each further statement. Then the page ends, with the place to go on from. */
const furtherRows = [10_000, 10_000, 10_000, 10_000];

/**
 * A list's table in SQL. Parameters: $1 the tenant, $6 the text to search for, and from $7 on the
 * values of the filter.
 */
export type Listed = {
  /** The beginning of the names of its statements. */
  name: string;
  /** The tables with their rows, each with the same alias and columns. */
  sources: readonly string[];
  /** The condition of the tenant. */
  scope: string;
  id: string;
  /** The key of each order, which has an index with the id behind it. Without an order: by id. */
  orders: Readonly<Record<string, { key: string; type: 'text' | 'timestamptz' }>>;
  /** The keys whose beginning a search compares, each with an index. */
  searched: readonly string[];
  /** The keys that a search compares as a whole if they have a trigram index. */
  inside: { index: TrigramIndex; keys: readonly string[]; scope: string };
  /** The conditions of the filter. One whose value is null is true. */
  filters: readonly string[];
  /** Further conditions with an index, the most selective first. */
  selective?: ReadonlyArray<{ name: string; where: string; isGiven: (values: Values) => boolean }>;
};

type Values = readonly unknown[];

/** The contents of a page. `after`: the place that the previous page ended at. */
export type ListQuery = {
  tenant: string;
  text: string;
  order: string;
  isDescending: boolean;
  values: Values;
  /** Values of the scope, which follow those of the filter. */
  fixed?: Values;
  after: string;
  /** One more than the page holds. */
  limit: number;
};

/** An id in a list, and the place after it. */
export type Place = { id: string; after: string };

/** Ids in order. `last`: the place to go on after, if the page ended before the search. */
export type FoundIds = { found: Place[]; last: string | undefined };

const withoutAccents = (text: string): string =>
  `regexp_replace(normalize(lower(${text}), NFKD), '[\\u0300-\\u036f]', '', 'g')`;

/**
 * The key of a text for search and order: without letter case and accents. Its length is limited,
 * because indexes and cursors contain it.
 */
export const textKey = (text: string): string => `left(${withoutAccents(text)}, 64) collate "C"`;

/** The key of the last part of a text: of its last word, or of what follows another separator. */
export const lastPartKey = (text: string, separator = ' '): string =>
  textKey(`split_part(${text}, '${separator}', -1)`);

/** The index of a key for an entity, from its name and its table. */
export const searchIndex = (definition: string) => ({
  name: definition.slice(0, definition.indexOf(' ')),
  expression: `create index ${definition}`,
});

const searchKey = `(select left(${withoutAccents('$6::text')}, 64))`;
/** The greatest character, which no text contains. */
const greatest = 'chr(1114111)';

const beginsSo = (key: string) =>
  `(${key} >= ${searchKey} and ${key} < ${searchKey} || ${greatest})`;

const searchPattern = `(select '%' || regexp_replace(${searchKey}, '([\\\\%_])', '\\\\\\1', 'g') || '%')`;

const contains = (key: string) => `${key} like ${searchPattern}`;

/**
 * Whether a search compares whole keys. A trigram index finds three letters or digits in a row, by
 * the same rule of the database as this expression.
 */
const looksInside = ({ name }: TrigramIndex): string =>
  `coalesce((select i.indisvalid and ${searchKey} ~ '[[:alnum:]]{3}' from pg_index i where i.indexrelid = to_regclass('${name}')), false)`;

type Way = { path: string; order: string; isDescending: boolean };

/** Creates the reader of a list's pages. */
export function createListing(listed: Listed) {
  const { selective = [] } = listed;
  const statements = new Map<string, ListStatement>();
  const statementOf = (way: Way): ListStatement => {
    const name = `${listed.name}_${way.path}_${way.order || 'id'}_${way.isDescending ? 'down' : 'up'}`;
    const statement = statements.get(name) ?? { name, text: textOf(listed, way) };
    statements.set(name, statement);
    return statement;
  };

  async function read(run: Run, path: string, query: ListQuery, rows: number) {
    const { tenant, text, order, isDescending, values, fixed = [], after, limit } = query;
    const { key, id } = placeOf(after);
    const common = [tenant, key, id, limit, rows, text === '' ? null : text];
    const statement = statementOf({ path, order, isDescending });
    const foundRows = await run(statement, [...common, ...values, ...fixed]);
    const edge = foundRows[0]?.edgeId;
    return {
      looksInside: foundRows[0]?.looksInside === true,
      found: foundRows.flatMap((row) =>
        row.id === null ? [] : [{ id: row.id, after: afterOf(row.key ?? '', row.id) }],
      ),
      last: edge ? afterOf(foundRows[0]?.edgeKey ?? '', edge) : undefined,
    };
  }

  /** Walks on from the found rows until the page is full or the list ends, at most so many turns. */
  async function walk(
    run: Run,
    query: ListQuery,
    { found: places, last: after }: FoundIds,
    [rows, ...further]: readonly number[],
  ): Promise<FoundIds> {
    if (rows === undefined || places.length >= query.limit || after === undefined)
      return { found: places, last: after };
    const limit = query.limit - places.length;
    const next = await read(run, 'walk', { ...query, after, limit }, rows);
    return walk(run, query, { found: [...places, ...next.found], last: next.last }, further);
  }

  return {
    /** The ids of a page. */
    async find(run: Run, query: ListQuery): Promise<FoundIds> {
      const start: FoundIds = { found: [], last: query.after };
      const isFiltered = query.text !== '' || query.values.some((condition) => condition !== null);
      if (!isFiltered) return walk(run, query, start, [query.limit]);
      const first = await read(run, 'walk', query, firstRows);
      if (first.found.length >= query.limit || first.last === undefined) return first;
      const ways = [
        ...(query.text === '' ? [] : [first.looksInside ? 'inside' : 'search']),
        ...selective.filter(({ isGiven }) => isGiven(query.values)).map(({ name }) => name),
      ];
      for (const path of ways) {
        const collected = await read(run, path, query, collectedRows);
        if (collected.last === undefined) return collected;
      }
      return walk(run, query, first, furtherRows);
    },
  };
}

type FoundRow = {
  looksInside: boolean;
  id: string | null;
  key: string | null;
  edgeId: string | null;
  edgeKey: string | null;
};

type ListStatement = Statement<FoundRow, readonly unknown[]>;

const afterOf = (key: string, id: string): string =>
  Buffer.from(JSON.stringify([key, id])).toString('base64url');

function placeOf(after: string): { key: string | null; id: string | null } {
  if (after === '') return { key: null, id: null };
  const [key, id] = JSON.parse(Buffer.from(after, 'base64url').toString()) as [string, string];
  return { key, id };
}

type Sort = { key: string; type: string } | undefined;
type Columns = { key: string; id: string };

/** The condition that a row comes after $2 and $3, or true for the first page. */
function comesAfter(sort: Sort, isDescending: boolean, { key, id }: Columns): string {
  // Constants stand for an absent place: the comparison then stays a bound of the index.
  if (!sort)
    return isDescending ? `${id} < coalesce($3::text, 'zzzz')` : `${id} > coalesce($3::text, '')`;
  const ends = { text: [`''`, greatest], timestamptz: [`'-infinity'`, `'infinity'`] }[sort.type];
  const start = `(coalesce($2::${sort.type}, ${ends?.[isDescending ? 1 : 0]}), coalesce($3::text, ''))`;
  return `(${key}, ${id}) ${isDescending ? '<' : '>'} ${start}`;
}

/** The statement of a way to read a page. */
function textOf(listed: Listed, { path, order, isDescending }: Way): string {
  const { sources, searched, inside, filters, selective = [] } = listed;
  const sort = listed.orders[order];
  const own = { key: sort?.key ?? `coalesce($2::text, '')`, id: listed.id };
  const read = { key: 'key', id: 'id' };
  const orderBy = ({ key, id }: Columns) =>
    `order by ${[...(sort ? [key] : []), id].map((one) => `${one} ${isDescending ? 'desc' : 'asc'}`).join(', ')}`;
  const after = (columns: Columns) => comesAfter(sort, isDescending, columns);
  const isInside = looksInside(inside.index);
  const matches = [
    ...searched.map(beginsSo),
    ...inside.keys.map((key) => `(${isInside} and ${contains(key)})`),
  ];
  const fits = [`($6::text is null or ${matches.join(' or ')})`, ...filters].join(' and ');
  const rows = (source: string, where: string, { inOrder = '', scope = listed.scope } = {}) =>
    `(select ${own.id} as id, ${own.key} as key, (${fits}) as fits from ${source} where ${scope} and ${where} ${inOrder} limit $5::int)`;
  const walked = sources.map((source) => rows(source, after(own), { inOrder: orderBy(own) }));
  const conditions =
    {
      inside: [
        ...searched
          .filter((key) => !inside.keys.includes(key))
          .map((key) => ({ where: beginsSo(key) })),
        ...inside.keys.map((key) => ({ where: contains(key), scope: inside.scope })),
      ],
      search: searched.map((key) => ({ where: beginsSo(key) })),
    }[path] ?? selective.filter(({ name }) => name === path);
  const collected = sources.flatMap((source) =>
    conditions.map(({ where, ...other }) => rows(source, where, other)),
  );
  const [candidates, isNext, inOrder] =
    path === 'walk'
      ? [
          `select * from (${walked.join(' union all ')}) w ${orderBy(read)} limit $5::int`,
          'true',
          orderBy(read),
        ]
      : [collected.join(' union '), after(read), ''];
  return `
    with candidate as materialized (${candidates}),
      match as materialized (select id, key from candidate where fits and ${isNext} ${orderBy(read)} limit $4::int),
      edge as materialized (select id, key from candidate ${inOrder} offset $5::int - 1 limit 1)
    select ${isInside} as "looksInside", m.id, m.key::text as key, e.id as "edgeId", e.key::text as "edgeKey"
    from (values (1)) one left join edge e on true left join match m on true ${orderBy({ key: 'm.key', id: 'm.id' })}`;
}
