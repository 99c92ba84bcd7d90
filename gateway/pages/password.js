// Fields for passwords: the buttons that show a password, and the rules of a new one.
import { describe } from './calls.js';
import { find, findAll } from './elements.js';
import { getOptions } from './options.js';
import { text } from './texts.js';

for (const button of findAll('[data-shows]')) {
  const field = find(button.dataset.shows ?? '', HTMLInputElement);
  const show = (/** @type {boolean} */ isVisible) => {
    field.type = isVisible ? 'text' : 'password';
    button.textContent = text(isVisible ? 'password.hide' : 'password.show');
  };
  button.addEventListener('click', () => show(field.type === 'password'));
  // A visible password is not sent as text that the browser remembers.
  field.form?.addEventListener('submit', () => show(false), { capture: true });
}

const lengths = findAll('[data-length]');
if (lengths.length > 0) void showRules();

async function showRules() {
  const { PasswordLength, BreachCheck } = await getOptions();
  if (PasswordLength > 0)
    for (const element of lengths) element.textContent = String(PasswordLength);
  for (const element of findAll('[data-breached]')) element.hidden = !BreachCheck;
}

/**
 * Prepares a field for the password of a new account, with the rules, or of an existing one.
 * @param {HTMLInputElement} field
 * @param {boolean} isNew
 */
export function expectNewPassword(field, isNew) {
  find('rules').hidden = !isNew;
  field.autocomplete = isNew ? 'new-password' : 'current-password';
  field.dataset.about = isNew ? 'rules' : '';
  describe(field);
}
