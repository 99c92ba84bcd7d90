// Sends the form with the token of the link to the operation the form names.
import { blame, run, say } from './calls.js';
import { callWithToken, takeToken } from './token.js';
import { hear, keepWaiting, readWaiting, tell } from './waiting.js';

const form = document.querySelector('form');
const [field, next, done] = ['input[name]', '.next', '.done'].map((selector) =>
  document.querySelector(selector),
);

/** Shows the way on, and moves there. */
function lead(place) {
  place.hidden = false;
  place.querySelector('a').focus();
}

/** Back to the invitation that the address was verified for: of this tab, or of another one that still has it. */
function leadBack() {
  const otherwise = document.querySelector('.otherwise');
  otherwise.hidden = false;
  const show = () => {
    if (readWaiting() === '') return;
    otherwise.hidden = true;
    done.hidden = true;
    lead(next);
  };
  hear(({ token: waiting }) => {
    if (!waiting) return;
    keepWaiting(waiting);
    show();
  });
  show();
  tell({ ask: readWaiting() === '', verified: true });
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  run(async () => {
    try {
      await callWithToken(form.dataset.operation, Object.fromEntries(new FormData(form)));
    } catch (error) {
      // A link that has served or is too old: the way on is to sign in, or to ask for another one there.
      if (error.code === 'failed_precondition') done.hidden = false;
      if (error.code === 'invalid_argument' && field) blame(field);
      throw error;
    }
    form.hidden = true;
    say(form.dataset.done);
    lead(done);
    if (next) leadBack();
  });
});

takeToken();
