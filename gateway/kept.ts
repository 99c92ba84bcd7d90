/** Keeps the values that were set last, at most so many. */
export function createKept<Value>(limit: number) {
  const values = new Map<string, Value>();

  function set(key: string, value: Value): Value {
    values.delete(key);
    const [oldest] = values.keys();
    if (values.size >= limit && oldest !== undefined) values.delete(oldest);
    values.set(key, value);
    return value;
  }

  return {
    get: (key: string): Value | undefined => values.get(key),
    set,
    /** The value of a key, made by `make` if it is not kept. */
    of: (key: string, make: () => Value): Value => values.get(key) ?? set(key, make()),
  };
}
