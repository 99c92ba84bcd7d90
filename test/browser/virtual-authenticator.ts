import type { CDPSession, Page } from 'playwright-core';

// Chromium's virtual authenticator: a platform authenticator of one tab.

export type Authenticator = Awaited<ReturnType<typeof addAuthenticator>>;

/** Gives a tab an authenticator, which approves nothing before `approve`. */
export async function addAuthenticator(page: Page, { verifiesUser = true } = {}) {
  const client: CDPSession = await page.context().newCDPSession(page);
  await client.send('WebAuthn.enable');
  const { authenticatorId } = await client.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: verifiesUser,
      automaticPresenceSimulation: false,
    },
  });
  return {
    /** The user approves the requests that begin from now on, or none. */
    approve: (enabled: boolean) =>
      client.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
    async credentials() {
      const answer = await client.send('WebAuthn.getCredentials', { authenticatorId });
      return answer.credentials;
    },
  };
}
