import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isPublicReason } from '@bailiwick/errors';
import { type Answer, describeOne, type Stack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// The Reason of an ErrorResponse, which programs compare.

const missing = 'usr_00000000000000000000000001';

describeOne('reasons', 'one process', (topology) => {
  let stack: Stack;
  let token: string;
  let tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    ({ token } = await signUp(stack));
    tenant = await createTenant(stack, token);
  });
  after(() => stack?.stop());

  const reasonOf = ({ body }: Answer) => [body.Code, body['Reason']];

  test('an error names its Reason where several causes share its Code', async () => {
    const stale = { Group: { Tenant: tenant, Path: 'eng' }, IfUpdatedAt: '2020-01-01T00:00:00Z' };
    const cases: Array<[operation: string, body: unknown, code: string, reason: string]> = [
      ['Groups_Save', stale, 'failed_precondition', 'STALE'],
      [
        'Roles_Save',
        { Role: { Tenant: tenant, Slug: 'owner', Name: 'O' } },
        'failed_precondition',
        'SYSTEM_ROLE',
      ],
      ['Account_Verify', { Token: `bwkv_${'0'.repeat(49)}` }, 'failed_precondition', 'DEAD_TOKEN'],
      [
        'Account_ChangePassword',
        { Current: 'not this one', Password: 'another long one' },
        'permission_denied',
        'WRONG_PASSWORD',
      ],
      ['RecoveryCodes_Generate', {}, 'failed_precondition', 'NO_FACTOR'],
      ['Account_Nothing', {}, 'not_found', 'NO_ROUTE'],
      ['Groups_Get', '[]', 'invalid_argument', 'NOT_AN_OBJECT'],
    ];
    for (const [operation, body, code, reason] of cases) {
      assert.deepEqual(
        reasonOf(await stack.call(operation, body, token)),
        [code, reason],
        operation,
      );
      assert.ok(isPublicReason(reason));
    }
  });

  test('an invalid request has a problem for each message, from the gateway and the service', async () => {
    const answer = await stack.call(
      'Account_Register',
      { Email: 'no address', Password: 'short', Nmae: 'a' },
      undefined,
    );
    assert.deepEqual(answer.body.Messages, [
      'Nmae is not a known field',
      'Email must be a mail address',
      'Password must be at least 8 characters',
    ]);
    assert.deepEqual(answer.body['Problems'], [
      { Field: 'Nmae', Rule: 'unknown_key', Params: {} },
      { Field: 'Email', Rule: 'email', Params: {} },
      { Field: 'Password', Rule: 'min_len', Params: { Min: '8' } },
    ]);
    const twice = await stack.call('Groups_Get', '{"Path":"a","Path":"b"}', token);
    assert.deepEqual(
      [twice.body['Reason'], twice.body['Params'], twice.body['Problems']],
      ['DUPLICATE_KEY', { Key: 'Path' }, [{ Field: 'Path', Rule: 'unique', Params: {} }]],
    );
  });

  test('the Params of a Reason are values of its message', async () => {
    const reserved = { Tenant: { Name: 'Bailiwick', Slug: 'reserved-by-the-platform' } };
    const refused = await stack.call('Tenants_Create', reserved, token);
    assert.deepEqual(
      [refused.body['Reason'], refused.body['Params'], refused.body['Problems']],
      ['NAME_RESERVED', { Field: 'Tenant.Name' }, []],
    );
    assert.ok(refused.body.Messages?.[0]?.includes('Tenant.Name'));
    const { body } = await stack.call('Users_List', {}, token);
    assert.deepEqual([body['Params'], body['Problems']], [{}, []]);
  });

  test('the Reason is empty where the Code says it all', async () => {
    const cases: Array<[operation: string, body: object, as: string | undefined, code: string]> = [
      ['Groups_Save', {}, token, 'invalid_argument'],
      ['Groups_Get', { Tenant: tenant, Path: 'eng' }, undefined, 'unauthenticated'],
      ['Users_List', {}, token, 'permission_denied'],
      ['Groups_AddMember', { Tenant: tenant, Group: 'no', UserID: missing }, token, 'not_found'],
    ];
    for (const [operation, body, as, code] of cases)
      assert.deepEqual(reasonOf(await stack.call(operation, body, as)), [code, ''], operation);
  });

  test('a missing record and one of another tenant have the same error', async () => {
    const { id, token: foreignToken } = await signUp(stack);
    const foreign = await createTenant(stack, foreignToken);
    const saved = await stack.call(
      'Bots_Save',
      { Bot: { Tenant: foreign, Name: 'b' } },
      foreignToken,
    );
    const { ID } = saved.body['Bot'] as { ID: string };
    const nothing = `bot_${ID.slice(4).replace(/.{6}$/, '000000')}`;
    const pairs: Array<[operation: string, theirs: object, none: object]> = [
      ['Bots_Get', { Tenant: tenant, ID }, { Tenant: tenant, ID: nothing }],
      ['Users_Get', { UserID: id }, { UserID: missing }],
    ];
    for (const [operation, ...bodies] of pairs) {
      const [theirs, none] = await Promise.all(
        bodies.map((body) => stack.call(operation, body, token)),
      );
      assert.ok(theirs && none && theirs.status >= 400);
      assert.deepEqual(
        { ...theirs.body, RequestID: '' },
        { ...none.body, RequestID: '' },
        operation,
      );
    }
  });
});
