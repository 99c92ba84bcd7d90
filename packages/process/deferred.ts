// A part that no call needs at first is loaded with its first use, or once the process is
// ready: calls do not wait for it, and what cannot be loaded shows at once.

const waiting: Array<() => Promise<unknown>> = [];

/** A function that loads something once, at the latest after the process is ready. */
export function deferred<Loaded>(load: () => Promise<Loaded>): () => Promise<Loaded> {
  let loading: Promise<Loaded> | undefined;
  const get = () =>
    (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  waiting.push(get);
  return get;
}

/** Loads what still waits, one after the other. */
export async function loadDeferred(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) await next();
}
