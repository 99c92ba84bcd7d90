import { randomBytes } from 'node:crypto';
import { eventually, type Stack } from '../support/harness.ts';
import {
  caughtBy,
  createTenant,
  mailTo,
  newAddress,
  password,
  register,
  tokenIn,
} from '../support/people.ts';

/** The main flow, with every secret that it used or received. */
export type Journey = {
  email: string;
  tenant: string;
  hook: string;
  session: string;
  secrets: string[];
};

/**
 * Registers, verifies, signs in, creates a tenant and an endpoint of each kind whose receiver fails
 * once, saves a group, and waits for the deliveries.
 */
export async function travel(stack: Stack): Promise<Journey> {
  const hook = `hook-${randomBytes(4).toString('hex')}`;
  const email = newAddress('traced');
  await register(stack, email);
  const verify = tokenIn(await mailTo(stack, email));
  await stack.call('Account_Verify', { Token: verify });
  const session = String(
    (await stack.call('Account_Login', { Email: email, Password: password })).body['Token'],
  );
  await stack.call('Account_RequestPasswordReset', { Email: email });
  const reset = tokenIn(await mailTo(stack, email, 2));
  const tenant = await createTenant(stack, session);
  // The path of a receiver's URL can be a secret.
  const secretPath = randomBytes(12).toString('hex');
  const url = `${stack.inboxUrl}/hooks/${hook}?status=503&times=1&key=${secretPath}`;
  const { body } = await stack.call(
    'Webhooks_CreateEndpoint',
    { Endpoint: { Tenant: tenant, Name: 'a', URL: url, EventTypes: ['group.*'] } },
    session,
  );
  // The path of a chat endpoint's URL always is one.
  const chatPath = randomBytes(12).toString('hex');
  const chat = {
    Endpoint: { Tenant: tenant, Name: 'b', EventTypes: ['group.*'] },
    URL: `${stack.inboxUrl}/hooks/${chatPath}?status=500&times=1`,
  };
  await stack.call('Chat_CreateEndpoint', chat, session);
  await stack.call(
    'Groups_Save',
    { Group: { Tenant: tenant, Path: 'eng', Name: 'Engineering' } },
    session,
  );
  await eventually(
    'the webhook, at the second attempt',
    async () => (await caughtBy(stack, hook)).length >= 2,
  );
  await eventually(
    'the chat message, at the second attempt',
    async () => (await caughtBy(stack, chatPath)).length >= 2,
  );
  const secrets = [
    verify,
    session,
    reset,
    password,
    String(body['Secret']),
    secretPath,
    chatPath,
    stack.platformKey,
    stack.workerToken,
  ];
  return { email, tenant, hook, session, secrets };
}
