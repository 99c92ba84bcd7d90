import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { type Caller, newCaller, operations, serviceCaller } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import type { Position, Reader } from '@bailiwick/store';
import { createPositions } from './positions.ts';

const keyRing = [{ id: 'k1', key: randomBytes(32) }];
const log = createLog('test', () => {});
const reader: Reader = { query: async () => [] };
const user: Caller = newCaller({ type: 'user', id: 'usr_1' });

/** A database that notes at which position it is read. */
function databaseAt(position?: Position) {
  const reads: Array<Position | undefined> = [];
  const readerAt = (at: Position | undefined) => {
    reads.push(at);
    return reader;
  };
  const readPosition = position && (() => Promise.resolve(position));
  return { reads, database: { readerAt, readPosition } };
}

const operation = (name: string) => operations.get(name) ?? assert.fail(name);
const sealedAt = async (lsn: bigint, server = '7'): Promise<string> => {
  const { database } = databaseAt({ server, lsn });
  const sealed = await createPositions({ database, keyRing, log }).ofChange(
    operation('Groups_Save'),
    user,
  );
  return sealed ?? assert.fail('no position');
};

test('only a marked operation is read at a position, of the whole table', async () => {
  const sealed = await sealedAt(5n);
  for (const one of operations.values()) {
    const { reads, database } = databaseAt();
    createPositions({ database, keyRing, log }).readerOf(one, sealed);
    assert.deepEqual(reads, [one.fromReplica ? { server: '7', lsn: 5n } : undefined], one.name);
  }
});

test('a marked operation changes nothing, and permissions alone decide about it', () => {
  const marked = [...operations.values()].filter(({ fromReplica }) => fromReplica);
  assert.ok(marked.length > 20);
  for (const { name, sideEffects, allow, public: routed } of marked) {
    assert.ok(routed && !sideEffects && allow.length > 0, name);
    for (const { kind } of allow) assert.ok(kind === 'tenant' || kind === 'platform', name);
  }
});

test('the greatest of several positions counts, and one that is not genuine or of another server voids all', async () => {
  const [one, two] = [await sealedAt(5n), await sealedAt(80n)];
  const foreign = await sealedAt(9n, '8');
  const read = (text: string | undefined, ring = keyRing) => {
    const { reads, database } = databaseAt();
    createPositions({ database, keyRing: ring, log }).readerOf(operation('Groups_List'), text);
    return reads[0];
  };
  assert.deepEqual(read(`${one},${two}`), { server: '7', lsn: 80n });
  assert.deepEqual(read(`${two}, ${one}`), { server: '7', lsn: 80n });
  for (const text of [undefined, '', 'x', '0/16B3748', `${one},`, `${one},x`, `${one},${foreign}`])
    assert.equal(read(text), undefined, text);
  assert.equal(read(one, [{ id: 'k1', key: randomBytes(32) }]), undefined, 'another key ring');
  const rotated = [{ id: 'k2', key: randomBytes(32) }, ...keyRing];
  assert.deepEqual(read(one, rotated), { server: '7', lsn: 5n }, 'a rotated key ring');
});

test('only a client’s own change returns a position, and no sign-in or sign-out', async () => {
  const { database } = databaseAt({ server: '7', lsn: 5n });
  const positions = createPositions({ database, keyRing, log });
  const returns = async (name: string, caller: Caller) =>
    (await positions.ofChange(operation(name), caller)) !== undefined;
  assert.equal(await returns('Groups_Save', user), true);
  assert.equal(await returns('Groups_List', user), false);
  assert.equal(await returns('Account_Login', newCaller({ type: 'anonymous' })), false);
  assert.equal(await returns('Account_Logout', user), false);
  assert.equal(await returns('Groups_Save', serviceCaller('identity')), false);
});

test('a position that cannot be read does not fail the change, and is waited for shortly', async () => {
  const { database } = databaseAt();
  const lines: string[] = [];
  const noting = createLog('test', (line) => lines.push(line));
  for (const readPosition of [
    undefined,
    () => Promise.reject(new Error('away')),
    () => new Promise<never>(() => {}),
  ]) {
    const positions = createPositions({
      database: { ...database, readPosition },
      keyRing,
      log: noting,
    });
    const began = performance.now();
    for (const _again of [1, 2])
      assert.equal(await positions.ofChange(operation('Groups_Save'), user), undefined);
    assert.ok(performance.now() - began < 2000);
  }
  assert.equal(lines.length, 2, 'one line for each reader that fails');
});
