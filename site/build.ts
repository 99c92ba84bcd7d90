import { join, resolve } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildSite } from './site.ts';

// npm run docs: builds the site from the documents and the API description of this repository.
//
//   npm run docs                          into site/dist
//   npm run docs -- --serve               builds it, and serves it on a loopback port
//   npm run docs -- --serve --port 8090   serves it on this port
//   npm run docs -- --out FOLDER          into another folder
//   npm run docs -- --repository URL      links source files below URL, instead of plain text

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(import.meta.dirname, 'dist') },
      port: { type: 'string', default: '0' },
      repository: { type: 'string' },
      serve: { type: 'boolean', default: false },
    },
  });
  const out = resolve(values.out);
  const pages = await buildSite({ out, repository: values.repository?.replace(/\/$/, '') });
  console.log(`${pages.length} pages are in ${out}`);
  if (!values.serve) return;
  const { serveSite } = await import('./serve.ts');
  const { url } = await serveSite(out, { port: Number(values.port) });
  console.log(`the site is at ${url}, until Ctrl-C`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
