// DOM elements for the reference. Texts are set as text, never as HTML.

/**
 * An element with attributes and children; a string child is text.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} name
 * @param {Readonly<Record<string, string | undefined>>} [attributes]
 * @param {...(Node | string)} children
 */
export function element(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Renders the Markdown of descriptions: paragraphs, lists, `code` and **strong**. */
export function prose(text = '') {
  return text.split('\n\n').map((block) => {
    const lines = block.split('\n');
    if (!lines.every((line) => line.startsWith('- '))) return element('p', {}, ...spans(block));
    return element('ul', {}, ...lines.map((line) => element('li', {}, ...spans(line.slice(2)))));
  });
}

/** @param {string} text */
export function spans(text) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (/^`.+`$/.test(part)) return element('code', {}, part.slice(1, -1));
    return /^\*\*.+\*\*$/.test(part) ? element('strong', {}, part.slice(2, -2)) : part;
  });
}

/** @param {unknown} value */
export const json = (value) => JSON.stringify(value, null, 2);
