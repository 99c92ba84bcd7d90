import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/harness.ts';

// A follower that speaks the protocol of docs/follow.md frame by frame, for tests of the gateway's side.

export type Frame = { Type: string; ID?: number } & Record<string, unknown>;

export type Answer = Frame & {
  Handle?: number;
  LastsMs?: number;
  Value?: { Scopes?: string[]; Sets?: string[][]; Grants?: Record<string, number[]> };
  Error?: { Code: string; Message: string };
};

export type RawFollower = Awaited<ReturnType<typeof connect>>;

/** Opens a connection, and says nothing. `acknowledges`: whether it answers drops by itself. */
export async function connect(url: string, acknowledges = true) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/follow`);
  const frames: Frame[] = [];
  const state = { acknowledges, closed: undefined as { code: number; reason: string } | undefined };
  socket.addEventListener('message', ({ data }) => {
    const frame = JSON.parse(String(data)) as Frame;
    frames.push(frame);
    if (frame.Type === 'drop' && state.acknowledges) send({ Type: 'dropped', ID: frame.ID });
  });
  socket.addEventListener('close', ({ code, reason }) => (state.closed = { code, reason }));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('close', () => reject(new Error('the handshake was refused')));
    socket.addEventListener('error', () => {});
  });

  let lastId = 0;
  const send = (frame: object | string): void =>
    socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  const frame = (what: string, matches: (frame: Frame) => boolean): Promise<Frame> =>
    eventually(what, async () => frames.find(matches) ?? (state.closed && failed(what)), 20_000);
  function failed(what: string): never {
    throw new Error(`closed before ${what}: ${JSON.stringify(state.closed)}`);
  }

  async function ask(question: object): Promise<Answer> {
    const id = ++lastId;
    send({ Type: 'ask', ID: id, ...question });
    return frame('the answer', (one) => one.Type === 'answer' && one.ID === id);
  }

  return {
    socket,
    frames,
    send,
    ask,
    /** Whether it acknowledges drops from now on. */
    acknowledge: (acknowledging: boolean): void => void (state.acknowledges = acknowledging),
    drops: (): number[] =>
      frames.filter(({ Type }) => Type === 'drop').flatMap(({ Handles }) => Handles as number[]),
    async hello(Credential: string, Tenants?: readonly string[]): Promise<Frame> {
      send({ Type: 'hello', Credential, ...(Tenants && { Tenants }) });
      return frame('welcome', ({ Type }) => Type === 'welcome');
    },
    /** The lease in ms that a beat brings. */
    async beat(): Promise<number> {
      const id = ++lastId;
      send({ Type: 'beat', ID: id });
      const ok = await frame('ok', (one) => one.Type === 'ok' && one.ID === id);
      return Number(ok['LeaseMs']);
    },
    closing: (): Promise<{ code: number; reason: string }> =>
      eventually('the end of the connection', async () => state.closed, 20_000),
    isClosed: (): boolean => state.closed !== undefined,
    async close(): Promise<void> {
      socket.close();
      await sleep(0);
    },
  };
}

/** The permissions of an answer on a resource. */
export function permissionsIn({ Value }: Answer, resource = ''): string[] {
  assert.ok(Value, 'the answer has no value');
  const indexes = [...(Value.Grants?.[''] ?? []), ...(Value.Grants?.[resource] ?? [])];
  return [...new Set(indexes.flatMap((index) => Value.Sets?.[index] ?? []))].toSorted();
}
