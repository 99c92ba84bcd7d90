// Completes a provider's sign-in over plain HTTP as a browser does: keeps cookies, follows
// redirects and submits forms.

export type Arrival = { method: 'GET' | 'POST'; url: string; parameters: Record<string, string> };

const mostSteps = 10;

/** The request at the redirect URI after a sign-in as `login`. '' cancels at the login page. */
export async function visit(start: string, redirectUri: string, login: string): Promise<Arrival> {
  const cookies = new Map<string, string>();
  let step: { url: string; body?: URLSearchParams } = { url: start };
  for (let count = 0; count < mostSteps; count++) {
    if (step.url.split('?')[0] === redirectUri) return arrivalOf(step.url, step.body);
    const response = await fetch(step.url, {
      method: step.body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(step.body && { body: step.body }),
    });
    for (const [name, value] of response.headers.getSetCookie().map(readCookie))
      cookies.set(name, value);
    step = nextStep(step.url, response.headers.get('location'), await response.text(), login);
  }
  throw new Error('the provider made too many redirects');
}

function readCookie(header: string): [string, string] {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(header) ?? [];
  return [name, value];
}

function nextStep(
  from: string,
  location: string | null,
  html: string,
  login: string,
): { url: string; body?: URLSearchParams } {
  if (location !== null) return { url: new URL(location, from).href };
  if (!/<form/i.test(html)) throw new Error(`the provider answered: ${html.slice(0, 500)}`);
  const action = /<form[^>]*\saction="([^"]*)"/i.exec(html)?.[1];
  const hidden = [
    ...html.matchAll(/<input[^>]*type="hidden"[^>]*name="([^"]*)"[^>]*value="([^"]*)"/gi),
  ].map(([, name = '', value = '']) => [name, unescape(value)]);
  const body = new URLSearchParams(hidden as [string, string][]);
  if (/name="login"/.test(html)) body.set('login', login);
  return { url: new URL(unescape(action ?? from), from).href, body };
}

const unescape = (text: string): string =>
  text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|quot|lt|gt|amp);/gi,
    (entity, decimal?: string, hex?: string) => {
      if (decimal ?? hex)
        return String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16));
      return { '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&' }[entity] ?? entity;
    },
  );

function arrivalOf(url: string, body: URLSearchParams | undefined): Arrival {
  const parameters = Object.fromEntries(body ?? new URL(url).searchParams);
  return { method: body ? 'POST' : 'GET', url, parameters };
}
