import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { UsageError } from './failure.ts';
import { readRequest } from './fields.ts';
import { type Field, operations } from './gen/help.ts';

const fieldsOf = (operation: string) => operations[operation]?.fields ?? assert.fail(operation);
const field = (name: string, kind: Field['kind']): Field => ({
  path: name,
  kind,
  required: false,
  text: '',
});

test('flags form the request, each in the format of its kind', async () => {
  const values = {
    'Group.Tenant': 'tnt_1',
    'Group.Path': 'eng',
    'Group.Metadata': ['a=b', 'c=d=e'],
  };
  assert.deepEqual(await readRequest(fieldsOf('Groups_Save'), values, undefined), {
    Group: { Tenant: 'tnt_1', Path: 'eng', Metadata: { a: 'b', c: 'd=e' } },
  });
  const kinds = {
    'Endpoint.Active': 'false',
    'Endpoint.RateLimit': '5',
    'Endpoint.EventTypes': [''],
  };
  assert.deepEqual(await readRequest(fieldsOf('Webhooks_CreateEndpoint'), kinds, undefined), {
    Endpoint: { Active: false, RateLimit: 5, EventTypes: [] },
  });
  const checks = { Checks: ['{"Permission":"app.a"}', '{"Permission":"app.b"}'] };
  assert.deepEqual(await readRequest(fieldsOf('Access_Check'), checks, undefined), {
    Checks: [{ Permission: 'app.a' }, { Permission: 'app.b' }],
  });
});

test('an empty text empties a list of any kind', async () => {
  const values = { A: [''] };
  for (const [kind, none] of [
    ['texts', []],
    ['json', []],
    ['map', {}],
  ] as const)
    assert.deepEqual(await readRequest([field('A', kind)], values, undefined), { A: none });
});

test('flags override --data', async () => {
  const request = await readRequest(
    fieldsOf('Groups_Save'),
    { 'Group.Name': 'new' },
    '{"Group":{"Path":"eng","Name":"old"},"Other":1}',
  );
  assert.deepEqual(request, { Group: { Path: 'eng', Name: 'new' }, Other: 1 });
});

test('an invalid flag is a usage error', async () => {
  const wrong: Array<[Field, string | string[]]> = [
    [field('A', 'number'), 'x'],
    [field('A', 'flag'), 'yes'],
    [field('A', 'map'), ['x']],
    [field('A', 'json'), ['{']],
  ];
  for (const [one, value] of wrong)
    await assert.rejects(readRequest([one], { A: value }, undefined), UsageError);
  for (const json of ['[1]', '{', 'null'])
    await assert.rejects(readRequest([], {}, json), UsageError);
});

test('every field with the name of a secret is one, and so is the URL of a chat endpoint', () => {
  const all = Object.entries(operations).flatMap(([name, { fields }]) =>
    fields.map(({ path: at, kind }) => ({ name: `${name} ${at}`, kind })),
  );
  const called = all.filter(
    ({ name, kind }) =>
      /(Password|Token|Secret|PrivateKey|[ .]Current|[ .]Code)$/.test(name) && kind !== 'secret',
  );
  assert.deepEqual(called, []);
  const others = all.filter(
    ({ name, kind }) =>
      kind === 'secret' &&
      !/[ .](Challenge|Credential|Current|Passkey|Password|PrivateKey|Totp|[A-Za-z]*(Token|Secret|Code))$/.test(
        name,
      ),
  );
  assert.deepEqual(
    others.map(({ name }) => name),
    ['Chat_CreateEndpoint URL', 'Chat_UpdateEndpoint URL'],
  );
});

test('a secret on the command line is rejected, and not repeated in the error', async (t) => {
  await assert.rejects(
    readRequest(fieldsOf('Account_Login'), { Password: 'hunter22' }, undefined),
    (error) => error instanceof UsageError && !error.message.includes('hunter22'),
  );
  await assert.rejects(
    readRequest(
      fieldsOf('Chat_CreateEndpoint'),
      { URL: 'https://hooks.slack.com/services/T/B/X' },
      undefined,
    ),
    UsageError,
  );
  await assert.rejects(
    readRequest(fieldsOf('Account_Login'), {}, '{"Email":"ada@example.com","Password":"hunter22"}'),
    (error) =>
      error instanceof UsageError &&
      /--data contains a secret, Password/.test(error.message) &&
      !error.message.includes('hunter22'),
  );
  assert.deepEqual(
    await readRequest(fieldsOf('Chat_UpdateEndpoint'), {}, '{"Endpoint":null,"URL":""}'),
    { Endpoint: null, URL: '' },
  );
  await assert.rejects(
    readRequest([], {}, '{"Password":"hunter22"'),
    (error) => error instanceof UsageError && !error.message.includes('hunter22'),
  );
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-fields-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'password'), 'hunter22\n');
  writeFileSync(path.join(folder, 'request'), '{"Password":"hunter22"}');
  assert.deepEqual(await readRequest(fieldsOf('Account_Login'), {}, `@${folder}/request`), {
    Password: 'hunter22',
  });
  assert.deepEqual(
    await readRequest(fieldsOf('Account_Login'), { Password: `@${folder}/password` }, undefined),
    { Password: 'hunter22' },
  );
});
