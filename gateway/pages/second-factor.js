// The second step of a sign-in after the right password, or of an open session: a passkey, a code of
// an authenticator app, or a recovery code.
import { call, failField, hasCode, hasReason, markInvalid, Refused, run, say } from './calls.js';
import { find, findIn } from './elements.js';
import { askForPasskey, supported } from './passkey.js';
import { text } from './texts.js';

/** @import { Account_BeginStepUpRes } from '@bailiwick/client/gen/types.ts' */
/** @import { TextKey } from './texts.js' */
/** @typedef {'passkey' | 'totp' | 'recovery_code'} Kind */

const form = find('second', HTMLFormElement);
const totp = find('totp', HTMLInputElement);
const recovery = find('recovery', HTMLInputElement);
const otherWay = find('other-way', HTMLButtonElement);
const submit = findIn(form, '[type=submit]', HTMLButtonElement);

/**
 * The ways to answer, in order of preference.
 * @type {Record<Kind, { part: string, focus: HTMLElement, submit: TextKey, offer: TextKey }>}
 */
const ways = {
  passkey: {
    part: 'by-passkey',
    focus: submit,
    submit: 'second.usePasskey',
    offer: 'second.passkeyInstead',
  },
  totp: {
    part: 'by-app',
    focus: totp,
    submit: 'common.continue',
    offer: 'second.appInstead',
  },
  recovery_code: {
    part: 'by-recovery',
    focus: recovery,
    submit: 'common.continue',
    offer: 'second.recoveryInstead',
  },
};

const allKinds = /** @type {Kind[]} */ (Object.keys(ways));

let challenge = '';
/** Whether the answer is for a session that is open already. */
let isStepUp = false;
/** The options for a passkey, if they come with the challenge. */
/** @type {string | undefined} */
let passkeyOptions;
/** @type {Kind[]} */
let kinds = [];
/** @type {Kind} */
let kind = 'totp';

/**
 * Prepares the part for the answer of Account_Login, or of Account_BeginStepUp. Returns the element to
 * focus.
 * @param {Omit<Account_BeginStepUpRes, 'Options'> & { Options?: string }} answer
 * @param {boolean} [isOpen] whether the session is open already
 */
export function startSecondFactor({ Challenge, Factors, Options }, isOpen = false) {
  challenge = Challenge;
  isStepUp = isOpen;
  passkeyOptions = Options;
  totp.value = '';
  recovery.value = '';
  kinds = allKinds.filter((name) => Factors.includes(name) && (name !== 'passkey' || supported));
  const [first] = kinds;
  otherWay.hidden = kinds.length < 2;
  submit.hidden = first === undefined;
  if (first !== undefined) return choose(first);
  // Only passkeys, which this browser cannot use.
  for (const { part } of Object.values(ways)) find(part).hidden = true;
  find('no-passkey').hidden = false;
  return find('leave-second');
}

/**
 * Asks for one kind of answer. Returns the element to focus.
 * @param {Kind} choice
 */
function choose(choice) {
  kind = choice;
  find('no-passkey').hidden = true;
  for (const { part } of Object.values(ways)) find(part).hidden = part !== ways[kind].part;
  submit.textContent = text(ways[kind].submit);
  otherWay.textContent = text(ways[nextKind()].offer);
  return ways[kind].focus;
}

const nextKind = () => kinds[(kinds.indexOf(kind) + 1) % kinds.length] ?? kind;

/** The user's answer. */
async function readAnswer() {
  if (kind === 'passkey') return { Passkey: await askForPasskey(passkeyOptions) };
  if (kind === 'recovery_code') {
    const RecoveryCode = recovery.value.trim();
    return RecoveryCode === ''
      ? failField(recovery, text('second.enterRecovery'))
      : { RecoveryCode };
  }
  // Apps show the digits in two groups.
  const Totp = totp.value.normalize('NFKC').replace(/[\s-]/g, '');
  return /^\d{6}$/.test(Totp) ? { Totp } : failField(totp, text('second.enterDigits'));
}

/**
 * Signs in. Returns the number of unused recovery codes, if one was used.
 * @param {() => void} startAgain
 */
async function complete(startAgain) {
  const answer = await readAnswer();
  try {
    const request = { Challenge: challenge, ...answer };
    const { RecoveryCodesLeft } = isStepUp
      ? await call('Account_CompleteStepUp', request)
      : await call('Account_CompleteLogin', { ...request, Cookie: true });
    challenge = '';
    return kind === 'recovery_code' ? RecoveryCodesLeft : undefined;
  } catch (error) {
    if (hasReason(error, 'DEAD_TOKEN')) {
      startAgain();
      throw new Refused(error.code, text('second.signInAgain'));
    }
    if (!hasCode(error, isStepUp ? 'permission_denied' : 'unauthenticated')) throw error;
    if (kind === 'passkey') throw new Refused(error.code, text('second.wrongPasskey'));
    const field = kind === 'totp' ? totp : recovery;
    markInvalid(field);
    field.select();
    throw error;
  }
}

/**
 * Handles the part's buttons. `done` runs after the sign-in; `startAgain` shows the first step once
 * the challenge is void.
 * @param {() => unknown} done
 * @param {() => void} startAgain
 */
export function onSecondFactor(done, startAgain) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    run(async () => {
      const left = await complete(startAgain);
      await done();
      // Only if the page has not left for an application. A mail says it too.
      if (left !== undefined && left <= 3) say(text('second.codesLeft', { count: left }));
    });
  });
  otherWay.addEventListener('click', () => {
    say('');
    choose(nextKind()).focus();
  });
}
