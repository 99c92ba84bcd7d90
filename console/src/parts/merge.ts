export type MergeResult<Fields> = {
  /** Both changes; where they contradict each other, the user's. */
  fields: Fields;
  /** The fields that both have changed to different values. */
  conflicts: ReadonlyArray<keyof Fields & string>;
};

/** Brings two changes of the same record together, field by field. */
export function merge<Fields extends Record<string, unknown>>(
  base: Fields,
  mine: Fields,
  theirs: Fields,
): MergeResult<Fields> {
  const fields = { ...mine };
  const conflicts: Array<keyof Fields & string> = [];
  for (const name of Object.keys(mine) as Array<keyof Fields & string>) {
    if (isSame(theirs[name], base[name]) || isSame(theirs[name], mine[name])) continue;
    if (isSame(mine[name], base[name])) fields[name] = theirs[name];
    else conflicts.push(name);
  }
  return { fields, conflicts };
}

/** The fields that are not as in the record. */
export const differing = <Fields extends object>(fields: Fields, base: Fields): Partial<Fields> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !isSame(value, base[name as keyof Fields])),
  ) as Partial<Fields>;

/** Whether two values of fields are equal. */
export const isSame = (one: unknown, other: unknown) =>
  JSON.stringify(one) === JSON.stringify(other);
