// The page's texts, in its language. The page carries those that its scripts use.
const { texts, messages } = JSON.parse(document.getElementById('texts').textContent);

export const locale = document.documentElement.lang;

const fill = (template, values) => template.replace(/\{\{(\w+)\}\}/g, (_all, name) => values[name]);

/** The text for a key, with its placeholders filled. */
export const text = (key, values = {}) => fill(texts[key], values);

/** A name in an element that isolates it from the text around it. */
export function nameElement(name) {
  const element = document.createElement('bdi');
  element.textContent = name;
  return element;
}

/** Writes the text for a key into an element. No name in it changes the order of the words around it. */
export function write(element, key, names) {
  const parts = texts[key].split(/\{\{(\w+)\}\}/);
  element.replaceChildren(
    ...parts.map((part, at) => (at % 2 === 0 ? part : nameElement(names[part]))),
  );
}

/** A message of the API in the page's language, or as it is if the catalogue does not have it. */
export function translate(message, values) {
  for (const [pattern, template] of messages) {
    const found = new RegExp(pattern).exec(message);
    if (found) return fill(template, { ...values, ...found.groups });
  }
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
}
