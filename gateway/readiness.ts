import type { ServerResponse } from 'node:http';
import { problemOf } from '@bailiwick/rpc';

/**
 * Answers the public /readyz. The problem may name a host: only the probe port, which is not public,
 * says what it is.
 */
export async function sendReadiness(
  response: Pick<ServerResponse, 'writeHead'>,
  ready: () => Promise<void>,
): Promise<void> {
  const isReady = (await problemOf(ready)) === undefined;
  response
    .writeHead(isReady ? 200 : 503, { 'content-type': 'text/plain' })
    .end(isReady ? 'ok\n' : 'not ready\n');
}
