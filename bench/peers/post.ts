import { Buffer } from 'node:buffer';
import { deliveryHeaders } from '@bailiwick/notifications/webhooks/sign.ts';
import { Pool } from 'undici';

// A delivery like the product's, for the peers' queues: the same bytes, signed the same way, with
// as many connections as the concurrency. It omits everything that is not unavoidable.

/** One task in a peer's queue. */
export type Job = { id: string; path: string; body: string };

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;

/** Tasks to all of the paths in turn, with the same body as the product's. */
export function jobsFor(paths: readonly string[], count: number): Job[] {
  return Array.from({ length: count }, (_, index) => {
    const id = `evt_${crypto.randomUUID().replaceAll('-', '')}`;
    return { id, path: paths[index % paths.length] ?? '/', body: bodyOf(id) };
  });
}

/** An event as fan-out sends it, of half a kilobyte. */
export function bodyOf(id: string): string {
  const record = {
    ID: 'grp_00000000000000000000000001',
    Tenant: 'tnt_00000000000000000000000001',
    Path: 'eng/backend',
    Description: 'x'.repeat(240),
  };
  return JSON.stringify({
    id,
    type: 'group.updated',
    publishedAt: performance.timeOrigin + performance.now(),
    data: record,
  });
}

/** Posts jobs to a receiver. Rejects on an answer other than 200. */
export function createPoster(url: string, connections: number) {
  const pool = new Pool(url, { connections });
  return async ({ id, path, body: text }: Job): Promise<void> => {
    const body = Buffer.from(text);
    const headers = deliveryHeaders(
      { id, type: 'group.updated', endpoint: path, attempt: 1, secrets: [secret], body },
      'bench',
      new Date(),
    );
    const response = await pool.request({ method: 'POST', path, headers, body });
    await response.body.dump();
    if (response.statusCode !== 200)
      throw new Error(`the receiver answered ${response.statusCode}`);
  };
}

/** The bench's questions to a peer: queue so many tasks, and complete all of them. */
export type QueueQuestion = { kind: 'publish'; count: number } | { kind: 'drain' };
export type Drained = { calls: number; errors: number; seconds: number };

/** Counts tasks until all published ones are complete. */
export function createTally() {
  let [open, calls, errors] = [0, 0, 0];
  let finished = () => {};
  return {
    begin(count: number): void {
      [open, calls, errors] = [count, 0, 0];
    },
    ended(): void {
      calls++;
      if (--open === 0) finished();
    },
    failed(): void {
      errors++;
    },
    async drained(): Promise<Drained> {
      const began = performance.now();
      if (open > 0) await new Promise<void>((resolve) => (finished = resolve));
      return { calls, errors, seconds: (performance.now() - began) / 1000 };
    },
  };
}
