import type { Operation } from '@bailiwick/contract';
import { requestExample } from '@bailiwick/contract/examples';
import { bodyOf } from '../../support/answers.ts';
import { inDays } from '../../support/bots.ts';
import type { Stack } from '../../support/harness.ts';
import { login, signUp, tenantFor } from '../../support/people.ts';

export type Person = Awaited<ReturnType<typeof signUp>>;
export type SupportSession = {
  Token: string;
  Session: { ID: string; UserID: string; Operator: string; Reason: string; ExpiresAt: string };
  User: { ID: string; Email: string };
};

/** A request of the operation. Times of the examples have passed. */
export const exampleOf = (operation: Operation): object =>
  JSON.parse(
    JSON.stringify(requestExample(operation), (key, value: unknown) =>
      key === 'ExpiresAt' ? inDays(30) : value,
    ),
  ) as object;

/** Operators of the platform, people, and the calls of support access. */
export function supportCalls(stackOf: () => Stack) {
  const grant = (UserID: string, Role: string) => ({ Grant: { Platform: true, UserID, Role } });
  const change = async (verb: 'Add' | 'Remove', userId: string, role: string) =>
    bodyOf(await stackOf().call(`Grants_${verb}`, grant(userId, role), stackOf().platformKey));
  const start = (token: string, UserID: string, more: object = {}) =>
    stackOf().call('Support_Start', { UserID, Reason: 'Ticket 4711', ...more }, token);
  const call = (operation: string, body: object, token: string) =>
    stackOf().call(operation, body, token);
  /** Signs a person in again: the ending before may have ended the session. */
  const again = async ({ id, email }: Person): Promise<Person> => ({
    id,
    email,
    token: String(bodyOf(await login(stackOf(), email))['Token']),
  });
  const disable = ({ id }: Person) => call('Users_Disable', { UserID: id }, stackOf().platformKey);
  const enable = ({ id }: Person) => call('Users_Enable', { UserID: id }, stackOf().platformKey);
  const endings: ReadonlyArray<
    [title: string, cause: string, end: (by: Person, user: Person, id: string) => Promise<unknown>]
  > = [
    ['the operator ends it', 'ended', ({ token }) => call('Support_End', {}, token)],
    [
      'the operator signs out',
      'operator_signed_out',
      ({ token }) => call('Account_Logout', {}, token),
    ],
    [
      'the operator signs out everywhere',
      'operator_signed_out',
      ({ token }) => call('Sessions_RevokeAll', {}, token),
    ],
    ['the operator is disabled', 'operator_signed_out', disable],
    [
      'the operator loses the permission',
      'permission_lost',
      ({ id }) => change('Remove', id, 'platform-owner'),
    ],
    [
      'the user ends it',
      'user_ended',
      (_by, { token }, ID) => call('Sessions_Revoke', { ID }, token),
    ],
    [
      'the user signs out everywhere',
      'user_ended',
      (_by, { token }) => call('Sessions_RevokeAll', {}, token),
    ],
    ['the user is disabled', 'user_signed_out', (_by, user) => disable(user)],
  ];
  return {
    start,
    again,
    enable,
    endings,
    grant: (userId: string, role = 'platform-owner') => change('Add', userId, role),
    async newOperator(role = 'platform-owner'): Promise<Person> {
      const person = await signUp(stackOf());
      await change('Add', person.id, role);
      return person;
    },
    /** A person who owns a tenant. */
    async newOwner() {
      const person = await signUp(stackOf());
      return { ...person, tenant: await tenantFor(stackOf(), person.id) };
    },
    started: async (operator: Person, user: Person, more: object = {}) =>
      bodyOf(await start(operator.token, user.id, more)) as SupportSession,
  };
}
