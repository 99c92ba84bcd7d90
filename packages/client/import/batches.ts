// A call takes 1,000 users, 1 MiB and 20,000 values of JSON. These leave room for the rest of it, and
// for a busy server.
const maxUsers = 200;
const maxBytes = 700_000;
const maxValues = 15_000;

const encoder = new TextEncoder();

/** The size of a user in JSON, and an upper bound of its values. */
function sizeOf(user: object): { bytes: number; values: number } {
  const json = JSON.stringify(user);
  return { bytes: encoder.encode(json).length + 1, values: json.match(/[,{[]/g)?.length ?? 0 };
}

/** Groups rows so that each group fits in one call. */
export async function* batches<Item extends { user: object }>(
  rows: AsyncIterable<Item> | Iterable<Item>,
): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  let [bytes, values] = [0, 0];
  for await (const row of rows) {
    const size = sizeOf(row.user);
    const isFull =
      batch.length >= maxUsers || bytes + size.bytes > maxBytes || values + size.values > maxValues;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      [bytes, values] = [0, 0];
    }
    batch.push(row);
    bytes += size.bytes;
    values += size.values;
  }
  if (batch.length > 0) yield batch;
}
