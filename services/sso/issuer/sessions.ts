import type Provider from 'oidc-provider';
import { stateOf } from './context.ts';
import { assuranceOf, authTime, methodsOf } from './people.ts';
import type { Person } from './request.ts';

/**
 * Makes oidc-provider's browser session follow the session of the person: it has the same id, is
 * found by it and not by a cookie, and says at each request when and how the person signed in. Another
 * session is therefore another sign-in, and a browser without a session is signed out.
 */
export function followSessions(provider: Provider): void {
  const { Session } = provider;
  const ofCookie = Session.get.bind(Session);

  async function ofPerson(person: Person) {
    const session = (await Session.findByUid(person.credentialId)) ?? new Session();
    return Object.assign(session, {
      uid: person.credentialId,
      accountId: person.id,
      loginTs: authTime(person),
      amr: methodsOf(person),
      acr: assuranceOf(person),
    });
  }

  Session.get = async (ctx) => {
    const { person } = stateOf(ctx).request;
    const session = person ? await ofPerson(person) : await ofCookie(ctx);
    // A cookie may be older than the sign-out.
    const usable = person || session.accountId === undefined ? session : new Session();
    (ctx as unknown as { oidc: { entity(key: string, value: unknown): void } }).oidc.entity(
      'Session',
      usable,
    );
    return usable;
  };
}
