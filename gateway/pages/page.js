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

const next = document.querySelector('.next');

/** Back to the invitation that the address was verified for: of this tab, or of another one that still has it. */
function leadBack() {
  const storageKey = 'bailiwick.invitation';
  const otherwise = document.querySelector('.otherwise');
  otherwise.hidden = false;
  const show = () => {
    otherwise.hidden = true;
    next.hidden = false;
    next.querySelector('a').focus();
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
  const button = form.querySelector('button');
  button.disabled = true;
  try {
    const response = await fetch(form.dataset.operation, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...Object.fromEntries(new FormData(form)), Token: token }),
    });
    if (response.ok) {
      form.hidden = true;
      say(form.dataset.done, false);
      if (next) leadBack();
      return;
    }
    const { Messages } = await response.json();
    say(Messages.join('. '), true);
  } catch {
    say('The service cannot be reached. Try again in a moment.', true);
  }
  button.disabled = false;
});
