import { setTimeout as wait } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';
import { Refusal } from '../failure.ts';
import { say } from '../output.ts';
import { printable } from '../text.ts';
import {
  authentication,
  client,
  codeOf,
  findIssuer,
  isNoResponse,
  reaching,
  requestOptions,
  type SignedIn,
  signedInOf,
} from './issuer.ts';

/** Signs in with a browser on any device, in which the user enters a code (RFC 8628). */
export async function signInByDevice(url: string, scope: string): Promise<SignedIn> {
  const issuer = await findIssuer(url);
  const response = await reaching(url, () =>
    oauth.deviceAuthorizationRequest(
      issuer,
      client,
      authentication,
      { scope, resource: issuer.issuer },
      requestOptions(),
    ),
  );
  const device = await oauth.processDeviceAuthorizationResponse(issuer, client, response);
  say(`Open ${printable(device.verification_uri)} in a browser, on any device, and enter the code`);
  say(`\n    ${printable(device.user_code)}\n`);
  if (device.verification_uri_complete)
    say(`or open ${printable(device.verification_uri_complete)}`);
  say(`It is valid for ${Math.round(device.expires_in / 60)} minutes. Waiting …`);
  return signedInOf(await pollFor(issuer, device));
}

/** Asks for the tokens until the user has decided. */
async function pollFor(
  issuer: oauth.AuthorizationServer,
  { device_code: code, expires_in: seconds, interval = 5 }: oauth.DeviceAuthorizationResponse,
): Promise<oauth.TokenEndpointResponse> {
  const end = Date.now() + seconds * 1000;
  for (let pause = interval; Date.now() < end; ) {
    await wait(pause * 1000);
    try {
      const response = await oauth.deviceCodeGrantRequest(issuer, client, authentication, code, {
        ...requestOptions(),
        additionalParameters: { resource: issuer.issuer },
      });
      return await oauth.processDeviceCodeResponse(issuer, client, response);
    } catch (error) {
      const problem = codeOf(error);
      if (problem === 'access_denied') throw new Refusal('the sign-in was refused in the browser');
      if (problem === 'expired_token') break;
      // RFC 8628, section 3.5.
      if (problem === 'slow_down') pause += 5;
      else if (problem !== 'authorization_pending' && !isNoResponse(error)) throw error;
    }
  }
  throw new Refusal('the code has expired: start again with bailiwick login --device');
}
