import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { tokenHash } from '@bailiwick/contract';
import { findApp } from '@bailiwick/sso/apps/queries.ts';
import type { Database } from '@bailiwick/store';
import { bodyOf } from '../support/answers.ts';
import { createBot, createKey, grantBotInStore } from '../support/bots.ts';
import type { Stack } from '../support/harness.ts';
import { type signUp, tenantFor } from '../support/people.ts';
import { eventsOf, rowsOf } from '../support/store.ts';

export type Person = Awaited<ReturnType<typeof signUp>>;
export type App = {
  ID: string;
  Tenant: string;
  Name: string;
  Kind: string;
  Scopes: string[];
  RedirectURIs: string[];
  Jwks: string;
  SecretCreatedAt?: string;
  PreviousSecretUntil?: string;
  LogoPath: string;
  UpdatedAt: string;
};
export type AppWithSecret = { App: App; ClientSecret: string };

/** The set-up of a suite about apps. */
export type AppSuite = { stack: Stack; ada: Person; bob: Person };
export type AppCalls = ReturnType<typeof createAppCalls>;

export const callback = 'https://app.example.com/callback';

/** Calls that save and read apps, as `ada` by default. `suite` is called once it has started. */
export function createAppCalls(suite: () => AppSuite) {
  const call = (operation: string, body: object, token = suite().ada.token) =>
    suite().stack.call(operation, body, token);
  const newTenant = (owner = suite().ada) => tenantFor(suite().stack, owner.id);
  const web = (Tenant: string) => ({ Tenant, Kind: 'web', Name: 'Wiki', RedirectURIs: [callback] });
  const save = (App: object, rest: object = {}, token?: string) =>
    call('Apps_Save', { App, ...rest }, token);
  const saved = async (app: object, rest: object = {}, token?: string) =>
    bodyOf(await save(app, rest, token)) as unknown as AppWithSecret;
  const read = (Tenant: string, ID: string, token?: string) =>
    call('Apps_Get', { Tenant, ID }, token);
  const rotate = (Tenant: string, ID: string, rest: object = {}, token?: string) =>
    call('Apps_RotateSecret', { Tenant, ID, ...rest }, token);
  const appEvents = async (Tenant: string) =>
    (await eventsOf(suite().stack, 'sso', Tenant)).filter(({ type }) =>
      type.startsWith('oauth_app.'),
    );

  /** The statements of sso, on the store of the suite. */
  function database(): Database {
    const inSso = `${suite().stack.databaseUrl}?options=-c%20search_path%3Dsso`;
    const query = ((statement, values) =>
      rowsOf({ databaseUrl: inSso }, statement.text, values)) as Database['query'];
    const write: Database['write'] = (_call, statement, values) => query(statement, values);
    return { query, write } as Database;
  }
  /** The stored hashes of the present and the previous secret of a client. */
  async function hashesOf(clientId: string): Promise<Array<string | undefined>> {
    const app = await findApp(database(), clientId);
    assert.ok(app);
    return [app.secretHash, app.previousSecretHash].map((hash) =>
      hash ? Buffer.from(hash).toString('hex') : undefined,
    );
  }
  /** A key of a new bot with a role, narrowed to these permissions. */
  async function keyOf(Tenant: string, role: string, Permissions: string[] = []): Promise<string> {
    const { stack, ada } = suite();
    const bot = await createBot(stack, Tenant, ada.token);
    await grantBotInStore(stack, bot, role);
    return (await createKey(stack, bot, ada.token, { Permissions })).Secret;
  }
  return { newTenant, web, save, saved, read, rotate, appEvents, database, hashesOf, keyOf };
}

export const hashOf = (secret: string) => Buffer.from(tokenHash(secret)).toString('hex');
