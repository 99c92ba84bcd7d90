import type { DefaultTheme } from 'vitepress';
import { groups, referenceGroup } from './documents.ts';

export type Page = {
  /** Below the site, such as `decisions/index.md`. */
  path: string;
  /** The document of the repository that it is made from; empty for the home page. */
  source: string;
  label: string;
  group: string;
  text: string;
};

type SidebarItem = DefaultTheme.SidebarItem;

/** Leads to the API reference that the gateway serves above this site. */
export const apiReference = { text: 'API reference', link: '/..', target: '_self' };

/**
 * A sidebar for each part of the site. That of the decisions lists each of them; elsewhere one link
 * leads there. No group can be closed: VitePress nests two buttons for that.
 */
export function sidebarsOf(pages: readonly Page[]): DefaultTheme.SidebarMulti {
  const sections = groups.map(({ title }) => ({
    title,
    pages: pages.filter(({ group }) => group === title),
  }));
  const sidebar = (folder: string): SidebarItem[] =>
    sections.flatMap(({ title, pages: own }) => {
      const items = own.filter(({ path }) => isShown(path, folder)).map(linkOf);
      if (title === referenceGroup) items.unshift(apiReference);
      return items.length === 0 ? [] : [{ text: title, items }];
    });
  return { '/decisions/': sidebar('decisions'), '/': sidebar('') };
}

/** Pages of a folder are in its own sidebar. The folder's first page is in all of them. */
function isShown(path: string, folder: string): boolean {
  const [first = '', file = ''] = path.split('/');
  return file === '' || file === 'index.md' || first === folder;
}

const linkOf = ({ path, label }: Page): SidebarItem => ({
  text: label,
  link: `/${path.replace(/(^|(?<=\/))index\.md$/, '').replace(/\.md$/, '')}`,
});
