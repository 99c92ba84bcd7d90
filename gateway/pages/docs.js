import { element, prose } from './docs-markup.js';
import { operationView } from './docs-operation.js';
import { find } from './elements.js';

// Renders the reference from openapi.json. The URL fragment names the operation.

/** @import { Api, Operation } from './docs-schema.js' */
/** @typedef {ReadonlyMap<string, { path: string, method: string, operation: Operation }>} Operations */
/** @typedef {ReadonlyMap<string, HTMLElement>} Links */

const content = find('content');
const navigation = find('operations');
const query = find('filter', HTMLInputElement);

async function start() {
  /** @type {Api} */
  const api = await (await fetch('openapi.json')).json();
  /** @type {[string, { path: string, method: string, operation: Operation }][]} */
  const entries = Object.entries(api.paths).flatMap(([path, { get, post }]) =>
    Object.entries({ get, post }).flatMap(([method, operation]) =>
      operation ? [[operation.operationId, { path, method, operation }]] : [],
    ),
  );
  const operations = new Map(entries);
  const links = list(api.tags, operations);
  query.addEventListener('input', () => filter(links));
  window.addEventListener('hashchange', () => {
    show(api, operations, links);
    content.focus();
  });
  show(api, operations, links);
}

/**
 * Fills the navigation: a group for each tag. Returns the links by operation.
 * @param {Api['tags']} tags
 * @param {Operations} operations
 */
function list(tags, operations) {
  /** @type {Map<string, HTMLElement>} */
  const links = new Map();
  for (const { name } of tags) {
    const own = [...operations].filter(([, { operation }]) => operation.tags.includes(name));
    const items = own.map(([id]) => {
      const link = element('a', { href: `#${id}` }, id);
      links.set(id, link);
      return element('li', {}, link);
    });
    navigation.append(
      element('details', {}, element('summary', {}, name), element('ul', {}, ...items)),
    );
  }
  return links;
}

/** @param {Links} links */
function filter(links) {
  const term = query.value.trim().toLowerCase();
  let count = 0;
  for (const [id, link] of links) {
    const item = link.closest('li');
    if (!item) continue;
    item.hidden = !id.toLowerCase().includes(term);
    if (!item.hidden) count += 1;
  }
  for (const group of navigation.querySelectorAll('details')) {
    group.hidden = !group.querySelector('li:not([hidden])');
    group.open = term !== '';
  }
  find('found').textContent = term === '' ? '' : `${count} operations`;
}

/**
 * @param {Api} api
 * @param {Operations} operations
 * @param {Links} links
 */
function show(api, operations, links) {
  const fragment = decodeURIComponent(location.hash.slice(1)).toLowerCase();
  // The former reference of the guides had lower-case fragments.
  const id = [...operations.keys()].find((name) => name.toLowerCase() === fragment) ?? '';
  const match = operations.get(id);
  for (const [name, link] of links) {
    if (name === id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const group = links.get(id)?.closest('details');
  if (group) group.open = true;
  document.title = match ? `${id} · Bailiwick API reference` : 'Bailiwick API reference';
  content.replaceChildren(
    ...(match
      ? operationView(api, match.path, match.method, match.operation)
      : [element('h2', {}, api.info.title), ...prose(api.info.description)]),
  );
  window.scrollTo(0, 0);
}

start().catch(() =>
  content.append(
    element(
      'p',
      { class: 'outcome failed' },
      'The description could not be loaded. Load the page again.',
    ),
  ),
);
