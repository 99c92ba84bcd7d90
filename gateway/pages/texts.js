// The page's texts, in its language. The page carries those that its scripts use.
import { find } from './elements.js';

/** @import { ErrorCode, ErrorReason, Failure } from '@bailiwick/client/errors.ts' */
/** @import { PageTexts } from './page-data.ts' */
/** @typedef {keyof typeof import('@bailiwick/texts/locales/en/pages.json')} TextKey */
/** @typedef {Readonly<Record<string, string | number>>} Values */
/**
 * A newer service may send other codes and reasons, which no text is for.
 * @typedef {Pick<Failure, 'Messages' | 'Params' | 'Problems'> & { Code: ErrorCode, Reason?: ErrorReason }} ErrorResponse
 */

/** @type {PageTexts} */
const { texts, errors } = JSON.parse(find('texts').textContent);

export const locale = document.documentElement.lang;

/**
 * @param {string} template
 * @param {Values} values
 */
const fill = (template, values) =>
  template.replace(/\{\{(\w+)\}\}/g, (_all, name) => String(values[name]));

/** @param {TextKey} key */
const templateOf = (key) => texts[key] ?? '';

/**
 * The text for a key, with its placeholders filled.
 * @param {TextKey} key
 * @param {Values} [values]
 */
export const text = (key, values = {}) => fill(templateOf(key), values);

/**
 * A name in an element that isolates it from the text around it.
 * @param {string} name
 */
export function nameElement(name) {
  const element = document.createElement('bdi');
  element.textContent = name;
  return element;
}

/**
 * Writes the text for a key into an element. No name in it changes the order of the words around it.
 * @param {Element} element
 * @param {TextKey} key
 * @param {Readonly<Record<string, string>>} names
 */
export function write(element, key, names) {
  const parts = templateOf(key).split(/\{\{(\w+)\}\}/);
  element.replaceChildren(
    ...parts.map((part, index) => (index % 2 === 0 ? part : nameElement(names[part] ?? ''))),
  );
}

/**
 * The messages of an ErrorResponse in the page's language, or as they are without a text for them.
 * @param {ErrorResponse} response
 * @param {string} when
 */
export function explain({ Code, Reason, Messages, Params = {}, Problems = [] }, when) {
  const causes = [...Object.values(Params).map((value) => `${Reason} ${value}`), Reason || Code];
  return Messages.map((message, index) => {
    const { Field, Rule, Params: values } = Problems[index] ?? { Field: '', Rule: '', Params };
    const cause = [`${Field} ${Rule}`, ...causes].find((name) => Object.hasOwn(errors, name)) ?? '';
    const template = errors[cause];
    return template === undefined ? sentence(message) : fill(template, { when, ...values });
  }).join(' ');
}

/** @param {string} message */
const sentence = (message) =>
  `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.!?]$/.test(message) ? '' : '.'}`;
