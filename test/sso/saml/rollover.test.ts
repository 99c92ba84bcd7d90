import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, eventually } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import { startMetadataServer } from './metadata-server.ts';
import { createKeys, type RolledProvider, type Rollover, startRollover } from './rollover-stage.ts';
import type { Keys } from './texts.ts';

// The daily reading of a SAML provider's metadata, on a real server of metadata, and the sign-ins
// with the certificates that it brings.

describeOne('the metadata of a SAML provider', 'one process', (topology) => {
  let stage: Rollover;
  let old: Keys;
  let next: Keys;
  let foreign: Keys;
  before(async () => {
    stage = await startRollover(sharedStack(topology));
    [old, next, foreign] = await Promise.all([
      createKeys('old'),
      createKeys('next'),
      createKeys('foreign'),
    ]);
  });
  after(() => stage?.stop());

  test('a new certificate is announced at once, counts after 24 hours, and the old one goes', async () => {
    const { stack, home, server, serve, provide, read, readAgain, move, signIn, events, remove } =
      stage;
    serve([old]);
    const provider = await provide();
    assert.deepEqual([provider.MetadataURL, provider.PendingCertificates], [server.url, []]);
    assert.equal((await signIn(provider, old)).isIn, true);
    serve([next]);
    const [requests, start] = [server.requests(), Date.now()];
    await readAgain(provider);
    // Three processes ran the watch, and one of them read it.
    assert.equal(server.requests() - requests, 1);
    const announced = await read(provider);
    const [pending] = announced.PendingCertificates;
    assert.equal(pending?.Certificate, next.certificate);
    assert.match(pending?.Fingerprint ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const wait = Date.parse(pending?.CountsAt ?? '') - start;
    assert.ok(Math.abs(wait - 86_400_000) < 60_000, `${wait}`);
    assert.deepEqual(announced.IdpCertificates, [old.certificate]);
    assert.equal(announced.LeavingCertificates[0]?.Certificate, old.certificate);
    const [event, ...more] = await events(provider);
    assert.deepEqual([event?.type, more], ['sso.certificate_announced', []]);
    assert.deepEqual(event?.data['PendingCertificates'], [pending]);
    assert.deepEqual(await signIn(provider, next), { status: 403, isIn: false });
    assert.equal((await signIn(provider, old)).isIn, true);

    await move(provider, 'pending_certificates', 'countsAt');
    assert.equal((await signIn(provider, next)).isIn, true);
    assert.equal((await signIn(provider, old)).isIn, true);
    await eventually('the change', async () => (await events(provider)).length === 2);
    const changed = await read(provider);
    assert.deepEqual(changed.IdpCertificates, [old.certificate, next.certificate]);
    assert.deepEqual(changed.PendingCertificates, []);
    await move(provider, 'leaving_certificates', 'endsAt');
    assert.deepEqual(await signIn(provider, old), { status: 403, isIn: false });
    assert.equal((await signIn(provider, next)).isIn, true);
    await eventually('the removal', async () => (await events(provider)).length === 3);
    assert.deepEqual((await read(provider)).IdpCertificates, [next.certificate]);
    assert.deepEqual(
      (await events(provider)).map(({ type, actor }) => [type, actor.type]),
      [
        ['sso.certificate_announced', 'system'],
        ['sso.certificates_changed', 'system'],
        ['sso.certificates_changed', 'system'],
      ],
    );
    const audited = await rowsOf<{ action: string }>(
      stack,
      `select audit from sso.outbox where for_tenant = $1 and audit::text like '%sso.certificate%' and audit::text like $2`,
      [home.tenant, `%${provider.ID}%`],
    );
    assert.equal(audited.length, 3);
    await remove(provider);
  });

  test('a document that cannot be trusted changes nothing, is recorded, and is tried again later', async () => {
    const { stack, home, server, serve, provide, read, readAgain, move, events, remove } = stage;
    serve([old], { signedBy: old });
    const provider = await provide();
    const other = { entityId: 'https://other.example/metadata' };
    const far = await startMetadataServer();
    const cases: Array<[string, () => void, RegExp]> = [
      ['another entity', () => serve([next], { ...other, signedBy: old }), /another entity id/],
      ['no signature', () => serve([next]), /not signed/],
      ['a foreign signature', () => serve([next], { signedBy: foreign }), /not by a trusted key/],
      [
        'a redirect to a private address',
        () => server.set({ status: 302, headers: { location: far.url } }),
        /redirects/,
      ],
      ['a huge body', () => server.set({ body: 'x'.repeat(300 * 1024) }), /more than 256 KiB/],
      ['a page', () => server.set({ body: '<!doctype html><html></html>' }), /HTML page/],
      ['a failure', () => server.set({ status: 503 }), /answered 503/],
      ['no text', () => server.set({ body: '' }), /not well-formed/],
    ];
    const before = await read(provider);
    for (const [index, [name, arm, message]] of cases.entries()) {
      arm();
      await readAgain(provider);
      const { MetadataError, ...now } = await read(provider);
      assert.match(MetadataError, message, name);
      assert.deepEqual({ ...now, MetadataError: '' }, before, name);
      const [due] = await rowsOf<{ minutes: number }>(
        stack,
        `select extract(epoch from metadata_due_at - now())::float8 / 60 as minutes from sso.provider where id = $1`,
        [provider.ID],
      );
      const longest = Math.min(10 * 2 ** index, 24 * 60);
      const minutes = due?.minutes ?? 0;
      assert.ok(minutes > longest * 0.7 && minutes <= longest, `${name}: ${minutes}`);
    }
    assert.equal(far.requests(), 0);
    await far.stop();
    assert.deepEqual(await events(provider), []);
    const request = { Tenant: home.tenant, ID: provider.ID };
    const { Findings } = bodyOf(
      await stack.call('Sso_TestProvider', request, home.owner.token),
    ) as unknown as { Findings: Array<{ Check: string; Level: string }> };
    assert.equal(Findings.find(({ Check }) => Check === 'metadata')?.Level, 'warning');
    // The right document ends the failure. Its signer may be any certificate that counts.
    serve([old, next], { signedBy: old });
    await readAgain(provider);
    const healed = await read(provider);
    assert.deepEqual([healed.MetadataError, healed.PendingCertificates.length], ['', 1]);
    serve([old, next], { signedBy: next });
    await readAgain(provider);
    assert.match((await read(provider)).MetadataError, /not by a trusted key/);
    await move(provider, 'pending_certificates', 'countsAt');
    await readAgain(provider);
    assert.equal((await read(provider)).MetadataError, '');
    await remove(provider);
  });

  test('a certificate that a save removes signs no metadata either', async () => {
    const { save, serve, provide, read, readAgain, remove } = stage;
    serve([old, next], { signedBy: old });
    const provider = await provide();
    bodyOf(await save({ ID: provider.ID, IdpCertificates: [next.certificate] }));
    serve([next, foreign], { signedBy: old });
    await readAgain(provider);
    const refused = await read(provider);
    assert.match(refused.MetadataError, /not by a trusted key/);
    assert.deepEqual(refused.PendingCertificates, []);
    serve([next], { signedBy: next });
    await readAgain(provider);
    assert.equal((await read(provider)).MetadataError, '');
    await remove(provider);
  });

  test('an address that is not public is not asked, and other addresses in the metadata are a warning only', async () => {
    const { stack, idp, save, serve, provide, read, readAgain, remove } = stage;
    serve([old]);
    const provider = await provide();
    serve([old], { ssoUrl: 'https://elsewhere.example/sso' });
    await readAgain(provider);
    const warned = await read(provider);
    assert.match(warned.LastWarning, /^ADDRESS_DIFFERS: .*https:\/\/elsewhere\.example\/sso/);
    assert.equal(warned.IdpSsoURL, idp.ssoUrl);
    serve([old]);
    await readAgain(provider);
    assert.equal((await read(provider)).LastWarning, '');
    for (const url of ['https://10.0.0.1/metadata', 'http://idp.example.com/metadata']) {
      assertRefused(await save({ ID: provider.ID, MetadataURL: url }), 400, 'invalid_argument');
      await rowsOf(stack, 'update sso.provider set metadata_url = $2 where id = $1', [
        provider.ID,
        url,
      ]);
      await readAgain(provider);
      assert.match((await read(provider)).MetadataError, /cannot be fetched/);
    }
    await remove(provider);
  });

  test('a save keeps the address, reads it again when it names it, and ends the reading with ""', async () => {
    const { server, save, serve, provide, read, readAgain, remove } = stage;
    serve([old]);
    const provider = await provide();
    const requests = server.requests();
    const saved = async (fields: object, rest: object = {}) =>
      recordIn(await save({ ID: provider.ID, ...fields }, rest), 'Provider') as RolledProvider;
    const same = await saved({ Name: 'Acme', MetadataURL: server.url });
    assert.deepEqual([same.UpdatedAt, server.requests()], [provider.UpdatedAt, requests]);
    const again = await saved({}, { MetadataURL: server.url });
    assert.deepEqual([again.UpdatedAt, server.requests()], [provider.UpdatedAt, requests + 1]);
    serve([old, next]);
    await readAgain(provider);
    assert.equal((await read(provider)).PendingCertificates.length, 1);
    // The certificates of a save count at once.
    const both = [old.certificate, next.certificate];
    const added = await saved({ IdpCertificates: both });
    assert.deepEqual([added.PendingCertificates, added.IdpCertificates], [[], both]);
    assert.equal((await saved({ IdpEntityID: 'https://other.example' })).MetadataURL, '');
    assert.equal((await saved({ MetadataURL: server.url })).MetadataURL, server.url);
    const ended = await saved({ MetadataURL: '' });
    assert.deepEqual([ended.MetadataURL, ended.MetadataReadAt], ['', undefined]);
    await remove(provider);
  });
});
