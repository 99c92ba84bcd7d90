import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createId } from '@bailiwick/contract';
import { loopback } from '@bailiwick/deploy/local/ports.ts';
import type { ServiceName } from '@bailiwick/deploy/local/secrets.ts';
import { toServiceError } from '@bailiwick/errors';
import { Admission } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { asService, createCallerSigner, createHttpTransport } from '@bailiwick/wire';
import { createClient } from '@connectrpc/connect';
import { bodyOf } from './answers.ts';
import { newIdentity } from './federation.ts';
import type { Stack } from './harness.ts';
import { password } from './people.ts';
import { eventsOf, rowsOf } from './store.ts';

// The results of SSO without a provider: its session, and the calls of sso to access.

/**
 * Creates a session as a provider of the tenant opens it after the user has confirmed the link, so
 * it is not limited to the tenant. No gateway has cached it.
 */
export async function ssoSession(
  stack: Stack,
  { id, email }: { id: string; email: string },
  tenant: string,
): Promise<string> {
  const { Token, Session } = bodyOf(
    await stack.call('Account_Login', { Email: email, Password: password }),
  ) as unknown as {
    Token: string;
    Session: { ID: string };
  };
  const provider = await newIdentity(stack, id, tenant, 'confirmed');
  await rowsOf(stack, 'update identity.session set sso_tenant = $2, provider = $3 where id = $1', [
    Session.ID,
    tenant,
    provider,
  ]);
  return Token;
}

/** A client of access's Admission that calls as the given service. Close it after use. */
export function admissionAs(stack: Stack, service: ServiceName) {
  const { ports, secrets } = stack.wiring;
  const sign = createCallerSigner(service, readFileSync(secrets.callerKeyFile(service), 'utf8'));
  const transport = createHttpTransport({
    url: `http://${loopback}:${ports.access.rpc}`,
    audience: 'access',
    sign,
  });
  return {
    ...createClient(Admission, asService(transport, service)),
    close: () => transport.close(),
  };
}

type Joining = {
  mayJoin?: boolean;
  provider?: string;
  defaultRoles?: string[];
  roles?: string[];
  groups?: string[];
};
type Subject = { id: string };

/** The calls of sso to access on a stack, and the rows that they leave. */
export function admitter(stack: Stack) {
  const sso = admissionAs(stack, 'sso');
  const provider = createId('sso');
  return {
    sso,
    provider,
    join: (tenant: string, { id: userId }: Subject, more: Joining = {}) =>
      sso.join({
        tenant,
        userId,
        mayJoin: true,
        provider,
        ip: '203.0.113.9',
        userAgent: 'Browser/1',
        ...more,
      }),

    /** The roles of a user in a tenant, sorted, with the creator of each grant. */
    grantsOf: async (tenant: string, { id }: Subject) =>
      rowsOf<{ role: string; by: string }>(
        stack,
        'select role, created_by as by from access.grant_entry where tenant = $1 and subject = $2 order by role',
        [tenant, id],
      ),
    /** The roles and the group paths of a user in a tenant. */
    async rolesAndGroupsOf(
      tenant: string,
      { id }: Subject,
    ): Promise<{ roles: string[]; groups: string[] }> {
      const roles = await rowsOf<{ role: string }>(
        stack,
        'select role from access.grant_entry where tenant = $1 and subject = $2 order by role',
        [tenant, id],
      );
      const groups = await rowsOf<{ path: string }>(
        stack,
        `select e.path from access.group_member m join access.group_entry e on e.tenant = m.tenant and e.id = m.group_id
         where m.tenant = $1 and m.user_id = $2 order by e.path`,
        [tenant, id],
      );
      return { roles: roles.map(({ role }) => role), groups: groups.map(({ path }) => path) };
    },
    /** The types of a tenant's events. */
    eventTypes: async (tenant: string) =>
      (await eventsOf(stack, 'access', tenant)).map(({ type }) => type),
    close: () => sso.close(),
  };
}

/** Asserts that a call fails with a code. */
export async function assertRefusal(
  call: Promise<unknown>,
  code: string,
  reason?: string,
): Promise<void> {
  const error = await call.then(() => assert.fail('the call succeeded'), toServiceError);
  assert.equal(error.code, code);
  if (reason !== undefined) assert.equal(error.reason, reason);
}
