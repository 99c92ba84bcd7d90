import assert from 'node:assert/strict';
import { glob, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import test from 'node:test';
import type { DescFile, DescMessage } from '@bufbuild/protobuf';
import { jsonPath, type Operation, platformFlag, type Rule, tenantField } from './operation.ts';
import { permissions } from './permissions.ts';
import { operationOf, operations, services } from './registry.ts';

const here = import.meta.dirname;
const proto = join(here, '../../proto');
const all = [...operations.values()];
const permissionNames: ReadonlySet<string> = new Set(permissions);

test('the registry contains every service of the proto files', async () => {
  const declared: string[] = [];
  for await (const path of glob('gen/bailiwick/**/*_pb.ts', { cwd: proto })) {
    const module: Record<string, unknown> = await import(join(proto, path));
    const files = Object.values(module).filter(
      (exported): exported is DescFile => (exported as DescFile | undefined)?.kind === 'file',
    );
    for (const file of files) declared.push(...file.services.map((service) => service.typeName));
  }
  assert.deepEqual(services.map((service) => service.typeName).sort(), declared.sort());
});

test('operation names are unique, and every rpc finds its operation', () => {
  const methods = services.flatMap((service) => service.methods);
  assert.equal(operations.size, methods.length);
  for (const method of methods) assert.equal(operationOf(method).method, method);
});

test('task operations have their documented names', () => {
  assert.equal(operations.get('Account_Task_SendEmailVerification')?.host, 'notifications');
  assert.equal(
    operations.get('TenantInvitations_Task_SendTenantInvitation')?.host,
    'notifications',
  );
  assert.equal(operations.get('AccountTasks_SendEmailVerification'), undefined);
});

test('every service, rpc, message and enum of the proto files has a comment', async () => {
  for await (const path of glob('bailiwick/**/*.proto', { cwd: proto })) {
    const lines = (await readFile(join(proto, path), 'utf8')).split('\n');
    lines.forEach((line, index) => {
      if (!/^\s*(service|rpc|message|enum) /.test(line)) return;
      // The messages of options.proto, caller.proto and internal.proto are not public.
      if (line.startsWith('message ') && /internal|options|caller/.test(path)) return;
      assert.match(lines[index - 1] ?? '', /^\s*\/\/ \S/, `${path}:${index + 1} ${line.trim()}`);
    });
  }
});

test('every permission in an option is in the permission table', () => {
  for (const { name, allow } of all) {
    for (const rule of allow) {
      if (rule.kind === 'tenant' || rule.kind === 'platform')
        assert.ok(permissionNames.has(rule.permission), `${name}: ${rule.permission}`);
    }
  }
});

test('a tenant rule requires a tenant permission, a platform rule a platform or internal one', () => {
  for (const { name, allow } of all) {
    for (const rule of allow) {
      if (rule.kind === 'tenant')
        assert.doesNotMatch(rule.permission, /^iam\.(platform|internal)\./, name);
      // A platform rule may also require a tenant permission: a grant of it on the platform applies in every tenant.
      if (rule.kind === 'platform')
        assert.match(rule.permission, /^iam\.(platform|internal|tokens)\./, name);
    }
  }
});

test('every field that an option names is a string field of the request', () => {
  for (const operation of all) {
    for (const path of fieldsNamed(operation))
      assertTextField(operation.method.input, path, operation.name);
  }
});

test('every operation that requires a credential declares who may call it', () => {
  for (const operation of all) {
    if (operation.credential === 'service')
      assert.notEqual(operation.callers.length, 0, operation.name);
    else if (operation.credential !== 'none')
      assert.notEqual(operation.allow.length, 0, operation.name);
    if (operation.public) assert.deepEqual(operation.callers, [], operation.name);
  }
});

test('every open operation has a rate class, and no other operation has one', () => {
  const classes = new Set([
    'register',
    'token',
    'mail',
    'login',
    'passkey',
    'sso_check',
    'sso_providers',
    'branding',
    'portal_open',
  ]);
  for (const { name, credential, rate } of all) {
    assert.equal(credential === 'none' ? classes.has(rate) : rate === '', true, name);
  }
});

test('changes are audited, reads and deliveries are not', () => {
  for (const { name, credential, audited, sideEffects, public: routed } of all) {
    if (routed) assert.equal(audited, sideEffects && credential !== 'worker', name);
  }
});

test('only the worker may call the task operations', () => {
  const worker = all.filter((operation) => operation.credential === 'worker');
  assert.equal(worker.length, 7);
  for (const { name, allow } of worker) {
    assert.deepEqual(
      allow,
      [{ kind: 'platform', permission: 'iam.internal.deliver', without: '', when: '' }],
      name,
    );
  }
});

test('an absent tenant has exactly one meaning: the tenant of the caller, the platform, the tenant of the stored record, or an error', () => {
  for (const operation of all) {
    const { name, defaultTenant, tenantOptional } = operation;
    const [field, flag] = [tenantField(operation), platformFlag(operation)];
    assert.ok(
      [defaultTenant !== '', tenantOptional, flag !== ''].filter(Boolean).length <= 1,
      name,
    );
    if (defaultTenant !== '') assert.equal(defaultTenant, field, name);
    if (tenantOptional) assert.notEqual(field, '', name);
    for (const rule of operation.allow) {
      if (rule.kind !== 'platform' || rule.without === '') continue;
      assert.equal(rule.without, field, name);
      assert.ok(tenantOptional, `${name} reads an empty ${field} as the platform`);
    }
    if (flag !== '')
      assert.equal(
        jsonPath(operation, flag),
        jsonPath(operation, field).replace('Tenant', 'Platform'),
        name,
      );
  }
  assert.deepEqual(
    all
      .filter(({ defaultTenant }) => defaultTenant !== '')
      .map(({ name }) => name)
      .toSorted(),
    ['Chat_CreateEndpoint', 'Webhooks_CreateEndpoint'],
  );
});

test('access to every operation matches operations.golden.json', async () => {
  const path = `${here}/operations.golden.json`;
  const lines = all.map(goldenLine).sort();
  if (process.env['UPDATE_GOLDEN'] === '1')
    await writeFile(path, `${JSON.stringify(lines, null, 2)}\n`);
  assert.deepEqual(
    lines,
    JSON.parse(await readFile(path, 'utf8')),
    'if the change is intended: UPDATE_GOLDEN=1',
  );
});

function goldenLine({
  name,
  credential,
  allow,
  callers,
  audited,
  limitedSession,
  accessToken,
  supportSession,
  fromReplica,
}: Operation): string {
  const rules = [...allow.map(ruleText), ...callers.map((caller) => `caller ${caller}`)];
  const limited = {
    refused: [],
    inItsTenant: ['a limited session in its tenant'],
    allowed: ['a limited session'],
  }[limitedSession];
  const token = {
    accountForSelf: [],
    accountForHandler: ['an access token with account for its handler rule'],
    account: ['an access token with account'],
    refused: ['no access token'],
  }[accessToken];
  const changes = audited ? 'audited' : '-';
  const support = supportSession ? ['a support session'] : [];
  const replica = fromReplica ? ['from a replica'] : [];
  const parts = [name, credential, rules.join('; ') || '-', changes];
  return [...parts, ...limited, ...token, ...support, ...replica].join(' | ');
}

function ruleText(rule: Rule): string {
  switch (rule.kind) {
    case 'self':
      return `self ${rule.field}`;
    case 'tenant':
      return `${rule.permission} in ${rule.field}`;
    case 'platform':
      return [
        rule.permission,
        rule.without && `without ${rule.without}`,
        rule.when && `when ${rule.when}`,
      ]
        .filter(Boolean)
        .join(' ');
    case 'handler':
      return `handler: ${rule.rule}`;
  }
}

function fieldsNamed({ allow, assigned, defaultTenant, linkCookie }: Operation): string[] {
  const inRules = allow.flatMap((rule) => {
    if (rule.kind === 'self') return rule.field === 'caller' ? [] : [rule.field];
    if (rule.kind === 'tenant') return [rule.field];
    return rule.kind === 'platform' ? [rule.without] : [];
  });
  return [...inRules, ...assigned, defaultTenant, linkCookie].filter((path) => path !== '');
}

function assertTextField(message: DescMessage, path: string, name: string): void {
  const [first, ...rest] = path.split('.');
  const field = message.fields.find((candidate) => candidate.name === first);
  assert.ok(field, `${name}: ${message.typeName} has no ${path}`);
  if (rest.length === 0)
    assert.ok(field.fieldKind === 'scalar' && field.jsonName !== field.name, `${name}: ${path}`);
  else assertTextField(field.message as DescMessage, rest.join('.'), name);
}
