import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { createDomainOwners } from './domain-owners.ts';

/** Owners as sso answers, and how often it was asked. */
function ownersWith(answer: () => Promise<{ tenant: string }>) {
  const asked: string[] = [];
  const find = (request: { domain: string }) => {
    asked.push(request.domain);
    return answer();
  };
  return {
    asked,
    owners: createDomainOwners({ find } as unknown as Parameters<typeof createDomainOwners>[0]),
  };
}

test('whose a domain is, is asked once for all who sign in at one time', async () => {
  const { asked, owners } = ownersWith(() => Promise.resolve({ tenant: 'tnt_1' }));
  assert.deepEqual(await Promise.all([owners.of('acme.example'), owners.of('acme.example')]), [
    'tnt_1',
    'tnt_1',
  ]);
  assert.equal(await owners.of('other.example'), 'tnt_1');
  assert.deepEqual(asked, ['acme.example', 'other.example']);
});

test('an sso that is not asked this yet keeps no event back, one that is away does, until it is there', async () => {
  let fail: Code | undefined = Code.Unimplemented;
  const { owners } = ownersWith(() =>
    fail === undefined
      ? Promise.resolve({ tenant: 'tnt_1' })
      : Promise.reject(new ConnectError('', fail)),
  );
  assert.equal(await owners.of('older.example'), '');
  fail = Code.Unavailable;
  await assert.rejects(owners.of('acme.example'), { code: Code.Unavailable });
  fail = undefined;
  assert.equal(await owners.of('acme.example'), 'tnt_1');
});
