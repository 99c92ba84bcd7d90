import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { schemas } from '@bailiwick/deploy/migrate.ts';
import { codeOf, tokensOf } from './source.ts';
import { bindsTenant, mentionsTenant, statementsOf, tablesIn } from './statements.ts';

// Rules of the architecture that neither the compiler nor the linter knows.

const root = path.resolve(import.meta.dirname, '..');
const folders = ['proto', 'services', 'gateway', 'deploy', 'test'];
// The command-line tool carries the client in it: they are one.
const packages = [
  'proto/client',
  'proto',
  'services/shared',
  ...schemas.map(({ service }) => `services/${service}`),
  'gateway',
  'deploy',
  'test',
];

const files = globSync(
  folders.map((folder) => `${folder}/**/*.{ts,mjs,js}`),
  { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name) },
)
  .filter((file) => !/^proto\/(client\/(cli\/)?)?gen\//.test(file))
  .sort();
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const product = files.filter(
  (file) => /^(services|gateway)\//.test(file) && !file.endsWith('.test.ts'),
);
const queryFiles = product.filter((file) => path.basename(file) === 'queries.ts');

test('the rules see the whole product', () => {
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

test('SQL is run by queries.ts files and services/shared alone', () => {
  const running = product.filter(
    (file) => !file.startsWith('services/shared/') && sql.test(codeOf(read(file))),
  );
  assert.ok(running.some((file) => queryFiles.includes(file)));
  assert.deepEqual(
    running.filter((file) => !queryFiles.includes(file)),
    [],
  );
});

/** Statements that no tenant is given to, and why that is right. */
const acrossTenants: Record<string, string> = {
  'access.traces_of_subject': 'what belongs to a deleted user or bot is looked for in all tenants',
  'access.lock_owned_tenants':
    'a person is only deleted where no tenant of theirs is left without an owner',
  'access.tenants_of_user': "a person's own tenants",
  'access.audit_due':
    'old entries of all tenants are dropped, each by the days that its own tenant keeps them',
  'access.roles_everywhere': "a person's own roles, tenant by tenant",
  'access.invitation_of_token':
    'the holder of a token names no tenant: this finds the tenant of the invitation',
  'access.invitations_of_address': "an address's own invitations",
  'services/access/audit/queries.ts:findStored':
    'each row is looked up in the tenant that its entry names',
  'services/access/tenants/queries.ts:deleteOrphanedOffers':
    'deletes the offers of tenants that are gone',
  'services/access/audit/queries.ts:moveHeads': 'each row is changed in the tenant that it names',
  'keys.rotation_due': 'the data keys of all tenants are replaced, in order',
  'keys.superseded': 'what superseded data keys of all tenants sealed is sealed anew, in order',
  'services/shared/keys/queries.ts:takeWrappedByOthers':
    'the data keys of all tenants are wrapped anew, in order',
  'identity.live_session': 'the link that opened the session, in the tenant that the session names',
  'identity.list_sessions':
    'the link that opened the session, in the tenant that the session names',
  'services/identity/sessions/queries.ts:findLimit':
    'the link that opens a session, in the tenant that the session names',
  'services/identity/sessions/queries.ts:findOpening':
    'the link that opened the session, in the tenant that the session names',
  'identity.live_bot_key': 'whose key it is says the secret, and in which tenant',
  'services/identity/federation/queries.ts:hasIdentityElsewhere':
    'what knows a user outside a tenant decides how far a link to the account goes',
  'services/identity/federation/queries.ts:removeIdentity':
    "a user's own identity, in whichever tenant its provider is: the answer says in which",
  'notifications.delivery_targets': 'each endpoint is looked up in the tenant that its task names',
  'notifications.park': 'the row is of the tenant that its task names',
  'notifications.settle_done': 'each row is of the tenant that its task names',
  'sso.claim_checks': 'the daily check works for all tenants',
  'sso.password_policy': 'whether a domain takes passwords is asked before anybody is known',
  'sso.provider_of_domain': 'where people of a domain sign in is asked before anybody is known',
};

/** Statements that leave the tenant out altogether, and why that is right. */
const withoutTenant: Record<string, string> = {
  'sso.sweep_flows': 'the sweeper works for all tenants',
  'sso.sweep_assertions': 'the sweeper works for all tenants',
  'sso.sweep_handled_joins': 'the sweeper works for all tenants',
  'services/identity/bot-keys/queries.ts:takeDue':
    'the sweep announces the expiry of keys of all tenants',
  'access.unfinished_removals':
    'what is left of deleted users and bots is looked for in all tenants',
  'identity.identities_of_user': "a user's own identities",
  'services/identity/federation/queries.ts:lockLink':
    "a user's own link, in whichever tenant its provider is: the answer says in which",
  'services/identity/federation/queries.ts:carryMark':
    "all of a user's links recognise the password",
  'services/identity/federation/queries.ts:removeIdentities':
    'a deleted user has no identity left in any tenant',
  'identity.bots_anywhere':
    'the platform grants to bots of whatever tenant: access asks which of them there are',
  'notifications.webhook_endpoint_tenant':
    'an update may name an endpoint and no tenant: this answers the tenant, in which the caller is then measured',
  'notifications.chat_endpoint_tenant':
    'an update may name an endpoint and no tenant: this answers the tenant, in which the caller is then measured',
  'access.checkpoints_signed_by_others':
    'the checkpoints of all tenants are signed anew when the key ring has another first key',
  'access.overdue_invitations': 'the sweeper works for all tenants',
  'notifications.attempts_done': 'the worker has the task, whose id is unique',
  'notifications.defer': 'the worker has the task',
  'notifications.releasing': 'the queue lets tasks of all tenants go, each in its own tenant',
  'notifications.ailing': 'failing endpoints of all tenants are told of, each in its own tenant',
  'notifications.open_breakers': 'the queue is measured for all tenants, and tells of none',
  'notifications.erase_previous_secrets': 'the sweeper works for all tenants',
  'notifications.forget_published': 'the sweeper works for all tenants',
  'notifications.overdue': 'the queue is measured for all tenants, and tells of none',
  'notifications.dead_letters': 'the queue is measured for all tenants, and tells of none',
  'services/shared/keys/queries.ts:requestRotation':
    'the platform replaces the data keys of all tenants',
  'keys.count_by_kek': 'data keys of all tenants are counted, and told of by what wraps them',
  'keys.remaining': 'data keys of all tenants are counted',
  'sso.owner_of_domain': 'whose a domain is decides which tenant is told',
  'sso.gate_of_domain':
    'a person knows no tenant: this answers whose the domain of their address is',
  'sso.overdue_domains': 'the sweeper works for all tenants',
  'services/notifications/queue/queries.ts:takeDue': 'the relay works for all tenants',
  'services/notifications/queue/queries.ts:markQueued': 'the relay has the task',
  'services/notifications/queue/queries.ts:requeue': 'the relay works for all tenants',
  'services/notifications/queue/queries.ts:postpone': 'the relay has the task',
  'services/notifications/queue/queries.ts:deleteOld': 'the sweeper works for all tenants',
  'services/notifications/messages/queries.ts:deleteForgotten': 'the sweeper works for all tenants',
  'services/notifications/messages/queries.ts:deleteExpiredMessages':
    'the sweeper works for all tenants',
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

test('every statement on tenant-scoped tables has the tenant of each of them in its conditions', () => {
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
  // Tables that are joined by a comma would not all be seen.
  assert.deepEqual(
    namesOf(scopedStatements.filter(({ text }) => /\bfrom\s+\w+(\s+\w+)?\s*,/i.test(text))),
    [],
  );
});

test('every statement on tenant-scoped tables is given a tenant, or is on the list of those that are not', () => {
  const unbound = scopedStatements.filter(
    ({ name, text }) => !bindsTenant(text) && !(name in withoutTenant),
  );
  assert.deepEqual(namesOf(unbound), Object.keys(acrossTenants).sort());
});

test('values are bound to numbered places: PostgreSQL knows no other, and a text built of values is a way in', () => {
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

test('a statement that forgets its tenant would be found', () => {
  const tables = new Set(['group_entry', 'group_member']);
  const judge = (text: string) => {
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
  assert.ok(judge('select ${columns} from group_entry e where e.tenant = $1 and e.id = $2'));
  assert.ok(
    judge(
      'select e.id from group_member m join group_entry e on e.tenant = m.tenant and e.id = m.group_id where m.tenant = $1',
    ),
  );
  assert.ok(judge('update group_entry set name = $2 where tenant = $1'));
  for (const text of [
    'select ${columns} from group_entry e where e.id = $1',
    'select e.tenant from group_entry e where e.id = $1',
    'select e.id from group_member m join group_entry e on e.id = m.group_id where m.tenant = $1',
    'select e.id from group_member m join group_entry e on e.tenant = m.tenant and e.id = m.group_id where m.user_id = $1',
    'delete from group_entry where id = $1',
    'update group_entry set tenant = $1',
  ])
    assert.ok(!judge(text), text);
});

test('a relative import stays in its package', () => {
  const packageOf = (file: string) => packages.find((folder) => file.startsWith(`${folder}/`));
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

/** What a file imports or exports from elsewhere. */
function importsOf(file: string): string[] {
  const tokens = tokensOf(read(file));
  return tokens
    .filter(
      ({ kind }, index) =>
        kind === 'text' && /\b(from|import)\s*\(?\s*$/.test(tokens[index - 1]?.text ?? ''),
    )
    .map(({ text }) => text.slice(1, -1));
}

/** Who makes connections, besides the clients of the database, the broker, the mail server and the collector. */
const dials: Record<string, string> = {
  'services/shared/egress/pools.ts': 'to receivers, after the guard',
  'services/shared/egress/proxy.ts': 'to the egress proxy',
  'services/shared/greet.ts': 'between the services',
  'services/shared/keys/vault-calls.ts': 'to the key service of the operator',
  'services/shared/rpc.ts': 'between the services',
  'services/shared/tls.ts': 'between the services',
};

test('addresses that tenants choose are called by services/shared/egress alone', () => {
  const imported =
    /^import (?!type )([^;]+?) from '(?:undici|node:(?:https?|http2|net|tls|dgram))';$/gm;
  const dialling =
    /\b(Pool|buildConnector|request|get|connect|createConnection|Socket)\b|^\w+$|^\*/;
  const makesConnections = (file: string) => {
    const names = [...read(file).matchAll(imported)].map(([, list = '']) =>
      list.replace(/\btype \w+/g, ''),
    );
    // The broker's consumer has a fetch of its own.
    return (
      names.some((list) => dialling.test(list)) || /(?<![.\w])fetch\(/.test(codeOf(read(file)))
    );
  };
  // The pages run in browsers.
  const found = product.filter(
    (file) => !file.startsWith('gateway/pages/') && makesConnections(file),
  );
  assert.deepEqual(found, Object.keys(dials).sort());
});

test('there are no barrels: no index file, and nothing that only passes on what others export', () => {
  assert.deepEqual(
    files.filter((file) => /(^|\/)index\.(ts|mjs|js)$/.test(file)),
    [],
  );
  assert.deepEqual(
    files.filter((file) => /\bexport\s*\*/.test(codeOf(read(file)))),
    [],
  );
});

test('nothing depends on one runtime beyond the APIs that Node and Deno share, and all of it is erasable', () => {
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

test('the scanner tells code from texts, comments and patterns', () => {
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
