// The form of the sign-in page: for an address, a password, a new account or a recovery code.
import { showAddress } from './account.js';
import { failField } from './calls.js';
import { find, findIn, setTitle } from './elements.js';
import { offerPasskeys, stopOffering, supported } from './passkey.js';
import { expectNewPassword } from './password.js';
import { askForCode } from './recovery.js';
import { text } from './texts.js';

export const entry = find('entry', HTMLFormElement);
export const email = find('email', HTMLInputElement);
export const password = find('password', HTMLInputElement);
export const heading = findIn(document, 'h1');
/** The heading of the sign-in, which the service has written: it may name an app. */
export const signInTitle = heading.textContent;
const parts = [entry, ...['mailed', 'second', 'confirm', 'enrol', 'known'].map((id) => find(id))];

/**
 * Shows one part of the page and moves the focus there, for screen readers.
 * @param {string} id
 * @param {string} title
 * @param {HTMLElement} [focus]
 */
export function show(id, title, focus) {
  for (const part of parts) part.hidden = part.id !== id;
  showAddress(email.value);
  find('to-app').hidden = true;
  heading.textContent = title;
  setTitle(title);
  focus?.focus();
}

/** Whether the form creates an account. */
let isNew = false;
let mayRegister = false;
/** @type {(credential: string) => void} */
let usePasskey = () => {};

export const createsAccount = () => isNew;
export const registrationIsOpen = () => mayRegister;

/** Offers to create an account. */
export function openRegistration() {
  mayRegister = true;
}

/**
 * Sets the user of the passkeys that the browser offers with the address field.
 * @param {(credential: string) => void} use
 */
export function onPasskey(use) {
  usePasskey = use;
}

/**
 * Prepares the form for the password of an account, or of a new one.
 * @param {boolean} value
 */
function setNew(value) {
  isNew = value;
  find('register').hidden = isNew || !mayRegister;
  find('have-account').hidden = !isNew;
  expectNewPassword(password, isNew);
}

export function askForAddress() {
  setNew(false);
  askForCode(false);
  password.value = '';
  email.readOnly = false;
  find('secret').hidden = true;
  find('instead').hidden = true;
  find('other').hidden = true;
  find('with-password').hidden = false;
  find('with-passkey').hidden = !supported;
  findIn(entry, '[type=submit]').textContent = text('common.continue');
  show('entry', signInTitle, email);
  void offerPasskeys(usePasskey);
}

/** Shows the form for a new account. */
export function askToRegister() {
  stopOffering();
  setNew(true);
  askForCode(false);
  email.readOnly = false;
  find('secret').hidden = false;
  for (const id of ['instead', 'other', 'forgotten', 'with-password', 'with-passkey'])
    find(id).hidden = true;
  findIn(entry, '[type=submit]').textContent = text('invitation.create');
  show('entry', text('login.create'), email);
}

// The address stays in the form, so that password managers associate the password with it.
export function askForPassword() {
  // The field of the address has no list any more; the button is left.
  stopOffering();
  askForSecret(true);
  askForCode(false);
  // A passkey needs no password, and the address may have one.
  find('with-passkey').hidden = !supported;
  show('entry', signInTitle, password);
}

/** Shows the form for the password of an owner, and a recovery code of the organisation. */
export function askToRecover() {
  stopOffering();
  // The page of a failed sign-in leads here, without an address.
  askForSecret(email.value !== '');
  askForCode(true);
  show('entry', signInTitle, email.value === '' ? email : password);
}

/** @param {boolean} hasAddress */
function askForSecret(hasAddress) {
  setNew(false);
  find('register').hidden = true;
  email.readOnly = hasAddress;
  find('secret').hidden = false;
  for (const id of ['instead', 'other', 'forgotten']) find(id).hidden = false;
  find('with-password').hidden = true;
  find('with-passkey').hidden = true;
  findIn(entry, '[type=submit]').textContent = text('common.signIn');
}

export function readAddress() {
  email.value = email.value.trim();
  if (email.value === '') failField(email, text('login.enterEmail'));
}
