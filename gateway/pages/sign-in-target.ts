import { oneLine, readsLike } from '@bailiwick/contract';
import { Issuer } from '@bailiwick/proto/gen/bailiwick/sso/v1/internal_pb.ts';
import { productName } from '@bailiwick/texts';
import { asService } from '@bailiwick/wire';
import { createClient, type Transport } from '@connectrpc/connect';

// The app to which the sign-in page leads: its request has sent the person there. The address has no
// name in it, only the request, which the issuer keeps.

/** `app` is the name to show, '' = none. `tenant` is the one whose brand the page has, '' = none. */
export type SignInTarget = { app: string; tenant: string };

const request = /^\/oauth\/interaction\/([\w-]{16,64})(?:\?back=1)?$/;
/** A page whose target takes longer to find names none. */
const lookUpMs = 1000;
/** The longest name in a heading, in characters. */
const longestName = 64;

/** Finds what a sign-in leads to; undefined unless a request of an app waits for it. */
export function createSignInTargets(sso: Transport, serviceName: string) {
  const issuer = createClient(Issuer, asService(sso, 'gateway'));

  return async (returnTo: string, ip: string): Promise<SignInTarget | undefined> => {
    const [, interaction] = request.exec(returnTo) ?? [];
    if (interaction === undefined) return undefined;
    try {
      const answer = await issuer.describeSignIn({ interaction, ip }, { timeoutMs: lookUpMs });
      if (!answer.waiting) return undefined;
      const { app, tenant, owner } = answer;
      // Tenants name their apps: no app of a tenant passes for the service.
      const isForeign = owner !== '' && readsLike(app, [productName, serviceName]);
      return { app: isForeign ? '' : shortened(oneLine(app).trim()), tenant };
    } catch {
      return undefined;
    }
  };
}

function shortened(name: string): string {
  const characters = Array.from(name);
  return characters.length > longestName
    ? `${characters.slice(0, longestName - 1).join('')}…`
    : name;
}
