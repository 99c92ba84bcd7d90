import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oauth from 'oauth4webapi';
import { Refusal } from '../failure.ts';
import { say } from '../output.ts';
import {
  authentication,
  client,
  codeOf,
  findIssuer,
  reaching,
  requestOptions,
  type SignedIn,
  signedInOf,
} from './issuer.ts';
import { openBrowser } from './open-browser.ts';

const waitMs = 10 * 60 * 1000;

/** Signs in with a browser on this computer, which returns with a code to a port of it (RFC 8252). */
export async function signInByBrowser(url: string, scope: string): Promise<SignedIn> {
  const issuer = await findIssuer(url);
  const [verifier, state, nonce] = [
    oauth.generateRandomCodeVerifier(),
    oauth.generateRandomState(),
    oauth.generateRandomNonce(),
  ];
  const server = createServer();
  // No other computer reaches it.
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(0, '127.0.0.1', resolve),
  );
  try {
    const redirectUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const address = new URL(issuer.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id: client.client_id,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      resource: issuer.issuer,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const arrival = answerOf(server, state);
    openBrowser(address.href);
    say(`Sign in with the browser. If none has opened, open this address on this computer:`);
    say(`\n${address.href}\n`);
    say('Without a browser here, use bailiwick login --device.');
    const parameters = parametersOf(issuer, await arrival, state);
    const response = await reaching(url, () =>
      oauth.authorizationCodeGrantRequest(
        issuer,
        client,
        authentication,
        parameters,
        redirectUri,
        verifier,
        { ...requestOptions(), additionalParameters: { resource: issuer.issuer } },
      ),
    );
    return signedInOf(
      await oauth.processAuthorizationCodeResponse(issuer, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      }),
    );
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

/** Waits for the browser. Requests that do not come from this sign-in change nothing. */
function answerOf(server: Server, state: string): Promise<URL> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Refusal('the sign-in timed out: start again with bailiwick login')),
      waitMs,
    );
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const arrived = URL.parse(request.url ?? '', 'http://127.0.0.1');
      if (arrived?.pathname !== '/callback' || arrived.searchParams.get('state') !== state)
        return send(response, 404, 'There is nothing here.');
      clearTimeout(timer);
      send(
        response,
        200,
        arrived.searchParams.has('error')
          ? 'The sign-in has failed. The command line says why.'
          : 'Go back to the command line. You can close this page.',
      );
      resolve(arrived);
    });
  });
}

/** The parameters of the browser's answer, which name the state and the issuer. @throws Refusal */
function parametersOf(issuer: oauth.AuthorizationServer, arrived: URL, state: string) {
  try {
    return oauth.validateAuthResponse(issuer, client, arrived, state);
  } catch (error) {
    if (codeOf(error) !== 'access_denied') throw error;
    throw new Refusal('the sign-in was refused in the browser');
  }
}

function send(response: ServerResponse, status: number, text: string): void {
  response
    .writeHead(status, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      connection: 'close',
    })
    .end(
      `<!doctype html><html lang="en"><title>Bailiwick</title><h1>Bailiwick</h1><p>${text}</p></html>`,
    );
}
