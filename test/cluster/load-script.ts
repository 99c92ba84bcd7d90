// The program of the pod with the load. It is a string because it runs in the product's image,
// whose Node has no files of the tests.

/**
 * Sends RATE requests a second to the gateway's Service, every other one a write whose event it
 * receives itself on port 8080, and prints a line with the totals each second. At most 16 requests
 * are open at once, each on a connection of its own, like those of many clients. A starved cluster
 * gets fewer, since this tests failures and not speed.
 *
 * SIGUSR2 ends the requests, but not the receiver.
 */
export const loadScript = `
import http from 'node:http';
const { GATEWAY, TOKEN, TENANT, RATE, RUN } = process.env;
const counts = { requests: 0, failed: 0, failures: [], events: 0, repeated: 0 };
const awaited = new Set();
const received = new Set();
const asked = [
  (turn) => ['Account_Get', {}],
  (turn) => ['Groups_Save', { Group: { Tenant: TENANT, Path: RUN + '-' + turn } }],
];
let open = 0;
let turn = 0;
const fail = (line) => {
  counts.failed++;
  if (counts.failures.length < 20) counts.failures.push(line);
};
const post = (path, headers, body) => new Promise((resolve, reject) => {
  const request = http.request(GATEWAY + path, { method: 'POST', agent: false, headers, timeout: 30_000 });
  request.once('timeout', () => request.destroy(new Error('no answer for 30 s')));
  request.once('error', reject).once('response', async (response) => {
    let text = '';
    try {
      for await (const chunk of response) text += chunk;
      resolve({ status: response.statusCode, text });
    } catch (error) {
      reject(error);
    }
  });
  request.end(body);
});
async function send() {
  const [operation, body] = asked[turn % asked.length](turn++);
  const headers = { 'content-type': 'application/json', authorization: 'Bearer ' + TOKEN };
  open++;
  try {
    const { status, text } = await post('/' + operation, headers, JSON.stringify(body));
    if (status !== 200) fail(operation + ': ' + status + ' ' + text);
    else if (body.Group && !received.has(body.Group.Path)) awaited.add(body.Group.Path);
  } catch (error) {
    fail(operation + ': ' + error);
  }
  open--;
  counts.requests++;
}
http.createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const path = JSON.parse(text).data?.Path;
  if (received.has(path)) counts.repeated++;
  else counts.events++;
  received.add(path);
  awaited.delete(path);
  response.writeHead(204).end();
}).listen(8080);
const sending = setInterval(() => open < 16 && void send(), 1000 / Number(RATE));
process.on('SIGUSR2', () => clearInterval(sending));
setInterval(() => console.log(JSON.stringify({ ...counts, awaited: awaited.size, open })), 1000);
`;
