import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { importsOf, root } from './support/parsing.ts';

// The files that a process loads when it starts.

/** The file that a name of a package leads to. */
function faceOf(name: string, rest = ''): string {
  const folder = path.join('packages', name);
  const text = readFileSync(path.join(root, folder, 'package.json'), 'utf8');
  const { exports } = JSON.parse(text) as { exports: Record<string, string> };
  return path.join(folder, exports[`.${rest}`] ?? assert.fail(`${name}${rest} is not exported`));
}

/** The files and packages that a file loads when it runs, `atOnce` or also later. */
function loadedBy(start: string, { atOnce }: { atOnce: boolean }): Set<string> {
  const loaded = new Set([start]);
  for (const file of loaded) {
    if (!file.endsWith('.ts')) continue;
    for (const { from, isType, isDynamic } of importsOf(file)) {
      if (isType || (atOnce && isDynamic)) continue;
      const [, name, rest] = /^@bailiwick\/([^/]+)(\/.*)?$/.exec(from) ?? [];
      if (from.startsWith('.')) loaded.add(path.join(path.dirname(file), from));
      else if (name === undefined) loaded.add(from);
      else if (name === 'proto') loaded.add(`proto${rest}`);
      else loaded.add(faceOf(name, rest));
    }
  }
  return loaded;
}

test('the gateway, which stores nothing, loads no part of a database', () => {
  const loaded = loadedBy('gateway/main.ts', { atOnce: false });
  assert.ok(loaded.has('packages/wire/mod.ts'), 'the walk reaches the packages');
  const databases = /^(pg|kysely|@mikro-orm\/.*|packages\/store\/.*)$/;
  assert.deepEqual(
    [...loaded].filter((one) => databases.test(one)),
    [],
  );
  assert.ok(
    [...loadedBy('services/access/main.ts', { atOnce: false })].some((one) => databases.test(one)),
  );
});

test('no process loads the libraries of sign-ons, the issuer, passkeys and metrics before it is ready', () => {
  const libraries =
    /^(oidc-provider|light-my-request|jose|@node-saml\/.*|xml-encryption|@peculiar\/.*|@simplewebauthn\/server|@opentelemetry\/(sdk|exporter).*|@grpc\/.*|@connectrpc\/connect-node)$/;
  const needed = (atOnce: boolean) =>
    ['gateway', ...globSync('services/*', { cwd: root })].map((folder) =>
      [...loadedBy(`${folder}/main.ts`, { atOnce })].filter((one) => libraries.test(one)),
    );
  assert.deepEqual(needed(true), [[], [], [], [], []]);
  for (const later of needed(false)) assert.ok(later.length > 0);
});
