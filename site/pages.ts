import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Document, groups, readme } from './documents.ts';
import { homePage } from './home.ts';
import { slugOf, withoutCodeBlocks } from './markdown.ts';
import type { Page } from './sidebar.ts';

/** Every page of the site, in the order of the sidebar. The home page is the first. */
export function collectPages(root: string): Page[] {
  const paths = new Set<string>();
  const pages = groups.flatMap(({ title, documents }) =>
    documents.flatMap((document) => readDocument(root, title, document, paths)),
  );
  const home = homePage(readFileSync(join(root, 'README.md'), 'utf8'));
  return [{ path: 'index.md', source: '', label: 'Home', group: '', text: home }, ...pages];
}

/** The pages of one entry of the sidebar, without documents that an earlier entry has taken. */
function readDocument(
  root: string,
  group: string,
  { file, path, label }: Document,
  paths: Set<string>,
): Page[] {
  return globSync(file, { cwd: root })
    .sort()
    .flatMap((source) => {
      const page = path ?? source.replace(/^docs\//, '');
      const isReadme = source === 'README.md';
      if (paths.has(isReadme ? page : source)) return [];
      paths.add(isReadme ? page : source);
      const whole = withoutComments(readFileSync(join(root, source), 'utf8'));
      const text = isReadme ? readmePage(whole, page) : whole;
      const title = label ?? headingOf(text) ?? basename(source, '.md');
      return text === '' ? [] : [{ path: page, source, label: title, group, text }];
    });
}

/** Notes such as "generated from": they are for people who edit the file. */
const withoutComments = (text: string) => text.replace(/^<!--[\s\S]*?-->\s*/, '');

const headingOf = (text: string) => /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '');

/** One part of README.md. The start page has all sections that are on no other page. */
function readmePage(text: string, page: string): string {
  const [, ...sections] = text.split(/^(?=## )/m);
  const nameOf = (section: string) => /^## (.+)$/m.exec(section)?.[1] ?? '';
  const isIn = (names: readonly string[]) => (section: string) => names.includes(nameOf(section));
  const isError = isIn(readme.errorSections);
  const isSkipped = isIn(readme.skippedSections);
  const { title } = page === readme.errors.page ? readme.errors : readme.start;
  const own = sections.filter((section) =>
    page === readme.errors.page ? isError(section) : !isError(section) && !isSkipped(section),
  );
  return own.length === 0 ? '' : `# ${title}\n\n${own.join('')}`;
}

/** The page that shows a file of the repository, or a part of it. */
export function pageOf(pages: readonly Page[], source: string, anchor = ''): Page | undefined {
  const own = pages.filter(
    (page) => page.source === source || page.source === `${source}/README.md`,
  );
  return own.find(({ text }) => anchorsOf(text).includes(anchor)) ?? own[0];
}

const anchorsOf = (text: string): string[] =>
  Array.from(withoutCodeBlocks(text).matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    slugOf(heading),
  );
