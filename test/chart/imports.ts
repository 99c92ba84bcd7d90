import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { importsOf } from '../support/parsing.ts';

// Finds the files that Node loads for a TypeScript file, by its import statements.

type PackageManifest = { name: string; dependencies?: Record<string, string> };

/** The workspace's packages by name, with their folder from the root. */
export function workspacePackages(
  root: string,
): Map<string, { folder: string; manifest: PackageManifest }> {
  const files = globSync(['*/package.json', '{packages,services}/*/package.json'], {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  });
  return new Map(
    files.map((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file), 'utf8')) as PackageManifest;
      return [manifest.name, { folder: dirname(file), manifest }];
    }),
  );
}

/**
 * All files that running `scripts` loads, and all registry packages with the files that import
 * them. Paths are relative to the root.
 */
export function findImports(
  root: string,
  scripts: readonly string[],
): { files: Set<string>; packages: Map<string, Set<string>> } {
  const files = new Set<string>();
  const packages = new Map<string, Set<string>>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    if (!file.endsWith('.ts')) return;
    for (const { from, isType } of importsOf(file)) {
      if (isType || from.startsWith('node:')) continue;
      if (/^(\.|@bailiwick\/)/.test(from))
        visit(relative(root, createRequire(join(root, file)).resolve(from)));
      else packages.set(nameOf(from), (packages.get(nameOf(from)) ?? new Set()).add(file));
    }
  };
  for (const script of scripts) visit(script);
  return { files, packages };
}

/** '@scope/name/path' → '@scope/name'. */
const nameOf = (specifier: string) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
