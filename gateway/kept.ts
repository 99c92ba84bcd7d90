/** Keeps the values that were made last, at most so many. */
export function createKept<Value>(limit: number) {
  const values = new Map<string, Value>();
  return {
    /** The value of a key, made by `make` if it is not kept. */
    of(key: string, make: () => Value): Value {
      const known = values.get(key);
      if (known !== undefined) return known;
      const value = make();
      const [oldest] = values.keys();
      if (values.size >= limit && oldest !== undefined) values.delete(oldest);
      values.set(key, value);
      return value;
    },
  };
}
