import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { finishUpgrades } from '@bailiwick/deploy/admin.ts';
import { migrateAll } from '@bailiwick/deploy/migrate.ts';
import { notificationsSchema } from '@bailiwick/notifications/schema.ts';
import { sealedUrlsVersion } from '@bailiwick/notifications/webhooks/url.ts';
import { createLog } from '@bailiwick/process';
import { assertSchemaWindow, openDatabase } from '@bailiwick/store';
import { Client } from 'pg';
import { bodyOf, recordIn } from '../support/answers.ts';
import { describeOne, eventually, type Stack, startStack } from '../support/harness.ts';
import { createTenant, signUp } from '../support/people.ts';
import { rowsOf } from '../support/store.ts';
import { deliver, makeEndpoint, newestAt, type Owner } from './endpoints.ts';

const log = createLog('test', () => {});

type Row = { url: string; isSealed: boolean; shown: string };

describeOne('URLs of webhook endpoints at rest', 'one process', (topology) => {
  let stack: Stack;
  let owner: Owner;
  before(async () => {
    stack = await startStack(topology);
    const { token } = await signUp(stack);
    owner = { stack, token, tenant: await createTenant(stack, token) };
  });
  after(() => stack?.stop());

  const urlOf = (hook: string, key: string) => `${stack.inboxUrl}/hooks/${hook}?key=${key}`;
  const make = async (hook: string, key: string) =>
    (await makeEndpoint(owner, hook, { URL: urlOf(hook, key) })).id;
  const stored = async (id: string): Promise<Row> => {
    const text = `select url, url_enc is not null as "isSealed", url_masked as shown from notifications.webhook_endpoint where id = $1`;
    return (await rowsOf<Row>(stack, text, [id]))[0] ?? assert.fail(id);
  };
  const sealed = (hook: string): Row => ({
    url: '',
    isSealed: true,
    shown: `${stack.inboxUrl}/hooks/${hook}?…`,
  });
  const read = async (ID: string) => {
    const request = { Tenant: owner.tenant, ID };
    const answer = await stack.call('Webhooks_GetEndpoint', request, owner.token);
    return (recordIn(answer, 'Endpoint') as { URL: string }).URL;
  };
  const update = (ID: string, URL: string) =>
    stack.call('Webhooks_UpdateEndpoint', { Endpoint: { ID, Name: 'changed', URL } }, owner.token);

  test('a new installation stores them sealed only, delivers to them and returns them whole', async () => {
    const id = await make('new', 'first-secret');
    assert.deepEqual(await stored(id), sealed('new'));
    assert.equal(await read(id), urlOf('new', 'first-secret'));
    assert.equal((await deliver(owner, id, '{}')).Status, 'delivered');
    await newestAt(stack, 'new');
    bodyOf(await update(id, urlOf('moved', 'second-secret')));
    assert.deepEqual(await stored(id), sealed('moved'));
    assert.equal((await deliver(owner, id, '{}')).Status, 'delivered');
    await newestAt(stack, 'moved');
  });

  test('an endpoint whose URL cannot be opened is listed without it, and takes another', async () => {
    const id = await make('lost', 'lost-secret');
    const broken = "update notifications.webhook_endpoint set url_enc = '\\x01' where id = $1";
    await rowsOf(stack, broken, [id]);
    assert.equal(await read(id), '');
    bodyOf(await update(id, urlOf('found', 'found-secret')));
    assert.equal(await read(id), urlOf('found', 'found-secret'));
    assert.equal((await deliver(owner, id, '{}')).Status, 'delivered');
  });

  test('an upgraded installation keeps them in clear for the previous version, until the upgrade is finished', async () => {
    const environment = { DATABASE_URL: stack.databaseUrl };
    const early = await make('early', 'early-secret');
    await rowsOf(
      stack,
      'update notifications.schema_window set version = $1, compatible_from = 1',
      [sealedUrlsVersion - 1],
    );
    await migrateAll(environment, log);
    await assertPreviousVersion(true);
    const late = await make('late', 'late-secret');
    assert.deepEqual(await stored(late), {
      url: urlOf('late', 'late-secret'),
      isSealed: false,
      shown: '',
    });
    // The previous version changes the URL that it knows.
    await rowsOf(stack, 'update notifications.webhook_endpoint set url = $1 where id = $2', [
      urlOf('by-previous', 'previous-secret'),
      early,
    ]);
    assert.equal(await read(early), urlOf('by-previous', 'previous-secret'));
    assert.equal((await deliver(owner, early, '{}')).Status, 'delivered');
    await newestAt(stack, 'by-previous');

    // A process of the previous version names no version, and would take an empty URL for the real one.
    const previous = new Client({
      connectionString: stack.databaseUrl,
      application_name: 'bailiwick-notifications',
    });
    await previous.connect();
    await assert.rejects(
      finishUpgrades(environment),
      /connections of notifications belong to a process of an older version/,
    );
    await previous.end();
    await eventually('the end of the connection', () =>
      finishUpgrades(environment).then(
        () => true,
        () => false,
      ),
    );
    await migrateAll(environment, log);
    await assertPreviousVersion(false);
    await eventually('the seals', async () => (await stored(late)).url === '', 40_000);
    assert.deepEqual(await stored(late), sealed('late'));
    assert.deepEqual(await stored(early), sealed('by-previous'));
    assert.equal(await read(early), urlOf('by-previous', 'previous-secret'));
    assert.equal(await read(late), urlOf('late', 'late-secret'));
    assert.equal((await deliver(owner, late, '{}')).Status, 'delivered');
    await newestAt(stack, 'late');
  });

  /** Whether the version before sealed URLs starts on the schema. */
  async function assertPreviousVersion(starts: boolean): Promise<void> {
    const { service, entities, migrations } = notificationsSchema;
    const baseline = { ...notificationsSchema.baseline, version: sealedUrlsVersion - 1 };
    const database = openDatabase({
      service,
      url: stack.databaseUrl,
      entities,
      poolSize: 1,
      log,
    });
    const started = assertSchemaWindow(database, {
      ...notificationsSchema,
      baseline,
      migrations: migrations.slice(0, 1),
    });
    try {
      if (starts) await started;
      else await assert.rejects(started, /needs code of version 14 or newer, this is 11$/);
    } finally {
      await database.close();
    }
  }
});
