// Submits the form, with the token from the link, to the operation that the form names.
import { hasCode, markInvalid, run, say } from './calls.js';
import { findIn } from './elements.js';
import './password.js';
import { callWithToken, takeToken } from './token.js';
import { broadcast, onBroadcast, readWaiting, storeWaiting } from './waiting.js';

/** @import { FormOperation } from './page-data.ts' */

const form = findIn(document, 'form', HTMLFormElement);
/** @type {HTMLInputElement | null} */
const field = document.querySelector('input[name]');
/** @type {HTMLElement | null} */
const next = document.querySelector('.next');
const done = findIn(document, '.done');

/**
 * Shows the next step and focuses its link.
 * @param {HTMLElement} step
 */
function lead(step) {
  step.hidden = false;
  findIn(step, 'a').focus();
}

/**
 * Offers to return to the invitation that the address was verified for: of this tab, or of another
 * open one.
 * @param {HTMLElement} step
 */
function leadBack(step) {
  const otherwise = findIn(document, '.otherwise');
  otherwise.hidden = false;
  const show = () => {
    if (readWaiting() === '') return;
    otherwise.hidden = true;
    done.hidden = true;
    lead(step);
  };
  onBroadcast(({ token: waiting }) => {
    if (!waiting) return;
    storeWaiting(waiting);
    show();
  });
  show();
  broadcast({ ask: readWaiting() === '', verified: true });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  run(async () => {
    try {
      const operation = /** @type {FormOperation} */ (form.dataset.operation);
      await callWithToken(operation, Object.fromEntries(new FormData(form)));
    } catch (error) {
      // The link is used or expired: offer to sign in, where a new one can be requested.
      if (hasCode(error, 'failed_precondition')) done.hidden = false;
      if (hasCode(error, 'invalid_argument') && field) markInvalid(field);
      throw error;
    }
    form.hidden = true;
    say(form.dataset.done ?? '');
    lead(done);
    if (next) leadBack(next);
  });
});

takeToken();
