// The step between a sign-in and an application for a user whose tenant requires a factor that the
// session lacks: the user proves a factor, or adds one.
import { call } from './calls.js';
import { find } from './elements.js';
import { withReturn } from './onward.js';
import { supported } from './passkey.js';
import { startSecondFactor } from './second-factor.js';
import { text, write } from './texts.js';

/** @import { Requirement } from './onward.js' */

/**
 * Prepares the part for a tenant, or for an application. Returns the id of the part and the element to focus.
 * @param {Requirement} requirement
 * @returns {Promise<[id: string, focus: HTMLElement]>}
 */
export async function startEnrolling({ Name, Slug, RequireFactor }) {
  const { Factors } = await call('Factors_List', {});
  const needsPasskey = RequireFactor === 'phishing_resistant';
  if (Factors.some(({ Kind }) => !needsPasskey || Kind === 'passkey')) {
    const answer = await call('Account_BeginStepUp', {});
    return ['second', startSecondFactor(answer, true)];
  }
  const tenant = Name || Slug;
  if (tenant)
    write(find('enrol-about'), needsPasskey ? 'enrol.passkey' : 'enrol.factor', { tenant });
  else
    find('enrol-about').textContent = text(needsPasskey ? 'enrol.appPasskey' : 'enrol.appFactor');
  find('enrol-passkey').hidden = !supported;
  find('enrol-passkey', HTMLAnchorElement).href = withReturn('passkeys', { enrol: '1' });
  find('enrol-app').hidden = needsPasskey;
  find('enrol-app', HTMLAnchorElement).href = withReturn('factors', { enrol: '1' });
  return ['enrol', find('enrol-title')];
}
