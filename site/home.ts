import { apiReference } from './sidebar.ts';

/** Where each promise of README.md is explained. */
const details: Record<string, { link: string; linkText: string }> = {
  'One helm install': { link: '/kubernetes', linkText: 'Kubernetes' },
  'One call shape': { link: '/api', linkText: 'API' },
  'Tenants are isolated': { link: '/security', linkText: 'Security' },
  'Revoked means revoked': { link: '/architecture', linkText: 'Architecture' },
  'Accepted means delivered': { link: '/reliability', linkText: 'Reliability' },
};

/** The landing page: the head of README.md, with its promises as cards. */
export function homePage(readme: string): string {
  const [head = ''] = readme.split(/^## /m);
  const [name = '', text = ''] = head.split(/\n\n/);
  const [summary = '', tagline = ''] = text.split(/: (.*)/s);
  const home = {
    layout: 'home',
    titleTemplate: summary,
    hero: {
      // The mark is in the bar above.
      name: name.replace(/^# (!\[.*?\]\(.*?\) )?/, ''),
      text: summary,
      tagline: upperFirst(tagline.trim()),
      actions: [
        { text: 'Get started', link: '/start' },
        { ...apiReference, theme: 'alt' },
        { text: 'Receive webhooks', link: '/webhooks', theme: 'alt' },
      ],
    },
    features: Array.from(
      head.matchAll(/^- \*\*(.+?)\*\*[,:]? (.+)$/gm),
      ([, promise = '', description]) => {
        const title = plain(promise);
        return { title, details: upperFirst(plain(description ?? '')), ...details[title] };
      },
    ),
  };
  return `---\n${JSON.stringify(home, undefined, 2)}\n---\n`;
}

/** Markdown without its marks. A link in brackets is left out, since the card has one of its own. */
const plain = (text: string) =>
  text
    .replace(/ \(\[[^\]]*\]\([^)]*\)\)/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll('`', '');

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
