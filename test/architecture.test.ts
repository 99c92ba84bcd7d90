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

const isText = (node: ts.Node | undefined) =>
  node !== undefined && (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node));

/** A lock, or a row to take turns on, whose name is written where it is used. */
const namesRow = (node: ts.Node) =>
  ts.isCallExpression(node)
    ? node.expression.getText() === 'lockName' && isText(node.arguments[1])
    : ts.isPropertyAssignment(node) && node.name.getText() === 'row' && isText(node.initializer);

test('names of locks and turns are in the rows.ts of their service', () => {
  assert.deepEqual(
    product.filter((file) => nodesIn(file).some(namesRow)),
    [],
  );
});

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

/** The mark that a statement of each reach needs, and no other statement may have. */
const marks: Record<Reach, 'across' | 'between' | undefined> = {
  given: undefined,
  each: 'across',
  any: 'between',
};

test('every statement names the tenant of each tenant-scoped table, or its mark says why not', () => {
  for (const table of ['group_entry', 'audit_entry', 'webhook_endpoint', 'dek', 'provider'])
    assert.ok(tenantTables.has(table), table);
  const statements = queryFiles.flatMap((file) => statementsOf(file, read(file)));
  const wrong = statements.filter(({ text, across, between }) => {
    const needed = marks[reachOf(text, tenantTables) ?? 'given'];
    return Boolean(across) !== (needed === 'across') || Boolean(between) !== (needed === 'between');
  });
  assert.deepEqual(
    wrong.map(({ name, text }) => `${name}: ${reachOf(text, tenantTables)}`),
    [],
  );
  const marked = (mark: 'across' | 'between') => statements.filter((one) => one[mark]).length;
  assert.ok(marked('across') > 50 && marked('between') > 5 && statements.length > 300);
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
