import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import { type Stack } from '../support/harness.ts';
import { createTenant, newAddress, password, signUp } from '../support/people.ts';
import { sharedStack } from '../support/shared.ts';

// Clients made from openapi.json by two standard generators. The result must pass the compiler with
// a user's code, and work with the real gateway.

const root = path.resolve(import.meta.dirname, '../..');
const document = path.join(root, 'gateway/openapi.json');
const operationCount = readFileSync(document, 'utf8').match(/"operationId":/g)?.length ?? 0;

/** A user's code with the types of openapi-typescript and with openapi-fetch. */
const withOpenApiFetch = `
import createClient from 'openapi-fetch';
import type { components, paths } from './openapi-typescript.ts';

export type Endpoint = components['schemas']['WebhookEndpoint'];

export async function register(baseUrl: string, Email: string, Password: string) {
  const client = createClient<paths>({ baseUrl });
  const { data, error, response } = await client.POST('/Account_Register', { body: { Email, Password } });
  const userId: string | undefined = data?.UserID;
  const messages: string[] | undefined = error?.Messages;
  return { status: response.status, userId, messages };
}

export async function createEndpoint(baseUrl: string, token: string, endpoint: { Tenant: string; Name: string; URL: string }) {
  const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
  const { data, error } = await client.POST('/Webhooks_CreateEndpoint', { body: { Endpoint: endpoint } });
  const created: Endpoint | undefined = data?.Endpoint;
  const active: boolean | undefined = created?.Active;
  return { active, secret: data?.Secret, messages: error?.Messages };
}

export function wrong(baseUrl: string) {
  const client = createClient<paths>({ baseUrl });
  // @ts-expect-error Email is required
  void client.POST('/Sso_Check', { body: {} });
  // @ts-expect-error there is no such operation
  void client.POST('/Sso_Chek', { body: { Email: '' } });
}
`;

/** A user's code with the client that @hey-api/openapi-ts generates. */
const withHeyApi = `
import { createClient } from './hey-api/client/index.ts';
import { accountRegister, ssoCheck, tenantsListMine } from './hey-api/sdk.gen.ts';
import type { ErrorResponse } from './hey-api/types.gen.ts';

export async function register(baseUrl: string, Email: string, Password: string) {
  const { data, error, response } = await accountRegister({ client: createClient({ baseUrl }), body: { Email, Password } });
  const failure: ErrorResponse | undefined = error;
  return { status: response?.status, userId: data?.UserID, messages: failure?.Messages };
}

export async function check(baseUrl: string, Email: string): Promise<string | undefined> {
  const { data } = await ssoCheck({ client: createClient({ baseUrl }), body: { Email } });
  return data?.Redirect;
}

export async function tenants(baseUrl: string, token: string) {
  const { data, error } = await tenantsListMine({ client: createClient({ baseUrl, auth: token }), body: {} });
  const names: string[] | undefined = data?.Page.Items.map((tenant) => tenant.Name);
  return { names, code: error?.Code };
}

// @ts-expect-error Email is required
export const wrong = () => ssoCheck({ body: {} });
`;

const tsconfig = {
  compilerOptions: {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: [],
    noEmit: true,
    strict: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
  },
  include: ['*.ts', 'hey-api/**/*.ts'],
};

type RegisterResult = { status: number; userId?: string; messages?: string[] };
type CreateResult = { active?: boolean; secret?: string; messages?: string[] };
type HeyApi = {
  check: (url: string, email: string) => Promise<string>;
  tenants: (url: string, token: string) => Promise<{ names?: string[]; code?: string }>;
};
type Register = (baseUrl: string, email: string, password: string) => Promise<RegisterResult>;

describe('clients that standard generators make from openapi.json', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-clients-'));
  let stack: Stack;
  before(async () => {
    writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    writeFileSync(path.join(folder, 'fetch.ts'), withOpenApiFetch);
    writeFileSync(path.join(folder, 'hey.ts'), withHeyApi);
    symlinkSync(path.join(root, 'test/node_modules'), path.join(folder, 'node_modules'), 'dir');
    stack = await sharedStack('one process');
  });
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
    await stack?.stop();
  });

  const use = <Module>(file: string): Promise<Module> =>
    import(pathToFileURL(path.join(folder, file)).href) as Promise<Module>;

  test('openapi-typescript generates every operation', async () => {
    const text = astToString(await openapiTS(pathToFileURL(document)));
    assert.equal(text.match(/^ {4}(\w+): \{$(?=\n {8}parameters:)/gm)?.length, operationCount);
    writeFileSync(path.join(folder, 'openapi-typescript.ts'), text);
  });

  test('@hey-api/openapi-ts generates every operation', async () => {
    await createClient({
      input: document,
      output: { path: path.join(folder, 'hey-api'), module: { extension: '.ts' } },
      plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
      logs: { level: 'silent', file: false },
    });
    assert.equal(
      readFileSync(path.join(folder, 'hey-api/sdk.gen.ts'), 'utf8').match(/^export const /gm)
        ?.length,
      operationCount,
    );
  });

  test('the generated code and its use pass tsc', () => {
    const { status, stdout, stderr } = spawnSync(
      path.join(root, 'node_modules/.bin/tsc'),
      ['-p', folder],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, `${stdout}${stderr}`);
  });

  for (const file of ['fetch.ts', 'hey.ts']) {
    test(`${file}: a result and an error response have their declared types`, async () => {
      const { register } = await use<{ register: Register }>(file);
      const registered = await register(stack.url, newAddress('generated'), password);
      assert.equal(registered.status, 200);
      assert.match(registered.userId ?? '', /^usr_[0-9a-z]{26}$/);
      const refused = await register(stack.url, '', '');
      assert.deepEqual(
        [refused.status, refused.messages],
        [400, ['Email is required', 'Password is required']],
      );
    });
  }

  test('fetch.ts: a record with a bearer token', async () => {
    const { createEndpoint } = await use<{
      createEndpoint: (url: string, token: string, endpoint: object) => Promise<CreateResult>;
    }>('fetch.ts');
    const { token } = await signUp(stack);
    const Tenant = await createTenant(stack, token);
    const created = await createEndpoint(stack.url, token, {
      Tenant,
      Name: 'a',
      URL: `${stack.inboxUrl}/hooks/a`,
    });
    assert.equal(created.active, true, JSON.stringify(created));
    assert.match(created.secret ?? '', /^whsec_/);
    const refused = await createEndpoint(stack.url, token, {});
    assert.deepEqual(refused.messages, ['endpoint name is required', 'endpoint url is required']);
  });

  test('hey.ts: an open operation, and a list with a bearer token', async () => {
    const { check, tenants } = await use<HeyApi>('hey.ts');
    assert.equal(await check(stack.url, newAddress('nobody')), '');
    const { token } = await signUp(stack);
    await createTenant(stack, token, 'Acme');
    assert.deepEqual(await tenants(stack.url, token), { names: ['Acme'], code: undefined });
    assert.deepEqual(await tenants(stack.url, 'junk'), {
      names: undefined,
      code: 'unauthenticated',
    });
  });
});
