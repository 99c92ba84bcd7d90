import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createId, serviceOrigin } from '@bailiwick/contract';
import { createLog } from '@bailiwick/process';
import { IsOpenResponseSchema } from '@bailiwick/proto/gen/bailiwick/access/v1/admission_pb.ts';
import { hasSignIn } from '@bailiwick/sso/app-sign-ins/queries.ts';
import { findApp } from '@bailiwick/sso/apps/queries.ts';
import { createClientConfirmation } from '@bailiwick/sso/issuer/client-confirmation.ts';
import { createFindClient } from '@bailiwick/sso/issuer/clients.ts';
import { hasSigningKey } from '@bailiwick/sso/issuer/queries.ts';
import { ssoSchema } from '@bailiwick/sso/schema.ts';
import { type Database, openDatabase } from '@bailiwick/store';
import { create } from '@bufbuild/protobuf';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import * as client from 'openid-client';
import { bodyOf } from '../../support/answers.ts';
import { describeOne, eventually, type Stack } from '../../support/harness.ts';
import { signUp, tenantFor } from '../../support/people.ts';
import { sharedStack } from '../../support/shared.ts';
import { rowsOf } from '../../support/store.ts';
import { ask, createApp, exchange, relyOn, resource } from './stage.ts';
import { startVisitor } from './visitor.ts';

// Issuer.ConfirmClient, about tokens of the running issuer and with its database.

type Confirmation = ReturnType<typeof createClientConfirmation>;
type Claims = Parameters<Confirmation>[0];

describeOne('the confirmation of a client', 'one process', (topology) => {
  let stack: Stack;
  let database: Database;
  let confirm: (claims: Claims) => ReturnType<Confirmation>;
  let isTenantOpen = true;
  let owner: Awaited<ReturnType<typeof signUp>>;
  let Tenant: string;
  before(async () => {
    stack = await sharedStack(topology);
    owner = await signUp(stack);
    Tenant = await tenantFor(stack, owner.id);
    const { service, entities } = ssoSchema;
    const log = createLog('test', () => {});
    database = openDatabase({ service, entities, url: stack.databaseUrl, poolSize: 2, log });
    const confirmClient = createClientConfirmation({
      signingKeys: { has: (id) => hasSigningKey(database, id) },
      findClient: createFindClient((id) => findApp(database, id), stack.url),
      hasSignIn: (signIn) => hasSignIn(database, signIn),
      admission: {
        isOpen: ({ tenant = '' }) =>
          Promise.resolve(
            create(IsOpenResponseSchema, { open: isTenantOpen && tenant === Tenant }),
          ),
      },
    });
    confirm = (claims) => confirmClient(claims, serviceOrigin('test'));
  });
  after(async () => {
    await database?.close();
    await stack?.stop();
  });

  const scopes = ['openid', 'offline_access', 'app.reports.*'];
  const newApp = async (fields: object = {}) => {
    const app = await createApp(stack, { Tenant, Scopes: scopes, ...fields }, owner.token);
    return { ...app, config: await relyOn(stack, app) };
  };
  const scope = 'openid app.reports.read';
  /** A person's token for the resource of an app. */
  async function tokenOf(config: client.Configuration, token = owner.token): Promise<Claims> {
    const visitor = startVisitor(stack, token);
    const request = await ask(config, { scope, resource });
    const tokens = await exchange(config, request, await visitor.open(request.url), { resource });
    return claimsOf(tokens.access_token);
  }
  const refuses = (claims: Claims, changes: Partial<Claims> = {}) =>
    assert.rejects(
      confirm({ ...claims, ...changes }),
      { code: 'unauthenticated' },
      JSON.stringify(changes),
    );
  const withdraw = async (ID: string) =>
    bodyOf(await stack.call('AccountApps_Delete', { ID }, owner.token));
  const keysSince = (from: Date) =>
    rowsOf<{ keys: string[] }>(stack, 'select keys from sso.revocation where created_at > $1', [
      from,
    ]);

  test("confirms a person's token, with the scopes of the app", async () => {
    const { config } = await newApp();
    const claims = await tokenOf(config);
    assert.deepEqual(await confirm(claims), scopes);
    const other = await newApp();
    for (const changes of [
      { keyId: 'other' },
      { clientId: other.ID },
      { clientId: 'app_none' },
      { tenant: '' },
      { tenant: 'tnt_other' },
      { audiences: [] },
      { audiences: [stack.url] },
      { audiences: [resource, stack.url] },
      { sessionId: '' },
      { sessionId: 'ses_other' },
      { subject: 'usr_other' },
      // As if the app had the token for itself.
      { subject: claims.clientId },
      { subject: claims.clientId, sessionId: '' },
    ])
      await refuses(claims, changes);
  });

  test("a person's withdrawal of an app's access ends its tokens, and revokes their key each time", async () => {
    const [{ ID, config }, other] = await Promise.all([newApp(), newApp()]);
    const [claims, others] = [await tokenOf(config), await tokenOf(other.config)];
    const from = new Date(Date.now() - 1);
    await withdraw(ID);
    await refuses(claims);
    assert.deepEqual(await confirm(others), scopes);
    const key = `use:${owner.id}:${ID}`;
    assert.equal((await keysSince(from)).filter(({ keys }) => keys.includes(key)).length, 1);
    assert.deepEqual(await confirm(await tokenOf(config)), scopes);
  });

  test('a token ends with the membership for which the person signed in, and revokes its key', async () => {
    const member = await signUp(stack);
    const Member = { Tenant, UserID: member.id };
    bodyOf(await stack.call('TenantMembers_Add', Member, stack.platformKey));
    const { ID, config } = await newApp();
    const claims = await tokenOf(config, member.token);
    assert.deepEqual(await confirm(claims), scopes);
    const from = new Date(Date.now() - 1);
    bodyOf(await stack.call('TenantMembers_Remove', Member, owner.token));
    await eventually('the end of the sign-in', () =>
      confirm(claims).then(
        () => false,
        () => true,
      ),
    );
    const key = `use:${member.id}:${ID}`;
    assert.ok((await keysSince(from)).some(({ keys }) => keys.includes(key)));
  });

  test('confirms the token of a service by its app alone, until the app or its tenant is inactive', async () => {
    const service = await newApp({ Kind: 'service', RedirectURIs: [], PostLogoutRedirectURIs: [] });
    const parameters = { resource, scope: 'app.reports.read' };
    const tokens = await client.clientCredentialsGrant(service.config, parameters);
    const claims = claimsOf(tokens.access_token);
    assert.equal(claims.subject, service.ID);
    assert.deepEqual(await confirm(claims), scopes);
    await refuses(claims, { sessionId: 'ses_1' });
    await refuses(claims, { subject: owner.id });
    isTenantOpen = false;
    await refuses(claims);
    isTenantOpen = true;
    const save = async (fields: object) =>
      bodyOf(
        await stack.call('Apps_Save', { App: { Tenant, ID: service.ID, ...fields } }, owner.token),
      );
    await save({ Active: false });
    await refuses(claims);
    await save({ Active: true, Resources: ['https://other.example.test'] });
    await refuses(claims);
    await save({ Resources: [resource] });
    assert.deepEqual(await confirm(claims), scopes);
    bodyOf(await stack.call('Apps_Delete', { Tenant, ID: service.ID }, owner.token));
    await refuses(claims);
  });

  test('confirms the tokens of devices and bots', async () => {
    const device = await newApp({ Kind: 'device', RedirectURIs: [], PostLogoutRedirectURIs: [] });
    const codes = await client.initiateDeviceAuthorization(device.config, { scope, resource });
    const visitor = startVisitor(stack, owner.token);
    const page = await visitor.sendForm(await visitor.open('/device'), {
      user_code: codes.user_code,
    });
    await visitor.sendForm(page, { confirm: 'yes' });
    const tokens = await client.pollDeviceAuthorizationGrant(
      device.config,
      { ...codes, interval: 0 },
      { resource },
    );
    const claims = claimsOf(tokens.access_token);
    assert.deepEqual(await confirm(claims), scopes);
    const bot = createId('bot');
    const own = { subject: bot, clientId: bot, sessionId: '', audiences: [stack.url] };
    assert.deepEqual(await confirm({ ...claims, ...own }), []);
    await refuses({ ...claims, ...own, audiences: [resource] });
    await refuses({ ...claims, ...own, clientId: createId('bot') });
  });
});

function claimsOf(token: string): Claims {
  const { sub = '', aud = [], client_id: clientId, tenant, sid } = decodeJwt(token);
  return {
    subject: sub,
    clientId: String(clientId),
    sessionId: typeof sid === 'string' ? sid : '',
    tenant: typeof tenant === 'string' ? tenant : '',
    audiences: [aud].flat(),
    keyId: decodeProtectedHeader(token).kid ?? '',
  };
}
