import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { schemas } from '@bailiwick/deploy/migrate.ts';
import ts from 'typescript';
import { importsOf, nodesIn, root } from './support/parsing.ts';
import { statementsOf } from './support/statements.ts';
import { type Reach, reachOf, type TenantTables } from './support/tenants.ts';

// Architecture rules that neither the compiler nor the linter checks.

const folders = ['proto', 'packages', 'services', 'gateway', 'deploy', 'site', 'test', 'bench'];
const packages = [
  ...globSync('packages/*', { cwd: root }),
  ...schemas.map(({ service }) => `services/${service}`),
  'gateway',
  'deploy',
  'site',
  'test',
  'bench',
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
    !/^packages\/(client|cli|server)\//.test(file) &&
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

/** Functions and methods that run SQL. */
const running = /(\.(query|raw|createQueryBuilder|getKysely)|database\.write)$/;
const runsSql = (node: ts.Node) =>
  ts.isCallExpression(node) && running.test(node.expression.getText());

test('only queries.ts files and packages run SQL', () => {
  const found = product.filter(
    (file) => !file.startsWith('packages/') && nodesIn(file).some(runsSql),
  );
  assert.ok(found.some((file) => queryFiles.includes(file)));
  assert.deepEqual(
    found.filter((file) => !queryFiles.includes(file)),
    [],
  );
});

/** Statements that reach the rows of any tenant, each tenant's by themselves, and the reason. */
const acrossTenants: Record<string, string> = {
  'access.audit_due': 'deletes expired entries of all tenants, each by the retention of its tenant',
  'access.audit_of_actor': "lists the user's own actions, in the tenants that the caller may see",
  'access.checkpoints_signed_by_others':
    're-signs the checkpoints of all tenants with a new first key of the key ring',
  'access.grants_of_user': "lists the user's own grants, in the tenants that the caller may see",
  'access.describe_member': "stores the user's name and address in all the user's memberships",
  'access.held_roles': 'who acts as a user gains what the user holds in all tenants',
  'access.groups_above_user': "lists the user's own groups, in the tenants that the caller may see",
  'access.groups_of_user': "lists the user's own groups, in the tenants that the caller may see",
  'access.invitation_of_token': 'finds the tenant of an invitation from its token',
  'access.invitation_shown': 'finds the invitation of a token, which names its tenant',
  'access.invitations_of_address': 'lists the invitations of one address',
  'access.lock_owned_tenants': 'a user can be deleted only if every tenant keeps an owner',
  'access.mappings_overdue': 'the sweeper covers all tenants',
  'access.memberships_of_user': "lists the user's own memberships",
  'access.overdue_invitations': 'the sweeper covers all tenants',
  'access.roles_everywhere': "lists the user's own roles in each tenant",
  'access.shares_tenant': 'the caller may see a user of a tenant that the caller may see',
  'access.closed_tenants_of_user': "lists the user's own tenants",
  'access.sweep_daily_counts': 'the sweeper covers all tenants',
  'access.tenants_of_user': "lists the user's own tenants",
  'access.undescribed_members': 'the sweeper covers all tenants',
  'identity.begin_session': 'the session names the tenant of the link that opened it',
  'identity.bots_anywhere': 'access checks bots of any tenant, for grants on the platform',
  'identity.identities_of_user': "lists the user's own identities",
  'identity.list_sessions': 'the session names the tenant of the link that opened it',
  'identity.live_bot_key': 'finds the bot and its tenant from the secret of a key',
  'identity.live_session': 'the session names the tenant of the link that opened it',
  'identity.live_session_by_id': 'the session names the tenant of the link that opened it',
  'identity.live_session_ids': 'the session names the tenant of its provider',
  'identity.live_support_session': 'a support session belongs to its user in all tenants',
  'identity.live_support_session_by_id': 'a support session belongs to its user in all tenants',
  'identity.support_of_operator': 'a support session belongs to its user in all tenants',
  'identity.trusts_of_issuer': 'finds the bot and its tenant from its client ID',
  'keys.count_by_kek': 'counts the data keys of all tenants by their key-encryption key',
  'keys.rotation_due': 'rotates the data keys of all tenants in order',
  'keys.superseded': 'reseals the records of superseded data keys of all tenants in order',
  'notifications.failing_endpoints': 'shows the failing endpoints of all tenants to operators',
  'notifications.waiting_by_lane': 'counts the waiting tasks of all tenants by lane',
  'notifications.delete_expired_portals': 'the sweeper covers all tenants',
  'notifications.portal_by_session': 'finds the tenant of a portal session from its token',
  'notifications.portal_by_token': 'finds the tenant of a portal link from its token',
  'notifications.ailing': 'announces failing endpoints of all tenants, each in its own tenant',
  'notifications.clear_urls': 'seals the URLs of all tenants, each with the key of its tenant',
  'notifications.attempts_done': 'the worker holds the task, whose id is unique',
  'notifications.chat_endpoint_tenant':
    'returns the tenant of an endpoint for an update without one; the caller is authorized in it',
  'notifications.dead_letters': 'counts the queue of all tenants and returns no tenant data',
  'notifications.erase_previous_secrets': 'the sweeper covers all tenants',
  'notifications.forget_published': 'the sweeper covers all tenants',
  'notifications.next_due': 'the queue publishes the due tasks of all tenants',
  'notifications.next_release': 'returns when the queue looks again, and no tenant data',
  'notifications.open_breakers': 'counts the queue of all tenants and returns no tenant data',
  'notifications.overdue': 'counts the queue of all tenants and returns no tenant data',
  'notifications.releasing': 'the queue releases tasks of all tenants, each in its own tenant',
  'notifications.webhook_endpoint_tenant':
    'returns the tenant of an endpoint for an update without one; the caller is authorized in it',
  'packages/keys/queries.ts:requestRotation': 'the platform rotates the data keys of all tenants',
  'packages/keys/queries.ts:takeWrappedByOthers': 'rewraps the data keys of all tenants in order',
  'services/access/deletion/queries.ts:deleteOrphans': 'deletes the offers of deleted tenants',
  'services/identity/bot-keys/queries.ts:takeDue': 'announces the expiry of keys of all tenants',
  'services/identity/federation/queries.ts:carryMark':
    "updates the password mark of all the user's links",
  'services/identity/federation/queries.ts:hasIdentityElsewhere':
    'the trust of a link depends on identities of the user in other tenants',
  'services/identity/federation/queries.ts:lockLink':
    "a user's own link; returns the tenant of its provider",
  'services/identity/federation/queries.ts:removeIdentities':
    'deletes the identities of a deleted user in all tenants',
  'services/identity/federation/queries.ts:removeIdentity':
    "a user's own identity; returns the tenant of its provider",
  'services/identity/sessions/listed/queries.ts:findListed':
    'the session names the tenant of the link that opened it',
  'services/identity/federation/queries.ts:findOpening':
    'the session names the tenant of the link that opened it',
  'services/notifications/messages/queries.ts:deleteExpiredMessages':
    'the sweeper covers all tenants',
  'services/notifications/messages/queries.ts:deleteForgotten': 'the sweeper covers all tenants',
  'services/notifications/queue/due/queries.ts:markQueued': 'the relay holds the task',
  'services/notifications/queue/due/queries.ts:postpone': 'the relay holds the task',
  'services/notifications/queue/due/queries.ts:requeue': 'the relay covers all tenants',
  'services/notifications/queue/due/queries.ts:takeDue': 'the relay covers all tenants',
  'sso.app_of_client': 'finds the app and its tenant from a client ID, which is unique',
  'services/sso/app-sign-ins/queries.ts:listLogoutTargets':
    'the apps that a session has signed in to',
  'services/sso/app-sign-ins/queries.ts:removeConsentsOfUser':
    'deletes the consents of a deleted user in all tenants',
  'services/sso/app-sign-ins/queries.ts:takeOfMember':
    'ends the sign-ins for a tenant, also to apps of the platform',
  'sso.apps_of_user': "lists the apps of all tenants that the user's own account uses",
  'sso.claim_checks': 'the daily check covers all tenants',
  'sso.claim_metadata': 'the daily reading covers all tenants',
  'sso.claim_certificates': 'the daily look covers all tenants',
  'sso.erase_previous_secrets': 'the sweeper covers all tenants',
  'sso.gate_of_domain': 'finds the tenant of the domain of an address before the tenant is known',
  'sso.overdue_domains': 'the sweeper covers all tenants',
  'sso.owner_of_domain': 'finds the tenant that gets the events of a domain',
  'sso.password_policy': 'finds the password policy of a domain before the user is known',
  'sso.provider_of_domain': 'finds the provider of a domain before the user is known',
  'sso.signed_in_sessions': 'the check of sessions covers all tenants',
  'sso.signed_in_sessions_of': 'returns sessions of a user, and no tenant data',
  'sso.sweep_app_consents': 'the sweeper covers all tenants',
  'sso.sweep_assertions': 'the sweeper covers all tenants',
  'sso.sweep_flows': 'the sweeper covers all tenants',
  'sso.tenant_of_recovery_code': 'finds the tenant of a recovery code, which is unique',
  'sso.sweep_handled_joins': 'the sweeper covers all tenants',
};

/** Statements in which rows of different tenants may meet, and the reason. */
const betweenTenants: Record<string, string> = {
  'access.audit_append': 'counts a sign-in in each tenant of the user; returns no tenant data',
  'access.known_elsewhere': 'the trust of a new link depends on the other tenants of the user',
  'access.traces_of_subject': 'finds the records of a deleted user or bot in all tenants',
  'access.unfinished_removals': 'finds records of deleted users and bots in all tenants',
  'access.user_roles': "without a tenant in the request, the user's only tenant is used",
  'keys.remaining': 'counts the data keys of all tenants',
  'notifications.defer': 'the worker holds the task, whose id is unique',
  'notifications.park': 'the worker holds the task, whose id is unique',
  'notifications.settle_done': 'each task names the tenant of its row',
  'notifications.settle_waiting': 'the worker holds the task, whose id is unique',
  'notifications.wanted': 'fan-out asks whether any tenant wants a type; returns no tenant data',
  'services/notifications/queue/due/queries.ts:deleteOld': 'the sweeper covers all tenants',
  'services/notifications/stats/queries.ts:deleteOldHours': 'the sweeper covers all tenants',
  'services/sso/app-sign-ins/queries.ts:takeOfSessions':
    'ends the sign-ins of a session to apps of all tenants',
  'sso.settled_domains': 'a lapsed domain that another tenant has verified is left out',
};

const tenantTables: TenantTables = new Map(
  schemas
    .flatMap(({ entities }) => entities.map(({ meta }) => meta))
    .filter(({ properties }) => 'tenant' in properties)
    .map(({ tableName, properties }) => [
      tableName,
      Object.entries<{ primary?: boolean }>(properties)
        .filter(([, { primary }]) => primary === true)
        .map(([column]) => column),
    ]),
);

test('every statement names the tenant of each tenant-scoped table, or is listed as an exception', () => {
  for (const table of ['group_entry', 'audit_entry', 'webhook_endpoint', 'dek', 'provider'])
    assert.ok(tenantTables.has(table), table);
  const found = queryFiles
    .flatMap((file) => statementsOf(file, read(file)))
    .map(({ name, text }) => ({ name, reach: reachOf(text, tenantTables) }));
  const namesOf = (reach: Reach) =>
    [...new Set(found.filter((one) => one.reach === reach).map(({ name }) => name))].sort();
  assert.ok(namesOf('given').length > 100);
  assert.deepEqual(
    namesOf('each').filter((name) => !(name in betweenTenants)),
    Object.keys(acrossTenants).sort(),
  );
  assert.deepEqual(namesOf('any'), Object.keys(betweenTenants).sort());
});

test('relative imports stay in their package', () => {
  // The command-line tool is compiled together with the client and the import of users.
  const packageOf = (file: string) =>
    packages.find((folder) => file.startsWith(`${folder}/`))?.replace(/cli$/, 'client');
  const crossing: string[] = [];
  let seen = 0;
  for (const file of files) {
    for (const { from: target } of importsOf(file).filter(({ from }) => from.startsWith('.'))) {
      seen++;
      const at = path.join(path.dirname(file), target);
      if (packageOf(at) !== packageOf(file) || packageOf(file) === undefined)
        crossing.push(`${file} imports ${target}`);
    }
  }
  assert.ok(seen > 100);
  assert.deepEqual(crossing, []);
});

/** Files that open connections, besides the database, broker, mail and telemetry clients. */
const dials: Record<string, string> = {
  'packages/egress/pools.ts': 'to receivers, after the guard',
  'packages/egress/proxy.ts': 'to the egress proxy',
  'packages/keys/vault-calls.ts': 'to the key service of the operator',
  'packages/wire/probe.ts': 'between the services',
  'packages/wire/rpc-http.ts': 'between the services',
  'packages/process/tls.ts': 'between the services',
};

const connecting = /^(undici|node:(https?|http2|net|tls|dgram))$/;
const dialling = /^(Pool|buildConnector|request|get|connect|createConnection|Socket)$/;

/** A call of fetch, or an import of a module as a whole or of one of its functions that connect. */
function connects(node: ts.Node): boolean {
  if (ts.isCallExpression(node)) return /^(globalThis\.)?fetch$/.test(node.expression.getText());
  if (!ts.isImportDeclaration(node) || !node.importClause || node.importClause.isTypeOnly)
    return false;
  const { name, namedBindings } = node.importClause;
  const isWhole = name !== undefined || !namedBindings || ts.isNamespaceImport(namedBindings);
  const module = (node.moduleSpecifier as ts.StringLiteral).text;
  return (
    connecting.test(module) &&
    (isWhole ||
      namedBindings.elements.some(
        (one) => !one.isTypeOnly && dialling.test((one.propertyName ?? one.name).text),
      ))
  );
}

test('only packages/egress connects to addresses that tenants choose', () => {
  // Pages run in the browser.
  const found = product.filter(
    (file) => !file.startsWith('gateway/pages/') && nodesIn(file).some(connects),
  );
  assert.deepEqual(found, Object.keys(dials).sort());
});

test('there are no barrel files: no index file and no export *', () => {
  assert.deepEqual(
    files.filter((file) => /(^|\/)index\.(ts|mjs|js)$/.test(file)),
    [],
  );
  const exportsAll = (node: ts.Node) =>
    ts.isExportDeclaration(node) && !(node.exportClause && ts.isNamedExports(node.exportClause));
  assert.deepEqual(
    files.filter((file) => nodesIn(file).some(exportsAll)),
    [],
  );
});
