import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import MiniSearch from 'minisearch';

// The search of a built site, with the options of VitePress' VPLocalSearchBox.

const options = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles'],
  searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } },
};

export type SearchResult = { id: string; title: string };

/** Reads the index of a built site. The ids of the results are addresses. */
export async function openSearch(site: string): Promise<(query: string) => SearchResult[]> {
  const [file, ...others] = globSync('assets/chunks/@localSearchIndex*.js', { cwd: site });
  assert.ok(file !== undefined && others.length === 0, 'the site has one index');
  const { default: json } = (await import(pathToFileURL(join(site, file)).href)) as {
    default: string;
  };
  const index = MiniSearch.loadJSON(json, options);
  return (query) =>
    index.search(query).map(({ id, title }) => ({ id: String(id), title: String(title) }));
}
