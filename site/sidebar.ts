import type { DefaultTheme } from 'vitepress';
import { groups, referenceGroup } from './documents.ts';
import type { Page } from './pages.ts';

type Item = DefaultTheme.SidebarItem;

/**
 * A sidebar for each part of the site. The API's lists its areas, the decisions' each decision;
 * elsewhere one link leads there. No group can be closed: VitePress nests two buttons for that.
 */
export function sidebarsOf(pages: readonly Page[]): DefaultTheme.SidebarMulti {
  const shown = groups.map(({ title }) => ({
    title,
    pages: pages.filter(({ group }) => group === title),
  }));
  const sidebar = (folder: string): Item[] =>
    shown.flatMap(({ title, pages: own }) => {
      const items = own.filter(({ path }) => isShown(path, folder)).map(linkOf);
      return items.length === 0 ? [] : [{ text: title, items }];
    });
  const isFirst = ({ text }: Item) => text === referenceGroup;
  const api = sidebar('api');
  return {
    '/api/': [...api.filter(isFirst), ...api.filter((item) => !isFirst(item))],
    '/decisions/': sidebar('decisions'),
    '/': sidebar(''),
  };
}

/** Pages of a folder are in its own sidebar. The folder's first page is in all of them. */
function isShown(path: string, folder: string): boolean {
  const [first = '', file = ''] = path.split('/');
  return file === '' || file === 'index.md' || first === folder;
}

const linkOf = ({ path, label }: Page): Item => ({
  text: label,
  link: `/${path.replace(/(^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')}`,
});
