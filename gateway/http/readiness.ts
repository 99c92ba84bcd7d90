import type { ServerResponse } from 'node:http';
import { problemOf, type Running, readyText } from '@bailiwick/process';

/**
 * Answers the public /readyz. The problem may name a host: only the probe port, which is not public,
 * names it. Concerns name neither hosts nor paths.
 */
export async function sendReadiness(
  response: Pick<ServerResponse, 'writeHead'>,
  { ready, concerns }: Pick<Running, 'ready' | 'concerns'>,
): Promise<void> {
  const isReady = (await problemOf(ready)) === undefined;
  response
    .writeHead(isReady ? 200 : 503, { 'content-type': 'text/plain' })
    .end(readyText(isReady ? 'ok' : 'not ready', concerns()));
}
