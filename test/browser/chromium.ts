import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { Buffer } from 'node:buffer';
import { eventually } from '../harness.ts';

// A browser for the few pages that there are, over its own debugging protocol: nothing has to be installed for it but
// the browser itself.

const known = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

/** The host's Chromium; undefined where there is none. `BAILIWICK_TEST_CHROMIUM` names another. */
export const chromiumPath = [process.env['BAILIWICK_TEST_CHROMIUM'] ?? '', ...known].find((file) => file !== '' && existsSync(file));

export type Page = Awaited<ReturnType<Browser['open']>>;
export type Browser = Awaited<ReturnType<typeof startBrowser>>;

type Answer = { id?: number; result?: Record<string, unknown>; error?: { message: string } };

export async function startBrowser(program: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'bailiwick-chromium-'));
  const flags = ['--headless=new', '--no-sandbox', '--no-first-run', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'];
  // All traffic stays on loopback: no name leads anywhere.
  const apart = ['--no-proxy-server', '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
  const child = spawn(program, [...flags, ...apart, '--remote-debugging-port=0', `--user-data-dir=${folder}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const socket = new WebSocket(await addressOf(child));
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer);
  });
  let count = 0;

  async function send(method: string, params: object, sessionId?: string): Promise<Record<string, unknown>> {
    const id = ++count;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params, ...(sessionId === undefined ? {} : { sessionId }) }));
    const { result = {}, error } = await answered;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  return {
    /** A new tab, with the page loaded. */
    async open(url: string) {
      const { targetId } = await send('Target.createTarget', { url });
      const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
      const page = createPage((method, params = {}) => send(method, params, String(sessionId)));
      // A tab begins with an empty page, which is complete at once.
      await page.until(`location.href !== 'about:blank' && document.readyState === 'complete'`);
      return page;
    },
    async stop(): Promise<void> {
      socket.close();
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`Chromium ended with ${code}`)));
    if (!child.stderr) return reject(new Error('Chromium has no stderr'));
    createInterface(child.stderr).on('line', (line) => {
      const address = /^DevTools listening on (ws:\S+)$/.exec(line)?.[1];
      if (address) resolve(address);
    });
  });
}

const keyCodes: Record<string, { code: number; text?: string }> = { Tab: { code: 9 }, Enter: { code: 13, text: '\r' }, ArrowDown: { code: 40 } };

type Evaluated<T> = { result: { value: T }; exceptionDetails?: { text: string; exception?: { description?: string } } };

function createPage(send: (method: string, params?: object) => Promise<Record<string, unknown>>) {
  /** What an expression is in the page. */
  async function evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = (await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })) as Evaluated<T>;
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }
  return {
    evaluate,
    /** Waits for an expression. A page that is being left, or is not there yet, is one where it does not hold yet. */
    until: (expression: string) =>
      eventually(expression, () =>
        evaluate<boolean>(`Boolean(${expression})`).catch((error: Error) => {
          if (/navigated|context|TypeError/.test(error.message)) return false;
          throw error;
        }),
      ),
    /** Loads the page anew, and waits until it is a new one that is complete. */
    async reload(): Promise<void> {
      await evaluate('globalThis.beforeReload = true');
      await send('Page.reload');
      await this.until(`globalThis.beforeReload === undefined && document.readyState === 'complete'`);
    },
    /** What a person reads: the text that is visible. */
    text: () => evaluate<string>('document.body.innerText'),
    write: (text: string) => send('Input.insertText', { text }),
    async press(key: string): Promise<void> {
      const { code = 0, text } = keyCodes[key] ?? {};
      const event = { key, code: key, windowsVirtualKeyCode: code };
      await send('Input.dispatchKeyEvent', { type: text === undefined ? 'rawKeyDown' : 'keyDown', ...event, ...(text === undefined ? {} : { text }) });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
    },
    focused: () => evaluate<string>(`document.activeElement.id || document.activeElement.value || document.activeElement.textContent`),
    /** Brings the tab to the front, as a person who looks at it. */
    show: () => send('Page.bringToFront'),
    async photograph(file: string): Promise<void> {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      writeFileSync(file, Buffer.from(String(data), 'base64'));
    },
  };
}
