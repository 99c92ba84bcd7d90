import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { percentile } from '@bailiwick/test/support/numbers.ts';
import { serveBench } from '../peer.ts';

// The receiver of all deliveries, the product's and the peers': it reads a body, notes its arrival,
// and answers 200. A body is a JSON object with a unique `id` and the time of its task's
// publication.

/** A path whose deliveries are not counted, and whether they get an answer. */
export type Aside = { path: string; hangs: boolean };

/** `reset` clears the counts and answers hanging requests. */
export type ReceiverQuestion =
  | { kind: 'reset'; aside?: Aside }
  | { kind: 'await'; count: number; limitMs: number };

export type Received = {
  /** Received bodies, each counted once, and the number of repetitions. */
  count: number;
  repeated: number;
  /**
   * From publication to arrival, in ms. A body that has not arrived counts with its waiting time so
   * far.
   */
  p50: number;
  p99: number;
  /**
   * The arrival of each tenth of the expected bodies, in ms since 1970, beginning with the first
   * one.
   */
  tenths: number[];
};

/** An application's event carries the time in its data. */
type Body = { id: string; publishedAt?: number; data?: { publishedAt?: number } };

const now = () => performance.timeOrigin + performance.now();

let aside: Aside | undefined;
let ids = new Set<string>();
let arrivals: number[] = [];
let latencies: number[] = [];
let repeated = 0;
let arrived = () => {};
const responses = new Set<ServerResponse>();

function note(body: string): void {
  const { id, data, publishedAt = data?.publishedAt ?? Number.NaN } = JSON.parse(body) as Body;
  if (ids.has(id)) repeated++;
  else {
    ids.add(id);
    arrivals.push(now());
    latencies.push(now() - publishedAt);
    arrived();
  }
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => (body += chunk));
  request.on('end', () => {
    const counts = request.url !== aside?.path;
    if (counts) note(body);
    if (counts || !aside?.hangs) response.end();
    else {
      responses.add(response);
      response.once('close', () => responses.delete(response));
    }
  });
});

function reset(path: Aside | undefined): void {
  aside = path;
  for (const response of responses) response.end();
  [ids, arrivals, latencies, repeated] = [new Set(), [], [], 0];
}

function until(count: number, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    arrived = () => {
      if (ids.size < count) return;
      clearTimeout(timer);
      resolve();
    };
    arrived();
  });
}

async function answer(question: ReceiverQuestion): Promise<Received | 'done'> {
  if (question.kind === 'reset') {
    reset(question.aside);
    return 'done';
  }
  const { count, limitMs } = question;
  await until(count, limitMs);
  const missing = Array.from({ length: Math.max(0, count - ids.size) }, () => limitMs);
  const waited = [...latencies, ...missing];
  const tenths = Array.from(
    { length: 11 },
    (_, tenth) => arrivals[Math.max(0, Math.round((count * tenth) / 10) - 1)] ?? Number.NaN,
  );
  return {
    count: ids.size,
    repeated,
    p50: percentile(waited, 0.5),
    p99: percentile(waited, 0.99),
    tenths,
  };
}

server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () =>
  serveBench(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, answer),
);
