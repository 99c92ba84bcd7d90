// The step between a sign-in and an application for a user whose tenant requires a factor that the
// session lacks.
import { call, find } from './calls.js';
import { withReturn } from './onward.js';
import { supported } from './passkey.js';
import { text } from './texts.js';

/** Prepares the part for a tenant. Returns the element to focus. */
export async function startEnrolling({ Name, Slug, RequireFactor }) {
  const { Factors } = await call('Factors_List', {});
  const isApp = ({ Kind }) => Kind === 'totp';
  const needsPasskey = RequireFactor === 'phishing_resistant';
  const hasFactor = Factors.some((factor) => !needsPasskey || !isApp(factor));
  find('enrol-about').textContent = text(needsPasskey ? 'enrol.passkey' : 'enrol.factor', {
    tenant: Name || Slug,
  });
  find('enrol-again').hidden = !hasFactor;
  find('enrol-again').href = withReturn('login', { again: '1' });
  find('enrol-passkey').hidden = hasFactor || !supported;
  find('enrol-passkey').href = withReturn('passkeys', { enrol: '1' });
  find('enrol-app').hidden = hasFactor || needsPasskey;
  find('enrol-app').href = withReturn('factors', { enrol: '1' });
  return find('enrol-title');
}
