// The second step of a sign-in after the right password, or of an open session: a passkey, a code of
// an authenticator app, or a recovery code.
import { call, failField, find, isDead, markInvalid, Refused, run, say } from './calls.js';
import { askForPasskey, supported } from './passkey.js';
import { text } from './texts.js';

const [form, totp, recovery, otherWay] = ['second', 'totp', 'recovery', 'other-way'].map(find);
const submit = form.querySelector('[type=submit]');

/** The ways to answer, in order of preference. */
const ways = {
  passkey: {
    part: 'by-passkey',
    focused: submit,
    submit: 'second.usePasskey',
    offer: 'second.passkeyInstead',
  },
  totp: {
    part: 'by-app',
    focused: totp,
    submit: 'common.continue',
    offer: 'second.appInstead',
  },
  recovery_code: {
    part: 'by-recovery',
    focused: recovery,
    submit: 'common.continue',
    offer: 'second.recoveryInstead',
  },
};

let challenge = '';
/** The operation that takes the answer, and the options for a passkey, if they come with it. */
let operation = '';
let passkeyOptions;
let offered = [];
let chosen = '';

/**
 * Prepares the part for the answer of Account_Login, or of Account_BeginStepUp. Returns the element to
 * focus.
 */
export function startSecondFactor({ Challenge, Factors, Options }, isStepUp = false) {
  challenge = Challenge;
  operation = isStepUp ? 'Account_CompleteStepUp' : 'Account_CompleteLogin';
  passkeyOptions = Options;
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
  submit.textContent = text(ways[way].submit);
  otherWay.textContent = text(ways[nextWay()].offer);
  return ways[way].focused;
}

const nextWay = () => offered[(offered.indexOf(chosen) + 1) % offered.length];

/** The answer that the user gives. */
async function readAnswer() {
  if (chosen === 'passkey') return { Passkey: await askForPasskey(passkeyOptions) };
  if (chosen === 'recovery_code') {
    const RecoveryCode = recovery.value.trim();
    return RecoveryCode === ''
      ? failField(recovery, text('second.enterRecovery'))
      : { RecoveryCode };
  }
  // Apps show the digits in two groups.
  const Totp = totp.value.normalize('NFKC').replace(/[\s-]/g, '');
  return /^\d{6}$/.test(Totp) ? { Totp } : failField(totp, text('second.enterDigits'));
}

/** Signs in. Returns the number of unused recovery codes, if one was used. */
async function complete(startAgain) {
  const answer = await readAnswer();
  try {
    const cookie = operation === 'Account_CompleteLogin' ? { Cookie: true } : {};
    const request = { Challenge: challenge, ...answer, ...cookie };
    const { RecoveryCodesLeft } = await call(operation, request);
    challenge = '';
    return chosen === 'recovery_code' ? RecoveryCodesLeft : undefined;
  } catch (error) {
    if (isDead(error)) {
      startAgain();
      throw new Refused(error.code, text('second.signInAgain'));
    }
    const wrong = operation === 'Account_CompleteLogin' ? 'unauthenticated' : 'permission_denied';
    if (error.code !== wrong) throw error;
    if (chosen === 'passkey') throw new Refused(error.code, text('second.wrongPasskey'));
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
      if (left <= 3) say(text('second.codesLeft', { count: left }));
    });
  });
  otherWay.addEventListener('click', () => {
    say('');
    choose(nextWay()).focus();
  });
}
