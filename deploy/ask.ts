import process from 'node:process';

// Asks an address whether it answers with a status: `helm test`, and the health checks of Compose, in the image of either runtime.
//
//   node deploy/ask.ts <url> <status> [body]     with a body it is a POST of JSON

const [url = '', status = '', body] = process.argv.slice(2);
const answer = await fetch(
  url,
  body === undefined
    ? {}
    : { method: 'POST', headers: { 'content-type': 'application/json' }, body },
);
console.log(answer.status, (await answer.text()).slice(0, 300));
process.exit(answer.status === Number(status) ? 0 : 1);
