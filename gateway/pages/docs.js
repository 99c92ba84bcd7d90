import { element, prose } from './docs-markup.js';
import { operationView } from './docs-operation.js';

// Renders the reference from openapi.json. The URL fragment names the operation.

const part = (id) => document.getElementById(id);
const content = part('content');

async function start() {
  const api = await (await fetch('openapi.json')).json();
  const operations = new Map(
    Object.entries(api.paths).flatMap(([path, item]) =>
      ['get', 'post']
        .filter((method) => item[method])
        .map((method) => [item[method].operationId, { path, method, operation: item[method] }]),
    ),
  );
  const links = list(api.tags, operations);
  part('filter').addEventListener('input', () => filter(links));
  window.addEventListener('hashchange', () => {
    show(api, operations, links);
    content.focus();
  });
  show(api, operations, links);
}

/** Fills the navigation: a group for each tag. Returns the links by operation. */
function list(tags, operations) {
  const links = new Map();
  for (const { name } of tags) {
    const own = [...operations].filter(([, { operation }]) => operation.tags.includes(name));
    const items = own.map(([id]) => {
      links.set(id, element('a', { href: `#${id}` }, id));
      return element('li', {}, links.get(id));
    });
    part('operations').append(
      element('details', {}, element('summary', {}, name), element('ul', {}, ...items)),
    );
  }
  return links;
}

function filter(links) {
  const wanted = part('filter').value.trim().toLowerCase();
  let found = 0;
  for (const [id, link] of links) {
    link.parentElement.hidden = !id.toLowerCase().includes(wanted);
    if (!link.parentElement.hidden) found += 1;
  }
  for (const group of part('operations').children) {
    group.hidden = !group.querySelector('li:not([hidden])');
    group.open = wanted !== '';
  }
  part('found').textContent = wanted === '' ? '' : `${found} operations`;
}

function show(api, operations, links) {
  const wanted = decodeURIComponent(location.hash.slice(1)).toLowerCase();
  // The former reference of the guides had lower-case fragments.
  const id = [...operations.keys()].find((name) => name.toLowerCase() === wanted);
  const found = operations.get(id);
  for (const [name, link] of links) {
    if (name === id) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  const link = links.get(id);
  if (link) link.closest('details').open = true;
  document.title = found ? `${id} · Bailiwick API reference` : 'Bailiwick API reference';
  content.replaceChildren(
    ...(found
      ? operationView(api, found.path, found.method, found.operation)
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
