import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

// A user's actions on the sign-in page, and the messages that it shows.

export async function continueWith(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
}

export async function enterPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await continueWith(page, email);
  await enterPassword(page, password);
}

/** Waits until the page shows a matching message. Returns all of its text. */
export async function hears(page: Page, words: RegExp): Promise<string> {
  const outcome = page.locator('.outcome').filter({ hasText: words });
  await outcome.waitFor();
  return outcome.innerText();
}

/** Waits until the page has this heading as its only first-level heading. */
export async function heading(page: Page, name: string): Promise<string> {
  const match = page.getByRole('heading', { level: 1, name });
  await match.waitFor().catch(async (error: Error) => {
    const text = await page.locator('body').innerText();
    throw new Error(`no heading "${name}" at ${page.url()}: ${text}`, { cause: error });
  });
  return page.getByRole('heading', { level: 1 }).innerText();
}

export const focusedId = (page: Page) => page.evaluate<string>('document.activeElement.id');

/** Moves the focus to an element with the Tab key. */
export async function tabTo(page: Page, id: string): Promise<void> {
  for (let presses = 0; presses < 15; presses++) {
    if ((await focusedId(page)) === id) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`the Tab key does not reach ${id}`);
}
