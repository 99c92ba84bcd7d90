// Fields for passwords: the buttons that show a password, and the rules of a new one.
import { describe, find } from './calls.js';
import { getOptions } from './options.js';
import { text } from './texts.js';

for (const button of document.querySelectorAll('[data-shows]')) {
  const field = find(button.dataset.shows);
  const show = (isShown) => {
    field.type = isShown ? 'text' : 'password';
    button.textContent = text(isShown ? 'password.hide' : 'password.show');
  };
  button.addEventListener('click', () => show(field.type === 'password'));
  // A shown password is not sent as text that the browser remembers.
  field.form.addEventListener('submit', () => show(false), { capture: true });
}

const lengths = document.querySelectorAll('[data-length]');
if (lengths.length > 0)
  void getOptions().then(({ PasswordLength, BreachCheck }) => {
    if (PasswordLength > 0) for (const place of lengths) place.textContent = String(PasswordLength);
    for (const place of document.querySelectorAll('[data-breached]')) place.hidden = !BreachCheck;
  });

/** Prepares a field for the password of a new account, with the rules, or of an existing one. */
export function expectNewPassword(field, isNew) {
  find('rules').hidden = !isNew;
  field.autocomplete = isNew ? 'new-password' : 'current-password';
  field.dataset.about = isNew ? 'rules' : '';
  describe(field);
}
