// The second step of a sign-in, after the right password: a passkey, a code of an authenticator app,
// or a recovery code.
import { call, failField, find, isDead, markInvalid, Refused, run, say } from './calls.js';
import { askForPasskey, supported } from './passkey.js';

const [form, totp, recovery, otherWay] = ['second', 'totp', 'recovery', 'other-way'].map(find);
const submit = form.querySelector('[type=submit]');

/** The ways to answer, in order of preference. */
const ways = {
  passkey: {
    part: 'by-passkey',
    focused: submit,
    submit: 'Use your passkey',
    offer: 'Use your passkey instead',
  },
  totp: {
    part: 'by-app',
    focused: totp,
    submit: 'Continue',
    offer: 'Use the authenticator app instead',
  },
  recovery_code: {
    part: 'by-recovery',
    focused: recovery,
    submit: 'Continue',
    offer: 'Use a recovery code instead',
  },
};

let challenge = '';
let offered = [];
let chosen = '';

/** Prepares the part for the answer of Account_Login. Returns the element to focus. */
export function startSecondFactor({ Challenge, Factors }) {
  challenge = Challenge;
  totp.value = '';
  recovery.value = '';
  offered = Object.keys(ways).filter(
    (way) => Factors.includes(way) && (way !== 'passkey' || supported),
  );
  otherWay.hidden = offered.length < 2;
  submit.hidden = offered.length === 0;
  if (offered.length > 0) return choose(offered[0]);
  // Only passkeys, which this browser cannot use.
  for (const { part } of Object.values(ways)) find(part).hidden = true;
  find('no-passkey').hidden = false;
  return find('leave-second');
}

/** Asks for one kind of answer. Returns the element to focus. */
function choose(way) {
  chosen = way;
  find('no-passkey').hidden = true;
  for (const { part } of Object.values(ways)) find(part).hidden = part !== ways[way].part;
  submit.textContent = ways[way].submit;
  otherWay.textContent = ways[nextWay()].offer;
  return ways[way].focused;
}

const nextWay = () => offered[(offered.indexOf(chosen) + 1) % offered.length];

/** The answer that the user gives. */
async function readAnswer() {
  if (chosen === 'passkey') return { Passkey: await askForPasskey() };
  if (chosen === 'recovery_code') {
    const RecoveryCode = recovery.value.trim();
    return RecoveryCode === '' ? failField(recovery, 'Enter a recovery code.') : { RecoveryCode };
  }
  // Apps show the digits in two groups.
  const Totp = totp.value.replace(/\s/g, '');
  return /^\d{6}$/.test(Totp) ? { Totp } : failField(totp, 'Enter the six digits of the app.');
}

/** Signs in. Returns the number of unused recovery codes, if one was used. */
async function complete(startAgain) {
  const answer = await readAnswer();
  try {
    const request = { Challenge: challenge, ...answer, Cookie: true };
    const { RecoveryCodesLeft } = await call('Account_CompleteLogin', request);
    challenge = '';
    return chosen === 'recovery_code' ? RecoveryCodesLeft : undefined;
  } catch (error) {
    if (isDead(error)) {
      startAgain();
      throw new Refused(error.code, ['This took too long, or too many tries. Sign in again.']);
    }
    if (error.code !== 'unauthenticated') throw error;
    if (chosen === 'passkey')
      throw new Refused(error.code, ['This passkey was not accepted. Use another one.']);
    markInvalid(ways[chosen].focused);
    ways[chosen].focused.select();
    throw error;
  }
}

/**
 * Handles the part's buttons. `done` runs after the sign-in; `startAgain` shows the first step once
 * the challenge is void.
 */
export function onSecondFactor(done, startAgain) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(async () => {
      const left = await complete(startAgain);
      await done();
      // Only if the page has not left for an application. A mail says it too.
      if (left <= 3) say(`Recovery codes left: ${left}. Make new ones before they run out.`);
    });
  });
  otherWay.addEventListener('click', () => {
    say('');
    choose(nextWay()).focus();
  });
}
