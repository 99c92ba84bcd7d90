import process from 'node:process';

// Checks that a URL answers with a status, for `helm test` and for Compose's health checks, on Node
// and on Deno.
//
// node deploy/ask.ts <url> <status> [body]     with a body it sends a POST of JSON

const [url = '', status = '', body] = process.argv.slice(2);
const answer = await fetch(
  url,
  body === undefined
    ? {}
    : { method: 'POST', headers: { 'content-type': 'application/json' }, body },
);
console.log(answer.status, (await answer.text()).slice(0, 300));
process.exit(answer.status === Number(status) ? 0 : 1);
