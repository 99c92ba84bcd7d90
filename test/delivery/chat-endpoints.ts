import { Buffer } from 'node:buffer';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyOf, recordIn } from '../support/answers.ts';
import { eventually, type Stack } from '../support/harness.ts';
import { type Caught, caughtBy } from '../support/people.ts';
import { countOf, rowsOf } from '../support/store.ts';

// Helpers for chat endpoints in delivery tests.

export type Task = {
  ID: string;
  Status: string;
  StatusCode: number;
  Attempt: number;
  Error: string;
  Message: string;
};
export type Attempt = {
  attempt: number;
  status: string;
  status_code: number;
  error: string;
  started_at: Date;
  next_attempt_at: Date | null;
};

export type ChatOwner = { stack: Stack; tenant: string; token: string };

/** The calls of one owner. `owner` is called after the suite has started. */
export function createChatCalls(owner: () => ChatOwner) {
  async function createEndpoint(hook: string, more: Record<string, unknown> = {}): Promise<string> {
    const URL = hook.startsWith('http') ? hook : `${owner().stack.inboxUrl}/hooks/${hook}`;
    const answer = await owner().stack.call(
      'Chat_CreateEndpoint',
      { Endpoint: { Tenant: owner().tenant, Name: 'Operations', ...more }, URL },
      owner().token,
    );
    return (recordIn(answer, 'Endpoint') as { ID: string }).ID;
  }

  const saveGroup = async (Path: string, Name: string) =>
    bodyOf(
      await owner().stack.call(
        'Groups_Save',
        { Group: { Tenant: owner().tenant, Path, Name } },
        owner().token,
      ),
    );
  const request = (Endpoint: string, body: Uint8Array | string = '{"text":"hello"}') => ({
    Tenant: owner().tenant,
    Endpoint,
    Type: 'test.sent',
    Body: Buffer.from(body).toString('base64'),
  });
  const deliver = async (endpoint: string, body?: Uint8Array | string) =>
    recordIn(
      await owner().stack.call('Chat_Deliver', request(endpoint, body), owner().stack.workerToken),
      'Task',
    ) as Task;
  const caught = (hook: string, count = 1): Promise<Caught[]> =>
    eventually(`${count} messages at ${hook}`, async () => {
      const messages = await caughtBy(owner().stack, hook);
      return messages.length >= count && messages;
    });
  const attemptsOf = (endpoint: string) =>
    rowsOf<Attempt>(
      owner().stack,
      'select attempt, status, status_code, error, started_at, next_attempt_at from notifications.delivery_attempt where tenant = $1 and endpoint = $2 order by attempt',
      [owner().tenant, endpoint],
    );
  const ended = (endpoint: string, count: number): Promise<Attempt[]> =>
    eventually(`${count} attempts`, async () => {
      const attempts = await attemptsOf(endpoint);
      return attempts.length >= count && attempts.at(-1)?.next_attempt_at === null && attempts;
    });
  const waiting = (endpoint: string, state: string) =>
    countOf(
      owner().stack,
      'notifications.delivery_waiting where tenant = $1 and endpoint = $2 and state = $3',
      [owner().tenant, endpoint, state],
    );
  const readEndpoint = async (ID: string) =>
    recordIn(
      await owner().stack.call('Chat_GetEndpoint', { Tenant: owner().tenant, ID }, owner().token),
      'Endpoint',
    ) as Record<string, unknown>;

  return {
    createEndpoint,
    saveGroup,
    request,
    deliver,
    caught,
    ended,
    waiting,
    readEndpoint,
  };
}

/** Events that no test causes. */
export const quiet = { EventTypes: ['none.of.these'] };

/** A receiver for responses that the inbox cannot give. */
export async function startReceiver(
  answer: (response: ServerResponse) => void,
): Promise<{ url: string; stop: () => void }> {
  const server = createServer(
    (request, response) => void request.resume().on('end', () => answer(response)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
