import assert from 'node:assert/strict';
import type { Witness } from '../faults/account.ts';
import { addressOf, type Entry } from '../faults/ledger.ts';
import { addEndpoint } from '../faults/product.ts';
import type { Receivers } from '../faults/receivers.ts';
import { bodyOf } from '../support/answers.ts';
import type { OwnStack } from '../support/harness.ts';
import type { Request } from '../support/load.ts';
import { createTenant, newAddress, password } from '../support/people.ts';
import { countOf } from '../support/store.ts';

// The users' changes during the upgrade. Each one has a unique name that contains its turn.

type Kind = {
  make(turn: number): Request;
  /** The change’s name, if it has an event. */
  keyOf?: (turn: number) => string;
  hasMail?: boolean;
};

const nameOf = (turn: number): string => `k${turn}`;
const isGrant = ({ operation }: Request): boolean => operation === 'GroupGrants_Add';

export type Changes = Awaited<ReturnType<typeof prepareChanges>>;

/** A user with a tenant whose endpoints get the events of the changes. */
export async function prepareChanges(stack: OwnStack, receivers: Receivers) {
  const Email = newAddress();
  const person = { Email, Password: password };
  bodyOf(
    await stack.call('Users_Create', { User: { Email }, Password: password }, stack.platformKey),
  );
  const token = String(bodyOf(await stack.call('Account_Login', person))['Token']);
  const Tenant = await createTenant(stack, token);
  const endpoints = ['steady', 'flaky'];
  for (const endpoint of endpoints)
    await addEndpoint(stack, token, { tenant: Tenant, endpoint, receivers });
  const Group = 'team';
  bodyOf(await stack.call('Groups_Save', { Group: { Tenant, Path: Group } }, token));
  const place = { tenant: Tenant, endpoints };

  const save: Kind = {
    make: (turn) => ({
      operation: 'Groups_Save',
      body: { Group: { Tenant, Path: nameOf(turn) } },
      token,
    }),
    keyOf: nameOf,
  };
  const bot: Kind = {
    make: (turn) => ({
      operation: 'Bots_Save',
      body: { Bot: { Tenant, Name: nameOf(turn) } },
      token,
    }),
    keyOf: nameOf,
  };
  const invited = (turn: number) => addressOf(nameOf(turn));
  const invite: Kind = {
    make: (turn) => ({
      operation: 'TenantInvitations_Create',
      body: { Tenant, Email: invited(turn) },
      token,
    }),
    keyOf: invited,
    hasMail: true,
  };
  const grant: Kind = {
    make: (turn) => ({
      operation: 'GroupGrants_Add',
      body: { Grant: { Tenant, Group, Role: 'auditor', Resource: nameOf(turn) } },
      token,
    }),
  };
  const read = (operation: string, body: object, by: string | undefined = token): Kind => ({
    make: () => ({ operation, body, ...(by !== undefined && { token: by }) }),
  });
  const account = read('Account_Get', {});
  const signIn: Kind = { make: () => ({ operation: 'Account_Login', body: person }) };
  const check: Kind = { make: () => ({ operation: 'Sso_Check', body: { Email } }) };
  const groups = read('Groups_List', { Tenant });
  const endpointList = read('Webhooks_ListEndpoints', { Tenant });
  const byEmail = read('Users_GetByEmail', { Email }, stack.platformKey);
  const kinds = [
    account,
    save,
    groups,
    signIn,
    grant,
    check,
    bot,
    account,
    save,
    endpointList,
    invite,
    byEmail,
    grant,
    read('Groups_Get', { Tenant, Path: Group }),
  ];
  const kindOf = (turn: number): Kind => kinds[turn % kinds.length] ?? assert.fail();
  const turnsOf = (requests: number) => Array.from({ length: requests }, (_, turn) => turn);
  return {
    places: [place],
    requestOf: (turn: number): Request => kindOf(turn).make(turn),
    /** The changes of so many requests, all of which were accepted. */
    entriesOf: (requests: number): Entry[] =>
      turnsOf(requests).flatMap((turn) => {
        const { make, keyOf, hasMail = false } = kindOf(turn);
        return keyOf
          ? [{ key: keyOf(turn), operation: make(turn).operation, accepted: true, place, hasMail }]
          : [];
      }),
    /** Events of grants have no name, so this compares their number. */
    async countGrants(requests: number): Promise<{ expected: number; actual: number }> {
      const expected = turnsOf(requests).filter((turn) => isGrant(kindOf(turn).make(turn))).length;
      return {
        expected,
        actual: await countOf(
          stack,
          `access.grant_entry where tenant = $1 and resource like 'k%'`,
          [Tenant],
        ),
      };
    },
    /** Continues work of one gateway at another one: a session, and saved records. */
    async goOn(from: string, to: string): Promise<void> {
      const session = await ask(from, { operation: 'Account_Login', body: person });
      const Path = `gone-on-${from.slice(-5)}-${to.slice(-5)}`;
      await ask(from, {
        operation: 'Groups_Save',
        body: { Group: { Tenant, Path } },
        token: String(session['Token']),
      });
      const answer = await ask(to, {
        operation: 'Groups_Get',
        body: { Tenant, Path },
        token: String(session['Token']),
      });
      assert.equal((answer['Group'] as { Path: string }).Path, Path);
    },
  };
}

async function ask(
  url: string,
  { operation, body, token }: Request,
): Promise<Record<string, unknown>> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}/${operation}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  assert.equal(response.status, 200, `${operation} at ${url}: ${JSON.stringify(answer)}`);
  return answer;
}

export const witnessOf = (stack: OwnStack, receivers: Receivers, { places }: Changes): Witness => ({
  stack,
  receivers,
  places,
});
