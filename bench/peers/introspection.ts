import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { serveBench } from '../peer.ts';

// The floor of an introspection: node:http and a map, without a check of the caller's credential.
//
//   node introspection.ts <tokens, as JSON>

const subjects = new Map(
  (JSON.parse(process.argv[2] ?? '[]') as string[]).map((token, at) => [token, `usr_${at}`]),
);

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { Token } = JSON.parse(Buffer.concat(chunks).toString()) as { Token: string };
    const subject = subjects.get(Token);
    const body = JSON.stringify({ Active: subject !== undefined, Subject: subject });
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      })
      .end(body);
  });
});
server.listen(0, '127.0.0.1', () =>
  serveBench({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
);
