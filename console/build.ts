import { createHash } from 'node:crypto';
import { globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { ConsoleManifest } from '@bailiwick/gateway/documents/console.ts';
import { manifestFile } from '@bailiwick/gateway/http/static-files.ts';
import { build, createServer } from 'vite';
import { isCurrent, sourceHash } from './source.ts';

// npm run console: builds the console into console/dist, from where the gateway serves it.
//
//   npm run console                                        builds it
//   npm run console -- --if-changed                        builds it unless it is current
//   npm run console -- --dev                               serves it while you change it
//   npm run console -- --dev --gateway http://127.0.0.1:80 in front of this gateway

const folder = import.meta.dirname;
const pages = ['index.html', 'portal.html'];
const finished = join(folder, 'dist');
// Two builds at once, and a gateway that starts meanwhile, must not meet half of a console.
const out = `${finished}.${process.pid}`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'if-changed': { type: 'boolean', default: false },
      dev: { type: 'boolean', default: false },
      gateway: { type: 'string', default: 'http://127.0.0.1:8080' },
    },
  });
  if (values.dev) return serve(values.gateway);
  if (values['if-changed'] && isCurrent(finished)) return;
  try {
    await make();
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function make(): Promise<void> {
  const source = sourceHash();
  await build({
    configFile: join(folder, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: out, emptyOutDir: true },
  });
  const texts = textsOf(filesIn());
  for (const name of pages) {
    const page = join(out, name);
    // A page is served at the address of every view, so its links begin at the public URL.
    const html = readFileSync(page, 'utf8').replaceAll('="./', '="{{root}}console/');
    writeFileSync(page, html.replace('</head>', '  {{face}}{{texts}}\n  </head>'));
  }
  for (const file of filesIn().filter((name) => /\.(css|js|svg)$/.test(name))) compress(file);
  const manifest: ConsoleManifest = {
    source,
    files: Object.fromEntries(
      filesIn().map((file) => [file, hashOf(readFileSync(join(out, file)))]),
    ),
    texts,
  };
  writeFileSync(join(out, manifestFile), `${JSON.stringify(manifest, undefined, 1)}\n`);
  try {
    // Another build may put its console here meanwhile: the folder is then not empty at the end.
    rmSync(finished, { recursive: true, force: true, maxRetries: 5 });
    renameSync(out, finished);
  } catch (error) {
    // Another build of the same sources was quicker.
    if (!isCurrent(finished)) throw error;
  }
}

/** The built files, as paths below the folder. */
const filesIn = (): string[] =>
  globSync('**/*', { cwd: out })
    .filter((file) => statSync(join(out, file)).isFile() && file !== manifestFile)
    .map((file) => relative('.', file).split(sep).join('/'))
    .sort();

/** The file with the texts of each language, which the page loads at once. */
const textsOf = (files: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    files.flatMap((file) => {
      const [, locale] =
        /^assets\/_virtual_texts-([a-z]{2}(?:-[A-Z]{2})?)-[\w-]{8}\.js$/.exec(file) ?? [];
      return locale === undefined ? [] : [[locale, file]];
    }),
  );

/** Writes a file's compressed forms beside it: the gateway compresses nothing while a user waits. */
function compress(file: string): void {
  const path = join(out, file);
  const plain = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length };
  writeFileSync(`${path}.br`, brotliCompressSync(plain, { params }));
  writeFileSync(`${path}.gz`, gzipSync(plain, { level: 9 }));
}

const hashOf = (data: NodeJS.ArrayBufferView) =>
  createHash('sha256').update(data).digest('base64url');

/** The cookies of the gateway count here too, because cookies belong to a host and not to a port. */
async function serve(gateway: string): Promise<void> {
  const server = await createServer({
    configFile: join(folder, 'vite.config.ts'),
    server: {
      host: '127.0.0.1',
      // Everything else is the gateway's.
      proxy: { '^/(?!@|src/|node_modules/|console|account(/|$))': { target: gateway } },
    },
    appType: 'spa',
  });
  await server.listen();
  const address = server.resolvedUrls?.local[0] ?? '';
  console.log(`the console is at ${address}console, in front of ${gateway}, until Ctrl-C`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
