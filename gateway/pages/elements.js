// The elements of the pages. A missing element is a mistake, which shows at once.

/**
 * The first element below a parent that matches a selector. @throws if it is of another kind
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export function findIn(parent, selector, kind) {
  const element = parent.querySelector(selector);
  if (element instanceof (kind ?? HTMLElement)) return /** @type {Kind} */ (element);
  throw new TypeError(`the page has no fitting ${selector}`);
}

/**
 * The element with an ID.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @param {new () => Kind} [kind]
 * @returns {Kind}
 */
export const find = (id, kind) => findIn(document, `#${id}`, kind);

/**
 * All elements of the page that match a selector.
 * @param {string} selector
 * @returns {NodeListOf<HTMLElement>}
 */
export const findAll = (selector) => document.querySelectorAll(selector);

/**
 * Sets the title of the page, which ends with the name of the tenant or service.
 * @param {string} title
 */
export function setTitle(title) {
  const name = document.querySelector('meta[name="application-name"]')?.getAttribute('content');
  document.title = name ? `${title} · ${name}` : title;
}
