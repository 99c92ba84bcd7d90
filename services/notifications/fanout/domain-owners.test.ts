import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { createDomainOwners } from './domain-owners.ts';

/** Domain owners with a fake sso, and the calls that it got. */
function ownersWith(answer: () => Promise<{ tenant: string }>) {
  const domains: string[] = [];
  const find = (request: { domain: string }) => {
    domains.push(request.domain);
    return answer();
  };
  return {
    domains,
    owners: createDomainOwners({ find } as unknown as Parameters<typeof createDomainOwners>[0]),
  };
}

test("a domain's owner is looked up once for concurrent events", async () => {
  const { domains, owners } = ownersWith(() => Promise.resolve({ tenant: 'tnt_1' }));
  assert.deepEqual(await Promise.all([owners.of('acme.example'), owners.of('acme.example')]), [
    'tnt_1',
    'tnt_1',
  ]);
  assert.equal(await owners.of('other.example'), 'tnt_1');
  assert.deepEqual(domains, ['acme.example', 'other.example']);
});

test('an unavailable sso holds back events until it is back', async () => {
  let fail: Code | undefined = Code.Unavailable;
  const { owners } = ownersWith(() =>
    fail === undefined
      ? Promise.resolve({ tenant: 'tnt_1' })
      : Promise.reject(new ConnectError('', fail)),
  );
  await assert.rejects(owners.of('acme.example'), { code: Code.Unavailable });
  fail = undefined;
  assert.equal(await owners.of('acme.example'), 'tnt_1');
});
