import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '@bailiwick/database';
import { createPools, egressRules } from '@bailiwick/egress';
import { watchCertificates } from '@bailiwick/sso/providers/rollover/watch.ts';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { createLog } from '@bailiwick/telemetry';
import { assertRefused, bodyOf, recordIn } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { sharedStack } from '../../support/shared.ts';
import { eventsOf, rowsOf } from '../../support/store.ts';
import { createHome, goThrough, type Home, loginUrl, readProvider, type Saved } from '../home.ts';
import { type EvilIdp, startEvilIdp } from './evil-idp.ts';
import { type MetadataServer, startMetadataServer } from './metadata-server.ts';
import { metadataText } from './metadata-texts.ts';
import type { Keys } from './texts.ts';

// The daily reading of a SAML provider's metadata, on a real server of metadata, and the sign-ins
// with the certificates that it brings.

type Pending = { Certificate: string; CountsAt?: string; Fingerprint: string };
type Provider = Saved & {
  MetadataURL: string;
  MetadataError: string;
  MetadataReadAt: string;
  LastWarning: string;
  UpdatedAt: string;
  IdpSsoURL: string;
  IdpCertificates: string[];
  PendingCertificates: Pending[];
  LeavingCertificates: Array<{ Certificate: string; EndsAt: string }>;
};

describeOne('the metadata of a SAML provider', 'one process', (topology) => {
  let stack: Stack;
  let idp: EvilIdp;
  let home: Home;
  let server: MetadataServer;
  let replicas: Database[];
  let stops: Array<() => Promise<void>>;
  let [old, next, foreign]: Keys[] = [];
  before(async () => {
    [stack, idp, server, [old, next, foreign]] = await Promise.all([
      sharedStack(topology),
      startEvilIdp(),
      startMetadataServer(),
      Promise.all(['old', 'next', 'foreign'].map(createKeys)),
    ]);
    home = await createHome(stack);
    idp.setPerson({
      nameId: 'ada',
      attributes: { mail: [`ada@${home.domain}`], displayName: ['Ada'], groups: [] },
    });
    ({ replicas, stops } = startWatches(stack));
  });
  after(async () => {
    await Promise.all((stops ?? []).map((stop) => stop()));
    await Promise.all((replicas ?? []).map((one) => one.close()));
    await Promise.all([idp?.stop(), server?.stop()]);
  });

  const certificateOf = (keys: Keys | undefined) => keys?.certificate ?? '';
  const document = (
    certificates: Array<Keys | undefined>,
    { signedBy, entityId = idp.entityId, ssoUrl = idp.ssoUrl }: Partial<Document> = {},
  ) => metadataText({ entityId, ssoUrl, certificates: certificates.map(certificateOf), signedBy });
  const serve = (certificates: Array<Keys | undefined>, options: Partial<Document> = {}) =>
    server.set({ body: document(certificates, options) });

  const save = async (fields: object, rest: object = {}) =>
    stack.call(
      'Sso_SaveProvider',
      { Provider: { Tenant: home.tenant, ...fields }, ...rest },
      home.owner.token,
    );
  /** A new provider with the metadata that the server has. */
  const provide = async (fields: object = {}) =>
    recordIn(
      await save({ Kind: 'saml', Name: 'Acme', ...fields }, { MetadataURL: server.url }),
      'Provider',
    ) as Provider;
  const read = (provider: Saved) => readProvider(stack, home, provider) as Promise<Provider>;

  /** Lets a provider's metadata be read now, and waits for the end of the reading. */
  async function readAgain({ ID }: Saved): Promise<void> {
    const [before] = await rowsOf<State>(stack, `${stateOf} where id = $1`, [ID]);
    await rowsOf(stack, 'update sso.provider set metadata_due_at = now() where id = $1', [ID]);
    await eventually('the reading', async () => {
      const [state] = await rowsOf<State>(stack, `${stateOf} where id = $1`, [ID]);
      return state?.read !== before?.read || state?.failures !== before?.failures;
    });
  }
  /** Moves a time of a provider's certificates into the past. */
  const move = (provider: Saved, column: string, key: string) =>
    rowsOf(
      stack,
      `update sso.provider set certificates_due_at = now(), ${column} = (select jsonb_agg(one || jsonb_build_object('${key}', now() - interval '1 second')) from jsonb_array_elements(${column}) one) where id = $1`,
      [provider.ID],
    );
  const signIn = async (provider: Saved, keys: Keys | undefined) => {
    idp.setKeys(keys);
    const { page, token } = await goThrough(stack, loginUrl(stack, provider));
    return { status: page.status, isIn: token !== undefined };
  };
  const events = async ({ ID }: Saved) =>
    (await eventsOf(stack, 'sso', home.tenant)).filter(
      ({ type, data }) => type.startsWith('sso.cert') && data['ID'] === ID,
    );
  const remove = ({ ID }: Saved) =>
    stack.call('Sso_DeleteProvider', { Tenant: home.tenant, ID }, home.owner.token);

  test('a new certificate is announced at once, counts after 24 hours, and the old one goes', async () => {
    serve([old]);
    const provider = await provide();
    assert.deepEqual([provider.MetadataURL, provider.PendingCertificates], [server.url, []]);
    assert.equal((await signIn(provider, old)).isIn, true);
    serve([next]);
    const [requests, found] = [server.requests(), Date.now()];
    await readAgain(provider);
    // Three processes ran the watch, and one of them read it.
    assert.equal(server.requests() - requests, 1);
    const announced = await read(provider);
    const [pending] = announced.PendingCertificates;
    assert.equal(pending?.Certificate, next?.certificate);
    assert.match(pending?.Fingerprint ?? '', /^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    const wait = Date.parse(pending?.CountsAt ?? '') - found;
    assert.ok(Math.abs(wait - 86_400_000) < 60_000, `${wait}`);
    assert.deepEqual(announced.IdpCertificates, [old?.certificate]);
    assert.equal(announced.LeavingCertificates[0]?.Certificate, old?.certificate);
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
    assert.deepEqual(changed.IdpCertificates, [old?.certificate, next?.certificate]);
    assert.deepEqual(changed.PendingCertificates, []);
    await move(provider, 'leaving_certificates', 'endsAt');
    assert.deepEqual(await signIn(provider, old), { status: 403, isIn: false });
    assert.equal((await signIn(provider, next)).isIn, true);
    await eventually('the removal', async () => (await events(provider)).length === 3);
    assert.deepEqual((await read(provider)).IdpCertificates, [next?.certificate]);
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
    const asked = { Tenant: home.tenant, ID: provider.ID };
    const { Findings } = bodyOf(
      await stack.call('Sso_TestProvider', asked, home.owner.token),
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

  test('an address that is not public is not asked, and other addresses in the metadata are a warning only', async () => {
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
    serve([old]);
    const provider = await provide();
    const requests = server.requests();
    const saved = async (fields: object, rest: object = {}) =>
      recordIn(await save({ ID: provider.ID, ...fields }, rest), 'Provider') as Provider;
    const same = await saved({ Name: 'Acme', MetadataURL: server.url });
    assert.deepEqual([same.UpdatedAt, server.requests()], [provider.UpdatedAt, requests]);
    const again = await saved({}, { MetadataURL: server.url });
    assert.deepEqual([again.UpdatedAt, server.requests()], [provider.UpdatedAt, requests + 1]);
    serve([old, next]);
    await readAgain(provider);
    assert.equal((await read(provider)).PendingCertificates.length, 1);
    // What an administrator saves counts at once.
    const both = [certificateOf(old), certificateOf(next)];
    const added = await saved({ IdpCertificates: both });
    assert.deepEqual([added.PendingCertificates, added.IdpCertificates], [[], both]);
    assert.equal((await saved({ IdpEntityID: 'https://other.example' })).MetadataURL, '');
    assert.equal((await saved({ MetadataURL: server.url })).MetadataURL, server.url);
    const ended = await saved({ MetadataURL: '' });
    assert.deepEqual([ended.MetadataURL, ended.MetadataReadAt], ['', undefined]);
    await remove(provider);
  });
});

async function createKeys(name: string): Promise<Keys> {
  const { privateKey, certificate } = await createSpCertificate(name);
  return { privateKey, certificate: certificate.trim() };
}

type Document = { signedBy: Keys | undefined; entityId: string; ssoUrl: string };
type State = { read: string | null; failures: number };
const stateOf =
  'select metadata_read_at::text as read, metadata_failures as failures from sso.provider';

/** The watch of two more replicas. */
function startWatches(stack: Stack) {
  const log = createLog('test', () => {});
  const egress = egressRules({ hosts: [], cidrs: ['127.0.0.0/8'], ports: [] });
  const { service, entities } = ssoSchema;
  const replicas = [1, 2].map(() =>
    openDatabase({ service, url: stack.databaseUrl, entities, poolSize: 2, log }),
  );
  const pools = createPools({ totalMs: 10_000, connectMs: 5000, answerBytes: 1024 * 1024 });
  const stops = replicas.map((database) =>
    watchCertificates({ database, pools, egress, publicUrl: stack.url, log, intervalMs: 50 })({
      dispatch: () => Promise.reject(new Error('unused')),
    }),
  );
  return { replicas, stops: [...stops, () => pools.close()] };
}
