import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId } from '@bailiwick/contract';
import { assertRefused, bodyOf, knownTo, readList } from '../../support/answers.ts';
import { claim, newName } from '../../support/domains.ts';
import { describeOne } from '../../support/harness.ts';
import { createTenant, newAddress, signUp } from '../../support/people.ts';
import { countOf, eventTypesOf, rowsOf } from '../../support/store.ts';
import { type Domains, startDomains } from './domain-calls.ts';

describeOne('access to domains', 'one process', (topology) => {
  let suite: Domains;
  before(async () => {
    suite = await startDomains(topology);
  });
  after(() => suite?.stop());

  test('Domain_* answer not_found for a domain of another tenant, as for a missing one, and do not change it', async () => {
    const { stack, token, newTenant, read } = suite;
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const foreign = await claim(stack, other, token);
    for (const ID of [foreign.ID, createId('dom')]) {
      for (const operation of ['Domain_Get', 'Domain_Verify', 'Domain_Update']) {
        assertRefused(
          await stack.call(
            operation,
            knownTo(operation, { Tenant, ID, Capture: 'suggest' }),
            token,
          ),
          400,
          'not_found',
          ['domain not found'],
        );
      }
      assert.deepEqual(bodyOf(await stack.call('Domain_Delete', { Tenant, ID }, token)), {});
    }
    assert.deepEqual(await read(foreign), foreign);
    assert.deepEqual(await eventTypesOf(stack, 'sso', Tenant), []);
  });

  test('Domain_* deny strangers, and a missing tenant answers like a foreign one', async () => {
    const { stack, token } = suite;
    const stranger = await signUp(stack);
    const foreign = await createTenant(stack, stranger.token);
    const { ID } = await claim(stack, foreign, stranger.token);
    for (const Tenant of [foreign, createId('tnt')]) {
      for (const operation of ['Create', 'Verify', 'Get', 'List', 'Update', 'Delete']) {
        assertRefused(
          await stack.call(
            `Domain_${operation}`,
            knownTo(`Domain_${operation}`, { Tenant, ID, Name: newName() }),
            token,
          ),
          403,
          'permission_denied',
          ['permission denied'],
        );
      }
    }
    assert.equal(await countOf(stack, 'sso.domain where tenant = $1', [foreign]), 1);
  });

  test('every change of a domain is audited with its actor', async () => {
    const { stack, id, token, newTenant } = suite;
    const Tenant = await newTenant();
    const { ID, Name } = await claim(stack, Tenant, token);
    const rows = await rowsOf<{ audit: string }>(
      stack,
      'select audit from sso.outbox where for_tenant = $1',
      [Tenant],
    );
    const entry = JSON.parse(rows[0]?.audit ?? '{}') as Record<string, unknown>;
    assert.deepEqual(
      [
        entry['Action'],
        entry['Operation'],
        entry['ActorID'],
        entry['Permission'],
        entry['Targets'],
      ],
      ['domain.created', 'Domain_Create', id, 'iam.domains.write', [{ Type: 'domain', ID, Name }]],
    );
  });

  test('TenantMembers_Add needs no consent of a user whose verified address is in a verified domain of the tenant', async () => {
    const { stack, token, newTenant } = suite;
    const [Tenant, other] = [await newTenant(), await newTenant()];
    const domain = await claim(stack, Tenant, token);
    const signUpAt = (name: string) =>
      signUp(stack, newAddress(name).replace('example.com', domain.Name));
    const [early, later] = [await signUpAt('early'), await signUpAt('later')];
    const statusOf = async (tenant: string, UserID: string) => {
      bodyOf(await stack.call('TenantMembers_Add', { Tenant: tenant, UserID }, token));
      const { items } = await readList<{ UserID: string; Status: string }>(
        stack,
        'TenantMembers_List',
        { Tenant: tenant },
        token,
      );
      return items.find((member) => member.UserID === UserID)?.Status;
    };
    assert.equal(await statusOf(Tenant, early.id), 'pending');
    await rowsOf(
      stack,
      `update sso.domain set status = 'verified', verified_at = now() where tenant = $1 and id = $2`,
      [Tenant, domain.ID],
    );
    assert.equal(await statusOf(Tenant, later.id), 'active');
    assert.equal(await statusOf(other, later.id), 'pending');
    // The domain now also covers users with a pending membership from before.
    assert.equal(await statusOf(Tenant, early.id), 'active');
    await rowsOf(stack, `update sso.domain set status = 'lapsed' where tenant = $1 and id = $2`, [
      Tenant,
      domain.ID,
    ]);
    assert.equal(await statusOf(Tenant, (await signUpAt('late')).id), 'pending');
  });
});
