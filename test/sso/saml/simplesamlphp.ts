import { randomBytes } from 'node:crypto';
import { accessSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDaemon, tail } from '@bailiwick/deploy/local/daemon.ts';
import { which } from '@bailiwick/deploy/local/nats-server.ts';
import { createSpCertificate } from '@bailiwick/sso/saml/certificates.ts';
import { takePort } from '../../support/ports.ts';
import { type Browser, formOf, type Page } from '../browse.ts';

// SimpleSAMLphp as an identity provider: Debian's package in PHP's built-in server, with all its
// files in a temporary folder. It reads the product's SP metadata, verifies request signatures and
// asks for a password.

const installed = '/usr/share/simplesamlphp';

export type SamlPerson = {
  user: string;
  password: string;
  attributes: Record<string, readonly string[]>;
};
/** The SP metadata of a service, and its settings at the provider. */
export type SamlService = { metadata: string; encrypts?: boolean; nameIdFormat?: string };
export type SimpleSamlPhp = {
  entityId: string;
  ssoUrl: string;
  metadataUrl: string;
  metadataXml: string;
  stop(): Promise<void>;
};

type Options = {
  sps: readonly SamlService[];
  people: readonly SamlPerson[];
  /** Uses AES-GCM. Without it, SimpleSAMLphp uses AES-CBC if it knows only the SP's public key. */
  encryptsWithGcm?: boolean;
};

/** The folder of SimpleSAMLphp, or undefined if it is not installed: the tests are then skipped. */
export function findSimpleSamlPhp(): string | undefined {
  try {
    accessSync(path.join(installed, 'www/module.php'));
    return which('php', process.env.PATH ?? '') && installed;
  } catch {
    return undefined;
  }
}

export const notInstalled =
  'SimpleSAMLphp is not installed: apt-get install --no-install-recommends simplesamlphp php-cli php-xml php-mbstring';

export async function startSimpleSamlPhp(options: Options): Promise<SimpleSamlPhp> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-simplesamlphp-'));
  const port = await takePort();
  const origin = `http://127.0.0.1:${port}`;
  await configure(folder, origin, options);
  const logFile = path.join(folder, 'php.log');
  const daemon = await startDaemon({
    command: 'php',
    args: [
      ...settings(folder, options),
      '-S',
      `127.0.0.1:${port}`,
      '-t',
      path.join(installed, 'www'),
    ],
    env: { ...process.env, SIMPLESAMLPHP_CONFIG_DIR: path.join(folder, 'config') },
    logFile,
    signal: 'SIGTERM',
  });
  const stop = async () => {
    await daemon.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const metadataUrl = `${origin}/saml2/idp/metadata.php`;
  try {
    const metadataXml = await waitFor(metadataUrl, () => daemon.hasExited());
    return {
      entityId: metadataUrl,
      ssoUrl: `${origin}/saml2/idp/SSOService.php`,
      metadataUrl,
      metadataXml,
      stop,
    };
  } catch (error) {
    const said = tail(logFile, 20);
    await stop();
    throw new Error(`${String(error)}\n${said}`);
  }
}

/** Submits the login form, and returns the page with the SAML response. */
export async function logIn(
  browser: Browser,
  page: Page,
  { user, password }: Pick<SamlPerson, 'user' | 'password'>,
): Promise<Page> {
  const form = formOf(page);
  return browser.send({ ...form, fields: { ...form.fields, username: user, password } });
}

async function waitFor(url: string, hasEnded: () => boolean): Promise<string> {
  for (
    const deadline = Date.now() + 30_000;
    Date.now() < deadline && !hasEnded();
    await sleep(100)
  ) {
    const answer = await fetch(url).catch(() => undefined);
    const text = await answer?.text();
    if (answer?.ok && text?.includes('IDPSSODescriptor')) return text;
    if (answer && !answer.ok)
      throw new Error(
        `SimpleSAMLphp answers ${answer.status}: ${text?.replace(/<[^>]*>|\s+/g, ' ').slice(0, 2000)}`,
      );
  }
  throw new Error('SimpleSAMLphp did not start');
}

/** PHP settings that replace the host's configuration and folders. */
function settings(folder: string, { encryptsWithGcm = false }: Options): string[] {
  const values = [
    `session.save_path=${path.join(folder, 'sessions')}`,
    `sys_temp_dir=${path.join(folder, 'tmp')}`,
    'display_errors=0',
    'session.gc_probability=0',
  ];
  if (encryptsWithGcm) values.push(`auto_prepend_file=${path.join(folder, 'gcm.php')}`);
  return values.flatMap((argument) => ['-d', argument]);
}

async function configure(folder: string, origin: string, { sps, people }: Options): Promise<void> {
  for (const name of ['config', 'metadata', 'cert', 'log', 'data', 'tmp', 'sessions'])
    mkdirSync(path.join(folder, name));
  const write = (name: string, text: string) =>
    writeFileSync(path.join(folder, name), text, { mode: 0o600 });
  // PHP reads the values as JSON, so they need no quoting.
  const writeAs = (name: string, variable: string, value: unknown) => {
    write(`${name}.json`, JSON.stringify(value));
    write(
      `${name}.php`,
      `<?php\n$${variable} = json_decode(file_get_contents(__DIR__ . '/${path.basename(name)}.json'), true);\n`,
    );
  };
  const { privateKey, certificate } = await createSpCertificate('SimpleSAMLphp');
  write('cert/idp.pem', privateKey);
  write('cert/idp.crt', certificate);
  writeAs('config/config', 'config', configuration(folder, origin));
  writeAs('config/authsources', 'config', {
    people: {
      0: 'exampleauth:UserPass',
      ...Object.fromEntries(
        people.map(({ user, password, attributes }) => [
          `${user}:${password}`,
          { uid: [user], ...attributes },
        ]),
      ),
    },
  });
  writeAs('metadata/saml20-idp-hosted', 'metadata', {
    [`${origin}/saml2/idp/metadata.php`]: hosted,
  });
  sps.forEach(({ metadata }, index) => write(`metadata/sp-${index}.xml`, metadata));
  write(
    'metadata/saml20-sp-remote.json',
    JSON.stringify(
      sps.map(({ encrypts = false, nameIdFormat }) => ({
        'assertion.encryption': encrypts,
        ...(nameIdFormat && { NameIDFormat: nameIdFormat }),
      })),
    ),
  );
  write('metadata/saml20-sp-remote.php', readsMetadata);
  write('EncryptedAssertion.php', encryptedAssertionWithGcm());
  write(
    'gcm.php',
    `<?php
require '${installed}/lib/_autoload.php';
require __DIR__ . '/EncryptedAssertion.php';
`,
  );
}

const configuration = (folder: string, origin: string) => ({
  baseurlpath: `${origin}/`,
  certdir: `${path.join(folder, 'cert')}/`,
  loggingdir: `${path.join(folder, 'log')}/`,
  datadir: `${path.join(folder, 'data')}/`,
  tempdir: path.join(folder, 'tmp'),
  metadatadir: `${path.join(folder, 'metadata')}/`,
  'logging.handler': 'file',
  secretsalt: randomBytes(16).toString('hex'),
  'auth.adminpassword': randomBytes(16).toString('hex'),
  technicalcontact_email: 'nobody@example.com',
  timezone: 'UTC',
  'enable.saml20-idp': true,
  'module.enable': { core: true, saml: true, exampleauth: true },
  'session.cookie.secure': false,
  'session.cookie.samesite': null,
  'session.phpsession.savepath': path.join(folder, 'sessions'),
  'language.cookie.secure': false,
  'store.type': 'phpsession',
  'metadata.sources': [{ type: 'flatfile' }],
});

const hosted = {
  host: '__DEFAULT__',
  privatekey: 'idp.pem',
  certificate: 'idp.crt',
  auth: 'people',
  'signature.algorithm': 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'validate.authnrequest': true,
  'redirect.validate': true,
  SingleSignOnServiceBinding: [
    'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect',
    'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST',
  ],
  authproc: { 3: { class: 'saml:PersistentNameID', attribute: 'uid' } },
};

/** Parses SP metadata with SimpleSAMLphp's own parser. */
const readsMetadata = `<?php
foreach (json_decode(file_get_contents(__DIR__ . '/saml20-sp-remote.json'), true) as $index => $more) {
    foreach (\\SimpleSAML\\Metadata\\SAMLParser::parseDescriptorsFile(__DIR__ . "/sp-$index.xml") as $entity) {
        $found = $entity->getMetadata20SP();
        $metadata[$found['entityid']] = $more + $found;
    }
}
`;

/** SimpleSAMLphp's encryption class with one changed constant. PHP loads it before the original. */
function encryptedAssertionWithGcm(): string {
  const source = readFileSync(
    path.join(installed, 'vendor/simplesamlphp/saml2/src/SAML2/EncryptedAssertion.php'),
    'utf8',
  );
  return source.replace(
    'new XMLSecurityKey(XMLSecurityKey::AES128_CBC)',
    'new XMLSecurityKey(XMLSecurityKey::AES256_GCM)',
  );
}
