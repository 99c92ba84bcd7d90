import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createClient } from '@bailiwick/client/client.ts';
import {
  type ErrorCode,
  errorOf,
  NotFoundError,
  PermissionDeniedError,
  UnauthenticatedError,
} from '@bailiwick/client/errors.ts';
import { withIdempotencyKey, withoutSideEffects } from '@bailiwick/client/gen/operations.ts';
import { operations } from '@bailiwick/contract';
import { type ErrorCode as ServiceErrorCode } from '@bailiwick/errors';
import { type Stack } from '../support/harness.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// The client with a running product.

test('the client has an error class for each of the service’s codes', () => {
  // Compiles only if both have the same codes.
  const codes: Record<ErrorCode | ServiceErrorCode, true> = {
    invalid_argument: true,
    unauthenticated: true,
    permission_denied: true,
    not_found: true,
    already_exists: true,
    failed_precondition: true,
    resource_exhausted: true,
    unavailable: true,
    unimplemented: true,
    internal: true,
  };
  const names = Object.keys(codes).map(
    (Code) => errorOf({ operation: '', status: 400, Code, Messages: [], RequestID: '' }).name,
  );
  assert.equal(new Set(names).size, Object.keys(codes).length);
  assert.ok(!names.includes('BailiwickError'));
});

test('calls that are retried without a known outcome have no side effects or take an Idempotency-Key', () => {
  const expected = [...operations.values()]
    .filter((one) => one.public && one.credential !== 'worker' && !one.sideEffects)
    .map(({ name }) => name);
  assert.deepEqual([...withoutSideEffects].sort(), expected.sort());
  const keyed = [...operations.values()]
    .filter(
      (one) =>
        one.public &&
        one.sideEffects &&
        !one.stream &&
        ['session', 'any', 'bot', 'portal'].includes(one.credential),
    )
    .map(({ name }) => name);
  assert.deepEqual([...withIdempotencyKey].sort(), keyed.sort());
});

describe('@bailiwick/client', () => {
  let stack: Stack;
  before(async () => {
    stack = await sharedStack('one process');
  });
  after(() => stack?.stop());

  test('calls use the token at the time of the call', async () => {
    const { email } = await signUp(stack);
    let token: string | undefined;
    const client = createClient({ url: stack.url, token: () => token });
    await assert.rejects(client.call('Account_Get', {}), UnauthenticatedError);
    token = (await client.call('Account_Login', { Email: email, Password: password })).Token;
    assert.equal((await client.call('Account_Get', {})).User.Email, email);
    await client.call('Account_Logout', {});
    await assert.rejects(client.call('Account_Get', {}), UnauthenticatedError);
  });

  test('list reads several pages, and errors have their own classes', async () => {
    const { token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const client = createClient({ url: stack.url, token });
    const paths = ['a', 'b', 'c', 'd', 'e'];
    for (const Path of paths) await client.call('Groups_Save', { Group: { Tenant, Path } });
    const listed: string[] = [];
    for await (const { Path } of client.list('Groups_List', { Tenant, Page: { Limit: 2 } }))
      listed.push(Path);
    assert.deepEqual(listed.sort(), paths);
    assert.equal((await client.call('Groups_Get', { Tenant, Path: 'x' })).Group, null);

    await assert.rejects(
      client.call('Groups_AddMember', {
        Tenant,
        Group: 'x',
        UserID: 'usr_01arz3ndektsv4rrffq69g5fav',
      }),
      NotFoundError,
    );
    const stranger = createClient({
      url: stack.url,
      token: (await signUp(stack, newAddress('stranger'))).token,
    });
    await assert.rejects(stranger.call('Groups_List', { Tenant }), (error) => {
      assert.ok(error instanceof PermissionDeniedError);
      assert.match(error.RequestID, /^[0-9a-f-]{36}$/);
      return true;
    });
  });

  test('a long text is streamed, and its error response is a normal error', async () => {
    const { token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const client = createClient({ url: stack.url, token });
    const response = await client.stream('Audit_Export', { Tenant, Format: 'csv' });
    assert.match(response.headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(await response.text(), /^ID,/);
    await assert.rejects(client.stream('Audit_Export', { Tenant, Format: 'xml' }), /Format/);
  });
});
