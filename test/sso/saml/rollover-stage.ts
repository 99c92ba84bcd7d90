// @peculiar/x509 needs reflect-metadata for its dependency injection.
import 'reflect-metadata';
import { createPools, egressRules } from '@bailiwick/egress';
import { createLog } from '@bailiwick/process';
import { watchCertificates } from '@bailiwick/sso/providers/rollover/watch.ts';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { openDatabase } from '@bailiwick/store';
import { X509CertificateGenerator } from '@peculiar/x509';
import { recordIn } from '../../support/answers.ts';
import { eventually, type Stack } from '../../support/harness.ts';
import { eventsOf, rowsOf } from '../../support/store.ts';
import { createHome, goThrough, loginUrl, type ProviderRecord, readProvider } from '../home.ts';
import { startEvilIdp } from './evil-idp.ts';
import { startMetadataServer } from './metadata-server.ts';
import { metadataText } from './metadata-texts.ts';
import type { Keys } from './texts.ts';

// A tenant whose SAML provider publishes metadata, and two more replicas that read them.

export type Pending = { Certificate: string; CountsAt?: string; Fingerprint: string };
export type RolledProvider = ProviderRecord & {
  MetadataURL: string;
  MetadataError: string;
  MetadataReadAt: string;
  LastWarning: string;
  UpdatedAt: string;
  IdpSsoURL: string;
  IdpCertificates: string[];
  PendingCertificates: Pending[];
  LeavingCertificates: Array<{ Certificate: string; EndsAt: string }>;
  CertificatesExpireAt: string;
  Unconfirmed: boolean;
};
export type Rollover = Awaited<ReturnType<typeof startRollover>>;

type Parts = { signedBy: Keys | undefined; entityId: string; ssoUrl: string };
type State = { read: string | null; failures: number };
const stateOf =
  'select metadata_read_at::text as read, metadata_failures as failures from sso.provider';

export async function startRollover(starting: Promise<Stack>) {
  const [stack, idp, server] = await Promise.all([starting, startEvilIdp(), startMetadataServer()]);
  const home = await createHome(stack);
  idp.setPerson({
    nameId: 'ada',
    attributes: { mail: [`ada@${home.domain}`], displayName: ['Ada'], groups: [] },
  });
  const stopWatches = startWatches(stack);
  const save = (fields: object, rest: object = {}, token = home.owner.token) =>
    stack.call(
      'Sso_SaveProvider',
      { Provider: { Tenant: home.tenant, ...fields }, ...rest },
      token,
    );

  return {
    stack,
    idp,
    home,
    server,
    save,

    /** Lets the server have metadata with these certificates. */
    serve(
      certificates: readonly Keys[],
      { signedBy, entityId = idp.entityId, ssoUrl = idp.ssoUrl }: Partial<Parts> = {},
    ): void {
      const named = certificates.map(({ certificate }) => certificate);
      server.set({ body: metadataText({ entityId, ssoUrl, certificates: named, signedBy }) });
    },

    /** A new provider with the metadata that the server has. */
    provide: async (fields: object = {}) =>
      recordIn(
        await save({ Kind: 'saml', Name: 'Acme', ...fields }, { MetadataURL: server.url }),
        'Provider',
      ) as RolledProvider,
    read: (provider: ProviderRecord) =>
      readProvider(stack, home, provider) as Promise<RolledProvider>,

    /** Lets a provider's metadata be read now, and waits for the end of the reading. */
    async readAgain({ ID }: ProviderRecord): Promise<void> {
      const [before] = await rowsOf<State>(stack, `${stateOf} where id = $1`, [ID]);
      await rowsOf(stack, 'update sso.provider set metadata_due_at = now() where id = $1', [ID]);
      await eventually('the reading', async () => {
        const [state] = await rowsOf<State>(stack, `${stateOf} where id = $1`, [ID]);
        return state?.read !== before?.read || state?.failures !== before?.failures;
      });
    },

    /** Moves a time of a provider's certificates into the past. */
    move: ({ ID }: ProviderRecord, column: string, key: string) =>
      rowsOf(
        stack,
        `update sso.provider set certificates_due_at = now(), ${column} = (select jsonb_agg(one || jsonb_build_object('${key}', now() - interval '1 second')) from jsonb_array_elements(${column}) one) where id = $1`,
        [ID],
      ),

    /** Signs in with an answer that these keys have signed. */
    async signIn(provider: ProviderRecord, keys: Keys) {
      idp.setKeys(keys);
      const { page, token } = await goThrough(stack, loginUrl(stack, provider));
      return { status: page.status, isIn: token !== undefined };
    },

    /** The events about a provider's certificates. */
    events: async ({ ID }: ProviderRecord) =>
      (await eventsOf(stack, 'sso', home.tenant)).filter(
        ({ type, data }) => type.startsWith('sso.cert') && data['ID'] === ID,
      ),
    remove: ({ ID }: ProviderRecord) =>
      stack.call('Sso_DeleteProvider', { Tenant: home.tenant, ID }, home.owner.token),

    async stop(): Promise<void> {
      await stopWatches();
      await Promise.all([stack.stop(), idp.stop(), server.stop()]);
    },
  };
}

/** Keys with a certificate in the stored form. */
export async function createKeys(name: string): Promise<Keys> {
  const { privateKey, certificate } = await createSpCertificate(name);
  return { privateKey, certificate: certificate.trim() };
}

/** A certificate that expires in these days. */
export async function certificateFor(days: number): Promise<string> {
  const signingAlgorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  };
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=idp',
    keys: await crypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']),
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + days * 86_400_000),
    signingAlgorithm,
  });
  return certificate.toString('pem');
}

/** Starts the watch of two more replicas. Returns how to stop it. */
function startWatches(stack: Stack): () => Promise<void> {
  const log = createLog('test', () => {});
  const egress = egressRules({ hosts: [], cidrs: ['127.0.0.0/8'], ports: [] });
  const pools = createPools({ totalMs: 10_000, connectMs: 5000, answerBytes: 1024 * 1024 });
  const { service, entities } = ssoSchema;
  const replicas = [1, 2].map(() =>
    openDatabase({ service, url: stack.databaseUrl, entities, poolSize: 2, log }),
  );
  const stops = replicas.map((database) =>
    watchCertificates({ database, pools, egress, publicUrl: stack.url, log, intervalMs: 50 })(),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
    await Promise.all([pools.close(), ...replicas.map((one) => one.close())]);
  };
}
