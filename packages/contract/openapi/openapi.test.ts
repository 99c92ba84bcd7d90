import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { operations } from '../registry.ts';

type Node = { readonly [key: string]: unknown };

const text = await readFile(join(import.meta.dirname, '../../../gateway/openapi.json'), 'utf8');
const document = JSON.parse(text) as {
  readonly paths: Record<string, Record<string, Node>>;
  readonly components: {
    readonly schemas: Record<string, { readonly properties?: Record<string, Node> }>;
  };
};
const { schemas } = document.components;

test('every reference in openapi.json resolves, and every schema is used', () => {
  const used = new Set(
    Array.from(text.matchAll(/"\$ref": "#\/([^"]+)"/g), (match) => match[1] ?? ''),
  );
  for (const path of used) {
    const target = path
      .split('/')
      .reduce<unknown>((node, key) => (node as Node | undefined)?.[key], document);
    assert.ok(target, path);
  }
  for (const name of Object.keys(schemas)) assert.ok(used.has(`components/schemas/${name}`), name);
});

test('only open operations have no security, and every operation has a description', () => {
  for (const { name, credential, public: routed } of operations.values()) {
    const post = document.paths[`/${name}`]?.['post'];
    assert.equal(post !== undefined, routed, name);
    if (post === undefined) continue;
    assert.equal((post['security'] as unknown[]).length === 0, credential === 'none', name);
    assert.match(String(post['summary']), /^[A-Z].*[^.]$/, name);
    assert.match(String(post['description']), /requires|required|worker/i, name);
  }
});

test('server-managed fields are read-only, and no implementation type is visible', () => {
  for (const field of ['DekID', 'SecretEnc', 'CreatedAt', 'UpdatedAt']) {
    assert.equal(schemas['WebhookEndpoint']?.properties?.[field]?.['readOnly'], true, field);
  }
  assert.doesNotMatch(text, /StringList|StringMap|google\.protobuf|bailiwick\.[a-z]+\.v1/);
});

test('the schemas contain the limits of the validation rules', () => {
  assert.equal(schemas['WebhookEndpoint']?.properties?.['Name']?.['maxLength'], 128);
  assert.equal(schemas['Account_RegisterReq']?.properties?.['Password']?.['minLength'], 8);
  assert.equal(
    schemas['Groups_GetReq']?.properties?.['Tenant']?.['pattern'],
    '^tnt_[0-7][0-9a-hjkmnp-tv-z]{25}$',
  );
  assert.equal(schemas['PageReq']?.properties?.['Limit']?.['minimum'], 0);
});

test('request schemas reject unknown keys, response schemas allow them', () => {
  const reached = (name: string, names = new Set<string>()): Set<string> => {
    if (names.has(name)) return names;
    names.add(name);
    for (const [, inner = ''] of JSON.stringify(schemas[name] ?? assert.fail(name)).matchAll(
      /#\/components\/schemas\/(\w+)/g,
    ))
      reached(inner, names);
    return names;
  };
  const isClosed = (name: string) => (schemas[name] as Node)['additionalProperties'] === false;
  for (const name of Object.keys(schemas)) {
    if (name.endsWith('Req'))
      assert.deepEqual(
        [...reached(name)].filter((one) => !isClosed(one)),
        [],
      );
    if (name.endsWith('Res')) assert.deepEqual([...reached(name)].filter(isClosed), []);
  }
});
