import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { manifestFile } from '@bailiwick/gateway/http/static-files.ts';
import { faceStyle, fontFiles } from '@bailiwick/gateway/pages/face.ts';
import { declarationsOf, iconSvg } from '@bailiwick/texts/face.ts';
import { build, disposeMdItInstance, type UserConfig } from 'vitepress';
import { siteConfig } from './config.ts';
import { brokenLinks, writeManifest } from './output.ts';
import { collectPages } from './pages.ts';
import type { Page } from './sidebar.ts';

type Options = {
  /** The folder that the finished site replaces. A build that fails leaves it as it is. */
  out: string;
  /** The repository whose documents are built: by default this one. */
  root?: string;
  /** The web address of the repository's files. Without it, their links are plain text. */
  repository?: string | undefined;
};

/** VitePress reads the configuration from a file only, which imports it from here. */
let current: UserConfig = {};
/** @public The written `.vitepress/config.mjs` imports it. */
export const currentConfig = (): UserConfig => current;

/**
 * Builds the site. It changes the working directory while it runs, so one build runs at a time.
 * @throws an Error if a link is broken, or if `out` holds something else than a built site
 */
export async function buildSite({
  out,
  root = resolve(import.meta.dirname, '..'),
  repository,
}: Options): Promise<readonly Page[]> {
  assertReplaceable(out);
  const pages = collectPages(root);
  const before = process.cwd();
  // Outside of the workspace: esbuild warns of the target in its tsconfig.json.
  const work = mkdtempSync(join(tmpdir(), 'bailiwick-site-'));
  const built = join(work, 'dist');
  try {
    const { config, codeStyles } = siteConfig({ pages, out: built, repository });
    current = config;
    writeSources(work, root, pages);
    process.chdir(work);
    await build(work);
    writeFileSync(join(built, 'code.css'), codeStyles());
    writeFileSync(join(built, 'face.css'), faceCss());
    for (const [path, content] of fontFiles)
      writeFileSync(join(built, 'assets', basename(path)), content);
    writeFileSync(join(built, 'icon.svg'), iconSvg());
    const broken = brokenLinks(built);
    if (broken.length > 0) throw new Error(`broken links:\n${broken.join('\n')}`);
    writeManifest(built);
    rmSync(out, { recursive: true, force: true });
    cpSync(built, out, { recursive: true });
    return pages;
  } finally {
    process.chdir(before);
    // VitePress would use this build's configuration of Markdown for the next one.
    disposeMdItInstance();
    rmSync(work, { recursive: true, force: true });
  }
}

/** The colours and the typeface of the other pages. */
const faceCss = (): string =>
  [
    faceStyle.replaceAll('url(fonts/', 'url(assets/'),
    `:root{${declarationsOf('light')}}.dark{${declarationsOf('dark')}}`,
  ].join('\n');

function assertReplaceable(out: string): void {
  const isFree = !existsSync(out) || readdirSync(out).length === 0;
  if (!isFree && !existsSync(join(out, manifestFile)))
    throw new Error(`${out} is not empty and holds no built site`);
}

/** The folder that VitePress builds: pages, images, and two files that lead back here. */
function writeSources(work: string, root: string, pages: readonly Page[]): void {
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), text);
  };
  for (const { path, text } of pages) write(path, text);
  for (const image of globSync('docs/*.{svg,png}', { cwd: root }))
    cpSync(join(root, image), join(work, 'public/images', basename(image)));
  // Editors load the schema of rights files from here.
  for (const schema of globSync('packages/cli/*.schema.json', { cwd: root }))
    cpSync(join(root, schema), join(work, 'public', basename(schema)));
  const own = JSON.stringify(pathToFileURL(import.meta.filename));
  // The computed name keeps VitePress from bundling a second copy of this module.
  write(
    '.vitepress/config.mjs',
    `const { currentConfig } = await import([${own}].join());\nexport default currentConfig();\n`,
  );
  const theme = JSON.stringify(join(import.meta.dirname, 'theme/theme.js'));
  write('.vitepress/theme/index.js', `export { default } from ${theme};\n`);
  // The pages import vue.
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(work, 'node_modules'));
}
