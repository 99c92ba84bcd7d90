import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { eventually, type Stack } from './harness.ts';

// Creates users and tenants as a client does: through the gateway, with mails from the inbox.

export type Mail = { To: string; Subject: string; Text: string; Html: string; Links: string[] };
export type Caught = {
  Headers: Record<string, string>;
  Body: string;
  BodyBase64: string;
  SignatureValid?: boolean;
  StandardWebhooksValid?: boolean;
};

/** The API of the product, and the inbox. */
export type MailStack = Pick<Stack, 'call' | 'inboxUrl'>;

export const password = 'correct horse battery';

export const newAddress = (name = 'person') =>
  `${name}-${randomBytes(4).toString('hex')}@example.com`;

/** The mails to an address, newest first. */
export async function mailsTo(stack: MailStack, address: string): Promise<Mail[]> {
  const response = await fetch(`${stack.inboxUrl}/messages?to=${encodeURIComponent(address)}`);
  return (await response.json()) as Mail[];
}

/** Waits for `count` mails to an address and returns the newest. */
export async function mailTo(stack: MailStack, address: string, count = 1): Promise<Mail> {
  return eventually(`mail ${count} to ${address}`, async () => {
    const mails = await mailsTo(stack, address);
    return mails.length >= count && mails[0];
  });
}

export function tokenIn(mail: Mail): string {
  const token = /bwk[vri]_[0-9A-Za-z]{49}/.exec(mail.Text)?.[0];
  assert.ok(token, `no token in the mail:\n${mail.Text}`);
  return token;
}

/** The requests that a webhook catcher got, newest first. */
export async function caughtBy(stack: MailStack, name: string, secret = ''): Promise<Caught[]> {
  const response = await fetch(
    `${stack.inboxUrl}/hooks/${name}?secret=${encodeURIComponent(secret)}`,
  );
  const { Requests } = (await response.json()) as { Requests: Caught[] };
  return Requests;
}

export async function register(stack: MailStack, email: string): Promise<string> {
  const { status, body } = await stack.call('Account_Register', {
    Email: email,
    Password: password,
  });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body['UserID']);
}

export const login = (stack: MailStack, email: string, secret = password) =>
  stack.call('Account_Login', { Email: email, Password: secret });

/** Creates a signed-in user with a verified address, which got `earlier` mails before. */
export async function signUp(
  stack: MailStack,
  email = newAddress(),
  earlier = 0,
): Promise<{ id: string; email: string; token: string }> {
  await register(stack, email);
  const verified = await stack.call('Account_Verify', {
    Token: tokenIn(await mailTo(stack, email, earlier + 1)),
  });
  assert.equal(verified.status, 200, JSON.stringify(verified.body));
  const { status, body } = await login(stack, email);
  assert.equal(status, 200, JSON.stringify(body));
  return { id: (body['User'] as { ID: string }).ID, email, token: String(body['Token']) };
}

/** Creates a tenant for a user as the platform, so the user's limit of ten does not apply. */
export async function tenantFor(
  stack: Pick<Stack, 'call' | 'platformKey'>,
  OwnerID: string,
  Settings: object = {},
): Promise<string> {
  const { status, body } = await stack.call(
    'Tenants_Create',
    { Tenant: { Name: 'Acme', Settings }, OwnerID },
    stack.platformKey,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return (body['Tenant'] as { ID: string }).ID;
}

/** A tenant that the platform creates for a user, who accepts its ownership and is bound by it. */
export async function ownedBy(
  stack: Pick<Stack, 'call' | 'platformKey'>,
  { id, token }: { id: string; token: string },
  Settings: object = {},
): Promise<string> {
  const Tenant = await tenantFor(stack, id, Settings);
  const { status, body } = await stack.call('TenantMembers_Accept', { Tenant }, token);
  assert.equal(status, 200, JSON.stringify(body));
  return Tenant;
}

/** Creates a tenant for the user of the token. */
export async function createTenant(
  stack: MailStack,
  token: string,
  name = 'Acme',
): Promise<string> {
  const { status, body } = await stack.call(
    'Tenants_Create',
    { Tenant: { Name: name, Slug: `acme-${randomBytes(4).toString('hex')}` } },
    token,
  );
  assert.equal(status, 200, JSON.stringify(body));
  return (body['Tenant'] as { ID: string }).ID;
}
