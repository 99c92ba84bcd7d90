import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { Agent, request } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OwnStack, startStack } from '../support/harness.ts';
import { residentMbOf } from '../support/numbers.ts';
import { signUp } from '../support/people.ts';

const bodies: Readonly<Record<string, Buffer>> = {
  'nested objects': Buffer.from(`${'{"a":'.repeat(133_000)}1${'}'.repeat(133_000)}`),
  'nested arrays': Buffer.from(`{"a":${'['.repeat(399_000)}${']'.repeat(399_000)}}`),
  '60,000 keys': Buffer.from(
    JSON.stringify(
      Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`Key${index}`, 1])),
    ),
  ),
  'a text of 1 MB': Buffer.from(JSON.stringify({ Group: { Path: 'a'.repeat(1_000_000) } })),
  '11 MB': Buffer.alloc(11 * 1024 * 1024, 32),
};

describe('hostile bodies', () => {
  let stack: OwnStack;
  let token: string;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  before(async () => {
    stack = await startStack('five processes', { BAILIWICK_LIMITS: 'off' });
    ({ token } = await signUp(stack));
  });
  after(async () => {
    agent.destroy();
    await stack?.stop();
  });

  const post = (body: Buffer): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${token}`,
        'content-length': body.length,
      };
      const outgoing = request(
        `${stack.url}/Groups_Save`,
        { agent, method: 'POST', headers },
        (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
        },
      );
      outgoing.on('error', reject).end(body);
    });

  async function round(body: Buffer, times: number): Promise<void> {
    let rest = times;
    const send = async () => {
      while (rest-- > 0) assert.equal(await post(body), 400);
    };
    await Promise.all(Array.from({ length: 8 }, send));
  }

  test('200 requests of each kind on eight connections grow the gateway by at most 50 MB', async (t) => {
    const resident = () => residentMbOf(stack.pid('gateway'));
    // A process that has just started grows on its own, so ordinary calls come first.
    await round(Buffer.from('{}'), 1500);
    const start = resident();
    let peak = 0;
    const sampling = setInterval(() => (peak = Math.max(peak, resident() - start)), 20);
    try {
      for (const [name, body] of Object.entries(bodies)) {
        await round(body, 200);
        t.diagnostic(
          `${name}: +${Math.round(resident() - start)} MB, at most +${Math.round(peak)} MB so far`,
        );
      }
      await sleep(3000);
    } finally {
      clearInterval(sampling);
    }
    const growth = resident() - start;
    t.diagnostic(`after the round: +${Math.round(growth)} MB`);
    assert.ok(growth <= 50, `${Math.round(growth)} MB`);
    // The buffers of refused bodies wait for the next garbage collection.
    assert.ok(peak <= 120, `${Math.round(peak)} MB at the peak`);
  });
});
