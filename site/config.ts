import { base } from '@bailiwick/gateway/documents/guides.ts';
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig, type UserConfig } from 'vitepress';
import { sectionsOf, useEntries } from './entries.ts';
import { useLinks } from './links.ts';
import { slugOf } from './markdown.ts';
import { useRendering } from './rendering.ts';
import { apiReference, type Page, sidebarsOf } from './sidebar.ts';

type Options = { pages: readonly Page[]; out: string; repository: string | undefined };

/** VitePress's configuration, and the style sheet of code blocks once all pages are rendered. */
export function siteConfig({ pages, out, repository }: Options): {
  config: UserConfig;
  codeStyles: () => string;
} {
  // The colours of code are classes: the gateway's policy allows no inline styles.
  const classes = transformerStyleToClass({ classPrefix: 'code-' });
  const config = defineConfig({
    lang: 'en',
    title: 'Bailiwick',
    description: 'Identity, access and notifications for platform teams',
    base,
    outDir: out,
    head: [
      ['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }],
      ['link', { rel: 'stylesheet', href: `${base}code.css` }],
      ['link', { rel: 'stylesheet', href: `${base}face.css` }],
    ],
    // The documents link to the reader's own local start.
    ignoreDeadLinks: 'localhostLinks',
    // The gateway serves files by their names.
    cleanUrls: false,
    // Fewer inline scripts: the policy names each by its hash.
    metaChunk: true,
    // The switch between light and dark would otherwise insert a style element.
    appearance: { disableTransition: false },
    markdown: {
      html: false,
      linkify: false,
      anchor: { slugify: slugOf },
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      // The highlighter does not know it, and would say so for each block.
      languages: [{ name: 'promql', scopeName: 'source.promql', patterns: [], repository: {} }],
      codeTransformers: [classes],
      config: (md) => {
        useLinks(md, pages, repository);
        useEntries(md, pages);
        useRendering(md);
      },
    },
    vite: {
      logLevel: 'warn',
      // The search index is one file, and is loaded with the first search.
      build: { chunkSizeWarningLimit: 2000 },
    },
    themeConfig: {
      logo: '/icon.svg',
      nav: [
        { text: 'Start', link: '/start' },
        { text: 'API', link: '/api' },
        { text: 'Webhooks', link: '/webhooks' },
        { text: 'Operations', link: '/operations' },
        apiReference,
      ],
      sidebar: sidebarsOf(pages),
      outline: { level: [2, 3] },
      search: {
        provider: 'local',
        options: { miniSearch: { _splitIntoSections: (_, html) => sectionsOf(html) } },
      },
    },
  });
  return { config, codeStyles: () => classes.getCSS() };
}
