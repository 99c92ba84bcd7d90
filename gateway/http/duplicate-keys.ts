// Finds keys that an object of a JSON text has twice. JSON.parse keeps the last, other parsers the
// first: what one of them checks is not what the other uses.

/** The keys of all objects in a parsed value. The text had more if one was repeated. */
export function countKeys(json: object): number {
  let keys = 0;
  if (Array.isArray(json)) {
    for (const element of json as readonly unknown[])
      if (isContainer(element)) keys += countKeys(element);
    return keys;
  }
  for (const key of Object.keys(json)) {
    keys += 1;
    const child = (json as Readonly<Record<string, unknown>>)[key];
    if (isContainer(child)) keys += countKeys(child);
  }
  return keys;
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null;

/** Texts, with the colon that makes them keys, and the marks around values. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]/g;

/** A key may be as long as the body. */
const longestPath = 200;

type Place = { path: string; keys: Set<string>; key: string; index: number; isList: boolean };

/** The path of the first repeated key in a valid JSON text, such as `Grant.Role`; "" = none. */
export function findDuplicateKey(text: string): string {
  const places: Place[] = [];
  const pathOf = ({ path, key, index, isList }: Place): string =>
    isList ? `${path}[${index}]` : path === '' ? key : `${path}.${key}`;
  for (const [token, quoted, colon] of text.matchAll(tokens)) {
    const place = places.at(-1);
    if (token === '{' || token === '[')
      places.push({
        path: place ? pathOf(place) : '',
        keys: new Set(),
        key: '',
        index: 0,
        isList: token === '[',
      });
    else if (token === '}' || token === ']') places.pop();
    else if (token === ',' && place) place.index += 1;
    else if (place && quoted !== undefined && colon !== undefined) {
      place.key = JSON.parse(quoted) as string;
      if (place.keys.has(place.key)) return pathOf(place).slice(0, longestPath);
      place.keys.add(place.key);
    }
  }
  return '';
}
