import assert from 'node:assert/strict';
import { createApp } from '../sso/issuer/stage.ts';
import { startVisitor } from '../sso/issuer/visitor.ts';
import { bodyOf } from '../support/answers.ts';
import type { Stack } from '../support/harness.ts';
import {
  createTenant,
  login,
  mailTo,
  newAddress,
  password,
  signUp,
  tokenIn,
} from '../support/people.ts';
import type { Section } from './connect-page.ts';
import { visitProgram } from './guides/program.ts';

// People who sign in to an application that docs/connect-applications.md configures.

type Visit = ReturnType<typeof visitProgram>;
/** An account of the application: its own id, and its data about the person. */
export type Account = { id: string | number; sub: string; email: string; name: string };

export type Application = {
  url: string;
  /** Begins a sign-in as a browser does. Returns the address of Bailiwick that it is sent to. */
  begin(visit: Visit): Promise<string>;
  /** The account that the browser is signed in to. */
  account(visit: Visit): Promise<Account | undefined>;
};

/** The owner of a tenant, with a name. */
export async function startOwner(stack: Stack) {
  const person = await signUp(stack);
  const tenant = await createTenant(stack, person.token);
  const User = { Name: 'Ada Lovelace', GivenName: 'Ada', FamilyName: 'Lovelace' };
  bodyOf(await stack.call('Account_Update', { User }, person.token));
  return { ...person, tenant };
}
export type Owner = Awaited<ReturnType<typeof startOwner>>;

const documented = { app: 'https://app.example.com', issuer: 'https://id.example.com' };

/** Registers the app of a section as its command does, for an application at `url`. */
export async function registerApp(stack: Stack, section: Section, owner: Owner, url: string) {
  const [fields, ...others] = section.apps;
  assert.ok(fields !== undefined && others.length === 0, 'the section registers one app');
  const RedirectURIs = fields.RedirectURIs.map((each) => each.replace(documented.app, url));
  assert.notDeepEqual(RedirectURIs, fields.RedirectURIs);
  const { ID, secret } = await createApp(
    stack,
    { PostLogoutRedirectURIs: [], Resources: [], ...fields, Tenant: owner.tenant, RedirectURIs },
    owner.token,
  );
  return {
    secret,
    /** A text of the page with the addresses and the client of this installation. */
    here: (text: string) =>
      text
        .replaceAll(documented.issuer, stack.url)
        .replaceAll(documented.app, url)
        .replaceAll('app_…', ID),
  };
}

/** Takes a browser from the application through Bailiwick to the address of the callback. */
async function bringBack(stack: Stack, application: Application, session: string, visit: Visit) {
  const { url } = await startVisitor(stack, session).open(await application.begin(visit));
  assert.equal(url.origin, application.url, url.href);
  return url;
}

/** A whole sign-in of a browser with a session of Bailiwick. */
export async function signInTo(stack: Stack, application: Application, session: string) {
  const visit = visitProgram(application);
  const callback = await bringBack(stack, application, session, visit);
  const back = await visit(callback);
  return { callback, back, account: await application.account(visit) };
}

/** Only the browser that has begun a sign-in can end it. */
export async function assertRefusesOthers(
  stack: Stack,
  application: Application,
  { token }: Owner,
) {
  const [own, foreign] = [visitProgram(application), visitProgram(application)];
  const callback = await bringBack(stack, application, token, own);
  await foreign(callback);
  assert.equal(await application.account(foreign), undefined);
  await own(callback);
  assert.ok(await application.account(own), 'the code was good');
}

/**
 * An application keeps a person's account when their address changes, and gives another account to
 * the next owner of the address.
 */
export async function assertFollowsSubject(stack: Stack, application: Application, ada: Owner) {
  const enter = async (session: string): Promise<Account> => {
    const { back, account } = await signInTo(stack, application, session);
    assert.ok(account !== undefined, `${back.status} ${back.location} ${back.text}`);
    return account;
  };
  const first = await enter(ada.token);
  const { id, ...claims } = first;
  assert.ok(id);
  assert.deepEqual(claims, { sub: ada.id, email: ada.email, name: 'Ada Lovelace' });

  const next = newAddress('next');
  const change = { Email: next, Password: password };
  bodyOf(await stack.call('Account_ChangeEmail', change, ada.token));
  const Token = tokenIn(await mailTo(stack, next));
  bodyOf(await stack.call('Account_Verify', { Token }));

  // The application knows the old address still, which got the mails of the sign-up and of the end.
  await mailTo(stack, ada.email, 2);
  const heir = await signUp(stack, ada.email, 2);
  const member = { Tenant: ada.tenant, UserID: heir.id };
  bodyOf(await stack.call('TenantMembers_Add', member, stack.platformKey));
  const other = await enter(heir.token);
  assert.deepEqual([other.sub, other.email], [heir.id, ada.email]);
  assert.notEqual(other.id, id);

  const session = String(bodyOf(await login(stack, next))['Token']);
  assert.deepEqual(await enter(session), { ...first, email: next });
}
