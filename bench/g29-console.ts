import process from 'node:process';
import { buildConsole } from '@bailiwick/deploy/local/built-console.ts';
import { openBrowser } from '@bailiwick/test/browser/browser.ts';
import { withoutChromium } from '@bailiwick/test/browser/chromium.ts';
import { newConsolePage, openSignedIn } from '@bailiwick/test/browser/console-page.ts';
import { bodyOf } from '@bailiwick/test/support/answers.ts';
import { median } from '@bailiwick/test/support/numbers.ts';
import { createTenant, password } from '@bailiwick/test/support/people.ts';
import type { Page } from 'playwright-core';
import type { Bench, Row } from './bench.ts';
import { fillUsers } from './generate.ts';
import { createPeople, startMeasured } from './stack.ts';

const hundredThousand = 100_000;
/** A view that changes within 100 ms seems to do so at once. */
const mostMs = 100;

type Interaction = {
  what: string;
  /** The view in which it happens. */
  view: string;
  /** Whether each round loads the view afresh. */
  isFirst?: boolean;
  act: (page: Page, round: number) => Promise<unknown>;
};

const nextPage = (page: Page) => page.getByRole('button', { name: 'Next page' }).click();

const interactions: readonly Interaction[] = [
  {
    what: 'the next page',
    view: 'members',
    act: nextPage,
  },
  {
    what: 'the next page by name',
    view: 'members?sort=name',
    act: nextPage,
  },
  {
    what: 'a filter, as the first interaction',
    view: 'members',
    // The console keeps an answer for some seconds. Loading the page empties its cache.
    isFirst: true,
    act: (page) => page.getByLabel('Joined by').selectOption('creator'),
  },
  {
    what: 'a search, from its last key',
    view: 'members',
    act: (page, round) => page.getByRole('searchbox').fill(`p9${round}`),
  },
];

/**
 * Defines `nextInteraction()` in the page: the milliseconds from the next event of a person to the
 * frame in which the table has other rows, with all of their people.
 */
const stopwatch = `
  const rows = () => {
    const table = document.querySelector('table');
    if (!table || table.getAttribute('aria-busy') === 'true') return undefined;
    const people = [...table.querySelectorAll('tbody .console-name')].map((name) => name.textContent);
    if (people.length < table.tBodies[0].rows.length) return undefined;
    return people.every((text) => text.trim() !== '') ? people.join() : undefined;
  };
  globalThis.nextInteraction = () => new Promise((resolve) => {
    const before = rows();
    const begin = () => {
      const started = performance.now();
      const look = () => {
        const now = rows();
        if (now === undefined || now === before) requestAnimationFrame(look);
        else requestAnimationFrame(() => resolve(performance.now() - started));
      };
      requestAnimationFrame(look);
    };
    for (const type of ['click', 'change', 'input'])
      addEventListener(type, begin, { capture: true, once: true });
  });
`;

/** G29, interactions with the list of 100,000 members in the console. Every one asks the product. */
export const listInteractions: Bench = async ({ rounds }) => {
  const what = (interaction: string) => `${interaction} of 100 k members in the console`;
  const row = { id: 'G29', unit: 'ms', target: { most: mostMs } };
  if (withoutChromium)
    return [{ ...row, what: what('an interaction'), ours: Number.NaN, missing: withoutChromium }];
  await buildConsole((line) => process.stderr.write(`${line}\n`));
  const stack = await startMeasured('one process');
  const [owner] = await createPeople(stack, 1);
  if (!owner) throw new Error('no user can sign in');
  const Tenant = await createTenant(stack, owner.token);
  await fillUsers(stack, Tenant, hundredThousand);
  const answer = bodyOf(await stack.call('Tenants_Get', { Tenant }, owner.token));
  const { Slug } = answer['Tenant'] as { Slug: string };
  const views = `${stack.url}/console/t/${Slug}`;
  const browser = await openBrowser();
  const problems: string[] = [];
  const page = await newConsolePage(browser, stack.url, problems);
  await page.addInitScript(stopwatch);
  await openSignedIn(page, `${views}/members`, owner.email, password);
  const measured: Record<string, number[]> = {};
  // A first round warms up and is not counted.
  for (const { what, view, isFirst = false, act } of interactions)
    for (let round = -1; round < rounds; round++) {
      if (isFirst || round < 0) await page.goto(`${views}/${view}`);
      await page.waitForLoadState('networkidle');
      const interaction = page.evaluate<number>('nextInteraction()');
      await act(page, round + 1);
      const ms = await interaction;
      if (round >= 0) (measured[what] ??= []).push(ms);
    }
  await browser.close();
  await stack.stop();
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return Object.entries(measured).map(
    ([interaction, series]): Row => ({ ...row, what: what(interaction), ours: median(series) }),
  );
};
