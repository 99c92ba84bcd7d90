// The page's texts, in its language. The page carries those that its scripts use.
const { texts, errors } = JSON.parse(document.getElementById('texts').textContent);

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

/** The messages of an ErrorResponse in the page's language, or as they are without a text for them. */
export function explain({ Code, Reason, Messages, Params = {}, Problems = [] }, when) {
  const causes = [...Object.values(Params).map((value) => `${Reason} ${value}`), Reason || Code];
  return Messages.map((message, at) => {
    const { Field, Rule, Params: values } = Problems[at] ?? { Params };
    const cause = [`${Field} ${Rule}`, ...causes].find((name) => Object.hasOwn(errors, name));
    return cause === undefined ? sentence(message) : fill(errors[cause], { when, ...values });
  }).join(' ');
}

const sentence = (message) =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
