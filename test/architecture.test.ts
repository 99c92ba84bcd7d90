import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { schemas } from '@bailiwick/deploy/migrate.ts';
import { codeOf, tokensOf } from './support/source.ts';
import { bindsTenant, mentionsTenant, statementsOf, tablesIn } from './support/statements.ts';

// Architecture rules that neither the compiler nor the linter checks.

const root = path.resolve(import.meta.dirname, '..');
const folders = ['proto', 'packages', 'services', 'gateway', 'deploy', 'test'];
const packages = [
  'proto',
  ...globSync('packages/*', { cwd: root }),
  ...schemas.map(({ service }) => `services/${service}`),
  'gateway',
  'deploy',
  'test',
];

const files = globSync(
  folders.map((folder) => `${folder}/**/*.{ts,mjs,js}`),
  { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name) },
)
  .filter((file) => !/^(proto|packages\/(client|cli))\/gen\//.test(file))
  .sort();
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const product = files.filter(
  (file) =>
    /^(packages|services|gateway)\//.test(file) &&
    !/^packages\/(client|cli)\//.test(file) &&
    !file.endsWith('.test.ts'),
);
const queryFiles = product.filter((file) => path.basename(file) === 'queries.ts');

test('the rules cover the whole product', () => {
  for (const folder of packages)
    assert.ok(
      files.some((file) => file.startsWith(`${folder}/`)),
      folder,
    );
  for (const file of [
    'services/access/groups/queries.ts',
    'gateway/gateway.ts',
    'deploy/local/bootstrap.mjs',
  ])
    assert.ok(files.includes(file), file);
});

const sql = /\bexecute(<[^()]*>)?\(|\.query(<[^()]*>)?\(|createQueryBuilder|getKysely|\.raw\(/;

test('only queries.ts files and packages run SQL', () => {
  const running = product.filter(
    (file) => !file.startsWith('packages/') && sql.test(codeOf(read(file))),
  );
  assert.ok(running.some((file) => queryFiles.includes(file)));
  assert.deepEqual(
    running.filter((file) => !queryFiles.includes(file)),
    [],
  );
});

/** Statements without a tenant parameter, and the reason. */
const acrossTenants: Record<string, string> = {
  'access.traces_of_subject': 'finds the records of a deleted user or bot in all tenants',
  'access.lock_owned_tenants': 'a user can be deleted only if every tenant keeps an owner',
  'access.tenants_of_user': "lists the user's own tenants",
  'access.audit_due': 'deletes expired entries of all tenants, each by the retention of its tenant',
  'access.roles_everywhere': "lists the user's own roles in each tenant",
  'access.invitation_of_token': 'finds the tenant of an invitation from its token',
  'access.invitations_of_address': 'lists the invitations of one address',
  'services/access/audit/queries.ts:findStored': 'each entry names the tenant of its row',
  'services/access/deletion/queries.ts:deleteOrphanedOffers':
    'deletes the offers of deleted tenants',
  'services/access/audit/queries.ts:moveHeads': 'each changed row names its tenant',
  'keys.rotation_due': 'rotates the data keys of all tenants in order',
  'keys.superseded': 'reseals the records of superseded data keys of all tenants in order',
  'packages/keys/queries.ts:takeWrappedByOthers': 'rewraps the data keys of all tenants in order',
  'identity.live_session': 'the session names the tenant of the link that opened it',
  'identity.list_sessions': 'the session names the tenant of the link that opened it',
  'services/identity/sessions/queries.ts:findLimit':
    'the session names the tenant of the link that opens it',
  'services/identity/federation/queries.ts:findOpening':
    'the session names the tenant of the link that opened it',
  'identity.live_bot_key': 'finds the bot and its tenant from the secret of a key',
  'services/identity/federation/queries.ts:hasIdentityElsewhere':
    'the trust of a link depends on identities of the user in other tenants',
  'services/identity/federation/queries.ts:removeIdentity':
    "a user's own identity; returns the tenant of its provider",
  'notifications.delivery_targets': 'each task names the tenant of its endpoint',
  'notifications.park': 'the task names the tenant of its row',
  'notifications.settle_done': 'each task names the tenant of its row',
  'sso.claim_checks': 'the daily check covers all tenants',
  'sso.password_policy': 'finds the password policy of a domain before the user is known',
  'sso.provider_of_domain': 'finds the provider of a domain before the user is known',
};

/** Statements without a tenant in their conditions, and the reason. */
const withoutTenant: Record<string, string> = {
  'sso.sweep_flows': 'the sweeper covers all tenants',
  'sso.sweep_assertions': 'the sweeper covers all tenants',
  'sso.sweep_handled_joins': 'the sweeper covers all tenants',
  'services/identity/bot-keys/queries.ts:takeDue': 'announces the expiry of keys of all tenants',
  'access.unfinished_removals': 'finds records of deleted users and bots in all tenants',
  'identity.identities_of_user': "lists the user's own identities",
  'services/identity/federation/queries.ts:lockLink':
    "a user's own link; returns the tenant of its provider",
  'services/identity/federation/queries.ts:carryMark':
    "updates the password mark of all the user's links",
  'services/identity/federation/queries.ts:removeIdentities':
    'deletes the identities of a deleted user in all tenants',
  'identity.bots_anywhere':
    'the platform grants roles to bots of any tenant, and access checks that they exist',
  'notifications.webhook_endpoint_tenant':
    'returns the tenant of an endpoint for an update without one; the caller is authorized in it',
  'notifications.chat_endpoint_tenant':
    'returns the tenant of an endpoint for an update without one; the caller is authorized in it',
  'access.checkpoints_signed_by_others':
    're-signs the checkpoints of all tenants with a new first key of the key ring',
  'access.overdue_invitations': 'the sweeper covers all tenants',
  'notifications.attempts_done': 'the worker holds the task, whose id is unique',
  'notifications.defer': 'the worker holds the task',
  'notifications.releasing': 'the queue releases tasks of all tenants, each in its own tenant',
  'notifications.ailing': 'announces failing endpoints of all tenants, each in its own tenant',
  'notifications.open_breakers': 'counts the queue of all tenants and returns no tenant data',
  'notifications.erase_previous_secrets': 'the sweeper covers all tenants',
  'notifications.forget_published': 'the sweeper covers all tenants',
  'notifications.overdue': 'counts the queue of all tenants and returns no tenant data',
  'notifications.dead_letters': 'counts the queue of all tenants and returns no tenant data',
  'packages/keys/queries.ts:requestRotation': 'the platform rotates the data keys of all tenants',
  'keys.count_by_kek': 'counts the data keys of all tenants by their key-encryption key',
  'keys.remaining': 'counts the data keys of all tenants',
  'sso.owner_of_domain': 'finds the tenant that gets the events of a domain',
  'sso.gate_of_domain': 'finds the tenant of the domain of an address before the tenant is known',
  'sso.overdue_domains': 'the sweeper covers all tenants',
  'services/notifications/queue/due/queries.ts:takeDue': 'the relay covers all tenants',
  'services/notifications/queue/due/queries.ts:markQueued': 'the relay holds the task',
  'services/notifications/queue/due/queries.ts:requeue': 'the relay covers all tenants',
  'services/notifications/queue/due/queries.ts:postpone': 'the relay holds the task',
  'services/notifications/queue/due/queries.ts:deleteOld': 'the sweeper covers all tenants',
  'services/notifications/messages/queries.ts:deleteForgotten': 'the sweeper covers all tenants',
  'services/notifications/messages/queries.ts:deleteExpiredMessages':
    'the sweeper covers all tenants',
};

const scopedTables = new Set(
  schemas.flatMap(({ entities }) =>
    entities.filter(({ meta }) => 'tenant' in meta.properties).map(({ meta }) => meta.tableName),
  ),
);
const scopedStatements = queryFiles
  .flatMap((file) => statementsOf(file, read(file)))
  .map((statement) => ({ ...statement, tables: tablesIn(statement.text, scopedTables) }))
  .filter(({ tables }) => tables.length > 0);
const namesOf = (statements: ReadonlyArray<{ name: string }>) =>
  [...new Set(statements.map(({ name }) => name))].sort();

test('every statement on tenant-scoped tables has a condition on the tenant of each table', () => {
  for (const table of [
    'group_entry',
    'grant_entry',
    'audit_entry',
    'webhook_endpoint',
    'chat_endpoint',
    'dek',
    'provider',
  ])
    assert.ok(scopedTables.has(table), table);
  assert.ok(scopedStatements.length > 20);
  const lacking = scopedStatements.filter(({ text, tables }) =>
    tables.some(({ alias }) => !mentionsTenant(text, alias)),
  );
  assert.deepEqual(namesOf(lacking), Object.keys(withoutTenant).sort());
  // The parser would miss tables that are joined by a comma.
  assert.deepEqual(
    namesOf(scopedStatements.filter(({ text }) => /\bfrom\s+\w+(\s+\w+)?\s*,/i.test(text))),
    [],
  );
});

test('every statement on tenant-scoped tables has a tenant parameter or is listed as an exception', () => {
  const unbound = scopedStatements.filter(
    ({ name, text }) => !bindsTenant(text) && !(name in withoutTenant),
  );
  assert.deepEqual(namesOf(unbound), Object.keys(acrossTenants).sort());
});

test('statements bind values to numbered parameters only, against SQL injection', () => {
  const statements = queryFiles.flatMap((file) => statementsOf(file, read(file)));
  assert.ok(statements.length > scopedStatements.length);
  const withoutTexts = (text: string) => text.replace(/'[^']*'/g, "''");
  assert.deepEqual(
    namesOf(
      statements.filter(({ text }) => withoutTexts(text).includes('?') || text.includes('${')),
    ),
    [],
  );
});

test('the rules find a statement without its tenant', () => {
  const tables = new Set(['group_entry', 'group_member']);
  const isScoped = (text: string) => {
    const [statement] = statementsOf(
      'x',
      `const columns = 'e.id';\nconst one: Statement = { name: 'x.one', text: \`${text}\` };`,
    );
    assert.equal(statement?.name, 'x.one');
    const found = tablesIn(statement.text, tables);
    return (
      found.length > 0 &&
      bindsTenant(statement.text) &&
      found.every(({ alias }) => mentionsTenant(statement.text, alias))
    );
  };
  assert.ok(isScoped('select ${columns} from group_entry e where e.tenant = $1 and e.id = $2'));
  assert.ok(
    isScoped(
      'select e.id from group_member m join group_entry e on e.tenant = m.tenant and e.id = m.group_id where m.tenant = $1',
    ),
  );
  assert.ok(isScoped('update group_entry set name = $2 where tenant = $1'));
  for (const text of [
    'select ${columns} from group_entry e where e.id = $1',
    'select e.tenant from group_entry e where e.id = $1',
    'select e.id from group_member m join group_entry e on e.id = m.group_id where m.tenant = $1',
    'select e.id from group_member m join group_entry e on e.tenant = m.tenant and e.id = m.group_id where m.user_id = $1',
    'delete from group_entry where id = $1',
    'update group_entry set tenant = $1',
  ])
    assert.ok(!isScoped(text), text);
});

test('relative imports stay in their package', () => {
  // The command-line tool is compiled together with the client.
  const packageOf = (file: string) =>
    packages.find((folder) => file.startsWith(`${folder}/`))?.replace(/cli$/, 'client');
  const crossing: string[] = [];
  let seen = 0;
  for (const file of files) {
    for (const target of importsOf(file).filter((name) => name.startsWith('.'))) {
      seen++;
      const at = path.join(path.dirname(file), target);
      if (packageOf(at) !== packageOf(file) || packageOf(file) === undefined)
        crossing.push(`${file} imports ${target}`);
    }
  }
  assert.ok(seen > 100);
  assert.deepEqual(crossing, []);
});

/** The modules that a file imports or re-exports. */
function importsOf(file: string): string[] {
  const tokens = tokensOf(read(file));
  return tokens
    .filter(
      ({ kind }, index) =>
        kind === 'text' && /\b(from|import)\s*\(?\s*$/.test(tokens[index - 1]?.text ?? ''),
    )
    .map(({ text }) => text.slice(1, -1));
}

/** Files that open connections, besides the database, broker, mail and telemetry clients. */
const dials: Record<string, string> = {
  'packages/egress/pools.ts': 'to receivers, after the guard',
  'packages/egress/proxy.ts': 'to the egress proxy',
  'packages/keys/vault-calls.ts': 'to the key service of the operator',
  'packages/rpc/probe.ts': 'between the services',
  'packages/rpc/rpc.ts': 'between the services',
  'packages/rpc/tls.ts': 'between the services',
};

test('only packages/egress connects to addresses that tenants choose', () => {
  const imported =
    /^import (?!type )([^;]+?) from '(?:undici|node:(?:https?|http2|net|tls|dgram))';$/gm;
  const dialling =
    /\b(Pool|buildConnector|request|get|connect|createConnection|Socket)\b|^\w+$|^\*/;
  const makesConnections = (file: string) => {
    const names = [...read(file).matchAll(imported)].map(([, list = '']) =>
      list.replace(/\btype \w+/g, ''),
    );
    // The broker's consumer has a method named fetch.
    return (
      names.some((list) => dialling.test(list)) || /(?<![.\w])fetch\(/.test(codeOf(read(file)))
    );
  };
  // Pages run in the browser.
  const found = product.filter(
    (file) => !file.startsWith('gateway/pages/') && makesConnections(file),
  );
  assert.deepEqual(found, Object.keys(dials).sort());
});

test('there are no barrel files: no index file and no export *', () => {
  assert.deepEqual(
    files.filter((file) => /(^|\/)index\.(ts|mjs|js)$/.test(file)),
    [],
  );
  assert.deepEqual(
    files.filter((file) => /\bexport\s*\*/.test(codeOf(read(file)))),
    [],
  );
});

test('the code uses only APIs that Node and Deno share, and only erasable TypeScript', () => {
  const offending = (pattern: RegExp) => files.filter((file) => pattern.test(codeOf(read(file))));
  assert.deepEqual(offending(/\bDeno\s*[.[]/), []);
  assert.deepEqual(offending(/(^|[^\w.$])(declare\s+|const\s+)?enum\s+[A-Za-z_$]/m), []);
  assert.deepEqual(offending(/(^|[\s(])@[A-Za-z_$]/m), []);
  assert.deepEqual(
    offending(
      /\bnamespace\s+[A-Za-z_$]+\s*\{|constructor\s*\(\s*(public|private|protected|readonly)\b/,
    ),
    [],
  );
});

test('the scanner separates code from strings, comments and regular expressions', () => {
  const source = [
    '/* enum A */ const a = /["`@Deno.]/; // enum B',
    "const b = `x ${`enum C ${'}'}`} @d`;",
    "const c = 'it\\'s enum D';",
    'const d = 4 / 2; const e = d / 2;',
    'enum Real {}',
  ].join('\n');
  const code = codeOf(source);
  assert.deepEqual(code.match(/enum \w+/g), ['enum Real']);
  assert.ok(code.includes('4 / 2; const e = d / 2'));
  assert.doesNotMatch(code, /@|Deno/);
  assert.equal(
    tokensOf(source)
      .map(({ text }) => text)
      .join(''),
    source,
  );
});
