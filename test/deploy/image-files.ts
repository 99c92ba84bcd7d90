import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '@bailiwick/deploy/local/paths.ts';
import { collectPages } from '@bailiwick/site/pages.ts';
import { workspacePackages } from '../chart/imports.ts';
import { workloads } from '../chart/manifests.ts';

// Questions about the file tree of the image.

/** The scripts that a container of the chart runs. */
export const scripts = [
  ...Object.values(workloads).map((name) =>
    name === 'gateway' ? 'gateway/main.ts' : `services/${name}/main.ts`,
  ),
  'deploy/ask.ts',
  'deploy/migrate.ts',
  'deploy/operator-link.ts',
  'deploy/serve.ts',
  'deploy/single.ts',
  'deploy/local/inbox/inbox.ts',
];

/** The files that the gateway and the inbox read: pages, guides and the interface's description. */
export const filesToRead = (): string[] => [
  'gateway/openapi.json',
  ...globSync('{gateway/pages,deploy/local/inbox}/*.{css,html,js}', { cwd: root }),
  ...globSync('gateway/pages/fonts/*.woff2', { cwd: root }),
  ...collectPages(root).map(({ path }) => `site/dist/${path.replace(/md$/, 'html')}`),
];

/** The files of the repository that the tree lacks. */
export const absentOf = (tree: string, files: Iterable<string>): string[] =>
  [...files].filter((file) => !existsSync(join(tree, 'app', file)));

/** The hash of the sources that a console was built from. */
export const consoleSourceIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'console/dist/files.json'), 'utf8')) as { source: string })
    .source;

/** Whether a file of the tree finds a package there. */
export function hasPackage(tree: string, name: string, importer: string): boolean {
  const folders = createRequire(join(tree, 'app', importer)).resolve.paths(name) ?? [];
  return folders.some((folder) => folder.startsWith(tree) && existsSync(join(folder, name)));
}

/** The packages that workspace packages of the tree can import. */
export const installedIn = (tree: string): string[] =>
  globSync('app/{,*/,{packages,services}/*/}node_modules/{[!@]*,@*/*}', { cwd: tree }).map((path) =>
    path.replace(/^.*node_modules\//, ''),
  );

/** The packages that the workspace packages of the tree need at run time. */
export const dependenciesOf = (tree: string): ReadonlySet<string> =>
  new Set(
    [...workspacePackages(root).values()]
      .filter(({ folder }) => existsSync(join(tree, 'app', folder, 'package.json')))
      .flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {})),
  );

/** The files below /app without the packages of others. */
export const ownFilesOf = (tree: string): string[] =>
  globSync('app/**', {
    cwd: tree,
    withFileTypes: true,
    exclude: ({ name }) => name === 'node_modules',
  })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

/** Whether a text has the PEM header of any private key, followed by key material. */
export const holdsPrivateKey = (text: string): boolean =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----(\s|\\r|\\n)*[A-Za-z0-9+/]{32}/.test(text);
