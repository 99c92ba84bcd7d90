// Submits the form, with the token from the link, to the operation that the form names.
import { markInvalid, run, say } from './calls.js';
import './password.js';
import { callWithToken, takeToken } from './token.js';
import { broadcast, onBroadcast, readWaiting, storeWaiting } from './waiting.js';

const form = document.querySelector('form');
const [field, next, done] = ['input[name]', '.next', '.done'].map((selector) =>
  document.querySelector(selector),
);

/** Shows the next step and focuses its link. */
function lead(place) {
  place.hidden = false;
  place.querySelector('a').focus();
}

/**
 * Offers to return to the invitation that the address was verified for: of this tab, or of another
 * open one.
 */
function leadBack() {
  const otherwise = document.querySelector('.otherwise');
  otherwise.hidden = false;
  const show = () => {
    if (readWaiting() === '') return;
    otherwise.hidden = true;
    done.hidden = true;
    lead(next);
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
      await callWithToken(form.dataset.operation, Object.fromEntries(new FormData(form)));
    } catch (error) {
      // The link is used or expired: offer to sign in, where a new one can be requested.
      if (error.code === 'failed_precondition') done.hidden = false;
      if (error.code === 'invalid_argument' && field) markInvalid(field);
      throw error;
    }
    form.hidden = true;
    say(form.dataset.done);
    lead(done);
    if (next) leadBack();
  });
});

takeToken();
