import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

// Finds the files that Node loads for a TypeScript file, by its import statements.

type PackageManifest = { name: string; dependencies?: Record<string, string> };

/** The workspace's packages by name, with their folder from the root. */
export function workspacePackages(
  root: string,
): Map<string, { folder: string; manifest: PackageManifest }> {
  const files = globSync(['*/package.json', 'services/*/package.json'], {
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

/** The manifest of the package that contains `file`. */
export function packageOf(root: string, file: string): PackageManifest {
  let folder = dirname(file);
  while (!existsSync(join(root, folder, 'package.json'))) folder = dirname(folder);
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as PackageManifest;
}

/**
 * All files that running `scripts` loads, and all registry packages with the files that import
 * them. Paths are relative to the root.
 */
export function findImports(
  root: string,
  scripts: readonly string[],
): { files: Set<string>; packages: Map<string, Set<string>> } {
  const workspace = workspacePackages(root);
  const files = new Set<string>();
  const packages = new Map<string, Set<string>>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    if (!file.endsWith('.ts')) return;
    for (const specifier of specifiersIn(readFileSync(join(root, file), 'utf8'))) {
      if (specifier.startsWith('node:')) continue;
      if (specifier.startsWith('.')) {
        visit(posix.join(dirname(file), specifier));
        continue;
      }
      const [name, path] = splitSpecifier(specifier);
      const own = workspace.get(name);
      if (own) visit(posix.join(own.folder, path));
      else packages.set(name, (packages.get(name) ?? new Set()).add(file));
    }
  };
  for (const script of scripts) visit(script);
  return { files, packages };
}

/** Type imports are stripped and load nothing. */
function specifiersIn(source: string): string[] {
  const statements = source.matchAll(
    /^(?:import|export)\s(?!type\s)[^;'"`]*?from\s+'([^']+)'|^import\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/gm,
  );
  return Array.from(statements, ([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? '');
}

/** '@scope/name/path' → name and path. */
function splitSpecifier(specifier: string): [name: string, path: string] {
  const parts = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  return [parts.slice(0, length).join('/'), parts.slice(length).join('/')];
}
