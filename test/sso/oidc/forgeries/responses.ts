import type { ServerResponse } from 'node:http';

// Whole responses of a provider.

export const says =
  (body: string, type = 'application/json') =>
  (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': type }).end(body);
export const redirectsTo =
  (location: string) =>
  (response: ServerResponse): void =>
    void response.writeHead(302, { location }).end();
export const drips =
  (bytes: string, everyMs: number) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(bytes), everyMs);
    response.once('close', () => clearInterval(timer));
  };
export const failsWith =
  (status: number) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
export const large = (kibibytes: number) =>
  JSON.stringify({ keys: [], a: 'x'.repeat(kibibytes * 1024) });
export const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
