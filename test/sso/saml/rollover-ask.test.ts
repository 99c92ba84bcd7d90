import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne } from '../../support/harness.ts';
import { signUp } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { createKeys, type RolledProvider, type Rollover, startRollover } from './rollover-stage.ts';
import type { Keys } from './texts.ts';

// New certificates that wait for an administrator.

describeOne('CertificateChanges ask', 'one process', (topology) => {
  let stage: Rollover;
  let old: Keys;
  let next: Keys;
  before(async () => {
    stage = await startRollover(sharedStack(topology));
    [old, next] = await Promise.all([createKeys('old'), createKeys('next')]);
  });
  after(() => stage?.stop());

  const confirm = (
    { ID, UpdatedAt, PendingCertificates: [one] }: RolledProvider,
    changes: object = {},
    token = stage.home.owner.token,
  ) =>
    stage.stack.call(
      'Sso_ConfirmCertificate',
      {
        Tenant: stage.home.tenant,
        ID,
        Fingerprint: one?.Fingerprint,
        IfUpdatedAt: UpdatedAt,
        ...changes,
      },
      token,
    );

  /** A provider whose metadata have replaced its certificate. */
  async function replaced(): Promise<RolledProvider> {
    const { serve, provide, readAgain, read } = stage;
    serve([old]);
    const provider = await provide({ CertificateChanges: 'ask' });
    serve([next]);
    await readAgain(provider);
    return read(provider);
  }

  test('a new certificate waits for a confirmation, which counts at once, and the old one stays until then', async () => {
    const { signIn, move, readAgain, read, remove, events } = stage;
    const provider = await replaced();
    const [pending] = provider.PendingCertificates;
    assert.deepEqual([pending?.Certificate, pending?.CountsAt], [next.certificate, undefined]);
    assert.equal((await events(provider))[0]?.type, 'sso.certificate_announced');
    // Not even the end of the week removes the last certificate.
    await move(provider, 'leaving_certificates', 'endsAt');
    await readAgain(provider);
    assert.deepEqual(await signIn(provider, next), { status: 403, isIn: false });
    assert.equal((await signIn(provider, old)).isIn, true);

    const now = await read(provider);
    const wrong = { Fingerprint: Array.from({ length: 32 }, () => '00').join(':') };
    assertRefused(await confirm(now, wrong), 400, 'not_found');
    const early = { IfUpdatedAt: new Date(0).toISOString() };
    assertRefused(await confirm(now, early), 400, 'failed_precondition');
    const confirmed = recordIn(await confirm(now), 'Provider') as RolledProvider;
    assert.deepEqual([confirmed.PendingCertificates, confirmed.Unconfirmed], [[], false]);
    assert.equal((await signIn(provider, next)).isIn, true);
    assert.deepEqual(await signIn(provider, old), { status: 403, isIn: false });
    await remove(provider);
  });

  test('a confirmation by an administrator without all rights leaves the provider unconfirmed', async () => {
    const { remove } = stage;
    const provider = await replaced();
    const confirmed = recordIn(await confirm(provider, {}, await limitedAdmin()), 'Provider');
    const { Unconfirmed, IdpCertificates } = confirmed as RolledProvider;
    assert.deepEqual([Unconfirmed, IdpCertificates], [true, [old.certificate, next.certificate]]);
    await remove(provider);
  });

  test('the setting applies to pending certificates too, and changes of it and of the address identify people', async () => {
    const { save, remove, server } = stage;
    const provider = await replaced();
    const saved = async (fields: object) =>
      recordIn(await save({ ID: provider.ID, ...fields }), 'Provider') as RolledProvider;
    const [counts] = (await saved({ CertificateChanges: 'auto' })).PendingCertificates;
    const wait = Date.parse(counts?.CountsAt ?? '') - Date.now();
    assert.ok(Math.abs(wait - 86_400_000) < 60_000, `${wait}`);
    const [waits] = (await saved({ CertificateChanges: 'ask' })).PendingCertificates;
    assert.equal(waits?.CountsAt, undefined);
    const { ID } = provider;
    const admin = await limitedAdmin();
    for (const fields of [{ CertificateChanges: 'auto' }, { MetadataURL: `${server.url}?again` }]) {
      const limited = recordIn(await save({ ID, ...fields }, {}, admin), 'Provider');
      assert.equal((limited as RolledProvider).Unconfirmed, true, JSON.stringify(fields));
      const IfUpdatedAt = (limited as RolledProvider).UpdatedAt;
      const request = { Tenant: stage.home.tenant, ID, IfUpdatedAt };
      const token = stage.home.owner.token;
      bodyOf(await stage.stack.call('Sso_ConfirmProvider', request, token));
    }
    await remove(provider);
  });

  test('an administrator without all rights who reads metadata of another signer leaves the provider unconfirmed', async () => {
    const { save, serve, provide, server, remove } = stage;
    const admin = await limitedAdmin();
    serve([old], { signedBy: old });
    const provider = await provide();
    const again = async () =>
      recordIn(
        await save({ ID: provider.ID }, { MetadataURL: server.url }, admin),
        'Provider',
      ) as RolledProvider;
    assert.equal((await again()).Unconfirmed, false);
    // With the same certificates: later metadata would count without a signature.
    serve([old]);
    assert.equal((await again()).Unconfirmed, true);
    await remove(provider);
  });

  async function limitedAdmin(): Promise<string> {
    const { stack, home } = stage;
    const { id, token } = await signUp(stack);
    const member = { Tenant: home.tenant, UserID: id };
    bodyOf(await stack.call('TenantMembers_Add', member, stack.platformKey));
    const grant = { Grant: { ...member, Role: 'admin' } };
    bodyOf(await stack.call('Grants_Add', grant, home.owner.token));
    return token;
  }
});
