import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../support/answers.ts';
import { type Stack, startStack } from '../support/harness.ts';
import { countOf, rowsOf } from '../support/store.ts';
import { createHome, type Home, oidcOf, type ProviderRecord, saveProvider } from './home.ts';
import { certificateFor } from './saml/rollover-stage.ts';

// The addresses of a provider before it is saved.

type Reservation = Pick<ProviderRecord, 'ID' | 'RedirectURI' | 'AcsURL' | 'SpEntityID'>;

describe('reservations of providers', () => {
  let stack: Stack;
  let home: Home;
  before(async () => {
    stack = await startStack('one process');
    home = await createHome(stack);
  });
  after(() => stack?.stop());

  const reserve = async ({ tenant: Tenant, owner }: Home, ID = '') =>
    recordIn(
      await stack.call('Sso_ReserveProvider', { Tenant, ID }, owner.token),
      'Reservation',
    ) as Reservation;
  const oidc = () => oidcOf(`${stack.inboxUrl}/hooks/nothing`);
  const save = ({ tenant: Tenant, owner }: Home, ID: string, fields: object = {}) =>
    stack.call(
      'Sso_SaveProvider',
      { Provider: { Tenant, ID, Name: 'Acme staff', ...oidc(), ...fields }, Secret: 's' },
      owner.token,
    );

  test('the addresses of a reservation are those of the saved provider', async () => {
    const reservation = await reserve(home);
    assert.deepEqual(await reserve(home, reservation.ID), reservation);
    const { ID, RedirectURI } = reservation;
    const provider = recordIn(await save(home, ID), 'Provider') as ProviderRecord;
    assert.deepEqual([provider.ID, provider.RedirectURI], [ID, RedirectURI]);
    const { ID: SamlID, AcsURL, SpEntityID } = await reserve(home);
    const idp = { Kind: 'saml', IdpEntityID: 'urn:idp', IdpSsoURL: 'https://idp.example.com/' };
    const saml = await saveProvider(stack, home, {
      ...idp,
      ID: SamlID,
      IdpCertificates: [await certificateFor(30)],
    });
    assert.deepEqual([saml.AcsURL, saml.SpEntityID], [AcsURL, SpEntityID]);
    // A saved provider is not reserved any more.
    assertRefused(
      await stack.call('Sso_ReserveProvider', { Tenant: home.tenant, ID }, home.owner.token),
      400,
      'not_found',
    );
    bodyOf(await stack.call('Sso_DeleteProvider', { Tenant: home.tenant, ID }, home.owner.token));
    assertRefused(await save(home, ID), 400, 'not_found');
  });

  test('a tenant can neither read nor take the reservation of another', async () => {
    const [{ ID }, other] = [await reserve(home), await createHome(stack)];
    const read = { Tenant: other.tenant, ID };
    assertRefused(
      await stack.call('Sso_ReserveProvider', read, other.owner.token),
      400,
      'not_found',
    );
    assertRefused(await save(other, ID), 400, 'not_found');
    assertRefused(await save({ ...home, owner: other.owner }, ID), 403, 'permission_denied');
    // Without a tenant it would be the platform's.
    assertRefused(
      await stack.call('Sso_ReserveProvider', {}, home.owner.token),
      400,
      'invalid_argument',
    );
    assert.equal((recordIn(await save(home, ID), 'Provider') as ProviderRecord).ID, ID);
  });

  test('saves with one reservation at once create one provider', async () => {
    const { ID } = await reserve(home);
    const saves = await Promise.all(
      Array.from({ length: 10 }, (_, index) => save(home, ID, { Name: `Staff ${index}` })),
    );
    assert.ok(saves.some(({ status }) => status === 200));
    assert.equal(await countOf(stack, 'sso.provider where id = $1', [ID]), 1);
    assert.equal(
      await countOf(stack, `sso.outbox where type = 'sso_provider.created' and event like $1`, [
        `%${ID}%`,
      ]),
      1,
    );
  });

  test('an incomplete save leaves the reservation', async () => {
    const { ID } = await reserve(home);
    assertRefused(await save(home, ID, { Issuer: '' }), 400, 'invalid_argument');
    assert.equal((recordIn(await save(home, ID), 'Provider') as ProviderRecord).ID, ID);
  });

  test('a tenant keeps twenty reservations, also of calls at once, and no new one ends one of the same day', async () => {
    const fresh = await createHome(stack);
    const calls = await Promise.all(
      Array.from({ length: 25 }, () =>
        stack.call('Sso_ReserveProvider', { Tenant: fresh.tenant }, fresh.owner.token),
      ),
    );
    const refused = calls.filter(({ status }) => status !== 200);
    assert.equal(refused.length, 5);
    for (const answer of refused) {
      assertRefused(answer, 400, 'failed_precondition');
      assert.equal(answer.body['Reason'], 'LIMIT_REACHED');
    }
    const reservedIds = async () => {
      const rows = await rowsOf<{ id: string }>(
        stack,
        'select id from sso.provider_reservation where tenant = $1 order by created_at, id',
        [fresh.tenant],
      );
      return rows.map(({ id }) => id);
    };
    const [first, second, ...others] = await reservedIds();
    for (const [id, hours] of [
      [first, 26],
      [second, 25],
    ])
      await rowsOf(
        stack,
        `update sso.provider_reservation set created_at = now() - $2 * interval '1 hour' where id = $1`,
        [id, hours],
      );
    const { ID } = await reserve(fresh);
    assert.deepEqual(new Set(await reservedIds()), new Set([second, ...others, ID]));
  });
});
