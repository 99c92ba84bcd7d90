// The signed-in user's tenants.
import { run } from './calls.js';
import { leaveOnward, meetsFactor, returnTo } from './onward.js';
import { locale, nameElement, text, write } from './texts.js';

/** @import { AccountTenant, SuspendedTenant } from '@bailiwick/client/gen/types.ts' */

/**
 * A tenant, its application, and the factor that it requires and that the sign-in lacks.
 * @param {AccountTenant} tenant
 * @param {string} assurance
 */
export function entryOf(tenant, assurance) {
  const { ID, Name, Slug, AppURL, RequireFactor, FactorRequiredFrom } = tenant;
  const item = document.createElement('li');
  item.append(nameElement(Name || Slug));
  if (AppURL && returnTo === '') {
    const button = document.createElement('button');
    Object.assign(button, {
      type: 'button',
      className: 'plain',
      textContent: text('common.continue'),
    });
    button.setAttribute('aria-label', text('social.with', { name: Name || Slug }));
    button.addEventListener('click', () => run(() => leaveOnward(ID)));
    item.append(button);
  }
  if (meetsFactor(tenant, assurance)) return item;
  const from = new Date(FactorRequiredFrom ?? 0);
  const isAny = RequireFactor === 'any';
  const now = isAny ? 'login.needsFactor' : 'login.needsPasskey';
  const later = isAny ? 'login.needsFactorFrom' : 'login.needsPasskeyFrom';
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(from);
  const note = document.createElement('p');
  note.className = 'quiet';
  note.textContent = from > new Date() ? text(later, { date }) : text(now);
  item.append(note);
  return item;
}

/**
 * A suspended tenant, which has no way in.
 * @param {SuspendedTenant} tenant
 */
export function suspendedEntryOf({ Name, Slug }) {
  const item = document.createElement('li');
  write(item, 'message.suspended', { Tenant: Name || Slug });
  return item;
}
