// Updates the page without closing open entries or reloading shown ones.
let { revision } = document.querySelector('main').dataset;

async function refresh() {
  try {
    const response = await fetch('/', { cache: 'no-cache' });
    const next = response.headers.get('etag').replaceAll('"', '');
    if (next !== revision) {
      const fresh = new DOMParser().parseFromString(await response.text(), 'text/html');
      document.title = fresh.title;
      const sections = [...document.querySelectorAll('section')];
      fresh
        .querySelectorAll('section')
        .forEach((section, index) => update(sections[index], section));
      showLocalTimes();
    }
    revision = next;
    document.body.classList.remove('away');
  } catch {
    document.body.classList.add('away');
  }
}

/** Keeps existing entries in place: moving a frame in the document would reload it. */
function update(section, fresh) {
  const wanted = new Set([...fresh.querySelectorAll('details')].map((details) => details.id));
  for (const child of [...section.children])
    if (child.tagName !== 'DETAILS' || !wanted.has(child.id)) child.remove();
  let next = section.firstElementChild;
  for (const child of [...fresh.children]) {
    if (next && next.id === child.id) next = next.nextElementSibling;
    else section.insertBefore(child, next);
  }
}

function showLocalTimes() {
  for (const time of document.querySelectorAll('time'))
    time.textContent = new Date(time.dateTime).toLocaleTimeString();
}

document.addEventListener('click', async (event) => {
  const paths = event.target.dataset?.delete;
  if (!paths) return;
  await Promise.all(paths.split(' ').map((path) => fetch(path, { method: 'DELETE' })));
  await refresh();
});

showLocalTimes();
refresh();
setInterval(refresh, 1500);
