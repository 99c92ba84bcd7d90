import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import process from 'node:process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const ask = (...args: string[]) =>
  promisify(execFile)(process.execPath, [join(import.meta.dirname, 'ask.ts'), ...args]).then(
    ({ stdout }) => `0 ${stdout}`,
    ({ code, stdout }: { code: number; stdout: string }) => `${code} ${stdout}`,
  );

test('ask.ts succeeds on the requested status, and fails on another status or no answer', async (t) => {
  const server = createServer((request, response) => {
    response
      .writeHead(request.method === 'POST' ? 401 : 200)
      .end(`${request.headers['content-type'] ?? 'nothing'}\n`);
  });
  t.after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  assert.equal(await ask(url, '200'), '0 200 nothing\n\n');
  assert.equal(await ask(url, '401', '{}'), '0 401 application/json\n\n');
  assert.match(await ask(url, '401'), /^1 200/);
  server.close();
  server.closeAllConnections();
  assert.equal(await ask(url, '200'), '1 ');
});
