import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, operations } from '@bailiwick/contract';
import { server_managed } from '@bailiwick/proto/gen/bailiwick/options/v1/options_pb.ts';
import { type DescMessage, getOption } from '@bufbuild/protobuf';
import { recordIn } from '../support/answers.ts';
import type { Stack, Topology } from '../support/harness.ts';
import { sharedStack } from '../support/shared.ts';
import type { Fields, UpdateCase } from './update-case.ts';
import { casesOf } from './update-cases.ts';

// In every operation, an update or save replaces the sent fields and keeps the absent ones. The
// operations and their fields come from the registry.

/** The fields that select a record. Only these fields are required on update. */
const selecting = ['ID', 'Tenant', 'Path', 'Slug'];
/** The interface has two operations whose updates require more. */
const documented: Readonly<Record<string, readonly string[]>> = {
  Webhooks_UpdateEndpoint: ['Name', 'URL'],
  Chat_UpdateEndpoint: ['Name'],
};

const updating = [...operations.values()].filter(
  ({ name, public: routed }) => routed && /_(Update|Save)[A-Za-z]*$/.test(name),
);

/** The record in the request of an operation; the request itself if it has none. */
function recordOf({ method }: Operation, key: string): DescMessage {
  if (key === '') return method.input;
  const message = method.input.fields.find(({ jsonName }) => jsonName === key)?.message;
  assert.ok(message, `${method.input.name}.${key}`);
  return message;
}

/** The suite over one way of calls between services. */
export function testUpdates(topology: Topology): void {
  describe(`updates (${topology})`, () => {
    let stack: Stack;
    let cases: UpdateCase[];
    before(async () => {
      stack = await sharedStack(topology);
      cases = await casesOf(stack);
    });
    after(() => stack?.stop());

    const pick = (record: Fields, names: Fields): Fields =>
      Object.fromEntries(Object.keys(names).map((name) => [name, record[name]]));
    const without = (record: Fields, names: readonly string[] = []): Fields =>
      Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
    const save = async ({ operation, key, token }: UpdateCase, fields: Fields) => {
      const request = key === '' ? fields : { [key]: fields };
      const { status, body } = await stack.call(operation, request, token);
      assert.equal(status, 200, `${operation} ${JSON.stringify(fields)}: ${JSON.stringify(body)}`);
    };

    // In one topology, since the rules do not depend on the calls between the services.
    const once = { skip: topology !== 'one process' };
    test('an update that sends one field keeps all others', once, async () => {
      for (const testCase of cases) {
        const { operation, needed, filled, read } = testCase;
        let expected = await read();
        for (const [name, value] of Object.entries(filled)) {
          assert.notDeepEqual(expected[name], value, `${operation}: ${name} would not change`);
          await save(testCase, { ...needed, [name]: value });
          const stored = await read();
          expected = { ...expected, [name]: value };
          assert.deepEqual(pick(stored, filled), pick(expected, filled), `${operation}: ${name}`);
        }
      }
    });

    test('an update keeps absent and null fields, and clears empty ones', async () => {
      for (const testCase of cases) {
        const { operation, needed, filled, cleared, read } = testCase;
        await save(testCase, { ...needed, ...filled });
        assert.deepEqual(pick(await read(), filled), filled, `${operation}: sent`);
        const before = await read();
        await save(testCase, needed);
        assert.deepEqual(await read(), before, `${operation}: absent`);
        await save(testCase, {
          ...Object.fromEntries(Object.keys(filled).map((name) => [name, null])),
          ...needed,
        });
        assert.deepEqual(await read(), before, `${operation}: null`);
        for (const [name, empty] of Object.entries(cleared)) {
          await save(testCase, { ...needed, [name]: empty });
          assert.deepEqual(
            pick(await read(), filled),
            { ...pick(before, filled), [name]: empty },
            `${operation}: ${name} cleared`,
          );
          await save(testCase, { ...needed, [name]: filled[name] });
        }
        await save(testCase, without(await read(), testCase.readOnly));
        assert.deepEqual(
          pick(await read(), filled),
          filled,
          `${operation}: sent back as it was read`,
        );
      }
    });

    test('an update refuses to clear a name', async () => {
      for (const { operation, key, needed, token, filled } of cases) {
        if (key === '' || !('Name' in filled) || operation.match(/^(Groups|Roles|Users|Account)_/))
          continue;
        const { status, body } = await stack.call(
          operation,
          { [key]: { ...needed, Name: '' } },
          token,
        );
        assert.equal(status, 400, operation);
        assert.match(body.Messages?.[0] ?? '', /name (is required|must not be empty)$/i, operation);
      }
    });

    test('every operation that updates or saves is in the table, with all its fields', () => {
      const named = new Set(cases.map(({ operation }) => operation));
      assert.deepEqual([...named].sort(), updating.map(({ name }) => name).sort());
      for (const operation of updating) {
        const own = cases.filter((testCase) => testCase.operation === operation.name);
        for (const { needed } of own)
          assert.deepEqual(
            Object.keys(needed).filter(
              (name) => ![...selecting, ...(documented[operation.name] ?? [])].includes(name),
            ),
            [],
            `${operation.name} requires more than what selects the record`,
          );
        const covered = own.flatMap(({ needed, filled, elsewhere }) => [
          ...Object.keys(needed),
          ...Object.keys(filled),
          ...(elsewhere ?? []),
        ]);
        const fields = recordOf(operation, own[0]?.key ?? '')
          .fields.filter((field) => !getOption(field, server_managed))
          .map(({ jsonName }) => jsonName);
        assert.deepEqual(
          fields.filter((name) => !covered.includes(name)),
          [],
          operation.name,
        );
      }
    });

    test('each of a tenant’s settings is kept or replaced on its own', async () => {
      const { read, token } =
        cases.find(({ operation }) => operation === 'Tenants_Update') ?? assert.fail();
      const { ID, Settings } = (await read()) as { ID: string; Settings: Fields };
      assert.deepEqual(
        [Settings['MaxBotKeyDays'], Settings['InviteDomains'], Settings['DefaultRole']],
        [30, ['a.example'], 'member'],
      );
      const update = async (settings: Fields | null) => {
        const tenant = recordIn(
          await stack.call('Tenants_Update', { Tenant: { ID, Settings: settings } }, token),
          'Tenant',
        );
        return (tenant as { Settings: Fields }).Settings;
      };
      for (const same of [
        null,
        {},
        Object.fromEntries(Object.keys(Settings).map((name) => [name, null])),
      ])
        assert.deepEqual(await update(same), Settings);
      assert.deepEqual(await update({ InviteDomains: [], DefaultRole: '' }), {
        ...Settings,
        InviteDomains: [],
        DefaultRole: '',
      });
    });
  });
}
