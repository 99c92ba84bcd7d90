import { randomBytes } from 'node:crypto';
import { createId } from '@bailiwick/contract';
import { recordIn } from './answers.ts';
import type { DnsServer } from './dns-server.ts';
import type { Stack } from './harness.ts';
import { rowsOf } from './store.ts';

// Claims and verifies domains as a tenant's administrator does.

export type Domain = {
  ID: string;
  Tenant: string;
  Name: string;
  Status: string;
  TxtName: string;
  TxtValue: string;
  Capture: string;
  DefaultRole: string;
  VerifiedAt?: string;
  LastCheckedAt?: string;
  FailureReason: string;
  ChallengeExpiresAt: string;
  CreatedAt: string;
};

export const newName = (end = 'test'): string => `acme-${randomBytes(5).toString('hex')}.${end}`;

/** Claims a domain. The service does not look for its record by itself: the test does. */
export async function claim(
  stack: Stack,
  Tenant: string,
  token: string,
  fields: object = {},
): Promise<Domain> {
  const domain = recordIn(
    await stack.call('Domain_Create', { Tenant, Name: newName(), ...fields }, token),
    'Domain',
  ) as Domain;
  await rowsOf(stack, 'update sso.domain set next_check_at = null where id = $1', [domain.ID]);
  return domain;
}

export async function verify(stack: Stack, { Tenant, ID }: Domain, token: string): Promise<Domain> {
  return recordIn(await stack.call('Domain_Verify', { Tenant, ID }, token), 'Domain') as Domain;
}

/** Publishes the TXT record of a claim next to another record. */
export const publish = (dns: DnsServer, { TxtName, TxtValue }: Domain): void =>
  dns.set(TxtName, { txt: ['v=spf1 -all', TxtValue] });

/** Claims, publishes and verifies a domain. */
export async function own(
  stack: Stack,
  dns: DnsServer,
  Tenant: string,
  token: string,
  fields: object = {},
): Promise<Domain> {
  const domain = await claim(stack, Tenant, token, fields);
  publish(dns, domain);
  return verify(stack, domain, token);
}

/** Simulates the minute between two attempts. */
export async function waitAMinute(stack: Stack, { Tenant, Name }: Domain): Promise<void> {
  await rowsOf(stack, 'update sso.rate_window set ends_at = now() where key = $1', [
    `domain ${Tenant} ${Name}`,
  ]);
}

/** Simulates time for a domain: moves `column` into the past. */
export async function letPass(
  stack: Stack,
  { Tenant, ID }: Domain,
  column: 'challenge_expires_at' | 'next_check_at',
): Promise<void> {
  await rowsOf(
    stack,
    `update sso.domain set ${column} = now() - interval '1 second' where tenant = $1 and id = $2`,
    [Tenant, ID],
  );
}

/** Inserts a provider of a tenant into the store. */
export async function addProvider(
  stack: Pick<Stack, 'databaseUrl'>,
  tenant: string,
  active = true,
): Promise<string> {
  const id = createId('sso');
  await rowsOf(
    stack,
    `insert into sso.provider (tenant, id, kind, name, active, secret_enc, group_mappings, attribute_map, created_at, updated_at) values ($1, $2, 'oidc', 'a', $3, '', '[]', '{}', now(), now())`,
    [tenant, id, active],
  );
  return id;
}
