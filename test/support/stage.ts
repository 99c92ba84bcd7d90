import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import { bodyOf, retryWhileBusy } from './answers.ts';
import type { Answer, StackOptions } from './harness.ts';
import { loadWhile, requestsOf } from './load.ts';
import { newAddress, password } from './people.ts';
import { startReplicas } from './replicas.ts';

// The stage of the race tests: two replicas of every process, with background load.

const rate = 60;

export type Stage = Awaited<ReturnType<typeof startStage>>;
export type Person = { id: string; email: string; token: string };

export const newPassword = () => `password ${randomBytes(8).toString('hex')}`;

export async function startStage(options: Pick<StackOptions, 'brokers'> = {}) {
  const replicas = await startReplicas('http', {}, options);
  const { stack, gateways, cable, logs } = replicas;
  const requestOf = await requestsOf(stack);
  let endLoad = () => {};
  const load = loadWhile(
    { gateways, rate, requestOf },
    () => new Promise((resolve) => (endLoad = resolve)),
  );
  // A new service waits for a whole lease in each revocation, as it may not know every gateway yet.
  await sleep(2500);

  /** Calls an operation through one of the gateways. */
  async function via(
    gateway: number,
    operation: string,
    body: object,
    token?: string,
  ): Promise<Answer> {
    const headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const url = `http://${loopback}:${gateways[gateway % 2]?.port}/${operation}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Answer['body'],
    };
  }

  /** Signs in and returns the token. */
  const login = async (gateway: number, email: string, secret = password) =>
    String(
      bodyOf(await via(gateway, 'Account_Login', { Email: email, Password: secret }))['Token'],
    );

  return {
    stack,
    cable,
    via,
    login,

    async newPerson(): Promise<Person> {
      const email = newAddress();
      const response = await via(
        0,
        'Users_Create',
        { User: { Email: email }, Password: password },
        stack.platformKey,
      );
      return {
        id: (bodyOf(response)['User'] as { ID: string }).ID,
        email,
        token: await login(1, email),
      };
    },

    /**
     * Makes concurrent calls, half through each gateway, with retries while the server is busy.
     * `tally` counts the answers by status, code and message.
     */
    async race(
      operation: string,
      bodies: readonly object[],
      token?: string,
    ): Promise<{ answers: Answer[]; tally: Record<string, number> }> {
      const answers = await Promise.all(
        bodies.map((body, index) => retryWhileBusy(() => via(index, operation, body, token))),
      );
      const tally: Record<string, number> = {};
      for (const { status, body } of answers) {
        const name = [status, body.Code, ...(body.Messages ?? [])].join(' ').trim();
        tally[name] = (tally[name] ?? 0) + 1;
      }
      return { answers, tally };
    },

    /** Stops the background load, and asserts that no call failed. */
    async endLoad(say: (line: string) => void): Promise<void> {
      endLoad();
      const { failures, ...figures } = await load;
      say(JSON.stringify(figures));
      if (failures.length > 0) say(logs());
      assert.deepEqual(failures.slice(0, 10), []);
    },

    async stop(): Promise<void> {
      endLoad();
      await load;
      await replicas.stop();
    },
  };
}
