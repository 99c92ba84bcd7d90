// Sends the form with the token of the page's fragment to the operation the form names.
const form = document.querySelector('form');
const outcome = document.querySelector('.outcome');
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';

// A reload or a look over the shoulder finds no token in the address bar.
history.replaceState(null, '', location.pathname);

function say(text, failed) {
  outcome.textContent = text;
  outcome.classList.toggle('failed', failed);
}

const [field, next, done] = ['input', '.next', '.done'].map((selector) => document.querySelector(selector));

function blame() {
  field?.setAttribute('aria-invalid', 'true');
  field?.setAttribute('aria-describedby', outcome.id);
  field?.focus();
}

/** Shows the way on, and moves there. */
function lead(place) {
  if (!place) return;
  place.hidden = false;
  place.querySelector('a').focus();
}

/** Back to the invitation that the address was verified for: of this tab, or of another one that still has it. */
function leadBack() {
  const storageKey = 'bailiwick.invitation';
  const otherwise = document.querySelector('.otherwise');
  otherwise.hidden = false;
  const show = () => {
    otherwise.hidden = true;
    if (done) done.hidden = true;
    lead(next);
  };
  const channel = new BroadcastChannel(storageKey);
  channel.addEventListener('message', ({ data }) => {
    if (!data.token) return;
    sessionStorage.setItem(storageKey, data.token);
    show();
  });
  if (sessionStorage.getItem(storageKey)) show();
  else channel.postMessage({ ask: true });
  channel.postMessage({ verified: true });
}

if (token === '') {
  form.hidden = true;
  say('This link is incomplete. Open it again from the mail.', true);
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  // Not `disabled`: a button that is takes the focus away from whoever uses the keyboard.
  if (form.ariaBusy === 'true') return;
  form.ariaBusy = 'true';
  field?.removeAttribute('aria-invalid');
  field?.removeAttribute('aria-describedby');
  say('', false);
  try {
    const response = await fetch(form.dataset.operation, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(new FormData(form)), Token: token }),
    });
    if (response.ok) {
      form.hidden = true;
      say(form.dataset.done, false);
      lead(done);
      if (next) leadBack();
      return;
    }
    const { Code, Messages } = await response.json();
    say(Messages.map((text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`).join(' '), true);
    // A link that has served or is too old: the way on is to sign in, or to ask for another one there.
    if (Code === 'failed_precondition' && done) done.hidden = false;
    if (Code === 'invalid_argument') blame();
  } catch {
    say('The service cannot be reached. Try again in a moment.', true);
  }
  form.ariaBusy = 'false';
});
