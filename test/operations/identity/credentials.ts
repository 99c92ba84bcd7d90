import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createToken, operations } from '@bailiwick/contract';
import type { Stack, Topology } from '../../support/harness.ts';
import { createTenant, signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';

const closed = [...operations.values()].filter(
  ({ public: routed, credential }) => routed && credential !== 'none',
);

/** Who may call at all. test/matrix calls every operation in one process, too. */
export function testCredentials(topology: Topology): void {
  describe(`credentials (${topology})`, () => {
    let stack: Stack;
    let session: string;
    before(async () => {
      stack = await sharedStack(topology);
      ({ token: session } = await signUp(stack));
    });
    after(() => stack?.stop());

    test('every operation that needs a credential answers 401 without one, with junk and with one that was never issued', async () => {
      const junk = [
        'junk',
        'bwks_junk',
        createToken('session'),
        createToken('botKey'),
        createToken('worker'),
        createToken('verify'),
      ];
      // The operation does not matter to a credential, so each gets one kind of junk, in turn.
      for (const [index, { name }] of closed.entries()) {
        for (const token of [undefined, junk[index % junk.length]]) {
          const answer = await stack.call(name, {}, token);
          assert.equal(answer.status, 401, `${name} with ${token}`);
          assert.equal(answer.body.Code, 'unauthenticated');
          assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"');
        }
      }
    });

    test('a malformed Authorization header is 401', async () => {
      for (const authorization of [
        session,
        `Basic ${session}`,
        `Bearer`,
        `Bearer  `,
        `Bearer ${session} x`,
        `Bearer ${session}\u00e9`,
      ]) {
        const answer = await stack.call('Account_Get', {}, undefined, { authorization });
        assert.equal(answer.status, 401, authorization);
      }
    });

    test('the worker token is valid for the task operations only', async () => {
      for (const { name, credential } of closed) {
        const { status } = await stack.call(name, {}, stack.workerToken);
        if (credential === 'worker')
          assert.equal(status, 400, `${name} reaches the check of the request's shape`);
        else assert.ok(status === 403 || status === 400, `${name}: ${status}`);
      }
      assert.equal((await stack.call('Users_List', {}, stack.workerToken)).status, 403);
    });

    test('the task operations are closed to all other callers, the platform owner included', async () => {
      const mail = { Email: 'a@example.com', Token: createToken('verify') };
      const requests = {
        Account_Task_SendEmailVerification: mail,
        Account_Task_SendPasswordReset: mail,
        TenantInvitations_Task_SendTenantInvitation: mail,
        Webhooks_Deliver: {
          Tenant: 'tnt_00000000000000000000000000',
          Endpoint: 'whk_00000000000000000000000000',
          Type: 'a.b',
          Body: 'e30=',
        },
        Chat_Deliver: {
          Tenant: 'tnt_00000000000000000000000000',
          Endpoint: 'slk_00000000000000000000000000',
          Type: 'a.b',
          Body: 'e30=',
        },
      };
      for (const [name, body] of Object.entries(requests)) {
        for (const token of [session, stack.platformKey]) {
          const answer = await stack.call(name, body, token);
          assert.equal(answer.status, 403, `${name}: ${JSON.stringify(answer.body)}`);
          assert.equal(answer.body.Code, 'permission_denied');
        }
      }
    });

    test('a tenant is closed to strangers, and a foreign tenant answers like a missing one', async () => {
      const tenant = await createTenant(stack, session);
      const { token: stranger } = await signUp(stack);
      await createTenant(stack, stranger);
      const missing = 'tnt_01hzzzzzzzzzzzzzzzzzzzzzzz';
      const requests: Array<[string, (tenant: string) => unknown]> = [
        ['Groups_Save', (Tenant) => ({ Group: { Tenant, Path: 'a' } })],
        ['Groups_Get', (Tenant) => ({ Tenant, Path: 'a' })],
        ['Groups_List', (Tenant) => ({ Tenant })],
        ['Groups_Delete', (Tenant) => ({ Tenant, Path: 'a' })],
        ['Tenants_Get', (Tenant) => ({ Tenant })],
        ['TenantMembers_List', (Tenant) => ({ Tenant })],
        ['TenantMembers_Add', (Tenant) => ({ Tenant, UserID: 'usr_01hzzzzzzzzzzzzzzzzzzzzzzz' })],
        [
          'Webhooks_CreateEndpoint',
          (Tenant) => ({ Endpoint: { Tenant, Name: 'a', URL: stack.inboxUrl } }),
        ],
        ['Webhooks_ListEndpoints', (Tenant) => ({ Tenant })],
        ['Webhooks_GetEndpoint', (Tenant) => ({ Tenant, ID: 'whk_01hzzzzzzzzzzzzzzzzzzzzzzz' })],
        ['Webhooks_DeleteEndpoint', (Tenant) => ({ Tenant, ID: 'whk_01hzzzzzzzzzzzzzzzzzzzzzzz' })],
        ['Audit_List', (Tenant) => ({ Tenant })],
      ];
      for (const [name, body] of requests) {
        const [foreign, unknown] = await Promise.all([
          stack.call(name, body(tenant), stranger),
          stack.call(name, body(missing), stranger),
        ]);
        assert.equal(foreign.status, 403, name);
        assert.equal(unknown.status, 403, name);
        assert.deepEqual({ ...foreign.body, RequestID: '' }, { ...unknown.body, RequestID: '' });
      }
    });
  });
}
