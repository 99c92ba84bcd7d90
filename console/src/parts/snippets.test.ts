import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import process from 'node:process';
import { test } from 'node:test';
import { cliOf, curlOf, typescriptOf } from './snippets.ts';

const url = 'https://iam.example.com/iam';
const request = {
  Tenant: { Name: `O'Brien & "Sons" $(id) \\ ü`, Metadata: { 'a-b': 'c' } },
  Roles: ['owner', "it's"],
  Count: 3,
  Unset: undefined,
};
const stored = JSON.parse(JSON.stringify(request)) as object;

test('the shell passes the request on as it is', () => {
  const script = curlOf(url, 'Tenants_Create', request).replace('curl', 'show');
  const show = `show() { for last; do :; done; printf %s "$last"; }\n${script}`;
  const output = execFileSync('sh', ['-c', show], { env: { ...process.env, TOKEN: 't' } });
  assert.deepEqual(JSON.parse(output.toString()), stored);
});

test('the TypeScript makes the same request', async () => {
  const code = typescriptOf(url, 'Tenants_Create', request);
  assert.match(code, /^ {2}Tenant: \{\n {4}Name: 'O\\'Brien & "Sons"/m);
  const [, call = ''] = code.split('await bailiwick.call(');
  const values = (await import(
    `data:text/javascript,${encodeURIComponent(`export default [${call.replace(/\);$/, '')}]`)}`
  )) as { default: unknown[] };
  assert.deepEqual(JSON.parse(JSON.stringify(values.default)), ['Tenants_Create', stored]);
});

test('the command line reads the request from the standard input', () => {
  const show = 'bailiwick() { printf "%s\\n" "$*" >&2; cat; }\n';
  const script = show + cliOf(url, 'Tenants_Create', request);
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
  assert.equal(stderr, `Tenants_Create --url ${url} --data -\n`);
  assert.deepEqual(JSON.parse(stdout), stored);
  assert.equal(cliOf(url, 'Account_Get', {}), `bailiwick Account_Get --url '${url}'`);
});
