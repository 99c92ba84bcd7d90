import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { type Operation, operations, tokenHash } from '@bailiwick/contract';
import { prepare } from '../matrix/fixtures.ts';
import { newPerson, newSession } from '../matrix/people.ts';
import type { Principal } from '../matrix/place.ts';
import * as roles from '../matrix/roles.ts';
import type { World } from '../matrix/world.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import { rowsOf } from '../support/store.ts';
import { changesOf, endWhileHeld, installGate } from './held-changes.ts';

// Every changing operation of a caller, generated from the registry: its right ends while its change
// waits, and nothing of it is committed after the answer.

/** Operations that this test cannot hold, and why. Their changes are guarded like all others. */
const notHeld: Readonly<Record<string, string>> = {
  Events_Publish: 'one statement that waits for no row and shares its commit with other callers',
  Account_BeginStepUp: 'needs a factor, and changes a challenge only',
  Account_CompleteStepUp: 'needs a factor',
  Account_IssueCode: 'records nothing: the code is void once its session has ended',
  Account_LinkIdentity: 'needs a sign-in through a provider',
  Passkeys_FinishRegistration: 'needs an authenticator',
  Passkeys_Rename: 'records nothing',
  Passkeys_Delete: 'needs a recent sign-in with a factor',
  Factors_BeginTotp: 'records nothing: the factor is not confirmed yet',
  Factors_ConfirmTotp: 'needs a factor',
  Factors_Remove: 'needs a factor',
  RecoveryCodes_Generate: 'needs a factor',
  AccountApps_Delete: 'needs a sign-in of an app',
  Domain_Join: 'needs a verified domain',
  Users_ConfirmIdentity: 'needs a credential that is older than the link',
  Users_Enable: 'changes nothing for an active user',
  Users_ResetFactors: 'changes nothing for a user without factors',
  Tenants_Restore: 'needs a deleted tenant',
  Tenants_Resume: 'needs a suspended tenant',
  Webhooks_Resend: 'needs a kept message',
  Chat_Resend: 'needs a kept message',
  Webhooks_ReplayFailed: 'changes nothing without failed messages',
  Chat_ReplayFailed: 'changes nothing without failed messages',
  Mail_DeleteSuppression: 'needs a suppressed address',
  Keys_Rotate: 'replaces the keys of all tests',
  Support_Start: 'ends the session of the operator’s other tests',
  Support_End: 'needs a support session',
  Audit_Export: 'is one record before the first piece; each piece asks for the right again',
  Sso_LiftRequirement: 'needs a tenant that requires SSO',
};

const changing = [...operations.values()].filter(
  ({ public: isPublic, sideEffects, credential }) =>
    isPublic && sideEffects && ['any', 'session'].includes(credential),
);

/** `started` is called after the suite has started the world. */
export function testEndedRights(started: () => World): void {
  describe('a change whose right ends while it waits is not committed after the answer', () => {
    let world: World;
    let stack: Stack;
    let ownerToken: string;
    before(async () => {
      world = started();
      ({ stack } = world);
      ownerToken = world.places.own.ownerToken;
      await installGate(stack);
    });

    /** A new owner of the tenant and of the platform. */
    async function newDeputy(): Promise<Principal> {
      const person = await newPerson(stack, 'deputy');
      const member = { Tenant: world.places.own.tenant, UserID: person.id };
      bodyOf(await stack.call('TenantMembers_Add', member, stack.platformKey));
      for (const Grant of [grantOf(person.id, false), grantOf(person.id, true)])
        bodyOf(await stack.call('Grants_Add', { Grant }, stack.platformKey));
      const holds = roles.platformOwner;
      return {
        ...person,
        name: 'deputy',
        kind: 'user',
        inTenant: { own: holds },
        onPlatform: holds,
      };
    }

    const grantOf = (UserID: string, isOnPlatform: boolean) =>
      isOnPlatform
        ? { Platform: true, UserID, Role: 'platform-owner' }
        : { Tenant: world.places.own.tenant, UserID, Role: 'owner' };

    const byPlatform = async (operation: string, body: object) =>
      bodyOf(await stack.call(operation, body, stack.platformKey));

    const disable = ({ id: UserID }: Principal) => byPlatform('Users_Disable', { UserID });
    const endSession = async ({ id }: Principal, ID: string) => {
      const { token } = await newSession(stack, id);
      return bodyOf(await stack.call('Sessions_Revoke', { ID }, token));
    };
    async function removeGrants({ id }: Principal) {
      await byPlatform('Grants_Remove', { Grant: grantOf(id, true) });
      return bodyOf(await stack.call('Grants_Remove', { Grant: grantOf(id, false) }, ownerToken));
    }

    /** The ways in which the right to an operation can end, one for each round. */
    function endingsOf({ allow }: Operation) {
      const endings = [disable, endSession];
      return allow.every(({ kind }) => kind === 'tenant' || kind === 'platform')
        ? [...endings, removeGrants]
        : endings;
    }

    for (const [index, operation] of changing.entries())
      test(operation.name, async (t) => {
        const reason = notHeld[operation.name];
        if (reason !== undefined) return t.skip(reason);
        const { who, request } = await prepare(
          stack,
          operation,
          world.places.own,
          await newDeputy(),
        );
        const [session] = await rowsOf<{ id: string }>(
          stack,
          'select id from identity.session where token_hash = $1',
          [tokenHash(who.token ?? '')],
        );
        const credential = session?.id ?? '';
        const endings = endingsOf(operation);
        const end = endings[index % endings.length] ?? disable;
        const { answer, isHeld } = await endWhileHeld(stack, credential, {
          call: () => stack.call(operation.name, request, who.token),
          end: () => end(who, credential),
        });
        assert.ok(isHeld, `it was not held: ${answer.status} ${JSON.stringify(answer.body)}`);
        // A change that holds a row which the ending needs is aborted.
        const { status, body } = answer;
        assert.ok([401, 403, 429].includes(status), JSON.stringify(body));
        assert.deepEqual(await changesOf(stack, credential), []);
      });
  });
}
