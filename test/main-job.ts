import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { eventually } from './support/harness.ts';
import {
  caughtBy,
  createTenant,
  type MailStack,
  mailTo,
  newAddress,
  password,
  register,
  tokenIn,
} from './support/people.ts';

/** `url` is the public URL. `hooksUrl` is the inbox as the product reaches it, if it differs. */
export type Installation = MailStack & { url: string; hooksUrl?: string };

/** Registers, signs in, creates a tenant and an endpoint, saves a group and gets its event. */
export async function doMainJob(stack: Installation): Promise<void> {
  const { userId, session } = await becomeUser(stack);
  const tenant = await createTenant(stack, session);
  const account = await stack.call('Account_Get', {}, session);
  assert.deepEqual(
    (account.body['Tenants'] as Array<{ ID: string }>).map(({ ID }) => ID),
    [tenant],
  );

  const hook = `main-${randomBytes(4).toString('hex')}`;
  const URL = `${stack.hooksUrl ?? stack.inboxUrl}/hooks/${hook}`;
  const created = await stack.call(
    'Webhooks_CreateEndpoint',
    { Endpoint: { Tenant: tenant, Name: 'catcher', URL } },
    session,
  );
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const secret = String(created.body['Secret']);
  assert.match(secret, /^whsec_/);

  const saved = await stack.call(
    'Groups_Save',
    { Group: { Tenant: tenant, Path: 'eng/backend', Name: 'Backend' } },
    session,
  );
  assert.deepEqual(saved.body, {}, JSON.stringify(saved.body));

  const caught = await eventually('group.created at the catcher', async () => {
    const requests = await caughtBy(stack, hook, secret);
    return requests.find((request) => JSON.parse(request.Body).type === 'group.created');
  });
  assert.equal(caught.SignatureValid, true);
  assert.equal(caught.StandardWebhooksValid, true);
  const event = JSON.parse(caught.Body) as {
    id: string;
    tenant: string;
    actor: unknown;
    data: Record<string, unknown>;
  };
  assert.equal(event.tenant, tenant);
  assert.deepEqual(event.actor, { type: 'user', id: userId });
  assert.equal(caught.Headers['webhook-id'], event.id);
  const { body } = await stack.call('Groups_Get', { Tenant: tenant, Path: 'ENG/backend' }, session);
  assert.deepEqual(event.data, body['Group']);

  const audit = await eventually('the audit entry', async () => {
    const answer = await stack.call('Audit_List', { Tenant: tenant }, session);
    const { Items } = answer.body['Page'] as {
      Items: Array<{ Action: string; ActorID: string; Result: string }>;
    };
    return Items.find(({ Action }) => Action === 'group.created');
  });
  assert.equal(audit.ActorID, userId);
  assert.equal(audit.Result, 'success');
}

async function becomeUser(stack: Installation): Promise<{ userId: string; session: string }> {
  const email = newAddress('ada');
  const userId = await register(stack, email);
  assert.match(userId, /^usr_/);

  const early = await stack.call('Account_Login', { Email: email, Password: password });
  assert.equal(early.status, 403);
  assert.deepEqual(early.body.Messages, ['email is not verified']);

  const mail = await mailTo(stack, email);
  const token = tokenIn(mail);
  assert.ok(mail.Links.includes(`${stack.url}/verify#token=${token}`), mail.Links.join());
  assert.deepEqual((await stack.call('Account_Verify', { Token: token })).body, {});
  const again = await stack.call('Account_Verify', { Token: token });
  assert.equal(again.status, 400);
  assert.equal(again.body.Code, 'failed_precondition');

  const login = await stack.call('Account_Login', { Email: email, Password: password });
  assert.equal(login.status, 200);
  const session = String(login.body['Token']);
  assert.equal((login.body['User'] as { ID: string }).ID, userId);
  return { userId, session };
}
