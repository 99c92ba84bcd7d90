import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { productOf, products, redirectOf, snippetsOf } from './products.ts';

const page = readFileSync(
  join(import.meta.dirname, '../../../docs/connect-applications.md'),
  'utf8',
);
const example = { issuer: 'https://id.example.com', client: 'app_…', secret: 'bwka_…' };

for (const name of ['grafana', 'argocd', 'kubectl'] as const)
  test(`the configuration of ${name} is the one of docs/connect-applications.md`, () => {
    const redirect = redirectOf(name, products[name].example);
    assert.ok(page.includes(`"RedirectURIs": ["${redirect}"]`));
    const [first] = snippetsOf(name, { ...example, redirect });
    // The page has the app of the command line too.
    const documented = page.replace('  cliClientID: app_…\n', '');
    assert.ok(documented.includes(`\n${first?.code}\n`), first?.code);
  });

test('an application is known by its redirect address, below a path too', () => {
  const redirect = redirectOf('grafana', 'https://example.com/grafana/');
  assert.equal(redirect, 'https://example.com/grafana/login/generic_oauth');
  assert.equal(productOf(['https://a.example.com/other', redirect]), 'grafana');
  assert.equal(productOf(['https://a.example.com/callback']), undefined);
  const [file] = snippetsOf('grafana', { ...example, redirect });
  assert.match(file?.code ?? '', /^root_url = https:\/\/example\.com\/grafana$/m);
});
