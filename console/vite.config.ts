import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { textsPlugin } from './texts-plugin.ts';

/** The gateway fills the page's placeholders. The development server does it here. */
const placeholders: Plugin = {
  name: 'placeholders',
  apply: 'serve',
  transformIndexHtml: (html) =>
    html
      .replace('{{lang}}', 'en')
      .replace('{{root}}', '/')
      .replace('{{nonce}}', '')
      .replace('{{noScript}}', '')
      .replace('</head>', '<link rel="stylesheet" href="/pages/face.css" /></head>'),
};

/** Vite only warns of a Node module, and the view that needs it stays empty. */
const browserOnly: Plugin = {
  name: 'browser-only',
  enforce: 'pre',
  resolveId(id, importer) {
    if (id.startsWith('node:')) this.error(`${importer} imports ${id}, which no browser has`);
  },
};

const folder = import.meta.dirname;

export default defineConfig({
  root: folder,
  // The files are below the path of the public URL, which is not known here.
  base: './',
  plugins: [browserOnly, react(), textsPlugin(), placeholders],
  build: {
    rolldownOptions: { input: ['index.html', 'portal.html'].map((page) => join(folder, page)) },
    target: 'es2023',
    // The page of a view loads its scripts itself, and says so if it cannot.
    modulePreload: { polyfill: false },
    // An image in a stylesheet would need a source that the policy does not allow.
    assetsInlineLimit: 0,
    license: { fileName: 'licenses.md' },
  },
});
