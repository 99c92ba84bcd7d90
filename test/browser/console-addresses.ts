import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '@bailiwick/deploy/local/paths.ts';

/** The routes that hold views, by their names in the code, with their addresses. */
const parents: Readonly<Record<string, string>> = {
  rootRoute: '',
  tenantRoute: '/console/t/$tenant/',
  tenantParent: '/console/t/$tenant/',
  platformRoute: '/console/platform/',
  platformParent: '/console/platform/',
  accountRoute: '/account/',
};

/** The addresses of all views, as the areas declare them. */
export function readViews(): string[] {
  const declared = globSync('console/src/*/routes.tsx', { cwd: root }).flatMap((file) => [
    ...readFileSync(path.join(root, file), 'utf8').matchAll(
      /getParentRoute: (?:\(\) => )?(\w+),\s+path: '([^']+)'/g,
    ),
  ]);
  const addresses = declared.map(([, parent = '', below = '']) => {
    const above = parents[parent];
    assert.ok(above !== undefined, `the address of ${parent} is unknown`);
    return `${above}${below}`.replace(/\/+$/, '');
  });
  return [...new Set(addresses)].sort();
}

/** Whose view it is. */
export const areaOf = (view: string): 'tenant' | 'platform' | 'account' => {
  if (view.startsWith('/console/platform')) return 'platform';
  return view.startsWith('/account') ? 'account' : 'tenant';
};
