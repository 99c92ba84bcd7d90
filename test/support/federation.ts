import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createId, createToken, tokenHash } from '@bailiwick/contract';
import { toServiceError } from '@bailiwick/errors';
import { Federation } from '@bailiwick/proto/gen/bailiwick/identity/v1/federation_pb.ts';
import { asService, createCallerSigner, createHttpTransport } from '@bailiwick/wire';
import { type Client, createClient } from '@connectrpc/connect';
import type { Stack } from './harness.ts';
import { newAddress } from './people.ts';
import { appOrigin } from './shared.ts';
import { rowsOf } from './store.ts';

// Calls identity's part of SSO as sso does, with its key.

export type FederationClient = Client<typeof Federation>;

export function openFederation(
  { wiring: { ports, secrets } }: Stack,
  service: 'sso' | 'gateway' | 'access' = 'sso',
) {
  const sign = createCallerSigner(service, readFileSync(secrets.callerKeyFile(service), 'utf8'));
  const transport = createHttpTransport({
    url: `http://127.0.0.1:${ports.identity.rpc}`,
    audience: 'identity',
    sign,
  });
  return {
    federation: createClient(Federation, asService(transport, service)),
    close: () => transport.close(),
  };
}

export type Assertion = ReturnType<typeof newAssertion>;

/** The assertion of a provider about a new user. The tenant has the domain example.com. */
export function newAssertion(
  tenant: string,
  changes: Partial<
    Record<'email' | 'subject' | 'provider' | 'issuer' | 'name' | 'picture' | 'locale', string>
  > = {},
) {
  const email = newAddress('asserted');
  return {
    tenant,
    tenantName: 'Acme',
    provider: createId('sso'),
    issuer: 'https://login.example.com',
    subject: email,
    email,
    emailVerified: true,
    domains: ['example.com', 'example.net'],
    lapsedDomains: ['lapsed.example'],
    jit: true,
    ip: '192.0.2.7',
    userAgent: 'A browser',
    ...changes,
  };
}

/** The request that opens a session or creates a code for an admitted user. */
export const opening = (
  { tenant, provider, ip, userAgent }: Assertion,
  userId: string,
  origin = '',
) => ({
  userId,
  tenant,
  provider,
  authMethod: 'oidc',
  origin,
  ip,
  userAgent,
});

/** Asserts that a call fails with a reason. */
export const refusedWith = (
  call: Promise<unknown>,
  reason: string,
  code = 'permission_denied',
): Promise<void> =>
  assert.rejects(call, (error) => {
    const refusal = toServiceError(error);
    assert.deepEqual([refusal.code, refusal.reason], [code, reason], refusal.message);
    return true;
  });

/** A code that an application exchanges for a session of a user. */
export async function newCode(
  stack: Stack,
  userId: string,
  email: string,
  { endsIn = 60 } = {},
): Promise<string> {
  const code = createToken('code');
  const tenant = createId('tnt');
  const provider = await newIdentity(stack, userId, tenant, 'domain');
  await rowsOf(
    stack,
    `insert into identity.sign_in_code
       (token_hash, user_id, email_key, sso_tenant, provider, auth_method, origin, ip, user_agent, created_at, expires_at)
     values ($1, $2, $3, $4, $5, 'oidc', $6, '192.0.2.7', 'A browser', now(), now() + make_interval(secs => $7))`,
    [tokenHash(code), userId, email, tenant, provider, appOrigin, endsIn],
  );
  return code;
}

/**
 * Links a user to an identity at a provider, and returns the provider. The trust `address` limits
 * its sessions to the tenant.
 */
export async function newIdentity(
  stack: Stack,
  userId: string,
  tenant: string,
  trust: 'address' | 'domain' | 'confirmed' = 'address',
): Promise<string> {
  const provider = createId('sso');
  await rowsOf(
    stack,
    `insert into identity.identity_link (tenant, provider, issuer, subject, user_id, email, trust, password_mark, created_at, last_used_at)
     select $1, $2, 'https://login.example.com', id, id, '', $4, encode(sha256(convert_to(password_hash, 'UTF8')), 'hex'), now(), now()
     from identity.user_account where id = $3`,
    [tenant, provider, userId, trust],
  );
  return provider;
}
